//! Fused multiply-add.

use super::unpack::Special;
use super::{Circuit, Computed};
use crate::{Algebra, Format};

/// Bits kept below the exact product while aligning.
const EXTRA: u32 = 3;

impl<A: Algebra> Circuit<A> {
    /// `a * b + c`, rounded once. Zero times infinity plus a quiet NaN is that
    /// NaN without an exception, as on x86 (7.2 leaves the choice).
    pub(super) fn fused(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
        b: &A::Word,
        c: &A::Word,
    ) -> Computed<A> {
        let mode = self.mode(rounding);
        let x = self.unpack(format, a);
        let y = self.unpack(format, b);
        let z = self.unpack(format, c);
        let width = 2 * format.precision + EXTRA;
        let product_sign = self.algebra.xor(&x.sign, &y.sign);
        let product_zero = self.algebra.or(&x.zero, &y.zero);

        // The product exactly, and the addend widened to it. A zero addend
        // has no bits to contribute wherever it is aligned; a zero product has
        // a meaningless exponent and must lose.
        let (m, n) = (self.normalised(&x), self.normalised(&y));
        let (exponent, product) = self.exact_product(format, &m, &n);
        let (product_exponent, product) = self.normalised_by_one(&exponent, &product);
        let nonzero = self.algebra.not(&product_zero);
        let mask = self.algebra.repeat(&nonzero, 2 * format.precision);
        let product = self.algebra.and_word(&product, &mask);
        let product = self.algebra.zero_extend_below(&product, width);
        let addend = self.algebra.zero_extend_below(&z.significand, width);

        let distance = self.exponent_sub(&product_exponent, &z.exponent);
        let addend_higher = self.exponent_is_negative(&distance);
        let alg = &mut self.algebra;
        let addend_first = alg.or(&addend_higher, &product_zero);
        let addend_first = alg.and_not(&addend_first, &z.zero);
        let big = alg.mux_word(&addend_first, &addend, &product);
        let small = alg.mux_word(&addend_first, &product, &addend);
        let back = self.exponent_from(0, &distance);
        let distance = self.exponent_mux(&addend_first, &back, &distance);
        let distance = self.exponent_clamped(&distance);
        let exponent = self.exponent_mux(&addend_first, &z.exponent, &product_exponent);

        // Equal exponents, or a subnormal addend, leave the order open: the
        // difference may come out negative. The lowest bit stays sticky then,
        // as the first operand has zeros there.
        let alg = &mut self.algebra;
        let (small, lost) = alg.shr_sticky(&small, &distance);
        let lost = alg.word_of(&lost);
        let lost = alg.zero_extend(&lost, width);
        let small = alg.or_word(&small, &lost);
        let opposite = alg.xor(&product_sign, &z.sign);
        let flip = alg.repeat(&opposite, width);
        let flipped = alg.xor_word(&small, &flip);
        let (sum, carry) = alg.add_carry(&big, &flipped, &opposite);
        let no_carry = alg.not(&carry);
        let negative = alg.and(&opposite, &no_carry);
        let carry = alg.and_not(&carry, &opposite);
        let flip = alg.repeat(&negative, width);
        let sum = alg.xor_word(&sum, &flip);
        let sum = alg.increment(&sum, &negative);
        let carry = alg.word_of(&carry);
        let sum = alg.concat(&carry, &sum);
        let big_sign = alg.mux(&addend_first, &z.sign, &product_sign);
        let sign = alg.xor(&big_sign, &negative);

        let sum_zero = alg.is_zero(&sum);
        let (significand, amount) = alg.normalise(&sum);
        let amount = self.exponent(&amount, 0, width as i64);
        let top = self.exponent_offset(&exponent, 1);
        let exponent = self.exponent_sub(&top, &amount);
        let rounded = self.round(format, &mode, &sign, &exponent, &significand);

        let alg = &mut self.algebra;
        let zero_sign = alg.mux(&opposite, &mode.downward, &z.sign);
        let sign = alg.mux(&sum_zero, &zero_sign, &sign);
        let product_infinite = alg.or(&x.infinite, &y.infinite);
        let no_product = alg.and(&product_infinite, &product_zero);
        let both = alg.and(&product_infinite, &z.infinite);
        let clash = alg.and(&both, &opposite);
        let invalid = alg.or(&no_product, &clash);
        let infinite = alg.or(&product_infinite, &z.infinite);
        let infinite_sign = alg.mux(&z.infinite, &z.sign, &product_sign);
        let sign = alg.mux(&infinite, &infinite_sign, &sign);
        let special = Special { invalid, infinite, zero: sum_zero, ..self.ordinary() };
        self.conclude(format, &[&x, &y, &z], &special, &sign, &rounded)
    }
}
