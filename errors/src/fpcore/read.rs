//! Text to trees: the S-expressions of FPCore, with places.

use std::fmt;

/// A place in a text, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where.
    pub place: Place,
    /// What.
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.place.line, self.place.column, self.message)
    }
}

impl std::error::Error for SyntaxError {}

/// A tree and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// What it is.
    pub kind: TreeKind,
    /// Where it begins.
    pub place: Place,
}

/// What a tree is.
#[derive(Clone, Debug, PartialEq)]
pub enum TreeKind {
    /// A symbol, a number or a keyword.
    Atom(String),
    /// A text in quotes.
    Text(String),
    /// A list in parentheses or brackets.
    List(Vec<Tree>),
}

impl Tree {
    /// The name, of an atom.
    pub fn atom(&self) -> Option<&str> {
        match &self.kind {
            TreeKind::Atom(name) => Some(name),
            TreeKind::Text(_) | TreeKind::List(_) => None,
        }
    }

    /// The members, of a list.
    pub fn list(&self) -> Option<&[Tree]> {
        match &self.kind {
            TreeKind::List(members) => Some(members),
            TreeKind::Atom(_) | TreeKind::Text(_) => None,
        }
    }

    /// A complaint about it.
    pub fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError { place: self.place, message: message.into() }
    }
}

/// Lists may be nested so deep.
const DEPTH: usize = 300;

/// Reads all trees of a text.
pub fn read(text: &str) -> Result<Vec<Tree>, SyntaxError> {
    let mut place = Place { line: 1, column: 1 };
    let mut chars = text.chars().peekable();
    let mut open: Vec<(Place, char, Vec<Tree>)> = Vec::new();
    let mut done = Vec::new();
    while let Some(&c) = chars.peek() {
        let start = place;
        let mut take = |place: &mut Place| {
            let c = chars.next();
            if c == Some('\n') {
                *place = Place { line: place.line + 1, column: 1 };
            } else {
                place.column += 1;
            }
            c
        };
        let tree = match c {
            _ if c.is_whitespace() => {
                take(&mut place);
                continue;
            }
            ';' => {
                while let Some(c) = take(&mut place) {
                    if c == '\n' {
                        break;
                    }
                }
                continue;
            }
            '(' | '[' => {
                take(&mut place);
                if open.len() >= DEPTH {
                    return Err(SyntaxError { place: start, message: "too deeply nested".into() });
                }
                open.push((start, if c == '(' { ')' } else { ']' }, Vec::new()));
                continue;
            }
            ')' | ']' => {
                take(&mut place);
                let Some((begin, close, members)) = open.pop() else {
                    return Err(SyntaxError {
                        place: start,
                        message: format!("`{c}` closes nothing"),
                    });
                };
                if c != close {
                    let message = format!(
                        "`{c}` where `{close}` closes what was opened at {}:{}",
                        begin.line, begin.column
                    );
                    return Err(SyntaxError { place: start, message });
                }
                Tree { kind: TreeKind::List(members), place: begin }
            }
            '"' => {
                take(&mut place);
                let mut content = String::new();
                loop {
                    match take(&mut place) {
                        Some('"') => break,
                        Some('\\') => content.extend(take(&mut place)),
                        Some(c) => content.push(c),
                        None => {
                            return Err(SyntaxError {
                                place: start,
                                message: "this text does not end".into(),
                            });
                        }
                    }
                }
                Tree { kind: TreeKind::Text(content), place: start }
            }
            _ => {
                let mut name = String::new();
                name.extend(take(&mut place));
                while let Some(&c) = chars.peek() {
                    if c.is_whitespace() || "()[]\";".contains(c) {
                        break;
                    }
                    name.push(c);
                    place.column += 1;
                    chars.next();
                }
                Tree { kind: TreeKind::Atom(name), place: start }
            }
        };
        match open.last_mut() {
            Some((_, _, members)) => members.push(tree),
            None => done.push(tree),
        }
    }
    match open.pop() {
        Some((place, close, _)) => {
            Err(SyntaxError { place, message: format!("no `{close}` closes this") })
        }
        None => Ok(done),
    }
}
