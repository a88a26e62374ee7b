//! When an operation raises what is looked for: a condition on its operands and its result.
//!
//! The definition is that of `nanoscope_program`'s distances, so that all engines mean the
//! same: an exception counts where it is created, not where it is passed on, and a result
//! that is tiny underflows whether it is exact or not, as an unmasked underflow does (IEEE
//! 754-2019, 7.5). Results say it all; no flags are asked.

use super::Compute;
use crate::Value;
use nanoscope_ieee::{Float, Format, Operation, Rounding, domains};
use nanoscope_program::ir::{Act, IntegerConversion, IntegerOperation, Special};
use nanoscope_program::libm;
use nanoscope_program::libm::RangeError;
use nanoscope_program::{
    Action, Arithmetic, Domain, Exception, IntegerArithmetic, LibmFunction, actions, exceptions,
};
use nanoscope_term::{BitsOp, Term, Value as Known};

/// An operation as goals see it: what it does, and in which format. That is the result's, or
/// the operand's of a conversion to an integer; of no meaning where no float takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deed {
    /// What it does.
    pub action: Action,
    /// The format.
    pub format: Format,
}

impl Deed {
    /// What an act does; none where it is nothing that goals are about.
    pub fn of(act: &Act) -> Option<Deed> {
        match act {
            Act::Float { operation, parameters, .. } => {
                let format = parameters.format;
                let to_integer = |signed| Action::ToInteger { bits: parameters.width, signed };
                let (action, format) = match operation {
                    Operation::Add => (Action::Add, format),
                    Operation::Sub => (Action::Sub, format),
                    Operation::Mul => (Action::Mul, format),
                    Operation::Div => (Action::Div, format),
                    Operation::Fmod => (Action::Rem, format),
                    Operation::Fma => (Action::Fma, format),
                    Operation::Sqrt => (Action::Sqrt, format),
                    Operation::Convert => (Action::Narrow { from: format }, parameters.target),
                    Operation::ToSigned => (to_integer(true), format),
                    Operation::ToUnsigned => (to_integer(false), format),
                    // Any other row creates nothing, or stands for a function of several steps.
                    _ => return None,
                };
                Some(Deed { action, format })
            }
            Act::Special { special: Special::Libm(name, format), .. } => {
                let action = Action::Libm(libm::with_errors(name.name())?);
                Some(Deed { action, format: *format })
            }
            Act::Special { special: Special::Scale(format), .. } => {
                let action = Action::Libm(libm::with_errors("ldexp")?);
                Some(Deed { action, format: *format })
            }
            Act::Integer { operation, bits, promises, .. } => {
                let operation = match operation {
                    IntegerOperation::Add => Arithmetic::Add,
                    IntegerOperation::Sub => Arithmetic::Sub,
                    IntegerOperation::Mul => Arithmetic::Mul,
                    // Nobody asks whether any other fits.
                    _ => return None,
                };
                let signed = promises.no_signed_wrap;
                Deed::on_integers(IntegerArithmetic { operation, bits: *bits, signed })
            }
            Act::Convert { conversion: IntegerConversion::Truncate, from, to, .. } => {
                let operation = Arithmetic::Narrow { to: to.bits()? };
                Deed::on_integers(IntegerArithmetic { operation, bits: from.bits()?, signed: true })
            }
            // No operations on floats, or none that stand for themselves.
            _ => None,
        }
    }

    /// What a call of `lrint` or its like does: a conversion.
    pub fn of_rounding(name: &str, format: Format) -> Option<Deed> {
        let base = match format {
            Format::BINARY64 => name,
            Format::BINARY32 => name.strip_suffix('f')?,
            _ => return None,
        };
        let action = Action::ToInteger { bits: 64, signed: true };
        libm::ROUNDING.contains(&base).then_some(Deed { action, format })
    }

    fn on_integers(arithmetic: IntegerArithmetic) -> Option<Deed> {
        (arithmetic.bits <= IntegerArithmetic::WIDEST)
            .then_some(Deed { action: Action::Integer(arithmetic), format: Format::BINARY64 })
    }

    /// What a call of a function of the mathematical library does.
    pub fn of_call(name: &str, format: Format) -> Option<Deed> {
        let base = match format {
            Format::BINARY64 => name,
            Format::BINARY32 => name.strip_suffix('f')?,
            Format::X87 => name.strip_suffix('l')?,
            _ => return None,
        };
        let action = match base {
            "sqrt" => Action::Sqrt,
            "fma" => Action::Fma,
            "fmod" => Action::Rem,
            _ => Action::Libm(libm::with_errors(base)?),
        };
        Some(Deed { action, format })
    }
}

impl Compute<'_> {
    /// When an operation on these operands, with this result, raises an exception: in one of
    /// its lanes, if it has several.
    pub fn raises(
        &mut self,
        deed: Deed,
        exception: Exception,
        operands: &[&Value],
        result: &Value,
    ) -> Term {
        let lanes = [result].into_iter().chain(operands.iter().copied()).find_map(|value| {
            if let Value::Parts(parts) = value { Some(parts.len()) } else { None }
        });
        let Some(lanes) = lanes else { return self.raises_once(deed, exception, operands, result) };
        let lane = |value: &Value, at: usize| match value {
            Value::Parts(parts) => parts[at].clone(),
            scalar => scalar.clone(),
        };
        let mut any = Vec::with_capacity(lanes);
        for at in 0..lanes {
            let values: Vec<Value> = operands.iter().map(|value| lane(value, at)).collect();
            let values: Vec<&Value> = values.iter().collect();
            any.push(self.raises_once(deed, exception, &values, &lane(result, at)));
        }
        self.terms.or(&any)
    }

    fn raises_once(
        &mut self,
        Deed { action, format }: Deed,
        exception: Exception,
        operands: &[&Value],
        result: &Value,
    ) -> Term {
        if let Action::Integer(arithmetic) = action {
            return match exception {
                Exception::IntegerOverflow => self.overflows(arithmetic, operands),
                Exception::ConversionOutOfRange | exceptions!(Floating) => self.terms.bool(false),
            };
        }
        let taken = match action {
            Action::Narrow { from } => from,
            _ => format,
        };
        let count = action.operands().min(operands.len());
        let operands: Vec<Term> =
            operands[..count].iter().map(|value| self.float_term(value, taken)).collect();
        if let Action::ToInteger { bits, signed } = action {
            return match exception {
                Exception::ConversionOutOfRange => {
                    let mode = self.terms.rounding(Rounding::TowardZero);
                    let fits = self.fits(signed, taken.implicit(), bits, mode, operands[0]);
                    self.terms.not(fits)
                }
                Exception::IntegerOverflow | exceptions!(Floating) => self.terms.bool(false),
            };
        }
        let result = self.float_term(result, format);
        match exception {
            Exception::Overflow => {
                let mut all = vec![self.terms.fp(Operation::IsInfinite, &[result])];
                all.extend(operands.iter().map(|x| self.terms.fp(Operation::IsFinite, &[*x])));
                let pole = self.pole(action, &operands);
                all.push(self.terms.not(pole));
                self.terms.and(&all)
            }
            Exception::Underflow => {
                let subnormal = self.terms.fp(Operation::IsSubnormal, &[result]);
                let zero = self.terms.fp(Operation::IsZero, &[result]);
                let lost = self.loses(action, &operands);
                let lost = self.terms.and(&[zero, lost]);
                let mut all = vec![self.terms.or(&[subnormal, lost])];
                all.extend(operands.iter().map(|x| self.terms.fp(Operation::IsFinite, &[*x])));
                self.terms.and(&all)
            }
            Exception::DivideByZero => {
                let mut all = vec![self.pole(action, &operands)];
                all.extend(operands.iter().map(|x| self.terms.fp(Operation::IsFinite, &[*x])));
                if action == Action::Div {
                    all.push(self.nonzero(operands[0]));
                }
                self.terms.and(&all)
            }
            Exception::Invalid => {
                let mut all = vec![self.terms.fp(Operation::IsNan, &[result])];
                for x in operands {
                    let nan = self.terms.fp(Operation::IsNan, &[x]);
                    all.push(self.terms.not(nan));
                }
                self.terms.and(&all)
            }
            Exception::ConversionOutOfRange | Exception::IntegerOverflow => self.terms.bool(false),
        }
    }

    /// Whether the result of arithmetic on integers does not fit.
    fn overflows(&mut self, arithmetic: IntegerArithmetic, operands: &[&Value]) -> Term {
        let IntegerArithmetic { operation, bits, signed } = arithmetic;
        let terms: Vec<Term> = operands[..arithmetic.operands()]
            .iter()
            .map(|value| self.integer_term(value, bits))
            .collect();
        match operation {
            Arithmetic::Add => self.terms.add_overflows(signed, terms[0], terms[1]),
            Arithmetic::Sub => self.terms.sub_overflows(signed, terms[0], terms[1]),
            Arithmetic::Mul => self.terms.mul_overflows(signed, terms[0], terms[1]),
            Arithmetic::Narrow { .. } => {
                let (least, greatest) = arithmetic.limits();
                let limit = |limit: i128| limit as u128 & (u128::MAX >> (128 - bits));
                let least = self.terms.bits(bits, limit(least));
                let greatest = self.terms.bits(bits, limit(greatest));
                let below = self.terms.bits_op(BitsOp::Slt, &[terms[0], least]);
                let above = self.terms.bits_op(BitsOp::Slt, &[greatest, terms[0]]);
                self.terms.or(&[below, above])
            }
        }
    }

    fn nonzero(&mut self, x: Term) -> Term {
        let zero = self.terms.fp(Operation::IsZero, &[x]);
        self.terms.not(zero)
    }

    /// Whether a result of zero stands for something that is not.
    fn loses(&mut self, action: Action, operands: &[Term]) -> Term {
        match action {
            Action::Mul => {
                let all = [operands[0], operands[1]].map(|x| self.nonzero(x));
                self.terms.and(&all)
            }
            Action::Div | Action::Narrow { .. } => self.nonzero(operands[0]),
            Action::Fma => {
                let factors = [operands[0], operands[1]].map(|x| self.nonzero(x));
                let addend = self.terms.fp(Operation::IsZero, &[operands[2]]);
                self.terms.and(&[factors[0], factors[1], addend])
            }
            Action::Libm(function) if function.has(RangeError::Vanishing) => {
                let all: Vec<Term> = operands.iter().map(|x| self.nonzero(*x)).collect();
                self.terms.and(&all)
            }
            Action::Libm(_) | actions!(Sum, Rest, ToIntegers) => self.terms.bool(false),
        }
    }

    /// Whether operands stand at a pole.
    fn pole(&mut self, action: Action, operands: &[Term]) -> Term {
        match action {
            Action::Div => self.terms.fp(Operation::IsZero, &[operands[1]]),
            Action::Libm(function) => self.pole_of(function, operands),
            Action::Mul | Action::Fma | Action::Narrow { .. } | actions!(Sum, Rest, ToIntegers) => {
                self.terms.bool(false)
            }
        }
    }

    fn pole_of(&mut self, function: &LibmFunction, operands: &[Term]) -> Term {
        let x = operands[0];
        let is_zero = self.terms.fp(Operation::IsZero, &[x]);
        match function.domain {
            domains!(AtZero) => is_zero,
            Domain::AboveMinusOne => {
                let one = self.one(x, true);
                self.terms.fp(Operation::Equal, &[x, one])
            }
            Domain::UnitOpen => {
                let (one, size) = (self.one(x, false), self.terms.fp(Operation::Abs, &[x]));
                self.terms.fp(Operation::Equal, &[size, one])
            }
            Domain::LogGamma => {
                let mode = self.terms.rounding(Rounding::TowardZero);
                let integral = self.terms.fp(Operation::RoundToIntegral, &[mode, x]);
                let integral = self.terms.fp(Operation::Equal, &[integral, x]);
                let negative = self.terms.fp(Operation::IsNegative, &[x]);
                let below = self.terms.or(&[negative, is_zero]);
                self.terms.and(&[integral, below])
            }
            Domain::Power => {
                let exponent = operands[1];
                let negative = self.terms.fp(Operation::IsNegative, &[exponent]);
                let nonzero = self.nonzero(exponent);
                self.terms.and(&[is_zero, negative, nonzero])
            }
            domains!(WithoutPole) => self.terms.bool(false),
        }
    }

    /// One, or minus one, in the format of a term.
    fn one(&mut self, like: Term, negative: bool) -> Term {
        let format = self.terms.format(like);
        let word = Float::one(format, negative).word().clone();
        self.terms.constant(Known::float(format, word))
    }
}
