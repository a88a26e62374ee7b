//! From a spoof that vanished to an input that does the same: trace the run, ask the solver, run
//! the function on what it gives.

use super::code::operands;
use super::examine::{ExactOutput, Examined, Failing};
use super::{Cause, Effect};
use crate::prototype::Reader;
use crate::reify::{Class, Exceptional, Judgement, Site, judge_exact};
use crate::run::{Ended, Gone, Patch, Worker};
use crate::sites::{Lane, Spoof};
use crate::trace::{Memory, Trace};
use nanoscope_search::Budget;
use std::path::PathBuf;
use std::time::Duration;

/// Longer runs are not given to the solver.
const MOST_STEPS: u64 = 20_000;
/// For each question.
const QUESTION_TIME: Duration = Duration::from_secs(1);

impl Examined<'_> {
    /// The run with these inputs, and with a spoofed result if one is given.
    pub fn trace(
        &self,
        worker: &mut Worker,
        function: &str,
        patches: &[Patch],
        spoof: Option<(u64, u64, u32, &[u8])>,
    ) -> Result<Option<Trace>, Gone> {
        let mut memory = self.memory.clone();
        let traced =
            worker.trace(patches, spoof, MOST_STEPS, &mut |at, code| operands(at, code))?;
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

    /// Asks for inputs on which the spoofs that vanished come about, and runs the function on them.
    /// Gives those that fail, with the number of the spoof each reifies.
    pub fn reify(
        &self,
        worker: &mut Worker,
        function: &str,
        warnings: &[Failing],
        dump: Option<PathBuf>,
        budget: &Budget,
    ) -> Result<Vec<(usize, Failing)>, Gone> {
        let mut class = Class::new(1, dump);
        let mut found = Vec::new();
        let mut asked: Vec<(u64, Lane, Spoof)> = Vec::new();
        for (number, warning) in warnings.iter().enumerate() {
            let Cause::Result { address, execution, lane, spoof } = warning.cause else { continue };
            // One execution of an instruction stands for the others of the same call.
            if budget.exhausted() || asked.contains(&(address, lane, spoof)) {
                continue;
            }
            asked.push((address, lane, spoof));
            let result = match spoof {
                Spoof::NaN => Exceptional::Nan,
                Spoof::PlusInfinity => Exceptional::PlusInfinity,
                Spoof::MinusInfinity => Exceptional::MinusInfinity,
                Spoof::Greatest | Spoof::Least | Spoof::Zero => continue,
            };
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
            let name =
                format!("{function}-{address:x}-{execution}-{}-{}", lane.number(), spoof.name());
            let Ok(solved) = class.solve(&questions, &name, QUESTION_TIME, budget) else {
                continue;
            };
            for input in solved.inputs {
                let values = input.values.clone();
                if let Some(failing) = self.run_solution(worker, function, &values)? {
                    found.push((number, failing));
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Runs the function on a solution; gives it if that fails.
    fn run_solution(
        &self,
        worker: &mut Worker,
        function: &str,
        values: &[(usize, usize, u128)],
    ) -> Result<Option<Failing>, Gone> {
        let mut patches = Vec::new();
        let mut exceptional = false;
        for (argument, element, bits) in values {
            let width = self.bound.arguments[*argument].bits;
            let length = if width == 80 { 10 } else { (width / 8) as usize };
            let bytes = &bits.to_le_bytes()[..length];
            exceptional |= !super::examine::is_finite(bytes);
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
        }
        let cause = Cause::Solved { values: values.to_vec() };
        let (flags, outputs) = (ending.flags, ending.outputs);
        Ok(Some(Failing { cause, effect, flags, outputs, exact }))
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
