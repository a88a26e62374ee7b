//! Division.

use super::unpack::Special;
use super::{Circuit, Computed};
use crate::{Algebra, Format};

impl<A: Algebra> Circuit<A> {
    /// `a / b`.
    pub(super) fn quotient(
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
        // The significands' ratio lies between 1/2 and 2: with `precision + 1`
        // fraction bits it has two bits more than needed or one.
        let (ratio, rest) =
            self.algebra.ratio(&m.significand, &n.significand, format.precision + 1);
        let significand = self.with_sticky(&ratio, &rest);
        let exponent = self.exponent_sub(&m.exponent, &n.exponent);
        let exponent = self.exponent_offset(&exponent, format.max_exponent());
        let (exponent, significand) = self.normalised_by_one(&exponent, &significand);
        let rounded = self.round(format, &mode, &sign, &exponent, &significand);

        let alg = &mut self.algebra;
        let zeros = alg.and(&x.zero, &y.zero);
        let infinities = alg.and(&x.infinite, &y.infinite);
        let invalid = alg.or(&zeros, &infinities);
        let finite = alg.not(&x.infinite);
        let divide_by_zero = alg.and(&y.zero, &finite);
        let divide_by_zero = alg.and_not(&divide_by_zero, &x.zero);
        let infinite = alg.or(&x.infinite, &y.zero);
        let zero = alg.or(&x.zero, &y.infinite);
        let special = Special { invalid, divide_by_zero, infinite, zero };
        self.conclude(format, &[&x, &y], &special, &sign, &rounded)
    }
}
