//! The contents of an object: cells of known type and value.

use crate::fixpoint::thresholds::Thresholds;
use crate::integers::{self, Integers};
use crate::memory::address::{ObjectId, Offsets, Pointers, object_of};
use crate::policy::{MOST_PARTS, MOST_PLACES};
use crate::value::{AbstractValue, parts_of};
use nanoscope_ieee::Float;
use nanoscope_program::ir::{Constant, IntegerOperation, Type};
use nanoscope_sets::Floats;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The contents of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// Its size in bytes, if that is known.
    pub size: Option<u64>,
    /// Cells by their offset; they do not overlap.
    pub cells: BTreeMap<u64, Cell>,
    /// Whether it stands for just one object at any time.
    pub unique: bool,
}

/// A value in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    pub bytes: u64,
    pub value: AbstractValue,
}

impl Cell {
    /// Some bytes of a number as an integer.
    pub fn part(&self, from: u64, bytes: u64) -> Option<Integers> {
        let all = 8 * u32::try_from(self.bytes).ok()?;
        let bits = 8 * bytes as u32;
        if self.value == AbstractValue::Zeros && bits <= Integers::WIDEST {
            return Some(Integers::of_bits(bits, 0));
        }
        if all > Integers::WIDEST
            || !matches!(self.value, AbstractValue::Float(_) | AbstractValue::Integer(_))
        {
            return None;
        }
        let AbstractValue::Integer(whole) = self.value.cast(&Type::Integer(all)) else {
            return None;
        };
        let distance = Integers::of_bits(all, u128::from(8 * from));
        let shifted = integers::binary(IntegerOperation::LogicalShiftRight, &whole, &distance)?;
        Some(integers::truncated(&shifted, bits))
    }
}

impl Contents {
    /// An object of which nothing is known but its size.
    pub fn unknown(size: Option<u64>) -> Contents {
        Contents { size, cells: BTreeMap::new(), unique: true }
    }

    /// An object full of zeros.
    pub fn zeros(size: u64) -> Contents {
        let mut contents = Contents::unknown(Some(size));
        contents.set(0, size, AbstractValue::Zeros);
        contents
    }

    /// An object with the value of a constant.
    pub fn constant(size: u64, constant: &Constant, ty: &Type) -> Contents {
        let mut contents = Contents::unknown(Some(size));
        contents.lay(0, constant, ty);
        contents
    }

    fn lay(&mut self, offset: u64, constant: &Constant, ty: &Type) {
        match constant {
            Constant::Zero(_) => self.set(offset, ty.stored_bytes(), AbstractValue::Zeros),
            Constant::Parts(_, parts) => {
                let members = all_parts(ty);
                for (part, (at, ty)) in parts.iter().zip(members) {
                    self.lay(offset + at, part, &ty);
                }
            }
            Constant::Bytes(bytes) => {
                for (i, &byte) in bytes.iter().enumerate() {
                    let value = Integers::of_bits(8, byte.into());
                    self.set(offset + i as u64, 1, AbstractValue::Integer(value));
                }
            }
            Constant::Integer(_) | Constant::Float(..) | Constant::Address { .. } => {
                self.set(offset, ty.stored_bytes(), constant_value(constant, ty));
            }
            Constant::Undefined(_) | Constant::Poison(_) => {}
        }
    }

    /// Puts a value at an offset, over whatever was there.
    pub fn set(&mut self, offset: u64, bytes: u64, value: AbstractValue) {
        if bytes == 0 {
            return;
        }
        self.clear(offset, bytes);
        if value != AbstractValue::Anything {
            self.cells.insert(offset, Cell { bytes, value });
        }
    }

    /// Forgets bytes. What is left of a run of zeros stays zero, and of a number its part.
    pub fn clear(&mut self, offset: u64, bytes: u64) {
        let end = offset + bytes;
        let touched: Vec<u64> = self.overlapping(offset, bytes).map(|(at, _)| at).collect();
        for at in touched {
            let cell = self.cells.remove(&at).expect("just seen");
            let cell_end = at + cell.bytes;
            for (from, to) in [(at, offset.min(cell_end)), (end.max(at), cell_end)] {
                if from >= to {
                    continue;
                }
                let left = match cell.value {
                    AbstractValue::Zeros => Some(AbstractValue::Zeros),
                    _ => cell.part(from - at, to - from).map(AbstractValue::Integer),
                };
                if let Some(value) = left {
                    self.cells.insert(from, Cell { bytes: to - from, value });
                }
            }
        }
    }

    /// The cells that overlap some bytes.
    pub fn overlapping(&self, offset: u64, bytes: u64) -> impl Iterator<Item = (u64, &Cell)> {
        let before = self.cells.range(..offset).next_back();
        let before = before.filter(|(at, cell)| *at + cell.bytes > offset);
        let end = offset.saturating_add(bytes);
        before.into_iter().chain(self.cells.range(offset..end)).map(|(at, cell)| (*at, cell))
    }

    /// The scalar at an offset.
    pub fn get(&self, offset: u64, bytes: u64, ty: &Type) -> AbstractValue {
        let mut touched = self.overlapping(offset, bytes);
        match (touched.next(), touched.next()) {
            (Some((at, cell)), None) => {
                let same = at == offset && cell.bytes == bytes;
                let inside = at <= offset && at + cell.bytes >= offset + bytes;
                if same || (inside && cell.value == AbstractValue::Zeros) {
                    cell.value.cast(ty)
                } else {
                    self.assembled(offset, bytes, ty)
                }
            }
            (Some((first, a)), Some(_)) => {
                // Several runs of zeros next to each other.
                let covers = first <= offset && a.value == AbstractValue::Zeros;
                let mut end = first + a.bytes;
                let zeros = covers
                    && self.overlapping(offset, bytes).skip(1).all(|(at, cell)| {
                        let next = at == end && cell.value == AbstractValue::Zeros;
                        end = at + cell.bytes;
                        next
                    });
                if zeros && end >= offset + bytes {
                    AbstractValue::zero(ty)
                } else {
                    self.assembled(offset, bytes, ty)
                }
            }
            (None, _) => AbstractValue::top(ty),
        }
    }

    /// A number from parts of cells.
    fn assembled(&self, offset: u64, bytes: u64, ty: &Type) -> AbstractValue {
        let bits = 8 * bytes as u32;
        if bits > Integers::WIDEST || ty.bits() != Some(bits) {
            return AbstractValue::top(ty);
        }
        let mut end = offset;
        let mut whole = Integers::of_bits(bits, 0);
        for (at, cell) in self.overlapping(offset, bytes) {
            let (from, to) = (at.max(offset), (at + cell.bytes).min(offset + bytes));
            let Some(part) = cell.part(from - at, to - from).filter(|_| from == end) else {
                return AbstractValue::top(ty);
            };
            let wide = if part.bits < bits { integers::extended(&part, bits, false) } else { part };
            let distance = Integers::of_bits(bits, u128::from(8 * (from - offset)));
            let both = integers::binary(IntegerOperation::ShiftLeft, &wide, &distance)
                .and_then(|part| integers::binary(IntegerOperation::Or, &whole, &part));
            let Some(both) = both else { return AbstractValue::top(ty) };
            whole = both;
            end = to;
        }
        if end == offset + bytes {
            AbstractValue::Integer(whole).cast(ty)
        } else {
            AbstractValue::top(ty)
        }
    }

    /// The places that offsets can mean for an access of that many bytes; `None` if they
    /// are too many. Whether any was cut off tells the second.
    pub fn places(&self, offsets: Offsets, bytes: u64) -> (Option<Vec<u64>>, bool) {
        let limit = match self.size {
            Some(size) if size >= bytes => (size - bytes) as i64,
            Some(_) => return (Some(Vec::new()), true),
            None => i64::MAX / 8,
        };
        let stride = offsets.stride.max(1) as i64;
        let skip = if offsets.lo < 0 {
            offsets.lo.unsigned_abs().div_ceil(stride as u64) as i64 * stride
        } else {
            0
        };
        let (lo, hi) = (offsets.lo + skip, offsets.hi.min(limit));
        let cut = skip > 0 || hi < offsets.hi;
        if lo > hi {
            return (Some(Vec::new()), cut);
        }
        if ((hi - lo) / stride) as u64 >= MOST_PLACES {
            return (None, cut);
        }
        ((Some((lo..=hi).step_by(stride as usize).map(|at| at as u64).collect())), cut)
    }

    /// The values of its cells.
    pub fn values(&self) -> impl Iterator<Item = &AbstractValue> {
        self.cells.values().map(|cell| &cell.value)
    }

    /// The same with other names for objects.
    pub fn renamed(self: &Rc<Contents>, names: &BTreeMap<ObjectId, ObjectId>) -> Rc<Contents> {
        if names.is_empty() || !self.values().any(AbstractValue::has_address) {
            return Rc::clone(self);
        }
        let mut contents = Contents::clone(self);
        for cell in contents.cells.values_mut() {
            cell.value = cell.value.renamed(names);
        }
        Rc::new(contents)
    }

    /// The contents where the addresses of some objects are not known.
    pub fn without(self: &Rc<Contents>, objects: &BTreeSet<ObjectId>) -> Rc<Contents> {
        if objects.is_empty() || !self.values().any(AbstractValue::has_address) {
            return Rc::clone(self);
        }
        let mut contents = Contents::clone(self);
        for cell in contents.cells.values_mut() {
            cell.value = cell.value.without(objects);
        }
        Rc::new(contents)
    }

    /// The join.
    pub fn join(&self, other: &Contents) -> Contents {
        let mut cells = BTreeMap::new();
        for (&at, cell) in &self.cells {
            if cell.value == AbstractValue::Zeros {
                // A run of zeros against cells of any layout: the other's cells within it.
                for (offset, theirs) in other.overlapping(at, cell.bytes) {
                    let (start, end) =
                        (at.max(offset), (at + cell.bytes).min(offset + theirs.bytes));
                    if theirs.value == AbstractValue::Zeros {
                        cells.insert(
                            start,
                            Cell { bytes: end - start, value: AbstractValue::Zeros },
                        );
                    } else if offset >= at && offset + theirs.bytes <= at + cell.bytes {
                        let value = AbstractValue::Zeros.join(&theirs.value);
                        cells.insert(offset, Cell { bytes: theirs.bytes, value });
                    }
                }
                continue;
            }
            match other.cells.get(&at) {
                Some(theirs)
                    if theirs.bytes == cell.bytes && theirs.value != AbstractValue::Zeros =>
                {
                    let value = cell.value.join(&theirs.value);
                    cells.insert(at, Cell { bytes: cell.bytes, value });
                }
                Some(_) | None => {
                    let zeros = other.overlapping(at, cell.bytes).next().is_some_and(|(o, c)| {
                        c.value == AbstractValue::Zeros && o <= at && o + c.bytes >= at + cell.bytes
                    });
                    if zeros {
                        let value = cell.value.join(&AbstractValue::Zeros);
                        cells.insert(at, Cell { bytes: cell.bytes, value });
                    }
                }
            }
        }
        cells.retain(|_, cell| cell.value != AbstractValue::Anything);
        let size = if self.size == other.size { self.size } else { None };
        Contents { size, cells, unique: self.unique && other.unique }
    }

    /// The widening by the next contents.
    pub fn widen(&self, next: &Contents, thresholds: &Thresholds) -> Contents {
        let mut joined = self.join(next);
        for (at, cell) in &mut joined.cells {
            if let Some(old) = self.cells.get(at) {
                cell.value = old.value.widen(&cell.value, thresholds);
            }
        }
        joined.cells.retain(|_, cell| cell.value != AbstractValue::Anything);
        joined
    }
}

/// The members of a constant's type, without a limit on their number.
fn all_parts(ty: &Type) -> Vec<(u64, Type)> {
    match ty {
        Type::Aggregate(aggregate) => (0..aggregate.count())
            .filter_map(|i| aggregate.member(i).map(|(at, ty)| (at, ty.clone())))
            .collect(),
        Type::Vector(..) => parts_of(ty).unwrap_or_default(),
        Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => Vec::new(),
    }
}

/// The value of a constant.
pub fn constant_value(constant: &Constant, ty: &Type) -> AbstractValue {
    match constant {
        Constant::Integer(word) => match word.to_u128() {
            Some(bits) if word.width() <= Integers::WIDEST => {
                AbstractValue::Integer(Integers::of_bits(word.width(), bits))
            }
            Some(_) | None => AbstractValue::Anything,
        },
        Constant::Float(format, word) => {
            AbstractValue::float(Floats::of(&Float::from_word(*format, word.clone())))
        }
        Constant::Address { of, offset } => match (object_of(*of), ty) {
            (Some(object), Type::Pointer) => {
                let targets = [(object, Offsets::at(*offset))].into();
                AbstractValue::pointer(Pointers { targets, ..Pointers::default() })
            }
            (None, Type::Pointer) if *offset == 0 => AbstractValue::pointer(Pointers::null()),
            (None | Some(_), _) => AbstractValue::top(ty),
        },
        Constant::Undefined(_) | Constant::Poison(_) => AbstractValue::top(ty),
        Constant::Zero(_) => AbstractValue::zero(ty),
        Constant::Parts(_, parts) => {
            let types = all_parts(ty);
            if types.len() != parts.len() || parts.len() > MOST_PARTS {
                return AbstractValue::Anything;
            }
            let values = parts.iter().zip(&types);
            AbstractValue::Parts(values.map(|(part, (_, ty))| constant_value(part, ty)).collect())
        }
        Constant::Bytes(_) => AbstractValue::Anything,
    }
}

/// The value that an object holds at offsets, and whether any of them is outside of it; what is
/// read there is top.
pub fn load_from(contents: &Contents, offsets: Offsets, ty: &Type) -> (AbstractValue, bool) {
    if let Some(parts) = parts_of(ty) {
        let mut values = Vec::with_capacity(parts.len());
        let mut any_cut = false;
        for (offset, ty) in &parts {
            let (value, cut) = load_from(contents, offsets.plus(Offsets::at(*offset as i64)), ty);
            values.push(value);
            any_cut |= cut;
        }
        return (AbstractValue::Parts(values.into()), any_cut);
    }
    if matches!(ty, Type::Vector(..) | Type::Aggregate(_)) {
        return (AbstractValue::Anything, false);
    }
    let bytes = ty.stored_bytes();
    let (places, cut) = contents.places(offsets, bytes);
    let known = places.filter(|_| !cut).and_then(|places| {
        places.into_iter().map(|at| contents.get(at, bytes, ty)).reduce(|a, b| a.join(&b))
    });
    (known.unwrap_or_else(|| AbstractValue::top(ty)), cut)
}
