//! Variable arguments: lists of them in memory (`ir/variadic.rs`).

use super::access;
use crate::Value;
use crate::library::Detour;
use crate::machine::Machine;
use crate::state::State;
use nanoscope_program::ir::{Type, variadic};

/// Lays out the arguments of the innermost call, and makes a list of them.
pub(super) fn begin(machine: &mut Machine, state: &mut State, list: &Value) -> Result<(), Detour> {
    let list = access::known_address(machine, state, list)?;
    access::writable(machine, state, list, variadic::SIZE)?;
    let arguments = state.frame().variable.clone();
    let (places, size) = variadic::places(arguments.iter().map(|(_, ty)| ty));
    let area =
        access::local(machine, state, size.max(8), &Value::Small(1), 16, "variable arguments")?;
    let area = access::known_address(machine, state, &area)?;
    for ((value, ty), place) in arguments.iter().zip(places) {
        access::store(machine, state, &Value::Small(area + place), ty, value.clone())?;
    }
    let int = Type::Integer(32);
    for (offset, ty, value) in [
        (0, &int, variadic::GENERAL_USED),
        (4, &int, variadic::VECTOR_USED),
        (variadic::NEXT, &Type::Pointer, area),
        (variadic::SAVED, &Type::Pointer, area),
    ] {
        access::store(machine, state, &Value::Small(list + offset), ty, Value::Small(value))?;
    }
    Ok(())
}

/// Copies a list.
pub(super) fn copy(
    machine: &mut Machine,
    state: &mut State,
    to: &Value,
    from: &Value,
) -> Result<(), Detour> {
    access::copy(machine, state, to, from, &Value::Small(variadic::SIZE))
}

/// The next argument of a list.
pub(super) fn next(
    machine: &mut Machine,
    state: &mut State,
    list: &Value,
    ty: &Type,
) -> Result<Value, Detour> {
    let list = access::known_address(machine, state, list)?;
    let place = Value::Small(list + variadic::NEXT);
    let next = access::load(machine, state, &place, &Type::Pointer)?;
    let next =
        access::known_address(machine, state, &next)?.next_multiple_of(variadic::alignment(ty));
    let value = access::load(machine, state, &Value::Small(next), ty)?;
    let after = next + variadic::slot(ty);
    access::store(machine, state, &place, &Type::Pointer, Value::Small(after))?;
    Ok(value)
}
