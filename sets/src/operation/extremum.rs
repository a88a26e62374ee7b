//! Minimum and maximum.

use crate::floats::Floats;
use crate::grid::Grid;
use crate::interval::Ordinal;
use crate::project::{Cases, Monotone, Narrowed, Wanted};
use crate::set::Set;

/// Which operand a NaN leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// What it gives. Which of two unlike zeros is taken is left open.
    pub fn direct(self, a: &Floats, b: &Floats) -> Floats {
        let mut result = Floats::nothing(a.format);
        for (al, ah) in a.pieces() {
            for (bl, bh) in b.pieces() {
                let (lo, hi) = (self.value(al, bl), self.value(ah, bh));
                result = result.join(&Floats::between(a.format, lo, hi));
            }
        }
        if result.has_zero() {
            result.plus_zero |= a.plus_zero || b.plus_zero;
            result.minus_zero |= a.minus_zero || b.minus_zero;
        }
        if a.nan && self.choice != NanChoice::Nan {
            result = result.join(b);
        }
        if b.nan && self.choice == NanChoice::Other {
            result = result.join(a);
        }
        result.nan |= b.nan || (a.nan && self.choice != NanChoice::Second);
        result
    }

    /// `z` is the lesser of `x` and `y`, or the greater, both ways.
    pub fn narrow<S: Set>(self, grid: Grid, [x, y]: [S; 2], z: S) -> Option<Narrowed<S, 2>> {
        // On machines a signalling NaN is not lost against a number.
        let nan_wins =
            self.choice == NanChoice::Nan || (self.choice == NanChoice::Other && !S::ONE_NAN);
        let mut cases = match nan_wins {
            true => Cases::new(grid, [x, y], z),
            false => Cases::none(grid, [x, y], z),
        };
        let nan = S::of_nan(grid);
        if x.has_nan() && self.choice != NanChoice::Nan {
            let second = y.meet(&z);
            cases.add(Narrowed { arguments: [nan, second], result: second });
        }
        if y.has_nan() && self.choice == NanChoice::Other {
            let first = x.meet(&z);
            cases.add(Narrowed { arguments: [first, nan], result: first });
        }
        if y.has_nan() && z.has_nan() && self.choice == NanChoice::Second {
            cases.add(Narrowed { arguments: [x, nan], result: nan });
        }
        let loose_zeros = self.choice == NanChoice::Second || !S::ONE_NAN;
        let f = Choice { extremum: self, loose_zeros };
        cases.monotone(&f, [x.hull(), y.hull()], [false; 2]);
        cases.finish()
    }

    fn value(self, x: Ordinal, y: Ordinal) -> Ordinal {
        if self.greater { x.max(y) } else { x.min(y) }
    }
}

struct Choice {
    extremum: Extremum,
    /// Whether the sign of a zero result depends on more than the order.
    loose_zeros: bool,
}

impl Monotone<2> for Choice {
    fn least(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        let value = self.extremum.value(*x, *y);
        if self.loose_zeros && value == 0 { -1 } else { value }
    }

    fn greatest(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        let value = self.extremum.value(*x, *y);
        if self.loose_zeros && value == -1 { 0 } else { value }
    }

    fn guess(&self, _: usize, _: &[Ordinal; 2], wanted: Wanted) -> Option<Ordinal> {
        Some(wanted.z)
    }
}
