//! Conversion of an integer to a float.

use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Wanted, over_modes};
use crate::scalar::Scalar;
use crate::set::Set;

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
