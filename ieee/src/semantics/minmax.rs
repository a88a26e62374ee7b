//! Minimum and maximum in their three flavours.

use super::{Circuit, Computed};
use crate::{Algebra, Format};

/// What to do about NaNs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    /// 754-2008: a number wins against a quiet NaN.
    Number,
    /// 754-2019: a NaN wins.
    Propagating,
    /// x86: the second operand unless the first one is strictly better.
    X86,
}

impl<A: Algebra> Circuit<A> {
    /// The smaller of `a` and `b`, or the larger.
    pub(super) fn extremum(
        &mut self,
        format: Format,
        a: &A::Word,
        b: &A::Word,
        flavour: Flavour,
        maximum: bool,
    ) -> Computed<A> {
        let x = self.unpack(format, a);
        let y = self.unpack(format, b);
        let alg = &mut self.algebra;
        let either_nan = alg.or(&x.nan, &y.nan);
        let signaling = alg.or(&x.signaling, &y.signaling);
        let (smaller, larger) = if maximum { (&y, &x) } else { (&x, &y) };
        if flavour == Flavour::X86 {
            let less = self.less_magnitudes(smaller, larger);
            let zeros = self.algebra.and(&x.zero, &y.zero);
            let other = self.algebra.or(&either_nan, &zeros);
            let first = self.algebra.and_not(&less, &other);
            let word = self.algebra.mux_word(&first, a, b);
            return (word, self.only_invalid(either_nan));
        }
        // -0 < +0 here, as the order of sign and magnitude has it.
        let first = self.less_magnitudes(smaller, larger);
        let number = self.algebra.mux_word(&first, &x.word, &y.word);
        let nan_word = self.nan_for(format, &[&x, &y]);
        let alg = &mut self.algebra;
        let word = match flavour {
            Flavour::Number => {
                let number = alg.mux_word(&y.nan, &x.word, &number);
                let number = alg.mux_word(&x.nan, &y.word, &number);
                let both_nan = alg.and(&x.nan, &y.nan);
                let nan = alg.or(&both_nan, &signaling);
                alg.mux_word(&nan, &nan_word, &number)
            }
            Flavour::Propagating | Flavour::X86 => alg.mux_word(&either_nan, &nan_word, &number),
        };
        let flags = self.only_invalid(signaling);
        (self.encode(format, &word), flags)
    }
}
