//! Explores C programs and prints what it took, a line a program: what `bench/explore/run.sh`
//! runs.
//!
//! `measure SECONDS FILE.c...`

use nanoscope_explore::{Flow, Options, Start, explore};
use nanoscope_program::Program;
use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::ir::Lowering;
use std::path::Path;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let seconds: f64 = words.next().ok_or("how many seconds?")?.parse()?;
    println!(
        "{:<12} {:>10} {:>12} {:>12} {:>8} {:>10} {:>8} {:>8}  outcome",
        "program", "seconds", "instructions", "million/s", "paths", "paths/s", "queries", "solver"
    );
    for file in words {
        let compiler = Compiler::new(Flags::parse(["-O0"]))?;
        let bitcode = compiler.bitcode(&[file.clone().into()], None)?;
        let code = Program::load(bitcode)?.code(&Lowering::default())?;
        let options = Options {
            deadline: Some(Instant::now() + Duration::from_secs_f64(seconds)),
            ..Options::default()
        };
        let start = Start::Main { arguments: vec![file.clone()] };
        let outcome = explore(&code, start, &options, &mut |_| Flow::Continue);
        let figures = &outcome.statistics;
        let time = figures.time.as_secs_f64();
        let name = Path::new(&file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        println!(
            "{name:<12} {time:>10.3} {:>12} {:>12.1} {:>8} {:>10.0} {:>8} {:>7.0}%  {}",
            figures.instructions,
            figures.instructions as f64 / time / 1e6,
            figures.paths,
            figures.paths as f64 / time,
            figures.queries,
            100.0 * figures.solver_time.as_secs_f64() / time,
            if outcome.exhausted {
                "exhausted".to_owned()
            } else {
                format!("stopped by {}", outcome.stopped_by.join(", "))
            }
        );
    }
    Ok(())
}
