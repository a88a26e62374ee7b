//! Real values computed again where one of them is known better than on the whole box.

use crate::functions::Enclosed;
use crate::graph::tape::{Action, Tape};
use crate::graph::{NodeId, Operation};
use crate::interval::Interval;
use crate::prove::choice::decided;
use crate::prove::facts::Facts;
use std::collections::HashMap;

/// Values that are computed again, at most.
const VISITS: usize = 500;

/// Encloses real values where the value at a place lies in an interval.
pub struct Within<'t, const N: usize> {
    tape: &'t Tape,
    facts: &'t [Facts<N>],
    place: usize,
    known: HashMap<usize, Interval>,
}

impl<'t, const N: usize> Within<'t, N> {
    /// The values where that at `place` lies in `limit`.
    pub fn new(tape: &'t Tape, facts: &'t [Facts<N>], place: usize, limit: Interval) -> Self {
        let narrowed = facts[place].real.narrowed(limit);
        Within { tape, facts, place, known: HashMap::from([(place, narrowed)]) }
    }

    /// The real value at a place.
    pub fn value(&mut self, place: usize) -> Interval {
        if place < self.place {
            return self.facts[place].real;
        }
        if let Some(known) = self.known.get(&place) {
            return *known;
        }
        let whole = self.facts[place].real;
        let value = match self.tape.steps[place].action {
            Action::Operation(operation) if self.known.len() < VISITS => {
                self.operation(operation).map_or(whole, |value| whole.narrowed(value))
            }
            Action::Operation(_) | Action::Input(_) | Action::Constant(_) => whole,
        };
        self.known.insert(place, value);
        value
    }

    /// None: the operation is not computed again.
    fn operation(&mut self, operation: Operation) -> Option<Interval> {
        let mut of = |id: NodeId| self.value(id.index());
        Some(match operation {
            Operation::Add(a, b) => of(a) + of(b),
            Operation::Sub(a, b) => of(a) - of(b),
            Operation::Mul(a, b) if a == b => of(a).square(),
            Operation::Mul(a, b) => of(a) * of(b),
            Operation::Div(a, b) => {
                let (a, b) = (of(a), of(b));
                if b.contains(0.0) {
                    return None;
                }
                a / b
            }
            Operation::Fma(a, b, c) => of(a) * of(b) + of(c),
            Operation::Sqrt(a) => of(a).meet(Interval { lo: 0.0, hi: f64::INFINITY })?.sqrt(),
            Operation::Neg(a) => -of(a),
            Operation::Abs(a) => of(a).abs(),
            Operation::Min(a, b) => of(a).min(of(b)),
            Operation::Max(a, b) => of(a).max(of(b)),
            Operation::Convert(a) | Operation::Argument(a) => of(a),
            Operation::Unary(function, a) => function.value(of(a)),
            Operation::Choose(by, a, b) => {
                let facts = |id: NodeId| &self.facts[id.index()];
                match decided(by.relation, facts(by.left), facts(by.right)) {
                    Some(true) => self.value(a.index()),
                    Some(false) => self.value(b.index()),
                    None => self.value(a.index()).hull(self.value(b.index())),
                }
            }
            Operation::Input(_)
            | Operation::Constant(_)
            | Operation::Integral(..)
            | Operation::Binary(..)
            | Operation::Call(_) => return None,
        })
    }
}
