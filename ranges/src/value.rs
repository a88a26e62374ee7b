//! The lattice of values: what a register or a cell of memory may hold.

use crate::fixpoint::thresholds::Thresholds;
use crate::integers::Integers;
use crate::memory::address::{ObjectId, Offsets, Pointers};
use crate::policy::MOST_PARTS;
use nanoscope_ieee::Format;
use nanoscope_program::ir::{Aggregate, Type};
use nanoscope_sets::operation::encoding;
use nanoscope_sets::{CompactFloats, Floats};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A set of values. Reading a value as another kind yields top.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AbstractValue {
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
    Parts(Rc<[AbstractValue]>),
}

impl AbstractValue {
    /// The same with other names for objects.
    pub fn renamed(&self, names: &BTreeMap<ObjectId, ObjectId>) -> AbstractValue {
        match self {
            Self::Pointer(pointers) if !names.is_empty() => {
                let mut targets: BTreeMap<ObjectId, Offsets> = BTreeMap::new();
                for (object, &offsets) in &pointers.targets {
                    let name = names.get(object).copied().unwrap_or(*object);
                    let entry = targets.entry(name).or_insert(offsets);
                    *entry = entry.join(offsets);
                }
                Self::pointer(Pointers { targets, ..**pointers })
            }
            Self::Parts(parts) => {
                Self::Parts(parts.iter().map(|part| part.renamed(names)).collect())
            }
            _ => self.clone(),
        }
    }

    /// The value where the addresses of some objects are not known.
    pub fn without(&self, objects: &BTreeSet<ObjectId>) -> AbstractValue {
        match self {
            Self::Pointer(pointers) if pointers.targets.keys().any(|o| objects.contains(o)) => {
                let mut pointers = Pointers { anywhere: true, ..(**pointers).clone() };
                pointers.targets.retain(|object, _| !objects.contains(object));
                Self::pointer(pointers)
            }
            Self::Parts(parts) => {
                Self::Parts(parts.iter().map(|part| part.without(objects)).collect())
            }
            Self::Pointer(_) | Self::Anything | Self::Zeros | Self::Float(_) | Self::Integer(_) => {
                self.clone()
            }
        }
    }

    /// Whether it holds an address.
    pub fn has_address(&self) -> bool {
        match self {
            Self::Pointer(_) => true,
            Self::Parts(parts) => parts.iter().any(Self::has_address),
            Self::Anything | Self::Zeros | Self::Float(_) | Self::Integer(_) => false,
        }
    }

    /// Whether everything possible here is possible in the other.
    pub fn is_within(&self, other: &AbstractValue) -> bool {
        self == other || other.join(self) == *other
    }

    /// One address or several.
    pub fn pointer(pointers: Pointers) -> AbstractValue {
        Self::Pointer(Rc::new(pointers))
    }

    /// Floats.
    pub fn float(floats: Floats) -> AbstractValue {
        Self::Float(floats.into())
    }

    /// A truth value.
    pub fn truth(may_be_false: bool, may_be_true: bool) -> AbstractValue {
        Self::Integer(Integers::truth(may_be_false, may_be_true))
    }

    /// The top of a type.
    pub fn top(ty: &Type) -> AbstractValue {
        match ty {
            Type::Float(format) => Self::float(Floats::everything(*format)),
            Type::Integer(bits) if *bits <= Integers::WIDEST => {
                Self::Integer(Integers::everything(*bits))
            }
            Type::Integer(_) | Type::Pointer | Type::Void => Self::Anything,
            Type::Vector(..) | Type::Aggregate(_) => Self::Anything,
        }
    }

    /// An undefined value of a type: bottom where there is one, so that it adds nothing to a
    /// join.
    pub fn unset(ty: &Type) -> AbstractValue {
        match ty {
            Type::Float(format) => Self::float(Floats::nothing(*format)),
            Type::Integer(bits) if *bits <= Integers::WIDEST => {
                Self::Integer(Integers::nothing(*bits))
            }
            Type::Integer(_)
            | Type::Pointer
            | Type::Void
            | Type::Vector(..)
            | Type::Aggregate(_) => Self::top(ty),
        }
    }

    /// All bits zero, of a type.
    pub fn zero(ty: &Type) -> AbstractValue {
        match ty {
            Type::Float(format) => Self::float(Floats::zero(*format)),
            Type::Integer(bits) if *bits <= Integers::WIDEST => {
                Self::Integer(Integers::of_bits(*bits, 0))
            }
            Type::Pointer => Self::pointer(Pointers::null()),
            Type::Integer(_) | Type::Void | Type::Vector(..) | Type::Aggregate(_) => Self::Zeros,
        }
    }

    /// Its floats, if it is known to be a float.
    pub fn as_float(&self) -> Option<&CompactFloats> {
        if let Self::Float(floats) = self { Some(floats) } else { None }
    }

    /// Its integers, if it is known to be an integer.
    pub fn as_integer(&self) -> Option<&Integers> {
        if let Self::Integer(integers) = self { Some(integers) } else { None }
    }

    /// Read as floats.
    pub fn floats(&self, format: Format) -> Floats {
        match self {
            Self::Float(floats) if floats.format() == format => floats.get(),
            Self::Zeros => Floats::zero(format),
            _ => Floats::everything(format),
        }
    }

    /// Read as integers of at most 64 bits.
    pub fn integers(&self, bits: u32) -> Integers {
        match self {
            Self::Integer(integers) if integers.bits == bits => *integers,
            Self::Zeros => Integers::of_bits(bits, 0),
            _ => Integers::everything(bits),
        }
    }

    /// Read as addresses.
    pub fn pointers(&self) -> Rc<Pointers> {
        match self {
            Self::Pointer(pointers) => Rc::clone(pointers),
            Self::Zeros => Rc::new(Pointers::null()),
            Self::Anything | Self::Float(_) | Self::Integer(_) | Self::Parts(_) => {
                Rc::new(Pointers::anywhere())
            }
        }
    }

    /// Read as one count; `None` if it may be several.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Integer(count) => count.single().and_then(|n| u64::try_from(n).ok()),
            Self::Zeros => Some(0),
            Self::Anything | Self::Float(_) | Self::Pointer(_) | Self::Parts(_) => None,
        }
    }

    /// A lane or member.
    pub fn part(&self, index: usize) -> AbstractValue {
        match self {
            Self::Parts(parts) => parts.get(index).cloned().unwrap_or(Self::Anything),
            Self::Zeros => Self::Zeros,
            _ => Self::Anything,
        }
    }

    /// A lane or member replaced, of `count`.
    pub fn with_part(&self, count: usize, index: usize, part: AbstractValue) -> AbstractValue {
        if count > MOST_PARTS || index >= count {
            return Self::Anything;
        }
        let mut parts: Vec<AbstractValue> = (0..count).map(|i| self.part(i)).collect();
        parts[index] = part;
        Self::Parts(parts.into())
    }

    /// The same bits read as a type.
    pub fn cast(&self, ty: &Type) -> AbstractValue {
        match (self, ty) {
            (Self::Anything, _) => Self::top(ty),
            (Self::Zeros, _) => Self::zero(ty),
            (Self::Float(floats), Type::Float(format)) if floats.format() == *format => {
                self.clone()
            }
            (Self::Float(floats), Type::Integer(bits)) if floats.format().width() == *bits => {
                encoding::to_bits(&floats.get()).map_or(Self::Anything, Self::Integer)
            }
            (Self::Integer(integers), Type::Integer(bits)) if integers.bits == *bits => {
                self.clone()
            }
            (Self::Integer(integers), Type::Float(format)) if integers.bits == format.width() => {
                Self::float(encoding::from_bits(*format, integers))
            }
            (Self::Pointer(_), Type::Pointer) => self.clone(),
            (Self::Parts(_), Type::Vector(..) | Type::Aggregate(_)) => self.clone(),
            (Self::Float(_) | Self::Integer(_) | Self::Pointer(_) | Self::Parts(_), _) => {
                Self::top(ty)
            }
        }
    }

    /// Whether it is bottom.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Float(floats) => floats.is_empty(),
            Self::Integer(integers) => integers.is_empty(),
            Self::Anything | Self::Zeros | Self::Pointer(_) | Self::Parts(_) => false,
        }
    }

    /// The join.
    pub fn join(&self, other: &AbstractValue) -> AbstractValue {
        self.combine(other, &|a, b| a.join(b), &|a, b| a.join(b))
    }

    /// The meet, or a superset of it.
    pub fn meet(&self, other: &AbstractValue) -> AbstractValue {
        match (self, other) {
            (Self::Float(a), Self::Float(b)) if a.format() == b.format() => Self::Float(a.meet(b)),
            (Self::Integer(a), Self::Integer(b)) if a.bits == b.bits => Self::Integer(a.meet(b)),
            (Self::Anything, _) => other.clone(),
            (_, _) => self.clone(),
        }
    }

    /// Whether the meet is bottom, though neither is the other.
    pub fn is_apart_from(&self, other: &AbstractValue) -> bool {
        match (self, other) {
            (Self::Float(a), Self::Float(b)) if a.format() == b.format() => {
                !a.shares_special(b) && a != b && a.meet(b).is_empty()
            }
            (Self::Integer(a), Self::Integer(b)) if a.bits == b.bits => {
                a != b && a.meet(b).is_empty()
            }
            (Self::Anything, _) => self != other && other.is_empty(),
            (_, _) => self != other && self.is_empty(),
        }
    }

    /// The widening by the next value: bounds that moved go to the next threshold.
    pub fn widen(&self, next: &AbstractValue, thresholds: &Thresholds) -> AbstractValue {
        if let (Self::Pointer(a), Self::Pointer(b)) = (self, next) {
            return Self::pointer(a.widen(b));
        }
        let floats = |a: &CompactFloats, b: &CompactFloats| {
            a.get().widen(&b.get(), thresholds.floats(a.format())).into()
        };
        self.combine(next, &floats, &|a, b| a.widen(b, &thresholds.integers))
    }

    fn combine(
        &self,
        other: &AbstractValue,
        floats: &dyn Fn(&CompactFloats, &CompactFloats) -> CompactFloats,
        integers: &dyn Fn(&Integers, &Integers) -> Integers,
    ) -> AbstractValue {
        match (self, other) {
            (Self::Zeros, Self::Zeros) => Self::Zeros,
            (Self::Float(a), Self::Float(b)) if a.format() == b.format() => {
                Self::Float(floats(a, b))
            }
            (Self::Integer(a), Self::Integer(b)) if a.bits == b.bits => {
                Self::Integer(integers(a, b))
            }
            (Self::Pointer(a), Self::Pointer(b)) => {
                if Rc::ptr_eq(a, b) || a == b {
                    self.clone()
                } else {
                    Self::pointer(a.join(b))
                }
            }
            (Self::Parts(a), Self::Parts(b)) if a.len() == b.len() => {
                let parts = a.iter().zip(b.iter());
                Self::Parts(parts.map(|(a, b)| a.combine(b, floats, integers)).collect())
            }
            (Self::Zeros, Self::Float(b)) => {
                Self::Float(floats(&Floats::zero(b.format()).into(), b))
            }
            (Self::Float(a), Self::Zeros) => {
                Self::Float(floats(a, &Floats::zero(a.format()).into()))
            }
            (Self::Zeros, Self::Integer(b)) => {
                Self::Integer(integers(&Integers::of_bits(b.bits, 0), b))
            }
            (Self::Integer(a), Self::Zeros) => {
                Self::Integer(integers(a, &Integers::of_bits(a.bits, 0)))
            }
            (Self::Zeros, Self::Pointer(p)) | (Self::Pointer(p), Self::Zeros) => {
                Self::pointer(p.join(&Pointers::null()))
            }
            (Self::Zeros, Self::Parts(parts)) => Self::Parts(
                parts.iter().map(|part| Self::Zeros.combine(part, floats, integers)).collect(),
            ),
            (Self::Parts(parts), Self::Zeros) => Self::Parts(
                parts.iter().map(|part| part.combine(&Self::Zeros, floats, integers)).collect(),
            ),
            // Kinds that differ, or an unknown one.
            (_, _) => Self::Anything,
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
