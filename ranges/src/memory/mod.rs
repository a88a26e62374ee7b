//! Memory: objects, each with cells of known type and value.
//!
//! A store to one known place of an object that stands for just one is a strong update; any other
//! store joins. Bytes that no cell covers hold anything. A number can be read in parts, the
//! lowest byte first, and put together from parts. What is read outside of an object is top;
//! what is written there is undefined and taken not to change any other object.

pub mod address;
pub mod contents;
pub mod globals;
pub mod renaming;

use crate::fixpoint::thresholds::Thresholds;
use crate::value::{AbstractValue, parts_of};
use address::{ObjectId, Offsets, Pointers};
pub use contents::Contents;
use contents::load_from;
pub use globals::Globals;
use nanoscope_program::ir::{FunctionId, Type};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The objects that were written to or allocated.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    pub objects: Rc<BTreeMap<ObjectId, Rc<Contents>>>,
    /// Objects whose address external code may have kept.
    pub escaped: Rc<BTreeSet<ObjectId>>,
    /// Whether every global variable may hold anything, unless it is listed.
    pub lost: bool,
    /// Whether any object at all may have changed.
    pub swept: bool,
    /// Whether external code may have run since the function was entered.
    pub handed_out: bool,
    /// Whether an access may have gone outside of its object.
    pub clipped: bool,
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

    /// The objects that are not as they were at first.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Contents)> {
        self.objects.iter().map(|(object, contents)| (*object, &**contents))
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

    /// Forgets the contents of an object.
    pub fn forget_object(&mut self, object: ObjectId) {
        if self.objects.get(&object).is_some_and(|contents| !contents.cells.is_empty())
            && let Some(contents) = self.objects_mut().get_mut(&object)
        {
            Rc::make_mut(contents).cells.clear();
        }
    }

    /// Forgets what is no address.
    pub fn forget_numbers(&mut self) {
        for contents in self.objects_mut().values_mut() {
            if !contents.values().all(AbstractValue::has_address) {
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
    pub fn load(&mut self, address: &Pointers, ty: &Type, globals: &Globals) -> AbstractValue {
        if address.anywhere {
            return AbstractValue::top(ty);
        }
        let mut value: Option<AbstractValue> = None;
        for (&object, &offsets) in &address.targets {
            let found = match self.contents(object, globals) {
                Some(contents) => {
                    let (found, cut) = load_from(&contents, offsets, ty);
                    self.clipped |= cut;
                    found
                }
                None => AbstractValue::top(ty),
            };
            value = Some(value.map_or(found.clone(), |value| value.join(&found)));
        }
        value.unwrap_or_else(|| AbstractValue::top(ty))
    }

    /// An address that is kept somewhere may be found again by code that is not here.
    pub fn escapes(&mut self, value: &AbstractValue) {
        match value {
            AbstractValue::Pointer(pointers) => {
                let new = pointers.targets.keys().any(|object| !self.escaped.contains(object));
                if new {
                    Rc::make_mut(&mut self.escaped).extend(pointers.targets.keys());
                }
            }
            AbstractValue::Parts(parts) => parts.iter().for_each(|part| self.escapes(part)),
            AbstractValue::Anything
            | AbstractValue::Zeros
            | AbstractValue::Float(_)
            | AbstractValue::Integer(_) => {}
        }
    }

    /// Writes a value.
    pub fn store(
        &mut self,
        address: &Pointers,
        ty: &Type,
        value: &AbstractValue,
        globals: &Globals,
    ) {
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
                            if scalar { value.clone() } else { AbstractValue::Anything }
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

    /// The cell that an access to an address means: the only place of an object that stands for
    /// just one.
    pub fn cell(
        &self,
        address: &Pointers,
        ty: &Type,
        globals: &Globals,
    ) -> Option<(ObjectId, u64)> {
        let (object, offset) = sure(address)?;
        let contents = self.contents(object, globals)?;
        let inside = contents.size.is_none_or(|size| offset + ty.stored_bytes() <= size);
        let scalar = matches!(ty, Type::Float(_) | Type::Integer(_));
        (contents.unique && inside && scalar).then_some((object, offset))
    }

    /// Restricts the value of a cell.
    pub fn refine(
        &mut self,
        object: ObjectId,
        offset: u64,
        ty: &Type,
        value: &AbstractValue,
        globals: &Globals,
    ) {
        if !globals.is_constant(object)
            && let Some(contents) = self.contents_mut(object, globals)
        {
            contents.set(offset, ty.stored_bytes(), value.clone());
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
            contents.set(at, bytes, AbstractValue::Zeros);
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
                let value = if whole || cell.value == AbstractValue::Zeros {
                    Some(cell.value.clone())
                } else {
                    cell.part(start - at, end - start).map(AbstractValue::Integer)
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
        values: &[AbstractValue],
        globals: &Globals,
    ) -> Option<Vec<FunctionId>> {
        let known = self.objects.keys();
        let variables =
            known.filter(|o| matches!(o, ObjectId::Global(_)) && !globals.is_fixed(**o)).copied();
        let more: Vec<ObjectId> = self.escaped.iter().copied().chain(variables).collect();
        self.handed_out = true;
        let functions = self.change_reachable(values, more, globals)?;
        // Other variables that have never been written here may be written there.
        self.lost = true;
        Some(functions)
    }

    /// What external code that ran in a callee may have done with objects that were not passed to
    /// it. Gives the functions it may have called back; `None`: any.
    pub fn hand_out_objects(
        &mut self,
        objects: Vec<ObjectId>,
        globals: &Globals,
    ) -> Option<Vec<FunctionId>> {
        self.handed_out = true;
        self.change_reachable(&[], objects, globals)
    }

    /// What a function does that changes only what it can reach from these values.
    pub fn hand_over(&mut self, values: &[AbstractValue], globals: &Globals) {
        self.change_reachable(values, Vec::new(), globals);
    }

    /// Forgets every object that values or other objects lead to. Gives the functions among
    /// them; `None` if they may lead anywhere.
    fn change_reachable(
        &mut self,
        values: &[AbstractValue],
        mut queue: Vec<ObjectId>,
        globals: &Globals,
    ) -> Option<Vec<FunctionId>> {
        let mut reached: BTreeSet<ObjectId> = BTreeSet::new();
        let mut functions = Vec::new();
        let mut anywhere = false;
        let mut seeds: Vec<AbstractValue> = values.to_vec();
        loop {
            while let Some(value) = seeds.pop() {
                match value {
                    AbstractValue::Pointer(pointers) => {
                        anywhere |= pointers.anywhere;
                        queue.extend(pointers.targets.keys());
                    }
                    AbstractValue::Parts(parts) => seeds.extend(parts.iter().cloned()),
                    // An address may hide in a number.
                    AbstractValue::Anything => anywhere = true,
                    AbstractValue::Zeros | AbstractValue::Float(_) | AbstractValue::Integer(_) => {}
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
        Rc::make_mut(&mut self.escaped).extend(reached);
        Some(functions)
    }

    /// The join.
    pub fn join(&self, other: &Memory, globals: &Globals) -> Memory {
        self.combine(other, globals, &|a, b| a.join(b))
    }

    /// The widening by the next memory.
    pub fn widen(&self, next: &Memory, globals: &Globals, thresholds: &Thresholds) -> Memory {
        self.combine(next, globals, &|a, b| a.widen(b, thresholds))
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
            handed_out: self.handed_out || other.handed_out,
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
