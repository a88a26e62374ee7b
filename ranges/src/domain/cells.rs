//! The domain of cells: registers that hold the value of a cell of memory. Two loads of a cell that
//! was not written to in between are the same value, and what a condition tells of one load is
//! known of the cell.

use crate::domain::environment::Environment;
use crate::domain::point::{Domain, Side, Text, names_after};
use crate::memory::address::{ObjectId, Offsets};
use crate::policy::MOST_CELLS;
use crate::value::AbstractValue;
use nanoscope_program::ir::{Edge, Register, Type};

/// A cell: an object, an offset and a type.
pub type Place = (ObjectId, u64, Type);

/// A register that holds the value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    pub place: Place,
    pub register: Register,
    /// The value that memory has for it.
    pub value: AbstractValue,
}

/// Cells with the registers that were first and last loaded from each or stored there.
#[derive(Clone, Debug, Default)]
pub struct Cells(pub Vec<Held>);

impl Cells {
    /// The register that has held a cell's value for longest.
    pub fn holder(&self, place: &Place) -> Option<Register> {
        self.0.iter().find(|held| held.place == *place).map(|held| held.register)
    }

    /// A cell now has the value of a register.
    pub fn store(&mut self, place: Place, register: Register, value: AbstractValue) {
        self.0.retain(|held| held.place != place);
        self.add(Held { place, register, value });
    }

    /// A register now holds the value of a cell, besides the one that has held it for longest.
    pub fn load(&mut self, place: Place, register: Register, value: AbstractValue) {
        let first = self.holder(&place);
        self.0.retain(|held| held.place != place || Some(held.register) == first);
        self.add(Held { place, register, value });
    }

    fn add(&mut self, held: Held) {
        if self.0.len() >= MOST_CELLS {
            self.0.remove(0);
        }
        self.0.push(held);
    }

    /// Some bytes at one of these offsets into an object may have changed.
    pub fn forget_bytes(&mut self, object: ObjectId, offsets: Offsets, bytes: u64) {
        let is_apart = |(known, at, ty): &Place| {
            *known != object || !offsets.overlap(bytes, *at, ty.stored_bytes())
        };
        self.0.retain(|held| is_apart(&held.place));
    }

    /// An object may have changed.
    pub fn forget_object(&mut self, object: ObjectId) {
        self.0.retain(|held| held.place.0 != object);
    }

    /// Everything may have changed.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Domain for Cells {
    fn forget(&mut self, register: Register) {
        if !self.0.is_empty() {
            self.0.retain(|held| held.register != register);
        }
    }

    fn follow(
        &mut self,
        _at: &Text,
        _before: &Environment,
        edge: &Edge,
        is_live: &dyn Fn(Register) -> bool,
    ) {
        self.0.retain_mut(|held| {
            let name = names_after(edge, held.register).find(|name| is_live(*name));
            held.register = name.unwrap_or(held.register);
            name.is_some()
        });
    }

    fn join(a: Side<Self>, b: Side<Self>, _joined: &Environment) -> Self {
        let common = |held: &&Held| b.element.0.contains(held);
        Cells(a.element.0.iter().filter(common).cloned().collect())
    }

    fn widen(a: Side<Self>, b: Side<Self>, wide: &Environment) -> Self {
        Cells::join(a, b, wide)
    }

    fn includes(&self, other: Side<Self>) -> bool {
        self.0.iter().all(|held| other.element.0.contains(held))
    }
}
