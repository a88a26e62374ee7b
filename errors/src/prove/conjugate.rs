//! Differences with square roots, by the conjugate: `p - sqrt(y) = (p p - y) / (p + sqrt(y))`.
//!
//! Where the root is near `p`, intervals and affine forms of the two sides say little about the
//! sign and the size of the difference, and with that about its relative error. In the numerator
//! equal terms cancel: for `sqrt(b b - 4 a c) - b` it is `-4 a c`.

use crate::graph::tape::{Action, Tape};
use crate::graph::{NodeId, Operation};
use crate::interval::Interval;
use crate::prove::facts::Facts;
use crate::prove::form::Form;
use std::collections::BTreeMap;

/// How deep sums are taken apart.
const DEPTH: u32 = 6;

/// Encloses the real value of a sum or a difference with a square root. None: it is no such
/// difference, or nothing is gained.
pub fn difference<const N: usize>(
    tape: &Tape,
    facts: &[Facts<N>],
    operation: Operation,
) -> Option<Interval> {
    let operation_of = |id: NodeId| match tape.steps[id.index()].action {
        Action::Operation(operation) => Some(operation),
        Action::Input(_) | Action::Constant(_) => None,
    };
    // The value is `p - q`.
    let (p, q) = match operation {
        Operation::Sub(p, q) => (p, q),
        Operation::Add(p, q) => match (operation_of(p), operation_of(q)) {
            (_, Some(Operation::Neg(q))) => (p, q),
            (Some(Operation::Neg(p)), _) => (q, p),
            (_, _) => return None,
        },
        // Any other operation is no difference.
        _ => return None,
    };
    let under_root = |id: NodeId| match operation_of(id) {
        Some(Operation::Sqrt(y)) => Some(y),
        _ => None,
    };
    let roots = [under_root(p), under_root(q)];
    if roots == [None; 2] {
        return None;
    }
    let (left, right) = (facts[p.index()].real, facts[q.index()].real);
    // Without cancellation there is nothing to gain.
    if !(left - right).contains(0.0) {
        return None;
    }
    let denominator = left + right;
    if denominator.contains(0.0) || !denominator.is_finite() {
        return None;
    }
    let mut numerator = Terms { tape, sum: BTreeMap::new(), squares: Vec::new() };
    numerator.add_square(p, roots[0], 1.0);
    numerator.add_square(q, roots[1], -1.0);
    let value = numerator.cancelled().real(facts) / denominator;
    value.is_finite().then_some(value)
}

/// A sum of places with whole coefficients, and of squares of places.
struct Terms<'t> {
    tape: &'t Tape,
    sum: BTreeMap<usize, f64>,
    squares: Vec<(usize, f64)>,
}

impl Terms<'_> {
    fn add_square(&mut self, id: NodeId, under_root: Option<NodeId>, sign: f64) {
        match under_root {
            Some(y) => self.add(y.index(), sign, DEPTH),
            None => self.squares.push((id.index(), sign)),
        }
    }

    fn add(&mut self, place: usize, sign: f64, depth: u32) {
        let operation = match self.tape.steps[place].action {
            Action::Operation(operation) if depth > 0 => operation,
            Action::Operation(_) | Action::Input(_) | Action::Constant(_) => {
                *self.sum.entry(place).or_insert(0.0) += sign;
                return;
            }
        };
        match operation {
            Operation::Add(a, b) => {
                self.add(a.index(), sign, depth - 1);
                self.add(b.index(), sign, depth - 1);
            }
            Operation::Sub(a, b) => {
                self.add(a.index(), sign, depth - 1);
                self.add(b.index(), -sign, depth - 1);
            }
            Operation::Neg(a) => self.add(a.index(), -sign, depth - 1),
            Operation::Convert(a) => self.add(a.index(), sign, depth - 1),
            // Any other operation is a term.
            _ => *self.sum.entry(place).or_insert(0.0) += sign,
        }
    }

    /// Takes squares and the products that are the same number together.
    fn cancelled(mut self) -> Self {
        let tape = self.tape;
        let is_square = |place: usize, of: usize| match tape.steps[place].action {
            Action::Operation(Operation::Mul(a, b)) => a == b && a.index() == of,
            Action::Operation(_) | Action::Input(_) | Action::Constant(_) => false,
        };
        let sum = &mut self.sum;
        self.squares.retain(|&(of, sign)| {
            match sum.iter_mut().find(|(place, _)| is_square(**place, of)) {
                Some((_, known)) => {
                    *known += sign;
                    false
                }
                None => true,
            }
        });
        self
    }

    fn real<const N: usize>(&self, facts: &[Facts<N>]) -> Interval {
        let (mut interval, mut form) = (Interval::ZERO, Form::<N>::ZERO);
        for (&place, &factor) in self.sum.iter().filter(|(_, factor)| **factor != 0.0) {
            interval = interval + facts[place].real * Interval::point(factor);
            form = form + facts[place].form.scaled(factor);
        }
        for &(place, sign) in &self.squares {
            interval = interval + facts[place].real.square() * Interval::point(sign);
            form = form + facts[place].form.times(&facts[place].form).scaled(sign);
        }
        interval.narrowed(form.range())
    }
}
