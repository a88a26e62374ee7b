//! Exact conversion to and from rational numbers.

use crate::{Circuit, Concrete, Flags, Float, Format, Rounding};
use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// An exact rational number.
pub type Rational = BigRational;

impl Float {
    /// Its exact value; none for infinities and NaNs.
    pub fn to_rational(&self) -> Option<Rational> {
        let (negative, significand, exponent) = self.to_parts()?;
        let sign = if negative { Sign::Minus } else { Sign::Plus };
        let significand = BigInt::from_biguint(sign, significand);
        Some(if exponent >= 0 {
            Rational::from_integer(significand << exponent as u64)
        } else {
            Rational::new(significand, BigInt::one() << exponent.unsigned_abs())
        })
    }

    /// Sign, significand and exponent with the value
    /// `±significand * 2^exponent`; none for infinities and NaNs. The
    /// significand is the encoding's, not reduced.
    pub fn to_parts(&self) -> Option<(bool, BigUint, i64)> {
        let x = Circuit::new(Concrete).unpack(self.format(), self.word());
        if x.nan || x.infinite {
            return None;
        }
        let biased = x.exponent.word.low_u64() as i64;
        let exponent = biased - 1 + self.format().quantum_exponent();
        Some((x.sign, x.significand.to_big(), exponent))
    }

    /// The float nearest to an exact value, as `rounding` has it. Zero is `+0`.
    pub fn from_rational(format: Format, rounding: Rounding, value: &Rational) -> (Float, Flags) {
        let (numerator, denominator) = (value.numer().magnitude(), value.denom().magnitude());
        Float::from_ratio(format, rounding, value.is_negative(), numerator, denominator)
    }

    /// The float nearest to `±numerator / denominator * 2^0`; a zero keeps the
    /// sign.
    pub(crate) fn from_ratio(
        format: Format,
        rounding: Rounding,
        negative: bool,
        numerator: &BigUint,
        denominator: &BigUint,
    ) -> (Float, Flags) {
        if numerator.is_zero() {
            return (Float::zero(format, negative), Flags::NONE);
        }
        // Three or four quotient bits beyond the precision; the rest is sticky.
        let wanted = format.precision as i64 + 4;
        let shift = wanted - (numerator.bits() as i64 - denominator.bits() as i64);
        let (numerator, denominator) = if shift >= 0 {
            (numerator << shift as u64, denominator.clone())
        } else {
            (numerator.clone(), denominator << shift.unsigned_abs())
        };
        let (quotient, remainder) = (&numerator / &denominator, &numerator % &denominator);
        let sticky = !remainder.is_zero();
        let significand = (quotient << 1u32) | BigUint::from(sticky as u32);
        let exponent = significand.bits() as i64 - 2 - shift;
        Circuit::new(Concrete).round_known(format, rounding, negative, exponent, &significand)
    }
}
