//! What a projection asks of the sets it narrows.

use crate::float_box::FloatBox;
use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
use std::fmt::Debug;

/// A set of numbers in the order of a line, and perhaps NaN. A projection works on the intervals
/// that a set gives it and joins what its cases leave, so that a set keeps what it can express.
pub trait Set: Copy + PartialEq + Debug {
    /// Whether NaN is one datum with a clear sign, as in SMT-LIB; if not, it is any encoding of
    /// one, as in machines.
    const ONE_NAN: bool;

    /// Nothing.
    fn empty(grid: Grid) -> Self;

    /// These numbers.
    fn of_numbers(grid: Grid, numbers: Interval) -> Self;

    /// NaN alone.
    fn of_nan(grid: Grid) -> Self;

    /// The interval from the least number to the greatest.
    fn hull(&self) -> Interval;

    /// The interval of the numbers with this sign.
    fn side(&self, negative: bool) -> Interval {
        let side = match negative {
            false => Interval::new(0, Ordinal::MAX),
            true => Interval::new(Ordinal::MIN, -1),
        };
        self.hull().meet(side)
    }

    /// Whether NaN is among them.
    fn has_nan(&self) -> bool;

    /// Whether there is nothing.
    fn is_empty(&self) -> bool {
        !self.has_nan() && self.hull().is_empty()
    }

    /// The smallest set that holds both.
    fn join(&self, other: &Self) -> Self;

    /// What both hold.
    fn meet(&self, other: &Self) -> Self;

    /// What is left of a result of `given`'s hull in `given` itself.
    fn kept_of(self, given: &Self) -> Self;

    /// The numbers without NaN.
    fn without_nan(&self) -> Self;

    /// Both zeros where either is: their order does not tell them apart.
    fn with_both_zeros(&self) -> Self;

    /// The negated numbers, and NaN.
    fn negated(&self) -> Self;
}

impl Set for FloatBox {
    const ONE_NAN: bool = true;

    fn empty(_: Grid) -> FloatBox {
        FloatBox::EMPTY
    }

    fn of_numbers(_: Grid, numbers: Interval) -> FloatBox {
        FloatBox { numbers, nan: false }
    }

    fn of_nan(_: Grid) -> FloatBox {
        FloatBox::NAN
    }

    fn hull(&self) -> Interval {
        self.numbers
    }

    fn has_nan(&self) -> bool {
        self.nan
    }

    fn join(&self, other: &FloatBox) -> FloatBox {
        FloatBox::join(*self, *other)
    }

    fn meet(&self, other: &FloatBox) -> FloatBox {
        FloatBox::meet(*self, *other)
    }

    fn kept_of(self, _: &FloatBox) -> FloatBox {
        self
    }

    fn without_nan(&self) -> FloatBox {
        FloatBox::without_nan(*self)
    }

    fn with_both_zeros(&self) -> FloatBox {
        FloatBox { numbers: self.numbers.with_both_zeros(), nan: self.nan }
    }

    fn negated(&self) -> FloatBox {
        FloatBox { numbers: self.numbers.negated(), nan: self.nan }
    }
}

/// The values of an integer, which stand in no format's line.
impl Set for Interval {
    const ONE_NAN: bool = true;

    fn empty(_: Grid) -> Interval {
        Interval::EMPTY
    }

    fn of_numbers(_: Grid, numbers: Interval) -> Interval {
        numbers
    }

    fn of_nan(_: Grid) -> Interval {
        Interval::EMPTY
    }

    fn hull(&self) -> Interval {
        *self
    }

    fn has_nan(&self) -> bool {
        false
    }

    fn join(&self, other: &Interval) -> Interval {
        Interval::join(*self, *other)
    }

    fn meet(&self, other: &Interval) -> Interval {
        Interval::meet(*self, *other)
    }

    fn kept_of(self, _: &Interval) -> Interval {
        self
    }

    fn without_nan(&self) -> Interval {
        *self
    }

    fn with_both_zeros(&self) -> Interval {
        Interval::with_both_zeros(*self)
    }

    fn negated(&self) -> Interval {
        Interval::negated(*self)
    }
}
