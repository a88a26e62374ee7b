//! How the command starts: quickly, by loading LLVM only for the commands that need it.

use crate::support::{Desk, Run};
use std::process::Command;

/// The shared libraries of a binary, as glibc's loader lists them in place of running it;
/// none where another loader does not know how to.
fn libraries(binary: &str) -> Option<String> {
    let output = Command::new(binary)
        .arg("--version")
        .env("LD_TRACE_LOADED_OBJECTS", "1")
        .output()
        .expect("it starts");
    let listed = String::from_utf8(output.stdout).expect("it writes UTF-8");
    listed.contains("libc.so").then_some(listed)
}

#[test]
fn only_the_other_binary_loads_llvm() {
    if let Some(listed) = libraries(env!("CARGO_BIN_EXE_nanoscope")) {
        assert!(!listed.contains("LLVM"), "{listed}");
    }
    if let Some(listed) = libraries(env!("CARGO_BIN_EXE_nanoscope-llvm")) {
        assert!(listed.contains("LLVM"), "{listed}");
    }
}

#[test]
fn without_the_other_binary_it_says_which_is_missing() {
    let desk = Desk::new();
    let alone = desk.path().join("nanoscope");
    std::fs::copy(env!("CARGO_BIN_EXE_nanoscope"), &alone).expect("the desk takes files");
    let check = |arguments: &[&str], code: i32, said: &[&str]| {
        let run = Run::of(Command::new(&alone).args(arguments));
        assert_eq!(run.code, code, "{arguments:?}: {}", run.stderr);
        for said in said {
            assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
        }
    };
    check(&["explain"], 0, &[]);
    check(&["exceptions"], 2, &["<SOURCE>"]);
    check(&["exceptions", "f.c"], 70, &["nanoscope-llvm is missing", "make install"]);
    check(&["replay", "f.json"], 70, &["nanoscope-llvm is missing", "make install"]);
}

#[test]
fn completions_and_manual_know_every_command() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish"] {
        let run = desk.run(&["completions", shell]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        for command in ["exceptions", "precision", "handling", "solve", "doctor"] {
            assert!(run.stdout.contains(command), "{shell} does not complete {command}");
        }
    }
    let run = desk.run(&["manual", "man"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for page in ["nanoscope.1", "nanoscope-exceptions.1", "nanoscope-solve.1"] {
        let text = std::fs::read_to_string(desk.path().join("man").join(page)).expect(page);
        assert!(text.contains(".SH NAME"), "{page}: {text}");
    }
}

#[test]
fn doctor_says_what_is_missing_and_how_to_get_it() {
    let desk = Desk::new();
    let run = desk.run(&["doctor"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("clang-19"), "{}", run.stdout);
    let run = Run::of(desk.command(&["doctor"]).env("PATH", desk.path()));
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(run.stdout.contains("apt-get install clang-19"), "{}", run.stdout);
    assert!(run.stderr.contains("clang-19"), "{}", run.stderr);
}
