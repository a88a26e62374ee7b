//! Sums in which atoms of affine forms may cancel.

use super::definitions::{ByRegister, Definitions};
use super::value_numbers::ValueNumbers;
use crate::policy::{AFFINE_DEPTHS, MOST_AFFINE_SOURCES};
use nanoscope_ieee::{Operation, operations};
use nanoscope_program::ir::{
    Act, Function, IntegerConversion, IntegerOperation, Operand, Register,
};

/// The sums of a function whose operands share atoms.
pub fn of_function(
    function: &Function,
    definitions: &Definitions,
    numbers: &ValueNumbers,
) -> ByRegister<()> {
    let mut found = ByRegister::of(function);
    for block in &function.blocks {
        for instruction in &block.instructions {
            if let Act::Float { operation: Operation::Add | Operation::Sub, operands, .. } =
                &instruction.act
                && let [Operand::Register(a), Operand::Register(b)] = operands[..]
                && let Some(result) = instruction.result
            {
                let sources = [a, b].map(|register| {
                    let mut seen = Vec::new();
                    let depth = AFFINE_DEPTHS[AFFINE_DEPTHS.len() - 1];
                    sources(function, definitions, numbers, register, depth, &mut seen);
                    seen
                });
                if sources[0].iter().any(|register| sources[1].contains(register)) {
                    found.insert(result, ());
                }
            }
        }
    }
    found
}

/// The value numbers that a register depends on affinely.
fn sources(
    function: &Function,
    definitions: &Definitions,
    numbers: &ValueNumbers,
    register: Register,
    depth: u32,
    seen: &mut Vec<Register>,
) {
    let number = numbers.number(register);
    if seen.len() >= MOST_AFFINE_SOURCES || seen.contains(&number) {
        return;
    }
    seen.push(number);
    let Some(act) = definitions.act(function, register) else { return };
    let follow = |operand: Operand, seen: &mut Vec<Register>| {
        if let (Operand::Register(register), true) = (operand, depth > 0) {
            sources(function, definitions, numbers, register, depth - 1, seen);
        }
    };
    // What is loaded may be a constant that lies in memory.
    let known = |operand: Operand| match operand {
        Operand::Constant(_) => true,
        Operand::Register(register) => {
            matches!(definitions.act(function, register), Some(Act::Load { .. }))
        }
    };
    match act {
        Act::Float { operation, operands, relaxed: false, .. } => match operation {
            Operation::Mul => {
                if known(operands[0]) {
                    follow(operands[1], seen);
                } else if known(operands[1]) {
                    follow(operands[0], seen);
                }
            }
            Operation::Add | Operation::Sub | Operation::Neg | operations!(Integral) => {
                operands.iter().for_each(|operand| follow(*operand, seen));
            }
            Operation::Convert | Operation::FromSigned | Operation::ToSigned => {
                operands.iter().for_each(|operand| follow(*operand, seen));
            }
            // Any other operation is not affine.
            _ => {}
        },
        Act::Integer {
            operation: IntegerOperation::Add | IntegerOperation::Sub, operands, ..
        } => operands.iter().for_each(|operand| follow(*operand, seen)),
        Act::Freeze { operand }
        | Act::Convert { conversion: IntegerConversion::SignExtend, operand, .. } => {
            follow(*operand, seen);
        }
        // Any other act gives an atom.
        _ => {}
    }
}
