//! The difference `x - y`: the sum with the negated second operand, signs of zeros too.

use crate::grid::Grid;
use crate::modes::Modes;
use crate::operation::add;
use crate::project::{Cases, Left, over_modes};
use crate::scalar::Scalar;
use crate::set::Set;

/// `z = x - y`, both ways.
pub fn narrow<S: Set>(grid: Grid, modes: Modes, [x, y]: [S; 2], z: S) -> Left<S, 2> {
    let (modes, mut narrowed) = add::narrow(grid, modes, [x, y.negated()], z)?;
    narrowed.arguments[1] = narrowed.arguments[1].negated();
    Some((modes, narrowed))
}

/// `z = x - x`, both ways.
pub fn narrow_same<S: Set>(grid: Grid, modes: Modes, [x]: [S; 1], z: S) -> Left<S, 1> {
    over_modes(modes, |mode| {
        let scalar = Scalar::new(grid, mode);
        let mut cases = Cases::new(grid, [x], z);
        let numbers = x.hull();
        cases.monotone(&|x| scalar.sub(x, x), [numbers.meet(grid.finite())], [false]);
        for infinity in grid.infinities() {
            cases.invalid([numbers.meet(infinity)]);
        }
        cases.finish()
    })
}
