//! What is known of a float: an interval of ordinals, and whether it may be a NaN.
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

/// The floats a term may still be: some numbers, and perhaps a NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FloatBox {
    /// The numbers.
    pub numbers: Interval,
    /// Whether it may be a NaN.
    pub nan: bool,
}

impl FloatBox {
    /// No float: a contradiction.
    pub const EMPTY: FloatBox = FloatBox { numbers: Interval::EMPTY, nan: false };
    /// Only NaN.
    pub const NAN: FloatBox = FloatBox { numbers: Interval::EMPTY, nan: true };

    /// These numbers and no NaN.
    pub const fn numbers(lo: Ordinal, hi: Ordinal) -> FloatBox {
        FloatBox { numbers: Interval::new(lo, hi), nan: false }
    }

    /// One number.
    pub const fn point(at: Ordinal) -> FloatBox {
        FloatBox::numbers(at, at)
    }

    /// Whether no float is left.
    pub const fn is_empty(self) -> bool {
        self.numbers.is_empty() && !self.nan
    }

    /// Whether just one float is left: a number, or NaN.
    pub const fn is_single(self) -> bool {
        if self.nan { self.numbers.is_empty() } else { self.numbers.is_point() }
    }

    /// What both hold.
    pub fn meet(self, other: FloatBox) -> FloatBox {
        FloatBox { numbers: self.numbers.meet(other.numbers), nan: self.nan && other.nan }
    }

    /// The smallest box that holds both.
    pub fn join(self, other: FloatBox) -> FloatBox {
        FloatBox { numbers: self.numbers.join(other.numbers), nan: self.nan || other.nan }
    }

    /// The same numbers without NaN.
    pub const fn without_nan(self) -> FloatBox {
        FloatBox { numbers: self.numbers, nan: false }
    }
}

impl fmt::Debug for FloatBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}{}", self.numbers, if self.nan { "+nan" } else { "" })
    }
}

/// The rounding modes a term may still be.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Modes(u8);

impl Modes {
    /// Every mode.
    pub const ALL: Modes = Modes(0b11111);
    /// No mode: a contradiction.
    pub const NONE: Modes = Modes(0);

    /// Just this mode.
    pub const fn only(mode: nanoscope_ieee::Rounding) -> Modes {
        Modes(1 << mode as u8)
    }

    /// Whether `mode` is among them.
    pub const fn contains(self, mode: nanoscope_ieee::Rounding) -> bool {
        self.0 & 1 << mode as u8 != 0
    }

    /// Whether none is left.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether just one is left.
    pub const fn is_single(self) -> bool {
        self.0.is_power_of_two()
    }

    /// What both hold.
    pub const fn meet(self, other: Modes) -> Modes {
        Modes(self.0 & other.0)
    }

    /// What either holds.
    pub const fn join(self, other: Modes) -> Modes {
        Modes(self.0 | other.0)
    }

    /// The modes, in the order of their encodings.
    pub fn iter(self) -> impl Iterator<Item = nanoscope_ieee::Rounding> {
        nanoscope_ieee::Rounding::ALL.into_iter().filter(move |mode| self.contains(*mode))
    }
}

impl fmt::Debug for Modes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
