//! The quotient `x / y`.

use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Wanted, cut_corners, for_quadrants, over_modes};
use crate::scalar::{NEVER_NAN, Scalar};
use crate::set::Set;

/// `z = x / y`, both ways.
pub fn narrow<S: Set>(grid: Grid, modes: Modes, [x, y]: [S; 2], z: S) -> Left<S, 2> {
    over_modes(modes, |mode| {
        let f = Quotient(Scalar::new(grid, mode));
        let mut cases = Cases::new(grid, [x, y], z);
        for_quadrants(&[x, y], grid, |x, y| {
            // Zero by zero and infinity by infinity are NaN.
            let falling = [y.negative, !x.negative];
            cut_corners(&mut cases, &f, [x, y], falling, |end| end);
        });
        cases.finish()
    })
}

/// `z = x / x`, both ways.
pub fn narrow_same<S: Set>(grid: Grid, modes: Modes, [x]: [S; 1], z: S) -> Left<S, 1> {
    over_modes(modes, |mode| {
        let scalar = Scalar::new(grid, mode);
        let mut cases = Cases::new(grid, [x], z);
        let magnitudes = Interval::new(1, grid.max_finite());
        for (negative, numbers) in [(false, magnitudes), (true, magnitudes.negated())] {
            cases.monotone(&|x| scalar.div(x, x), [x.side(negative).meet(numbers)], [false]);
        }
        for numbers in
            [Interval::point(0), Interval::point(-1)].into_iter().chain(grid.infinities())
        {
            cases.invalid([x.hull().meet(numbers)]);
        }
        cases.finish()
    })
}

struct Quotient(Scalar);

impl Monotone<2> for Quotient {
    fn least(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        self.0.div(*x, *y).expect(NEVER_NAN)
    }

    fn guess(&self, index: usize, at: &[Ordinal; 2], wanted: Wanted) -> Option<Ordinal> {
        let Scalar { grid, .. } = self.0;
        let other = grid.real(at[1 - index]);
        let quotient = wanted.threshold(&self.0);
        match index {
            0 => Some(wanted.place(grid, quotient.times(other))),
            _ if quotient.is_zero() => None,
            _ => Some(wanted.place(grid, other.over(quotient, grid.format().precision))),
        }
    }
}
