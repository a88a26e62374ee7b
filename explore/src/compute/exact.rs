//! Functions on exponents and neighbours, exactly: `frexp`, `ldexp`, `modf`, `nextafter`.

use super::Compute;
use super::encoding::Origin;
use super::scalar::FloatTerm;
use crate::Value;
use nanoscope_ieee::{Flag, Float, Format, Operation, Parameters, Rounding};
use nanoscope_program::ir::{Aggregate, Mode, Type};
use nanoscope_term::{BitsOp, Term};

impl Compute<'_> {
    /// C's `frexp`: a fraction in [1/2, 1) and an exponent (`i32`) that give the float; zeros,
    /// infinities and NaNs are their own fraction, with exponent 0.
    pub fn frexp(&mut self, format: Format, value: &Value) -> (Value, Value) {
        let float = self.float_source(value, format);
        let plain = format.implicit();
        let (bits, fraction) = (plain.exponent_bits, plain.fraction_bits());
        // A subnormal number times a power of two is normal, exactly.
        let subnormal = self.terms.fp(Operation::IsSubnormal, &[float.term]);
        let shift = i64::from(plain.precision);
        let nearest = self.terms.rounding(Rounding::NearestEven);
        let power = self.power_of_two(plain, shift);
        let scaled = self.terms.fp(Operation::Mul, &[nearest, float.term, power]);
        let normal = self.terms.ite(subnormal, scaled, float.term);
        let encoded = self.terms.fp(Operation::ToBits, &[normal]);
        let field = self.terms.extract(fraction + bits - 1, fraction, encoded);
        let sign = self.terms.extract(fraction + bits, fraction + bits, encoded);
        let rest = self.terms.extract(fraction - 1, 0, encoded);
        let below_one = plain.max_exponent() - 1;
        let half = self.terms.bits(bits, below_one as u128);
        let top = self.terms.concat(sign, half);
        let part = self.terms.concat(top, rest);
        let part = self.terms.from_bits(plain, part);
        let exponent = self.resized(field, 32, false);
        let bias = self.terms.bits(32, below_one as u128);
        let exponent = self.terms.bits_op(BitsOp::Sub, &[exponent, bias]);
        let shift = self.terms.bits(32, shift as u128);
        let less = self.terms.bits_op(BitsOp::Sub, &[exponent, shift]);
        let exponent = self.terms.ite(subnormal, less, exponent);

        let zero = self.terms.fp(Operation::IsZero, &[float.term]);
        let finite = self.terms.fp(Operation::IsFinite, &[float.term]);
        let special = self.terms.not(finite);
        let special = self.terms.or(&[zero, special]);
        let part = self.terms.ite(special, float.term, part);
        let none = self.terms.bits(32, 0);
        let exponent = self.terms.ite(special, none, exponent);
        self.raise_signaling(&[float]);
        let origin = Origin::Result([Some(float.encoding), None, None]);
        (self.float_made(part, format, origin), self.integer_value(exponent))
    }

    /// The structure that `llvm.frexp` gives.
    pub(super) fn fraction(&mut self, format: Format, value: &Value, result: &Type) -> Value {
        let (mut fractions, mut exponents) = (Vec::new(), Vec::new());
        let width = match result {
            Type::Aggregate(aggregate) => match &**aggregate {
                Aggregate::Structure { members, .. } => {
                    members.get(1).and_then(|(_, ty)| ty.lane().bits()).unwrap_or(32)
                }
                Aggregate::Array { .. } => 32,
            },
            Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer | Type::Vector(..) => 32,
        };
        let lanes = match value {
            Value::Parts(lanes) => Vec::clone(lanes),
            Value::Undefined
            | Value::Small(_)
            | Value::Wide(_)
            | Value::Term(_)
            | Value::Float { .. } => vec![value.clone()],
        };
        for lane in &lanes {
            let (fraction, exponent) = self.frexp(format, lane);
            let exponent = self.integer_term(&exponent, 32);
            let exponent = self.resized(exponent, width, true);
            fractions.push(fraction);
            exponents.push(self.integer_value(exponent));
        }
        if let Value::Parts(_) = value {
            return Value::parts(vec![Value::parts(fractions), Value::parts(exponents)]);
        }
        Value::parts(vec![fractions.swap_remove(0), exponents.swap_remove(0)])
    }

    /// C's `ldexp`: the float times two to an integer (`i32`), rounded once.
    pub fn ldexp(&mut self, format: Format, value: &Value, exponent: &Value) -> Value {
        let float = self.float_source(value, format);
        let plain = format.implicit();
        let (wide, limit) = scaling(plain);
        let exponent = self.integer_term(exponent, 32);
        let exponent = self.resized(exponent, 32, true);
        // Beyond the limit the result stays what it is.
        let least = self.terms.bits(32, -limit as u32 as u128);
        let greatest = self.terms.bits(32, limit as u128);
        let below = self.terms.bits_op(BitsOp::Slt, &[exponent, least]);
        let above = self.terms.bits_op(BitsOp::Slt, &[greatest, exponent]);
        let exponent = self.terms.ite(below, least, exponent);
        let exponent = self.terms.ite(above, greatest, exponent);
        let bias = self.terms.bits(32, wide.max_exponent() as u128);
        let field = self.terms.bits_op(BitsOp::Add, &[exponent, bias]);
        let field = self.terms.extract(wide.exponent_bits - 1, 0, field);
        let plus = self.terms.bits(1, 0);
        let top = self.terms.concat(plus, field);
        let nothing = self.terms.bits(wide.fraction_bits(), 0);
        let power = self.terms.concat(top, nothing);
        let power = self.terms.from_bits(wide, power);

        let nearest = self.terms.rounding(Rounding::NearestEven);
        let widened = self.terms.convert(wide, nearest, float.term);
        let product = self.terms.fp(Operation::Mul, &[nearest, widened, power]);
        let mode = self.environment.mode(self.terms);
        let term = self.terms.convert(plain, mode, product);
        if self.environment.tracked {
            self.raise_signaling(&[float]);
            self.raise_narrowed(plain, product);
        }
        let origin = Origin::Result([Some(float.encoding), None, None]);
        self.float_made(term, format, origin)
    }

    pub(super) fn scale(&mut self, format: Format, value: &Value, exponent: &Value) -> Value {
        self.ldexp(format, value, exponent)
    }

    /// C's `modf`: the fraction and the integral part, both with the float's sign.
    pub fn modf(&mut self, format: Format, value: &Value) -> (Value, Value) {
        let parameters = Parameters::of(format);
        let toward_zero = Mode::Fixed(Rounding::TowardZero);
        let integral = self.float(Operation::RoundToIntegral, &parameters, toward_zero, &[value]);
        let nearest = Mode::Fixed(Rounding::NearestEven);
        let rest = self.float(Operation::Sub, &parameters, nearest, &[value, &integral]);
        // An infinity less itself is none: its fraction is zero.
        let infinite = self.float(Operation::IsInfinite, &parameters, nearest, &[value]);
        let infinite = self.truth_term(&infinite);
        let zero = Value::bits(format.width(), 0);
        let rest = self.choose(infinite, &zero, &rest, &Type::Float(format));
        (self.float(Operation::CopySign, &parameters, nearest, &[&rest, value]), integral)
    }

    /// C's `nextafter`: the neighbour toward another float, that one where they are equal.
    pub fn nextafter(&mut self, format: Format, from: &Value, toward: &Value) -> Value {
        let (a, b) = (self.float_source(from, format), self.float_source(toward, format));
        let up = self.terms.fp(Operation::NextUp, &[a.term]);
        let down = self.terms.fp(Operation::NextDown, &[a.term]);
        let less = self.terms.fp(Operation::Less, &[a.term, b.term]);
        let same = self.terms.fp(Operation::Equal, &[a.term, b.term]);
        let nan = self.terms.fp(Operation::Unordered, &[a.term, b.term]);
        let next = self.terms.ite(less, up, down);
        let next = self.terms.ite(same, b.term, next);
        let none = self.terms.constant(nanoscope_term::Value::nan(format.implicit()));
        let next = self.terms.ite(nan, none, next);
        if self.environment.tracked {
            self.raise_signaling(&[a, b]);
            // C: overflow where the next is infinite, underflow where it is subnormal or zero.
            let finite = self.terms.fp(Operation::IsFinite, &[a.term]);
            let infinite = self.terms.fp(Operation::IsInfinite, &[next]);
            let moved = self.terms.not(same);
            let overflow = self.terms.and(&[finite, infinite, moved]);
            let normal = self.terms.fp(Operation::IsNormal, &[next]);
            let normal = self.terms.or(&[normal, infinite, nan]);
            let small = self.terms.not(normal);
            let underflow = self.terms.and(&[small, moved]);
            let inexact = self.terms.or(&[overflow, underflow]);
            self.environment.raise_if(self.terms, Flag::Overflow, overflow);
            self.environment.raise_if(self.terms, Flag::Underflow, underflow);
            self.environment.raise_if(self.terms, Flag::Inexact, inexact);
        }
        let origin = Origin::Result([Some(a.encoding), Some(b.encoding), None]);
        self.float_made(next, format, origin)
    }

    fn raise_signaling(&mut self, floats: &[FloatTerm]) {
        if !self.environment.tracked {
            return;
        }
        let any: Vec<Term> = floats.iter().map(|float| self.signaling(float.encoding)).collect();
        let invalid = self.terms.or(&any);
        self.environment.raise_if(self.terms, Flag::Invalid, invalid);
    }

    /// What rounding from a format of more range raises.
    fn raise_narrowed(&mut self, format: Format, wide: Term) {
        let [up, down] = [Rounding::Upward, Rounding::Downward].map(|mode| {
            let mode = self.terms.rounding(mode);
            self.terms.convert(format, mode, wide)
        });
        let exact = self.terms.fp(Operation::Equal, &[up, down]);
        let nan = self.terms.fp(Operation::IsNan, &[wide]);
        let exact = self.terms.or(&[exact, nan]);
        let inexact = self.terms.not(exact);
        self.environment.raise_if(self.terms, Flag::Inexact, inexact);
        // The precisions are equal: nothing but the range changes, so the wide number is the
        // one rounded with an unbounded exponent.
        let size = self.terms.fp(Operation::Abs, &[wide]);
        let ample = self.terms.format(wide);
        let [largest, smallest] =
            [Float::largest(format, false), Float::smallest_normal(format, false)].map(|float| {
                let (float, _) = float.convert(ample, Rounding::NearestEven);
                self.terms.float_bits(ample, float.word().clone())
            });
        let beyond = self.terms.fp(Operation::Less, &[largest, size]);
        let infinite = self.terms.fp(Operation::IsInfinite, &[wide]);
        let finite = self.terms.not(infinite);
        let overflow = self.terms.and(&[beyond, finite]);
        self.environment.raise_if(self.terms, Flag::Overflow, overflow);
        let below = self.terms.fp(Operation::Less, &[size, smallest]);
        let underflow = self.terms.and(&[below, inexact]);
        self.environment.raise_if(self.terms, Flag::Underflow, underflow);
    }

    fn power_of_two(&mut self, format: Format, exponent: i64) -> Term {
        let field = (format.max_exponent() + exponent) as u128;
        let word = nanoscope_ieee::Word::new(format.width(), field << format.fraction_bits());
        self.terms.float_bits(format, word)
    }
}

/// A format in which no scaling by up to the limit leaves the range, and the limit, beyond
/// which every result is a zero or an infinity, or rounds like one.
fn scaling(format: Format) -> (Format, i64) {
    let wide = Format { exponent_bits: format.exponent_bits + 3, ..format };
    (wide, 2 * format.max_exponent() + 2 * i64::from(format.precision) + 4)
}
