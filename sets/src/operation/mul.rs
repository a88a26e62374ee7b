//! The product `x * y`.

use crate::grid::Grid;
use crate::interval::Ordinal;
use crate::modes::Modes;
use crate::project::{Cases, End, Left, Monotone, Wanted, cut_corners, for_quadrants, over_modes};
use crate::scalar::{NEVER_NAN, Scalar};
use crate::set::Set;

/// `z = x * y`, both ways.
pub fn narrow<S: Set>(grid: Grid, modes: Modes, [x, y]: [S; 2], z: S) -> Left<S, 2> {
    over_modes(modes, |mode| {
        let f = Product(Scalar::new(grid, mode));
        let mut cases = Cases::new(grid, [x, y], z);
        for_quadrants(&[x, y], grid, |x, y| {
            // Zero times infinity is NaN.
            let falling = [y.negative, x.negative];
            cut_corners(&mut cases, &f, [x, y], falling, |end| match end {
                End::Zero => End::Infinity,
                End::Infinity => End::Zero,
            });
        });
        cases.finish()
    })
}

/// `z = x * x`, both ways.
pub fn narrow_same<S: Set>(grid: Grid, modes: Modes, [x]: [S; 1], z: S) -> Left<S, 1> {
    over_modes(modes, |mode| {
        let scalar = Scalar::new(grid, mode);
        let mut cases = Cases::new(grid, [x], z);
        for negative in [false, true] {
            cases.monotone(&|x| scalar.mul(x, x), [x.side(negative)], [negative]);
        }
        cases.finish()
    })
}

struct Product(Scalar);

impl Monotone<2> for Product {
    fn least(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        self.0.mul(*x, *y).expect(NEVER_NAN)
    }

    fn guess(&self, index: usize, at: &[Ordinal; 2], wanted: Wanted) -> Option<Ordinal> {
        let Scalar { grid, .. } = self.0;
        let other = grid.real(at[1 - index]);
        let quotient = || wanted.threshold(&self.0).over(other, grid.format().precision);
        (!other.is_zero()).then(|| wanted.place(grid, quotient()))
    }
}
