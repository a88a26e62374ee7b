//! Which functions a function can come to call.

use crate::llvm::{Block, Value};
use std::collections::{BTreeMap, BTreeSet};

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

/// The functions of a module that may come to call themselves.
pub(crate) fn recursive(functions: &[Value]) -> BTreeSet<Value> {
    let calls = |function: Value| {
        let mut queue = Vec::new();
        for instruction in function.blocks().into_iter().flat_map(Block::instructions) {
            for operand in instruction.operands() {
                mentioned(operand, 0, &mut queue);
            }
        }
        queue
    };
    // Tarjan's strongly connected components, with a stack of our own.
    let mut numbers: BTreeMap<Value, (usize, usize)> = BTreeMap::new();
    let mut component = Vec::new();
    let mut found = BTreeSet::new();
    for &root in functions {
        if numbers.contains_key(&root) {
            continue;
        }
        let mut path = vec![(root, calls(root), 0)];
        numbers.insert(root, (numbers.len(), numbers.len()));
        component.push(root);
        while let Some((function, callees, at)) = path.pop() {
            let Some(&callee) = callees.get(at) else {
                let (index, low) = numbers[&function];
                if let Some((parent, _, _)) = path.last() {
                    let entry = numbers.get_mut(parent).expect("on the path");
                    entry.1 = entry.1.min(low);
                }
                if low == index {
                    let start =
                        component.iter().position(|&f| f == function).expect("pushed before");
                    let members = component.split_off(start);
                    if members.len() > 1 || callees.contains(&function) {
                        found.extend(members);
                    }
                }
                continue;
            };
            path.push((function, callees, at + 1));
            if let Some(&(index, _)) = numbers.get(&callee) {
                if component.contains(&callee) {
                    let entry = numbers.get_mut(&function).expect("on the path");
                    entry.1 = entry.1.min(index);
                }
            } else if !callee.is_declaration() {
                let number = numbers.len();
                numbers.insert(callee, (number, number));
                component.push(callee);
                path.push((callee, calls(callee), 0));
            }
        }
    }
    found
}
