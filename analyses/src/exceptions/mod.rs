//! Exceptions: can this operation overflow, underflow, divide by zero, make a NaN,
//! convert out of range? Every operation of every function asked about gets an answer.
//!
//! - `contract.rs`: what the user says about functions
//! - `case.rs`: one target and what is needed to work on it; `standing.rs`: how its goals stand
//! - `settle.rs`: the engines, cheapest first, on one target; `time/`: how they share its time
//!   and that of other targets; `cross_target_hints.rs`: what they learnt for other targets
//! - `indices.rs`: arrays of integers whose elements are indices
//! - `extents.rs`, `fitted.rs`: lengths of arrays that nobody told, and integers that go with them
//! - `engines.rs`: which engines, where the user chooses
//! - `ranges.rs`: what no range allows; `pursue.rs`: native search; `explore.rs`: path by path
//! - `witness.rs`: which build of the program shows what was found
//! - `minimise.rs`: simple inputs that do the same
//! - `classify.rs`: what an exception did, by a run in exact arithmetic; `harm.rs`: the same later
//! - `advice.rs`: rewritings that avoid what was found, tried before they are told
//! - `summary.rs`, `naming.rs`: the report

mod advice;
mod case;
mod classify;
mod contract;
mod cross_target_hints;
mod engines;
mod explore;
mod extents;
mod fitted;
mod harm;
mod indices;
mod lowered;
mod minimise;
mod naming;
mod pursue;
mod ranges;
mod settle;
mod standing;
mod summary;
mod time;
mod witness;

pub(crate) use contract::Contract;
pub use contract::Contracts;
pub use engines::{Engine, USUAL};
pub use harm::{Judged, is_unjudged, judge};
pub(crate) use naming::{BUILD, ended, kind, place, seen_evidence};

use crate::subject::{Scratch, Source};
use case::Case;
use cross_target_hints::CrossTargetHints;
use lowered::Lowered;
use nanoscope_budget::Budget;
use nanoscope_explore::QueryLog;
use nanoscope_native::give_back_memory;
use nanoscope_program::compile::Compiler;

use nanoscope_program::{Fault, Program, Target, Untestable};
use nanoscope_report::{Report, Run, Status};
use standing::Standing;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use summary::{Questions, Summary};
use time::TimePool;

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program.
    pub source: Source,
    /// The functions asked about; empty: all that other files can call.
    pub functions: Vec<String>,
    /// What the user says about them.
    pub contracts: Contracts,
    /// For the whole run.
    pub time_limit: Option<Duration>,
    /// Processor time for each function.
    pub function_time: Option<Duration>,
    /// Runs of the instrumented code for each function.
    pub evaluations: Option<u64>,
    /// Who works on them.
    pub engines: Vec<Engine>,
    /// Start of all random choices.
    pub seed: u64,
    /// Functions (or, with one function, processes for it) worked on at once.
    pub jobs: usize,
    /// Whether a run ends at its first exception: what comes after it does not count.
    pub stop_at_first: bool,
    /// How paths are followed.
    pub following: Following,
    /// Whether findings get simple inputs and are judged by the harm they do.
    pub polish: bool,
    /// Ends the run early when set, with a report of what was found by then.
    pub stop: Arc<AtomicBool>,
}

/// How paths are followed, where the user says so.
#[derive(Clone, Debug, Default)]
pub struct Following {
    /// Where the solver's questions are written to.
    pub queries: Option<QueryLog>,
    /// How often a path may come by the same block; otherwise bound after bound, at last none.
    pub max_loop: Option<LoopBound>,
    /// How long a question may take.
    pub question_time: Option<Duration>,
    /// How many concretisations Ariadne's method tries for a question.
    pub concretizations: Option<u32>,
    /// Whether an exception is asked about on every path that comes by it.
    pub every_path: bool,
}

impl Options {
    /// How long a run over so many functions may take.
    fn time(&self, functions: usize) -> Duration {
        let each = EACH * u32::try_from(functions).unwrap_or(u32::MAX);
        self.time_limit.unwrap_or(USUAL_TIME.max(each))
    }
}

/// A bound on loops, or that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopBound {
    /// So often at most.
    Times(u64),
    /// No bound.
    None,
}

/// Is told how the work goes, from any thread.
pub type Progress<'a> = &'a (dyn Fn(&dyn Fn() -> String) + Sync);

/// Is given the report of what is settled so far, every now and then, so that a run that is
/// killed leaves something behind.
pub type Keep<'a> = &'a (dyn Fn(&Report) + Sync);

/// How often the report of what is settled so far is made; of a large program, so many times
/// as long as that takes.
const KEPT_EVERY: Duration = Duration::from_secs(2);
const KEPT_AFTER: u32 = 30;

/// The time for a program where nobody says, and the least for each of its functions.
const USUAL_TIME: Duration = Duration::from_secs(60);
const EACH: Duration = Duration::from_secs(2);

/// The part of the time that is for finding; the rest is for advice on what was found.
const FINDING: f64 = 0.9;

/// Said of programs whose arithmetic is not that of IEEE 754.
const FLUSHED: &str = "subnormal numbers are flushed to zero from the start (-ffast-math), as operands \
                       and as results; -mno-daz-ftz changes that";

/// The stack of a thread that works on targets: terms and programs may be deep.
const STACK: usize = 256 << 20;

/// Asks every goal of the functions.
pub fn run(options: &Options, progress: Progress) -> Result<Report, Fault> {
    run_keeping(options, progress, &|_| ())
}

/// The same, with a report of what is settled so far handed to `keep` at the start, every two
/// seconds (of a large program, less often), and not at the end.
pub fn run_keeping(options: &Options, progress: Progress, keep: Keep) -> Result<Report, Fault> {
    let start = Instant::now();
    let describe = || Run {
        command: "exceptions".into(),
        seed: options.seed,
        subject: options.source.describe(),
    };
    keep(&unfinished(Report::new(describe(), Vec::new(), Vec::new(), Default::default())));
    progress(&|| "compiling".into());
    let (compiler, program) = options.source.load(Some(start + options.time(0)))?;
    let mut notes = program.notes().to_vec();
    if program.flushes_subnormals() {
        notes.push(FLUSHED.to_owned());
    }
    let symbols = functions(&program, &options.functions);
    let limit = options.time(symbols.len());
    let end = start + limit;
    let deadline = if options.polish { start + limit.mul_f64(FINDING) } else { end };
    let mut all = program.targets(&symbols, &options.source.wishes)?;
    let mut targets: Vec<&mut Target> = all.iter_mut().flatten().collect();
    let contracts = options.contracts.of(&mut targets)?;
    let targets: Vec<&Target> = all.iter().flatten().collect();
    let questions = Questions::new(&program);
    let mut field = Field {
        standings: targets
            .iter()
            .map(|target| Mutex::new(Standing::of(target, &questions.goals)))
            .collect(),
        reached: CrossTargetHints::default(),
        untestable: all.iter().filter_map(|target| target.as_ref().err()).collect(),
        notes,
        targets,
        contracts,
        questions,
        finished: Mutex::new(false),
        bell: Condvar::new(),
    };
    if field.asks_anything() {
        let scratch = Scratch::new()?;
        progress(&|| "building probes".into());
        let (path, limit) = (scratch.path(), Some(deadline));
        let wishes = &options.source.wishes;
        let mut libraries = program.libraries(&symbols, wishes, &compiler, path, limit)?;
        let now = Instant::now();
        libraries.probes_until(now + deadline.saturating_duration_since(now) / 2);
        let lowered = Lowered::new(&program, &symbols, wishes, deadline)?;
        drop(program);
        give_back_memory();
        if let Ok(code) = lowered.exact() {
            for (contract, target) in field.contracts.iter_mut().zip(&field.targets) {
                extents::infer(code, target, contract, Some(deadline));
                indices::infer(code, target, contract, Some(deadline));
            }
        }
        let narrowed = field.contracts.iter().zip(&field.targets);
        let narrowed: Vec<Target> =
            narrowed.map(|(contract, target)| contract.narrowed(target)).collect();
        let asked = (0..field.targets.len()).filter(|&at| field.asks(at)).count();
        let pool = (asked > 1).then(|| Arc::new(TimePool::new(asked)));
        let work = |at: usize, budget: &Budget, jobs: usize| {
            let case = Case::new(
                &field.questions.goals,
                (&libraries, &lowered),
                (&narrowed[at], &field.contracts[at]),
                options,
                jobs,
                Some(deadline),
                (&field.standings[at], &field.reached, pool.as_ref()),
            );
            settle::settle(&case, budget)
        };
        let made = || field.report(describe(), start);
        std::thread::scope(|scope| {
            // Ranges of a single function need no library; where the time is shared among
            // many, none waits at its own expense.
            let runs = options.engines.iter().any(|engine| *engine != Engine::Ranges);
            match asked {
                _ if !runs => {}
                1 => drop(scope.spawn(|| libraries.build())),
                _ => libraries.build()?,
            }
            scope.spawn(|| field.keep_all_along(keep, &made));
            // Also where a thread panics: nobody waits for a report that is not made, and for
            // libraries that nobody needs.
            let _finished = Finish(&field, &compiler);
            settle_all(&field, options, deadline, progress, &work)
        })?;
        let mut report = field.report(describe(), start);
        if options.polish {
            let (kept, asked) = ((&libraries, lowered.exact()), (options, symbols.as_slice()));
            advice::advise(&mut report, &field, kept, asked, end, progress)?;
            report.statistics.seconds = start.elapsed().as_secs_f64();
        }
        return Ok(report);
    }
    Ok(field.report(describe(), start))
}

/// The targets, what was said about them, and how they stand.
struct Field<'t> {
    targets: Vec<&'t Target>,
    contracts: Vec<Contract>,
    standings: Vec<Mutex<Standing>>,
    reached: CrossTargetHints,
    untestable: Vec<&'t Untestable>,
    /// What was left out of the build.
    notes: Vec<String>,
    questions: Questions,
    finished: Mutex<bool>,
    bell: Condvar,
}

/// Ends the keeping of reports, and what is still being built, when it goes.
struct Finish<'f, 't>(&'f Field<'t>, &'f Compiler);

impl Drop for Finish<'_, '_> {
    fn drop(&mut self) {
        self.0.finish();
        self.1.end();
    }
}

impl Field<'_> {
    /// Whether a target has a goal that is not settled without any work.
    fn asks(&self, at: usize) -> bool {
        let standing = self.standings[at].lock().unwrap_or_else(PoisonError::into_inner);
        !standing.unsettled(self.targets[at]).is_empty()
    }

    fn asks_anything(&self) -> bool {
        (0..self.targets.len()).any(|at| self.asks(at))
    }

    /// The report as things stand.
    fn report(&self, run: Run, start: Instant) -> Report {
        let mut summary = Summary::new(&self.questions);
        self.notes.iter().for_each(|note| summary.remark(note));
        for (at, target) in self.targets.iter().enumerate() {
            let standing =
                self.standings[at].lock().unwrap_or_else(PoisonError::into_inner).clone();
            summary.target(target, &self.contracts[at], &standing);
        }
        for untestable in &self.untestable {
            summary.untestable(untestable);
        }
        summary.report(run, start.elapsed().as_secs_f64())
    }

    /// Hands out what is settled, now and then, until all is.
    fn keep_all_along(&self, keep: Keep, made: &dyn Fn() -> Report) {
        let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        while !*finished {
            let start = Instant::now();
            keep(&unfinished(made()));
            // A report of a large library is as large.
            give_back_memory();
            let pause = KEPT_EVERY.max(start.elapsed() * KEPT_AFTER);
            let waited = self.bell.wait_timeout(finished, pause);
            finished = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn finish(&self) {
        *self.finished.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bell.notify_all();
    }
}

/// A report of work that goes on.
fn unfinished(report: Report) -> Report {
    Report { status: Status::Stopped, ..report }
}

/// The symbols of the functions to ask about.
fn functions(program: &Program, wanted: &[String]) -> Vec<String> {
    if wanted.is_empty() {
        return program.callable().into_iter().map(|candidate| candidate.symbol).collect();
    }
    wanted.iter().flat_map(|name| program.definitions(name)).collect()
}

/// What a thread does with a target: within a budget, with so many processes.
type Work<'a> = &'a (dyn Fn(usize, &Budget, usize) -> Result<(), Fault> + Sync);

/// Shares the targets among threads, and what time there is among the targets.
fn settle_all(
    field: &Field,
    options: &Options,
    deadline: Instant,
    progress: Progress,
    work: Work,
) -> Result<(), Fault> {
    let mut asked: Vec<usize> = (0..field.targets.len()).filter(|&at| field.asks(at)).collect();
    // Those that call no others first: what happens in them is known when their callers are
    // worked on.
    asked.sort_by_key(|&at| field.targets[at].goals.len());
    let threads = options.jobs.clamp(1, asked.len());
    let processes = (options.jobs / threads).max(1);
    let next = AtomicUsize::new(0);
    let reached = AtomicUsize::new(0);
    let faults: Mutex<Vec<(usize, Fault)>> = Mutex::new(Vec::new());
    let work_on = || {
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some(&at) = asked.get(turn) else { break };
            progress(&|| {
                let found = reached.load(Ordering::Relaxed);
                let (now, all) = (turn + 1, asked.len());
                let function = &field.targets[at].function;
                format!("{now}/{all} {function}: {found} found so far")
            });
            let left = deadline.saturating_duration_since(Instant::now());
            let share = left.mul_f64((threads as f64 / (asked.len() - turn) as f64).min(1.0));
            let budget = Budget {
                deadline: Some(Instant::now() + share),
                stop: Arc::clone(&options.stop),
                evaluations: options.evaluations,
            };
            let result = work(at, &budget, processes);
            let mut standing = field.standings[at].lock().unwrap_or_else(PoisonError::into_inner);
            reached.fetch_add(standing.reached.len(), Ordering::Relaxed);
            match result {
                Ok(()) => {}
                // What cannot be done for one target is no reason to lose the others.
                Err(Fault::User(why)) if asked.len() > 1 => standing.failed(&why),
                Err(fault) => {
                    faults.lock().unwrap_or_else(PoisonError::into_inner).push((at, fault));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let thread = std::thread::Builder::new().stack_size(STACK);
            if let Err(fault) = thread.spawn_scoped(scope, work_on) {
                let fault = Fault::Internal(format!("no thread to work on: {fault}"));
                faults.lock().unwrap_or_else(PoisonError::into_inner).push((0, fault));
            }
        }
    });
    let mut faults = faults.into_inner().unwrap_or_else(PoisonError::into_inner);
    faults.sort_by_key(|(at, _)| *at);
    faults.into_iter().next().map_or(Ok(()), |(_, fault)| Err(fault))
}
