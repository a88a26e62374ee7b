//! The hull of `z = f(x…)` where `f` is monotone in every argument.
//!
//! Every correctly rounded operation is monotone, in the order of its format,
//! on a few rectangles of its operands. That alone gives the projections:
//! results lie between the corners (direct), and an operand is cut where even
//! the most favourable others do not reach the result (inverse). Repeated until
//! nothing moves, the operands' intervals of a binary operation become the hull
//! of its solutions: at the end the two operands at opposite ends support each
//! other.
//!
//! The inverse only needs `f` itself. A guess says where to look; a wrong guess
//! costs evaluations, never a solution.

use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
use crate::real::Real;
use crate::scalar::{NEVER_NAN, Scalar};
use nanoscope_ieee::Rounding;

/// A function of ordinals on a rectangle, not decreasing or not increasing in
/// each argument.
///
/// Where it is known only within an error, `least` and `greatest` enclose it,
/// both monotone; they are the same where it is known exactly.
pub trait Monotone<const N: usize> {
    /// The least value at these arguments.
    fn least(&self, at: &[Ordinal; N]) -> Ordinal;

    /// The greatest value at these arguments.
    fn greatest(&self, at: &[Ordinal; N]) -> Ordinal {
        self.least(at)
    }

    /// About where argument `index`, the others being as in `at`, begins to
    /// make the value what is wanted.
    fn guess(&self, index: usize, at: &[Ordinal; N], wanted: Wanted) -> Option<Ordinal>;
}

/// A function of one argument that is not NaN on its rectangle.
impl<F: Fn(Ordinal) -> Option<Ordinal>> Monotone<1> for F {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self(*x).expect(NEVER_NAN)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], _: Wanted) -> Option<Ordinal> {
        None
    }
}

/// Which values are wanted, and from which side they are met.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The result in question.
    pub z: Ordinal,
    /// Whether values of at least `z` are wanted; at most `z` if not.
    pub at_least: bool,
    /// Whether the place wanted is the least of its kind; the greatest if not.
    pub first: bool,
}

impl Wanted {
    /// Where the exact result begins to be wanted.
    pub fn threshold(self, scalar: &Scalar) -> Real {
        if self.at_least { scalar.preimage_start(self.z) } else { scalar.preimage_end(self.z) }
    }

    /// The place of a guessed operand.
    pub fn place(self, grid: Grid, guess: Real) -> Ordinal {
        grid.round(guess, self.toward())
    }

    /// Which way a guess is rounded.
    pub const fn toward(self) -> Rounding {
        if self.first { Rounding::Upward } else { Rounding::Downward }
    }
}

/// The rectangle, and in which arguments the function falls.
#[derive(Clone, Copy, Debug)]
pub struct Piece<const N: usize> {
    /// An interval an argument.
    pub arguments: [Interval; N],
    /// Whether the function is not increasing in that argument.
    pub falling: [bool; N],
}

/// How often the ends are gone over. Most pieces settle in two rounds; a long
/// staircase of unsupported ends is left as it is, which loses no solution.
const ROUNDS: usize = 12;

impl<const N: usize> Piece<N> {
    /// Narrows the arguments and `z` to what `z = f(arguments)` leaves; `None`
    /// if that is nothing.
    pub fn narrow(mut self, f: &impl Monotone<N>, mut z: Interval) -> Option<(Self, Interval)> {
        if z.is_empty() || self.arguments.iter().any(|argument| argument.is_empty()) {
            return None;
        }
        for _ in 0..ROUNDS {
            let before = (self.arguments, z);
            let (low, high) = self.corners();
            let image = Interval::new(f.least(&low), f.greatest(&high));
            z = z.meet(image);
            if z.is_empty() {
                return None;
            }
            if z == image {
                // Every argument gives one of these results.
                break;
            }
            for index in 0..N {
                self.narrow_argument(f, index, z)?;
            }
            if before == (self.arguments, z) {
                break;
            }
        }
        Some((self, z))
    }

    /// The arguments where the function is least and where it is greatest.
    fn corners(&self) -> ([Ordinal; N], [Ordinal; N]) {
        let ends = |top: bool| {
            std::array::from_fn(|i| {
                if self.falling[i] == top { self.arguments[i].lo } else { self.arguments[i].hi }
            })
        };
        (ends(false), ends(true))
    }

    fn narrow_argument(&mut self, f: &impl Monotone<N>, index: usize, z: Interval) -> Option<()> {
        let (low, high) = self.corners();
        let (first, last) = (low[index], high[index]);
        let falling = self.falling[index];
        // With the other arguments at their highest, the value must reach z.lo...
        let mut at = high;
        let mut reaches = |x| {
            at[index] = x;
            f.greatest(&at) >= z.lo
        };
        let start = if reaches(first) {
            first
        } else if !reaches(last) {
            return None;
        } else {
            boundary(
                first,
                last,
                f.guess(index, &high, Wanted { z: z.lo, at_least: true, first: !falling }),
                reaches,
            )
        };
        // ...and with them at their lowest, it must not pass z.hi.
        let mut at = low;
        let mut stays = |x| {
            at[index] = x;
            f.least(&at) <= z.hi
        };
        let end = if stays(last) {
            last
        } else if !stays(first) {
            return None;
        } else {
            boundary(
                last,
                first,
                f.guess(index, &low, Wanted { z: z.hi, at_least: false, first: falling }),
                stays,
            )
        };
        let kept = if falling { Interval::new(end, start) } else { Interval::new(start, end) };
        self.arguments[index] = kept;
        (!kept.is_empty()).then_some(())
    }
}

/// On the way from `outside`, where `holds` is false, to `inside`, where it is
/// true, the first place where it is true; it changes once.
fn boundary(
    mut outside: Ordinal,
    mut inside: Ordinal,
    guess: Option<Ordinal>,
    mut holds: impl FnMut(Ordinal) -> bool,
) -> Ordinal {
    let inward = if inside > outside { 1 } else { -1 };
    let (near, far) = (outside + inward, inside - inward);
    if let Some(guess) = guess {
        // Gallop from the guess until it is bracketed.
        let mut place = guess.clamp(near.min(far), near.max(far));
        let mut step: Ordinal = 1;
        let mut inwards = None;
        while strictly_between(outside, place, inside) {
            let inside_here = holds(place);
            if inside_here {
                inside = place;
            } else {
                outside = place;
            }
            if inwards.is_some_and(|inwards| inwards == inside_here) {
                break;
            }
            inwards = Some(!inside_here);
            let stride = if inside_here { -inward } else { inward } * step;
            place = place.saturating_add(stride);
            step = step.saturating_mul(2);
        }
    }
    while inside.abs_diff(outside) > 1 {
        let middle = outside.midpoint(inside);
        if holds(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    inside
}

const fn strictly_between(a: Ordinal, place: Ordinal, b: Ordinal) -> bool {
    (a < place && place < b) || (b < place && place < a)
}
