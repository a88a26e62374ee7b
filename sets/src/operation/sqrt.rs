//! The square root.

use crate::floats::Floats;
use crate::grid::Grid;
use crate::image::{Image, ImageParts, parts};
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Wanted, over_modes};
use crate::rounding_error;
use crate::scalar::{NEVER_NAN, Scalar};
use crate::set::Set;

/// What the square root gives.
pub fn direct(modes: Modes, x: &Floats) -> Image {
    let mut cases = ImageParts::new(x.format, modes);
    cases.nan_operand(&[x]);
    cases.invalid(!x.negative.is_empty());
    cases.special.plus_zero |= x.plus_zero;
    cases.special.minus_zero |= x.minus_zero;
    let (infinite, finite) = parts(cases.grid, x.positive);
    if infinite {
        cases.infinite(false);
    }
    if !finite.is_empty() {
        let found = cases.between(cases.down.sqrt(finite.lo), cases.up.sqrt(finite.hi));
        cases.special = cases.special.join(&found);
    }
    cases.finish(true)
}

/// A bound of the rounding error of square roots of finite numbers that are not negative.
pub fn error(modes: Modes, x: &Floats) -> f64 {
    rounding_error::of_results(modes, &direct(modes, &x.finite_part()).result)
}

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
