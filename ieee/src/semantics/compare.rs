//! Comparisons and classification.

use super::unpack::Unpacked;
use super::{Circuit, NanRule};
use crate::{Algebra, Format, Raised};

/// Which relation.
#[derive(Clone, Copy)]
pub(super) enum Relation {
    Equal,
    Less,
    LessEqual,
    Unordered,
}

impl<A: Algebra> Circuit<A> {
    /// Whether `x < y` for numbers, with `-0 < +0`.
    pub(super) fn less_magnitudes(&mut self, x: &Unpacked<A>, y: &Unpacked<A>) -> A::Bit {
        let alg = &mut self.algebra;
        let below = alg.less(&x.magnitude, &y.magnitude);
        let above = alg.less(&y.magnitude, &x.magnitude);
        let same_sign = alg.mux(&x.sign, &above, &below);
        let differ = alg.xor(&x.sign, &y.sign);
        alg.mux(&differ, &x.sign, &same_sign)
    }

    /// Whether the relation holds; false for NaNs, except for `Unordered`.
    pub(super) fn relation(
        &mut self,
        format: Format,
        a: &A::Word,
        b: &A::Word,
        relation: Relation,
        signaling: bool,
    ) -> (A::Bit, Raised<A::Bit>) {
        let x = self.unpack(format, a);
        let y = self.unpack(format, b);
        let alg = &mut self.algebra;
        let unordered = alg.or(&x.nan, &y.nan);
        let invalid =
            if signaling { unordered.clone() } else { alg.or(&x.signaling, &y.signaling) };
        let zeros = alg.and(&x.zero, &y.zero);
        let holds = match relation {
            Relation::Unordered => unordered,
            Relation::Equal => {
                let same = alg.equal(&x.word, &y.word);
                let same = alg.or(&same, &zeros);
                alg.and_not(&same, &unordered)
            }
            Relation::Less => {
                let less = self.less_magnitudes(&x, &y);
                let excluded = self.algebra.or(&unordered, &zeros);
                self.algebra.and_not(&less, &excluded)
            }
            Relation::LessEqual => {
                let greater = self.less_magnitudes(&y, &x);
                let alg = &mut self.algebra;
                let greater = alg.and_not(&greater, &zeros);
                let excluded = alg.or(&unordered, &greater);
                alg.not(&excluded)
            }
        };
        (holds, self.only_invalid(invalid))
    }

    /// Whether both are the same datum, all NaNs being one.
    pub(super) fn same(&mut self, format: Format, a: &A::Word, b: &A::Word) -> A::Bit {
        let x = self.unpack(format, a);
        let y = self.unpack(format, b);
        let alg = &mut self.algebra;
        let same = alg.equal(&x.word, &y.word);
        let nans = alg.and(&x.nan, &y.nan);
        // An unsupported x87 encoding may look like a number once its integer
        // bit is dropped.
        let one_nan = alg.xor(&x.nan, &y.nan);
        let same = alg.and_not(&same, &one_nan);
        alg.or(&same, &nans)
    }

    /// `a` with the canonical NaN for any NaN.
    pub(super) fn canonical(&mut self, format: Format, a: &A::Word) -> A::Word {
        let x = self.unpack(format, a);
        let rule = std::mem::replace(&mut self.nan, NanRule::Canonical);
        let nan = self.nan_for(format, &[&x]);
        self.nan = rule;
        let word = self.algebra.mux_word(&x.nan, &nan, &x.word);
        self.encode(format, &word)
    }
}
