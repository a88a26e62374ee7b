//! Stories: what a person reads of a file of ordinary functions.

use crate::support::Desk;
use serde_json::Value;

/// Two screens of a terminal.
const SCREENS: usize = 2 * 60;

#[test]
fn everyday_functions_fit_on_two_screens() {
    let desk = Desk::new();
    let file = desk.example("everyday.c");
    let work =
        ["--evaluations", "30000", "--engines", "search", "--time-limit", "600", "--jobs", "2"];
    let run = desk.run(&[&["exceptions", &file, "--json", "report.json"], &work[..]].concat());
    assert_eq!(run.code, 1, "{}", run.stderr);
    let report = std::fs::read_to_string(desk.path().join("report.json")).expect("it is written");
    let report: Value = serde_json::from_str(&report).expect("it is JSON");
    let stories = report["stories"].as_array().expect("stories");
    assert!((10..=25).contains(&stories.len()), "{} stories", stories.len());
    let lines = run.stdout.lines().count();
    assert!(lines <= SCREENS, "{lines} lines:\n{}", run.stdout);
    // The first ten go wrong on ordinary inputs: no function without one that does is among them.
    let told: Vec<&str> = stories.iter().take(10).filter_map(|it| it["harm"].as_str()).collect();
    let wrong = ["spoilt", "silently-wrong", "undefined"];
    assert!(told.iter().all(|harm| wrong.contains(harm)), "{told:?}");
    let findings = report["findings"].as_array().expect("findings");
    let advised = findings.iter().filter(|finding| finding["details"]["advice"].is_object());
    assert!(advised.count() > 0, "no rewriting passed its trial");
}
