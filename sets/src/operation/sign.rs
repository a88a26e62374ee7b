//! The operations on the sign bit: absolute value, negation, sign copying.

use crate::floats::Floats;
use crate::grid::Grid;
use crate::project::{Cases, Narrowed};
use crate::set::Set;

/// `a` with the sign of `b`.
pub fn copy_sign(a: &Floats, b: &Floats) -> Floats {
    let size = a.magnitudes();
    let mut result = Floats::nothing(a.format);
    if !b.positive.is_empty() || b.plus_zero || b.nan {
        result = result.join(&size);
    }
    if !b.negative.is_empty() || b.minus_zero || b.nan {
        result = result.join(&size.negated());
    }
    result
}

/// `z = -x`, both ways.
pub fn narrow_neg<S: Set>([x]: [S; 1], z: S) -> Option<Narrowed<S, 1>> {
    let both = x.meet(&z.negated());
    (!both.is_empty()).then_some(Narrowed { arguments: [both], result: both.negated() })
}

/// `z = |x|`, both ways.
pub fn narrow_abs<S: Set>(grid: Grid, [x]: [S; 1], z: S) -> Option<Narrowed<S, 1>> {
    let mut cases = Cases::new(grid, [x], z);
    let results = z.side(false);
    let positive = x.side(false).meet(results);
    cases.add_numbers([positive], positive);
    let negative = x.side(true).negated().meet(results);
    cases.add_numbers([negative.negated()], negative);
    cases.finish()
}

/// `z` is `x` with the sign of `y`, both ways.
pub fn narrow_copy_sign<S: Set>(grid: Grid, [x, y]: [S; 2], z: S) -> Option<Narrowed<S, 2>> {
    let mut cases = Cases::none(grid, [x, y], z);
    if x.has_nan() && z.has_nan() {
        let nan = S::of_nan(grid);
        cases.add(Narrowed { arguments: [nan, y], result: nan });
    }
    for x_negative in [false, true] {
        for y_negative in [false, true] {
            let flips = x_negative != y_negative;
            let numbers = x.side(x_negative);
            let result = if flips { numbers.negated() } else { numbers };
            let result = result.meet(z.hull());
            let numbers = if flips { result.negated() } else { result };
            cases.add_numbers([numbers, y.side(y_negative)], result);
            // The sign of a NaN is any, unless there is but one.
            if y.has_nan() && !(S::ONE_NAN && y_negative) {
                cases.add_with(1, S::of_nan(grid), [numbers; 2], result);
            }
        }
    }
    cases.finish()
}
