//! A failure once more, in a process that has run nothing else: what shows there is a finding. And
//! then, step by step, what becomes of its exceptional values.

use super::examine::{Examined, Stand};
use super::{Cause, Effect, Failure, Flow};
use crate::lift::events;
use crate::run::{Ended, Modules, Patch, Worker};

/// A process that has run nothing of the function yet.
pub struct Fresh<'a> {
    pub modules: &'a Modules,
}

/// A run that does not end is given so many times the time that made it suspect.
const PATIENCE: u64 = 10;
/// Hundredths of a second that it is given at least.
const LEAST_TICKS: u64 = 100;
/// And no more than so many, if that is not less than what made it suspect.
const MOST_TICKS: u64 = 2_000;
/// More instructions are not kept for a report.
const MOST_EVENTS: usize = 400;

impl Fresh<'_> {
    /// The failure as it shows here; nothing if it does not.
    pub fn confirm(
        &self,
        stand: &Stand,
        worker: &mut Worker,
        failure: &Failure,
    ) -> Option<Failure> {
        let examined = Examined::bound(stand, worker).ok()?;
        let patches = patches(&examined, failure)?;
        examined.prepare(worker).ok()?;
        let patience = (failure.ticks * PATIENCE).clamp(LEAST_TICKS, MOST_TICKS);
        worker.limit(patience.max(failure.ticks)).ok()?;
        let runs = worker.runs(std::slice::from_ref(&patches), examined.outputs.len()).ok()?;
        let (_, ending) = runs.into_iter().next()?;
        let same = match failure.effect {
            Effect::Endless => ending.ended == Ended::TimedOut,
            Effect::Crash(signal) => ending.ended == Ended::Crashed && ending.signal == signal,
            Effect::Swallowed
            | Effect::Wrong
            | Effect::Limit
            | Effect::Harmless
            | Effect::Unjudged => {
                ending.ended == Ended::Clean
                    && examined.spread(&ending.outputs) == failure.outputs
                    && examined.reports(&ending.outputs).is_none()
            }
        };
        if !same {
            return None;
        }
        let mut seen = Failure { confirmed: true, ..failure.clone() };
        if !matches!(failure.effect, Effect::Crash(_))
            && let Ok(Some(trace)) = examined.trace_within(
                worker,
                &failure.tested.symbol,
                &patches,
                None,
                most_steps(failure.effect),
            )
        {
            for event in events(&trace).into_iter().take(MOST_EVENTS) {
                seen.events.push(Flow {
                    place: self.modules.describe(event.address),
                    location: self.modules.locate(event.address),
                    event,
                });
            }
        }
        Some(seen)
    }
}

/// How much of a run is followed: of one that does not end, what shows the round it goes.
fn most_steps(effect: Effect) -> u64 {
    match effect {
        Effect::Endless => 2_000,
        _ => 20_000,
    }
}

/// What changes the call's inputs to the failure's.
fn patches(examined: &Examined, failure: &Failure) -> Option<Vec<Patch>> {
    let changed: Vec<(usize, usize)> = match &failure.cause {
        Cause::Input { argument, element, .. } => vec![(*argument, *element)],
        Cause::Solved { values } => values.iter().map(|(a, e, _)| (*a, *e)).collect(),
        Cause::Result { .. } => return None,
    };
    let mut patches = Vec::new();
    for (argument, element) in changed {
        let bytes = failure.inputs.get(argument)?.get(element)?;
        patches.extend(examined.patch(argument, element, bytes));
    }
    Some(patches)
}
