//! The program's executables: built when needed, run on inputs, asked what they saw.

use super::inputs::Case;
use super::seen::{self, Seen};
use crate::subject::{Scratch, Source};
use nanoscope_native::Limits;
use nanoscope_native::whole::{Ended, Inputs, Invocation, Run, Whole};
use nanoscope_program::compile::{Build, Compiler, ExecutableRequest};
use nanoscope_program::{Fault, Program, Target};
use nanoscope_report::Kind;
use nanoscope_report::finding_kinds;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long one run may take.
const RUN: Duration = Duration::from_secs(2);

/// The executables of a program.
pub(super) struct Natives<'a> {
    source: &'a Source,
    pub target: Option<Target>,
    invocation: Invocation,
    /// What is on standard input where that is no input.
    stdin: Vec<u8>,
    names: Vec<String>,
    deadline: Instant,
    plain: Whole,
    sanitised: Sanitised,
    pub runs: u64,
}

/// The program with branches that tell the way they go.
pub(super) struct Telling(Whole);

impl Telling {
    pub fn whole(&mut self) -> &mut Whole {
        &mut self.0
    }
}

/// The build with sanitisers, which is made beside the exploration, and only if a finding
/// needs it.
enum Sanitised {
    NotYet,
    Building(JoinHandle<Result<PathBuf, Fault>>),
    Built(Box<Whole>),
    Failed(String),
}

/// What a native run says to a claim.
pub(super) enum Answer {
    /// It shows it.
    Confirmed { seen: Box<Seen>, run: Box<Run> },
    /// It shows something else that is wrong.
    Another { seen: Box<Seen>, run: Box<Run> },
    /// It shows nothing of the kind: what it did.
    Refuted(String),
    /// Only the sanitisers can tell, and they are not there yet.
    Later,
}

impl<'a> Natives<'a> {
    /// Builds and starts the plain program.
    pub fn start(
        source: &'a Source,
        program: &Program,
        compiler: &Compiler,
        target: Option<Target>,
        invocation: &Invocation,
        stdin: Vec<u8>,
        deadline: Instant,
    ) -> Result<Natives<'a>, Fault> {
        let scratch = Scratch::new()?;
        let bitcode = scratch.path().join("whole.bc");
        program.whole(target.as_ref().map(|t| (t.symbol.as_str(), &source.wishes)), &bitcode)?;
        let request =
            ExecutableRequest::new(program.bitcode(), Build::Plain, target.is_some()).of(&bitcode);
        let executable = compiler.executable(&request, Some(deadline))?;
        let plain = Whole::start(&executable, Build::Plain, invocation, &Limits::default())?
            .with_dictionary(&program.numbers())
            .with_outputs(target.as_ref().map_or(0, |target| target.output_words));
        Ok(Natives {
            source,
            target,
            invocation: invocation.clone(),
            stdin,
            names: source.files.iter().map(|file| file.display().to_string()).collect(),
            deadline,
            plain,
            sanitised: Sanitised::NotYet,
            runs: 0,
        })
    }

    /// The plain program, for making inputs up.
    pub fn plain(&mut self) -> &mut Whole {
        self.runs += 1;
        &mut self.plain
    }

    /// What is on standard input where that is no input.
    pub fn stdin(&self) -> &[u8] {
        &self.stdin
    }

    /// The sources as the user named them.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Runs the plain program on a case.
    pub fn run(&mut self, case: &Case) -> Result<Run, Fault> {
        self.run_within(case, self.most())
    }

    /// The same, for so long at the most.
    pub fn run_within(&mut self, case: &Case, time: Duration) -> Result<Run, Fault> {
        self.runs += 1;
        let inputs = self.inputs(case);
        self.plain.run(&inputs, time.min(self.most()))
    }

    fn inputs(&self, case: &Case) -> Inputs {
        case.inputs(self.target.as_ref(), &self.stdin)
    }

    /// Whether there is no time left for more runs.
    pub fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }

    fn most(&self) -> Duration {
        RUN.min(self.deadline.saturating_duration_since(Instant::now()) + RUN / 10)
    }

    /// Whether the program does natively what is claimed of it. `wait`: also if the build with
    /// sanitisers has to be waited for.
    pub fn confirm(&mut self, claim: &Seen, case: &Case, wait: bool) -> Result<Answer, Fault> {
        let run = self.run(case)?;
        let plain = seen::troubles(&run, &self.names);
        if let Some(seen) = plain.iter().find(|seen| seen::agree(claim, seen)) {
            return Ok(Answer::Confirmed { seen: Box::new(seen.clone()), run: Box::new(run) });
        }
        if !needs_sanitisers(claim.kind) {
            let ended = run.ended.to_string();
            return Ok(match plain.into_iter().next() {
                Some(seen) if is_plain(&seen) => {
                    Answer::Another { seen: Box::new(seen), run: Box::new(run) }
                }
                Some(_) | None => Answer::Refuted(ended),
            });
        }
        let inputs = self.inputs(case);
        let most = self.most() * 2;
        let whole = match self.sanitised(wait)? {
            Ok(Some(whole)) => whole,
            Ok(None) => return Ok(Answer::Later),
            Err(why) => return Ok(Answer::Refuted(why)),
        };
        let run = whole.run(&inputs, most)?;
        self.runs += 1;
        let troubles = seen::troubles(&run, &self.names);
        let agreeing = troubles.iter().position(|seen| seen::agree(claim, seen));
        Ok(match agreeing.or(if troubles.is_empty() { None } else { Some(0) }) {
            Some(at) => {
                let seen = Box::new(troubles[at].clone());
                if agreeing.is_some() {
                    Answer::Confirmed { seen, run: Box::new(run) }
                } else {
                    Answer::Another { seen, run: Box::new(run) }
                }
            }
            None => Answer::Refuted(format!("{}, and the sanitisers saw nothing", run.ended)),
        })
    }

    /// Runs the program with sanitisers on a case; what the fault is if there is none.
    pub fn run_sanitised(&mut self, case: &Case) -> Result<Result<Run, String>, Fault> {
        let inputs = self.inputs(case);
        let most = self.most() * 2;
        self.runs += 1;
        Ok(match self.sanitised(true)? {
            Ok(Some(whole)) => Ok(whole.run(&inputs, most)?),
            Ok(None) => Err("was not built with sanitisers in time".to_owned()),
            Err(why) => Err(why),
        })
    }

    /// The program with sanitisers: there, not there yet, or why it cannot be.
    fn sanitised(&mut self, wait: bool) -> Result<Result<Option<&mut Whole>, String>, Fault> {
        if matches!(self.sanitised, Sanitised::NotYet) {
            let job = Job::new(self.source, self.target.as_ref(), Build::Sanitised, self.deadline);
            self.sanitised = Sanitised::Building(std::thread::spawn(move || job.build()));
        }
        self.sanitised = match std::mem::replace(&mut self.sanitised, Sanitised::NotYet) {
            Sanitised::Building(thread) if wait || thread.is_finished() => {
                let built = thread
                    .join()
                    .unwrap_or_else(|_| Err(Fault::Internal("a build panicked".into())));
                let (invocation, limits) = (&self.invocation, Limits::default());
                let started = built
                    .and_then(|path| Whole::start(&path, Build::Sanitised, invocation, &limits));
                match started {
                    Ok(whole) => Sanitised::Built(Box::new(whole)),
                    Err(fault) => {
                        Sanitised::Failed(format!("it cannot be built with sanitisers: {fault}"))
                    }
                }
            }
            other => other,
        };
        Ok(match &mut self.sanitised {
            Sanitised::Built(whole) => Ok(Some(whole)),
            Sanitised::Failed(why) => Err(why.clone()),
            Sanitised::NotYet | Sanitised::Building(_) => Ok(None),
        })
    }

    /// Builds and starts the program with counters for coverage.
    pub fn covered(&self, deadline: Instant) -> Result<Whole, Fault> {
        let job = Job::new(self.source, self.target.as_ref(), Build::Covered, deadline);
        Whole::start(&job.build()?, Build::Covered, &self.invocation, &Limits::default())
    }

    /// Builds and starts the program with branches that tell the way they go.
    pub fn telling(&self, program: &Program, compiler: &Compiler) -> Result<Telling, Fault> {
        let scratch = Scratch::new()?;
        let bitcode = scratch.path().join("telling.bc");
        let function = self.target.as_ref().map(|t| (t.symbol.as_str(), &self.source.wishes));
        program.whole_telling_branches(function, &bitcode)?;
        let request = ExecutableRequest::new(program.bitcode(), Build::Plain, function.is_some())
            .of(&bitcode);
        let executable = compiler.executable(&request, Some(self.deadline))?;
        let words = self.target.as_ref().map_or(0, |target| target.output_words);
        let whole = Whole::start(&executable, Build::Plain, &self.invocation, &Limits::default())?;
        Ok(Telling(whole.with_outputs(words)))
    }

    /// Runs a case on another executable of the same program.
    pub fn run_on(&self, whole: &mut Whole, case: &Case) -> Result<Run, Fault> {
        whole.run(&self.inputs(case), self.most())
    }
}

/// A build of the whole program, from the sources on, for a thread of its own.
pub(super) struct Job {
    source: Source,
    function: Option<String>,
    build: Build,
    deadline: Instant,
}

impl Job {
    pub fn new(source: &Source, target: Option<&Target>, build: Build, deadline: Instant) -> Job {
        let function = target.map(|target| target.symbol.clone());
        Job { source: source.clone(), function, build, deadline }
    }

    pub fn build(&self) -> Result<PathBuf, Fault> {
        let deadline = Some(self.deadline);
        let compiler = self.source.compiler()?.building(self.build);
        let program = Program::load(compiler.bitcode(&self.source.files, deadline)?)?;
        let scratch = Scratch::new()?;
        let bitcode = scratch.path().join("whole.bc");
        let function = self.function.as_deref().map(|name| (name, &self.source.wishes));
        program.whole(function, &bitcode)?;
        let request =
            ExecutableRequest::new(program.bitcode(), self.build, function.is_some()).of(&bitcode);
        compiler.executable(&request, deadline)
    }
}

/// Whether the plain program may well not show it.
fn needs_sanitisers(kind: Kind) -> bool {
    match kind {
        finding_kinds!(Undefined) => true,
        finding_kinds!(Stop, Handling, Precision, Exception) => false,
    }
}

/// Whether a run without sanitisers is enough to report it by itself.
pub(super) fn is_plain(seen: &Seen) -> bool {
    !needs_sanitisers(seen.kind)
}

/// How a run ended, in the words of a test.
pub(super) fn outcome(run: &Run) -> String {
    match (&run.ended, run.troubles.first()) {
        (Ended::Exited(_), Some(trouble)) => {
            format!("showed this: {}", trouble.kind.replace('-', " "))
        }
        (ended, _) => ended.to_string(),
    }
}
