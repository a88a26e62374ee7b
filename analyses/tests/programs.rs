//! The suite of small programs, explored: correct ones are followed to the end of every
//! path, wrong ones are found out and seen to be wrong natively.
//!
//! A program says in its first comments what is to be found: `expect: holds`, or
//! `expect: assertion-failure at 17`; with which flags: `flags: -O2 -lm`; and, where a loop
//! has no end, how often a path may come by the same place: `loops: 4`.

use nanoscope_analyses::tests::{Listener, Options, Scheduler, Stdin, run};
use nanoscope_analyses::{Source, tests};
use nanoscope_report::{Report, Status};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// What a program's comments say.
struct Expectation {
    /// Kind and line of what is to be found; nothing where the program is correct.
    finding: Option<(String, u32)>,
    flags: Vec<String>,
    loops: Option<u64>,
}

fn expectation(text: &str) -> Option<Expectation> {
    let said = |name: &str| {
        text.lines().find_map(|line| {
            let comment = line.trim_start_matches(['/', '!', 'C', ' ']);
            comment.strip_prefix(name).map(|rest| rest.trim().to_owned())
        })
    };
    let expected = said("expect:")?;
    let finding = match expected.split_once(" at ") {
        None => None,
        Some((kind, line)) => Some((kind.to_owned(), line.parse().ok()?)),
    };
    let flags = said("flags:").unwrap_or_default();
    let flags = flags.split_whitespace().map(str::to_owned).collect();
    let loops = said("loops:").and_then(|most| most.parse().ok());
    Some(Expectation { finding, flags, loops })
}

fn options(path: &Path, flags: Vec<String>) -> tests::Options {
    Options {
        source: Source { files: vec![path.to_owned()], flags, ..Source::default() },
        function: None,
        arguments: Vec::new(),
        environment: None,
        time_limit: Duration::from_secs(120),
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
    }
}

/// What is wrong with what was found; nothing if nothing is.
fn judge(report: &Report, expected: Option<&(String, u32)>) -> Option<String> {
    let found: Vec<String> = report
        .findings
        .iter()
        .map(|finding| format!("{} at {}", finding.kind.name(), finding.place.line))
        .collect();
    let wanted: Vec<String> =
        expected.iter().map(|(kind, line)| format!("{kind} at {line}")).collect();
    let notes: Vec<&str> = report.notes.iter().map(|note| note.text.as_str()).collect();
    let open: Vec<&str> = report.verdicts.iter().map(|verdict| verdict.why.as_str()).collect();
    if found != wanted {
        return Some(format!("found {found:?} instead of {wanted:?}; {notes:?} {open:?}"));
    }
    if wanted.is_empty() && report.status != Status::Exhausted {
        return Some(format!("not exhausted; {notes:?} {open:?}"));
    }
    None
}

#[test]
fn every_program_is_found_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the programs are there")
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    programs.sort();
    if let Ok(only) = std::env::var("NANOSCOPE_PROGRAM") {
        programs.retain(|path| only.split(',').any(|it| path.display().to_string().contains(it)));
    }
    assert!(!programs.is_empty());
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(path) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(failure) = one(path) {
                        let name = path.file_name().unwrap_or_default().to_string_lossy();
                        failures.lock().unwrap().push(format!("{name}: {failure}"));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    let count = failures.len();
    assert!(failures.is_empty(), "{count} of {}\n{}", programs.len(), failures.join("\n"));
}

fn one(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).expect("it is text");
    let Some(expected) = expectation(&text) else { return Some("says nothing".to_owned()) };
    let listener = Listener { progress: &|_| {}, echo: None };
    let options = Options { max_loop: expected.loops, ..options(path, expected.flags) };
    match run(&options, &listener) {
        Ok(report) => judge(&report, expected.finding.as_ref()),
        Err(fault) => Some(fault.to_string()),
    }
}

/// What only sanitisers see is seen of bitcode too, which no front end of ours has checked.
#[test]
fn bitcode_is_sanitised() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for name in
        ["heap_overrun", "stack_overrun", "use_after_free", "overshift", "unreachable_reached"]
    {
        let source = folder.join(format!("{name}.c"));
        let expected = expectation(&std::fs::read_to_string(&source).expect("it is text"));
        let expected = expected.expect("it says what is expected");
        let bitcode = scratch.join(format!("{name}.bc"));
        let compiled = std::process::Command::new("clang-19")
            .args(["-g", "-O1", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c"])
            .args(expected.flags.iter().filter(|flag| !flag.starts_with("-l")))
            .args([&source, Path::new("-o"), &bitcode])
            .status();
        assert!(compiled.is_ok_and(|status| status.success()), "{name} does not compile");
        let listener = Listener { progress: &|_| {}, echo: None };
        let options = Options { max_loop: expected.loops, ..options(&bitcode, expected.flags) };
        let report = run(&options, &listener).expect("it runs");
        assert_eq!(judge(&report, expected.finding.as_ref()), None, "{name}");
    }
}

/// What comes after a shift that an optimiser computes in advance is reached also where the shift is
/// by too much: the assertion fails where no element is set.
#[test]
fn a_speculated_shift_ends_no_path() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let text = "#include <assert.h>\n\
                unsigned __VERIFIER_nondet_uint(void);\n\
                int a[8];\n\
                int main(void) {\n\
                  unsigned k = __VERIFIER_nondet_uint(), s = 0, m = __VERIFIER_nondet_uint();\n\
                  for (int i = 0; i < 8; i++) a[i] = (m >> i) & 1;\n\
                  for (int i = 0; i < 8; i++) if (a[i]) s += 7u << k;\n\
                  if (m == 0x100 && k > 1000 && k * 5 == 50005) assert(s != 0);\n\
                  return (int)s;\n\
                }\n";
    for level in ["-O1", "-O2"] {
        let name = format!("hoisted_shift{level}");
        let (source, bitcode) =
            (scratch.join(format!("{name}.c")), scratch.join(format!("{name}.bc")));
        std::fs::write(&source, text).expect("it can be written");
        let compiled = std::process::Command::new("clang-19")
            .args(["-g", level, "-emit-llvm", "-c"])
            .args([&source, Path::new("-o"), &bitcode])
            .status();
        assert!(compiled.is_ok_and(|status| status.success()), "{name} does not compile");
        let listener = Listener { progress: &|_| {}, echo: None };
        let report = run(&options(&bitcode, Vec::new()), &listener).expect("it runs");
        let found: Vec<(&str, u32)> = report
            .findings
            .iter()
            .map(|finding| (finding.kind.name(), finding.place.line))
            .collect();
        assert!(found.contains(&("assertion-failure", 8)), "{name}: {found:?}");
    }
}

/// A shift that an optimiser computes in advance is no failure where its result is not selected.
#[test]
fn speculated_shifts_are_judged_where_they_are_selected() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let shifts = [
        ("guarded_shift", "n < 32", false),
        ("loose_shift", "n != 7", true),
        ("guarded_too_late", "n < 40", true),
    ];
    for (name, guard, finding) in shifts {
        let text = format!(
            "int __VERIFIER_nondet_int(void);\n\
             int main(void) {{\n\
               unsigned n = (unsigned)__VERIFIER_nondet_int(), y = 3;\n\
               if ({guard}) y = 1u << n;\n\
               return (int)y;\n\
             }}\n"
        );
        let (source, bitcode) =
            (scratch.join(format!("{name}.c")), scratch.join(format!("{name}.bc")));
        std::fs::write(&source, text).expect("it can be written");
        let compiled = std::process::Command::new("clang-19")
            .args(["-g", "-O1", "-emit-llvm", "-c"])
            .args([&source, Path::new("-o"), &bitcode])
            .status();
        assert!(compiled.is_ok_and(|status| status.success()), "{name} does not compile");
        let listener = Listener { progress: &|_| {}, echo: None };
        let report = run(&options(&bitcode, Vec::new()), &listener).expect("it runs");
        let kinds: Vec<_> = report.findings.iter().map(|found| found.kind.name()).collect();
        assert_eq!(kinds.contains(&"overshift"), finding, "{name}: {kinds:?}");
    }
}
