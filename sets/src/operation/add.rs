//! The sum `x + y`.

use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Wanted, over_modes, without_end};
use crate::real::Real;
use crate::scalar::{NEVER_NAN, Scalar};
use crate::set::Set;
use nanoscope_ieee::Rounding;

/// `z = x + y`, both ways.
pub fn narrow<S: Set>(grid: Grid, modes: Modes, [x, y]: [S; 2], z: S) -> Left<S, 2> {
    over_modes(modes, |mode| {
        let f = Sum(Scalar::new(grid, mode));
        let mut cases = Cases::new(grid, [x, y], z);
        let [x, y] = cases.numbers();
        let terms = within_cancellation(grid, z.hull());
        cases.monotone(&f, [x.meet(grid.finite()).meet(terms), y.meet(terms)], [false, false]);
        for infinity in [grid.infinity(), !grid.infinity()] {
            if x.contains(infinity) {
                let infinite = Interval::point(infinity);
                let opposite = Interval::point(!infinity);
                let others = y.meet(without_end(grid.numbers(), !infinity));
                cases.monotone(&f, [infinite, others], [false, false]);
                cases.invalid([infinite, y.meet(opposite)]);
            }
        }
        cases.finish()
    })
}

/// `z = x + x`, both ways.
pub fn narrow_same<S: Set>(grid: Grid, modes: Modes, [x]: [S; 1], z: S) -> Left<S, 1> {
    over_modes(modes, |mode| {
        let scalar = Scalar::new(grid, mode);
        let mut cases = Cases::new(grid, [x], z);
        cases.monotone(&|x| scalar.add(x, x), [x.hull()], [false]);
        cases.finish()
    })
}

/// The operands that a finite sum, not zero, can have (Marre and Michel).
///
/// The exact sum is a multiple of the smaller ulp of the two operands and not
/// zero (a sum of floats that is not zero does not round to zero), so that ulp
/// is below the bound `w` of the sums that round into `z`, and at most the
/// power of two `q` next below `w`. That operand is thus below `q * 2^p`, and
/// the other one, a sum of at most `w <= 2q` away, is at most `q * 2^p` itself.
fn within_cancellation(grid: Grid, z: Interval) -> Interval {
    let largest = if z.lo > 0 {
        z.hi
    } else if z.hi < -1 {
        !z.lo
    } else {
        return grid.numbers();
    };
    if largest >= grid.max_finite() {
        return grid.numbers();
    }
    let bound = grid.real(largest + 1);
    let power_of_two = bound.significand.is_power_of_two();
    let quantum = bound.leading() - power_of_two as i64;
    let exponent = quantum + grid.format().precision as i64;
    let most = grid.round(Real::exact(false, 1, exponent), Rounding::Upward);
    Interval::new(!most, most)
}

struct Sum(Scalar);

impl Monotone<2> for Sum {
    fn least(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        self.0.add(*x, *y).expect(NEVER_NAN)
    }

    fn guess(&self, index: usize, at: &[Ordinal; 2], wanted: Wanted) -> Option<Ordinal> {
        let other = self.0.grid.real(at[1 - index]);
        Some(wanted.place(self.0.grid, wanted.threshold(&self.0).plus(other.negated())))
    }
}
