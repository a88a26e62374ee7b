//! From values to terms and back.

use super::encoding::{Origin, decoded};
use super::{Compute, EncodingId};
use crate::Value;
use nanoscope_ieee::{Circuit, Concrete, Domain, Format, Rounding, Word};
use nanoscope_program::ir::{Aggregate, Type};
use nanoscope_term::{Sort, Term, Value as Known};
use std::sync::Arc;

/// A float as operations take it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatTerm {
    pub term: Term,
    pub encoding: EncodingId,
}

/// Integers and truth values.
impl Compute<'_> {
    /// An integer or pointer as a string of bits.
    pub fn integer_term(&mut self, value: &Value, width: u32) -> Term {
        match value {
            Value::Small(bits) => self.terms.bits(width, u128::from(*bits)),
            Value::Wide(word) => self.terms.constant(Known::Bits(Word::clone(word))),
            Value::Term(term) => match self.terms.sort(*term) {
                Sort::Bool => self.terms.bit(*term),
                Sort::Bits(_) | Sort::Float(_) | Sort::Rounding | Sort::Array(_) => *term,
            },
            Value::Float { encoding, .. } => self.encoding_bits(*encoding),
            Value::Undefined => self.terms.fresh("undefined", Sort::Bits(width)),
            Value::Parts(_) => panic!("an integer, not {value:?}"),
        }
    }

    /// An integer of one bit as a truth value.
    pub fn truth_term(&mut self, value: &Value) -> Term {
        match value {
            Value::Small(bits) => self.terms.bool(*bits & 1 == 1),
            Value::Term(term) if self.terms.sort(*term) == Sort::Bool => *term,
            Value::Undefined => self.terms.fresh("undefined", Sort::Bool),
            Value::Wide(_) | Value::Term(_) | Value::Float { .. } | Value::Parts(_) => {
                let bits = self.integer_term(value, 1);
                let one = self.terms.bits(1, 1);
                self.terms.equal(bits, one)
            }
        }
    }

    /// The value that a string of bits is.
    pub fn integer_value(&mut self, term: Term) -> Value {
        if let Some(word) = self.terms.value(term).and_then(Known::as_bits) {
            return Value::word(word.clone());
        }
        if self.terms.sort(term) == Sort::Bits(1) {
            let one = self.terms.bits(1, 1);
            return Value::Term(self.terms.equal(term, one));
        }
        Value::Term(term)
    }

    /// The value that a truth value is.
    pub fn truth_value(&mut self, term: Term) -> Value {
        match self.terms.value(term).and_then(Known::as_bool) {
            Some(known) => Value::truth(known),
            None => Value::Term(term),
        }
    }

    pub(super) fn is_false(&self, term: Term) -> bool {
        self.terms.value(term).and_then(Known::as_bool) == Some(false)
    }

    pub(super) fn is_true(&self, term: Term) -> bool {
        self.terms.value(term).and_then(Known::as_bool) == Some(true)
    }
}

/// Floats.
impl Compute<'_> {
    /// A float's term; an `x86_fp80`'s is of the format with an implicit integer bit.
    pub fn float_term(&mut self, value: &Value, format: Format) -> Term {
        self.float_source(value, format).term
    }

    /// A float as operations take it.
    pub(super) fn float_source(&mut self, value: &Value, format: Format) -> FloatTerm {
        match value {
            Value::Small(_) | Value::Wide(_) => {
                let word = value.as_word(format.width()).expect("known bits");
                let bits = self.terms.constant(Known::Bits(word.clone()));
                let word = if format.explicit_integer_bit {
                    // Exact: the same values.
                    let mode = Rounding::NearestEven.into();
                    Circuit::new(Concrete).convert(format, format.implicit(), &mode, &word).0
                } else {
                    word
                };
                let term = self.terms.float_bits(format.implicit(), word);
                let encoding = self.encodings.insert(term, format, Origin::Bits(bits));
                FloatTerm { term, encoding }
            }
            Value::Float { term, encoding } => FloatTerm { term: *term, encoding: *encoding },
            Value::Term(term) => match self.terms.sort(*term) {
                Sort::Float(_) => {
                    let encoding = self.encodings.insert(*term, format, Origin::Anything);
                    FloatTerm { term: *term, encoding }
                }
                Sort::Bits(_) => self.float_of_bits(format, *term),
                Sort::Bool | Sort::Rounding | Sort::Array(_) => {
                    panic!("a float, not {:?}", self.terms.sort(*term))
                }
            },
            Value::Undefined => {
                let bits = self.terms.fresh("undefined", Sort::Bits(format.width()));
                self.float_of_bits(format, bits)
            }
            Value::Parts(_) => panic!("a float, not {value:?}"),
        }
    }

    fn float_of_bits(&mut self, format: Format, bits: Term) -> FloatTerm {
        if let Some((term, encoding)) = self.encodings.read_back(format, bits) {
            return FloatTerm { term, encoding };
        }
        let term = decoded(self.terms, format, bits);
        let encoding = self.encodings.insert(term, format, Origin::Bits(bits));
        FloatTerm { term, encoding }
    }

    /// The value that a term and an encoding's origin are.
    pub(super) fn float_made(&mut self, term: Term, format: Format, origin: Origin) -> Value {
        let known = self.terms.value(term);
        if known.is_some_and(|known| !known.is_nan()) {
            let bits = super::encoding::encoded(self.terms, format, term);
            let word = self.terms.value(bits).and_then(Known::as_bits);
            return Value::word(word.expect("the encoding of a known number").clone());
        }
        let is_nan = known.is_some();
        let encoding = self.encodings.insert(term, format, origin);
        if is_nan {
            let bits = self.encoding_bits(encoding);
            if let Some(word) = self.terms.value(bits).and_then(Known::as_bits) {
                return Value::word(word.clone());
            }
        }
        Value::Float { term, encoding }
    }

    /// The value of a float that only its term is known of: which NaN it is where it is one,
    /// nobody knows.
    pub fn float_value(&mut self, term: Term, format: Format) -> Value {
        self.float_made(term, format, Origin::Anything)
    }

    /// The float that bits encode.
    pub fn float_from_bits(&mut self, format: Format, bits: Term) -> Value {
        if let Some(word) = self.terms.value(bits).and_then(Known::as_bits) {
            return Value::word(word.clone());
        }
        let FloatTerm { term, encoding } = self.float_of_bits(format, bits);
        Value::Float { term, encoding }
    }
}

/// Values of any type.
impl Compute<'_> {
    /// The bits of a scalar, or of a vector with its first lane lowest.
    pub fn bits_of(&mut self, value: &Value, ty: &Type) -> Term {
        match ty {
            Type::Integer(width) => self.integer_term(value, *width),
            Type::Pointer => self.integer_term(value, 64),
            Type::Float(format) => match value {
                Value::Small(_) | Value::Wide(_) | Value::Undefined => {
                    self.integer_term(value, format.width())
                }
                Value::Term(_) | Value::Float { .. } | Value::Parts(_) => {
                    let source = self.float_source(value, *format);
                    self.encoding_bits(source.encoding)
                }
            },
            Type::Vector(lane, lanes) => {
                let mut all = None;
                for index in 0..*lanes as usize {
                    let part = self.bits_of(value.part(index), lane);
                    all = Some(match all {
                        None => part,
                        Some(low) => self.terms.concat(part, low),
                    });
                }
                all.expect("a vector has lanes")
            }
            Type::Void | Type::Aggregate(_) => panic!("the bits of {ty:?}"),
        }
    }

    /// What bits are as a value of a scalar or vector type.
    pub fn of_bits(&mut self, bits: Term, ty: &Type) -> Value {
        match ty {
            Type::Integer(_) | Type::Pointer => self.integer_value(bits),
            Type::Float(format) => self.float_from_bits(*format, bits),
            Type::Vector(lane, lanes) => {
                let width = lane.bits().expect("lanes are scalars");
                let parts = (0..*lanes).map(|index| {
                    let low = index * width;
                    let part = self.terms.extract(low + width - 1, low, bits);
                    self.of_bits(part, lane)
                });
                Value::parts(parts.collect())
            }
            Type::Void | Type::Aggregate(_) => panic!("bits as {ty:?}"),
        }
    }

    /// A fresh unknown of any type, its variables named after `why`.
    pub fn unknown(&mut self, why: &str, ty: &Type) -> Value {
        match ty {
            Type::Void => Value::Undefined,
            Type::Integer(1) => Value::Term(self.terms.fresh(why, Sort::Bool)),
            Type::Integer(_) | Type::Pointer | Type::Float(_) => {
                let width = ty.bits().expect("a scalar");
                let bits = self.terms.fresh(why, Sort::Bits(width));
                self.of_bits(bits, ty)
            }
            Type::Vector(lane, lanes) => {
                Value::parts((0..*lanes).map(|_| self.unknown(why, lane)).collect())
            }
            Type::Aggregate(aggregate) => Value::parts(
                (0..aggregate.count())
                    .map(|index| {
                        let (_, ty) = aggregate.member(index).expect("one of its members");
                        self.unknown(why, ty)
                    })
                    .collect(),
            ),
        }
    }

    /// The value, with anything undefined in it made a fresh unknown.
    pub(super) fn freeze(&mut self, value: &Value, ty: &Type) -> Value {
        match value {
            Value::Undefined => self.unknown("undefined", ty),
            Value::Parts(parts) => {
                let frozen = parts.iter().enumerate().map(|(index, part)| {
                    let ty = part_type(ty, index as u64);
                    self.freeze(part, &ty)
                });
                Value::Parts(Arc::new(frozen.collect()))
            }
            Value::Small(_) | Value::Wide(_) | Value::Term(_) | Value::Float { .. } => {
                value.clone()
            }
        }
    }

    /// The first value if the condition holds, else the second.
    pub fn choose(&mut self, condition: Term, a: &Value, b: &Value, ty: &Type) -> Value {
        if self.is_true(condition) {
            return a.clone();
        }
        if a == b || self.is_false(condition) {
            return b.clone();
        }
        match ty {
            Type::Void => Value::Undefined,
            Type::Integer(1) => {
                let (a, b) = (self.truth_term(a), self.truth_term(b));
                let either = self.terms.ite(condition, a, b);
                self.truth_value(either)
            }
            Type::Integer(_) | Type::Pointer => {
                let width = ty.bits().expect("a scalar");
                let (a, b) = (self.integer_term(a, width), self.integer_term(b, width));
                let either = self.terms.ite(condition, a, b);
                self.integer_value(either)
            }
            Type::Float(format) => {
                let (a, b) = (self.float_source(a, *format), self.float_source(b, *format));
                let term = self.terms.ite(condition, a.term, b.term);
                let origin = Origin::Choice(condition, a.encoding, b.encoding);
                self.float_made(term, *format, origin)
            }
            Type::Vector(..) | Type::Aggregate(_) => {
                let count = match ty {
                    Type::Vector(_, lanes) => u64::from(*lanes),
                    Type::Aggregate(aggregate) => aggregate.count(),
                    Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => 0,
                };
                let parts = (0..count).map(|index| {
                    let ty = part_type(ty, index);
                    let (a, b) = (a.part(index as usize), b.part(index as usize));
                    self.choose(condition, a, b, &ty)
                });
                Value::parts(parts.collect())
            }
        }
    }
}

/// The type of a lane, member or element.
pub(crate) fn part_type(ty: &Type, index: u64) -> Type {
    match ty {
        Type::Vector(lane, _) => Type::clone(lane),
        Type::Aggregate(aggregate) => match &**aggregate {
            Aggregate::Structure { members, .. } => members[index as usize].1.clone(),
            Aggregate::Array { element, .. } => element.clone(),
        },
        Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => {
            panic!("a part of the scalar type {ty:?}")
        }
    }
}
