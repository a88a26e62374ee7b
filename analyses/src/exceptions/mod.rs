//! Exceptions: can this operation overflow, underflow, divide by zero, make a NaN,
//! convert out of range? Every operation of every function asked about gets an answer.

mod naming;
mod pursue;

use crate::subject::{Scratch, Source};
use naming::Names;
pub(crate) use naming::{ended, kind, place, seen_evidence};
use nanoscope_program::{Fault, Program, Target, Untestable};
use nanoscope_report::{Finding, Note, Outcome, Place, Report, Run, Search, Statistics, Verdict};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program.
    pub source: Source,
    /// The functions asked about; empty: all that other files can call.
    pub functions: Vec<String>,
    /// For the whole run.
    pub time_limit: Duration,
    /// Processor time for each function.
    pub function_time: Option<Duration>,
    /// Runs of the instrumented code for each function.
    pub evaluations: Option<u64>,
    /// Start of all random choices.
    pub seed: u64,
    /// Functions (or, with one function, processes for it) worked on at once.
    pub jobs: usize,
    /// Ends the run early when set, with a report of what was found by then.
    pub stop: Arc<AtomicBool>,
}

/// Is told how the work goes, from any thread.
pub type Progress<'a> = &'a (dyn Fn(&dyn Fn() -> String) + Sync);

/// Asks every goal of the functions.
pub fn run(options: &Options, progress: Progress) -> Result<Report, Fault> {
    let start = Instant::now();
    let deadline = start + options.time_limit;
    progress(&|| "compiling".into());
    let (compiler, program) = options.source.load(Some(deadline))?;
    let symbols = functions(&program, &options.functions);
    let targets = program.targets(&symbols, &options.source.wishes)?;
    let testable: Vec<&Target> =
        targets.iter().flatten().filter(|target| asks(&program, target)).collect();
    let mut results = Vec::new();
    if !testable.is_empty() {
        let scratch = Scratch::new()?;
        progress(&|| "building probes".into());
        let libraries = program.libraries(
            &symbols,
            &options.source.wishes,
            &compiler,
            scratch.path(),
            Some(deadline),
        )?;
        let goals = program.goals();
        results = pursue_all(&testable, options, deadline, progress, &|target, budget, jobs| {
            pursue::pursue(goals, &libraries, target, options, budget, jobs)
        })?;
    }
    let mut summary = Summary::new(&program);
    for (target, result) in testable.iter().zip(results) {
        summary.searched(target, result);
    }
    for target in targets.iter().flatten().filter(|target| !asks(&program, target)) {
        summary.never_only(target);
    }
    for untestable in targets.iter().filter_map(|target| target.as_ref().err()) {
        summary.untestable(untestable);
    }
    let seconds = start.elapsed().as_secs_f64();
    let run = Run {
        command: "exceptions".into(),
        seed: options.seed,
        subject: options.source.describe(),
    };
    Ok(summary.report(run, seconds))
}

/// The symbols of the functions to ask about.
fn functions(program: &Program, wanted: &[String]) -> Vec<String> {
    if wanted.is_empty() {
        return program.callable().into_iter().map(|candidate| candidate.symbol).collect();
    }
    wanted.to_vec()
}

/// Whether a target has a goal that a constant does not settle.
fn asks(program: &Program, target: &Target) -> bool {
    target.goals.iter().any(|goal| program.goals()[goal.0 as usize].never.is_none())
}

/// What a thread does with a target: within a budget, with so many processes.
type Work<'a> = &'a (
        dyn Fn(&Target, &nanoscope_search::Budget, usize) -> Result<pursue::Pursued, Fault> + Sync
    );

/// Shares the targets among threads, and what time there is among the targets.
fn pursue_all(
    targets: &[&Target],
    options: &Options,
    deadline: Instant,
    progress: Progress,
    work: Work,
) -> Result<Vec<pursue::Pursued>, Fault> {
    let threads = options.jobs.clamp(1, targets.len());
    let processes = (options.jobs / threads).max(1);
    let next = AtomicUsize::new(0);
    let reached = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<Result<pursue::Pursued, Fault>>>> =
        targets.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(target) = targets.get(at) else { break };
                    progress(&|| {
                        let found = reached.load(Ordering::Relaxed);
                        format!(
                            "{}/{} {}: {found} found so far",
                            at + 1,
                            targets.len(),
                            target.function
                        )
                    });
                    let left = deadline.saturating_duration_since(Instant::now());
                    let share =
                        left.mul_f64((threads as f64 / (targets.len() - at) as f64).min(1.0));
                    let budget = nanoscope_search::Budget {
                        deadline: Some(Instant::now() + share),
                        stop: Arc::clone(&options.stop),
                        evaluations: options.evaluations,
                    };
                    let result = match work(target, &budget, processes) {
                        // What cannot be done for one target is no reason to lose the others.
                        Err(Fault::User(why)) if targets.len() > 1 => {
                            Ok(pursue::Pursued::failed(&why))
                        }
                        result => result,
                    };
                    if let Ok(pursued) = &result {
                        reached.fetch_add(pursued.confirmed.len(), Ordering::Relaxed);
                    }
                    *slots[at].lock().expect("a thread that panicked ends the run") = Some(result);
                }
            });
        }
    });
    slots
        .into_iter()
        .map(|slot| slot.into_inner().expect("as above").expect("every target was taken"))
        .collect()
}

/// Gathers what goes into the report.
struct Summary<'p> {
    program: &'p Program,
    names: Names,
    findings: Vec<Finding>,
    verdicts: Vec<Verdict>,
    notes: Vec<Note>,
    search: Search,
}

impl<'p> Summary<'p> {
    fn new(program: &'p Program) -> Summary<'p> {
        Summary {
            program,
            names: Names::new(program),
            findings: Vec::new(),
            verdicts: Vec::new(),
            notes: Vec::new(),
            search: Search::default(),
        }
    }

    fn searched(&mut self, target: &Target, mut result: pursue::Pursued) {
        self.search.evaluations += result.evaluations;
        self.search.seconds += result.seconds;
        self.search.replays += result.replays;
        self.search.refuted += result.refuted;
        self.search.stopped += result.stopped;
        self.notes_of(target);
        if let Some(trouble) = &result.trouble {
            self.note(&target.function, place_of(target), trouble);
        }
        for &goal in &target.goals {
            let asked = self.program.goals()[goal.0 as usize];
            let (outcome, why) = match (asked.never, result.confirmed.remove(&goal)) {
                (Some(never), _) => (Outcome::Impossible, never.to_owned()),
                (None, Some(confirmed)) => {
                    let site = &self.program.sites()[asked.site.0 as usize];
                    let id = self.names.of(&target.function, asked);
                    let claim = naming::claim(target, site, asked.exception, id, confirmed.point());
                    self.findings
                        .push(Finding::new(claim, naming::evidence(target, site, &confirmed)));
                    (Outcome::Reached, "found by native search, seen in a native run".to_owned())
                }
                (None, None) => (Outcome::Open, result.why_open(goal)),
            };
            self.verdict(&target.function, asked, outcome, why);
        }
    }

    /// A target whose goals are all settled by constants.
    fn never_only(&mut self, target: &Target) {
        self.notes_of(target);
        for &goal in &target.goals {
            let asked = self.program.goals()[goal.0 as usize];
            let why = asked.never.unwrap_or("never asked").to_owned();
            self.verdict(&target.function, asked, Outcome::Impossible, why);
        }
    }

    fn untestable(&mut self, untestable: &Untestable) {
        let place = Place { file: untestable.file.clone(), line: untestable.line, column: 0 };
        let function = untestable.function.clone();
        self.note(&function, place, &format!("not run: {function} {}", untestable.why));
        for &goal in &untestable.goals {
            let asked = self.program.goals()[goal.0 as usize];
            let (outcome, why) = match asked.never {
                Some(never) => (Outcome::Impossible, never.to_owned()),
                None => (Outcome::Open, format!("not run: the function {}", untestable.why)),
            };
            self.verdict(&function, asked, outcome, why);
        }
    }

    fn notes_of(&mut self, target: &Target) {
        for assumption in &target.assumptions {
            let text = format!("assumed: {assumption}; --input and --array change that");
            self.note(&target.function, place_of(target), &text);
        }
        for gap in &target.gaps {
            let location = &gap.location;
            let place =
                Place { file: location.file.clone(), line: location.line, column: location.column };
            self.note(&target.function, place, &format!("not looked into: {}", gap.what));
        }
    }

    fn note(&mut self, function: &str, place: Place, text: &str) {
        self.notes.push(Note { function: function.to_owned(), place, text: text.to_owned() });
    }

    fn verdict(
        &mut self,
        function: &str,
        goal: nanoscope_program::Goal,
        outcome: Outcome,
        why: String,
    ) {
        let site = &self.program.sites()[goal.site.0 as usize];
        self.verdicts.push(Verdict {
            goal: self.names.of(function, goal),
            kind: naming::kind(goal.exception),
            function: function.to_owned(),
            place: naming::place(site),
            operation: site.action.name().to_owned(),
            outcome,
            why,
        });
    }

    fn report(self, run: Run, seconds: f64) -> Report {
        let statistics = Statistics { seconds, search: self.search, ..Statistics::default() };
        Report::new(run, self.findings, self.verdicts, statistics).with_notes(self.notes)
    }
}

fn place_of(target: &Target) -> Place {
    Place { file: target.file.clone(), line: target.line, column: 0 }
}
