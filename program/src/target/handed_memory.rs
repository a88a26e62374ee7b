//! How much memory lies behind the addresses that a target hands to the functions it is given:
//! what a stand-in may write there.

use crate::code::reach;
use crate::llvm::{Module, Opcode, Value};
use crate::target::callback::Callback;
use crate::target::layout::{Argument, Layout};
use std::collections::BTreeSet;

/// How many calls an address is followed back through.
const DEEPEST: u32 = 4;

/// A target in a copy of the program with its variables in registers.
pub(crate) struct Handed<'a> {
    module: &'a Module,
    target: Value,
    layout: &'a Layout,
    /// All code that the target can come to.
    reached: BTreeSet<Value>,
}

impl<'a> Handed<'a> {
    pub fn of(module: &'a Module, target: Value, layout: &'a Layout) -> Handed<'a> {
        Handed { module, target, layout, reached: reach::from(target) }
    }

    /// The bytes behind a parameter of a callback wherever it is called; `None` where that is
    /// not known.
    pub fn bytes(&self, callback: &Callback, parameter: usize) -> Option<u64> {
        let mut least = None;
        for call in self.calls() {
            if call.callee().is_some() || !callback.is_called_as(call.called_type()) {
                continue;
            }
            let behind = self.behind(*call.arguments().get(parameter)?, DEEPEST)?;
            least = Some(least.map_or(behind, |least: u64| least.min(behind)));
        }
        least
    }

    /// The calls in reached code.
    fn calls(&self) -> impl Iterator<Item = Value> {
        let blocks = self.reached.iter().flat_map(|function| function.blocks());
        blocks.flat_map(|block| block.instructions()).filter(|instruction| {
            matches!(instruction.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke))
                && !instruction.calls_assembly()
        })
    }

    /// The bytes from an address to the end of its object.
    fn behind(&self, address: Value, depth: u32) -> Option<u64> {
        if let Some(function) = address.parent_function() {
            return self.behind_parameter(function, address, depth);
        }
        match address.opcode() {
            Some(Opcode::LLVMAlloca) => {
                let count = u64::try_from(address.operand(0).as_integer()?).ok()?;
                Some(self.module.size_of(address.value_type()) * count)
            }
            Some(Opcode::LLVMGetElementPtr) => {
                let whole = self.behind(address.operand(0), depth)?;
                whole.checked_sub(address.constant_offset()?)
            }
            _ if address.is_global_variable() && !address.is_declaration() => {
                Some(self.module.size_of(address.value_type()))
            }
            _ => None,
        }
    }

    fn behind_parameter(&self, function: Value, parameter: Value, depth: u32) -> Option<u64> {
        let at = function.parameters().iter().position(|known| *known == parameter)?;
        if function == self.target {
            let Some(Argument::Address(object)) = self.layout.arguments.get(at) else {
                return None;
            };
            let object = &self.layout.objects[*object];
            let end = |offset: u64, bits: u32| offset + u64::from(bits).div_ceil(8);
            return object.leaves.iter().map(|leaf| end(leaf.offset, leaf.scalar.bits())).max();
        }
        if depth == 0 {
            return None;
        }
        let mut least = None;
        for call in self.calls().filter(|call| call.callee() == Some(function)) {
            let behind = self.behind(*call.arguments().get(at)?, depth - 1)?;
            least = Some(least.map_or(behind, |least: u64| least.min(behind)));
        }
        least
    }
}
