//! The neighbours of a number.

use crate::floats::Floats;
use crate::grid::Grid;
use crate::interval::Ordinal;
use crate::project::{Cases, Monotone, Narrowed, Wanted};
use crate::set::Set;

/// The next number above, or below.
pub fn direct(up: bool, a: &Floats) -> Floats {
    if !up {
        return direct(true, &a.negated()).negated();
    }
    let next = NextUp(a.grid());
    let mut result = Floats { nan: a.nan, ..Floats::nothing(a.format) };
    for (lo, hi) in a.pieces() {
        let found = Floats::between(a.format, next.least(&[lo]), next.least(&[hi]));
        result = result.join(&found);
    }
    result
}

/// `z` is the number next above `x`, both ways.
pub fn narrow_up<S: Set>(grid: Grid, [x]: [S; 1], z: S) -> Option<Narrowed<S, 1>> {
    let mut cases = Cases::new(grid, [x], z);
    cases.monotone(&NextUp(grid), [x.hull()], [false]);
    cases.finish()
}

/// `z` is the number next below `x`, both ways.
pub fn narrow_down<S: Set>(grid: Grid, [x]: [S; 1], z: S) -> Option<Narrowed<S, 1>> {
    narrow_up(grid, [x.negated()], z.negated()).map(Narrowed::negated)
}

struct NextUp(Grid);

impl Monotone<1> for NextUp {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        match *x {
            // Both zeros are followed by the smallest positive number.
            -1 => 1,
            x if x == self.0.infinity() => x,
            x => x + 1,
        }
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        Some(wanted.z - 1)
    }
}
