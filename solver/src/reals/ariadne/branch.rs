//! One way through a query: literals that together imply its assertions.
//!
//! Disjunctions, `ite`, absolute values, minima and maxima are decided as they
//! are at a point that guides, or by chance.

use super::number::is_negative;
use crate::search::Random;
use nanoscope_budget::Budget;
use nanoscope_ieee::{Operation, operations};
use nanoscope_term::{
    BitsOp, Evaluation, Model, Op, Sort, Term, Terms, Value, VariableId, op_heads,
};
use std::collections::{BTreeMap, BTreeSet};

/// What shall hold on this way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Literal {
    /// A truth value is this one.
    Is(Term, bool),
    /// A number is negative, or else at least zero.
    Negative(Term, bool),
    /// The first float is at most the second, or else at least.
    Ordered(Term, Term, bool),
}

/// A way through a query.
#[derive(Debug, Default)]
pub(super) struct Branch {
    /// The literals, each with the variables of which it is a rational
    /// function; of libm and the like, none.
    pub(super) literals: Vec<(Literal, BTreeSet<VariableId>)>,
    /// The variables that something depends on that is no rational function.
    pub(super) depended: BTreeSet<VariableId>,
    /// The decisions: of conditions, that they hold; of absolute values and of integers read
    /// without a sign, that the operand is negative; of minima and maxima, that the operands are in
    /// order.
    pub(super) decided: BTreeMap<Term, bool>,
    /// Whether there was another way.
    pub(super) open: bool,
}

/// Finds ways through a query.
struct Walk<'a, 'r> {
    terms: &'a Terms,
    guide: Evaluation<'a>,
    random: &'r mut Random,
    /// Whether chance decides rather than the guide.
    wander: bool,
    branch: Branch,
    /// Truth values still to be taken apart, and those that were.
    pending: Vec<(Term, bool)>,
    apart: BTreeSet<(Term, bool)>,
    /// Literals whose variables are still to be found, and what they are
    /// about: after all else, when most conditions are decided.
    waiting: Vec<(Literal, Vec<Term>)>,
}

impl Branch {
    /// A way through the assertions; none if the budget ends.
    pub(super) fn at(
        terms: &Terms,
        assertions: &[Term],
        guide: &Model,
        wander: bool,
        random: &mut Random,
        budget: &Budget,
    ) -> Option<Branch> {
        let mut walk = Walk {
            terms,
            guide: Evaluation::new(terms, guide),
            random,
            wander,
            branch: Branch::default(),
            pending: assertions.iter().map(|assertion| (*assertion, true)).collect(),
            apart: BTreeSet::new(),
            waiting: Vec::new(),
        };
        while !budget.exhausted() {
            if let Some((term, wanted)) = walk.pending.pop() {
                walk.decide(term, wanted);
            } else if let Some((literal, about)) = walk.waiting.pop() {
                walk.literal(literal, &about);
            } else {
                return Some(walk.branch);
            }
        }
        None
    }
}

impl Walk<'_, '_> {
    fn truth(&mut self, term: Term) -> bool {
        *self.guide.value(term) == Value::Bool(true)
    }

    fn by_chance(&mut self) -> bool {
        self.wander && self.random.below(2) == 0
    }

    fn decide(&mut self, term: Term, wanted: bool) {
        if !self.apart.insert((term, wanted)) {
            return;
        }
        self.branch.decided.entry(term).or_insert(wanted);
        let args = self.terms.args(term);
        match (self.terms.op(term), wanted) {
            (Op::Not, _) => self.pending.push((args[0], !wanted)),
            (Op::And, true) | (Op::Or, false) => {
                self.pending.extend(args.iter().map(|arg| (*arg, wanted)));
            }
            (Op::And, false) | (Op::Or, true) => {
                self.branch.open = true;
                let fitting: Vec<Term> =
                    args.iter().copied().filter(|arg| self.truth(*arg) == wanted).collect();
                let from = if fitting.is_empty() || self.by_chance() { args } else { &fitting };
                let one = *self.random.one_of(from).expect("arguments");
                self.pending.push((one, wanted));
            }
            (Op::Ite, _) => {
                let side = self.condition(args[0]);
                self.pending.push((if side { args[1] } else { args[2] }, wanted));
            }
            (Op::Equal, _) if self.terms.sort(args[0]) == Sort::Bool => {
                self.branch.open = true;
                let first = self.truth(args[0]) != self.by_chance();
                self.pending.push((args[0], first));
                self.pending.push((args[1], first == wanted));
            }
            (Op::Equal | Op::Bits(_) | Op::Float(..) | Op::Libm(..) | op_heads!(Leaf, Door), _) => {
                self.waiting.push((Literal::Is(term, wanted), args.to_vec()))
            }
        }
    }

    /// Notes a literal about these terms, and their variables.
    fn literal(&mut self, literal: Literal, about: &[Term]) {
        let mut reached = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for term in about {
            // A root is squared away where it is compared.
            let root = matches!(self.terms.op(*term), Op::Float(Operation::Sqrt, _));
            let start = if root { self.terms.args(*term)[1] } else { *term };
            self.reach(start, &mut reached, &mut seen);
        }
        self.branch.literals.push((literal, reached));
    }

    /// Decides the sign of an operand on which a term's value depends.
    fn sign(&mut self, term: Term, operand: Term) {
        if !self.branch.decided.contains_key(&term) {
            self.branch.open = true;
            let negative = is_negative(self.guide.value(operand)) != self.by_chance();
            self.branch.decided.insert(term, negative);
            self.waiting.push((Literal::Negative(operand, negative), vec![operand]));
        }
    }

    /// A condition decided, and what decides it noted.
    fn condition(&mut self, condition: Term) -> bool {
        if let Some(known) = self.branch.decided.get(&condition) {
            return *known;
        }
        self.branch.open = true;
        let holds = self.truth(condition) != self.by_chance();
        self.branch.decided.insert(condition, holds);
        self.pending.push((condition, holds));
        holds
    }

    /// The variables of which a number is a rational function. Integers are taken not to wrap,
    /// and what rounds to them not to round.
    fn reach(&mut self, root: Term, reached: &mut BTreeSet<VariableId>, seen: &mut BTreeSet<Term>) {
        let mut todo = vec![root];
        while let Some(term) = todo.pop() {
            if !seen.insert(term) {
                continue;
            }
            let args = self.terms.args(term);
            match self.terms.op(term) {
                Op::Value(_) => {}
                Op::Variable(variable) => {
                    if matches!(self.terms.sort(term), Sort::Float(_) | Sort::Bits(_)) {
                        reached.insert(variable);
                    }
                }
                Op::Ite => {
                    let side = self.condition(args[0]);
                    todo.push(if side { args[1] } else { args[2] });
                }
                Op::Float(Operation::Fma | Operation::Convert | operations!(Rational), _) => {
                    todo.extend(&args[1..])
                }
                Op::Float(Operation::FromSigned | operations!(ToInteger, Integral), _) => {
                    todo.push(args[1])
                }
                Op::Float(Operation::Neg, _) => todo.push(args[0]),
                Op::Float(Operation::Abs, _) | Op::Bits(BitsOp::ZeroExtend(_)) => {
                    todo.push(args[0]);
                    self.sign(term, args[0]);
                }
                Op::Float(Operation::FromUnsigned, _) => {
                    todo.push(args[1]);
                    self.sign(term, args[1]);
                }
                Op::Bits(BitsOp::Add | BitsOp::Sub | BitsOp::Mul) => todo.extend(args),
                Op::Bits(BitsOp::Neg | BitsOp::SignExtend(_) | BitsOp::Extract { low: 0, .. }) => {
                    todo.push(args[0])
                }
                Op::Bits(BitsOp::Shl) if self.terms.value(args[1]).is_some() => todo.push(args[0]),
                Op::Float(operation, _) if extreme(operation).is_some() => {
                    todo.extend(args);
                    if !self.branch.decided.contains_key(&term) {
                        self.branch.open = true;
                        let ordered = self.random.below(2) == 0;
                        self.branch.decided.insert(term, ordered);
                        let literal = Literal::Ordered(args[0], args[1], ordered);
                        self.waiting.push((literal, args.to_vec()));
                    }
                }
                // Evaluated once all below it is known.
                Op::Float(..)
                | Op::Libm(..)
                | Op::Equal
                | Op::Bits(_)
                | op_heads!(Connective, Door) => {
                    self.branch.depended.extend(self.terms.variables_below(&[term]));
                }
            }
        }
    }
}

/// Whether the operation is a minimum; none if it is no maximum either.
pub(super) fn extreme(operation: Operation) -> Option<bool> {
    const LEAST: [Operation; 3] = [Operation::MinNum, Operation::Minimum, Operation::MinX86];
    const GREATEST: [Operation; 3] = [Operation::MaxNum, Operation::Maximum, Operation::MaxX86];
    if LEAST.contains(&operation) {
        Some(true)
    } else {
        GREATEST.contains(&operation).then_some(false)
    }
}
