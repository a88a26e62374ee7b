//! The floating-point environment of `fenv.h`, and the control register behind it.
//!
//! The numbers are those of x86-64. A symbolic rounding mode splits the path: one side a mode,
//! and one for arguments that are none.

use super::{Call, Detour, Row, World, convert};
use crate::environment::{Raising, RoundingMode, STANDARD};
use crate::{Ending, Value};
use nanoscope_ieee::{Flag, Rounding};
use nanoscope_program::ir::Type;
use nanoscope_term::{BitsOp, Term};

/// What is modelled here.
pub(super) const ROWS: &[Row] = &[
    Row::new("fegetround", get_round, ""),
    Row::new("fesetround", set_round, "a path a mode where the argument is unknown"),
    Row::new("fetestexcept", test, "flags are exact"),
    Row::new("feclearexcept", clear, ""),
    Row::new("feraiseexcept", raise, ""),
    Row::new("fesetexcept", raise, ""),
    Row::new("fegetexceptflag", get_flags, ""),
    Row::new("fesetexceptflag", set_flags, ""),
    Row::new("fetestexceptflag", test_saved, ""),
    Row::new("fegetenv", get_environment, ""),
    Row::new("fesetenv", set_environment, ""),
    Row::new("feholdexcept", hold, ""),
    Row::new("feupdateenv", update, ""),
    Row::new("fegetmode", get_mode, ""),
    Row::new("fesetmode", restore_mode, ""),
    Row::new("feenableexcept", enable, "traps are not modelled"),
    Row::new("fedisableexcept", disable, ""),
    Row::new("fegetexcept", none, "0: nothing traps"),
    Row::new("__flt_rounds", flt_rounds, "C's `FLT_ROUNDS`"),
    Row::new("llvm.x86.sse.stmxcsr", store_control, "`_mm_getcsr`"),
    Row::new("llvm.x86.sse.ldmxcsr", load_control, "`_mm_setcsr`; traps are not modelled"),
];

/// What makes operations record what they raise, where a program mentions it.
pub const LOOKS_AT_FLAGS: &[&str] = &[
    "fetestexcept",
    "fegetexceptflag",
    "fetestexceptflag",
    "fegetenv",
    "feholdexcept",
    "feupdateenv",
    "llvm.x86.sse.stmxcsr",
];

/// C's numbers of the modes.
const MODES: [(u64, Rounding); 4] = [
    (0, Rounding::NearestEven),
    (0x400, Rounding::Downward),
    (0x800, Rounding::Upward),
    (0xc00, Rounding::TowardZero),
];

/// The bits of C's flags, in the order of [`STANDARD`].
const FLAG_BITS: [u32; 5] = [0, 2, 3, 4, 5];

/// All five.
const ALL: u64 = 0x3d;

/// The masks of the control register: nothing traps.
const MASKS: u128 = 0x1f80;

pub(super) fn get_round(world: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    let mode = mode_bits(world, 10);
    Ok(convert::value(world, mode))
}

/// The rounding mode as 32 bits, its two bits at a position.
fn mode_bits(world: &mut dyn World, position: u32) -> Term {
    let (environment, terms) = world.environment();
    match environment.rounding {
        RoundingMode::Known(mode) => {
            let number = MODES.iter().position(|(_, known)| *known == mode).unwrap_or(0);
            terms.bits(32, (number as u128) << position)
        }
        RoundingMode::Unknown(mode) => {
            let mut all = terms.bits(32, 0);
            for (number, (_, known)) in MODES.iter().enumerate().skip(1) {
                let known = terms.rounding(*known);
                let same = terms.equal(mode, known);
                let bits = terms.bits(32, (number as u128) << position);
                all = terms.ite(same, bits, all);
            }
            all
        }
    }
}

/// Rounds so from now on: C's number of the mode, of which only its two bits are looked at.
pub(super) fn set_mode(world: &mut dyn World, number: u64) {
    let mode = MODES[(number >> 10 & 3) as usize].1;
    world.environment().0.rounding = RoundingMode::Known(mode);
}

fn set_round(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let argument = &call.arguments[0];
    if let Some(number) = known(world, argument) {
        if number as u32 & !0xc00 != 0 {
            return Ok(Value::Small(1));
        }
        set_mode(world, number);
        return Ok(Value::Small(0));
    }
    // None of the four, or one of them.
    let term = convert::bits(world, argument, 32);
    let terms = world.terms();
    let others = terms.bits(32, !0xc00 & 0xffff_ffff);
    let rest = terms.bits_op(BitsOp::And, &[term, others]);
    let zero = terms.bits(32, 0);
    let is_mode = terms.equal(rest, zero);
    let is_mode = convert::value(world, is_mode);
    if !world.decide(&is_mode)? {
        return Ok(Value::Small(1));
    }
    let number = world.number(argument)?;
    set_mode(world, number);
    Ok(Value::Small(0))
}

fn known(world: &mut dyn World, value: &Value) -> Option<u64> {
    match value {
        Value::Small(bits) => Some(*bits),
        Value::Term(term) => world.pinned(*term).map(|word| word.low_u64()),
        Value::Wide(_) | Value::Float { .. } | Value::Parts(_) | Value::Undefined => None,
    }
}

/// The flags as 32 bits at C's positions.
fn flag_bits(world: &mut dyn World) -> Term {
    let (environment, terms) = world.environment();
    let flags = environment.flags;
    let mut all = terms.bits(32, 0);
    for (raising, position) in flags.into_iter().zip(FLAG_BITS) {
        let raised = raising.term(terms);
        let (bit, zero) = (terms.bits(32, 1 << position), terms.bits(32, 0));
        let bit = terms.ite(raised, bit, zero);
        all = terms.bits_op(BitsOp::Or, &[all, bit]);
    }
    all
}

fn test(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let wanted = convert::bits(world, &call.arguments[0], 32);
    let flags = flag_bits(world);
    let found = world.terms().bits_op(BitsOp::And, &[flags, wanted]);
    Ok(convert::value(world, found))
}

/// Which of the standard flags bits at C's positions name. Splits where that is unknown.
fn named(world: &mut dyn World, value: &Value) -> Result<[bool; 5], Detour> {
    let bits = world.number(value)? & ALL;
    Ok(FLAG_BITS.map(|position| bits >> position & 1 == 1))
}

fn clear(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let named = named(world, &call.arguments[0])?;
    let (environment, _) = world.environment();
    for (raising, named) in environment.flags.iter_mut().zip(named) {
        if named {
            *raising = Raising::Known(false);
        }
    }
    Ok(Value::Small(0))
}

fn raise(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let named = named(world, &call.arguments[0])?;
    let (environment, _) = world.environment();
    for (raising, named) in environment.flags.iter_mut().zip(named) {
        if named {
            *raising = Raising::Known(true);
        }
    }
    // Overflow and underflow are raised by themselves: glibc sets bits in the control word.
    Ok(Value::Small(0))
}

/// `fexcept_t` is an unsigned short.
const SAVED: Type = Type::Integer(16);

fn get_flags(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let wanted = world.number(&call.arguments[1])? & ALL;
    let flags = flag_bits(world);
    let terms = world.terms();
    let wanted = terms.bits(32, wanted.into());
    let kept = terms.bits_op(BitsOp::And, &[flags, wanted]);
    let kept = terms.extract(15, 0, kept);
    let kept = convert::value(world, kept);
    world.store(&call.arguments[0], &SAVED, kept)?;
    Ok(Value::Small(0))
}

fn set_flags(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let named = named(world, &call.arguments[1])?;
    let saved = world.load(&call.arguments[0], &SAVED)?;
    let saved = convert::bits(world, &saved, 16);
    assign_flags(world, saved, named);
    Ok(Value::Small(0))
}

fn test_saved(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let saved = world.load(&call.arguments[0], &SAVED)?;
    let saved = convert::resize(world, &saved, 16, 32, false)?;
    let saved = convert::bits(world, &saved, 32);
    let wanted = convert::bits(world, &call.arguments[1], 32);
    let found = world.terms().bits_op(BitsOp::And, &[saved, wanted]);
    Ok(convert::value(world, found))
}

/// Sets flags to the bits at C's positions.
fn assign_flags(world: &mut dyn World, saved: Term, named: [bool; 5]) {
    let (environment, terms) = world.environment();
    for (at, position) in FLAG_BITS.into_iter().enumerate() {
        if named[at] {
            let bit = terms.extract(position, position, saved);
            let one = terms.bits(1, 1);
            let raised = terms.equal(bit, one);
            environment.flags[at] = Raising::of(terms, raised);
        }
    }
}

/// The control register: flags, masks, rounding mode.
fn control(world: &mut dyn World) -> Value {
    let flags = flag_bits(world);
    let mode = mode_bits(world, 13);
    let terms = world.terms();
    let masks = terms.bits(32, MASKS);
    let all = terms.bits_op(BitsOp::Or, &[flags, mode]);
    let all = terms.bits_op(BitsOp::Or, &[all, masks]);
    convert::value(world, all)
}

/// Where the control register is in an `fenv_t`, whose 32 bytes begin with the x87 unit's.
const CONTROL: u64 = 28;
/// The size of an `fenv_t`.
const SIZE: u64 = 32;
/// `FE_DFL_ENV`.
const DEFAULT: u64 = u64::MAX;
/// `FE_NOMASK_ENV`.
const NO_MASK: u64 = u64::MAX - 1;

fn save(world: &mut dyn World, place: &Value) -> Result<(), Detour> {
    let place = world.number(place)?;
    world.load(&Value::Small(place), &Type::Integer(8))?;
    world.load(&Value::Small(place.wrapping_add(SIZE - 1)), &Type::Integer(8))?;
    let control = control(world);
    let flags = flag_bits(world);
    let flags = world.terms().extract(15, 0, flags);
    let flags = convert::value(world, flags);
    let mode = mode_bits(world, 10);
    let terms = world.terms();
    // Extended precision, nothing traps.
    let word = terms.bits(32, 0x37f);
    let word = terms.bits_op(BitsOp::Or, &[word, mode]);
    let word = convert::value(world, word);
    world.fill(&Value::Small(place), &Value::Small(0), &Value::Small(SIZE))?;
    world.store(&Value::Small(place), &Type::Integer(32), word)?;
    world.store(&Value::Small(place.wrapping_add(4)), &Type::Integer(16), flags)?;
    world.store(&Value::Small(place.wrapping_add(CONTROL)), &Type::Integer(32), control)
}

fn get_environment(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    save(world, &call.arguments[0])?;
    Ok(Value::Small(0))
}

/// Loads the control register's contents.
fn load(world: &mut dyn World, control: &Value) -> Result<(), Detour> {
    let control = convert::bits(world, control, 32);
    let mode = world.terms().extract(14, 13, control);
    let mode = convert::value(world, mode);
    let masks = world.terms().extract(12, 7, control);
    let masks = convert::value(world, masks);
    let zeroing = world.terms().extract(15, 15, control);
    let zeroing = convert::value(world, zeroing);
    let mode = world.number(&mode)?;
    let traps = world.number(&masks)? != 0x3f;
    let zeroing = world.number(&zeroing)? == 1;
    if traps {
        world.assumed("floating-point exceptions do not trap");
    }
    if zeroing {
        return Err(Detour::End(Ending::Stopped("subnormal results flushed to zero".to_owned())));
    }
    set_mode(world, mode << 10);
    assign_flags(world, control, [true; 5]);
    Ok(())
}

fn set_environment(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let place = world.number(&call.arguments[0])?;
    match place {
        DEFAULT | NO_MASK => {
            if place == NO_MASK {
                world.assumed("floating-point exceptions do not trap");
            }
            load(world, &Value::Small(MASKS as u64))?;
        }
        _ => {
            let at = Value::Small(place.wrapping_add(CONTROL));
            let control = world.load(&at, &Type::Integer(32))?;
            load(world, &control)?;
        }
    }
    Ok(Value::Small(0))
}

fn hold(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    save(world, &call.arguments[0])?;
    world.environment().0.flags = [Raising::Known(false); 5];
    Ok(Value::Small(0))
}

fn update(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let before = world.environment().0.flags;
    set_environment(world, call)?;
    let (environment, terms) = world.environment();
    for (flag, raised) in STANDARD.into_iter().zip(before) {
        let raised = raised.term(terms);
        environment.raise_if(terms, flag, raised);
    }
    Ok(Value::Small(0))
}

/// A `femode_t` is eight bytes: the x87 unit's control word, and the control register.
fn get_mode(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let place = world.number(&call.arguments[0])?;
    let control = control(world);
    world.load(&Value::Small(place), &Type::Integer(64))?;
    world.store(&Value::Small(place), &Type::Integer(32), Value::Small(0x37f))?;
    world.store(&Value::Small(place.wrapping_add(4)), &Type::Integer(32), control)?;
    Ok(Value::Small(0))
}

fn restore_mode(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let place = world.number(&call.arguments[0])?;
    if place == DEFAULT {
        set_mode(world, 0);
        return Ok(Value::Small(0));
    }
    let control = world.load(&Value::Small(place.wrapping_add(4)), &Type::Integer(32))?;
    let control = convert::bits(world, &control, 32);
    let mode = world.terms().extract(14, 13, control);
    let mode = convert::value(world, mode);
    let mode = world.number(&mode)?;
    set_mode(world, mode << 10);
    Ok(Value::Small(0))
}

fn enable(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    if world.number(&call.arguments[0])? & ALL != 0 {
        world.assumed("floating-point exceptions do not trap");
    }
    Ok(Value::Small(0))
}

fn disable(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::Small(0))
}

fn none(_: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    Ok(Value::Small(0))
}

/// C's numbers differ from the machine's: 0 toward zero, 1 nearest, 2 up, 3 down.
fn flt_rounds(world: &mut dyn World, _: &Call) -> Result<Value, Detour> {
    let mode = mode_bits(world, 0);
    let terms = world.terms();
    let mut all = terms.bits(32, 1);
    for (machine, c) in [(1, 3), (2, 2), (3, 0)] {
        let machine = terms.bits(32, machine);
        let same = terms.equal(mode, machine);
        let c = terms.bits(32, c);
        all = terms.ite(same, c, all);
    }
    Ok(convert::value(world, all))
}

fn store_control(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let control = control(world);
    world.store(&call.arguments[0], &Type::Integer(32), control)?;
    Ok(Value::Undefined)
}

fn load_control(world: &mut dyn World, call: &Call) -> Result<Value, Detour> {
    let control = world.load(&call.arguments[0], &Type::Integer(32))?;
    load(world, &control)?;
    Ok(Value::Undefined)
}

/// Raises flags where conditions hold, if anybody looks.
pub(super) fn raise_if(world: &mut dyn World, flags: &[Flag], condition: Term) {
    let (environment, terms) = world.environment();
    if environment.tracked {
        for flag in flags {
            environment.raise_if(terms, *flag, condition);
        }
    }
}
