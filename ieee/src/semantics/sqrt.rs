//! Square root.

use super::unpack::Special;
use super::{Circuit, Computed};
use crate::{Algebra, Format};

impl<A: Algebra> Circuit<A> {
    /// The square root of `a`.
    pub(super) fn square_root(
        &mut self,
        format: Format,
        rounding: &A::Word,
        a: &A::Word,
    ) -> Computed<A> {
        let mode = self.mode(rounding);
        let x = self.unpack(format, a);
        let m = self.normalised(&x);
        // The bias is odd, so an even biased exponent means an odd exponent,
        // whose spare factor of two goes into the radicand. That has
        // `2 * precision + 2` bits, one of the top two set, and its root
        // `precision + 1`, the top one set.
        let precision = format.precision;
        let alg = &mut self.algebra;
        let even_exponent = alg.bit_of(&m.exponent.word, 0);
        let high = alg.zero_extend_below(&m.significand, 2 * precision + 2);
        let low = alg.zero_extend_below(&m.significand, 2 * precision + 1);
        let low = alg.zero_extend(&low, 2 * precision + 2);
        let radicand = alg.mux_word(&even_exponent, &low, &high);
        let (root, rest) = alg.root(&radicand);
        let significand = self.with_sticky(&root, &rest);
        let exponent = self.exponent_offset(&m.exponent, format.max_exponent());
        let exponent = self.exponent_halved(&exponent);
        let rounded = self.round(format, &mode, &x.sign, &exponent, &significand);

        let invalid = self.algebra.and_not(&x.sign, &x.zero);
        let (infinite, zero) = (x.infinite.clone(), x.zero.clone());
        let special = Special { invalid, infinite, zero, ..self.ordinary() };
        self.conclude(format, &[&x], &special, &x.sign, &rounded)
    }
}
