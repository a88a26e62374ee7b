//! Addition and subtraction.

use super::unpack::Special;
use super::{Circuit, Computed};
use crate::algebra::bits_for;
use crate::{Algebra, Format};

/// Bits kept below the precision while aligning: half, one to survive the
/// one-place shift of a cancellation, sticky.
const EXTRA: u32 = 3;

impl<A: Algebra> Circuit<A> {
    /// `a + b`, or `a - b`.
    pub(super) fn sum(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
        b: &A::Word,
        subtract: bool,
    ) -> Computed<A> {
        let mode = self.mode(rounding);
        let x = self.unpack(format, a);
        let y = self.unpack(format, b);
        let precision = format.precision;
        let alg = &mut self.algebra;
        let sign_y = if subtract { alg.not(&y.sign) } else { y.sign.clone() };

        // The operand of the larger magnitude first: the difference then is
        // never negative, and its sign is the first one's.
        let swap = alg.less(&x.magnitude, &y.magnitude);
        let sign = alg.mux(&swap, &sign_y, &x.sign);
        let big = alg.mux_word(&swap, &y.significand, &x.significand);
        let small = alg.mux_word(&swap, &x.significand, &y.significand);
        let big_exponent = self.exponent_mux(&swap, &y.exponent, &x.exponent);
        let small_exponent = self.exponent_mux(&swap, &x.exponent, &y.exponent);
        let distance = self.exponent_sub(&big_exponent, &small_exponent);
        let distance = self.algebra.extract(&distance.word, 0, format.exponent_bits);

        let alg = &mut self.algebra;
        let opposite = alg.xor(&x.sign, &sign_y);
        let big = alg.zero_extend_below(&big, precision + EXTRA);
        let small = alg.zero_extend_below(&small, precision + EXTRA);
        let (small, lost) = alg.shr_sticky(&small, &distance);
        let lost = alg.word_of(&lost);
        let lost = alg.zero_extend(&lost, precision + EXTRA);
        let small = alg.or_word(&small, &lost);
        let flip = alg.repeat(&opposite, precision + EXTRA);
        let addend = alg.xor_word(&small, &flip);
        let (sum, carry) = alg.add_carry(&big, &addend, &opposite);
        let carry = alg.and_not(&carry, &opposite);
        let carry = alg.word_of(&carry);
        let sum = alg.concat(&carry, &sum);

        // The top bit is worth the exponent plus one. Left as far as there
        // are zeros, but no farther than to exponent 1.
        let zeros = alg.leading_zeros(&sum);
        let exponent_bits = bits_for(big_exponent.high as u64);
        let limit = alg.extract(&big_exponent.word, 0, exponent_bits);
        let common = exponent_bits.max(alg.width(&zeros));
        let zeros = alg.zero_extend(&zeros, common);
        let limit = alg.zero_extend(&limit, common);
        let limited = alg.less(&limit, &zeros);
        let amount = alg.mux_word(&limited, &limit, &zeros);
        let significand = alg.shl(&sum, &amount);
        let zero = alg.is_zero(&sum);
        let most = big_exponent.high.min((1 << common) - 1);
        let amount = self.exponent(&amount, 0, most);
        let top = self.exponent_offset(&big_exponent, 1);
        let mut exponent = self.exponent_sub(&top, &amount);
        exponent.low = 1;
        let significand = self.fit(&significand, precision + EXTRA);
        let rounded = self.finish(format, &mode, &sign, &exponent, &significand);

        // x + (-x) is +0, but -0 when rounding down (6.3).
        let alg = &mut self.algebra;
        let zero_sign = alg.mux(&opposite, &mode.downward, &x.sign);
        let sign = alg.mux(&zero, &zero_sign, &sign);
        let infinite = alg.or(&x.infinite, &y.infinite);
        let both = alg.and(&x.infinite, &y.infinite);
        let invalid = alg.and(&both, &opposite);
        let special = Special { invalid, infinite, zero, ..self.ordinary() };
        self.conclude(format, &[&x, &y], &special, &sign, &rounded)
    }
}
