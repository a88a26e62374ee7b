//! Values as exact numbers.

use crate::propagate::Grid;
use nanoscope_ieee::{Float, Rational, Rounding};
use nanoscope_term::Value;
use num_bigint::BigInt;
use num_traits::{One, Zero};

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
