//! Any bytes as a script: the reader comes back; what it read, printed and read
//! again, means the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nanoscope_term::smtlib::{Problem, read, script_text};
use nanoscope_term::{Model, holds};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(problem) = read(text) else { return };
    let printed = script_text(&problem.terms, &problem.assertions);
    let again = read(&printed)
        .unwrap_or_else(|mistake| panic!("what was printed is not read: {mistake}\n{printed}"));
    // Where every variable has its first value.
    let first = |problem: &Problem| holds(&problem.terms, &Model::new(), &problem.assertions);
    assert_eq!(first(&problem), first(&again), "what was printed means something else:\n{printed}");
});
