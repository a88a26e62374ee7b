//! Small subjects with known answers, compiled in several ways.

mod common;

use common::{Quiet, failures, here};
use nanoscope_spoof::derive::{Declaration, from_debug_information, from_header, prototype};
use nanoscope_spoof::handling::{
    Observer, Options, Progress, Seen, SpoofRun, Trouble, again, handle, trial_of,
};
use nanoscope_spoof::prototype::{COLLECTIONS, Kind, parse};
use std::path::Path;
use std::process::Command;

fn run(program: &Path, prototypes: &str) -> Result<SpoofRun, Trouble> {
    handle(&options(program, prototypes), &Quiet)
}

fn options(program: &Path, prototypes: &str) -> Options {
    common::options(program, parse(prototypes).expect("the prototypes are right"))
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
fn compiled(subject: &str, compiler: &str, flags: &[&str]) -> SpoofRun {
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

/// Compiles a subject with debugging information, and tests it by prototypes that nobody wrote.
fn derived(subject: &str, compiler: &str, flags: &[&str]) -> SpoofRun {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join(subject);
    let mut compile = Command::new(compiler);
    compile
        .arg("-g")
        .args(flags)
        .arg("-o")
        .arg(&program)
        .arg(here(&format!("{subject}.c")))
        .arg("-lm");
    assert!(compile.status().expect("the compiler runs").success());
    let declared = from_debug_information(&program).expect("it has debugging information");
    tested(&program, &declared)
}

/// Tests the functions of a program that are declared so.
fn tested(program: &Path, declared: &[Declaration]) -> SpoofRun {
    let mut options = options(program, "optional");
    options.library.prototypes = declared.iter().filter_map(|d| prototype(d).ok()).collect();
    options.error_routines = vec!["trouble".to_string()];
    handle(&options, &Quiet).expect("it runs")
}

/// What is observed of pointers serves as well as what a prototype says.
#[test]
fn prototypes_from_debugging_information() {
    for (compiler, flags) in
        [("gcc", ["-O0"].as_slice()), ("gcc", &["-O3", "-mavx2", "-mfma"]), ("clang-19", &["-O2"])]
    {
        assert_eq!(failures(&derived("small", compiler, flags)), KNOWN, "{compiler} {flags:?}");
        assert_eq!(
            failures(&derived("forms", compiler, flags)),
            KNOWN_FORMS,
            "{compiler} {flags:?}"
        );
    }
}

/// What a call leaves alone of an argument that other calls write still reaches the caller; a function
/// that writes nothing has nothing to tell.
#[test]
fn elements_that_are_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (program, source) = (folder.path().join("alone"), folder.path().join("alone.c"));
    let text = "void rotation(double *a, double *b, double *c)\n\
        {\n if (*b == 0) { *c = 1; return; }\n *c = *a / *b;\n *a += *b;\n *b = 0;\n}\n\
        int largest(double *x, int n)\n\
        {\n int k = 0;\n for (int i = 1; i < n; i++) if (x[i] > x[k]) k = i;\n return k;\n}\n\
        int main(void)\n{\n double a = 2, b = 0, c, x[] = {1, 3, 2};\n rotation(&a, &b, &c);\n\
         b = 4;\n rotation(&a, &b, &c);\n return largest(x, 3) + (c < 0);\n}\n";
    std::fs::write(&source, text).expect("it is written");
    let mut compile = Command::new("gcc");
    compile.args(["-g", "-O0", "-o"]).arg(&program).arg(&source);
    assert!(compile.status().expect("the compiler runs").success());
    let declared = from_debug_information(&program).expect("it has debugging information");
    let outcome = tested(&program, &declared);
    assert_eq!(failures(&outcome), [""; 0]);
    let unfit = outcome.figures.iter().find(|(tested, _)| tested.symbol == "largest");
    assert!(unfit.is_some_and(|(_, figures)| figures.spoofed_calls == 0));
}

#[test]
fn prototypes_from_a_header() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("small");
    let mut compile = Command::new("gcc");
    compile.args(["-O2", "-o"]).arg(&program).arg(here("small.c")).arg("-lm");
    assert!(compile.status().expect("the compiler runs").success());
    let header = folder.path().join("small.h");
    let text = "#include <math.h>\n#include \"types.h\"\n\
        typedef const number *numbers;\n\
        number max_pool(numbers x, int n);\n\
        float clipped_norm(const float *x, int n, float limit);\n\
        int guarded(number x, number limit, number *y);\n\
        void scaled(number x[], int n, number factor);\n\
        void inverted(numbers x, number *restrict y, int n, int *info);\n\
        float dot(const float *x, const float *y, int n);\n\
        int halvings(double, double *left);\n\
        void print(const char *format, ...);\n\
        number last(numbers *x);\n\
        static inline number twice(number x) { return 2 * x; }\n";
    std::fs::write(&header, text).expect("it is written");
    let types = "typedef double number;\nnumber logistic(number x);\n";
    std::fs::write(folder.path().join("types.h"), types).expect("it is written");
    let declared = from_header(&header, &[]).expect("clang reads it");
    let names: Vec<&str> = declared.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "logistic",
            "max_pool",
            "clipped_norm",
            "guarded",
            "scaled",
            "inverted",
            "dot",
            "halvings",
            "print",
            "last"
        ]
    );
    let refused: Vec<&str> =
        declared.iter().filter(|d| prototype(d).is_err()).map(|d| d.name.as_str()).collect();
    assert_eq!(refused, ["print", "last"]);
    let known: Vec<String> =
        KNOWN.iter().map(|line| line.replace("halvings x", "halvings argument1")).collect();
    let mut failed = failures(&tested(&program, &declared));
    failed.sort();
    assert_eq!(failed, known);
    let wrong = folder.path().join("wrong.h");
    std::fs::write(&wrong, "numbr f(int);\n").expect("it is written");
    let message = from_header(&wrong, &[]).expect_err("it is wrong");
    assert!(message.contains("wrong.h:1:1") && message.contains("numbr"), "{message}");
}

/// Of two builds of which one takes NaN for zero, the branch is shown that goes another way.
#[test]
fn a_diverging_branch() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("skip.c");
    let text = "__attribute__((noinline)) float weighted(const float *x, const float *w, int n)\n\
        {\n float s = 0;\n for (int i = 0; i < n; i++)\n  if (w[i] != 0)\n   s += w[i] * x[i];\n\
         return s;\n}\n\
        int main(void)\n{\n float x[] = {1, 2, 3}, w[] = {2, 3, 4};\n return weighted(x, w, 3) < 1;\n}\n";
    std::fs::write(&source, text).expect("it is written");
    let build = |name: &str, flags: &[&str]| {
        let program = folder.path().join(name);
        let mut compile = Command::new("gcc");
        compile.args(["-g", "-O1"]).args(flags).arg("-o").arg(&program).arg(&source);
        assert!(compile.status().expect("the compiler runs").success());
        program
    };
    let (fast, exact) = (build("fast", &["-ffast-math"]), build("exact", &[]));
    let declared = from_debug_information(&fast).expect("it has debugging information");
    let outcome = tested(&fast, &declared);
    assert_eq!(failures(&outcome), ["weighted w NaN Swallowed"]);
    let mut options = options(&exact, "optional");
    options.library.prototypes = declared.iter().filter_map(|d| prototype(d).ok()).collect();
    let failure = &outcome.failures[0];
    let tried = again(&options, &[trial_of(failure, &options)], &Quiet).expect("it runs");
    assert!(matches!(tried[0].seen, Seen::Handled(_)), "{tried:?}");
    let (here, there) = (&failure.decisions[0], &tried[0].decisions[0]);
    assert!(here.comparison.contains("comiss") && there.comparison.contains("comiss"));
    // The exact build has a jump for unordered operands.
    assert!(!here.jumps.iter().any(|(jump, _)| jump == "jp"), "{here:?}");
    assert!(there.jumps.iter().any(|(jump, _)| jump == "jp"), "{there:?}");
}

/// Functions that are chosen for the processor when they are loaded, and functions of several versions:
/// what is tested is the function, not what chooses it.
#[test]
fn indirect_functions() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (program, source) = (folder.path().join("calls"), folder.path().join("calls.c"));
    let text = "#include <math.h>\nvolatile double x = 0.7, y = 1.3, z = 2.5;\n\
                int main(void) { return sin(x) + exp(y) + fma(x, y, z) + pow(x, y) < 0; }\n";
    std::fs::write(&source, text).expect("it is written");
    let mut compile = Command::new("gcc");
    compile.args(["-O0", "-fno-builtin", "-o"]).arg(&program).arg(&source).arg("-lm");
    assert!(compile.status().expect("the compiler runs").success());
    let libm = COLLECTIONS.iter().find(|(name, _)| *name == "libm").expect("it is there").1;
    let outcome = run(&program, libm).expect("it runs");
    assert_eq!(failures(&outcome), [""; 0]);
    for name in ["sin", "exp", "fma", "pow"] {
        let figures = outcome.figures.iter().find(|(tested, _)| tested.symbol == name);
        assert!(figures.is_some_and(|(_, figures)| figures.result_spoofs > 0), "{name}");
    }
}

/// Functions of a program without symbols are told by their addresses.
#[test]
fn a_stripped_static_executable() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("small");
    let mut compile = Command::new("gcc");
    compile.args(["-O2", "-static", "-o"]).arg(&program).arg(here("small.c")).arg("-lm");
    assert!(compile.status().expect("the compiler runs").success());
    let symbols = Command::new("nm").arg(&program).output().expect("nm runs");
    let symbols = String::from_utf8_lossy(&symbols.stdout).into_owned();
    let line = symbols.lines().find(|line| line.ends_with(" T max_pool")).expect("it is there");
    let address = line.split(' ').next().expect("an address").trim_start_matches('0').to_string();
    assert!(Command::new("strip").arg(&program).status().expect("strip runs").success());
    let prototype = "c max_pool(x, n) -> real 64\n  x real 64 in (i < n)\n  n integer in\n";
    match run(&program, prototype) {
        Err(Trouble::User(message)) => assert!(message.contains("stripped"), "{message}"),
        other => panic!("{other:?}"),
    }
    let outcome = run(&program, &format!("{prototype}  address 0x{address}\n")).expect("it runs");
    assert_eq!(failures(&outcome), ["max_pool x NaN Swallowed"]);
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
struct Impatient(std::sync::atomic::AtomicI64);

impl Observer for Impatient {
    fn progress(&self, _: &Progress) {
        self.0.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
    }

    fn stop(&self) -> bool {
        self.0.load(std::sync::atomic::Ordering::Relaxed) <= 0
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
    // The seven calls are counted, and some of them looked at.
    let first = handle(&options, &Impatient(10.into())).expect("it runs");
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
        ("c {s,q}f(x)\n  x number in\n", (1, 3), "told apart by s, d, c and z"),
        ("c f(x)\n  x number in\n", (2, 5), "number is no type"),
        ("c f(x)\n  x real 64 in (i < 2)\n  x real 64 in (i < 2)\n", (3, 3), "those that go `out`"),
        ("c f(x)\n  x real 64 in observed by value\n", (2, 25), "should end here"),
        ("c f(x)\n  x real 64 in ?\n", (2, 16), "unexpected character"),
    ] {
        let mistake = parse(text).expect_err(text);
        assert_eq!((mistake.line, mistake.column), place, "{text}: {mistake}");
        assert!(mistake.what.contains(what), "{text}: {mistake}");
    }
}

/// A family is a prototype for each of its letters; what comes in and what goes out may differ.
#[test]
fn families() {
    let text = "fortran {s,dz}f(n, x, y)\n  n integer in\n  x number in (i < n)\n  \
                x number out (i < 2*n)\n  y real out\n";
    let library = parse(text).expect("it is right");
    let names: Vec<&str> = library.prototypes.iter().map(|p| p.symbol.as_str()).collect();
    assert_eq!(names, ["sf_", "dzf_"]);
    let types: Vec<(Kind, u32)> = library
        .prototypes
        .iter()
        .flat_map(|p| &p.parameters[1..])
        .map(|p| (p.kind, p.bits))
        .collect();
    assert_eq!(types, [(Kind::Real, 32), (Kind::Real, 32), (Kind::Complex, 64), (Kind::Real, 64)]);
    assert!(library.prototypes.iter().all(|p| p.parameters[1].out_shape.is_some()));
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
