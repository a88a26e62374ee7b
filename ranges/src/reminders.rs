//! Registers that nobody reads any more and that still tell something: what was learnt of
//! `x * y` holds of the same product computed again, and what was learnt of `1 - z` by a look
//! at its absolute value is more than `z` can keep.
//!
//! Such a register is kept only where every way leads through its definition: there it was
//! computed from what its operands are now. (Where one of them is assigned anew, on the way
//! round a loop, the definition comes again before anything that it dominates.)

use crate::dominators::Dominators;
use crate::extremes::Extreme;
use crate::shape::{ByRegister, operands};
use nanoscope_ieee::Operation;
use nanoscope_program::ir::{Act, BlockId, Function, Operand, Register};

/// How long a register is at most computed from others before a comparison looks at it.
const LONGEST: usize = 4;

/// Adds such registers to those that are needed at the start of each block.
pub fn keep(
    function: &Function,
    definitions: &ByRegister<(BlockId, usize)>,
    numbers: &[Register],
    extremes: &ByRegister<Extreme>,
    live: &mut [Vec<Register>],
) {
    let again = computed_again(function, numbers);
    let looked_at = looked_at(function, definitions);
    if again.is_empty() && looked_at.is_empty() && extremes.iter().next().is_none() {
        return;
    }
    let dominators = Dominators::of(function);
    let mut more = vec![Vec::new(); live.len()];
    for (first, places) in again {
        let Some(&(from, _)) = definitions.get(&first) else { continue };
        // From each place backward as far as the definition.
        let mut waiting: Vec<BlockId> = places;
        let mut seen = vec![false; function.blocks.len()];
        while let Some(block) = waiting.pop() {
            let at = block.0 as usize;
            if !seen[at] && block != from && dominators.dominates(from, block) {
                seen[at] = true;
                more[at].push(first);
                waiting.extend(&dominators.before[at]);
            }
        }
    }
    for (register, extreme) in extremes.iter() {
        for of in registers(&extreme.operands) {
            let Some(&(from, _)) = definitions.get(&of) else { continue };
            for (at, list) in live.iter().enumerate() {
                if list.binary_search(&register).is_ok()
                    && from.0 as usize != at
                    && dominators.dominates(from, BlockId(at as u32))
                {
                    more[at].push(of);
                }
            }
        }
    }
    for register in looked_at {
        let Some(&(from, _)) = definitions.get(&register) else { continue };
        for (at, list) in live.iter().enumerate() {
            let mut between = Vec::new();
            if from.0 as usize != at
                && dominators.dominates(from, BlockId(at as u32))
                && is_from(function, definitions, list, register, LONGEST, &mut between)
            {
                more[at].extend(between);
            }
        }
    }
    for (list, more) in live.iter_mut().zip(more) {
        if !more.is_empty() {
            list.extend(more);
            list.sort_unstable();
            list.dedup();
        }
    }
}

/// Registers of which others are computed alike, and the blocks that compute these.
fn computed_again(function: &Function, numbers: &[Register]) -> Vec<(Register, Vec<BlockId>)> {
    let mut found: Vec<(Register, Vec<BlockId>)> = Vec::new();
    for (at, block) in function.blocks.iter().enumerate() {
        for result in block.instructions.iter().filter_map(|instruction| instruction.result) {
            let first = numbers[result.0 as usize];
            if first != result {
                let place = BlockId(at as u32);
                match found.iter_mut().find(|(register, _)| *register == first) {
                    Some((_, places)) => places.push(place),
                    None => found.push((first, vec![place])),
                }
            }
        }
    }
    found
}

/// Registers whose absolute values are compared.
fn looked_at(function: &Function, definitions: &ByRegister<(BlockId, usize)>) -> Vec<Register> {
    let mut found = Vec::new();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        let Act::FloatCompare { operands: compared, .. } = &instruction.act else { continue };
        for register in registers(compared) {
            if let Some((Operation::Abs, inner)) = operation(function, definitions, register)
                && let [inner] = inner[..]
                && !found.contains(&inner)
                && operation(function, definitions, inner).is_some()
            {
                found.push(inner);
            }
        }
    }
    found
}

/// Whether a register is computed from some that are needed; also, those between, with it.
fn is_from(
    function: &Function,
    definitions: &ByRegister<(BlockId, usize)>,
    needed: &[Register],
    register: Register,
    depth: usize,
    between: &mut Vec<Register>,
) -> bool {
    between.push(register);
    let Some((_, of)) = operation(function, definitions, register) else { return false };
    !of.is_empty()
        && of.into_iter().all(|register| {
            needed.binary_search(&register).is_ok()
                || (depth > 1
                    && is_from(function, definitions, needed, register, depth - 1, between))
        })
}

/// The operation on floats that gives a register, and the registers that it reads.
fn operation(
    function: &Function,
    definitions: &ByRegister<(BlockId, usize)>,
    register: Register,
) -> Option<(Operation, Vec<Register>)> {
    let (block, position) = definitions.get(&register)?;
    let act = &function.block(*block).instructions[*position].act;
    match act {
        Act::Float { operation, relaxed: false, .. } => {
            Some((*operation, registers(&operands(act))))
        }
        // Any other act is not computed backward, or only by way of others.
        _ => None,
    }
}

fn registers(list: &[Operand]) -> Vec<Register> {
    let register = |operand: &Operand| match operand {
        Operand::Register(register) => Some(*register),
        Operand::Constant(_) => None,
    };
    list.iter().filter_map(register).collect()
}
