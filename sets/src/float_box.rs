//! Boxes of floats: an interval, and perhaps NaN.

use crate::interval::{Interval, Ordinal};
use std::fmt;

/// Some numbers in a row, and perhaps NaN, which is one datum with a clear sign as in SMT-LIB.
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
