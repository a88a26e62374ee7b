//! The mathematical library: which errors each function can report (ISO C17 7.12 and
//! annex F), and how far an argument is from them.

use crate::goal::Exception;

/// A function of the mathematical library.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name in the double form.
    pub name: &'static str,
    /// How many floating-point arguments it takes, first of all its arguments.
    pub operands: usize,
    /// Where it is defined.
    pub domain: Domain,
    /// Whether a finite argument can give a result too large.
    pub overflows: bool,
    /// Whether an argument can give a non-zero result below the smallest normal number.
    pub underflows: bool,
    /// Whether a zero result for non-zero arguments means that it underflowed.
    pub zero_is_underflow: bool,
}

/// Where a function is defined, and where its poles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Everywhere.
    All,
    /// At all finite arguments.
    Finite,
    /// At x >= 0, with a pole at 0.
    Positive,
    /// At x >= -1, with a pole at -1.
    AboveMinusOne,
    /// At |x| <= 1.
    UnitClosed,
    /// At |x| <= 1, with poles at the ends.
    UnitOpen,
    /// At x >= 1.
    AtLeastOne,
    /// Everywhere, with a pole at 0.
    NonZero,
    /// Everywhere but at the integers below 0, with a pole at 0.
    Gamma,
    /// Everywhere, with poles at the integers up to 0.
    LogGamma,
    /// `pow`: a negative base needs an integer exponent; a pole at 0 to a negative power.
    Power,
    /// `remainder`: a non-zero divisor and a finite dividend.
    Modulus,
}

/// Short for a row of the table.
const fn row(name: &'static str, operands: usize, domain: Domain, range: &str) -> Function {
    let range = range.as_bytes();
    let mut function = Function {
        name,
        operands,
        domain,
        overflows: false,
        underflows: false,
        zero_is_underflow: false,
    };
    let mut i = 0;
    while i < range.len() {
        match range[i] {
            b'o' => function.overflows = true,
            b'u' => function.underflows = true,
            b'0' => function.zero_is_underflow = true,
            _ => panic!("o: overflows, u: underflows, 0: to zero"),
        }
        i += 1;
    }
    function
}

/// The functions with errors of their own; `sqrt`, `fma` and `fmod` are operations.
static FUNCTIONS: &[Function] = &[
    row("acos", 1, Domain::UnitClosed, ""),
    row("asin", 1, Domain::UnitClosed, "u"),
    row("atan", 1, Domain::All, "u"),
    row("atan2", 2, Domain::All, "u0"),
    row("cos", 1, Domain::Finite, ""),
    row("sin", 1, Domain::Finite, "u"),
    row("tan", 1, Domain::Finite, "u"),
    row("acosh", 1, Domain::AtLeastOne, ""),
    row("asinh", 1, Domain::All, "u"),
    row("atanh", 1, Domain::UnitOpen, "u"),
    row("cosh", 1, Domain::All, "o"),
    row("sinh", 1, Domain::All, "ou"),
    row("tanh", 1, Domain::All, "u"),
    row("exp", 1, Domain::All, "ou0"),
    row("exp2", 1, Domain::All, "ou0"),
    row("exp10", 1, Domain::All, "ou0"),
    row("pow10", 1, Domain::All, "ou0"),
    row("expm1", 1, Domain::All, "ou"),
    row("log", 1, Domain::Positive, ""),
    row("log10", 1, Domain::Positive, ""),
    row("log2", 1, Domain::Positive, ""),
    row("log1p", 1, Domain::AboveMinusOne, "u"),
    row("logb", 1, Domain::NonZero, ""),
    row("pow", 2, Domain::Power, "ou0"),
    row("hypot", 2, Domain::All, "ou"),
    row("remainder", 2, Domain::Modulus, "u"),
    row("drem", 2, Domain::Modulus, "u"),
    row("remquo", 2, Domain::Modulus, "u"),
    row("fdim", 2, Domain::All, "ou"),
    row("nextafter", 2, Domain::All, "ou"),
    row("erf", 1, Domain::All, "u"),
    row("erfc", 1, Domain::All, "u0"),
    row("lgamma", 1, Domain::LogGamma, "o"),
    row("gamma", 1, Domain::LogGamma, "o"),
    row("tgamma", 1, Domain::Gamma, "ou0"),
    row("ldexp", 1, Domain::All, "ou0"),
    row("scalbn", 1, Domain::All, "ou0"),
    row("scalbln", 1, Domain::All, "ou0"),
    row("j0", 1, Domain::All, "u"),
    row("j1", 1, Domain::All, "u"),
    row("y0", 1, Domain::Positive, "u"),
    row("y1", 1, Domain::Positive, "ou"),
];

/// Functions that round to a `long` or `long long`.
pub const ROUNDING: &[&str] = &["lrint", "llrint", "lround", "llround"];

impl Function {
    /// The function with this name (of its double form), where it has errors to report.
    pub fn named(name: &str) -> Option<&'static Function> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// The exceptions it can raise.
    pub fn exceptions(&self) -> Vec<Exception> {
        let mut list = Vec::new();
        if self.overflows {
            list.push(Exception::Overflow);
        }
        if self.underflows {
            list.push(Exception::Underflow);
        }
        match self.domain {
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
}

/// Library functions that take or give floating-point numbers and raise nothing that
/// their arguments did not bring.
pub fn never_raises(name: &str) -> bool {
    const NAMES: &[&str] =
        &["fabs", "copysign", "frexp", "modf", "nan", "signbit", "isnan", "isinf", "finite"];
    let base = name.strip_suffix(['f', 'l']).unwrap_or(name);
    NAMES.contains(&name)
        || NAMES.contains(&base)
        || name.starts_with("__fpclassify")
        || name.starts_with("__sign")
}

/// Every libm symbol that a replay can watch, in all three forms.
pub fn watched() -> Vec<String> {
    let table = include_str!("../runtime/libm.def");
    let mut names = Vec::new();
    for line in table.lines() {
        let Some((_, rest)) = line.split_once('(') else { continue };
        let Some((name, _)) = rest.split_once(')') else { continue };
        if line.starts_with(|c: char| c.is_ascii_uppercase()) {
            names.extend(["", "f", "l"].map(|suffix| format!("{name}{suffix}")));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_can_be_watched() {
        let watched = watched();
        for function in FUNCTIONS {
            assert!(watched.iter().any(|name| name == function.name), "{}", function.name);
        }
    }
}
