//! `nanoscope handling`.

use crate::prototypes::Sources;
use clap::Args;
use nanoscope_cli::delivery::Delivery;
use nanoscope_cli::{Conclusion, Fault, interruptible, output};
use nanoscope_spoof::handling::{
    self, Elsewhere, Failure, Observer, Options, Origin, Progress, Trial, Trouble,
};
use nanoscope_spoof::run::is_library;
use nanoscope_spoof::to_report;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What it does, for `--help`.
pub const ABOUT: &str = "\
Find the exceptions that a library swallows, given only a program that exercises it.

Every call of a function with a prototype is repeated with NaN, an infinity or an extreme in each
input, and with NaN or an infinity as the result of each instruction that can raise an exception.
What reaches no output and is reported by no channel is a finding.";

/// An example, for `--help`.
pub const MORE: &str = "\
Examples:
  nanoscope handling --prototypes my.prototypes -- ./tests
  nanoscope handling --prototypes blas --error-routine xerbla_ -- ./sblat2 < sblat2.in
  nanoscope handling --header mylib.h -- ./tests
  nanoscope handling -- ./tests-with-debugging-information

The program runs in a sandbox: what it writes goes to a folder that is removed, it has no network.
docs/handling.md describes the prototypes.";

/// `nanoscope handling`.
#[derive(Debug, Args)]
pub struct Handling {
    /// What describes the functions.
    #[command(flatten)]
    pub sources: Sources,

    /// Test only this function; may be repeated
    #[arg(long = "function", value_name = "NAME")]
    pub functions: Vec<String>,

    /// A function whose call reports trouble, as xerbla_ does; may be repeated
    #[arg(long = "error-routine", value_name = "NAME")]
    pub error_routines: Vec<String>,

    /// Load this library before others, to test its functions; may be repeated
    #[arg(long, value_name = "LIBRARY")]
    pub preload: Vec<PathBuf>,

    /// The size of Fortran's default integers
    #[arg(long, value_name = "BITS", default_value_t = 32, value_parser = ["32", "64"].map_bits())]
    pub integers: u32,

    /// How the binary names what the prototypes name, `*` standing for a prototype's symbol:
    /// `scipy_*64_` for the BLAS and LAPACK inside NumPy
    #[arg(long, value_name = "PATTERN")]
    pub symbols: Option<String>,

    /// Run every input that was found on this build too: another program, or a library to preload;
    /// may be repeated
    #[arg(long, value_name = "FILE")]
    pub also: Vec<PathBuf>,

    /// Spoof inputs only, not results
    #[arg(long)]
    pub inputs_only: bool,

    /// Spoof the results of every call, not only of one of each kind: those that execute the same
    /// instructions and are given the same integers and characters
    #[arg(long)]
    pub every_call: bool,

    /// Let the solver work so many seconds for each function; 0: not at all
    #[arg(long, value_name = "SECONDS", default_value_t = 15.0)]
    pub solver_time: f64,

    /// Write the solver's questions as SMT-LIB into this folder
    #[arg(long, value_name = "DIR")]
    pub dump_queries: Option<PathBuf>,

    /// Keep what is done in this file, and go on from there if an earlier run was stopped
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,

    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS")]
    pub time_limit: Option<f64>,

    /// Look at so many calls at once; as many as there are processors unless given
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// Where the report goes.
    #[command(flatten)]
    pub delivery: Delivery,

    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// The sizes that integers can have.
trait Bits {
    fn map_bits(self) -> clap::builder::ValueParser;
}

impl Bits for [&'static str; 2] {
    fn map_bits(self) -> clap::builder::ValueParser {
        use clap::builder::TypedValueParser;
        clap::builder::PossibleValuesParser::new(self)
            .map(|bits| if bits == "64" { 64u32 } else { 32 })
            .into()
    }
}

/// Runs the command.
pub fn run(arguments: &Handling) -> Result<Conclusion, Fault> {
    arguments.delivery.prepare()?;
    let begin = Instant::now();
    let command = command(&arguments.command)?;
    let library = arguments.sources.library(Path::new(&command[0]))?;
    if arguments.symbols.as_ref().is_some_and(|pattern| pattern.matches('*').count() != 1) {
        let example = "--symbols has one `*` for the prototype's symbol: scipy_*64_";
        return Err(Fault::User(example.to_string()));
    }
    let also = absolute(&arguments.also)?;
    let kept_input = KeptInput::new()?;
    let options = Options {
        library,
        functions: arguments.functions.clone(),
        error_routines: arguments.error_routines.clone(),
        command,
        preload: absolute(&arguments.preload)?,
        input: kept_input.path.clone(),
        integer_bits: arguments.integers,
        symbols: arguments.symbols.clone(),
        origin: kept_input.origin(&arguments.sources),
        jobs: arguments
            .jobs
            .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
            .unwrap_or(1),
        time_limit: match arguments.time_limit {
            Some(0.0) => return Err(Fault::User("--time-limit is above 0".to_string())),
            Some(given) => seconds("--time-limit", given)?,
            None => None,
        },
        results: !arguments.inputs_only,
        every_call: arguments.every_call,
        solver_time: seconds("--solver-time", arguments.solver_time)?.unwrap_or(Duration::MAX),
        dump_queries: arguments.dump_queries.clone(),
        resume: arguments.resume.clone(),
    };
    let watcher = Watcher::new(arguments.delivery.quiet)?;
    let outcome = handling::handle(&options, &watcher).and_then(|mut outcome| {
        migrate(&options, &also, &mut outcome, &watcher)?;
        Ok(outcome)
    });
    watcher.clear();
    let outcome = outcome.map_err(as_fault)?;
    let report = to_report(&options, &outcome, begin.elapsed().as_secs_f64());
    arguments.delivery.deliver(report)
}

/// What went wrong, as this command tells it.
pub fn as_fault(trouble: Trouble) -> Fault {
    match trouble {
        Trouble::User(message) => Fault::User(message),
        Trouble::Internal(message) => Fault::Internal(message),
    }
}

/// Runs what was found on the other builds.
fn migrate(
    options: &Options,
    also: &[PathBuf],
    outcome: &mut handling::SpoofRun,
    watcher: &Watcher,
) -> Result<(), Trouble> {
    let listed =
        |failure: &&mut Failure| failure.documented.is_none() && !failure.effect.is_harmless();
    let mut failures: Vec<&mut Failure> = outcome.failures.iter_mut().filter(listed).collect();
    let trials: Vec<Trial> = failures.iter().map(|f| handling::trial_of(f, options)).collect();
    if trials.is_empty() {
        return Ok(());
    }
    for build in also {
        let mut other = Options { time_limit: None, ..options.clone() };
        if is_library(build) {
            other.preload.insert(0, build.clone());
        } else {
            other.command[0] = build.clone().into_os_string();
        }
        let tried = handling::again(&other, &trials, watcher)?;
        for (failure, tried) in failures.iter_mut().zip(tried) {
            let (build, seen, decisions) = (build.clone(), tried.seen, tried.decisions);
            failure.also.push(Elsewhere { build, seen, decisions });
        }
    }
    Ok(())
}

/// A number of seconds; none is without end.
fn seconds(option: &str, given: f64) -> Result<Option<Duration>, Fault> {
    if given.is_nan() || given < 0.0 {
        return Err(Fault::User(format!("{option} {given}: not a number of seconds")));
    }
    Ok(Duration::try_from_secs_f64(given).ok())
}

/// The program by its full path: it runs in another folder. Links are left as they are: Python finds its
/// packages by where it was called.
fn command(words: &[OsString]) -> Result<Vec<OsString>, Fault> {
    let mut words = words.to_vec();
    let program = PathBuf::from(&words[0]);
    if program.components().count() > 1 {
        let full = std::fs::metadata(&program)
            .and_then(|_| std::path::absolute(&program))
            .map_err(|error| output::cannot("run", &program, &error))?;
        words[0] = full.into_os_string();
    }
    Ok(words)
}

fn absolute(files: &[PathBuf]) -> Result<Vec<PathBuf>, Fault> {
    let full = |file: &PathBuf| {
        std::fs::canonicalize(file).map_err(|error| output::cannot("read", file, &error))
    };
    files.iter().map(full).collect()
}

/// What the program reads, kept because it runs more than once.
struct KeptInput {
    path: Option<PathBuf>,
}

impl KeptInput {
    /// What a replay needs: the file that standard input is, if it is one.
    fn origin(&self, sources: &Sources) -> Origin {
        let source = std::fs::read_link("/proc/self/fd/0").ok();
        let input = source.filter(|path| self.path.is_some() && path.is_file());
        let piped = self.path.is_some() && input.is_none();
        Origin { input, piped, ..sources.origin() }
    }

    fn new() -> Result<KeptInput, Fault> {
        let mut input = io::stdin();
        if input.is_terminal() {
            return Ok(KeptInput { path: None });
        }
        let mut bytes = Vec::new();
        let failed = |error: io::Error| Fault::User(format!("cannot read standard input: {error}"));
        input.read_to_end(&mut bytes).map_err(failed)?;
        if bytes.is_empty() {
            return Ok(KeptInput { path: None });
        }
        let path = std::env::temp_dir().join(format!("nanoscope-input-{}", std::process::id()));
        let mut file = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(|error| output::cannot("write", &path, &error))?;
        file.write_all(&bytes).map_err(|error| output::cannot("write", &path, &error))?;
        Ok(KeptInput { path: Some(path) })
    }
}

impl Drop for KeptInput {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The progress line, and the interrupt.
pub struct Watcher {
    stop: Arc<AtomicBool>,
    shown: bool,
    begin: Instant,
    last: AtomicU64,
}

impl Watcher {
    /// Watches from now on.
    pub fn new(quiet: bool) -> Result<Watcher, Fault> {
        let stop = interruptible()?;
        let shown = !quiet && io::stderr().is_terminal();
        Ok(Watcher { stop, shown, begin: Instant::now(), last: AtomicU64::new(0) })
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

impl Observer for Watcher {
    fn progress(&self, progress: &Progress) {
        let now = self.begin.elapsed().as_millis() as u64;
        if !self.shown || now < self.last.load(Ordering::Relaxed) + 100 {
            return;
        }
        self.last.store(now, Ordering::Relaxed);
        let Progress { pass, functions, whole, calls, classes, spoofs, questions } = progress;
        let rate = spoofs * 1000 / now.max(1);
        let mut line = format!("{pass}: at call {calls}");
        if *functions > 0 {
            line.push_str(&format!(
                ", {whole} of {functions} functions whole, {classes} classes, {spoofs} spoofs, {rate} a second"
            ));
        }
        if *questions > 0 {
            line.push_str(&format!(", {questions} questions left"));
        }
        let _ = write!(io::stderr().lock(), "\r{line}\x1b[K");
    }

    fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
