//! The remainder of IEEE 754 (5.3.1) and C's `fmod`. Both are exact.

use super::unpack::Special;
use super::{Circuit, Computed};
use crate::{Algebra, Format, Raised};

impl<A: Algebra> Circuit<A> {
    /// `a - b * n` for the integer `n` nearest to `a / b`, or the truncated
    /// one.
    pub(super) fn modulo(
        &mut self,
        format: Format,
        a: &A::Word,
        b: &A::Word,
        nearest: bool,
    ) -> Computed<A> {
        let x = self.unpack(format, a);
        let y = self.unpack(format, b);
        let precision = format.precision;
        let (m, n) = (self.normalised(&x), self.normalised(&y));
        // To the nearest, a dividend one binade below the divisor may still
        // be more than half of it: work in half units, with one bit more.
        let half = nearest as i64;
        let width = precision + nearest as u32;
        let distance = self.exponent_sub(&m.exponent, &n.exponent);
        let distance = self.exponent_offset(&distance, half);
        let within = self.exponent_is_negative(&distance);
        let shift = self.exponent_clamped(&distance);
        let limit = distance.high as u64;
        let alg = &mut self.algebra;
        let dividend = alg.zero_extend(&m.significand, width);
        let divisor = alg.zero_extend_below(&n.significand, width);
        let (remainder, exponent, flip) = if nearest {
            let (remainder, odd) = alg.shifted_remainder(&dividend, &shift, limit, &divisor);
            // Compare with half the divisor, in these units its significand.
            let half_divisor = alg.zero_extend(&n.significand, width);
            let above = alg.less(&half_divisor, &remainder);
            let tie = alg.equal(&half_divisor, &remainder);
            let tie_up = alg.and(&tie, &odd);
            let flip = alg.or(&above, &tie_up);
            let complement = alg.sub(&divisor, &remainder);
            let remainder = alg.mux_word(&flip, &complement, &remainder);
            let remainder = alg.extract(&remainder, 0, precision);
            (remainder, self.exponent_offset(&n.exponent, -1), flip)
        } else {
            let (reduced, fits) = alg.sub_compare(&dividend, &divisor);
            let dividend = alg.mux_word(&fits, &reduced, &dividend);
            let (remainder, _) = alg.shifted_remainder(&dividend, &shift, limit, &divisor);
            (remainder, n.exponent.clone(), alg.bit(false))
        };
        let zero_remainder = self.algebra.is_zero(&remainder);
        let (significand, amount) = self.algebra.normalise(&remainder);
        let amount = self.exponent(&amount, 0, precision as i64 - 1);
        let exponent = self.exponent_sub(&exponent, &amount);
        let toward_zero = self.algebra.number(3, crate::Rounding::TowardZero as u128);
        let mode = self.mode(&toward_zero);
        let reduced = self.round(format, &mode, &x.sign, &exponent, &significand);

        // A dividend below the (half) divisor, and any before an infinite
        // divisor, is its own remainder.
        let alg = &mut self.algebra;
        let untouched = alg.any(&[&within, &y.infinite, &x.zero]);
        let magnitude = alg.mux_word(&untouched, &x.magnitude, &reduced.magnitude);
        let changed = alg.not(&untouched);
        let flip = alg.and(&flip, &changed);
        let zero_remainder = alg.and(&zero_remainder, &changed);
        let zero = alg.or(&zero_remainder, &x.zero);
        // A zero has the dividend's sign.
        let flip = alg.and_not(&flip, &zero);
        let sign = alg.xor(&x.sign, &flip);
        let invalid = alg.or(&x.infinite, &y.zero);

        let fraction_bits = format.fraction_bits();
        let field = alg.extract(&magnitude, fraction_bits, format.exponent_bits);
        let subnormal = alg.is_zero(&field);
        let flags = Raised { tiny: subnormal, ..self.no_flags() };
        let special = Special { invalid, zero, ..self.ordinary() };
        let rounded = super::round::Rounded { magnitude, flags };
        self.conclude(format, &[&x, &y], &special, &sign, &rounded)
    }
}
