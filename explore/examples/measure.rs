//! Explores C programs and prints what it took, a line a program: what `bench/explore/run.sh`
//! runs.
//!
//! `measure SECONDS FILE.c... [--no-merge]`

#[path = "../tests/subject/mod.rs"]
mod subject;

use nanoscope_explore::{Event, Flow, Options, Start, explore};
use std::path::Path;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words = std::env::args().skip(1);
    let (flags, mut words): (Vec<String>, Vec<String>) =
        words.partition(|word| word.starts_with("--"));
    let mut words = words.drain(..);
    let seconds: f64 = words.next().ok_or("how many seconds?")?.parse()?;
    println!(
        "{:<12} {:>10} {:>12} {:>12} {:>8} {:>10} {:>8} {:>8}  outcome",
        "program", "seconds", "instructions", "million/s", "paths", "paths/s", "queries", "solver"
    );
    for file in words {
        let code = subject::code_of("subject.c", &std::fs::read_to_string(&file)?);
        let options = Options {
            deadline: Some(Instant::now() + Duration::from_secs_f64(seconds)),
            merge: !flags.iter().any(|flag| flag == "--no-merge"),
            ..Options::default()
        };
        if flags.iter().any(|flag| flag == "--print") {
            println!("{code}");
        }
        let start = Start::Main { arguments: vec![file.clone()] };
        let mut findings = String::new();
        let outcome = explore(&code, start, &options, &mut |event| {
            if let Event::Path(end) = event
                && let Some(kind) = end.ending.finding()
            {
                findings.push_str(&format!("; {kind} at {}", end.location.line));
            }
            Flow::Continue
        });
        let figures = &outcome.statistics;
        let time = figures.time.as_secs_f64();
        let name = Path::new(&file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        println!(
            "{name:<12} {time:>10.3} {:>12} {:>12.1} {:>8} {:>10.0} {:>8} {:>7.0}%  {}{findings}",
            figures.instructions,
            figures.instructions as f64 / time / 1e6,
            figures.paths,
            figures.paths as f64 / time,
            figures.queries,
            100.0 * figures.solver_time.as_secs_f64() / time,
            if outcome.exhausted {
                "exhausted".to_owned()
            } else {
                format!("stopped by {}", nanoscope_explore::Gap::list(&outcome.stopped_by, ", "))
            }
        );
    }
    Ok(())
}
