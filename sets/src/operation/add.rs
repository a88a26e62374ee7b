//! The sum `x + y`.

use crate::floats::{Floats, Span, granularity};
use crate::grid::Grid;
use crate::image::{Image, ImageParts, Order, pick};
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Wanted, over_modes, without_end};
use crate::real::Real;
use crate::rounding_error;
use crate::scalar::{NEVER_NAN, Scalar};
use crate::set::Set;
use nanoscope_ieee::Rounding;

/// What `x + y` gives.
pub fn direct(modes: Modes, x: &Floats, y: &Floats) -> Image {
    sum(modes, x, y, Order::default())
}

/// The sum of `x` and `y`, where `order` is of `x` and `-y`.
pub(crate) fn sum(modes: Modes, x: &Floats, y: &Floats, order: Order) -> Image {
    let mut cases = ImageParts::new(x.format, modes);
    let grain = granularity::of_sum(x.coarsest(), y.coarsest());
    cases.nan_operand(&[x, y]);
    let opposite = (x.has_plus_infinity() && y.has_minus_infinity())
        || (x.has_minus_infinity() && y.has_plus_infinity());
    // Infinities that cancel are equal before one is negated.
    cases.invalid(opposite && !order.differ);
    // An infinity stays what it is beside any number but its opposite.
    if !y.has_no_number() {
        cases.special = cases.special.join(&x.infinite_part());
    }
    if !x.has_no_number() {
        cases.special = cases.special.join(&y.infinite_part());
    }
    let (x, y) = (x.finite_part(), y.finite_part());
    // Zeros (6.3): like signs keep theirs, unlike ones give the mode's zero.
    cases.finite.plus_zero |= x.plus_zero && y.plus_zero;
    cases.finite.minus_zero |= x.minus_zero && y.minus_zero;
    let mut cancels = (x.plus_zero && y.minus_zero) || (x.minus_zero && y.plus_zero);
    if y.has_zero() {
        cases.finite = cases.finite.join(&x.nonzero_part());
    }
    if x.has_zero() {
        cases.finite = cases.finite.join(&y.nonzero_part());
    }
    let (grid, down, up) = (cases.grid, cases.down, cases.up);
    for negative in [false, true] {
        let (a, b) = (pick(&x, negative), pick(&y, negative));
        if !a.is_empty() && !b.is_empty() {
            let flip = |at: Ordinal| if negative { !at } else { at };
            let one = [flip(a.lo), flip(b.lo)];
            let other = [flip(a.hi), flip(b.hi)];
            let (least, greatest) = if negative { (other, one) } else { (one, other) };
            let found =
                cases.between(down.add(least[0], least[1]), up.add(greatest[0], greatest[1]));
            cases.finite = cases.finite.join(&found);
        }
        // The difference of two magnitudes, `a` from x and `b` of the other sign from y.
        let b = pick(&y, !negative);
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let mut difference = match negative {
            true => cases.between(down.add(!a.hi, b.lo), up.add(!a.lo, b.hi)),
            false => cases.between(down.add(a.lo, !b.hi), up.add(a.hi, !b.lo)),
        };
        if difference.has_zero() {
            // Within a factor of two of each other, both are multiples of the unit of half
            // the larger and so is their exact difference; otherwise it is at least that half.
            let quantum = grid.unit(grid.half(a.lo.max(b.lo))).max(1);
            let coarse = Span::new(quantum, Ordinal::MAX);
            difference.positive = difference.positive.meet(coarse);
            difference.negative = difference.negative.meet(coarse);
            // With gradual underflow only equal numbers differ by zero.
            difference.plus_zero = false;
            difference.minus_zero = false;
            cancels |= !a.meet(b).is_empty() && !order.differ;
        }
        cases.finite = cases.finite.join(&difference);
    }
    if cancels {
        let (plus, minus) = modes.cancelled_zeros();
        cases.finite.plus_zero |= plus;
        cases.finite.minus_zero |= minus;
    }
    if order.not_less {
        cases.finite.negative = Span::EMPTY;
    }
    if order.not_greater {
        cases.finite.positive = Span::EMPTY;
    }
    if order.differ {
        cases.finite.plus_zero = false;
        cases.finite.minus_zero = false;
    }
    cases.finish(false).of_multiples(grain)
}

/// A bound of the rounding error of finite sums.
pub fn error(modes: Modes, x: &Floats, y: &Floats) -> f64 {
    let (x, y) = (x.finite_part(), y.finite_part());
    let results = direct(modes, &x, &y).result;
    let grain = rounding_error::grain(&x).min(rounding_error::grain(&y));
    // Sums in the lowest binades are multiples of the smallest number, and so exact; Sterbenz:
    // so are differences of numbers within a factor of two of each other.
    let exact = rounding_error::is_exact(grain, &results) || within_factor_of_two(&x, &y.negated());
    if exact { 0.0 } else { rounding_error::of_results(modes, &results) }
}

/// Whether all numbers of both sets have one sign, and any two are within a factor of two.
fn within_factor_of_two(x: &Floats, y: &Floats) -> bool {
    let grid = x.grid();
    let close = |a: Span, b: Span| {
        !a.is_empty()
            && !b.is_empty()
            && a.lo >= grid.half_above(b.hi)
            && b.lo >= grid.half_above(a.hi)
    };
    !x.has_zero()
        && !y.has_zero()
        && ((x.negative.is_empty() && y.negative.is_empty() && close(x.positive, y.positive))
            || (x.positive.is_empty() && y.positive.is_empty() && close(x.negative, y.negative)))
}

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
