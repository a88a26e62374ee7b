//! Precision on functions with known answers.

use nanoscope_analyses::precision::{self, Ends, InputError, Model, Options, Rounds, Threshold};
use nanoscope_analyses::{Source, exceptions};
use nanoscope_ieee::Rounding;
use nanoscope_program::{Wish, Wishes};
use nanoscope_report::{Finding, Kind, Outcome, OutputError, Report};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn options(function: &str, ranges: &[(&str, &str, &str)]) -> Options {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects/precision.c");
    let ranges = ranges.iter().map(|(name, low, high)| Wish {
        function: None,
        name: (*name).to_owned(),
        value: ((*low).to_owned(), (*high).to_owned()),
    });
    let arrays = vec![Wish { function: None, name: "x".to_owned(), value: 8.into() }];
    Options {
        source: Source {
            files: vec![file],
            flags: vec!["-O1".to_owned(), "-lm".to_owned()],
            wishes: Wishes { ranges: ranges.collect(), arrays, ..Wishes::default() },
            ..Source::default()
        },
        functions: vec![function.to_owned()],
        contracts: exceptions::Contracts::default(),
        threshold: Threshold::Relative(1e-3),
        input_errors: Vec::new(),
        rounding: Rounds::To(Rounding::NearestEven),
        model: Model::Taylor,
        ranges: true,
        ends: Ends::Both,
        time_limit: Some(Duration::from_secs(300)),
        function_time: None,
        evaluations: Some(60_000),
        blind: false,
        seed: 1,
        jobs: 1,
        stop: Arc::new(AtomicBool::new(false)),
    }
}

fn run(options: &Options) -> Report {
    precision::run(options, &|_| ()).unwrap_or_else(|fault| panic!("{fault}"))
}

fn returned(report: &Report) -> &OutputError {
    report.errors.iter().find(|error| error.output == "return").expect("it returns a float")
}

#[track_caller]
fn found(report: &Report, kind: Kind, line: u32) -> &Finding {
    let found = report.findings.iter().find(|f| f.kind == kind && f.place.line == line);
    let all = || report.findings.iter().map(|f| (f.kind, f.place.line)).collect::<Vec<_>>();
    found.unwrap_or_else(|| panic!("no {kind:?} in line {line}, but {:?}", all()))
}

/// A formula that loses its digits in a line.
#[track_caller]
fn loses(function: &str, ranges: &[(&str, &str, &str)], line: u32) {
    let report = run(&options(function, ranges));
    assert_eq!(returned(&report).verdict, Outcome::Reached, "{function}");
    let lost = report.findings.iter().any(|f| {
        matches!(f.kind, Kind::Cancellation | Kind::PrecisionLoss) && f.place.line == line
    });
    assert!(
        lost,
        "{function}: {:?}",
        report.findings.iter().map(|f| f.place.line).collect::<Vec<_>>()
    );
}

#[test]
fn formulas_that_lose_their_digits() {
    loses("smaller_root", &[("b", "1", "1e9"), ("c", "1", "10")], 6);
    loses("one_cosine", &[("x", "1e-9", "1")], 18);
    loses("variance", &[("x", "1", "1e6")], 34);
}

#[test]
fn the_operations_that_an_error_comes_from_are_named() {
    let report = run(&options("one_cosine", &[("x", "1e-9", "1")]));
    let first = &returned(&report).sources[0];
    assert_eq!((first.operation.as_str(), first.place.line), ("cos", 17));
    assert!(first.share > 0.9 && first.amplification == 1.0, "{first:?}");
    // The subtraction is exact: it uncovers the error.
    found(&report, Kind::Cancellation, 18);
}

/// The motivating example of F-Soft: three of its inputs are no floats.
const CONTROL: [(&str, &str, &str); 6] = [
    ("a1", "37639840", "37639840"),
    ("a2", "29180479", "29180479"),
    ("b1", "-46099201", "-46099201"),
    ("b2", "-35738642", "-35738642"),
    ("c1", "0", "0"),
    ("c2", "1", "1"),
];

#[test]
fn real_inputs_are_rounded_on_entry() {
    let mut options = options("control_value", &CONTROL);
    options.ends = Ends::Show;
    options.input_errors =
        vec![Wish { function: None, name: "*".to_owned(), value: InputError::HalfUlp }];
    let report = run(&options);
    let error = returned(&report);
    assert_eq!(error.convention, "real-inputs");
    let shown = error.shown.as_ref().expect("it was run");
    assert_eq!(shown.exact, "-46099201");
    options.functions = vec!["control".to_owned()];
    let report = run(&options);
    found(&report, Kind::UnstableBranch, 56);
}

#[test]
fn on_the_floats_that_they_round_to_nothing_flips() {
    let mut options = options("control_value", &CONTROL);
    options.ends = Ends::Show;
    let shown = returned(&run(&options)).shown.clone().expect("it was run");
    assert_eq!(shown.exact, "0.5");
    options.functions = vec!["control".to_owned()];
    let report = run(&options);
    assert!(report.findings.iter().all(|finding| finding.kind != Kind::UnstableBranch));
}

#[test]
fn an_integer_that_rounding_decides() {
    let mut options = options("cents", &[("amount", "0.01", "10")]);
    options.input_errors =
        vec![Wish { function: None, name: "amount".to_owned(), value: InputError::HalfUlp }];
    let report = run(&options);
    let finding = found(&report, Kind::UnstableConversion, 47);
    assert!(!finding.details.more["window"].as_str().unwrap_or("").is_empty(), "{finding:?}");
}

#[test]
fn another_rounding_mode() {
    let mut options = options("total", &[("x", "1", "2")]);
    options.threshold = Threshold::Ulps(1.5);
    options.ends = Ends::Show;
    // To nearest, seven additions are off by three and a half ulps at most; upward, by more.
    let nearest = returned(&run(&options)).shown.clone().expect("it was run");
    options.rounding = Rounds::To(Rounding::Upward);
    let upward = returned(&run(&options)).shown.clone().expect("it was run");
    let ulps = |shown: &nanoscope_report::ShownError| shown.ulps.parse::<f64>().expect("a number");
    assert!(ulps(&upward) > ulps(&nearest), "{} and {}", upward.ulps, nearest.ulps);
    let (computed, exact) = (upward.computed.expect("a number").value, upward.exact);
    let (computed, exact): (f64, f64) =
        (computed.parse().expect("a number"), exact.parse().expect("a number"));
    // The exact value is printed with 15 digits.
    assert!(computed >= exact * (1.0 - 1e-14), "{computed} {exact}");
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let mut options = options("one_cosine", &[("x", "1e-9", "1")]);
    options.evaluations = Some(5000);
    let (first, second) = (run(&options), run(&options));
    assert_eq!(first.findings, second.findings);
    assert_eq!(first.errors, second.errors);
}

/// A formula whose error is proved to be below the threshold.
#[track_caller]
fn is_proved(function: &str, ranges: &[(&str, &str, &str)]) -> OutputError {
    let mut options = options(function, ranges);
    options.evaluations = Some(6000);
    let report = run(&options);
    let error = returned(&report).clone();
    assert_eq!(error.verdict, Outcome::Impossible, "{function}: {error:#?}");
    error
}

#[test]
fn stable_formulas_are_proved() {
    is_proved("smaller_root_stable", &[("b", "10", "1e6"), ("c", "1", "10")]);
    is_proved("one_cosine_stable", &[("x", "1e-3", "1")]);
    let sum = is_proved("total", &[("x", "1", "2")]);
    let number = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<f64>().ok());
    let proved = number(&sum.proved.absolute).expect("a bound");
    let shown: f64 = sum.shown.expect("it was run").absolute.parse().expect("a number");
    assert!(shown <= proved && proved < 40.0 * shown, "{shown} {proved}");
}

#[test]
fn the_steps_of_the_motivating_example() {
    let ranges = [
        ("a1", "1", "1e8"),
        ("a2", "1", "1e8"),
        ("b1", "-1e8", "-1"),
        ("b2", "-1e8", "-1"),
        ("c1", "0", "1"),
        ("c2", "0", "1"),
    ];
    let report = run(&options("control", &ranges));
    let verdict = |line: u32| {
        let all = report.verdicts.iter().filter(|verdict| verdict.place.line == line);
        all.map(|verdict| verdict.outcome).min().expect("it is asked about")
    };
    assert_eq!((verdict(52), verdict(53)), (Outcome::Impossible, Outcome::Impossible));
    assert_eq!((verdict(54), verdict(55)), (Outcome::Reached, Outcome::Reached));
    // Rounding decides the branch on floats, too.
    found(&report, Kind::UnstableBranch, 56);
    // A divisor that rounds to zero, though it is none: the quotient is infinite.
    let lost = found(&report, Kind::PrecisionLoss, 55);
    assert!(lost.details.computed.as_ref().is_some_and(|x| x.is_infinite()), "{lost:?}");
}

#[test]
fn without_a_range_showing_goes_on() {
    let mut options = options("one_cosine", &[]);
    options.evaluations = Some(30_000);
    let report = run(&options);
    let error = returned(&report);
    assert_eq!(error.verdict, Outcome::Reached);
    options.ends = Ends::Prove;
    let report = run(&options);
    assert_eq!(returned(&report).why, "unbounded input x");
}

/// A function of `formulas.c`, with so many evaluations.
fn formula(function: &str, ranges: &[(&str, &str, &str)], evaluations: u64) -> Options {
    let mut options = options(function, ranges);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects/formulas.c");
    options.source.files = vec![file];
    options.source.wishes.arrays[0].value = if function == "deviation" { 8 } else { 64 }.into();
    options.evaluations = Some(evaluations);
    options
}

/// What the formulas of textbooks lose, and in which line.
#[test]
fn well_known_formulas_lose_their_digits() {
    type Loss = (&'static str, &'static [(&'static str, &'static str, &'static str)], u32);
    let losses: [Loss; 6] = [
        ("root", &[("a", "1", "10"), ("b", "1e3", "1e9"), ("c", "1", "10")], 6),
        ("sine", &[("x", "1e-9", "1")], 17),
        ("heron", &[("a", "1", "10"), ("b", "1", "10"), ("c", "1", "10")], 29),
        (
            "distance",
            &[("lat1", "0", "1"), ("lat2", "0", "1"), ("lon1", "0", "1"), ("lon2", "0", "1")],
            67,
        ),
        ("softmax", &[("x", "-1e3", "1e3"), ("y", "-1e3", "1e3"), ("z", "-1e3", "1e3")], 79),
        ("logsumexp", &[("x", "-1e3", "1e3"), ("y", "-1e3", "1e3")], 95),
    ];
    for (function, ranges, line) in losses {
        let report = run(&formula(function, ranges, 40_000));
        assert_eq!(returned(&report).verdict, Outcome::Reached, "{function}");
        let lines: Vec<u32> = report.findings.iter().map(|f| f.place.line).collect();
        let named = lines.contains(&line)
            || report
                .verdicts
                .iter()
                .any(|v| v.place.line == line && v.outcome == Outcome::Reached);
        assert!(named, "{function}: not line {line} but {lines:?}");
    }
}

/// What better formulas keep.
#[test]
fn their_better_formulas_are_proved() {
    let proved = |options: &Options| {
        let report = run(options);
        let error = returned(&report).clone();
        assert_eq!(error.verdict, Outcome::Impossible, "{:?}: {error:#?}", options.functions);
    };
    let few = 3000;
    proved(&formula(
        "root_stable",
        &[("a", "1", "10"), ("b", "100", "1e9"), ("c", "1", "10")],
        few,
    ));
    proved(&formula("sine_stable", &[("x", "1e-9", "1")], few));
    proved(&formula("sum", &[("x", "0", "1")], few));
    proved(&formula("sum_kahan", &[("x", "1", "2")], few));
    let gains = [("kp", "1", "10"), ("ki", "1", "10"), ("integral", "0", "1e3")];
    let state = [("set", "50", "100"), ("measured", "0", "40")];
    proved(&formula("pid", &[gains.as_slice(), state.as_slice()].concat(), few));
    let all = [("x", "-100", "100"), ("y", "-100", "100"), ("z", "-100", "100")];
    proved(&formula("softmax_stable", &all, few));
    proved(&formula("logsumexp_stable", &[("x", "1", "1e3"), ("y", "1", "1e3")], few));
    let mut triangle =
        formula("heron_stable", &[("a", "5", "10"), ("b", "4", "10"), ("c", "1", "10")], few);
    triangle.contracts.assume = vec!["a >= b && b >= c && a < b + c".to_owned()];
    proved(&triangle);
    let places = [("lat1", "0", "1"), ("lat2", "0", "1"), ("lon1", "0", "1"), ("lon2", "0", "1")];
    let mut metres = formula("haversine", &places, few);
    metres.threshold = Threshold::Absolute(1e-6);
    proved(&metres);
    let mut deviation = formula("deviation", &[("x", "0", "1")], few);
    deviation.threshold = Threshold::Absolute(1e-12);
    proved(&deviation);
}

/// A search finds roundings that add up, in a sum near to the bound.
#[test]
fn roundings_of_a_sum_add_up() {
    let mut options = formula("sum", &[("x", "0", "1")], 40_000);
    options.threshold = Threshold::Absolute(1e-3);
    let report = run(&options);
    let error = returned(&report);
    let number = |text: &String| text.parse::<f64>().expect("a number");
    let shown = number(&error.shown.as_ref().expect("it was run").absolute);
    let proved = number(error.proved.absolute.as_ref().expect("a bound"));
    assert!(shown <= proved && proved < 4.0 * shown, "{shown} {proved}");
}

/// A call that reports failure is not judged; outputs that are no results are not measured.
#[test]
fn what_the_user_says_of_results_counts() {
    let mut options = options("one_cosine", &[("x", "1e-9", "1")]);
    options.evaluations = Some(6000);
    options.contracts.status_ok = vec!["ret > 1e-3".to_owned()];
    let report = run(&options);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    options.contracts.status_ok.clear();
    let value = Wish { function: None, name: "ret".to_owned(), value: () };
    options.contracts.values = vec![value];
    assert_eq!(run(&options).errors.len(), 1);
}

/// Branches whose sides meet where rounding decides between them cost no more than roundings.
#[test]
fn continuous_branches_are_proved_to_be_so() {
    let gains = [("e", "-50", "50"), ("i", "-100", "100"), ("kp", "0.5", "2"), ("ki", "0.1", "1")];
    let both = [("x", "-2", "2"), ("y", "-2", "2")];
    let first = [("x", "0", "1"), ("y", "0", "1")];
    type Bounded<'a> = (&'a str, &'a [(&'a str, &'a str, &'a str)], f64);
    let bounded: [Bounded; 6] = [
        ("limited", &gains, 1e-13),
        ("steps", &[("x", "-8", "8")], 1e-13),
        ("deadband", &both, 1e-15),
        ("magnitudes", &[("x", "-8", "8")], 1e-12),
        // The last round is made or not: what it still changes is an error.
        ("newton", &[("a", "1", "4")], 1e-2),
        // One that jumps has all of the jump.
        ("jump", &first, 0.7500001),
    ];
    for (function, ranges, most) in bounded {
        let mut options = options(function, ranges);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects/branches.c");
        options.source.files = vec![file];
        options.source.wishes.arrays[0].value = 4.into();
        options.ends = Ends::Prove;
        let report = run(&options);
        let error = returned(&report);
        let proved = error.proved.absolute.as_ref().and_then(|text| text.parse::<f64>().ok());
        assert!(proved.is_some_and(|bound| bound <= most), "{function}: {proved:?} {}", error.why);
        assert!(function != "jump" || proved >= Some(0.75));
    }
}

/// Two million operations in all: no graph holds them, but the helper's are there once.
#[test]
fn a_helper_that_is_called_often_is_looked_at_once() {
    let options = Options { ends: Ends::Prove, ..options("helped", &[("x", "0", "1")]) };
    let report = run(&options);
    let error = returned(&report);
    assert_eq!(error.verdict, Outcome::Impossible, "{}", error.why);
    let proved: f64 = error.proved.absolute.as_ref().expect("a bound").parse().expect("a number");
    assert!(proved > 1e-16 && proved < 1e-10, "{proved:e}");
}

/// Which entry of a table is read depends on a float: each is a way of its own.
#[test]
fn tables_are_looked_up_in_ways() {
    let options = Options { ends: Ends::Prove, ..options("interpolated", &[("x", "0.5", "9.99")]) };
    let report = run(&options);
    let error = returned(&report);
    assert_eq!(error.verdict, Outcome::Impossible, "{}", error.why);
    let proved: f64 = error.proved.absolute.as_ref().expect("a bound").parse().expect("a number");
    assert!(proved > 1e-15 && proved < 1e-13, "{proved:e}");
}

/// Ranges know that a state stays between its inputs: without them the divisor may be zero.
#[test]
fn ranges_bound_a_divisor() {
    let mut with = options("adapted", &[("x", "1", "2"), ("gain", "0", "1")]);
    with.source.wishes.arrays.push(Wish {
        function: None,
        name: "gain".to_owned(),
        value: 8.into(),
    });
    with.ends = Ends::Prove;
    let report = run(&with);
    let error = returned(&report);
    assert_eq!(error.verdict, Outcome::Impossible, "{}", error.why);
    assert!(error.why.contains("narrowed by ranges"), "{}", error.why);
    let report = run(&Options { ranges: false, ..with });
    assert_ne!(returned(&report).verdict, Outcome::Impossible);
}

/// Rounding takes an argument out of a function's domain: NaN where the exact result is a number.
#[test]
fn lost_numbers_are_sought() {
    let inputs = ["a", "b", "c", "d"].map(|name| (name, "1", "9"));
    let searched =
        Options { ends: Ends::Show, evaluations: Some(120_000), ..options("angle", &inputs) };
    let report = run(&searched);
    let shown = returned(&report).shown.as_ref().expect("it is shown");
    assert_eq!(shown.absolute, "inf", "{shown:?}");
}

/// Integers that are divided are followed by their values.
#[test]
fn counts_are_divided() {
    let inputs = [("x", "1", "2"), ("n", "1", "8")];
    let report = run(&Options { ends: Ends::Prove, ..options("middle", &inputs) });
    let error = returned(&report);
    assert_eq!(error.verdict, Outcome::Impossible, "{}", error.why);
}

/// A loop whose length is an input has both ends; beyond what is unrolled, that is said.
#[test]
fn loops_of_many_lengths() {
    let ranges = [("x", "0", "1"), ("n", "1", "1000")];
    let report = run(&Options { evaluations: Some(2_000), ..options("multiples", &ranges) });
    let error = returned(&report);
    let proved = number(error.proved.absolute.as_deref());
    let shown = number(error.shown.as_ref().map(|shown| shown.absolute.as_str()));
    assert!(0.0 < shown && shown <= proved && proved < 1e-7, "{shown:e} and {proved:e}");
    let ranges = [("x", "0", "1"), ("n", "1", "5000")];
    let report = run(&Options { evaluations: Some(200), ..options("multiples", &ranges) });
    let error = returned(&report);
    assert!(error.verdict == Outcome::Open && error.why.starts_with("loop"), "{}", error.why);
}

/// An ulp is one of the result's format.
#[test]
fn ulps_of_kernels() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, precision, verdict) in [
        ("narrow", "binary32", Outcome::Impossible),
        ("wide", "binary64", Outcome::Impossible),
        ("scaled", "(float 8 20)", Outcome::Impossible),
    ] {
        let file = folder.join(format!("{name}.fpcore"));
        let text = format!(
            "(FPCore (x y) :precision {precision} :pre (and (<= 1 x 2) (<= 1 y 2)) (+ x y))"
        );
        std::fs::write(&file, text).expect("a file is written");
        let mut options = options("", &[]);
        options.source = Source { files: vec![file], ..Source::default() };
        options.functions.clear();
        options.threshold = Threshold::Ulps(1.5);
        options.evaluations = Some(1_000);
        let report = run(&options);
        assert_eq!(report.errors[0].verdict, verdict, "{precision}: {}", report.errors[0].why);
    }
}

/// Bounds are of runs that return: an assertion narrows the inputs, and what one side of a branch
/// excludes is not excluded on the other.
#[test]
fn runs_that_end_early_have_no_error() {
    let report = run(&options("asserted", &[("x", "-10", "10")]));
    let error = returned(&report);
    assert_eq!(error.verdict, Outcome::Impossible, "{}", error.why);
    let proved = number(error.proved.absolute.as_deref());
    assert!(proved < 1e-15, "{proved:e}");
    assert!(report.notes.iter().any(|note| note.text.contains("runs that return")));

    let report = run(&options("guarded", &[("x", "-1", "1"), ("y", "0", "4")]));
    let error = returned(&report);
    let proved = number(error.proved.absolute.as_deref());
    let shown = number(error.shown.as_ref().map(|shown| shown.absolute.as_str()));
    assert!(2e-16 < shown && shown <= proved && proved < 1e-15, "{shown:e} and {proved:e}");

    let report = run(&Options { evaluations: Some(200), ..options("never", &[("x", "-1", "1")]) });
    let error = returned(&report);
    assert!(error.proved.absolute.is_none(), "{:?}", error.proved);
}

fn number(text: Option<&str>) -> f64 {
    text.and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}
