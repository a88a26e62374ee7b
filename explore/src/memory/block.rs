//! Blocks of memory: copying, filling, strings, initial values.

use super::access::part;
use super::object::{Cell, Piece, bytes_of_word};
use super::{Kind, Memory, ObjectId};
use crate::Value;
use crate::compute::{Compute, Trouble};
use nanoscope_program::ir::{Constant, Place, Type};
use nanoscope_term::Term;
use std::sync::Arc;

/// What lies in a block that is being copied.
enum Content {
    Bytes(Vec<u8>),
    Undefined(u64),
    Whole(Cell),
    Bits(Term),
}

impl Memory {
    /// Copies bytes; the places may overlap. Values stay whole.
    pub fn copy(
        &mut self,
        compute: &mut Compute,
        to: u64,
        from: u64,
        count: u64,
    ) -> Result<(), Trouble> {
        if count == 0 {
            return Ok(());
        }
        let (source, start) = self.locate(from, count, false)?;
        let (target, place) = self.locate(to, count, true)?;
        let object = self.object(source).expect("a living object");
        let mut contents = Vec::new();
        for piece in object.pieces(start..start + count) {
            contents.push(match piece {
                Piece::Known(range) => (
                    range.start - start,
                    Content::Bytes(
                        object.bytes()[range.start as usize..range.end as usize].to_vec(),
                    ),
                ),
                Piece::Undefined(range) => {
                    (range.start - start, Content::Undefined(range.end - range.start))
                }
                Piece::Cell(at, range) => {
                    let whole = (at == range.start)
                        .then(|| object.cell(at, range.end - range.start))
                        .flatten();
                    let content = match whole {
                        Some(cell) => Content::Whole(cell.clone()),
                        None => Content::Bits(object.cell_bits(compute, at, &range)),
                    };
                    (range.start - start, content)
                }
            });
        }
        let object = self.object_mut(target).expect("a living object");
        object.clear(compute, place..place + count);
        for (at, content) in contents {
            let at = place + at;
            match content {
                Content::Bytes(bytes) => object.write(at, &bytes),
                Content::Undefined(count) => object.mark(at..at + count, true),
                Content::Whole(cell) => object.put(compute, at, cell.ty, cell.value),
                Content::Bits(bits) => object.put_bits(compute, at, bits),
            }
        }
        Ok(())
    }

    /// Fills with a byte (`i8`).
    pub fn fill(
        &mut self,
        compute: &mut Compute,
        to: u64,
        byte: &Value,
        count: u64,
    ) -> Result<(), Trouble> {
        if count == 0 {
            return Ok(());
        }
        let (id, offset) = self.locate(to, count, true)?;
        let object = self.object_mut(id).expect("a living object");
        object.clear(compute, offset..offset + count);
        match byte {
            Value::Small(byte) => object.write(offset, &vec![*byte as u8; count as usize]),
            Value::Undefined => object.mark(offset..offset + count, true),
            Value::Wide(_) | Value::Term(_) | Value::Float { .. } | Value::Parts(_) => {
                for at in offset..offset + count {
                    object.put(compute, at, Type::Integer(8), byte.clone());
                }
            }
        }
        Ok(())
    }

    /// Another size for an object of the heap: a new object with the old one's bytes, which
    /// is freed. Of null, just a new object.
    pub fn reallocate(
        &mut self,
        compute: &mut Compute,
        address: u64,
        size: u64,
    ) -> Result<u64, Trouble> {
        let (id, offset) = ObjectId::of(address);
        let before = match self.object(id) {
            _ if address == 0 => 0,
            Some(object) if object.kind() == Kind::Heap && offset == 0 => object.size(),
            Some(_) => return Err(Trouble::InvalidFree),
            None => {
                return Err(match self.target(address) {
                    Err(Trouble::UseAfterFree(id)) => Trouble::DoubleFree(id),
                    Err(_) | Ok(_) => Trouble::InvalidFree,
                });
            }
        };
        let new = self.allocate(size, Kind::Heap, None)?;
        self.copy(compute, new, address, before.min(size))?;
        self.free(address)?;
        Ok(new)
    }

    /// The bytes at a place, if all of them are there and known.
    pub fn read_bytes(&self, address: u64, count: u64) -> Option<Vec<u8>> {
        let (id, offset) = self.locate(address, count, false).ok()?;
        let object = self.object(id)?;
        match object.pieces(offset..offset + count).as_slice() {
            [] => Some(Vec::new()),
            [Piece::Known(range)] => {
                Some(object.bytes()[range.start as usize..range.end as usize].to_vec())
            }
            _ => None,
        }
    }

    /// Writes known bytes.
    pub fn write_bytes(
        &mut self,
        compute: &mut Compute,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), Trouble> {
        let (id, offset) = self.locate(address, bytes.len() as u64, true)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let object = self.object_mut(id).expect("a living object");
        object.clear(compute, offset..offset + bytes.len() as u64);
        object.write(offset, bytes);
        Ok(())
    }

    /// The bytes of a string up to its zero, if they are known.
    pub fn read_known_string(&self, address: u64) -> Option<Vec<u8>> {
        let (id, offset) = self.locate(address, 1, false).ok()?;
        let object = self.object(id)?;
        let Some(Piece::Known(range)) = object.pieces(offset..object.size()).into_iter().next()
        else {
            return None;
        };
        let bytes = &object.bytes()[range.start as usize..range.end as usize];
        let end = bytes.iter().position(|byte| *byte == 0)?;
        Some(bytes[..end].to_vec())
    }

    /// Gives an object its initial value, constants included; `address` says where globals
    /// and functions are. The object's bytes are zero.
    pub fn initialise(
        &mut self,
        id: ObjectId,
        offset: u64,
        ty: &Type,
        initial: &Constant,
        address: &dyn Fn(Place) -> u64,
    ) {
        let Some(object) = self.object_mut(id) else { return };
        let count = ty.stored_bytes();
        match initial {
            Constant::Zero(_) => {}
            Constant::Undefined(_) | Constant::Poison(_) => {}
            Constant::Integer(word) | Constant::Float(_, word) => {
                object.write(offset, &bytes_of_word(word, count));
            }
            Constant::Bytes(bytes) => object.write(offset, bytes),
            Constant::Address { of, offset: further } => {
                let base = if *of == Place::Nowhere { 0 } else { address(*of) };
                let bits = base.wrapping_add(*further as u64);
                object.write(offset, &bits.to_le_bytes());
            }
            Constant::Parts(_, parts) => {
                if super::access::part_count(ty).is_none() {
                    // Lanes that share bytes.
                    let bits: Vec<bool> = parts.iter().flat_map(lane_bits).collect();
                    let word = nanoscope_ieee::Word::from_bits(&bits);
                    object.write(offset, &bytes_of_word(&word, count));
                    return;
                }
                for (index, constant) in parts.iter().enumerate() {
                    let (at, ty) = part(ty, index as u64);
                    self.initialise(id, offset + at, &ty, constant, address);
                }
            }
        }
    }

    /// A new object that holds these bytes and a zero.
    pub fn allocate_string(
        &mut self,
        compute: &mut Compute,
        text: &[u8],
        kind: Kind,
        name: Option<Arc<str>>,
    ) -> Result<u64, Trouble> {
        let address = self.allocate(text.len() as u64 + 1, kind, name)?;
        let mut bytes = text.to_vec();
        bytes.push(0);
        self.write_bytes(compute, address, &bytes)?;
        Ok(address)
    }
}

fn lane_bits(constant: &Constant) -> Vec<bool> {
    match constant {
        Constant::Integer(word) | Constant::Float(_, word) => {
            (0..word.width()).map(|at| word.bit(at)).collect()
        }
        Constant::Undefined(ty) | Constant::Poison(ty) | Constant::Zero(ty) => {
            vec![false; ty.bits().unwrap_or(0) as usize]
        }
        Constant::Address { .. } | Constant::Parts(..) | Constant::Bytes(_) => Vec::new(),
    }
}
