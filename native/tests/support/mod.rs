//! Hand-written C in the shape of the libraries that `program` builds.
#![allow(dead_code)] // each test file uses its part

use nanoscope_ieee::Format;
use nanoscope_native::Observer;
use nanoscope_program::{
    Action, Exception, Goal, GoalId, Input, Instrumented, Location, Original, Output, Scalar, Site,
    SiteId, Target,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

pub fn runtime(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../program/runtime").join(file)
}

/// Compiles `source` and the files of `others` into a shared library.
pub fn compile(folder: &TempDir, source: &str, others: &[PathBuf], flags: &[&str]) -> PathBuf {
    let (input, library) = (folder.path().join("subject.c"), folder.path().join("subject.so"));
    std::fs::write(&input, source).unwrap();
    let status = Command::new("clang-19")
        .args(["-shared", "-fPIC", "-w", "-o"])
        .arg(&library)
        .args(flags)
        .arg(&input)
        .args(others)
        .arg("-lm")
        .status()
        .expect("clang-19 runs");
    assert!(status.success(), "clang-19 on\n{source}");
    library
}

/// A target with so many words in and out, all binary64.
pub fn target(inputs: usize, outputs: usize) -> Target {
    let scalar = Scalar::Float(Format::BINARY64);
    Target {
        function: "subject".into(),
        inputs: (0..inputs)
            .map(|word| Input {
                name: format!("x{word}"),
                type_name: "double".into(),
                scalar,
                word,
                low: u128::from((-f64::MAX).to_bits()),
                high: u128::from(f64::MAX.to_bits()),
                specials: false,
            })
            .collect(),
        outputs: (0..outputs)
            .map(|word| Output { name: format!("y{word}"), scalar, word })
            .collect(),
        input_words: inputs,
        output_words: outputs,
    }
}

/// A probe reports its site's number as the goal and its first word as the distance.
pub struct Direct;

impl Observer for Direct {
    fn observe(&self, site: u32, record: *const u64, each: &mut dyn FnMut(usize, u64)) {
        // SAFETY: the C below passes the address of one word.
        #[allow(unsafe_code)]
        each(site as usize, unsafe { *record });
    }

    fn cutoff(&self, _goal: usize, best: u64) -> u64 {
        best
    }
}

/// What every instrumented subject starts with: `near(goal, distance)` is its probe.
const PROBED: &str = r#"
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <fenv.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
const uint32_t nanoscope_resets = 1;
extern int64_t nanoscope_fuel;
extern void (*nanoscope_probe)(uint32_t, const uint64_t *);
extern _Noreturn void nanoscope_stop(void);
uint64_t nanoscope_cutoffs[1024];
static int counter;
void nanoscope_reset(void) { counter = 0; }
static void near(uint32_t goal, uint64_t distance) {
    if (distance < nanoscope_cutoffs[goal]) nanoscope_probe(goal, &distance);
}
static uint64_t apart(uint64_t a, uint64_t b) { return a < b ? b - a : a - b; }
"#;

/// A library that runs `body` (with `in`, `out`) and answers `goals` questions.
pub fn instrumented(folder: &TempDir, goals: usize, words: usize, body: &str) -> Instrumented {
    let source =
        format!("{PROBED}\nvoid nanoscope_run(const uint64_t *in, uint64_t *out) {{ {body} }}\n");
    let library = compile(folder, &source, &[runtime("search.c")], &["-O1"]);
    let goal = |index| Goal {
        id: GoalId(index),
        site: SiteId(index),
        exception: Exception::Invalid,
    };
    Instrumented {
        library,
        target: target(words, 1),
        goals: (0..goals as u32).map(goal).collect(),
        probes: Arc::default(),
        constants: Vec::new(),
    }
}
