//! Goals that neither ranges nor search settle: found, or excluded, path by path.

use nanoscope_analyses::{Source, exceptions};
use nanoscope_report::{Kind, Outcome, Report, Status};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn options(file: &str) -> exceptions::Options {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects").join(file);
    exceptions::Options {
        source: Source { files: vec![file], ..Source::default() },
        functions: Vec::new(),
        contracts: exceptions::Contracts::default(),
        time_limit: Some(Duration::from_secs(120)),
        function_time: None,
        evaluations: Some(200_000),
        engines: exceptions::USUAL.to_vec(),
        seed: 1,
        jobs: 1,
        stop_at_first: false,
        polish: true,
        following: Default::default(),
        stop: Arc::new(AtomicBool::new(false)),
    }
}

fn run(options: &exceptions::Options) -> Report {
    exceptions::run(options, &|_| ()).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Among the goals of this kind in a function, one ended so.
fn check(report: &Report, function: &str, kind: Kind, outcome: Outcome) {
    let asked = report.verdicts.iter().filter(|v| v.function == function && v.kind == kind);
    let outcomes: Vec<Outcome> = asked.map(|verdict| verdict.outcome).collect();
    assert!(outcomes.contains(&outcome), "{function}, {kind:?}: {outcomes:?}");
}

#[test]
fn what_bits_guard_is_found() {
    let report = run(&options("stubborn.c"));
    check(&report, "checksum", Kind::DivideByZero, Outcome::Reached);
    check(&report, "key", Kind::Invalid, Outcome::Reached);
    assert_eq!(report.findings.len(), 2);
    let engine = |function: &str| {
        let finding = report.findings.iter().find(|finding| finding.function == function);
        finding.map(|finding| finding.engine.as_str())
    };
    assert_eq!(engine("checksum"), Some("exploration"));
    // All else cannot happen, and it takes all paths to know that.
    assert_eq!(report.status, Status::Exhausted);
}

#[test]
fn what_no_path_raises_is_impossible() {
    let report = run(&options("exhausted.c"));
    check(&report, "odd", Kind::DivideByZero, Outcome::Impossible);
    let proofs = report.verdicts.iter().flat_map(|verdict| &verdict.proof);
    let by_paths = proofs.clone().find(|proof| proof.engine == "exploration");
    let proof = by_paths.expect("ranges do not know that odd numbers are not zero");
    assert!(proof.assumptions.iter().any(|text| text.contains("round to nearest")));
    assert_eq!(report.status, Status::Exhausted);
}

#[test]
fn what_is_assumed_is_part_of_every_path() {
    let mut options = options("assumed.c");
    let report = run(&options);
    check(&report, "ordered", Kind::DivideByZero, Outcome::Reached);
    check(&report, "inside", Kind::DivideByZero, Outcome::Reached);
    options.contracts.assume =
        vec!["ordered: y >= x".into(), "inside: x * x + y * y < 1 && fabs(x) < 10".into()];
    let report = run(&options);
    check(&report, "ordered", Kind::DivideByZero, Outcome::Impossible);
    check(&report, "inside", Kind::DivideByZero, Outcome::Impossible);
    let verdict = report.verdicts.iter().find(|v| v.kind == Kind::DivideByZero);
    let proof = verdict.and_then(|verdict| verdict.proof.as_ref()).expect("a proof");
    assert_eq!(proof.engine, "exploration");
    assert!(proof.assumptions.iter().any(|text| text == "y >= x"), "{proof:?}");
}

#[test]
fn what_is_assumed_holds_of_findings() {
    // Together these leave no input: candidates that break them are not run.
    let mut options = options("stubborn.c");
    options.functions = vec!["checksum".into()];
    options.contracts.assume = vec!["checksum: x * x < 0.0 || y > 5.0 && y < 6.0".into()];
    let report = run(&options);
    for finding in &report.findings {
        let y = finding.inputs.iter().find(|input| input.name == "y").expect("an input");
        let y: f64 = y.value.parse().expect("a decimal");
        assert!(y > 5.0 && y < 6.0, "{y}");
    }
    let settled = report.verdicts.iter().filter(|v| v.outcome == Outcome::Impossible);
    for proof in settled.filter_map(|verdict| verdict.proof.as_ref()) {
        let named = proof.assumptions.iter().any(|text| text.contains("y > 5.0"));
        assert!(named || proof.engine == "constants", "{proof:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let mut reports = [run(&options("stubborn.c")), run(&options("stubborn.c"))];
    for report in &mut reports {
        report.statistics = Default::default();
    }
    assert_eq!(reports[0], reports[1]);
}
