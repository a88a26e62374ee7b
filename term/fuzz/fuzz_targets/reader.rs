//! Any bytes as a script: `cargo +nightly fuzz run reader` in the folder `term`.
//! What is read is printed, and that is read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nanoscope_term::smtlib::{read, script_text};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(problem) = read(text) {
        let printed = script_text(&problem.terms, &problem.assertions);
        assert!(read(&printed).is_ok(), "{printed}");
    }
});
