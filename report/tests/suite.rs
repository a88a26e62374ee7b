//! What a test run reports: findings of whole programs, the suite and what it covers, and
//! regression tests that are compiled, run, and fail as long as the program is wrong.

use nanoscope_ieee::Format;
use nanoscope_report::text::{Kept, Layout, Paint, Sources, to_text};
use nanoscope_report::{
    Asking, Claim, Coverage, Evidence, Exploration, FileCoverage, Finding, Given, HalfTaken, Kind,
    Number, Outcome, Place, Report, Run, Share, Solver, Statistics, Status, Subject, Test, Verdict,
    from_json, identity, to_html, to_json, to_regression_test,
};
use std::process::Command;

const PROGRAM: &str = "\
#include <assert.h>
extern double __VERIFIER_nondet_double(void);
int main(void) {
    double x = __VERIFIER_nondet_double();
    if (x > 1)
        assert(x < 1e300);
    return 0;
}
";

struct Memory;

impl Sources for Memory {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        (file == "program.c").then(|| PROGRAM.lines().nth(line as usize - 1).map(str::to_string))?
    }
}

fn given(value: f64) -> Given {
    Given {
        name: "x".to_string(),
        how: Asking::Unknown,
        through: "__VERIFIER_nondet_double".to_string(),
        bytes: Given::encoded(&value.to_ne_bytes()),
    }
}

fn number(value: f64) -> Number {
    Number::float("x", "double", Format::BINARY64, u128::from(value.to_bits()))
}

fn finding(kind: Kind, operation: &str, given: &[Given], inputs: Vec<Number>) -> Finding {
    let place = Place { file: "program.c".to_string(), line: 6, column: 9 };
    let mut evidence = Evidence {
        ended: Some("failed the assertion `x < 1e300`".to_string()),
        ..Evidence::default()
    };
    let kept = serde_json::to_value(given).expect("plain data");
    evidence.more.insert("given".to_string(), kept);
    evidence.more.insert("assertion".to_string(), "x < 1e300".into());
    Finding::new(
        Claim {
            id: identity(kind, "main", &place, operation, 1),
            kind,
            function: "main".to_string(),
            place,
            operation: operation.to_string(),
            inputs,
            engine: "exploration".to_string(),
        },
        evidence,
    )
}

fn report(entry: Option<&str>) -> Report {
    let subject = Subject {
        sources: vec!["program.c".to_string()],
        entry: entry.map(str::to_string),
        ..Subject::default()
    };
    let run = Run { command: "test".to_string(), seed: 1, subject };
    let found = finding(Kind::AssertionFailure, "assert", &[given(1e301)], vec![number(1e301)]);
    let verdict = Verdict {
        goal: found.id.clone(),
        kind: found.kind,
        function: "main".to_string(),
        place: found.place.clone(),
        operation: "assert".to_string(),
        outcome: Outcome::Reached,
        why: "found by exploration, seen in a native run".to_string(),
        proof: None,
    };
    let test = |name: &str, value: f64, outcome: &str, finding: Option<String>| Test {
        name: name.to_string(),
        function: "main".to_string(),
        inputs: vec![number(value)],
        given: vec![given(value)],
        outcome: outcome.to_string(),
        finding,
        engine: "exploration".to_string(),
    };
    let tests = vec![
        test("test-0001", 0.5, "exited with status 0", None),
        test("test-0002", 1e301, "failed the assertion `x < 1e300`", Some(found.id.clone())),
    ];
    let (lines, branches) = (Share { covered: 5, total: 6 }, Share { covered: 3, total: 4 });
    let coverage = Coverage {
        lines,
        branches,
        files: vec![FileCoverage {
            file: "program.c".to_string(),
            lines,
            branches,
            counts: vec![(3, 2), (4, 2), (5, 2), (6, 1), (7, 0), (8, 2)],
            half_taken: vec![HalfTaken { line: 6, column: 9, was_true: false, was_false: true }],
        }],
    };
    let statistics = Statistics {
        seconds: 0.5,
        solver: Solver { queries: 3, sat: 2, unsat: 1, seconds: 0.1, ..Solver::default() },
        exploration: Some(Exploration { paths: 3, instructions: 20, ..Exploration::default() }),
        ..Statistics::default()
    };
    Report::new(run, vec![found], vec![verdict], statistics)
        .with_tests(tests, Some(coverage))
        .with_status(Status::Exhausted)
}

#[test]
fn text_of_a_test_run() {
    let layout =
        Layout { paint: Paint::Plain, width: 80, sources: &Memory, kept: Kept::Nowhere, all: true };
    insta::assert_snapshot!(to_text(&report(None), &layout));
}

#[test]
fn html_of_a_test_run() {
    let page = to_html(&report(None), &Memory);
    let from = page.find("<h2>Tests").expect("the tests are there");
    insta::assert_snapshot!(&page[from..]);
}

#[test]
fn json_is_read_back() {
    let written = report(Some("f"));
    assert_eq!(from_json(&to_json(&written)).expect("it is ours"), written);
    assert_eq!(written.findings[0].given(), [given(1e301)]);
}

/// Compiles a finding's test with a program; tells whether it fails.
fn fails(report: &Report, finding: &Finding, program: &str) -> bool {
    let test = to_regression_test(report, finding).expect("there is one");
    let folder = tempfile::tempdir().expect("a scratch folder");
    std::fs::write(folder.path().join(&test.file), &test.text).expect("it takes files");
    std::fs::write(folder.path().join("program.c"), program).expect("it takes files");
    let built = Command::new("clang-19")
        .args(["-Wall", "-Wextra", "-Werror", "-o", "test", &test.file, "program.c", "-lm"])
        .current_dir(folder.path())
        .output()
        .expect("clang-19 is there");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new("./test").current_dir(folder.path()).output().expect("it runs");
    !run.status.success()
}

#[test]
fn a_regression_test_fails_until_the_program_is_mended() {
    let report = report(None);
    let finding = &report.findings[0];
    assert!(fails(&report, finding, PROGRAM));
    assert!(!fails(&report, finding, &PROGRAM.replace("1e300", "1e302")));
}

#[test]
fn a_regression_test_answers_klee() {
    let report = report(None);
    let symbolic = |name: &str, bytes: &[u8]| Given {
        name: name.to_string(),
        how: Asking::Unknown,
        through: "klee_make_symbolic".to_string(),
        bytes: Given::encoded(bytes),
    };
    let inputs = [symbolic("x", &1e301f64.to_ne_bytes()), symbolic("n", &3i32.to_ne_bytes())];
    let found = finding(Kind::Abort, "abort", &inputs, Vec::new());
    let program = "#include <stdlib.h>\nvoid klee_make_symbolic(void *, size_t, const char *);\n\
                   int klee_range(int, int, const char *);\nint main(void) {\n    double x;\n    \
                   klee_make_symbolic(&x, sizeof x, \"x\");\n    \
                   if (klee_range(0, 5, \"n\") == 3 && x > 1e300) abort();\n    return 0;\n}\n";
    assert!(fails(&report, &found, program));
    assert!(!fails(&report, &found, &program.replace("1e300", "1e302")));
}

#[test]
fn a_regression_test_calls_a_function() {
    let report = report(Some("check"));
    let parameter = Given { how: Asking::Parameter, through: String::new(), ..given(1e301) };
    let found = finding(Kind::Abort, "abort", &[parameter], vec![number(1e301)]);
    let program = "#include <stdlib.h>\nvoid check(double x) { if (x > 1e300) abort(); }\n";
    assert!(fails(&report, &found, program));
    assert!(!fails(&report, &found, &program.replace("1e300", "1e302")));
}

#[test]
fn a_regression_test_feeds_standard_input() {
    let report = report(None);
    let input =
        Given { how: Asking::Stdin, through: String::new(), bytes: "3132".into(), ..given(0.0) };
    let found = finding(Kind::ErrorCall, "reach_error", &[input], Vec::new());
    let program = "#include <stdio.h>\nextern void reach_error(void);\nint main(void) {\n    \
                   if (getchar() == '1' && getchar() == '2') reach_error();\n    return 0;\n}\n";
    assert!(fails(&report, &found, program));
    assert!(!fails(&report, &found, &program.replace("'2'", "'3'")));
}
