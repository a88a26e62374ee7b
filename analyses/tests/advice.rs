//! Rewritings that are told: those that avoid the exception, and no others.

use nanoscope_analyses::{Source, exceptions};
use nanoscope_program::{Wish, Wishes};
use nanoscope_report::{Effect, Finding, Kind, Report};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn run(function: &str, ranges: &[(&str, &str, &str)]) -> Report {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects/advice.c");
    let range = |(name, low, high): &(&str, &str, &str)| Wish {
        function: None,
        name: (*name).to_owned(),
        value: ((*low).to_owned(), (*high).to_owned()),
    };
    let options = exceptions::Options {
        source: Source {
            files: vec![file],
            flags: vec!["-O1".to_owned(), "-lm".to_owned()],
            wishes: Wishes { ranges: ranges.iter().map(range).collect(), ..Wishes::default() },
            ..Source::default()
        },
        functions: vec![function.to_owned()],
        contracts: exceptions::Contracts::default(),
        time_limit: Some(Duration::from_secs(600)),
        function_time: None,
        evaluations: Some(30_000),
        engines: vec![exceptions::Engine::Search],
        seed: 1,
        jobs: 1,
        stop_at_first: false,
        polish: true,
        following: Default::default(),
        stop: Arc::new(AtomicBool::new(false)),
    };
    exceptions::run(&options, &|_| ()).unwrap_or_else(|fault| panic!("{fault}"))
}

/// What is told of the worst finding of a kind: the formulas to write, none where there is no advice.
#[track_caller]
fn check(function: &str, ranges: &[(&str, &str, &str)], kind: Kind, expected: &[&str]) {
    let report = run(function, ranges);
    let wrong = |finding: &&Finding| {
        let effect = finding.details.harm.as_ref().map(|harm| harm.effect);
        let is_wrong = matches!(effect, Some(Effect::Spoilt | Effect::SilentlyWrong));
        finding.kind == kind && is_wrong
    };
    let finding = report.findings.iter().find(wrong);
    let finding = finding.unwrap_or_else(|| panic!("no {kind:?}: {:#?}", report.findings));
    let told: Vec<&str> = match &finding.details.advice {
        Some(advice) => {
            assert!(advice.inputs > 0 && advice.evaluations > 0, "{advice:?}");
            advice.steps.iter().map(|step| step.after.as_str()).collect()
        }
        None => Vec::new(),
    };
    assert_eq!(told, expected, "{function}: {finding:#?}");
}

#[test]
fn squares_under_a_root() {
    check("distance", &[], Kind::Overflow, &["hypot(x, y)"]);
    check("norm", &[], Kind::Overflow, &["sum", "hypot(sum, v[i])"]);
}

#[test]
fn averages() {
    check("middle", &[], Kind::Overflow, &["a / 2 + b / 2"]);
    check("mean", &[], Kind::Overflow, &["sum", "sum + x[i] / n"]);
}

#[test]
fn exponentials() {
    check("logistic", &[], Kind::Overflow, &["1 / (exp(-x) + 1)"]);
    check("bose", &[], Kind::DivideByZero, &["expm1(x)"]);
}

#[test]
fn what_helps_on_some_inputs_only_is_told_for_these() {
    check("share", &[], Kind::Overflow, &[]);
    let large = [("a", "1", "1e300"), ("b", "1", "1e300"), ("c", "1e200", "1e300")];
    check("share", &large, Kind::Overflow, &["a * (b / c)"]);
}

#[test]
fn a_result_out_of_range_has_no_advice() {
    let report = run("power", &[]);
    assert!(report.findings.iter().any(|finding| finding.kind == Kind::Overflow));
    let advice = report.findings.iter().find_map(|finding| finding.details.advice.as_ref());
    assert_eq!(advice, None);
}

#[test]
fn what_stands_in_another_function_is_not_guessed_at() {
    let report = run("through_calls", &[]);
    let advice = report.findings.iter().find_map(|finding| finding.details.advice.as_ref());
    assert_eq!(advice, None);
}
