//! How the goals of one target stand while engines work on them. Whoever looks at it in the
//! middle of the work sees what is settled by then.

use nanoscope_native::Confirmed;
use nanoscope_program::{Goal, GoalId, Target};
use nanoscope_report::{Harm, Proof, Search, Solver};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known so far.
#[derive(Clone, Default)]
pub(super) struct Standing {
    /// Goals with the run that showed them.
    pub reached: BTreeMap<GoalId, Reached>,
    /// Goals that cannot happen.
    pub impossible: BTreeMap<GoalId, Impossible>,
    /// Why goals are open that somebody tried.
    pub open: BTreeMap<GoalId, String>,
    /// What it cost.
    pub search: Search,
    /// What the explorations asked.
    pub solver: Solver,
    /// What went wrong with many inputs.
    pub trouble: Option<String>,
    /// Why the analysis of ranges came to nothing.
    pub unranged: Option<String>,
}

/// A goal that was seen to happen.
#[derive(Clone)]
pub(super) struct Reached {
    /// The run of the original code.
    pub confirmed: Confirmed,
    /// Whether only the build without optimisation showed it.
    pub as_written: bool,
    /// What found the input.
    pub engine: &'static str,
    /// What it did, once that is judged.
    pub harm: Option<Harm>,
    /// Inputs by which other paths come to it, where these are asked for.
    pub others: Vec<Vec<u64>>,
}

/// A goal that was proved not to happen.
#[derive(Clone, Debug)]
pub(super) struct Impossible {
    /// What was exhausted, in words.
    pub why: Cow<'static, str>,
    /// What that rests on; most of a function's goals rest on the same.
    pub proof: Arc<Proof>,
}

impl Standing {
    /// With what constants settle before any engine works.
    pub fn of(target: &Target, goals: &[Goal]) -> Standing {
        let mut standing = Standing::default();
        let proof = Arc::new(Proof { engine: "constants".into(), assumptions: Vec::new() });
        for &goal in &target.goals {
            if let Some(never) = goals[goal.0 as usize].never {
                let impossible = Impossible { why: never.into(), proof: Arc::clone(&proof) };
                standing.impossible.insert(goal, impossible);
            }
        }
        standing
    }

    /// A target that could not be run.
    pub fn failed(&mut self, why: &str) {
        self.trouble = Some(format!("not run: {why}"));
    }

    /// The goals of a target that nobody has settled.
    pub fn unsettled(&self, target: &Target) -> Vec<GoalId> {
        let is_open =
            |goal: &GoalId| !self.reached.contains_key(goal) && !self.impossible.contains_key(goal);
        target.goals.iter().copied().filter(is_open).collect()
    }

    /// The goals of a target that are not known to be impossible.
    pub fn possible(&self, target: &Target) -> Vec<GoalId> {
        let goals = target.goals.iter().copied();
        goals.filter(|goal| !self.impossible.contains_key(goal)).collect()
    }

    /// Why a goal is open.
    pub fn why_open(&self, goal: GoalId) -> String {
        self.open.get(&goal).cloned().unwrap_or_else(|| "the search did not come to it".into())
    }
}

/// Whether no operation of the program raised anything before what was confirmed.
pub(super) fn is_first(confirmed: &Confirmed) -> bool {
    let first = confirmed.replay().events.iter().find(|event| event.site.is_some());
    first.is_none_or(|event| {
        let found = confirmed.event();
        event.site == found.site && event.exception == found.exception
    })
}
