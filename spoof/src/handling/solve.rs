//! From a spoof that vanished to an input that does the same: trace the run, ask the solver, run
//! the function on what it gives.

use super::code::operands;
use super::examine::{ExactOutput, Examined, Failing};
use super::{Cause, Effect};
use crate::prototype::Reader;
use crate::reify::{Class, Exceptional, Judgement, Site, exceptional_results, judge_exact};
use crate::run::{Ended, Gone, Patch, Worker};
use crate::sites::Spoof;
use crate::trace::{Memory, Trace};
use nanoscope_search::Budget;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// Longer runs are not given to the solver.
const MOST_STEPS: u64 = 20_000;
/// For each question.
const QUESTION_TIME: Duration = Duration::from_secs(1);

/// So many inputs that fail are looked at before the solver is asked.
const MOST_KNOWN: usize = 20;

/// What came of warnings.
#[derive(Default)]
pub struct Reified {
    /// The warnings that an input is known for, by number.
    pub reified: BTreeSet<usize>,
    /// Inputs from the solver that fail.
    pub found: Vec<Failing>,
    /// Instructions that could not be lifted, and how often they came.
    pub unlifted: BTreeMap<String, usize>,
}

impl Reified {
    /// Notes the warnings whose result is exceptional in a run that fails.
    fn mark(&mut self, warnings: &[Cause], trace: &Trace) {
        let results = exceptional_results(trace);
        let mut executions: BTreeMap<u64, u64> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (step, executed) in trace.steps.iter().enumerate() {
            let execution = executions.entry(executed.address).or_default();
            for (lane, result) in results.get(&step).into_iter().flatten() {
                seen.insert((executed.address, *execution, *lane, *result));
            }
            *execution += 1;
        }
        for (number, warning) in warnings.iter().enumerate() {
            if let Cause::Result { address, execution, lane, spoof } = *warning
                && let Some(result) = exceptional(spoof)
                && seen.contains(&(address, execution, lane.number(), result))
            {
                self.reified.insert(number);
            }
        }
    }
}

/// What a spoofed result is to be.
fn exceptional(spoof: Spoof) -> Option<Exceptional> {
    match spoof {
        Spoof::NaN => Some(Exceptional::Nan),
        Spoof::PlusInfinity => Some(Exceptional::PlusInfinity),
        Spoof::MinusInfinity => Some(Exceptional::MinusInfinity),
        Spoof::Greatest | Spoof::Least | Spoof::Zero => None,
    }
}

impl Examined<'_> {
    /// The run with these inputs, and with a spoofed result if one is given.
    pub fn trace(
        &self,
        worker: &mut Worker,
        function: &str,
        patches: &[Patch],
        spoof: Option<(u64, u64, u32, &[u8])>,
    ) -> Result<Option<Trace>, Gone> {
        self.trace_within(worker, function, patches, spoof, MOST_STEPS)
    }

    /// The same, at most so many steps of it.
    pub fn trace_within(
        &self,
        worker: &mut Worker,
        function: &str,
        patches: &[Patch],
        spoof: Option<(u64, u64, u32, &[u8])>,
        most_steps: u64,
    ) -> Result<Option<Trace>, Gone> {
        let mut memory = self.memory.clone();
        let traced =
            worker.trace(patches, spoof, most_steps, &mut |at, code| operands(at, code))?;
        let memory_after = self.memory_now(worker);
        for patch in patches {
            for piece in &mut memory {
                let start = patch.place.wrapping_sub(piece.address) as usize;
                let end = start.saturating_add(patch.length as usize);
                if patch.place >= piece.address && end <= piece.bytes.len() {
                    let bytes = &patch.bytes[..patch.length as usize];
                    piece.bytes[start..end].copy_from_slice(bytes);
                }
            }
        }
        let returned = matches!(traced.ending.ended, Ended::Clean | Ended::Exceptional);
        let Some(first) = traced.steps.first() else { return Ok(None) };
        Ok(Some(Trace {
            function: function.to_string(),
            address: first.address,
            entry: first.before.clone(),
            arguments: self.bound.arguments.clone(),
            memory,
            steps: traced.steps,
            exit: traced.exit,
            memory_after,
            returned,
        }))
    }

    fn memory_now(&self, worker: &mut Worker) -> Vec<Memory> {
        let mut pieces = Vec::new();
        for region in &self.regions {
            let bytes = worker.read(region.address, region.length as usize).unwrap_or_default();
            pieces.push(Memory { address: region.address, bytes });
        }
        pieces
    }

    /// Seeks inputs on which the spoofs that are `asked` about come about, and runs the function on
    /// them. `warnings` are all that vanished in this call. Inputs that are known to fail are looked at
    /// first: what is exceptional in their runs needs no solver.
    #[expect(clippy::too_many_arguments, reason = "what is known and what may be spent")]
    pub fn reify(
        &self,
        worker: &mut Worker,
        function: &str,
        warnings: &[Cause],
        asked: &[Cause],
        known: &[(usize, usize, Spoof)],
        dump: Option<&Path>,
        budget: &Budget,
    ) -> Result<Reified, Gone> {
        let mut answer = Reified::default();
        // One execution of an instruction stands for the others of the same call.
        let numbers = asked.iter().filter_map(|cause| warnings.iter().position(|w| w == cause));
        let numbers: Vec<usize> = numbers.collect();
        for (argument, element, spoof) in known.iter().take(MOST_KNOWN) {
            if budget.exhausted() || numbers.iter().all(|n| answer.reified.contains(n)) {
                break;
            }
            let bits = self.bound.arguments[*argument].bits;
            let patch = self.patch(*argument, *element, &spoof.bytes(bits));
            let patches: Vec<Patch> = patch.into_iter().collect();
            if let Some(trace) = self.trace(worker, function, &patches, None)? {
                answer.mark(warnings, &trace);
            }
        }
        let mut class = Class::new(1, dump.map(Path::to_path_buf));
        for number in numbers {
            let Cause::Result { address, execution, lane, spoof } = warnings[number] else {
                continue;
            };
            if answer.reified.contains(&number) {
                continue;
            }
            if budget.exhausted() {
                break;
            }
            let Some(result) = exceptional(spoof) else { continue };
            let Some(offset) = self.lane_offset(lane) else { continue };
            let bytes = spoof.bytes(lane.bits());
            let put = Some((address, execution, offset, bytes.as_slice()));
            let Some(trace) = self.trace(worker, function, &[], put)? else { continue };
            let here = trace.steps.iter().enumerate().filter(|(_, step)| step.address == address);
            let Some((step, _)) = here.map(|(k, s)| (k, s.address)).nth(execution as usize) else {
                continue;
            };
            let site = Site { step, lane: lane.number(), result };
            let Some(questions) = class.questions(&trace, site) else { continue };
            for (name, times) in &questions.unlifted {
                *answer.unlifted.entry(name.clone()).or_default() += times;
            }
            let name =
                format!("{function}-{address:x}-{execution}-{}-{}", lane.number(), spoof.name());
            let Ok(solved) = class.solve(&questions, &name, QUESTION_TIME, budget) else {
                continue;
            };
            for input in solved.inputs {
                if let Some((failing, patches)) =
                    self.run_solution(worker, function, &input.values)?
                {
                    let harmless = failing.effect.is_harmless();
                    answer.found.push(failing);
                    if harmless {
                        continue;
                    }
                    if let Some(trace) = self.trace(worker, function, &patches, None)? {
                        answer.mark(warnings, &trace);
                    }
                    answer.reified.insert(number);
                    break;
                }
            }
        }
        Ok(answer)
    }

    /// Runs the function on a solution; gives it if that fails.
    fn run_solution(
        &self,
        worker: &mut Worker,
        function: &str,
        values: &[(usize, usize, u128)],
    ) -> Result<Option<(Failing, Vec<Patch>)>, Gone> {
        let mut patches = Vec::new();
        let (mut exceptional, mut nan) = (false, false);
        let mut infinite = Vec::new();
        for (argument, element, bits) in values {
            let width = self.bound.arguments[*argument].bits;
            let length = if width == 80 { 10 } else { (width / 8) as usize };
            let bytes = &bits.to_le_bytes()[..length];
            if !super::numbers::is_finite(bytes) {
                exceptional = true;
                let value = crate::prototype::as_double(bytes);
                nan |= value.is_nan();
                infinite.push((*argument, *element, value < 0.0));
            }
            patches.extend(self.patch(*argument, *element, bytes));
        }
        let endings = worker.runs(std::slice::from_ref(&patches), self.outputs.len())?;
        let Some((_, ending)) = endings.into_iter().next() else { return Ok(None) };
        let raised = ending.flags & 0b1101 & !self.base_flags != 0;
        // An ending is judged as for an input that is exceptional or raised something.
        let standing = if exceptional || raised { Spoof::NaN } else { Spoof::Zero };
        let Some(mut effect) = self.effect(standing, &ending) else { return Ok(None) };
        let mut exact = Vec::new();
        if !exceptional && effect == Effect::Swallowed {
            (effect, exact) = self.judge(worker, function, &patches)?;
        } else if effect == Effect::Swallowed
            && exceptional
            && !nan
            && self.is_limit(worker, &patches, &infinite, true, &ending.outputs)?
        {
            effect = Effect::Limit;
        }
        let cause = Cause::Solved { values: values.to_vec() };
        let (flags, outputs) = (ending.flags, ending.outputs);
        Ok(Some((Failing { cause, effect, flags, outputs, exact }, patches)))
    }

    /// Whether a run on finite inputs whose exception vanished is wrong, by exact arithmetic.
    pub fn judge(
        &self,
        worker: &mut Worker,
        function: &str,
        patches: &[Patch],
    ) -> Result<(Effect, Vec<ExactOutput>), Gone> {
        let Some(trace) = self.trace(worker, function, patches, None)? else {
            return Ok((Effect::Unjudged, Vec::new()));
        };
        if !trace.returned {
            return Ok((Effect::Unjudged, Vec::new()));
        }
        let judged = judge_exact(&trace);
        let wrong = judged.outputs.iter().filter(|output| output.judgement == Judgement::Wrong);
        let exact = wrong
            .filter_map(|output| Some((output.argument, output.element, output.exact.clone()?)))
            .collect();
        let effect = if judged.is_wrong() {
            Effect::Wrong
        } else if judged.is_harmless() {
            Effect::Harmless
        } else {
            Effect::Unjudged
        };
        Ok((effect, exact))
    }
}
