//! The square root.

use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Wanted, over_modes};
use crate::scalar::{NEVER_NAN, Scalar};
use crate::set::Set;

/// `z = sqrt(x)`, both ways.
pub fn narrow<S: Set>(grid: Grid, modes: Modes, [x]: [S; 1], z: S) -> Left<S, 1> {
    over_modes(modes, |mode| {
        let f = Root(Scalar::new(grid, mode));
        let mut cases = Cases::new(grid, [x], z);
        let numbers = x.hull();
        cases.monotone(&f, [numbers.meet(Interval::new(-1, grid.infinity()))], [false]);
        cases.invalid([numbers.meet(Interval::new(!grid.infinity(), -2))]);
        cases.finish()
    })
}

struct Root(Scalar);

impl Monotone<1> for Root {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.0.sqrt(*x).expect(NEVER_NAN)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        let root = wanted.threshold(&self.0);
        Some(wanted.place(self.0.grid, root.times(root)))
    }
}
