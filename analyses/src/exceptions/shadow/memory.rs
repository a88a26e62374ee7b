//! Memory of the shadow run: objects of bytes, with the exact numbers that were stored there
//! beside them.
//!
//! An address is an object's number and an offset in one word, so that pointers are plain
//! integers. A float is written twice: its nearest encoding into the bytes, for whoever looks
//! at these, and the exact number as a cell, for whoever loads the same float again.

use super::Stuck;
use super::real::Real;
use nanoscope_ieee::Format;
use std::collections::BTreeMap;

/// Bits of an address that are the offset.
const OFFSET_BITS: u32 = 40;

/// All memory together.
const MOST: u64 = 1 << 28;

/// Objects, by number.
#[derive(Debug, Default)]
pub(super) struct Memory {
    objects: Vec<Object>,
    used: u64,
}

#[derive(Debug, Default)]
struct Object {
    bytes: Vec<u8>,
    /// Exact floats by their offsets; they do not overlap.
    cells: BTreeMap<u64, (Format, Real)>,
    /// Ended: no longer to be used.
    ended: bool,
}

/// Bytes that a float takes in memory when it is stored.
fn size_of(format: Format) -> u64 {
    u64::from(format.width()).div_ceil(8)
}

impl Memory {
    /// A new object, all zero. Its address.
    pub fn allocate(&mut self, size: u64) -> Result<u64, Stuck> {
        self.used = self.used.saturating_add(size);
        if self.used > MOST {
            return Err(Stuck::new("it uses too much memory"));
        }
        let bytes = vec![0; size as usize];
        self.objects.push(Object { bytes, ..Object::default() });
        Ok((self.objects.len() as u64) << OFFSET_BITS)
    }

    /// Ends an object.
    pub fn free(&mut self, address: u64) {
        if let Some(object) = self.objects.get_mut(number(address)) {
            self.used = self.used.saturating_sub(object.bytes.len() as u64);
            *object = Object { ended: true, ..Object::default() };
        }
    }

    /// The size of the object at an address.
    pub fn size(&self, address: u64) -> Option<u64> {
        self.objects.get(number(address)).map(|object| object.bytes.len() as u64)
    }

    fn object(&mut self, address: u64, size: u64) -> Result<(&mut Object, u64), Stuck> {
        let offset = address & ((1 << OFFSET_BITS) - 1);
        let object = self.objects.get_mut(number(address)).filter(|object| !object.ended);
        match object {
            Some(object) if offset.saturating_add(size) <= object.bytes.len() as u64 => {
                Ok((object, offset))
            }
            Some(_) | None => {
                Err(Stuck::new("in exact arithmetic it leaves the memory it was given"))
            }
        }
    }

    /// The bytes at an address, as a little-endian integer.
    pub fn load(&mut self, address: u64, size: u64) -> Result<u128, Stuck> {
        let (object, offset) = self.object(address, size)?;
        let bytes = &object.bytes[offset as usize..(offset + size) as usize];
        Ok(bytes.iter().rev().fold(0, |whole, &byte| whole << 8 | u128::from(byte)))
    }

    /// The exact float that was stored at an address, if just that was.
    pub fn cell(&mut self, address: u64, size: u64) -> Result<Option<(Format, Real)>, Stuck> {
        let (object, offset) = self.object(address, size)?;
        let cell = object.cells.get(&offset);
        Ok(cell.filter(|(format, _)| size_of(*format) == size).cloned())
    }

    /// Writes an integer.
    pub fn store(&mut self, address: u64, size: u64, bits: u128) -> Result<(), Stuck> {
        let (object, offset) = self.object(address, size)?;
        object.forget(offset, size);
        for at in 0..size {
            object.bytes[(offset + at) as usize] = (bits >> (8 * at)) as u8;
        }
        Ok(())
    }

    /// Writes a float.
    pub fn store_real(&mut self, address: u64, format: Format, value: Real) -> Result<(), Stuck> {
        let size = size_of(format);
        self.store(address, size, value.encoded(format))?;
        let (object, offset) = self.object(address, size)?;
        object.cells.insert(offset, (format, value));
        Ok(())
    }

    /// Copies bytes and the exact numbers among them; the places may overlap.
    pub fn copy(&mut self, to: u64, from: u64, size: u64) -> Result<(), Stuck> {
        if size == 0 {
            return Ok(());
        }
        let (object, offset) = self.object(from, size)?;
        let bytes = object.bytes[offset as usize..(offset + size) as usize].to_vec();
        let cells: Vec<(u64, (Format, Real))> = object
            .cells
            .range(offset..offset + size)
            .filter(|(at, (format, _))| **at + size_of(*format) <= offset + size)
            .map(|(at, cell)| (*at - offset, cell.clone()))
            .collect();
        let (object, offset) = self.object(to, size)?;
        object.forget(offset, size);
        object.bytes[offset as usize..(offset + size) as usize].copy_from_slice(&bytes);
        object.cells.extend(cells.into_iter().map(|(at, cell)| (offset + at, cell)));
        Ok(())
    }

    /// Fills with a byte.
    pub fn fill(&mut self, to: u64, byte: u8, size: u64) -> Result<(), Stuck> {
        if size == 0 {
            return Ok(());
        }
        let (object, offset) = self.object(to, size)?;
        object.forget(offset, size);
        object.bytes[offset as usize..(offset + size) as usize].fill(byte);
        Ok(())
    }
}

impl Object {
    /// What is written over is no longer the float that was there.
    fn forget(&mut self, offset: u64, size: u64) {
        let overlapping: Vec<u64> = self
            .cells
            .range(offset.saturating_sub(16)..offset + size)
            .filter(|(at, (format, _))| **at + size_of(*format) > offset)
            .map(|(at, _)| *at)
            .collect();
        for at in overlapping {
            self.cells.remove(&at);
        }
    }
}

/// The object that an address lies in; the first has number 0 and addresses from 2^40.
fn number(address: u64) -> usize {
    ((address >> OFFSET_BITS) as usize).wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::{Format, Memory, Real};

    fn third() -> Real {
        let mut run = super::super::real::Arithmetic { precision: 64, rounded: false };
        run.div(&Real::integer(1), &Real::integer(3))
    }

    #[test]
    fn floats_stay_exact_until_written_over() {
        let mut memory = Memory::default();
        let place = memory.allocate(32).expect("room");
        memory.store_real(place + 8, Format::BINARY64, third()).expect("within");
        let exact = |memory: &mut Memory, at: u64| {
            matches!(memory.cell(at, 8).expect("within"), Some((_, Real::Exact(_))))
        };
        assert!(exact(&mut memory, place + 8));
        assert_eq!(memory.load(place + 8, 8).expect("within") as u64, (1.0f64 / 3.0).to_bits());
        memory.copy(place + 20, place + 8, 8).expect("within");
        assert!(exact(&mut memory, place + 20));
        memory.store(place + 15, 1, 0).expect("within");
        assert!(!exact(&mut memory, place + 8) && exact(&mut memory, place + 20));
        assert!(memory.load(place + 32, 1).is_err() && memory.load(0, 1).is_err());
        memory.free(place);
        assert!(memory.load(place, 1).is_err());
    }
}
