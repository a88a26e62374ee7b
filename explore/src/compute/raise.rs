//! Which flags an operation raises, as truth values (IEEE 754-2019, clause 7).
//!
//! Only for programs that look at flags. A result is inexact just if rounding it up and
//! rounding it down differ. It overflows, or is tiny, if the same result in a format of the
//! same precision and far more range lies beyond the largest number, or below the smallest
//! normal one: tininess is detected after rounding, as x86 does.

use super::Compute;
use super::float::{Operands, implicit};
use super::machine::{Register, register};
use super::scalar::FloatTerm;
use nanoscope_ieee::{
    Flag, Float, Format, Operation, OutOfRange, Parameters, Rounding, operations,
};
use nanoscope_term::{Term, Value as Known};

impl Compute<'_> {
    /// Raises what an operation on unknown operands raises.
    pub(super) fn raise(
        &mut self,
        operation: Operation,
        parameters: &Parameters,
        operands: &Operands,
    ) {
        match operation {
            Operation::Convert | operations!(Arithmetic, FromInteger) => {
                self.raise_rounded(operation, parameters, operands)
            }
            Operation::Remainder | Operation::Fmod => {
                let terms: Vec<Term> = operands.floats.iter().map(|float| float.term).collect();
                let result = self.terms.fp(operation, &terms);
                self.raise_invalid(&operands.floats, Some(result));
            }
            Operation::RoundToIntegral
            | Operation::Unordered
            | operations!(Step, Quiet, Extremum) => self.raise_invalid(&operands.floats, None),
            Operation::RoundToIntegralExact => {
                self.raise_invalid(&operands.floats, None);
                let (mode, a) = (operands.mode.expect("it rounds"), operands.floats[0].term);
                let inexact = self.not_integral(mode, a);
                self.environment.raise_if(self.terms, Flag::Inexact, inexact);
            }
            Operation::MinX86 | Operation::MaxX86 | operations!(Signaling) => {
                self.raise_comparison(true, operands.floats[0], operands.floats[1]);
            }
            Operation::ToSigned | Operation::ToUnsigned => {
                let mode = operands.mode.expect("conversions to integers round");
                self.raise_to_integer(operation, parameters, mode, operands.floats[0].term);
            }
            Operation::Identical | operations!(Sign, Classify, Encoding) => {}
        }
    }

    /// What a comparison raises: signalling NaNs are invalid, quiet ones if it says so.
    pub(super) fn raise_comparison(&mut self, signaling: bool, a: FloatTerm, b: FloatTerm) {
        let invalid = [a, b].map(|float| {
            if signaling {
                self.terms.fp(Operation::IsNan, &[float.term])
            } else {
                self.signaling(float.encoding)
            }
        });
        let invalid = self.terms.or(&invalid);
        self.environment.raise_if(self.terms, Flag::Invalid, invalid);
    }

    /// Invalid: a signalling operand, or a NaN made of none.
    fn raise_invalid(&mut self, floats: &[FloatTerm], result: Option<Term>) {
        let mut any: Vec<Term> =
            floats.iter().map(|float| self.signaling(float.encoding)).collect();
        if let Some(result) = result {
            let mut made = vec![self.terms.fp(Operation::IsNan, &[result])];
            for float in floats {
                let nan = self.terms.fp(Operation::IsNan, &[float.term]);
                made.push(self.terms.not(nan));
            }
            any.push(self.terms.and(&made));
        }
        let invalid = self.terms.or(&any);
        self.environment.raise_if(self.terms, Flag::Invalid, invalid);
    }

    fn raise_rounded(
        &mut self,
        operation: Operation,
        parameters: &Parameters,
        operands: &Operands,
    ) {
        let plain = implicit(parameters);
        let mode = operands.mode.expect("it rounds");
        let result = self.rounded(operation, &plain, mode, operands);
        self.raise_invalid(&operands.floats, Some(result));
        let (up, down) =
            (self.terms.rounding(Rounding::Upward), self.terms.rounding(Rounding::Downward));
        let up = self.rounded(operation, &plain, up, operands);
        let down = self.rounded(operation, &plain, down, operands);
        let nan = self.terms.fp(Operation::IsNan, &[result]);
        let exact = self.terms.fp(Operation::Equal, &[up, down]);
        let exact = self.terms.or(&[exact, nan]);
        let inexact = self.terms.not(exact);
        self.environment.raise_if(self.terms, Flag::Inexact, inexact);
        if operation == Operation::Div {
            let (a, b) = (operands.floats[0].term, operands.floats[1].term);
            let finite = self.terms.fp(Operation::IsFinite, &[a]);
            let [zero, pole] = [a, b].map(|term| self.terms.fp(Operation::IsZero, &[term]));
            let nonzero = self.terms.not(zero);
            let raised = self.terms.and(&[finite, nonzero, pole]);
            self.environment.raise_if(self.terms, Flag::DivideByZero, raised);
        }
        let (overflows, underflows) = match operation {
            // A root is nearer to one than its operand.
            Operation::Sqrt => (false, false),
            // A tiny sum is exact; so is a tiny integer.
            Operation::Add | Operation::Sub => (true, false),
            Operation::FromSigned | Operation::FromUnsigned => {
                (i64::from(parameters.width) > plain.format.max_exponent(), false)
            }
            Operation::Convert => {
                let narrowing = !plain.target.holds(plain.format);
                (narrowing, narrowing)
            }
            // Any other operation may do both, as far as this shortcut knows.
            _ => (true, true),
        };
        if !overflows && !underflows {
            return;
        }
        let wide = self.wide(operation, &plain, mode, operands);
        let format = self.terms.format(wide);
        let target = if operation == Operation::Convert { plain.target } else { plain.format };
        let size = self.terms.fp(Operation::Abs, &[wide]);
        if overflows {
            let largest = self.in_format(Float::largest(target, false), format);
            let beyond = self.terms.fp(Operation::Less, &[largest, size]);
            let infinite = self.terms.fp(Operation::IsInfinite, &[wide]);
            let finite = self.terms.not(infinite);
            let overflow = self.terms.and(&[beyond, finite]);
            self.environment.raise_if(self.terms, Flag::Overflow, overflow);
        }
        if underflows {
            let smallest = self.in_format(Float::smallest_normal(target, false), format);
            let below = self.terms.fp(Operation::Less, &[size, smallest]);
            let underflow = self.terms.and(&[below, inexact]);
            self.environment.raise_if(self.terms, Flag::Underflow, underflow);
        }
    }

    /// The result in some rounding mode.
    fn rounded(
        &mut self,
        operation: Operation,
        parameters: &Parameters,
        mode: Term,
        operands: &Operands,
    ) -> Term {
        let mut terms = vec![mode];
        terms.extend(operands.floats.iter().map(|float| float.term));
        terms.extend(&operands.bits);
        self.terms.float(operation, *parameters, &terms)
    }

    /// The result in a format of the same precision where no exponent is too large or too
    /// small.
    fn wide(
        &mut self,
        operation: Operation,
        parameters: &Parameters,
        mode: Term,
        operands: &Operands,
    ) -> Term {
        let ample = |format: Format, exponent_bits: u32| Format {
            exponent_bits: (exponent_bits + 3).min(Format::MAX_EXPONENT_BITS),
            ..format
        };
        let nearest = self.terms.rounding(Rounding::NearestEven);
        match operation {
            Operation::Convert => {
                let bits = parameters.format.exponent_bits.max(parameters.target.exponent_bits);
                let target = ample(parameters.target, bits);
                self.terms.convert(target, mode, operands.floats[0].term)
            }
            Operation::FromSigned | Operation::FromUnsigned => {
                let needed = 32 - parameters.width.leading_zeros();
                let format = ample(parameters.format, parameters.format.exponent_bits.max(needed));
                let parameters = Parameters { format, ..*parameters };
                self.terms.float(operation, parameters, &[mode, operands.bits[0]])
            }
            // Any other operation works on floats of one format.
            _ => {
                let format = ample(parameters.format, parameters.format.exponent_bits);
                let mut terms = vec![mode];
                for float in &operands.floats {
                    terms.push(self.terms.convert(format, nearest, float.term));
                }
                self.terms.fp(operation, &terms)
            }
        }
    }

    /// A known float in another format that has it too.
    fn in_format(&mut self, float: Float, format: Format) -> Term {
        let (float, _) = float.convert(format, Rounding::NearestEven);
        self.terms.constant(Known::float(format, float.word().clone()))
    }

    /// Whether rounding to an integral value changes a number.
    fn not_integral(&mut self, mode: Term, a: Term) -> Term {
        let integral = self.terms.fp(Operation::RoundToIntegral, &[mode, a]);
        let same = self.terms.fp(Operation::Equal, &[integral, a]);
        let nan = self.terms.fp(Operation::IsNan, &[a]);
        let same = self.terms.or(&[same, nan]);
        self.terms.not(same)
    }

    /// Invalid where the register cannot hold it, inexact where it was no integer.
    fn raise_to_integer(
        &mut self,
        operation: Operation,
        parameters: &Parameters,
        mode: Term,
        a: Term,
    ) {
        let signed = operation == Operation::ToSigned;
        let format = parameters.format.implicit();
        let width = parameters.width;
        let always = self.terms.bool(true);
        if parameters.out_of_range != OutOfRange::Undefined {
            return self.raise_conversion(signed, format, width, mode, a, always);
        }
        // Half precision goes by way of `float`.
        let narrow = format.precision < Format::BINARY32.precision;
        let (format, a, wide) = if narrow {
            let a = self.terms.convert(Format::BINARY32, mode, a);
            (Format::BINARY32, a, Format::BINARY32)
        } else {
            (format, a, parameters.format)
        };
        match register(wide, signed, width) {
            Register::Direct(bits) => self.raise_conversion(true, format, bits, mode, a, always),
            Register::Saturating => {
                self.raise_conversion(signed, format, width, mode, a, always);
            }
            Register::TwoSteps => {
                let (half, less) = self.less_half(wide, a);
                let low = self.terms.fp(Operation::Less, &[a, half]);
                let x87 = wide.explicit_integer_bit;
                let first = if x87 { low } else { always };
                let second = if x87 { self.terms.not(low) } else { always };
                self.raise_conversion(true, format, 64, mode, a, first);
                self.raise_conversion(true, format, 64, mode, less, second);
                let [nearest_up, nearest_down] =
                    [Rounding::Upward, Rounding::Downward].map(|mode| {
                        let mode = self.terms.rounding(mode);
                        self.terms.fp(Operation::Sub, &[mode, a, half])
                    });
                let exact = self.terms.fp(Operation::Equal, &[nearest_up, nearest_down]);
                let nan = self.terms.fp(Operation::IsNan, &[a]);
                let exact = self.terms.or(&[exact, nan]);
                let inexact = self.terms.not(exact);
                let inexact = self.terms.and(&[inexact, second]);
                self.environment.raise_if(self.terms, Flag::Inexact, inexact);
            }
        }
    }

    /// What one conversion to an integer raises, if it happens.
    fn raise_conversion(
        &mut self,
        signed: bool,
        format: Format,
        width: u32,
        mode: Term,
        a: Term,
        happens: Term,
    ) {
        let fits = self.fits(signed, format, width, mode, a);
        let beyond = self.terms.not(fits);
        let invalid = self.terms.and(&[beyond, happens]);
        self.environment.raise_if(self.terms, Flag::Invalid, invalid);
        let rest = self.not_integral(mode, a);
        let inexact = self.terms.and(&[rest, fits, happens]);
        self.environment.raise_if(self.terms, Flag::Inexact, inexact);
    }
}
