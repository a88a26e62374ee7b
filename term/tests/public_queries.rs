//! The public queries, where they are at hand: every one is read, printed and
//! read again.

use nanoscope_term::smtlib::{read, script_text};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The queries in a folder of the shared ones; none where they are not at hand.
fn queries(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/smt2").join(folder);
    let Ok(entries) = std::fs::read_dir(root) else {
        skipped(folder, "the public queries are not beside the repository");
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn check(folder: &str) {
    for path in queries(folder) {
        let name = path.display();
        let text = std::fs::read_to_string(&path).expect("a query");
        let first = read(&text).unwrap_or_else(|mistake| panic!("{name}:{mistake}"));
        let printed = script_text(&first.terms, &first.assertions);
        let again = read(&printed).unwrap_or_else(|mistake| panic!("{name} printed: {mistake}"));
        let reprinted = script_text(&again.terms, &again.assertions);
        let third = read(&reprinted).unwrap_or_else(|mistake| panic!("{name} again: {mistake}"));
        // The order of arguments may follow that of declarations, which the
        // first printing makes that of use.
        assert_eq!(reprinted, script_text(&third.terms, &third.assertions), "{name}");
    }
}

#[test]
fn conformance_queries_are_read() {
    check("conformance");
}

#[test]
fn path_conditions_are_read() {
    check("griggio");
}

/// Says that something was not tested. Written past the harness, which keeps what a passing test
/// prints to itself; `scripts/test.sh` counts these lines.
fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {what}: {why}");
}
