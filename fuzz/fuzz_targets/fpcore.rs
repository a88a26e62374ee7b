//! Any bytes: the FPCore reader comes back, and so does the lowering of what it read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nanoscope_errors::fpcore::{Lowering, lower, parse};

fuzz_target!(|text: &str| {
    let options = Lowering { nodes: 1000, ways: 8, ..Lowering::default() };
    if let Ok(cores) = parse(text) {
        for core in cores {
            let _ = lower(&core, &options);
        }
    }
});
