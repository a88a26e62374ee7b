//! The mathematical library in a search: the machine's own values, derivatives, and what a
//! value is away from the exact one.

use crate::shadow::{Arithmetic, Real, exact_libm};
use nanoscope_ieee::{Format, Libm};
use rug::Float;

/// Bits for telling what a function rounds off: a double's and some more than twice.
const PRECISION: u32 = 140;

/// What the machine's library gives; functions that it is not asked for are rounded from long
/// arithmetic, as a good library does. Nothing of functions that are not known.
pub(super) fn machine(name: &str, format: Format, arguments: &[f64]) -> Option<f64> {
    let single = format == Format::BINARY32;
    if let Some(function) = Libm::from_name(name) {
        let x = *arguments.first()?;
        let y = arguments.get(1).copied().unwrap_or(0.0);
        return Some(match single {
            true => f64::from(function.of_singles(x as f32, y as f32)),
            false => function.of_doubles(x, y),
        });
    }
    let value = long(name, arguments, &[0.0; 3])?;
    Some(if single { f64::from(value.to_f32()) } else { value.to_f64() })
}

/// The value of a function of arguments that are a little beside the given ones.
fn long(name: &str, arguments: &[f64], shifts: &[f64]) -> Option<Float> {
    let mut run = Arithmetic::new(PRECISION);
    let mut reals = Vec::with_capacity(arguments.len());
    for (place, x) in arguments.iter().enumerate() {
        let shift = shifts.get(place).copied().unwrap_or(0.0);
        let sum = Float::with_val(PRECISION, *x) + if shift.is_finite() { shift } else { 0.0 };
        reals.push(Real::float(sum));
    }
    Some(exact_libm(&mut run, name, &reals)?.to_float(PRECISION))
}

/// How far the exact value, of arguments that are a little beside the given ones, is above a
/// computed one.
pub(super) fn rounded_off(
    name: &str,
    arguments: &[f64],
    shifts: &[f64],
    value: f64,
) -> Option<f64> {
    let exact = long(name, arguments, shifts)?;
    let difference = (exact - value).to_f64();
    (!difference.is_nan()).then_some(difference)
}

/// How far inside of its domain a function's argument is, and in which direction the end is that
/// it is nearest to. Nothing of functions that are defined everywhere.
pub(super) fn inside(name: &str, x: f64) -> Option<(f64, f64)> {
    match name {
        "asin" | "acos" | "atanh" => Some((1.0 - x.abs(), x.signum())),
        "log" | "log2" | "log10" => Some((x, -1.0)),
        "log1p" => Some((x + 1.0, -1.0)),
        "acosh" => Some((x - 1.0, -1.0)),
        _ => None,
    }
}

/// The derivatives by each argument.
pub(super) fn slopes(name: &str, arguments: &[f64], value: f64) -> [f64; 3] {
    let x = arguments.first().copied().unwrap_or(0.0);
    let y = arguments.get(1).copied().unwrap_or(0.0);
    let one = |slope: f64| [slope, 0.0, 0.0];
    match name {
        "sin" => one(x.cos()),
        "cos" => one(-x.sin()),
        "tan" => one(1.0 + value * value),
        "asin" => one(1.0 / ((1.0 - x) * (1.0 + x)).sqrt()),
        "acos" => one(-1.0 / ((1.0 - x) * (1.0 + x)).sqrt()),
        "atan" => one(1.0 / (1.0 + x * x)),
        "sinh" => one(x.cosh()),
        "cosh" => one(x.sinh()),
        "tanh" => one((1.0 - value) * (1.0 + value)),
        "exp" => one(value),
        "exp2" => one(value * std::f64::consts::LN_2),
        "exp10" | "pow10" => one(value * std::f64::consts::LN_10),
        "expm1" => one(value + 1.0),
        "log" => one(1.0 / x),
        "log2" => one(std::f64::consts::LOG2_E / x),
        "log10" => one(std::f64::consts::LOG10_E / x),
        "log1p" => one(1.0 / (1.0 + x)),
        "cbrt" => one(value / (3.0 * x)),
        "atan2" => {
            let square = x * x + y * y;
            [y / square, -x / square, 0.0]
        }
        "hypot" if value != 0.0 => [x / value, y / value, 0.0],
        "pow" => [value * y / x, if x > 0.0 { value * x.ln() } else { 0.0 }, 0.0],
        _ => {
            // By a difference, where nobody wrote it down.
            let step = (x.abs() * 1e-6).max(1e-12);
            let mut beside = [x + step, y, arguments.get(2).copied().unwrap_or(0.0)];
            let beside = &mut beside[..arguments.len().min(3)];
            match machine(name, Format::BINARY64, beside) {
                Some(other) if other.is_finite() => one((other - value) / step),
                Some(_) | None => one(0.0),
            }
        }
    }
}

/// The binary exponent of a finite number that is not zero: `logb`.
pub(super) fn exponent(x: f64) -> i32 {
    let field = (x.to_bits() >> 52 & 0x7ff) as i32;
    if field != 0 {
        return field - 1023;
    }
    // A subnormal: as a normal number 54 powers of two larger.
    let field = ((x * 2f64.powi(54)).to_bits() >> 52 & 0x7ff) as i32;
    field - 1023 - 54
}

#[cfg(test)]
mod tests {
    use super::{Format, exponent, machine, rounded_off, slopes};

    #[test]
    fn derivatives_agree_with_differences() {
        for name in [
            "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2",
            "expm1", "log", "log2", "log10", "log1p", "cbrt",
        ] {
            let x = 0.375;
            let of = |x: f64| machine(name, Format::BINARY64, &[x]).expect("it is known");
            let difference = (of(x + 1e-6) - of(x - 1e-6)) / 2e-6;
            let slope = slopes(name, &[x], of(x))[0];
            assert!((slope - difference).abs() < 1e-8 * slope.abs().max(1.0), "{name}");
        }
    }

    #[test]
    fn a_good_library_rounds_off_less_than_an_ulp() {
        for name in ["sin", "exp", "log", "erf", "tgamma", "lgamma", "j0"] {
            for (format, ulp) in [(Format::BINARY64, 2f64.powi(-52)), (Format::BINARY32, 2e-7)] {
                let value = machine(name, format, &[0.75]).expect("it is known");
                let rest = rounded_off(name, &[0.75], &[0.0], value).expect("it is known");
                assert!(rest != 0.0 && rest.abs() <= ulp * value.abs(), "{name}: {rest}");
            }
        }
        assert_eq!(machine("nothing", Format::BINARY64, &[1.0]), None);
    }

    #[test]
    fn exponents() {
        for (x, logb) in [(1.0, 0), (0.75, -1), (-8.5, 3), (5e-324, -1074), (f64::MAX, 1023)] {
            assert_eq!(exponent(x), logb, "{x}");
        }
    }
}
