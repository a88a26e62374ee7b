//! Exceptions that vanish in words.

use crate::{Finding, Kind};
use serde_json::Value;

/// Of the event trace, so many lines are shown from the beginning and from the end.
const HEAD: usize = 8;
const TAIL: usize = 4;

/// Lines about a finding beyond its input and its result: what becomes of the exceptional values,
/// and what other builds do.
pub(crate) fn facts(finding: &Finding) -> Vec<(&'static str, String)> {
    if finding.kind != Kind::SwallowedException {
        return Vec::new();
    }
    let mut facts = Vec::new();
    let mut label = "flow";
    for line in flow(finding) {
        facts.push((std::mem::take(&mut label), line));
    }
    let mut label = "also";
    for line in also(finding) {
        facts.push((std::mem::take(&mut label), line));
    }
    facts
}

/// The event trace, an instruction a line: where, what, and which of G(enerated), P(ropagated),
/// K(illed) and r(ead) happened to exceptional values, with how many are alive after it.
pub(crate) fn flow(finding: &Finding) -> Vec<String> {
    let empty = Vec::new();
    let events = finding.details.more.get("events").and_then(Value::as_array).unwrap_or(&empty);
    let word = |event: &Value, key: &str| {
        event.get(key).and_then(Value::as_str).unwrap_or_default().to_string()
    };
    let rows: Vec<[String; 5]> = events
        .iter()
        .map(|event| {
            let alive = event.get("alive").and_then(Value::as_u64).unwrap_or(0);
            let [at, instruction, source, what] =
                ["at", "instruction", "source", "event"].map(|key| word(event, key));
            [at, instruction, source, what, alive.to_string()]
        })
        .collect();
    let shown = |k: usize| rows.len() <= HEAD + TAIL + 1 || k < HEAD || k + TAIL >= rows.len();
    let width = |column: usize| {
        let kept = rows.iter().enumerate().filter(|(k, _)| shown(*k));
        kept.map(|(_, row)| row[column].chars().count()).max().unwrap_or(0)
    };
    let (at, instruction, source) = (width(0), width(1), width(2));
    let mut lines = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        if shown(k) {
            let [a, i, s, what, alive] = row;
            lines.push(format!("{what} {alive:>3}  {a:<at$}  {i:<instruction$}  {s:<source$}"));
        } else if k == HEAD {
            lines.push(format!("… {} more, in the JSON", rows.len() - HEAD - TAIL));
        }
    }
    lines.iter().map(|line| line.trim_end().to_string()).collect()
}

/// What other builds do with the same input.
pub(crate) fn also(finding: &Finding) -> Vec<String> {
    let empty = Vec::new();
    let builds = finding.details.more.get("also").and_then(Value::as_array).unwrap_or(&empty);
    let word = |build: &Value, key: &str| {
        build.get(key).and_then(Value::as_str).unwrap_or_default().to_string()
    };
    let mut lines = Vec::new();
    for build in builds {
        lines.push(format!("{}: {}", word(build, "build"), word(build, "what")));
        if let Some(diverges) = build.get("diverges") {
            lines.push(format!("  here   {}", word(diverges, "here")));
            lines.push(format!("  there  {}", word(diverges, "there")));
        }
    }
    lines
}
