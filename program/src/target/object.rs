//! Objects in memory that a target is given: what lies in them, and where they lead to.

use crate::target::callback::Callback;
use crate::target::declared::Leaf;

/// The largest number of leaves in one parameter.
pub(crate) const MOST_LEAVES: usize = 4096;

/// Memory with scalars in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object {
    /// The parameter or pointer that leads to it, as C writes it.
    pub name: String,
    pub size: u64,
    pub leaves: Vec<Leaf>,
    /// Pointers in it, to other objects.
    pub pointers: Vec<(u64, Object)>,
    /// Pointers in it, to functions.
    pub callbacks: Vec<(u64, Callback)>,
    /// Whether an index that is not constant goes into it.
    pub is_array: bool,
    /// What integers that are lengths stay within.
    pub length: u64,
    /// How many elements the array has.
    pub elements: u64,
    /// Numbers in it that are no inputs: offset, bits, value.
    pub fixed: Vec<(u64, u32, u64)>,
    /// Pointers in it into an object that another of its pointers leads to: where, where that
    /// one is, and how many bytes further.
    pub within: Vec<(u64, u64, u64)>,
    /// Addresses in it of variables of the program, by their symbols.
    pub symbols: Vec<(u64, String)>,
    /// Pointers in it that are null: nothing tells what they lead to.
    pub nulls: Vec<String>,
    /// Of Fortran's descriptors: the extents of the array.
    pub shape: Vec<u64>,
    /// Whether the callee may free it, as it may an allocatable array.
    pub on_heap: bool,
}

impl Object {
    /// It and all that its pointers lead to.
    pub fn all(&self) -> Vec<&Object> {
        let behind = self.pointers.iter().flat_map(|(_, object)| object.all());
        std::iter::once(self).chain(behind).collect()
    }

    pub fn named(self, name: &str) -> Object {
        Object { name: name.to_owned(), ..self }
    }

    pub fn count(&self) -> usize {
        self.leaves.len() + self.pointers.iter().map(|(_, object)| object.count()).sum::<usize>()
    }
}
