//! The points that a native search draws, for whoever wants to run them elsewhere:
//!
//! ```text
//! cargo run --release -p nanoscope-native --example points -- SOURCE FUNCTION COUNT FILE
//! ```
//!
//! Searches for the exceptions of a function by COUNT evaluations and writes one batch
//! of a hundred to the file, as words of the machine.

use nanoscope_budget::Budget;
use nanoscope_native::{Limits, Worker, space};
use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::{Fault, Program, Wishes};
use nanoscope_search::Search;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Points in a batch at most.
const BATCH: usize = 4096;

/// Of so many batches one is written.
const OF: usize = 100;

fn main() -> Result<(), Fault> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, function, count, file] = arguments.as_slice() else {
        return Err(Fault::User("usage: points SOURCE FUNCTION COUNT FILE".into()));
    };
    let internal = |error: &dyn std::fmt::Display| Fault::Internal(error.to_string());
    let count: u64 = count.parse().map_err(|error| internal(&error))?;
    let file = std::fs::File::create(file).map_err(|error| internal(&error))?;
    let mut file = BufWriter::new(file);

    let folder = std::env::temp_dir().join(format!("nanoscope-points-{}", std::process::id()));
    let compiler = Compiler::caching_in(&folder, Flags::parse([""; 0]))?;
    let program = Program::load(compiler.bitcode(&[PathBuf::from(source)], None)?)?;
    let (names, wishes) = ([function.clone()], Wishes::default());
    let target = program
        .targets(&names, &wishes)?
        .remove(0)
        .map_err(|trouble| Fault::User(format!("{function} cannot be searched: {trouble:?}")))?;
    let libraries = program.libraries(&names, &wishes, &compiler, &folder, None)?;
    let instrumented = libraries.instrumented(&target)?;

    let goals = instrumented.goals.len();
    let mut worker = Worker::start(&instrumented, &Limits::default(), BATCH)?;
    let mut search = Search::new(space(&target)?, goals, &instrumented.constants, 1);
    for (index, goal) in program.goals().iter().enumerate() {
        if goal.never.is_some() {
            search.close(index);
        }
    }
    let words = search.space().words();
    let mut number = 0;
    while search.evaluations() < count {
        let wanted = search.suggested_batch() * words;
        let drawn = search.fill(&mut worker.points_mut()[..wanted]);
        if number % OF == 0 {
            for word in &worker.points_mut()[..drawn * words] {
                file.write_all(&word.to_ne_bytes()).map_err(|error| internal(&error))?;
            }
        }
        number += 1;
        let mut best = search.thresholds().to_vec();
        best.resize(goals + instrumented.edges, 0);
        worker.begin(drawn, &best)?;
        for improvement in worker.finish(&Budget::unlimited())?.improvements {
            search.improved(improvement.goal, improvement.distance, &improvement.point);
        }
    }
    std::fs::remove_dir_all(&folder).map_err(|error| internal(&error))
}
