//! The lattice of values: what a register or a cell of memory may hold.

use crate::fixpoint::thresholds::Thresholds;
use crate::integers::Integers;
use crate::memory::address::{ObjectId, Offsets, Pointers};
use crate::policy::MOST_PARTS;
use nanoscope_ieee::Format;
use nanoscope_program::ir::{Aggregate, Type};
use nanoscope_sets::operation::encoding;
use nanoscope_sets::{CompactFloats, Floats};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A set of values. Reading a value as another kind yields top.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Top: anything, of any type.
    Anything,
    /// All bits zero, of any type.
    Zeros,
    /// Floats.
    Float(CompactFloats),
    /// Integers of at most 64 bits.
    Integer(Integers),
    /// Addresses.
    Pointer(Rc<Pointers>),
    /// Lanes of a vector, members of an aggregate.
    Parts(Rc<[Value]>),
}

impl Value {
    /// The same with other names for objects.
    pub fn renamed(&self, names: &BTreeMap<ObjectId, ObjectId>) -> Value {
        match self {
            Value::Pointer(pointers) if !names.is_empty() => {
                let mut targets: BTreeMap<ObjectId, Offsets> = BTreeMap::new();
                for (object, &offsets) in &pointers.targets {
                    let name = names.get(object).copied().unwrap_or(*object);
                    let entry = targets.entry(name).or_insert(offsets);
                    *entry = entry.join(offsets);
                }
                Value::pointer(Pointers { targets, ..**pointers })
            }
            Value::Parts(parts) => {
                Value::Parts(parts.iter().map(|part| part.renamed(names)).collect())
            }
            _ => self.clone(),
        }
    }

    /// Whether it holds an address.
    pub fn has_address(&self) -> bool {
        match self {
            Value::Pointer(_) => true,
            Value::Parts(parts) => parts.iter().any(Value::has_address),
            Value::Anything | Value::Zeros | Value::Float(_) | Value::Integer(_) => false,
        }
    }

    /// Whether everything possible here is possible in the other.
    pub fn is_within(&self, other: &Value) -> bool {
        self == other || other.join(self) == *other
    }

    /// One address or several.
    pub fn pointer(pointers: Pointers) -> Value {
        Value::Pointer(Rc::new(pointers))
    }

    /// Floats.
    pub fn float(floats: Floats) -> Value {
        Value::Float(floats.into())
    }

    /// A truth value.
    pub fn truth(may_be_false: bool, may_be_true: bool) -> Value {
        Value::Integer(Integers::truth(may_be_false, may_be_true))
    }

    /// The top of a type.
    pub fn top(ty: &Type) -> Value {
        match ty {
            Type::Float(format) => Value::float(Floats::everything(*format)),
            Type::Integer(bits) if *bits <= Integers::WIDEST => {
                Value::Integer(Integers::everything(*bits))
            }
            Type::Integer(_) | Type::Pointer | Type::Void => Value::Anything,
            Type::Vector(..) | Type::Aggregate(_) => Value::Anything,
        }
    }

    /// An undefined value of a type: bottom where there is one, so that it adds nothing to a
    /// join.
    pub fn unset(ty: &Type) -> Value {
        match ty {
            Type::Float(format) => Value::float(Floats::nothing(*format)),
            Type::Integer(bits) if *bits <= Integers::WIDEST => {
                Value::Integer(Integers::nothing(*bits))
            }
            Type::Integer(_)
            | Type::Pointer
            | Type::Void
            | Type::Vector(..)
            | Type::Aggregate(_) => Value::top(ty),
        }
    }

    /// All bits zero, of a type.
    pub fn zero(ty: &Type) -> Value {
        match ty {
            Type::Float(format) => Value::float(Floats::zero(*format)),
            Type::Integer(bits) if *bits <= Integers::WIDEST => {
                Value::Integer(Integers::of_bits(*bits, 0))
            }
            Type::Pointer => Value::pointer(Pointers::null()),
            Type::Integer(_) | Type::Void | Type::Vector(..) | Type::Aggregate(_) => Value::Zeros,
        }
    }

    /// Its floats, if it is known to be a float.
    pub fn as_float(&self) -> Option<&CompactFloats> {
        if let Value::Float(floats) = self { Some(floats) } else { None }
    }

    /// Its integers, if it is known to be an integer.
    pub fn as_integer(&self) -> Option<&Integers> {
        if let Value::Integer(integers) = self { Some(integers) } else { None }
    }

    /// Read as floats.
    pub fn floats(&self, format: Format) -> Floats {
        match self {
            Value::Float(floats) if floats.format() == format => floats.get(),
            Value::Zeros => Floats::zero(format),
            _ => Floats::everything(format),
        }
    }

    /// Read as integers of at most 64 bits.
    pub fn integers(&self, bits: u32) -> Integers {
        match self {
            Value::Integer(integers) if integers.bits == bits => *integers,
            Value::Zeros => Integers::of_bits(bits, 0),
            _ => Integers::everything(bits),
        }
    }

    /// Read as addresses.
    pub fn pointers(&self) -> Rc<Pointers> {
        match self {
            Value::Pointer(pointers) => Rc::clone(pointers),
            Value::Zeros => Rc::new(Pointers::null()),
            Value::Anything | Value::Float(_) | Value::Integer(_) | Value::Parts(_) => {
                Rc::new(Pointers::anywhere())
            }
        }
    }

    /// Read as one count; `None` if it may be several.
    pub fn count(&self) -> Option<u64> {
        match self {
            Value::Integer(count) => count.single().and_then(|n| u64::try_from(n).ok()),
            Value::Zeros => Some(0),
            Value::Anything | Value::Float(_) | Value::Pointer(_) | Value::Parts(_) => None,
        }
    }

    /// A lane or member.
    pub fn part(&self, index: usize) -> Value {
        match self {
            Value::Parts(parts) => parts.get(index).cloned().unwrap_or(Value::Anything),
            Value::Zeros => Value::Zeros,
            _ => Value::Anything,
        }
    }

    /// A lane or member replaced, of `count`.
    pub fn with_part(&self, count: usize, index: usize, part: Value) -> Value {
        if count > MOST_PARTS || index >= count {
            return Value::Anything;
        }
        let mut parts: Vec<Value> = (0..count).map(|i| self.part(i)).collect();
        parts[index] = part;
        Value::Parts(parts.into())
    }

    /// The same bits read as a type.
    pub fn cast(&self, ty: &Type) -> Value {
        match (self, ty) {
            (Value::Anything, _) => Value::top(ty),
            (Value::Zeros, _) => Value::zero(ty),
            (Value::Float(floats), Type::Float(format)) if floats.format() == *format => {
                self.clone()
            }
            (Value::Float(floats), Type::Integer(bits)) if floats.format().width() == *bits => {
                encoding::to_bits(&floats.get()).map_or(Value::Anything, Value::Integer)
            }
            (Value::Integer(integers), Type::Integer(bits)) if integers.bits == *bits => {
                self.clone()
            }
            (Value::Integer(integers), Type::Float(format)) if integers.bits == format.width() => {
                Value::float(encoding::from_bits(*format, integers))
            }
            (Value::Pointer(_), Type::Pointer) => self.clone(),
            (Value::Parts(_), Type::Vector(..) | Type::Aggregate(_)) => self.clone(),
            (Value::Float(_) | Value::Integer(_) | Value::Pointer(_) | Value::Parts(_), _) => {
                Value::top(ty)
            }
        }
    }

    /// Whether it is bottom.
    pub fn is_empty(&self) -> bool {
        match self {
            Value::Float(floats) => floats.is_empty(),
            Value::Integer(integers) => integers.is_empty(),
            Value::Anything | Value::Zeros | Value::Pointer(_) | Value::Parts(_) => false,
        }
    }

    /// The join.
    pub fn join(&self, other: &Value) -> Value {
        self.combine(other, &|a, b| a.join(b), &|a, b| a.join(b))
    }

    /// The meet, or a superset of it.
    pub fn meet(&self, other: &Value) -> Value {
        match (self, other) {
            (Value::Float(a), Value::Float(b)) if a.format() == b.format() => {
                Value::Float(a.meet(b))
            }
            (Value::Integer(a), Value::Integer(b)) if a.bits == b.bits => Value::Integer(a.meet(b)),
            (Value::Anything, _) => other.clone(),
            (_, _) => self.clone(),
        }
    }

    /// The widening by the next value: bounds that moved go to the next threshold.
    pub fn widen(&self, next: &Value, thresholds: &Thresholds) -> Value {
        if let (Value::Pointer(a), Value::Pointer(b)) = (self, next) {
            return Value::pointer(a.widen(b));
        }
        let floats = |a: &CompactFloats, b: &CompactFloats| {
            a.get().widen(&b.get(), thresholds.floats(a.format())).into()
        };
        self.combine(next, &floats, &|a, b| a.widen(b, &thresholds.integers))
    }

    fn combine(
        &self,
        other: &Value,
        floats: &dyn Fn(&CompactFloats, &CompactFloats) -> CompactFloats,
        integers: &dyn Fn(&Integers, &Integers) -> Integers,
    ) -> Value {
        match (self, other) {
            (Value::Zeros, Value::Zeros) => Value::Zeros,
            (Value::Float(a), Value::Float(b)) if a.format() == b.format() => {
                Value::Float(floats(a, b))
            }
            (Value::Integer(a), Value::Integer(b)) if a.bits == b.bits => {
                Value::Integer(integers(a, b))
            }
            (Value::Pointer(a), Value::Pointer(b)) => {
                if Rc::ptr_eq(a, b) || a == b {
                    self.clone()
                } else {
                    Value::pointer(a.join(b))
                }
            }
            (Value::Parts(a), Value::Parts(b)) if a.len() == b.len() => {
                let parts = a.iter().zip(b.iter());
                Value::Parts(parts.map(|(a, b)| a.combine(b, floats, integers)).collect())
            }
            (Value::Zeros, Value::Float(b)) => {
                Value::Float(floats(&Floats::zero(b.format()).into(), b))
            }
            (Value::Float(a), Value::Zeros) => {
                Value::Float(floats(a, &Floats::zero(a.format()).into()))
            }
            (Value::Zeros, Value::Integer(b)) => {
                Value::Integer(integers(&Integers::of_bits(b.bits, 0), b))
            }
            (Value::Integer(a), Value::Zeros) => {
                Value::Integer(integers(a, &Integers::of_bits(a.bits, 0)))
            }
            (Value::Zeros, Value::Pointer(p)) | (Value::Pointer(p), Value::Zeros) => {
                Value::pointer(p.join(&Pointers::null()))
            }
            (Value::Zeros, Value::Parts(parts)) => Value::Parts(
                parts.iter().map(|part| Value::Zeros.combine(part, floats, integers)).collect(),
            ),
            (Value::Parts(parts), Value::Zeros) => Value::Parts(
                parts.iter().map(|part| part.combine(&Value::Zeros, floats, integers)).collect(),
            ),
            // Kinds that differ, or an unknown one.
            (_, _) => Value::Anything,
        }
    }
}

/// The number of parts of a vector or aggregate, and where each lies.
pub fn parts_of(ty: &Type) -> Option<Vec<(u64, Type)>> {
    match ty {
        Type::Vector(lane, lanes) => {
            let bits = lane.bits()?;
            if bits % 8 != 0 {
                return None;
            }
            let step = u64::from(bits / 8);
            Some((0..u64::from(*lanes)).map(|i| (i * step, (**lane).clone())).collect())
        }
        Type::Aggregate(aggregate) => {
            if aggregate.count() as usize > MOST_PARTS {
                return None;
            }
            (0..aggregate.count())
                .map(|i| aggregate.member(i).map(|(offset, ty)| (offset, ty.clone())))
                .collect()
        }
        Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => None,
    }
}

/// How many parts a vector or aggregate has.
pub fn count_of(ty: &Type) -> usize {
    match ty {
        Type::Vector(_, lanes) => *lanes as usize,
        Type::Aggregate(aggregate) => match &**aggregate {
            Aggregate::Structure { members, .. } => members.len(),
            Aggregate::Array { length, .. } => *length as usize,
        },
        Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => 0,
    }
}
