//! Tests: symbolic execution of a program, with every finding run natively.
//!
//! Native runs on made-up inputs come first, for what is easy; then the exploration. What
//! either finds becomes a finding only once the original program has been seen to do it.
//!
//! - `native.rs`: the executables and what they are asked
//! - `seen.rs`: what a native run shows, and whether that is what was claimed
//! - `guesses.rs`: native runs on made-up inputs
//! - `inputs.rs`, `shapes.rs`, `suite.rs`: inputs, what they look like, tests, findings
//! - `goals.rs`: the questions, and how each ended
//! - `ranges.rs`: what needs no paths to be proved
//! - `coverage.rs`: what the tests cover
//! - `replay.rs`: a finding once more
//! - `paths.rs`: questions about paths; `route.rs`: files that name one

mod coverage;
mod goals;
mod guesses;
pub(crate) mod inputs;
mod native;
mod paths;
mod ranges;
pub(crate) mod replay;
mod route;
pub(crate) mod seen;
mod shapes;
mod suite;

use crate::library;
use crate::subject::Source;
use inputs::Case;
use nanoscope_explore::{self as explore, Event, Flow, PathEnd};
use nanoscope_native::whole::Invocation;
use nanoscope_program::compile::{Bitcode, Compiler};
use nanoscope_program::ir::{Code, Lowering};
use nanoscope_program::{Fault, Program, Target};
use nanoscope_report::{
    Exploration, Finding, Kind, Note, Place, Report, Run, Search, Solver, Statistics, Status,
};
use native::{Answer, Natives};
use seen::Seen;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use suite::Suite;

pub use explore::{QueryLog, Scheduler, Stdin, UnknownArguments};
pub use paths::PathQuestion;
pub use replay::{Ended, Rerun, suite as rerun};

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program.
    pub source: Source,
    /// The function to explore; `None`: `main`.
    pub function: Option<String>,
    /// The arguments that `main` gets after the program's name.
    pub arguments: Vec<String>,
    /// The variables of the environment, `NAME=VALUE`, where they are stated: there are no others.
    pub environment: Option<Vec<String>>,
    /// For the whole run.
    pub time_limit: Duration,
    /// By how many bytes the exploration may grow.
    pub memory_limit: Option<u64>,
    /// Start of all random choices.
    pub seed: u64,
    /// Which path goes on next.
    pub scheduler: Scheduler,
    /// How many times a path may fork.
    pub max_depth: Option<u64>,
    /// How many times a path may come by the same block in one call.
    pub max_loop: Option<u64>,
    /// What standard input holds.
    pub stdin: Stdin,
    /// Native runs on made-up inputs before the exploration, at most.
    pub guesses: u64,
    /// Whether coverage is measured.
    pub coverage: bool,
    /// What becomes of calls of external functions with unknown arguments.
    pub external_calls: UnknownArguments,
    /// Functions without effects, beside those of the C library.
    pub pure: BTreeSet<String>,
    /// Where the solver's questions are written to.
    pub queries: Option<QueryLog>,
    /// What is asked about paths, in place of looking for failures.
    pub paths: Option<PathQuestion>,
    /// Ends the run early when set, with a report of what was found by then.
    pub stop: Arc<AtomicBool>,
}

impl Options {
    /// The function that is started from.
    fn entry(&self) -> &str {
        self.function.as_deref().unwrap_or("main")
    }

    /// What standard input holds where that is no input.
    fn given_stdin(&self) -> Vec<u8> {
        match &self.stdin {
            Stdin::Given(bytes) => bytes.clone(),
            Stdin::Symbolic(_) => Vec::new(),
        }
    }

    /// How the program is started natively.
    fn invocation(&self) -> Invocation {
        Invocation {
            arguments: self.arguments.clone(),
            environment: self.environment.clone().unwrap_or_default(),
        }
    }

    /// The circumstances, for the report.
    fn described(&self) -> Run {
        let mut subject = self.source.describe();
        subject.entry = self.function.clone();
        subject.arguments = self.arguments.clone();
        subject.environment = self.environment.clone();
        Run { command: "test".into(), seed: self.seed, subject }
    }
}

/// Takes what a program prints, and whether to standard error.
pub type Echo<'a> = &'a dyn Fn(bool, &[u8]);

/// Is told how the work goes, and what the program prints on explored paths.
pub struct Listener<'a> {
    /// How the work goes.
    pub progress: crate::exceptions::Progress<'a>,
    /// Takes what is printed; `None`: nobody wants to know.
    pub echo: Option<Echo<'a>>,
}

/// Explores a program and tests it.
pub fn run(options: &Options, listener: &Listener) -> Result<Report, Fault> {
    if let Some(question) = &options.paths {
        return paths::run(options, question, listener);
    }
    let start = Instant::now();
    let deadline = start + options.time_limit;
    let compiled = Compiled::new(options, listener, deadline)?;
    let natives = compiled.natives(options, deadline)?;
    let Compiled { source, program, target, .. } = &compiled;
    let mut work = Work {
        options,
        listener,
        natives,
        suite: Suite::default(),
        open: BTreeMap::new(),
        later: Vec::new(),
        refuted: 0,
        library: None,
        shapes: shapes::declared(program),
        competition: goals::is_competition(program),
        held: goals::has_preferences(program).then(Vec::new),
        trouble: None,
        paths: 0,
        generation: Duration::ZERO,
    };
    let began = Instant::now();
    guesses::make(&mut work, (start + options.time_limit / 10).min(deadline))?;
    work.generation += began.elapsed();

    let (support, folder) = library::support(program, deadline)?;
    work.library = folder.map(|folder| folder.display().to_string());
    let code = lowered(options, program, source, support)?;
    for (name, shape) in shapes::used(&code) {
        work.shapes.entry(name).or_insert(shape);
    }
    let first = start_of(options, &code, target.as_ref())?;
    // What comes after the exploration has its share of the time.
    let share = (options.time_limit / 20).clamp(Duration::from_millis(200), Duration::from_secs(3));
    let mut explored_until = deadline.checked_sub(share).unwrap_or(deadline);
    let mut sites = goals::sites(&code, &first, &|file| work.is_ours(file));
    sites.retain(|site| !(work.competition && site.kind == Kind::Abort));
    (listener.progress)(&|| "looking at ranges".into());
    let proved = ranges::prove(&code, target.as_ref(), &sites, share, explored_until);
    if proved.everything {
        // What is left for the exploration are the tests.
        explored_until = explored_until.min(Instant::now() + share);
    }
    let outcome = work.explore(&code, first, explored_until);
    let began = Instant::now();
    if !outcome.exhausted {
        work.keep_held();
    }
    work.settle_later()?;
    let coverage = match options.coverage && coverage::tools_are_there() {
        true => coverage::measure(&work.natives, &work.suite.cases(), deadline)?,
        false => None,
    };
    work.generation += began.elapsed();
    let report = work.report(&outcome, &sites, &proved, coverage, start);
    Ok(report)
}

/// A compiled program.
struct Compiled {
    source: Source,
    compiler: Compiler,
    program: Program,
    target: Option<Target>,
}

impl Compiled {
    fn new(options: &Options, listener: &Listener, deadline: Instant) -> Result<Compiled, Fault> {
        (listener.progress)(&|| "compiling".into());
        let source = library::with_headers(&options.source)?;
        let (compiler, program) = source.load(Some(deadline))?;
        let target = target_of(options, &program, &source)?;
        Ok(Compiled { source, compiler, program, target })
    }

    /// The executables.
    fn natives(&self, options: &Options, deadline: Instant) -> Result<Natives<'_>, Fault> {
        Natives::start(
            &self.source,
            &self.program,
            &self.compiler,
            self.target.clone(),
            &options.invocation(),
            options.given_stdin(),
            deadline,
        )
    }
}

/// The target, where a function is explored.
fn target_of(
    options: &Options,
    program: &Program,
    source: &Source,
) -> Result<Option<Target>, Fault> {
    match &options.function {
        Some(function) => target(program, function, source).map(Some),
        None => has_main(program).map(|()| None),
    }
}

/// The program as the exploration takes it.
fn lowered(
    options: &Options,
    program: &Program,
    source: &Source,
    support: Vec<Bitcode>,
) -> Result<Code, Fault> {
    program.code(&Lowering {
        functions: options.function.iter().cloned().collect(),
        wishes: source.wishes.clone(),
        support,
        flush: true,
        judge_shifts: true,
        ..Lowering::default()
    })
}

/// Where the exploration starts.
fn start_of<'t>(
    options: &Options,
    code: &Code,
    target: Option<&'t Target>,
) -> Result<explore::Start<'t>, Fault> {
    Ok(match target {
        Some(target) => explore::Start::Target {
            entry: code
                .named(&format!("nanoscope_run_{}", target.entry))
                .ok_or_else(|| Fault::Internal("the entry was not lowered".into()))?,
            inputs: &target.inputs,
            output_words: target.output_words,
            outputs: &target.outputs,
        },
        None => {
            let name = options.source.files.first().map(|file| file.display().to_string());
            let name = name.unwrap_or_else(|| "program".to_owned());
            let arguments = std::iter::once(name).chain(options.arguments.iter().cloned());
            explore::Start::Main { arguments: arguments.collect() }
        }
    })
}

/// How the exploration goes about its work.
fn exploring(
    options: &Options,
    listener: &Listener,
    code: &Code,
    deadline: Instant,
) -> explore::Options {
    explore::Options {
        deadline: Some(deadline),
        memory_limit: options.memory_limit,
        seed: options.seed,
        scheduler: options.scheduler,
        max_depth: options.max_depth,
        max_loop: options.max_loop,
        stdin: options.stdin.clone(),
        environment: options.environment.clone(),
        echo: listener.echo.is_some(),
        external: explore::External {
            caller: crate::external::caller(code, &options.source, &options.pure, deadline),
            unknown: options.external_calls,
            pure: options.pure.clone(),
        },
        queries: options.queries.as_ref().map(|log| log.of(options.entry())),
        stop: Arc::clone(&options.stop),
        ..explore::Options::default()
    }
}

/// The function as a target.
fn target(program: &Program, function: &str, source: &Source) -> Result<Target, Fault> {
    let names = [function.to_owned()];
    program
        .targets(&names, &source.wishes)?
        .remove(0)
        .map_err(|untestable| Fault::User(format!("{} {}", untestable.function, untestable.why)))
}

/// A program needs a `main`, of C or of Fortran.
fn has_main(program: &Program) -> Result<(), Fault> {
    if program.defines("main") || program.defines("_QQmain") {
        return Ok(());
    }
    let names: Vec<String> = program.callable().into_iter().map(|f| f.function).collect();
    Err(Fault::User(match names.as_slice() {
        [] => "the program has no `main` and no other function to start from".to_owned(),
        some => format!(
            "the program has no `main`: name the function to start from with --function, one of {}",
            some.join(", ")
        ),
    }))
}

/// A run at work.
struct Work<'a> {
    options: &'a Options,
    listener: &'a Listener<'a>,
    natives: Natives<'a>,
    suite: Suite,
    /// Claims that no native run has confirmed, and why not.
    open: BTreeMap<goals::Key, (Seen, String)>,
    /// Claims that wait for the build with sanitisers.
    later: Vec<(Seen, Case)>,
    /// Made-up runs that took new edges, where the program says which inputs it prefers: they are
    /// tests only if the exploration, which knows that, does not come to its end.
    held: Option<Vec<(Case, nanoscope_native::whole::Run)>>,
    refuted: u64,
    /// The folder of our own library's sources.
    library: Option<String>,
    /// What the memory is that the program makes unknown.
    shapes: shapes::Shapes,
    /// Whether the program follows the rules of SV-COMP, where `abort` is how a program says
    /// that an input is none of its own.
    competition: bool,
    /// What went wrong in a native run that had nothing to do with the program.
    trouble: Option<Fault>,
    paths: u64,
    /// Time that went into making tests: native runs and coverage.
    generation: Duration,
}

/// How many claims wait for the sanitisers, at most.
const WAITING: usize = 64;

impl Work<'_> {
    fn entry(&self) -> &str {
        self.options.entry()
    }

    /// Whether a file is one of our own library's.
    fn is_ours(&self, file: &str) -> bool {
        self.library.as_deref().is_some_and(|folder| file.starts_with(folder))
    }

    /// Whether a kind of trouble is one in this program.
    fn counts(&self, seen: &Seen) -> bool {
        !(self.competition && seen.kind == Kind::Abort)
    }

    fn explore(
        &mut self,
        code: &Code,
        start: explore::Start,
        deadline: Instant,
    ) -> explore::Explored {
        let options = exploring(self.options, self.listener, code, deadline);
        let mut in_exploration = Duration::ZERO;
        let explored = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            explore::explore(code, start, &options, &mut |event| match event {
                Event::Path(end) => {
                    let began = Instant::now();
                    let flow = self.path(&end).unwrap_or_else(|fault| {
                        self.trouble = Some(fault);
                        Flow::Continue
                    });
                    in_exploration += began.elapsed();
                    flow
                }
                Event::Output { error, bytes } => {
                    if let Some(echo) = self.listener.echo {
                        echo(error, &bytes);
                    }
                    Flow::Continue
                }
                Event::Goal { .. } => Flow::Continue,
            })
        }));
        self.generation += in_exploration;
        // A defect of ours was told where it happened; what was found and confirmed before it
        // is true all the same.
        let mut explored = explored.unwrap_or_else(|_| explore::Explored {
            stopped_by: vec![explore::Gap::Defect],
            ..explore::Explored::default()
        });
        let time = &mut explored.statistics.time;
        *time = time.saturating_sub(in_exploration);
        explored
    }

    /// A path ended.
    fn path(&mut self, end: &PathEnd) -> Result<Flow, Fault> {
        self.paths += 1;
        let found = self.suite.findings.len();
        (self.listener.progress)(&|| {
            format!("exploring: {} paths told, {found} found so far", self.paths)
        });
        self.take_up_later(false)?;
        let case = Case::explored(&end.inputs, &self.shapes).with_stdin(self.natives.stdin());
        let claim = seen::claimed(end, &|file| self.is_ours(file)).filter(|it| self.counts(it));
        let Some(claim) = claim else {
            if end.ending.finding().is_none()
                && end.new_coverage
                && !matches!(end.ending, explore::Ending::Stopped(_))
                && case.is_whole()
            {
                let run = self.natives.run(&case)?;
                let entry = self.entry().to_owned();
                self.suite.test(&case, &run, &entry, EXPLORATION, None);
            }
            return Ok(Flow::Continue);
        };
        if self.suite.has(&claim) {
            return Ok(Flow::Continue);
        }
        self.confirm(claim, case, end.assumptions.as_slice(), false)
    }

    /// Has a claim confirmed, or takes it up later.
    fn confirm(
        &mut self,
        claim: Seen,
        case: Case,
        assumptions: &[String],
        wait: bool,
    ) -> Result<Flow, Fault> {
        let entry = self.entry().to_owned();
        match self.natives.confirm(&claim, &case, wait)? {
            Answer::Confirmed { seen, run } => {
                // The place is the exploration's, which has the better column; what is wrong,
                // whoever says more.
                let what = if claim.what.is_empty() { seen.what } else { claim.what.clone() };
                let claim = Seen { what, ..claim };
                self.open.remove(&suite::key(&claim));
                self.suite.found(&claim, &case, &run, &entry, EXPLORATION);
                Ok(Flow::Continue)
            }
            Answer::Another { seen, run } => {
                self.refuted += 1;
                if self.counts(&seen) {
                    self.suite.found(&seen, &case, &run, &entry, EXPLORATION);
                }
                self.leave_open(claim, native::outcome(&run), assumptions);
                Ok(Flow::Refuse)
            }
            Answer::Refuted(why) => {
                self.refuted += 1;
                self.leave_open(claim, why, assumptions);
                Ok(Flow::Refuse)
            }
            Answer::Later => {
                if self.later.len() < WAITING {
                    self.later.push((claim, case));
                }
                Ok(Flow::Refuse)
            }
        }
    }

    fn leave_open(&mut self, claim: Seen, native: String, assumptions: &[String]) {
        if self.suite.has(&claim) {
            return;
        }
        let mut why = format!("a path leads here, but run natively the program {native}");
        if !assumptions.is_empty() {
            why.push_str(&format!("; assumed on the way: {}", assumptions.join(", ")));
        }
        self.open.entry(suite::key(&claim)).or_insert((claim, why));
    }

    /// Takes up what waits for the sanitisers, as far as they are there.
    fn take_up_later(&mut self, wait: bool) -> Result<(), Fault> {
        for (claim, case) in std::mem::take(&mut self.later) {
            if self.suite.has(&claim) {
                continue;
            }
            if self.natives.is_late() {
                self.leave_open(claim, "was not run in time".to_owned(), &[]);
            } else {
                self.confirm(claim, case, &[], wait)?;
            }
        }
        Ok(())
    }

    fn keep_held(&mut self) {
        let entry = self.entry().to_owned();
        for (case, run) in self.held.take().into_iter().flatten() {
            self.suite.test(&case, &run, &entry, guesses::ENGINE, None);
        }
    }

    fn settle_later(&mut self) -> Result<(), Fault> {
        self.take_up_later(true)?;
        match self.trouble.take() {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }

    fn report(
        self,
        outcome: &explore::Explored,
        sites: &[goals::Site],
        proved: &ranges::Proved,
        coverage: Option<nanoscope_report::Coverage>,
        start: Instant,
    ) -> Report {
        let reasons = explore::Gap::list(&outcome.stopped_by, "; ");
        let (findings, tests) = self.suite.into_parts();
        let unsettled = self.open.keys().any(|key| !is_found(&findings, key));
        // Where the machine goes on, the exploration did not.
        let undone = match (outcome.exhausted, unsettled) {
            (false, _) => Some(reasons.as_str()),
            (true, true) => Some("a path ended in a failure that no native run showed"),
            (true, false) => None,
        };
        let verdicts = goals::verdicts(sites, &findings, &self.open, undone, proved);
        let settled = outcome.exhausted || (proved.everything && findings.is_empty());
        let status = match settled && !unsettled {
            true => Status::Exhausted,
            false => Status::Stopped,
        };
        let figures = &outcome.statistics;
        let statistics = Statistics {
            seconds: start.elapsed().as_secs_f64(),
            search: Search {
                evaluations: self.natives.runs,
                refuted: self.refuted,
                ..Search::default()
            },
            solver: Solver {
                queries: figures.queries,
                sat: figures.satisfiable,
                unsat: figures.unsatisfiable,
                unknown: figures.undecided,
                unsat_over_reals: figures.over_reals,
                seconds: figures.solver_time.as_secs_f64(),
            },
            exploration: Some(Exploration {
                paths: figures.paths,
                instructions: figures.instructions,
                forks: figures.forks,
                merged: figures.merged,
                most_states: figures.most_states,
                seconds: figures.time.as_secs_f64(),
                generation_seconds: self.generation.as_secs_f64(),
            }),
        };
        Report::new(self.options.described(), findings, verdicts, statistics)
            .with_tests(tests, coverage)
            .with_status(status)
            .with_notes(notes(outcome))
    }
}

/// What found a finding.
const EXPLORATION: &str = "exploration";

fn is_found(findings: &[Finding], (kind, file, line): &goals::Key) -> bool {
    findings.iter().any(|finding| {
        finding.kind == *kind
            && finding.place.line == *line
            && seen::same_file(&finding.place.file, file)
    })
}

/// What a reader must know: what stopped the exploration, what is not modelled.
fn notes(outcome: &explore::Explored) -> Vec<Note> {
    let note = |place: Place, text: String| Note { function: String::new(), place, text };
    let mut list: Vec<Note> = outcome
        .stopped_by
        .iter()
        .map(|why| note(Place::default(), format!("not every path was followed: {why}")))
        .collect();
    list.extend(
        outcome.open.iter().map(|(location, what)| {
            note(seen::place(location), format!("not looked into: {what}"))
        }),
    );
    list.extend(outcome.files.iter().map(|what| note(Place::default(), what.clone())));
    if let Some(query) = &outcome.defect {
        list.push(note(
            Place::default(),
            format!("the solver gave an answer that does not hold; the query:\n{query}"),
        ));
    }
    list
}
