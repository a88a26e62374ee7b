//! Any bytes as a script: the chain and the complete engine alone do not
//! contradict each other, and every model holds (the chain checks that, and
//! tells a wrong one as a defect).
#![no_main]

use libfuzzer_sys::fuzz_target;
use nanoscope_budget::Budget;
use nanoscope_solver::{Choice, Options, Solver, Verdict};
use nanoscope_term::{eliminate, smtlib::read};
use std::time::Duration;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(mut problem) = read(text) else { return };
    if problem.terms.len() > 2000 {
        return;
    }
    let Ok(plain) = eliminate(&mut problem.terms, &problem.assertions) else { return };
    let mut ask = |engines: &[Choice]| {
        let options = Options { engines: engines.to_vec(), ..Options::default() };
        let budget = Budget::lasting(Duration::from_millis(100));
        let verdict =
            Solver::new(options).decide(&mut problem.terms, &plain.assertions, None, &budget);
        match verdict {
            Ok(Verdict::Sat(_)) => Some(true),
            Ok(Verdict::Unsat) => Some(false),
            Ok(Verdict::Unknown(_)) => None,
            Err(defect) => panic!("{defect}"),
        }
    };
    if let (Some(chain), Some(blast)) = (ask(&[]), ask(&[Choice::Blast])) {
        assert_eq!(chain, blast, "the chain and the complete engine differ");
    }
});
