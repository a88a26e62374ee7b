//! The numbers that code compares and computes with: where it changes its ways.

use crate::llvm::{Opcode, Value};
use std::collections::BTreeSet;

/// The constants of some functions, as finite binary64: first what is compared with, then
/// what is computed with, each in order.
pub(crate) fn of(functions: &BTreeSet<Value>) -> Vec<f64> {
    let (mut compared, mut computed) = (Vec::new(), Vec::new());
    for function in functions {
        for block in function.blocks() {
            for instruction in block.instructions() {
                let (list, integers) = match instruction.opcode() {
                    Some(Opcode::LLVMFCmp) => (&mut compared, false),
                    Some(Opcode::LLVMICmp | Opcode::LLVMSwitch) => (&mut compared, true),
                    _ => (&mut computed, false),
                };
                for operand in instruction.operands() {
                    list.extend(operand.as_double().or_else(|| global(operand)));
                    if integers {
                        list.extend(operand.as_integer().map(|n| n as f64));
                    }
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    for list in [&mut compared, &mut computed] {
        list.retain(|number| number.is_finite());
        list.sort_by(f64::total_cmp);
        list.retain(|number| seen.insert(number.to_bits()));
    }
    compared.append(&mut computed);
    compared
}

/// The value of a constant global variable that holds one number.
fn global(operand: Value) -> Option<f64> {
    let is_constant = operand.is_global_variable() && operand.is_constant_global();
    is_constant.then(|| operand.initializer().and_then(Value::as_double)).flatten()
}
