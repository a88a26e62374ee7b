//! Intervals of ordinals.
//!
//! The numbers of a format stand in one line, `-inf … -0, +0 … +inf`, and an
//! [`Ordinal`] is a place in it: `+0` is 0, `-0` is -1, and the complement `!`
//! of an ordinal is the ordinal of the negated number.

use std::fmt;

/// A number's place in the order of its format.
pub type Ordinal = i128;

/// The ordinals from `lo` to `hi`; none when `lo > hi`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The least.
    pub lo: Ordinal,
    /// The greatest.
    pub hi: Ordinal,
}

impl Interval {
    /// No ordinal.
    pub const EMPTY: Interval = Interval { lo: Ordinal::MAX, hi: Ordinal::MIN };

    /// From `lo` to `hi`.
    pub const fn new(lo: Ordinal, hi: Ordinal) -> Interval {
        Interval { lo, hi }
    }

    /// One ordinal.
    pub const fn point(at: Ordinal) -> Interval {
        Interval { lo: at, hi: at }
    }

    /// Whether it holds nothing.
    pub const fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// Whether it holds just one ordinal.
    pub const fn is_point(self) -> bool {
        self.lo == self.hi
    }

    /// Whether it holds `ordinal`.
    pub const fn contains(self, ordinal: Ordinal) -> bool {
        self.lo <= ordinal && ordinal <= self.hi
    }

    /// What both hold.
    pub fn meet(self, other: Interval) -> Interval {
        let both = Interval { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) };
        if both.is_empty() { Interval::EMPTY } else { both }
    }

    /// The hull of both.
    pub fn join(self, other: Interval) -> Interval {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The negated numbers.
    pub fn negated(self) -> Interval {
        if self.is_empty() { self } else { Interval { lo: !self.hi, hi: !self.lo } }
    }

    /// The interval, reaching over both zeros if it has one of them.
    pub fn with_both_zeros(self) -> Interval {
        if self.is_empty() {
            return self;
        }
        let lo = if self.lo == 0 { -1 } else { self.lo };
        let hi = if self.hi == -1 { 0 } else { self.hi };
        Interval::new(lo, hi)
    }

    /// How many ordinals it holds.
    pub const fn count(self) -> u128 {
        if self.is_empty() { 0 } else { self.hi.abs_diff(self.lo).saturating_add(1) }
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() { f.write_str("{}") } else { write!(f, "[{}, {}]", self.lo, self.hi) }
    }
}
