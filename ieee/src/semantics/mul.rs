//! Multiplication.

use super::exponent::Exponent;
use super::unpack::{Normalised, Special};
use super::{Circuit, Computed};
use crate::{Algebra, Format};

impl<A: Algebra> Circuit<A> {
    /// `a * b`.
    pub(super) fn product(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
        b: &A::Word,
    ) -> Computed<A> {
        let mode = self.mode(rounding);
        let x = self.unpack(format, a);
        let y = self.unpack(format, b);
        let sign = self.algebra.xor(&x.sign, &y.sign);
        let (m, n) = (self.normalised(&x), self.normalised(&y));
        let (exponent, product) = self.exact_product(format, &m, &n);
        // Narrow before the one-place shift: two bits beyond the precision
        // and a third for the shift are enough, with the rest in the last.
        let product = self.fit(&product, format.precision + 4);
        let (exponent, significand) = self.normalised_by_one(&exponent, &product);
        let rounded = self.round(format, &mode, &sign, &exponent, &significand);

        let alg = &mut self.algebra;
        let infinite = alg.or(&x.infinite, &y.infinite);
        let zero = alg.or(&x.zero, &y.zero);
        let invalid = alg.and(&infinite, &zero);
        let special = Special { invalid, infinite, zero, ..self.ordinary() };
        self.conclude(format, &[&x, &y], &special, &sign, &rounded)
    }

    /// The product in full, twice the precision wide, and the exponent of its
    /// top bit, which is set or followed by a set one.
    pub(super) fn exact_product(
        &mut self,
        format: Format,
        m: &Normalised<A::Word>,
        n: &Normalised<A::Word>,
    ) -> (Exponent<A::Word>, A::Word) {
        let exponent = self.exponent_add(&m.exponent, &n.exponent);
        let exponent = self.exponent_offset(&exponent, 1 - format.max_exponent());
        (exponent, self.algebra.mul(&m.significand, &n.significand))
    }

    /// Shifts left by one unless the top bit is set.
    pub(super) fn normalised_by_one(
        &mut self,
        exponent: &Exponent<A::Word>,
        significand: &A::Word,
    ) -> (Exponent<A::Word>, A::Word) {
        let alg = &mut self.algebra;
        let width = alg.width(significand);
        let top = alg.bit_of(significand, width - 1);
        let rest = alg.extract(significand, 0, width - 1);
        let shifted = alg.zero_extend_below(&rest, width);
        let significand = alg.mux_word(&top, significand, &shifted);
        let below = self.exponent_offset(exponent, -1);
        (self.exponent_increment(&below, &top), significand)
    }
}
