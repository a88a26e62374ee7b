//! What the passes bring together: figures by function, failures by what they have in common.

use super::{Cause, Effect, Failure, Figures, Outcome, Tested};
use crate::sites::Spoof;
use std::collections::{BTreeMap, BTreeSet};

/// What groups failures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub tested: Tested,
    pub place: String,
    pub spoof: Spoof,
    pub effect: Effect,
    pub documented: Option<String>,
}

/// What the passes bring together.
#[derive(Default)]
pub struct Gathered {
    pub figures: BTreeMap<Tested, Figures>,
    groups: BTreeMap<Key, Failure>,
    group_calls: BTreeMap<Key, BTreeSet<u64>>,
    /// The first call of each class, by function and class.
    pub classes: BTreeMap<(usize, u64), u64>,
    pub calls: u64,
    pub spoofs: u64,
    /// What failed with finite inputs, by function, argument and value: what it came to the last
    /// time, and how often it was judged.
    pub judged: BTreeMap<(Tested, usize, Spoof), (Effect, u32)>,
    /// The inputs that failed, by call: argument, element, value.
    pub failing_inputs: BTreeMap<u64, Vec<(usize, usize, Spoof)>>,
    /// How often the solver found nothing, by function, instruction and value.
    pub in_vain: BTreeMap<(Tested, u64, Spoof), u32>,
    pub unlifted: BTreeMap<String, u64>,
    unconfirmed: u64,
}

impl Gathered {
    /// Counts a failure with those of the same kind; the smallest stands for all. `failure` is
    /// asked for if this one is to.
    pub fn add(
        &mut self,
        key: Key,
        size: (usize, u64, Cause),
        reified: bool,
        failure: impl FnOnce() -> Failure,
    ) {
        let figures = self.figures.entry(key.tested.clone()).or_default();
        let counts = key.documented.is_none() && !key.effect.is_harmless();
        match size.2 {
            Cause::Input { .. } if counts => figures.input_failures += 1,
            Cause::Result { .. } if counts => {
                figures.result_warnings += 1;
                figures.reified += u64::from(reified);
            }
            Cause::Input { .. } | Cause::Result { .. } | Cause::Solved { .. } => {}
        }
        self.group_calls.entry(key.clone()).or_default().insert(size.1);
        match self.groups.get_mut(&key) {
            None => {
                let mut failure = failure();
                failure.reified = u64::from(reified);
                self.groups.insert(key, failure);
            }
            Some(group) => {
                let (count, before) = (group.count + 1, group.reified);
                if size < size_of(group) {
                    *group = failure();
                }
                group.count = count;
                group.reified = before + u64::from(reified);
            }
        }
    }

    /// What is to be seen again in a fresh process: by call, the failures.
    pub fn to_confirm(&self) -> BTreeMap<u64, Vec<(Key, Failure)>> {
        let mut all: BTreeMap<u64, Vec<(Key, Failure)>> = BTreeMap::new();
        for (key, failure) in &self.groups {
            let listed = failure.documented.is_none() && !failure.effect.is_harmless();
            if listed && !matches!(failure.cause, Cause::Result { .. }) {
                all.entry(failure.call).or_default().push((key.clone(), failure.clone()));
            }
        }
        all
    }

    /// A failure as the fresh process showed it.
    pub fn confirm(&mut self, key: &Key, seen: Failure) {
        if let Some(failure) = self.groups.get_mut(key) {
            let (count, reified) = (failure.count, failure.reified);
            *failure = Failure { count, reified, ..seen };
        }
    }

    /// Hands over.
    pub fn finish(mut self, outcome: &mut Outcome) {
        outcome.figures = self.figures;
        for (key, mut failure) in self.groups {
            failure.calls = self.group_calls.get(&key).map_or(0, |calls| calls.len() as u64);
            let listed = failure.documented.is_none() && !failure.effect.is_harmless();
            match failure.cause {
                Cause::Input { .. } | Cause::Solved { .. } if listed && !failure.confirmed => {
                    self.unconfirmed += 1;
                }
                Cause::Input { .. } | Cause::Solved { .. } => outcome.failures.push(failure),
                Cause::Result { .. } => outcome.warnings.push(failure),
            }
        }
        if self.unconfirmed > 0 {
            let count = self.unconfirmed;
            let plural = if count == 1 { "" } else { "s" };
            outcome.notes.push(format!(
                "{count} failure{plural} did not show again in a fresh process: not reported"
            ));
        }
        outcome.unlifted = self.unlifted;
    }
}

fn size_of(failure: &Failure) -> (usize, u64, Cause) {
    let elements: usize = failure.inputs.iter().map(Vec::len).sum();
    (elements, failure.call, failure.cause.clone())
}
