//! Hand-written C in the shape of the libraries that `program` builds.
#![allow(dead_code)] // each test file uses its part

use nanoscope_ieee::Format;
use nanoscope_native::{Observer, Record};
use nanoscope_program::{
    Action, Exception, Goal, GoalId, Input, Instrumented, Location, Original, Output, Scalar, Site,
    SiteId, Target,
};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

pub fn runtime(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../program/runtime").join(file)
}

/// Compiles `source` and the files of `others` into a shared library, once for the
/// same text: libraries stay in the build's own folder for tests.
pub fn compile(source: &str, others: &[PathBuf], flags: &[&str]) -> PathBuf {
    build(source, others, &[&["-shared", "-fPIC", "-w"], flags, &["-lm"]].concat(), "so")
}

fn build(source: &str, others: &[PathBuf], flags: &[&str], kind: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (source, flags).hash(&mut hasher);
    others.iter().for_each(|file| std::fs::read(file).unwrap().hash(&mut hasher));
    let stem = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{:016x}", hasher.finish()));
    let product = stem.with_extension(kind);
    if product.exists() {
        return product;
    }
    // Tests run side by side: each builds under a name of its own.
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (input, output) = (folder.path().join("subject.c"), folder.path().join("product"));
    std::fs::write(&input, source).unwrap();
    let (link, compile): (Vec<&str>, Vec<&str>) = flags.iter().partition(|f| f.starts_with("-l"));
    let status = Command::new("clang-19")
        .args(compile)
        .arg(&input)
        .args(others)
        .args(link)
        .arg("-o")
        .arg(&output)
        .status()
        .expect("clang-19 runs");
    assert!(status.success(), "clang-19 on\n{source}");
    std::fs::rename(output, &product).unwrap();
    product
}

/// A target with so many words in and out, all binary64.
pub fn target(inputs: usize, outputs: usize) -> Target {
    let scalar = Scalar::Float(Format::BINARY64);
    Target {
        function: "subject".into(),
        symbol: "subject".into(),
        file: "subject.c".into(),
        line: 1,
        entry: 0,
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
        arrays: Vec::new(),
        lengths: Vec::new(),
        input_words: inputs,
        output_words: outputs,
        goals: Vec::new(),
        edges: Vec::new(),
        constants: Vec::new(),
        call: None,
        fortran_call: None,
        assumptions: Vec::new(),
        gaps: Vec::new(),
    }
}

/// A probe reports its site's number as the goal and its first word as the distance.
pub struct Direct;

impl Observer for Direct {
    fn observe(&self, site: u32, record: &Record, each: &mut dyn FnMut(usize, u64)) {
        each(site as usize, record[0]);
    }

    fn cutoffs(&self, goal: usize, best: &[u64], set: &mut dyn FnMut(usize, u64)) {
        set(goal, best[goal]);
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
    uint64_t record[8] = {distance};
    if (distance < nanoscope_cutoffs[goal]) nanoscope_probe(goal, record);
}
static uint64_t apart(uint64_t a, uint64_t b) { return a < b ? b - a : a - b; }
"#;

/// A library that runs `body` (with `in`, `out`) and answers `goals` questions.
pub fn instrumented(goals: usize, words: usize, body: &str) -> Instrumented {
    let source =
        format!("{PROBED}\nvoid nanoscope_run(const uint64_t *in, uint64_t *out) {{ {body} }}\n");
    let library = compile(&source, &[runtime("search.c")], &["-O1"]);
    let goal = |index| Goal {
        id: GoalId(index),
        site: SiteId(index),
        exception: Exception::Invalid,
        never: None,
    };
    let mut target = target(words, 1);
    target.goals = (0..goals as u32).map(GoalId).collect();
    Instrumented {
        library,
        target,
        goals: Arc::new((0..goals as u32).map(goal).collect()),
        edges: 0,
        probes: Arc::default(),
        constants: Arc::default(),
    }
}

/// What a line does, by its looks. A call of libm is like any other: `Sqrt` will do.
fn action(line: &str) -> Action {
    let is_call = line.trim_start().starts_with("return ") && line.contains("(");
    match line {
        _ if is_call && !line.contains("inner") => Action::Sqrt,
        _ if line.contains('/') => Action::Div,
        _ if line.contains('*') => Action::Mul,
        _ if line.contains('-') => Action::Sub,
        _ if line.contains('+') => Action::Add,
        _ => Action::Narrow { from: Format::BINARY64 },
    }
}

/// A subject that replays: `lines` stand one a source line, so that line n is site
/// n - 1; they define `RESULT subject(double x, double y)`. The names in `wrapped`
/// go through the runtime's wrappers. `conversions` are the sites that convert.
pub fn original(
    lines: &str,
    flags: &[&str],
    wrapped: &[&str],
    conversions: &[(usize, u32, bool)],
) -> Original {
    let source = format!(
        r#"
#line 10001 "prelude"
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <math.h>
#include <unistd.h>
#include <fcntl.h>
#include <fenv.h>
#include <signal.h>
#include <sys/socket.h>
#ifndef RESULT
#define RESULT double
#endif
__attribute__((noinline)) RESULT subject(double x, double y);
void nanoscope_reset(void) {{}}
void nanoscope_run(const uint64_t *in, uint64_t *out) {{
    double x, y;
    memcpy(&x, in, 8), memcpy(&y, in + 1, 8);
    RESULT result = subject(x, y);
    memcpy(out, &result, sizeof result);
}}
#line 1 "subject"
{lines}
"#
    );
    let wraps: Vec<String> = wrapped.iter().map(|name| format!("-Wl,--wrap={name}")).collect();
    // What would tell a call's site wrongly: tail calls, and libm calls taken apart
    // late without their line.
    let mut all = vec!["-gline-tables-only", "-fno-optimize-sibling-calls"];
    all.extend(["-mllvm", "-disable-partial-libcall-inlining"]);
    all.extend(flags);
    all.extend(wraps.iter().map(String::as_str));
    let wrappers = nanoscope_program::libm::wrappers();
    let replay = std::fs::read_to_string(runtime("replay.c")).unwrap();
    let object = build(
        &replay.replace("#include \"libm.def\"", &wrappers),
        &[],
        &["-c", "-O2", "-fPIC", "-fno-builtin", &format!("-I{}", runtime("").display())],
        "o",
    );
    let library = compile(&source, &[object], &all);
    let sites = (0..lines.lines().count()).map(|index| Site {
        id: SiteId(index as u32),
        function: "subject".into(),
        location: Location::default(),
        action: match conversions.iter().find(|(site, ..)| *site == index) {
            Some(&(_, bits, signed)) => Action::ToInteger { bits, signed },
            None => action(lines.lines().nth(index).unwrap()),
        },
        format: Format::BINARY64,
        rewritable: false,
    });
    Original { library, target: target(2, 2), sites: Arc::new(sites.collect()), checked: None }
}
