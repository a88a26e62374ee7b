//! What the writers make of a report, as snapshots.

mod sample;

use glob::Pattern;
use nanoscope_report::text::{Kept, Layout, Paint, Sources, to_text};
use nanoscope_report::{
    Kind, Place, Report, Rule, Run, Statistics, Subject, Unreadable, fingerprints, from_json,
    kinds_from_text, to_html, to_json, to_junit, to_markdown, to_sarif,
};

/// `mean.c` as the sample report has it; every other file is missing.
struct Memory;

const MEAN: &str = "\
#include <math.h>
double mean(double x, double y) {
\treturn (x + y) / 2.0; /* a tab stands before */
}
double spread(const double *a) {
    return 1 / (1.0 / *a); // and this is a line which goes on and on, well past the end of a terminal's window
";

impl Sources for Memory {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        (file == "mean.c").then(|| MEAN.lines().nth(line as usize - 1).map(str::to_string))?
    }
}

fn text(report: &Report, paint: Paint, kept: Kept) -> String {
    to_text(report, &Layout { paint, width: 80, sources: &Memory, kept, all: true })
}

fn empty() -> Report {
    let run = Run { command: "exceptions".to_string(), seed: 7, subject: Subject::default() };
    Report::new(run, Vec::new(), Vec::new(), Statistics::default())
}

#[test]
fn text_of_everything() {
    insta::assert_snapshot!(text(
        &sample::report(),
        Paint::Plain,
        Kept::Folder("out/".to_string())
    ));
}

/// Findings with one root are told as one story, the worst first.
#[test]
fn text_of_stories() {
    let layout = Layout {
        paint: Paint::Plain,
        width: 80,
        sources: &Memory,
        kept: Kept::Nowhere,
        all: false,
    };
    insta::assert_snapshot!(to_text(&sample::report(), &layout));
}

#[test]
fn text_in_colour() {
    let report = sample::report().only("overflow-mean-3.12-fadd").expect("it is there");
    let coloured = text(&report, Paint::Colour, Kept::Report("it's.json".to_string()));
    insta::assert_snapshot!(coloured.replace('\x1b', "␛"));
}

#[test]
fn text_of_nothing() {
    insta::assert_snapshot!(text(&empty(), Paint::Plain, Kept::Nowhere));
}

#[test]
fn json_of_everything() {
    insta::assert_snapshot!(to_json(&sample::report()));
}

#[test]
fn sarif_of_everything() {
    insta::assert_snapshot!(to_sarif(&sample::report(), &Memory));
}

#[test]
fn junit_of_everything() {
    insta::assert_snapshot!(to_junit(&sample::report()));
}

#[test]
fn markdown_of_everything() {
    insta::assert_snapshot!(to_markdown(&sample::report()));
}

/// Lines that are added above change ids, not fingerprints.
#[test]
fn fingerprints_survive_moved_lines() {
    struct Moved;
    impl Sources for Moved {
        fn line(&self, file: &str, line: u32) -> Option<String> {
            Memory.line(file, line.checked_sub(5)?)
        }
    }
    let before = sample::report();
    let mut after = before.clone();
    for finding in after.findings.iter_mut().filter(|finding| finding.place.line > 0) {
        finding.place.line += 5;
    }
    assert_eq!(fingerprints(&before, &Memory), fingerprints(&after, &Moved));
    let names: std::collections::BTreeSet<String> =
        fingerprints(&before, &Memory).into_values().collect();
    assert_eq!(names.len(), before.findings.len());
}

#[test]
fn html_of_everything() {
    insta::assert_snapshot!(to_html(&sample::report(), &Memory));
}

#[test]
fn html_takes_no_markup_from_the_program() {
    let mut report = sample::report();
    report.findings[0].function = "<script>&\"".to_string();
    let page = to_html(&report, &Memory);
    assert!(page.contains(r#"\u003cscript>&\""#) && !page.contains("<script>&"));
}

#[test]
fn json_is_read_back_as_written() {
    for report in [sample::report(), empty()] {
        assert_eq!(from_json(&to_json(&report)).expect("our own"), report);
    }
}

#[test]
fn json_of_others_is_refused_with_the_reason() {
    let check = |text: &str, reason: &str| {
        let error = from_json(text).expect_err("it is no report");
        assert!(error.to_string().contains(reason), "{error}");
        error
    };
    check("{", "not a Nanoscope report");
    check("{\"schema\": \"nanoscope/1\"}", "missing field `command`");
    let newer = check("{\"schema\": \"nanoscope/9\"}", "nanoscope/9");
    assert!(matches!(newer, Unreadable::Schema(_)));
    let unconfirmed =
        to_json(&sample::report()).replacen("\"confirmed\": true", "\"confirmed\": false", 1);
    check(&unconfirmed, "an unconfirmed finding is not a finding");
}

/// A rule for functions that are not there is not needed, whatever is open in others.
#[test]
fn rules_that_nothing_needs_are_noted() {
    let rule = |function: &str, kind: &str| Rule {
        kinds: kinds_from_text(kind).unwrap(),
        function: Some(Pattern::new(function).unwrap()),
        file: None,
        lines: None,
        reason: function.to_owned(),
        by: Place { file: "n.toml".into(), line: 1, column: 0 },
    };
    let open = sample::report();
    let open =
        open.verdicts.iter().find(|it| it.kind == Kind::Invalid && it.why.contains("not nearer"));
    let open = open.unwrap().function.as_str();
    let rules = [rule("nobody*", "invalid"), rule(open, "invalid"), rule("none*", "all")];
    let noted = |whole: bool| {
        let report = sample::report().suppressing(&rules, &Memory, whole);
        let notes = report.notes.iter().filter(|note| note.place.file == "n.toml");
        notes.map(|note| note.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(noted(true).len(), 2, "{:?}", noted(true));
    assert!(noted(true).iter().all(|text| text.contains("(no")), "{:?}", noted(true));
    assert!(noted(false).is_empty());
}
