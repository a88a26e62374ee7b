//! Decides SMT-LIB files: the answer, the seconds and who decided, a line each.
//! For measuring engines without the command around them.
//!
//! usage: solve SECONDS ENGINES|- FILE...

use nanoscope_budget::Budget;
use nanoscope_solver::{Options, Solver, Verdict};
use nanoscope_term::eliminate;
use nanoscope_term::smtlib::read;
use std::time::{Duration, Instant};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, engines, files @ ..] = words.as_slice() else {
        eprintln!("usage: solve SECONDS ENGINES|- FILE...");
        std::process::exit(2);
    };
    let limit = Duration::from_secs_f64(seconds.parse().expect("seconds"));
    for file in files {
        let start = Instant::now();
        let text = std::fs::read_to_string(file).expect("a file");
        let mut problem = match read(&text) {
            Ok(problem) => problem,
            Err(mistake) => {
                println!("{file}\terror {mistake}");
                continue;
            }
        };
        let engines = match engines.as_str() {
            "-" => Vec::new(),
            names => names.split(',').map(|name| name.parse().expect("an engine")).collect(),
        };
        let reading = start.elapsed();
        let budget = Budget::lasting(limit);
        let mut solver = Solver::new(Options { engines, ..Options::default() });
        let answer = match eliminate(&mut problem.terms, &problem.assertions) {
            Ok(plain) => {
                match solver.decide(&mut problem.terms, &plain.assertions, None, &budget) {
                    Ok(Verdict::Sat(_)) => "sat".to_string(),
                    Ok(Verdict::Unsat) => "unsat".to_string(),
                    Ok(Verdict::Unknown(reason)) => format!("unknown ({reason})"),
                    Err(defect) => format!("DEFECT {}", defect.engine),
                }
            }
            Err(why) => format!("unknown ({why})"),
        };
        let expected = problem.status.map_or(String::new(), |status| status.to_string());
        let wrong = if answer != expected
            && ["sat", "unsat"].contains(&answer.as_str())
            && ["sat", "unsat"].contains(&expected.as_str())
        {
            "WRONG"
        } else {
            ""
        };
        let total = start.elapsed().as_secs_f64();
        let reading = reading.as_secs_f64();
        let by: Vec<String> = solver
            .statistics()
            .decided
            .iter()
            .map(|(name, count)| format!("{name}:{count}"))
            .collect();
        println!("{file}\t{answer}\t{total:.4}\t{reading:.4}\t{}\t{wrong}", by.join(","));
    }
}
