//! Conversion between formats.

use super::unpack::{Special, Unpacked};
use super::{Circuit, Computed, NanRule};
use crate::{Algebra, Format};

impl<A: Algebra> Circuit<A> {
    /// `a` in the format `target`.
    pub(super) fn converted(
        &mut self,
        format: Format,
        target: Format,
        rounding: &A::Word,
        a: &A::Word,
    ) -> Computed<A> {
        let mode = self.mode(rounding);
        let x = self.unpack(format, a);
        let m = self.normalised(&x);
        let exponent =
            self.exponent_offset(&m.exponent, target.max_exponent() - format.max_exponent());
        let rounded = self.round(target, &mode, &x.sign, &exponent, &m.significand);
        let nan = self.converted_nan(format, target, &x);
        let (infinite, zero) = (x.infinite.clone(), x.zero.clone());
        let special = Special { infinite, zero, ..self.ordinary() };
        self.conclude_with_nan(target, &[&x], &special, &x.sign, &rounded, &nan)
    }

    /// x86 keeps the sign of a NaN and as much of its payload as there is
    /// room for, from the top.
    fn converted_nan(&mut self, format: Format, target: Format, x: &Unpacked<A>) -> A::Word {
        if self.nan == NanRule::Canonical {
            return self.nan_for(target, &[]);
        }
        let (from, to) = (format.fraction_bits(), target.fraction_bits());
        let alg = &mut self.algebra;
        let payload = alg.extract(&x.word, 0, from);
        let payload = if from > to {
            alg.extract(&payload, from - to, to)
        } else {
            alg.zero_extend_below(&payload, to)
        };
        let ones = alg.bit(true);
        let field = alg.repeat(&ones, target.exponent_bits);
        let sign = alg.word_of(&x.sign);
        let top = alg.concat(&sign, &field);
        let nan = alg.concat(&top, &payload);
        self.quieted(target.implicit(), &nan)
    }
}
