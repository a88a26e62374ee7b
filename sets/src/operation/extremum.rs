//! Minimum and maximum.

use crate::grid::Grid;
use crate::interval::Ordinal;
use crate::project::{Cases, Monotone, Narrowed, Wanted};
use crate::set::Set;

/// Which operand a NaN leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NanChoice {
    /// The other operand: C's `fmin`. A signalling NaN gives NaN.
    Other,
    /// NaN: 754-2019's `minimum`.
    Nan,
    /// The second operand, whichever is NaN; of equal operands too: x86.
    Second,
}

/// A minimum or maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extremum {
    /// Whether it is the greater operand.
    pub greater: bool,
    /// What it makes of a NaN.
    pub choice: NanChoice,
}

impl Extremum {
    /// `z` is the lesser of `x` and `y`, or the greater, both ways.
    pub fn narrow<S: Set>(self, grid: Grid, [x, y]: [S; 2], z: S) -> Option<Narrowed<S, 2>> {
        let mut cases = match self.choice {
            NanChoice::Nan => Cases::new(grid, [x, y], z),
            NanChoice::Other if !S::ONE_NAN => Cases::new(grid, [x, y], z),
            NanChoice::Other | NanChoice::Second => Cases::none(grid, [x, y], z),
        };
        let nan = S::of_nan(grid);
        if x.has_nan() && self.choice != NanChoice::Nan {
            let second = y.meet(z);
            cases.add(Narrowed { arguments: [nan, second], result: second });
        }
        if y.has_nan() && self.choice == NanChoice::Other {
            let first = x.meet(z);
            cases.add(Narrowed { arguments: [first, nan], result: first });
        }
        if y.has_nan() && z.has_nan() && self.choice == NanChoice::Second {
            cases.add(Narrowed { arguments: [x, nan], result: nan });
        }
        cases.monotone(&self, [x.hull(), y.hull()], [false; 2]);
        cases.finish()
    }

    fn value(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        if self.greater { *x.max(y) } else { *x.min(y) }
    }

    /// Whether the sign of a zero result depends on more than the order.
    fn has_loose_zeros(&self) -> bool {
        self.choice == NanChoice::Second
    }
}

impl Monotone<2> for Extremum {
    fn least(&self, at: &[Ordinal; 2]) -> Ordinal {
        let value = self.value(at);
        if self.has_loose_zeros() && value == 0 { -1 } else { value }
    }

    fn greatest(&self, at: &[Ordinal; 2]) -> Ordinal {
        let value = self.value(at);
        if self.has_loose_zeros() && value == -1 { 0 } else { value }
    }

    fn guess(&self, _: usize, _: &[Ordinal; 2], wanted: Wanted) -> Option<Ordinal> {
        Some(wanted.z)
    }
}
