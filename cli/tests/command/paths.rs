//! `nanoscope test --paths` and `--path`: the paths of a program, and questions about one.

use crate::support::{Desk, Run};
use serde_json::Value;

/// A program of the paper's that `bench/fpse` has.
fn program(desk: &Desk, name: &str) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/fpse/programs");
    desk.write(name, std::fs::read(folder.join(name)).expect("the program is there"));
}

/// Asks about a path; the answer as JSON.
fn ask(desk: &Desk, file: &str, function: &str, flags: &[&str], path: &str) -> (Run, Value) {
    desk.write("path.txt", path);
    let words = ["test", file, "--function", function, "--path", "path.txt", "--json", "r.json"];
    let run = desk.run(&[&words[..], flags].concat());
    let text = std::fs::read_to_string(desk.path().join("r.json")).unwrap_or_default();
    (run, serde_json::from_str(&text).unwrap_or_default())
}

fn lines(conditions: &Value) -> Vec<String> {
    let conditions = conditions.as_array().expect("conditions");
    let lines = conditions.iter().flat_map(|it| it["lines"].as_array().expect("lines"));
    lines.map(|line| line.as_str().expect("text").to_owned()).collect()
}

#[test]
fn absorption_decides_feasibility() {
    let desk = Desk::new();
    program(&desk, "foo1.c");
    program(&desk, "foo2.c");
    let both = "9:true 11:true\n";
    // Feasible over the floats, though no real number takes it.
    let (run, report) = ask(&desk, "foo1.c", "foo1", &["-DREAL=float"], both);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("The path in path.txt is feasible"), "{}", run.stdout);
    let path = &report["paths"]["list"][0];
    assert_eq!(path["confirmed"], true, "{report:#}");
    assert_eq!(
        lines(&path["conditions"]),
        ["x > 0.0f", "t1 = x + 1000000000000.0f", "t1 == 1000000000000.0f"]
    );
    assert_eq!(path["constraints"], 3);
    assert_eq!(path["outputs"][0]["lines"][0], "return = 1.0f");
    // Feasible over the reals; over single-format floats it is not, over doubles it is.
    let (run, report) = ask(&desk, "foo2.c", "foo2", &["-DREAL=float"], both);
    assert_eq!(report["paths"]["answer"]["verdict"], "infeasible", "{}", run.stdout);
    let refuted = &report["paths"]["answer"]["refuted"];
    assert_eq!(
        lines(&refuted["conditions"]),
        ["x < 10000.0f", "t1 = x + 1000000000000.0f", "t1 > 1000000000000.0f"]
    );
    let (_, report) = ask(&desk, "foo2.c", "foo2", &["-DREAL=double"], both);
    assert_eq!(report["paths"]["answer"]["verdict"], "feasible", "{report:#}");
}

#[test]
fn loops_by_outcomes_and_by_lines() {
    let desk = Desk::new();
    program(&desk, "power.c");
    for path in
        ["9:true 11:true*40 11:false 15:true\n", "# lines\n9 10\n(11 12 13)*40\n11 → 15 → 16 17\n"]
    {
        let (run, report) = ask(&desk, "power.c", "power", &["-DREAL=float"], path);
        let path = &report["paths"]["list"][0];
        assert_eq!(path["confirmed"], true, "{}{}", run.stdout, run.stderr);
        let y = path["inputs"][1]["value"].as_str().expect("y").parse::<f32>().expect("a number");
        assert!((-40.0..=-39.000_004).contains(&y), "{y}");
        let expression = path["outputs"][0]["lines"].as_array().expect("lines");
        assert_eq!(expression.len(), 40, "39 products and a quotient: {expression:?}");
    }
    // No input stays out of the loop and comes by the quotient.
    let (_, report) = ask(&desk, "power.c", "power", &[], "9:true 11:false\n");
    assert_eq!(report["paths"]["answer"]["verdict"], "infeasible", "{report:#}");
}

#[test]
fn path_files_that_do_not_fit() {
    let desk = Desk::new();
    program(&desk, "power.c");
    program(&desk, "foo1.c");
    for (file, path, said) in [
        ("power", "9:true\n13:true", "path.txt:2: `13:true`: line 13 has no branch; lines near"),
        ("power", "99", "path.txt:1: `99`: line 99 has no code; lines near it that have: "),
        ("power", "9:case=3", "the branch on line 9 goes true or false"),
        ("power", "9:maybe", "`9:maybe`: neither a line nor a branch outcome"),
        ("power", "x.c:9:true", "the program has no code in a file `x.c`"),
        ("power", "9:true*", "a number of times is missing"),
        ("power", "# nothing\n", "no path: write branch outcomes"),
        ("foo1", "11:true 9:true", "path.txt:1: `11:true`: the program has no such path"),
        ("foo1", "T T T", "path.txt:1: `T`: the program has no such path: instead, the path"),
    ] {
        let source = format!("{file}.c");
        let (run, _) = ask(&desk, &source, file, &["--time-limit", "30"], path);
        assert_eq!(run.code, 2, "{path}: {}", run.stdout);
        assert!(run.stderr.contains(said), "{path}: {}", run.stderr);
    }
    let run = desk.run(&["test", "power.c", "--function", "power", "--path", "none.txt"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("none.txt"), "{}", run.stderr);
}

#[test]
fn the_paths_of_a_program() {
    let desk = Desk::new();
    desk.write(
        "chosen.c",
        r#"#include <klee/klee.h>
static double half(double v)
{
    if (v > 10)
        return v / 2;
    return v;
}
int main(void)
{
    int k;
    double x;
    klee_make_symbolic(&k, sizeof k, "k");
    klee_make_symbolic(&x, sizeof x, "x");
    double y = half(x);
    switch (k) {
    case 3:
        y = y + 1;
        break;
    case -7:
        y = y * 2;
        break;
    default:
        return 2;
    }
    return y > 100;
}
"#,
    );
    let run = desk.run(&["test", "chosen.c", "--paths", "--tests", "suite", "--json", "r.json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("branches:  4:true 15:case=-7\n"), "{}", run.stdout);
    assert!(
        run.stdout.contains("6 paths, 6 of them seen in native runs. These are all paths"),
        "{}",
        run.stdout
    );
    let text = std::fs::read_to_string(desk.path().join("r.json")).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["status"], "exhausted");
    let paths = report["paths"]["list"].as_array().expect("paths");
    let first = &paths[0];
    assert_eq!(first["branches"][1]["outcome"], "case=-7", "{first:#}");
    // The path condition is a script that the solver takes.
    desk.write("path.smt2", format!("{}(check-sat)\n", first["script"].as_str().expect("text")));
    let run = desk.run(&["solve", "path.smt2"]);
    assert!(run.stdout.starts_with("sat"), "{}{}", run.stdout, run.stderr);
    // Tests of the paths run again.
    let run = desk.run(&["replay", "suite"]);
    assert!(run.stdout.contains("6 of 6 tests end as when they were written"), "{}", run.stdout);
    // A part of a path: what it does not name is free.
    desk.write("part.txt", "15:case=3");
    let run = desk.run(&["test", "chosen.c", "--path", "part.txt"]);
    assert!(run.stdout.contains("The path in part.txt is feasible"), "{}", run.stdout);
}
