//! Calls and returns, the start and the end of the program.

use super::{Effect, Next, access, external, take, unknown, world::Site};
use crate::compute::Deed;
use crate::library::{Call, Detour};
use crate::machine::Machine;
use crate::state::{Frame, Stage, State};
use crate::{Ending, Value};
use nanoscope_program::ir::{
    BlockId, Callee, FunctionId, Instruction, LocationId, Operand, Register, Type,
};
use std::rc::Rc;

/// Bytes of stack that a call takes beside its local variables, at least: a return address
/// and a saved register.
const CALL_BYTES: u64 = 16;

/// Executes a call.
pub(super) fn call(
    machine: &mut Machine,
    state: &mut State,
    instruction: &Instruction,
    callee: Callee,
    arguments: &[Operand],
    types: &[Type],
) -> Next {
    let at = instruction.location;
    let id = match callee {
        Callee::Function(id) => id,
        Callee::Address(operand) => match machine.read_stable(state, operand, "a call") {
            Value::Small(address) => match machine.function_at(address) {
                Some(id) => id,
                None => {
                    let what = "what is no function".to_owned();
                    return take(state, Detour::End(Ending::BadCall(what)), at);
                }
            },
            Value::Term(term) => match machine.fixed(state, term) {
                Some(address) => match machine.function_at(address) {
                    Some(id) => id,
                    None => {
                        let what = "what is no function".to_owned();
                        return take(state, Detour::End(Ending::BadCall(what)), at);
                    }
                },
                None => return take(state, Detour::Pin(term), at),
            },
            other @ (Value::Wide(_) | Value::Float { .. } | Value::Parts(_) | Value::Undefined) => {
                unreachable!("an address, not {other:?}")
            }
        },
    };
    let function = machine.code.function(id);
    if machine.is_error_function(id) {
        let name = function.name.clone();
        return take(state, Detour::End(Ending::ErrorCall(name)), at);
    }
    let values: Vec<Value> =
        arguments.iter().map(|operand| machine.read(state, *operand)).collect();
    let pursued = instruction.site.filter(|site| machine.is_pursued(*site));
    if function.is_defined() {
        if let Some(site) = pursued {
            // A library's own code stands here: what it raises inside is its affair.
            machine.sought(state, site, None, &[], &Value::Undefined);
        }
        return match enter(machine, state, id, values, types, instruction.result) {
            Ok(()) => Next::Elsewhere,
            Err(detour) => take(state, detour, at),
        };
    }
    let result = match instruction.result {
        Some(Register(number)) => {
            let caller = machine.code.function(state.frame().function);
            &caller.registers[number as usize]
        }
        None => &Type::Void,
    };
    let call = Call { name: &function.name, arguments: &values, types, result };
    let next = ask_model(machine, state, id, &call, instruction.result, at);
    match (next, pursued, instruction.result) {
        (Next::On, Some(site), Some(register)) => {
            let deed = match (result, types.first()) {
                (Type::Float(format), _) => Deed::of_call(&function.name, *format),
                (Type::Integer(64), Some(Type::Float(format))) => {
                    Deed::of_rounding(&function.name, *format)
                }
                (_, _) => None,
            };
            let operands: Vec<&Value> = values.iter().collect();
            let value = machine.read(state, Operand::Register(register));
            let sought = machine.sought(state, site, deed, &operands, &value);
            if sought.is_empty() { Next::On } else { Next::Out(Effect::Goals(sought, at)) }
        }
        (next, _, _) => next,
    }
}

/// Lets a model answer a call.
fn ask_model(
    machine: &mut Machine,
    state: &mut State,
    id: FunctionId,
    call: &Call,
    result: Option<Register>,
    at: LocationId,
) -> Next {
    let inputs = state.inputs.len();
    let model = machine.model(id);
    let answer = match (external::answer(machine, state, id, call, at), model) {
        (Some(answer), _) => answer,
        (None, Some(model)) => model(&mut Site { machine, state }, call),
        (None, None) => unknown::call(machine, state, call, at),
    };
    match answer {
        Ok(value) => {
            if let Some(register) = result {
                state.set(register, value);
            }
            Next::On
        }
        Err(detour) => {
            let repeats = !matches!(detour, Detour::Assume(_) | Detour::Exit(_));
            if repeats {
                // What the model came by is come by again.
                state.inputs.truncate(inputs);
            }
            if let Detour::Wrong { condition, .. } = &detour
                && state.path.knows(&mut machine.terms, *condition) == Some(false)
            {
                let why = format!("the model of {} does not go on", call.name);
                return take(state, Detour::End(Ending::Stopped(why)), at);
            }
            take(state, detour, at)
        }
    }
}

/// Begins a call of a function of the program.
pub(super) fn enter(
    machine: &mut Machine,
    state: &mut State,
    id: FunctionId,
    mut values: Vec<Value>,
    types: &[Type],
    result: Option<Register>,
) -> Result<(), Detour> {
    let function = machine.code.function(id);
    let known = function.parameters.len();
    if values.len() < known {
        let what = format!("{} with too few arguments", function.source_name);
        return Err(Detour::End(Ending::BadCall(what)));
    }
    let variable: Rc<[(Value, Type)]> = if function.variadic {
        let rest = values.drain(known..);
        rest.zip(types.get(known..).unwrap_or_default().iter().cloned()).collect()
    } else {
        values.truncate(known);
        machine.no_arguments.clone()
    };
    if state.stack + CALL_BYTES > access::STACK_BYTES {
        return Err(Detour::End(Ending::StackOverflow));
    }
    let locals = state.locals.len();
    for (value, parameter) in values.iter_mut().zip(&function.parameters) {
        if let Some((size, alignment)) = parameter.copied {
            match access::copy_of(machine, state, value, size, alignment) {
                Ok(copy) => *value = copy,
                Err(detour) => {
                    access::end_locals(state, locals);
                    return Err(detour);
                }
            }
        }
    }
    state.stack += CALL_BYTES;
    let base = state.registers.len();
    state.registers.append(&mut values);
    state.registers.resize(base + function.registers.len(), Value::Undefined);
    state.frames.push(Frame {
        function: id,
        block: BlockId(0),
        at: 0,
        registers: base as u32,
        locals: locals as u32,
        result,
        variable,
        line: 0,
        visits: None,
    });
    if machine.coverage.enter(id) {
        state.found_new = true;
    }
    Ok(())
}

/// Ends the innermost call.
pub(super) fn give_back(machine: &mut Machine, state: &mut State, value: Option<Value>) -> Next {
    let frame = state.frames.pop().expect("a call to return from");
    access::end_locals(state, frame.locals as usize);
    state.stack = state.stack.saturating_sub(CALL_BYTES);
    state.registers.truncate(frame.registers as usize);
    if !state.frames.is_empty() {
        if let (Some(register), Some(value)) = (frame.result, value) {
            state.set(register, value);
        }
        return Next::Elsewhere;
    }
    if state.stage == Stage::Main {
        state.exit = (value.unwrap_or(Value::Small(0)), false);
        state.stage = Stage::AtExit(0);
    }
    proceed(machine, state)
}

/// The program ends with a code: all calls are left at once.
pub(super) fn exit(state: &mut State, code: Value) {
    access::end_locals(state, 0);
    state.frames.clear();
    state.registers.clear();
    state.stack = 0;
    state.exit = (code, true);
    if !matches!(state.stage, Stage::AtExit(_)) {
        state.stage = Stage::AtExit(0);
    }
}

/// Begins what comes when no call is in progress.
pub(super) fn proceed(machine: &mut Machine, state: &mut State) -> Next {
    let begun = match state.stage {
        Stage::Constructors(next) => match machine.code.constructors.get(next) {
            Some(id) => {
                state.stage = Stage::Constructors(next + 1);
                enter(machine, state, *id, Vec::new(), &[], None)
            }
            None => {
                state.stage = Stage::Main;
                let (id, arguments) = machine.entry.clone();
                let known = machine.code.function(id).parameters.len();
                let arguments = arguments.into_iter().take(known).collect();
                enter(machine, state, id, arguments, &[], None)
            }
        },
        Stage::Main => unreachable!("main is in progress until it returns"),
        Stage::AtExit(next) => {
            if let Some((function, argument)) = state.at_exit.pop() {
                match function {
                    // A library's own, as of the standard streams: what it does is its affair.
                    Some(id) if !machine.code.function(id).is_defined() => {
                        return proceed(machine, state);
                    }
                    Some(id) => {
                        let known = machine.code.function(id).parameters.len();
                        let arguments = argument.into_iter().take(known).collect();
                        enter(machine, state, id, arguments, &[], None)
                    }
                    None => {
                        let what = "what is no function, at the program's end".to_owned();
                        Err(Detour::End(Ending::BadCall(what)))
                    }
                }
            } else if let Some(id) = machine.code.destructors.get(next) {
                state.stage = Stage::AtExit(next + 1);
                enter(machine, state, *id, Vec::new(), &[], None)
            } else {
                let code = exit_code(machine, state);
                let ending =
                    if state.exit.1 { Ending::Exited(code) } else { Ending::Returned(code) };
                return Next::Out(Effect::End(ending, LocationId::default()));
            }
        }
    };
    match begun {
        Ok(()) => Next::Elsewhere,
        Err(Detour::End(ending)) => Next::Out(Effect::End(ending, LocationId::default())),
        Err(other) => {
            let why = format!("a call from nowhere is in doubt: {other:?}");
            Next::Out(Effect::End(Ending::Stopped(why), LocationId::default()))
        }
    }
}

/// The exit code under the path's witness.
fn exit_code(machine: &Machine, state: &State) -> i32 {
    let bits = match &state.exit.0 {
        Value::Small(bits) => *bits,
        Value::Term(term) => match state.path.value(&machine.terms, *term) {
            nanoscope_term::Value::Bits(word) => word.low_u64(),
            nanoscope_term::Value::Bool(truth) => truth.into(),
            nanoscope_term::Value::Float(..)
            | nanoscope_term::Value::Rounding(_)
            | nanoscope_term::Value::Array(_) => 0,
        },
        Value::Wide(_) | Value::Float { .. } | Value::Parts(_) | Value::Undefined => 0,
    };
    bits as u32 as i32
}
