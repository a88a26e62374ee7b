//! JUnit XML, which continuous integration shows: a test case for each function, failed by its
//! errors and warnings.

use crate::kinds::Severity;
use crate::words::{self, plural, put};
use crate::{Finding, Report};
use std::collections::BTreeMap;

/// The report as JUnit XML.
pub fn to_junit(report: &Report) -> String {
    let mut functions: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for verdict in &report.verdicts {
        functions.entry(&verdict.function).or_default();
    }
    for finding in &report.findings {
        functions.entry(&finding.function).or_default().push(finding);
    }
    let fails = |finding: &&&Finding| finding.severity() > Severity::Note;
    let failures =
        functions.values().filter(|findings| findings.iter().filter(fails).count() > 0).count();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let name =
        escaped(&format!("nanoscope {} {}", report.command, report.subject.sources.join(" ")));
    put(
        &mut out,
        format_args!(
            "<testsuites>\n<testsuite name=\"{name}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" \
             skipped=\"0\" time=\"{:.3}\">\n",
            functions.len(),
            report.statistics.seconds
        ),
    );
    for (function, findings) in &functions {
        put(
            &mut out,
            format_args!(
                "<testcase classname=\"{}\" name=\"{}\"",
                escaped(&report.command),
                escaped(function)
            ),
        );
        let failing: Vec<&Finding> = findings.iter().filter(fails).copied().collect();
        if failing.is_empty() {
            out.push_str("/>\n");
            continue;
        }
        put(
            &mut out,
            format_args!(
                ">\n<failure message=\"{}\" type=\"{}\">",
                plural(failing.len() as u64, "finding"),
                failing[0].kind.name()
            ),
        );
        for finding in failing {
            let inputs: Vec<String> = finding
                .inputs
                .iter()
                .map(|input| format!("{} = {}", input.name, input.value))
                .collect();
            let line = format!(
                "{}:{}:{}: {}[{}]: {} ({})\n",
                finding.place.file,
                finding.place.line,
                finding.place.column,
                finding.severity().word(),
                finding.kind.name(),
                words::headline(finding),
                inputs.join(", ")
            );
            out.push_str(&escaped(&line));
        }
        out.push_str("</failure>\n</testcase>\n");
    }
    out.push_str("</testsuite>\n</testsuites>\n");
    out
}

/// Text for XML, without the control characters that XML 1.0 does not have.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(letter),
            control if control.is_control() => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}
