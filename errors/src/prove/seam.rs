//! How far two values are apart where two other numbers are nearly equal.
//!
//! At the seam of a choice `left` and `right` differ by no more than their errors. Both differences
//! are written as linear combinations of nodes: `a - b` less a multiple of `left - right` is what
//! is left to bound. For a clamp, a dead band or an absolute value that is next to nothing, however
//! the compared number was computed.

use crate::graph::tape::{Action, Tape};
use crate::graph::{Comparison, NodeId, Operation};
use crate::interval::add_up;
use crate::prove::choice::{Seam, decided};
use crate::prove::facts::{Facts, SPARE};
use crate::prove::form::Form;
use std::collections::BTreeMap;

/// How deep nodes are taken apart.
const DEPTH: u32 = 8;
/// Nodes of a combination, at most.
const TERMS: usize = 32;
/// Multiples of the compared difference that are tried.
const FACTORS: usize = 3;

/// Differences as linear combinations of nodes, on the way from the reals to the floats.
pub struct Combinations<'t, const N: usize> {
    pub tape: &'t Tape,
    pub facts: &'t [Facts<N>],
}

impl<const N: usize> Seam for Combinations<'_, N> {
    fn apart(&self, [left, right, a, b]: [NodeId; 4], width: f64) -> f64 {
        let Combinations { tape, facts } = *self;
        let difference = |x: NodeId, y: NodeId| {
            let mut made = Combination { tape, facts, terms: BTreeMap::new(), slack: 0.0 };
            made.add(x.index(), 1.0, DEPTH);
            made.add(y.index(), -1.0, DEPTH);
            made
        };
        let (results, compared) = (difference(a, b), difference(left, right));
        let (x, y) = (&facts[a.index()], &facts[b.index()]);
        let mut best = (x.range - y.range).magnitude().min(results.less(0.0, &compared, width));
        for factor in results.factors(&compared) {
            let bound = results.less(factor, &compared, width);
            best = if bound < best { bound } else { best };
        }
        best
    }
}

/// A sum of nodes with coefficients, and how far it may be off.
struct Combination<'t, const N: usize> {
    tape: &'t Tape,
    facts: &'t [Facts<N>],
    terms: BTreeMap<usize, f64>,
    slack: f64,
}

impl<const N: usize> Combination<'_, N> {
    /// Adds a multiple of a place, taken apart as far as it is linear.
    fn add(&mut self, place: usize, factor: f64, depth: u32) {
        let facts = &self.facts[place];
        if depth == 0 || facts.cut || self.terms.len() >= TERMS || !self.split(place, factor, depth)
        {
            let magnitude = facts.range.magnitude();
            let term = self.terms.entry(place).or_insert(0.0);
            let off = add_to(term, factor);
            self.loosen(off * magnitude);
        } else {
            // What is rounded off at this place.
            self.loosen(factor.abs() * facts.slip.magnitude() * SPARE);
        }
    }

    fn loosen(&mut self, more: f64) {
        self.slack = add_up(self.slack, more) * SPARE;
    }

    /// Adds the operands of a linear operation; false: it is none.
    fn split(&mut self, place: usize, factor: f64, depth: u32) -> bool {
        let Action::Operation(operation) = self.tape.steps[place].action else { return false };
        let depth = depth - 1;
        let range = |id: NodeId| self.facts[id.index()].range;
        match operation {
            Operation::Add(a, b) => {
                self.add(a.index(), factor, depth);
                self.add(b.index(), factor, depth);
            }
            Operation::Sub(a, b) => {
                self.add(a.index(), factor, depth);
                self.add(b.index(), -factor, depth);
            }
            Operation::Neg(a) => self.add(a.index(), -factor, depth),
            Operation::Convert(a) | Operation::Argument(a) => {
                self.add(a.index(), factor, depth);
            }
            Operation::Mul(a, b) => match (self.constant(a), self.constant(b)) {
                (Some(by), _) => self.add_scaled(b, factor, by, depth),
                (_, Some(by)) => self.add_scaled(a, factor, by, depth),
                (None, None) => return false,
            },
            Operation::Abs(a) if range(a).lo >= 0.0 => self.add(a.index(), factor, depth),
            Operation::Abs(a) if range(a).hi <= 0.0 => self.add(a.index(), -factor, depth),
            Operation::Min(a, b) | Operation::Max(a, b) => {
                let least = matches!(operation, Operation::Min(..));
                let chosen = match (range(a).hi <= range(b).lo, range(a).lo >= range(b).hi) {
                    (true, _) => {
                        if least {
                            a
                        } else {
                            b
                        }
                    }
                    (_, true) => {
                        if least {
                            b
                        } else {
                            a
                        }
                    }
                    (false, false) => return false,
                };
                self.add(chosen.index(), factor, depth);
            }
            Operation::Choose(Comparison { left, relation, right }, a, b) => {
                let of = |id: NodeId| &self.facts[id.index()];
                match decided(relation, of(left), of(right)) {
                    Some(first) => self.add(if first { a } else { b }.index(), factor, depth),
                    None => return false,
                }
            }
            Operation::Input(_)
            | Operation::Constant(_)
            | Operation::Div(..)
            | Operation::Fma(..)
            | Operation::Sqrt(_)
            | Operation::Abs(_)
            | Operation::Integral(..)
            | Operation::Unary(..)
            | Operation::Binary(..)
            | Operation::Call(_) => return false,
        }
        true
    }

    fn add_scaled(&mut self, id: NodeId, factor: f64, by: f64, depth: u32) {
        let (product, off) = product(factor, by);
        self.loosen(off * self.facts[id.index()].range.magnitude());
        self.add(id.index(), product, depth);
    }

    /// The value of a constant that is one number in both computations.
    fn constant(&self, id: NodeId) -> Option<f64> {
        match self.tape.steps[id.index()].action {
            Action::Constant(constant) => {
                let value = constant.real.lo;
                let one = constant.real.hi == value && constant.float == constant.real;
                one.then_some(value)
            }
            Action::Input(_) | Action::Operation(_) => None,
        }
    }

    /// Multiples of another combination that take a term or a symbol away.
    fn factors(&self, other: &Combination<N>) -> Vec<f64> {
        let mut weighty: Vec<(f64, f64)> = other
            .terms
            .iter()
            .filter_map(|(place, by)| {
                let ratio = self.terms.get(place)? / by;
                Some((by.abs() * self.facts[*place].range.width(), ratio))
            })
            .collect();
        weighty.sort_by(|a, b| b.0.total_cmp(&a.0));
        weighty.truncate(FACTORS);
        let mut factors: Vec<f64> = weighty.into_iter().map(|(_, ratio)| ratio).collect();
        let (mine, theirs) = (self.form(&self.terms), other.form(&other.terms));
        let steep = |j: &usize| theirs.slopes[*j].abs();
        if let Some(j) = (0..N).max_by(|i, j| steep(i).total_cmp(&steep(j))) {
            factors.push(mine.slopes[j] / theirs.slopes[j]);
        }
        factors.retain(|factor| factor.is_finite() && *factor != 0.0);
        factors
    }

    /// Bounds this where another combination is at most `width` large: this less a multiple of
    /// the other, and the multiple.
    fn less(&self, factor: f64, other: &Combination<N>, width: f64) -> f64 {
        let mut terms = self.terms.clone();
        let mut slack = self.slack;
        if factor != 0.0 {
            for (place, by) in &other.terms {
                let (product, off) = product(factor, *by);
                let more = add_to(terms.entry(*place).or_insert(0.0), -product);
                let magnitude = self.facts[*place].range.magnitude();
                slack = add_up(slack, (off + more) * magnitude) * SPARE;
            }
            slack = add_up(slack, factor.abs() * (other.slack + width)) * SPARE;
        }
        let bound = add_up(self.form(&terms).range().magnitude(), slack);
        if bound.is_nan() { f64::INFINITY } else { bound }
    }

    fn form(&self, terms: &BTreeMap<usize, f64>) -> Form<N> {
        terms
            .iter()
            .filter(|(_, by)| **by != 0.0)
            .fold(Form::ZERO, |sum, (place, by)| sum + self.facts[*place].form.scaled(*by))
    }
}

/// Adds to a coefficient, and says how far the sum is off.
fn add_to(term: &mut f64, more: f64) -> f64 {
    let sum = *term + more;
    let back = sum - *term;
    let off = (*term - (sum - back)) + (more - back);
    *term = sum;
    off.abs()
}

/// A product and how far it is off.
fn product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let off = a.mul_add(b, -product).abs();
    // The difference itself may underflow.
    (product, if a == 0.0 || b == 0.0 { 0.0 } else { off + f64::MIN_POSITIVE })
}
