//! Advice in words.

use super::plural;
use crate::{Finding, Rewritten};

/// What to write instead, a line a formula, and how that was tried.
pub(crate) fn told(finding: &Finding) -> Vec<String> {
    let Some(advice) = &finding.details.advice else { return Vec::new() };
    let step = |step: &Rewritten| {
        let line = match step.place.line == finding.place.line {
            true => String::new(),
            false => format!(" in line {}", step.place.line),
        };
        format!("try `{}` for `{}`{line}", step.after, step.before)
    };
    let inputs = match advice.inputs {
        1 => "on this input".to_string(),
        inputs => format!("on {inputs} inputs found"),
    };
    let ends = match advice.ends {
        true => ", except next to the largest and the smallest numbers",
        false => "",
    };
    let kind = finding.birth().kind.name();
    let runs = plural(advice.evaluations, "run");
    let mut lines: Vec<String> = advice.steps.iter().map(step).collect();
    lines.push(format!("tried: right {inputs}, no {kind} there in {runs} of a new search{ends}"));
    lines
}
