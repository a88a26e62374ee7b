//! Advice in words.

use super::plural;
use crate::{Finding, Rewritten};

/// What to do instead, and how that was tried.
pub(crate) fn told(finding: &Finding) -> Option<String> {
    let advice = finding.details.advice.as_ref()?;
    let step = |step: &Rewritten| {
        let line = match step.place.line == finding.place.line {
            true => String::new(),
            false => format!(" in line {}", step.place.line),
        };
        format!("`{}` for `{}`{line}", step.after, step.before)
    };
    let steps: Vec<String> = advice.steps.iter().map(step).collect();
    let inputs = match advice.inputs {
        1 => "on this input".to_string(),
        inputs => format!("on all {inputs} inputs found"),
    };
    Some(format!(
        "try {}: tried, right {inputs}, no {} there again in {}",
        steps.join(", "),
        finding.birth().kind.name(),
        plural(advice.evaluations, "run")
    ))
}
