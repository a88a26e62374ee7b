//! How far two real values are apart where a third one is small.
//!
//! A loop that ends when `|y - x| < tolerance` leaves its value or goes on, and the two computations
//! may disagree where the comparison is nearly an equality. There `d = y - x` is small. Values that
//! the loop computes later are `x + C d`, the coefficients `C` by the same operations on operands
//! that differ by multiples of `d`: `F(y) - F(x) = C d` with `C` between the slopes of `F`. A term of a
//! series that ends when a term is small is `C d` itself. So however far a box of inputs spreads the
//! values, their differences stay multiples of what is small.

use crate::functions::Enclosed;
use crate::graph::tape::{Action, Tape};
use crate::graph::{Comparison, NodeId, Operation};
use crate::interval::{Interval, add_up};
use crate::prove::choice::{Seam, decided};
use crate::prove::facts::{Facts, SPARE};
use crate::prove::within::Within;
use std::collections::HashMap;

/// How deep pairs of operations are taken apart.
const DEPTH: u32 = 8;
/// Values that are looked at, at most.
const VISITS: u32 = 4_000;
/// Known values that an operation is compared with.
const PARTNERS: usize = 4;

/// Differences of real values as multiples of what is small.
pub struct Multiples<'t, const N: usize> {
    pub tape: &'t Tape,
    pub facts: &'t [Facts<N>],
}

impl<const N: usize> Seam for Multiples<'_, N> {
    fn apart(&self, operands: [NodeId; 4], width: f64) -> f64 {
        let Multiples { tape, facts } = *self;
        let [left, right, a, b] = operands.map(NodeId::index);
        let compared = Near::new(tape, facts, Small::Difference(left, right));
        let mut best = compared.apart(a, b, width);
        for (side, other) in [(left, right), (right, left)] {
            let size = add_up(facts[other].real.magnitude(), width);
            for (small, size) in smalls(tape, facts, side, size) {
                if size.is_finite() && size < f64::MAX {
                    best = best.min(Near::new(tape, facts, small).apart(a, b, size));
                    if let Small::Value(place) = small {
                        let mut near = Within::new(tape, facts, place, Interval::symmetric(size));
                        let apart = (near.value(a) - near.value(b)).magnitude();
                        best = if apart < best { apart } else { best };
                    }
                }
            }
        }
        best
    }
}

/// What is small: a value, or the difference of two.
#[derive(Clone, Copy, Debug)]
enum Small {
    Value(usize),
    Difference(usize, usize),
}

/// What is small where the value at a place is at most `size` large, and how small it is.
fn smalls<const N: usize>(
    tape: &Tape,
    facts: &[Facts<N>],
    mut place: usize,
    mut size: f64,
) -> Vec<(Small, f64)> {
    let mut found = Vec::new();
    for _ in 0..DEPTH {
        found.push((Small::Value(place), size));
        let Action::Operation(operation) = tape.steps[place].action else { break };
        place = match operation {
            Operation::Abs(x) | Operation::Neg(x) | Operation::Convert(x) => x,
            Operation::Mul(x, y) if x == y => {
                size = (size * SPARE).sqrt() * SPARE;
                x
            }
            Operation::Div(x, y) => {
                size = size * facts[y.index()].real.magnitude() * SPARE;
                x
            }
            Operation::Sub(x, y) => {
                found.push((Small::Difference(x.index(), y.index()), size));
                break;
            }
            // Any other operation may be small where no operand is.
            _ => break,
        }
        .index();
    }
    // The last value taken apart says the most.
    found.reverse();
    found.truncate(2);
    found
}

/// Values that are one of them, the anchor, and a multiple of what is small.
#[derive(Debug, Default)]
struct Family {
    /// The factors by places; none: it does not belong here.
    known: HashMap<usize, Option<Interval>>,
    /// Members in the order in which they became known.
    order: Vec<usize>,
    /// The members that others were compared with, and the factors of the differences.
    links: HashMap<usize, (usize, Interval)>,
}

impl Family {
    fn learn(&mut self, place: usize, by: Interval) {
        self.known.insert(place, Some(by));
        self.order.push(place);
    }

    fn factor(&self, place: usize) -> Option<Interval> {
        self.known.get(&place).copied().flatten()
    }

    /// The factor in the difference of two members.
    fn difference(&self, x: usize, y: usize) -> Option<Interval> {
        let direct = |x: usize, y: usize| {
            let (mut at, mut sum) = (x, Interval::ZERO);
            // Members may be compared with one another in a circle.
            for _ in 0..=self.links.len() {
                if at == y {
                    return Some(sum);
                }
                let (partner, by) = *self.links.get(&at)?;
                (at, sum) = (partner, sum + by);
            }
            None
        };
        // The same steps on the way to both do not count.
        let between = direct(x, y).or_else(|| direct(y, x).map(|by| -by));
        between.or_else(|| Some(self.factor(x)? - self.factor(y)?))
    }

    /// Whether a place comes after the first member: only then can it depend on it.
    fn comes_before(&self, place: usize) -> bool {
        self.order.first().is_some_and(|first| *first < place)
    }
}

/// The family of the difference that is small.
const BASE: usize = 0;
/// The family of the values that are compared.
const RESULTS: usize = 1;

/// Values as multiples of what is small, and families of values that differ by such multiples.
struct Near<'t, const N: usize> {
    tape: &'t Tape,
    facts: &'t [Facts<N>],
    /// Places that are a multiple.
    multiples: HashMap<usize, Option<Interval>>,
    families: [Family; 2],
    visits: u32,
}

impl<'t, const N: usize> Near<'t, N> {
    fn new(tape: &'t Tape, facts: &'t [Facts<N>], small: Small) -> Near<'t, N> {
        let mut near = Near {
            tape,
            facts,
            multiples: HashMap::new(),
            families: [Family::default(), Family::default()],
            visits: 0,
        };
        match small {
            Small::Value(place) => {
                near.multiples.insert(place, Some(Interval::point(1.0)));
            }
            Small::Difference(x, y) => {
                let (first, then, sign) = if x < y { (x, y, -1.0) } else { (y, x, 1.0) };
                near.families[BASE].learn(first, Interval::ZERO);
                near.families[BASE].learn(then, Interval::point(sign));
                near.families[BASE].links.insert(then, (first, Interval::point(sign)));
            }
        }
        near
    }

    /// Bounds how far two values are apart where what is small is at most `size`.
    fn apart(mut self, a: usize, b: usize, size: f64) -> f64 {
        let difference = match (self.multiple(a), self.multiple(b)) {
            (Some(x), Some(y)) => Some(x - y),
            (_, _) => None,
        };
        let difference = difference.or_else(|| {
            // What comes later is seen from what comes first.
            let (first, then) = if a < b { (a, b) } else { (b, a) };
            self.in_base(first, then).or_else(|| {
                self.families[RESULTS].learn(first, Interval::ZERO);
                self.related(RESULTS, then)
            })
        });
        let bound = difference.map_or(f64::INFINITY, |by| by.magnitude() * size * SPARE);
        if bound.is_nan() { f64::INFINITY } else { bound }
    }

    fn operation(&mut self, place: usize) -> Option<Operation> {
        self.visits += 1;
        match self.tape.steps[place].action {
            Action::Operation(operation) if self.visits <= VISITS => Some(operation),
            Action::Operation(_) | Action::Input(_) | Action::Constant(_) => None,
        }
    }

    fn real(&self, id: NodeId) -> Option<Interval> {
        let real = self.facts[id.index()].real;
        real.is_finite().then_some(real)
    }

    /// The sides of a choice that may be chosen.
    fn sides(&self, by: Comparison, a: NodeId, b: NodeId) -> [NodeId; 2] {
        let of = |id: NodeId| &self.facts[id.index()];
        match decided(by.relation, of(by.left), of(by.right)) {
            Some(true) => [a, a],
            Some(false) => [b, b],
            None => [a, b],
        }
    }

    /// The factor of a value that is a multiple of what is small.
    fn multiple(&mut self, place: usize) -> Option<Interval> {
        if let Some(known) = self.multiples.get(&place) {
            return *known;
        }
        let found = self.multiple_of_operands(place);
        self.multiples.insert(place, found);
        found
    }

    fn multiple_of_operands(&mut self, place: usize) -> Option<Interval> {
        if let Action::Constant(constant) = self.tape.steps[place].action {
            return (constant.real == Interval::ZERO).then_some(Interval::ZERO);
        }
        match self.operation(place)? {
            Operation::Add(x, y) => Some(self.multiple(x.index())? + self.multiple(y.index())?),
            Operation::Sub(x, y) => Some(self.multiple(x.index())? - self.multiple(y.index())?),
            Operation::Mul(x, y) => match self.multiple(x.index()) {
                Some(by) => Some(by * self.real(y)?),
                None => Some(self.multiple(y.index())? * self.real(x)?),
            },
            Operation::Div(x, y) => {
                let divisor = self.real(y).filter(|divisor| !divisor.contains(0.0))?;
                Some(self.multiple(x.index())? / divisor)
            }
            Operation::Neg(x) => Some(-self.multiple(x.index())?),
            Operation::Abs(x) => Some(Interval::symmetric(self.multiple(x.index())?.magnitude())),
            Operation::Convert(x) | Operation::Argument(x) => self.multiple(x.index()),
            Operation::Choose(by, x, y) => {
                let [x, y] = self.sides(by, x, y);
                Some(self.multiple(x.index())?.hull(self.multiple(y.index())?))
            }
            Operation::Input(_)
            | Operation::Constant(_)
            | Operation::Fma(..)
            | Operation::Sqrt(_)
            | Operation::Min(..)
            | Operation::Max(..)
            | Operation::Integral(..)
            | Operation::Unary(..)
            | Operation::Binary(..)
            | Operation::Call(_) => None,
        }
    }

    /// The factor of what is small in the difference of a value and the anchor of a family.
    fn related(&mut self, family: usize, place: usize) -> Option<Interval> {
        if let Some(known) = self.families[family].known.get(&place) {
            return *known;
        }
        if !self.families[family].comes_before(place) {
            return None;
        }
        let operation = self.operation(place)?;
        let found = match operation {
            Operation::Choose(by, x, y) => {
                let [x, y] = self.sides(by, x, y);
                // The value that is left first is known when the others are looked at.
                let (first, then) = if x.index() < y.index() { (x, y) } else { (y, x) };
                let first = self.related(family, first.index());
                first.and_then(|first| Some(first.hull(self.related(family, then.index())?)))
            }
            Operation::Add(x, y) => {
                self.shifted(family, x, y, 1.0).or_else(|| self.shifted(family, y, x, 1.0))
            }
            Operation::Sub(x, y) => self.shifted(family, x, y, -1.0),
            // Any other operation is compared with known ones of its kind.
            _ => None,
        };
        let found = found.or_else(|| {
            let members = self.families[family].order.iter();
            let partners: Vec<usize> = members.rev().take(PARTNERS).copied().collect();
            partners.into_iter().find_map(|partner| {
                let from = self.families[family].factor(partner)?;
                let by = self.paired(operation, partner, DEPTH)?;
                self.families[family].links.insert(place, (partner, by));
                Some(from + by)
            })
        });
        let members = &mut self.families[family];
        match found.filter(|_| !matches!(operation, Operation::Choose(..))) {
            Some(by) => members.learn(place, by),
            None => {
                members.known.insert(place, found);
            }
        }
        found
    }

    /// A member of a family, and a multiple.
    fn shifted(&mut self, family: usize, x: NodeId, by: NodeId, sign: f64) -> Option<Interval> {
        let known = self.related(family, x.index())?;
        Some(known + self.multiple(by.index())? * Interval::point(sign))
    }

    /// The factor in the difference of two values of the base family.
    fn in_base(&mut self, x: usize, y: usize) -> Option<Interval> {
        self.related(BASE, x.min(y))?;
        self.related(BASE, x.max(y))?;
        self.families[BASE].difference(x, y)
    }

    /// The factor in the difference of two values.
    fn difference(&mut self, x: NodeId, y: NodeId, depth: u32) -> Option<Interval> {
        if x == y {
            return Some(Interval::ZERO);
        }
        if let (Some(a), Some(b)) = (self.multiple(x.index()), self.multiple(y.index())) {
            return Some(a - b);
        }
        if let Some(known) = self.in_base(x.index(), y.index()) {
            return Some(known);
        }
        let operation = self.operation(x.index())?;
        (depth > 0).then(|| self.paired(operation, y.index(), depth - 1))?
    }

    /// The factor in the difference of an operation and another value, where that is the same
    /// operation on other operands.
    fn paired(&mut self, operation: Operation, other: usize, depth: u32) -> Option<Interval> {
        match (operation, self.operation(other)?) {
            (Operation::Add(p, q), Operation::Add(r, s)) => {
                Some(self.difference(p, r, depth)? + self.difference(q, s, depth)?)
            }
            (Operation::Sub(p, q), Operation::Sub(r, s)) => {
                Some(self.difference(p, r, depth)? - self.difference(q, s, depth)?)
            }
            (Operation::Neg(p), Operation::Neg(r)) => Some(-self.difference(p, r, depth)?),
            (Operation::Convert(p), Operation::Convert(r)) => self.difference(p, r, depth),
            (Operation::Mul(p, q), Operation::Mul(r, s)) => {
                let (first, second) =
                    (self.difference(p, r, depth)?, self.difference(q, s, depth)?);
                Some(first * self.real(q)? + second * self.real(r)?)
            }
            (Operation::Div(p, q), Operation::Div(r, s)) => {
                let (first, second) =
                    (self.difference(p, r, depth)?, self.difference(q, s, depth)?);
                let (q, s) = (self.real(q)?, self.real(s)?);
                if q.contains(0.0) || s.contains(0.0) {
                    return None;
                }
                let by_divisor = if second == Interval::ZERO {
                    Interval::ZERO
                } else {
                    second * (self.real(r)? / (q * s))
                };
                Some(first / q - by_divisor)
            }
            (Operation::Sqrt(p), Operation::Sqrt(r)) => {
                let inner = self.difference(p, r, depth)?;
                let sum = self.real(p)?.sqrt() + self.real(r)?.sqrt();
                (sum.lo > 0.0).then(|| inner / sum)
            }
            (Operation::Unary(f, p), Operation::Unary(g, r)) if f == g => {
                let inner = self.difference(p, r, depth)?;
                let slope = f.slope(self.real(p)?.hull(self.real(r)?));
                slope.is_finite().then(|| inner * slope)
            }
            (_, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_compared_in_a_circle_end() {
        let mut family = Family::default();
        for place in [3, 5, 7] {
            family.learn(place, Interval::point(place as f64));
        }
        let by = Interval::point(1.0);
        family.links.insert(5, (7, by));
        family.links.insert(7, (5, by));
        assert_eq!(family.difference(5, 7), Some(by));
        // No chain leads there: the factors themselves tell.
        assert_eq!(family.difference(5, 3).map(|by| by.contains(2.0)), Some(true));
    }
}
