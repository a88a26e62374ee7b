//! Texts as subjects: what must be found impossible in them, and nothing of it may happen.

use crate::attack::{Subject, attack, impossible, load};
use nanoscope_program::Target;
use nanoscope_ranges::{Findings, Options, Start, analyse};

/// A source of this text.
pub fn source(name: &str, text: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("nanoscope-ranges-src-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join(name);
    std::fs::write(&file, text).expect("it can be written");
    file
}

/// Analyses a target, and runs it on numbers.
pub fn check(subject: &Subject, target: &Target, runs: u64) -> (Findings, usize) {
    let options = Options { parts: 8, ..Options::default() };
    let findings = analyse(&subject.code, Start::Target(target), &options);
    assert_eq!(findings.stopped, None, "{}", target.function);
    let seen = attack(subject, target, &findings, runs, 7);
    (findings, seen)
}

/// Checks functions of a text: of each the goals that must be impossible, in its order. The
/// runs on numbers must agree in any case.
pub fn expect(name: &str, text: &str, ranges: &[(&str, &str, &str)], expected: &[(&str, &[&str])]) {
    expect_compiled(name, text, &[], ranges, expected);
}

/// The same with flags for the compiler.
pub fn expect_compiled(
    name: &str,
    text: &str,
    flags: &[&str],
    ranges: &[(&str, &str, &str)],
    expected: &[(&str, &[&str])],
) {
    let file = source(name, text);
    let functions: Vec<&str> = expected.iter().map(|(function, _)| *function).collect();
    let subject = load(&file, flags, &functions, ranges);
    for (target, (function, goals)) in subject.targets.iter().zip(expected) {
        let (findings, _) = check(&subject, target, 400);
        let found = impossible(&subject, target, &findings);
        for goal in *goals {
            assert!(found.iter().any(|f| f == goal), "{function}: {goal} among {found:#?}");
        }
    }
}
