//! A summary in Markdown, for a pull request: the stories as a table, the first inputs.

use crate::words::{self, plural, put};
use crate::{Finding, Report};
use std::collections::BTreeMap;

/// Stories listed.
const SHOWN: usize = 20;

/// The report as Markdown.
pub fn to_markdown(report: &Report) -> String {
    let mut out = format!(
        "## Nanoscope {}: {}\n\n{}\n\n",
        report.command,
        report.subject.sources.iter().map(|source| code(source)).collect::<Vec<_>>().join(", "),
        words::conclusion(report)
    );
    let findings: BTreeMap<&str, &Finding> =
        report.findings.iter().map(|finding| (finding.id.as_str(), finding)).collect();
    if !report.stories.is_empty() {
        out.push_str("| | where | what | input | came of it |\n|---|---|---|---|---|\n");
    }
    for story in report.stories.iter().take(SHOWN) {
        let Some(finding) = findings.get(story.id.as_str()) else { continue };
        let numbers = |list: &[crate::Number]| {
            let shown: Vec<String> = list
                .iter()
                .take(4)
                .map(|number| format!("{} = {}", number.name, number.value))
                .collect();
            shown.join(", ") + if list.len() > 4 { ", …" } else { "" }
        };
        put(
            &mut out,
            format_args!(
                "| {} | {} | {}: {} | {} | {} |\n",
                finding.severity().word(),
                code(&format!("{}:{}", story.birth.place.file, story.birth.place.line)),
                story.birth.kind.name(),
                cell(&words::born(&story.birth, finding)),
                code(&format!("{}({})", finding.function, numbers(&finding.inputs))),
                cell(&came_of(finding)),
            ),
        );
    }
    if report.stories.len() > SHOWN {
        put(
            &mut out,
            format_args!("\nand {} more\n", plural((report.stories.len() - SHOWN) as u64, "story")),
        );
    }
    out.push_str("\n| goals | reached | impossible | open |\n|---|---:|---:|---:|\n");
    for (name, tally) in words::tallies(report) {
        put(
            &mut out,
            format_args!(
                "| {name} | {} | {} | {} |\n",
                tally.reached, tally.impossible, tally.open
            ),
        );
    }
    out
}

/// What came of it, and what to do instead.
fn came_of(finding: &Finding) -> String {
    let advice = words::advice::told(finding);
    std::iter::once(words::came_of(finding)).chain(advice).collect::<Vec<String>>().join("; ")
}

/// Code in a table: a bar would end the cell, a backtick the code.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|").replace(['`', '\n'], " "))
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}
