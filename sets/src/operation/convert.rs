//! Conversion from one format to another.

use crate::grid::Grid;
use crate::interval::Ordinal;
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Wanted, over_modes};
use crate::scalar::Scalar;
use crate::set::Set;

/// `z`, on the line `to`, is what `x` on the line `from` rounds to, both ways.
pub fn narrow<S: Set>(from: Grid, to: Grid, modes: Modes, [x]: [S; 1], z: S) -> Left<S, 1> {
    over_modes(modes, |mode| {
        let mut cases = Cases::between([from, to], [x], z);
        cases.monotone(&Conversion { from, to: Scalar::new(to, mode) }, [x.hull()], [false]);
        cases.finish()
    })
}

struct Conversion {
    from: Grid,
    to: Scalar,
}

impl Monotone<1> for Conversion {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.to.convert(self.from, *x)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        Some(wanted.place(self.from, wanted.threshold(&self.to)))
    }
}
