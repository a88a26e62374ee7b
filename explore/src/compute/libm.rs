//! Functions of the mathematical library that are no rows of the operation table.

use super::Compute;
use super::encoding::Origin;
use crate::Value;
use crate::environment::{RoundingMode, STANDARD};
use nanoscope_ieee::{Format, Operation, Parameters, Rounding};
use nanoscope_program::ir::{Mode, Type};
use nanoscope_term::{Libm, Sort, Value as Known};

impl Compute<'_> {
    /// A function of libm. What the solver knows nothing of (another format, another rounding
    /// mode) is a fresh unknown: it may be anything, so whatever is proved holds of the real one.
    pub(super) fn libm(&mut self, function: Libm, format: Format, values: &[&Value]) -> Value {
        if self.environment.tracked {
            // Which flags a library raises is its own affair.
            for flag in STANDARD {
                let raised = self.terms.fresh("libm_raises", Sort::Bool);
                self.environment.raise_if(self.terms, flag, raised);
            }
        }
        let nearest = RoundingMode::Known(Rounding::NearestEven);
        let known = matches!(format, Format::BINARY32 | Format::BINARY64);
        if !known || self.environment.rounding != nearest {
            return self.unknown(function.name(), &Type::Float(format));
        }
        let arguments: Vec<_> = values.iter().map(|value| self.float_term(value, format)).collect();
        let term = self.terms.libm(function, &arguments);
        // A known NaN comes from the machine's own library: its sign is not part of the term.
        if self.terms.value(term).is_some_and(Known::is_nan) {
            return Value::Float {
                term,
                encoding: self.encodings.insert(term, format, Origin::Anything),
            };
        }
        self.float_made(term, format, Origin::Anything)
    }

    /// `llvm.powi`: products by squaring, as the compiler's support library does.
    pub(super) fn power(&mut self, format: Format, base: &Value, exponent: &Value) -> Value {
        let Value::Small(exponent) = exponent else {
            return self.unknown("powi", &Type::Float(format));
        };
        let exponent = *exponent as u32 as i32;
        let parameters = Parameters::of(format);
        let one = Value::word(nanoscope_ieee::Float::one(format, false).word().clone());
        let (mut result, mut base) = (one.clone(), base.clone());
        let mut left = exponent.unsigned_abs();
        loop {
            if left & 1 == 1 {
                result = self.float(Operation::Mul, &parameters, Mode::Dynamic, &[&result, &base]);
            }
            left >>= 1;
            if left == 0 {
                break;
            }
            base = self.float(Operation::Mul, &parameters, Mode::Dynamic, &[&base, &base]);
        }
        if exponent < 0 {
            result = self.float(Operation::Div, &parameters, Mode::Dynamic, &[&one, &result]);
        }
        result
    }
}
