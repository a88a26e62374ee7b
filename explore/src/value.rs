//! Values: what registers hold.
//!
//! Known bits are plain numbers, so that code whose data is known runs at the speed of an
//! ordinary interpreter. What is unknown is a term. A float keeps, beside its term, where
//! its encoding comes from: terms have one NaN, machines have many.

use crate::compute::EncodingId;
use nanoscope_ieee::Word;
use nanoscope_program::ir::{Aggregate, Constant, Place, Type};
use nanoscope_term::Term;
use std::sync::Arc;

/// What a register holds. Its type is the register's.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Known bits, at most 64 of them: integers, the encodings of floats, addresses. The
    /// bits above the type's width are zero.
    Small(u64),
    /// Known bits, more than 64 of them: `i128`, `x86_fp80`, `fp128`.
    Wide(Arc<Word>),
    /// An unknown integer or address: of sort Bool when it has one bit, else Bits.
    Term(Term),
    /// An unknown float. An `x86_fp80` is a term of the format with an implicit integer
    /// bit, the NaN where the encoding is one that the x87 unit does not support.
    Float {
        /// Its value.
        term: Term,
        /// Where its encoding comes from.
        encoding: EncodingId,
    },
    /// Lanes of a vector, members of a structure, elements of an array.
    Parts(Arc<Vec<Value>>),
    /// Nothing was said about it: whoever looks first makes it a fresh unknown.
    Undefined,
}

impl Value {
    /// The low bits of a number, as a value of that width.
    pub fn bits(width: u32, bits: u128) -> Value {
        if width <= 64 {
            Value::Small(bits as u64 & mask(width))
        } else {
            Value::Wide(Arc::new(Word::new(width, bits)))
        }
    }

    /// Known bits.
    pub fn word(word: Word) -> Value {
        if word.width() <= 64 { Value::Small(word.low_u64()) } else { Value::Wide(Arc::new(word)) }
    }

    /// A known truth value.
    pub fn truth(value: bool) -> Value {
        Value::Small(value.into())
    }

    /// A known `double`.
    pub fn double(value: f64) -> Value {
        Value::Small(value.to_bits())
    }

    /// A known `float`.
    pub fn single(value: f32) -> Value {
        Value::Small(value.to_bits().into())
    }

    /// Several values as one.
    pub fn parts(parts: Vec<Value>) -> Value {
        Value::Parts(Arc::new(parts))
    }

    /// The bits of a known value of at most 64 bits.
    #[inline]
    pub fn as_small(&self) -> Option<u64> {
        if let Value::Small(bits) = self { Some(*bits) } else { None }
    }

    /// The bits of a known value of that width.
    pub fn as_word(&self, width: u32) -> Option<Word> {
        match self {
            Value::Small(bits) => Some(Word::new(width, u128::from(*bits))),
            Value::Wide(word) => Some(Word::clone(word)),
            Value::Term(_) | Value::Float { .. } | Value::Parts(_) | Value::Undefined => None,
        }
    }

    /// The term of an unknown value.
    pub fn as_term(&self) -> Option<Term> {
        match self {
            Value::Term(term) | Value::Float { term, .. } => Some(*term),
            Value::Small(_) | Value::Wide(_) | Value::Parts(_) | Value::Undefined => None,
        }
    }

    /// Whether all of it is known.
    pub fn is_known(&self) -> bool {
        match self {
            Value::Small(_) | Value::Wide(_) => true,
            Value::Parts(parts) => parts.iter().all(Value::is_known),
            Value::Term(_) | Value::Float { .. } | Value::Undefined => false,
        }
    }

    /// A lane or member; of an undefined whole, an undefined one.
    pub fn part(&self, index: usize) -> &Value {
        match self {
            Value::Parts(parts) => &parts[index],
            Value::Undefined => &Value::Undefined,
            Value::Small(_) | Value::Wide(_) | Value::Term(_) | Value::Float { .. } => {
                panic!("a part of the scalar {self:?}")
            }
        }
    }

    /// All bits zero, of any type.
    pub fn zero(ty: &Type) -> Value {
        match ty {
            Type::Void => Value::Undefined,
            Type::Integer(width) => Value::bits(*width, 0),
            Type::Float(format) => Value::bits(format.width(), 0),
            Type::Pointer => Value::Small(0),
            Type::Vector(lane, lanes) => Value::parts(vec![Value::zero(lane); *lanes as usize]),
            Type::Aggregate(aggregate) => match &**aggregate {
                Aggregate::Structure { members, .. } => {
                    Value::parts(members.iter().map(|(_, ty)| Value::zero(ty)).collect())
                }
                Aggregate::Array { element, length, .. } => {
                    Value::parts(vec![Value::zero(element); *length as usize])
                }
            },
        }
    }

    /// A constant of the program; `address` says where globals and functions are.
    pub fn of_constant(constant: &Constant, address: &dyn Fn(Place) -> u64) -> Value {
        match constant {
            Constant::Integer(word) | Constant::Float(_, word) => Value::word(word.clone()),
            Constant::Address { of, offset } => {
                let base = if *of == Place::Nowhere { 0 } else { address(*of) };
                Value::Small(base.wrapping_add(*offset as u64))
            }
            Constant::Undefined(_) | Constant::Poison(_) => Value::Undefined,
            Constant::Zero(ty) => Value::zero(ty),
            Constant::Parts(_, parts) => {
                Value::parts(parts.iter().map(|part| Value::of_constant(part, address)).collect())
            }
            Constant::Bytes(bytes) => {
                Value::parts(bytes.iter().map(|byte| Value::Small((*byte).into())).collect())
            }
        }
    }
}

/// That many low bits set, 64 at most.
#[inline]
pub(crate) const fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}
