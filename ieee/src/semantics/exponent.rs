//! Exponents: two's complement words just wide enough for their known range.

use super::Circuit;
use crate::Algebra;
use crate::algebra::bits_for;

/// A signed number from `low` to `high`.
#[derive(Clone)]
pub(crate) struct Exponent<W> {
    pub word: W,
    pub low: i64,
    pub high: i64,
}

/// How many bits hold `low..=high` in two's complement.
fn width_for(low: i64, high: i64) -> u32 {
    let magnitude = |n: i64| bits_for(if n < 0 { !n } else { n } as u64);
    magnitude(low).max(magnitude(high)) + 1
}

impl<A: Algebra> Circuit<A> {
    /// The exponent with this unsigned value.
    pub(super) fn exponent(&mut self, word: &A::Word, low: i64, high: i64) -> Exponent<A::Word> {
        let width = width_for(low, high);
        let given = self.algebra.width(word);
        let word = if given < width {
            self.algebra.zero_extend(word, width)
        } else {
            self.algebra.extract(word, 0, width)
        };
        Exponent { word, low, high }
    }

    /// The same value, at another width.
    fn resized(&mut self, a: &Exponent<A::Word>, width: u32) -> A::Word {
        let given = self.algebra.width(&a.word);
        if given < width {
            self.algebra.sign_extend(&a.word, width)
        } else {
            self.algebra.extract(&a.word, 0, width)
        }
    }

    /// `a + b`.
    pub(super) fn exponent_add(
        &mut self,
        a: &Exponent<A::Word>,
        b: &Exponent<A::Word>,
    ) -> Exponent<A::Word> {
        let (low, high) = (a.low + b.low, a.high + b.high);
        let width = width_for(low, high);
        let (a, b) = (self.resized(a, width), self.resized(b, width));
        Exponent { word: self.algebra.add(&a, &b), low, high }
    }

    /// `a - b`.
    pub(super) fn exponent_sub(
        &mut self,
        a: &Exponent<A::Word>,
        b: &Exponent<A::Word>,
    ) -> Exponent<A::Word> {
        let (low, high) = (a.low - b.high, a.high - b.low);
        let width = width_for(low, high);
        let (a, b) = (self.resized(a, width), self.resized(b, width));
        Exponent { word: self.algebra.sub(&a, &b), low, high }
    }

    /// `a + offset`.
    pub(super) fn exponent_offset(
        &mut self,
        a: &Exponent<A::Word>,
        offset: i64,
    ) -> Exponent<A::Word> {
        if offset == 0 {
            return a.clone();
        }
        let word = self.algebra.number(width_for(offset, offset), offset as u128);
        self.exponent_add(a, &Exponent { word, low: offset, high: offset })
    }

    /// `a + bit`.
    pub(super) fn exponent_increment(
        &mut self,
        a: &Exponent<A::Word>,
        bit: &A::Bit,
    ) -> Exponent<A::Word> {
        let (low, high) = (a.low, a.high + 1);
        let word = self.resized(a, width_for(low, high));
        Exponent { word: self.algebra.increment(&word, bit), low, high }
    }

    /// `value - a`.
    pub(super) fn exponent_from(&mut self, value: i64, a: &Exponent<A::Word>) -> Exponent<A::Word> {
        let word = self.algebra.number(width_for(value, value), value as u128);
        self.exponent_sub(&Exponent { word, low: value, high: value }, a)
    }

    /// Whether it is negative.
    pub(super) fn exponent_is_negative(&mut self, a: &Exponent<A::Word>) -> A::Bit {
        if a.low >= 0 {
            return self.algebra.bit(false);
        }
        if a.high < 0 {
            return self.algebra.bit(true);
        }
        self.algebra.bit_of(&a.word, self.algebra.width(&a.word) - 1)
    }

    /// Whether `a < bound`.
    pub(super) fn exponent_less(&mut self, a: &Exponent<A::Word>, bound: i64) -> A::Bit {
        let difference = self.exponent_offset(a, -bound);
        self.exponent_is_negative(&difference)
    }

    /// The larger of `a` and zero, as an unsigned word.
    pub(super) fn exponent_clamped(&mut self, a: &Exponent<A::Word>) -> A::Word {
        let negative = self.exponent_is_negative(a);
        let keep = self.algebra.not(&negative);
        let unsigned = bits_for(a.high.max(0) as u64);
        let word = self.algebra.extract(&a.word, 0, unsigned);
        let mask = self.algebra.repeat(&keep, unsigned);
        self.algebra.and_word(&word, &mask)
    }

    /// `then` if `condition`, else `otherwise`.
    pub(super) fn exponent_mux(
        &mut self,
        condition: &A::Bit,
        then: &Exponent<A::Word>,
        otherwise: &Exponent<A::Word>,
    ) -> Exponent<A::Word> {
        let (low, high) = (then.low.min(otherwise.low), then.high.max(otherwise.high));
        let width = width_for(low, high);
        let (then, otherwise) = (self.resized(then, width), self.resized(otherwise, width));
        Exponent { word: self.algebra.mux_word(condition, &then, &otherwise), low, high }
    }

    /// `a / 2`, rounded down.
    pub(super) fn exponent_halved(&mut self, a: &Exponent<A::Word>) -> Exponent<A::Word> {
        let width = self.algebra.width(&a.word);
        let word = self.algebra.extract(&a.word, 1, width - 1);
        let half = Exponent { word, low: a.low >> 1, high: a.high >> 1 };
        let word = self.resized(&half, width_for(half.low, half.high));
        Exponent { word, ..half }
    }
}
