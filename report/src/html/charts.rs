//! Bar charts as SVG.

use super::escaped;
use crate::words::put;
use crate::{Effect, Kind, Report, Tally};
use std::collections::BTreeMap;

/// Letters of a bar's name that there is room for.
const LETTERS: usize = 26;

/// Files and kinds of a chart; the rest is summed up.
const BARS: usize = 8;

/// Writes the charts that have something to show.
pub(super) fn write(page: &mut String, report: &Report) {
    page.push_str("<div class=\"charts\">\n");
    let stories =
        |effect: Effect| report.stories.iter().filter(|story| story.harm == effect).count();
    let harms = Effect::ALL
        .into_iter()
        .map(|effect| (effect.words().to_string(), stories(effect) as u64, shade(effect)));
    bars(page, "Stories by harm", harms.collect());
    let kinds = Kind::ALL.iter().map(|&kind| {
        let count = report.findings.iter().filter(|finding| finding.kind == kind).count();
        (kind.name().to_string(), count as u64, "")
    });
    bars(page, "Findings by kind", kinds.collect());
    let mut files: BTreeMap<&str, u64> = BTreeMap::new();
    for finding in &report.findings {
        *files.entry(&finding.place.file).or_default() += 1;
    }
    if files.len() > 1 {
        let mut rows: Vec<(String, u64, &str)> =
            files.into_iter().map(|(file, count)| (file.to_string(), count, "")).collect();
        rows.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
        bars(page, "Findings by file", rows);
    }
    let Tally { reached, impossible, open, .. } = report.goals;
    bars(
        page,
        "Goals by verdict",
        vec![
            ("reached".to_string(), reached, "error"),
            ("impossible".to_string(), impossible, "good"),
            ("open".to_string(), open, "open"),
        ],
    );
    page.push_str("</div>\n");
}

fn shade(effect: Effect) -> &'static str {
    match effect {
        Effect::SilentlyWrong | Effect::Spoilt | Effect::NoReturn | Effect::Undefined => "error",
        Effect::Unclassified | Effect::Unavoidable => "warning",
        Effect::Reported | Effect::Harmless => "good",
    }
}

/// A chart of rows that are not zero, as long as their share of the largest.
fn bars(page: &mut String, title: &str, mut rows: Vec<(String, u64, &str)>) {
    rows.retain(|(_, count, _)| *count > 0);
    if rows.len() > BARS + 1 {
        let rest = rows.split_off(BARS);
        rows.push((format!("{} more", rest.len()), rest.iter().map(|row| row.1).sum(), ""));
    }
    let Some(largest) = rows.iter().map(|(_, count, _)| *count).max() else { return };
    let height = rows.len() * 22;
    let told: Vec<String> = rows.iter().map(|(name, count, _)| format!("{name} {count}")).collect();
    put(
        page,
        format_args!(
            "<figure><figcaption>{title}</figcaption><svg viewBox=\"0 0 400 {height}\" width=\"100%\" role=\"img\" aria-label=\"{title}: {}\">\n",
            escaped(&told.join(", "))
        ),
    );
    for (at, (name, count, class)) in rows.iter().enumerate() {
        let y = at * 22;
        let length = (*count as f64 / largest as f64 * 170.0).max(2.0);
        // Of a path the end tells most, of words the beginning.
        let short: String = match (name.chars().count(), name.contains('/')) {
            (0..=LETTERS, _) => name.clone(),
            (long, true) => {
                format!("…{}", name.chars().skip(long - LETTERS + 1).collect::<String>())
            }
            (_, false) => format!("{}…", name.chars().take(LETTERS - 1).collect::<String>()),
        };
        let whole = match short == *name {
            true => String::new(),
            false => format!("<title>{}</title>", escaped(name)),
        };
        put(
            page,
            format_args!(
                "<text x=\"0\" y=\"{}\">{whole}{}</text><rect class=\"bar {class}\" x=\"180\" y=\"{}\" width=\"{length:.0}\" height=\"14\"/>\
                 <text x=\"{:.0}\" y=\"{}\">{count}</text>\n",
                y + 15,
                escaped(&short),
                y + 4,
                186.0 + length,
                y + 15
            ),
        );
    }
    page.push_str("</svg></figure>\n");
}
