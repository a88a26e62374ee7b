//! SARIF 2.1.0, which code hosts and editors show beside the source.

use crate::kinds::Severity;
use crate::text::Sources;
use crate::words;
use crate::{Finding, Kind, Place, Report, Suppressed, fingerprints};
use serde_json::{Value, json};

/// The report's findings as SARIF, with a newline at the end.
pub fn to_sarif(report: &Report, sources: &dyn Sources) -> String {
    let fingerprints = fingerprints(report, sources);
    let rules: Vec<Value> = Kind::ALL.iter().map(|&kind| rule(kind)).collect();
    let mut results: Vec<Value> =
        report.findings.iter().map(|finding| result(finding, &fingerprints[&finding.id])).collect();
    for Suppressed { reason, by, finding } in &report.suppressed {
        let mut allowed = result(finding, finding.lasting_name());
        let kind = if by.file.ends_with(".toml") { "external" } else { "inSource" };
        allowed["suppressions"] = json!([{"kind": kind, "justification": reason}]);
        results.push(allowed);
    }
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "Nanoscope",
                "version": report.version,
                "rules": rules,
            }},
            "invocations": [{"executionSuccessful": true}],
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": {"goals": report.goals, "status": report.status, "seed": report.seed},
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).expect("JSON values print");
    text.push('\n');
    text
}

fn rule(kind: Kind) -> Value {
    let explanation = kind.explanation();
    json!({
        "id": kind.name(),
        "shortDescription": {"text": format!("{}.", explanation.title)},
        "fullDescription": {"text": unwrapped(explanation.what)},
        "help": {"text": format!(
            "{}\n\n{}", unwrapped(explanation.why), unwrapped(explanation.remedy)
        )},
        "defaultConfiguration": {"level": level(explanation.severity)},
    })
}

fn result(finding: &Finding, fingerprint: &str) -> Value {
    let inputs: Vec<String> =
        finding.inputs.iter().map(|input| format!("{} = {}", input.name, input.value)).collect();
    let mut message = format!(
        "{} when {} is called with {}. {}.",
        capitalised(&words::headline(finding)),
        finding.function,
        inputs.join(", "),
        capitalised(&words::effect(finding))
    );
    if let Some(build) = words::build(finding) {
        message.push_str(&format!(" Seen in a build {build}."));
    }
    if let Some(harm) = words::harm(finding) {
        message.push_str(&format!(" {}.", capitalised(&harm)));
    }
    for advice in words::advice::told(finding) {
        message.push_str(&format!(" {}.", capitalised(&advice)));
    }
    json!({
        "ruleId": finding.kind.name(),
        "ruleIndex": Kind::ALL.iter().position(|&kind| kind == finding.kind),
        "level": level(finding.severity()),
        "message": {"text": message},
        "locations": [location(&finding.place, Some(&finding.function))],
        "relatedLocations": finding.details.inlined_at.iter()
            .map(|place| location(place, None))
            .collect::<Vec<Value>>(),
        "partialFingerprints": {"nanoscope/2": fingerprint},
        "properties": {
            "inputs": finding.inputs,
            "operation": finding.operation,
            "engine": finding.engine,
            "details": finding.details,
        },
    })
}

fn location(place: &Place, function: Option<&str>) -> Value {
    let mut physical = json!({"artifactLocation": {"uri": uri(&place.file)}});
    match (place.line, place.column) {
        (0, _) => {}
        (line, 0) => physical["region"] = json!({"startLine": line}),
        (line, column) => physical["region"] = json!({"startLine": line, "startColumn": column}),
    }
    let mut location = json!({"physicalLocation": physical});
    if let Some(function) = function {
        location["logicalLocations"] = json!([{"name": function, "kind": "function"}]);
    }
    location
}

fn level(severity: Severity) -> &'static str {
    // SARIF happens to have our words; they are its own nevertheless.
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// A file's name as a URI reference (RFC 3986).
fn uri(file: &str) -> String {
    let mut text = String::from(if file.starts_with('/') { "file://" } else { "" });
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(char::from(byte));
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

/// Prose without the line breaks it has for terminals.
fn unwrapped(prose: &str) -> String {
    prose.replace('\n', " ")
}

fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn files_are_uri_references() {
        for (file, expected) in [
            ("src/mean.c", "src/mean.c"),
            ("/home/a b/ü.c", "file:///home/a%20b/%C3%BC.c"),
            ("a:b.c", "a%3Ab.c"),
        ] {
            assert_eq!(uri(file), expected);
        }
    }
}
