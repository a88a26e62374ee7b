//! The errors of results as a table, worst first.

use super::Layout;
use crate::words::precision::{is_carried, short, verdict};
use crate::words::{self, put};
use crate::{OutputError, Report};

/// A row an output.
pub(super) fn table(out: &mut String, report: &Report, layout: &Layout) {
    if report.errors.is_empty() {
        return;
    }
    // What is only handed through is no news.
    let is_news = |error: &&OutputError| {
        let none = |text: &str| text.parse::<f64>() == Ok(0.0);
        error.verdict != crate::Outcome::Impossible
            || error.proved.absolute.as_deref().is_none_or(|bound| !none(bound))
    };
    let mut rows: Vec<&OutputError> = report.errors.iter().filter(is_news).collect();
    if rows.is_empty() {
        rows = report.errors.iter().collect();
    }
    let worst = |error: &OutputError| {
        let shown = error.shown.as_ref().and_then(|shown| shown.relative.parse::<f64>().ok());
        shown.unwrap_or(0.0)
    };
    rows.sort_by(|a, b| worst(b).total_cmp(&worst(a)));
    let name = |error: &OutputError| match error.output.as_str() {
        "return" => error.function.clone(),
        output => format!("{}: {output}", error.function),
    };
    let width = rows.iter().map(|row| name(row).chars().count()).max().unwrap_or(0).clamp(12, 40);
    let title = format!(
        "{:<width$} {:>11} {:>11} {:>11} {:>11}  {}",
        "result", "shown rel.", "proved rel.", "shown abs.", "proved abs.", "verdict"
    );
    put(out, format_args!("{}\n", layout.paint.bold(&title)));
    for row in rows {
        let shown = |of: fn(&crate::ShownError) -> &String| match &row.shown {
            Some(shown) => short(of(shown)),
            None => "-".to_string(),
        };
        let proved = |bound: &Option<String>| bound.as_deref().map_or("-".to_string(), short);
        put(
            out,
            format_args!(
                "{:<width$} {:>11} {:>11} {:>11} {:>11}  {}\n",
                name(row),
                shown(|shown| &shown.relative),
                proved(&row.proved.relative),
                shown(|shown| &shown.absolute),
                proved(&row.proved.absolute),
                verdict(row)
            ),
        );
    }
    let conventions: std::collections::BTreeSet<&str> =
        report.errors.iter().map(|error| error.convention.as_str()).collect();
    for convention in conventions {
        let meaning = match convention {
            "float-inputs" => "inputs are floats, meant as they are",
            _ => "inputs are real numbers, rounded to floats or off by what was given",
        };
        put(out, format_args!("{}\n", layout.paint.dim(&format!("{convention}: {meaning}"))));
    }
    if let Some(first) = report.errors.first().filter(|error| !error.threshold.is_empty()) {
        let text = format!("threshold: {}", first.threshold);
        put(out, format_args!("{}\n", layout.paint.dim(&text)));
    }
    out.push('\n');
}

/// Findings that only carry on what was born elsewhere, a line each.
pub(super) fn carried(out: &mut String, report: &Report, layout: &Layout) {
    let carried: Vec<_> = report.findings.iter().filter(|f| is_carried(f)).collect();
    if carried.is_empty() {
        return;
    }
    put(out, format_args!("{}\n", layout.paint.bold("above the threshold, carried on:")));
    for finding in carried.iter().take(12) {
        put(
            out,
            format_args!(
                "  {}:{}: {} (relative error {})\n",
                finding.place.file,
                finding.place.line,
                words::operation(&finding.operation),
                short(words::said(finding, "relative"))
            ),
        );
    }
    if carried.len() > 12 {
        put(out, format_args!("  … and {} more, in the JSON\n", carried.len() - 12));
    }
    out.push('\n');
}
