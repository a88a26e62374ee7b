//! What a pass over the program is for, and which calls matter to it.

use super::gather::Key;
use super::trial::{Trial, Tried};
use super::turns::Census;
use super::{Cause, Failure};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// What a pass is for.
pub enum Goal {
    /// Which calls there are.
    Census(Mutex<Census>),
    /// Spoofed inputs in these calls, from this one of each call's spoofs on.
    Inputs(BTreeMap<u64, u64>),
    /// Spoofed results, in these calls.
    Results(BTreeSet<u64>),
    /// Inputs for spoofed results that vanished, by call.
    Solve(BTreeMap<u64, Vec<Cause>>),
    /// These failures once more, by call.
    Confirm(BTreeMap<u64, Vec<(Key, Failure)>>),
    /// These inputs, by call; what is seen is told by call and number.
    Try(BTreeMap<u64, Vec<Trial>>, Mutex<BTreeMap<(u64, usize), Tried>>),
}

impl Goal {
    pub fn name(&self) -> &'static str {
        match self {
            Goal::Census(_) => "counting calls",
            Goal::Inputs(_) => "inputs",
            Goal::Results(_) => "results",
            Goal::Solve(_) => "solving",
            Goal::Confirm(_) => "confirming",
            Goal::Try(..) => "running again",
        }
    }

    /// Whether no call matters.
    pub fn is_empty(&self) -> bool {
        self.next(1) == u64::MAX
    }

    /// The first call from this one on that matters.
    pub fn next(&self, from: u64) -> u64 {
        let next = match self {
            Goal::Census(_) => Some(from),
            Goal::Inputs(calls) => calls.range(from..).next().map(|(call, _)| *call),
            Goal::Results(calls) => calls.range(from..).next().copied(),
            Goal::Solve(asked) => asked.range(from..).next().map(|(call, _)| *call),
            Goal::Confirm(failures) => failures.range(from..).next().map(|(call, _)| *call),
            Goal::Try(trials, _) => trials.range(from..).next().map(|(call, _)| *call),
        };
        next.unwrap_or(u64::MAX)
    }

    /// How many processes a call needs.
    pub fn processes(&self, call: u64) -> usize {
        match self {
            Goal::Census(_) => 0,
            Goal::Inputs(calls) => usize::from(calls.contains_key(&call)),
            Goal::Results(calls) => usize::from(calls.contains(&call)),
            Goal::Solve(asked) => usize::from(asked.contains_key(&call)),
            Goal::Confirm(failures) => failures.get(&call).map_or(0, Vec::len),
            Goal::Try(trials, _) => trials.get(&call).map_or(0, Vec::len),
        }
    }

    /// The calls that this pass is to look at, where functions take turns.
    pub fn calls(&self) -> Vec<u64> {
        match self {
            Goal::Inputs(calls) => calls.keys().copied().collect(),
            Goal::Results(calls) => calls.iter().copied().collect(),
            Goal::Solve(asked) => asked.keys().copied().collect(),
            Goal::Census(_) | Goal::Confirm(_) | Goal::Try(..) => Vec::new(),
        }
    }
}
