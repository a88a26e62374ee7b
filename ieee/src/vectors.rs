//! Operation vectors: cases of every operation as data, for every engine to
//! run.
//!
//! A file `vectors/<operation>.txt` holds one case a line:
//!
//! ```text
//! <format> [<parameter>=<value>]... [<mode>] <operand>... -> <result> <flags>
//! binary64 RNE 0x3ff0000000000000 0x3ca0000000000000 -> 0x3ff0000000000000 x
//! binary64 target=binary32 RTZ 0x3ff0000020000000 -> 0x3f800000 x
//! binary32 width=8 out_of_range=saturate RTZ 0x43800000 -> 0x7f v
//! ```
//!
//! Operands and results are encodings in hexadecimal, or `true` and `false`.
//! Flags are a letter each: in`v`alid, divide by `z`ero, `o`verflow,
//! `u`nderflow, ine`x`act, `t`iny; `-` for none. `#` starts a comment. A NaN
//! result is the canonical one.

use crate::{
    ConcreteDatum, Datum, Flags, Format, Operation, OutOfRange, ParameterKind, Parameters,
    Rounding, Sort, Word,
};
use std::fmt;

/// A case of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The operation.
    pub operation: Operation,
    /// Its parameters.
    pub parameters: Parameters,
    /// Its operands, the rounding mode among them.
    pub operands: Vec<ConcreteDatum>,
    /// What it must give.
    pub result: ConcreteDatum,
    /// What it must raise.
    pub flags: Flags,
    /// Where it stands in its file, from 1.
    pub line: usize,
}

/// A line that is no vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadVector {
    /// The operation whose file it is in.
    pub operation: Operation,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for BadVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.txt:{}: {}", self.operation, self.line, self.message)
    }
}

impl std::error::Error for BadVector {}

macro_rules! include_vectors {
    ($(
        $(#[$documentation:meta])*
        $Variant:ident $method:ident [$($parameters:tt)*] ($($operands:tt)*) -> $Result:ident
        $(as $smtlib:literal)? raises [$($Raised:ident),*];
    )*) => {
        /// The text of the operation's vector file.
        pub const fn text(operation: Operation) -> &'static str {
            match operation {
                $( Operation::$Variant => {
                    include_str!(concat!("../vectors/", stringify!($method), ".txt"))
                } )*
            }
        }
    };
}
crate::for_each_operation!(include_vectors);

/// The vectors of one operation.
pub fn of(operation: Operation) -> Result<Vec<Vector>, BadVector> {
    parse(operation, text(operation))
}

/// Reads the vectors of an operation.
pub fn parse(operation: Operation, text: &str) -> Result<Vec<Vector>, BadVector> {
    let mut vectors = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or("").trim();
        if content.is_empty() {
            continue;
        }
        let vector = parse_line(operation, content, index + 1).map_err(|message| BadVector {
            operation,
            line: index + 1,
            message,
        })?;
        vectors.push(vector);
    }
    Ok(vectors)
}

fn parse_line(operation: Operation, content: &str, line: usize) -> Result<Vector, String> {
    let (left, right) = content.split_once("->").ok_or("no `->`")?;
    let mut words = left.split_whitespace().peekable();
    let format: Format = words.next().ok_or("no format")?.parse()?;
    let mut parameters = Parameters::of(format);
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        set_parameter(&mut parameters, name, value)?;
        words.next();
    }
    let mut operands = Vec::new();
    for sort in operation.operands() {
        let word = words.next().ok_or_else(|| format!("{operation} takes more operands"))?;
        let width = if *sort == Sort::Bits && operation != Operation::FromBits {
            parameters.width
        } else {
            format.width()
        };
        operands.push(parse_datum(*sort, width, word)?);
    }
    if let Some(word) = words.next() {
        return Err(format!("`{word}` is one operand too many"));
    }
    let mut words = right.split_whitespace();
    let width = match operation.result() {
        Sort::Bits if operation != Operation::ToBits => parameters.width,
        _ if operation.parameters().contains(&ParameterKind::Target) => parameters.target.width(),
        _ => format.width(),
    };
    let result = parse_datum(operation.result(), width, words.next().ok_or("no result")?)?;
    let flags = words.next().ok_or("no flags")?.parse()?;
    if let Some(word) = words.next() {
        return Err(format!("`{word}` after the flags"));
    }
    Ok(Vector { operation, parameters, operands, result, flags, line })
}

fn set_parameter(parameters: &mut Parameters, name: &str, value: &str) -> Result<(), String> {
    match name {
        "target" => parameters.target = value.parse()?,
        "width" => parameters.width = value.parse().map_err(|_| format!("width `{value}`"))?,
        "out_of_range" => {
            parameters.out_of_range = OutOfRange::ALL
                .into_iter()
                .find(|policy| policy.name() == value)
                .ok_or_else(|| format!("`{value}` is no policy"))?;
        }
        other => return Err(format!("`{other}` is no parameter")),
    }
    Ok(())
}

fn parse_datum(sort: Sort, width: u32, text: &str) -> Result<ConcreteDatum, String> {
    let word =
        || Word::from_hex(width, text).ok_or_else(|| format!("`{text}` is no word of {width}"));
    Ok(match sort {
        Sort::Float => Datum::Float(word()?),
        Sort::Bits => Datum::Bits(word()?),
        Sort::Rounding => Datum::Rounding(text.parse::<Rounding>()?.into()),
        Sort::Bool => Datum::Bool(text.parse().map_err(|_| format!("`{text}` is no truth value"))?),
    })
}
