//! The difference `x - y`: the sum with the negated second operand, signs of zeros too.

use crate::floats::Floats;
use crate::grid::Grid;
use crate::image::{Image, ImageParts, Order};
use crate::modes::Modes;
use crate::operation::add;
use crate::project::{Cases, Left, over_modes};
use crate::scalar::Scalar;
use crate::set::Set;

/// What `x - y` gives, with what is known of the order of `x` and `y`.
pub fn direct(modes: Modes, x: &Floats, y: &Floats, order: Order) -> Image {
    if !order.same {
        return add::sum(modes, x, &y.negated(), order);
    }
    let mut cases = ImageParts::new(x.format, modes);
    cases.nan_operand(&[x]);
    cases.invalid(x.has_infinity());
    if !x.finite_part().is_empty() {
        (cases.finite.plus_zero, cases.finite.minus_zero) = modes.cancelled_zeros();
    }
    cases.finish(false)
}

/// A bound of the rounding error of finite differences.
pub fn error(modes: Modes, x: &Floats, y: &Floats) -> f64 {
    add::error(modes, x, &y.negated())
}

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
