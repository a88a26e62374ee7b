//! Projections of comparisons and of the classes of floats.
//!
//! A relation may hold, fail, or both ([`Truths`]); each way that is still
//! possible is projected on its own, and the hull of both is what is left.

use super::grid::Grid;
use super::interval::{FloatBox, Interval, Ordinal};

/// The truth values a term may still have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Truths {
    /// Whether it may be true.
    pub may_hold: bool,
    /// Whether it may be false.
    pub may_fail: bool,
}

impl Truths {
    /// Either.
    pub const BOTH: Truths = Truths { may_hold: true, may_fail: true };
    /// Neither: a contradiction.
    pub const NONE: Truths = Truths { may_hold: false, may_fail: false };

    /// Just this one.
    pub const fn only(value: bool) -> Truths {
        Truths { may_hold: value, may_fail: !value }
    }

    /// The only one left, if there is just one.
    pub const fn known(self) -> Option<bool> {
        match (self.may_hold, self.may_fail) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            (true, true) | (false, false) => None,
        }
    }

    /// Whether none is left.
    pub const fn is_empty(self) -> bool {
        !self.may_hold && !self.may_fail
    }

    /// What both hold.
    pub const fn meet(self, other: Truths) -> Truths {
        Truths {
            may_hold: self.may_hold && other.may_hold,
            may_fail: self.may_fail && other.may_fail,
        }
    }

    /// The truth values of the negation.
    pub const fn negated(self) -> Truths {
        Truths { may_hold: self.may_fail, may_fail: self.may_hold }
    }
}

/// Boxes of which none is empty.
type Boxes<const N: usize> = Option<[FloatBox; N]>;

fn inhabited<const N: usize>(boxes: [FloatBox; N]) -> Boxes<N> {
    boxes.iter().all(|floats| !floats.is_empty()).then_some(boxes)
}

fn either<const N: usize>(a: Boxes<N>, b: Boxes<N>) -> Boxes<N> {
    match (a, b) {
        (Some(a), Some(b)) => Some(std::array::from_fn(|i| a[i].join(b[i]))),
        (a, None) => a,
        (None, b) => b,
    }
}

/// What a relation leaves: the truth values and the boxes possible.
pub fn decide<const N: usize>(
    truths: Truths,
    boxes: [FloatBox; N],
    assume: impl Fn([FloatBox; N], bool) -> Option<[FloatBox; N]>,
) -> Option<(Truths, [FloatBox; N])> {
    let holding = if truths.may_hold { assume(boxes, true) } else { None };
    let failing = if truths.may_fail { assume(boxes, false) } else { None };
    let truths = Truths { may_hold: holding.is_some(), may_fail: failing.is_some() };
    either(holding, failing).map(|boxes| (truths, boxes))
}

/// The boxes of `x` and `y` where `x < y` is `value`.
pub fn less([x, y]: [FloatBox; 2], value: bool) -> Option<[FloatBox; 2]> {
    if value {
        return below(x.numbers, y.numbers, true);
    }
    let numbers = below(y.numbers, x.numbers, false).map(|[y, x]| [x, y]);
    either(numbers, unordered([x, y], true))
}

/// The boxes of `x` and `y` where `x <= y` is `value`.
pub fn less_equal([x, y]: [FloatBox; 2], value: bool) -> Option<[FloatBox; 2]> {
    if value {
        return below(x.numbers, y.numbers, false);
    }
    let numbers = below(y.numbers, x.numbers, true).map(|[y, x]| [x, y]);
    either(numbers, unordered([x, y], true))
}

/// Numbers with `x < y`, or `x <= y`. The zeros are equal.
fn below(x: Interval, y: Interval, strict: bool) -> Boxes<2> {
    let (most, least) = if strict {
        let below = |at: Ordinal| if at == 0 { -2 } else { at.saturating_sub(1) };
        let above = |at: Ordinal| if at == -1 { 1 } else { at.saturating_add(1) };
        (below(y.hi), above(x.lo))
    } else {
        (if y.hi == -1 { 0 } else { y.hi }, if x.lo == 0 { -1 } else { x.lo })
    };
    if x.is_empty() || y.is_empty() {
        return None;
    }
    let x = x.meet(Interval::new(Ordinal::MIN, most));
    let y = y.meet(Interval::new(least, Ordinal::MAX));
    inhabited([x, y].map(|numbers| FloatBox { numbers, nan: false }))
}

/// The boxes of `x` and `y` where whether either is a NaN is `value`.
pub fn unordered([x, y]: [FloatBox; 2], value: bool) -> Option<[FloatBox; 2]> {
    if !value {
        return inhabited([x.without_nan(), y.without_nan()]);
    }
    let x_nan = if x.nan { inhabited([FloatBox::NAN, y]) } else { None };
    let y_nan = if y.nan { inhabited([x, FloatBox::NAN]) } else { None };
    either(x_nan, y_nan)
}

/// The boxes of `x` and `y` where IEEE's `x == y` is `value`.
pub fn equal([x, y]: [FloatBox; 2], value: bool) -> Option<[FloatBox; 2]> {
    let number = |numbers| FloatBox { numbers, nan: false };
    if value {
        let (wide_x, wide_y) = (with_both_zeros(x.numbers), with_both_zeros(y.numbers));
        return inhabited([number(x.numbers.meet(wide_y)), number(y.numbers.meet(wide_x))]);
    }
    let numbers = inhabited([
        number(except(x.numbers, y.numbers, true)),
        number(except(y.numbers, x.numbers, true)),
    ]);
    either(numbers, unordered([x, y], true))
}

/// The boxes of `x` and `y` where it is `value` that they are the same datum:
/// NaN is the same as NaN, and the zeros differ.
pub fn identical([x, y]: [FloatBox; 2], value: bool) -> Option<[FloatBox; 2]> {
    if value {
        let both = x.meet(y);
        return inhabited([both, both]);
    }
    if x.numbers.is_empty() && y.numbers.is_empty() {
        return None;
    }
    let distinct = |x: FloatBox, y: FloatBox| {
        if y.nan && y.numbers.is_empty() {
            x.without_nan()
        } else if !y.nan && y.numbers.is_point() {
            FloatBox { numbers: except(x.numbers, y.numbers, false), nan: x.nan }
        } else {
            x
        }
    };
    inhabited([distinct(x, y), distinct(y, x)])
}

/// The interval, reaching over both zeros if it has one of them.
fn with_both_zeros(numbers: Interval) -> Interval {
    if numbers.is_empty() {
        return numbers;
    }
    let lo = if numbers.lo == 0 { -1 } else { numbers.lo };
    let hi = if numbers.hi == -1 { 0 } else { numbers.hi };
    Interval::new(lo, hi)
}

/// `x` less the ends that are the only value `y` has; the zeros count as one
/// value if `equal_zeros`.
fn except(x: Interval, y: Interval, equal_zeros: bool) -> Interval {
    if x.is_empty() || y.is_empty() {
        return Interval::EMPTY;
    }
    let value = if equal_zeros { with_both_zeros(y) } else { y };
    let zeros = Interval::new(-1, 0);
    if !(value.is_point() || equal_zeros && value == zeros) {
        return x;
    }
    let lo = if value.contains(x.lo) { value.hi + 1 } else { x.lo };
    let hi = if value.contains(x.hi) { value.lo - 1 } else { x.hi };
    if lo > hi { Interval::EMPTY } else { Interval::new(lo, hi) }
}

/// A class of floats (IEEE 754-2019, 5.7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// NaN.
    Nan,
    /// The infinities.
    Infinite,
    /// Neither infinite nor NaN.
    Finite,
    /// The zeros.
    Zero,
    /// The subnormal numbers, which the zeros are not.
    Subnormal,
    /// The normal numbers.
    Normal,
    /// The numbers with the sign bit set.
    Negative,
    /// The numbers with the sign bit clear.
    Positive,
}

impl Class {
    /// The boxes of `x` where it is `value` that it is of this class.
    pub fn project(self, grid: Grid, [x]: [FloatBox; 1], value: bool) -> Option<[FloatBox; 1]> {
        let nan = x.nan && (self == Class::Nan) == value;
        let kinds = self.kinds();
        // The numbers with the sign clear, from zero up, kind after kind.
        let (infinity, normal) = (grid.infinity(), grid.min_normal());
        let magnitudes = [
            Interval::point(0),
            Interval::new(1, normal - 1),
            Interval::new(normal, infinity - 1),
            Interval::point(infinity),
        ];
        let mut numbers = Interval::EMPTY;
        for (kind, magnitude) in magnitudes.into_iter().enumerate() {
            for (side, signed) in [magnitude, magnitude.negated()].into_iter().enumerate() {
                if (kinds[side] >> kind & 1 == 1) == value {
                    numbers = numbers.join(x.numbers.meet(signed));
                }
            }
        }
        inhabited([FloatBox { numbers, nan }])
    }

    /// Which of zero, subnormal, normal and infinite numbers are in it, as bits
    /// from the lowest: with the sign clear, and with it set.
    const fn kinds(self) -> [u8; 2] {
        match self {
            Class::Nan => [0, 0],
            Class::Infinite => [0b1000, 0b1000],
            Class::Finite => [0b0111, 0b0111],
            Class::Zero => [0b0001, 0b0001],
            Class::Subnormal => [0b0010, 0b0010],
            Class::Normal => [0b0100, 0b0100],
            Class::Negative => [0, 0b1111],
            Class::Positive => [0b1111, 0],
        }
    }
}
