//! What the tests of subjects share: how a subject is run, and what failed in it.

#![allow(dead_code, reason = "each test uses some of it")]

use nanoscope_spoof::handling::{Cause, Observer, Options, Progress, SpoofRun};
use nanoscope_spoof::prototype::Library;
use std::path::{Path, PathBuf};

/// Lets a run go to its end.
pub struct Quiet;

impl Observer for Quiet {
    fn progress(&self, _: &Progress) {}

    fn stop(&self) -> bool {
        false
    }
}

/// A file of the subjects.
pub fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subjects").join(name)
}

/// Inputs, results and a short while of solving.
pub fn options(program: &Path, library: Library) -> Options {
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

/// Inputs only.
pub fn inputs_only(program: &Path, library: Library) -> Options {
    let solver_time = std::time::Duration::ZERO;
    Options { results: false, solver_time, ..options(program, library) }
}

/// What failed with spoofed inputs, but for infinities that have a limit.
pub fn failures(outcome: &SpoofRun) -> Vec<String> {
    let mut lines = Vec::new();
    for failure in outcome.failures.iter().filter(|failure| !failure.effect.is_harmless()) {
        let Cause::Input { spoof, .. } = failure.cause else { continue };
        let (symbol, place) = (&failure.tested.symbol, &failure.place);
        lines.push(format!("{symbol} {place} {spoof:?} {:?}", failure.effect));
    }
    lines.sort();
    lines
}
