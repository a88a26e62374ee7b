//! The interface of the software verification competition.

use super::{Call, Detour, Row, World, convert};
use crate::{Ending, How, Value};
use nanoscope_program::ir::Type;

/// What is modelled here. `__VERIFIER_nondet_T` is one for each type T of C.
pub(super) const ROWS: &[Row] = &[
    Row::new("__VERIFIER_assume", assume, ""),
    Row::new("__VERIFIER_assert", assert, "where the program does not define it"),
    Row::new("__VERIFIER_error", error, "an error call"),
    Row::new("reach_error", error, "an error call, where the program does not define it too"),
    Row::new("__VERIFIER_nondet_memory", nondet_memory, "bytes at an address, so many"),
    Row::new("__VERIFIER_atomic_begin", nothing, "no effect"),
    Row::new("__VERIFIER_atomic_end", nothing, "no effect"),
    Row::new("__VERIFIER_nondet_bool", boolean, "0 or 1"),
    Row::new("__VERIFIER_nondet__Bool", boolean, "0 or 1"),
    Row::new("__VERIFIER_nondet_char", nondet, ""),
    Row::new("__VERIFIER_nondet_schar", nondet, ""),
    Row::new("__VERIFIER_nondet_uchar", nondet, ""),
    Row::new("__VERIFIER_nondet_unsigned_char", nondet, ""),
    Row::new("__VERIFIER_nondet_short", nondet, ""),
    Row::new("__VERIFIER_nondet_ushort", nondet, ""),
    Row::new("__VERIFIER_nondet_unsigned_short", nondet, ""),
    Row::new("__VERIFIER_nondet_int", nondet, ""),
    Row::new("__VERIFIER_nondet_uint", nondet, ""),
    Row::new("__VERIFIER_nondet_unsigned", nondet, ""),
    Row::new("__VERIFIER_nondet_unsigned_int", nondet, ""),
    Row::new("__VERIFIER_nondet_long", nondet, ""),
    Row::new("__VERIFIER_nondet_ulong", nondet, ""),
    Row::new("__VERIFIER_nondet_unsigned_long", nondet, ""),
    Row::new("__VERIFIER_nondet_longlong", nondet, ""),
    Row::new("__VERIFIER_nondet_ulonglong", nondet, ""),
    Row::new("__VERIFIER_nondet_int128", nondet, ""),
    Row::new("__VERIFIER_nondet_uint128", nondet, ""),
    Row::new("__VERIFIER_nondet_u8", nondet, ""),
    Row::new("__VERIFIER_nondet_u16", nondet, ""),
    Row::new("__VERIFIER_nondet_u32", nondet, ""),
    Row::new("__VERIFIER_nondet_u64", nondet, ""),
    Row::new("__VERIFIER_nondet_size_t", nondet, ""),
    Row::new("__VERIFIER_nondet_loff_t", nondet, ""),
    Row::new("__VERIFIER_nondet_pchar", nondet, "some address: hardly one of an object"),
    Row::new("__VERIFIER_nondet_pointer", nondet, "some address: hardly one of an object"),
    Row::new("__VERIFIER_nondet_float", nondet, "any encoding, NaNs included"),
    Row::new("__VERIFIER_nondet_double", nondet, "any encoding, NaNs included"),
    Row::new("__VERIFIER_nondet_long_double", nondet, "any encoding, odd ones included"),
    Row::new("__VERIFIER_nondet_longdouble", nondet, "any encoding, odd ones included"),
    Row::new("__VERIFIER_nondet_float128", nondet, ""),
    Row::new("__VERIFIER_nondet_float16", nondet, ""),
];

/// What a name begins with whose rest is a type.
const NONDET: &str = "__VERIFIER_nondet_";

/// A model for any other type that a program invents a name for.
pub(super) fn find(name: &str) -> Option<super::Model> {
    name.starts_with(NONDET).then_some(nondet as super::Model)
}

fn assume(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let width = call.types[0].bits().unwrap_or(32);
    Err(Detour::Assume(convert::nonzero(world, &call.arguments[0], width)))
}

fn assert(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let width = call.types[0].bits().unwrap_or(32);
    let holds = convert::nonzero(world, &call.arguments[0], width);
    let holds = convert::value(world, holds);
    if world.decide(&holds)? {
        Ok(Value::Undefined)
    } else {
        Err(Detour::End(Ending::ErrorCall(call.name.to_owned())))
    }
}

fn error(_: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    Err(Detour::End(Ending::ErrorCall(call.name.to_owned())))
}

fn nothing(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::Undefined)
}

fn how(call: &Call) -> How {
    How::Nondet(call.name.strip_prefix(NONDET).unwrap_or(call.name).to_owned())
}

fn nondet(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    if *call.result == Type::Void {
        return Ok(Value::Undefined);
    }
    Ok(world.input(how(call), call.name, call.result))
}

/// A `bool` is 0 or 1; a program that declares the function as `int` may rely on it too.
fn boolean(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    match call.result.bits() {
        Some(1) | None => Ok(world.input(how(call), call.name, call.result)),
        Some(width) => Ok(world.input_between(how(call), call.name, width, 0, 1)),
    }
}

fn nondet_memory(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let size = world.number(&call.arguments[1])?;
    world.unknown_bytes(&call.arguments[0], size, how(call), call.name)?;
    Ok(Value::Undefined)
}
