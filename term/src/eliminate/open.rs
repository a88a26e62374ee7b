//! Results that SMT-LIB leaves open, closed by variables.

use super::Work;
use crate::standard::fits;
use crate::{BitsOp, Sort, Term, Unspecified, Value};
use nanoscope_ieee::{Format, Operation, OutOfRange, Parameters, Word};

impl Work<'_> {
    /// A total function in the place of an open one.
    pub(super) fn close(&mut self, function: Unspecified, args: &[Term]) -> Term {
        match function {
            Unspecified::Min(format) => {
                self.close_choice(function, format, Operation::MinNum, args)
            }
            Unspecified::Max(format) => {
                self.close_choice(function, format, Operation::MaxNum, args)
            }
            Unspecified::ToUnsigned(format, width) => {
                self.close_integer(function, format, width, Operation::ToUnsigned, args)
            }
            Unspecified::ToSigned(format, width) => {
                self.close_integer(function, format, width, Operation::ToSigned, args)
            }
            Unspecified::ToIeeeBits(format) => self.close_encoding(function, format, args[0]),
        }
    }

    /// `fp.min` and `fp.max`: either zero for zeros of opposite sign, in each
    /// of the two orders.
    fn close_choice(
        &mut self,
        function: Unspecified,
        format: Format,
        operation: Operation,
        args: &[Term],
    ) -> Term {
        let zeros = [false, true].map(|n| self.terms.constant(Value::zero(format, n)));
        let chosen = match self.out.open.get(&function) {
            Some(occurrences) => [occurrences[0].1, occurrences[1].1],
            None => {
                let choices = [false, true].map(|negative_first| {
                    let sign = self.terms.fresh("zero", Sort::Bool);
                    let zero = self.terms.ite(sign, zeros[1], zeros[0]);
                    let (a, b) = (negative_first as usize, 1 - negative_first as usize);
                    (vec![zeros[a], zeros[b]], zero)
                });
                let results = [choices[0].1, choices[1].1];
                self.out.open.insert(function, choices.to_vec());
                results
            }
        };
        let (a, b) = (args[0], args[1]);
        let a_zero = self.terms.fp(Operation::IsZero, &[a]);
        let b_zero = self.terms.fp(Operation::IsZero, &[b]);
        let same = self.terms.equal(a, b);
        let differ = self.terms.not(same);
        let open = self.terms.and(&[a_zero, b_zero, differ]);
        let negative = self.terms.fp(Operation::IsNegative, &[a]);
        let zero = self.terms.ite(negative, chosen[1], chosen[0]);
        let usual = self.terms.fp(operation, &[a, b]);
        self.terms.ite(open, zero, usual)
    }

    /// Conversions to integers: anything where the integer does not fit.
    fn close_integer(
        &mut self,
        function: Unspecified,
        format: Format,
        width: u32,
        operation: Operation,
        args: &[Term],
    ) -> Term {
        let signed = operation == Operation::ToSigned;
        let fits = fits(self.terms, format, width, signed, args);
        let parameters = Parameters::integer(format, width, OutOfRange::Undefined);
        let usual = self.terms.float(operation, parameters, args);
        if self.terms.value(fits) == Some(&Value::Bool(true)) {
            return usual;
        }
        let mut known = self.out.open.remove(&function).unwrap_or_default();
        let open = self.occurrence(&mut known, args.to_vec(), "open", Sort::Bits(width));
        self.out.open.insert(function, known);
        self.terms.ite(fits, usual, open)
    }

    /// `fp.to_ieee_bv`: for the NaN any sign and any fraction but zero.
    fn close_encoding(&mut self, function: Unspecified, format: Format, a: Term) -> Term {
        let pattern = match self.out.open.get(&function) {
            Some(occurrences) => occurrences[0].1,
            None => {
                let fraction_bits = format.fraction_bits();
                let sign = self.terms.fresh("sign", Sort::Bits(1));
                let fraction = self.terms.fresh("payload", Sort::Bits(fraction_bits));
                let zero = self.terms.bits(fraction_bits, 0);
                let one = self.terms.bits(fraction_bits, 1);
                let none = self.terms.equal(fraction, zero);
                let fraction = self.terms.ite(none, one, fraction);
                let exponent = self.terms.constant(Value::Bits(Word::ones(format.exponent_bits)));
                let head = self.terms.bits_op(BitsOp::Concat, &[sign, exponent]);
                let pattern = self.terms.bits_op(BitsOp::Concat, &[head, fraction]);
                let nan = self.terms.constant(Value::nan(format));
                self.out.open.insert(function, vec![(vec![nan], pattern)]);
                pattern
            }
        };
        let is_nan = self.terms.fp(Operation::IsNan, &[a]);
        let usual = self.terms.fp(Operation::ToBits, &[a]);
        self.terms.ite(is_nan, pattern, usual)
    }
}
