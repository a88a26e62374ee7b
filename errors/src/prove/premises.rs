//! What holds of the runs that a bound is about, beside the box of inputs: the conditions of the
//! way that is taken and the assumptions. Each narrows what is known of nodes.
//!
//! A comparison narrows the nodes that it compares. One of real numbers narrows also every node
//! that is, in real numbers, a linear function of the difference that is compared: `a < b + c`
//! says that `c - (a - b)` is positive. Assumptions may also say together that one input is at most
//! twice another and the other way round: then their difference is exact (Sterbenz).

use crate::graph::tape::{Action, Step, Tape, enclose};
use crate::graph::{Comparison, Enclosure, InputError, NodeId, Operation, Relation};
use crate::interval::Interval;
use nanoscope_ieee::Rational;
use num_traits::{Signed, Zero};
use std::collections::{BTreeMap, HashMap, HashSet};

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
    exact: HashSet<usize>,
}

impl Premises {
    /// What is known of a place.
    pub fn of(&self, place: usize) -> &[Premise] {
        self.by_place.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Whether the difference at a place is a float.
    pub fn is_exact(&self, place: usize) -> bool {
        self.exact.contains(&place)
    }

    /// Adds where float values lie; nodes that the tape does not have do not matter.
    pub fn enclose(&mut self, tape: &Tape, enclosed: &[Enclosure]) {
        for Enclosure { node, low, high } in enclosed {
            if let Some(place) = tape.find(*node) {
                self.add(place, World::Float, Limit::Within(Interval { lo: *low, hi: *high }));
            }
        }
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
/// Assumptions that are taken together, at most, and those that are looked through.
const TOGETHER: u32 = 3;
const ASSUMED: usize = 12;

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
        self.ordered(comparisons, world, &mut made);
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

    /// The signs of differences of numbers that comparisons order, one after the other.
    fn ordered(&self, comparisons: &[Comparison], world: World, made: &mut Premises) {
        let mut above: HashMap<usize, Vec<usize>> = HashMap::new();
        for Comparison { left, relation, right } in comparisons {
            let (left, right) = (self.tape.place(*left), self.tape.place(*right));
            if *relation != Relation::NotEqual {
                above.entry(left).or_default().push(right);
            }
            if *relation == Relation::Equal {
                above.entry(right).or_default().push(left);
            }
        }
        let is_below = |low: usize, high: usize| {
            let (mut seen, mut pending) = (HashSet::from([low]), vec![low]);
            while let Some(at) = pending.pop() {
                let next = above.get(&at).into_iter().flatten().copied();
                pending.extend(next.filter(|next| seen.insert(*next)));
            }
            low != high && seen.contains(&high)
        };
        for (place, step) in self.tape.steps.iter().enumerate().take(STEPS) {
            let Action::Operation(Operation::Sub(a, b)) = step.action else { continue };
            if step.model.is_some() || above.is_empty() {
                continue;
            }
            if is_below(a.index(), b.index()) {
                let negative = Interval { lo: f64::NEG_INFINITY, hi: 0.0 };
                made.add(place, world, Limit::Within(negative));
            } else if is_below(b.index(), a.index()) {
                made.add(place, world, Limit::Within(Interval { lo: 0.0, hi: f64::INFINITY }));
            }
        }
    }

    /// What assumptions say of the real inputs.
    pub fn assumed(&self, comparisons: &[Comparison]) -> Premises {
        let mut made = self.make(comparisons, World::Real);
        let of = |place: usize| self.linear.iter().find(|(at, _)| *at == place).map(|(_, l)| l);
        // Each is `right - left`, which is not negative.
        let mut positive = Vec::new();
        for Comparison { left, relation, right } in comparisons {
            let sides = of(self.tape.place(*left)).zip(of(self.tape.place(*right)));
            let Some((left, right)) = sides else { continue };
            let minus = -Rational::from_integer(1.into());
            match relation {
                Relation::Less | Relation::LessEqual => positive.extend(right.plus(left, &minus)),
                Relation::Equal => {
                    positive.extend(right.plus(left, &minus));
                    positive.extend(left.plus(right, &minus));
                }
                Relation::NotEqual => {}
            }
        }
        positive.truncate(ASSUMED);
        for (place, step) in self.tape.steps.iter().enumerate() {
            let Action::Operation(Operation::Sub(a, b)) = step.action else { continue };
            if step.model.is_none()
                && let (Some(a), Some(b)) = (self.float_input(a, step), self.float_input(b, step))
                && self.follows(&twice_less(a, b), &positive)
                && self.follows(&twice_less(b, a), &positive)
            {
                made.exact.insert(place);
            }
        }
        made
    }

    /// The input at a place, if it is a float that is meant as it is, of the format of a step.
    fn float_input(&self, id: NodeId, step: &Step) -> Option<u32> {
        let Action::Input(input) = self.tape.steps[id.index()].action else { return None };
        let exact = self.tape.inputs[input as usize].error == InputError::None;
        let same = step.grid.is_some() && self.tape.steps[id.index()].grid == step.grid;
        (exact && same).then_some(input)
    }

    /// Whether a linear function of the inputs is not negative where some others are not: less the
    /// sum of a few of these, it is not on the whole box.
    fn follows(&self, linear: &Linear, positive: &[Linear]) -> bool {
        let minus = -Rational::from_integer(1.into());
        let subsets = 0u32..1 << positive.len();
        subsets.filter(|subset| subset.count_ones() <= TOGETHER).any(|subset| {
            let chosen = (0..positive.len()).filter(|at| subset >> at & 1 == 1);
            let rest = chosen
                .map(|at| &positive[at])
                .try_fold(linear.clone(), |rest, one| rest.plus(one, &minus));
            rest.and_then(|rest| rest.least(self.tape)).is_some_and(|least| !least.is_negative())
        })
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
            let Some((factor, [low, high])) = node.in_terms_of(&difference) else { continue };
            let end = Interval { lo: enclose(&low).lo, hi: enclose(&high).hi };
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
    /// The constant lies between these.
    constant: [Rational; 2],
}

/// Twice an input less another.
fn twice_less(a: u32, b: u32) -> Linear {
    let whole = |n: i64| Rational::from_integer(n.into());
    let mut terms = BTreeMap::from([(a, whole(2))]);
    *terms.entry(b).or_insert_with(Rational::zero) -= whole(1);
    Linear { terms, constant: [Rational::zero(), Rational::zero()] }
}

impl Linear {
    fn of(action: &Action, known: &[Option<Linear>]) -> Option<Linear> {
        let one = || Rational::from_integer(1.into());
        let operation = match action {
            Action::Input(input) => {
                let terms = BTreeMap::from([(*input, one())]);
                return Some(Linear { terms, constant: [Rational::zero(), Rational::zero()] });
            }
            Action::Constant(constant) => {
                let Interval { lo, hi } = constant.real;
                let constant = [Rational::from_float(lo)?, Rational::from_float(hi)?];
                return Some(Linear { terms: BTreeMap::new(), constant });
            }
            Action::Operation(operation) => *operation,
        };
        let of = |id: NodeId| known[id.index()].as_ref();
        match operation {
            Operation::Add(a, b) => of(a)?.plus(of(b)?, &one()),
            Operation::Sub(a, b) => of(a)?.plus(of(b)?, &-one()),
            Operation::Neg(a) => Some(of(a)?.scaled(&-one())),
            Operation::Convert(a) => of(a).cloned(),
            Operation::Mul(a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                match (a.number(), b.number()) {
                    (Some(factor), _) => Some(b.scaled(factor)),
                    (_, Some(factor)) => Some(a.scaled(factor)),
                    (None, None) => None,
                }
            }
            Operation::Div(a, b) => {
                let divisor = of(b)?.number().filter(|divisor| !divisor.is_zero())?;
                of(a).map(|a| a.scaled(&divisor.recip()))
            }
            // Any other operation is not linear in its operands.
            _ => None,
        }
    }

    fn scaled(&self, factor: &Rational) -> Linear {
        let mut terms: BTreeMap<u32, Rational> =
            self.terms.iter().map(|(input, term)| (*input, term * factor)).collect();
        terms.retain(|_, term| !term.is_zero());
        Linear { terms, constant: multiple(&self.constant, factor) }
    }

    /// The number that it is.
    fn number(&self) -> Option<&Rational> {
        let [low, high] = &self.constant;
        (self.terms.is_empty() && low == high).then_some(low)
    }

    /// The least value over all inputs.
    fn least(&self, tape: &Tape) -> Option<Rational> {
        let mut least = self.constant[0].clone();
        for (input, factor) in &self.terms {
            let range = tape.inputs[*input as usize].range;
            let end = if factor.is_positive() { range.lo } else { range.hi };
            least += factor * Rational::from_float(end)?;
        }
        Some(least)
    }

    fn plus(&self, other: &Linear, factor: &Rational) -> Option<Linear> {
        let mut sum = self.clone();
        for (input, term) in &other.terms {
            *sum.terms.entry(*input).or_insert_with(Rational::zero) += term * factor;
        }
        sum.terms.retain(|_, term| !term.is_zero());
        for (mine, theirs) in sum.constant.iter_mut().zip(multiple(&other.constant, factor)) {
            *mine += theirs;
        }
        (sum.terms.len() <= TERMS).then_some(sum)
    }

    /// `factor * other + rest`, if it is that with a factor that is not 0.
    fn in_terms_of(&self, other: &Linear) -> Option<(Rational, [Rational; 2])> {
        let (input, term) = other.terms.first_key_value()?;
        let factor = self.terms.get(input)? / term;
        let same = self.terms.len() == other.terms.len()
            && other.terms.iter().all(|(input, term)| {
                self.terms.get(input).is_some_and(|mine| *mine == term * &factor)
            });
        let [low, high] = multiple(&other.constant, &factor);
        let rest = [&self.constant[0] - high, &self.constant[1] - low];
        same.then_some((factor, rest))
    }
}

/// A multiple of what lies between two numbers.
fn multiple([low, high]: &[Rational; 2], factor: &Rational) -> [Rational; 2] {
    let ends = [low * factor, high * factor];
    if factor.is_negative() {
        let [low, high] = ends;
        [high, low]
    } else {
        ends
    }
}
