//! Rounding to an integral number.

use crate::grid::Grid;
use crate::interval::Ordinal;
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Wanted, over_modes};
use crate::scalar::Scalar;
use crate::set::Set;

/// `z` is the integral number that `x` rounds to, both ways.
pub fn narrow<S: Set>(grid: Grid, modes: Modes, [x]: [S; 1], z: S) -> Left<S, 1> {
    over_modes(modes, |mode| {
        let mut cases = Cases::new(grid, [x], z);
        cases.monotone(&Integral(Scalar::new(grid, mode)), [x.hull()], [false]);
        cases.finish()
    })
}

struct Integral(Scalar);

impl Monotone<1> for Integral {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.0.round_to_integral(*x)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        Some(wanted.z)
    }
}
