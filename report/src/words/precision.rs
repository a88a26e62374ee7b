//! Errors of floats in words.

use super::said;
use crate::{ErrorSource, Finding, Kind, Outcome, OutputError};
use serde_json::Value;

/// The part of an error below which its source is not worth a line.
const LEAST_SHARE: f64 = 0.005;

/// What came of it.
pub(crate) fn effect(finding: &Finding) -> String {
    let jump = said(finding, "jump");
    match finding.kind {
        Kind::UnstableBranch | Kind::UnstableConversion if !jump.is_empty() => jump.to_string(),
        Kind::UnstableBranch | Kind::UnstableConversion => {
            "the results of the two ways agree".to_string()
        }
        _ => {
            let [absolute, relative, ulps] =
                ["absolute", "relative", "ulps"].map(|measure| short(said(finding, measure)));
            format!("error {absolute}, relative {relative}, {ulps} ulps")
        }
    }
}

/// Lines about a finding beyond its input and its result.
pub(crate) fn facts(finding: &Finding) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if !finding.kind.is_precision() {
        return facts;
    }
    let exact = said(finding, "exact");
    if !exact.is_empty() && finding.kind != Kind::UnstableConversion {
        facts.push(("exactly", exact.to_string()));
    }
    let reals = said(finding, "reals");
    if !reals.is_empty() {
        facts.push(("meant", reals.to_string()));
    }
    let window = said(finding, "window");
    if !window.is_empty() {
        facts.push(("window", window.to_string()));
    }
    let sources = sources(finding);
    let telling = |source: &&ErrorSource| source.share >= LEAST_SHARE;
    for (place, source) in sources.iter().filter(telling).take(4).enumerate() {
        facts.push((if place == 0 { "from" } else { "" }, origin(source)));
    }
    facts
}

/// The same in one line; nothing for findings of other kinds.
pub(crate) fn told(finding: &Finding) -> Option<String> {
    let facts: Vec<String> = facts(finding)
        .into_iter()
        .map(|(label, text)| if label.is_empty() { text } else { format!("{label} {text}") })
        .collect();
    (finding.kind.is_precision() && !facts.is_empty()).then(|| facts.join("; "))
}

/// Where a finding's error came from.
pub(crate) fn sources(finding: &Finding) -> Vec<ErrorSource> {
    let kept = finding.details.more.get("sources").cloned();
    kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default()
}

/// `84 %: line 12, subtraction (rounds off 1e-17, grown 3e+9 times)`.
pub(crate) fn origin(source: &ErrorSource) -> String {
    let how = match source.operation.as_str() {
        "fcmp" => format!("turns out differently, {:.1e} apart", source.injected),
        _ => {
            format!("rounds off {:.1e}, grows {:.1e} times", source.injected, source.amplification)
        }
    };
    format!(
        "{:.0} % {}:{}, {} ({how})",
        100.0 * source.share,
        source.place.file,
        source.place.line,
        super::operation(&source.operation),
    )
}

/// Whether a finding only carries an error on that was born elsewhere.
pub(crate) fn is_carried(finding: &Finding) -> bool {
    finding.details.more.get("carried") == Some(&Value::Bool(true))
}

/// How an output's error ended.
pub(crate) fn verdict(error: &OutputError) -> String {
    let why = if error.why.is_empty() { String::new() } else { format!(" ({})", error.why) };
    match error.verdict {
        Outcome::Reached => format!("shown above{why}"),
        Outcome::Impossible => "proved below".to_string(),
        Outcome::Open => format!("open{why}"),
    }
}

/// A number of a report in a few digits.
pub(crate) fn short(number: &str) -> String {
    match number.parse::<f64>() {
        Ok(0.0) => "0".to_string(),
        Ok(value) if value.is_finite() => format!("{value:.2e}"),
        Ok(_) => "infinite".to_string(),
        Err(_) => number.to_string(),
    }
}
