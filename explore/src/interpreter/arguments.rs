//! Variable arguments as x86-64 lays them out.
//!
//! A `va_list` is a structure of two offsets into a register save area, the address of what
//! was passed on the stack, and the save area's (System V ABI for AMD64, 3.5.7). Everything is
//! passed on the stack here: the offsets say that the registers are used up.

use super::access;
use crate::Value;
use crate::library::Detour;
use crate::machine::Machine;
use crate::state::State;
use nanoscope_program::ir::Type;

/// Past the six general registers of 8 bytes.
const GENERAL_USED: u64 = 48;
/// Past these and the eight vector registers of 16 bytes.
const VECTOR_USED: u64 = 176;
/// Where in a `va_list` the address of the next argument on the stack is.
const NEXT: u64 = 8;
/// Where in it the address of the register save area is.
const SAVED: u64 = 16;
/// Bytes of a `va_list`.
const SIZE: u64 = 24;

/// Lays out the arguments of the innermost call, and makes a list of them.
pub(super) fn begin(machine: &mut Machine, state: &mut State, list: &Value) -> Result<(), Detour> {
    let list = access::known_address(machine, state, list)?;
    access::writable(machine, state, list, SIZE)?;
    let arguments = state.frame().variable.clone();
    let mut places = Vec::new();
    let mut size = 0u64;
    for (_, ty) in arguments.iter() {
        size = size.next_multiple_of(alignment(ty));
        places.push(size);
        size += ty.stored_bytes().next_multiple_of(8).max(8);
    }
    let area =
        access::local(machine, state, size.max(8), &Value::Small(1), 16, "variable arguments")?;
    let area = access::known_address(machine, state, &area)?;
    for ((value, ty), place) in arguments.iter().zip(places) {
        access::store(machine, state, &Value::Small(area + place), ty, value.clone())?;
    }
    let int = Type::Integer(32);
    for (offset, ty, value) in [
        (0, &int, GENERAL_USED),
        (4, &int, VECTOR_USED),
        (NEXT, &Type::Pointer, area),
        (SAVED, &Type::Pointer, area),
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
    access::copy(machine, state, to, from, &Value::Small(SIZE))
}

/// The next argument of a list.
pub(super) fn next(
    machine: &mut Machine,
    state: &mut State,
    list: &Value,
    ty: &Type,
) -> Result<Value, Detour> {
    let list = access::known_address(machine, state, list)?;
    let place = Value::Small(list + NEXT);
    let next = access::load(machine, state, &place, &Type::Pointer)?;
    let next = access::known_address(machine, state, &next)?.next_multiple_of(alignment(ty));
    let value = access::load(machine, state, &Value::Small(next), ty)?;
    let after = next + ty.stored_bytes().next_multiple_of(8).max(8);
    access::store(machine, state, &place, &Type::Pointer, Value::Small(after))?;
    Ok(value)
}

/// The alignment of an argument on the stack.
fn alignment(ty: &Type) -> u64 {
    match ty {
        Type::Integer(bits) if *bits > 64 => 16,
        Type::Float(format) if format.width() > 64 => 16,
        Type::Vector(..) if ty.stored_bytes() > 8 => ty.stored_bytes().next_power_of_two(),
        Type::Void
        | Type::Integer(_)
        | Type::Float(_)
        | Type::Pointer
        | Type::Vector(..)
        | Type::Aggregate(_) => 8,
    }
}
