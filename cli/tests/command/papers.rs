//! What readers of the papers look for: KLEE's interface, Ariadne's settings, suites of programs.

use crate::support::Desk;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

#[test]
fn easy_questions_over_the_reals_come_first() {
    let desk = Desk::new();
    let file = desk.example("asymptotic.c");
    let run = desk.run(&[
        "exceptions",
        &file,
        "--engines",
        "reals",
        "--quick",
        "--time-limit",
        "20",
        "--max-loop",
        "none",
        "--json",
        "-",
    ]);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("findings");
    for kind in ["overflow", "underflow", "divide-by-zero", "invalid"] {
        assert!(findings.iter().any(|it| it["kind"] == kind), "no {kind}: {report:#}");
    }
}

#[test]
fn loop_bounds_are_read() {
    let desk = Desk::new();
    desk.write("f.c", "double f(double x) { return x * x; }\n");
    let run = desk.run(&["exceptions", "f.c", "--max-loop", "0"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("a number from 1 on, or none"), "{}", run.stderr);
}

#[test]
fn an_input_for_every_path_to_an_exception() {
    let desk = Desk::new();
    desk.write(
        "two.c",
        "double two(double x, double y)\n{\n    double s = x;\n    if (y > 0.0)\n        \
         s = x + 1.0;\n    return s * s;\n}\n",
    );
    let run = desk.run(&[
        "exceptions",
        "two.c",
        "--engines",
        "explore",
        "--every-path",
        "--quick",
        "--json",
        "-",
    ]);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("findings");
    let overflow = findings.iter().find(|it| it["kind"] == "overflow" && it["line"] == 6);
    let overflow = overflow.unwrap_or_else(|| panic!("{report:#}"));
    let others = overflow["details"]["other_paths"].as_array().expect("another path");
    assert_eq!(others.len(), 1, "{report:#}");
    let positive = |inputs: &Value| {
        inputs[1]["value"].as_str().expect("y").parse::<f64>().expect("a number") > 0.0
    };
    assert_ne!(positive(&overflow["inputs"]), positive(&others[0]), "{report:#}");
    assert_eq!(report["status"], "exhausted", "{report:#}");
}

#[test]
fn the_interface_of_klee() {
    let desk = Desk::new();
    desk.write(
        "klee.c",
        r#"#include <assert.h>
#include <klee/klee.h>
int one(int x) { return x + 1; }
int two(int x) { return x + 2; }
int main(void)
{
    int x, y;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    klee_prefer_cex(&x, x == 77);
    klee_print_expr("x", x);
    klee_open_merge();
    klee_alias_function("one", "two");
    klee_print_expr("aliased", one(40));
    if (x > 10)
        assert(x < 20);
    klee_set_forking(0);
    if (y == 5)
        return 1;
    return 0;
}
"#,
    );
    let run = desk.run(&["test", "klee.c", "--guesses", "0", "--echo", "--json", "report.json"]);
    assert!(run.stderr.contains("x:"), "{}", run.stderr);
    assert!(run.stderr.contains("aliased:42"), "{}", run.stderr);
    let text = std::fs::read_to_string(desk.path().join("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let findings = report["findings"].as_array().expect("findings");
    assert_eq!(findings.len(), 1, "{report:#}");
    assert_eq!(findings[0]["line"], 16, "{report:#}");
    assert_eq!(findings[0]["inputs"][0]["value"], "77", "{report:#}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("klee_open_merge has no effect"), "{notes}");
    assert!(notes.contains("switched forking off"), "{notes}");
}

#[test]
fn redirected_functions_are_followed_natively() {
    let desk = Desk::new();
    desk.write(
        "alias.c",
        r#"#include <assert.h>
#include <klee/klee.h>
int one(int x) { return x + 1; }
int two(int x) { return x + 2; }
int main(void)
{
    int x = klee_range(0, 1000, "x");
    assert(one(x) != 500);
    klee_alias_function("one", "two");
    assert(one(x) == x + 2);
    if (x != 499)
        assert(one(x) != 601);
    klee_alias_function("one", "one");
    assert(one(x) == x + 1);
    char name[4] = "two";
    klee_alias_function(name, "one");
    return 0;
}
"#,
    );
    for level in ["-O0", "-O2"] {
        desk.run(&["test", "alias.c", level, "--json", "report.json", "--quiet"]);
        let text = std::fs::read_to_string(desk.path().join("report.json")).expect("a report");
        let report: Value = serde_json::from_str(&text).expect("JSON");
        let findings = report["findings"].as_array().expect("findings");
        let told: Vec<(u64, &str)> = findings
            .iter()
            .map(|it| {
                (
                    it["line"].as_u64().expect("a line"),
                    it["inputs"][0]["value"].as_str().expect("x"),
                )
            })
            .collect();
        assert_eq!(told, [(8, "499"), (12, "599")], "{level} {report:#}");
        assert!(report["notes"].to_string().contains("klee_alias_function has no effect"));
    }
}

#[test]
fn a_folder_of_programs_with_expectations() {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.path().join("suite")).expect("a folder");
    let program = |condition: &str| {
        format!(
            "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
             int main(void)\n{{\n    int x = __VERIFIER_nondet_int();\n    \
             if ({condition}) reach_error();\n    return 0;\n}}\n"
        )
    };
    desk.write("suite/a.c", format!("// expect: error-call at 7\n{}", program("x == 12345")));
    desk.write("suite/b.c", format!("// expect: holds\n{}", program("x != x")));
    desk.write("suite/c.c", program("x == 9 && x > 8"));
    desk.write("suite/unreach-call.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    desk.write(
        "suite/c.yml",
        "format_version: '2.0'\ninput_files: 'c.c'\nproperties:\n  - property_file: \
         unreach-call.prp\n    expected_verdict: false\n",
    );
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/programs/run.py");
    let run = |words: &[&str]| {
        let output = Command::new("python3")
            .arg(&script)
            .args(words)
            .current_dir(desk.path())
            .env("NANOSCOPE", env!("CARGO_BIN_EXE_nanoscope"))
            .env("NANOSCOPE_CACHE", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
            .output()
            .expect("python3 runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let table = run(&["suite", "--time", "20", "--results", "one.json"]);
    let all: Vec<&str> = table.lines().last().expect("a row").split_whitespace().collect();
    // tasks, found, missed, unsound, proved, ..., points
    assert_eq!(&all[..6], ["all", "3", "2", "0", "0", "1"], "{table}");
    assert_eq!(all.last(), Some(&"4"), "{table}");
    run(&["suite", "--time", "20", "--results", "two.json", "--", "--max-depth", "1"]);
    let difference = run(&["--diff", "one.json", "two.json"]);
    assert!(difference.contains("rank"), "{difference}");
}
