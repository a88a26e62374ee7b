//! Functions whose code is not the program's: the mathematical library, which is the
//! domain's, and the little of C's library that numerical code uses.

use super::Stuck;
use super::domain::{At, Domain, ShadowValue, Stored, ValueOf, bits};
use super::memory::Memory;
use nanoscope_ieee::Format;
use nanoscope_program::ir::Type;
use nanoscope_program::{FailureFunction, cxx};

/// What functions of a library see of the machine that calls them.
pub(super) struct Caller<'m, D: Domain> {
    pub memory: &'m mut Memory<D>,
    pub domain: &'m mut D,
    /// Where `errno` is, once it was asked for.
    pub errno: &'m mut Option<u64>,
}

/// Calls a function by its symbol. Nothing comes back from `void` functions.
pub(super) fn call<D: Domain>(
    caller: &mut Caller<D>,
    at: At,
    name: &str,
    arguments: &[ValueOf<D>],
    types: &[Type],
    result: &Type,
) -> Result<ValueOf<D>, Stuck> {
    if let Some(value) = memory(caller, at, name, arguments)? {
        return Ok(value);
    }
    // A function of floats: its format is its result's, or its first argument's.
    // A complex number of two floats in one register is a vector.
    let lane = |ty: &Type| match ty.lane() {
        Type::Float(format) => Some(*format),
        Type::Void | Type::Integer(_) | Type::Pointer | Type::Vector(..) | Type::Aggregate(_) => {
            None
        }
    };
    let format = lane(result).or_else(|| types.first().and_then(lane));
    let format = format.unwrap_or(Format::BINARY64);
    let plain = match format {
        Format::BINARY32 => name.strip_suffix('f').unwrap_or(name),
        Format::X87 => name.strip_suffix('l').unwrap_or(name),
        _ => name,
    };
    let plain = plain.strip_prefix("__").map_or(plain, |rest| rest.trim_end_matches("_finite"));
    mathematical(caller, at, plain, name, arguments, format)
}

/// Calls a function of the mathematical library by its name in the double form.
pub(super) fn mathematical<D: Domain>(
    caller: &mut Caller<D>,
    at: At,
    plain: &str,
    name: &str,
    arguments: &[ValueOf<D>],
    format: Format,
) -> Result<ValueOf<D>, Stuck> {
    let Caller { memory, domain, .. } = caller;
    let domain: &mut D = domain;
    let answer = domain.mathematical(at, plain, name, format, arguments)?;
    for (argument, stored) in answer.stores {
        let Some(address) = arguments.get(argument) else { continue };
        let address = bits(domain, at, address)? as u64;
        match stored {
            Stored::Int(value) => {
                memory.store(domain, at, address, 4, u128::from(value as u32))?;
            }
            Stored::Number(value) => {
                let size = u64::from(format.width()).div_ceil(8);
                memory.store_cell(domain, at, address, size, ShadowValue::Coded(format, value))?;
            }
        }
    }
    Ok(answer.value)
}

/// Memory, printing, ends: what has nothing to do with numbers.
fn memory<D: Domain>(
    caller: &mut Caller<D>,
    at: At,
    name: &str,
    arguments: &[ValueOf<D>],
) -> Result<Option<ValueOf<D>>, Stuck> {
    let word = |caller: &mut Caller<D>, place: usize| -> Result<u64, Stuck> {
        match arguments.get(place) {
            Some(value) => Ok(bits(caller.domain, at, value)? as u64),
            None => Ok(0),
        }
    };
    let integer = |value: u64| Ok(Some(ShadowValue::Bits(u128::from(value))));
    match name {
        "malloc" | "_Znwm" | "_Znam" => {
            let size = word(caller, 0)?;
            integer(caller.memory.allocate(size)?)
        }
        "calloc" => {
            let size = word(caller, 0)?.saturating_mul(word(caller, 1)?);
            integer(caller.memory.allocate(size)?)
        }
        "free" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" => {
            let address = word(caller, 0)?;
            caller.memory.free(address);
            integer(0)
        }
        "memcpy" | "memmove" => {
            let (to, from, size) = (word(caller, 0)?, word(caller, 1)?, word(caller, 2)?);
            caller.memory.copy(caller.domain, at, to, from, size)?;
            integer(to)
        }
        "memset" => {
            let (to, byte, size) = (word(caller, 0)?, word(caller, 1)?, word(caller, 2)?);
            caller.memory.fill(caller.domain, at, to, byte as u8, size)?;
            integer(to)
        }
        "__errno_location" => integer(match *caller.errno {
            Some(address) => address,
            None => *caller.errno.insert(caller.memory.allocate(4)?),
        }),
        // A static variable's initialiser runs once.
        "__cxa_guard_acquire" => {
            let guard = word(caller, 0)?;
            let is_done = caller.memory.load(caller.domain, at, guard, 1)? != 0;
            integer(u64::from(!is_done))
        }
        "__cxa_guard_release" => {
            let guard = word(caller, 0)?;
            caller.memory.store(caller.domain, at, guard, 1, 1)?;
            integer(0)
        }
        "abs" => integer(u64::from((word(caller, 0)? as i32).unsigned_abs())),
        "labs" | "llabs" => integer((word(caller, 0)? as i64).unsigned_abs()),
        "printf"
        | "fprintf"
        | "puts"
        | "putchar"
        | "fputs"
        | "fputc"
        | "putc"
        | "fflush"
        | "perror"
        | "__cxa_atexit"
        | "_ZNSt8ios_base4InitC1Ev" => integer(0),
        // The message of an exception is no number.
        _ if cxx::is_of_exception(name) || cxx::is_empty(name) => integer(0),
        _ if cxx::is_output(name) => {
            let stream = word(caller, 0)?;
            integer(stream)
        }
        "exit" | "_exit" => Err(Stuck::ended(format!("in exact arithmetic it calls `{name}`"))),
        _ if FailureFunction::named(name).is_some_and(|function| function.always) => {
            Err(Stuck::ended(format!("in exact arithmetic it calls `{name}`")))
        }
        _ => Ok(None),
    }
}
