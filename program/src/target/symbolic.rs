//! What the memory is that a program makes unknown, as the source declares it.

use crate::llvm::{Opcode, object_type};
use crate::program::Program;
use crate::target::declared::Leaf;
use crate::target::layout::leaves_of;
use crate::target::scalar::Scalar;
use std::collections::BTreeMap;

/// A scalar in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Bytes from the object's beginning.
    pub offset: u64,
    /// The way to it: empty for the object itself, `[3]`, `.re`.
    pub path: String,
    /// The type's name, as the source has it.
    pub type_name: String,
    /// What it holds.
    pub scalar: Scalar,
}

impl Program {
    /// The scalars of each object that is made unknown by `klee_make_symbolic`, by the name it
    /// is given there. What has no declared type of its own (memory from the heap) is not among
    /// them.
    pub fn symbolic(&self) -> BTreeMap<String, Vec<Member>> {
        let mut list = BTreeMap::new();
        let Some(function) = self.module.function("klee_make_symbolic") else { return list };
        for call in function.users() {
            let arguments = call.arguments();
            if call.opcode() != Some(Opcode::LLVMCall) || arguments.len() < 3 {
                continue;
            }
            let Some(name) = arguments[2].constant_text() else { continue };
            let Some(leaves) = object_type(arguments[0]).and_then(leaves_of) else { continue };
            list.entry(name).or_insert_with(|| members(leaves));
        }
        list
    }
}

/// What lies in whole bytes.
fn members(leaves: Vec<Leaf>) -> Vec<Member> {
    let whole = leaves.into_iter().filter(|leaf| leaf.bit.is_none());
    whole
        .map(|Leaf { offset, name: path, type_name, scalar, .. }| Member {
            offset,
            path,
            type_name,
            scalar,
        })
        .collect()
}
