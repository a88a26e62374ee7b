//! How libraries really lose exceptions, in C and Fortran: functions with known answers, compiled in several
//! ways, tested by the prototypes that debugging information gives or that were written.

mod common;

use common::{Quiet, failures, here, inputs_only, options};
use nanoscope_spoof::derive::{from_debug_information, prototype};
use nanoscope_spoof::handling::{Observer, Options, Progress, SpoofRun, handle};
use nanoscope_spoof::prototype::parse;
use nanoscope_spoof::to_report;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// Compiles files of this folder.
fn compiled(folder: &Path, compiler: &str, flags: &[&str], files: &[PathBuf]) -> PathBuf {
    let program = folder.join("program");
    let mut compile = Command::new(compiler);
    compile.args(["-g", "-w"]).args(flags).arg("-o").arg(&program).args(files).arg("-lm");
    assert!(compile.status().expect("the compiler runs").success());
    program
}

/// What fails in `kinds.c`, as a run at -O0 showed and reading confirmed, whatever the compiler makes of it: and
/// nothing else may.
const KINDS: &[&str] = &[
    "bisected a NaN Swallowed",
    "bisected b NaN Swallowed",
    "bounded_long most NaN Swallowed",
    "deviation x MinusInfinity Swallowed",
    "deviation x NaN Swallowed",
    "deviation x PlusInfinity Swallowed",
    "farther p NaN Swallowed",
    "first_above x NaN Swallowed",
    "forced_pivots d NaN Swallowed",
    "histogram x NaN Swallowed",
    "largest_modulus z NaN Swallowed",
    "limited_step error NaN Swallowed",
    "limited_step gain NaN Swallowed",
    "limited_step state NaN Swallowed",
    "longest_side s NaN Swallowed",
    "looked_up x Greatest Wrong",
    "looked_up x NaN Swallowed",
    "looked_up x PlusInfinity Swallowed",
    "median x NaN Swallowed",
    "newton_root a NaN Swallowed",
    "quantise x NaN Swallowed",
    "retried tolerance NaN Swallowed",
    "retried x NaN Swallowed",
    "sign_of x NaN Swallowed",
    "similarity x Greatest Wrong",
    "similarity x Least Wrong",
    "similarity x MinusInfinity Swallowed",
    "similarity x NaN Swallowed",
    "similarity x PlusInfinity Swallowed",
    "similarity y Greatest Wrong",
    "similarity y Least Wrong",
    "similarity y MinusInfinity Swallowed",
    "similarity y NaN Swallowed",
    "similarity y PlusInfinity Swallowed",
    "smallest x NaN Swallowed",
    "step_at x Greatest Crash(11)",
    "step_at x Least Crash(11)",
    "step_at x MinusInfinity Crash(11)",
    "step_at x NaN Crash(11)",
    "step_at x PlusInfinity Crash(11)",
    "unit_vector x Greatest Wrong",
    "unit_vector x Least Wrong",
    "unit_vector x NaN Swallowed",
];

/// The same for `fortran.f90`.
const FORTRAN: &[&str] = &[
    "cubed_root_ a MinusInfinity Swallowed",
    "cubed_root_ a NaN Swallowed",
    "cubed_root_ a PlusInfinity Swallowed",
    "graded_ x NaN Swallowed",
    "graded_ x PlusInfinity Swallowed",
    "larger_ z NaN Swallowed",
    "norm_of_ a NaN Swallowed",
    "roots_ x NaN Swallowed",
    "scaled_rows_ x NaN Swallowed",
    "smoothed_ tol NaN Swallowed",
    "smoothed_ x NaN Swallowed",
];

fn check_kinds(compiler: &str, flags: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = compiled(folder.path(), compiler, flags, &[here("kinds.c")]);
    let mut library = parse("optional").expect("it is right");
    let declared = from_debug_information(&program).expect("it has debugging information");
    library.prototypes.extend(declared.iter().filter_map(|declared| prototype(declared).ok()));
    let outcome = handle(&inputs_only(&program, library), &Quiet).expect("it runs");
    assert_eq!(failures(&outcome), KINDS, "{compiler} {flags:?}");
}

#[test]
fn kinds_by_gcc() {
    check_kinds("gcc", &["-O0"]);
    check_kinds("gcc", &["-O3", "-mavx2", "-mfma"]);
}

#[test]
fn kinds_by_clang() {
    check_kinds("clang-19", &["-O2"]);
}

/// A function of Fortran is tested again by a program in Fortran, which fails.
#[test]
fn fortran() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = [here("fortran.f90"), here("fortran_main.f90")];
    let prototypes = std::fs::read_to_string(here("fortran.prototypes")).expect("it is there");
    let compiler = "flang-new-19";
    let program = compiled(folder.path(), compiler, &["-O2"], &files);
    let options = inputs_only(&program, parse(&prototypes).expect("it is right"));
    let outcome = handle(&options, &Quiet).expect("it runs");
    assert_eq!(failures(&outcome), FORTRAN);
    for finding in &to_report(&options, &outcome, 0.0).findings {
        let more = &finding.details.more;
        assert_eq!(more["test_suffix"], "f90", "{}", finding.id);
        let test = folder.path().join("test.f90");
        std::fs::write(&test, more["test"].as_str().expect("a text")).expect("it is written");
        let test = compiled(folder.path(), compiler, &["-O1"], &[test, here("fortran.f90")]);
        let ran = Command::new(test).output().expect("it runs");
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(said.contains("the exception vanishes"), "{}: {said}", finding.id);
        assert_eq!(ran.status.code(), Some(1), "{}", finding.id);
    }
}

/// Stops a run when a pass begins.
struct Until(&'static str, AtomicBool);

impl Observer for Until {
    fn progress(&self, progress: &Progress) {
        if progress.pass == self.0 {
            self.1.store(true, Ordering::Relaxed);
        }
    }

    fn stop(&self) -> bool {
        self.1.load(Ordering::Relaxed)
    }
}

/// A run that is stopped after its first round knows every function, also the one that is called last; a run that
/// goes on from there finds what an undisturbed one finds.
#[test]
fn functions_take_turns() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("turns.c");
    let text = "__attribute__((noinline)) double sum(const double *x, int n)\n\
        {\n double s = 0;\n for (int i = 0; i < n; i++) s += x[i];\n return s;\n}\n\
        __attribute__((noinline)) double largest(const double *x, int n)\n\
        {\n double best = x[0];\n for (int i = 1; i < n; i++) if (x[i] > best) best = x[i];\n\
         return best;\n}\n\
        int main(void)\n{\n static double x[200];\n volatile double s = 0;\n\
         for (int n = 1; n <= 200; n++) s += sum(x, n);\n return largest(x, 3) > 1;\n}\n";
    std::fs::write(&source, text).expect("it is written");
    let program = compiled(folder.path(), "gcc", &["-O1"], &[source]);
    let declared = from_debug_information(&program).expect("it has debugging information");
    let mut library = parse("optional").expect("it is right");
    library.prototypes.extend(declared.iter().filter_map(|declared| prototype(declared).ok()));
    let solver_time = std::time::Duration::ZERO;
    let resume = Some(folder.path().join("done"));
    let options = Options { solver_time, resume, ..options(&program, library) };
    let figures = |outcome: &SpoofRun| {
        let rows = outcome.figures.iter();
        rows.map(|(t, f)| {
            (t.symbol.clone(), f.calls, f.spoofed_calls, f.whole, f.input_spoofs, f.input_failures)
        })
        .collect::<Vec<_>>()
    };
    let stopped = handle(&options, &Until("results", AtomicBool::default())).expect("it runs");
    assert!(!stopped.complete);
    let [largest, sum] = &figures(&stopped)[..] else { panic!("two functions") };
    assert!(largest.1 == 1 && largest.2 == 1 && largest.5 > 0, "{largest:?}");
    assert!(sum.1 == 200 && sum.2 > 0 && sum.2 < 200 && !sum.3, "{sum:?}");
    let resumed = handle(&options, &Quiet).expect("it runs");
    assert!(resumed.complete);
    assert_eq!(failures(&resumed), ["largest x NaN Swallowed"]);
    let undisturbed = handle(&Options { resume: None, ..options }, &Quiet).expect("it runs");
    assert_eq!(figures(&resumed), figures(&undisturbed));
    assert!(undisturbed.figures.values().all(|figures| figures.whole));
    assert_eq!(failures(&undisturbed), failures(&resumed));
}

/// What a subject starts dies with the run, be it in a session of its own; and a subject that does not end
/// is left at the last call that matters.
#[test]
fn nothing_is_left_behind() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("lingers.c");
    let text = "#include <unistd.h>\n\
        __attribute__((noinline)) double largest(const double *x, int n)\n\
        {\n double best = x[0];\n for (int i = 1; i < n; i++) if (x[i] > best) best = x[i];\n\
         return best;\n}\n\
        int main(void)\n{\n double x[] = {1, 3, 2};\n\
         if (fork() == 0) { setsid(); for (;;) pause(); }\n\
         volatile double y = largest(x, 3);\n for (;;) sleep(1);\n return y < 0;\n}\n";
    std::fs::write(&source, text).expect("it is written");
    let program = compiled(folder.path(), "gcc", &["-O1"], &[source]);
    let declared = from_debug_information(&program).expect("it has debugging information");
    let mut library = parse("optional").expect("it is right");
    library.prototypes.extend(declared.iter().filter_map(|declared| prototype(declared).ok()));
    let time_limit = Some(std::time::Duration::from_secs(10));
    let options = Options { time_limit, ..inputs_only(&program, library) };
    let outcome = handle(&options, &Quiet).expect("it runs");
    assert_eq!(failures(&outcome), ["largest x NaN Swallowed"]);
    assert!(outcome.failures.iter().any(|failure| failure.confirmed) && !outcome.complete);
    let program = program.canonicalize().expect("it is there");
    let is_left = || {
        let mut all = std::fs::read_dir("/proc").expect("it is there").flatten();
        all.any(|entry| {
            std::fs::read_link(entry.path().join("exe")).is_ok_and(|runs| runs == program)
        })
    };
    // On a busy machine who was killed takes a while to go.
    let is_gone = (0..600).any(|_| {
        let left = is_left();
        if left {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        !left
    });
    assert!(is_gone);
}

/// A function that raises an exception itself tells of trouble, if its prototype says so.
#[test]
fn a_raised_exception_is_a_report() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("raises.c");
    let text = "#include <fenv.h>\n#include <math.h>\n\
        __attribute__((noinline)) double kept(double x)\n\
        {\n if (isnan(x) || isinf(x)) { feraiseexcept(FE_INVALID); return 0; }\n return x;\n}\n\
        int main(void)\n{\n return kept(2) != 2;\n}\n";
    std::fs::write(&source, text).expect("it is written");
    let program = compiled(folder.path(), "gcc", &["-O1"], &[source]);
    let failing = |report: &str| {
        let prototype = format!("c kept(x) -> real 64\n    x real 64 in\n{report}");
        let library = parse(&prototype).expect("it is right");
        failures(&handle(&inputs_only(&program, library), &Quiet).expect("it runs"))
    };
    assert_eq!(failing("    report raises.invalid\n"), Vec::<String>::new());
    assert_eq!(
        failing("    report raises.division or raises.overflow\n"),
        ["kept x MinusInfinity Swallowed", "kept x NaN Swallowed", "kept x PlusInfinity Swallowed"]
    );
    assert!(parse("c kept(x) -> real 64\n x real 64 in\n report raises.inexact\n").is_err());
}

/// What the program has written and not yet written out stays its own: runs write nothing to its files, and read
/// from a position of their own.
#[test]
fn files_of_the_program_are_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("files.c");
    let text = "#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n\
        static FILE *log, *both;\n\
        __attribute__((noinline)) double logged(double x)\n\
        {\n fprintf(log, \"x\\n\"); return x;\n}\n\
        __attribute__((noinline)) double next(double x)\n\
        {\n char line[8] = \"\"; fgets(line, 8, both); return x + line[0];\n}\n\
        int main(void)\n{\n char all[64] = \"\";\n log = fopen(\"log\", \"w\");\n\
         both = fopen(\"both\", \"w+\"); fputs(\"a\\nb\\n\", both); rewind(both);\n\
         fputs(\"begin\\n\", log); logged(1); logged(2); usleep(400000); fclose(log);\n\
         log = fopen(\"log\", \"r\"); all[fread(all, 1, 60, log)] = 0;\n\
         if (strcmp(all, \"begin\\nx\\nx\\n\")) return 1;\n\
         if (next(0) != 'a') return 2;\n usleep(400000);\n return next(0) != 'b';\n}\n";
    std::fs::write(&source, text).expect("it is written");
    let program = compiled(folder.path(), "gcc", &["-O1"], &[source]);
    let prototypes = "c logged(x) -> real 64\n x real 64 in\nc next(x) -> real 64\n x real 64 in\n";
    let library = parse(prototypes).expect("it is right");
    let outcome = handle(&inputs_only(&program, library), &Quiet).expect("it runs");
    assert_eq!(failures(&outcome), Vec::<String>::new());
    assert!(outcome.figures.values().all(|figures| figures.spoofed_calls == 2), "{outcome:?}");
}
