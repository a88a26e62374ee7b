//! The registers kept at the start of each block: those that are live, and dead ones through
//! which refinement passes.
//!
//! - The float from which a live integer was made: what a condition tells of the integer it
//!   tells of the float, and of everything else made of it.
//! - A product that is computed again later (value numbers), and a cell that is loaded again: what
//!   was learnt of the first holds of the second.
//! - The operands of an extremum, and registers whose absolute value is compared: `1 - z`
//!   remembers more of a condition on `fabs(1 - z)` than `z` can.
//! - Differences that are compared with another register: after `x - s > d`, `s + d` is less
//!   than `x`.
//!
//! A dead register is kept only where its definition dominates: there it was computed from
//! what its operands are now.

use super::definitions::{ByRegister, Definitions};
use super::expressions::Holders;
use super::extrema::{Choice, Extremum};
use super::value_numbers::ValueNumbers;
use crate::policy;
use nanoscope_ieee::Operation;
use nanoscope_program::ir::{
    Act, BlockId, Callee, Dominators, Function, Instruction, Operand, Register, Type,
};
use std::collections::HashMap;

/// The registers kept at the start of each block, in order.
pub fn of_function(
    function: &Function,
    definitions: &Definitions,
    numbers: &ValueNumbers,
    extrema: &ByRegister<Extremum>,
    holders: &Holders,
) -> Vec<Vec<Register>> {
    let also_read = |block: BlockId, position: usize| {
        holders.get(&(block, position)).into_iter().flatten().flatten().copied().collect()
    };
    let mut live = function.live_registers(also_read);
    keep_sources(function, definitions, &mut live);
    keep_dead(function, definitions, numbers, extrema, &mut live);
    keep_conditions(function, definitions, &mut live);
    live
}

/// Keeps the conditions on which floats are selected while the floats compared are kept: which
/// of two is the greater tells trace partitions apart.
fn keep_conditions(function: &Function, definitions: &Definitions, live: &mut [Vec<Register>]) {
    let mut conditions: Vec<(Register, Vec<Register>)> = Vec::new();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        let (Act::Select { operands: [condition, ..] }, Some(result)) =
            (&instruction.act, instruction.result)
        else {
            continue;
        };
        if let (Some(of), Some(condition), Type::Float(_)) = (
            compared(function, definitions, *condition),
            condition.register(),
            &function.registers[result.0 as usize],
        ) && !conditions.iter().any(|(known, _)| *known == condition)
        {
            conditions.push((condition, of));
        }
    }
    if conditions.is_empty() {
        return;
    }
    let dominators = Dominators::of(function);
    for (at, list) in live.iter_mut().enumerate() {
        let is_kept = |(condition, of): &&(Register, Vec<Register>)| {
            let place = definitions.place(*condition).map(|(block, _)| block);
            place.is_some_and(|from| {
                from.0 as usize != at && dominators.dominates(from, BlockId(at as u32))
            }) && of.iter().all(|register| list.binary_search(register).is_ok())
        };
        let kept = conditions.iter().filter(is_kept).map(|(condition, _)| *condition).collect();
        add(list, kept);
    }
}

/// The registers whose magnitudes a condition compares with each other.
pub fn compared(
    function: &Function,
    definitions: &Definitions,
    condition: Operand,
) -> Option<Vec<Register>> {
    let Act::FloatCompare { operands, .. } = definitions.act(function, condition.register()?)?
    else {
        return None;
    };
    let magnitude = |operand: &Operand| {
        let mut register = operand.register()?;
        while let Some((Operation::Abs | Operation::Neg, of)) =
            operation(function, definitions, register)
        {
            register = *of.first()?;
        }
        Some(register)
    };
    operands.iter().map(magnitude).collect()
}

/// Keeps the floats from which live integers were made.
fn keep_sources(function: &Function, definitions: &Definitions, live: &mut [Vec<Register>]) {
    let mut known: HashMap<Register, Option<Register>> = HashMap::new();
    for list in live {
        let mut more: Vec<Register> = Vec::new();
        for register in &*list {
            let source =
                known.entry(*register).or_insert_with(|| source(function, definitions, *register));
            more.extend(source.iter());
        }
        add(list, more);
    }
}

fn add(list: &mut Vec<Register>, more: Vec<Register>) {
    if !more.is_empty() {
        list.extend(more);
        list.sort_unstable();
        list.dedup();
    }
}

/// The float from which an integer was made, by operations on it and constants alone.
fn source(
    function: &Function,
    definitions: &Definitions,
    mut register: Register,
) -> Option<Register> {
    let is_float =
        |register: Register| matches!(function.registers[register.0 as usize], Type::Float(_));
    for _ in 0..policy::LONGEST_INTEGER_CHAIN {
        if is_float(register) {
            return None;
        }
        let act = definitions.act(function, register)?;
        if !matches!(
            act,
            Act::Integer { .. }
                | Act::IntegerCompare { .. }
                | Act::Convert { .. }
                | Act::Call { callee: Callee::Function(_), .. }
        ) {
            return None;
        }
        let list = act.operands();
        let mut registers = list.registers();
        let (Some(only), None) = (registers.next(), registers.next()) else { return None };
        if is_float(only) {
            return Some(only);
        }
        register = only;
    }
    None
}

/// Keeps dead registers that still tell something.
fn keep_dead(
    function: &Function,
    definitions: &Definitions,
    numbers: &ValueNumbers,
    extrema: &ByRegister<Extremum>,
    live: &mut [Vec<Register>],
) {
    let mut again = computed_again(function, numbers);
    let loads = ValueNumbers::without_stores(function);
    again.extend(computed_again(function, &loads));
    let compared = compared_results(function, definitions);
    let selected = selections(function, definitions, numbers);
    if again.is_empty()
        && compared.is_empty()
        && selected.is_empty()
        && extrema.iter().next().is_none()
    {
        return;
    }
    let dominators = Dominators::of(function);
    let mut more = vec![Vec::new(); live.len()];
    for (first, place) in earlier(again, &dominators) {
        let Some((from, _)) = definitions.place(first) else { continue };
        // From the place backward as far as the definition.
        let mut work_list = vec![place];
        let mut seen = vec![false; function.blocks.len()];
        while let Some(block) = work_list.pop() {
            let at = block.0 as usize;
            if !seen[at] && block != from && dominators.dominates(from, block) {
                seen[at] = true;
                more[at].push(first);
                work_list.extend(&dominators.predecessors[at]);
            }
        }
    }
    let choices = extrema.iter().map(|(register, extremum)| (register, extremum.choice));
    let choices: Vec<(Register, Choice)> = choices.chain(selected).collect();
    for (register, choice) in &choices {
        for of in choice.operands.iter().filter_map(|operand| operand.register()) {
            let Some((from, _)) = definitions.place(of) else { continue };
            for (at, list) in live.iter().enumerate() {
                if list.binary_search(register).is_ok()
                    && from.0 as usize != at
                    && dominators.dominates(from, BlockId(at as u32))
                {
                    more[at].push(of);
                }
            }
        }
    }
    // The greatest of magnitudes, while what they are of is read.
    for (register, choice) in &choices {
        let inner = |operand: &Operand| match operation(function, definitions, operand.register()?)?
        {
            (Operation::Abs, of) => of.first().copied(),
            // No other operation gives a magnitude.
            (_, _) => None,
        };
        let [Some(x), Some(y)] = [0, 1].map(|at| inner(&choice.operands[at])) else { continue };
        let Some((from, _)) = definitions.place(*register) else { continue };
        for (at, list) in live.iter().enumerate() {
            let is_read = |of: Register| {
                let same = loads.class(loads.number(of));
                same.iter().any(|of| list.binary_search(of).is_ok() || more[at].contains(of))
            };
            if from.0 as usize != at
                && is_read(x)
                && is_read(y)
                && dominators.dominates(from, BlockId(at as u32))
            {
                more[at].extend([x, y, *register]);
            }
        }
    }
    for register in compared {
        let Some((from, _)) = definitions.place(register) else { continue };
        let depth = policy::LONGEST_DEAD_CHAIN;
        for (at, list) in live.iter().enumerate() {
            if from.0 as usize == at || !dominators.dominates(from, BlockId(at as u32)) {
                continue;
            }
            let mut between = Vec::new();
            if is_from(function, definitions, list, register, depth, &mut between) {
                more[at].extend(between);
            } else if let Some((Operation::Add | Operation::Sub, of)) =
                operation(function, definitions, register)
                && of.iter().any(|register| list.binary_search(register).is_ok())
            {
                // With the other operand it says something of the live one.
                more[at].push(register);
                more[at].extend(of);
            }
        }
    }
    live.iter_mut().zip(more).for_each(|(list, more)| add(list, more));
}

/// For each place that computes a number again, the first register of the number that is known there.
fn earlier(again: Vec<Computed>, dominators: &Dominators) -> Vec<(Register, BlockId)> {
    let mut found = Vec::new();
    for computed in again {
        for (at, (_, place)) in computed.iter().enumerate() {
            let is_known = |(_, from): &&(Register, BlockId)| {
                from != place && dominators.dominates(*from, *place)
            };
            if let Some((first, _)) = computed[..at].iter().find(is_known)
                && !found.contains(&(*first, *place))
            {
                found.push((*first, *place));
            }
        }
    }
    found
}

/// Registers of one value number, with the blocks that compute them.
type Computed = Vec<(Register, BlockId)>;

/// The registers of each value number that is computed more than once.
fn computed_again(function: &Function, numbers: &ValueNumbers) -> Vec<Computed> {
    let mut found: HashMap<Register, Computed> = HashMap::new();
    let mut list = Vec::new();
    for (at, block) in function.blocks.iter().enumerate() {
        for result in block.instructions.iter().filter_map(|instruction| instruction.result) {
            let is_number =
                matches!(function.registers[result.0 as usize], Type::Float(_) | Type::Integer(1));
            if is_number {
                let number = numbers.number(result);
                let computed = found.entry(number).or_default();
                computed.push((result, BlockId(at as u32)));
                if computed.len() == 2 {
                    list.push(number);
                }
            }
        }
    }
    list.into_iter().filter_map(|number| found.remove(&number)).collect()
}

/// Registers that are the lesser or the greater of two operands by a selection.
fn selections(
    function: &Function,
    definitions: &Definitions,
    numbers: &ValueNumbers,
) -> Vec<(Register, Choice)> {
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    let choice = |instruction: &Instruction| {
        let choice = Choice::selected(function, definitions, numbers, &instruction.act)?;
        Some((instruction.result?, choice))
    };
    instructions.filter_map(choice).collect()
}

/// Registers whose absolute values are compared, and sums that are compared with a register.
fn compared_results(function: &Function, definitions: &Definitions) -> Vec<Register> {
    let mut found = Vec::new();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        let Act::FloatCompare { operands: compared, .. } = &instruction.act else { continue };
        let both = registers(compared).len() == 2;
        for register in registers(compared) {
            let compared = operation(function, definitions, register);
            let is_sum = match &compared {
                Some((Operation::Add | Operation::Sub, of)) => !of.is_empty(),
                Some((Operation::Neg, of)) => of.len() == 1,
                Some(_) | None => false,
            };
            if both && is_sum && !found.contains(&register) {
                found.push(register);
            }
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

/// Whether a register is computed from live ones; `between` lists it and those in between.
fn is_from(
    function: &Function,
    definitions: &Definitions,
    live: &[Register],
    register: Register,
    depth: usize,
    between: &mut Vec<Register>,
) -> bool {
    between.push(register);
    let Some((_, of)) = operation(function, definitions, register) else { return false };
    !of.is_empty()
        && of.into_iter().all(|register| {
            live.binary_search(&register).is_ok()
                || (depth > 1 && is_from(function, definitions, live, register, depth - 1, between))
        })
}

/// The operation on floats that defines a register, and the registers that it reads.
fn operation(
    function: &Function,
    definitions: &Definitions,
    register: Register,
) -> Option<(Operation, Vec<Register>)> {
    match definitions.act(function, register)? {
        Act::Float { operation, operands, relaxed: false, .. } => {
            Some((*operation, registers(operands)))
        }
        // Any other act is not computed backward, or only by way of others.
        _ => None,
    }
}

fn registers(list: &[Operand]) -> Vec<Register> {
    list.iter().filter_map(|operand| operand.register()).collect()
}
