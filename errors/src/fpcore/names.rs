//! Names of FPCores: every variable is bound, every operation is one of FPCore's or of the
//! mathematical library.

use super::constants;
use super::read::SyntaxError;
use super::syntax::{Core, Expression, ExpressionKind};
use nanoscope_ieee::Libm;

/// Operations of FPCore 2.0 that are no functions of the mathematical library.
const OPERATIONS: [&str; 58] = [
    "+",
    "-",
    "*",
    "/",
    "neg",
    "fabs",
    "fma",
    "sqrt",
    "fmin",
    "fmax",
    "fdim",
    "cast",
    "floor",
    "ceil",
    "trunc",
    "round",
    "nearbyint",
    "fmod",
    "remainder",
    "copysign",
    "hypot",
    "pow",
    "<",
    ">",
    "<=",
    ">=",
    "==",
    "!=",
    "and",
    "or",
    "not",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "signbit",
    "array",
    "dim",
    "size",
    "ref",
    "for",
    "for*",
    "tensor",
    "tensor*",
    "data",
    "digits",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log10",
    "log2",
    "log1p",
    "cbrt",
    "erf",
    "erfc",
    "tgamma",
    "lgamma",
];

/// The constants that are no numbers, and truth values.
const OTHERS: [&str; 5] = ["INFINITY", "NAN", "TRUE", "FALSE", "MAXFLOAT"];

/// Complains about the first name of a core that means nothing. `others` are the cores that it may
/// call.
pub fn check(core: &Core, others: &[&str]) -> Result<(), SyntaxError> {
    let mut bound: Vec<&str> =
        core.arguments.iter().map(|argument| argument.name.as_str()).collect();
    if let Some(precondition) = &core.precondition {
        known(precondition, &mut bound, others)?;
    }
    known(&core.body, &mut bound, others)
}

fn known<'e>(
    expression: &'e Expression,
    bound: &mut Vec<&'e str>,
    others: &[&str],
) -> Result<(), SyntaxError> {
    let complain = |message: String| Err(SyntaxError { place: expression.place, message });
    match &expression.kind {
        ExpressionKind::Number(_) => Ok(()),
        ExpressionKind::Symbol(name) => {
            let is_constant = constants::named(name).is_some() || OTHERS.contains(&name.as_str());
            match is_constant || bound.contains(&name.as_str()) {
                true => Ok(()),
                false => complain(format!("`{name}` is not known here")),
            }
        }
        ExpressionKind::Apply(name, operands) => {
            // What knows tensors binds names of its own; it is refused as a whole elsewhere.
            if matches!(name.as_str(), "for" | "for*" | "tensor" | "tensor*") {
                return Ok(());
            }
            let is_known = OPERATIONS.contains(&name.as_str())
                || Libm::from_name(name).is_some()
                || others.contains(&name.as_str());
            if !is_known {
                return complain(format!("there is no operation `{name}`"));
            }
            operands.iter().try_for_each(|operand| known(operand, bound, others))
        }
        ExpressionKind::If(parts) => parts.iter().try_for_each(|part| known(part, bound, others)),
        ExpressionKind::Let { sequential, bindings, body } => {
            let before = bound.len();
            for (name, value) in bindings {
                known(value, bound, others)?;
                if *sequential {
                    bound.push(name);
                }
            }
            if !sequential {
                bound.extend(bindings.iter().map(|(name, _)| name.as_str()));
            }
            known(body, bound, others)?;
            bound.truncate(before);
            Ok(())
        }
        ExpressionKind::While { sequential, condition, updates, body } => {
            let before = bound.len();
            for (name, first, _) in updates {
                known(first, bound, others)?;
                if *sequential {
                    bound.push(name);
                }
            }
            if !sequential {
                bound.extend(updates.iter().map(|(name, ..)| name.as_str()));
            }
            known(condition, bound, others)?;
            updates.iter().try_for_each(|(_, _, next)| known(next, bound, others))?;
            known(body, bound, others)?;
            bound.truncate(before);
            Ok(())
        }
        ExpressionKind::Annotated(_, inner) => known(inner, bound, others),
    }
}
