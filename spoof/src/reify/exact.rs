//! Is an output wrong? The trace of a run is computed again along the same path with real
//! numbers, so that nothing overflows, underflows or rounds, and the outputs are compared.
//!
//! Beside the real values stand those of a machine that rounds as this one does but has
//! exponents of any size: how far it is off is the rounding error that the computation has
//! anyway. An output is wrong if it is much farther off than that.

use super::real::{Dyadic, Interval};
use super::{entry_model, evaluation, value_at};
use crate::lift::{Symbol, lift};
use crate::trace::Trace;
use nanoscope_ieee::{Format, Operation, operations};
use nanoscope_term::{Evaluation, Op, Sort, Term, Terms, Value, holds};
use num_bigint::BigInt;
use num_traits::One;
use std::cmp::Ordering;
use std::collections::HashMap;

/// What became of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// As near to the real result as rounding lets it be.
    Right,
    /// Finite, and far from the real result.
    Wrong,
    /// A NaN or an infinity: the caller can see it.
    Exceptional,
    /// It cannot be said, and why.
    Undecided(&'static str),
}

/// An output of a run beside its real value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The number of its argument.
    pub argument: usize,
    /// The number of its element.
    pub element: usize,
    /// What the run gave.
    pub computed: Value,
    /// The real result, with few digits.
    pub exact: Option<String>,
    /// How far the run is off, relative to the real result, rounded down to a power of ten.
    pub relative_error: Option<String>,
    /// What that means.
    pub judgement: Judgement,
}

/// A run judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Its outputs.
    pub outputs: Vec<Output>,
    /// The steps that gave an exceptional result of operands that were none.
    pub exceptions: Vec<usize>,
    /// Whether all instructions on the inputs were lifted.
    pub is_complete: bool,
}

impl Judged {
    /// Whether an exception came about and an output is plausible and wrong.
    pub fn is_wrong(&self) -> bool {
        !self.exceptions.is_empty()
            && self.outputs.iter().any(|output| output.judgement == Judgement::Wrong)
    }

    /// Whether an exception came about, vanished, and all outputs are right.
    pub fn is_harmless(&self) -> bool {
        !self.exceptions.is_empty()
            && self.outputs.iter().all(|output| output.judgement == Judgement::Right)
    }
}

/// Judges the outputs of a run by its trace.
pub fn judge_exact(trace: &Trace) -> Judged {
    let mut terms = Terms::new();
    let lifted = lift(trace, &mut terms);
    let model = entry_model(&terms, &lifted.inputs, trace);
    let path: Vec<Term> = lifted.path.iter().map(|branch| branch.holds).collect();
    let mut evaluation = evaluation(&terms, &model);
    let exceptions = exceptions(&terms, &mut evaluation, &lifted.computed);
    let mut reals = Reals { terms: &terms, evaluation, known: HashMap::new() };
    let is_complete = lifted.unlifted.is_empty();
    let is_same_path = holds(&terms, &model, &path);
    let outputs = lifted.outputs.iter().map(|symbol| symbol.float);
    let decisive: Vec<Term> = path.iter().copied().chain(outputs).collect();
    let is_out_of_range = reals.converts_out_of_range(&decisive);
    let judge = |symbol: &Symbol| {
        let argument = &trace.arguments[symbol.argument];
        let place = argument.elements[symbol.element].place;
        let computed = value_at(place, argument.bits, &trace.exit, &trace.memory_after)?;
        let mut output = reals.judge(symbol, computed);
        if output.judgement == Judgement::Wrong || output.judgement == Judgement::Right {
            if !is_complete {
                output.judgement = Judgement::Undecided("some instructions were not lifted");
            } else if !is_same_path {
                output.judgement = Judgement::Undecided("the lifted trace takes another path");
            } else if is_out_of_range && output.judgement == Judgement::Right {
                output.judgement =
                    Judgement::Undecided("it depends on an integer that is not that of the reals");
            }
        }
        Some(output)
    };
    let outputs = lifted.outputs.iter().filter_map(judge).collect();
    Judged { outputs, exceptions, is_complete }
}

/// The steps whose result is exceptional although no operand is.
fn exceptions(
    terms: &Terms,
    evaluation: &mut Evaluation,
    computed: &[crate::lift::Computed],
) -> Vec<usize> {
    let mut steps: Vec<usize> = computed
        .iter()
        .filter(|computed| {
            is_exceptional(evaluation.value(computed.float))
                && terms.args(operation(terms, computed.float)).iter().all(|arg| {
                    !matches!(terms.sort(*arg), Sort::Float(_))
                        || !is_exceptional(evaluation.value(*arg))
                })
        })
        .map(|computed| computed.step)
        .collect();
    steps.dedup();
    steps
}

/// The operation that computes a float, under what flushes subnormal results.
fn operation(terms: &Terms, float: Term) -> Term {
    match (terms.op(float), terms.args(float)) {
        (Op::Ite, &[_, _, kept]) => kept,
        _ => float,
    }
}

/// Whether a float is a NaN or an infinity.
pub(crate) fn is_exceptional(value: &Value) -> bool {
    value.as_float().is_some_and(|(format, bits)| {
        let exponent = bits.to_big() >> format.fraction_bits();
        let all = (num_bigint::BigUint::one() << format.exponent_bits) - 1u32;
        (exponent & &all) == all
    })
}

/// A float without a limited exponent: its real value, and how this machine would round.
#[derive(Clone, Debug)]
enum Real {
    Number {
        exact: Interval,
        rounded: Dyadic,
    },
    Infinity {
        negative: bool,
    },
    /// No number: of zero by zero, or of something like that.
    Undefined,
}

struct Reals<'a> {
    terms: &'a Terms,
    /// The floats of the run.
    evaluation: Evaluation<'a>,
    known: HashMap<Term, Real>,
}

/// A finite float as a number.
fn number(format: Format, bits: &nanoscope_ieee::Word) -> Dyadic {
    let bits = bits.to_big();
    let fraction_bits = format.fraction_bits();
    let fraction = &bits & ((num_bigint::BigUint::one() << fraction_bits) - 1u32);
    let exponent = u64::try_from(
        (&bits >> fraction_bits) & num_bigint::BigUint::from(format.special_exponent()),
    )
    .expect("an exponent field");
    let negative = bits.bit(u64::from(format.width() - 1));
    let (significand, exponent) = match exponent {
        0 => (fraction, format.quantum_exponent()),
        _ => (
            fraction | num_bigint::BigUint::one() << fraction_bits,
            format.quantum_exponent() + exponent as i64 - 1,
        ),
    };
    let significand = BigInt::from(significand);
    Dyadic::new(if negative { -significand } else { significand }, exponent)
}

impl Reals<'_> {
    fn judge(&mut self, symbol: &Symbol, computed: Value) -> Output {
        let real = self.real(symbol.float);
        let mut output = Output {
            argument: symbol.argument,
            element: symbol.element,
            computed: computed.clone(),
            exact: None,
            relative_error: None,
            judgement: Judgement::Exceptional,
        };
        let Some((format, bits)) = computed.as_float() else {
            output.judgement = Judgement::Undecided("the output is no float");
            return output;
        };
        let seen = is_exceptional(&computed);
        let Real::Number { exact, rounded } = real else {
            if !seen {
                // The real function has no finite value, the run pretends that it has.
                output.judgement = Judgement::Undecided("the real result is not defined");
            }
            return output;
        };
        output.exact = Some(exact.middle().text());
        if seen {
            return output;
        }
        let computed = Interval::point(number(format, bits));
        let error = computed.sum(&exact.negated()).magnitude();
        let natural = Interval::point(rounded).sum(&exact.negated()).magnitude();
        let size = exact.magnitude();
        if let Some(relative) = error.quotient(&size) {
            output.relative_error = Some(relative.low.text());
        }
        // Half of the digits, many times the error of rounding, and some units of underflow.
        let half = size.high.scaled(-i64::from(format.precision) / 2);
        let quantum = Dyadic::new(BigInt::one(), format.quantum_exponent() + 8);
        let allowed = Interval::point(natural.high.scaled(6))
            .sum(&Interval::point(half))
            .sum(&Interval::point(quantum));
        output.judgement = match error.low.compare(&allowed.high) {
            Ordering::Greater => Judgement::Wrong,
            Ordering::Less | Ordering::Equal => Judgement::Right,
        };
        output
    }

    /// Whether a conversion below these terms gave an integer for a number that is outside its range:
    /// what the run did with that integer says nothing of the real computation.
    fn converts_out_of_range(&mut self, roots: &[Term]) -> bool {
        let all = self.terms.below(roots);
        all.into_iter().any(|term| {
            let Op::Float(operation @ operations!(ToInteger), _) = self.terms.op(term) else {
                return false;
            };
            let float = self.terms.args(term)[1];
            let width = i64::from(self.terms.width(term));
            let bits = if operation == Operation::ToSigned { width - 1 } else { width };
            let limit = Interval::point(Dyadic::new(BigInt::one(), bits));
            match self.real(float) {
                Real::Number { exact, .. } => {
                    exact.magnitude().compare(&limit) == Some(Ordering::Greater)
                }
                Real::Infinity { .. } | Real::Undefined => true,
            }
        })
    }

    /// The real value of a float, with all below it.
    fn real(&mut self, root: Term) -> Real {
        for term in self.terms.below(&[root]) {
            if matches!(self.terms.sort(term), Sort::Float(_)) && !self.known.contains_key(&term) {
                let real = self.compute(term);
                self.known.insert(term, real);
            }
        }
        self.known[&root].clone()
    }

    /// The float of the run as a real number.
    fn concrete(&mut self, term: Term) -> Real {
        let value = self.evaluation.value(term);
        let Some((format, bits)) = value.as_float() else { return Real::Undefined };
        if value.is_nan() {
            return Real::Undefined;
        }
        if is_exceptional(value) {
            return Real::Infinity { negative: bits.bit(format.width() - 1) };
        }
        let number = number(format, bits);
        Real::Number { exact: Interval::point(number.clone()), rounded: number }
    }

    fn compute(&mut self, term: Term) -> Real {
        let (op, args) = (self.terms.op(term), self.terms.args(term));
        match op {
            Op::Ite => {
                let chosen = if self.truth(args[0]) { args[1] } else { args[2] };
                self.known[&chosen].clone()
            }
            Op::Float(operation, _) => self.operation(term, operation, args),
            _ => self.concrete(term),
        }
    }

    fn operation(&mut self, term: Term, operation: Operation, args: &[Term]) -> Real {
        let precision = u64::from(self.terms.format(term).precision);
        let of = |at: usize| self.known.get(&args[at]).cloned().unwrap_or(Real::Undefined);
        match operation {
            Operation::Add => sum(&of(1), &of(2), precision),
            Operation::Sub => sum(&of(1), &negated(&of(2)), precision),
            Operation::Mul => product(&of(1), &of(2), precision),
            Operation::Div => match (of(1), of(2)) {
                // A pole is infinite, on the side that the zero's sign says.
                (a, b) if is_zero(&b) && is_negative(&a).is_some() => {
                    let value = self.evaluation.value(args[2]);
                    let negative_zero =
                        value.as_float().is_some_and(|(format, bits)| bits.bit(format.width() - 1));
                    Real::Infinity { negative: is_negative(&a) == Some(!negative_zero) }
                }
                (a, b) => quotient(&a, &b, precision),
            },
            Operation::Fma => {
                // Rounded once: the product keeps all its bits.
                let product = product(&of(1), &of(2), u64::MAX);
                sum(&product, &of(3), precision)
            }
            Operation::Sqrt => root(&of(1), precision),
            Operation::Neg => negated(&of(0)),
            Operation::Abs => match of(0) {
                Real::Number { exact, rounded } => {
                    Real::Number { exact: exact.magnitude(), rounded: rounded.magnitude() }
                }
                Real::Infinity { .. } => Real::Infinity { negative: false },
                Real::Undefined => Real::Undefined,
            },
            Operation::CopySign => {
                let negative = is_negative(&of(1)).unwrap_or_else(|| {
                    let value = self.evaluation.value(args[1]).clone();
                    value.as_float().is_some_and(|(format, bits)| bits.bit(format.width() - 1))
                });
                let magnitude = of(0);
                match is_negative(&magnitude) {
                    Some(sign) if sign != negative => negated(&magnitude),
                    _ => magnitude,
                }
            }
            Operation::MinX86 | Operation::MinNum | Operation::Minimum => {
                self.extreme(args, Ordering::Less)
            }
            Operation::MaxX86 | Operation::MaxNum | Operation::Maximum => {
                self.extreme(args, Ordering::Greater)
            }
            Operation::Convert => match of(1) {
                Real::Number { exact, rounded } => {
                    Real::Number { exact, rounded: rounded.nearest(precision) }
                }
                other => other,
            },
            Operation::RoundToIntegral | Operation::RoundToIntegralExact => match of(1) {
                // Where both bounds have one integral part, so has the number.
                Real::Number { exact, .. } if is_integral(&exact) => {
                    let whole = exact.floor();
                    Real::Number { rounded: whole.low.clone(), exact: whole }
                }
                _ => self.concrete(term),
            },
            // From integers, which are those of the run, and what has no real meaning.
            Operation::FromBits | operations!(FromInteger, Remainder, Step) => self.concrete(term),
            Operation::ToBits | operations!(Compare, Classify, ToInteger) => Real::Undefined,
        }
    }

    /// The lesser or the greater of two; the second where they are equal or undefined, as the
    /// processor has it.
    fn extreme(&mut self, args: &[Term], wanted: Ordering) -> Real {
        let (a, b) = (self.known[&args[0]].clone(), self.known[&args[1]].clone());
        match compare(&a, &b) {
            Some(order) if order == wanted => a,
            Some(_) => b,
            None => b,
        }
    }

    /// A condition of the real values; where these do not tell, of the run's floats.
    fn truth(&mut self, condition: Term) -> bool {
        let (op, args) = (self.terms.op(condition), self.terms.args(condition));
        let decided = match op {
            Op::Not => return !self.truth(args[0]),
            Op::And => return args.iter().all(|arg| self.truth(*arg)),
            Op::Or => return args.iter().any(|arg| self.truth(*arg)),
            Op::Float(operation, _) => {
                let of = |at: usize| self.known.get(&args[at]).cloned();
                let order = || compare(&of(0)?, &of(1)?);
                match operation {
                    Operation::Less => order().map(Ordering::is_lt),
                    Operation::LessEqual => order().map(Ordering::is_le),
                    Operation::Greater => order().map(Ordering::is_gt),
                    Operation::GreaterEqual => order().map(Ordering::is_ge),
                    Operation::Equal => order().map(Ordering::is_eq),
                    Operation::Unordered => order().map(|_| false),
                    Operation::IsNan | Operation::IsSubnormal => {
                        of(0).and_then(|a| compare(&a, &a)).map(|_| false)
                    }
                    Operation::IsNegative => of(0).as_ref().and_then(is_negative),
                    // Any other predicate is about encodings, which the run has.
                    _ => None,
                }
            }
            _ => None,
        };
        decided.unwrap_or_else(|| self.evaluation.value(condition).as_bool().unwrap_or(false))
    }
}

fn is_integral(interval: &Interval) -> bool {
    let whole = interval.floor();
    whole.low == whole.high && whole.low == interval.low && whole.high == interval.high
}

fn is_zero(real: &Real) -> bool {
    matches!(real, Real::Number { exact, .. } if exact.low.is_zero() && exact.high.is_zero())
}

fn is_negative(real: &Real) -> Option<bool> {
    match real {
        Real::Number { exact, .. } if exact.contains_zero() => None,
        Real::Number { exact, .. } => Some(exact.low.is_negative()),
        Real::Infinity { negative } => Some(*negative),
        Real::Undefined => None,
    }
}

fn compare(a: &Real, b: &Real) -> Option<Ordering> {
    match (a, b) {
        (Real::Number { exact: a, .. }, Real::Number { exact: b, .. }) => a.compare(b),
        (Real::Infinity { negative: a }, Real::Infinity { negative: b }) => Some(b.cmp(a)),
        (Real::Infinity { negative }, Real::Number { .. }) => {
            Some(if *negative { Ordering::Less } else { Ordering::Greater })
        }
        (Real::Number { .. }, Real::Infinity { .. }) => compare(b, a).map(Ordering::reverse),
        (Real::Undefined, _) | (_, Real::Undefined) => None,
    }
}

fn negated(a: &Real) -> Real {
    match a {
        Real::Number { exact, rounded } => {
            Real::Number { exact: exact.negated(), rounded: rounded.negated() }
        }
        Real::Infinity { negative } => Real::Infinity { negative: !negative },
        Real::Undefined => Real::Undefined,
    }
}

/// A number from its enclosure and from the same operation on the rounded operands.
fn made(exact: Interval, rounded: Interval, precision: u64) -> Real {
    let middle = rounded.middle();
    let rounded = if precision == u64::MAX { middle } else { middle.nearest(precision) };
    Real::Number { exact, rounded }
}

fn sum(a: &Real, b: &Real, precision: u64) -> Real {
    match (a, b) {
        (Real::Number { exact: a, rounded: c }, Real::Number { exact: b, rounded: d }) => {
            let rounded = Interval::point(c.clone()).sum(&Interval::point(d.clone()));
            made(a.sum(b), rounded, precision)
        }
        (Real::Infinity { negative: a }, Real::Infinity { negative: b }) if a == b => {
            Real::Infinity { negative: *a }
        }
        (Real::Infinity { negative }, Real::Number { .. })
        | (Real::Number { .. }, Real::Infinity { negative }) => {
            Real::Infinity { negative: *negative }
        }
        _ => Real::Undefined,
    }
}

fn product(a: &Real, b: &Real, precision: u64) -> Real {
    match (a, b) {
        (Real::Number { exact: a, rounded: c }, Real::Number { exact: b, rounded: d }) => {
            let rounded = Interval::point(c.clone()).product(&Interval::point(d.clone()));
            made(a.product(b), rounded, precision)
        }
        _ => match (is_negative(a), is_negative(b)) {
            (Some(a), Some(b)) => Real::Infinity { negative: a != b },
            _ => Real::Undefined,
        },
    }
}

fn quotient(a: &Real, b: &Real, precision: u64) -> Real {
    match (a, b) {
        (Real::Number { exact: a, rounded: c }, Real::Number { exact: b, rounded: d }) => {
            let rounded = Interval::point(c.clone()).quotient(&Interval::point(d.clone()));
            match (a.quotient(b), rounded) {
                (Some(exact), Some(rounded)) => made(exact, rounded, precision),
                _ => Real::Undefined,
            }
        }
        (Real::Number { .. }, Real::Infinity { .. }) => {
            let zero = Dyadic::zero();
            Real::Number { exact: Interval::point(zero.clone()), rounded: zero }
        }
        (Real::Infinity { .. }, Real::Number { .. }) => match (is_negative(a), is_negative(b)) {
            (Some(a), Some(b)) => Real::Infinity { negative: a != b },
            _ => Real::Undefined,
        },
        _ => Real::Undefined,
    }
}

fn root(a: &Real, precision: u64) -> Real {
    match a {
        Real::Number { exact, rounded } => {
            match (exact.root(), Interval::point(rounded.clone()).root()) {
                (Some(exact), Some(rounded)) => made(exact, rounded, precision),
                _ => Real::Undefined,
            }
        }
        Real::Infinity { negative: false } => Real::Infinity { negative: false },
        Real::Infinity { negative: true } | Real::Undefined => Real::Undefined,
    }
}
