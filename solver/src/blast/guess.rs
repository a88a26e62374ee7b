//! Models by guess: the same query on floats with a shorter significand.
//!
//! A circuit with eight bits of significand has a fraction of the gates of one
//! with fifty-three. Exponents are kept, so that a short float lifts to a long
//! one of the same value by zeros below. Whether the lifted point is a model,
//! the evaluator says; if not, it is still a good place to start from.
//! Refutations mean nothing here.

use super::blaster::{Blaster, Options, Verdict};
use nanoscope_budget::Budget;
use nanoscope_ieee::{Circuit, Concrete, Domain, Format, Operation, Parameters, Rounding, Word};
use nanoscope_term::{BitsOp, Model, Op, Sort, Term, Terms, Value, VariableId, holds, op_heads};
use std::collections::BTreeMap;

/// What came of a guess.
#[derive(Clone, Debug, PartialEq)]
pub enum Guess {
    /// A model, confirmed by the evaluator.
    Right(Model),
    /// A model of the shorter query that is none of this one.
    Near(Model),
    /// Nothing: no model in time, or none at this precision.
    None,
}

/// Looks for a model with significands of at most `precision` bits.
pub fn guess(
    terms: &Terms,
    assertions: &[Term],
    precision: u32,
    options: Options,
    budget: &Budget,
) -> Guess {
    let Some(short) = Short::of(terms, assertions, precision) else { return Guess::None };
    let mut blaster = Blaster::new(options);
    short.assertions.iter().for_each(|&assertion| blaster.assert(assertion));
    let Verdict::Sat(model) = blaster.check(&short.terms, &[], budget, None) else {
        return Guess::None;
    };
    let lifted = short.lift(&model);
    if holds(terms, &lifted, assertions) { Guess::Right(lifted) } else { Guess::Near(lifted) }
}

/// The query with shorter floats.
struct Short {
    terms: Terms,
    assertions: Vec<Term>,
    /// Which variable stands for which, and with which sort.
    variables: Vec<(VariableId, Sort, VariableId)>,
}

fn shortened(format: Format, precision: u32) -> Format {
    if format.precision <= precision {
        format
    } else {
        Format::new(format.exponent_bits, precision)
    }
}

impl Short {
    /// None if a term has no shorter version.
    fn of(terms: &Terms, assertions: &[Term], precision: u32) -> Option<Short> {
        let mut short =
            Short { terms: Terms::new(), assertions: Vec::new(), variables: Vec::new() };
        let mut images: BTreeMap<Term, Term> = BTreeMap::new();
        for term in terms.below(assertions) {
            let args: Vec<Term> = terms.args(term).iter().map(|arg| images[arg]).collect();
            let image = short.image(terms, term, &args, precision)?;
            images.insert(term, image);
        }
        short.assertions = assertions.iter().map(|assertion| images[assertion]).collect();
        Some(short)
    }

    fn image(&mut self, terms: &Terms, term: Term, args: &[Term], precision: u32) -> Option<Term> {
        Some(match terms.op(term) {
            Op::Value(_) => {
                let value = terms.value(term)?.clone();
                let value = match value {
                    Value::Float(format, word) => {
                        let target = shortened(format, precision);
                        let mode = Word::new(3, Rounding::NearestEven as u128);
                        let (word, _) =
                            Circuit::new(Concrete).convert(format, target, &mode, &word);
                        Value::float(target, word)
                    }
                    Value::Bool(_) | Value::Bits(_) | Value::Rounding(_) => value,
                    Value::Array(_) => return None,
                };
                self.terms.constant(value)
            }
            Op::Variable(variable) => {
                let sort = terms.sort(term);
                let target = match sort {
                    Sort::Float(format) => Sort::Float(shortened(format, precision)),
                    Sort::Bool | Sort::Bits(_) | Sort::Rounding => sort,
                    Sort::Array(_) => return None,
                };
                let image = self.terms.variable(terms.symbol(variable), target);
                self.variables.push((variable, sort, self.terms.as_variable(image)?));
                image
            }
            Op::Float(operation, parameters) => self.float(operation, &parameters, args, precision),
            op @ (Op::Ite | Op::Equal | Op::Bits(_) | op_heads!(Connective)) => {
                self.terms.make(op, args)
            }
            Op::Libm(..) | op_heads!(Door) => return None,
        })
    }

    fn float(
        &mut self,
        operation: Operation,
        parameters: &Parameters,
        args: &[Term],
        precision: u32,
    ) -> Term {
        let format = shortened(parameters.format, precision);
        let target = shortened(parameters.target, precision);
        let lost = parameters.format.precision - format.precision;
        let parameters = Parameters { format, target, ..*parameters };
        if lost == 0 {
            return self.terms.float(operation, parameters, args);
        }
        if operation == Operation::FromBits {
            let high = format.width() + lost - 1;
            let top = self.terms.bits_op(BitsOp::Extract { high, low: lost }, args);
            return self.terms.from_bits(format, top);
        }
        let result = self.terms.float(operation, parameters, args);
        if operation == Operation::ToBits {
            let zeros = self.terms.constant(Value::bits(lost, 0));
            return self.terms.bits_op(BitsOp::Concat, &[result, zeros]);
        }
        result
    }

    /// The point of the longer query with the same values.
    fn lift(&self, model: &Model) -> Model {
        let mut lifted = Model::new();
        for &(variable, sort, image) in &self.variables {
            let value = match (model.get(&self.terms, image), sort) {
                (Value::Float(format, word), Sort::Float(long)) => {
                    let zeros = long.precision - format.precision;
                    Value::float(long, Word::from_big(long.width(), &(word.to_big() << zeros)))
                }
                (value, _) => value,
            };
            lifted.set(variable, value);
        }
        lifted
    }
}
