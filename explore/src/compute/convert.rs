//! Between integers, pointers and encodings.

use super::Compute;
use crate::Value;
use crate::value::mask;
use nanoscope_ieee::Word;
use nanoscope_program::ir::{IntegerConversion, Type};

/// A conversion of known bits between scalars of at most 64 bits.
#[inline]
pub(super) fn small(
    conversion: IntegerConversion,
    a: u64,
    from: &Type,
    to: &Type,
) -> Option<Value> {
    let (width, target) = (from.bits()?, to.bits()?);
    if target > 64 {
        return None;
    }
    Some(Value::Small(match conversion {
        IntegerConversion::SignExtend => {
            let spare = 64 - width;
            ((a << spare) as i64 >> spare) as u64 & mask(target)
        }
        IntegerConversion::Truncate
        | IntegerConversion::ZeroExtend
        | IntegerConversion::FromPointer
        | IntegerConversion::ToPointer
        | IntegerConversion::Reinterpret => a & mask(target),
    }))
}

impl Compute<'_> {
    /// A conversion of anything but floats by value.
    pub(super) fn convert(
        &mut self,
        conversion: IntegerConversion,
        value: &Value,
        from: &Type,
        to: &Type,
    ) -> Value {
        if conversion == IntegerConversion::Reinterpret {
            return self.reinterpret(value, from, to);
        }
        if let Type::Vector(lane, lanes) = to {
            let parts = (0..*lanes as usize)
                .map(|at| self.convert(conversion, value.part(at), from.lane(), lane));
            return Value::parts(parts.collect());
        }
        if *value == Value::Undefined {
            return Value::Undefined;
        }
        if let Value::Small(a) = value
            && let Some(known) = small(conversion, *a, from, to)
        {
            return known;
        }
        let width = from.bits().expect("a scalar");
        let target = to.bits().expect("a scalar");
        let signed = conversion == IntegerConversion::SignExtend;
        if let Some(word) = value.as_word(width) {
            return Value::word(resized_word(&word, target, signed));
        }
        // A truth value as a number is a choice of two.
        let term = self.integer_term(value, width);
        if width == 1 && target > 1 {
            let truth = self.truth_term(value);
            let set = if signed { Word::ones(target) } else { Word::new(target, 1) };
            let set = self.terms.constant(nanoscope_term::Value::Bits(set));
            let clear = self.terms.bits(target, 0);
            let term = self.terms.ite(truth, set, clear);
            return self.integer_value(term);
        }
        let term = self.resized(term, target, signed);
        self.integer_value(term)
    }

    /// The same bits as another type.
    pub(super) fn reinterpret(&mut self, value: &Value, from: &Type, to: &Type) -> Value {
        if from == to || *value == Value::Undefined {
            return value.clone();
        }
        if let (Value::Small(_) | Value::Wide(_), Some(_)) = (value, to.bits()) {
            return value.clone();
        }
        let same =
            |a: &Type, b: &Type| matches!((a, b), (Type::Float(a), Type::Float(b)) if a == b);
        if same(from, to) {
            return value.clone();
        }
        // Between vectors of equal lanes each lane is its own.
        if let (Type::Vector(a, count), Type::Vector(b, other)) = (from, to)
            && count == other
        {
            let parts = (0..*count as usize).map(|at| self.reinterpret(value.part(at), a, b));
            return Value::parts(parts.collect());
        }
        let bits = self.bits_of(value, from);
        self.of_bits(bits, to)
    }
}

/// A known word in another width.
fn resized_word(word: &Word, width: u32, signed: bool) -> Word {
    let negative = signed && word.bit(word.width() - 1);
    let bits: Vec<bool> =
        (0..width).map(|at| if at < word.width() { word.bit(at) } else { negative }).collect();
    Word::from_bits(&bits)
}
