//! Which functions a function can come to call.

use crate::llvm::Value;
use std::collections::BTreeSet;

/// The defined functions reachable from one, itself included. A call through a pointer
/// may go to any function whose address is taken on the way.
pub(crate) fn from(function: Value) -> BTreeSet<Value> {
    let mut reached = BTreeSet::new();
    let mut queue = vec![function];
    while let Some(function) = queue.pop() {
        if function.is_declaration() || !reached.insert(function) {
            continue;
        }
        for block in function.blocks() {
            for instruction in block.instructions() {
                for operand in instruction.operands() {
                    mentioned(operand, 0, &mut queue);
                }
            }
        }
    }
    reached
}

/// Functions that an operand is or holds the address of, through constants and tables.
fn mentioned(operand: Value, depth: u32, queue: &mut Vec<Value>) {
    if operand.is_function() {
        queue.push(operand);
    } else if depth < 4 && operand.opcode().is_none() && operand.is_constant() {
        if operand.is_global_variable() {
            if let Some(initial) = operand.initializer() {
                mentioned(initial, depth + 1, queue);
            }
        } else {
            for part in operand.operands() {
                mentioned(part, depth + 1, queue);
            }
        }
    }
}
