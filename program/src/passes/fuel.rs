//! Fuel: what bounds a run of instrumented code, whatever its loops do.

use crate::code::reach;
use crate::llvm::{Block, Builder, IntPredicate, Module, Opcode, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Counts `nanoscope_fuel` down at every loop's head, and at the entry of every function
/// that may call itself; below zero, `nanoscope_stop` is called.
pub(crate) fn burn(module: &Module) {
    let word = module.integer(64);
    let fuel = module.add_global("nanoscope_fuel", word, None);
    let stop = module.add_function("nanoscope_stop", module.function_type(module.void(), &[]));
    let defined: Vec<Value> =
        module.functions().into_iter().filter(|f| !f.is_declaration()).collect();
    let recursive = reach::recursive(&defined);
    let b = Builder::new(module);
    for function in defined {
        let mut heads: BTreeMap<Block, u64> =
            loop_heads(function).into_iter().map(|head| (head, 1)).collect();
        if recursive.contains(&function) {
            heads.insert(function.blocks()[0], CALL);
        }
        // In the order of the code: the same program makes the same library.
        for block in function.blocks() {
            let Some(&cost) = heads.get(&block) else { continue };
            let Some(first) = block.instructions().into_iter().find(|i| {
                !matches!(
                    i.opcode(),
                    Some(Opcode::LLVMPHI | Opcode::LLVMAlloca | Opcode::LLVMLandingPad)
                )
            }) else {
                continue;
            };
            b.before(first);
            let left = b.sub(b.load(word, fuel), word.constant(cost));
            b.store(left, fuel);
            let empty = b.compare(IntPredicate::LLVMIntSLT, left, word.zero());
            let rest = b.split_before(first);
            let end = module.add_block(function, "empty");
            b.branch_rarely(empty, end, rest);
            b.at_end(end);
            b.call(stop, &[]);
            b.unreachable();
        }
    }
}

/// What a call of a recursive function takes of the fuel that an iteration takes 1 of:
/// so much that the fuel is used up before the stack is.
const CALL: u64 = 32;

/// The blocks that an edge goes back to.
fn loop_heads(function: Value) -> BTreeSet<Block> {
    let mut heads = BTreeSet::new();
    let mut done = BTreeSet::new();
    let mut open = BTreeSet::new();
    let entry = function.blocks()[0];
    let mut path = vec![(entry, 0)];
    open.insert(entry);
    while let Some((block, next)) = path.pop() {
        let successors = block.terminator().map_or_else(Vec::new, Value::successors);
        let Some(&successor) = successors.get(next) else {
            open.remove(&block);
            done.insert(block);
            continue;
        };
        path.push((block, next + 1));
        if open.contains(&successor) {
            heads.insert(successor);
        } else if !done.contains(&successor) {
            open.insert(successor);
            path.push((successor, 0));
        }
    }
    heads
}
