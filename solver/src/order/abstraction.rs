//! A query with variables in the place of costly operations.

use super::lemmas::lemmas;
use super::pairs::PAIRS;
use super::say::{Known, Say, at_most, less};
use crate::propagate::Domain;
use crate::query::Query;
use nanoscope_ieee::{Operation, Word, operations};
use nanoscope_term::{BitsOp, Model, Op, Sort, Term, Terms, op_heads};
use std::collections::{BTreeMap, HashMap};

/// An operation on floats and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Which one.
    pub operation: Operation,
    /// The rounding mode, if it rounds.
    pub rounding: Option<Term>,
    /// The operands.
    pub args: Vec<Term>,
    /// What it yields: a variable, or the operation itself where its circuit is small.
    pub result: Term,
}

impl Instance {
    /// The operation that a term is, if lemmas speak of it.
    pub fn of(terms: &Terms, op: Op, args: &[Term], result: Term) -> Option<Instance> {
        let Op::Float(operation, parameters) = op else { return None };
        match operation {
            operations!(Arithmetic, Remainder) | Operation::RoundToIntegral => {}
            // What only widens is no rounding.
            Operation::Convert if !parameters.target.holds(parameters.format) => {}
            // Any other operation has no lemmas: it stays as it is.
            _ => return None,
        }
        let rounds = args.first().is_some_and(|arg| terms.sort(*arg) == Sort::Rounding);
        let (rounding, args) = if rounds { (Some(args[0]), &args[1..]) } else { (None, args) };
        Some(Instance { operation, rounding, args: args.to_vec(), result })
    }
}

/// More operations than this are not related.
const MOST_OPERATIONS: usize = 96;
/// Up to so many, each is related to each; beyond, those that share an operand.
const ALL_PAIRS: usize = 24;
/// Pairs at most.
const MOST_PAIRS: usize = 400;
/// Landmarks at most.
const MOST_LANDMARKS: usize = 6;
/// Terms of a query at most.
const MOST_TERMS: usize = 20_000;

/// The query in terms of its own.
pub struct Abstraction {
    pub terms: Terms,
    pub assertions: Vec<Term>,
    /// The new terms by the old ones.
    new: BTreeMap<Term, Term>,
    instances: Vec<Instance>,
}

impl Abstraction {
    /// None if the query is too large, or has no operation that a lemma is about and no
    /// selection.
    pub fn of(old: &Terms, assertions: &[Term]) -> Option<Abstraction> {
        let below = old.below(assertions);
        if below.len() > MOST_TERMS {
            return None;
        }
        let mut made = Abstraction {
            terms: Terms::new(),
            assertions: Vec::new(),
            new: BTreeMap::new(),
            instances: Vec::new(),
        };
        let mut known: HashMap<(Op, Vec<Term>), Term> = HashMap::new();
        let mut selects = false;
        for term in below {
            selects |= matches!(old.op(term), Op::Float(operations!(Extremum), _));
            let new = made.translate(old, term, &mut known);
            made.new.insert(term, new);
            if made.instances.len() > MOST_OPERATIONS {
                return None;
            }
        }
        made.assertions = assertions.iter().map(|term| made.new[term]).collect();
        (selects || !made.instances.is_empty()).then_some(made)
    }

    fn translate(
        &mut self,
        old: &Terms,
        term: Term,
        known: &mut HashMap<(Op, Vec<Term>), Term>,
    ) -> Term {
        let args: Vec<Term> = old.args(term).iter().map(|arg| self.new[arg]).collect();
        let op = old.op(term);
        let is_free = match op {
            Op::Value(_) => {
                let value = old.value(term).expect("a value").clone();
                return self.terms.constant(value);
            }
            Op::Variable(variable) => {
                return self.terms.variable(old.symbol(variable), old.variable_sort(variable));
            }
            Op::Bits(BitsOp::Mul | BitsOp::Udiv | BitsOp::Urem) | Op::Libm(..) => true,
            Op::Float(operations!(Arithmetic, Remainder) | Operation::RoundToIntegral, _) => {
                args.iter().any(|arg| self.terms.value(*arg).is_none())
            }
            Op::Bits(_) | Op::Float(..) | Op::Ite | Op::Equal | op_heads!(Connective, Door) => {
                false
            }
        };
        let key = (op, args);
        if let Some(made) = known.get(&key) {
            return *made;
        }
        let made = if is_free {
            let sort = old.sort(term);
            self.terms.fresh("operation", sort)
        } else {
            plain(&mut self.terms, op, &key.1)
        };
        if self.terms.value(made).is_none()
            && let Some(instance) = Instance::of(&self.terms, op, &key.1, made)
        {
            self.instances.push(instance);
        }
        known.insert(key, made);
        made
    }

    /// Asserts that terms are within their domains.
    pub fn bound(&mut self, domains: &BTreeMap<Term, Domain>) {
        for (term, domain) in domains {
            let Some(&new) = self.new.get(term) else { continue };
            let terms = &mut self.terms;
            if terms.value(new).is_some() {
                continue;
            }
            match domain {
                Domain::Float(grid, floats) => {
                    let nan = terms.fp(Operation::IsNan, &[new]);
                    let mut allowed = Vec::new();
                    if floats.nan {
                        allowed.push(nan);
                    }
                    if !floats.numbers.is_empty() {
                        let [low, high] = [floats.numbers.lo, floats.numbers.hi].map(|end| {
                            let bits = Word::new(grid.format().width(), grid.encode(end));
                            terms.float_bits(grid.format(), bits)
                        });
                        let above = terms.fp(Operation::LessEqual, &[low, new]);
                        let below = terms.fp(Operation::LessEqual, &[new, high]);
                        allowed.push(terms.and(&[above, below]));
                    }
                    let within = terms.or(&allowed);
                    self.assertions.push(within);
                }
                Domain::Bool(truths) => {
                    if let Some(truth) = truths.known() {
                        let assertion = if truth { new } else { terms.not(new) };
                        self.assertions.push(assertion);
                    }
                }
                Domain::Bits(_) | Domain::Rounding(_) | Domain::Untracked => {}
            }
        }
    }

    /// Asserts every lemma about the operations.
    pub fn relate(&mut self) {
        let landmarks = self.landmarks();
        let known = Known::new(&self.terms, &self.instances, landmarks);
        let mut say = Say::new(&mut self.terms);
        for instance in &self.instances {
            for lemma in lemmas() {
                if lemma.operations.contains(&instance.operation) {
                    (lemma.say)(&mut say, &known, instance);
                }
            }
        }
        let mut pairs = 0;
        let close = self.instances.len() <= ALL_PAIRS;
        'pairs: for (i, a) in self.instances.iter().enumerate() {
            for b in &self.instances[..i] {
                let related = close || a.args.iter().any(|arg| b.args.contains(arg));
                let mut spoke = false;
                for pair in PAIRS.iter().filter(|_| related) {
                    for (first, second) in [(a, b), (b, a)] {
                        if pair.operations.contains(&(first.operation, second.operation)) {
                            (pair.say)(&mut say, first, second);
                            spoke = true;
                        }
                    }
                }
                pairs += spoke as usize;
                if pairs > MOST_PAIRS {
                    break 'pairs;
                }
            }
        }
        self.assertions.extend(say.said());
    }

    /// Values that results are measured against: those of the query that are numbers, few.
    fn landmarks(&self) -> Vec<Term> {
        let values = self.terms.below(&self.assertions).into_iter().filter(|term| {
            let value = self.terms.value(*term);
            value.is_some_and(|value| value.as_float().is_some() && !value.is_nan())
        });
        values.take(MOST_LANDMARKS).collect()
    }

    /// The values that a model of the abstraction has for the query's own variables.
    pub fn concrete(&self, query: Query, model: &Model) -> Model {
        let mut concrete = Model::new();
        for variable in query.terms.variables_below(query.assertions) {
            let new = self.new[&query.terms.variable_term(variable)];
            if let Some(new) = self.terms.as_variable(new) {
                concrete.set(variable, model.get(&self.terms, new));
            }
        }
        concrete
    }
}

/// A cheap operation, with comparisons and selections by the one comparison.
fn plain(terms: &mut Terms, op: Op, args: &[Term]) -> Term {
    let Op::Float(operation, _) = op else { return terms.make(op, args) };
    match operation {
        Operation::Less => less(terms, args[0], args[1]),
        Operation::LessEqual => at_most(terms, args[0], args[1]),
        Operation::Equal => {
            let both = [at_most(terms, args[0], args[1]), at_most(terms, args[1], args[0])];
            terms.and(&both)
        }
        Operation::MinNum | Operation::MaxNum => {
            selection(terms, operation == Operation::MinNum, args[0], args[1])
        }
        // Any other operation is blasted as it is.
        _ => terms.make(op, args),
    }
}

/// `minNum` and `maxNum` as choices; `-0 < +0`.
pub fn selection(terms: &mut Terms, least: bool, a: Term, b: Term) -> Term {
    let (below, above) = (at_most(terms, a, b), at_most(terms, b, a));
    let (first, second) = if least { (below, above) } else { (above, below) };
    let sign = if least { Operation::IsNegative } else { Operation::IsPositive };
    let sign = terms.fp(sign, &[a]);
    let strictly = terms.not(second);
    let prefers = terms.or(&[strictly, sign]);
    let takes = terms.and(&[first, prefers]);
    let [a_nan, b_nan] = [a, b].map(|term| terms.fp(Operation::IsNan, &[term]));
    let number = terms.ite(takes, a, b);
    let a_or = terms.ite(b_nan, a, number);
    terms.ite(a_nan, b, a_or)
}
