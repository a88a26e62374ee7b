//! `nanoscope replay` of tests, `--queries`, and what counts as a goal of a function.

use crate::support::Desk;
use serde_json::Value;

const SIGNS: &str = r#"#include <assert.h>
extern double __VERIFIER_nondet_double(void);

int main(void)
{
    double x = __VERIFIER_nondet_double();
    if (x > 1e10)
        return 1;
    if (x * x == 6.25)
        assert(x < 0);
    return 0;
}
"#;

#[test]
fn tests_run_again_one_or_all() {
    let desk = Desk::new();
    desk.write("signs.c", SIGNS);
    let run = desk.run(&["test", "signs.c", "--tests", "suite", "--json", "r.json", "--quiet"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let report: Value =
        serde_json::from_str(&std::fs::read_to_string(desk.path().join("r.json")).expect("there"))
            .expect("JSON");
    let tests = report["tests"].as_array().expect("tests");
    assert!(tests.len() >= 3, "{report:#}");
    assert!(report["statistics"]["exploration"]["generation_seconds"].as_f64() > Some(0.0));

    let run = desk.run(&["replay", "suite", "--json", "again.json"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let all = tests.len();
    let expected = format!("{all} of {all} tests end as when they were written");
    assert!(run.stdout.contains(&expected), "{}", run.stdout);
    assert!(run.stdout.contains("covered by the tests"), "{}", run.stdout);
    let again: Value = serde_json::from_str(
        &std::fs::read_to_string(desk.path().join("again.json")).expect("there"),
    )
    .expect("JSON");
    assert_eq!(again["coverage"], report["coverage"], "the same tests cover the same");

    let run = desk.run(&["replay", "suite/test-0001.json"]);
    assert!(run.stdout.contains("test-0001: "), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("1 of 1 tests"), "{}", run.stdout);
    let run = desk.run(&["replay", "r.json", "--id", "test-0002"]);
    assert!(run.stdout.contains("test-0002: "), "{}{}", run.stdout, run.stderr);

    // Mended, the finding is gone; what ended well still does.
    desk.write("signs.c", SIGNS.replace("x < 0", "x < 9"));
    let run = desk.run(&["replay", "suite"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("is not seen any more"), "{}", run.stdout);
    desk.write("signs.c", SIGNS.replace("return 1", "return 7"));
    let run = desk.run(&["replay", "suite"]);
    assert!(run.stdout.contains("when it was written, it exited with status 1"), "{}", run.stdout);
    std::fs::create_dir(desk.path().join("empty")).expect("a folder");
    let run = desk.run(&["replay", "empty"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("neither findings nor tests"), "{}", run.stderr);
}

#[test]
fn a_given_standard_input_is_part_of_the_test() {
    let desk = Desk::new();
    desk.write(
        "first.c",
        "#include <stdio.h>\n#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\n\
         int main(void)\n{\n    int n = __VERIFIER_nondet_int();\n    \
         if (getchar() == 'q' && n == 12345) abort();\n    return 0;\n}\n",
    );
    desk.write("input.txt", "q");
    let run = desk.run(&["test", "first.c", "--stdin", "input.txt", "--tests", "suite"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let run = desk.run(&["replay", "suite"]);
    assert!(run.stdout.contains("happens"), "{}", run.stdout);
}

#[test]
fn memory_errors_are_seen_again_with_sanitisers() {
    let desk = Desk::new();
    desk.write(
        "over.c",
        "#include <stdlib.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nint main(void)\n{\n    \
         char *p = malloc(8);\n    unsigned n = __VERIFIER_nondet_uint();\n    if (n <= 8) p[n] = \
         1;\n    free(p);\n    return 0;\n}\n",
    );
    let run = desk.run(&["test", "over.c", "--tests", "suite", "--quiet"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let run = desk.run(&["replay", "suite"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("happens"), "{}", run.stdout);
}

#[test]
fn every_question_is_written_as_smt_lib() {
    let desk = Desk::new();
    desk.write("signs.c", SIGNS);
    let run = desk.run(&["test", "signs.c", "--queries", "asked", "--guesses", "0", "--quiet"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    check_questions(&desk, "asked");
    desk.write("f.c", "double f(double x) { return x > 3.5 ? 1 / (x * x - 16) : x; }\n");
    let run =
        desk.run(&["exceptions", "f.c", "--engines", "explore", "--queries", "of-f", "--quiet"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    check_questions(&desk, "of-f");
}

/// Our own solver answers every question as the exploration was told.
#[track_caller]
fn check_questions(desk: &Desk, folder: &str) {
    let mut files: Vec<_> = std::fs::read_dir(desk.path().join(folder))
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut answered = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a question");
        let status = ["sat", "unsat"]
            .into_iter()
            .find(|status| text.contains(&format!("(set-info :status {status})")));
        // On a busy machine the time of a first attempt may run out; then it was asked again.
        let Some(status) = status else { continue };
        answered += 1;
        let run = desk.run(&["solve", &file.display().to_string()]);
        assert_eq!(run.stdout.trim(), status, "{text}{}", run.stderr);
    }
    assert!(answered > 0, "no question was answered");
}

#[test]
fn functions_that_are_never_called_have_no_goals() {
    let desk = Desk::new();
    desk.write(
        "two.c",
        "#include <assert.h>\nstatic void inner(double x) { assert(x < 2); }\n\
         void one(double x) { inner(x > 1 ? 1 : x); }\n\
         void other(double x) { assert(x != 3); }\n",
    );
    let run = desk.run(&["test", "two.c", "--function", "one", "--json", "-"]);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    // A NaN is not below 2: one goal, reached; that of `other` is nobody's.
    assert_eq!(report["goals"]["total"], 1, "{report:#}");
    assert_eq!(report["goals"]["reached"], 1, "{report:#}");
    assert_eq!(report["status"], "exhausted");
}
