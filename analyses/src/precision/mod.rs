//! Precision: how wrong can a result be, where does that come from, on which input, and a
//! bound that is proved.
//!
//! - `sites.rs`: the places that goals are about
//! - `inputs.rs`: points, and the real numbers that the floats stand for
//! - `running.rs`: runs with running errors; `libm.rs`, `tape.rs`, `births.rs`
//! - `pursue.rs`: the search for large errors, led by `meter.rs`
//! - `confirm.rs`: a point natively and in exact arithmetic; `measure.rs`: errors
//! - `window.rs`: how far around an input a branch is unstable; the error over each input
//! - `known.rs`: what `ranges` knows of floats
//! - `extract.rs`: the target as a graph; `prove.rs`, `interval.rs`: bounds; `fpcore.rs`: FPCore files
//! - `summary.rs`: the report; `again.rs`: a finding replayed

pub(crate) mod again;
mod births;
mod confirm;
mod extract;
mod fpcore;
mod inputs;
mod interval;
mod known;
mod libm;
mod measure;
mod meter;
mod prove;
mod pursue;
mod running;
mod settle;
mod sites;
mod summary;
mod tape;
mod window;

pub use measure::Threshold;

use crate::exceptions::{Contract, Contracts};
use crate::library;
use crate::subject::{Scratch, Source};
use inputs::Points;
use nanoscope_budget::Budget;
use nanoscope_ieee::Rounding;
use nanoscope_native::{Admission, Limits};
use nanoscope_program::ir::{Code, Lowering};
use nanoscope_program::{Fault, Libraries, Scalar, Target, Wish};
use nanoscope_report::{Note, Place, Report, Run};
use rug::Rational;
use sites::Sites;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use summary::Summary;

/// How far the real number that is meant may be from the float that is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InputError {
    /// At most so far.
    Absolute(f64),
    /// The real number was rounded to the float: half an ulp.
    HalfUlp,
}

/// How results are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// In one mode.
    To(Rounding),
    /// Each operation in its own, in proofs; to nearest, in runs.
    Any,
}

/// How bounds are proved.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// Error terms with first derivatives, by branch and bound.
    Taylor,
    /// F-Soft's intervals with a relative and an absolute error of each operation, where given
    /// (by format, or for all); then, where that is too coarse, Taylor forms.
    Interval {
        /// Relative errors.
        delta: Vec<(Option<nanoscope_ieee::Format>, f64)>,
        /// Absolute errors.
        epsilon: Vec<(Option<nanoscope_ieee::Format>, f64)>,
    },
}

/// What a run is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Show errors and prove bounds.
    Both,
    /// Only show.
    Show,
    /// Only prove.
    Prove,
}

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program.
    pub source: Source,
    /// The functions asked about; empty: all that other files can call.
    pub functions: Vec<String>,
    /// What the user says about them.
    pub contracts: Contracts,
    /// What counts as too wrong.
    pub threshold: Threshold,
    /// What inputs stand for, where not for themselves.
    pub input_errors: Vec<Wish<InputError>>,
    /// How results are rounded.
    pub rounding: Rounds,
    /// How bounds are proved.
    pub model: Model,
    /// Whether ranges of values help, as in F-Soft's section IV-D: in Taylor forms what abstract
    /// interpretation knows of each operation, in intervals signs and normal numbers.
    pub ranges: bool,
    /// Which ends of the error are wanted.
    pub ends: Ends,
    /// For the whole run; none: a minute for a program, and for FPCores what each may take.
    pub time_limit: Option<Duration>,
    /// Processor time for each function.
    pub function_time: Option<Duration>,
    /// Runs of the search for each function.
    pub evaluations: Option<u64>,
    /// Whether inputs are drawn at random instead of searched for: a baseline.
    pub blind: bool,
    /// Start of all random choices.
    pub seed: u64,
    /// Functions worked on at once.
    pub jobs: usize,
    /// Ends the run early when set, with a report of what was found by then.
    pub stop: Arc<AtomicBool>,
}

impl Options {
    /// The rounding mode of runs.
    pub(crate) fn witness_rounding(&self) -> Rounding {
        match self.rounding {
            Rounds::To(rounding) => rounding,
            Rounds::Any => Rounding::NearestEven,
        }
    }
}

/// Whether a source is a file of FPCores.
pub(crate) fn is_fpcore(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|extension| extension == "fpcore")
}

/// Is told how the work goes, from any thread.
pub type Progress<'a> = &'a (dyn Fn(&dyn Fn() -> String) + Sync);

/// One target and all that is needed to work on it.
pub(crate) struct Case<'a> {
    pub code: &'a Code,
    pub target: &'a Target,
    pub libraries: &'a Libraries,
    pub options: &'a Options,
    pub(self) sites: Sites,
    pub(self) points: Points<'a>,
    pub limits: Limits,
    admission: Option<Admission>,
    pub(self) contract: Contract,
}

impl Case<'_> {
    /// Whether what the user assumes holds of a point.
    pub fn admits(&self, words: &[u64]) -> bool {
        self.admission.as_ref().is_none_or(|admission| admission.admits(words))
    }

    /// Whether an output is a result: a float, and named by the user where some are.
    fn is_result(&self, output: usize) -> bool {
        matches!(self.target.outputs[output].scalar, Scalar::Float(_))
            && (self.options.contracts.values.is_empty() || self.contract.values.contains(&output))
    }
}

/// How long the functions of a program may take together, where nobody says.
const PROGRAM: Duration = Duration::from_secs(60);

/// The stack of a thread that works on targets.
const STACK: usize = 256 << 20;

/// Asks every goal of the functions.
pub fn run(options: &Options, progress: Progress) -> Result<Report, Fault> {
    let kernels = options.source.files.iter().filter(|file| is_fpcore(file)).count();
    if kernels > 0 {
        if kernels < options.source.files.len() {
            return Err(Fault::User("FPCore files and programs cannot be mixed in one run".into()));
        }
        let said = &options.contracts;
        for (option, given) in [
            ("--assume", !said.assume.is_empty()),
            ("--status-ok", !said.status_ok.is_empty()),
            ("--value", !said.values.is_empty()),
        ] {
            if given {
                let hint = "a kernel has its preconditions in :pre, and one result";
                return Err(Fault::User(format!("{option} is not for FPCore files: {hint}")));
            }
        }
        for (option, given) in [
            ("--array", !options.source.wishes.arrays.is_empty()),
            ("--inputs any", options.source.wishes.specials),
            ("--compile-commands", options.source.compile_commands.is_some()),
            ("--model interval", options.model != Model::Taylor),
            ("--blind", options.blind),
            ("--no-ranges", !options.ranges),
        ] {
            if given {
                return Err(Fault::User(format!("{option} is for programs, not for FPCore files")));
            }
        }
        return fpcore::run(options);
    }
    let start = Instant::now();
    let deadline = start + options.time_limit.unwrap_or(PROGRAM);
    progress(&|| "compiling".into());
    let (compiler, program) = options.source.load(Some(deadline))?;
    let symbols: Vec<String> = match options.functions.is_empty() {
        true => program.callable().into_iter().map(|candidate| candidate.symbol).collect(),
        false => options.functions.clone(),
    };
    let wishes = &options.source.wishes;
    let mut all = program.targets(&symbols, wishes)?;
    let mut narrowed: Vec<&mut Target> = all.iter_mut().flatten().collect();
    let contracts = options.contracts.of(&mut narrowed)?;
    let targets: Vec<&Target> = all.iter().flatten().collect();
    let errors = input_errors(&targets, options)?;
    let scratch = Scratch::new()?;
    progress(&|| "building".into());
    let libraries =
        program.libraries(&symbols, wishes, &compiler, scratch.path(), Some(deadline))?;
    libraries.build_original()?;
    let lowering = Lowering {
        functions: symbols.clone(),
        wishes: wishes.clone(),
        support: library::self_contained(&program, Some(deadline))?,
        ..Lowering::default()
    };
    let code = program.code(&lowering)?;
    let mut notes: Vec<Note> = Vec::new();
    for untestable in all.iter().filter_map(|target| target.as_ref().err()) {
        let text = format!("it {}: not looked at", untestable.why);
        notes.push(Note { function: untestable.function.clone(), place: Place::default(), text });
    }
    let settled: Mutex<Vec<(usize, Summary)>> = Mutex::new(Vec::new());
    let faults: Mutex<Vec<(usize, Fault)>> = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let threads = options.jobs.clamp(1, targets.len().max(1));
    let work_on = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(&target) = targets.get(at) else { break };
            progress(&|| format!("{}/{} {}", at + 1, targets.len(), target.function));
            let left = deadline.saturating_duration_since(Instant::now());
            let share = left.mul_f64((threads as f64 / (targets.len() - at) as f64).min(1.0));
            let share = options.function_time.map_or(share, |time| time.min(share));
            let budget = Budget {
                deadline: Some(Instant::now() + share),
                stop: Arc::clone(&options.stop),
                evaluations: options.evaluations,
            };
            let case = case(&code, &libraries, target, &contracts[at], &errors[at], options);
            match settle::settle(&case, &budget) {
                Ok(summary) => {
                    settled.lock().unwrap_or_else(PoisonError::into_inner).push((at, summary));
                }
                Err(fault) => {
                    faults.lock().unwrap_or_else(PoisonError::into_inner).push((at, fault));
                    break;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, work_on)
                .map_err(|error| Fault::Internal(format!("cannot start a thread: {error}")))?;
        }
        Ok::<(), Fault>(())
    })?;
    let mut faults = faults.into_inner().unwrap_or_else(PoisonError::into_inner);
    faults.sort_by_key(|(at, _)| *at);
    if let Some((_, fault)) = faults.into_iter().next() {
        return Err(fault);
    }
    let mut settled = settled.into_inner().unwrap_or_else(PoisonError::into_inner);
    settled.sort_by_key(|(at, _)| *at);
    let run =
        Run { command: "precision".into(), seed: options.seed, subject: options.source.describe() };
    Ok(summary::report(run, settled.into_iter().map(|(_, one)| one), notes, start))
}

/// What is said about the inputs of a target: errors, and the ends of ranges as written.
type Said = (Vec<Option<InputError>>, Vec<Option<(Rational, Rational)>>);

fn case<'a>(
    code: &'a Code,
    libraries: &'a Libraries,
    target: &'a Target,
    contract: &Contract,
    (errors, ends): &Said,
    options: &'a Options,
) -> Case<'a> {
    Case {
        code,
        target,
        libraries,
        options,
        sites: Sites::of(code, target),
        points: Points::new(target, errors, ends),
        limits: Limits { replay: Duration::from_secs(2), ..Limits::default() },
        admission: contract.admission(),
        contract: contract.clone(),
    }
}

/// Looks up what the user says about the errors of inputs.
fn input_errors(targets: &[&Target], options: &Options) -> Result<Vec<Said>, Fault> {
    let mut used = vec![false; options.input_errors.len()];
    let mut list = Vec::new();
    for target in targets {
        let mut said: Said = (vec![None; target.inputs.len()], vec![None; target.inputs.len()]);
        for (at, input) in target.inputs.iter().enumerate() {
            let means = |name: &str| {
                let bare = input.name.trim_start_matches('*');
                name == "*"
                    || input.name == name
                    || bare == name
                    || bare.strip_prefix(name).is_some_and(|rest| rest.starts_with(['[', '(']))
            };
            for (wish, used) in options.input_errors.iter().zip(&mut used) {
                if wish.concerns(&target.function) && means(&wish.name) {
                    *used = true;
                    said.0[at] = Some(wish.value);
                }
            }
            for wish in &options.source.wishes.ranges {
                if wish.concerns(&target.function) && means(&wish.name) {
                    let (low, high) = &wish.value;
                    said.1[at] = decimal(low).zip(decimal(high));
                }
            }
        }
        list.push(said);
    }
    for (wish, used) in options.input_errors.iter().zip(used) {
        if !used {
            return Err(Fault::User(format!(
                "--input-error {}=…: no input is called `{}`",
                wish.name, wish.name
            )));
        }
    }
    Ok(list)
}

/// A number as the user wrote it, exactly.
fn decimal(text: &str) -> Option<Rational> {
    let (digits, exponent) = match text.to_ascii_lowercase().split_once(['e', 'p']) {
        Some((digits, exponent)) => (digits.to_owned(), exponent.parse::<i32>().ok()?),
        None => (text.to_ascii_lowercase(), 0),
    };
    if exponent.unsigned_abs() > 20_000 {
        return None;
    }
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(rest) => (true, rest.to_owned()),
        None => (false, digits.trim_start_matches('+').to_owned()),
    };
    let (radix, digits) = match digits.strip_prefix("0x") {
        Some(_) if text.to_ascii_lowercase().contains('e') && !text.contains(['p', 'P']) => {
            return None;
        }
        Some(rest) => (16, rest.to_owned()),
        None => (10, digits),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let number = rug::Integer::from_str_radix(&format!("{whole}{fraction}"), radix).ok()?;
    let mut value = Rational::from(number);
    value /= rug::Integer::from(rug::Integer::u_pow_u(radix as u32, fraction.len() as u32));
    let base = if radix == 16 { 2u32 } else { 10 };
    let power = rug::Integer::from(rug::Integer::u_pow_u(base, exponent.unsigned_abs()));
    if exponent < 0 {
        value /= power
    } else {
        value *= power
    }
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::{Rational, decimal};

    #[test]
    fn numbers_as_written() {
        for (text, expected) in [
            ("37639840", Some((37_639_840, 1))),
            ("-0.1", Some((-1, 10))),
            ("1.5e-3", Some((3, 2000))),
            ("2E2", Some((200, 1))),
            ("0x1.8p+1", Some((3, 1))),
            ("0x1p-2", Some((1, 4))),
            ("nonsense", None),
        ] {
            assert_eq!(decimal(text), expected.map(Rational::from), "{text}");
        }
    }
}
