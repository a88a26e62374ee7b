//! Conversion of an integer to a float.

use crate::floats::{Floats, Span};
use crate::grid::Grid;
use crate::image::whole_numbers;
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Wanted, over_modes};
use crate::scalar::Scalar;
use crate::set::Set;
use nanoscope_ieee::Format;

/// What integers of these intervals give.
pub fn direct(
    modes: Modes,
    format: Format,
    integers: impl Iterator<Item = (i128, i128)>,
) -> Floats {
    let grid = Grid::of(format);
    let (down, up) = (Scalar::new(grid, modes.down()), Scalar::new(grid, modes.up()));
    let mut result = Floats::nothing(format);
    for (lo, hi) in integers.filter(|(lo, hi)| lo <= hi) {
        let (lo, hi) = (down.convert_integer(lo), up.convert_integer(hi));
        result = result.join(&Floats::between(format, lo, hi));
    }
    // An integer that is not zero is at least one, and zero is +0.
    let whole = Span::new(grid.one(), Ordinal::MAX);
    result.positive = result.positive.meet(whole);
    result.negative = result.negative.meet(whole);
    result.minus_zero = false;
    whole_numbers(result)
}

/// `z` is what the integer `x` rounds to, both ways.
pub fn narrow<S: Set>(grid: Grid, modes: Modes, x: Interval, z: S) -> Left<Interval, 1, S> {
    over_modes(modes, |mode| {
        let mut cases = Cases::none(grid, [x], z);
        cases.monotone(&FromInteger(Scalar::new(grid, mode)), [x], [false]);
        cases.finish()
    })
}

struct FromInteger(Scalar);

impl Monotone<1> for FromInteger {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.0.convert_integer(*x)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        wanted.threshold(&self.0).round_to_integer(wanted.toward())
    }
}
