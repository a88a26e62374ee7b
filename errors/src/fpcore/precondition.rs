//! Preconditions: what they say of the ranges of arguments.

use super::constants;
use super::syntax::{Expression, ExpressionKind};
use nanoscope_ieee::Rational;
use num_traits::{Signed, Zero};
use std::collections::BTreeMap;

/// What a precondition says of an argument: its ends, and whether they are left out.
#[derive(Clone, Default)]
pub(super) struct Ends {
    pub low: Option<(Rational, bool)>,
    pub high: Option<(Rational, bool)>,
}

/// Takes the ranges of arguments out of a precondition; `rest` is what says something else.
pub(super) fn collect<'e>(
    expression: &'e Expression,
    names: &[&str],
    ends: &mut BTreeMap<String, Ends>,
    rest: &mut Vec<&'e Expression>,
) {
    let ExpressionKind::Apply(name, operands) = &expression.kind else { return };
    match name.as_str() {
        "and" => operands.iter().for_each(|part| collect(part, names, ends, rest)),
        "<" | "<=" | ">" | ">=" | "==" => {
            let mut simple = true;
            for pair in operands.windows(2) {
                let (small, large) =
                    if name.starts_with('>') { (&pair[1], &pair[0]) } else { (&pair[0], &pair[1]) };
                let strict = !name.ends_with('=');
                let argument = |side: &Expression| match &side.kind {
                    ExpressionKind::Symbol(name) if names.contains(&name.as_str()) => {
                        Some(name.clone())
                    }
                    _ => None,
                };
                match (argument(small), constant(small), argument(large), constant(large)) {
                    (Some(name), _, _, Some(value)) => {
                        let end = ends.entry(name).or_default();
                        tighten_high(&mut end.high, &value, strict);
                        if expression_is(expression, "==") {
                            tighten_low(&mut end.low, &value, strict);
                        }
                    }
                    (_, Some(value), Some(name), _) => {
                        let end = ends.entry(name).or_default();
                        tighten_low(&mut end.low, &value, strict);
                        if expression_is(expression, "==") {
                            tighten_high(&mut end.high, &value, strict);
                        }
                    }
                    _ => simple = false,
                }
            }
            if !simple {
                rest.push(expression);
            }
        }
        "or" => {
            let mut hull: Option<BTreeMap<String, Ends>> = None;
            for part in operands {
                let mut side = BTreeMap::new();
                collect(part, names, &mut side, &mut Vec::new());
                hull = Some(match hull {
                    None => side,
                    Some(known) => joined_ends(known, &side),
                });
            }
            for (name, side) in hull.unwrap_or_default() {
                let end = ends.entry(name).or_default();
                if let Some((value, strict)) = side.low {
                    tighten_low(&mut end.low, &value, strict);
                }
                if let Some((value, strict)) = side.high {
                    tighten_high(&mut end.high, &value, strict);
                }
            }
            rest.push(expression);
        }
        _ => rest.push(expression),
    }
}

/// What holds on both of two sides.
fn joined_ends(
    known: BTreeMap<String, Ends>,
    side: &BTreeMap<String, Ends>,
) -> BTreeMap<String, Ends> {
    let both = |(name, ends): (String, Ends)| {
        let other = side.get(&name)?;
        // The farther end, and of equal ones that which is admitted.
        let low = ends.low.zip(other.low.clone()).map(|(a, b)| {
            let first = a.0 < b.0 || a.0 == b.0 && !a.1;
            if first { a } else { b }
        });
        let high = ends.high.zip(other.high.clone()).map(|(a, b)| {
            let first = a.0 > b.0 || a.0 == b.0 && !a.1;
            if first { a } else { b }
        });
        Some((name, Ends { low, high }))
    };
    known.into_iter().filter_map(both).collect()
}

/// Passes ranges on along comparisons of arguments: `x <= y <= 10` bounds `x` too.
pub(super) fn pass_on(
    conditions: &[&Expression],
    names: &[&str],
    ends: &mut BTreeMap<String, Ends>,
) {
    let mut pairs: Vec<(&str, &str, bool)> = Vec::new();
    for condition in conditions {
        let ExpressionKind::Apply(relation, operands) = &condition.kind else { continue };
        if !matches!(relation.as_str(), "<" | "<=" | ">" | ">=" | "==") {
            continue;
        }
        let strict = !relation.ends_with('=');
        let argument = |side: &'_ Expression| match &side.kind {
            ExpressionKind::Symbol(name) => names.iter().find(|known| *known == name).copied(),
            _ => None,
        };
        for pair in operands.windows(2) {
            let (Some(a), Some(b)) = (argument(&pair[0]), argument(&pair[1])) else { continue };
            let (small, large) = if relation.starts_with('>') { (b, a) } else { (a, b) };
            pairs.push((small, large, strict));
            if relation == "==" {
                pairs.push((large, small, strict));
            }
        }
    }
    // A range goes along a chain of arguments in as many rounds as the chain is long.
    for _ in names {
        for &(small, large, strict) in &pairs {
            let end =
                |of: &str, ends: &BTreeMap<String, Ends>| ends.get(of).cloned().unwrap_or_default();
            if let Some((value, open)) = end(large, ends).high {
                tighten_high(
                    &mut ends.entry(small.to_string()).or_default().high,
                    &value,
                    open || strict,
                );
            }
            if let Some((value, open)) = end(small, ends).low {
                tighten_low(
                    &mut ends.entry(large.to_string()).or_default().low,
                    &value,
                    open || strict,
                );
            }
        }
    }
}

fn expression_is(expression: &Expression, operator: &str) -> bool {
    matches!(&expression.kind, ExpressionKind::Apply(name, _) if name == operator)
}

fn tighten_low(end: &mut Option<(Rational, bool)>, value: &Rational, strict: bool) {
    if end.as_ref().is_none_or(|(known, was)| value > known || value == known && strict && !was) {
        *end = Some((value.clone(), strict));
    }
}

fn tighten_high(end: &mut Option<(Rational, bool)>, value: &Rational, strict: bool) {
    if end.as_ref().is_none_or(|(known, was)| value < known || value == known && strict && !was) {
        *end = Some((value.clone(), strict));
    }
}

/// The value of an expression of numbers alone.
fn constant(expression: &Expression) -> Option<Rational> {
    match &expression.kind {
        ExpressionKind::Number(value) => Some(value.clone()),
        ExpressionKind::Symbol(name) => constants::named(name),
        ExpressionKind::Apply(name, operands) => {
            let values: Vec<Rational> = operands.iter().map(constant).collect::<Option<_>>()?;
            match (name.as_str(), values.as_slice()) {
                ("-", [a]) => Some(-a),
                ("+", [a, b]) => Some(a + b),
                ("-", [a, b]) => Some(a - b),
                ("*", [a, b]) => Some(a * b),
                ("/", [a, b]) if !b.is_zero() => Some(a / b),
                ("fabs", [a]) => Some(a.abs()),
                _ => None,
            }
        }
        ExpressionKind::If(_)
        | ExpressionKind::Let { .. }
        | ExpressionKind::While { .. }
        | ExpressionKind::Annotated(..) => None,
    }
}
