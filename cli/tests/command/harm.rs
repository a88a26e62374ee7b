//! What findings do, what is assumed, and what a killed run leaves behind.

use crate::support::{Desk, Run};
use std::time::{Duration, Instant};

const WORK: &[&str] = &["--evaluations", "100000", "--time-limit", "300", "--jobs", "1"];

const DAMPED: &str = "\
double damped(double x)
{
    return x / (1.0 + x * x);
}
";

fn exceptions(desk: &Desk, arguments: &[&str]) -> Run {
    desk.run(&[&["exceptions"], arguments, WORK].concat())
}

#[test]
fn harm_in_the_text_report() {
    let desk = Desk::new();
    desk.write("damped.c", DAMPED);
    let run = exceptions(&desk, &["damped.c", "--input", "x=0..1e300"]);
    assert!(run.stdout.starts_with("── damped: 3 findings"), "{}", run.stdout);
    let place =
        |text: &str| run.stdout.find(text).unwrap_or_else(|| panic!("no {text} in {}", run.stdout));
    let wrong = place("= harm:     silently wrong: exactly, return = ");
    let unavoidable = place("= harm:     the exact result is no ordinary number either");
    let harmless = place("= harm:     harmless: the result agrees with the exact one");
    assert!(wrong < unavoidable && unavoidable < harmless, "{}", run.stdout);
    place("By harm: 1 silently wrong, 1 out of range in exact arithmetic too, 1 harmless.\n");
}

#[test]
fn the_project_file_is_read() {
    let desk = Desk::new();
    desk.write("damped.c", DAMPED);
    let rows = |run: &Run| run.stdout.lines().filter(|line| line.contains("[overflow]")).count();
    assert_eq!(rows(&exceptions(&desk, &["damped.c"])), 1);
    desk.write("nanoscope.toml", "[function.damped]\nassume = \"fabs(x) < 1e100\"\n");
    let run = exceptions(&desk, &["damped.c"]);
    assert_eq!(rows(&run), 0, "{}", run.stdout);
    assert!(run.stdout.contains("assumed: fabs(x) < 1e100"), "{}", run.stdout);
    desk.write("other.toml", "[function.damped]\nassmue = \"x < 1\"\n");
    let run = exceptions(&desk, &["damped.c", "--project", "other.toml"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("other.toml") && run.stderr.contains("assmue"), "{}", run.stderr);
}

#[test]
fn conditions_that_are_wrong_are_told() {
    let desk = Desk::new();
    desk.write("damped.c", DAMPED);
    for (option, said) in [
        (["--assume", "y > 0"], "no input is called `y`; there are: x"),
        (["--assume", "x = 0"], "`=` assigns"),
        (["--status-ok", "status == 0"], "no output is called `status`; there are: return, ret"),
    ] {
        let run = exceptions(&desk, &[&["damped.c"], &option[..]].concat());
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

const STUBBORN: &str = "
#include <math.h>
double stubborn(double x, double y)
{
    if (sin(x * y) * exp(cos(y)) == 0.12345678912345678 && tan(x + y) == 0.87654321987654321)
        return 1 / (x - y);
    return 0;
}
";

/// SIGKILL, which nobody can catch: the file has a whole report whenever it comes.
#[test]
fn a_killed_run_leaves_a_report() {
    let desk = Desk::new();
    // Nobody settles soon whether the division is ever come to.
    desk.write("damped.c", format!("{DAMPED}{STUBBORN}"));
    // Ever more runs are asked for than there is time.
    let endless = ["exceptions", "damped.c", "--json", "out.json", "-q", "--time-limit", "600"];
    let evaluations = ["--evaluations", "1000000000000"];
    let mut child =
        desk.command(&[&endless[..], &evaluations].concat()).spawn().expect("the command runs");
    let start = Instant::now();
    let read = || std::fs::read_to_string(desk.path().join("out.json")).unwrap_or_default();
    let has_findings = |text: &str| {
        let report = serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
        report["findings"].as_array().is_some_and(|list| !list.is_empty())
    };
    while start.elapsed() < Duration::from_secs(120) && !has_findings(&read()) {
        std::thread::sleep(Duration::from_millis(100));
    }
    child.kill().expect("it runs still");
    child.wait().expect("it is dead");
    let report: serde_json::Value = serde_json::from_str(&read()).expect("it is whole");
    assert_eq!(report["status"], "stopped");
    assert!(!report["findings"].as_array().expect("a list").is_empty());
    assert!(report["verdicts"].as_array().expect("a list").len() > 5);
}

const SHAPES: &str = "\
#include <math.h>
struct point { double x, y; int n; };
typedef struct { double val, err; } result_t;
struct list { double *data; int size; struct point at; };
double norm(struct point p) { return sqrt(p.x * p.x + p.y * p.y); }
int area(const struct point *p, result_t *result)
{
    result->val = p->x * p->y;
    result->err = fabs(result->val) * 1e-16;
    return 0;
}
double sum(struct list *l) { return l->data[0] * l->at.x; }
struct point shift(struct point p, double by) { p.x += by; p.y -= by; return p; }
static double hidden(double x) { return x * 0.5; }
double caller(double x) { return hidden(x); }
unsigned char byte(double x) { return (unsigned char)x; }
int next(double x) { return x > 0 && x < 2147483648.0 ? (int)x + 1 : 0; }
";

/// Each of the tests builds as it says, fails on the program, and says which finding it is
/// about; and there is one for every finding.
#[test]
fn a_test_for_every_finding() {
    let every = ["norm", "area", "sum", "shift", "hidden", "byte", "next"];
    let every: Vec<&str> = every.iter().flat_map(|name| ["--function", name]).collect();
    for (name, text, functions) in [("damped.c", DAMPED, &[][..]), ("shapes.c", SHAPES, &every)] {
        let desk = Desk::new();
        desk.write(name, text);
        let arguments = [name, "--tests", "tests", "--json", "all.json", "-q", "-O1"];
        let run = exceptions(&desk, &[&arguments[..], functions].concat());
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert_eq!(run.stderr, "");
        let report = std::fs::read_to_string(desk.path().join("all.json")).expect("a report");
        let report: serde_json::Value = serde_json::from_str(&report).expect("it is whole");
        let files = std::fs::read_dir(desk.path().join("tests")).expect("the folder is there");
        let mut count = 0;
        for file in files {
            let path = file.expect("it can be listed").path();
            let text = std::fs::read_to_string(&path).expect("it can be read");
            let command = text.lines().find_map(|line| line.strip_prefix(" *     "));
            let command: Vec<&str> = command.expect("it says how").split(' ').collect();
            let file = path.file_name().expect("a name").to_string_lossy().into_owned();
            let command = command[1..]
                .iter()
                .map(|word| if **word == file { path.to_str().expect("UTF-8") } else { word });
            let built = std::process::Command::new("clang-19")
                .args(["-o", "test"])
                .args(command)
                .current_dir(desk.path())
                .output()
                .expect("clang-19 is there");
            let told = String::from_utf8_lossy(&built.stderr);
            assert!(built.status.success(), "{}: {told}", path.display());
            let run =
                std::process::Command::new(desk.path().join("test")).output().expect("it runs");
            assert_eq!(run.status.code(), Some(1), "{}", path.display());
            let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
            assert!(String::from_utf8_lossy(&run.stdout).contains(&stem));
            count += 1;
        }
        assert_eq!(Some(count), report["findings"].as_array().map(Vec::len), "{name}");
        assert!(count > 0, "there are tests");
    }
}

#[test]
fn harm_is_judged_later() {
    let desk = Desk::new();
    desk.write("damped.c", DAMPED);
    exceptions(&desk, &["damped.c", "--input", "x=0..1e300", "--quick", "--json", "r.json"]);
    let run = desk.run(&["replay", "r.json", "--harm", "--json", "judged.json"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("3 of 3 judged: "), "{}", run.stdout);
    let overflow = run.stdout.lines().next().expect("a line");
    assert!(overflow.starts_with("overflow at damped.c:3:"), "worst first: {}", run.stdout);
    let text = std::fs::read_to_string(desk.path().join("judged.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let findings = report["findings"].as_array().expect("findings");
    assert_eq!(findings.len(), 3);
    assert!(findings.iter().all(|finding| finding["details"]["harm"]["effect"].is_string()));
    // What is judged is not judged again.
    let run = desk.run(&["replay", "judged.json", "--harm"]);
    assert!(run.stdout.contains("0 of 0 judged"), "{}", run.stdout);
    let run = desk.run(&["replay", ".", "--harm"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(run.stderr.contains("--harm judges findings"), "{}", run.stderr);
}
