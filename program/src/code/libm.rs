//! The mathematical library as programs call it: which exceptions a call can raise (ISO C17 7.12
//! and annex F), and which calls a replay watches. The functions are rows of `ieee`'s table.

use crate::goal::exception::Exception;
pub use nanoscope_ieee::libm::{Domain, Function, RangeError};
use nanoscope_ieee::libm::{FUNCTIONS, Signature};

/// Functions that round to a `long` or `long long`.
pub const ROUNDING: &[&str] = &["lrint", "llrint", "lround", "llround"];

/// The function with this name (of its double form), if its calls are sites: it takes and
/// gives a float and has errors to report. `sqrt`, `fma` and `fmod` are operations.
pub fn with_errors(name: &str) -> Option<&'static Function> {
    let gives_float =
        |signature: Signature| wrapper(signature).is_some_and(|it| it.starts_with("R_R"));
    Function::named(name)
        .filter(|function| gives_float(function.signature) && !exceptions(function).is_empty())
}

/// The exceptions that a function can raise.
pub fn exceptions(function: &Function) -> Vec<Exception> {
    let mut list = Vec::new();
    if function.has(RangeError::Overflow) {
        list.push(Exception::Overflow);
    }
    if function.has(RangeError::Underflow) {
        list.push(Exception::Underflow);
    }
    match function.domain {
        Domain::All => {}
        Domain::NonZero | Domain::LogGamma => list.push(Exception::DivideByZero),
        Domain::Finite | Domain::UnitClosed | Domain::AtLeastOne | Domain::Modulus => {
            list.push(Exception::Invalid);
        }
        Domain::Positive
        | Domain::AboveMinusOne
        | Domain::UnitOpen
        | Domain::Gamma
        | Domain::Power => list.extend([Exception::DivideByZero, Exception::Invalid]),
    }
    list
}

/// Library functions that take or give floating-point numbers and raise nothing that
/// their arguments did not bring.
pub fn never_raises(name: &str) -> bool {
    const CLASSIFYING: &[&str] = &["signbit", "isnan", "isinf", "finite"];
    let is_pure = |name: &str| {
        CLASSIFYING.contains(&name)
            || Function::named(name).is_some_and(|row| row.signature == Signature::Pure)
    };
    let base = name.strip_suffix(['f', 'l']).unwrap_or(name);
    is_pure(name) || is_pure(base) || name.starts_with("__fpclassify") || name.starts_with("__sign")
}

/// The size of the results that a function of the library writes through its pointers, and does
/// nothing else with them.
pub(crate) fn written_result(name: &str) -> Option<u64> {
    let base = name.strip_suffix(['f', 'l']).unwrap_or(name);
    match (name, base) {
        ("frexp" | "remquo" | "lgamma_r", _) | (_, "frexp" | "remquo") => Some(4),
        ("modf" | "sincos", _) => Some(8),
        ("modff" | "sincosf", _) => Some(4),
        ("modfl" | "sincosl", _) => Some(16),
        _ => None,
    }
}

/// Every libm symbol that a replay can watch, in all three forms.
pub fn watched() -> Vec<String> {
    let rows = FUNCTIONS.iter().filter(|function| wrapper(function.signature).is_some());
    rows.flat_map(|row| ["", "f", "l"].map(|suffix| format!("{}{suffix}", row.name))).collect()
}

/// The functions whose calls a replay watches, a line each, as the runtime expands them into
/// wrappers for double, float and long double.
pub fn wrappers() -> String {
    let rows = FUNCTIONS.iter().filter_map(|function| {
        Some(format!("{}({})\n", wrapper(function.signature)?, function.name))
    });
    rows.collect()
}

/// The runtime's macro for functions of a signature. In its name R is the function's own type, I
/// int, L long, X long double, P a pointer to int; the result comes first.
fn wrapper(signature: Signature) -> Option<&'static str> {
    match signature {
        Signature::One => Some("R_R"),
        Signature::Two => Some("R_RR"),
        Signature::Three => Some("R_RRR"),
        Signature::WithInt => Some("R_RI"),
        Signature::WithLong => Some("R_RL"),
        Signature::WithLongDouble => Some("R_RX"),
        Signature::IntFirst => Some("R_IR"),
        Signature::WithQuotient => Some("R_RRP"),
        Signature::ToInt => Some("I_R"),
        Signature::ToLong => Some("L_R"),
        Signature::ToTwo => Some("RR_R"),
        Signature::Pure => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_with_errors_can_be_watched() {
        let watched = watched();
        for function in FUNCTIONS.iter().filter(|function| with_errors(function.name).is_some()) {
            assert!(watched.iter().any(|name| name == function.name), "{}", function.name);
        }
    }

    #[test]
    fn operations_and_exact_functions_are_no_sites_of_libm() {
        for name in ["sqrt", "fma", "fmod", "fabs", "floor", "cbrt", "lrint", "sincos", "jn"] {
            assert!(with_errors(name).is_none(), "{name}");
        }
        for name in ["exp", "remainder", "ldexp", "nexttoward", "y1", "pow10"] {
            assert!(with_errors(name).is_some(), "{name}");
        }
    }
}
