//! Memory of a shadow run: objects of bytes, with the numbers that were stored there beside
//! them.
//!
//! An address is an object's number and an offset in one word, so that pointers are plain
//! integers. A float (or an integer that is not known) is a cell beside the bytes; whoever
//! reads its bytes gets its encoding, made then.

use super::Stuck;
use super::domain::{At, Domain, ShadowValue, ValueOf, bits};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why a run ends that reads or writes outside of all objects.
pub(crate) const LEFT: &str = "in exact arithmetic it leaves the memory it was given";

/// Bits of an address that are the offset.
const OFFSET_BITS: u32 = 40;

/// All memory together.
const MOST: u64 = 1 << 28;

/// Objects, by number.
pub(super) struct Memory<D: Domain> {
    /// Shared with the states that were kept; a write copies.
    objects: Vec<Arc<Object<D>>>,
    /// Objects that outlive runs: constant globals.
    lasting: Vec<Arc<Object<D>>>,
    used: u64,
    /// How far objects are read and written, by number, where somebody watches.
    reached: Option<BTreeMap<u64, Reach>>,
    /// The object, by number, beyond whose bytes an access was that ended the run.
    left: Option<u64>,
}

/// How far an object was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    /// One past the last byte.
    pub end: u64,
    /// Whether any was written.
    pub written: bool,
}

/// The objects of a run at one time.
pub(super) struct Kept<D: Domain> {
    objects: Vec<Arc<Object<D>>>,
    used: u64,
}

/// The number of the first object that outlives runs.
const LASTING: u64 = 1 << 22;

struct Object<D: Domain> {
    bytes: Vec<u8>,
    /// Values that are no bytes, by their offsets, with their sizes; they do not overlap.
    cells: BTreeMap<u64, (u64, ValueOf<D>)>,
    /// Ended: no longer to be used.
    ended: bool,
    /// Not to be written any more.
    sealed: bool,
    /// What it is, where nothing but its address is known.
    unknown: Option<Box<str>>,
}

impl<D: Domain> Object<D> {
    fn new(size: u64) -> Object<D> {
        let bytes = vec![0; size as usize];
        Object { bytes, cells: BTreeMap::new(), ended: false, sealed: false, unknown: None }
    }
}

impl<D: Domain> Clone for Object<D> {
    fn clone(&self) -> Object<D> {
        let Object { bytes, cells, ended, sealed, unknown } = self;
        let (bytes, cells, unknown) = (bytes.clone(), cells.clone(), unknown.clone());
        Object { bytes, cells, ended: *ended, sealed: *sealed, unknown }
    }
}

impl<D: Domain> Default for Memory<D> {
    fn default() -> Memory<D> {
        Memory { objects: Vec::new(), lasting: Vec::new(), used: 0, reached: None, left: None }
    }
}

impl<D: Domain> Memory<D> {
    /// A new object, all zero. Its address.
    pub fn allocate(&mut self, size: u64) -> Result<u64, Stuck> {
        self.used = self.used.saturating_add(size);
        if self.used > MOST {
            return Err(Stuck::new("it uses too much memory"));
        }
        self.objects.push(Arc::new(Object::new(size)));
        Ok((self.objects.len() as u64) << OFFSET_BITS)
    }

    /// The same of an object that outlives the run; the caller seals it.
    pub fn allocate_for_good(&mut self, size: u64) -> Result<u64, Stuck> {
        if size > MOST {
            return Err(Stuck::new("it uses too much memory"));
        }
        self.lasting.push(Arc::new(Object::new(size)));
        Ok((LASTING + self.lasting.len() as u64) << OFFSET_BITS)
    }

    /// From now on writing to a lasting object is an error.
    pub fn seal(&mut self, address: u64) {
        if address >> OFFSET_BITS > LASTING
            && let Some(object) = self.at(address)
        {
            object.sealed = true;
        }
    }

    /// From now on reading or writing an object is an error that tells its name.
    pub fn forbid(&mut self, address: u64, name: &str) {
        if let Some(object) = self.at(address) {
            object.unknown = Some(name.into());
        }
    }

    /// From now on takes note of how far objects are used.
    pub fn watch(&mut self) {
        self.reached = Some(BTreeMap::new());
    }

    /// Takes no more notes; how far the objects at these addresses were used.
    pub fn reaches(&mut self, addresses: &[u64]) -> Vec<Reach> {
        let reached = self.reached.take().unwrap_or_default();
        let of = |address: &u64| reached.get(&(address >> OFFSET_BITS)).copied();
        addresses.iter().map(|address| of(address).unwrap_or_default()).collect()
    }

    fn note(&mut self, address: u64, end: u64, written: bool) {
        if let Some(reached) = &mut self.reached {
            let known = reached.entry(address >> OFFSET_BITS).or_default();
            *known = Reach { end: known.end.max(end), written: known.written || written };
        }
    }

    /// Whether the run ended by an access beyond one of the first so many objects.
    pub fn left_one_of(&self, first: usize) -> bool {
        self.left.is_some_and(|number| number <= first as u64)
    }

    /// Ends everything that does not outlive the run.
    pub fn reset(&mut self) {
        self.objects.clear();
        self.used = 0;
        self.left = None;
    }

    /// How many objects were made that do not outlive the run.
    pub fn objects(&self) -> usize {
        self.objects.len()
    }

    /// Makes every number in objects after the first so many what a store of it writes.
    pub fn round(&mut self, domain: &mut D, at: At, first: usize) -> Result<(), Stuck> {
        for object in self.objects.iter_mut().skip(first) {
            if !object.cells.is_empty() {
                let object = Arc::make_mut(object);
                object.write_out(domain, at, 0, object.bytes.len() as u64)?;
                object.cells.clear();
            }
        }
        Ok(())
    }

    /// Everything that does not outlive the run, as it is now.
    pub fn keep(&self) -> Kept<D> {
        Kept { objects: self.objects.clone(), used: self.used }
    }

    /// Goes back to what was kept; what is there now.
    pub fn restore(&mut self, kept: &Kept<D>) -> Kept<D> {
        let objects = std::mem::replace(&mut self.objects, kept.objects.clone());
        Kept { objects, used: std::mem::replace(&mut self.used, kept.used) }
    }

    /// Becomes what two runs from one state have left, by a domain's way to join two values. What
    /// they have made since must be ended.
    pub fn join(
        &mut self,
        domain: &mut D,
        before: &Kept<D>,
        [a, b]: [Kept<D>; 2],
        mut joined: impl FnMut(&mut D, [&ValueOf<D>; 2]) -> Result<ValueOf<D>, Stuck>,
    ) -> Result<(), Stuck> {
        let common = before.objects.len();
        let lives = |kept: &Kept<D>| kept.objects[common..].iter().any(|object| !object.ended);
        if lives(&a) || lives(&b) {
            return Err(Stuck::new("a side of a branch makes an object that stays"));
        }
        self.objects.clear();
        self.used = before.used;
        for (a, b) in a.objects.iter().zip(&b.objects).take(common) {
            self.objects.push(match Arc::ptr_eq(a, b) {
                true => Arc::clone(a),
                false => Arc::new(a.join(b, domain, &mut joined)?),
            });
        }
        Ok(())
    }

    /// The object that an address lies in; the first has number 0 and addresses from 2^40.
    fn at(&mut self, address: u64) -> Option<&mut Object<D>> {
        let number = address >> OFFSET_BITS;
        let object = match number.checked_sub(LASTING + 1) {
            Some(number) => self.lasting.get_mut(number as usize),
            None => self.objects.get_mut((number as usize).wrapping_sub(1)),
        };
        object.map(Arc::make_mut)
    }

    /// Ends an object.
    pub fn free(&mut self, address: u64) {
        if let Some(object) = self.at(address) {
            let size = object.bytes.len() as u64;
            *object = Object { ended: true, ..Object::new(0) };
            self.used = self.used.saturating_sub(size);
        }
    }

    /// The size of the object at an address.
    pub fn size(&mut self, address: u64) -> Option<u64> {
        self.at(address).map(|object| object.bytes.len() as u64)
    }

    fn object(&mut self, address: u64, size: u64) -> Result<(&mut Object<D>, u64), Stuck> {
        let offset = address & ((1 << OFFSET_BITS) - 1);
        self.note(address, offset.saturating_add(size), false);
        let living = self.at(address).filter(|object| !object.ended);
        let held = living.as_ref().map_or(0, |object| object.bytes.len() as u64);
        let is_unknown = living.is_some_and(|object| object.unknown.is_some());
        if !is_unknown && offset.saturating_add(size) > held {
            self.left = (held > 0).then_some(address >> OFFSET_BITS);
            return Err(Stuck::new(LEFT));
        }
        match self.at(address) {
            Some(Object { unknown: Some(name), .. }) => {
                Err(Stuck::new(format!("it reads `{name}`, which is not among the sources")))
            }
            Some(object) => Ok((object, offset)),
            None => Err(Stuck::new(LEFT)),
        }
    }

    /// The same for writing.
    fn writable(&mut self, address: u64, size: u64) -> Result<(&mut Object<D>, u64), Stuck> {
        self.note(address, 0, true);
        match self.object(address, size)? {
            (object, _) if object.sealed => Err(Stuck::new("it writes to a constant")),
            found => Ok(found),
        }
    }

    /// The bytes at an address, as a little-endian integer.
    pub fn load(&mut self, domain: &mut D, at: At, address: u64, size: u64) -> Result<u128, Stuck> {
        let (object, offset) = self.object(address, size)?;
        object.write_out(domain, at, offset, size)?;
        let bytes = &object.bytes[offset as usize..(offset + size) as usize];
        Ok(bytes.iter().rev().fold(0, |whole, &byte| whole << 8 | u128::from(byte)))
    }

    /// What was stored at an address as no bytes, if just that was.
    pub fn cell(&mut self, address: u64, size: u64) -> Result<Option<&ValueOf<D>>, Stuck> {
        let (object, offset) = self.object(address, size)?;
        Ok(object.cells.get(&offset).filter(|(held, _)| *held == size).map(|(_, value)| value))
    }

    /// Writes an integer.
    pub fn store(
        &mut self,
        domain: &mut D,
        at: At,
        address: u64,
        size: u64,
        bits: u128,
    ) -> Result<(), Stuck> {
        let (object, offset) = self.writable(address, size)?;
        object.forget(domain, at, offset, size)?;
        for place in 0..size {
            object.bytes[(offset + place) as usize] = (bits >> (8 * place)) as u8;
        }
        Ok(())
    }

    /// Writes what is no bytes.
    pub fn store_cell(
        &mut self,
        domain: &mut D,
        at: At,
        address: u64,
        size: u64,
        value: ValueOf<D>,
    ) -> Result<(), Stuck> {
        let (object, offset) = self.writable(address, size)?;
        if let Some((held, place)) = object.cells.get_mut(&offset)
            && *held == size
        {
            *place = value;
            return Ok(());
        }
        object.forget(domain, at, offset, size)?;
        object.cells.insert(offset, (size, value));
        Ok(())
    }

    /// Copies bytes and the numbers among them; the places may overlap.
    pub fn copy(
        &mut self,
        domain: &mut D,
        at: At,
        to: u64,
        from: u64,
        size: u64,
    ) -> Result<(), Stuck> {
        if size == 0 {
            return Ok(());
        }
        let (object, offset) = self.object(from, size)?;
        object.write_out_edges(domain, at, offset, size)?;
        let bytes = object.bytes[offset as usize..(offset + size) as usize].to_vec();
        let cells: Vec<(u64, (u64, ValueOf<D>))> = object
            .cells
            .range(offset..offset + size)
            .filter(|(place, (held, _))| **place + held <= offset + size)
            .map(|(place, cell)| (*place - offset, cell.clone()))
            .collect();
        let (object, offset) = self.writable(to, size)?;
        object.forget(domain, at, offset, size)?;
        object.bytes[offset as usize..(offset + size) as usize].copy_from_slice(&bytes);
        object.cells.extend(cells.into_iter().map(|(place, cell)| (offset + place, cell)));
        Ok(())
    }

    /// Fills with a byte.
    pub fn fill(
        &mut self,
        domain: &mut D,
        at: At,
        to: u64,
        byte: u8,
        size: u64,
    ) -> Result<(), Stuck> {
        if size == 0 {
            return Ok(());
        }
        let (object, offset) = self.writable(to, size)?;
        object.forget(domain, at, offset, size)?;
        object.bytes[offset as usize..(offset + size) as usize].fill(byte);
        Ok(())
    }
}

/// Bytes that differ are joined as integers of so many.
const INTEGER: u64 = 4;

impl<D: Domain> Object<D> {
    /// What two runs have made of one object.
    fn join(
        &self,
        other: &Object<D>,
        domain: &mut D,
        joined: &mut impl FnMut(&mut D, [&ValueOf<D>; 2]) -> Result<ValueOf<D>, Stuck>,
    ) -> Result<Object<D>, Stuck> {
        let differ = || Stuck::new("the sides of a branch leave different objects");
        if (self.ended, self.bytes.len()) != (other.ended, other.bytes.len()) {
            return Err(differ());
        }
        let mut places: BTreeMap<u64, u64> = BTreeMap::new();
        for (place, (size, _)) in self.cells.iter().chain(&other.cells) {
            if *places.entry(*place).or_insert(*size) != *size {
                return Err(differ());
            }
        }
        for at in (0..self.bytes.len()).filter(|&at| self.bytes[at] != other.bytes[at]) {
            let at = at as u64;
            let under = places.range(..=at).next_back().is_some_and(|(p, size)| p + size > at);
            if !under {
                places.insert(at - at % INTEGER, INTEGER);
            }
        }
        let mut end = 0;
        let mut made = Object { cells: BTreeMap::new(), ..self.clone() };
        for (&place, &size) in &places {
            if place < end || place + size > self.bytes.len() as u64 {
                return Err(differ());
            }
            end = place + size;
            let a = self.value(domain, place, size, other);
            let b = other.value(domain, place, size, self);
            made.cells.insert(place, (size, joined(domain, [&a, &b])?));
        }
        Ok(made)
    }

    /// What stands at a place: bytes are read as what the other object has there.
    fn value(&self, domain: &mut D, place: u64, size: u64, like: &Object<D>) -> ValueOf<D> {
        if let Some((_, value)) = self.cells.get(&place) {
            return value.clone();
        }
        let bytes = &self.bytes[place as usize..(place + size) as usize];
        let whole = bytes.iter().rev().fold(0, |whole, &byte| whole << 8 | u128::from(byte));
        match like.cells.get(&place) {
            Some((_, ShadowValue::Coded(format, _))) => {
                ShadowValue::Coded(*format, domain.decoded(*format, whole))
            }
            Some(_) | None => ShadowValue::Bits(whole),
        }
    }
}

/// The largest cell: an `x86_fp80` in ten bytes, a 128-bit integer in sixteen.
const LARGEST: u64 = 16;

impl<D: Domain> Object<D> {
    /// The cells that overlap a range.
    fn overlapping(&self, offset: u64, size: u64) -> Vec<u64> {
        self.cells
            .range(offset.saturating_sub(LARGEST)..offset + size)
            .filter(|(place, (held, _))| **place + held > offset)
            .map(|(place, _)| *place)
            .collect()
    }

    /// Encodes the cells that overlap a range into the bytes.
    fn write_out(&mut self, domain: &mut D, at: At, offset: u64, size: u64) -> Result<(), Stuck> {
        if self.cells.is_empty() {
            return Ok(());
        }
        for place in self.overlapping(offset, size) {
            self.write_cell(domain, at, place)?;
        }
        Ok(())
    }

    /// The same for cells that only partly lie in the range.
    fn write_out_edges(
        &mut self,
        domain: &mut D,
        at: At,
        offset: u64,
        size: u64,
    ) -> Result<(), Stuck> {
        for place in self.overlapping(offset, size) {
            let held = self.cells[&place].0;
            if place < offset || place + held > offset + size {
                self.write_cell(domain, at, place)?;
            }
        }
        Ok(())
    }

    fn write_cell(&mut self, domain: &mut D, at: At, place: u64) -> Result<(), Stuck> {
        let (held, value) = &self.cells[&place];
        let held = *held;
        let whole = match value {
            ShadowValue::Coded(..) | ShadowValue::Bits(_) | ShadowValue::Symbol(_) => {
                bits(domain, at, value)?
            }
            ShadowValue::Number(_) | ShadowValue::Parts(_) => {
                return Err(Stuck::new("memory holds what has no bytes"));
            }
        };
        for byte in 0..held {
            self.bytes[(place + byte) as usize] = (whole >> (8 * byte)) as u8;
        }
        Ok(())
    }

    /// What is written over is no longer the value that was there; what is left of it is
    /// bytes.
    fn forget(&mut self, domain: &mut D, at: At, offset: u64, size: u64) -> Result<(), Stuck> {
        if self.cells.is_empty() {
            return Ok(());
        }
        for place in self.overlapping(offset, size) {
            let held = self.cells[&place].0;
            if place < offset || place + held > offset + size {
                self.write_cell(domain, at, place)?;
            }
            self.cells.remove(&place);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::exact::{Arithmetic, Real};
    use super::{At, Memory, ShadowValue};
    use nanoscope_ieee::Format;

    #[test]
    fn floats_stay_exact_until_written_over() {
        let mut run = Arithmetic::new(64);
        let third = run.div(&Real::integer(1), &Real::integer(3));
        let (run, at) = (&mut run, At::default());
        let mut memory = Memory::<Arithmetic>::default();
        let place = memory.allocate(32).expect("room");
        let cell = ShadowValue::Coded(Format::BINARY64, third);
        memory.store_cell(run, at, place + 8, 8, cell).expect("within");
        let exact = |memory: &mut Memory<Arithmetic>, at: u64| {
            let cell = memory.cell(at, 8).expect("within");
            matches!(cell, Some(ShadowValue::Coded(_, Real::Exact(_))))
        };
        assert!(exact(&mut memory, place + 8));
        let bits = memory.load(run, at, place + 8, 8).expect("within");
        assert_eq!(bits as u64, (1.0f64 / 3.0).to_bits());
        memory.copy(run, at, place + 20, place + 8, 8).expect("within");
        assert!(exact(&mut memory, place + 20));
        memory.store(run, at, place + 15, 1, 0).expect("within");
        assert!(!exact(&mut memory, place + 8) && exact(&mut memory, place + 20));
        let bits = memory.load(run, at, place + 8, 8).expect("within");
        assert_eq!(bits as u64, (1.0f64 / 3.0).to_bits() & !(0xff << 56));
        assert!(
            memory.load(run, at, place + 32, 1).is_err() && memory.load(run, at, 0, 1).is_err()
        );
        memory.free(place);
        assert!(memory.load(run, at, place, 1).is_err());
    }
}
