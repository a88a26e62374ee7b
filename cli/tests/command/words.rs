//! What the command says without having worked: help, explanations, mistakes in its
//! arguments.

use crate::support::Desk;
use std::io::Read;
use std::process::Stdio;

#[track_caller]
fn mistake(arguments: &[&str], said: &str) {
    let run = Desk::new().run(arguments);
    assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
    assert!(run.stderr.starts_with("nanoscope: "), "{}", run.stderr);
    assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
    assert_eq!(run.stdout, "");
}

#[test]
fn help() {
    insta::assert_snapshot!(Desk::new().run(&["--help"]).transcript());
}

#[test]
fn help_of_exceptions() {
    insta::assert_snapshot!(Desk::new().run(&["exceptions", "--help"]).transcript());
}

#[test]
fn help_of_test() {
    insta::assert_snapshot!(Desk::new().run(&["test", "--help"]).transcript());
}

#[test]
fn help_of_replay() {
    insta::assert_snapshot!(Desk::new().run(&["replay", "--help"]).transcript());
}

#[test]
fn kinds_are_explained() {
    let desk = Desk::new();
    insta::assert_snapshot!("explain", desk.run(&["explain"]).transcript());
    insta::assert_snapshot!("explain_overflow", desk.run(&["explain", "overflow"]).transcript());
    insta::assert_snapshot!("explain_unknown", desk.run(&["explain", "overflw"]).transcript());
}

#[test]
fn mistakes_in_arguments_are_told() {
    mistake(&[], "a command is missing");
    mistake(&["exceptoins"], "'exceptions'");
    mistake(&["exceptions"], "<SOURCE>");
    mistake(&["exceptions", "f.c", "--inptu", "x=1..2"], "'--input'");
    mistake(&["exceptions", "f.c", "--input", "x=2..1"], "the range is empty: 2 is above 1");
    mistake(&["exceptions", "f.c", "--input", "x=low..high"], "low is not a number");
    mistake(&["exceptions", "f.c", "--array", "x=2*"], "a number or a name is missing");
    mistake(&["exceptions", "f.c", "--time-limit", "-3"], "a positive number of seconds");
    mistake(&["exceptions", "f.c", "--seed", "x"], "--seed");
    mistake(&["exceptions", "f.c", "-Z"], "--cflags");
    mistake(&["replay"], "<FILE|DIR>");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let desk = Desk::new();
    let mut child = desk
        .command(&["explain", "overflow"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut said).expect("it writes UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert_eq!(said, "");
}
