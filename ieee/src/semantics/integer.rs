//! Conversion from and to integers of any width.

use super::unpack::Special;
use super::{Circuit, Computed};
use crate::algebra::bits_for;
use crate::{Algebra, Format, OutOfRange, Raised, Word};

impl<A: Algebra> Circuit<A> {
    /// The float nearest to an integer, as `rounding` has it.
    pub(super) fn integer_to_float(
        &mut self,
        format: Format,
        width: u32,
        rounding: &A::Word,
        a: &A::Word,
        signed: bool,
    ) -> Computed<A> {
        assert!(width > 0, "an integer has bits");
        assert_eq!(self.algebra.width(a), width, "an integer of {width} bits");
        let mode = self.mode(rounding);
        let alg = &mut self.algebra;
        let sign = if signed { alg.bit_of(a, width - 1) } else { alg.bit(false) };
        let flip = alg.repeat(&sign, width);
        let flipped = alg.xor_word(a, &flip);
        let magnitude = alg.increment(&flipped, &sign);
        let zero = alg.is_zero(&magnitude);
        let (significand, amount) = alg.normalise(&magnitude);
        let amount = self.exponent(&amount, 0, width as i64 - 1);
        let exponent = self.exponent_from(format.max_exponent() + width as i64 - 1, &amount);
        let rounded = self.round(format, &mode, &sign, &exponent, &significand);
        let special = Special { zero, ..self.ordinary() };
        self.conclude(format, &[], &special, &sign, &rounded)
    }

    /// The integer nearest to a float, as `rounding` has it.
    pub(super) fn float_to_integer(
        &mut self,
        format: Format,
        width: u32,
        out_of_range: OutOfRange,
        rounding: &A::Word,
        a: &A::Word,
        signed: bool,
    ) -> Computed<A> {
        assert!(width > 0, "an integer has bits");
        let mode = self.mode(rounding);
        let x = self.unpack(format, a);
        let precision = format.precision;
        let bias = format.max_exponent();

        // The significand starts right below the unit, worth less than one,
        // and goes up by the exponent plus one; from `width + 1` on it is out
        // of range anyway. Below 1/2, where it would have to go down, all of
        // it is sticky.
        let places = self.exponent_offset(&x.exponent, 1 - bias);
        let below_half = self.exponent_is_negative(&places);
        let too_large = self.exponent_less(&places, width as i64 + 1);
        let too_large = self.algebra.not(&too_large);
        let amount = self.exponent_clamped(&places);
        let needed = bits_for(width as u64).min(self.algebra.width(&amount));
        let alg = &mut self.algebra;
        let amount = alg.extract(&amount, 0, needed);
        let fixed = alg.zero_extend(&x.significand, width + precision);
        let fixed = alg.shl(&fixed, &amount);
        let units = alg.extract(&fixed, precision, width);
        let half = alg.bit_of(&fixed, precision - 1);
        let half = alg.and_not(&half, &below_half);
        let rest = alg.extract(&fixed, 0, precision - 1);
        let rest = alg.any_set(&rest);
        let some = alg.not(&x.zero);
        let lost = alg.and(&below_half, &some);
        let rest = alg.or(&rest, &lost);
        let odd = alg.bit_of(&units, 0);
        let up = self.rounds_up(&mode, &x.sign, &odd, &half, &rest);
        let alg = &mut self.algebra;
        let inexact = alg.or(&half, &rest);
        let units = alg.zero_extend(&units, width + 1);
        let magnitude = alg.increment(&units, &up);
        let carry = alg.bit_of(&magnitude, width);
        let magnitude = alg.extract(&magnitude, 0, width);

        let beyond = if signed {
            // -2^(width - 1) is in range, its opposite is not.
            let top = alg.bit_of(&magnitude, width - 1);
            let rest = alg.extract(&magnitude, 0, width - 1);
            let rest = alg.any_set(&rest);
            let positive = alg.not(&x.sign);
            let either = alg.or(&rest, &positive);
            alg.and(&top, &either)
        } else {
            let some = alg.any_set(&magnitude);
            alg.and(&x.sign, &some)
        };
        let outside = alg.any(&[&too_large, &carry, &beyond, &x.infinite]);
        let invalid = alg.or(&outside, &x.nan);
        let flip = alg.repeat(&x.sign, width);
        let value = alg.xor_word(&magnitude, &flip);
        let value = alg.increment(&value, &x.sign);

        let top_only = Word::run(width, width - 1, 1);
        let top_only = alg.constant(&top_only);
        let otherwise = match (out_of_range, signed) {
            (OutOfRange::Undefined, _) => alg.number(width, 0),
            (OutOfRange::Indefinite, true) => top_only,
            (OutOfRange::Indefinite, false) => {
                let one = alg.bit(true);
                alg.repeat(&one, width)
            }
            (OutOfRange::Saturate, _) => {
                let number = alg.not(&x.nan);
                let least = if signed { top_only } else { alg.number(width, 0) };
                let greatest = alg.not_word(&least);
                let nearest = alg.mux_word(&x.sign, &least, &greatest);
                let mask = alg.repeat(&number, width);
                alg.and_word(&nearest, &mask)
            }
        };
        let value = alg.mux_word(&invalid, &otherwise, &value);
        let inexact = alg.and_not(&inexact, &invalid);
        (value, Raised { invalid, inexact, ..self.no_flags() })
    }
}
