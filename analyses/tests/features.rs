//! Features of C, C++ and Fortran, one program each, under three commands: what the table in
//! `docs/languages.md` says is what they do.
//!
//! Every program has a function `f(x, y)` with a product that may overflow and a quotient that can
//! never be by zero, both by way of the feature; it fails where the product is large, and would where
//! the quotient were. `found` means that the failure was seen natively, `proved` that the other one was
//! excluded, `bound` that the rounding error was bounded for `x` and `y` from 1 to 2 (without what
//! fails).

use nanoscope_analyses::precision::{self, Ends, Model, Rounds, Threshold};
use nanoscope_analyses::tests::{self, Listener, Scheduler, Stdin};
use nanoscope_analyses::{Source, exceptions};
use nanoscope_ieee::Rounding;
use nanoscope_program::{Wish, Wishes};
use nanoscope_report::{Outcome, Report, Status};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a program's first comments say, and the commands show.
#[derive(Debug, PartialEq, Eq)]
struct Feature {
    name: String,
    exceptions: String,
    precision: String,
    test: String,
}

fn said(text: &str, name: &str) -> String {
    let line = text.lines().find_map(|line| {
        let comment = line.trim_start_matches(['/', '!', 'C', ' ']);
        comment.strip_prefix(name).map(|rest| rest.trim().to_owned())
    });
    line.unwrap_or_default()
}

impl Feature {
    fn read(text: &str) -> Feature {
        Feature {
            name: said(text, "feature:"),
            exceptions: said(text, "exceptions:"),
            precision: said(text, "precision:"),
            test: said(text, "test:"),
        }
    }

    fn seen(path: &Path, text: &str) -> Feature {
        let flags: Vec<String> =
            said(text, "flags:").split_whitespace().map(str::to_owned).collect();
        Feature {
            name: said(text, "feature:"),
            exceptions: seen_by_exceptions(path, flags.clone()),
            precision: seen_by_precision(path, flags.clone()),
            test: seen_by_test(path, flags),
        }
    }
}

const LIMIT: Duration = Duration::from_secs(120);

fn source(path: &Path, flags: Vec<String>) -> Source {
    Source { files: vec![path.to_owned()], flags, ..Source::default() }
}

/// `found` and `proved`, whichever hold.
fn words(found: bool, proved: bool) -> String {
    let words = [(found, "found"), (proved, "proved")];
    let words: Vec<&str> =
        words.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
    if words.is_empty() { "no".to_owned() } else { words.join(", ") }
}

fn seen_by_exceptions(path: &Path, flags: Vec<String>) -> String {
    let options = exceptions::Options {
        source: source(path, flags),
        functions: vec!["f".to_owned()],
        contracts: exceptions::Contracts::default(),
        time_limit: Some(LIMIT),
        function_time: None,
        evaluations: Some(20_000),
        engines: exceptions::USUAL.to_vec(),
        seed: 1,
        jobs: 1,
        stop_at_first: false,
        polish: false,
        following: Default::default(),
        stop: Arc::new(AtomicBool::new(false)),
    };
    let report = match exceptions::run(&options, &|_| ()) {
        Ok(report) => report,
        Err(fault) => return fault.to_string(),
    };
    let outcomes = |kind: &str| -> Vec<Outcome> {
        let of_kind = report.verdicts.iter().filter(|verdict| verdict.kind.name() == kind);
        of_kind.map(|verdict| verdict.outcome).collect()
    };
    let quotients = outcomes("divide-by-zero");
    let excluded = quotients.iter().all(|outcome| *outcome == Outcome::Impossible);
    words(outcomes("overflow").contains(&Outcome::Reached), !quotients.is_empty() && excluded)
}

fn seen_by_precision(path: &Path, flags: Vec<String>) -> String {
    let between = |name: &str| Wish {
        function: None,
        name: name.to_owned(),
        value: ("1".to_owned(), "2".to_owned()),
    };
    let wishes = Wishes { ranges: vec![between("x"), between("y")], ..Wishes::default() };
    let flags = flags.into_iter().chain(["-DPLAIN".to_owned()]).collect();
    let options = precision::Options {
        source: Source { wishes, ..source(path, flags) },
        functions: vec!["f".to_owned()],
        contracts: exceptions::Contracts::default(),
        threshold: Threshold::Relative(1e-3),
        input_errors: Vec::new(),
        rounding: Rounds::To(Rounding::NearestEven),
        model: Model::Taylor,
        ranges: true,
        ends: Ends::Both,
        time_limit: Some(LIMIT),
        function_time: None,
        evaluations: Some(3_000),
        blind: false,
        seed: 1,
        jobs: 1,
        stop: Arc::new(AtomicBool::new(false)),
    };
    match precision::run(&options, &|_| ()) {
        Err(fault) => fault.to_string(),
        Ok(report) => {
            let returned = report.errors.iter().find(|error| error.output == "return");
            match returned.map(|error| error.proved != Default::default()) {
                Some(true) => "bound",
                Some(false) => "measured",
                None => "no",
            }
            .to_owned()
        }
    }
}

fn seen_by_test(path: &Path, flags: Vec<String>) -> String {
    let options = tests::Options {
        source: source(path, flags),
        function: Some("f".to_owned()),
        arguments: Vec::new(),
        environment: None,
        time_limit: LIMIT,
        memory_limit: None,
        seed: 1,
        scheduler: Scheduler::Coverage,
        max_depth: None,
        max_loop: None,
        stdin: Stdin::Symbolic(0),
        guesses: 0,
        external_calls: Default::default(),
        pure: Default::default(),
        queries: None,
        paths: None,
        coverage: false,
        stop: Arc::new(AtomicBool::new(false)),
    };
    let listener = Listener { progress: &|_| {}, echo: None };
    let judge =
        |report: Report| words(report.findings.len() == 1, report.status == Status::Exhausted);
    tests::run(&options, &listener).map_or_else(|fault| fault.to_string(), judge)
}

/// The programs with their text, by name.
fn programs() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/features");
    let files = std::fs::read_dir(&folder).expect("the programs are there");
    let mut programs: Vec<PathBuf> = files.filter_map(Result::ok).map(|file| file.path()).collect();
    programs.sort();
    if let Ok(only) = std::env::var("NANOSCOPE_PROGRAM") {
        programs.retain(|path| only.split(',').any(|it| path.display().to_string().contains(it)));
    }
    let text = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("it is text");
        (path, text)
    };
    programs.into_iter().map(text).collect()
}

#[test]
fn every_feature_does_what_the_table_says() {
    let programs = programs();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((path, text)) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (said, seen) = (Feature::read(text), Feature::seen(path, text));
                    if said != seen {
                        let name = path.file_name().unwrap_or_default().to_string_lossy();
                        let line = format!("{name}\n  said {said:?}\n  seen {seen:?}");
                        wrong.lock().unwrap().push(line);
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_has_every_feature() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/languages.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    for (path, text) in programs() {
        let Feature { name, exceptions, precision, test } = Feature::read(&text);
        let row = format!("| {name} | {exceptions} | {precision} | {test} |");
        assert!(page.contains(&row), "{}: {row}", path.display());
    }
}
