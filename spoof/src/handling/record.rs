//! What failed in a call: finite inputs are judged, and a failure is kept with everything that a report needs.

use super::code::disassemble;
use super::examine::Kept;
use super::gather::{Gathered, Key};
use super::pass::{Job, Pass};
use super::{Cause, Effect, Examined, Failing, Failure, Tested, is_finite, lock, scalar_bytes};
use crate::run::Worker;
use crate::sites::Spoof;

/// Failures of finite inputs are judged so often for each parameter and value.
const MOST_JUDGED: u32 = 5;

impl Pass<'_> {
    /// Judges failures of finite inputs by exact arithmetic, once for each parameter and value.
    pub(super) fn judge_finite(
        &self,
        examined: &Examined,
        worker: &mut Worker,
        tested: &Tested,
        failing: &mut [Failing],
    ) {
        for failure in failing {
            let Cause::Input { argument, element, spoof } = failure.cause else { continue };
            if spoof.is_exceptional()
                || failure.effect != Effect::Swallowed
                || examined.documented(&failure.cause).is_some()
            {
                continue;
            }
            let key = (tested.clone(), argument, spoof);
            let known = lock(self.gathered).judged.get(&key).copied();
            // What was tried often enough is looked at no more.
            if known.is_some_and(|(_, times)| times >= MOST_JUDGED) {
                failure.effect = Effect::Unjudged;
                continue;
            }
            let bits = examined.bound.arguments[argument].bits;
            let patch = examined.patch(argument, element, &spoof.bytes(bits));
            let patches: Vec<_> = patch.into_iter().collect();
            let judged = examined.judge(worker, &tested.symbol, &patches);
            (failure.effect, failure.exact) = judged.unwrap_or((Effect::Unjudged, Vec::new()));
            if failure.effect == Effect::Unjudged
                && let Some(negative) = spoof.end()
                && let Ok(Some(usual)) =
                    examined.saturates(worker, (argument, element, negative), &failure.outputs)
            {
                (failure.effect, failure.exact) = (Effect::Wrong, usual);
            }
            let judged = failure.effect;
            let times = known.map_or(0, |(_, times)| times) + 1;
            lock(self.gathered).judged.insert(key, (judged, times));
        }
    }

    /// Counts a failure, and keeps it with everything a report needs if it stands for its kind.
    pub(super) fn add(
        &self,
        gathered: &mut Gathered,
        examined: &Examined,
        job: &Job,
        tested: &Tested,
        class: u64,
        failing: Failing,
    ) {
        let arguments = &examined.bound.arguments;
        let documented = examined.documented(&failing.cause);
        let (place, spoof) = match &failing.cause {
            Cause::Input { argument, spoof, .. } => (arguments[*argument].name.clone(), *spoof),
            Cause::Result { address, spoof, .. } => (job.modules.describe(*address), *spoof),
            Cause::Solved { values } => {
                let mut names: Vec<&str> = Vec::new();
                let mut exceptional = Spoof::Greatest;
                for (argument, _, bits) in values {
                    let owner = &arguments[*argument];
                    let length = scalar_bytes(owner.kind, owner.bits) as usize;
                    if !is_finite(&bits.to_le_bytes()[..length]) {
                        exceptional = Spoof::NaN;
                    }
                    names.push(&owner.name);
                }
                names.dedup();
                (names.join(", "), exceptional)
            }
        };
        let key = Key {
            tested: tested.clone(),
            place: place.clone(),
            spoof,
            effect: failing.effect,
            documented: documented.clone(),
        };
        let elements = arguments.iter().map(|argument| argument.elements.len()).sum();
        let size = (elements, job.call, failing.cause.clone());
        gathered.add(key, size, || {
            self.describe(examined, job, tested, class, failing, place, documented)
        });
    }

    /// A failure with everything a report needs.
    #[expect(clippy::too_many_arguments, reason = "what a call and its failure are")]
    fn describe(
        &self,
        examined: &Examined,
        job: &Job,
        tested: &Tested,
        class: u64,
        failing: Failing,
        place: String,
        documented: Option<String>,
    ) -> Failure {
        let arguments = &examined.bound.arguments;
        let mut inputs = Vec::new();
        for argument in arguments {
            let length = scalar_bytes(argument.kind, argument.bits) as usize;
            let mut values = Vec::new();
            for element in &argument.elements {
                values.push(if element.input {
                    let kept = &mut Kept(&examined.memory);
                    crate::prototype::bytes_at(&job.state, kept, element.place, length)
                        .unwrap_or_default()
                } else {
                    Vec::new()
                });
            }
            inputs.push(values);
        }
        match &failing.cause {
            Cause::Input { argument, element, spoof } => {
                inputs[*argument][*element] = spoof.bytes(arguments[*argument].bits);
            }
            Cause::Solved { values } => {
                for (argument, element, bits) in values {
                    let owner = &arguments[*argument];
                    let length = scalar_bytes(owner.kind, owner.bits) as usize;
                    inputs[*argument][*element] = bits.to_le_bytes()[..length].to_vec();
                }
            }
            Cause::Result { .. } => {}
        }
        let (address, instruction) = match &failing.cause {
            Cause::Input { .. } | Cause::Solved { .. } => (job.state.rip, String::new()),
            Cause::Result { address, .. } => {
                let instruction = self.code.instruction(*address, &job.modules);
                (*address, instruction.map(|i| disassemble(&i)).unwrap_or_default())
            }
        };
        Failure {
            tested: tested.clone(),
            place,
            location: job.modules.locate(address),
            instruction,
            effect: failing.effect,
            documented,
            flags: failing.flags,
            call: job.call,
            class,
            arguments: arguments.clone(),
            inputs,
            outputs: examined.spread(&failing.outputs),
            expected: examined.spread(&examined.base),
            cause: failing.cause,
            exact: failing.exact,
            count: 1,
            calls: 0,
            reified: 0,
            ticks: examined.ticks,
            usual_message: examined.base_told,
            confirmed: false,
            unread: false,
            events: Vec::new(),
            decisions: Vec::new(),
            also: Vec::new(),
        }
    }
}
