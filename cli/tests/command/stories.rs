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
    // The first ten are wrong results, the first of all of them, and everyday inputs without a result.
    let findings = report["findings"].as_array().expect("findings");
    let is_wrong = |story: &Value| {
        ["spoilt", "silently-wrong", "undefined"].contains(&story["harm"].as_str().expect("a word"))
    };
    for story in &stories[..10] {
        let first = findings.iter().find(|finding| finding["id"] == story["id"]);
        let inputs = first.and_then(|first| first["inputs"].as_array()).expect("it has inputs");
        let mut sizes = inputs
            .iter()
            .filter_map(|input| Some(input["value"].as_str()?.parse::<f64>().ok()?.abs()));
        let is_everyday = sizes.all(|size| size == 0.0 || (1e-6..=1e9).contains(&size));
        assert!(is_wrong(story) || is_everyday, "{story:#}");
    }
    assert!(is_wrong(&stories[0]), "{:#}", stories[0]);
    let advised = findings.iter().filter(|finding| finding["details"]["advice"].is_object());
    assert!(advised.count() > 0, "no rewriting passed its trial");
}
