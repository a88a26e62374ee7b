//! Small subjects with known answers, compiled in several ways.

use nanoscope_spoof::handling::{Effect, Observer, Options, Outcome, Trouble, handle};
use nanoscope_spoof::prototype::parse;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Quiet;

impl Observer for Quiet {
    fn progress(&self, _: &str, _: u64, _: u64, _: u64) {}

    fn stop(&self) -> bool {
        false
    }
}

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects").join(name)
}

fn run(program: &Path, prototypes: &str) -> Result<Outcome, Trouble> {
    let library = parse(prototypes).expect("the prototypes are right");
    let options = Options {
        library,
        functions: Vec::new(),
        error_routines: Vec::new(),
        command: vec![program.as_os_str().to_os_string()],
        preload: Vec::new(),
        input: None,
        integer_bits: 32,
        jobs: 2,
        time_limit: None,
        results: true,
        every_call: false,
    };
    handle(&options, &Quiet)
}

/// Compiles `small.c` with these words and gives what fails: function, input, spoof and effect.
fn failures(compiler: &str, flags: &[&str]) -> (Vec<String>, Outcome) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("small");
    let status = Command::new(compiler)
        .args(flags)
        .arg("-o")
        .arg(&program)
        .arg(here("small.c"))
        .arg("-lm")
        .status()
        .expect("the compiler runs");
    assert!(status.success());
    let prototypes = std::fs::read_to_string(here("small.prototypes")).expect("it is there");
    let outcome = run(&program, &prototypes).expect("it runs");
    let mut lines = Vec::new();
    for failure in &outcome.failures {
        if failure.effect == Effect::Limit {
            continue;
        }
        lines.push(format!(
            "{} {} {:?} {:?}",
            failure.tested.symbol, failure.place, failure.cause, failure.effect
        ));
    }
    (lines, outcome)
}

#[test]
fn known_answers() {
    let (lines, outcome) = failures("gcc", &["-O2"]);
    for line in &lines {
        eprintln!("{line}");
    }
    for (tested, figures) in &outcome.figures {
        eprintln!("{} {figures:?}", tested.symbol);
    }
    for warning in &outcome.warnings {
        eprintln!(
            "{} {} {:?} {:?} {}",
            warning.tested.symbol, warning.place, warning.cause, warning.effect, warning.count
        );
    }
    eprintln!("{:?} {:?}", outcome.notes, outcome.ended);
    panic!();
}
