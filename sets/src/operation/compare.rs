//! Comparisons: which outcomes are possible, and what is left of the operands where one holds.

use crate::floats::{Floats, Span};
use crate::grid::Grid;
use crate::image::Order;
use crate::interval::{Interval, Ordinal};
use crate::set::Set;
use crate::truths::Truths;

/// The outcomes for which a comparison is true, of four: less, equal, greater, unordered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Relation(u8);

impl Relation {
    /// Never true.
    pub const NEVER: Relation = Relation(0);
    /// Less.
    pub const LESS: Relation = Relation(1);
    /// Equal; the zeros are.
    pub const EQUAL: Relation = Relation(2);
    /// Greater.
    pub const GREATER: Relation = Relation(4);
    /// A NaN on either side.
    pub const UNORDERED: Relation = Relation(8);
    /// Less or equal.
    pub const LESS_EQUAL: Relation = Relation(3);
    /// Greater or equal.
    pub const GREATER_EQUAL: Relation = Relation(6);
    /// A NaN on neither side.
    pub const ORDERED: Relation = Relation(7);
    /// Neither less nor greater.
    pub const NOT_APART: Relation = Relation(10);
    /// Always true.
    pub const ALWAYS: Relation = Relation(15);

    /// The outcomes for which it is false.
    pub const fn negated(self) -> Relation {
        Relation(!self.0 & Relation::ALWAYS.0)
    }

    /// The same relation between the operands in the other order.
    pub const fn swapped(self) -> Relation {
        let less = if self.allows(Relation::GREATER) { 1 } else { 0 };
        let greater = if self.allows(Relation::LESS) { 4 } else { 0 };
        Relation(self.0 & Relation::NOT_APART.0 | less | greater)
    }

    /// What both allow.
    pub const fn meet(self, other: Relation) -> Relation {
        Relation(self.0 & other.0)
    }

    /// What either allows.
    pub const fn join(self, other: Relation) -> Relation {
        Relation(self.0 | other.0)
    }

    /// Whether one of these outcomes makes it true.
    pub const fn allows(self, outcomes: Relation) -> bool {
        self.0 & outcomes.0 != 0
    }

    /// Whether it can hold, and whether it can fail, of these operands.
    pub fn truth(self, a: &Floats, b: &Floats, order: Order) -> Truths {
        let mut possible = Relation::possible(a, b);
        for (excluded, outcome) in [
            (order.not_less || order.same, Relation::LESS),
            (order.not_greater || order.same, Relation::GREATER),
            (order.differ, Relation::EQUAL),
        ] {
            if excluded {
                possible = possible.meet(outcome.negated());
            }
        }
        Truths { may_hold: possible.allows(self), may_fail: possible.allows(self.negated()) }
    }

    /// The outcomes that these operands may have.
    fn possible(a: &Floats, b: &Floats) -> Relation {
        let mut possible = Relation::NEVER;
        let mut add = |may_be: bool, outcome: Relation| {
            if may_be {
                possible = possible.join(outcome);
            }
        };
        if let (Some((least_a, most_a)), Some((least_b, most_b))) = (a.bounds(), b.bounds()) {
            add(least_a <= next_below(most_b), Relation::LESS);
            add(least_b <= next_below(most_a), Relation::GREATER);
            let meet = |a: Span, b: Span| !a.meet(b).is_empty();
            let zeros = a.has_zero() && b.has_zero();
            let equal = zeros || meet(a.positive, b.positive) || meet(a.negative, b.negative);
            add(equal, Relation::EQUAL);
        }
        let unordered = (a.nan && !b.is_empty()) || (b.nan && !a.is_empty());
        add(unordered, Relation::UNORDERED);
        possible
    }

    /// What it says about two operands that are numbers.
    pub const fn order(self) -> Order {
        Order {
            same: false,
            not_less: !self.allows(Relation::LESS),
            not_greater: !self.allows(Relation::GREATER),
            differ: !self.allows(Relation::EQUAL),
        }
    }

    /// What is left of the operands where it is true; `None` if it cannot be.
    pub fn narrow<S: Set>(self, grid: Grid, [x, y]: [S; 2]) -> Option<[S; 2]> {
        let mut left = None;
        let strict = !self.allows(Relation::EQUAL);
        if self.allows(Relation::LESS) {
            left = below(grid, [x, y], strict);
        }
        if self.allows(Relation::GREATER) {
            left = either(left, below(grid, [y, x], strict).map(|[y, x]| [x, y]));
        }
        if self.meet(Relation::ORDERED) == Relation::EQUAL {
            let numbers = |set: S, other: S| set.without_nan().meet(&other.with_both_zeros());
            left = either(left, inhabited([numbers(x, y), numbers(y, x)]));
        }
        if self.allows(Relation::UNORDERED) {
            let nan = S::of_nan(grid);
            if x.has_nan() {
                left = either(left, inhabited([nan, y]));
            }
            if y.has_nan() {
                left = either(left, inhabited([x, nan]));
            }
        }
        left
    }

    /// What is left of the operands and of the truth of it.
    pub fn decide<S: Set>(
        self,
        grid: Grid,
        truths: Truths,
        operands: [S; 2],
    ) -> Option<(Truths, [S; 2])> {
        decide(truths, |value| {
            let relation = if value { self } else { self.negated() };
            relation.narrow(grid, operands)
        })
    }

    /// The same where both operands are one value: it is equal to itself, or a NaN.
    pub fn decide_same<S: Set>(self, grid: Grid, truths: Truths, x: S) -> Option<(Truths, [S; 1])> {
        decide(truths, |value| {
            let relation = if value { self } else { self.negated() };
            let number = relation.allows(Relation::EQUAL).then(|| x.without_nan());
            let nan =
                (x.has_nan() && relation.allows(Relation::UNORDERED)).then(|| S::of_nan(grid));
            let left = number.unwrap_or(S::empty(grid)).join(&nan.unwrap_or(S::empty(grid)));
            inhabited([left])
        })
    }
}

/// What is left of truth values and operands when each truth still possible is assumed in turn.
pub fn decide<S: Set, const N: usize>(
    truths: Truths,
    assume: impl Fn(bool) -> Option<[S; N]>,
) -> Option<(Truths, [S; N])> {
    let holding = if truths.may_hold { assume(true) } else { None };
    let failing = if truths.may_fail { assume(false) } else { None };
    let truths = Truths { may_hold: holding.is_some(), may_fail: failing.is_some() };
    either(holding, failing).map(|sets| (truths, sets))
}

/// The operands where it is `value` that they are the same datum: NaN is the same as NaN, and
/// the zeros differ.
pub fn identical<S: Set>(grid: Grid, [x, y]: [S; 2], value: bool) -> Option<[S; 2]> {
    if value {
        let both = x.meet(&y);
        return inhabited([both, both]);
    }
    if S::ONE_NAN && x.hull().is_empty() && y.hull().is_empty() {
        return None;
    }
    let distinct = |x: S, y: S| {
        if S::ONE_NAN && y.has_nan() && y.hull().is_empty() {
            return x.without_nan();
        }
        if y.has_nan() || !y.hull().is_point() {
            return x;
        }
        let value = y.hull().lo;
        let numbers = x.hull();
        let lo = if numbers.lo == value { value + 1 } else { numbers.lo };
        let hi = if numbers.hi == value { value - 1 } else { numbers.hi };
        let numbers = if lo > hi { Interval::EMPTY } else { Interval::new(lo, hi) };
        let nan = if x.has_nan() { S::of_nan(grid) } else { S::empty(grid) };
        S::of_numbers(grid, numbers).kept_of(&x).join(&nan)
    };
    inhabited([distinct(x, y), distinct(y, x)])
}

/// Numbers with `x < y`, or `x <= y`. The zeros are equal.
fn below<S: Set>(grid: Grid, [x, y]: [S; 2], strict: bool) -> Option<[S; 2]> {
    let (xs, ys) = (x.hull(), y.hull());
    if xs.is_empty() || ys.is_empty() {
        return None;
    }
    let (most, least) = if strict {
        (next_below(ys.hi), next_above(xs.lo))
    } else {
        (if ys.hi == -1 { 0 } else { ys.hi }, if xs.lo == 0 { -1 } else { xs.lo })
    };
    let part = |set: S, numbers: Interval| S::of_numbers(grid, numbers).kept_of(&set);
    let xs = xs.meet(Interval::new(Ordinal::MIN, most));
    let ys = ys.meet(Interval::new(least, Ordinal::MAX));
    if xs.is_empty() || ys.is_empty() {
        return None;
    }
    inhabited([part(x, xs), part(y, ys)])
}

/// The place next below every number equal to this one.
pub const fn next_below(at: Ordinal) -> Ordinal {
    if at == 0 { -2 } else { at.saturating_sub(1) }
}

/// The place next above every number equal to this one.
pub const fn next_above(at: Ordinal) -> Ordinal {
    if at == -1 { 1 } else { at.saturating_add(1) }
}

fn inhabited<S: Set, const N: usize>(sets: [S; N]) -> Option<[S; N]> {
    sets.iter().all(|set| !set.is_empty()).then_some(sets)
}

fn either<S: Set, const N: usize>(a: Option<[S; N]>, b: Option<[S; N]>) -> Option<[S; N]> {
    match (a, b) {
        (Some(a), Some(b)) => Some(std::array::from_fn(|i| a[i].join(&b[i]))),
        (a, None) => a,
        (None, b) => b,
    }
}
