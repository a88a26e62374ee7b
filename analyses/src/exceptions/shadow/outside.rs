//! Functions whose code is not the program's: the mathematical library in long arithmetic,
//! and the little of C's library that numerical code uses.

use super::Stuck;
use super::float::{Class, class, neighbour};
use super::libm::{self, Called};
use super::machine::{Machine, Value};
use super::real::Real;
use nanoscope_ieee::{Format, Rounding};
use nanoscope_program::ir::Type;

/// Calls a function by its symbol. Nothing comes back from `void` functions.
pub(super) fn call(
    machine: &mut Machine,
    name: &str,
    arguments: &[Value],
    types: &[Type],
    result: &Type,
) -> Result<Value, Stuck> {
    if let Some(value) = memory(machine, name, arguments)? {
        return Ok(value);
    }
    // A function of floats: its format is its result's, or its first argument's.
    let format = match (result, types.first()) {
        (Type::Float(format), _) | (_, Some(Type::Float(format))) => *format,
        (_, _) => Format::BINARY64,
    };
    let plain = match format {
        Format::BINARY32 => name.strip_suffix('f').unwrap_or(name),
        Format::X87 => name.strip_suffix('l').unwrap_or(name),
        _ => name,
    };
    let plain = plain.strip_prefix("__").map_or(plain, |rest| rest.trim_end_matches("_finite"));
    mathematical(machine, plain, name, arguments, format)
}

/// Calls a function of the mathematical library by its name in the double form.
pub(super) fn mathematical(
    machine: &mut Machine,
    plain: &str,
    name: &str,
    arguments: &[Value],
    format: Format,
) -> Result<Value, Stuck> {
    let real = |at: usize| arguments.get(at).map_or(Real::Nan, |value| value.real(format));
    let word = |at: usize| arguments.get(at).map_or(0, Value::bits);
    let a = real(0);
    let by = |bits: u128, width: u32| super::integer::signed(bits, width) as i64;
    let run = &mut machine.arithmetic;
    Ok(match plain {
        "ldexp" | "scalbn" => Value::Real(run.scaled(&a, by(word(1), 32))),
        "scalbln" => Value::Real(run.scaled(&a, by(word(1), 64))),
        "powi" => Value::Real(run.power(&a, by(word(1), 32) as i32)),
        "frexp" => {
            let (fraction, exponent) = run.fraction(&a);
            machine.memory.store(word(1) as u64, 4, exponent as u128)?;
            Value::Real(fraction)
        }
        "modf" => {
            let whole = run.integral(&a, Rounding::TowardZero);
            let rest = run.sub(&a, &whole).with_sign(a.is_negative());
            machine.memory.store_real(word(1) as u64, format, whole)?;
            Value::Real(rest)
        }
        "sincos" => {
            for (at, function) in [(1, "sin"), (2, "cos")] {
                let value = pure(machine, function, name, std::slice::from_ref(&a))?;
                machine.memory.store_real(word(at) as u64, format, value)?;
            }
            Value::Bits(0)
        }
        "lgamma_r" => {
            let value = pure(machine, "lgamma", name, std::slice::from_ref(&a))?;
            let floor = a.to_integer(Rounding::Downward);
            let negative = a.is_negative() && floor.is_some_and(|floor| floor.is_odd());
            let sign: i32 = if negative { -1 } else { 1 };
            machine.memory.store(word(1) as u64, 4, u128::from(sign as u32))?;
            Value::Real(value)
        }
        "jn" | "yn" => {
            let order = by(word(0), 32) as i32;
            let x = real(1);
            finished(libm::bessel(run, plain == "yn", order, &x), name).map(Value::Real)?
        }
        "ilogb" => match a {
            Real::Nan | Real::Infinite { .. } | Real::Zero { .. } => Value::Bits(1 << 31),
            Real::Exact(_) | Real::Rounded(_) => {
                Value::Bits(u128::from((run.fraction(&a).1 - 1) as u32))
            }
        },
        "lround" | "llround" | "lrint" | "llrint" => {
            let rounding =
                if plain.ends_with("rint") { Rounding::NearestEven } else { Rounding::NearestAway };
            let whole = a.to_integer(rounding).and_then(|value| value.to_i64());
            Value::Bits(u128::from(whole.unwrap_or(i64::MIN) as u64))
        }
        "nextafter" => {
            let b = real(1);
            match run.compare(&a, &b) {
                None => Value::Real(Real::Nan),
                Some(std::cmp::Ordering::Equal) => Value::Real(b),
                Some(order) => {
                    Value::Real(neighbour(&a, format, order == std::cmp::Ordering::Greater))
                }
            }
        }
        "isnan" => Value::Bits(u128::from(matches!(a, Real::Nan))),
        "isinf" => Value::Bits(u128::from(matches!(a, Real::Infinite { .. }))),
        "finite" | "isfinite" => Value::Bits(u128::from(a.is_finite())),
        "signbit" => Value::Bits(u128::from(a.is_negative())),
        "fpclassify" => Value::Bits(match class(run, &a, format) {
            Class::Nan => 0,
            Class::Infinite => 1,
            Class::Zero => 2,
            Class::Subnormal => 3,
            Class::Normal => 4,
        }),
        _ => {
            let floats: Vec<Real> = arguments.iter().map(|value| value.real(format)).collect();
            Value::Real(pure(machine, plain, name, &floats)?)
        }
    })
}

fn pure(machine: &mut Machine, plain: &str, name: &str, floats: &[Real]) -> Result<Real, Stuck> {
    finished(libm::call(&mut machine.arithmetic, plain, floats), name)
}

fn finished(called: Called, name: &str) -> Result<Real, Stuck> {
    match called {
        Called::Number(value) => Ok(value),
        Called::Unknown => Err(Stuck::new(format!("it calls `{name}`, which is not modelled"))),
        Called::TooHard => {
            Err(Stuck::new(format!("`{name}` of such an argument takes too long exactly")))
        }
    }
}

/// Memory, printing, ends: what has nothing to do with numbers.
fn memory(machine: &mut Machine, name: &str, arguments: &[Value]) -> Result<Option<Value>, Stuck> {
    let word = |at: usize| arguments.get(at).map_or(0, Value::bits) as u64;
    let integer = |value: u64| Ok(Some(Value::Bits(u128::from(value))));
    match name {
        "malloc" | "_Znwm" | "_Znam" => integer(machine.memory.allocate(word(0))?),
        "calloc" => {
            let size = word(0).saturating_mul(word(1));
            integer(machine.memory.allocate(size)?)
        }
        "free" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" => {
            machine.memory.free(word(0));
            integer(0)
        }
        "memcpy" | "memmove" => {
            machine.memory.copy(word(0), word(1), word(2))?;
            integer(word(0))
        }
        "memset" => {
            machine.memory.fill(word(0), word(1) as u8, word(2))?;
            integer(word(0))
        }
        "__errno_location" => integer(machine.errno()?),
        "abs" => integer(u64::from((word(0) as i32).unsigned_abs())),
        "labs" | "llabs" => integer((word(0) as i64).unsigned_abs()),
        "printf" | "fprintf" | "puts" | "putchar" | "fputs" | "fputc" | "putc" | "fflush"
        | "perror" => integer(0),
        "exit" | "_exit" | "abort" | "__assert_fail" => {
            Err(Stuck::new(format!("in exact arithmetic it calls `{name}`")))
        }
        _ => Ok(None),
    }
}
