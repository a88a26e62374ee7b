//! Sets of values as intervals of their order, and where a polynomial has
//! which sign.
//!
//! Roots are wanted between which two floats only: no float lies closer. So
//! they are found by bisecting the floats with exact signs, between the places
//! where the derivative changes its sign, found in the same way. Should a
//! derivative change twice between two neighbours, a root may be overlooked;
//! candidates are checked anyway.

use super::axis::Axis;
use super::polynomial::{Fraction, Integral};
use crate::propagate::{Interval, Ordinal};
use nanoscope_budget::Budget;
use std::cmp::Ordering;

/// Disjoint intervals in rising order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Region(Vec<Interval>);

impl Region {
    pub(super) fn of(interval: Interval) -> Region {
        Region(if interval.is_empty() { Vec::new() } else { vec![interval] })
    }

    pub(super) fn intervals(&self) -> &[Interval] {
        &self.0
    }

    pub(super) fn contains(&self, at: Ordinal) -> bool {
        self.0.iter().any(|interval| interval.contains(at))
    }

    pub(super) fn meet(&self, other: &Region) -> Region {
        let pairs = self.0.iter().flat_map(|a| other.0.iter().map(|b| a.meet(*b)));
        Region(pairs.filter(|both| !both.is_empty()).collect())
    }

    pub(super) fn join(&self, other: &Region) -> Region {
        let mut all = [self.0.as_slice(), &other.0].concat();
        all.sort_by_key(|interval| interval.lo);
        let mut joined: Vec<Interval> = Vec::new();
        for next in all {
            match joined.last_mut() {
                Some(last) if next.lo <= last.hi + 1 => last.hi = last.hi.max(next.hi),
                Some(_) | None => joined.push(next),
            }
        }
        Region(joined)
    }

    /// What of `whole` is not in it.
    pub(super) fn complement(&self, whole: Interval) -> Region {
        let mut left = Vec::new();
        let mut from = whole.lo;
        for interval in &self.0 {
            left.push(Interval::new(from, interval.lo - 1));
            from = interval.hi + 1;
        }
        left.push(Interval::new(from, whole.hi));
        left.retain(|interval| !interval.is_empty());
        Region(left)
    }
}

/// Where something is less than, equal to and greater than something else.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    pub(super) less: Region,
    pub(super) equal: Region,
    pub(super) greater: Region,
    /// The values next to a change: with rounding, they may be equal.
    pub(super) near: Region,
}

/// How many values next to a root count as near it.
const NEAR: Ordinal = 3;

impl Order {
    /// The sign of a polynomial over an axis.
    fn of(polynomial: &Integral, axis: Axis, budget: &Budget) -> Order {
        let mut order = Order::default();
        let whole = axis.whole();
        let starts = changes(polynomial, axis, whole, budget);
        for (index, (lo, sign)) in starts.iter().enumerate() {
            let hi = starts.get(index + 1).map_or(whole.hi, |(next, _)| next - 1);
            order.note(Interval::new(*lo, hi), Some(*sign), index > 0, whole);
        }
        order.near = order.near.join(&order.equal);
        order
    }

    /// A comparison known by trying, where it may have no answer: what it says at places spread
    /// over the axis, and where that changes between two of them. It is wrong if the budget ends.
    pub(super) fn traced(
        axis: Axis,
        budget: &Budget,
        mut compare: impl FnMut(Ordinal) -> Option<Ordering>,
    ) -> Order {
        let whole = axis.whole();
        let mut starts: Vec<(Ordinal, Option<Ordering>)> = Vec::new();
        for place in axis.spread() {
            let there = compare(place);
            while let Some((before, here)) = starts.last().copied()
                && here != there
                && !budget.exhausted()
            {
                let (mut same, mut other, mut new) = (before, place, there);
                while other - same > 1 {
                    let middle = same + (other - same) / 2;
                    let at = compare(middle);
                    if at == here {
                        same = middle;
                    } else {
                        (other, new) = (middle, at);
                    }
                }
                starts.push((other, new));
            }
            if starts.is_empty() {
                starts.push((place, there));
            }
        }
        let mut order = Order::default();
        for (index, (lo, sign)) in starts.iter().enumerate() {
            let hi = starts.get(index + 1).map_or(whole.hi, |(next, _)| next - 1);
            order.note(Interval::new(*lo, hi), *sign, index > 0, whole);
        }
        order.near = order.near.join(&order.equal);
        order
    }

    /// Notes how it is between two values, which come after all others; `changed` if it was
    /// otherwise just before them.
    fn note(&mut self, run: Interval, sign: Option<Ordering>, changed: bool, whole: Interval) {
        match sign {
            Some(Ordering::Less) => self.less.0.push(run),
            Some(Ordering::Equal) => self.equal.0.push(run),
            Some(Ordering::Greater) => self.greater.0.push(run),
            None => {}
        }
        if changed {
            let around = Interval::new(run.lo - NEAR, run.lo + NEAR - 1).meet(whole);
            self.near = self.near.join(&Region::of(around));
        }
    }

    /// The sign of a fraction; where it divides by zero it has none. It is
    /// wrong if the budget ends.
    pub(super) fn of_fraction(fraction: &Fraction, axis: Axis, budget: &Budget) -> Order {
        let above = Order::of(&fraction.above.integral(), axis, budget);
        let below = Order::of(&fraction.below.integral(), axis, budget);
        let defined = below.equal.complement(axis.whole());
        Order {
            less: above.less.meet(&below.greater).join(&above.greater.meet(&below.less)),
            equal: above.equal.meet(&defined),
            greater: above.greater.meet(&below.greater).join(&above.less.meet(&below.less)),
            near: above.near.meet(&defined),
        }
    }
}

/// The places where runs of one sign begin, the first being the first of all.
fn changes(
    polynomial: &Integral,
    axis: Axis,
    whole: Interval,
    budget: &Budget,
) -> Vec<(Ordinal, Ordering)> {
    let sign = |at: Ordinal| polynomial.sign(axis.parts(at));
    if polynomial.is_constant() {
        return vec![(whole.lo, sign(whole.lo))];
    }
    let turns = changes(&polynomial.derivative(), axis, whole, budget);
    let mut found: Vec<(Ordinal, Ordering)> = Vec::new();
    let mut note = |at: Ordinal, sign: Ordering| {
        if found.last().is_none_or(|(_, last)| *last != sign) {
            found.push((at, sign));
        }
    };
    for (index, (first, _)) in turns.iter().enumerate() {
        if budget.exhausted() {
            break;
        }
        let last = turns.get(index + 1).map_or(whole.hi, |(next, _)| next - 1);
        let end = sign(last);
        let (mut at, mut here) = (*first, sign(*first));
        note(at, here);
        // Monotone in between: at most two changes.
        while here != end {
            let (mut same, mut other) = (at, last);
            while other - same > 1 {
                let middle = same + (other - same) / 2;
                if sign(middle) == here {
                    same = middle;
                } else {
                    other = middle;
                }
            }
            (at, here) = (other, sign(other));
            note(at, here);
        }
    }
    found
}

/// The values around each real root of a polynomial among them, in rising order. Of roots
/// between the same two floats, an even number goes unseen.
pub(super) fn roots(polynomial: &Integral, axis: Axis, budget: &Budget) -> Vec<Interval> {
    let whole = axis.whole();
    let starts = changes(polynomial, axis, whole, budget);
    let mut around = Vec::new();
    for (index, (lo, sign)) in starts.iter().enumerate() {
        if *sign == Ordering::Equal {
            let hi = starts.get(index + 1).map_or(whole.hi, |(next, _)| next - 1);
            around.push(Interval::new(*lo, hi));
        } else if index > 0 && starts[index - 1].1 != Ordering::Equal {
            around.push(Interval::new(lo - 1, *lo));
        }
    }
    around
}

#[cfg(test)]
mod tests {
    use super::super::polynomial::Polynomial;
    use super::*;
    use crate::propagate::Grid;
    use nanoscope_ieee::{Format, Rational};
    use nanoscope_term::Value;

    fn number(value: i64) -> Fraction {
        Fraction::of(Polynomial::constant(Rational::from_integer(value.into())))
    }

    fn check(fraction: &Fraction, less: &[(f64, f64)], equal: &[f64]) {
        let grid = Grid::new(Format::BINARY64).expect("a grid");
        let order = Order::of_fraction(fraction, Axis::Floats(grid), &Budget::unlimited());
        let place = |value: f64| grid.decode(value.to_bits().into()).expect("a number");
        let open: Vec<Interval> =
            less.iter().map(|(a, b)| Interval::new(place(*a) + 1, place(*b) - 1)).collect();
        assert_eq!(order.less, Region(open));
        assert!(equal.iter().all(|root| order.equal.contains(place(*root))), "{order:?}");
        let count: Ordinal = order.equal.0.iter().map(|run| run.hi - run.lo + 1).sum();
        assert_eq!(count, equal.len() as Ordinal);
    }

    #[test]
    fn signs_are_exact_at_every_float() {
        let x = Fraction::of(Polynomial::unknown());
        let root = |at: i64| x.minus(&number(at)).expect("small");
        let quadratic = root(1).times(&root(2)).expect("small");
        check(&quadratic, &[(1.0, 2.0)], &[1.0, 2.0]);
        let cubic = quadratic.times(&root(-3)).expect("small");
        check(&cubic, &[(f64::NEG_INFINITY, -3.0), (1.0, 2.0)], &[-3.0, 1.0, 2.0]);
        let double = root(4).times(&root(4)).expect("small");
        check(&double, &[], &[4.0]);
        let quotient = root(1).over(&root(2)).expect("small");
        check(&quotient, &[(1.0, 2.0)], &[1.0]);
    }

    #[test]
    fn traces_find_changes_between_places() {
        let axis = Axis::Floats(Grid::new(Format::BINARY64).expect("a grid"));
        let real = |place: Ordinal| {
            let Value::Float(_, word) = axis.value(place) else { unreachable!() };
            f64::from_bits(word.to_u128().expect("64 bits") as u64)
        };
        // Subnormal results of exp, where it has no value below -1.
        let order = Order::traced(axis, &Budget::unlimited(), |place| {
            let x = real(place);
            (x >= -1.0).then(|| (-x).exp().total_cmp(&f64::MIN_POSITIVE))
        });
        let ends = |region: &Region| -> Vec<(f64, f64)> {
            region.intervals().iter().map(|run| (real(run.lo), real(run.hi))).collect()
        };
        assert_eq!(ends(&order.less), [(708.3964185322642, f64::MAX)]);
        assert_eq!(ends(&order.greater)[0].0, -1.0);
        assert_eq!(ends(&order.greater).len(), 1);
    }
}
