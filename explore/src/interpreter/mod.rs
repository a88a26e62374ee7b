//! The interpreter: one instruction after the other, until something comes that is not its
//! to decide. Forks, questions and findings are effects: it returns them and knows no more.
//!
//! An instruction that cannot go on yet changes nothing and is executed again after its
//! effect was dealt with; by then the path's conditions know what it has to know.
//!
//! - `access.rs`: memory
//! - `call.rs`: calls and returns, the start and the end of the program
//! - `external.rs`: functions that are called natively; `unknown.rs`: functions that nobody knows
//! - `special.rs`: what is written as a call but is none; `arguments.rs`: variable arguments
//! - `world.rs`: what models of library functions see
//! - `merge.rs`: both sides of a branch at once

pub(crate) mod access;
mod arguments;
mod call;
mod external;
mod merge;
mod special;
mod unknown;
mod world;

use crate::branches;
use crate::compute::{Compute, Deed, Obligation, Trouble};
use crate::library::Detour;
use crate::machine::{Machine, Sought};
use crate::route::Stray;
use crate::state::State;
use crate::{Ending, Value};
use nanoscope_program::acts;
use nanoscope_program::ir::{
    Act, BlockId, Edge, End, Function, Instruction, LocationId, Operand, Type,
};
use nanoscope_term::{Term, Value as Known};
use std::rc::Rc;

/// What a state comes by that others have to deal with.
#[derive(Clone, Debug)]
pub enum Effect {
    /// It ran for as long as it was allowed to.
    Pause,
    /// The path ends here.
    End(Ending, LocationId),
    /// One of these holds.
    Split(Vec<Alternative>),
    /// One value of a term is needed.
    Pin(Term),
    /// The path goes on only where this holds.
    Assume(Term),
    /// None of these may hold, or the path ends so.
    Checks(Vec<(Term, Ending)>, LocationId),
    /// What is to be asked about an operation.
    Goals(Sought, LocationId),
    /// The path leaves the route that was asked for, before its entry of that number.
    Leave(Stray, usize),
}

/// A side of a fork.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// What holds there.
    pub condition: Term,
    /// The block that comes next, and the way there, if it is known.
    pub heading: Option<(BlockId, u32)>,
}

/// What comes after an instruction.
enum Next {
    /// The next one.
    On,
    /// Whatever the innermost call has to do next: it is another call, or elsewhere.
    Elsewhere,
    /// Nothing before this is dealt with.
    Out(Effect),
}

/// Lets a state run for so many instructions at most.
pub fn run(machine: &mut Machine, state: &mut State, quantum: u64) -> Effect {
    let mut left = quantum;
    loop {
        let before = left;
        let next = run_call(machine, state, &mut left);
        state.instructions = state.instructions.wrapping_add(before - left);
        match next {
            Next::Out(effect) => return effect,
            Next::On | Next::Elsewhere if left == 0 => return Effect::Pause,
            Next::On | Next::Elsewhere => {}
        }
    }
}

/// Runs the innermost call until it calls, returns or comes by something.
fn run_call(machine: &mut Machine, state: &mut State, left: &mut u64) -> Next {
    if state.frames.is_empty() {
        return call::proceed(machine, state);
    }
    let code = machine.code;
    let frame = state.frame();
    let function = code.function(frame.function);
    let base = frame.registers as usize;
    let mut at = frame.at as usize;
    let watches_lines = machine.options.route.as_ref().is_some_and(|route| route.has_lines());
    loop {
        let block = function.block(state.frame().block);
        while let Some(instruction) = block.instructions.get(at) {
            if *left == 0 {
                state.frame_mut().at = at as u32;
                return Next::Elsewhere;
            }
            *left -= 1;
            if watches_lines
                && let Some((stray, entry)) = branches::arrive(machine, state, instruction.location)
            {
                return Next::Out(Effect::Leave(stray, entry));
            }
            at += 1;
            if is_computed(&instruction.act) {
                if let Err(effect) = compute(machine, state, function, base, instruction) {
                    let done = matches!(effect, Effect::Checks(..) | Effect::Goals(..));
                    state.frame_mut().at = (if done { at } else { at - 1 }) as u32;
                    return Next::Out(effect);
                }
                continue;
            }
            if let Act::Load { ty, address } = &instruction.act
                && let Some(register) = instruction.result
                && let Value::Small(place) = register_or_constant(machine, state, base, *address)
                && let Some(value) = state.memory.load_known(ty, *place)
            {
                state.registers[base + register.0 as usize] = value;
                continue;
            }
            if let Act::Store { ty, address, value } = &instruction.act
                && let Value::Small(place) = *register_or_constant(machine, state, base, *address)
                && let Value::Small(bits) = *register_or_constant(machine, state, base, *value)
                && state.memory.store_known(ty, place, &Value::Small(bits))
            {
                continue;
            }
            state.frame_mut().at = at as u32;
            let next = step(machine, state, function, instruction);
            if machine.effort > 0 {
                // Counted as time, not as instructions.
                let effort = std::mem::take(&mut machine.effort).min(*left);
                *left -= effort;
                state.instructions = state.instructions.wrapping_sub(effort);
            }
            match next {
                Next::On => {}
                other => return other,
            }
        }
        state.frame_mut().at = at as u32;
        if *left == 0 {
            return Next::Elsewhere;
        }
        *left -= 1;
        if watches_lines
            && let Some((stray, entry)) = branches::arrive(machine, state, block.end_location)
        {
            return Next::Out(Effect::Leave(stray, entry));
        }
        match end(machine, state, function) {
            Next::On => at = state.frame().at as usize,
            other => return other,
        }
    }
}

/// What an operand is, by the first register of the innermost call.
#[inline]
fn register_or_constant<'v>(
    machine: &'v Machine,
    state: &'v State,
    base: usize,
    operand: Operand,
) -> &'v Value {
    match operand {
        Operand::Register(register) => &state.registers[base + register.0 as usize],
        Operand::Constant(id) => &machine.constants[id.0 as usize],
    }
}

/// Whether an act has to do with neither memory nor control.
#[inline]
fn is_computed(act: &Act) -> bool {
    match act {
        Act::Special { special, .. } => special.only_computes(),
        act => act.only_computes(),
    }
}

/// Computes an act and sets its register.
#[inline]
fn compute(
    machine: &mut Machine,
    state: &mut State,
    function: &Function,
    base: usize,
    instruction: &Instruction,
) -> Result<(), Effect> {
    let Some(result) = instruction.result else { return Ok(()) };
    let pursued = instruction.site.filter(|site| machine.is_pursued(*site));
    let registers = &state.registers[base..];
    let constants = &machine.constants;
    let read = |operand: Operand| match operand {
        Operand::Register(register) => &registers[register.0 as usize],
        Operand::Constant(id) => &constants[id.0 as usize],
    };
    let mut compute = Compute {
        terms: &mut machine.terms,
        encodings: &mut machine.encodings,
        environment: &mut state.environment,
        obligations: &mut machine.obligations,
    };
    let ty = &function.registers[result.0 as usize];
    match compute.act(&instruction.act, ty, read) {
        Ok(value) => state.registers[base + result.0 as usize] = value,
        Err(trouble) => return Err(Effect::End(ending(trouble, ""), instruction.location)),
    }
    if let Some(site) = pursued {
        let value = state.registers[base + result.0 as usize].clone();
        let read = |operand: &Operand| machine.read(state, *operand);
        let operands: Vec<Value> = instruction.act.operands().iter().map(read).collect();
        let operands: Vec<&Value> = operands.iter().collect();
        let deed = Deed::of(&instruction.act);
        let sought = machine.sought(state, site, deed, &operands, &value);
        // The obligations of a site are conversions out of range: these end no path.
        machine.obligations.clear();
        if !sought.is_empty() {
            return Err(Effect::Goals(sought, instruction.location));
        }
    }
    if machine.obligations.is_empty() {
        Ok(())
    } else {
        let checks = checks(&mut machine.obligations, "");
        if checks.is_empty() { Ok(()) } else { Err(Effect::Checks(checks, instruction.location)) }
    }
}

/// The ends that obligations stand for, without those that end nothing.
fn checks(obligations: &mut Vec<Obligation>, access: &str) -> Vec<(Term, Ending)> {
    obligations
        .drain(..)
        .filter(|obligation| obligation.trouble != Trouble::ConversionOutOfRange)
        .map(|obligation| (obligation.condition, ending(obligation.trouble, access)))
        .collect()
}

/// How a path ends by a trouble; `access` says what was being done.
fn ending(trouble: Trouble, access: &str) -> Ending {
    let deref = |what: String| {
        Ending::InvalidDeref(if access.is_empty() { what } else { format!("{access}: {what}") })
    };
    match trouble {
        Trouble::DivisionByZero | Trouble::DivisionOverflow => Ending::IntegerDivisionByZero,
        Trouble::ShiftTooFar => Ending::Overshift,
        Trouble::Null
        | Trouble::Wild
        | Trouble::OutOfBounds(_)
        | Trouble::UseAfterFree(_)
        | Trouble::UseAfterReturn(_)
        | Trouble::ReadOnly(_)
        | Trouble::NotData(_) => deref(trouble.to_string()),
        Trouble::InvalidFree | Trouble::DoubleFree(_) => Ending::InvalidFree(trouble.to_string()),
        Trouble::TooLarge | Trouble::ConversionOutOfRange | Trouble::NotComputed => {
            Ending::Stopped(trouble.to_string())
        }
    }
}

/// Executes an instruction that has to do with memory or control.
fn step(
    machine: &mut Machine,
    state: &mut State,
    function: &Function,
    instruction: &Instruction,
) -> Next {
    let at = instruction.location;
    let done = match &instruction.act {
        Act::Load { ty, address } => {
            let address = machine.read(state, *address);
            access::load(machine, state, &address, ty).map(Some)
        }
        Act::Store { ty, address, value } => {
            let address = machine.read(state, *address);
            let value = machine.read(state, *value);
            access::store(machine, state, &address, ty, value).map(|()| None)
        }
        Act::Allocate { size, count, alignment, name } => {
            let count = machine.read(state, *count);
            access::local(machine, state, *size, &count, *alignment, name).map(Some)
        }
        Act::Call { callee, arguments, types } => {
            return call::call(machine, state, instruction, *callee, arguments, types);
        }
        Act::Special { special, operands } => {
            let values: Vec<Value> =
                operands.iter().map(|operand| machine.read(state, *operand)).collect();
            let result =
                instruction.result.map_or(&Type::Void, |r| &function.registers[r.0 as usize]);
            special::special(machine, state, special, &values, result).map(Some)
        }
        Act::Unknown { text, .. } => {
            let why = format!("not modelled: {}", text.trim());
            return Next::Out(Effect::End(Ending::Stopped(why), at));
        }
        acts!(Computing) => unreachable!("computed before"),
    };
    match done {
        Ok(value) => {
            if let (Some(register), Some(value)) = (instruction.result, value) {
                state.set(register, value);
            }
            if machine.obligations.is_empty() {
                return Next::On;
            }
            match checks(&mut machine.obligations, "") {
                checks if checks.is_empty() => Next::On,
                checks => Next::Out(Effect::Checks(checks, at)),
            }
        }
        Err(detour) => take(state, detour, at),
    }
}

/// What becomes of a detour: the instruction is executed again, unless it says otherwise.
fn take(state: &mut State, detour: Detour, at: LocationId) -> Next {
    let again = |state: &mut State| state.frame_mut().at -= 1;
    Next::Out(match detour {
        Detour::End(ending) => {
            again(state);
            Effect::End(ending, at)
        }
        Detour::Exit(code) => {
            call::exit(state, code);
            return Next::Elsewhere;
        }
        Detour::Split(conditions) => {
            again(state);
            let side = |condition| Alternative { condition, heading: None };
            Effect::Split(conditions.into_iter().map(side).collect())
        }
        Detour::Pin(term) => {
            again(state);
            Effect::Pin(term)
        }
        Detour::Wrong { condition, ending } => {
            again(state);
            Effect::Checks(vec![(condition, ending)], at)
        }
        Detour::Assume(condition) => Effect::Assume(condition),
    })
}

/// Goes by the end of a block.
fn end(machine: &mut Machine, state: &mut State, function: &Function) -> Next {
    let block = function.block(state.frame().block);
    let at = block.end_location;
    match &block.end {
        End::Jump(edge) => follow(machine, state, edge, 0),
        End::Branch { condition, then, otherwise } => match truth(machine, state, *condition) {
            Ok(true) => follow(machine, state, then, 0),
            Ok(false) => follow(machine, state, otherwise, 1),
            Err(term) => {
                if machine.options.merge && merge::merge(machine, state, function, term) {
                    return Next::On;
                }
                let opposite = machine.terms.not(term);
                let sides = [(term, then, 0), (opposite, otherwise, 1)];
                let side = |(condition, edge, way): (Term, &Edge, u32)| Alternative {
                    condition,
                    heading: Some((edge.to, way)),
                };
                Next::Out(Effect::Split(sides.map(side).to_vec()))
            }
        },
        End::Switch { on, cases, default } => {
            let on = machine.read_stable(state, *on, "a switch");
            let ways: Vec<(Value, &Edge)> = cases
                .iter()
                .map(|(constant, edge)| (machine.constants[constant.0 as usize].clone(), edge))
                .collect();
            choose(machine, state, &on, &ways, Some(default), at)
        }
        End::Computed { to, edges } => {
            let to = machine.read_stable(state, *to, "a computed goto");
            let ways: Vec<(Value, &Edge)> = edges
                .iter()
                .map(|(constant, edge)| (machine.constants[constant.0 as usize].clone(), edge))
                .collect();
            choose(machine, state, &to, &ways, None, at)
        }
        End::Return(operand) => {
            let value = operand.map(|operand| machine.read(state, operand));
            call::give_back(machine, state, value)
        }
        End::Unreachable => Next::Out(Effect::End(Ending::Unreachable, at)),
        End::Unknown(text) => {
            let why = format!("not modelled: {}", text.trim());
            Next::Out(Effect::End(Ending::Stopped(why), at))
        }
    }
}

/// What the path knows of a condition; else the condition.
fn truth(machine: &mut Machine, state: &mut State, operand: Operand) -> Result<bool, Term> {
    match machine.read_stable(state, operand, "a branch") {
        Value::Small(bits) => Ok(bits & 1 != 0),
        Value::Term(term) => state.path.knows(&mut machine.terms, term).ok_or(term),
        Value::Undefined => Ok(false),
        other @ (Value::Wide(_) | Value::Float { .. } | Value::Parts(_)) => {
            unreachable!("a truth value, not {other:?}")
        }
    }
}

/// Goes the way whose constant the value is.
fn choose(
    machine: &mut Machine,
    state: &mut State,
    on: &Value,
    ways: &[(Value, &Edge)],
    default: Option<&Edge>,
    at: LocationId,
) -> Next {
    let last = ways.len() as u32;
    let term = match on {
        Value::Term(term) => *term,
        Value::Small(_) | Value::Wide(_) | Value::Undefined => {
            let taken = ways.iter().position(|(constant, _)| constant == on);
            return match (taken, default) {
                (Some(way), _) => follow(machine, state, ways[way].1, way as u32),
                (None, Some(edge)) => follow(machine, state, edge, last),
                (None, None) => Next::Out(Effect::End(
                    Ending::BadCall("a computed goto leads nowhere".to_owned()),
                    at,
                )),
            };
        }
        Value::Float { .. } | Value::Parts(_) => unreachable!("a switch on an integer"),
    };
    let mut sides = Vec::new();
    let mut others = Vec::new();
    for (way, (constant, edge)) in ways.iter().enumerate() {
        let width = machine.terms.width(term);
        let constant = constant.as_word(width).expect("a known integer");
        let constant = machine.terms.constant(Known::Bits(constant));
        let condition = machine.terms.equal(term, constant);
        match state.path.knows(&mut machine.terms, condition) {
            Some(true) => return follow(machine, state, edge, way as u32),
            Some(false) => {}
            None => sides.push(Alternative { condition, heading: Some((edge.to, way as u32)) }),
        }
        others.push(machine.terms.not(condition));
    }
    let Some(default) = default else { return Next::Out(Effect::Split(sides)) };
    if sides.is_empty() {
        return follow(machine, state, default, last);
    }
    let condition = machine.terms.and(&others);
    sides.push(Alternative { condition, heading: Some((default.to, last)) });
    Next::Out(Effect::Split(sides))
}

/// Goes along an edge.
fn follow(machine: &mut Machine, state: &mut State, edge: &Edge, way: u32) -> Next {
    if state.track.is_some()
        && let Some((stray, entry)) = branches::decide(machine, state, way)
    {
        return Next::Out(Effect::Leave(stray, entry));
    }
    let frame = state.frame();
    if machine.coverage.take(frame.function, frame.block, way) {
        state.found_new = true;
    }
    shift(machine, state, edge);
    if let Some(limit) = machine.options.max_loop {
        let blocks = machine.code.function(state.frame().function).blocks.len();
        let frame = state.frame_mut();
        let visits = frame.visits.get_or_insert_with(|| Rc::new(vec![0; blocks]));
        let visits = &mut Rc::make_mut(visits)[edge.to.0 as usize];
        *visits += 1;
        if u64::from(*visits) > limit {
            let why = "the bound on iterations of a loop".to_owned();
            let at = machine.location(state);
            return Next::Out(Effect::End(Ending::Stopped(why), at));
        }
    }
    Next::On
}

/// Assigns what an edge assigns, all reads first, and is at its block.
#[inline]
fn shift(machine: &mut Machine, state: &mut State, edge: &Edge) {
    match &edge.moves[..] {
        [] => {}
        [(register, operand)] => {
            let value = machine.read(state, *operand);
            state.set(*register, value);
        }
        moves => {
            let mut values = std::mem::take(&mut machine.moved);
            values.extend(moves.iter().map(|(_, operand)| machine.read(state, *operand)));
            for ((register, _), value) in moves.iter().zip(values.drain(..)) {
                state.set(*register, value);
            }
            machine.moved = values;
        }
    }
    let frame = state.frame_mut();
    frame.block = edge.to;
    frame.at = 0;
}
