//! Random queries by the thousand: those with a planted model must not be
//! refuted by any engine, and those without must not be answered otherwise
//! than another solver answers them.
//!
//! usage: differential COUNT [PROGRAM [FIRST]]
//! with PROGRAM such as z3 or cvc5, and FIRST the seed to begin at.

#[path = "../tests/random_query/mod.rs"]
mod random_query;

use nanoscope_budget::Budget;
use nanoscope_solver::{Choice, Options, Solver, Verdict};
use nanoscope_term::smtlib::script_text;
use nanoscope_term::{Term, Terms};
use random_query::{Planted, Shape};
use std::time::{Duration, Instant};

const SHAPES: [Shape; 4] = [Shape::Tiny, Shape::Single, Shape::Double, Shape::Mixed];

fn ask(
    terms: &mut Terms,
    assertions: &[Term],
    engines: Vec<Choice>,
    milliseconds: u64,
) -> Option<bool> {
    let mut solver = Solver::new(Options { engines, ..Options::default() });
    let budget = Budget::lasting(Duration::from_millis(milliseconds));
    match solver.decide(terms, assertions, None, &budget) {
        Ok(Verdict::Sat(_)) => Some(true),
        Ok(Verdict::Unsat) => Some(false),
        Ok(Verdict::Unknown(_)) => None,
        Err(defect) => panic!("{defect}"),
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let count: u64 = words.first().and_then(|word| word.parse().ok()).unwrap_or(1000);
    let oracle = words.get(1).filter(|word| *word != "-");
    let first: u64 = words.get(2).and_then(|word| word.parse().ok()).unwrap_or(0);
    let start = Instant::now();
    let (mut queries, mut decided, mut compared, mut wrong) = (0u64, 0u64, 0u64, 0u64);
    let alone = [Choice::Propagate, Choice::Reals, Choice::Prune, Choice::Blast];
    for seed in first..first + count.div_ceil(2) {
        let shape = SHAPES[seed as usize % SHAPES.len()];
        let Planted { mut terms, assertions, .. } = Planted::new(shape, seed);
        let engine = alone[(seed / 4) as usize % alone.len()].clone();
        let behind = vec![Choice::Propagate, engine.clone()];
        for engines in [Vec::new(), vec![engine], behind] {
            let limit = if engines.is_empty() { 300 } else { 50 };
            match ask(&mut terms, &assertions, engines.clone(), limit) {
                Some(true) => decided += u64::from(engines.is_empty()),
                Some(false) => {
                    wrong += 1;
                    let text = script_text(&terms, &assertions);
                    println!("WRONG unsat by {engines:?} on {shape:?} {seed}\n{text}");
                }
                None => {}
            }
        }
        let Planted { mut terms, assertions, .. } = Planted::unplanted(shape, seed);
        let ours = ask(&mut terms, &assertions, Vec::new(), 300);
        decided += u64::from(ours.is_some());
        queries += 2;
        if let (Some(ours), Some(program)) = (ours, oracle) {
            let theirs =
                ask(&mut terms, &assertions, vec![Choice::External(program.clone())], 2000);
            compared += u64::from(theirs.is_some());
            if theirs.is_some_and(|theirs| theirs != ours) {
                wrong += 1;
                let text = script_text(&terms, &assertions);
                println!("WRONG sat={ours}, {program} differs, on {shape:?} {seed}\n{text}");
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{queries} queries, {decided} decided, {compared} compared, {wrong} wrong, {seconds:.0} s"
    );
    std::process::exit(i32::from(wrong > 0));
}
