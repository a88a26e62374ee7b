//! Attacks what the analysis says of the functions of a C file: `attack RUNS FILE
//! [FLAG]... [FUNCTION]...`. A run in which something excluded happens is a panic.

#[path = "../tests/attack/mod.rs"]
mod attack;

use nanoscope_ranges::{Options, Start, analyse};
use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [runs, file, rest @ ..] = arguments.as_slice() else { panic!("RUNS FILE ...") };
    let runs: u64 = runs.parse().expect("a number of runs");
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let (flags, functions): (Vec<&str>, Vec<&str>) = rest.iter().partition(|a| a.starts_with('-'));
    let subject = attack::load(Path::new(file), &flags, &functions, &[]);
    for target in &subject.targets {
        let begin = Instant::now();
        let deadline = Some(begin + Duration::from_secs(2));
        let options = Options { parts: 8, deadline, ..Options::default() };
        let findings = analyse(&subject.code, Start::Target(target), &options);
        let time = begin.elapsed();
        if let Some(why) = &findings.stopped {
            println!("{}: {why}, after {time:?}", target.function);
            continue;
        }
        let seen = attack::attack(&subject, target, &findings, runs, 7);
        let settled = attack::impossible(&subject, target, &findings).len();
        let goals = target.goals.len();
        println!("{}: {settled} of {goals} impossible in {time:?}, {seen} seen", target.function);
    }
}
