//! Small subjects with known answers, compiled in several ways.

use nanoscope_spoof::handling::{Cause, Observer, Options, Outcome, Progress, Trouble, handle};
use nanoscope_spoof::prototype::{COLLECTIONS, parse};
use std::path::{Path, PathBuf};
use std::process::Command;

struct Quiet;

impl Observer for Quiet {
    fn progress(&self, _: &Progress) {}

    fn stop(&self) -> bool {
        false
    }
}

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects").join(name)
}

fn run(program: &Path, prototypes: &str) -> Result<Outcome, Trouble> {
    handle(&options(program, prototypes), &Quiet)
}

fn options(program: &Path, prototypes: &str) -> Options {
    let library = parse(prototypes).expect("the prototypes are right");
    Options {
        library,
        functions: Vec::new(),
        error_routines: Vec::new(),
        command: vec![program.as_os_str().to_os_string()],
        preload: Vec::new(),
        input: None,
        origin: Default::default(),
        symbols: None,
        integer_bits: 32,
        jobs: 2,
        time_limit: None,
        results: true,
        every_call: false,
        solver_time: std::time::Duration::from_secs(2),
        dump_queries: None,
        resume: None,
    }
}

/// What must fail with spoofed inputs, whatever the compiler makes of it: and nothing else may.
const KNOWN: &[&str] = &[
    "clipped_norm x NaN Swallowed",
    "guarded limit NaN Swallowed",
    "guarded x NaN Swallowed",
    "halvings x PlusInfinity Endless",
    "max_pool x NaN Swallowed",
];

/// The same for `forms.c`.
const KNOWN_FORMS: &[&str] = &[
    "argmax x NaN Swallowed",
    "clip high NaN Swallowed",
    "clip low NaN Swallowed",
    "extremes x NaN Swallowed",
    "inverse_norm x Greatest Wrong",
    "inverse_norm x Least Wrong",
    "inverse_norm y Greatest Wrong",
    "inverse_norm y Least Wrong",
    "larger_part z NaN Swallowed",
    "mean_of_positive x NaN Swallowed",
    "norm_ x NaN Swallowed",
    "positive_part x NaN Swallowed",
    "rectified x NaN Swallowed",
    "root x NaN Swallowed",
];

/// Compiles a subject with these words and runs it.
fn compiled(subject: &str, compiler: &str, flags: &[&str]) -> Outcome {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join(subject);
    let status = Command::new(compiler)
        .args(flags)
        .arg("-o")
        .arg(&program)
        .arg(here(&format!("{subject}.c")))
        .arg("-lm")
        .status()
        .expect("the compiler runs");
    assert!(status.success());
    let prototypes = std::fs::read_to_string(here(&format!("{subject}.prototypes")));
    run(&program, &prototypes.expect("it is there")).expect("it runs")
}

/// What failed, but for infinities that have a limit.
fn failures(outcome: &Outcome) -> Vec<String> {
    let mut lines = Vec::new();
    for failure in outcome.failures.iter().filter(|failure| !failure.effect.is_harmless()) {
        let Cause::Input { spoof, .. } = failure.cause else { continue };
        let (symbol, place) = (&failure.tested.symbol, &failure.place);
        lines.push(format!("{symbol} {place} {spoof:?} {:?}", failure.effect));
    }
    lines
}

fn check(compiler: &str, flags: &[&str]) {
    let outcome = compiled("small", compiler, flags);
    assert_eq!(failures(&outcome), KNOWN, "{compiler} {flags:?}");
    assert!(outcome.complete);
    let warned = |symbol: &str| outcome.warnings.iter().any(|w| w.tested.symbol == symbol);
    assert!(warned("clipped_norm"), "{compiler} {flags:?}");
    assert!(!warned("dot") && !warned("scaled") && !warned("inverted"), "{compiler} {flags:?}");
    for figures in outcome.figures.values() {
        assert_eq!((figures.calls, figures.spoofed_calls), (1, 1));
    }
}

/// Every way of passing and losing: what must be found is found, and nothing in the right ones, be it by
/// spoofed inputs or by the solver.
fn check_forms(compiler: &str, flags: &[&str]) {
    let outcome = compiled("forms", compiler, flags);
    assert_eq!(failures(&outcome), KNOWN_FORMS, "{compiler} {flags:?}");
    for failure in outcome.failures.iter().filter(|failure| !failure.effect.is_harmless()) {
        let symbol = &failure.tested.symbol;
        let known = KNOWN_FORMS.iter().any(|line| line.split(' ').next() == Some(symbol));
        assert!(known, "{symbol} is right: {failure:?}, {compiler} {flags:?}");
    }
}

#[test]
fn forms_by_gcc() {
    check_forms("gcc", &["-O0"]);
    check_forms("gcc", &["-O2"]);
    check_forms("gcc", &["-O3", "-mavx2", "-mfma"]);
}

#[test]
fn forms_by_clang() {
    check_forms("clang-19", &["-O0"]);
    check_forms("clang-19", &["-O2"]);
    check_forms("clang-19", &["-O3", "-mavx2", "-mfma"]);
}

#[test]
fn gcc_without_optimisation() {
    check("gcc", &["-O0"]);
}

#[test]
fn gcc_optimised() {
    check("gcc", &["-O2"]);
    check("gcc", &["-O3", "-no-pie", "-mavx2", "-mfma"]);
}

#[test]
fn clang_without_optimisation() {
    check("clang-19", &["-O0"]);
}

#[test]
fn clang_optimised() {
    check("clang-19", &["-O2"]);
    check("clang-19", &["-O3", "-mavx2", "-mfma"]);
}

/// The agent is put into them by ptrace, not preloaded.
#[test]
fn static_executables() {
    check("gcc", &["-O2", "-static"]);
    check("gcc", &["-O1", "-static-pie"]);
}

/// A prototype that says something else than the debugging information is the user's mistake.
#[test]
fn a_prototype_that_does_not_fit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("sum");
    let source = folder.path().join("sum.c");
    let text = "double sum(double x, int n) { return x + n; }\n\
                int main(void) { return sum(1, 2) > 5; }\n";
    std::fs::write(&source, text).expect("it is written");
    let status = Command::new("gcc").args(["-g", "-o"]).arg(&program).arg(&source).status();
    assert!(status.expect("the compiler runs").success());
    for (prototype, what) in [
        ("c sum(x) -> real 64\n x real 64 in\n", "1 parameter, the function has 2 (x, n)"),
        ("c sum(x, n) -> real 64\n x real 32 in\n n integer in\n", "a number of 64 bits"),
        ("c sum(x, n) -> real 64\n x real 64 in\n n real 64 in\n", "an integer of 32 bits"),
    ] {
        match run(&program, prototype) {
            Err(Trouble::User(message)) => assert!(message.contains(what), "{message}"),
            other => panic!("{other:?}"),
        }
    }
    let right = run(&program, "c sum(x, n) -> real 64\n x real 64 in\n n integer in\n");
    assert_eq!(failures(&right.expect("it runs")), [""; 0]);
}

/// Stops a run after so many calls.
struct Impatient(std::sync::atomic::AtomicU64);

impl Observer for Impatient {
    fn progress(&self, _: &Progress) {
        self.0.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
    }

    fn stop(&self) -> bool {
        self.0.load(std::sync::atomic::Ordering::Relaxed) == 0
    }
}

/// A run that was stopped goes on where it was, and finds what an undisturbed one does.
#[test]
fn a_stopped_run_goes_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("small");
    let mut compile = Command::new("gcc");
    compile.args(["-O2", "-o"]).arg(&program).arg(here("small.c")).arg("-lm");
    assert!(compile.status().expect("the compiler runs").success());
    let file = folder.path().join("kept");
    let prototypes = std::fs::read_to_string(here("small.prototypes")).expect("it is there");
    let options = Options { resume: Some(file.clone()), ..options(&program, &prototypes) };
    let first = handle(&options, &Impatient(4.into())).expect("it runs");
    assert!(!first.complete && file.exists());
    let other = Options { functions: vec!["dot".to_string()], ..options.clone() };
    assert!(matches!(handle(&other, &Quiet), Err(Trouble::User(_))));
    let second = handle(&options, &Quiet).expect("it runs");
    assert!(second.complete && !file.exists());
    assert_eq!(failures(&second), KNOWN);
    for figures in second.figures.values() {
        assert_eq!((figures.calls, figures.spoofed_calls), (1, 1));
    }
}

/// A prototype of what is not in the program is the user's mistake.
#[test]
fn a_missing_function() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("empty");
    let source = folder.path().join("empty.c");
    std::fs::write(&source, "int main(void) { return 0; }").expect("it is written");
    let status = Command::new("gcc").arg("-o").arg(&program).arg(&source).status();
    assert!(status.expect("the compiler runs").success());
    match run(&program, "c absent(x) -> real 64\n  x real 64 in\n") {
        Err(Trouble::User(message)) => assert!(message.contains("absent"), "{message}"),
        other => panic!("{other:?}"),
    }
}

/// The prototypes that come with Nanoscope can be read.
#[test]
fn shipped_prototypes() {
    for (name, text) in COLLECTIONS {
        let library = parse(text).unwrap_or_else(|mistake| panic!("{name}:{mistake}"));
        assert!(library.prototypes.len() > 10, "{name}");
    }
}

/// Mistakes in prototypes are told with their place.
#[test]
fn mistakes() {
    for (text, place, what) in [
        ("c f(x)\n  y real 64 in\n", (2, 3), "a parameter of f"),
        ("c f(x)\n", (1, 5), "x is not described"),
        ("c f(x)\n  x real 65 in\n", (2, 10), "no real has 65 bits"),
        ("c f(x)\n  x real 64 in (i < m)\n", (2, 16), "no parameter or index m"),
        ("c f(x)\n  x real 64 in (i < 2, j < 2)\n", (2, 30), "say where the elements are"),
        ("c f(x)\n  x real 64 in\n  report z == 1\n", (3, 10), "no parameter z"),
        ("f(x)\n", (1, 1), "begins with `fortran` or `c`"),
        ("c f(x) -> int\n", (1, 11), "int is no type"),
        ("c f(x)\n  x real 64 in ?\n", (2, 16), "unexpected character"),
    ] {
        let mistake = parse(text).expect_err(text);
        assert_eq!((mistake.line, mistake.column), place, "{text}: {mistake}");
        assert!(mistake.what.contains(what), "{text}: {mistake}");
    }
}

/// Whatever is done to a text, reading it ends in prototypes or in a mistake inside the text.
#[test]
fn mutilated_prototypes() {
    let mut random = 1u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    let pieces: Vec<&str> = COLLECTIONS.iter().flat_map(|(_, text)| text.split("\n\n")).collect();
    for _ in 0..3000 {
        let mut text: Vec<char> = pieces[next(pieces.len())].chars().collect();
        for _ in 0..1 + next(4) {
            let at = next(text.len().max(1));
            if text.is_empty() {
                break;
            }
            match next(4) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, char::from(b' ' + next(95) as u8)),
                2 => text.truncate(at + 1),
                _ => text.insert(at, ['\n', '(', '[', '\'', '\u{e4}', '9'][next(6)]),
            }
        }
        let text: String = text.into_iter().collect();
        if let Err(mistake) = parse(&text) {
            let lines = text.lines().count().max(1) as u32;
            assert!(mistake.line >= 1 && mistake.line <= lines, "{text}\n{mistake}");
        }
    }
}
