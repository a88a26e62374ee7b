//! A failure once more, in a process that has run nothing else: what shows there is a finding. And
//! then, step by step, what becomes of its exceptional values.

use super::decide::decisions;
use super::examine::{Examined, Stand};
use super::numbers::{is_finite, scalar_bytes};
use super::observe::{Observation, leaves_elsewhere, opens_unknown};
use super::told;
use super::{Cause, Effect, Failure, Flow, Tested};
use crate::lift::events;
use crate::prototype::{Argument, Element, Language, Place, Reader};
use crate::run::{Ended, Modules, Patch, Worker};
use crate::trace::Trace;
use std::collections::BTreeSet;

/// A process that has run nothing of the function yet.
pub struct Fresh<'a> {
    pub modules: &'a Modules,
    /// Arguments with observed elements that some call writes.
    pub written: BTreeSet<(Tested, usize)>,
}

/// A run that does not end is given so many times the time that made it suspect.
const PATIENCE: u64 = 10;
/// Hundredths of a second that it is given at least.
const LEAST_TICKS: u64 = 100;
/// And no more than so many, if that is not less than what made it suspect.
const MOST_TICKS: u64 = 2_000;
/// How much of a run is followed.
const MOST_STEPS: u64 = 20_000;
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
        let mut examined = Examined::bound_as(stand, worker, &failure.arguments).ok()?;
        if examined.compares_with_usual() {
            examined.set_usual(&failure.expected);
        }
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
                    && (ending.told == 0 || ending.told == failure.usual_message)
                    && examined.spread(&ending.outputs) == failure.outputs
                    && examined.reports(&ending).is_none()
            }
        };
        if !same {
            return None;
        }
        let mut seen = Failure { confirmed: true, ..failure.clone() };
        if !matches!(failure.effect, Effect::Crash(_))
            && let Ok(Some(trace)) =
                examined.trace_within(worker, &failure.tested.symbol, &patches, None, MOST_STEPS)
        {
            let (others, elsewhere) = other_elements(stand, &trace, worker);
            let long = !trace.returned && failure.effect != Effect::Endless;
            if elsewhere
                || long
                    && opens_unknown(stand.prototype)
                    && leaves_elsewhere(
                        stand.prototype,
                        &trace.arguments,
                        stand.state,
                        stand.modules,
                        worker,
                        &patches,
                    )
                    .ok()?
                || goes_elsewhere(&others, &trace, worker)
                || told::by_argument(&others, &trace.arguments, worker)
                || trace.returned && self.stays(&failure.tested, &trace, worker)
            {
                return None;
            }
            add_inputs(&mut seen, stand.prototype.language, others, worker);
            // The undisturbed run that this makes changes memory: it comes last.
            if stand.prototype.is_derived()
                && trace.returned
                && self.modules.at(stand.state.rip).is_some_and(|module| {
                    told::by_variable(&examined, worker, module, &trace, MOST_STEPS)
                })
            {
                return None;
            }
            seen.decisions = decisions(&trace, self.modules);
            let events = events(&trace);
            seen.unread = trace.returned
                && events.is_empty()
                && matches!(failure.cause, Cause::Input { spoof, .. } if spoof.is_exceptional());
            for event in events.into_iter().take(MOST_EVENTS) {
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

impl Fresh<'_> {
    /// Whether an exceptional value stays in an element that this call leaves alone, of an argument that
    /// other calls write: the caller finds it there.
    fn stays(&self, tested: &Tested, trace: &Trace, worker: &mut Worker) -> bool {
        let all = trace.arguments.iter().enumerate();
        all.filter(|(number, _)| self.written.contains(&(tested.clone(), *number))).any(
            |(_, argument)| {
                let mut left_alone = argument.elements.iter().filter(|element| !element.output);
                left_alone.any(|element| is_exceptional_at(worker, argument, element.place))
            },
        )
    }
}

fn is_exceptional_at(worker: &mut Worker, argument: &Argument, place: Place) -> bool {
    match place {
        Place::Memory(_) if !argument.kind.is_float() => false,
        Place::Memory(address) => worker
            .read(address, scalar_bytes(argument.kind, argument.bits) as usize)
            .is_some_and(|bytes| !is_finite(&bytes)),
        Place::General { .. } | Place::Vector { .. } | Place::X87(_) => false,
    }
}

/// The elements of observed arguments that this run references otherwise than the undisturbed one, and whether an
/// exceptional value went where a pointer leads that nothing is known of.
fn other_elements(
    stand: &Stand,
    trace: &Trace,
    worker: &mut Worker,
) -> (Vec<(usize, Element)>, bool) {
    if !stand.prototype.is_derived() && !stand.prototype.parameters.iter().any(|p| p.observed) {
        return (Vec::new(), false);
    }
    let mut observation =
        Observation::new(stand.prototype, &trace.arguments, &trace.entry, stand.modules, worker);
    trace.steps.iter().for_each(|step| observation.step(step));
    let mut others = Vec::new();
    for (number, elements) in observation.elements(stand.prototype) {
        let known = &trace.arguments[number].elements;
        let is_known = |e: &Element| {
            known.iter().any(|k| k.place == e.place && k.output >= e.output && k.input >= e.input)
        };
        others.extend(elements.into_iter().filter(|e| !is_known(e)).map(|e| (number, e)));
    }
    (others, observation.goes_elsewhere(worker))
}

/// Whether a run leaves an exceptional value in an element that the undisturbed run does not write.
fn goes_elsewhere(others: &[(usize, Element)], trace: &Trace, worker: &mut Worker) -> bool {
    let mut written = others.iter().filter(|(number, element)| {
        let known = &trace.arguments[*number].elements;
        element.output && !known.iter().any(|k| k.output && k.place == element.place)
    });
    written.any(|(number, element)| {
        is_exceptional_at(worker, &trace.arguments[*number], element.place)
    })
}

/// What this run reads and the undisturbed one does not is an input too.
fn add_inputs(
    seen: &mut Failure,
    language: Language,
    others: Vec<(usize, Element)>,
    worker: &mut Worker,
) {
    for (number, mut element) in others {
        let argument = &mut seen.arguments[number];
        // The only one of the undisturbed run has the argument's name.
        if element.name == argument.name {
            element.name.push_str(match language {
                Language::C => "[0]",
                Language::Fortran => "(1)",
            });
        }
        let is_known = argument.elements.iter().any(|known| known.place == element.place);
        let Place::Memory(address) = element.place else { continue };
        if is_known || !element.input || element.output {
            continue;
        }
        let length = scalar_bytes(argument.kind, argument.bits) as usize;
        let Some(bytes) = worker.read(address, length) else { continue };
        argument.elements.push(element);
        seen.inputs[number].push(bytes);
        seen.outputs[number].push(Vec::new());
        seen.expected[number].push(Vec::new());
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
