//! The questions of an exploration for exceptions, as SMT-LIB: `questions FILE FOLDER COUNT
//! FUNCTION...` follows each function's paths as Ariadne does, to the first exception and
//! with loops once, and writes at most COUNT questions a function to FOLDER/FUNCTION.

use nanoscope_explore::{Flow, Goal, Options, QueryLog, Scheduler, Start, explore};
use nanoscope_program::compile::{Compiler, Flags};
use nanoscope_program::ir::Lowering;
use nanoscope_program::{Program, Wishes};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The longest that a function may take.
const TIME: Duration = Duration::from_secs(20);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what: &str| arguments.next().unwrap_or_else(|| panic!("{what} is missing"));
    let file = PathBuf::from(next("a file"));
    let folder = PathBuf::from(next("a folder"));
    let count: u64 = next("a number").parse().expect("a number of questions");
    let names: Vec<String> = arguments.collect();
    let cache = std::env::temp_dir().join("nanoscope-questions");
    let compiler = Compiler::caching_in(&cache, Flags::parse(["-O2"])).expect("a cache");
    let bitcode = compiler.bitcode(&[file], None).unwrap_or_else(|fault| panic!("{fault}"));
    let program = Program::load(bitcode).unwrap_or_else(|fault| panic!("{fault}"));
    let wishes = Wishes::default();
    let targets = program.targets(&names, &wishes).unwrap_or_else(|fault| panic!("{fault}"));
    let lowering = Lowering { functions: names, wishes, ..Lowering::default() };
    let code = program.code(&lowering).unwrap_or_else(|fault| panic!("{fault}"));
    for target in targets.into_iter().flatten() {
        let Some(entry) = code.named(&format!("nanoscope_run_{}", target.entry)) else { continue };
        let queries = folder.join(&target.symbol);
        std::fs::create_dir_all(&queries).expect("a folder for the questions");
        let goals = target.goals.iter().map(|id| &program.goals()[id.0 as usize]);
        let goals = goals.filter(|goal| goal.never.is_none());
        let options = Options {
            deadline: Some(Instant::now() + TIME),
            scheduler: Scheduler::Goals,
            max_loop: Some(1),
            max_queries: Some(count),
            patience: Some(1),
            query_limit: Duration::from_millis(800),
            goals: goals.map(|goal| Goal { site: goal.site, exception: goal.exception }).collect(),
            stop_at_first: true,
            queries: Some(QueryLog::new(queries).of(&target.symbol)),
            ..Options::default()
        };
        let start = Start::Target {
            entry,
            inputs: &target.inputs,
            output_words: target.output_words,
            outputs: &target.outputs,
        };
        let outcome = explore(&code, start, &options, &mut |_| Flow::Continue);
        let asked = &outcome.statistics;
        println!(
            "{} {} asked: {} sat, {} unsat, {} unknown",
            target.symbol, asked.queries, asked.satisfiable, asked.unsatisfiable, asked.undecided
        );
    }
}
