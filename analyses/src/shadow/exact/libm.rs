//! The mathematical library in long arithmetic.

use super::real::{Arithmetic, Real};
use nanoscope_ieee::{Libm, Rounding};
use rug::ops::Pow;

/// What a call gives.
pub(super) enum Called {
    /// A number.
    Number(Real),
    /// The function is none of the library's that are known here.
    Unknown,
    /// It is, but not for these arguments.
    TooHard,
}

/// Binary exponents from which on reducing an argument takes too long.
const FARTHEST: i32 = 1 << 15;

/// Calls a function of floats only, by its name in the double form.
pub(super) fn call(run: &mut Arithmetic, name: &str, arguments: &[Real]) -> Called {
    let zero = Real::Zero { negative: false };
    let (a, b) = (arguments.first().unwrap_or(&zero), arguments.get(1).unwrap_or(&zero));
    if let Some(value) = without_rounding(run, name, arguments) {
        return Called::Number(value);
    }
    let Some(function) = Libm::from_name(name) else { return Called::Unknown };
    let x = a.to_float(run.precision);
    let far = x.get_exp().is_some_and(|exponent| exponent > FARTHEST);
    let value = match function {
        Libm::Sin
        | Libm::Cos
        | Libm::Tan
        | Libm::J0
        | Libm::J1
        | Libm::Y0
        | Libm::Y1
        | Libm::Lgamma
            if far =>
        {
            return Called::TooHard;
        }
        Libm::Sin => x.sin(),
        Libm::Cos => x.cos(),
        Libm::Tan => x.tan(),
        Libm::Asin => x.asin(),
        Libm::Acos => x.acos(),
        Libm::Atan => x.atan(),
        Libm::Atan2 => x.atan2(&b.to_float(run.precision)),
        Libm::Sinh => x.sinh(),
        Libm::Cosh => x.cosh(),
        Libm::Tanh => x.tanh(),
        Libm::Asinh => x.asinh(),
        Libm::Acosh => x.acosh(),
        Libm::Atanh => x.atanh(),
        Libm::Exp => x.exp(),
        Libm::Exp2 => x.exp2(),
        Libm::Exp10 => x.exp10(),
        Libm::Expm1 => x.exp_m1(),
        Libm::Log => x.ln(),
        Libm::Log2 => x.log2(),
        Libm::Log10 => x.log10(),
        Libm::Log1p => x.ln_1p(),
        Libm::Cbrt => x.cbrt(),
        Libm::Hypot => x.hypot(&b.to_float(run.precision)),
        Libm::Pow => x.pow(b.to_float(run.precision)),
        Libm::Erf => x.erf(),
        Libm::Erfc => x.erfc(),
        Libm::Lgamma => x.ln_abs_gamma().0,
        Libm::Tgamma => match x.to_f64() {
            // Directly, MPFR multiplies as many factors as the argument says.
            large if large > 1e4 => x.ln_gamma().exp(),
            small if small < -1e4 => return Called::TooHard,
            _ => x.gamma(),
        },
        Libm::J0 => x.j0(),
        Libm::J1 => x.j1(),
        Libm::Y0 => x.y0(),
        Libm::Y1 => x.y1(),
        // One that the table has got since has no exact value here yet.
        #[allow(unreachable_patterns, reason = "every function of the table is above")]
        _ => return Called::Unknown,
    };
    Called::Number(run.computed(value))
}

/// C's `jn` and `yn`.
pub(super) fn bessel(run: &mut Arithmetic, second: bool, order: i32, a: &Real) -> Called {
    let x = a.to_float(run.precision);
    if order.unsigned_abs() > 1000 || x.get_exp().is_some_and(|exponent| exponent > 64) {
        return Called::TooHard;
    }
    let value = if second { x.yn(order) } else { x.jn(order) };
    Called::Number(run.computed(value))
}

/// What needs no rounding: the functions that are operations, and small powers.
fn without_rounding(run: &mut Arithmetic, name: &str, arguments: &[Real]) -> Option<Real> {
    let zero = Real::Zero { negative: false };
    let (a, b) = (arguments.first().unwrap_or(&zero), arguments.get(1).unwrap_or(&zero));
    Some(match name {
        "fabs" => a.with_sign(false),
        "copysign" => a.with_sign(b.is_negative()),
        "sqrt" => run.sqrt(a),
        "floor" => run.integral(a, Rounding::Downward),
        "ceil" => run.integral(a, Rounding::Upward),
        "trunc" => run.integral(a, Rounding::TowardZero),
        "round" => run.integral(a, Rounding::NearestAway),
        "rint" | "nearbyint" | "roundeven" => run.integral(a, Rounding::NearestEven),
        "fmod" => run.remainder(a, b, Rounding::TowardZero),
        "remainder" | "drem" => run.remainder(a, b, Rounding::NearestEven),
        "fma" => {
            let product = run.mul(a, b);
            run.add(&product, arguments.get(2).unwrap_or(&zero))
        }
        "fdim" => match run.order(a, b) {
            Some(std::cmp::Ordering::Greater) => run.sub(a, b),
            Some(_) => zero,
            None => Real::Nan,
        },
        "fmin" => least(run, a, b),
        "fmax" => least(run, &a.negated(), &b.negated()).negated(),
        "logb" => match a {
            Real::Nan => Real::Nan,
            Real::Infinite { .. } => Real::Infinite { negative: false },
            Real::Zero { .. } => Real::Infinite { negative: true },
            Real::Exact(_) | Real::Rounded(_) => {
                let (_, exponent) = run.fraction(a);
                Real::integer(i128::from(exponent) - 1)
            }
        },
        "pow" => {
            let Real::Exact(exponent) = b else { return None };
            if !matches!(a, Real::Exact(_)) || !exponent.is_integer() {
                return None;
            }
            run.power(a, exponent.numer().to_i32().filter(|n| n.unsigned_abs() <= 4096)?)
        }
        _ => return None,
    })
}

/// The smaller of two numbers; a NaN loses.
pub(super) fn least(run: &Arithmetic, a: &Real, b: &Real) -> Real {
    match (a, b) {
        (Real::Nan, other) | (other, Real::Nan) => other.clone(),
        (Real::Zero { negative: true }, Real::Zero { .. }) => a.clone(),
        (_, _) => match run.order(a, b) {
            Some(std::cmp::Ordering::Less) => a.clone(),
            Some(_) | None => b.clone(),
        },
    }
}
