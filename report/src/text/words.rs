//! Findings in words.

use crate::{Finding, Kind};

/// The operation as a noun, and its result as one: `fadd` is an "addition" that
/// makes a "sum". What is not listed is a function of the mathematical library.
const OPERATIONS: &[(&str, &str, &str)] = &[
    ("fadd", "addition", "sum"),
    ("fsub", "subtraction", "difference"),
    ("fmul", "multiplication", "product"),
    ("fdiv", "division", "quotient"),
    ("frem", "remainder", "remainder"),
    ("fma", "fused multiply-add", "fused product and sum"),
    ("sqrt", "square root", "square root"),
    ("fptrunc", "conversion to a narrower format", "converted value"),
    ("fpext", "conversion to a wider format", "converted value"),
    ("fptosi", "conversion to a signed integer", "integer"),
    ("fptoui", "conversion to an unsigned integer", "integer"),
    ("sitofp", "conversion from a signed integer", "converted value"),
    ("uitofp", "conversion from an unsigned integer", "converted value"),
];

/// The operation for the caret: `addition`, `call of exp`.
pub(super) fn operation(name: &str) -> String {
    match row(name) {
        Some((_, noun, _)) => noun.to_string(),
        None => format!("call of {name}"),
    }
}

/// The first line of a finding.
pub(super) fn headline(finding: &Finding) -> String {
    let result = match row(&finding.operation) {
        Some((_, _, result)) => format!("the {result}"),
        None => format!("the value of {}", finding.operation),
    };
    let format = match &finding.details.computed {
        Some(computed) if !computed.type_name.is_empty() => format!("a {}", computed.type_name),
        Some(_) | None => "its format".to_string(),
    };
    match finding.kind {
        Kind::Overflow => format!("{result} is too large for {format}"),
        Kind::Underflow => format!("{result} is too small for a normal number"),
        Kind::DivideByZero if finding.operation == "fdiv" => {
            "a non-zero number is divided by zero".to_string()
        }
        Kind::DivideByZero => format!("{result} is infinite: the operand is a pole"),
        Kind::Invalid => format!("{result} is undefined: a NaN is born here"),
        Kind::ConversionOutOfRange => "the integer type cannot hold the value".to_string(),
    }
}

/// What came of it.
pub(super) fn effect(finding: &Finding) -> String {
    let details = &finding.details;
    if let Some(ended) = &details.ended {
        return format!("the function did not return ({ended})");
    }
    let spoilt: Vec<_> = details.outputs.iter().filter(|output| output.is_exceptional()).collect();
    let names = spoilt.iter().map(|output| output.name.as_str()).collect::<Vec<_>>().join(", ");
    let noun = match (spoilt.iter().any(|n| n.is_nan()), spoilt.iter().any(|n| n.is_infinite())) {
        (true, true) => "NaN and infinity",
        (true, false) => "a NaN",
        (false, _) => "an infinity",
    };
    if !spoilt.is_empty() {
        format!("{noun} reached the result ({names})")
    } else if details.outputs.is_empty() {
        "what the function gives back was not observed".to_string()
    } else {
        match finding.kind {
            Kind::Overflow | Kind::DivideByZero => {
                "the infinity did not reach the result: an ordinary number hides it".to_string()
            }
            Kind::Invalid => {
                "the NaN did not reach the result: an ordinary number hides it".to_string()
            }
            Kind::Underflow => "the result is an ordinary number".to_string(),
            Kind::ConversionOutOfRange => {
                "the integer used instead depends on machine and compiler".to_string()
            }
        }
    }
}

fn row(name: &str) -> Option<(&'static str, &'static str, &'static str)> {
    OPERATIONS.iter().copied().find(|(operation, _, _)| *operation == name)
}
