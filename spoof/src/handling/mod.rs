//! The whole of it: run the subject, look at every call of a function under test, and gather what
//! was not handled.
//!
//! Passes over the same program. The first only counts the calls. Then functions take turns, by rounds
//! (`turns.rs`): a pass spoofs the inputs of some calls of each function, those first that are given other integers
//! and characters than the rest, and finds their classes, the sets of instructions that they execute; a second
//! spoofs results, in one call of each kind (a class, and the integers and characters); a third asks the solver for
//! inputs that do the same. Each round looks at more calls than the one before. The last pass runs every failure
//! once more, each in a process that has run nothing else, and follows what becomes of the exceptional values.

mod access;
mod again;
mod code;
mod confirm;
mod decide;
mod encoding;
mod examine;
mod gather;
mod goal;
mod launch;
mod limits;
mod numbers;
mod observe;
mod pass;
mod record;
mod results;
mod saved;
mod skipped;
mod solve;
mod told;
mod trial;
mod turns;
mod watch;

pub use again::again;
pub use code::{Code, disassemble, operands};
pub use decide::Decision;
pub use examine::{Cause, Effect, ExactOutput, Examined, Failing, Unfit};
pub use numbers::{is_finite, scalar_bytes};
pub use trial::{Seen, Trial, Tried, trial_of};

use crate::lift::Event as FlowEvent;
use crate::prototype::{Argument, Library, Prototype};
use crate::run::{Layout, Stop};
use gather::Gathered;
use goal::Goal;
use nanoscope_search::Budget;
use pass::Pass;
use saved::Store;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use turns::{Census, Shares};

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is known of the functions.
    pub library: Library,
    /// Only these functions; all if empty.
    pub functions: Vec<String>,
    /// Functions whose call reports trouble.
    pub error_routines: Vec<String>,
    /// The executable and its arguments.
    pub command: Vec<OsString>,
    /// Libraries to load before others.
    pub preload: Vec<PathBuf>,
    /// What it reads.
    pub input: Option<PathBuf>,
    /// For a replay: the files that the prototypes are from, and the one that is read.
    pub origin: Origin,
    /// The bits of Fortran's default integers.
    pub integer_bits: u32,
    /// How the binary names what the prototypes name, with a `*` for the prototype's symbol:
    /// `scipy_*64_`.
    pub symbols: Option<String>,
    /// How many calls are looked at at once.
    pub jobs: usize,
    /// When to stop.
    pub time_limit: Option<Duration>,
    /// Whether results are spoofed, not only inputs.
    pub results: bool,
    /// Whether results are spoofed in every call, not only in the first of each kind.
    pub every_call: bool,
    /// How long the solver may work for one function; not at all if zero.
    pub solver_time: Duration,
    /// Where to write the solver's questions in SMT-LIB.
    pub dump_queries: Option<PathBuf>,
    /// Where to keep what is done, to go on from there if the run is stopped.
    pub resume: Option<PathBuf>,
}

/// What a replay needs beside the rest.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Files of prototypes, or names of collections.
    pub prototypes: Vec<PathBuf>,
    /// C headers.
    pub headers: Vec<PathBuf>,
    /// Where headers are looked for.
    pub include: Vec<PathBuf>,
    /// Macros for headers.
    pub define: Vec<String>,
    /// Files with debugging information.
    pub debug_info: Vec<PathBuf>,
    /// What the program read; none if it read nothing.
    pub input: Option<PathBuf>,
    /// Whether it read something that is no file.
    pub piped: bool,
}

/// Why there is no outcome.
#[derive(Debug)]
pub enum Trouble {
    /// The user's mistake: what, and what to do.
    User(String),
    /// Ours.
    Internal(String),
}

/// Figures of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Its calls.
    pub calls: u64,
    /// Of these, those that were spoofed.
    pub spoofed_calls: u64,
    /// Why others were not.
    pub unfit: BTreeMap<String, u64>,
    /// The classes of calls.
    pub classes: u64,
    /// Spoofed inputs.
    pub input_spoofs: u64,
    /// Of these, those that failed.
    pub input_failures: u64,
    /// Spoofed results.
    pub result_spoofs: u64,
    /// Of these, those that failed.
    pub result_warnings: u64,
    /// Of these, those that inputs were found for.
    pub reified: u64,
    /// Whether nothing of it is left to do.
    #[serde(skip)]
    pub whole: bool,
}

/// A function under test, in one module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Tested {
    /// Its symbol.
    pub symbol: String,
    /// The file it is in.
    pub module: PathBuf,
}

/// A failure: spoofs that failed alike.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// Which function.
    pub tested: Tested,
    /// What was spoofed, in the example.
    pub cause: Cause,
    /// `x` for an input, `sgbmv_+0x8b` for a result.
    pub place: String,
    /// The instruction, or the function's first: the file it is in, and the address there.
    pub location: (PathBuf, u64),
    /// The instruction, disassembled; empty for an input.
    pub instruction: String,
    /// What became of it.
    pub effect: Effect,
    /// The reason that the prototype gives, if it documents this.
    pub documented: Option<String>,
    /// Sticky exceptions of the example's run.
    pub flags: u8,
    /// The example's call, counted from 1 over all calls of functions under test.
    pub call: u64,
    /// The example's class.
    pub class: u64,
    /// The example's arguments.
    pub arguments: Vec<Argument>,
    /// Their values, one for each element, before the call and with the spoof.
    pub inputs: Vec<Vec<Vec<u8>>>,
    /// What came back: the same elements where they are outputs, else empty.
    pub outputs: Vec<Vec<Vec<u8>>>,
    /// What comes back without the spoof.
    pub expected: Vec<Vec<Vec<u8>>>,
    /// What outputs that are wrong should be: argument, element, value.
    pub exact: Vec<ExactOutput>,
    /// How many spoofs failed so.
    pub count: u64,
    /// In how many calls.
    pub calls: u64,
    /// Of warnings: for how many an input was found.
    pub reified: u64,
    /// Hundredths of a second that the example's run may take.
    pub ticks: u64,
    /// What the call prints without the spoof, as a hash; 0 if nothing.
    #[serde(default)]
    pub usual_message: u64,
    /// Whether a process that ran nothing else showed the same.
    pub confirmed: bool,
    /// Whether no instruction of the example's run reads the exceptional value.
    #[serde(default)]
    pub unread: bool,
    /// What becomes of exceptional values in the example's run.
    pub events: Vec<Flow>,
    /// The branches that exceptional values decide in it.
    pub decisions: Vec<Decision>,
    /// What other builds do with the same input.
    #[serde(skip)]
    pub also: Vec<Elsewhere>,
}

/// What another build does with an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Elsewhere {
    /// The program or the library.
    pub build: PathBuf,
    /// What it shows.
    pub seen: Seen,
    /// The branches that exceptional values decide there.
    pub decisions: Vec<Decision>,
}

/// An instruction that exceptional values came by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// `sgbmv_+0x8b`.
    pub place: String,
    /// The file it is in, and the address there.
    pub location: (PathBuf, u64),
    /// What it did.
    pub event: FlowEvent,
}

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct SpoofRun {
    /// By function.
    pub figures: BTreeMap<Tested, Figures>,
    /// What failed with spoofed inputs, by function and place.
    pub failures: Vec<Failure>,
    /// What failed with spoofed results only.
    pub warnings: Vec<Failure>,
    /// What to know.
    pub notes: Vec<String>,
    /// Whether all calls were looked at.
    pub complete: bool,
    /// How the subject ended.
    pub ended: Option<Stop>,
    /// Prototypes whose function is nowhere.
    pub absent: Vec<String>,
    /// Instructions that were not lifted, with how often they were met: their results were taken
    /// as they were, so findings may be missing.
    pub unlifted: BTreeMap<String, u64>,
}

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub pass: &'static str,
    /// The functions that are called; 0 as long as that is not known.
    pub functions: usize,
    /// Of these, those of which nothing was left to do when this pass began.
    pub whole: usize,
    /// Calls of this pass.
    pub calls: u64,
    /// Classes of calls.
    pub classes: usize,
    /// Spoofs of all passes.
    pub spoofs: u64,
    /// What the solver has not been asked yet.
    pub questions: u64,
}

/// Told of progress.
pub trait Observer: Sync {
    /// How far it is.
    fn progress(&self, progress: &Progress);
    /// Whether to stop.
    fn stop(&self) -> bool;
}

/// The solver is asked for an instruction in so many classes.
const MOST_CLASSES: usize = 3;

/// How many calls of each function the first round looks at, and how many times as many each round after it: with a
/// time limit, and without one.
const ROUNDS: [(usize, usize); 2] = [(4, 16), (64, usize::MAX)];

/// Runs the subject, once for each pass, and gathers what was not handled.
pub fn handle(options: &Options, observer: &dyn Observer) -> Result<SpoofRun, Trouble> {
    let layout = Layout::of_this_machine().ok_or_else(no_xsave)?;
    let notes = options.library.notes.clone();
    let mut outcome = SpoofRun { complete: true, notes, ..SpoofRun::default() };
    let prototypes = tested_prototypes(options, &mut outcome.notes)?;
    let budget = options.time_limit.map_or_else(Budget::unlimited, Budget::lasting);
    let cut_short = AtomicBool::new(false);
    let stop = || {
        if observer.stop() {
            budget.cancel();
        }
        let stop = budget.exhausted();
        if stop {
            cut_short.store(true, Ordering::Relaxed);
        }
        stop
    };
    let store = match &options.resume {
        Some(file) => Some(Store::new(file, options)?),
        None => None,
    };
    let earlier = store.as_ref().map(Store::read).transpose()?.flatten();
    if earlier.is_some() {
        outcome.notes.push("an earlier run was continued".to_string());
    }
    let gathered = Mutex::new(earlier.unwrap_or_default());
    let code = Code::default();
    let mut rounds = Rounds {
        options,
        layout,
        prototypes: &prototypes,
        code: &code,
        gathered: &gathered,
        budget: &budget,
        observer,
        store: store.as_ref(),
        census: Census::default(),
        shares: Shares::default(),
        stop: &stop,
    };
    rounds.count_calls(&mut outcome)?;
    rounds.all(&mut outcome)?;
    // What was found within the time is confirmed beyond it: that takes one run more.
    let unlimited = Budget::unlimited();
    let interrupted = || observer.stop();
    let failures = lock(&gathered).to_confirm();
    if !failures.is_empty() && !observer.stop() {
        rounds.budget = &unlimited;
        rounds.stop = &interrupted;
        rounds.shares = Shares::default();
        rounds.pass(Goal::Confirm(failures), &mut outcome)?;
    }
    let census = rounds.census;
    outcome.complete = !cut_short.load(Ordering::Relaxed) && census.left.is_none();
    if let Some(store) = store.filter(|_| outcome.complete) {
        store.remove();
    }
    let gathered = gathered.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    gathered.finish(&census, options, &mut outcome);
    outcome.notes.sort();
    outcome.notes.dedup();
    Ok(outcome)
}

/// The passes of a run, and what they share.
struct Rounds<'a> {
    options: &'a Options,
    layout: Layout,
    prototypes: &'a [&'a Prototype],
    code: &'a Code,
    gathered: &'a Mutex<Gathered>,
    budget: &'a Budget,
    observer: &'a dyn Observer,
    store: Option<&'a Store>,
    census: Census,
    shares: Shares,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl Rounds<'_> {
    /// Runs the program to see which calls it makes.
    fn count_calls(&mut self, outcome: &mut SpoofRun) -> Result<(), Trouble> {
        let goal = self.pass(Goal::Census(Mutex::default()), outcome)?;
        if let Goal::Census(census) = goal {
            self.census = census.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if let Some(left) = self.census.left {
            let calls = self.census.len();
            outcome
                .notes
                .push(format!("the program was left {left}: only its first {calls} calls count"));
        }
        Ok(())
    }

    /// Round after round, until nothing is left or there is no more time.
    fn all(&mut self, outcome: &mut SpoofRun) -> Result<(), Trouble> {
        let (mut most, growth) = ROUNDS[usize::from(self.options.time_limit.is_none())];
        loop {
            let mut idle = true;
            for stage in [Rounds::inputs, Rounds::results, Rounds::questions] {
                let goal = stage(self, most);
                if (self.stop)() {
                    return Ok(());
                }
                if goal.is_empty() {
                    continue;
                }
                idle = false;
                let calls = goal.calls();
                let functions: BTreeSet<usize> =
                    calls.iter().filter_map(|call| self.census.function(*call)).collect();
                self.shares.deal(self.budget, functions.len(), self.options.jobs);
                self.pass(goal, outcome)?;
            }
            if idle {
                return Ok(());
            }
            most = most.saturating_mul(growth);
        }
    }

    /// Spoofed inputs in the next calls of each function.
    fn inputs(&self, most: usize) -> Goal {
        let gathered = lock(self.gathered);
        let calls = self.census.turn(&gathered.inputs_done, most);
        let from = |call: u64| (call, gathered.partial.get(&call).copied().unwrap_or(0));
        Goal::Inputs(calls.into_iter().map(from).collect())
    }

    /// Spoofed results in one call of each kind that is known.
    fn results(&self, _: usize) -> Goal {
        Goal::Results(match self.options.results {
            true => lock(self.gathered).without_results(self.options.every_call),
            false => BTreeSet::new(),
        })
    }

    /// Inputs for the results that vanished.
    fn questions(&self, _: usize) -> Goal {
        if self.options.solver_time.is_zero() || !self.options.results {
            return Goal::Solve(BTreeMap::new());
        }
        Goal::Solve(lock(self.gathered).take_questions(MOST_CLASSES))
    }

    /// Makes a pass.
    fn pass(&self, goal: Goal, outcome: &mut SpoofRun) -> Result<Goal, Trouble> {
        let done = lock(self.gathered).whole(&self.census, self.options);
        let pass = Pass {
            options: self.options,
            layout: self.layout,
            prototypes: self.prototypes,
            code: self.code,
            gathered: self.gathered,
            budget: self.budget,
            observer: self.observer,
            store: self.store,
            census: &self.census,
            shares: &self.shares,
            left_over: Mutex::default(),
            functions: done.len(),
            whole: done.into_values().filter(|whole| *whole).count(),
            goal,
        };
        let (ended, absent, notes) = pass.run(self.stop)?;
        // Later passes end the program where nothing is looked at any more.
        outcome.ended.get_or_insert(ended);
        outcome.absent = absent;
        outcome.notes.extend(notes);
        if !(self.stop)() {
            pass.settle();
        }
        pass.keep()?;
        Ok(pass.goal)
    }
}

impl Options {
    /// What the binary calls a function.
    pub fn symbol(&self, prototype: &Prototype) -> String {
        match &self.symbols {
            Some(pattern) => pattern.replacen('*', &prototype.symbol, 1),
            None => prototype.symbol.clone(),
        }
    }
}

fn no_xsave() -> Trouble {
    Trouble::User("this processor has no XSAVE: `handling` cannot run here".to_string())
}

/// The prototypes whose functions are tested; notes say which are not, and why.
fn tested_prototypes<'a>(
    options: &'a Options,
    notes: &mut Vec<String>,
) -> Result<Vec<&'a Prototype>, Trouble> {
    let all = &options.library.prototypes;
    let is = |f: &String, p: &Prototype| *f == p.symbol || *f == p.name || *f == options.symbol(p);
    if let Some(unknown) = options.functions.iter().find(|f| !all.iter().any(|p| is(f, p))) {
        let why = options.library.refused.get(unknown);
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        return Err(Trouble::User(format!("there is no prototype of {unknown}{why}")));
    }
    let wanted =
        |p: &Prototype| options.functions.is_empty() || options.functions.iter().any(|f| is(f, p));
    let (silent, tested): (Vec<&Prototype>, Vec<&Prototype>) =
        all.iter().filter(|p| wanted(p)).partition(|p| says_nothing(p));
    if !silent.is_empty() {
        let names: Vec<&str> = silent.iter().map(|p| p.name.as_str()).collect();
        notes.push(format!(
            "skipped, with neither a floating-point output nor a way to report: {}",
            names.join(", ")
        ));
    }
    if tested.is_empty() {
        return Err(Trouble::User("the prototypes name no function to test".to_string()));
    }
    Ok(tested)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Whether there is nothing by which a function could tell its caller of an exception. An error
/// routine alone tells of bad arguments.
fn says_nothing(prototype: &Prototype) -> bool {
    let floats = prototype
        .parameters
        .iter()
        .chain(prototype.results())
        .any(|parameter| parameter.kind.is_float() && parameter.intent.is_output());
    !floats && prototype.reports.is_empty() && prototype.error_routines.is_empty()
}
