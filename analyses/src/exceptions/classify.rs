//! Classification: what an exception did, told by running the function on the same input in
//! exact arithmetic (Ariadne, section 5.3) and holding the results against each other.

use super::contract::Contract;
use crate::numbers;
use crate::shadow::{self, Arithmetic, Real, Stuck, impossible, smallest_normal};
use nanoscope_budget::Budget;
use nanoscope_ieee::{Float, Format};
use nanoscope_native::{Confirmed, Death, Event, Replay, RunEnd};
use nanoscope_program::ir::Code;
use nanoscope_program::{Exception, Scalar, Target, exceptions};
use nanoscope_report::{Effect, Exact, Harm};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// From which relative error on an ordinary result is wrong.
const WRONG: f64 = 1e-6;

/// How long one shadow run may take.
pub(super) const ONE_RUN: Duration = Duration::from_millis(500);

/// Instructions that a run may take that shows whether it leaves its memory.
const STRAY_STEPS: u64 = 1_000_000;

const SIGBUS: i32 = 7;
const SIGSEGV: i32 = 11;

/// Judges the findings of one target.
pub(super) struct Judge<'c> {
    /// The program in our representation, or why there is none.
    pub code: Result<&'c Code, &'c str>,
    pub target: &'c Target,
    pub contract: &'c Contract,
    pub budget: Budget,
    /// How long one run may take.
    pub one_run: Duration,
    /// What is known of inputs already.
    known: BTreeMap<Vec<u64>, Result<Vec<shadow::Output<Real>>, Stuck>>,
}

impl<'c> Judge<'c> {
    pub fn new(
        code: Result<&'c Code, &'c str>,
        target: &'c Target,
        contract: &'c Contract,
        budget: Budget,
    ) -> Judge<'c> {
        Judge { code, target, contract, budget, one_run: ONE_RUN, known: BTreeMap::new() }
    }

    /// What an exception did.
    pub fn harm(&mut self, confirmed: &Confirmed, exception: Exception) -> Harm {
        self.harm_of(confirmed.point(), confirmed.replay(), exception)
    }

    /// Whether a run ended because it left memory that its parameters point to, whose size nobody
    /// stated: then the input does not go with the memory, and says nothing of the program.
    pub fn strays(&self, confirmed: &Confirmed) -> bool {
        let RunEnd::Died(Death::Signal(SIGSEGV | SIGBUS) | Death::Overwrote) =
            confirmed.replay().outcome
        else {
            return false;
        };
        self.code.is_ok_and(|code| {
            let budget = self.budget.slice(self.one_run);
            let point = confirmed.point();
            shadow::try_run(code, self.target, point, &budget, STRAY_STEPS).leaves_given
        })
    }

    /// What an exception did in a run on a point.
    pub fn harm_of(&mut self, point: &[u64], replay: &Replay, exception: Exception) -> Harm {
        if replay.outcome != RunEnd::Returned {
            return Harm { effect: Effect::NoReturn, ..Harm::unclassified("") };
        }
        let failure = self.contract.failure(&replay.outputs).map(str::to_owned);
        let exact = match self.exact(point) {
            Ok(exact) => exact,
            Err(why) => {
                return match failure {
                    Some(why) => Harm { effect: Effect::Reported, ..Harm::unclassified(why) },
                    None => Harm::unclassified(why.why()),
                };
            }
        };
        let is_conversion = |event: &Event| event.exception == Exception::ConversionOutOfRange;
        let is_undefined =
            exception == Exception::ConversionOutOfRange || replay.events.iter().any(is_conversion);
        // What exact arithmetic makes of an integer that does not fit says nothing of integers.
        let is_told = |at: &&usize| {
            !is_undefined || matches!(self.target.outputs[**at].scalar, Scalar::Float(_))
        };
        let told: Vec<usize> = self.contract.values.iter().filter(is_told).copied().collect();
        let compared: Vec<Compared> =
            told.into_iter().map(|at| self.compare(at, &exact[at], &replay.outputs)).collect();
        let found = compared.iter().map(|one| one.effect).min().unwrap_or(Effect::Harmless);
        let is_range = matches!(exception, Exception::Overflow | Exception::Underflow);
        // Of an integer that does not fit, exact arithmetic makes what the machine makes: that
        // the two agree says nothing. A NaN or an infinity may end as such an integer, too.
        let judged = match exception {
            exceptions!(Floating, Integer) if is_undefined => Effect::Undefined,
            Exception::ConversionOutOfRange => Effect::Undefined,
            Exception::IntegerOverflow => Effect::Unclassified,
            exceptions!(Floating) => found,
        };
        let says_nothing = judged < found;
        let found = found.min(judged);
        let ordinary = !compared.is_empty() && compared.iter().all(|one| one.is_ordinary);
        Harm {
            effect: if failure.is_some() { Effect::Reported } else { found },
            avoidable: (is_range && !says_nothing).then_some(ordinary),
            why: match (failure, found) {
                (Some(why), _) => why,
                (None, _) if says_nothing => {
                    "what an integer that does not fit becomes is not defined".into()
                }
                (None, Effect::Unclassified) => {
                    "in exact arithmetic the result is undefined".into()
                }
                (None, _) => String::new(),
            },
            exact: match says_nothing {
                true => Vec::new(),
                false => compared.into_iter().map(|one| one.exact).collect(),
            },
        }
    }

    /// The largest relative error of results on a point; none where they are not right, or nobody
    /// knows.
    pub fn error(&mut self, point: &[u64], outputs: &[u64]) -> Option<f64> {
        if self.contract.failure(outputs).is_some() {
            return None;
        }
        let exact = self.exact(point).ok()?;
        let mut largest = 0.0;
        for &at in &self.contract.values {
            let compared = self.compare(at, &exact[at], outputs);
            if compared.effect != Effect::Harmless || !compared.is_ordinary {
                return None;
            }
            largest = compared.exact.error.unwrap_or(0.0).max(largest);
        }
        Some(largest)
    }

    /// Whether results on a point are wrong where exact arithmetic has ordinary ones.
    pub fn is_wrong(&mut self, point: &[u64], outputs: &[u64]) -> bool {
        let Ok(exact) = self.exact(point) else { return false };
        let effect = |&at: &usize| self.compare(at, &exact[at], outputs).effect;
        let mut effects = self.contract.values.iter().map(effect);
        effects.any(|effect| matches!(effect, Effect::SilentlyWrong | Effect::Spoilt))
    }

    /// The outputs in exact arithmetic.
    fn exact(&mut self, point: &[u64]) -> Result<Vec<shadow::Output<Real>>, Stuck> {
        if let Some(known) = self.known.get(point) {
            return known.clone();
        }
        let code = self.code.map_err(Stuck::new)?;
        let deadline = Instant::now() + self.one_run;
        let deadline = self.budget.deadline.map_or(deadline, |all| all.min(deadline));
        let budget = Budget { deadline: Some(deadline), ..self.budget.clone() };
        let found = shadow::run(code, self.target, point, &budget);
        // What took too long may have more time later.
        if found.is_ok() || Instant::now() < deadline {
            self.known.insert(point.to_vec(), found.clone());
        }
        found
    }

    fn compare(&self, at: usize, exact: &shadow::Output<Real>, outputs: &[u64]) -> Compared {
        let output = &self.target.outputs[at];
        let native = numbers::encoding(outputs, output.word, output.scalar);
        let told = |value: String, error| Exact { name: output.name.clone(), value, error };
        match (exact, output.scalar) {
            (shadow::Output::Number(exact), Scalar::Float(format)) => {
                let error = relative_error(exact, native, format);
                Compared {
                    effect: effect(exact, native, format, error),
                    is_ordinary: is_ordinary(exact, format),
                    exact: told(exact.text(), error.filter(|error| error.is_finite())),
                }
            }
            (shadow::Output::Bits(bits), scalar) => {
                let effect = if *bits == native { Effect::Harmless } else { Effect::SilentlyWrong };
                let value = numbers::number("", "", scalar, *bits).value;
                Compared { effect, is_ordinary: true, exact: told(value, None) }
            }
            (shadow::Output::Symbol(never), _) => impossible(never),
            (shadow::Output::Number(exact), Scalar::Integer { .. }) => Compared {
                effect: Effect::Unclassified,
                is_ordinary: false,
                exact: told(exact.text(), None),
            },
        }
    }
}

/// An output beside its exact value.
struct Compared {
    effect: Effect,
    /// Whether the exact value is zero or within the normal numbers of its format.
    is_ordinary: bool,
    exact: Exact,
}

fn is_ordinary(exact: &Real, format: Format) -> bool {
    let run = Arithmetic::new(256);
    match exact {
        Real::Nan | Real::Infinite { .. } => false,
        Real::Zero { .. } => true,
        Real::Exact(_) | Real::Rounded(_) => {
            let size = exact.with_sign(false);
            run.order(&size, &smallest_normal(format)) != Some(Ordering::Less)
                && fits(&size, format)
        }
    }
}

/// Whether a number is not too large for a format.
fn fits(exact: &Real, format: Format) -> bool {
    !Float::from_bits(format, exact.encoded(format)).is_infinite()
}

/// The error of a finite result against a finite exact one. Below the normal numbers it is
/// relative to the smallest of these: no format resolves more.
fn relative_error(exact: &Real, native: u128, format: Format) -> Option<f64> {
    let computed = Real::decoded(format, native);
    if !exact.is_finite() || !computed.is_finite() {
        return None;
    }
    let mut run = Arithmetic::new(256);
    let difference = run.sub(&computed, exact).with_sign(false);
    let size = exact.with_sign(false);
    let smallest = smallest_normal(format);
    let scale = if run.order(&size, &smallest) == Some(Ordering::Less) { smallest } else { size };
    let error = run.div(&difference, &scale);
    Some(f64::from_bits(error.encoded(Format::BINARY64) as u64))
}

fn effect(exact: &Real, native: u128, format: Format, error: Option<f64>) -> Effect {
    let computed = Float::from_bits(format, native);
    let exceptional = computed.is_nan() || computed.is_infinite();
    match (exact, exceptional) {
        (Real::Nan | Real::Infinite { .. }, true) => Effect::Unavoidable,
        (Real::Nan, false) => Effect::Unclassified,
        (Real::Infinite { .. }, false) => Effect::SilentlyWrong,
        (Real::Zero { .. } | Real::Exact(_) | Real::Rounded(_), true) => {
            if fits(exact, format) {
                Effect::Spoilt
            } else {
                Effect::Unavoidable
            }
        }
        (Real::Zero { .. } | Real::Exact(_) | Real::Rounded(_), false) => match error {
            Some(error) if error > WRONG => Effect::SilentlyWrong,
            Some(_) | None if is_ordinary(exact, format) => Effect::Harmless,
            Some(_) | None => Effect::Unavoidable,
        },
    }
}
