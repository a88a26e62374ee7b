//! Witnesses in version 2.0 of the competition's format: of a violation, the values that the
//! program is given and the place it comes to; of correctness, a set of invariants, which is empty:
//! exploration to the end needs none.

use super::property::{Answer, Property, PropertyVerdict};
use super::test_suite::value;
use super::yaml::to_yaml;
use super::{Origin, sha256};
use crate::{Asking, Finding, Given, Report};
use serde_json::{Map, Value, json};

/// Why there is no witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoWitness {
    /// Nobody knows whether the property holds.
    Unknown(String),
    /// The property asks for tests.
    AsksForTests,
}

/// The witness for how a property ended, as YAML.
pub fn to_witness(
    report: &Report,
    property: &Property,
    origin: &Origin,
) -> Result<String, NoWitness> {
    if property.asks_for_tests() {
        return Err(NoWitness::AsksForTests);
    }
    let PropertyVerdict { holds, why, .. } = property.verdict(report);
    let (kind, content) = match holds {
        Answer::Unknown => return Err(NoWitness::Unknown(why)),
        Answer::True => ("invariant_set", Vec::new()),
        Answer::False => {
            let mut violating =
                report.all_findings().filter(|finding| property.is_violated_by(finding));
            let segments = violating.next().map(|finding| segments(finding, report, origin));
            ("violation_sequence", segments.unwrap_or_default())
        }
    };
    let entry = json!([{
        "entry_type": kind,
        "metadata": metadata(report, property, kind, origin),
        "content": content,
    }]);
    Ok(to_yaml(&entry))
}

fn metadata(report: &Report, property: &Property, kind: &str, origin: &Origin) -> Value {
    let files = &report.subject.sources;
    let hashes: Map<String, Value> = files
        .iter()
        .map(|file| (file.clone(), origin.hash(file).unwrap_or_default().into()))
        .collect();
    let all = format!("{kind} {} {hashes:?} {}", property.specification, origin.time());
    json!({
        "format_version": "2.0",
        "uuid": uuid(&sha256::hexadecimal(all.as_bytes())),
        "creation_time": origin.time(),
        "producer": {"name": "Nanoscope", "version": report.version},
        "task": {
            "input_files": files,
            "input_file_hashes": hashes,
            "specification": property.specification,
            "data_model": "LP64",
            "language": "C",
        },
    })
}

/// A UUID of version 8 (RFC 9562): its bits are a hash's.
fn uuid(hash: &str) -> String {
    let part = |from: usize, to: usize| &hash[from..to];
    format!("{}-{}-8{}-a{}-{}", part(0, 8), part(8, 12), part(12, 15), part(15, 18), part(18, 30))
}

/// What the program is given, then where it comes to.
fn segments(finding: &Finding, report: &Report, origin: &Origin) -> Vec<Value> {
    let mut list = given(finding, report, origin);
    list.push(segment(json!({
        "type": "target",
        "action": "follow",
        "location": {
            "file_name": finding.place.file,
            "line": finding.place.line,
            "column": finding.place.column,
            "function": finding.function,
        },
    })));
    list
}

fn segment(waypoint: Value) -> Value {
    json!({"segment": [{"waypoint": waypoint}]})
}

/// A segment for each value that the program asks for, up to the first that cannot be written (a
/// NaN) or whose call is one of several.
fn given(finding: &Finding, report: &Report, origin: &Origin) -> Vec<Value> {
    finding.given().iter().map_while(|given| returned(given, report, origin)).map(segment).collect()
}

/// The waypoint at which a value is returned to the program.
fn returned(given: &Given, report: &Report, origin: &Origin) -> Option<Value> {
    if given.how != Asking::Unknown || !given.through.starts_with("__VERIFIER_nondet_") {
        return None;
    }
    let (ty, text) = value(given, &given.decoded()?);
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    if ty.is_none() || !is_number {
        return None;
    }
    let mut places = Vec::new();
    for file in &report.subject.sources {
        let source = String::from_utf8((origin.read)(file)?).ok()?;
        let calls = calls(&source, &given.through);
        places.extend(calls.into_iter().map(|(line, column)| (file, line, column)));
    }
    let [(file, line, column)] = places[..] else { return None };
    Some(json!({
        "type": "function_return",
        "action": "follow",
        "constraint": {
            "format": "acsl_expression",
            "value": format!("\\result == {text}"),
        },
        "location": {"file_name": file, "line": line, "column": column},
    }))
}

/// Where calls of a function without arguments end: line and column of the closing parenthesis.
/// A declaration is no call: before its name stands its type.
fn calls(source: &str, function: &str) -> Vec<(usize, usize)> {
    let source = without_comments(source);
    let mut list = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in source.match_indices(function) {
        let (before, after) = (&source[..at], &source[at + function.len()..]);
        let is_part = before.ends_with(is_word) || after.starts_with(is_word);
        let trimmed = before.trim_end();
        let word = trimmed.rsplit(|c| !is_word(c)).next().unwrap_or("");
        let is_declaration = (trimmed.ends_with(is_word) && word != "return" && word != "else")
            || trimmed.ends_with('*');
        let close = after.find(')').filter(|_| after.trim_start().starts_with('('));
        let Some(close) = close.filter(|_| !is_part && !is_declaration) else { continue };
        let end = &source[..at + function.len() + close];
        let line = end.matches('\n').count() + 1;
        let column = end.len() - end.rfind('\n').map_or(0, |at| at + 1) + 1;
        list.push((line, column));
    }
    list
}

/// The source with comments and the insides of strings blanked, every place as it was.
fn without_comments(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let until = |end: &[u8]| {
            let found = rest[1..].windows(end.len()).position(|window| window == end);
            found.map_or(rest.len(), |found| 1 + found + end.len())
        };
        let length = match rest {
            [b'/', b'/', ..] => until(b"\n") - usize::from(rest.contains(&b'\n')),
            [b'/', b'*', ..] => until(b"*/"),
            [quote @ (b'"' | b'\''), ..] => quoted(rest, *quote),
            _ => {
                out.push(bytes[at]);
                at += 1;
                continue;
            }
        };
        out.extend(rest[..length].iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }));
        at += length;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The length of a string or character constant.
fn quoted(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != quote && text[at] != b'\n' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::calls;

    #[test]
    fn calls_are_found_where_they_end() {
        let source = "extern double nondet(void);\n\
                      /* nondet() */ // nondet()\n\
                      int main(void) {\n    double x = nondet();\n    return my_nondet();\n}\n";
        assert_eq!(calls(source, "nondet"), [(4, 23)]);
        assert_eq!(calls("int f(void) { return nondet(); }", "nondet"), [(1, 29)]);
        assert_eq!(calls("char *s = \"nondet()\";", "nondet"), []);
    }
}
