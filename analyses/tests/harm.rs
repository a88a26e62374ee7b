//! What exceptions do, on functions with known answers; simple inputs; what the user assumes.

use nanoscope_analyses::{Source, exceptions};
use nanoscope_program::Fault;
use nanoscope_report::{Effect, Finding, Kind, Outcome, Report, Status};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn options(function: &str) -> exceptions::Options {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects/harm.c");
    exceptions::Options {
        source: Source {
            files: vec![file],
            flags: vec!["-O1".to_owned(), "-lm".to_owned()],
            ..Source::default()
        },
        functions: vec![function.to_owned()],
        contracts: exceptions::Contracts::default(),
        time_limit: Some(Duration::from_secs(300)),
        function_time: None,
        evaluations: Some(100_000),
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

#[track_caller]
fn finding<'r>(report: &'r Report, kind: Kind, operation: &str) -> &'r Finding {
    let found = report.findings.iter().find(|f| f.kind == kind && f.operation == operation);
    found.unwrap_or_else(|| panic!("no {kind:?} of {operation} in {:#?}", report.findings))
}

#[track_caller]
fn check(report: &Report, kind: Kind, operation: &str, effect: Effect, avoidable: Option<bool>) {
    let found = finding(report, kind, operation);
    let harm = found.details.harm.as_ref().expect("it was judged");
    assert_eq!((harm.effect, harm.avoidable), (effect, avoidable), "{found:#?}");
}

/// What constructors have computed is there in exact arithmetic, too, rounded as the program has it.
#[test]
fn variables_that_constructors_compute() {
    let mut options = options("through_list");
    options.functions.push("by_seed".to_owned());
    let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects");
    options.source.files = vec![subjects.join("constructed.cpp")];
    let report = run(&options);
    let poles: Vec<&Finding> =
        report.findings.iter().filter(|found| found.kind == Kind::DivideByZero).collect();
    assert_eq!(poles.len(), 2, "{:#?}", report.findings);
    for pole in poles {
        let harm = pole.details.harm.as_ref().expect("it was judged");
        assert_eq!(harm.effect, Effect::Unavoidable, "the divisor is zero in reals: {pole:#?}");
    }
}

#[test]
fn an_overflow_behind_an_ordinary_result() {
    let report = run(&options("damped"));
    check(&report, Kind::Overflow, "fmul", Effect::SilentlyWrong, Some(true));
    let first = &report.findings[0];
    assert_eq!(first.kind, Kind::Overflow, "the most harmful comes first");
    let harm = first.details.harm.as_ref().expect("it was judged");
    assert!(harm.exact[0].error.expect("both are finite") > 0.5, "{harm:?}");
}

#[test]
fn a_length_whose_square_does_not_fit() {
    let report = run(&options("length"));
    check(&report, Kind::Overflow, "fmul", Effect::Spoilt, Some(true));
    check(&report, Kind::Underflow, "fmul", Effect::SilentlyWrong, Some(true));
    let overflow = finding(&report, Kind::Overflow, "fmul");
    let inputs: Vec<&str> = overflow.inputs.iter().map(|input| input.value.as_str()).collect();
    assert!(inputs.contains(&"0") && inputs.contains(&"2e+154"), "{inputs:?}");
    let harm = overflow.details.harm.as_ref().expect("it was judged");
    assert_eq!((harm.exact[0].name.as_str(), harm.exact[0].value.as_str()), ("return", "2e+154"));
}

#[test]
fn an_underflow_that_is_absorbed() {
    let report = run(&options("above_one"));
    check(&report, Kind::Underflow, "fmul", Effect::Harmless, Some(true));
    check(&report, Kind::Overflow, "fmul", Effect::Unavoidable, Some(false));
    assert_eq!(report.findings[0].kind, Kind::Overflow, "harmless ones come last");
}

#[test]
fn a_result_that_is_too_large_itself() {
    let report = run(&options("square"));
    check(&report, Kind::Overflow, "fmul", Effect::Unavoidable, Some(false));
    check(&report, Kind::Underflow, "fmul", Effect::Unavoidable, Some(false));
    assert_eq!(finding(&report, Kind::Overflow, "fmul").inputs[0].value, "2e+154");
}

#[test]
fn an_error_that_is_reported() {
    let mut options = options("square_e");
    options.contracts.status_ok = vec!["square_e: ret == 0".to_owned()];
    let report = run(&options);
    check(&report, Kind::Overflow, "fmul", Effect::Reported, Some(false));
    options.contracts.status_ok = Vec::new();
    check(&run(&options), Kind::Overflow, "fmul", Effect::Unavoidable, Some(false));
}

#[test]
fn what_cannot_be_judged_says_why() {
    let report = run(&options("through"));
    check(&report, Kind::Overflow, "fmul", Effect::Unclassified, None);
    let harm = finding(&report, Kind::Overflow, "fmul").details.harm.as_ref();
    assert_eq!(harm.expect("it is there").why, "it calls `strtod`, which is not modelled");
}

#[test]
fn an_integer_that_c_does_not_define() {
    let report = run(&options("bin"));
    check(&report, Kind::DivideByZero, "fdiv", Effect::Undefined, None);
    check(&report, Kind::Invalid, "fdiv", Effect::Undefined, None);
    check(&report, Kind::ConversionOutOfRange, "fptosi", Effect::Undefined, None);
    check(&report, Kind::Underflow, "fdiv", Effect::Harmless, Some(true));
    assert_eq!(report.findings[0].severity().word(), "error");
}

/// Exact arithmetic has no `unsigned char` for 300 either: nothing is said of it.
#[test]
fn a_narrow_integer_that_c_does_not_define() {
    let report = run(&options("steps"));
    for (kind, operation) in [(Kind::ConversionOutOfRange, "fptoui"), (Kind::DivideByZero, "fdiv")]
    {
        check(&report, kind, operation, Effect::Undefined, None);
        let harm = finding(&report, kind, operation).details.harm.as_ref();
        assert!(harm.expect("it was judged").exact.is_empty(), "{harm:?}");
    }
}

#[test]
fn assumptions_are_kept_and_told() {
    let mut options = options("square");
    options.contracts.assume = vec!["x < 0 && x > -1e100 && x * 4 != -4".to_owned()];
    let report = run(&options);
    let kinds: Vec<Kind> = report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [Kind::Underflow]);
    let x: f64 = report.findings[0].inputs[0].value.parse().expect("a number");
    assert!(x < 0.0 && x > -1e100, "{x}");
    assert!(report.notes.iter().any(|note| note.text.starts_with("assumed: x < 0")));
    for (said, reason) in [
        ("y > 0", "no input is called `y`; there are: x"),
        ("length: x > 0", "`length` is not among the functions analysed"),
        ("x >", "an expression is missing"),
    ] {
        options.contracts.assume = vec![said.to_owned()];
        match exceptions::run(&options, &|_| ()) {
            Err(Fault::User(why)) => assert!(why.contains(reason), "{why}"),
            other => panic!("{said}: {other:?}"),
        }
    }
}

#[test]
fn only_the_first_exception_of_a_run() {
    let mut options = options("after");
    let outcome = |report: &Report, kind: Kind| {
        let verdict = report.verdicts.iter().find(|v| v.kind == kind && v.operation == "fsub");
        verdict.expect("it was asked").outcome
    };
    assert_eq!(outcome(&run(&options), Kind::Invalid), Outcome::Reached);
    options.stop_at_first = true;
    let report = run(&options);
    // A NaN takes two infinities, and an infinity an overflow before it: following all paths tells.
    assert_eq!(outcome(&report, Kind::Invalid), Outcome::Impossible);
    assert!(report.findings.iter().any(|finding| finding.kind == Kind::Overflow));
}

#[test]
fn what_is_settled_is_handed_out_all_along() {
    let kept: Mutex<Vec<Report>> = Mutex::new(Vec::new());
    let keep = |report: &Report| kept.lock().expect("nobody panics").push(report.clone());
    let report =
        exceptions::run_keeping(&options("square"), &|_| (), &keep).expect("it is a good program");
    let kept = kept.into_inner().expect("nobody panics");
    assert!(kept.len() >= 2 && kept[0].goals.total == 0);
    assert!(kept.iter().all(|report| report.status == Status::Stopped));
    assert_eq!(kept[1].goals.total, report.goals.total);
}
