//! Classes of floats (IEEE 754-2019, 5.7.2).

use crate::floats::Floats;
use crate::grid::Grid;
use crate::interval::Interval;
use crate::set::Set;
use crate::truths::Truths;
use nanoscope_ieee::Format;

/// A set of classes, a bit each: signalling NaN, quiet NaN, then `-inf`, negative normal,
/// negative subnormal, `-0`, `+0`, positive subnormal, positive normal, `+inf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Classes(pub u32);

impl Classes {
    /// NaN, of either kind.
    pub const NAN: Classes = Classes(0x003);
    /// Signalling NaN.
    pub const SIGNALING: Classes = Classes(0x001);
    /// The infinities.
    pub const INFINITE: Classes = Classes(0x204);
    /// Neither infinite nor NaN.
    pub const FINITE: Classes = Classes(0x1f8);
    /// The zeros.
    pub const ZERO: Classes = Classes(0x060);
    /// The subnormal numbers, which the zeros are not.
    pub const SUBNORMAL: Classes = Classes(0x090);
    /// The normal numbers.
    pub const NORMAL: Classes = Classes(0x108);
    /// The numbers with the sign bit set.
    pub const NEGATIVE: Classes = Classes(0x03c);
    /// The numbers with the sign bit clear.
    pub const POSITIVE: Classes = Classes(0x3c0);

    /// The floats with the sign bit set: of NaNs some, unless there is but one.
    pub const fn sign_minus<S: Set>() -> Classes {
        if S::ONE_NAN { Classes::NEGATIVE } else { Classes(Classes::NEGATIVE.0 | 1) }
    }

    /// The classes not among these.
    pub const fn complement(self) -> Classes {
        Classes(!self.0 & 0x3ff)
    }

    /// The intervals of the numbers in these classes, from below.
    pub fn intervals(self, grid: Grid) -> impl Iterator<Item = Interval> {
        let (infinity, normal) = (grid.infinity(), grid.min_normal());
        let positive = [
            Interval::point(0),
            Interval::new(1, normal - 1),
            Interval::new(normal, infinity - 1),
            Interval::point(infinity),
        ];
        let negative = positive.into_iter().rev().map(Interval::negated);
        let all = negative.chain(positive).enumerate();
        all.filter(move |(i, _)| self.0 & (0b100 << i) != 0).map(|(_, numbers)| numbers)
    }

    /// Whether some NaN is among these, quiet or signalling.
    pub const fn has_nan(self) -> bool {
        self.0 & 0b11 != 0
    }

    /// The floats of these classes.
    pub fn floats(self, format: Format) -> Floats {
        let floats = Floats { nan: self.has_nan(), ..Floats::nothing(format) };
        self.intervals(Grid::of(format))
            .fold(floats, |all, numbers| all.join(&Floats::between(format, numbers.lo, numbers.hi)))
    }

    /// Whether a float can be of these classes, and whether it can be of others.
    pub fn truth(self, a: &Floats) -> Truths {
        let inside = |value| self.narrow(a.grid(), [*a], value).is_some();
        Truths { may_hold: inside(true), may_fail: inside(false) }
    }

    /// What is left of `x` where it is `value` that it is of these classes. Quiet and signalling
    /// NaNs are not told apart.
    pub fn narrow<S: Set>(self, grid: Grid, [x]: [S; 1], value: bool) -> Option<[S; 1]> {
        let classes = if value { self } else { self.complement() };
        let mut left = match x.has_nan() && classes.has_nan() {
            true => S::of_nan(grid),
            false => S::empty(grid),
        };
        let hull = x.hull();
        for numbers in classes.intervals(grid) {
            let numbers = hull.meet(numbers);
            if !numbers.is_empty() {
                left = left.join(&S::of_numbers(grid, numbers).kept_of(&x));
            }
        }
        (!left.is_empty()).then_some([left])
    }
}
