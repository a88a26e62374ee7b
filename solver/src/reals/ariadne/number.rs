//! Values as exact numbers.

use crate::propagate::Grid;
use nanoscope_ieee::{Float, Rational, Rounding};
use nanoscope_term::Value;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::cmp::Ordering;

/// As many as binary128 has; numbers of longer exponents fill the memory.
const MOST_EXPONENT_BITS: u32 = 15;

/// The exact number that a float is, or that an integer is in two's complement.
pub(super) fn number(value: &Value) -> Option<Rational> {
    let Value::Bits(word) = value else { return real(value) };
    let unsigned = BigInt::from(word.to_u128().filter(|_| word.width() <= 128)?);
    let turn = if is_negative(value) { BigInt::one() << word.width() } else { BigInt::zero() };
    Some(Rational::from_integer(unsigned - turn))
}

/// The exact number that a float is.
pub(super) fn real(value: &Value) -> Option<Rational> {
    let (format, word) = value.as_float()?;
    exactly(&Float::from_word(format, word.clone()))
}

/// The exact number that a float is, if its format has no monstrous ones.
pub(super) fn exactly(float: &Float) -> Option<Rational> {
    if float.format().exponent_bits > MOST_EXPONENT_BITS { None } else { float.to_rational() }
}

/// The float nearest to a number.
pub(super) fn rounded(grid: Grid, value: &Rational) -> Float {
    Float::from_rational(grid.format(), Rounding::NearestEven, value).0
}

/// Whether a number is below zero; an integer, in two's complement.
pub(super) fn is_negative(value: &Value) -> bool {
    match value {
        Value::Bits(word) => word.bit(word.width() - 1),
        Value::Float(format, word) => {
            let zero = Float::zero(*format, false);
            let order = Float::from_word(*format, word.clone()).partial_order(&zero);
            order == Some(std::cmp::Ordering::Less)
        }
        Value::Bool(_) | Value::Rounding(_) | Value::Array(_) => false,
    }
}

/// How a value, which may be infinite, compares with a number; not at all if it is no number.
pub(super) fn compared(value: &Value, with: &Rational) -> Option<Ordering> {
    match number(value) {
        Some(number) => Some(number.cmp(with)),
        None => infinite(value),
    }
}

/// How two values, of floats or of integers, compare; not at all if one is no number.
pub(super) fn valued(a: &Value, b: &Value) -> Option<Ordering> {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (None, Some(_)) => infinite(a),
        (Some(_), None) => infinite(b).map(Ordering::reverse),
        (None, None) => Some(infinite(a)?.cmp(&infinite(b)?)),
    }
}

/// How an infinity compares with any number.
fn infinite(value: &Value) -> Option<Ordering> {
    let (format, word) = value.as_float()?;
    let float = Float::from_word(format, word.clone());
    let sign = if is_negative(value) { Ordering::Less } else { Ordering::Greater };
    float.is_infinite().then_some(sign)
}
