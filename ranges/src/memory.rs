//! Memory: objects, each with cells of known type and content.
//!
//! A store to one known place of an object that is there once replaces what was there; any
//! other store joins. Bytes that no cell covers hold anything. A number can be read in parts,
//! the lowest byte first, and put together from parts. What is read outside of an object is
//! anything; what is written there is undefined and taken not to change any other object.

use crate::integers::{self, Integers};
use crate::value::{ObjectId, Offsets, Pointers, Value, parts_of};
use nanoscope_program::ir::{Code, Constant, IntegerOperation, Type};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What an object holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// Its size in bytes, if that is known.
    pub size: Option<u64>,
    /// Cells by their offset; they do not overlap.
    cells: BTreeMap<u64, Cell>,
    /// Whether it stands for just one object at any time.
    pub unique: bool,
}

/// A value in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Cell {
    bytes: u64,
    value: Value,
}

impl Cell {
    /// So many bytes of a number from there on, as an integer.
    fn part(&self, from: u64, bytes: u64) -> Option<Integers> {
        let all = 8 * u32::try_from(self.bytes).ok()?;
        let bits = 8 * bytes as u32;
        if self.value == Value::Zeros && bits <= Integers::WIDEST {
            return Some(Integers::of_bits(bits, 0));
        }
        if all > Integers::WIDEST || !matches!(self.value, Value::Float(_) | Value::Integer(_)) {
            return None;
        }
        let Value::Integer(whole) = self.value.cast(&Type::Integer(all)) else { return None };
        let distance = Integers::of_bits(all, u128::from(8 * from));
        let shifted = integers::binary(IntegerOperation::LogicalShiftRight, &whole, &distance)?;
        Some(integers::truncated(&shifted, bits))
    }
}

/// The most places that one access to an array looks at.
const MOST_PLACES: u64 = 2048;

impl Contents {
    /// An object of which nothing is known but its size.
    pub fn unknown(size: Option<u64>) -> Contents {
        Contents { size, cells: BTreeMap::new(), unique: true }
    }

    /// An object full of zeros.
    pub fn zeros(size: u64) -> Contents {
        let mut contents = Contents::unknown(Some(size));
        contents.set(0, size, Value::Zeros);
        contents
    }

    /// An object with the value of a constant.
    fn constant(size: u64, constant: &Constant, ty: &Type) -> Contents {
        let mut contents = Contents::unknown(Some(size));
        contents.lay(0, constant, ty);
        contents
    }

    fn lay(&mut self, offset: u64, constant: &Constant, ty: &Type) {
        match constant {
            Constant::Zero(_) => self.set(offset, ty.stored_bytes(), Value::Zeros),
            Constant::Parts(_, parts) => {
                let members = all_parts(ty);
                for (part, (at, ty)) in parts.iter().zip(members) {
                    self.lay(offset + at, part, &ty);
                }
            }
            Constant::Bytes(bytes) => {
                for (i, &byte) in bytes.iter().enumerate() {
                    let value = Integers::of_bits(8, byte.into());
                    self.set(offset + i as u64, 1, Value::Integer(value));
                }
            }
            Constant::Integer(_) | Constant::Float(..) | Constant::Address { .. } => {
                self.set(offset, ty.stored_bytes(), constant_value(constant, ty));
            }
            Constant::Undefined(_) | Constant::Poison(_) => {}
        }
    }

    /// Puts a value at an offset, over whatever was there.
    fn set(&mut self, offset: u64, bytes: u64, value: Value) {
        if bytes == 0 {
            return;
        }
        self.clear(offset, bytes);
        if value != Value::Anything {
            self.cells.insert(offset, Cell { bytes, value });
        }
    }

    /// Forgets bytes. What is left of a run of zeros stays zero, and of a number its part.
    fn clear(&mut self, offset: u64, bytes: u64) {
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
                    Value::Zeros => Some(Value::Zeros),
                    _ => cell.part(from - at, to - from).map(Value::Integer),
                };
                if let Some(value) = left {
                    self.cells.insert(from, Cell { bytes: to - from, value });
                }
            }
        }
    }

    fn overlapping(&self, offset: u64, bytes: u64) -> impl Iterator<Item = (u64, &Cell)> {
        let before = self.cells.range(..offset).next_back();
        let before = before.filter(|(at, cell)| *at + cell.bytes > offset);
        let end = offset.saturating_add(bytes);
        before.into_iter().chain(self.cells.range(offset..end)).map(|(at, cell)| (*at, cell))
    }

    /// The scalar at an offset.
    fn get(&self, offset: u64, bytes: u64, ty: &Type) -> Value {
        let mut touched = self.overlapping(offset, bytes);
        match (touched.next(), touched.next()) {
            (Some((at, cell)), None) => {
                let same = at == offset && cell.bytes == bytes;
                let inside = at <= offset && at + cell.bytes >= offset + bytes;
                if same || (inside && cell.value == Value::Zeros) {
                    cell.value.cast(ty)
                } else {
                    self.assembled(offset, bytes, ty)
                }
            }
            (Some((first, a)), Some(_)) => {
                // Several runs of zeros next to each other.
                let covers = first <= offset && a.value == Value::Zeros;
                let mut end = first + a.bytes;
                let zeros = covers
                    && self.overlapping(offset, bytes).skip(1).all(|(at, cell)| {
                        let next = at == end && cell.value == Value::Zeros;
                        end = at + cell.bytes;
                        next
                    });
                if zeros && end >= offset + bytes {
                    Value::zero(ty)
                } else {
                    self.assembled(offset, bytes, ty)
                }
            }
            (None, _) => Value::top(ty),
        }
    }

    /// A number from parts of cells.
    fn assembled(&self, offset: u64, bytes: u64, ty: &Type) -> Value {
        let bits = 8 * bytes as u32;
        if bits > Integers::WIDEST || ty.bits() != Some(bits) {
            return Value::top(ty);
        }
        let mut end = offset;
        let mut whole = Integers::of_bits(bits, 0);
        for (at, cell) in self.overlapping(offset, bytes) {
            let (from, to) = (at.max(offset), (at + cell.bytes).min(offset + bytes));
            let Some(part) = cell.part(from - at, to - from).filter(|_| from == end) else {
                return Value::top(ty);
            };
            let wide = if part.bits < bits { integers::extended(&part, bits, false) } else { part };
            let distance = Integers::of_bits(bits, u128::from(8 * (from - offset)));
            let both = integers::binary(IntegerOperation::ShiftLeft, &wide, &distance)
                .and_then(|part| integers::binary(IntegerOperation::Or, &whole, &part));
            let Some(both) = both else { return Value::top(ty) };
            whole = both;
            end = to;
        }
        if end == offset + bytes { Value::Integer(whole).cast(ty) } else { Value::top(ty) }
    }

    /// The places that offsets can mean for an access of that many bytes; `None` if they
    /// are too many. Whether any was cut off tells the second.
    fn places(&self, offsets: Offsets, bytes: u64) -> (Option<Vec<u64>>, bool) {
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

    /// What it may hold, cell by cell.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.cells.values().map(|cell| &cell.value)
    }

    /// The same with other names for objects.
    pub fn renamed(self: &Rc<Contents>, names: &BTreeMap<ObjectId, ObjectId>) -> Rc<Contents> {
        if names.is_empty() || !self.values().any(Value::has_address) {
            return Rc::clone(self);
        }
        let mut contents = Contents::clone(self);
        for cell in contents.cells.values_mut() {
            cell.value = cell.value.renamed(names);
        }
        Rc::new(contents)
    }

    fn join(&self, other: &Contents) -> Contents {
        let mut cells = BTreeMap::new();
        for (&at, cell) in &self.cells {
            if cell.value == Value::Zeros {
                // A run of zeros against cells of any layout: the other's cells within it.
                for (offset, theirs) in other.overlapping(at, cell.bytes) {
                    let (start, end) =
                        (at.max(offset), (at + cell.bytes).min(offset + theirs.bytes));
                    if theirs.value == Value::Zeros {
                        cells.insert(start, Cell { bytes: end - start, value: Value::Zeros });
                    } else if offset >= at && offset + theirs.bytes <= at + cell.bytes {
                        let value = Value::Zeros.join(&theirs.value);
                        cells.insert(offset, Cell { bytes: theirs.bytes, value });
                    }
                }
                continue;
            }
            match other.cells.get(&at) {
                Some(theirs) if theirs.bytes == cell.bytes && theirs.value != Value::Zeros => {
                    let value = cell.value.join(&theirs.value);
                    cells.insert(at, Cell { bytes: cell.bytes, value });
                }
                Some(_) | None => {
                    let zeros = other.overlapping(at, cell.bytes).next().is_some_and(|(o, c)| {
                        c.value == Value::Zeros && o <= at && o + c.bytes >= at + cell.bytes
                    });
                    if zeros {
                        let value = cell.value.join(&Value::Zeros);
                        cells.insert(at, Cell { bytes: cell.bytes, value });
                    }
                }
            }
        }
        cells.retain(|_, cell| cell.value != Value::Anything);
        let size = if self.size == other.size { self.size } else { None };
        Contents { size, cells, unique: self.unique && other.unique }
    }

    fn widen(&self, next: &Contents, landmarks: &crate::landmarks::Landmarks) -> Contents {
        let mut joined = self.join(next);
        for (at, cell) in &mut joined.cells {
            if let Some(old) = self.cells.get(at) {
                cell.value = old.value.widen(&cell.value, landmarks);
            }
        }
        joined.cells.retain(|_, cell| cell.value != Value::Anything);
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
pub fn constant_value(constant: &Constant, ty: &Type) -> Value {
    use crate::floats::Floats;
    use nanoscope_ieee::Float;
    match constant {
        Constant::Integer(word) => match word.to_u128() {
            Some(bits) if word.width() <= Integers::WIDEST => {
                Value::Integer(Integers::of_bits(word.width(), bits))
            }
            Some(_) | None => Value::Anything,
        },
        Constant::Float(format, word) => {
            Value::float(Floats::of(&Float::from_word(*format, word.clone())))
        }
        Constant::Address { of, offset } => match (crate::value::object_of(*of), ty) {
            (Some(object), Type::Pointer) => {
                let targets = [(object, Offsets::at(*offset))].into();
                Value::pointer(Pointers { targets, ..Pointers::default() })
            }
            (None, Type::Pointer) if *offset == 0 => Value::pointer(Pointers::null()),
            (None | Some(_), _) => Value::top(ty),
        },
        Constant::Undefined(_) | Constant::Poison(_) => Value::top(ty),
        Constant::Zero(_) => Value::zero(ty),
        Constant::Parts(_, parts) => {
            let types = all_parts(ty);
            if types.len() != parts.len() || parts.len() > crate::value::MOST_PARTS {
                return Value::Anything;
            }
            let values = parts.iter().zip(&types);
            Value::Parts(values.map(|(part, (_, ty))| constant_value(part, ty)).collect())
        }
        Constant::Bytes(_) => Value::Anything,
    }
}

/// All objects that were written to, or allocated.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    pub objects: Rc<BTreeMap<ObjectId, Rc<Contents>>>,
    /// Objects whose address code that is not here may have kept.
    pub escaped: Rc<BTreeSet<ObjectId>>,
    /// Whether every global variable may hold anything, unless it is listed.
    pub lost: bool,
    /// Whether something may have changed any object whatever.
    pub swept: bool,
    /// Whether an access may have gone outside of its object.
    pub clipped: bool,
}

/// The first contents of global variables, made when first looked at.
pub struct Globals<'c> {
    code: &'c Code,
    contents: Vec<std::cell::OnceCell<Rc<Contents>>>,
}

impl<'c> Globals<'c> {
    /// The globals of a program.
    pub fn new(code: &'c Code) -> Globals<'c> {
        let contents = code.globals.iter().map(|_| std::cell::OnceCell::new()).collect();
        Globals { code, contents }
    }

    fn initial(&self, object: ObjectId) -> Option<Rc<Contents>> {
        let ObjectId::Global(id) = object else { return None };
        let contents = self.contents[id.0 as usize].get_or_init(|| {
            let global = self.code.global(id);
            Rc::new(match &global.initial {
                Some(initial) => Contents::constant(global.size, initial, &global.ty),
                None => Contents::unknown((global.size > 0).then_some(global.size)),
            })
        });
        Some(Rc::clone(contents))
    }

    fn is_constant(&self, object: ObjectId) -> bool {
        match object {
            ObjectId::Global(id) => self.code.global(id).constant,
            ObjectId::Function(_) => true,
            ObjectId::Allocated { .. }
            | ObjectId::Given(_)
            | ObjectId::Inputs
            | ObjectId::Outputs => false,
        }
    }

    /// Whether what a constant global first held is what it always holds: it is defined here.
    fn is_fixed(&self, object: ObjectId) -> bool {
        match object {
            ObjectId::Global(id) => {
                self.code.global(id).constant && self.code.global(id).initial.is_some()
            }
            ObjectId::Function(_)
            | ObjectId::Allocated { .. }
            | ObjectId::Given(_)
            | ObjectId::Inputs
            | ObjectId::Outputs => false,
        }
    }
}

impl Memory {
    /// What an object holds.
    pub fn contents(&self, object: ObjectId, globals: &Globals) -> Option<Rc<Contents>> {
        if let Some(contents) = self.objects.get(&object) {
            return Some(Rc::clone(contents));
        }
        let initial = globals.initial(object)?;
        if self.lost && !globals.is_fixed(object) {
            return Some(Rc::new(Contents::unknown(initial.size)));
        }
        Some(initial)
    }

    /// A new object; if it is there already, it stands for several from now on.
    pub fn allocate(&mut self, object: ObjectId, contents: Contents) {
        let again = self.objects.contains_key(&object);
        let contents = if again {
            let size = self.objects[&object].size;
            let size = if size == contents.size { size } else { None };
            Contents { unique: false, ..Contents::unknown(size) }
        } else {
            contents
        };
        self.objects_mut().insert(object, Rc::new(contents));
    }

    /// The objects, no longer shared with other memories.
    pub fn objects_mut(&mut self) -> &mut BTreeMap<ObjectId, Rc<Contents>> {
        Rc::make_mut(&mut self.objects)
    }

    /// What an object holds, to be changed.
    fn contents_mut(&mut self, object: ObjectId, globals: &Globals) -> Option<&mut Contents> {
        let first = match self.objects.contains_key(&object) {
            true => None,
            false => Some(self.contents(object, globals)?),
        };
        match self.objects_mut().entry(object) {
            Entry::Occupied(known) => Some(Rc::make_mut(known.into_mut())),
            Entry::Vacant(place) => first.map(|first| Rc::make_mut(place.insert(first))),
        }
    }

    /// Ends the objects on the stack of the function being run.
    pub fn leave(&mut self) {
        let stays = |object: &ObjectId| !matches!(object, ObjectId::Allocated { heap: false, .. });
        if !self.objects.keys().all(stays) {
            self.objects_mut().retain(|object, _| stays(object));
        }
        if !self.escaped.iter().all(stays) {
            Rc::make_mut(&mut self.escaped).retain(stays);
        }
    }

    /// Ends one object.
    pub fn end(&mut self, object: ObjectId) {
        self.objects_mut().remove(&object);
        if self.escaped.contains(&object) {
            Rc::make_mut(&mut self.escaped).remove(&object);
        }
    }

    /// Brings in an object from elsewhere; if there is one of that name, it stands for both.
    pub fn bring(&mut self, object: ObjectId, contents: Rc<Contents>) {
        let contents = match self.objects.get(&object) {
            None => contents,
            Some(other) => Rc::new(Contents { unique: false, ..Contents::join(other, &contents) }),
        };
        self.objects_mut().insert(object, contents);
    }

    /// Forgets what is no address.
    pub fn forget_numbers(&mut self) {
        for contents in self.objects_mut().values_mut() {
            if !contents.values().all(Value::has_address) {
                let contents = Rc::make_mut(contents);
                contents.cells.retain(|_, cell| cell.value.has_address());
            }
        }
    }

    /// Whether everything possible here is possible in the other.
    pub fn is_within(&self, other: &Memory, globals: &Globals) -> bool {
        self == other || other.join(self, globals) == *other
    }

    /// Reads a value.
    pub fn load(&mut self, address: &Pointers, ty: &Type, globals: &Globals) -> Value {
        if address.anywhere {
            return Value::top(ty);
        }
        let mut value: Option<Value> = None;
        for (&object, &offsets) in &address.targets {
            let found = match self.contents(object, globals) {
                Some(contents) => {
                    let (found, cut) = load_from(&contents, offsets, ty);
                    self.clipped |= cut;
                    found
                }
                None => Value::top(ty),
            };
            value = Some(value.map_or(found.clone(), |value| value.join(&found)));
        }
        value.unwrap_or_else(|| Value::top(ty))
    }

    /// An address that is kept somewhere may be found again by code that is not here.
    pub fn escapes(&mut self, value: &Value) {
        match value {
            Value::Pointer(pointers) => {
                let new = pointers.targets.keys().any(|object| !self.escaped.contains(object));
                if new {
                    Rc::make_mut(&mut self.escaped).extend(pointers.targets.keys());
                }
            }
            Value::Parts(parts) => parts.iter().for_each(|part| self.escapes(part)),
            Value::Anything | Value::Zeros | Value::Float(_) | Value::Integer(_) => {}
        }
    }

    /// Writes a value.
    pub fn store(&mut self, address: &Pointers, ty: &Type, value: &Value, globals: &Globals) {
        self.escapes(value);
        if address.anywhere {
            return self.forget_all(globals);
        }
        if let Some(parts) = parts_of(ty) {
            for (i, (offset, ty)) in parts.iter().enumerate() {
                let place = address.moved(Offsets::at(*offset as i64));
                let place = Pointers { anywhere: false, ..place };
                self.store(&place, ty, &value.part(i), globals);
            }
            return;
        }
        let bytes = ty.stored_bytes();
        let single = address.targets.len() == 1;
        for (&object, &offsets) in &address.targets {
            if globals.is_constant(object) {
                continue;
            }
            let Some(contents) = self.contents_mut(object, globals) else { continue };
            let (places, cut) = contents.places(offsets, bytes);
            match places {
                None => contents.cells.clear(),
                Some(places) => {
                    let strong = single && places.len() == 1 && contents.unique && !cut;
                    for at in places {
                        let scalar = !matches!(ty, Type::Vector(..) | Type::Aggregate(_));
                        let new = if strong || !scalar {
                            if scalar { value.clone() } else { Value::Anything }
                        } else {
                            contents.get(at, bytes, ty).join(&value.cast(ty))
                        };
                        contents.set(at, bytes, new);
                    }
                }
            }
            self.clipped |= cut;
        }
    }

    /// Forgets bytes from an address on; `None`: as many as there are.
    pub fn forget(&mut self, address: &Pointers, bytes: Option<u64>, globals: &Globals) {
        if address.anywhere {
            return self.forget_all(globals);
        }
        for (&object, &offsets) in &address.targets {
            if globals.is_constant(object) {
                continue;
            }
            let Some(inner) = self.contents_mut(object, globals) else { continue };
            match bytes {
                Some(bytes) if offsets.stride == 0 && offsets.lo >= 0 => {
                    inner.clear(offsets.lo as u64, bytes);
                }
                Some(_) | None => inner.cells.clear(),
            }
        }
    }

    /// Fills bytes with zeros, where it is sure which.
    pub fn fill_with_zeros(&mut self, address: &Pointers, bytes: u64, globals: &Globals) {
        if let Some((object, at)) = sure(address)
            && self.contents(object, globals).is_some_and(|contents| contents.unique)
            && !globals.is_constant(object)
            && let Some(contents) = self.contents_mut(object, globals)
        {
            contents.set(at, bytes, Value::Zeros);
        } else {
            self.forget(address, None, globals);
        }
    }

    /// Copies bytes, where it is sure which; forgets the target elsewhere.
    pub fn copy(&mut self, to: &Pointers, from: &Pointers, bytes: Option<u64>, globals: &Globals) {
        if let (Some((target, to_at)), Some((source, from_at)), Some(bytes)) =
            (sure(to), sure(from), bytes)
            && let (Some(mut contents), Some(given)) =
                (self.contents(target, globals), self.contents(source, globals))
            && contents.unique
            && !globals.is_constant(target)
        {
            let mut cells = Vec::new();
            for (at, cell) in given.overlapping(from_at, bytes) {
                let (start, end) = (at.max(from_at), (at + cell.bytes).min(from_at + bytes));
                let whole = start == at && end == at + cell.bytes;
                let value = if whole || cell.value == Value::Zeros {
                    Some(cell.value.clone())
                } else {
                    cell.part(start - at, end - start).map(Value::Integer)
                };
                cells.extend(value.map(|value| (start - from_at + to_at, end - start, value)));
            }
            let inner = Rc::make_mut(&mut contents);
            inner.clear(to_at, bytes);
            for (at, bytes, value) in cells {
                // An object that stands for several has only what all of them may hold.
                inner.set(at, bytes, value);
            }
            self.objects_mut().insert(target, contents);
        } else {
            self.forget(to, None, globals);
        }
    }

    /// Every variable may have changed.
    pub fn forget_all(&mut self, globals: &Globals) {
        self.lost = true;
        self.swept = true;
        for (object, contents) in self.objects_mut() {
            if !globals.is_fixed(*object) {
                *contents = Rc::new(Contents {
                    unique: contents.unique,
                    ..Contents::unknown(contents.size)
                });
            }
        }
    }

    /// What code that is not here may do, given these values: it may change every object
    /// that it can reach from them, from global variables, and from what it was given
    /// before. Gives the functions it may call back; `None`: any.
    pub fn hand_out(
        &mut self,
        values: &[Value],
        globals: &Globals,
    ) -> Option<Vec<nanoscope_program::ir::FunctionId>> {
        let mut reached: BTreeSet<ObjectId> = BTreeSet::new();
        let mut queue: Vec<ObjectId> = Vec::new();
        let mut functions = Vec::new();
        let mut anywhere = false;
        let mut seeds: Vec<Value> = values.to_vec();
        queue.extend(self.escaped.iter());
        queue.extend(
            self.objects
                .keys()
                .filter(|o| matches!(o, ObjectId::Global(_)) && !globals.is_fixed(**o)),
        );
        loop {
            while let Some(value) = seeds.pop() {
                match value {
                    Value::Pointer(pointers) => {
                        anywhere |= pointers.anywhere;
                        queue.extend(pointers.targets.keys());
                    }
                    Value::Parts(parts) => seeds.extend(parts.iter().cloned()),
                    // An address may hide in a number.
                    Value::Anything => anywhere = true,
                    Value::Zeros | Value::Float(_) | Value::Integer(_) => {}
                }
            }
            let Some(object) = queue.pop() else { break };
            if !reached.insert(object) {
                continue;
            }
            if let ObjectId::Function(id) = object {
                functions.push(id);
            }
            if let Some(contents) = self.contents(object, globals) {
                seeds.extend(contents.cells.values().map(|cell| cell.value.clone()));
            }
        }
        if anywhere {
            self.forget_all(globals);
            return None;
        }
        for &object in &reached {
            if globals.is_constant(object) {
                continue;
            }
            if let Some(contents) = self.contents(object, globals) {
                let unknown = Contents::unknown(contents.size);
                let contents = Rc::new(Contents { unique: contents.unique, ..unknown });
                self.objects_mut().insert(object, contents);
            }
        }
        // Other variables that have never been written here may be written there.
        self.lost = true;
        let escaped = Rc::make_mut(&mut self.escaped);
        escaped.extend(reached);
        Some(functions)
    }

    /// What either holds.
    pub fn join(&self, other: &Memory, globals: &Globals) -> Memory {
        self.combine(other, globals, &|a, b| a.join(b))
    }

    /// A superset of both, with landmarks for the ends that moved.
    pub fn widen(
        &self,
        next: &Memory,
        globals: &Globals,
        landmarks: &crate::landmarks::Landmarks,
    ) -> Memory {
        self.combine(next, globals, &|a, b| a.widen(b, landmarks))
    }

    fn combine(
        &self,
        other: &Memory,
        globals: &Globals,
        merge: &dyn Fn(&Contents, &Contents) -> Contents,
    ) -> Memory {
        let objects = if Rc::ptr_eq(&self.objects, &other.objects) {
            Rc::clone(&self.objects)
        } else {
            let mut objects = BTreeMap::new();
            let names: BTreeSet<ObjectId> =
                self.objects.keys().chain(other.objects.keys()).copied().collect();
            for object in names {
                let (a, b) = (self.contents(object, globals), other.contents(object, globals));
                let merged = match (a, b) {
                    (Some(a), Some(b)) if Rc::ptr_eq(&a, &b) || a == b => a,
                    (Some(a), Some(b)) => Rc::new(merge(&a, &b)),
                    // On one side it does not exist yet: nothing points to it there.
                    (Some(only), None) | (None, Some(only)) => only,
                    (None, None) => continue,
                };
                objects.insert(object, merged);
            }
            Rc::new(objects)
        };
        let escaped = if Rc::ptr_eq(&self.escaped, &other.escaped) {
            Rc::clone(&self.escaped)
        } else {
            Rc::new(self.escaped.union(&other.escaped).copied().collect())
        };
        Memory {
            objects,
            escaped,
            lost: self.lost || other.lost,
            swept: self.swept || other.swept,
            clipped: self.clipped || other.clipped,
        }
    }
}

/// The one place that an address means, if there is just one.
fn sure(address: &Pointers) -> Option<(ObjectId, u64)> {
    let (&object, offsets) = address.targets.first_key_value()?;
    let single = address.targets.len() == 1 && !address.anywhere;
    (single && offsets.lo == offsets.hi && offsets.lo >= 0).then_some((object, offsets.lo as u64))
}

/// What an object holds at these offsets, and whether any of them is outside of it. What is read
/// there is anything: neighbours that nobody here knows.
fn load_from(contents: &Contents, offsets: Offsets, ty: &Type) -> (Value, bool) {
    if let Some(parts) = parts_of(ty) {
        let mut values = Vec::with_capacity(parts.len());
        let mut any_cut = false;
        for (offset, ty) in &parts {
            let (value, cut) = load_from(contents, offsets.plus(Offsets::at(*offset as i64)), ty);
            values.push(value);
            any_cut |= cut;
        }
        return (Value::Parts(values.into()), any_cut);
    }
    if matches!(ty, Type::Vector(..) | Type::Aggregate(_)) {
        return (Value::Anything, false);
    }
    let bytes = ty.stored_bytes();
    let (places, cut) = contents.places(offsets, bytes);
    let known = places.filter(|_| !cut).and_then(|places| {
        places.into_iter().map(|at| contents.get(at, bytes, ty)).reduce(|a, b| a.join(&b))
    });
    (known.unwrap_or_else(|| Value::top(ty)), cut)
}
