//! Rounding to an integral number.

use crate::floats::{Floats, Span};
use crate::grid::Grid;
use crate::image::whole_numbers;
use crate::interval::Ordinal;
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Wanted, over_modes};
use crate::scalar::Scalar;
use crate::set::Set;

/// What rounding to an integral number gives.
pub fn direct(modes: Modes, a: &Floats) -> Floats {
    let grid = a.grid();
    let (down, up) = (Scalar::new(grid, modes.down()), Scalar::new(grid, modes.up()));
    let mut result = Floats { nan: a.nan, ..Floats::nothing(a.format) };
    for (lo, hi) in a.pieces() {
        let (lo, hi) = (down.round_to_integral(lo), up.round_to_integral(hi));
        let mut found = Floats::between(a.format, lo, hi);
        // No integral value but zero is below one, and a zero keeps the sign.
        let whole = Span::new(grid.one(), Ordinal::MAX);
        found.positive = found.positive.meet(whole);
        found.negative = found.negative.meet(whole);
        result = result.join(&found);
    }
    whole_numbers(result)
}

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
