//! What each domain is worth: `domains FILE [FLAG]... [FUNCTION]...` analyses the functions of a file
//! (C or bitcode) with all domains, and without each of them, and prints goals proved, steps and
//! processor time. `--milliseconds N` is the wall time for a function (2000),
//! `--only NAME` looks at one domain.

#[path = "../tests/attack/mod.rs"]
#[allow(dead_code, reason = "only its loader is used")]
mod attack;

use nanoscope_ranges::{Domains, Options, Start, analyse};
use std::path::Path;
use std::time::{Duration, Instant};

/// The figures of one run over all functions.
struct Figures {
    proved: usize,
    goals: usize,
    steps: u64,
    time: Duration,
}

fn measure(subject: &attack::Subject, domains: Domains, limit: Duration) -> Figures {
    let mut figures = Figures { proved: 0, goals: 0, steps: 0, time: Duration::ZERO };
    for target in &subject.targets {
        let (begin, used) = (Instant::now(), processor_time());
        let options = Options { domains, deadline: Some(begin + limit), ..Options::default() };
        let findings = analyse(&subject.code, Start::Target(target), &options);
        figures.time += processor_time() - used;
        figures.steps += findings.steps;
        figures.goals += target.goals.len();
        figures.proved += attack::impossible(subject, target, &findings).len();
    }
    figures
}

/// The processor time of this process so far, in ticks of a hundredth of a second.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux tells");
    let after_name = stat.rsplit(')').next().expect("the name of the program");
    let user = after_name.split_whitespace().nth(11).and_then(|ticks| ticks.parse().ok());
    Duration::from_millis(10 * user.unwrap_or(0))
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a file");
    let (mut flags, mut functions, mut limit, mut only) = (Vec::new(), Vec::new(), 2000, None);
    while let Some(argument) = arguments.next() {
        if argument == "--milliseconds" {
            limit = arguments.next().and_then(|n| n.parse().ok()).expect("milliseconds");
        } else if argument == "--only" {
            only = arguments.next();
        } else if argument.starts_with('-') {
            flags.push(argument);
        } else {
            functions.push(argument);
        }
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
    let subject = attack::load(Path::new(&file), &flags, &functions, &[]);
    let limit = Duration::from_millis(limit);
    let all = measure(&subject, Domains::default(), limit);
    println!("{:14} {:>7} {:>6} {:>11} {:>9}", "domains", "proved", "goals", "steps", "seconds");
    let print = |name: &str, figures: &Figures| {
        let seconds = figures.time.as_secs_f64();
        let Figures { proved, goals, steps, .. } = figures;
        println!("{name:14} {proved:7} {goals:6} {steps:11} {seconds:9.2}");
    };
    print("all", &all);
    for name in Domains::NAMES.iter().filter(|name| only.as_ref().is_none_or(|only| only == *name))
    {
        let without = Domains::without(name).expect("a domain");
        let figures = measure(&subject, without, limit);
        print(&format!("-{name}"), &figures);
    }
}
