//! Ordinals from binary64 numbers and back, rounding: for tables, draws by value and
//! copies between dimensions of different kinds. Not arithmetic: a value beyond the
//! format saturates, and nobody relies on the last bit.

use crate::line::{Line, Word};

/// Significand bits of binary64 and the bias of an integer significand's exponent.
const PRECISION: i32 = 53;
const BIAS: i32 = 1075;

impl<W: Word> Line<W> {
    /// The ordinal nearest to a number that is not NaN; NaN goes to zero.
    pub(crate) fn ordinal_of(&self, value: f64) -> W {
        if !self.is_float() {
            let magnitude = W::of_float((value.abs() + 0.5).floor());
            return self.signed(value < 0.0, magnitude);
        }
        self.signed(value.is_sign_negative(), self.float_magnitude(value))
    }

    /// The number at an ordinal, rounded to binary64.
    pub(crate) fn real(&self, ordinal: W) -> f64 {
        let (negative, magnitude) = self.magnitude(ordinal);
        let value = if self.is_float() {
            let field = (magnitude >> self.fraction_bits).widen() as i32;
            let fraction = magnitude & (W::ONE << self.fraction_bits).minus(W::ONE);
            let integer = if field == 0 { W::ZERO } else { W::ONE << self.fraction_bits };
            if field == self.special_exponent() {
                if fraction == W::ZERO { f64::INFINITY } else { f64::NAN }
            } else {
                let exponent = field.max(1) - self.bias() - self.fraction_bits as i32;
                scaled((integer | fraction).to_float(), exponent)
            }
        } else {
            magnitude.to_float()
        };
        if negative { -value } else { value }
    }

    /// The magnitude of 2^`exponent`; 0 or infinity's beyond the format.
    pub(crate) fn power_of_two(&self, exponent: i32) -> W {
        let field = exponent + self.bias();
        if field >= self.special_exponent() {
            W::truncate(self.special_exponent() as u128) << self.fraction_bits
        } else if field >= 1 {
            W::truncate(field as u128) << self.fraction_bits
        } else {
            let shift = self.fraction_bits as i32 + field - 1;
            if shift < 0 { W::ZERO } else { W::ONE << shift as u32 }
        }
    }

    /// The exponent field of infinities and NaN.
    pub(crate) fn special_exponent(&self) -> i32 {
        ((self.mask >> 1) >> self.fraction_bits).widen() as i32
    }

    /// The exponent field of 1.
    pub(crate) fn bias(&self) -> i32 {
        self.special_exponent() >> 1
    }

    fn float_magnitude(&self, value: f64) -> W {
        let bits = value.to_bits() & (u64::MAX >> 1);
        if self.fraction_bits == 52 && W::BITS == 64 && self.special_exponent() == 2047 {
            return if value.is_nan() { W::ZERO } else { W::truncate(u128::from(bits)) };
        }
        let infinity = W::truncate(self.special_exponent() as u128) << self.fraction_bits;
        if value.is_nan() || bits == 0 {
            return W::ZERO;
        }
        if value.is_infinite() {
            return infinity;
        }
        // value = significand * 2^exponent with exactly 53 significant bits.
        let field = (bits >> 52) as i32;
        let stored = bits & ((1 << 52) - 1) | if field == 0 { 0 } else { 1 << 52 };
        let normalise = stored.leading_zeros() as i32 - (64 - PRECISION);
        let significand = u128::from(stored << normalise);
        let exponent = field.max(1) - BIAS - normalise;
        // Here: the same with `fraction_bits + 1` bits, fewer below the normal range.
        let field = exponent + PRECISION - 1 + self.bias();
        if field >= self.special_exponent() {
            return infinity;
        }
        let below = (1 - field).max(0);
        let shift = self.fraction_bits as i32 + 1 - PRECISION - below;
        let rounded = if shift >= 0 {
            significand << shift
        } else if shift > -64 {
            (significand + (1 << (-shift - 1))) >> -shift
        } else {
            0
        };
        // The integer bit adds one to the exponent field, as does a carry out of rounding.
        let base = if below > 0 { 0 } else { (field as u128 - 1) << self.fraction_bits };
        W::truncate(base + rounded)
    }
}

/// `value * 2^exponent`, in steps that neither overflow nor underflow early.
fn scaled(value: f64, exponent: i32) -> f64 {
    let mut left = exponent.clamp(-3000, 3000);
    let mut value = value;
    while left != 0 {
        let part = left.clamp(-1000, 1000);
        value *= f64::from_bits(((1023 + part) as u64) << 52);
        left -= part;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Dimension;
    use nanoscope_ieee::Format;

    /// The encoding nearest to `value`, and back.
    fn check(dimension: Dimension, value: f64, encoding: u128, back: f64) {
        let line = Line::<u128>::new(&dimension, 0);
        let ordinal = line.ordinal_of(value);
        assert_eq!(line.encoding(ordinal), encoding, "{dimension:?} {value:e}");
        assert_eq!(line.real(ordinal).to_bits(), back.to_bits(), "{dimension:?} {value:e}");
    }

    #[test]
    fn numbers_become_encodings() {
        let (half, single, double) = (Format::BINARY16, Format::BINARY32, Format::BINARY64);
        let max = f64::from(f32::MAX);
        for (format, value, encoding, back) in [
            (half, 1.0, 0x3c00, 1.0),
            (half, 65504.0, 0x7bff, 65504.0),
            (half, 65520.0, 0x7c00, f64::INFINITY),
            (half, -5.960464477539063e-8, 0x8001, -5.960464477539063e-8),
            (half, 6.103515625e-5, 0x0400, 6.103515625e-5),
            (half, 0.1, 0x2e66, 0.0999755859375),
            (single, 0.1, 0x3dcccccd, f64::from(0.1f32)),
            (single, max, 0x7f7fffff, max),
            (single, 1e-45, 1, f64::from(f32::from_bits(1))),
            (single, 1e-60, 0, 0.0),
            (double, -0.0, 1 << 63, -0.0),
            (double, 5e-324, 1, 5e-324),
            (double, f64::NEG_INFINITY, 0xfff0 << 48, f64::NEG_INFINITY),
            (Format::BFLOAT16, 3.140625, 0x4049, 3.140625),
            (Format::X87, 1.0, 0x3fff_8000_0000_0000_0000, 1.0),
            (Format::X87, -1.5, 0xbfff_c000_0000_0000_0000, -1.5),
            (Format::BINARY128, 2.0, 0x4000 << 112, 2.0),
            (Format::BINARY128, 5e-324, 0x3bcd << 112, 5e-324),
        ] {
            check(Dimension::float(format), value, encoding, back);
        }
        check(Dimension::integer(32, true), -7.2, 0xffff_fff9, -7.0);
        check(Dimension::integer(8, false), 200.0, 200, 200.0);
        check(Dimension::integer(128, true), -1.0, u128::MAX, -1.0);
    }

    #[test]
    fn narrow_and_wide_agree() {
        let mut random = crate::random::Random::new(3);
        for format in [Format::BINARY16, Format::BINARY32, Format::BINARY64] {
            let dimension = Dimension::float(format);
            let (narrow, wide) =
                (Line::<u64>::new(&dimension, 0), Line::<u128>::new(&dimension, 0));
            for _ in 0..2000 {
                let value = f64::from_bits(random.next());
                assert_eq!(u128::from(narrow.ordinal_of(value)), wide.ordinal_of(value));
                let ordinal = narrow.ordinal_of(value);
                assert_eq!(narrow.ordinal(narrow.encoding(ordinal)), ordinal);
                if format == Format::BINARY32 && !value.is_nan() {
                    let expected = u64::from((value as f32).to_bits());
                    // Rounding half up instead of to even differs by at most one.
                    assert!(narrow.encoding(ordinal).abs_diff(expected) <= 1, "{value:e}");
                }
            }
        }
    }
}
