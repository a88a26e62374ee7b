//! Confirmation: a point once more, natively and in exact arithmetic, and the two held
//! against each other, at the outputs and at every operation on the way.
//!
//! The exact run is the program run in real numbers along its own path. As long as the two
//! runs come by the same instructions, results are compared one by one, up to the first
//! comparison or conversion that turns out differently; from there on only the outputs are.

use super::Case;
use super::births::Births;
use super::measure::{Error, error};
use super::running::{Running, RunningErrors, encoded};
use super::tape::{Contribution, Tape};
use crate::numbers;
use crate::shadow::{Arithmetic, At, Interpreter, Output, Real, Step, Stuck, agree};
use nanoscope_budget::Budget;
use nanoscope_ieee::{Format, Rounding};
use nanoscope_native::{Replayer, RunEnd};
use nanoscope_program::{Fault, Scalar};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How long one confirmation may take.
const ONE_POINT: Duration = Duration::from_secs(10);

/// Instructions that one run may take.
const STEPS: u64 = 20_000_000;

/// Precisions of the exact run, rising until two agree.
const PRECISIONS: [u32; 4] = [256, 512, 1536, 6144];

/// Rationals longer than so many bits are rounded: most programs stay exact below that, or
/// never.
const LONGEST: u32 = 2048;

/// Steps that are told one by one, at most.
const STEPS_TOLD: usize = 10_000;

/// A float beside the exact number.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub format: Format,
    pub computed: u128,
    pub exact: Real,
    pub error: Error,
}

/// A comparison or conversion that turns out differently in exact arithmetic.
#[derive(Clone, Debug)]
pub(super) struct Flip {
    pub site: usize,
    pub computed: u128,
    pub exact: u128,
}

/// A step of both runs.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    pub site: usize,
    pub measured: Measured,
}

/// What a point showed.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    /// Every operation that gave a float, in order, if that is wanted.
    pub steps: Vec<Compared>,
    /// For each output, a float and not too large: its error.
    pub outputs: Vec<Option<Measured>>,
    /// Whole outputs that differ from the exact ones: computed and exact.
    pub integers: BTreeMap<usize, (u128, u128)>,
    /// For each site that gave a float: its worst.
    pub values: BTreeMap<usize, Measured>,
    /// Sites whose operands were fine when their result was not: errors are born there.
    pub births: BTreeSet<usize>,
    /// What turned out differently.
    pub flips: Vec<Flip>,
    /// For each output, what each site contributed to its error.
    pub sources: Vec<BTreeMap<usize, Contribution>>,
    /// What the function gave back.
    pub native: Vec<u64>,
    /// Whether the values along the way are those of the native run.
    pub retraced: bool,
}

/// Runs points natively and exactly.
pub(super) struct Confirmation<'a> {
    case: &'a Case<'a>,
    replayer: Replayer,
    /// Whether every step is to be told.
    pub step_by_step: bool,
}

impl<'a> Confirmation<'a> {
    pub fn new(case: &'a Case<'a>) -> Result<Confirmation<'a>, Fault> {
        let replayer = Replayer::new(&case.libraries.original(case.target)?, &case.limits)?;
        Ok(Confirmation { case, replayer, step_by_step: false })
    }

    /// Judges a point; the inner error says why it shows nothing.
    pub fn judge(&self, point: &[u64], budget: &Budget) -> Result<Result<Judged, Stuck>, Fault> {
        let case = self.case;
        let words = case.points.words(point);
        let replay = self.replayer.run_rounding(words, case.options.witness_rounding())?;
        if replay.outcome != RunEnd::Returned {
            return Ok(Err(Stuck::new("run natively, it does not return")));
        }
        let budget = budget.slice(ONE_POINT);
        let (exact, exact_steps) = match self.exact(point, &budget) {
            Ok(exact) => exact,
            Err(why) => return Ok(Err(why)),
        };
        let mut judged = Judged {
            steps: Vec::new(),
            outputs: Vec::new(),
            integers: BTreeMap::new(),
            values: BTreeMap::new(),
            births: BTreeSet::new(),
            flips: Vec::new(),
            sources: vec![BTreeMap::new(); case.target.outputs.len()],
            native: replay.outputs.clone(),
            retraced: false,
        };
        for (at, output) in case.target.outputs.iter().enumerate() {
            let bits = numbers::encoding(&replay.outputs, output.word, output.scalar);
            judged.outputs.push(match (&exact[at], output.scalar) {
                (Output::Number(exact), Scalar::Float(format)) => {
                    error(format, bits, exact).map(|error| {
                        let exact = exact.clone();
                        Measured { format, computed: bits, exact, error }
                    })
                }
                (Output::Bits(exact), Scalar::Integer { .. }) if *exact != bits => {
                    judged.integers.insert(at, (bits, *exact));
                    None
                }
                (_, _) => None,
            });
        }
        if let Ok(run) = self.running(point, &budget) {
            let same = |(at, output): (usize, &Output<Running>)| {
                let place = &case.target.outputs[at];
                let native = numbers::encoding(&replay.outputs, place.word, place.scalar);
                match (output, place.scalar) {
                    (Output::Number(running), Scalar::Float(format)) => {
                        let bits = encoded(format, running);
                        bits == native || is_nan(format, bits) && is_nan(format, native)
                    }
                    (Output::Bits(bits), _) => *bits == native,
                    (_, _) => false,
                }
            };
            judged.retraced = run.outputs.iter().enumerate().all(same);
            if judged.retraced {
                self.align(&mut judged, &run.steps, &exact_steps);
                judged.births = run.births;
                for (at, output) in run.outputs.iter().enumerate() {
                    if let Output::Number(running) = output {
                        judged.sources[at] = self.sources(&run.tape, running.node);
                    }
                }
            }
        }
        Ok(Ok(judged))
    }

    /// The outputs in exact arithmetic, and what happened on the way.
    fn exact(&self, point: &[u64], budget: &Budget) -> Result<Exactly, Stuck> {
        let case = self.case;
        let words = case.points.words(point);
        let mut before: Option<Vec<Output<Real>>> = None;
        for precision in PRECISIONS {
            let mut arithmetic = Arithmetic::new(precision);
            arithmetic.longest = LONGEST;
            arithmetic.steps = Some(Vec::new());
            let mut machine = Interpreter::new(case.code, arithmetic, STEPS, budget);
            let outputs = machine.enter(case.target, words, &case.points.exact(point))?;
            let steps = machine.domain.steps.take().unwrap_or_default();
            let settled = match &before {
                _ if !machine.domain.rounded => true,
                Some(before) => before.iter().zip(&outputs).all(|(a, b)| agree(a, b)),
                None => false,
            };
            if settled {
                return Ok((outputs, steps));
            }
            before = Some(outputs);
        }
        Err(Stuck::new("long arithmetic is not enough to tell the exact result"))
    }

    /// The same with the machine's floats.
    fn running(&self, point: &[u64], budget: &Budget) -> Result<Run, Stuck> {
        let case = self.case;
        let rounding: Rounding = case.options.witness_rounding();
        let births = Births::new(&case.sites, case.options.threshold);
        let mut domain = RunningErrors::new(rounding, births);
        domain.closely = true;
        domain.tape = Some(Tape::default());
        domain.steps = Some(Vec::new());
        let mut machine = Interpreter::new(case.code, domain, STEPS, budget);
        let words = case.points.words(point);
        let outputs = machine.enter(case.target, words, &case.points.running(point))?;
        Ok(Run {
            outputs,
            steps: machine.domain.steps.take().unwrap_or_default(),
            tape: machine.domain.tape.take().unwrap_or_default(),
            births: machine.domain.watch.born,
        })
    }

    /// Compares the runs step by step, as long as they go the same way.
    fn align(&self, judged: &mut Judged, computed: &[Step<Running>], exact: &[Step<Real>]) {
        let threshold = self.case.options.threshold;
        for (computed, exact) in computed.iter().zip(exact) {
            if computed.at() != exact.at() {
                break;
            }
            let site = self.case.sites.at(computed.at());
            match (computed, exact) {
                (Step::Number(_, format, running), Step::Number(_, _, exact)) => {
                    let bits = encoded(*format, running);
                    let (Some(site), Some(error)) = (site, error(*format, bits, exact)) else {
                        continue;
                    };
                    let by = error.by(threshold);
                    let worse = |known: &BTreeMap<usize, Measured>| {
                        known.get(&site).is_none_or(|known| by > known.error.by(threshold))
                    };
                    let measured = || Measured {
                        format: *format,
                        computed: bits,
                        exact: exact.clone(),
                        error,
                    };
                    if self.step_by_step && judged.steps.len() < STEPS_TOLD {
                        judged.steps.push(Compared { site, measured: measured() });
                    }
                    if worse(&judged.values) {
                        judged.values.insert(site, measured());
                    }
                }
                (Step::Integer(_, a), Step::Integer(_, b)) if a != b => {
                    if let Some(site) = site {
                        judged.flips.push(Flip { site, computed: *a, exact: *b });
                    }
                    // From here on the two may compute different things.
                    break;
                }
                (Step::Left(_, a), Step::Left(_, b)) if a != b => break,
                (_, _) => {}
            }
        }
    }

    fn sources(&self, tape: &Tape, node: u32) -> BTreeMap<usize, Contribution> {
        let found = tape.contributions(node);
        let by_site = |(at, contribution): (&At, &Contribution)| {
            self.case.sites.at(*at).map(|site| (site, *contribution))
        };
        found.iter().filter_map(by_site).collect()
    }
}

/// A run in exact arithmetic: the outputs, and what happened on the way.
type Exactly = (Vec<Output<Real>>, Vec<Step<Real>>);

/// A run with running errors.
struct Run {
    outputs: Vec<Output<Running>>,
    steps: Vec<Step<Running>>,
    tape: Tape,
    births: BTreeSet<usize>,
}

fn is_nan(format: Format, bits: u128) -> bool {
    nanoscope_ieee::Float::from_bits(format, bits).is_nan()
}
