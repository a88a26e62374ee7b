//! What the passes bring together: figures by function, failures by what they have in common.

use super::encoding::pairs;
use super::turns::Census;
use super::{Cause, Effect, Failure, Figures, Options, SpoofRun, Tested};
use crate::sites::Spoof;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What groups failures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    pub tested: Tested,
    pub place: String,
    pub spoof: Spoof,
    pub effect: Effect,
    pub documented: Option<String>,
}

/// By class, a call and what was spoofed in it.
type ByClass = BTreeMap<u64, (u64, Cause)>;

/// What the passes bring together.
#[derive(Default, Serialize, Deserialize)]
pub struct Gathered {
    /// The calls whose inputs were spoofed.
    pub inputs_done: BTreeSet<u64>,
    /// Calls whose inputs were spoofed in part: the first spoof that was not tried.
    pub partial: BTreeMap<u64, u64>,
    /// The calls whose results were spoofed.
    pub results_done: BTreeSet<u64>,
    /// What the solver was asked.
    pub asked: BTreeSet<(u64, Cause)>,
    #[serde(with = "pairs")]
    pub figures: BTreeMap<Tested, Figures>,
    #[serde(with = "pairs")]
    groups: BTreeMap<Key, Failure>,
    #[serde(with = "pairs")]
    group_calls: BTreeMap<Key, BTreeSet<u64>>,
    /// The classes of calls, by function.
    pub classes: BTreeSet<(usize, u64)>,
    /// The first call of each kind: by function, class, and the integers and characters it is given.
    #[serde(with = "pairs")]
    pub kinds: BTreeMap<(usize, u64, u64), u64>,
    /// Functions of which spoofs were left out, for want of time or since a process was lost.
    pub cut_short: BTreeSet<usize>,
    /// Calls that were another function's than in the first run.
    pub strays: BTreeSet<u64>,
    pub spoofs: u64,
    /// Spoofed results that vanished, by function, instruction and value: in every class the first.
    #[serde(with = "pairs")]
    warned: BTreeMap<(Tested, u64, Spoof), ByClass>,
    /// How long the solver has worked, by function.
    #[serde(with = "pairs")]
    pub solving: BTreeMap<Tested, Duration>,
    /// What the solver has not been asked yet.
    pub questions: u64,
    /// What failed with finite inputs, by function, argument and value: what it came to the last
    /// time, and how often it was judged.
    #[serde(with = "pairs")]
    pub judged: BTreeMap<(Tested, usize, Spoof), (Effect, u32)>,
    /// Arguments whose elements are observed, and that some call writes.
    pub written: BTreeSet<(Tested, usize)>,
    /// The inputs that failed, by call: argument, element, value.
    pub failing_inputs: BTreeMap<u64, Vec<(usize, usize, Spoof)>>,
    pub unlifted: BTreeMap<String, u64>,
    unconfirmed: u64,
}

impl Gathered {
    /// Counts a failure with those of the same kind; the smallest stands for all. `failure` is
    /// asked for if this one is to.
    pub fn add(&mut self, key: Key, size: (usize, u64, Cause), failure: impl FnOnce() -> Failure) {
        let figures = self.figures.entry(key.tested.clone()).or_default();
        let counts = key.documented.is_none() && !key.effect.is_harmless();
        match size.2 {
            Cause::Input { .. } if counts => figures.input_failures += 1,
            Cause::Result { .. } if counts => figures.result_warnings += 1,
            Cause::Input { .. } | Cause::Result { .. } | Cause::Solved { .. } => {}
        }
        self.group_calls.entry(key.clone()).or_default().insert(size.1);
        match self.groups.get_mut(&key) {
            None => {
                self.groups.insert(key, failure());
            }
            Some(group) => {
                let count = group.count + 1;
                if size < size_of(group) {
                    *group = failure();
                }
                group.count = count;
            }
        }
    }

    /// Notes that the inputs of a call were spoofed.
    pub fn end_inputs(&mut self, call: u64) {
        self.inputs_done.insert(call);
        self.partial.remove(&call);
    }

    /// Notes a call of a kind. The first one stands for all, until its results were spoofed.
    pub fn see_kind(&mut self, kind: (usize, u64, u64), call: u64) {
        let representative = self.kinds.entry(kind).or_insert(call);
        if !self.results_done.contains(representative) {
            *representative = (*representative).min(call);
        }
    }

    /// The calls whose results are still to be spoofed: one of each kind, or all.
    pub fn without_results(&self, every_call: bool) -> BTreeSet<u64> {
        let calls: Vec<u64> = match every_call {
            true => self.inputs_done.iter().copied().collect(),
            false => self.kinds.values().copied().collect(),
        };
        calls.into_iter().filter(|call| !self.results_done.contains(call)).collect()
    }

    /// Notes a spoofed result that vanished in a call of a class.
    pub fn warn(&mut self, tested: &Tested, class: u64, call: u64, cause: &Cause) {
        let Cause::Result { address, spoof, .. } = *cause else { return };
        let classes = self.warned.entry((tested.clone(), address, spoof)).or_default();
        let first = classes.entry(class).or_insert_with(|| (call, cause.clone()));
        if (call, cause) < (first.0, &first.1) && !self.asked.contains(first) {
            *first = (call, cause.clone());
        }
    }

    /// Settles what the solver is asked for: by call, the spoofs that vanished. The same instruction and value
    /// is asked for in so many classes at most, those that came first.
    pub fn take_questions(&mut self, most_classes: usize) -> BTreeMap<u64, Vec<Cause>> {
        let mut all: BTreeMap<u64, Vec<Cause>> = BTreeMap::new();
        for classes in self.warned.values() {
            let (asked, mut open): (Vec<_>, Vec<_>) =
                classes.values().partition(|question| self.asked.contains(question));
            open.sort();
            for (call, cause) in open.into_iter().take(most_classes.saturating_sub(asked.len())) {
                all.entry(*call).or_default().push(cause.clone());
            }
        }
        self.questions = all.values().map(|causes| causes.len() as u64).sum();
        all
    }

    /// Counts a spoofed result that an input was found for.
    pub fn reified(&mut self, key: &Key) {
        self.figures.entry(key.tested.clone()).or_default().reified += 1;
        if let Some(group) = self.groups.get_mut(key) {
            group.reified += 1;
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

    /// Of each function that is called, by its number, whether nothing is left to do.
    pub fn whole(&self, census: &Census, options: &Options) -> BTreeMap<usize, bool> {
        let mut whole: BTreeMap<usize, bool> =
            census.by_function().into_keys().map(|function| (function, true)).collect();
        let open = (1..=census.len()).filter(|call| !self.inputs_done.contains(call));
        let no_results = options.results.then(|| self.without_results(options.every_call));
        for call in open.chain(no_results.into_iter().flatten()) {
            if let Some(function) = census.function(call) {
                whole.insert(function, false);
            }
        }
        whole.extend(self.cut_short.iter().map(|function| (*function, false)));
        whole
    }

    /// Hands over.
    pub fn finish(mut self, census: &Census, options: &Options, outcome: &mut SpoofRun) {
        let calls = census.by_function();
        for (function, whole) in self.whole(census, options) {
            let Some(tested) = census.functions.get(function) else { continue };
            let figures = self.figures.entry(tested.clone()).or_default();
            figures.calls = calls[&function];
            figures.whole = whole;
        }
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
                "{count} failure{plural} did not hold in a fresh process, or told the caller in another way: not \
                 reported"
            ));
        }
        if !self.strays.is_empty() {
            outcome.notes.push(format!(
                "{} calls were of other functions than in the first run: the program does not do the \
                 same each time, and they were not spoofed",
                self.strays.len()
            ));
        }
        outcome.unlifted = self.unlifted;
    }
}

fn size_of(failure: &Failure) -> (usize, u64, Cause) {
    let elements: usize = failure.inputs.iter().map(Vec::len).sum();
    (elements, failure.call, failure.cause.clone())
}
