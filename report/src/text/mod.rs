//! The report for a person: findings by function, each with its source line, its
//! input and what came of it; then how the goals ended.

mod handling;
mod paint;
mod paths;
mod precision;
mod snippet;
mod stories;

pub use paint::Paint;
pub use snippet::{Files, Sources};

use crate::words::precision::is_carried;
use crate::words::{self, by_function, plural, put};
use crate::{Coverage, Finding, Number, Report, Share, Tally};
pub(crate) use handling::done;
use snippet::snippet;
use std::fmt::Write;

/// How many inputs or outputs a finding lists; the JSON has all.
const LISTED: usize = 12;

/// How to lay the text out.
pub struct Layout<'a> {
    /// Colours, or none.
    pub paint: Paint,
    /// Columns of the terminal; source lines are cut to fit.
    pub width: usize,
    /// Where source lines come from.
    pub sources: &'a dyn Sources,
    /// Where the user finds the findings again.
    pub kept: Kept,
    /// Every finding whole, instead of the stories.
    pub all: bool,
}

/// Where findings were written, for the hint on how to replay one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A file each in this folder.
    Folder(String),
    /// All in this report.
    Report(String),
    /// Nowhere.
    Nowhere,
}

/// So few findings are shown whole.
const FEW: usize = 3;

/// Writes the report as text: the stories, or every finding where they are few or all are wanted.
pub fn to_text(report: &Report, layout: &Layout) -> String {
    let mut out = String::new();
    let told_as_stories = ["exceptions", "campaign"].contains(&report.command.as_str());
    if layout.all || report.findings.len() <= FEW || !told_as_stories {
        for (function, findings) in by_function(&report.findings) {
            let told: Vec<_> = findings.into_iter().filter(|f| !is_carried(f)).collect();
            heading(&mut out, function, told.len(), layout);
            for finding in told {
                one(&mut out, finding, layout);
            }
        }
    } else {
        stories::stories(&mut out, report, layout);
        stories::functions(&mut out, report, layout);
    }
    if let Some(paths) = &report.paths {
        paths::write(&mut out, report, paths, layout);
        return out;
    }
    precision::carried(&mut out, report, layout);
    precision::table(&mut out, report, layout);
    stories::notes(&mut out, report, layout);
    if let Some(handling) = &report.handling {
        handling::write(&mut out, report, handling, layout);
        return out;
    }
    suite(&mut out, report, layout);
    summary(&mut out, report, layout);
    out
}

fn heading(out: &mut String, function: &str, count: usize, layout: &Layout) {
    let title = format!("{function}: {}", plural(count as u64, "finding"));
    let rule = "─".repeat(layout.width.clamp(20, 80).saturating_sub(title.chars().count() + 4));
    let paint = layout.paint;
    put(out, format_args!("{} {} {}\n", paint.dim("──"), paint.bold(&title), paint.dim(&rule)));
    out.push('\n');
}

fn one(out: &mut String, finding: &Finding, layout: &Layout) {
    let paint = layout.paint;
    let severity = finding.severity();
    let tag = format!("{}[{}]", severity.word(), finding.kind.name());
    put(
        out,
        format_args!(
            "{}{}\n",
            paint.severity(severity, &tag),
            paint.bold(&format!(": {}", words::headline(finding)))
        ),
    );
    // The bar of the snippet and the facts under it stand in one column.
    let margin = finding.place.line.to_string().len() + 2;
    snippet(out, &finding.place, &words::operation(&finding.operation), severity, layout);
    for call in &finding.details.inlined_at {
        fact(
            out,
            margin,
            "inlined",
            &format!("at {}:{}:{}", call.file, call.line, call.column),
            layout,
        );
    }
    numbers(out, margin, "input", &finding.inputs, layout);
    if let Some(computed) = computed(finding) {
        fact(out, margin, "computed", &computed, layout);
    }
    for (label, text) in words::precision::facts(finding) {
        fact(out, margin, label, &text, layout);
    }
    numbers(out, margin, "returned", &finding.details.outputs, layout);
    fact(out, margin, "effect", &words::effect(finding), layout);
    for (label, text) in words::handling::facts(finding) {
        fact(out, margin, label, &text, layout);
    }
    if let Some(build) = words::build(finding) {
        fact(out, margin, "built", &build, layout);
    }
    if let Some(harm) = words::harm(finding) {
        fact(out, margin, "harm", &harm, layout);
    }
    for (at, advice) in words::advice::told(finding).iter().enumerate() {
        fact(out, margin, if at == 0 { "instead" } else { "" }, advice, layout);
    }
    match &layout.kept {
        Kept::Folder(folder) => {
            let file = format!("{}/{}.json", folder.trim_end_matches('/'), finding.id);
            fact(out, margin, "replay", &format!("nanoscope replay {}", quoted(&file)), layout);
        }
        Kept::Report(file) => {
            let hint = format!("nanoscope replay {} --id {}", quoted(file), quoted(&finding.id));
            fact(out, margin, "replay", &hint, layout);
        }
        Kept::Nowhere => {}
    }
    out.push('\n');
}

/// What the operation made of which operands.
fn computed(finding: &Finding) -> Option<String> {
    let computed = finding.details.computed.as_ref()?;
    let operands: Vec<&str> =
        finding.details.operands.iter().map(|operand| operand.value.as_str()).collect();
    Some(match operands.as_slice() {
        [] => plain(computed),
        some => format!("{} from {}", plain(computed), some.join(", ")),
    })
}

/// A labelled list of numbers, one a line.
fn numbers(out: &mut String, margin: usize, label: &str, list: &[Number], layout: &Layout) {
    let shown = if list.len() > LISTED + 1 { LISTED } else { list.len() };
    for (index, number) in list[..shown].iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        fact(out, margin, label, &format!("{} = {}", number.name, plain(number)), layout);
    }
    if shown < list.len() {
        let rest = format!("… and {} more, in the JSON", list.len() - shown);
        fact(out, margin, "", &rest, layout);
    }
}

/// `1.5 (0x1.8p+0)`; the hexadecimal only where it says more than the decimal.
fn plain(number: &Number) -> String {
    match &number.hex {
        Some(hex) if !number.is_exceptional() => format!("{} ({hex})", number.value),
        Some(_) | None => number.value.clone(),
    }
}

fn fact(out: &mut String, margin: usize, label: &str, text: &str, layout: &Layout) {
    let (mark, label) = match label {
        "" => (" ".to_string(), String::new()),
        label => (layout.paint.line("="), format!("{label}:")),
    };
    // Padded before it is painted: escape codes have no width.
    put(
        out,
        format_args!("{:margin$}{mark} {}{text}\n", "", layout.paint.bold(&format!("{label:<10}"))),
    );
}

/// How many tests there are, and what they cover.
fn suite(out: &mut String, report: &Report, layout: &Layout) {
    if let Some(coverage) = &report.coverage {
        out.push_str(&coverage_table(coverage, layout.paint));
        out.push('\n');
    }
}

/// What tests cover, file by file.
pub fn coverage_table(coverage: &Coverage, paint: Paint) -> String {
    let mut out = String::new();
    let title = format!("{:<40} {:>18} {:>18}", "covered by the tests", "lines", "branches");
    put(&mut out, format_args!("{}\n", paint.bold(&title)));
    let mut row = |name: &str, lines: Share, branches: Share| {
        put(&mut out, format_args!("{name:<40} {:>18} {:>18}\n", share(lines), share(branches)));
    };
    for file in &coverage.files {
        row(&file.file, file.lines, file.branches);
    }
    if coverage.files.len() > 1 {
        row("all", coverage.lines, coverage.branches);
    }
    out
}

/// `9 of 10, 90.0%`.
fn share(share: Share) -> String {
    match share.total {
        0 => "none".to_string(),
        total => format!("{} of {total}, {:.1}%", share.covered, share.percent()),
    }
}

fn summary(out: &mut String, report: &Report, layout: &Layout) {
    let paint = layout.paint;
    let title = format!("{:<24} {:>8} {:>11} {:>6}", "goals", "reached", "impossible", "open");
    put(out, format_args!("{}\n", paint.bold(&title)));
    let mut row = |name: &str, tally: Tally| {
        put(
            out,
            format_args!(
                "{name:<24} {:>8} {:>11} {:>6}\n",
                tally.reached, tally.impossible, tally.open
            ),
        );
    };
    for (name, tally) in words::tallies(report) {
        row(name, tally);
    }
    out.push('\n');
    stories::open_goals(out, report, layout);
    put(out, format_args!("{}\n", paint.bold(&words::conclusion(report))));
    if let Some(property) = &report.property {
        let (word, why) = (property.holds.word(), &property.why);
        put(out, format_args!("{}: {}: {why}.\n", property.specification, paint.bold(word)));
    }
    if let Some(harms) = words::harms(report) {
        put(out, format_args!("{harms}\n"));
    }
    put(out, format_args!("{}\n", paint.dim(&cost(report))));
    if !report.findings.is_empty() && layout.kept == Kept::Nowhere {
        let hint = "To keep the inputs for `nanoscope replay`, add --findings DIR or --json FILE.";
        put(out, format_args!("{}\n", paint.dim(hint)));
    }
}

fn cost(report: &Report) -> String {
    let statistics = &report.statistics;
    let mut text = format!("{:.1} s, ", statistics.seconds);
    match &statistics.exploration {
        Some(exploration) => {
            let _ = write!(
                text,
                "{}, {}, {} in {:.1} s, {} in {:.1} s, {}",
                plural(exploration.paths, "path"),
                plural(exploration.instructions, "instruction"),
                match statistics.solver.queries {
                    1 => "1 query".to_string(),
                    queries => format!("{queries} queries"),
                },
                statistics.solver.seconds,
                plural(report.tests.len() as u64, "test"),
                exploration.generation_seconds,
                plural(statistics.search.evaluations, "native run")
            );
        }
        None => text.push_str(&plural(statistics.search.evaluations, "evaluation")),
    }
    if statistics.search.refuted > 0 {
        let _ = write!(
            text,
            ", {} refuted by the original program",
            plural(statistics.search.refuted, "candidate")
        );
    }
    let _ = write!(text, ", seed {}", report.seed);
    text
}

/// A word the shell takes as it is.
fn quoted(word: &str) -> String {
    let harmless = |c: char| c.is_alphanumeric() || "-_./+,:@%=".contains(c);
    if !word.is_empty() && word.chars().all(harmless) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
