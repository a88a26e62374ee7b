//! Projections of binary operations on one number twice: what the two operands
//! have in common is lost on boxes of two.

use super::arithmetic::Left;
use super::cases::{Cases, over_modes};
use super::grid::Grid;
use super::interval::{FloatBox, Interval, Modes, Ordinal};
use super::monotone::{Monotone, Wanted};
use super::scalar::Scalar;

struct Diagonal<F>(F);

impl<F: Fn(Ordinal) -> Option<Ordinal>> Monotone<1> for Diagonal<F> {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.0(*x).expect("the rectangles of an operation exclude its NaNs")
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], _: Wanted) -> Option<Ordinal> {
        None
    }
}

/// `z = x + x`.
pub fn double(grid: Grid, modes: Modes, [x]: [FloatBox; 1], z: FloatBox) -> Left<1> {
    over_modes(modes, |mode| {
        let scalar = Scalar::new(grid, mode);
        let mut cases = Cases::new([x], z);
        cases.monotone(&Diagonal(|x| scalar.add(x, x)), [x.numbers], [false]);
        cases.finish()
    })
}

/// `z = x - x`.
pub fn cancel(grid: Grid, modes: Modes, [x]: [FloatBox; 1], z: FloatBox) -> Left<1> {
    over_modes(modes, |mode| {
        let scalar = Scalar::new(grid, mode);
        let mut cases = Cases::new([x], z);
        cases.monotone(&Diagonal(|x| scalar.sub(x, x)), [x.numbers.meet(grid.finite())], [false]);
        infinities(grid, |infinity| cases.invalid([x.numbers.meet(infinity)]));
        cases.finish()
    })
}

/// `z = x * x`.
pub fn square(grid: Grid, modes: Modes, [x]: [FloatBox; 1], z: FloatBox) -> Left<1> {
    over_modes(modes, |mode| {
        let scalar = Scalar::new(grid, mode);
        let f = Diagonal(|x| scalar.mul(x, x));
        let mut cases = Cases::new([x], z);
        let magnitudes = Interval::new(0, grid.infinity());
        cases.monotone(&f, [x.numbers.meet(magnitudes)], [false]);
        cases.monotone(&f, [x.numbers.meet(magnitudes.negated())], [true]);
        cases.finish()
    })
}

/// `z = x / x`.
pub fn self_quotient(grid: Grid, modes: Modes, [x]: [FloatBox; 1], z: FloatBox) -> Left<1> {
    over_modes(modes, |mode| {
        let scalar = Scalar::new(grid, mode);
        let f = Diagonal(|x| scalar.div(x, x));
        let mut cases = Cases::new([x], z);
        let magnitudes = Interval::new(1, grid.max_finite());
        for numbers in [magnitudes, magnitudes.negated()] {
            cases.monotone(&f, [x.numbers.meet(numbers)], [false]);
        }
        cases.invalid([x.numbers.meet(Interval::new(-1, 0))]);
        infinities(grid, |infinity| cases.invalid([x.numbers.meet(infinity)]));
        cases.finish()
    })
}

fn infinities(grid: Grid, mut visit: impl FnMut(Interval)) {
    visit(Interval::point(grid.infinity()));
    visit(Interval::point(!grid.infinity()));
}
