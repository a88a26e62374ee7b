//! Commands out of characters: SMT-LIB's lexical conventions (2.6, 3.1) and
//! nesting, read as they arrive.
//!
//! A command comes as a flat [`Tree`], its nesting told by where each list
//! ends: no depth of input can exhaust the stack.

use std::fmt;
use std::io::BufRead;

/// A place in the input, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The character within the line.
    pub column: u32,
}

/// What is wrong with the input, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub place: Place,
    /// What.
    pub what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.place.line, self.place.column, self.what)
    }
}

impl std::error::Error for Mistake {}

/// Kinds of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A list; its items follow.
    List,
    Symbol,
    /// A symbol between bars, never a reserved word.
    Quoted,
    Keyword,
    Numeral,
    Decimal,
    Hexadecimal,
    Binary,
    Text,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    kind: Kind,
    place: Place,
    /// The text of an atom: for lists nothing.
    from: u32,
    to: u32,
    /// The item after this one and all within it.
    next: u32,
}

/// A command, or anything else between parentheses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    items: Vec<Item>,
    text: String,
}

/// An item of a tree.
pub(crate) type At = usize;

impl Tree {
    /// The outermost item.
    pub(crate) const ROOT: At = 0;

    pub(crate) fn kind(&self, at: At) -> Kind {
        self.items[at].kind
    }

    pub(crate) fn place(&self, at: At) -> Place {
        self.items[at].place
    }

    /// The text of an atom, without bars, quotes, `#x` or `#b`.
    pub(crate) fn text(&self, at: At) -> &str {
        &self.text[self.items[at].from as usize..self.items[at].to as usize]
    }

    /// The item after `at` and all within it.
    pub(crate) fn next(&self, at: At) -> At {
        self.items[at].next as usize
    }

    pub(crate) fn is_list(&self, at: At) -> bool {
        self.kind(at) == Kind::List
    }

    /// The text of a symbol.
    pub(crate) fn symbol(&self, at: At) -> Option<&str> {
        matches!(self.kind(at), Kind::Symbol | Kind::Quoted).then(|| self.text(at))
    }

    /// Whether it is that reserved word or plain symbol.
    pub(crate) fn is_word(&self, at: At, word: &str) -> bool {
        self.kind(at) == Kind::Symbol && self.text(at) == word
    }

    /// The items of a list.
    pub(crate) fn children(&self, at: At) -> Vec<At> {
        let mut children = Vec::new();
        if at >= self.items.len() {
            return children;
        }
        let end = self.next(at);
        let mut child = at + 1;
        while self.is_list(at) && child < end {
            children.push(child);
            child = self.next(child);
        }
        children
    }

    pub(crate) fn mistake(&self, at: At, what: impl Into<String>) -> Mistake {
        Mistake { place: self.place(at), what: what.into() }
    }

    /// An item as text again, blanks made single.
    pub(crate) fn print(&self, at: At) -> String {
        let mut out = String::new();
        let mut ends: Vec<At> = Vec::new();
        for index in at..self.next(at) {
            while ends.last() == Some(&index) {
                ends.pop();
                out.push(')');
            }
            if !out.is_empty() && !out.ends_with('(') {
                out.push(' ');
            }
            let text = self.text(index);
            match self.kind(index) {
                Kind::List => {
                    out.push('(');
                    ends.push(self.next(index));
                }
                Kind::Quoted => out.push_str(&format!("|{text}|")),
                Kind::Hexadecimal => out.push_str(&format!("#x{text}")),
                Kind::Binary => out.push_str(&format!("#b{text}")),
                Kind::Text => out.push_str(&format!("\"{}\"", text.replace('"', "\"\""))),
                Kind::Symbol | Kind::Keyword | Kind::Numeral | Kind::Decimal => out.push_str(text),
            }
        }
        out.extend(ends.iter().map(|_| ')'));
        out
    }
}

/// Reads commands from a stream, each as soon as its last parenthesis is there.
pub(crate) struct Reader<R> {
    input: R,
    place: Place,
}

impl<R: BufRead> Reader<R> {
    pub(crate) fn new(input: R) -> Reader<R> {
        Reader { input, place: Place { line: 1, column: 1 } }
    }

    fn peek(&mut self) -> Result<Option<u8>, Mistake> {
        loop {
            match self.input.fill_buf() {
                Ok(bytes) => return Ok(bytes.first().copied()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.mistake(format!("cannot read on: {error}"))),
            }
        }
    }

    /// Goes past the byte that was peeked at.
    fn advance(&mut self, byte: u8) {
        self.input.consume(1);
        if byte == b'\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else if byte & 0xc0 != 0x80 {
            // Bytes within a UTF-8 sequence are no characters of their own.
            self.place.column += 1;
        }
    }

    fn mistake(&self, what: impl Into<String>) -> Mistake {
        Mistake { place: self.place, what: what.into() }
    }

    /// The next command; none at the end of the input.
    pub(crate) fn command(&mut self) -> Result<Option<Tree>, Mistake> {
        let mut tree = Tree::default();
        let mut open: Vec<usize> = Vec::new();
        loop {
            let Some(byte) = self.peek()? else {
                return match open.first() {
                    None => Ok(None),
                    Some(first) => Err(Mistake {
                        place: tree.items[*first].place,
                        what: "this parenthesis is never closed".to_string(),
                    }),
                };
            };
            let place = self.place;
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.advance(byte),
                b';' => {
                    while let Some(byte) = self.peek()?.filter(|byte| *byte != b'\n') {
                        self.advance(byte);
                    }
                }
                b'(' => {
                    self.advance(byte);
                    open.push(tree.items.len());
                    tree.items.push(Item { kind: Kind::List, place, from: 0, to: 0, next: 0 });
                }
                b')' => {
                    self.advance(byte);
                    let Some(list) = open.pop() else {
                        return Err(Mistake {
                            place,
                            what: "this parenthesis closes nothing".to_string(),
                        });
                    };
                    tree.items[list].next = tree.items.len() as u32;
                    if open.is_empty() {
                        return Ok(Some(tree));
                    }
                }
                _ => {
                    let from = tree.text.len() as u32;
                    let kind = self.atom(byte, &mut tree.text)?;
                    if open.is_empty() {
                        let what = format!("a command in parentheses, not `{}`", tree.text);
                        return Err(Mistake { place, what });
                    }
                    let (to, next) = (tree.text.len() as u32, tree.items.len() as u32 + 1);
                    tree.items.push(Item { kind, place, from, to, next });
                }
            }
        }
    }

    /// Reads an atom that starts with `first`.
    fn atom(&mut self, first: u8, text: &mut String) -> Result<Kind, Mistake> {
        let place = self.place;
        let start = text.len();
        let kind = match first {
            b'|' => {
                self.advance(first);
                self.until(b'|', place, "this `|`", text)?;
                return Ok(Kind::Quoted);
            }
            b'"' => {
                self.advance(first);
                self.until(b'"', place, "this `\"`", text)?;
                // A quote in a string is written twice.
                while self.peek()? == Some(b'"') {
                    self.advance(b'"');
                    text.push('"');
                    self.until(b'"', place, "this `\"`", text)?;
                }
                return Ok(Kind::Text);
            }
            b'#' => {
                self.advance(first);
                let base = self.peek()?;
                let kind = match base {
                    Some(b'x') => Kind::Hexadecimal,
                    Some(b'b') => Kind::Binary,
                    Some(_) | None => {
                        return Err(Mistake { place, what: "`#` without `b` or `x`".to_string() });
                    }
                };
                self.advance(base.expect("just seen"));
                kind
            }
            b':' => {
                self.advance(first);
                text.push(':');
                Kind::Keyword
            }
            b'0'..=b'9' => Kind::Numeral,
            _ => Kind::Symbol,
        };
        while let Some(byte) = self.peek()?.filter(|byte| is_plain(*byte)) {
            self.advance(byte);
            text.push(byte as char);
        }
        let word = &text[start..];
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let wrong = match kind {
            Kind::Numeral if digits(word) => return Ok(Kind::Numeral),
            Kind::Numeral => match word.split_once('.') {
                Some((whole, part)) if digits(whole) && digits(part) => return Ok(Kind::Decimal),
                Some(_) | None => format!("`{word}` is no number"),
            },
            Kind::Hexadecimal
                if word.is_empty() || !word.bytes().all(|b| b.is_ascii_hexdigit()) =>
            {
                format!("`#x{word}` is no hexadecimal literal")
            }
            Kind::Binary if word.is_empty() || !word.bytes().all(|b| b"01".contains(&b)) => {
                format!("`#b{word}` is no binary literal")
            }
            Kind::Keyword if word.len() == 1 => "`:` without a name".to_string(),
            Kind::Symbol if word.is_empty() => match first {
                0x20..=0x7e => format!("`{}` stands in no word", first as char),
                _ => format!("byte 0x{first:02x} stands in no word"),
            },
            _ => return Ok(kind),
        };
        Err(Mistake { place, what: wrong })
    }

    /// Reads up to `end` and past it.
    fn until(
        &mut self,
        end: u8,
        place: Place,
        opener: &str,
        text: &mut String,
    ) -> Result<(), Mistake> {
        let mut bytes = Vec::new();
        loop {
            match self.peek()? {
                None => return Err(Mistake { place, what: format!("{opener} is never closed") }),
                Some(byte) => {
                    self.advance(byte);
                    if byte == end {
                        text.push_str(&String::from_utf8_lossy(&bytes));
                        return Ok(());
                    }
                    bytes.push(byte);
                }
            }
        }
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&byte)
}
