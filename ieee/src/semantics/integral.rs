//! Rounding to an integral value, in the same format (5.9).

use super::round::Rounded;
use super::unpack::Special;
use super::{Circuit, Computed};
use crate::{Algebra, Format, Raised};

impl<A: Algebra> Circuit<A> {
    /// `a` rounded to an integral value; raises inexact only if `exact`. In a
    /// format so narrow that its largest number is no integer, rounding that
    /// up gives infinity, quietly.
    pub(super) fn integral(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
        exact: bool,
    ) -> Computed<A> {
        let mode = self.mode(rounding);
        let x = self.unpack(format, a);
        let precision = format.precision;
        let fraction_bits = format.fraction_bits();
        let bias = format.max_exponent();

        // So many low bits of the significand lie below the unit, none from
        // `fraction_bits + bias` on. Below 1/2 they are more than all: shift
        // by no more than that takes, which the barrel does by itself.
        let below = self.exponent_from(bias + fraction_bits as i64, &x.exponent);
        let amount = self.exponent_clamped(&below);
        let wide = self.algebra.zero_extend_below(&x.significand, precision + 1);
        let (shifted, rest) = self.algebra.shr_sticky(&wide, &amount);
        let alg = &mut self.algebra;
        let half = alg.bit_of(&shifted, 0);
        let units = alg.extract(&shifted, 1, precision);
        let odd = alg.bit_of(&units, 0);
        let up = self.rounds_up(&mode, &x.sign, &odd, &half, &rest);
        let alg = &mut self.algebra;
        let inexact = alg.or(&half, &rest);

        // Back to where the bits came from; a carry goes into the exponent
        // field, as does a subnormal that became one.
        let units = alg.zero_extend(&units, precision + 1);
        let units = alg.increment(&units, &up);
        let significand = alg.shl(&units, &amount);
        let magnitude_bits = format.exponent_bits + fraction_bits;
        let [normal, one, two] = [
            alg.bit_of(&x.significand, fraction_bits),
            alg.bit_of(&significand, fraction_bits),
            alg.bit_of(&significand, precision),
        ];
        let carry = alg.mux(&normal, &two, &one);
        let field = alg.extract(&x.magnitude, fraction_bits, format.exponent_bits);
        let field = alg.increment(&field, &carry);
        let fraction = alg.extract(&significand, 0, fraction_bits);
        let scaled = alg.concat(&field, &fraction);

        // Below one there is only zero or one.
        let small = self.exponent_less(&x.exponent, bias);
        let one = self.algebra.number(format.exponent_bits, bias as u128);
        let one = self.algebra.zero_extend_below(&one, magnitude_bits);
        let alg = &mut self.algebra;
        let keep = alg.repeat(&up, magnitude_bits);
        let one = alg.and_word(&one, &keep);
        let magnitude = alg.mux_word(&small, &one, &scaled);
        let inexact = if exact { inexact } else { alg.bit(false) };
        let flags = Raised { inexact, ..self.no_flags() };
        let rounded = Rounded { magnitude, flags };
        // Zeros come through by themselves.
        let special = Special { infinite: x.infinite.clone(), ..self.ordinary() };
        self.conclude(format, &[&x], &special, &x.sign, &rounded)
    }
}
