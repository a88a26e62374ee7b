//! The neighbour of a value (5.3.1).

use super::{Circuit, Computed};
use crate::{Algebra, Format};

impl<A: Algebra> Circuit<A> {
    /// The least value greater than `a`, or the greatest less than it.
    pub(super) fn neighbour(&mut self, format: Format, a: &A::Word, up: bool) -> Computed<A> {
        let x = self.unpack(format, a);
        let infinity = self.infinity(format);
        let nan = self.nan_for(format, &[&x]);
        let alg = &mut self.algebra;
        // Away from zero the magnitude grows, toward it it shrinks; a zero of
        // either sign leaves for the side we are going to.
        let against = if up { x.sign.clone() } else { alg.not(&x.sign) };
        let shrink = alg.and_not(&against, &x.zero);
        let grow = alg.not(&shrink);
        let delta = alg.repeat(&shrink, format.exponent_bits + format.fraction_bits());
        let (magnitude, _) = alg.add_carry(&x.magnitude, &delta, &grow);
        let stay = alg.and(&x.infinite, &grow);
        let magnitude = alg.mux_word(&stay, &infinity, &magnitude);
        let zero_sign = alg.bit(!up);
        let sign = alg.mux(&x.zero, &zero_sign, &x.sign);
        let sign = alg.word_of(&sign);
        let number = alg.concat(&sign, &magnitude);
        let word = alg.mux_word(&x.nan, &nan, &number);
        let flags = self.only_invalid(x.signaling);
        (self.encode(format, &word), flags)
    }
}
