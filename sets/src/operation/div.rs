//! The quotient `x / y`.

use crate::floats::Floats;
use crate::grid::Grid;
use crate::image::{Image, ImageParts, SIGN_PAIRS, parts, pick, signs, zero};
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Wanted, cut_corners, for_quadrants, over_modes};
use crate::rounding_error;
use crate::scalar::{NEVER_NAN, Scalar};
use crate::set::Set;

/// What `x / y` gives; `same` says that they are one value.
pub fn direct(modes: Modes, x: &Floats, y: &Floats, same: bool) -> Image {
    let mut cases = ImageParts::new(x.format, modes);
    let grid = cases.grid;
    cases.nan_operand(&[x, y]);
    let zeros = x.has_zero() && y.has_zero();
    let infinities = x.has_infinity() && y.has_infinity();
    cases.invalid(zeros || infinities);
    if same {
        if x.has_finite_nonzero() {
            cases.finite = Floats::between(x.format, grid.one(), grid.one());
        }
        return cases.finish(true);
    }
    cases.raised.divide_by_zero = x.has_finite_nonzero() && y.has_zero();
    for (a, a_negative) in signs(x) {
        for (b, b_negative) in signs(y) {
            let negative = a_negative != b_negative;
            let (a_infinite, a) = parts(grid, a);
            let (b_infinite, b) = parts(grid, b);
            if a_infinite && !b.is_empty() {
                cases.infinite(negative);
            }
            if b_infinite && !a.is_empty() {
                cases.zero(negative);
            }
            if !a.is_empty() && !b.is_empty() {
                let (down, up) = cases.magnitudes(negative);
                cases.product(negative, down.div(a.lo, b.hi), up.div(a.hi, b.lo));
            }
        }
    }
    for (x_zero, y_zero, negative) in SIGN_PAIRS {
        // Zero by anything but zero, anything but zero by zero.
        if zero(x, x_zero) && !pick(y, y_zero).is_empty() {
            cases.zero(negative);
        }
        if zero(y, y_zero) && !pick(x, x_zero).is_empty() {
            cases.infinite(negative);
        }
    }
    cases.finish(true)
}

/// A bound of the rounding error of finite quotients of divisors that are not zero.
pub fn error(modes: Modes, x: &Floats, y: &Floats) -> f64 {
    let (x, y) = (x.finite_part(), y.finite_part().nonzero_part());
    let results = direct(modes, &x, &y, false).result;
    let exact = rounding_error::is_power_of_two(&y) && rounding_error::is_normal(&results);
    if exact { 0.0 } else { rounding_error::of_results(modes, &results) }
}

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
