//! What the library's own C asks the engine for: the names that begin with `nanoscope_`.

use super::{Call, Detour, Row, Unread, World, convert, decimal};
use crate::{Ending, How, Value};
use nanoscope_ieee::Format;
use nanoscope_program::ir::Type;

/// What is modelled here; `library.h` says what each is for.
pub(super) const ROWS: &[Row] = &[
    Row::new("nanoscope_assumed", assumed, ""),
    Row::new("nanoscope_known", known, ""),
    Row::new("nanoscope_known_float", known, ""),
    Row::new("nanoscope_pin", pin, ""),
    Row::new("nanoscope_pin_float", pin, ""),
    Row::new("nanoscope_unspecified", unspecified, ""),
    Row::new("nanoscope_any", any, ""),
    Row::new("nanoscope_stdin", stdin, ""),
    Row::new("nanoscope_file", file, ""),
    Row::new("nanoscope_file_size", file_size, ""),
    Row::new("nanoscope_file_byte", file_byte, ""),
    Row::new("nanoscope_environment", environment, ""),
    Row::new("nanoscope_print", print, ""),
    Row::new("nanoscope_text", text, ""),
    Row::new("nanoscope_format", format, ""),
    Row::new("nanoscope_overshift_where", overshift, ""),
];

/// A shift by too much whose result is used, if the argument is not zero.
fn overshift(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let poisoned = convert::nonzero(world, &call.arguments[0], 32);
    let poisoned = convert::value(world, poisoned);
    if world.decide(&poisoned)? {
        Err(Detour::End(Ending::Overshift))
    } else {
        Ok(Value::Undefined)
    }
}

fn assumed(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let what = String::from_utf8_lossy(&world.string(&call.arguments[0])?).into_owned();
    world.assumed(&what);
    Ok(Value::Undefined)
}

fn known(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let known = match &call.arguments[0] {
        Value::Term(term) => world.pinned(*term).is_some(),
        other => other.is_known(),
    };
    Ok(Value::truth(known))
}

/// The argument, known.
pub(super) fn pin(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let (argument, ty) = (&call.arguments[0], &call.types[0]);
    match ty {
        Type::Float(format) => {
            let bits = convert::encoding(world, argument, *format)?;
            Ok(Value::word(world.word(&bits, format.width())?))
        }
        Type::Integer(width) => Ok(Value::word(world.word(argument, *width)?)),
        Type::Pointer => Ok(Value::Small(world.number(argument)?)),
        Type::Void | Type::Vector(..) | Type::Aggregate(_) => Ok(argument.clone()),
    }
}

fn unspecified(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::Undefined)
}

fn any(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let name = String::from_utf8_lossy(&world.string(&call.arguments[0])?).into_owned();
    let low = world.number(&call.arguments[1])? as i64;
    let high = world.number(&call.arguments[2])? as i64;
    Ok(world.input_between(How::ExternalResult(name.clone()), &name, 64, low, high))
}

fn stdin(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let position = world.number(&call.arguments[0])?;
    match world.stdin(position) {
        Some(byte) => convert::resize(world, &byte, 8, 32, false),
        None => Ok(Value::Small(u64::from(u32::MAX))),
    }
}

fn file(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let name = world.string(&call.arguments[0])?;
    let number = match world.file(&name) {
        Ok(number) => number as i64,
        Err(Unread::Absent) => -1,
        Err(Unread::Unfollowed) => -2,
    };
    Ok(Value::Small(number as u64))
}

fn file_size(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let file = world.number(&call.arguments[0])? as usize;
    Ok(Value::Small(world.file_bytes(file).len() as u64))
}

fn file_byte(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let file = world.number(&call.arguments[0])? as usize;
    let position = world.number(&call.arguments[1])? as usize;
    let byte = world.file_bytes(file).get(position).copied();
    Ok(Value::Small(byte.map_or(u64::from(u32::MAX), u64::from)))
}

fn environment(world: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::Small(world.environment_vector()))
}

/// Unknown bytes are printed as question marks.
fn print(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let error = world.number(&call.arguments[0])? == 2;
    let start = world.number(&call.arguments[1])?;
    let count = world.number(&call.arguments[2])?;
    let mut bytes = Vec::new();
    for at in 0..count {
        let byte = world.load(&Value::Small(start.wrapping_add(at)), &Type::Integer(8))?;
        bytes.push(byte.as_small().map_or(b'?', |byte| byte as u8));
    }
    world.print(error, &bytes);
    Ok(Value::Undefined)
}

/// No path a way that the string can end: one question, whether it can end nowhere.
fn text(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let start = world.number(&call.arguments[0])?;
    let most = world.number(&call.arguments[1])?;
    let mut ends = Vec::new();
    let mut length = 0;
    // At the first byte that cannot be there, loading it says what is wrong.
    while length < most {
        let at = Value::Small(start.wrapping_add(length));
        if !ends.is_empty() {
            let extent = world.extent(&Value::Small(start))?;
            if start.wrapping_add(length) >= extent.base + extent.size {
                let any = world.terms().or(&ends);
                let condition = world.terms().not(any);
                let holds = convert::value(world, condition);
                if holds == Value::Small(0) {
                    return Ok(Value::Small(u64::MAX));
                }
                let ended = convert::value(world, any);
                if world.decide(&ended)? {
                    return Ok(Value::Small(u64::MAX));
                }
                let what = "reads a string past the end of its object".to_owned();
                return Err(Detour::End(Ending::InvalidDeref(what)));
            }
        }
        let byte = world.load(&at, &Type::Integer(8))?;
        match byte {
            Value::Small(0) if ends.is_empty() => return Ok(Value::Small(length)),
            Value::Small(0) => return Ok(Value::Small(u64::MAX)),
            Value::Small(_) => {}
            unknown => {
                let nonzero = convert::nonzero(world, &unknown, 8);
                let zero = world.terms().not(nonzero);
                ends.push(zero);
            }
        }
        length += 1;
    }
    Ok(Value::Small(if ends.is_empty() { length } else { u64::MAX }))
}

fn format(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let to = world.number(&call.arguments[0])?;
    let capacity = world.number(&call.arguments[1])? as usize;
    let bits = world.word(&call.arguments[2], Format::X87.width())?;
    let letter = world.number(&call.arguments[3])? as u8 as char;
    let precision = usize::try_from(world.number(&call.arguments[4])? as u32 as i32).ok();
    let flags = world.number(&call.arguments[5])?;
    let (alternate, extended) = (flags & 1 != 0, flags & 2 != 0);
    let conversion = decimal::Conversion { letter, precision, alternate, extended };
    let mut text = decimal::text(&bits, conversion).into_bytes();
    text.truncate(capacity);
    for (at, byte) in text.iter().enumerate() {
        let at = Value::Small(to.wrapping_add(at as u64));
        world.store(&at, &Type::Integer(8), Value::Small(u64::from(*byte)))?;
    }
    Ok(Value::Small(text.len() as u64))
}
