//! Runs the complete engine alone on SMT-LIB files, in a way to be chosen, and
//! prints a line a file: for measuring one way against another.
//!
//! `blast_files [seconds=10] [lazy] [rows] [polarity] [xor3] [plain] FILE...`

use nanoscope_budget::Budget;
use nanoscope_solver::blast::aig::Multiplier;
use nanoscope_solver::blast::{Blaster, Options, Verdict};
use nanoscope_term::{eliminate, holds, smtlib};
use std::time::{Duration, Instant};

fn main() {
    let mut options = Options::default();
    let (mut seconds, mut files) = (10.0, Vec::new());
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "lazy" => options.lazy = true,
            "rows" => options.tuning.multiplier = Multiplier::Rows,
            "polarity" => options.writing.by_polarity = true,
            "xor3" => options.writing.merge_xor = true,
            "plain" => options.writing.redundant = false,
            other => match other.strip_prefix("seconds=") {
                Some(limit) => seconds = limit.parse().expect("a number of seconds"),
                None => files.push(argument),
            },
        }
    }
    let (mut solved, mut total) = (0, 0.0);
    for file in &files {
        let script = std::fs::read_to_string(file).expect("a file to read");
        let start = Instant::now();
        let mut problem = match smtlib::read(&script) {
            Ok(problem) => problem,
            Err(mistake) => {
                println!("{file}: {mistake:?}");
                continue;
            }
        };
        let plain = match eliminate(&mut problem.terms, &problem.assertions) {
            Ok(eliminated) => eliminated.assertions,
            Err(why) => {
                println!("{file}: {why}");
                continue;
            }
        };
        let mut blaster = Blaster::new(options);
        plain.iter().for_each(|&assertion| blaster.assert(assertion));
        let budget = Budget::lasting(Duration::from_secs_f64(seconds));
        let verdict = blaster.check(&problem.terms, &[], &budget, None);
        let time = start.elapsed().as_secs_f64();
        let word = match &verdict {
            Verdict::Sat(model) => {
                assert!(holds(&problem.terms, model, &plain), "{file}: not a model");
                "sat".to_string()
            }
            Verdict::Unsat => "unsat".to_string(),
            Verdict::Unknown(reason) => reason.to_string(),
        };
        if matches!(verdict, Verdict::Unknown(_)) {
            total += 2.0 * seconds;
        } else {
            solved += 1;
            total += time;
        }
        let figures = blaster.statistics();
        println!(
            "{file} {word} {time:.3} gates {} variables {} clauses {} conflicts {} lemmas {}",
            figures.gates, figures.variables, figures.clauses, figures.conflicts, figures.lemmas
        );
    }
    println!("{solved} of {} solved, PAR-2 {total:.1} s", files.len());
}
