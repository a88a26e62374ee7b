//! Programs with known answers: which exceptions are found where, and which are not.
//!
//! Each subject says in comments what is to be found: `// finds: overflow underflow` on a
//! line asks for findings of just these kinds on that line, and on no line without such a
//! comment may anything be found.

use nanoscope_analyses::{Source, exceptions};
use nanoscope_program::{Wish, Wishes};
use nanoscope_report::{Outcome, Report, Status};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn subject(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects").join(name)
}

fn options(file: PathBuf, flags: &[&str]) -> exceptions::Options {
    exceptions::Options {
        source: Source {
            files: vec![file],
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            ..Source::default()
        },
        functions: Vec::new(),
        contracts: exceptions::Contracts::default(),
        time_limit: Some(Duration::from_secs(120)),
        function_time: None,
        evaluations: Some(300_000),
        engines: exceptions::USUAL.to_vec(),
        seed: 1,
        jobs: 2,
        stop_at_first: false,
        polish: true,
        following: Default::default(),
        stop: Arc::new(AtomicBool::new(false)),
    }
}

fn run(options: &exceptions::Options) -> Report {
    exceptions::run(options, &|_| ()).unwrap_or_else(|fault| panic!("{fault}"))
}

type Lines = BTreeMap<u32, BTreeSet<String>>;

/// What the comments of a subject ask for.
fn expected(file: &Path) -> Lines {
    let text = std::fs::read_to_string(file).expect("a subject of ours");
    let mut lines = Lines::new();
    for (number, line) in text.lines().enumerate() {
        if let Some((_, kinds)) = line.split_once("finds:") {
            let kinds = kinds.trim_end_matches("*/").split_whitespace().map(str::to_owned);
            lines.insert(number as u32 + 1, kinds.collect());
        }
    }
    lines
}

fn found(report: &Report) -> Lines {
    let mut lines = Lines::new();
    for finding in &report.findings {
        lines.entry(finding.place.line).or_default().insert(finding.kind.name().to_owned());
    }
    lines
}

/// Runs a subject and holds the findings against its comments.
fn check(name: &str, flags: &[&str]) -> Report {
    let file = subject(name);
    let report = run(&options(file.clone(), flags));
    assert_eq!(found(&report), expected(&file), "{name} {flags:?}");
    for finding in &report.findings {
        assert!(!finding.inputs.is_empty() && finding.engine == "native-search");
        let verdict = report.verdicts.iter().find(|verdict| verdict.goal == finding.id);
        assert_eq!(verdict.expect("every finding settles a goal").outcome, Outcome::Reached);
    }
    report
}

#[test]
fn arithmetic_raises_where_it_is_created() {
    for flags in [&["-O0"][..], &["-O2"], &["-O3", "-mfma", "-ffp-contract=off"]] {
        check("arithmetic.c", flags);
    }
}

#[test]
fn guarded_code_is_reached() {
    check("guarded.c", &[]);
}

#[test]
fn calls_of_the_mathematical_library() {
    check("libm.c", &[]);
    check("libm.c", &["-O2"]);
}

#[test]
fn what_the_optimiser_leaves_out_is_seen_as_it_is_written() {
    let build = |report: &Report| -> Vec<Option<String>> {
        let of = |name: &serde_json::Value| name.as_str().map(str::to_owned);
        report.findings.iter().map(|it| it.details.more.get("build").and_then(of)).collect()
    };
    let report = check("removed.c", &["-O2"]);
    assert_eq!(build(&report), [Some("-O0".to_owned()), Some("-O0".to_owned())]);
    for finding in &report.findings {
        let replayed = nanoscope_analyses::replay::run(&report, finding).unwrap();
        assert!(replayed.happened, "{}", finding.id);
    }
    let report = check("removed.c", &[]);
    assert_eq!(build(&report), [None, None]);
}

/// Static initialisers, exceptions of C++, and Fortran's run-time: what is there is found.
#[test]
fn languages_are_followed() {
    for name in
        ["initialised.cpp", "thrown.cpp", "reductions.f90", "types.f90", "complex.c", "vectors.cpp"]
    {
        let file = subject(name);
        let report = run(&options(file.clone(), &[]));
        assert_eq!(found(&report), expected(&file), "{name}");
    }
}

/// Bit-fields, unions, functions in structures; formats without instructions; vectors.
#[test]
fn inputs_and_formats_of_every_kind() {
    for (name, flags) in [
        ("members.c", &[][..]),
        ("software.c", &[]),
        ("software.c", &["-O2"]),
        ("lanes.c", &["-mavx2", "-mfma"]),
    ] {
        let has = |feature: &str| match feature {
            "-mavx2" => std::arch::is_x86_feature_detected!("avx2"),
            "-mfma" => std::arch::is_x86_feature_detected!("fma"),
            _ => true,
        };
        if !flags.iter().all(|flag| has(flag)) {
            // Written past the capture of the tests, so that it is counted.
            let _ = writeln!(std::io::stderr(), "skipped: {name}: this processor lacks {flags:?}");
            continue;
        }
        let report = check(name, flags);
        assert_eq!(report.status, Status::Exhausted, "{name}: {:?}", report.notes);
    }
}

/// Members of COMMON blocks and kept variables are inputs where the user says so; else what is
/// assumed of them is told.
#[test]
fn state_may_be_an_input() {
    let file = subject("state.f90");
    let mut options = options(file.clone(), &[]);
    let report = run(&options);
    let told = |name: &str| {
        let text = format!("`{name}` has the value it starts with; --global changes that");
        report.notes.iter().any(|note| note.text.contains(&text))
    };
    assert!(told("total") && !told("gx"), "{:?}", report.notes);
    assert!(report.notes.iter().any(|note| note.text.contains("`gx`, `gy` have the values")));
    let wish = |name: &str| Wish { function: None, name: name.to_owned(), value: () };
    let mut ranged = |names: &[&str]| {
        for name in names {
            let function = if *name == "total" { "running" } else { "ratio" };
            let wish = Wish { function: Some(function.to_owned()), ..wish(name) };
            options.source.wishes.globals.push(wish);
            let value = ("-1.7e308".to_owned(), "1.7e308".to_owned());
            let wish =
                Wish { function: Some(function.to_owned()), name: (*name).to_owned(), value };
            options.source.wishes.ranges.push(wish);
        }
    };
    ranged(&["gx", "state.gy", "total"]);
    let x = ("0".to_owned(), "1.7e308".to_owned());
    let wish = Wish { function: Some("running".to_owned()), name: "x".to_owned(), value: x };
    options.source.wishes.ranges.push(wish);
    let report = run(&options);
    let mut lines = found(&report);
    // What is subnormal in a sum is no matter of state.
    lines.values_mut().for_each(|kinds| kinds.retain(|kind| kind != "underflow"));
    assert_eq!(lines, expected(&file));
    assert!(!report.notes.iter().any(|note| note.text.contains("starts with")));
}

/// `-ffast-math`: what the optimiser makes of it is what is analysed and run, and subnormal numbers
/// are flushed to zero.
#[test]
fn lengths_of_arrays_are_inferred() {
    let options = exceptions::Options {
        evaluations: Some(2_000),
        engines: vec![exceptions::Engine::Search],
        polish: false,
        ..options(subject("columns.c"), &[])
    };
    let report = run(&options);
    let check = |function: &str, begin: &str, expected: &str| {
        let said = |note: &&nanoscope_report::Note| {
            note.function == function && note.text.starts_with(begin)
        };
        let notes: Vec<&str> =
            report.notes.iter().filter(said).map(|note| note.text.as_str()).collect();
        let found = notes.iter().any(|text| text.contains(expected));
        assert!(found || (expected.is_empty() && notes.is_empty()), "{function}: {notes:?}");
    };
    check("scale_columns", "inferred", "`a` has lda*(n - 1) + m elements");
    check("scale_columns", "inferred", "`s` has n elements");
    check("scale_columns", "assumed: lda", "lda >= m: columns of `a` do not overlap");
    check("strided_sum", "inferred", "`x` has incx*(n - 1) + 1 elements");
    // Windows of what is only read may overlap.
    check("windows", "inferred", "`x` has hop*(n - 1) + length elements");
    check("windows", "assumed: *hop", "");
    // None of the integers that are left leads out of the arrays.
    assert_eq!(report.statistics.search.refuted, 0);
}

#[test]
fn fast_math_is_decided_once() {
    let file = subject("fast.c");
    let without_underflow = |report: &Report| {
        let mut lines = found(report);
        lines.values_mut().for_each(|kinds| kinds.retain(|kind| kind != "underflow"));
        lines.retain(|_, kinds| !kinds.is_empty());
        lines
    };
    for flags in [&["-ffast-math"][..], &["-O2", "-ffast-math"], &["-O1", "-freciprocal-math"]] {
        let report = run(&options(file.clone(), flags));
        let open = report.verdicts.iter().filter(|verdict| verdict.outcome == Outcome::Open);
        let open: Vec<&str> = open.map(|verdict| verdict.goal.as_str()).collect();
        // The optimiser divides ahead of the guards, on any numbers.
        let most = if flags.contains(&"-O2") { 2 } else { 0 };
        assert!(open.len() <= most, "{flags:?}: {open:?}");
        let divides = |finding: &&nanoscope_report::Finding| {
            finding.kind.name() == "divide-by-zero" && finding.function == "below"
        };
        assert!(report.findings.iter().any(|it| divides(&it)), "{flags:?}");
        if flags == ["-ffast-math"] {
            assert_eq!(without_underflow(&report), expected(&file), "{flags:?}");
        }
    }
}

#[test]
fn a_name_of_the_library_may_be_the_programs_own() {
    check("own_root.c", &["-O2", "-ffreestanding"]);
}

#[test]
fn conversions_to_integers() {
    check("conversions.c", &[]);
    check("conversions.c", &["-O2"]);
}

#[test]
fn integers_that_derive_from_floats() {
    for flags in [["-O0", "-lm"], ["-O2", "-lm"]] {
        let report = check("integers.c", &flags);
        assert_eq!(report.status, Status::Exhausted);
        let asked =
            |function: &str| report.verdicts.iter().filter(|v| v.function == function).count();
        assert_eq!((asked("hash"), asked("fits"), asked("count")), (1, 5, 0));
        // Where an integer overflows by itself, no conversion out of range stands before it.
        let below = report.findings.iter().find(|f| f.function == "below").expect("found");
        assert_eq!(below.inputs[0].value, "-2147483648");
    }
    check("integers.f90", &[]);
}

#[test]
fn functions_of_the_same_name_are_told_apart() {
    let mut options = options(subject("twins/a.c"), &[]);
    options.source.files.push(subject("twins/b.c"));
    let of = |functions: &[&str]| exceptions::Options {
        functions: functions.iter().map(|name| (*name).to_owned()).collect(),
        ..options.clone()
    };
    let report = run(&of(&["a.c:twin", "twins/b.c:twin"]));
    let found: BTreeSet<(String, String)> =
        report.findings.iter().map(|f| (f.function.clone(), f.operation.clone())).collect();
    let pair = |function: &str, operation: &str| (function.to_owned(), operation.to_owned());
    assert_eq!(found, BTreeSet::from([pair("a.c:twin", "fmul"), pair("b.c:twin", "fadd")]));
    let ids: BTreeSet<&str> = report.verdicts.iter().map(|v| v.goal.as_str()).collect();
    assert_eq!(ids.len(), report.verdicts.len());
    let finding = report.findings.iter().find(|f| f.function == "b.c:twin").expect("found");
    let again = nanoscope_analyses::replay::run(&report, finding).expect("it can be replayed");
    assert!(again.happened);
    let fault = exceptions::run(&of(&["twin"]), &|_| ()).expect_err("two are meant");
    let text = fault.to_string();
    assert!(text.contains("`a.c:twin`, `b.c:twin`"), "{text}");
    // Alone, what other files can call needs no file.
    assert!(run(&of(&["one"])).findings.iter().all(|finding| finding.function == "one"));
}

/// A build of two programs that compiles a source twice, with other flags.
#[test]
fn every_compilation_of_a_build_is_looked_at() {
    let folder = std::env::temp_dir().join(format!("nanoscope-build-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let entry = |compiler: &str, group: &str, file: &str, flags: &str| {
        let file = subject("build").join(file).display().to_string();
        serde_json::json!({
            "directory": folder, "file": file,
            "command": format!("{compiler} {flags} -o CMakeFiles/{group}.dir/{group}.o -c {file}"),
        })
    };
    let entries = [
        entry("cc", "wide", "gain.c", "-DREAL=double"),
        entry("cc", "narrow", "gain.c", "-DREAL=float"),
        entry("cc", "first", "first.c", "-O1"),
        entry("c++", "second", "second.cpp", "-O1"),
    ];
    let commands = folder.join("compile_commands.json");
    std::fs::write(&commands, serde_json::to_string(&entries).unwrap()).expect("written");
    let of = |functions: &[&str]| {
        let mut options = options(PathBuf::new(), &[]);
        options.source.files.clear();
        options.source.compile_commands = Some(commands.clone());
        options.functions = functions.iter().map(|name| (*name).to_owned()).collect();
        options.evaluations = Some(20_000);
        run(&options)
    };
    let functions = |report: &Report| -> BTreeSet<String> {
        report.verdicts.iter().map(|verdict| verdict.function.clone()).collect()
    };
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let report = of(&[]);
    assert_eq!(functions(&report), set(&["gain", "narrow:gain", "helper"]));
    let told = report.notes.iter().any(|note| note.text.contains("gain.c` (narrow): each"));
    assert!(told, "{:?}", report.notes);
    let report = of(&["gain"]);
    assert_eq!(functions(&report), set(&["gain", "narrow:gain"]));
    let types: BTreeSet<&str> =
        report.findings.iter().map(|finding| finding.inputs[0].type_name.as_str()).collect();
    assert_eq!(types, BTreeSet::from(["double", "float"]));
    let narrow = report.findings.iter().find(|f| f.function == "narrow:gain").expect("found");
    assert!(nanoscope_analyses::replay::run(&report, narrow).expect("replayed").happened);
    std::fs::remove_dir_all(&folder).expect("a folder of ours");
}

#[test]
fn exceptions_of_other_libraries_are_a_premise() {
    let report = run(&options(subject("foreign.cpp"), &[]));
    let says = |text: &str| text.contains("of other libraries, throw");
    let noted: Vec<&str> = report
        .notes
        .iter()
        .filter(|note| says(&note.text))
        .map(|note| note.function.as_str())
        .collect();
    assert!(!noted.is_empty() && noted.iter().all(|name| name.starts_with("behind")), "{noted:?}");
    for verdict in report.verdicts.iter().filter(|verdict| verdict.outcome == Outcome::Impossible) {
        let proof = verdict.proof.as_ref().expect("a proof");
        if proof.engine != "constants" {
            let stated = proof.assumptions.iter().any(|text| says(text));
            assert_eq!(stated, verdict.function.starts_with("behind"), "{}", verdict.goal);
        }
    }
}

/// Messages of errors cost neither proofs nor exploration.
#[test]
fn messages_of_errors_are_no_obstacle() {
    let report = check("messages.cpp", &[]);
    assert_eq!(report.status, Status::Exhausted, "{:?}", report.notes);
    let mut options = options(subject("messages.cpp"), &[]);
    options.engines = vec![exceptions::Engine::Search, exceptions::Engine::Explore];
    let report = run(&options);
    assert_eq!(report.status, Status::Exhausted, "without ranges: {:?}", report.notes);
}

#[test]
fn long_double_and_float() {
    check("formats.c", &[]);
}

#[test]
fn passing_on_is_no_exception() {
    let file = subject("passing.c");
    let mut options = options(file.clone(), &[]);
    options.source.wishes.specials = true;
    assert_eq!(found(&run(&options)), expected(&file));
}

#[test]
fn ranges_keep_a_function_safe() {
    let file = subject("ranged.c");
    let mut options = options(file, &[]);
    let range = |name: &str, low: &str, high: &str| Wish {
        function: None,
        name: name.into(),
        value: (low.into(), high.into()),
    };
    options.source.wishes = Wishes {
        ranges: vec![range("x", "1", "1e100"), range("n", "1", "8")],
        ..Wishes::default()
    };
    let report = run(&options);
    assert_eq!(found(&report), Lines::new());
    assert_eq!(report.status, Status::Exhausted, "what is not found is proved impossible");
    let engines: BTreeSet<&str> =
        report.verdicts.iter().flat_map(|v| &v.proof).map(|proof| proof.engine.as_str()).collect();
    assert!(engines.contains("ranges"), "{engines:?}");
}

/// Within the ranges, written `x=LOW..HIGH`, no operation of an example overflows or is invalid.
fn check_safe(example: &str, ranges: &[&str]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(example);
    let mut options = options(file, &[]);
    options.evaluations = Some(1_000);
    for text in ranges {
        let (name, range) = text.split_once('=').expect("a name");
        let (low, high) = range.split_once("..").expect("two ends");
        let value = (low.into(), high.into());
        options.source.wishes.ranges.push(Wish { function: None, name: name.into(), value });
    }
    for verdict in run(&options).verdicts {
        if ["overflow", "invalid"].contains(&verdict.kind.name()) {
            assert_eq!(verdict.outcome, Outcome::Impossible, "{}: {}", verdict.goal, verdict.why);
        }
    }
}

#[test]
fn examples_are_safe_within_ranges() {
    check_safe("average.c", &["x=-1e300..1e300", "y=-1e300..1e300"]);
    let slope = ["x0=0..1", "x1=2..3", "y0=-1e100..1e100", "y1=-1e100..1e100"];
    check_safe("quotient.c", &[&["x=1..1e10", "y=1e11..1e12"][..], &slope].concat());
}

#[test]
fn misbehaving_subjects_cost_nothing_but_their_inputs() {
    let file = subject("misbehaving.c");
    let mut options = options(file.clone(), &[]);
    options.evaluations = Some(3_000);
    let report = run(&options);
    assert_eq!(found(&report), expected(&file));
    let notes: Vec<&str> = report.notes.iter().map(|note| note.text.as_str()).collect();
    for trouble in
        ["looped too long", "ended with signal 11", "called exit(3)", "nowhere to be found"]
    {
        assert!(notes.iter().any(|note| note.contains(trouble)), "{trouble}: {notes:#?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let mut first = run(&options(subject("guarded.c"), &[]));
    let mut second = run(&options(subject("guarded.c"), &[]));
    for report in [&mut first, &mut second] {
        report.statistics = Default::default();
    }
    assert_eq!(first, second);
}

#[test]
fn a_finding_can_be_replayed_and_a_mended_program_no_longer_shows_it() {
    let folder = std::env::temp_dir().join(format!("nanoscope-replay-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join("square.c");
    std::fs::write(&file, "double square(double x) { return x * x; }\n")
        .expect("it can be written");
    let report = run(&options(file.clone(), &[]));
    let finding =
        report.findings.iter().find(|f| f.kind.name() == "overflow").expect("it overflows");
    let again =
        nanoscope_analyses::replay::run(&report, finding).unwrap_or_else(|fault| panic!("{fault}"));
    assert!(again.happened && again.born == Some(0), "{again:?}");
    assert_eq!(again.outputs[0].value, "inf");
    std::fs::write(&file, "double square(double x) { return x / 2; }\n")
        .expect("it can be written");
    let mended =
        nanoscope_analyses::replay::run(&report, finding).unwrap_or_else(|fault| panic!("{fault}"));
    assert!(!mended.happened);
    let _ = std::fs::remove_dir_all(&folder);
}
