//! The chain against what is known beforehand: queries with a planted model
//! must not be refuted, by any engine; what z3 says must not be contradicted.

mod random_query;

use nanoscope_search::Budget;
use nanoscope_solver::{Choice, Options, Solver, Verdict};
use nanoscope_term::smtlib::script_text;
use random_query::{Planted, Shape};
use std::time::Duration;

const SHAPES: [Shape; 4] = [Shape::Tiny, Shape::Single, Shape::Double, Shape::Mixed];

/// Every engine on queries that have a model.
fn check_planted(engines: &[Choice], seeds: std::ops::Range<u64>, limit: Duration) -> [u64; 2] {
    let mut counts = [0, 0];
    for seed in seeds {
        for shape in SHAPES {
            let Planted { mut terms, assertions, .. } = Planted::new(shape, seed);
            let mut solver =
                Solver::new(Options { engines: engines.to_vec(), ..Options::default() });
            let budget = Budget::lasting(limit);
            let verdict = solver.decide(&mut terms, &assertions, None, &budget);
            match verdict {
                Ok(Verdict::Sat(_)) => counts[0] += 1,
                Ok(Verdict::Unknown(_)) => counts[1] += 1,
                Ok(Verdict::Unsat) => panic!(
                    "{engines:?} refuted {shape:?} {seed}, which has a model:\n{}",
                    script_text(&terms, &assertions)
                ),
                Err(defect) => panic!("{shape:?} {seed}: {defect}"),
            }
        }
    }
    counts
}

#[test]
fn no_engine_refutes_a_planted_model() {
    let limit = Duration::from_millis(40);
    for choice in [Choice::Propagate, Choice::Reals, Choice::Prune, Choice::Blast] {
        check_planted(std::slice::from_ref(&choice), 0..30, limit);
        // With what propagation found out before.
        check_planted(&[Choice::Propagate, choice], 30..60, limit);
    }
}

#[test]
fn the_chain_finds_planted_models() {
    let [found, open] = check_planted(&[], 100..130, Duration::from_secs(2));
    assert!(open * 10 <= found, "{found} found, {open} open");
}

#[test]
fn no_engine_contradicts_another() {
    for seed in 0..40 {
        for shape in [Shape::Tiny, Shape::Single] {
            let Planted { mut terms, assertions, .. } = Planted::unplanted(shape, seed);
            let mut verdicts = Vec::new();
            for choice in [Choice::Propagate, Choice::Reals, Choice::Prune, Choice::Blast] {
                let mut solver =
                    Solver::new(Options { engines: vec![choice.clone()], ..Options::default() });
                let budget = Budget::lasting(Duration::from_millis(100));
                let verdict = solver.decide(&mut terms, &assertions, None, &budget);
                match verdict.unwrap_or_else(|defect| panic!("{defect}")) {
                    Verdict::Sat(_) => verdicts.push((choice, true)),
                    Verdict::Unsat => verdicts.push((choice, false)),
                    Verdict::Unknown(_) => {}
                }
            }
            assert!(
                verdicts.windows(2).all(|pair| pair[0].1 == pair[1].1),
                "{verdicts:?} on {shape:?} {seed}:\n{}",
                script_text(&terms, &assertions)
            );
        }
    }
}

#[test]
fn z3_agrees_where_it_is() {
    let installed = std::process::Command::new("z3").arg("--version").output().is_ok();
    let mut compared = 0;
    for seed in 0..if installed { 40 } else { 0 } {
        let Planted { mut terms, assertions, .. } = Planted::unplanted(Shape::Tiny, seed);
        let mut verdicts = Vec::new();
        for engines in [Vec::new(), vec![Choice::External("z3".to_string())]] {
            let mut solver = Solver::new(Options { engines, ..Options::default() });
            let budget = Budget::lasting(Duration::from_secs(2));
            let verdict = solver.decide(&mut terms, &assertions, None, &budget);
            match verdict.unwrap_or_else(|defect| panic!("{defect}")) {
                Verdict::Sat(_) => verdicts.push(true),
                Verdict::Unsat => verdicts.push(false),
                Verdict::Unknown(_) => {}
            }
        }
        if let [ours, theirs] = verdicts[..] {
            compared += 1;
            let text = script_text(&terms, &assertions);
            assert_eq!(ours, theirs, "sat or not, seed {seed}:\n{text}");
        }
    }
    assert!(!installed || compared >= 20, "{compared} compared");
}
