//! How programs end, and how long they took: `exit`, `abort`, `assert`, clocks.

use super::{Call, Detour, Row, World, convert};
use crate::{Ending, How, Value};
use nanoscope_program::ir::Type;

/// What is modelled here.
pub(super) const ROWS: &[Row] = &[
    Row::new("exit", exit, "runs what `atexit` was told"),
    Row::new("_exit", quick_exit, ""),
    Row::new("_Exit", quick_exit, ""),
    Row::new("quick_exit", quick_exit, "without what `at_quick_exit` was told"),
    Row::new("abort", abort, ""),
    Row::new("atexit", at_exit, ""),
    Row::new("__cxa_atexit", cxa_at_exit, ""),
    Row::new("on_exit", cxa_at_exit, ""),
    Row::new("__assert_fail", assert_fail, "a failed `assert`"),
    Row::new("__assert_perror_fail", assert_perror, ""),
    Row::new("__assert", assert_message, ""),
    Row::new("__assert_rtn", assert_rtn, ""),
    Row::new("__stack_chk_fail", abort, ""),
    Row::new("__chk_fail", abort, ""),
    Row::new("__fortify_fail", abort, ""),
    Row::new("__cxa_pure_virtual", abort, ""),
    Row::new("_ZSt9terminatev", abort, ""),
    Row::new("_ZNSt8ios_base4InitC1Ev", nothing, "the standard streams are there"),
    Row::new("_ZNSt8ios_base4InitD1Ev", nothing, ""),
    Row::new("__cxa_guard_acquire", guard_acquire, ""),
    Row::new("__cxa_guard_release", guard_release, ""),
    Row::new("signal", ignore_pointer, "no signal comes"),
    Row::new("time", time, "an input, not negative"),
    Row::new("clock", clock, "an input, not negative"),
    Row::new("gettimeofday", gettimeofday, "an input"),
    Row::new("clock_gettime", clock_gettime, "an input"),
    Row::new("sleep", zero, "returns at once"),
    Row::new("usleep", zero, "returns at once"),
];

fn exit(_: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    Err(Detour::Exit(call.arguments[0].clone()))
}

fn quick_exit(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    // An unknown status needs no path a value: the program has ended, whatever it is.
    let status = call.arguments[0].as_small().unwrap_or(0);
    if call.arguments[0].as_small().is_none() {
        let term = convert::bits(world, &call.arguments[0], 32);
        if let Some(word) = world.pinned(term) {
            return Err(Detour::End(Ending::Exited(word.low_u64() as u32 as i32)));
        }
    }
    Err(Detour::End(Ending::Exited(status as u32 as i32)))
}

fn abort(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Err(Detour::End(Ending::Abort))
}

fn at_exit(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    world.at_exit(call.arguments[0].clone(), None);
    Ok(Value::Small(0))
}

fn cxa_at_exit(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    world.at_exit(call.arguments[0].clone(), Some(call.arguments[1].clone()));
    Ok(Value::Small(0))
}

fn failure(world: &mut dyn World, text: &Value) -> Result<Value, Detour> {
    let text = String::from_utf8_lossy(&world.string(text)?).into_owned();
    Err(Detour::End(Ending::AssertionFailure(text)))
}

/// `__assert_fail(text, file, line, function)`, glibc's.
fn assert_fail(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    failure(world, &call.arguments[0])
}

fn assert_perror(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Err(Detour::End(Ending::AssertionFailure("assert_perror".to_owned())))
}

fn assert_message(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    failure(world, &call.arguments[0])
}

/// `__assert_rtn(function, file, line, text)`, as other systems have it.
fn assert_rtn(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    failure(world, &call.arguments[3])
}

/// Whether a local static variable of C++ is still to be initialised.
fn guard_acquire(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let done = world.load(&call.arguments[0], &Type::Integer(8))?;
    let done = world.number(&done)?;
    Ok(Value::Small(u64::from(done == 0)))
}

fn guard_release(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    world.store(&call.arguments[0], &Type::Integer(8), Value::Small(1))?;
    Ok(Value::Undefined)
}

fn ignore_pointer(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::Small(0))
}

/// What says nothing that a program computes with: `what` gives an address that is not used.
pub(super) fn nothing(_: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    Ok(if *call.result == Type::Void { Value::Undefined } else { Value::Small(0) })
}

fn zero(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::Small(0))
}

/// Seconds since 1970, until the year 2200 or so.
const LATEST: i64 = 1 << 33;

fn time(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let place = world.number(&call.arguments[0])?;
    if place != 0 {
        world.load(&Value::Small(place), &Type::Integer(64))?;
    }
    let now = world.input_between(How::Time, "time", 64, 0, LATEST);
    if place != 0 {
        world.store(&Value::Small(place), &Type::Integer(64), now.clone())?;
    }
    Ok(now)
}

fn clock(world: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(world.input_between(How::Time, "clock", 64, 0, 1 << 53))
}

/// Seconds, and a fraction of so many parts, at an address.
fn fill_time(world: &mut dyn World, place: &Value, name: &str, parts: i64) -> Result<(), Detour> {
    let place = world.number(place)?;
    let second = Value::Small(place.wrapping_add(8));
    world.load(&Value::Small(place), &Type::Integer(64))?;
    world.load(&second, &Type::Integer(64))?;
    let seconds = world.input_between(How::Time, name, 64, 0, LATEST);
    let fraction = world.input_between(How::Time, name, 64, 0, parts - 1);
    world.store(&Value::Small(place), &Type::Integer(64), seconds)?;
    world.store(&second, &Type::Integer(64), fraction)
}

fn gettimeofday(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    fill_time(world, &call.arguments[0], "gettimeofday", 1_000_000)?;
    Ok(Value::Small(0))
}

fn clock_gettime(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    fill_time(world, &call.arguments[1], "clock_gettime", 1_000_000_000)?;
    Ok(Value::Small(0))
}
