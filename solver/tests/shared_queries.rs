//! The public queries, where they are: every answer within a short limit is
//! the expected one, and those without arithmetic are answered at once.

use nanoscope_budget::Budget;
use nanoscope_solver::{Options, Solver, Verdict};
use nanoscope_term::eliminate;
use nanoscope_term::smtlib::read;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// The answers of a suite's queries: how many were decided, and how long each
/// took. None where the queries are not.
fn check(suite: &str, limit: Duration) -> Option<(usize, usize, Vec<Duration>)> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/smt2");
    let Ok(status) = std::fs::read_to_string(shared.join("status.tsv")) else {
        skipped(suite, "the public queries are not beside the repository");
        return None;
    };
    let expected: BTreeMap<&str, &str> = status
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(file, answer)| (file.rsplit('/').next().unwrap_or(file), answer.trim()))
        .collect();
    let mut files: Vec<_> = std::fs::read_dir(shared.join(suite))
        .ok()?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    files.sort();
    let (mut decided, mut times) = (0, Vec::new());
    for file in &files {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let text = std::fs::read_to_string(file).expect("a query");
        let Ok(mut problem) = read(&text) else { continue };
        let start = Instant::now();
        let Ok(plain) = eliminate(&mut problem.terms, &problem.assertions) else { continue };
        let mut solver = Solver::new(Options::default());
        let budget = Budget::lasting(limit);
        let verdict = solver
            .decide(&mut problem.terms, &plain.assertions, None, &budget)
            .unwrap_or_else(|defect| panic!("{name}: {defect}"));
        let answer = match verdict {
            Verdict::Sat(_) => "sat",
            Verdict::Unsat => "unsat",
            Verdict::Unknown(_) => continue,
        };
        times.push(start.elapsed());
        decided += 1;
        let expected = expected.get(name).copied().unwrap_or("unknown");
        assert!(expected == "unknown" || expected == answer, "{name}: {answer}, not {expected}");
    }
    times.sort();
    Some((decided, files.len(), times))
}

#[test]
fn conformance() {
    let Some((decided, all, times)) = check("conformance", Duration::from_secs(4)) else { return };
    println!("{decided} of {all}, median {:?}", times[times.len() / 2]);
    // A busy machine decides fewer; a wrong answer fails above, however slow it is.
    assert!(decided + 10 >= all, "{decided} of {all} decided");
}

#[test]
fn griggio() {
    let Some((decided, all, times)) = check("griggio", Duration::from_millis(500)) else { return };
    println!("{decided} of {all}, median {:?}", times[times.len() / 2]);
    assert!(decided * 2 >= all, "{decided} of {all} decided");
}

/// Says that something was not tested. Written past the harness, which keeps what a passing test
/// prints to itself; `scripts/test.sh` counts these lines.
fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {what}: {why}");
}
