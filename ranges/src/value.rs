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
            AbstractValue::Pointer(pointers) if !names.is_empty() => {
                let mut targets: BTreeMap<ObjectId, Offsets> = BTreeMap::new();
                for (object, &offsets) in &pointers.targets {
                    let name = names.get(object).copied().unwrap_or(*object);
                    let entry = targets.entry(name).or_insert(offsets);
                    *entry = entry.join(offsets);
                }
                AbstractValue::pointer(Pointers { targets, ..**pointers })
            }
            AbstractValue::Parts(parts) => {
                AbstractValue::Parts(parts.iter().map(|part| part.renamed(names)).collect())
            }
            _ => self.clone(),
        }
    }

    /// Whether it holds an address.
    pub fn has_address(&self) -> bool {
        match self {
            AbstractValue::Pointer(_) => true,
            AbstractValue::Parts(parts) => parts.iter().any(AbstractValue::has_address),
            AbstractValue::Anything
            | AbstractValue::Zeros
            | AbstractValue::Float(_)
            | AbstractValue::Integer(_) => false,
        }
    }

    /// Whether everything possible here is possible in the other.
    pub fn is_within(&self, other: &AbstractValue) -> bool {
        self == other || other.join(self) == *other
    }

    /// One address or several.
    pub fn pointer(pointers: Pointers) -> AbstractValue {
        AbstractValue::Pointer(Rc::new(pointers))
    }

    /// Floats.
    pub fn float(floats: Floats) -> AbstractValue {
        AbstractValue::Float(floats.into())
    }

    /// A truth value.
    pub fn truth(may_be_false: bool, may_be_true: bool) -> AbstractValue {
        AbstractValue::Integer(Integers::truth(may_be_false, may_be_true))
    }

    /// The top of a type.
    pub fn top(ty: &Type) -> AbstractValue {
        match ty {
            Type::Float(format) => AbstractValue::float(Floats::everything(*format)),
            Type::Integer(bits) if *bits <= Integers::WIDEST => {
                AbstractValue::Integer(Integers::everything(*bits))
            }
            Type::Integer(_) | Type::Pointer | Type::Void => AbstractValue::Anything,
            Type::Vector(..) | Type::Aggregate(_) => AbstractValue::Anything,
        }
    }

    /// An undefined value of a type: bottom where there is one, so that it adds nothing to a
    /// join.
    pub fn unset(ty: &Type) -> AbstractValue {
        match ty {
            Type::Float(format) => AbstractValue::float(Floats::nothing(*format)),
            Type::Integer(bits) if *bits <= Integers::WIDEST => {
                AbstractValue::Integer(Integers::nothing(*bits))
            }
            Type::Integer(_)
            | Type::Pointer
            | Type::Void
            | Type::Vector(..)
            | Type::Aggregate(_) => AbstractValue::top(ty),
        }
    }

    /// All bits zero, of a type.
    pub fn zero(ty: &Type) -> AbstractValue {
        match ty {
            Type::Float(format) => AbstractValue::float(Floats::zero(*format)),
            Type::Integer(bits) if *bits <= Integers::WIDEST => {
                AbstractValue::Integer(Integers::of_bits(*bits, 0))
            }
            Type::Pointer => AbstractValue::pointer(Pointers::null()),
            Type::Integer(_) | Type::Void | Type::Vector(..) | Type::Aggregate(_) => {
                AbstractValue::Zeros
            }
        }
    }

    /// Its floats, if it is known to be a float.
    pub fn as_float(&self) -> Option<&CompactFloats> {
        if let AbstractValue::Float(floats) = self { Some(floats) } else { None }
    }

    /// Its integers, if it is known to be an integer.
    pub fn as_integer(&self) -> Option<&Integers> {
        if let AbstractValue::Integer(integers) = self { Some(integers) } else { None }
    }

    /// Read as floats.
    pub fn floats(&self, format: Format) -> Floats {
        match self {
            AbstractValue::Float(floats) if floats.format() == format => floats.get(),
            AbstractValue::Zeros => Floats::zero(format),
            _ => Floats::everything(format),
        }
    }

    /// Read as integers of at most 64 bits.
    pub fn integers(&self, bits: u32) -> Integers {
        match self {
            AbstractValue::Integer(integers) if integers.bits == bits => *integers,
            AbstractValue::Zeros => Integers::of_bits(bits, 0),
            _ => Integers::everything(bits),
        }
    }

    /// Read as addresses.
    pub fn pointers(&self) -> Rc<Pointers> {
        match self {
            AbstractValue::Pointer(pointers) => Rc::clone(pointers),
            AbstractValue::Zeros => Rc::new(Pointers::null()),
            AbstractValue::Anything
            | AbstractValue::Float(_)
            | AbstractValue::Integer(_)
            | AbstractValue::Parts(_) => Rc::new(Pointers::anywhere()),
        }
    }

    /// Read as one count; `None` if it may be several.
    pub fn count(&self) -> Option<u64> {
        match self {
            AbstractValue::Integer(count) => count.single().and_then(|n| u64::try_from(n).ok()),
            AbstractValue::Zeros => Some(0),
            AbstractValue::Anything
            | AbstractValue::Float(_)
            | AbstractValue::Pointer(_)
            | AbstractValue::Parts(_) => None,
        }
    }

    /// A lane or member.
    pub fn part(&self, index: usize) -> AbstractValue {
        match self {
            AbstractValue::Parts(parts) => {
                parts.get(index).cloned().unwrap_or(AbstractValue::Anything)
            }
            AbstractValue::Zeros => AbstractValue::Zeros,
            _ => AbstractValue::Anything,
        }
    }

    /// A lane or member replaced, of `count`.
    pub fn with_part(&self, count: usize, index: usize, part: AbstractValue) -> AbstractValue {
        if count > MOST_PARTS || index >= count {
            return AbstractValue::Anything;
        }
        let mut parts: Vec<AbstractValue> = (0..count).map(|i| self.part(i)).collect();
        parts[index] = part;
        AbstractValue::Parts(parts.into())
    }

    /// The same bits read as a type.
    pub fn cast(&self, ty: &Type) -> AbstractValue {
        match (self, ty) {
            (AbstractValue::Anything, _) => AbstractValue::top(ty),
            (AbstractValue::Zeros, _) => AbstractValue::zero(ty),
            (AbstractValue::Float(floats), Type::Float(format)) if floats.format() == *format => {
                self.clone()
            }
            (AbstractValue::Float(floats), Type::Integer(bits))
                if floats.format().width() == *bits =>
            {
                encoding::to_bits(&floats.get())
                    .map_or(AbstractValue::Anything, AbstractValue::Integer)
            }
            (AbstractValue::Integer(integers), Type::Integer(bits)) if integers.bits == *bits => {
                self.clone()
            }
            (AbstractValue::Integer(integers), Type::Float(format))
                if integers.bits == format.width() =>
            {
                AbstractValue::float(encoding::from_bits(*format, integers))
            }
            (AbstractValue::Pointer(_), Type::Pointer) => self.clone(),
            (AbstractValue::Parts(_), Type::Vector(..) | Type::Aggregate(_)) => self.clone(),
            (
                AbstractValue::Float(_)
                | AbstractValue::Integer(_)
                | AbstractValue::Pointer(_)
                | AbstractValue::Parts(_),
                _,
            ) => AbstractValue::top(ty),
        }
    }

    /// Whether it is bottom.
    pub fn is_empty(&self) -> bool {
        match self {
            AbstractValue::Float(floats) => floats.is_empty(),
            AbstractValue::Integer(integers) => integers.is_empty(),
            AbstractValue::Anything
            | AbstractValue::Zeros
            | AbstractValue::Pointer(_)
            | AbstractValue::Parts(_) => false,
        }
    }

    /// The join.
    pub fn join(&self, other: &AbstractValue) -> AbstractValue {
        self.combine(other, &|a, b| a.join(b), &|a, b| a.join(b))
    }

    /// The meet, or a superset of it.
    pub fn meet(&self, other: &AbstractValue) -> AbstractValue {
        match (self, other) {
            (AbstractValue::Float(a), AbstractValue::Float(b)) if a.format() == b.format() => {
                AbstractValue::Float(a.meet(b))
            }
            (AbstractValue::Integer(a), AbstractValue::Integer(b)) if a.bits == b.bits => {
                AbstractValue::Integer(a.meet(b))
            }
            (AbstractValue::Anything, _) => other.clone(),
            (_, _) => self.clone(),
        }
    }

    /// The widening by the next value: bounds that moved go to the next threshold.
    pub fn widen(&self, next: &AbstractValue, thresholds: &Thresholds) -> AbstractValue {
        if let (AbstractValue::Pointer(a), AbstractValue::Pointer(b)) = (self, next) {
            return AbstractValue::pointer(a.widen(b));
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
            (AbstractValue::Zeros, AbstractValue::Zeros) => AbstractValue::Zeros,
            (AbstractValue::Float(a), AbstractValue::Float(b)) if a.format() == b.format() => {
                AbstractValue::Float(floats(a, b))
            }
            (AbstractValue::Integer(a), AbstractValue::Integer(b)) if a.bits == b.bits => {
                AbstractValue::Integer(integers(a, b))
            }
            (AbstractValue::Pointer(a), AbstractValue::Pointer(b)) => {
                if Rc::ptr_eq(a, b) || a == b {
                    self.clone()
                } else {
                    AbstractValue::pointer(a.join(b))
                }
            }
            (AbstractValue::Parts(a), AbstractValue::Parts(b)) if a.len() == b.len() => {
                let parts = a.iter().zip(b.iter());
                AbstractValue::Parts(parts.map(|(a, b)| a.combine(b, floats, integers)).collect())
            }
            (AbstractValue::Zeros, AbstractValue::Float(b)) => {
                AbstractValue::Float(floats(&Floats::zero(b.format()).into(), b))
            }
            (AbstractValue::Float(a), AbstractValue::Zeros) => {
                AbstractValue::Float(floats(a, &Floats::zero(a.format()).into()))
            }
            (AbstractValue::Zeros, AbstractValue::Integer(b)) => {
                AbstractValue::Integer(integers(&Integers::of_bits(b.bits, 0), b))
            }
            (AbstractValue::Integer(a), AbstractValue::Zeros) => {
                AbstractValue::Integer(integers(a, &Integers::of_bits(a.bits, 0)))
            }
            (AbstractValue::Zeros, AbstractValue::Pointer(p))
            | (AbstractValue::Pointer(p), AbstractValue::Zeros) => {
                AbstractValue::pointer(p.join(&Pointers::null()))
            }
            (AbstractValue::Zeros, AbstractValue::Parts(parts)) => AbstractValue::Parts(
                parts
                    .iter()
                    .map(|part| AbstractValue::Zeros.combine(part, floats, integers))
                    .collect(),
            ),
            (AbstractValue::Parts(parts), AbstractValue::Zeros) => AbstractValue::Parts(
                parts
                    .iter()
                    .map(|part| part.combine(&AbstractValue::Zeros, floats, integers))
                    .collect(),
            ),
            // Kinds that differ, or an unknown one.
            (_, _) => AbstractValue::Anything,
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
