//! Choices as they are put into a graph.
//!
//! A choice between the results of one operation is that operation on a choice between operands:
//! `c ? s + p : s + q` is `s + (c ? p : q)`, in floats as in reals, and `c ? s + p : s` is
//! `s + (c ? p : 0)`. So a sum with a branch in its loop stays a sum, whose errors are carried on
//! once. The lesser, the greater, the absolute value and a clamp are operations of their own: they
//! are continuous, and no error is made where the computations choose differently.

use crate::graph::{Comparison, Graph, InputError, NodeId, Operation, Precision, Relation};
use nanoscope_ieee::{Float, Rational};
use num_traits::{One, Signed, Zero};
use std::collections::HashMap;

/// How deep operations are taken apart.
const DEPTH: u32 = 6;
/// How deep a guarded value is looked through for what is guarded.
const GUARDED: u32 = 8;

impl Graph {
    /// `a` where the comparison holds, else `b`: both of one precision.
    pub fn choose(
        &mut self,
        comparison: Comparison,
        a: NodeId,
        b: NodeId,
        precision: Precision,
        tag: u32,
    ) -> NodeId {
        Choice { graph: self, precision, tag }.between(comparison, a, b, DEPTH)
    }
}

impl Graph {
    /// The comparison that a comparison comes down to, where it asks which of two constants was
    /// chosen.
    pub fn plainly(&self, comparison: Comparison) -> Comparison {
        let value = |node: NodeId| match self.node(node).operation {
            Operation::Constant(place) => Some(&self.constants()[place as usize]),
            _ => None,
        };
        let Comparison { left, relation, right } = comparison;
        let asked = |chosen: NodeId, holds: &dyn Fn(&Rational) -> bool| {
            let Operation::Choose(by, a, b) = self.node(chosen).operation else { return None };
            match (holds(value(a)?), holds(value(b)?)) {
                (true, false) => Some(by),
                (false, true) => Some(by.negated()),
                (_, _) => None,
            }
        };
        let found = match (value(left), value(right)) {
            (None, Some(right)) => asked(left, &|left| relation.holds(left, right)),
            (Some(left), None) => asked(right, &|right| relation.holds(left, right)),
            (_, _) => None,
        };
        found.map_or(comparison, |by| self.plainly(by))
    }
}

struct Choice<'g> {
    graph: &'g mut Graph,
    precision: Precision,
    tag: u32,
}

impl Choice<'_> {
    fn between(&mut self, comparison: Comparison, a: NodeId, b: NodeId, depth: u32) -> NodeId {
        if a == b {
            return a;
        }
        let (comparison, a, b) = match comparison.relation {
            Relation::NotEqual => (comparison.negated(), b, a),
            Relation::Less | Relation::LessEqual | Relation::Equal => (comparison, a, b),
        };
        let (a, b) = (self.guarded(comparison, a), self.guarded(comparison.negated(), b));
        let opposite = comparison.negated();
        if let Some(known) =
            self.continuous(comparison, a, b).or_else(|| self.continuous(opposite, b, a))
        {
            return known;
        }
        if depth > 0
            && let Some(known) = self.hoisted(comparison, a, b, depth - 1)
        {
            return known;
        }
        self.add(Operation::Choose(comparison, a, b))
    }

    /// A value that is chosen where a comparison holds: where that says that a number is at least
    /// a constant, roots, logarithms and divisors of the number are those of the greater of both.
    /// That is the same there, and defined elsewhere.
    fn guarded(&mut self, by: Comparison, value: NodeId) -> NodeId {
        let Some((x, low)) = self.at_least(by) else { return value };
        let mut known = HashMap::new();
        self.replaced(value, x, low, GUARDED, &mut known)
    }

    /// The number that is at least a constant where a comparison holds, and the constant.
    fn at_least(&mut self, by: Comparison) -> Option<(NodeId, NodeId)> {
        let Comparison { left, relation, right } = by;
        match relation {
            Relation::Less | Relation::LessEqual => {
                let positive = self.constant(left).is_some_and(|low| !low.is_negative());
                positive.then_some((right, left))
            }
            Relation::NotEqual => {
                let zero = |node: NodeId| self.constant(node).is_some_and(Zero::is_zero);
                let x = match (zero(left), zero(right)) {
                    (true, _) => right,
                    (_, true) => left,
                    (false, false) => return None,
                };
                let precision = self.graph.node(x).precision;
                let format = precision.format().filter(|_| self.is_magnitude(x, DEPTH))?;
                let least = Float::smallest(format, false).to_rational()?;
                Some((x, self.graph.constant(least, precision, self.tag)))
            }
            Relation::Equal => None,
        }
    }

    /// Whether a node is the magnitude of floats that are given, without any error: then it is 0
    /// or no less than the smallest float, in both computations.
    fn is_magnitude(&self, node: NodeId, depth: u32) -> bool {
        let exact = |x: NodeId| match self.operation(x) {
            Operation::Input(input) => {
                let format = self.graph.node(x).precision.format();
                let input = &self.graph.inputs()[input as usize];
                format.is_some() && input.error == InputError::None
            }
            // Any other operation may round.
            _ => false,
        };
        match self.operation(node) {
            Operation::Abs(x) => exact(x),
            Operation::Max(p, q) | Operation::Min(p, q) if depth > 0 => {
                self.is_magnitude(p, depth - 1) && self.is_magnitude(q, depth - 1)
            }
            // Any other operation may be negative, or round.
            _ => false,
        }
    }

    fn replaced(
        &mut self,
        value: NodeId,
        x: NodeId,
        low: NodeId,
        depth: u32,
        known: &mut HashMap<NodeId, NodeId>,
    ) -> NodeId {
        if value <= x || depth == 0 || matches!(self.operation(value), Operation::Call(_)) {
            return value;
        }
        if let Some(known) = known.get(&value) {
            return *known;
        }
        let node = self.graph.node(value);
        let partial = match node.operation {
            Operation::Sqrt(a) | Operation::Unary(_, a) => a == x,
            Operation::Div(_, b) => b == x,
            // Any other operation is defined for all numbers.
            _ => false,
        };
        let mut changed = false;
        let operation = node.operation.map(|operand| {
            let new = if partial && operand == x {
                let precision = self.graph.node(x).precision;
                self.graph.operation(Operation::Max(x, low), precision, node.tag)
            } else {
                self.replaced(operand, x, low, depth - 1, known)
            };
            changed |= new != operand;
            new
        });
        let new = match changed {
            true => self.graph.operation(operation, node.precision, node.tag),
            false => value,
        };
        known.insert(value, new);
        new
    }

    fn add(&mut self, operation: Operation) -> NodeId {
        self.graph.operation(operation, self.precision, self.tag)
    }

    fn operation(&self, node: NodeId) -> Operation {
        self.graph.node(node).operation
    }

    /// The value of a constant.
    fn constant(&self, node: NodeId) -> Option<&Rational> {
        match self.operation(node) {
            Operation::Constant(place) => Some(&self.graph.constants()[place as usize]),
            _ => None,
        }
    }

    /// The lesser, the greater, the absolute value, and a value between two limits.
    fn continuous(&mut self, comparison: Comparison, a: NodeId, b: NodeId) -> Option<NodeId> {
        let Comparison { left, relation, right } = comparison;
        if !matches!(relation, Relation::Less | Relation::LessEqual) {
            return None;
        }
        if (a, b) == (left, right) {
            return Some(self.add(Operation::Min(left, right)));
        }
        if (a, b) == (right, left) {
            return Some(self.add(Operation::Max(left, right)));
        }
        let zero = |node: NodeId| self.constant(node).is_some_and(Zero::is_zero);
        let (x, negative) = match (zero(left), zero(right)) {
            (_, true) => (left, a),
            (true, _) => (right, b),
            (false, false) => return self.clamp(comparison, a, b),
        };
        let positive = if negative == a { b } else { a };
        if positive == x && self.operation(negative) == Operation::Neg(x) {
            return Some(self.add(Operation::Abs(x)));
        }
        if negative == x && self.operation(positive) == Operation::Neg(x) {
            let absolute = self.add(Operation::Abs(x));
            return Some(self.add(Operation::Neg(absolute)));
        }
        self.clamp(comparison, a, b)
    }

    /// `x < low ? low : min(x, high)`, and the same from above.
    fn clamp(&mut self, comparison: Comparison, a: NodeId, b: NodeId) -> Option<NodeId> {
        let Comparison { left, right, .. } = comparison;
        let of = |x: NodeId, p: NodeId, q: NodeId| match x {
            _ if x == p => Some(q),
            _ if x == q => Some(p),
            _ => None,
        };
        let lower = |low: NodeId, high: NodeId| Some(self.constant(low)? <= self.constant(high)?);
        if a == right
            && let Operation::Min(p, q) = self.operation(b)
        {
            let (x, low) = (left, right);
            let high = of(x, p, q)?;
            if lower(low, high)? {
                let risen = self.add(Operation::Max(x, low));
                return Some(self.add(Operation::Min(risen, high)));
            }
        }
        if a == left
            && let Operation::Max(p, q) = self.operation(b)
        {
            let (x, high) = (right, left);
            let low = of(x, p, q)?;
            if lower(low, high)? {
                let lowered = self.add(Operation::Min(x, high));
                return Some(self.add(Operation::Max(lowered, low)));
            }
        }
        None
    }

    /// The operation of both results on a choice between operands.
    fn hoisted(&mut self, by: Comparison, a: NodeId, b: NodeId, depth: u32) -> Option<NodeId> {
        let [same_a, same_b] = [a, b].map(|node| self.graph.node(node).precision == self.precision);
        if same_a
            && same_b
            && let Some(found) = self.one_operand(by, a, b, depth)
        {
            return Some(found);
        }
        if same_a && self.holds(a, b) {
            return self.with_neutral(by, a, b, true, depth);
        }
        if same_b && self.holds(b, a) {
            return self.with_neutral(by, b, a, false, depth);
        }
        None
    }

    /// Results of one operation that share all operands but one.
    fn one_operand(&mut self, by: Comparison, a: NodeId, b: NodeId, depth: u32) -> Option<NodeId> {
        use Operation::*;
        let operation = match (self.operation(a), self.operation(b)) {
            (Add(p, q), Add(r, s)) if p == r => Add(p, self.inner(by, q, s, depth)?),
            (Add(p, q), Add(r, s)) if q == s => Add(self.inner(by, p, r, depth)?, q),
            (Add(p, q), Add(r, s)) if p == s => Add(p, self.inner(by, q, r, depth)?),
            (Add(p, q), Add(r, s)) if q == r => Add(q, self.inner(by, p, s, depth)?),
            (Sub(p, q), Sub(r, s)) if p == r => Sub(p, self.inner(by, q, s, depth)?),
            (Sub(p, q), Sub(r, s)) if q == s => Sub(self.inner(by, p, r, depth)?, q),
            (Mul(p, q), Mul(r, s)) if p == r => Mul(p, self.inner(by, q, s, depth)?),
            (Mul(p, q), Mul(r, s)) if q == s => Mul(self.inner(by, p, r, depth)?, q),
            (Mul(p, q), Mul(r, s)) if p == s => Mul(p, self.inner(by, q, r, depth)?),
            (Mul(p, q), Mul(r, s)) if q == r => Mul(q, self.inner(by, p, s, depth)?),
            (Div(p, q), Div(r, s)) if q == s => Div(self.inner(by, p, r, depth)?, q),
            // A difference is a sum with the negative.
            (Add(p, q), Sub(r, s)) if p == r => Add(p, self.signed(by, q, s, depth)?),
            (Add(p, q), Sub(r, s)) if q == r => Add(q, self.signed(by, p, s, depth)?),
            (Sub(p, q), Add(r, s)) if p == r => Add(p, self.signed(by.negated(), s, q, depth)?),
            (Sub(p, q), Add(r, s)) if p == s => Add(p, self.signed(by.negated(), r, q, depth)?),
            (Neg(p), Neg(r)) => Neg(self.inner(by, p, r, depth)?),
            _ => return None,
        };
        Some(self.add(operation))
    }

    /// `a` where the comparison holds, else `-b`.
    fn signed(&mut self, by: Comparison, a: NodeId, b: NodeId, depth: u32) -> Option<NodeId> {
        let negative = self.add(Operation::Neg(b));
        self.inner(by, a, negative, depth)
    }

    /// Whether an operation is a sum, difference or product with another node in it.
    fn holds(&self, whole: NodeId, part: NodeId) -> bool {
        match self.operation(whole) {
            Operation::Add(p, q) | Operation::Mul(p, q) => p == part || q == part,
            Operation::Sub(p, _) | Operation::Div(p, _) => p == part,
            // Any other operation has no operand that leaves the first as it is.
            _ => false,
        }
    }

    /// A choice between an operation with `part` and `part` alone, which is the same operation
    /// with 0 or 1. `first`: the whole is chosen where the comparison holds.
    fn with_neutral(
        &mut self,
        by: Comparison,
        whole: NodeId,
        part: NodeId,
        first: bool,
        depth: u32,
    ) -> Option<NodeId> {
        let by = if first { by } else { by.negated() };
        let chosen = |run: &mut Self, other: NodeId, neutral: Rational| {
            let precision = run.graph.node(other).precision;
            if precision.format() != run.precision.format() {
                return None;
            }
            let neutral = run.graph.constant(neutral, precision, run.tag);
            run.inner(by, other, neutral, depth)
        };
        let operation = match self.operation(whole) {
            Operation::Add(p, q) if p == part => {
                Operation::Add(p, chosen(self, q, Rational::zero())?)
            }
            Operation::Add(p, q) => Operation::Add(chosen(self, p, Rational::zero())?, q),
            Operation::Sub(p, q) => Operation::Sub(p, chosen(self, q, Rational::zero())?),
            Operation::Mul(p, q) if p == part => {
                Operation::Mul(p, chosen(self, q, Rational::one())?)
            }
            Operation::Mul(p, q) => Operation::Mul(chosen(self, p, Rational::one())?, q),
            Operation::Div(p, q) => Operation::Div(p, chosen(self, q, Rational::one())?),
            // Any other operation has no operand that leaves the first as it is.
            _ => return None,
        };
        Some(self.add(operation))
    }

    /// A choice between operands of this precision.
    fn inner(&mut self, by: Comparison, a: NodeId, b: NodeId, depth: u32) -> Option<NodeId> {
        let format = |node: NodeId| self.graph.node(node).precision.format();
        (format(a) == self.precision.format() && format(b) == self.precision.format())
            .then(|| self.between(by, a, b, depth))
    }
}
