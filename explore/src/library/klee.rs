//! KLEE's interface, as `klee/klee.h` declares it.

use super::{Call, Detour, Row, World, convert, math};
use crate::{Ending, How, Value};
use nanoscope_program::ir::Type;

/// What is modelled here.
pub(super) const ROWS: &[Row] = &[
    Row::new("klee_make_symbolic", make_symbolic, "the object's bytes become an input"),
    Row::new("klee_assume", assume, ""),
    Row::new("klee_assert", assert, "as a function; the header has a macro"),
    Row::new("klee_range", range, ""),
    Row::new("klee_int", int, ""),
    Row::new("klee_silent_exit", silent_exit, ""),
    Row::new("klee_abort", abort, ""),
    Row::new("klee_report_error", report_error, "an error call"),
    Row::new("klee_prefer_cex", prefer, "tests satisfy it where they can"),
    Row::new("klee_posix_prefer_cex", prefer, "as `klee_prefer_cex`"),
    Row::new("klee_warning", nothing, "no effect"),
    Row::new("klee_warning_once", nothing, "no effect"),
    Row::new("klee_print_expr", print_expr, "on standard error, with `--echo`"),
    Row::new("klee_print_range", without_effect, "no effect; the report says so"),
    Row::new("klee_open_merge", without_effect, "no effect; the report says so"),
    Row::new("klee_close_merge", without_effect, "no effect; the report says so"),
    Row::new("klee_stack_trace", nothing, "no effect"),
    Row::new("klee_check_memory_access", check_access, ""),
    Row::new("klee_is_symbolic", is_symbolic, ""),
    Row::new("klee_is_replay", zero, "0: this is no replay"),
    Row::new("klee_get_errno", get_errno, "0"),
    Row::new("klee_get_valuef", any_value, "a value of the unknown: one path each"),
    Row::new("klee_get_valued", any_value, ""),
    Row::new("klee_get_valuel", any_value, ""),
    Row::new("klee_get_valuell", any_value, ""),
    Row::new("klee_get_value_i32", any_value, ""),
    Row::new("klee_get_value_i64", any_value, ""),
    Row::new("klee_get_obj_size", object_size, ""),
    Row::new("klee_mark_global", nothing, "no effect"),
    Row::new("klee_set_forking", set_forking, "without forking, one side of a branch is followed"),
    Row::new(
        "klee_alias_function",
        without_effect,
        "calls go to the other function where both names are constants; elsewhere the report says \
         that it has no effect",
    ),
    Row::new("klee_get_rounding_mode", rounding, "as the float extension numbers the modes"),
    Row::new("klee_set_rounding_mode", set_rounding, ""),
    Row::new("klee_is_nan_float", math::isnan, "the float extension's"),
    Row::new("klee_is_nan_double", math::isnan, ""),
    Row::new("klee_is_nan_long_double", math::isnan, ""),
    Row::new("klee_is_infinite_float", math::isinf, ""),
    Row::new("klee_is_infinite_double", math::isinf, ""),
    Row::new("klee_is_infinite_long_double", math::isinf, ""),
    Row::new("klee_is_normal_float", math::isnormal, ""),
    Row::new("klee_is_normal_double", math::isnormal, ""),
    Row::new("klee_is_normal_long_double", math::isnormal, ""),
    Row::new("klee_is_subnormal_float", math::issubnormal, ""),
    Row::new("klee_is_subnormal_double", math::issubnormal, ""),
    Row::new("klee_is_subnormal_long_double", math::issubnormal, ""),
    Row::new("klee_abs_float", math::fabs, ""),
    Row::new("klee_abs_double", math::fabs, ""),
    Row::new("klee_abs_long_double", math::fabs, ""),
    Row::new("klee_sqrt_float", math::sqrt, ""),
    Row::new("klee_sqrt_double", math::sqrt, ""),
    Row::new("klee_sqrt_long_double", math::sqrt, ""),
];

fn make_symbolic(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let size = world.number(&call.arguments[1])?;
    let name = match call.arguments.get(2) {
        Some(name) if world.number(name)? != 0 => {
            String::from_utf8_lossy(&world.string(name)?).into_owned()
        }
        Some(_) | None => "unnamed".to_owned(),
    };
    world.unknown_bytes(&call.arguments[0], size, How::MakeSymbolic, &name)?;
    Ok(Value::Undefined)
}

fn assume(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let width = call.types[0].bits().unwrap_or(64);
    Err(Detour::Assume(convert::nonzero(world, &call.arguments[0], width)))
}

fn assert(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let width = call.types[0].bits().unwrap_or(32);
    let holds = convert::nonzero(world, &call.arguments[0], width);
    let holds = convert::value(world, holds);
    if world.decide(&holds)? {
        Ok(Value::Undefined)
    } else {
        Err(Detour::End(Ending::AssertionFailure("klee_assert".to_owned())))
    }
}

/// An `int` from the first argument to the second, that one left out.
fn range(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let start = world.number(&call.arguments[0])? as u32 as i32;
    let end = world.number(&call.arguments[1])? as u32 as i32;
    let name = String::from_utf8_lossy(&world.string(&call.arguments[2])?).into_owned();
    if start >= end {
        return Err(Detour::End(Ending::ErrorCall("klee_range with an empty range".to_owned())));
    }
    if i64::from(start) + 1 == i64::from(end) {
        return Ok(Value::Small(u64::from(start as u32)));
    }
    Ok(world.input_between(How::MakeSymbolic, &name, 32, start.into(), i64::from(end) - 1))
}

fn int(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let name = String::from_utf8_lossy(&world.string(&call.arguments[0])?).into_owned();
    Ok(world.input(How::MakeSymbolic, &name, &Type::Integer(32)))
}

fn silent_exit(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Err(Detour::End(Ending::Silent))
}

fn abort(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Err(Detour::End(Ending::Abort))
}

fn report_error(_: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    Err(Detour::End(Ending::ErrorCall(call.name.to_owned())))
}

/// Also what has no effect but costs nothing: paths that meet again soon are merged anyway.
fn without_effect(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    world.note(&format!("{} has no effect", call.name));
    Ok(Value::Undefined)
}

/// The last argument is the condition, whatever is before it.
fn prefer(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let (Some(value), Some(ty)) = (call.arguments.last(), call.types.last()) else {
        return Ok(Value::Undefined);
    };
    let condition = convert::nonzero(world, value, ty.bits().unwrap_or(64));
    world.prefer(condition);
    Ok(Value::Undefined)
}

fn print_expr(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let message = String::from_utf8_lossy(&world.string(&call.arguments[0])?).into_owned();
    let text = match call.arguments.get(1) {
        Some(Value::Small(bits)) => bits.to_string(),
        Some(value) => match value.as_term() {
            Some(term) => nanoscope_term::smtlib::term_text(world.terms(), term),
            None => format!("{value:?}"),
        },
        None => String::new(),
    };
    world.print(true, format!("{message}:{text}\n").as_bytes());
    Ok(Value::Undefined)
}

fn set_forking(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let on = world.number(&call.arguments[0])? & 0xffff_ffff != 0;
    world.set_forking(on);
    Ok(Value::Undefined)
}

fn nothing(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::Undefined)
}

fn zero(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::Small(0))
}

fn get_errno(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::Small(0))
}

fn check_access(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let start = world.number(&call.arguments[0])?;
    let size = world.number(&call.arguments[1])?;
    if size > 0 {
        world.load(&Value::Small(start), &Type::Integer(8))?;
        world.load(&Value::Small(start.wrapping_add(size - 1)), &Type::Integer(8))?;
    }
    Ok(Value::Undefined)
}

fn is_symbolic(_: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    Ok(Value::truth(!call.arguments[0].is_known()))
}

fn any_value(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    super::inner::pin(world, call)
}

fn object_size(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    Ok(Value::Small(world.extent(&call.arguments[0])?.size))
}

/// The float extension's numbers of the modes that x86 has, and C's.
const MODES: [(u64, u64); 4] = [(0, 0), (3, 0x400), (2, 0x800), (4, 0xc00)];

fn rounding(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let mode = super::fenv::get_round(world, call)?;
    let mode = convert::bits(world, &mode, 32);
    let terms = world.terms();
    let mut number = terms.bits(32, 0);
    for (klee, c) in MODES {
        let c = terms.bits(32, c.into());
        let same = terms.equal(mode, c);
        let klee = terms.bits(32, klee.into());
        number = terms.ite(same, klee, number);
    }
    Ok(convert::value(world, number))
}

fn set_rounding(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let number = world.number(&call.arguments[0])?;
    match MODES.iter().find(|(klee, _)| *klee == number) {
        Some((_, c)) => super::fenv::set_mode(world, *c),
        None => {
            let why = format!("a rounding mode that the machine does not have: {number}");
            return Err(Detour::End(Ending::Stopped(why)));
        }
    }
    Ok(Value::Undefined)
}

#[cfg(test)]
mod tests {
    use super::ROWS;

    #[test]
    fn the_header_declares_what_is_modelled() {
        let header = include_str!("../../include/klee/klee.h");
        for row in ROWS {
            let name = row.name;
            assert!(header.contains(&format!("{name}(")), "klee/klee.h lacks {name}");
        }
    }
}
