//! What the tests cover, on the page: a table, and every file with its lines marked.

use super::escaped;
use crate::text::Sources;
use crate::words::put;
use crate::{FileCoverage, Report, Share};

/// Writes the tests and what they cover; nothing where that was not measured.
pub(super) fn write(page: &mut String, report: &Report, sources: &dyn Sources) {
    tests(page, report);
    let Some(coverage) = &report.coverage else { return };
    page.push_str(
        "<h2 id=\"coverage\">Coverage</h2>\n<table>\n<tr><th>file</th><th class=\"count\">lines</th><th></th>\
         <th class=\"count\">branches</th><th></th></tr>\n",
    );
    let mut row = |name: &str, lines: Share, branches: Share| {
        put(
            page,
            format_args!(
                "<tr><td><code>{}</code></td>{}{}</tr>\n",
                escaped(name),
                share(lines),
                share(branches)
            ),
        );
    };
    for file in &coverage.files {
        row(&file.file, file.lines, file.branches);
    }
    if coverage.files.len() > 1 {
        row("all", coverage.lines, coverage.branches);
    }
    page.push_str("</table>\n");
    for file in &coverage.files {
        source(page, file, sources);
    }
}

fn tests(page: &mut String, report: &Report) {
    if report.tests.is_empty() {
        return;
    }
    page.push_str("<h2>Tests</h2>\n<table>\n");
    for test in &report.tests {
        let inputs: Vec<String> =
            test.inputs.iter().map(|input| format!("{} = {}", input.name, input.value)).collect();
        put(
            page,
            format_args!(
                "<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n",
                escaped(&test.name),
                escaped(&inputs.join(", ")),
                escaped(&test.outcome)
            ),
        );
    }
    page.push_str("</table>\n");
}

fn share(share: Share) -> String {
    format!(
        "<td class=\"count\">{} of {}</td><td class=\"count\">{:.1}%</td>",
        share.covered,
        share.total,
        share.percent()
    )
}

/// A file from its first line to the last that has code, marked.
fn source(page: &mut String, file: &FileCoverage, sources: &dyn Sources) {
    let last = file.counts.iter().map(|(line, _)| *line).max().unwrap_or(0);
    if last == 0 || sources.line(&file.file, 1).is_none() {
        return;
    }
    put(page, format_args!("<h3><code>{}</code></h3>\n<pre>", escaped(&file.file)));
    for line in 1..=last {
        let Some(text) = sources.line(&file.file, line) else { break };
        let count = file.counts.iter().find(|(at, _)| *at == line).map(|(_, count)| *count);
        let halves: Vec<String> = file
            .half_taken
            .iter()
            .filter(|half| half.line == line)
            .map(|half| match (half.was_true, half.was_false) {
                (true, false) => format!("column {}: never false", half.column),
                (false, true) => format!("column {}: never true", half.column),
                (true, true) | (false, false) => format!("column {}: never asked", half.column),
            })
            .collect();
        let (class, shown) = match count {
            None => ("", String::new()),
            Some(0) => ("never", "0".to_string()),
            Some(count) if halves.is_empty() => ("ran", count.to_string()),
            Some(count) => ("half", count.to_string()),
        };
        put(
            page,
            format_args!(
                "<span class=\"{class}\" title=\"{}\"><span class=\"faint\">{line:>5} {shown:>8} \
                 </span>{}</span>\n",
                escaped(&halves.join("; ")),
                escaped(&text)
            ),
        );
    }
    page.push_str("</pre>\n");
}
