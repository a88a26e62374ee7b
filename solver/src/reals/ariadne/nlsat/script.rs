//! A query about floats as one about real numbers, in SMT-LIB (section 3.2).
//!
//! Every operation is the real one: nothing rounds. What is beyond the greatest float is
//! infinite, where it would round to infinity; a term may be NaN where an operation has no
//! real result. Integers are real numbers, too, and do not wrap. What has no meaning in reals,
//! as bits of encodings, may be anything, so that the script says no more than the query does
//! of reals.

use super::floats::Floats;
use super::writer::{Writer, unsigned};
use crate::propagate::Domain;
use nanoscope_ieee::{Operation, Rational, Word};
use nanoscope_term::{BitsOp, Op, Sort, Term, Terms, VariableId, bits_ops, op_heads};
use num_bigint::BigInt;
use num_traits::One;
use std::collections::BTreeMap;

/// A script, and the variables whose values it asks for, in that order.
#[derive(Debug)]
pub(super) struct Script {
    text: String,
    pub(super) asked: Vec<VariableId>,
    names: Vec<String>,
}

/// The longest script, in bytes.
const MOST_TEXT: usize = 8 << 20;

impl Script {
    /// Assertions over reals; none if they are beyond them. `below` are the terms of the
    /// assertions, arguments first.
    pub(super) fn of(
        terms: &Terms,
        assertions: &[Term],
        below: &[Term],
        domains: &BTreeMap<Term, Domain>,
    ) -> Option<Script> {
        let mut writer = Writer::new(terms, domains);
        for term in below {
            writer.term(*term)?;
            if writer.text.len() > MOST_TEXT {
                return None;
            }
        }
        for assertion in assertions {
            let holds = writer.truth.get(assertion)?.clone();
            writer.assert(&holds);
        }
        let (asked, names): (Vec<VariableId>, Vec<String>) = writer.asked.into_iter().unzip();
        Some(Script { text: writer.text, asked, names })
    }

    /// The whole, with this command to ask.
    pub(super) fn asking(&self, check: &str) -> String {
        let Script { text, names, .. } = self;
        let values = match names.is_empty() {
            true => String::new(),
            false => format!("(get-value ({}))\n", names.join(" ")),
        };
        format!("{text}{check}\n{values}(exit)\n")
    }
}

impl Writer<'_> {
    fn term(&mut self, term: Term) -> Option<()> {
        match self.terms.sort(term) {
            Sort::Bool => self.condition(term),
            Sort::Float(_) => Floats::of(self).float(term),
            Sort::Bits(_) => self.integer(term),
            Sort::Rounding => Some(()),
            Sort::Array(_) => None,
        }
    }

    fn condition(&mut self, term: Term) -> Option<()> {
        let args = self.terms.args(term);
        let all = |writer: &Writer| {
            let parts: Option<Vec<&str>> =
                args.iter().map(|arg| writer.truth.get(arg).map(String::as_str)).collect();
            parts.map(|parts| parts.join(" "))
        };
        let what = match self.terms.op(term) {
            Op::Value(_) => self.terms.value(term)?.as_bool()?.to_string(),
            Op::Variable(variable) => self.variable(variable, "Bool"),
            Op::Not => format!("(not {})", all(self)?),
            Op::And => format!("(and {})", all(self)?),
            Op::Or => format!("(or {})", all(self)?),
            Op::Ite => format!("(ite {})", all(self)?),
            Op::Equal => match self.terms.sort(args[0]) {
                Sort::Bool => format!("(= {})", all(self)?),
                Sort::Float(_) => Floats::of(self).same(args[0], args[1]),
                Sort::Bits(_) => format!("(= {} {})", self.real[&args[0]], self.real[&args[1]]),
                Sort::Rounding | Sort::Array(_) => self.unknown("Bool"),
            },
            Op::Bits(operation) => self.comparison(operation, args)?,
            Op::Float(operation, _) => Floats::of(self).predicate(operation, args)?,
            Op::Libm(..) | op_heads!(Door) => return None,
        };
        let name = self.named("Bool", &what);
        self.truth.insert(term, name);
        Some(())
    }

    /// A comparison of integers, which stand for their signed values.
    fn comparison(&self, operation: BitsOp, args: &[Term]) -> Option<String> {
        let (a, b) = (self.real.get(args.first()?)?, self.real.get(args.get(1)?)?);
        // Of unlike signs, the negative one is the greater unsigned number.
        let unsigned =
            |than: &str| format!("(ite (= (< {a} 0.0) (< {b} 0.0)) ({than} {a} {b}) (>= {a} 0.0))");
        match operation {
            BitsOp::Slt => Some(format!("(< {a} {b})")),
            BitsOp::Sle => Some(format!("(<= {a} {b})")),
            BitsOp::Ult => Some(unsigned("<")),
            BitsOp::Ule => Some(unsigned("<=")),
            bits_ops!(Logic, Arithmetic, Shift, Slice) => None,
        }
    }

    fn integer(&mut self, term: Term) -> Option<()> {
        let Sort::Bits(width) = self.terms.sort(term) else { return None };
        let args = self.terms.args(term);
        let real = |writer: &Writer, at: usize| writer.real.get(&args[at]).cloned();
        let what = match self.terms.op(term) {
            Op::Value(_) => {
                let value = signed(self.terms.value(term)?.as_bits()?);
                self.number(&Rational::from_integer(value))
            }
            Op::Variable(variable) => {
                let name = self.variable(variable, "Real");
                self.within(&name, width);
                name
            }
            Op::Ite => {
                let condition = self.truth.get(&args[0])?;
                format!("(ite {condition} {} {})", real(self, 1)?, real(self, 2)?)
            }
            Op::Bits(BitsOp::Add) => format!("(+ {} {})", real(self, 0)?, real(self, 1)?),
            Op::Bits(BitsOp::Sub) => format!("(- {} {})", real(self, 0)?, real(self, 1)?),
            Op::Bits(BitsOp::Mul) => format!("(* {} {})", real(self, 0)?, real(self, 1)?),
            Op::Bits(BitsOp::Neg) => format!("(- {})", real(self, 0)?),
            Op::Bits(BitsOp::SignExtend(_)) => real(self, 0)?,
            Op::Bits(BitsOp::ZeroExtend(_)) => {
                let Sort::Bits(narrow) = self.terms.sort(args[0]) else { return None };
                unsigned(&real(self, 0)?, narrow)
            }
            Op::Float(Operation::ToSigned | Operation::ToUnsigned, _) => {
                let name = self.unknown("Real");
                let from = real(self, 1)?;
                self.assert(&format!("(< (- {name} 1.0) {from} (+ {name} 1.0))"));
                name
            }
            Op::Bits(
                BitsOp::Concat
                | BitsOp::Extract { .. }
                | bits_ops!(Quotient, Logic, Shift, Compare),
            )
            | Op::Float(..) => {
                let name = self.unknown("Real");
                self.within(&name, width);
                name
            }
            Op::Equal | Op::Libm(..) | op_heads!(Connective, Door) => return None,
        };
        self.stands(term, &what);
        Some(())
    }
}

/// A word as a signed integer.
fn signed(word: &Word) -> BigInt {
    let value = BigInt::from(word.to_big());
    let negative = word.bit(word.width() - 1);
    if negative { value - (BigInt::one() << word.width()) } else { value }
}
