//! Numbers on their way to a report: from words and encodings to names and digits.

use nanoscope_ieee::Format;
use nanoscope_native as native;
use nanoscope_program::{Scalar, Target};
use nanoscope_report::Number;

/// The inputs of a target at a point.
pub(crate) fn inputs(target: &Target, point: &[u64]) -> Vec<Number> {
    target
        .inputs
        .iter()
        .map(|input| {
            number(
                &input.name,
                &input.type_name,
                input.scalar,
                encoding(point, input.word, input.scalar),
            )
        })
        .collect()
}

/// The outputs of a target.
pub(crate) fn outputs(target: &Target, words: &[u64]) -> Vec<Number> {
    target
        .outputs
        .iter()
        .map(|output| {
            number(
                &output.name,
                type_name(output.scalar),
                output.scalar,
                encoding(words, output.word, output.scalar),
            )
        })
        .collect()
}

/// A number that a replay saw.
pub(crate) fn seen(name: &str, number: native::Number) -> Number {
    match number {
        native::Number::Float { format, bits } => {
            Number::float(name, type_name(Scalar::Float(format)), format, bits)
        }
        native::Number::Integer(value) => {
            Number::integer(name, "long", 64, true, u128::from(value as u64))
        }
    }
}

pub(crate) fn number(name: &str, type_name: &str, scalar: Scalar, bits: u128) -> Number {
    match scalar {
        Scalar::Float(format) => Number::float(name, type_name, format, bits),
        Scalar::Integer { bits: width, signed } => {
            Number::integer(name, type_name, width, signed, bits)
        }
    }
}

/// A scalar's encoding in a vector of words.
pub(crate) fn encoding(words: &[u64], at: usize, scalar: Scalar) -> u128 {
    let low = u128::from(words[at]);
    let whole = if scalar.words() == 2 { low | u128::from(words[at + 1]) << 64 } else { low };
    whole & (u128::MAX >> (128 - scalar.bits()))
}

/// Puts a scalar's encoding into a vector of words.
pub(crate) fn set_encoding(words: &mut [u64], at: usize, scalar: Scalar, bits: u128) {
    words[at] = bits as u64;
    if scalar.words() == 2 {
        words[at + 1] = (bits >> 64) as u64;
    }
}

/// An encoding as an integer in the values' order: -0 just below +0.
pub(crate) fn key(scalar: Scalar, encoding: u128) -> i128 {
    match scalar {
        Scalar::Float(format) => {
            let sign = 1u128 << (format.width() - 1);
            let magnitude = (encoding & !sign) as i128;
            if encoding & sign == 0 { magnitude } else { -magnitude - 1 }
        }
        Scalar::Integer { bits, signed: true } => {
            ((encoding << (128 - bits)) as i128) >> (128 - bits)
        }
        Scalar::Integer { .. } => encoding as i128,
    }
}

/// The encoding at a place in the values' order: the inverse of [`key`].
pub(crate) fn encoding_at(scalar: Scalar, key: i128) -> u128 {
    match scalar {
        Scalar::Float(format) => {
            let sign = 1u128 << (format.width() - 1);
            if key >= 0 { key as u128 } else { (-(key + 1)) as u128 | sign }
        }
        Scalar::Integer { bits, .. } => key as u128 & (u128::MAX >> (128 - bits)),
    }
}

/// What C calls a type.
pub(crate) fn type_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Float(Format::BINARY16) => "_Float16",
        Scalar::Float(Format::BFLOAT16) => "__bf16",
        Scalar::Float(Format::BINARY32) => "float",
        Scalar::Float(Format::BINARY64) => "double",
        Scalar::Float(Format::X87) => "long double",
        Scalar::Float(Format::BINARY128) => "__float128",
        Scalar::Float(_) => "float of another format",
        Scalar::Integer { bits: 1, .. } => "bool",
        Scalar::Integer { bits: 8, signed: true } => "char",
        Scalar::Integer { bits: 8, signed: false } => "unsigned char",
        Scalar::Integer { bits: 16, signed: true } => "short",
        Scalar::Integer { bits: 16, signed: false } => "unsigned short",
        Scalar::Integer { bits: 32, signed: true } => "int",
        Scalar::Integer { bits: 32, signed: false } => "unsigned int",
        Scalar::Integer { bits: 64, signed: true } => "long",
        Scalar::Integer { bits: 64, signed: false } => "unsigned long",
        Scalar::Integer { .. } => "integer",
    }
}
