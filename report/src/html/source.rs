//! The source with every operation coloured by its verdict.

use super::escaped;
use crate::text::Sources;
use crate::words::put;
use crate::{Outcome, Report};
use std::collections::BTreeMap;

/// Lines of a file that are shown at most.
const LINES: u32 = 20_000;

/// Lines kept before the first and after the last operation.
const AROUND: u32 = 10;

/// Writes every file that goals were asked about.
pub(super) fn write(page: &mut String, report: &Report, sources: &dyn Sources) {
    let mut files: BTreeMap<&str, BTreeMap<u32, BTreeMap<u32, Outcome>>> = BTreeMap::new();
    for verdict in report.verdicts.iter().filter(|verdict| verdict.place.line > 0) {
        let lines = files.entry(&verdict.place.file).or_default();
        let place = lines.entry(verdict.place.line).or_default().entry(verdict.place.column);
        let worst = place.or_insert(verdict.outcome);
        *worst = worse(*worst, verdict.outcome);
    }
    files.retain(|file, _| sources.line(file, 1).is_some());
    if files.is_empty() {
        return;
    }
    page.push_str(
        "<h2 id=\"source\">Source</h2>\n<p>Each operation by the worst verdict on its goals: \
         <span class=\"reached\">reached</span>, <span class=\"open\">open</span>, \
         <span class=\"impossible\">impossible</span>.</p>\n",
    );
    for (file, lines) in files {
        let (Some((first, _)), Some((last, _))) = (lines.first_key_value(), lines.last_key_value())
        else {
            continue;
        };
        let first = first.saturating_sub(AROUND).max(1);
        let last = (last + AROUND).min(first + LINES);
        put(
            page,
            format_args!(
                "<details class=\"source\"><summary><code>{}</code></summary>\n<pre>",
                escaped(file)
            ),
        );
        for number in first..=last {
            let Some(text) = sources.line(file, number) else { break };
            put(page, format_args!("<span class=\"faint\">{number:>5}</span>  "));
            coloured(page, &text, lines.get(&number));
            page.push('\n');
        }
        page.push_str("</pre></details>\n");
    }
}

fn worse(a: Outcome, b: Outcome) -> Outcome {
    match (a, b) {
        (Outcome::Reached, _) | (_, Outcome::Reached) => Outcome::Reached,
        (Outcome::Open, _) | (_, Outcome::Open) => Outcome::Open,
        (Outcome::Impossible, Outcome::Impossible) => Outcome::Impossible,
    }
}

/// The class of a verdict, and its word.
pub(super) fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Reached => "reached",
        Outcome::Impossible => "impossible",
        Outcome::Open => "open",
    }
}

/// A line with the letters at the columns of its operations marked. Compilers count bytes; a column
/// inside a letter marks the letter.
fn coloured(page: &mut String, text: &str, verdicts: Option<&BTreeMap<u32, Outcome>>) {
    let Some(verdicts) = verdicts else {
        page.push_str(&escaped(text));
        return;
    };
    for (at, letter) in text.char_indices() {
        let columns = at as u32 + 1..(at + letter.len_utf8()) as u32 + 1;
        let letter = escaped(letter.encode_utf8(&mut [0; 4]));
        match verdicts.range(columns).next() {
            Some((_, outcome)) => {
                let class = word(*outcome);
                put(
                    page,
                    format_args!("<span class=\"{class}\" title=\"{class}\">{letter}</span>"),
                );
            }
            None => page.push_str(&letter),
        }
    }
}
