//! The findings as the page's script reads them.

use super::position;
use crate::text::Sources;
use crate::words;
use crate::{Finding, Number, Place, Report, Story, to_regression_test};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Lines of source shown before and after the operation.
const AROUND: u32 = 3;

/// Findings that carry a test to copy: those that tell a story, as long as they are so many.
const TESTS: usize = 500;

/// The data as JSON that can stand inside of a page.
pub(super) fn of(report: &Report, sources: &dyn Sources) -> String {
    let telling: BTreeSet<&str> =
        report.stories.iter().take(TESTS).map(|story| story.id.as_str()).collect();
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let test = telling
                .contains(finding.id.as_str())
                .then(|| to_regression_test(report, finding).ok())
                .flatten();
            one(finding, test.map(|test| test.text), sources)
        })
        .collect();
    let by_id: BTreeMap<&str, &Finding> =
        report.findings.iter().map(|finding| (finding.id.as_str(), finding)).collect();
    let stories: Vec<Value> = report
        .stories
        .iter()
        .map(|story| {
            let root = by_id.get(story.id.as_str()).and_then(|finding| root(story, finding));
            json!({"id": story.id, "findings": story.findings, "root": root})
        })
        .collect();
    // A program's names cannot end the element.
    json!({"findings": findings, "stories": stories}).to_string().replace('<', "\\u003c")
}

/// Where a story began, if that is elsewhere than the finding that tells it.
fn root(story: &Story, finding: &Finding) -> Option<Value> {
    let birth = &story.birth;
    let is_here = birth.kind == finding.kind && birth.place == finding.place;
    (!is_here).then(|| {
        json!({
            "kind": birth.kind.name(),
            "headline": words::born(birth, finding),
            "place": position(&birth.place),
        })
    })
}

fn one(finding: &Finding, test: Option<String>, sources: &dyn Sources) -> Value {
    let details = &finding.details;
    let effect = details.harm.as_ref().map(|harm| harm.effect);
    json!({
        "id": finding.id,
        "severity": finding.severity().word(),
        "kind": finding.kind.name(),
        "function": finding.function,
        "file": finding.place.file,
        "line": finding.place.line,
        "place": position(&finding.place),
        "operation": words::operation(&finding.operation),
        "headline": words::headline(finding),
        "effect": words::effect(finding),
        "effect_word": effect.map_or("", |effect| effect.words()),
        "rank": effect.map_or(99, |effect| effect as u32),
        "harm": words::harm(finding).or_else(|| words::precision::told(finding)),
        "advice": words::advice::told(finding),
        "build": words::build(finding).map(|build| format!("Seen in a build {build}.")),
        "inputs": numbers(&finding.inputs),
        "operands": numbers(&details.operands),
        "computed": numbers(details.computed.as_slice()),
        "outputs": numbers(&details.outputs),
        "run": details.run.iter().map(|raised| json!({
            "kind": raised.kind.name(),
            "line": raised.place.line,
            "operation": words::operation(&raised.operation),
        })).collect::<Vec<Value>>(),
        "flow": words::handling::flow(finding),
        "also": words::handling::also(finding),
        "source": around(&finding.place, sources),
        "test": test,
    })
}

fn numbers(list: &[Number]) -> Vec<Value> {
    list.iter()
        .map(|number| {
            let hex = number.hex.as_ref().filter(|_| !number.is_exceptional());
            let (width, exponent) = shape(number);
            json!({
                "name": number.name, "value": number.value, "hex": hex, "bits": number.bits,
                "width": width, "exponent": exponent,
            })
        })
        .collect()
}

/// The width and the exponent's width of a float, as its digits tell; 0 for what is none.
fn shape(number: &Number) -> (usize, u32) {
    match (&number.hex, number.bits.len().saturating_sub(2)) {
        (Some(_), 4) if number.type_name.contains("bf") => (16, 8),
        (Some(_), 4) => (16, 5),
        (Some(_), 8) => (32, 8),
        (Some(_), 16) => (64, 11),
        (Some(_), 20) => (80, 15),
        (Some(_), 32) => (128, 15),
        (Some(_) | None, _) => (0, 0),
    }
}

/// The lines around a place.
fn around(place: &Place, sources: &dyn Sources) -> Vec<Value> {
    if place.line == 0 {
        return Vec::new();
    }
    let lines = place.line.saturating_sub(AROUND).max(1)..=place.line + AROUND;
    lines
        .filter_map(|number| {
            let text = sources.line(&place.file, number)?;
            let here = number == place.line;
            // Compilers count bytes, the script counts letters.
            let column = match (place.column as usize).checked_sub(1) {
                Some(bytes) if here => {
                    text.char_indices()
                        .take_while(|(at, letter)| at + letter.len_utf8() <= bytes)
                        .count()
                        + 1
                }
                Some(_) | None => 0,
            };
            Some(json!({"number": number, "text": text, "here": here, "column": column}))
        })
        .collect()
}
