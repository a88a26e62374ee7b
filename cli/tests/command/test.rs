//! `nanoscope test`, as a user runs it.

use crate::support::Desk;
use serde_json::Value;
use std::time::{Duration, Instant};

const WRONG: &str = r#"#include <assert.h>
extern double __VERIFIER_nondet_double(void);

int main(void)
{
    double x = __VERIFIER_nondet_double();
    if (x > 0.5 && x < 0.75)
        assert(x * 3 != 2.0625);
    return 0;
}
"#;

#[test]
fn a_failing_assertion() {
    let desk = Desk::new();
    desk.write("wrong.c", WRONG);
    insta::assert_snapshot!(desk.run(&["test", "wrong.c"]).transcript());
}

#[test]
fn a_program_without_flaw() {
    let desk = Desk::new();
    desk.write("right.c", WRONG.replace("x * 3 != 2.0625", "x * 3 < 2.5"));
    insta::assert_snapshot!(desk.run(&["test", "right.c"]).transcript());
}

#[test]
fn everything_is_written() {
    let desk = Desk::new();
    desk.write("wrong.c", WRONG);
    let run = desk.run(&[
        "test",
        "wrong.c",
        "--json",
        "report.json",
        "--html",
        "report.html",
        "--sarif",
        "r.sarif",
        "--tests",
        "suite",
        "--findings",
        "found",
        "--quiet",
    ]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    let read = |name: &str| {
        std::fs::read_to_string(desk.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let report: Value = serde_json::from_str(&read("report.json")).expect("it is JSON");
    assert_eq!(report["schema"], "nanoscope/1");
    assert_eq!(report["command"], "test");
    assert_eq!(report["status"], "exhausted");
    let finding = &report["findings"][0];
    assert_eq!(finding["kind"], "assertion-failure");
    assert_eq!((finding["file"].as_str(), finding["line"].as_u64()), (Some("wrong.c"), Some(8)));
    assert_eq!(finding["inputs"][0]["value"], "0.6875");
    assert_eq!(finding["confirmed"], true);
    assert_eq!(report["goals"]["reached"], 1);
    assert!(report["coverage"]["branches"]["covered"].as_u64() >= Some(5), "{report:#}");
    let page = read("report.html");
    assert!(page.contains("Coverage") && page.contains("class=\"ran\""), "{page}");
    assert!(read("r.sarif").contains("assertion-failure"));
    let test: Value = serde_json::from_str(&read("suite/test-0001.json")).expect("it is JSON");
    assert_eq!(test["test"]["inputs"][0]["type"], "double");
    let id = finding["id"].as_str().expect("it has a name");
    assert!(read(&format!("suite/{id}.c")).contains("__VERIFIER_nondet_double"));
    let file = format!("found/{id}.json");
    insta::assert_snapshot!(desk.run(&["replay", &file]).transcript());
    desk.write("wrong.c", WRONG.replace("!= 2.0625", "!= 3"));
    let run = desk.run(&["replay", &file]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("it does not happen any more"), "{}", run.stdout);
}

#[test]
fn a_function_with_a_range() {
    let desk = Desk::new();
    desk.write("steps.c", "int steps(int range, int step)\n{\n    return range / step;\n}\n");
    let run = desk.run(&["test", "steps.c", "--function", "steps", "--input", "range=1..100"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("error[integer-division-by-zero]"), "{}", run.stdout);
    assert!(run.stdout.contains("step = 0"), "{}", run.stdout);
    let run = desk.run(&["test", "steps.c", "--function", "steps", "--input", "step=1..9"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("every path was followed to its end"), "{}", run.stdout);
}

#[test]
fn standard_input_and_echo() {
    let desk = Desk::new();
    desk.write(
        "parse.c",
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void)\n{\n    int c = getchar();\n    \
         puts(\"read\");\n    if (c == 'q') abort();\n    return 0;\n}\n",
    );
    let run = desk.run(&["test", "parse.c", "--stdin", "1", "--echo", "--guesses", "0"]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("read\n"), "{}", run.stdout);
    assert!(run.stdout.contains("error[abort]"), "{}", run.stdout);
    desk.write("input.txt", "p");
    let run = desk.run(&["test", "parse.c", "--stdin", "input.txt"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn mistakes_are_told() {
    let desk = Desk::new();
    desk.write("none.c", "int half(int x) { return x / 2; }\n");
    desk.write("bad.c", "int main(void) { return }\n");
    let check = |arguments: &[&str], said: &str| {
        let run = desk.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    };
    check(&["test", "none.c"], "no `main`: name the function to start from with --function");
    check(&["test", "none.c", "--function", "hlaf"], "half");
    check(&["test", "bad.c"], "expected expression");
    check(&["test", "missing.c"], "missing.c");
    check(&["test", "none.c", "--function", "half", "--input", "y=1..2"], "y");
    check(&["test", "bad.c", "--input", "x=1..2"], "klee_assume");
    check(&["test", "bad.c", "--stdin", "absent.txt"], "absent.txt");
    check(&["test", "bad.c", "--memory-limit", "lots"], "a size as in 500M");
    check(&["test", "bad.c", "--search", "best"], "coverage");
}

const ENDLESS: &str = r#"#include <assert.h>
extern double __VERIFIER_nondet_double(void);
int main(void)
{
    double sum = 0;
    for (int i = 0; __VERIFIER_nondet_double() != i; i++)
        sum += __VERIFIER_nondet_double() * i;
    assert(sum * sum * sum != 3);
    return sum > 1;
}
"#;

#[test]
fn the_time_limit_is_kept() {
    let desk = Desk::new();
    desk.write("endless.c", ENDLESS);
    let start = Instant::now();
    let run = desk.run(&["test", "endless.c", "--time-limit", "3"]);
    let taken = start.elapsed();
    assert!(run.code <= 1, "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("not every path was followed to its end: more may go wrong"),
        "{}",
        run.stdout
    );
    assert!(taken < Duration::from_millis(4500), "{taken:?}");
}

#[test]
fn an_interrupt_ends_with_a_report() {
    let desk = Desk::new();
    desk.write("endless.c", ENDLESS);
    let child = desk
        .command(&["test", "endless.c", "--time-limit", "100", "--json", "-"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the command runs");
    std::thread::sleep(Duration::from_secs(3));
    let number = child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &number]).status();
    assert!(sent.expect("kill is there").success());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.code() <= Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).expect("a whole report");
    assert_eq!(report["status"], "stopped");
}

/// The environment is what is stated of it, natively and on explored paths; files are what they
/// hold.
#[test]
fn the_environment_and_files() {
    let desk = Desk::new();
    desk.write("limits.txt", "4711\n");
    desk.write(
        "mode.c",
        r#"#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    const char *mode = getenv("MODE");
    int limit = 0, x = __VERIFIER_nondet_int();
    FILE *file = fopen("limits.txt", "r");
    if (!file || fscanf(file, "%d", &limit) != 1)
        return 1;
    if (mode && !strcmp(mode, "strict"))
        assert(x != limit);
    return 0;
}
"#,
    );
    let run = |variables: &[&str]| {
        let mut words = vec!["test", "mode.c", "--no-coverage", "--json", "report.json", "--quiet"];
        variables.iter().for_each(|variable| words.extend(["--env", variable]));
        let code = desk.run(&words).code;
        let text = std::fs::read_to_string(desk.path().join("report.json")).expect("a report");
        let report: Value = serde_json::from_str(&text).expect("it is JSON");
        (code, report)
    };
    let (code, report) = run(&["MODE=strict", "HOME=/"]);
    assert_eq!((code, &report["status"]), (1, &Value::from("exhausted")));
    assert_eq!(report["findings"][0]["inputs"][0]["value"], "4711");
    for variables in [["MODE=lax"], [""]] {
        let (code, report) = run(&variables);
        assert_eq!((code, &report["status"]), (0, &Value::from("exhausted")), "{variables:?}");
    }
    // Nothing was stated: nothing is proved.
    let (code, report) = run(&[]);
    assert_eq!((code, &report["status"]), (0, &Value::from("stopped")));
    assert_eq!(desk.run(&["test", "mode.c", "--env", "MODE"]).code, 2);
}
