//! What a register or a place in memory may hold.

use crate::floats::Floats;
use crate::integers::Integers;
use crate::kept::Kept;
use crate::landmarks::Landmarks;
use crate::pieces;
use nanoscope_ieee::Format;
use nanoscope_program::ir::{Aggregate, FunctionId, GlobalId, Place, Type};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The values possible. What is asked for as another kind than it is, is anything.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Anything, of any type.
    Anything,
    /// All bits zero, of any type.
    Zeros,
    /// Floats.
    Float(Kept),
    /// Integers of at most 64 bits.
    Integer(Integers),
    /// Addresses.
    Pointer(Rc<Pointers>),
    /// Lanes of a vector, members of an aggregate.
    Parts(Rc<[Value]>),
}

/// Something in memory that addresses point into.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectId {
    /// A global variable.
    Global(GlobalId),
    /// A function's code.
    Function(FunctionId),
    /// What an instruction of the function being run allocates: on the stack, or (`heap`)
    /// until it is freed.
    Allocated {
        /// Whose code.
        function: FunctionId,
        /// The register that holds the address.
        register: u32,
        /// Whether it outlives the frame.
        heap: bool,
    },
    /// An object that the function being run was given, by number.
    Given(u32),
    /// The vector of inputs.
    Inputs,
    /// The vector of outputs.
    Outputs,
}

/// Offsets into an object: from `lo` to `hi` in steps of `stride`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Offsets {
    /// The least.
    pub lo: i64,
    /// The greatest.
    pub hi: i64,
    /// The step; 0 when there is just one offset.
    pub stride: u64,
}

impl Offsets {
    /// One offset.
    pub const fn at(offset: i64) -> Offsets {
        Offsets { lo: offset, hi: offset, stride: 0 }
    }

    /// Any offset.
    pub const ANY: Offsets = Offsets { lo: i64::MIN / 4, hi: i64::MAX / 4, stride: 1 };

    fn limited(lo: i128, hi: i128, stride: u64) -> Offsets {
        if lo < i128::from(Offsets::ANY.lo) || hi > i128::from(Offsets::ANY.hi) {
            return Offsets::ANY;
        }
        Offsets { lo: lo as i64, hi: hi as i64, stride }
    }

    /// Further by these.
    pub fn plus(self, other: Offsets) -> Offsets {
        let stride = gcd(self.stride, other.stride);
        let (lo, hi) = (i128::from(self.lo), i128::from(self.hi));
        Offsets::limited(lo + i128::from(other.lo), hi + i128::from(other.hi), stride)
    }

    /// An index times a number of bytes.
    pub fn scaled(index: &Integers, bytes: i64) -> Offsets {
        let (lo, hi) = index.signed();
        let ends = [lo, hi].map(|end| end.saturating_mul(i128::from(bytes)));
        let stride = if lo == hi { 0 } else { bytes.unsigned_abs() };
        Offsets::limited(ends[0].min(ends[1]), ends[0].max(ends[1]), stride)
    }

    /// What either holds.
    pub fn join(self, other: Offsets) -> Offsets {
        let apart = self.lo.abs_diff(other.lo);
        let stride = gcd(gcd(self.stride, other.stride), apart);
        Offsets { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), stride }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Addresses.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pointers {
    /// What they may point into, and where.
    pub targets: BTreeMap<ObjectId, Offsets>,
    /// Whether one may point nowhere.
    pub null: bool,
    /// Whether one may point anywhere.
    pub anywhere: bool,
}

impl Pointers {
    /// Any address.
    pub fn anywhere() -> Pointers {
        Pointers { null: true, anywhere: true, ..Pointers::default() }
    }

    /// The start of an object.
    pub fn to(object: ObjectId) -> Pointers {
        Pointers { targets: [(object, Offsets::at(0))].into(), ..Pointers::default() }
    }

    /// No object.
    pub fn null() -> Pointers {
        Pointers { null: true, ..Pointers::default() }
    }

    /// What either holds.
    pub fn join(&self, other: &Pointers) -> Pointers {
        let mut joined = self.clone();
        joined.null |= other.null;
        joined.anywhere |= other.anywhere;
        for (&object, &offsets) in &other.targets {
            let entry = joined.targets.entry(object).or_insert(offsets);
            *entry = entry.join(offsets);
        }
        joined
    }

    /// Further by these.
    pub fn moved(&self, by: Offsets) -> Pointers {
        let targets = self.targets.iter().map(|(&o, &offsets)| (o, offsets.plus(by))).collect();
        // An address made from a number is not tracked.
        let nowhere = self.null && by != Offsets::at(0);
        Pointers { targets, null: self.null, anywhere: self.anywhere || nowhere }
    }
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
            Value::Pointer(_)
            | Value::Anything
            | Value::Zeros
            | Value::Float(_)
            | Value::Integer(_) => self.clone(),
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

    /// Anything of a type.
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

    /// What a variable of a type holds that was not set yet: nothing that anybody may read,
    /// so that it adds nothing where it meets what was set on another way.
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

    /// Read as floats.
    pub fn floats(&self, format: Format) -> Floats {
        match self {
            Value::Float(floats) if floats.format() == format => floats.get(),
            Value::Zeros => Floats::zero(format),
            Value::Anything
            | Value::Float(_)
            | Value::Integer(_)
            | Value::Pointer(_)
            | Value::Parts(_) => Floats::everything(format),
        }
    }

    /// Read as integers of at most 64 bits.
    pub fn integers(&self, bits: u32) -> Integers {
        match self {
            Value::Integer(integers) if integers.bits == bits => *integers,
            Value::Zeros => Integers::of_bits(bits, 0),
            Value::Anything
            | Value::Float(_)
            | Value::Integer(_)
            | Value::Pointer(_)
            | Value::Parts(_) => Integers::everything(bits),
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

    /// A lane or member.
    pub fn part(&self, index: usize) -> Value {
        match self {
            Value::Parts(parts) => parts.get(index).cloned().unwrap_or(Value::Anything),
            Value::Zeros => Value::Zeros,
            Value::Anything | Value::Float(_) | Value::Integer(_) | Value::Pointer(_) => {
                Value::Anything
            }
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

    /// As a value of a type: the same bits, where that can be told.
    pub fn cast(&self, ty: &Type) -> Value {
        match (self, ty) {
            (Value::Anything, _) => Value::top(ty),
            (Value::Zeros, _) => Value::zero(ty),
            (Value::Float(floats), Type::Float(format)) if floats.format() == *format => {
                self.clone()
            }
            (Value::Float(floats), Type::Integer(bits)) if floats.format().width() == *bits => {
                pieces::to_bits(&floats.get()).map_or(Value::Anything, Value::Integer)
            }
            (Value::Integer(integers), Type::Integer(bits)) if integers.bits == *bits => {
                self.clone()
            }
            (Value::Integer(integers), Type::Float(format)) if integers.bits == format.width() => {
                Value::float(pieces::from_bits(*format, integers))
            }
            (Value::Pointer(_), Type::Pointer) => self.clone(),
            (Value::Parts(_), Type::Vector(..) | Type::Aggregate(_)) => self.clone(),
            (Value::Float(_) | Value::Integer(_) | Value::Pointer(_) | Value::Parts(_), _) => {
                Value::top(ty)
            }
        }
    }

    /// Whether no value is possible: control does not come here.
    pub fn is_empty(&self) -> bool {
        match self {
            Value::Float(floats) => floats.is_empty(),
            Value::Integer(integers) => integers.is_empty(),
            Value::Anything | Value::Zeros | Value::Pointer(_) | Value::Parts(_) => false,
        }
    }

    /// What either holds.
    pub fn join(&self, other: &Value) -> Value {
        self.combine(other, &|a, b| a.join(b), &|a, b| a.join(b))
    }

    /// What both hold.
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

    /// A superset of both, with landmarks for the ends that moved.
    pub fn widen(&self, next: &Value, landmarks: &Landmarks) -> Value {
        if let (Value::Pointer(a), Value::Pointer(b)) = (self, next) {
            let joined = a.join(b);
            let mut wide = joined.clone();
            for (object, offsets) in &mut wide.targets {
                let Some(old) = a.targets.get(object).filter(|old| *old != offsets) else {
                    continue;
                };
                // Far below in whole steps: the offsets keep their phase.
                let far = i64::try_from(offsets.stride).unwrap_or(i64::MAX).saturating_mul(1 << 40);
                let lo = if offsets.lo < old.lo {
                    i128::from(offsets.lo) - i128::from(far)
                } else {
                    offsets.lo.into()
                };
                let hi = if offsets.hi > old.hi { Offsets::ANY.hi } else { offsets.hi };
                *offsets = Offsets::limited(lo, hi.into(), offsets.stride);
            }
            return Value::pointer(wide);
        }
        let floats =
            |a: &Kept, b: &Kept| a.get().widen(&b.get(), landmarks.floats(a.format())).into();
        self.combine(next, &floats, &|a, b| a.widen(b, &landmarks.integers))
    }

    fn combine(
        &self,
        other: &Value,
        floats: &dyn Fn(&Kept, &Kept) -> Kept,
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
            (
                Value::Anything
                | Value::Float(_)
                | Value::Integer(_)
                | Value::Pointer(_)
                | Value::Parts(_),
                _,
            )
            | (Value::Zeros, Value::Anything) => Value::Anything,
        }
    }
}

/// The most parts that are followed one by one.
pub const MOST_PARTS: usize = 256;

/// The object of a constant address.
pub fn object_of(place: Place) -> Option<ObjectId> {
    match place {
        Place::Nowhere => None,
        Place::Global(id) => Some(ObjectId::Global(id)),
        Place::Function(id) => Some(ObjectId::Function(id)),
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
