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
