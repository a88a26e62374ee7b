//! An input of a call, to be run again, and what the run shows.

use super::decide::{Decision, decisions};
use super::examine::{Examined, Stand};
use super::numbers::{is_finite, scalar_bytes};
use super::{Effect, Failure, Options, Unfit};
use crate::prototype::Argument;
use crate::run::{Ended, Ending, Worker};

/// An input of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The call, counted from 1 over all calls of functions under test.
    pub call: u64,
    /// The function, as its prototype names it.
    pub function: String,
    /// The floating-point inputs, by the names of their elements.
    pub inputs: Vec<(String, Vec<u8>)>,
}

/// What a run showed.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// It fails.
    Fails {
        /// How.
        effect: Effect,
        /// The arguments.
        arguments: Vec<Argument>,
        /// What came back, by argument and element.
        outputs: Vec<Vec<Vec<u8>>>,
    },
    /// It is handled, and how.
    Handled(&'static str),
    /// The call is not what it was, and why.
    Other(String),
}

/// What a run showed, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// What.
    pub seen: Seen,
    /// The branches that exceptional values decided.
    pub decisions: Vec<Decision>,
}

impl From<Seen> for Tried {
    fn from(seen: Seen) -> Tried {
        Tried { seen, decisions: Vec::new() }
    }
}

/// The same inputs in the same call.
pub fn trial_of(failure: &Failure, options: &Options) -> Trial {
    let mut inputs = Vec::new();
    for (argument, values) in failure.arguments.iter().zip(&failure.inputs) {
        if argument.kind.is_float() {
            let named = argument.elements.iter().zip(values).filter(|(_, v)| !v.is_empty());
            inputs.extend(named.map(|(element, value)| (element.name.clone(), value.clone())));
        }
    }
    let prototypes = options.library.prototypes.iter();
    let mut mine = prototypes.filter(|p| options.symbol(p) == failure.tested.symbol);
    let function = mine.next().map_or_else(String::new, |p| p.symbol.clone());
    Trial { call: failure.call, function, inputs }
}

/// A run that does not end is given so many hundredths of a second.
const TICKS: u64 = 200;

impl Trial {
    /// Runs it in a process that stands at the call.
    pub(super) fn run(&self, stand: &Stand, worker: &mut Worker, symbol: &str) -> Tried {
        if stand.prototype.symbol != self.function {
            return Seen::Other(format!("call {} is one of {symbol}", self.call)).into();
        }
        let mut examined = match Examined::bound(stand, worker) {
            Ok(examined) => examined,
            Err(Unfit::Prototype(why)) => return Seen::Other(why).into(),
            Err(Unfit::Already(_) | Unfit::Lost) => return lost().into(),
        };
        let mut patches = Vec::new();
        let mut exceptional = false;
        let (mut found, mut missing) = (0, 0);
        for (a, argument) in examined.bound.arguments.iter().enumerate() {
            let length = scalar_bytes(argument.kind, argument.bits) as usize;
            for (e, element) in argument.elements.iter().enumerate() {
                let wanted = self.inputs.iter().find(|(name, _)| *name == element.name);
                if let Some((_, bytes)) = wanted.filter(|(_, bytes)| bytes.len() == length) {
                    exceptional |= !is_finite(bytes);
                    patches.extend(examined.patch(a, e, bytes));
                    found += 1;
                } else if element.input && argument.kind.is_float() {
                    missing += 1;
                }
            }
        }
        // Of what is observed, the run that failed may read more than the undisturbed one.
        let observed = stand.prototype.parameters.iter().any(|parameter| parameter.observed);
        let same = if observed { missing == 0 } else { found == self.inputs.len() };
        if !same {
            return Seen::Other(format!("call {} takes other inputs", self.call)).into();
        }
        let mut prepared = examined.prepare(worker).and_then(|()| worker.limit(TICKS));
        if prepared.is_ok() && examined.compares_with_usual() {
            let usual = worker.runs(&[Vec::new()], examined.outputs.len());
            prepared = usual.map(|runs| {
                if let Some((_, ending)) = runs.into_iter().next() {
                    examined.base = ending.outputs;
                }
            });
        }
        let runs = prepared
            .and_then(|()| worker.runs(std::slice::from_ref(&patches), examined.outputs.len()));
        let Ok(mut runs) = runs else { return lost().into() };
        // What the call prints anyway is no report.
        if let Some(told) = runs.first().map(|(_, ending)| ending.told).filter(|told| *told != 0)
            && let Ok(usual) = worker.runs(&[Vec::new()], examined.outputs.len())
            && usual.first().is_none_or(|(_, ending)| ending.told == told)
        {
            runs.iter_mut().for_each(|(_, ending)| ending.told = 0);
        }
        let seen = seen(&examined, runs.into_iter().next(), exceptional);
        let crashed = matches!(seen, Seen::Fails { effect: Effect::Crash(_), .. });
        let trace = if crashed { Ok(None) } else { examined.trace(worker, symbol, &patches, None) };
        let decisions = match trace {
            Ok(Some(trace)) => decisions(&trace, stand.modules),
            Ok(None) | Err(_) => Vec::new(),
        };
        Tried { seen, decisions }
    }
}

/// What an ending shows; one that is not told has an exceptional output.
fn seen(examined: &Examined, ending: Option<(usize, Ending)>, exceptional: bool) -> Seen {
    let Some((_, ending)) = ending else {
        return Seen::Handled("an output is NaN or infinite");
    };
    let effect = match ending.ended {
        Ended::Exceptional => return Seen::Handled("an output is NaN or infinite"),
        Ended::Reported => return Seen::Handled("it calls an error routine"),
        Ended::Exit => return Seen::Handled("it ends the program"),
        Ended::Crashed => Effect::Crash(ending.signal),
        Ended::TimedOut => Effect::Endless,
        Ended::Clean if ending.told != 0 => return Seen::Handled("it prints a message"),
        Ended::Clean if examined.reports(&ending).is_some() => {
            return Seen::Handled("it reports trouble");
        }
        Ended::Clean if !exceptional && ending.flags & 0b1101 == 0 => {
            return Seen::Handled("no exception is raised");
        }
        Ended::Clean => Effect::Swallowed,
    };
    let outputs = examined.spread(&ending.outputs);
    Seen::Fails { effect, arguments: examined.bound.arguments.clone(), outputs }
}

fn lost() -> Seen {
    Seen::Other("its process was lost".to_string())
}
