//! The language of lemmas: short names for what they say, and what they look up.

use super::Instance;
use nanoscope_ieee::{Float, Format, Operation, Rounding, Word};
use nanoscope_term::{BitsOp, Model, Op, Term, Terms, Value, evaluate};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// What lemmas may look up besides their operation.
pub struct Known {
    results: BTreeMap<Term, Instance>,
    /// Known numbers to compare with.
    pub landmarks: Vec<Term>,
}

impl Known {
    /// The operations of a query, by their results.
    pub fn new(terms: &Terms, instances: &[Instance], landmarks: Vec<Term>) -> Known {
        debug_assert!(landmarks.iter().all(|landmark| terms.value(*landmark).is_some()));
        let results = instances.iter().map(|instance| (instance.result, instance.clone()));
        Known { results: results.collect(), landmarks }
    }

    /// The operation that yields a term, if it is one of those.
    pub fn maker(&self, term: Term, operation: Operation) -> Option<&Instance> {
        self.results.get(&term).filter(|instance| instance.operation == operation)
    }
}

/// `a <= b`, the one comparison of an abstraction, so that comparisons of the same terms are
/// the same atoms. That of a choice is a choice of comparisons.
pub(super) fn at_most(terms: &mut Terms, a: Term, b: Term) -> Term {
    compared(terms, a, b, MOST_CHOICES)
}

/// `a < b` by [`at_most`].
pub(super) fn less(terms: &mut Terms, a: Term, b: Term) -> Term {
    let reverse = at_most(terms, b, a);
    let not = terms.not(reverse);
    let numbers = [a, b].map(|term| {
        let nan = terms.fp(Operation::IsNan, &[term]);
        terms.not(nan)
    });
    terms.and(&[not, numbers[0], numbers[1]])
}

/// Choices within choices that a comparison goes into.
const MOST_CHOICES: u32 = 4;

fn compared(terms: &mut Terms, a: Term, b: Term, depth: u32) -> Term {
    if depth > 0 {
        if let Some((condition, [then, otherwise])) = choice(terms, a) {
            let then = compared(terms, then, b, depth - 1);
            let otherwise = compared(terms, otherwise, b, depth - 1);
            return terms.ite(condition, then, otherwise);
        }
        if let Some((condition, [then, otherwise])) = choice(terms, b) {
            let then = compared(terms, a, then, depth - 1);
            let otherwise = compared(terms, a, otherwise, depth - 1);
            return terms.ite(condition, then, otherwise);
        }
    }
    terms.fp(Operation::LessEqual, &[a, b])
}

/// The condition and the branches of a choice, or of the opposite or magnitude of one.
fn choice(terms: &mut Terms, term: Term) -> Option<(Term, [Term; 2])> {
    let (op, args) = (terms.op(term), terms.args(term).to_vec());
    match op {
        Op::Ite => Some((args[0], [args[1], args[2]])),
        Op::Float(Operation::Neg | Operation::Abs, _) => {
            let (condition, branches) = choice(terms, args[0])?;
            Some((condition, branches.map(|branch| terms.make(op, &[branch]))))
        }
        // Any other operation is no choice.
        _ => None,
    }
}

/// Collects lemmas.
pub struct Say<'t> {
    pub(super) t: &'t mut Terms,
    said: Vec<Term>,
}

impl<'t> Say<'t> {
    /// Nothing said yet.
    pub fn new(t: &'t mut Terms) -> Say<'t> {
        Say { t, said: Vec::new() }
    }

    /// What was said, each once.
    pub fn said(mut self) -> Vec<Term> {
        self.said.sort_unstable();
        self.said.dedup();
        self.said
    }

    /// A lemma: where all conditions hold, so does the conclusion.
    pub(super) fn implies(&mut self, conditions: &[Term], conclusion: Term) {
        let all = self.t.and(conditions);
        let lemma = self.t.implies(all, conclusion);
        self.said.push(lemma);
    }

    /// A lemma: both are true or both are false.
    pub(super) fn iff(&mut self, conditions: &[Term], a: Term, b: Term) {
        let same = self.t.equal(a, b);
        self.implies(conditions, same);
    }

    pub(super) fn le(&mut self, a: Term, b: Term) -> Term {
        at_most(self.t, a, b)
    }

    pub(super) fn lt(&mut self, a: Term, b: Term) -> Term {
        less(self.t, a, b)
    }

    /// The same value.
    pub(super) fn same(&mut self, a: Term, b: Term) -> Term {
        self.t.equal(a, b)
    }

    pub(super) fn abs(&mut self, a: Term) -> Term {
        self.t.fp(Operation::Abs, &[a])
    }

    pub(super) fn neg(&mut self, a: Term) -> Term {
        self.t.fp(Operation::Neg, &[a])
    }

    pub(super) fn nan(&mut self, a: Term) -> Term {
        self.t.fp(Operation::IsNan, &[a])
    }

    /// Whether it is no NaN.
    pub(super) fn number(&mut self, a: Term) -> Term {
        let nan = self.nan(a);
        self.t.not(nan)
    }

    pub(super) fn infinite(&mut self, a: Term) -> Term {
        self.t.fp(Operation::IsInfinite, &[a])
    }

    pub(super) fn zero(&mut self, a: Term) -> Term {
        self.t.fp(Operation::IsZero, &[a])
    }

    /// Whether the sign bit is set, of a number.
    pub(super) fn negative(&mut self, a: Term) -> Term {
        self.t.fp(Operation::IsNegative, &[a])
    }

    /// Whether the sign bit is clear, of a number.
    pub(super) fn positive(&mut self, a: Term) -> Term {
        self.t.fp(Operation::IsPositive, &[a])
    }

    /// Whether the signs of two numbers differ.
    pub(super) fn signs_differ(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.negative(a), self.negative(b));
        self.t.xor(a, b)
    }

    /// Whether the mode is this one.
    pub(super) fn mode_is(&mut self, rounding: Term, mode: Rounding) -> Term {
        let mode = self.t.rounding(mode);
        self.t.equal(rounding, mode)
    }

    /// The zero of a format.
    pub(super) fn zero_of(&mut self, format: Format) -> Term {
        self.t.constant(Value::zero(format, false))
    }

    /// Two to a power, if the format has it as a normal number.
    pub(super) fn power(&mut self, format: Format, exponent: i64) -> Option<Term> {
        let range = format.min_exponent()..=format.max_exponent();
        if format.explicit_integer_bit || !range.contains(&exponent) {
            return None;
        }
        let field = BigUint::from((exponent + format.max_exponent()) as u64);
        let bits = Word::from_big(format.width(), &(field << format.fraction_bits()));
        Some(self.t.float_bits(format, bits))
    }

    /// The exponent of a known positive power of two.
    pub(super) fn exponent(&self, term: Term) -> Option<i64> {
        let (format, bits) = self.t.value(term)?.as_float()?;
        let (negative, significand, exponent) =
            Float::from_word(format, bits.clone()).to_parts()?;
        let trailing = significand.trailing_zeros()?;
        (!negative && significand.bits() == trailing + 1).then_some(exponent + trailing as i64)
    }

    /// The largest finite number of a format.
    pub(super) fn largest(&mut self, format: Format) -> Option<Term> {
        if format.explicit_integer_bit {
            return None;
        }
        let largest = Float::largest(format, false);
        Some(self.t.float_bits(format, largest.word().clone()))
    }

    /// The value of an operation on known numbers, rounded this way; none if it is NaN.
    pub(super) fn folded(
        &mut self,
        operation: Operation,
        rounding: Rounding,
        args: &[Term],
    ) -> Option<Term> {
        let mut all = vec![self.t.rounding(rounding)];
        all.extend(args);
        let term = self.t.fp(operation, &all);
        self.value_of(term)
    }

    /// The value of a term without variables; none if it is NaN.
    pub(super) fn value_of(&mut self, term: Term) -> Option<Term> {
        let value = evaluate(self.t, &Model::new(), term);
        (!value.is_nan()).then(|| self.t.constant(value))
    }

    /// The encoding of a number as an integer, and that of what has the next larger exponent.
    pub(super) fn encodings(&mut self, a: Term) -> Option<(Term, Term)> {
        let format = self.t.format(a);
        if format.explicit_integer_bit {
            return None;
        }
        let bits = self.t.fp(Operation::ToBits, &[a]);
        let step = BigUint::from(1u32) << format.fraction_bits();
        let step = self.t.constant(Value::Bits(Word::from_big(format.width(), &step)));
        let next = self.t.bits_op(BitsOp::Add, &[bits, step]);
        Some((bits, next))
    }

    /// The mode, if it is known.
    pub(super) fn mode(&self, rounding: Option<Term>) -> Option<Rounding> {
        self.t.value(rounding?).and_then(Value::as_rounding)
    }

    /// A float in a format that holds its own.
    pub(super) fn widened(&mut self, a: Term, format: Format) -> Term {
        if self.t.format(a) == format {
            return a;
        }
        let exact = self.t.rounding(Rounding::TowardZero);
        self.t.convert(format, exact, a)
    }
}
