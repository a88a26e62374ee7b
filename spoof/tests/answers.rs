//! Functions in C, C++ and Fortran whose answers stand above them, by prototypes that were written, that debugging
//! information gives and that a header gives: none of the right ones may be reported, the others must be found.

mod common;

use common::{Quiet, here};
use nanoscope_spoof::derive::{Declaration, from_debug_information, from_header, prototype};
use nanoscope_spoof::handling::{Effect, SpoofRun, handle};
use nanoscope_spoof::prototype::{Library, parse};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is known of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Right,
    /// Right if the prototype was written.
    Told,
    /// Right but for finite inputs that overflow.
    Overflows,
    Loses,
}

/// The answers in a file: the word above each function.
fn answers(file: &Path) -> BTreeMap<String, Answer> {
    let text = std::fs::read_to_string(file).expect("it is there");
    let mut all = BTreeMap::new();
    let mut word = None;
    for line in text.lines() {
        let comment =
            ["/* ", "// ", "! "].iter().find_map(|mark| line.trim_start().strip_prefix(mark));
        let first = comment.and_then(|comment| comment.split([' ', ':']).next());
        match (first, word) {
            (Some("right" | "guarded"), _) => word = Some(Answer::Right),
            (Some("told"), _) => word = Some(Answer::Told),
            (Some("overflows"), _) => word = Some(Answer::Overflows),
            (Some("loses" | "misses"), _) => word = Some(Answer::Loses),
            (_, Some(answer)) => {
                let head = line.split('(').next().unwrap_or_default();
                let name = head.rsplit([' ', '*', ':']).next().unwrap_or_default();
                all.insert(name.to_string(), answer);
                word = None;
            }
            (Some(_) | None, None) => {}
        }
    }
    all
}

/// Whether this machine has a compiler; some tests are for those that have.
fn has(compiler: &str) -> bool {
    let found = Command::new(compiler).arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        // Written past the capture of the tests, so that it is counted.
        let _ = writeln!(std::io::stderr(), "skipped: there is no {compiler}");
    }
    found
}

fn compiled(folder: &Path, compiler: &str, flags: &[&str], files: &[&str]) -> PathBuf {
    let program = folder.join("program");
    let files: Vec<PathBuf> = files.iter().map(|file| here(file)).collect();
    let mut compile = Command::new(compiler);
    compile.args(["-g", "-w"]).args(flags).arg("-o").arg(&program).args(files).arg("-lm");
    assert!(compile.current_dir(folder).status().expect("the compiler runs").success());
    program
}

fn derived(declared: &[Declaration]) -> Library {
    let mut library = parse("optional").expect("it is right");
    library.prototypes.extend(declared.iter().filter_map(|declared| prototype(declared).ok()));
    library
}

/// What people call a symbol: of C++'s, the last name in it.
fn plain(symbol: &str, known: &BTreeMap<String, Answer>) -> String {
    let in_module = symbol.rsplit("_MOD_").next().unwrap_or(symbol);
    let trimmed = in_module.trim_end_matches('_');
    let mangled = |name: &&String| symbol.contains(&format!("{}{name}", name.len()));
    let of_cxx = known.keys().filter(|_| symbol.starts_with("_Z")).find(mangled);
    of_cxx.cloned().unwrap_or_else(|| trimmed.to_string())
}

fn check(outcome: &SpoofRun, source: &str, written: bool, what: &str) {
    let known = answers(&here(source));
    assert!(known.len() > 8, "{}", known.len());
    let mut reported = BTreeMap::<String, String>::new();
    let overflows = |name: &String| known.get(name) == Some(&Answer::Overflows);
    for failure in outcome.failures.iter().filter(|failure| !failure.effect.is_harmless()) {
        let line = format!("{} {:?} {:?}", failure.place, failure.cause, failure.effect);
        let name = plain(&failure.tested.symbol, &known);
        if !(overflows(&name) && failure.effect == Effect::Wrong) {
            reported.insert(name, line);
        }
    }
    for tested in outcome.figures.keys() {
        let name = plain(&tested.symbol, &known);
        let failure = reported.get(&name);
        match known.get(&name) {
            // Two functions, of which one is right.
            _ if name == "overloaded" => {}
            Some(Answer::Right | Answer::Overflows) => {
                assert_eq!(failure, None, "{name} is right: {what}")
            }
            Some(Answer::Told) if written => assert_eq!(failure, None, "{name} is right: {what}"),
            Some(Answer::Loses) => assert!(failure.is_some(), "{name} loses: {what}"),
            Some(Answer::Told) | None => {}
        }
    }
    let tested = outcome.figures.len();
    assert!(2 * tested > known.len(), "{tested} of {} were tested: {what}", known.len());
}

fn written() -> Library {
    let text = std::fs::read_to_string(here("answers/answers.prototypes")).expect("it is there");
    parse(&text).expect("it is right")
}

fn check_all(source: &str, files: &[&str], compiler: &str, flags: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = compiled(folder.path(), compiler, flags, files);
    let run =
        |library: Library| handle(&common::options(&program, library), &Quiet).expect("it runs");
    check(&run(written()), source, true, &format!("{compiler} {flags:?}, written"));
    let declared = from_debug_information(&program).expect("it has debugging information");
    check(
        &run(derived(&declared)),
        source,
        false,
        &format!("{compiler} {flags:?}, debugging information"),
    );
    if source == "answers/answers.c" {
        let header = from_header(&here("answers/answers.h"), &[]).expect("it is a header");
        check(&run(derived(&header)), source, false, &format!("{compiler} {flags:?}, header"));
    }
}

/// What is beside the reports.
fn check_channels(compiler: &str, flags: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = compiled(folder.path(), compiler, flags, &["answers/channels.c"]);
    let declared = from_debug_information(&program).expect("it has debugging information");
    let options = common::inputs_only(&program, derived(&declared));
    let outcome = handle(&options, &Quiet).expect("it runs");
    check(&outcome, "answers/channels.c", false, &format!("{compiler} {flags:?}"));
}

#[test]
fn channels() {
    check_channels("gcc", &["-O2"]);
    check_channels("clang-19", &["-O2"]);
}

#[test]
fn c_by_gcc() {
    check_all("answers/answers.c", &["answers/answers.c"], "gcc", &["-O2"]);
}

#[test]
fn c_by_clang() {
    check_all("answers/answers.c", &["answers/answers.c"], "clang-19", &["-O3", "-mavx2", "-mfma"]);
}

#[test]
fn cxx() {
    check_all(
        "answers/answers.cpp",
        &["answers/answers.cpp"],
        "clang++-19",
        &["-O1", "-std=c++17"],
    );
}

#[test]
fn cxx_by_gcc() {
    if has("g++") {
        check_all("answers/answers.cpp", &["answers/answers.cpp"], "g++", &["-O2", "-std=c++17"]);
    }
}

#[test]
fn fortran() {
    check_all(
        "answers/answers.f90",
        &["answers/answers.f90", "answers/answers_main.f90"],
        "flang-new-19",
        &["-O2"],
    );
    if has("gfortran") {
        check_all(
            "answers/answers.f90",
            &["answers/answers.f90", "answers/answers_main.f90"],
            "gfortran",
            &["-O2"],
        );
    }
}

/// By debugging information alone: the text format has no structures.
fn check_inside(source: &str, compiler: &str, flags: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = compiled(folder.path(), compiler, flags, &[source]);
    let declared = from_debug_information(&program).expect("it has debugging information");
    let options = common::options(&program, derived(&declared));
    let outcome = handle(&options, &Quiet).expect("it runs");
    check(&outcome, source, false, &format!("{compiler} {flags:?}"));
    let crashes = outcome.warnings.iter().filter(|w| matches!(w.effect, Effect::Crash(_)));
    assert_eq!(crashes.count(), 0, "{compiler} {flags:?}: nothing crashes");
}

#[test]
fn inside_of_structures() {
    check_inside("inside/inside.cpp", "clang++-19", &["-O2", "-std=c++17"]);
    if has("g++") {
        check_inside("inside/inside.cpp", "g++", &["-O0", "-std=c++17"]);
        check_inside("inside/inside.cpp", "g++", &["-O1", "-std=c++17"]);
        check_inside("inside/inside.cpp", "g++", &["-O2", "-std=c++17"]);
    }
}

#[test]
fn arrays_with_descriptors() {
    if has("gfortran") {
        check_inside("inside/shapes.f90", "gfortran", &["-O0"]);
        check_inside("inside/shapes.f90", "gfortran", &["-O3"]);
    }
}
