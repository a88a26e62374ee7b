//! Loads and stores of typed values at known addresses.

use super::object::{Piece, word_of_bytes};
use super::{Memory, Object, ObjectId};
use crate::Value;
use crate::compute::{Compute, Trouble};
use crate::value::mask;
use nanoscope_program::ir::{Aggregate, Type};

impl Memory {
    /// A scalar of at most 64 bits that is known, at a place that is all right: the fast way.
    #[inline]
    pub fn load_known(&self, ty: &Type, address: u64) -> Option<Value> {
        let width = ty.bits().filter(|width| *width <= 64)?;
        let count = width.div_ceil(8) as usize;
        let (id, offset) = ObjectId::of(address);
        let object = self.object(id)?;
        let bytes = object.bytes().get(offset as usize..offset as usize + count)?;
        if object.kind() == super::Kind::Function || !object.is_plain(offset..offset + count as u64)
        {
            return None;
        }
        let bits = match bytes.try_into() {
            Ok(bytes) => u64::from_le_bytes(bytes),
            Err(_) => {
                let mut all = [0; 8];
                all[..count].copy_from_slice(bytes);
                u64::from_le_bytes(all)
            }
        };
        Some(Value::Small(bits & mask(width)))
    }

    /// Stores known bits at a place that is all right: the fast way. False where nothing was
    /// done.
    #[inline]
    pub fn store_known(&mut self, ty: &Type, address: u64, value: &Value) -> bool {
        let (Value::Small(bits), Some(width @ ..=64)) = (value, ty.bits()) else { return false };
        let count = u64::from(width.div_ceil(8));
        let (id, offset) = ObjectId::of(address);
        let Some(object) = self.object_mut(id) else { return false };
        if offset + count > object.size()
            || !object.has_no_cell(offset..offset + count)
            || matches!(object.kind(), super::Kind::Constant | super::Kind::Function)
        {
            return false;
        }
        object.write(offset, &bits.to_le_bytes()[..count as usize]);
        true
    }

    /// Reads a value. What was never written becomes a fresh unknown, and stays it.
    pub fn load(
        &mut self,
        compute: &mut Compute,
        ty: &Type,
        address: u64,
    ) -> Result<Value, Trouble> {
        if let Some(value) = self.load_known(ty, address) {
            return Ok(value);
        }
        let (id, offset) = self.locate(address, ty.stored_bytes(), false)?;
        Ok(self.read(compute, ty, id, offset))
    }

    /// Writes a value.
    pub fn store(
        &mut self,
        compute: &mut Compute,
        ty: &Type,
        address: u64,
        value: &Value,
    ) -> Result<(), Trouble> {
        if self.store_known(ty, address, value) {
            return Ok(());
        }
        let (id, offset) = self.locate(address, ty.stored_bytes(), true)?;
        self.replace(compute, ty, id, offset, value);
        Ok(())
    }

    /// Reads a value at a place that was checked.
    pub(super) fn read(
        &mut self,
        compute: &mut Compute,
        ty: &Type,
        id: ObjectId,
        offset: u64,
    ) -> Value {
        if let Some(count) = part_count(ty) {
            let parts = (0..count).map(|index| {
                let (at, part) = part(ty, index);
                self.read(compute, &part, id, offset + at)
            });
            return Value::parts(parts.collect());
        }
        let count = ty.stored_bytes();
        if count == 0 {
            return Value::Undefined;
        }
        let range = offset..offset + count;
        let object = self.object(id).expect("a living object");
        match object.pieces(range.clone()).as_slice() {
            [Piece::Known(_)] => {
                let bytes = &object.bytes()[offset as usize..(offset + count) as usize];
                let word = word_of_bytes(bytes);
                if let Type::Vector(..) = ty {
                    let bits = compute.terms.constant(nanoscope_term::Value::Bits(word));
                    return self.scalar(compute, ty, bits);
                }
                let width = ty.bits().expect("a scalar");
                return if width <= 64 {
                    Value::Small(word.low_u64() & mask(width))
                } else if word.width() == width {
                    Value::word(word)
                } else {
                    let bits = compute.terms.constant(nanoscope_term::Value::Bits(word));
                    self.scalar(compute, ty, bits)
                };
            }
            [Piece::Cell(start, _)] if *start == offset => {
                if let Some(cell) = object.cell(offset, count)
                    && cell.ty == *ty
                {
                    return cell.value.clone();
                }
            }
            pieces if pieces.iter().any(|piece| matches!(piece, Piece::Undefined(_))) => {
                let pieces = pieces.to_vec();
                self.settle(compute, ty, id, &pieces);
                return self.read(compute, ty, id, offset);
            }
            _ => {}
        }
        let bits = object.bits(compute, range);
        self.scalar(compute, ty, bits)
    }

    /// Makes what is undefined in a stretch fresh unknowns, of the type that is read where it
    /// is all of it.
    fn settle(&mut self, compute: &mut Compute, ty: &Type, id: ObjectId, pieces: &[Piece]) {
        let object = self.object_mut(id).expect("a living object");
        for piece in pieces {
            let Piece::Undefined(range) = piece else { continue };
            let ty = match ty {
                Type::Vector(..) => Type::Integer((range.end - range.start) as u32 * 8),
                _ if pieces.len() == 1 && ty.bits().is_some_and(|bits| bits % 8 == 0) => ty.clone(),
                _ => Type::Integer((range.end - range.start) as u32 * 8),
            };
            let value = compute.unknown("uninitialised", &ty);
            object.put(compute, range.start, ty, value);
        }
    }

    /// Bits in memory as a value.
    fn scalar(&self, compute: &mut Compute, ty: &Type, bits: nanoscope_term::Term) -> Value {
        let width = match ty {
            Type::Vector(lane, lanes) => lane.bits().expect("lanes are scalars") * lanes,
            _ => ty.bits().expect("a scalar"),
        };
        let bits = if compute.terms.width(bits) == width {
            bits
        } else {
            compute.terms.extract(width - 1, 0, bits)
        };
        compute.of_bits(bits, ty)
    }

    /// Writes a value at a place that was checked.
    pub(super) fn replace(
        &mut self,
        compute: &mut Compute,
        ty: &Type,
        id: ObjectId,
        offset: u64,
        value: &Value,
    ) {
        if let Some(count) = part_count(ty) {
            for index in 0..count {
                let (at, part) = part(ty, index);
                self.replace(compute, &part, id, offset + at, value.part(index as usize));
            }
            return;
        }
        let count = ty.stored_bytes();
        if count == 0 {
            return;
        }
        let object: &mut Object = self.object_mut(id).expect("a living object");
        object.clear(compute, offset..offset + count);
        object.put(compute, offset, ty.clone(), value.clone());
    }
}

/// How many parts a type has that lie in bytes of their own; none of a scalar, and of a
/// vector whose lanes share bytes.
pub(super) fn part_count(ty: &Type) -> Option<u64> {
    match ty {
        Type::Aggregate(aggregate) => Some(aggregate.count()),
        Type::Vector(lane, lanes) => {
            let whole = lane.bits().is_some_and(|bits| bits % 8 == 0);
            whole.then_some(u64::from(*lanes))
        }
        Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => None,
    }
}

/// Where a part lies, and its type.
pub(super) fn part(ty: &Type, index: u64) -> (u64, Type) {
    match ty {
        Type::Aggregate(aggregate) => match &**aggregate {
            Aggregate::Structure { members, .. } => members[index as usize].clone(),
            Aggregate::Array { element, stride, .. } => (index * stride, element.clone()),
        },
        Type::Vector(lane, _) => (index * lane.stored_bytes(), Type::clone(lane)),
        Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => {
            panic!("a part of the scalar type {ty:?}")
        }
    }
}
