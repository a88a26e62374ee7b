//! Types: what registers and memory hold, laid out as x86-64 lays them out.

use nanoscope_ieee::Format;
use std::sync::Arc;

/// The type of a register or of a place in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// An integer of that many bits; truth values have one.
    Integer(u32),
    /// A float.
    Float(Format),
    /// An address: 64 bits.
    Pointer,
    /// So many lanes of an integer, float or pointer type.
    Vector(Arc<Type>, u32),
    /// A structure or array as one value.
    Aggregate(Arc<Aggregate>),
}

/// A structure or an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// Members with their offsets in bytes, and the size of the whole.
    Structure {
        /// Each member's offset and type.
        members: Vec<(u64, Type)>,
        /// Bytes of the whole, padding included.
        size: u64,
    },
    /// Equal elements.
    Array {
        /// An element's type.
        element: Type,
        /// Bytes from one element to the next.
        stride: u64,
        /// How many there are.
        length: u64,
    },
}

impl Aggregate {
    /// The type and offset of a member or element.
    pub fn member(&self, index: u64) -> Option<(u64, &Type)> {
        match self {
            Aggregate::Structure { members, .. } => {
                members.get(index as usize).map(|(offset, ty)| (*offset, ty))
            }
            Aggregate::Array { element, stride, length } => {
                (index < *length).then_some((index * stride, element))
            }
        }
    }

    /// How many members or elements it has.
    pub fn count(&self) -> u64 {
        match self {
            Aggregate::Structure { members, .. } => members.len() as u64,
            Aggregate::Array { length, .. } => *length,
        }
    }
}

impl Type {
    /// Bits of a scalar value, without padding; `None` of what is no scalar.
    pub fn bits(&self) -> Option<u32> {
        match self {
            Type::Integer(bits) => Some(*bits),
            Type::Float(format) => Some(format.width()),
            Type::Pointer => Some(64),
            Type::Void | Type::Vector(..) | Type::Aggregate(_) => None,
        }
    }

    /// Bytes that storing a value writes: an `x86_fp80` writes ten.
    pub fn stored_bytes(&self) -> u64 {
        match self {
            Type::Void => 0,
            Type::Integer(bits) => u64::from(*bits).div_ceil(8),
            Type::Float(format) => u64::from(format.width()).div_ceil(8),
            Type::Pointer => 8,
            Type::Vector(lane, lanes) => {
                (u64::from(lane.bits().expect("lanes are scalars")) * u64::from(*lanes)).div_ceil(8)
            }
            Type::Aggregate(aggregate) => match &**aggregate {
                Aggregate::Structure { size, .. } => *size,
                Aggregate::Array { stride, length, .. } => stride * length,
            },
        }
    }

    /// The type of a vector's lanes, or the type itself.
    pub fn lane(&self) -> &Type {
        match self {
            Type::Vector(lane, _) => lane,
            Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer | Type::Aggregate(_) => {
                self
            }
        }
    }

    /// The number of a vector's lanes; `None` of what is no vector.
    pub fn lanes(&self) -> Option<u32> {
        match self {
            Type::Vector(_, lanes) => Some(*lanes),
            Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer | Type::Aggregate(_) => {
                None
            }
        }
    }
}
