//! Evaluation: the value of a term under a model.
//!
//! Floats are computed by [`exact`] integer arithmetic and one rounding, or by
//! the machine; bit strings by big integers. Nothing of `ieee`'s circuits is
//! used: what an engine built on these found is judged here by another mind.

mod bits;
mod exact;
mod float;
mod machine;

use crate::{ArrayValue, Model, Op, Term, Terms, Unspecified, Value, op_heads};
use float::Exactly;
use hashbrown::HashMap;
use nanoscope_ieee::{self as ieee, Datum, Operation, OutOfRange, Parameters, Word};
use std::collections::BTreeMap;

pub(crate) use exact::from_ratio;

/// Evaluates terms under a model, each once.
pub struct Evaluation<'a> {
    terms: &'a Terms,
    model: &'a Model,
    known: HashMap<Term, Value>,
}

/// The values that terms were found to have under a model, to go on from later with the
/// same model and terms.
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    known: HashMap<Term, Value>,
}

impl Evaluated {
    /// How many terms have values.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Forgets the values of a term and of all that came after it.
    pub fn forget_from(&mut self, first: Term) {
        self.known.retain(|term, _| *term < first);
    }
}

impl<'a> Evaluation<'a> {
    /// Nothing evaluated yet.
    pub fn new(terms: &'a Terms, model: &'a Model) -> Evaluation<'a> {
        Evaluation { terms, model, known: HashMap::new() }
    }

    /// Goes on from what was evaluated under the same model.
    pub fn resume(terms: &'a Terms, model: &'a Model, evaluated: Evaluated) -> Evaluation<'a> {
        Evaluation { terms, model, known: evaluated.known }
    }

    /// What was evaluated so far.
    pub fn pause(self) -> Evaluated {
        Evaluated { known: self.known }
    }

    /// The value of a term.
    pub fn value(&mut self, term: Term) -> &Value {
        let mut todo = vec![(term, false)];
        while let Some((next, ready)) = todo.pop() {
            if self.known.contains_key(&next) {
                continue;
            }
            if ready {
                let value = self.step(next);
                self.known.insert(next, value);
            } else {
                todo.push((next, true));
                todo.extend(self.terms.args(next).iter().map(|arg| (*arg, false)));
            }
        }
        &self.known[&term]
    }

    /// The value of a term whose arguments are known.
    fn step(&self, term: Term) -> Value {
        let args: Vec<&Value> = self.terms.args(term).iter().map(|arg| &self.known[arg]).collect();
        match self.terms.op(term) {
            Op::Value(_) => self.terms.value(term).expect("a value").clone(),
            Op::Variable(variable) => self.model.get(self.terms, variable),
            Op::Apply(function) => {
                let values = self.model.functions.get(&function);
                let key: Vec<Value> = args.into_iter().cloned().collect();
                match values {
                    Some(values) => values.entries.get(&key).unwrap_or(&values.default).clone(),
                    None => self.terms.default_value(self.terms.function(function).range),
                }
            }
            Op::ConstantArray(array) => Value::Array(Box::new(ArrayValue {
                index: self.terms.array(array).0,
                default: args[0].clone(),
                entries: BTreeMap::new(),
            })),
            Op::Unspecified(function) => specified(function, &args).unwrap_or_else(|| {
                let key = (function, args.into_iter().cloned().collect());
                let chosen = self.model.unspecified.get(&key).cloned();
                chosen.unwrap_or_else(|| usual(function))
            }),
            op @ (Op::Ite
            | Op::Equal
            | Op::Bits(_)
            | Op::Float(..)
            | Op::Libm(..)
            | Op::Select
            | Op::Store
            | op_heads!(Connective)) => apply(op, &args).expect("a total function"),
        }
    }
}

/// The value of a term under a model.
pub fn evaluate(terms: &Terms, model: &Model, term: Term) -> Value {
    Evaluation::new(terms, model).value(term).clone()
}

/// Whether all assertions hold under a model.
pub fn holds(terms: &Terms, model: &Model, assertions: &[Term]) -> bool {
    let mut evaluation = Evaluation::new(terms, model);
    assertions.iter().all(|term| *evaluation.value(*term) == Value::Bool(true))
}

/// The value of a head on known values; none where it needs a model.
pub(crate) fn apply(op: Op, args: &[&Value]) -> Option<Value> {
    let truth = |value: &Value| value.as_bool().expect("a truth value");
    Some(match op {
        Op::Value(_) | Op::Variable(_) | Op::Apply(_) | Op::ConstantArray(_) => return None,
        Op::Not => Value::Bool(!truth(args[0])),
        Op::And => Value::Bool(args.iter().all(|arg| truth(arg))),
        Op::Or => Value::Bool(args.iter().any(|arg| truth(arg))),
        Op::Ite => args[if truth(args[0]) { 1 } else { 2 }].clone(),
        Op::Equal => Value::Bool(match (args[0], args[1]) {
            (Value::Array(a), Value::Array(b)) => a.same(b),
            (a, b) => a == b,
        }),
        Op::Bits(op) => {
            let words: Vec<&Word> = args.iter().map(|a| a.as_bits().expect("bits")).collect();
            bits::apply(op, &words)
        }
        Op::Float(operation, parameters) => operate(operation, &parameters, args),
        Op::Libm(function, format) => machine::libm(function, format, args),
        Op::Unspecified(function) => return specified(function, args),
        Op::Select => array(args[0]).select(args[1]).clone(),
        Op::Store => {
            let mut array = array(args[0]).clone();
            array.store(args[1].clone(), args[2].clone());
            Value::Array(Box::new(array))
        }
    })
}

fn array(value: &Value) -> &ArrayValue {
    if let Value::Array(array) = value { array } else { panic!("an array, not {value:?}") }
}

/// An operation of the table on known values.
fn operate(operation: Operation, parameters: &Parameters, args: &[&Value]) -> Value {
    if let Some(value) = machine::operate(operation, parameters.format, args) {
        return value;
    }
    let operands: Vec<Datum<Word, ieee::Rounding, Word, bool>> = args
        .iter()
        .map(|value| match value {
            Value::Bool(value) => Datum::Bool(*value),
            Value::Bits(word) => Datum::Bits(word.clone()),
            Value::Float(_, word) => Datum::Float(word.clone()),
            Value::Rounding(mode) => Datum::Rounding(*mode),
            Value::Array(_) => panic!("an array as an operand"),
        })
        .collect();
    let (result, ()) =
        ieee::apply(&mut Exactly, operation, parameters, &operands).expect("well-sorted operands");
    match result {
        Datum::Bool(value) => Value::Bool(value),
        Datum::Bits(word) => Value::Bits(word),
        // Of the formats given, a target is the last.
        Datum::Float(word) if operation == Operation::Convert => {
            Value::float(parameters.target, word)
        }
        Datum::Float(word) => Value::float(parameters.format, word),
        Datum::Rounding(mode) => Value::Rounding(mode),
    }
}

/// What SMT-LIB says of the arguments, if it does.
fn specified(function: Unspecified, args: &[&Value]) -> Option<Value> {
    let float = |value: &Value| value.as_float().map(|(format, word)| (format, word.clone()));
    match function {
        Unspecified::Min(format) | Unspecified::Max(format) => {
            let zeros = [Value::zero(format, false), Value::zero(format, true)];
            if args[0] != args[1] && args.iter().all(|arg| zeros.contains(arg)) {
                return None;
            }
            let operation = match function {
                Unspecified::Min(_) => Operation::MinNum,
                Unspecified::Max(_)
                | Unspecified::ToUnsigned(..)
                | Unspecified::ToSigned(..)
                | Unspecified::ToIeeeBits(_) => Operation::MaxNum,
            };
            Some(operate(operation, &Parameters::of(format), args))
        }
        Unspecified::ToUnsigned(format, width) | Unspecified::ToSigned(format, width) => {
            let signed = matches!(function, Unspecified::ToSigned(..));
            let mode = args[0].as_rounding().expect("a rounding mode");
            let (_, word) = float(args[1]).expect("a float");
            exact::to_integer(format, mode, &word, width, signed).map(Value::Bits)
        }
        Unspecified::ToIeeeBits(_) => {
            if args[0].is_nan() {
                None
            } else {
                float(args[0]).map(|(_, word)| Value::Bits(word))
            }
        }
    }
}

/// What an open function gives where the model does not say.
pub(crate) fn usual(function: Unspecified) -> Value {
    match function {
        Unspecified::Min(format) | Unspecified::Max(format) => Value::zero(format, false),
        Unspecified::ToUnsigned(_, width) | Unspecified::ToSigned(_, width) => {
            Value::Bits(Word::zero(width))
        }
        Unspecified::ToIeeeBits(format) => match Value::nan(format) {
            Value::Float(_, word) => Value::Bits(word),
            Value::Bool(_) | Value::Bits(_) | Value::Rounding(_) | Value::Array(_) => {
                unreachable!("a NaN is a float")
            }
        },
    }
}

/// What a conversion to an integer gives where the integer does not fit.
pub(crate) fn out_of_range(
    policy: OutOfRange,
    width: u32,
    signed: bool,
    sign: Option<bool>,
) -> Word {
    let least = || {
        let bit = num_bigint::BigUint::from(1u32) << (width - 1);
        Word::from_big(width, &bit)
    };
    let greatest = || Word::from_big(width, &Word::ones(width - 1).to_big());
    match (policy, signed, sign) {
        (OutOfRange::Undefined, _, _) | (OutOfRange::Saturate, _, None) => Word::zero(width),
        (OutOfRange::Saturate, true, Some(true)) => least(),
        (OutOfRange::Saturate, true, Some(false)) => greatest(),
        (OutOfRange::Saturate, false, Some(true)) => Word::zero(width),
        (OutOfRange::Saturate, false, Some(false)) => Word::ones(width),
        (OutOfRange::Indefinite, true, _) => least(),
        (OutOfRange::Indefinite, false, _) => Word::ones(width),
    }
}
