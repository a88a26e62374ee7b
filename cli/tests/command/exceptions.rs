//! `nanoscope exceptions` and `nanoscope replay`, as a user runs them.

use crate::support::{Desk, Run};

/// Enough for the examples, and the same work on every machine.
const WORK: &[&str] = &["--evaluations", "400000", "--time-limit", "300", "--jobs", "1"];

fn exceptions(desk: &Desk, arguments: &[&str]) -> Run {
    desk.run(&[&["exceptions"], arguments, WORK].concat())
}

/// The report in JSON.
#[track_caller]
fn report(desk: &Desk, arguments: &[&str]) -> serde_json::Value {
    let run = exceptions(desk, &[arguments, &["--json", "-"]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    serde_json::from_str(&run.stdout).expect("it is JSON")
}

/// `function: kind line` of all findings, in order, without repetition.
fn found(report: &serde_json::Value) -> Vec<String> {
    let mut list: Vec<String> = report["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|f| {
            let word = |key: &str| f[key].as_str().unwrap_or_default().to_string();
            format!("{}: {} {}", word("function"), word("kind"), f["line"])
        })
        .collect();
    list.dedup();
    list
}

#[track_caller]
fn example(name: &str, options: &[&str], expected: &[&str], absent: &[&str]) {
    let desk = Desk::new();
    let source = desk.example(name);
    let report = report(&desk, &[&[source.as_str()], options].concat());
    let found = found(&report);
    for wanted in expected {
        assert!(found.iter().any(|one| one == wanted), "{wanted} is not in {found:#?}");
    }
    for unwanted in absent {
        assert!(!found.iter().any(|one| one.starts_with(unwanted)), "{unwanted} is in {found:#?}");
    }
    for finding in report["findings"].as_array().expect("a list") {
        assert_eq!(finding["confirmed"], true);
    }
}

#[test]
fn averages() {
    example(
        "average.c",
        &[],
        &[
            "average_naive: overflow 17",
            "average_halves: underflow 22",
            "average_from_lower: overflow 27",
            "average_from_upper: overflow 32",
            "average_by_sign: underflow 42",
        ],
        &["average_halves: overflow", "average_by_sign: overflow", "average_by_sign: invalid"],
    );
}

#[test]
fn all_four_kinds_in_the_asymptotic_formula() {
    example(
        "asymptotic.c",
        &[],
        &[
            "asymptotic: underflow 24",
            "asymptotic: overflow 26",
            "asymptotic: divide-by-zero 27",
            "asymptotic: invalid 27",
        ],
        &[],
    );
}

#[test]
fn a_range_excludes_what_lies_outside() {
    example(
        "asymptotic.c",
        &["--input", "order=1..100", "--input", "x=1e4..1e8"],
        &["asymptotic: underflow 28"],
        &["asymptotic: overflow", "asymptotic: divide-by-zero", "asymptotic: invalid"],
    );
}

#[test]
fn guarded_quotients() {
    example(
        "quotient.c",
        &[],
        &[
            "reciprocal_gap: overflow 17",
            "reciprocal_gap_of_squares: divide-by-zero 25",
            "slope: invalid 33",
        ],
        &["reciprocal_gap: divide-by-zero"],
    );
}

#[test]
fn arrays_in_c_and_fortran() {
    let options = &["--array", "x=3"];
    let expected = &["norm2: overflow 18", "norm2: underflow 18", "norm2_scaled: underflow 32"];
    example("norm2.c", options, expected, &["norm2_scaled: divide-by-zero"]);
    example("norm2.f90", options, &["length2: overflow 17", "length2: underflow 17"], &[]);
}

#[test]
fn templates_and_conversions_in_cpp() {
    example(
        "average.cpp",
        &[],
        &["mean_of_three: overflow 16", "bucket: conversion-out-of-range 48"],
        &["mean_of_three_floats: overflow"],
    );
}

const MEAN: &str = "double mean(double x, double y)\n{\n    return (x + y) / 2.0;\n}\n";

#[test]
fn the_text_report() {
    let desk = Desk::new();
    desk.write("mean.c", MEAN);
    let run = exceptions(&desk, &["mean.c", "--input", "x=1e308..1.5e308", "--input", "y=1e308"]);
    // The point found is the search's affair; everything else is the same each time.
    let text: String = run
        .transcript()
        .lines()
        .map(|line| match line.split_once("x = ") {
            Some((before, _)) => format!("{before}x = …\n"),
            None => match line.split_once("inf from ") {
                Some((before, _)) => format!("{before}inf from …\n"),
                None => format!("{line}\n"),
            },
        })
        .collect();
    insta::assert_snapshot!(text);
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let desk = Desk::new();
    let source = desk.example("quotient.c");
    let mut reports = [(); 2].map(|()| report(&desk, &[&source, "--seed", "5"]));
    for report in &mut reports {
        report["statistics"] = serde_json::Value::Null;
    }
    assert_eq!(reports[0], reports[1]);
}

#[test]
fn findings_are_kept_and_replayed() {
    let desk = Desk::new();
    desk.write("mean.c", MEAN);
    let run = exceptions(&desk, &["mean.c", "--findings", "kept", "--json", "all.json", "-q"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (1, "", ""));
    let overflow = "kept/overflow-mean-3.15-fadd.json";
    assert!(desk.path().join(overflow).exists(), "its name is stable");

    let replay = desk.run(&["replay", overflow]);
    assert_eq!(replay.code, 1, "{}", replay.stderr);
    assert!(
        replay.stdout.starts_with("overflow at mean.c:3:15, called through mean: it happens\n")
    );
    assert!(replay.stdout.contains("this is the finding"), "{}", replay.stdout);
    let by_id = desk.run(&["replay", "all.json", "--id", "overflow-mean-3.15-fadd"]);
    assert_eq!((by_id.code, by_id.stdout), (1, replay.stdout));
    let json = desk.run(&["replay", overflow, "--json", "-"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("it is JSON");
    assert_eq!(json["happened"], true);

    desk.write("mean.c", MEAN.replace("(x + y) / 2.0", "x / 2.0 + y / 2.0"));
    let mended = desk.run(&["replay", overflow]);
    assert_eq!(mended.code, 0, "{}", mended.stderr);
    assert!(mended.stdout.contains("it does not happen any more"), "{}", mended.stdout);
}

#[test]
fn a_replay_of_the_wrong_thing_is_told() {
    let desk = Desk::new();
    desk.write("mean.c", MEAN);
    exceptions(&desk, &["mean.c", "--json", "all.json", "-q"]);
    desk.write("not.json", "{}");
    let check = |arguments: &[&str], said: &str| {
        let run = desk.run(&[&["replay"], arguments].concat());
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(said), "{}", run.stderr);
    };
    check(&["gone.json"], "cannot read gone.json");
    check(&["not.json"], "not.json: not a Nanoscope report");
    check(&["all.json"], "several findings: choose with --id\n  overflow-mean-3.15-fadd");
    check(&["all.json", "--id", "no-such"], "has no finding no-such");
    std::fs::remove_file(desk.path().join("mean.c")).expect("it was there");
    check(&["all.json", "--id", "overflow-mean-3.15-fadd"], "mean.c");
}

#[test]
fn other_formats_are_written() {
    let desk = Desk::new();
    desk.write("mean.c", MEAN);
    let run = exceptions(
        &desk,
        &[
            "mean.c",
            "--sarif",
            "out.sarif",
            "--html",
            "out.html",
            "--tests",
            "tests",
            "--junit",
            "out.xml",
            "--markdown",
            "out.md",
        ],
    );
    assert_eq!(run.code, 1, "{}", run.stderr);
    let read = |name: &str| std::fs::read_to_string(desk.path().join(name)).expect("it is there");
    let sarif: serde_json::Value = serde_json::from_str(&read("out.sarif")).expect("it is JSON");
    assert_eq!(sarif["version"], "2.1.0");
    assert!(read("out.html").contains("\"kind\":\"overflow\""));
    assert!(read("out.xml").contains("<failure message="));
    assert!(read("out.md").contains("| overflow | 1 |"));
    let test = "tests/overflow-mean-3.15-fadd.c";
    assert!(read(test).contains("double mean(double x, double y);"));
    let built = std::process::Command::new("clang-19")
        .args(["-o", "test", test, "mean.c", "-lm"])
        .current_dir(desk.path())
        .status();
    assert!(built.expect("clang-19 is there").success());
    let run = std::process::Command::new(desk.path().join("test")).output().expect("it runs");
    assert_eq!(run.status.code(), Some(1), "the program is not mended yet");
}

/// Many findings with few roots are told as stories; `--all` shows each of them.
#[test]
fn many_findings_are_told_as_stories() {
    let desk = Desk::new();
    let source =
        "double f(double x) { double s = x * x; double t = s * s; return s / t - 1 / (t - s); }\n";
    desk.write("roots.c", source);
    let run = exceptions(&desk, &["roots.c"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.starts_with(" 1 error["), "{}", run.stdout);
    let all = exceptions(&desk, &["roots.c", "--all"]);
    assert!(all.stdout.starts_with("── f: "), "{}", all.stdout);
    let findings = all.stdout.lines().filter(|line| line.contains("= input:")).count();
    let stories = run.stdout.lines().filter(|line| line.contains(" roots.c:1: in f, ")).count();
    assert!(0 < stories && stories < findings, "{stories} stories of {findings} findings");
}

#[test]
fn nothing_found_is_exit_code_0() {
    let desk = Desk::new();
    desk.write("half.c", "float half(float x) { return x * 0.5f; }\n");
    let run = exceptions(&desk, &["half.c", "--input", "x=1..2"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("Nothing found"), "{}", run.stdout);
}

#[track_caller]
fn mistake(desk: &Desk, arguments: &[&str], said: &[&str]) {
    let run = exceptions(desk, arguments);
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.stdout, "");
    for text in said {
        assert!(run.stderr.contains(text), "{text} is not in: {}", run.stderr);
    }
}

#[test]
fn mistakes_about_the_program_are_told() {
    let desk = Desk::new();
    desk.write("mean.c", MEAN);
    desk.write("count.c", "double scaled(int n, double x) { return n * x; }\n");
    desk.write("broken.c", "double f(double x) { return y; }\n");
    desk.write("words.txt", "hello");
    mistake(&desk, &["gone.c"], &["gone.c"]);
    mistake(&desk, &["words.txt"], &["words.txt"]);
    mistake(&desk, &["broken.c"], &["broken.c:1:29: error: use of undeclared identifier 'y'"]);
    mistake(&desk, &["mean.c", "--function", "maen"], &["maen", "mean"]);
    mistake(&desk, &["mean.c", "--input", "z=0..1"], &["z", "x"]);
    mistake(&desk, &["mean.c", "--input", "maen:x=0..1"], &["maen"]);
    mistake(&desk, &["count.c", "--input", "n=0..5e9"], &["n"]);
    mistake(&desk, &["count.c", "--input", "n=0..3000000000"], &["3000000000", "2147483647"]);
    mistake(&desk, &["mean.c", "--json", "no/such/folder.json"], &["no/such/folder.json"]);
    mistake(&desk, &["mean.c", "--json", "-", "--sarif", "-"], &["standard output"]);
    mistake(&desk, &["--compile-commands", "gone.json"], &["gone.json"]);
}

/// A wrapper-less bitcode file begins with `BC 0xC0DE` and an identification block that
/// names its producer and an epoch.
#[test]
fn bitcode_of_another_llvm_is_refused() {
    let desk = Desk::new();
    desk.write("garbage.bc", [0x42, 0x43, 0xc0, 0xde, 1, 2, 3, 4, 5, 6, 7, 8]);
    desk.write("text.bc", "this is no bitcode");
    mistake(&desk, &["garbage.bc"], &["garbage.bc"]);
    mistake(&desk, &["text.bc"], &["text.bc"]);
}

#[test]
fn compile_commands_give_flags_and_sources() {
    let desk = Desk::new();
    desk.write("scaled.c", "double scaled(double x) { return x * FACTOR; }\n");
    desk.write(
        "compile_commands.json",
        format!(
            "[{{\"directory\": \"{}\", \"file\": \"scaled.c\", \
             \"command\": \"cc -DFACTOR=2.0 -c scaled.c\"}}]",
            desk.path().display()
        ),
    );
    let report = report(&desk, &["--compile-commands", "compile_commands.json"]);
    assert_eq!(found(&report), ["scaled: overflow 1", "scaled: underflow 1"]);
    mistake(&desk, &["scaled.c"], &["FACTOR"]);
    let run = exceptions(&desk, &["scaled.c", "-D", "FACTOR=2.0", "-q"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
}
