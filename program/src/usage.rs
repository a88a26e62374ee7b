//! How a function uses memory that it is handed: what it reads before it writes there,
//! how far it goes, whether it indexes.

use crate::llvm::{Block, Opcode, Type, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How deep calls are followed.
const DEEPEST: u32 = 8;

/// The use of one pointer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    /// Offsets whose first access is a read.
    read_first: BTreeSet<u64>,
    /// Offsets whose first access is a write.
    write_first: BTreeSet<u64>,
    /// Whether accesses at an index begin with a read.
    indexed_read: Option<bool>,
    /// What stands at constant offsets.
    pub types: BTreeMap<u64, Type>,
    /// What an index steps by.
    pub element: Option<Type>,
    /// One past the last byte at a constant offset.
    pub extent: u64,
    /// Whether an index that is no constant goes in.
    pub variable: bool,
    /// Whether anything is written.
    pub writes: bool,
    /// Whether the pointer is kept somewhere (in Fortran's descriptors, say): what is done with
    /// it there is not seen.
    escapes: bool,
}

impl Usage {
    /// Whether what is at an offset matters to the function.
    pub fn is_read(&self, offset: u64) -> bool {
        self.read_first.contains(&offset)
            || !self.write_first.contains(&offset)
                && (self.escapes || self.indexed_read == Some(true))
    }

    fn touch(&mut self, offset: Option<u64>, ty: Type, size: u64, is_read: bool) {
        self.writes |= !is_read;
        let Some(offset) = offset else {
            self.indexed_read.get_or_insert(is_read);
            self.element.get_or_insert(ty);
            return;
        };
        if !self.write_first.contains(&offset) && !self.read_first.contains(&offset) {
            if is_read {
                self.read_first.insert(offset)
            } else {
                self.write_first.insert(offset)
            };
        }
        self.types.entry(offset).or_insert(ty);
        self.extent = self.extent.max(offset + size);
    }

    /// Takes over what a callee does with the pointer moved by `offset`.
    fn absorb(&mut self, callee: &Usage, offset: Option<u64>) {
        let Some(base) = offset else {
            if let Some((&at, &ty)) = callee.types.first_key_value() {
                self.touch(None, ty, 0, callee.is_read(at));
            }
            return;
        };
        for (&at, &ty) in &callee.types {
            self.touch(Some(base + at), ty, 0, callee.is_read(at));
        }
        if callee.variable {
            self.variable = true;
            self.indexed_read = self.indexed_read.or(callee.indexed_read);
            self.element = self.element.or(callee.element);
        }
        self.writes |= callee.writes;
        self.escapes |= callee.escapes;
        self.extent = self.extent.max(base + callee.extent);
    }
}

/// The use of a pointer parameter, in the order in which the code stands. The function
/// should have its stack slots promoted and its offsets folded.
pub(crate) fn usage_of(parameter: Value, depth: u32) -> Usage {
    let mut usage = Usage::default();
    let mut known: BTreeMap<Value, Option<u64>> = BTreeMap::from([(parameter, Some(0))]);
    // Pointers through phi nodes may be met before they are known: two rounds settle most.
    let Some(function) = parameter.parent_function() else { return usage };
    let instructions: Vec<Value> =
        function.blocks().into_iter().flat_map(Block::instructions).collect();
    for _ in 0..2 {
        for &instruction in &instructions {
            derive(instruction, &mut known);
        }
    }
    for &instruction in &instructions {
        match instruction.opcode() {
            Some(Opcode::LLVMLoad) => {
                if let Some(&offset) = known.get(&instruction.operand(0)) {
                    usage.touch(offset, instruction.ty(), instruction.ty().byte_size(), true);
                }
            }
            Some(Opcode::LLVMStore) => {
                let ty = instruction.operand(0).ty();
                if let Some(&offset) = known.get(&instruction.operand(1)) {
                    usage.touch(offset, ty, ty.byte_size(), false);
                }
                usage.escapes |= known.contains_key(&instruction.operand(0));
            }
            Some(Opcode::LLVMInsertValue) => {
                usage.escapes |= known.contains_key(&instruction.operand(1));
            }
            Some(Opcode::LLVMPtrToInt) => {
                usage.escapes |= known.contains_key(&instruction.operand(0));
            }
            Some(Opcode::LLVMGetElementPtr)
                if known.contains_key(&instruction.operand(0))
                    && known.get(&instruction) == Some(&None) =>
            {
                usage.variable = true;
                usage.element.get_or_insert(instruction.source_element_type());
            }
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke) if depth < DEEPEST => {
                let Some(callee) = instruction.callee() else { continue };
                let parameters = callee.parameters();
                for (i, argument) in instruction.arguments().into_iter().enumerate() {
                    let (Some(&offset), Some(&parameter)) =
                        (known.get(&argument), parameters.get(i))
                    else {
                        continue;
                    };
                    if !callee.is_declaration() {
                        usage.absorb(&usage_of(parameter, depth + 1), offset);
                    }
                }
            }
            _ => {}
        }
    }
    usage
}

/// Notes a pointer derived from a known one, with its offset where that is constant.
fn derive(instruction: Value, known: &mut BTreeMap<Value, Option<u64>>) {
    match instruction.opcode() {
        Some(Opcode::LLVMGetElementPtr) => {
            let Some(&base) = known.get(&instruction.operand(0)) else { return };
            let offset =
                base.zip(instruction.constant_offset()).map(|(base, more)| base.wrapping_add(more));
            known.insert(instruction, offset.filter(|&o| o < 1 << 40));
        }
        Some(Opcode::LLVMBitCast | Opcode::LLVMFreeze) => {
            if let Some(&offset) = known.get(&instruction.operand(0)) {
                known.insert(instruction, offset);
            }
        }
        Some(Opcode::LLVMPHI | Opcode::LLVMSelect)
            if instruction.operands().iter().any(|operand| known.contains_key(operand)) =>
        {
            known.insert(instruction, None);
        }
        _ => {}
    }
}
