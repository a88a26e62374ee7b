//! Inputs that failed, run again: as a replay, or in another build.

use super::code::Code;
use super::gather::Gathered;
use super::goal::Goal;
use super::pass::Pass;
use super::trial::{Seen, Trial, Tried};
use super::turns::{Census, Shares};
use super::{Observer, Options, Trouble};
use crate::prototype::Prototype;
use crate::run::Layout;
use nanoscope_search::Budget;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Runs the program once, and the trials in processes of their own.
pub fn again(
    options: &Options,
    trials: &[Trial],
    observer: &dyn Observer,
) -> Result<Vec<Tried>, Trouble> {
    let layout = Layout::of_this_machine().ok_or_else(super::no_xsave)?;
    let prototypes: Vec<&Prototype> = super::tested_prototypes(options, &mut Vec::new())?;
    let mut by_call: BTreeMap<u64, Vec<Trial>> = BTreeMap::new();
    let mut places = Vec::new();
    for trial in trials {
        let all = by_call.entry(trial.call).or_default();
        places.push((trial.call, all.len()));
        all.push(trial.clone());
    }
    let budget = options.time_limit.map_or_else(Budget::unlimited, Budget::lasting);
    let pass = Pass {
        options,
        layout,
        prototypes: &prototypes,
        code: &Code::default(),
        gathered: &Mutex::new(Gathered::default()),
        budget: &budget,
        observer,
        store: None,
        census: &Census::default(),
        shares: &Shares::default(),
        left_over: Mutex::default(),
        functions: 0,
        whole: 0,
        goal: Goal::Try(by_call, Mutex::default()),
    };
    pass.run(&|| observer.stop() || budget.exhausted())?;
    let Goal::Try(_, seen) = pass.goal else { return Ok(Vec::new()) };
    let mut seen = seen.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let missing = |call: u64| {
        let seen = Seen::Other(format!("the program makes no call {call}"));
        Tried { seen, decisions: Vec::new() }
    };
    let told =
        places.into_iter().map(|place| seen.remove(&place).unwrap_or_else(|| missing(place.0)));
    Ok(told.collect())
}
