//! The text of prototypes, cut into tokens with their places.

use super::expression::Scalar;
use std::fmt;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// One sentence, without its full stop.
    pub what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.what)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Word(String),
    Number(Scalar),
    Character(u8),
    Symbol(&'static str),
    /// The end of a statement.
    End,
}

#[derive(Clone, Debug)]
pub struct Placed {
    pub token: Token,
    pub line: u32,
    pub column: u32,
}

const SYMBOLS: &[&str] = &[
    "->", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", ",", ":", "[", "]",
];

/// A line that begins with one of these, or with a parenthesis, continues the statement before.
const CONTINUING: &[&str] = &["at", "where", "step", "and", "or", "then", "else", "unless"];

/// The tokens of a text, an end after every statement.
pub fn tokenize(text: &str) -> Result<Vec<Placed>, Mistake> {
    let mut tokens: Vec<Placed> = Vec::new();
    let mut open = 0i32;
    for (number, line) in text.lines().enumerate() {
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let before = tokens.len();
        let mut rest = line;
        let place = |rest: &str| {
            let byte = line.len() - rest.len();
            u32::try_from(line[..byte].chars().count() + 1).unwrap_or(u32::MAX)
        };
        loop {
            rest = rest.trim_start();
            let Some(first) = rest.chars().next() else { break };
            if first == '#' {
                break;
            }
            let column = place(rest);
            let mistake = |what: String| Mistake { line: number, column, what };
            let (token, length) = if first.is_alphabetic() || matches!(first, '_' | '{') {
                let end = word_end(rest);
                (Token::Word(rest[..end].to_string()), end)
            } else if first.is_ascii_digit() {
                let end = rest
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '.')
                    .unwrap_or(rest.len());
                let digits = &rest[..end];
                let integer = match digits.strip_prefix("0x") {
                    Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16),
                    None => digits.parse::<i64>(),
                };
                let value = match integer {
                    Ok(integer) => Scalar::Integer(integer),
                    Err(_) => match digits.parse::<f64>() {
                        Ok(real) => Scalar::Real(real),
                        Err(_) => return Err(mistake(format!("{digits} is not a number"))),
                    },
                };
                (Token::Number(value), end)
            } else if first == '\'' {
                let mut inside = rest[1..].chars();
                match (inside.next(), inside.next()) {
                    (Some(c), Some('\'')) if c.is_ascii() => {
                        (Token::Character((c as u8).to_ascii_uppercase()), 3)
                    }
                    _ => return Err(mistake("a character is written 'N'".to_string())),
                }
            } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                match *symbol {
                    "(" | "[" => open += 1,
                    ")" | "]" => open -= 1,
                    _ => {}
                }
                (Token::Symbol(symbol), symbol.len())
            } else {
                return Err(mistake(format!("unexpected character {first:?}")));
            };
            tokens.push(Placed { token, line: number, column });
            rest = &rest[length..];
        }
        // A line that continues takes back the end of the one before.
        let continues = tokens.get(before).is_some_and(|first| match &first.token {
            Token::Word(word) => CONTINUING.contains(&word.as_str()),
            Token::Symbol(symbol) => *symbol == "(",
            Token::Number(_) | Token::Character(_) | Token::End => false,
        });
        if continues && before > 0 && tokens[before - 1].token == Token::End {
            tokens.remove(before - 1);
        }
        if open <= 0 && tokens.last().is_some_and(|last| last.token != Token::End) {
            let column = place("");
            tokens.push(Placed { token: Token::End, line: number, column });
            open = 0;
        }
    }
    let line = u32::try_from(text.lines().count().max(1)).unwrap_or(u32::MAX);
    tokens.push(Placed { token: Token::End, line, column: 1 });
    Ok(tokens)
}

/// Where a word ends. Braces are part of it: `{s,d}gesv`.
fn word_end(text: &str) -> usize {
    let mut inside = false;
    let mut ends = |c: char| {
        match c {
            '{' => inside = true,
            '}' => inside = false,
            ',' if inside => {}
            _ => return !c.is_alphanumeric() && !matches!(c, '_' | '.' | '$' | '@'),
        }
        false
    };
    text.find(&mut ends).unwrap_or(text.len())
}
