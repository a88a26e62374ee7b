//! What holds of the runs that a bound is about, beside the box of inputs: the conditions of the
//! way that is taken and the assumptions. Each narrows what is known of nodes.
//!
//! A comparison narrows the nodes that it compares. One of real numbers narrows also every node
//! that is, in real numbers, a linear function of the difference that is compared: `a < b + c`
//! says that `c - (a - b)` is positive.

use crate::graph::{Comparison, Operation, Relation};
use crate::interval::Interval;
use crate::tape::{Action, Tape, enclose};
use nanoscope_ieee::Rational;
use num_traits::{Signed, Zero};
use std::collections::{BTreeMap, HashMap};

/// Which of the two computations is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// The computation in real numbers.
    Real,
    /// The computation in floats.
    Float,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
pub struct Premise {
    /// In which computation.
    pub world: World,
    /// What its value lies in.
    pub limit: Limit,
}

/// Where a value lies.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// In an interval.
    Within(Interval),
    /// At most as large as the value at a place.
    AtMost(usize),
    /// At least as large as the value at a place.
    AtLeast(usize),
}

/// Premises by the places that they narrow.
#[derive(Clone, Debug, Default)]
pub struct Premises {
    by_place: HashMap<usize, Vec<Premise>>,
}

impl Premises {
    /// What is known of a place.
    pub fn of(&self, place: usize) -> &[Premise] {
        self.by_place.get(&place).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, place: usize, world: World, limit: Limit) {
        self.by_place.entry(place).or_default().push(Premise { world, limit });
    }
}

/// Makes premises of comparisons on a tape.
pub struct Maker<'t> {
    tape: &'t Tape,
    /// The nodes that are linear in the inputs.
    linear: Vec<(usize, Linear)>,
}

/// Tapes up to this length are looked through for linear nodes.
const STEPS: usize = 4_000;
/// Inputs of a linear node, at most.
const TERMS: usize = 12;

impl<'t> Maker<'t> {
    /// Looks through a tape.
    pub fn new(tape: &'t Tape) -> Maker<'t> {
        let mut linear: Vec<Option<Linear>> = Vec::new();
        if tape.steps.len() <= STEPS {
            for step in &tape.steps {
                linear.push(Linear::of(&step.action, &linear));
            }
        }
        let linear = linear.into_iter().enumerate();
        Maker { tape, linear: linear.filter_map(|(at, one)| Some((at, one?))).collect() }
    }

    /// What comparisons say that hold in one of the computations.
    pub fn make(&self, comparisons: &[Comparison], world: World) -> Premises {
        let mut made = Premises::default();
        for comparison in comparisons {
            let left = self.tape.place(comparison.left);
            let right = self.tape.place(comparison.right);
            match comparison.relation {
                Relation::NotEqual => continue,
                Relation::Less | Relation::LessEqual => {
                    self.at_most(left, right, world, &mut made);
                }
                Relation::Equal => {
                    self.at_most(left, right, world, &mut made);
                    self.at_most(right, left, world, &mut made);
                }
            }
            if world == World::Real {
                self.implied(left, right, comparison.relation, &mut made);
            }
        }
        made
    }

    fn at_most(&self, left: usize, right: usize, world: World, made: &mut Premises) {
        // What is compared with must be known when the node is looked at.
        let known = |other: usize, place: usize| {
            other < place || !matches!(self.tape.steps[other].action, Action::Operation(_))
        };
        if known(right, left) {
            made.add(left, world, Limit::AtMost(right));
        }
        if known(left, right) {
            made.add(right, world, Limit::AtLeast(left));
        }
    }

    /// `left - right` is at most 0, or equal to it: what follows of linear nodes.
    fn implied(&self, left: usize, right: usize, relation: Relation, made: &mut Premises) {
        let of = |place: usize| self.linear.iter().find(|(at, _)| *at == place).map(|(_, l)| l);
        let (Some(a), Some(b)) = (of(left), of(right)) else { return };
        let Some(difference) = a.plus(b, &-Rational::from_integer(1.into())) else { return };
        for (place, node) in &self.linear {
            let Some((factor, rest)) = node.in_terms_of(&difference) else { continue };
            let end = enclose(&rest);
            let within = match relation {
                Relation::Equal => end,
                _ if factor.is_positive() => Interval { lo: f64::NEG_INFINITY, hi: end.hi },
                _ => Interval { lo: end.lo, hi: f64::INFINITY },
            };
            made.add(*place, World::Real, Limit::Within(within));
        }
    }
}

/// A linear function of the inputs.
#[derive(Clone, Debug, PartialEq)]
struct Linear {
    terms: BTreeMap<u32, Rational>,
    constant: Rational,
}

impl Linear {
    fn of(action: &Action, known: &[Option<Linear>]) -> Option<Linear> {
        let one = || Rational::from_integer(1.into());
        let operation = match action {
            Action::Input(input) => {
                let terms = BTreeMap::from([(*input, one())]);
                return Some(Linear { terms, constant: Rational::zero() });
            }
            Action::Constant(constant) => {
                // Only constants that are known exactly.
                let Interval { lo, hi } = constant.real;
                let constant = if lo == hi { Rational::from_float(lo)? } else { return None };
                return Some(Linear { terms: BTreeMap::new(), constant });
            }
            Action::Operation(operation) => *operation,
        };
        let of = |id: crate::graph::NodeId| known[id.index()].as_ref();
        match operation {
            Operation::Add(a, b) => of(a)?.plus(of(b)?, &one()),
            Operation::Sub(a, b) => of(a)?.plus(of(b)?, &-one()),
            Operation::Neg(a) => Some(of(a)?.scaled(&-one())),
            Operation::Convert(a) => of(a).cloned(),
            Operation::Mul(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                match (a.terms.is_empty(), b.terms.is_empty()) {
                    (true, _) => Some(b.scaled(&a.constant)),
                    (_, true) => Some(a.scaled(&b.constant)),
                    (false, false) => None,
                }
            }
            Operation::Div(a, b) => {
                let b = of(b)?;
                let divides = b.terms.is_empty() && !b.constant.is_zero();
                divides.then(|| of(a).map(|a| a.scaled(&b.constant.recip())))?
            }
            // Any other operation is not linear in its operands.
            _ => None,
        }
    }

    fn scaled(&self, factor: &Rational) -> Linear {
        let mut terms: BTreeMap<u32, Rational> =
            self.terms.iter().map(|(input, term)| (*input, term * factor)).collect();
        terms.retain(|_, term| !term.is_zero());
        Linear { terms, constant: &self.constant * factor }
    }

    fn plus(&self, other: &Linear, factor: &Rational) -> Option<Linear> {
        let mut sum = self.clone();
        for (input, term) in &other.terms {
            *sum.terms.entry(*input).or_insert_with(Rational::zero) += term * factor;
        }
        sum.terms.retain(|_, term| !term.is_zero());
        sum.constant += &other.constant * factor;
        (sum.terms.len() <= TERMS).then_some(sum)
    }

    /// `factor * other + rest`, if it is that with a factor that is not 0.
    fn in_terms_of(&self, other: &Linear) -> Option<(Rational, Rational)> {
        let (input, term) = other.terms.first_key_value()?;
        let factor = self.terms.get(input)? / term;
        let same = self.terms.len() == other.terms.len()
            && other.terms.iter().all(|(input, term)| {
                self.terms.get(input).is_some_and(|mine| *mine == term * &factor)
            });
        let rest = &self.constant - &other.constant * &factor;
        same.then_some((factor, rest))
    }
}
