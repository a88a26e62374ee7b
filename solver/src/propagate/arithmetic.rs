//! Projections of the rounded operations: sum, difference, product, quotient,
//! fused multiply-add and square root.
//!
//! Each takes the rounding modes possible and the boxes of operands and result,
//! and gives what is left of all of them, or `None` for a contradiction.

use super::cases::{Cases, Narrowed, over_modes};
use super::exact::Real;
use super::grid::Grid;
use super::interval::{FloatBox, Interval, Modes, Ordinal};
use super::monotone::{Monotone, Wanted};
use super::scalar::Scalar;
use nanoscope_ieee::Rounding;

/// What a rounded operation leaves of its modes and boxes.
pub type Left<const N: usize> = Option<(Modes, Narrowed<N>)>;

/// `z = x + y`.
pub fn add(grid: Grid, modes: Modes, [x, y]: [FloatBox; 2], z: FloatBox) -> Left<2> {
    over_modes(modes, |mode| {
        let scalar = Scalar::new(grid, mode);
        let mut cases = Cases::new([x, y], z);
        let [x, y] = cases.numbers();
        let terms = within_cancellation(grid, z.numbers);
        cases.monotone(
            &Sum(scalar),
            [x.meet(grid.finite()).meet(terms), y.meet(terms)],
            [false, false],
        );
        for infinity in [grid.infinity(), !grid.infinity()] {
            if x.contains(infinity) {
                let infinite = Interval::point(infinity);
                let opposite = Interval::point(!infinity);
                let others = y.meet(without_end(grid.numbers(), !infinity));
                cases.monotone(&Sum(scalar), [infinite, others], [false, false]);
                cases.invalid([infinite, y.meet(opposite)]);
            }
        }
        cases.finish()
    })
}

/// `z = x - y`: the sum with the negated second operand, signs of zeros too.
pub fn sub(grid: Grid, modes: Modes, [x, y]: [FloatBox; 2], z: FloatBox) -> Left<2> {
    let negated = |y: FloatBox| FloatBox { numbers: y.numbers.negated(), nan: y.nan };
    let (modes, mut narrowed) = add(grid, modes, [x, negated(y)], z)?;
    narrowed.arguments[1] = negated(narrowed.arguments[1]);
    Some((modes, narrowed))
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
    let most = Real::exact(false, 1, exponent).round(grid, Rounding::Upward);
    Interval::new(!most, most)
}

/// `z = x * y`.
pub fn mul(grid: Grid, modes: Modes, [x, y]: [FloatBox; 2], z: FloatBox) -> Left<2> {
    over_modes(modes, |mode| {
        let f = Product(Scalar::new(grid, mode));
        let mut cases = Cases::new([x, y], z);
        for_quadrants(&cases.numbers(), grid, |x, y| {
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

/// `z = x / y`.
pub fn div(grid: Grid, modes: Modes, [x, y]: [FloatBox; 2], z: FloatBox) -> Left<2> {
    over_modes(modes, |mode| {
        let f = Quotient(Scalar::new(grid, mode));
        let mut cases = Cases::new([x, y], z);
        for_quadrants(&cases.numbers(), grid, |x, y| {
            // Zero by zero and infinity by infinity are NaN.
            let falling = [y.negative, !x.negative];
            cut_corners(&mut cases, &f, [x, y], falling, |end| end);
        });
        cases.finish()
    })
}

/// `z = sqrt(x)`.
pub fn sqrt(grid: Grid, modes: Modes, [x]: [FloatBox; 1], z: FloatBox) -> Left<1> {
    over_modes(modes, |mode| {
        let f = Root(Scalar::new(grid, mode));
        let mut cases = Cases::new([x], z);
        let domain = Interval::new(-1, grid.infinity());
        cases.monotone(&f, [x.numbers.meet(domain)], [false]);
        cases.invalid([x.numbers.meet(Interval::new(!grid.infinity(), -2))]);
        cases.finish()
    })
}

/// `z = a * b + c`, rounded once.
pub fn fma(grid: Grid, modes: Modes, [a, b, c]: [FloatBox; 3], z: FloatBox) -> Left<3> {
    over_modes(modes, |mode| {
        let f = Fused(Scalar::new(grid, mode));
        let mut cases = Cases::new([a, b, c], z);
        let [a, b, c] = cases.numbers();
        for_quadrants(&[a, b], grid, |a, b| {
            let falling = [b.negative, a.negative, false];
            let finite = [a.without(End::Infinity), b.without(End::Infinity), c];
            cases.monotone(&f, finite, falling);
            let infinity =
                if a.negative == b.negative { grid.infinity() } else { !grid.infinity() };
            let opposite = c.meet(Interval::point(!infinity));
            let others = c.meet(without_end(grid.numbers(), !infinity));
            let infinite_products = [
                [a.only(End::Infinity), b.without(End::Zero)],
                [a.without(End::Zero), b.only(End::Infinity)],
            ];
            for [a, b] in infinite_products {
                cases.monotone(&f, [a, b, others], falling);
                cases.invalid([a, b, opposite]);
            }
            cases.invalid([a.only(End::Infinity), b.only(End::Zero), c]);
            cases.invalid([a.only(End::Zero), b.only(End::Infinity), c]);
        });
        cases.finish()
    })
}

/// The numbers of one sign in an interval.
#[derive(Clone, Copy)]
struct Half {
    negative: bool,
    numbers: Interval,
    infinity: Ordinal,
}

/// The ends of the numbers of one sign.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Zero,
    Infinity,
}

impl Half {
    fn of(numbers: Interval, negative: bool, grid: Grid) -> Half {
        let infinity = if negative { !grid.infinity() } else { grid.infinity() };
        let half = if negative { Interval::new(infinity, -1) } else { Interval::new(0, infinity) };
        Half { negative, numbers: numbers.meet(half), infinity }
    }

    const fn at(self, end: End) -> Ordinal {
        match end {
            End::Zero => {
                if self.negative {
                    -1
                } else {
                    0
                }
            }
            End::Infinity => self.infinity,
        }
    }

    fn holds(self, end: End) -> bool {
        self.numbers.contains(self.at(end))
    }

    fn only(self, end: End) -> Interval {
        self.numbers.meet(Interval::point(self.at(end)))
    }

    fn without(self, end: End) -> Interval {
        without_end(self.numbers, self.at(end))
    }
}

/// The interval less `end`, which is one of its ends or not in it.
fn without_end(numbers: Interval, end: Ordinal) -> Interval {
    if numbers.lo == end {
        Interval::new(end + 1, numbers.hi)
    } else if numbers.hi == end {
        Interval::new(numbers.lo, end - 1)
    } else {
        numbers
    }
}

/// The four combinations of signs, as far as there are such numbers.
fn for_quadrants([x, y]: &[Interval; 2], grid: Grid, mut visit: impl FnMut(Half, Half)) {
    for x_negative in [false, true] {
        for y_negative in [false, true] {
            let (x, y) = (Half::of(*x, x_negative, grid), Half::of(*y, y_negative, grid));
            if !x.numbers.is_empty() && !y.numbers.is_empty() {
                visit(x, y);
            }
        }
    }
}

/// The cases of a quadrant where an end of `x` with the end `partner` of `y`
/// gives NaN.
fn cut_corners(
    cases: &mut Cases<2>,
    f: &impl Monotone<2>,
    [x, y]: [Half; 2],
    falling: [bool; 2],
    partner: impl Fn(End) -> End,
) {
    let mut rest = x;
    for end in [End::Zero, End::Infinity] {
        if x.holds(end) && y.holds(partner(end)) {
            rest.numbers = rest.without(end);
            cases.monotone(f, [x.only(end), y.without(partner(end))], falling);
            cases.invalid([x.only(end), y.only(partner(end))]);
        }
    }
    cases.monotone(f, [rest.numbers, y.numbers], falling);
}

/// Where the exact result begins to be wanted.
fn threshold(scalar: &Scalar, wanted: Wanted) -> Real {
    if wanted.at_least { scalar.preimage_start(wanted.z) } else { scalar.preimage_end(wanted.z) }
}

/// The place of a guessed operand.
fn settle(scalar: &Scalar, guess: Real, wanted: Wanted) -> Option<Ordinal> {
    let mode = if wanted.first { Rounding::Upward } else { Rounding::Downward };
    Some(guess.round(scalar.grid, mode))
}

/// An operation is NaN on none of the rectangles its cases name.
const NEVER_NAN: &str = "the rectangles of an operation exclude its NaNs";

struct Sum(Scalar);

impl Monotone<2> for Sum {
    fn least(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        self.0.add(*x, *y).expect(NEVER_NAN)
    }

    fn guess(&self, index: usize, at: &[Ordinal; 2], wanted: Wanted) -> Option<Ordinal> {
        let other = self.0.grid.real(at[1 - index]);
        settle(&self.0, threshold(&self.0, wanted).plus(other.negated()), wanted)
    }
}

struct Product(Scalar);

impl Monotone<2> for Product {
    fn least(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        self.0.mul(*x, *y).expect(NEVER_NAN)
    }

    fn guess(&self, index: usize, at: &[Ordinal; 2], wanted: Wanted) -> Option<Ordinal> {
        let other = self.0.grid.real(at[1 - index]);
        if other.is_zero() {
            return None;
        }
        settle(
            &self.0,
            threshold(&self.0, wanted).over(other, self.0.grid.format().precision),
            wanted,
        )
    }
}

struct Quotient(Scalar);

impl Monotone<2> for Quotient {
    fn least(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        self.0.div(*x, *y).expect(NEVER_NAN)
    }

    fn guess(&self, index: usize, at: &[Ordinal; 2], wanted: Wanted) -> Option<Ordinal> {
        let other = self.0.grid.real(at[1 - index]);
        let quotient = threshold(&self.0, wanted);
        match index {
            0 => settle(&self.0, quotient.times(other), wanted),
            _ if quotient.is_zero() => None,
            _ => settle(&self.0, other.over(quotient, self.0.grid.format().precision), wanted),
        }
    }
}

struct Root(Scalar);

impl Monotone<1> for Root {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.0.sqrt(*x).expect(NEVER_NAN)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        let root = threshold(&self.0, wanted);
        settle(&self.0, root.times(root), wanted)
    }
}

struct Fused(Scalar);

impl Monotone<3> for Fused {
    fn least(&self, [a, b, c]: &[Ordinal; 3]) -> Ordinal {
        self.0.fma(*a, *b, *c).expect(NEVER_NAN)
    }

    fn guess(&self, index: usize, at: &[Ordinal; 3], wanted: Wanted) -> Option<Ordinal> {
        let [a, b, c] = at.map(|argument| self.0.grid.real(argument));
        let sum = threshold(&self.0, wanted);
        let factor = match index {
            0 => b,
            1 => a,
            _ => return settle(&self.0, a.times_plus(b.negated(), sum), wanted),
        };
        if factor.is_zero() {
            return None;
        }
        settle(&self.0, sum.plus(c.negated()).coarse().over(factor, 53), wanted)
    }
}
