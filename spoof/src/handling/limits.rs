//! What a call tends to when an input grows: an infinity that gives the same is handled as mathematics has it.

use super::examine::{ExactOutput, Examined};
use super::numbers::number_bytes;
use super::{Cause, Effect, Failing};
use crate::run::{Ended, Ending, Gone, Patch, Worker};

/// How many large numbers are tried.
const LARGE_STEPS: usize = 11;

/// In ascending order.
fn large_numbers(bits: u32) -> &'static [f64; LARGE_STEPS] {
    if bits == 32 {
        &[30.0, 80.0, 1e3, 1e6, 1e9, 1e15, 3e18, 1e24, 1e30, 1e34, 1e37]
    } else {
        &[30.0, 80.0, 700.0, 1e6, 1e15, 1e50, 1e150, 1e200, 1e250, 1e290, 1e305]
    }
}

impl Examined<'_> {
    /// An infinity or an extreme whose outputs are those that large numbers tend to is handled as
    /// mathematics has it: 1/(1+exp(-x)) is 0 for -inf.
    pub(super) fn find_limits(
        &self,
        worker: &mut Worker,
        failing: &mut [Failing],
    ) -> Result<(), Gone> {
        for failure in failing.iter_mut() {
            let Cause::Input { argument, element, spoof } = failure.cause else { continue };
            let Some(negative) = spoof.end() else { continue };
            if failure.effect != Effect::Swallowed || self.documented(&failure.cause).is_some() {
                continue;
            }
            let large = [(argument, element, negative)];
            let infinite = spoof.is_exceptional();
            if self.is_limit(worker, &[], &large, infinite, &failure.outputs)? {
                failure.effect = Effect::Limit;
            }
        }
        Ok(())
    }

    /// Whether outputs are those that a call tends to when these inputs (argument, element, whether
    /// negative) grow. The largest numbers that raise nothing must give the same; for infinities it is
    /// enough that the outputs come ever nearer.
    pub fn is_limit(
        &self,
        worker: &mut Worker,
        patches: &[Patch],
        growing: &[(usize, usize, bool)],
        infinite: bool,
        outputs: &[u8],
    ) -> Result<bool, Gone> {
        let mut quiet = self.quiet_large(worker, patches, growing)?;
        // The same three times and then another: an integer that wraps is no limit.
        if let [.., a, b, c, last] = quiet.as_slice()
            && a.outputs == b.outputs
            && b.outputs == c.outputs
            && !self.close(&c.outputs, &last.outputs)
        {
            quiet.pop();
        }
        let near = quiet.last().is_some_and(|last| self.close(&last.outputs, outputs));
        Ok(near || infinite && self.tends(&quiet, outputs))
    }

    /// The endings of a call with ever larger inputs, where nothing is raised.
    fn quiet_large(
        &self,
        worker: &mut Worker,
        patches: &[Patch],
        growing: &[(usize, usize, bool)],
    ) -> Result<Vec<Ending>, Gone> {
        let mut runs = Vec::new();
        for step in 0..LARGE_STEPS {
            let mut run = patches.to_vec();
            for &(argument, element, negative) in growing {
                let bits = self.bound.arguments[argument].bits;
                let large = large_numbers(bits)[step];
                let bytes = number_bytes(if negative { -large } else { large }, bits);
                run.extend(self.patch(argument, element, &bytes));
            }
            runs.push(run);
        }
        let endings = worker.runs(&runs, self.outputs.len())?.into_iter().map(|(_, ending)| ending);
        // Another input may stand at a pole.
        let loud = if patches.is_empty() { 0b1101 } else { 0b1001 };
        let quiet = |ending: &Ending| {
            ending.ended == Ended::Clean && ending.flags & loud & !self.base_flags == 0
        };
        Ok(endings.filter(quiet).collect())
    }

    /// What all large numbers give that raise nothing, if it is the same and these outputs are others: a
    /// table whose last entry they have, of which an index that overflows takes the first.
    pub fn saturates(
        &self,
        worker: &mut Worker,
        growing: (usize, usize, bool),
        outputs: &[u8],
    ) -> Result<Option<Vec<ExactOutput>>, Gone> {
        const ALIKE: usize = 3;
        let quiet = self.quiet_large(worker, &[], &[growing])?;
        let Some(largest) = quiet.len().checked_sub(ALIKE).map(|from| &quiet[from..]) else {
            return Ok(None);
        };
        let usual = &largest[0].outputs;
        if largest.iter().any(|ending| ending.outputs != *usual) || self.close(usual, outputs) {
            return Ok(None);
        }
        let mut exact = Vec::new();
        for (k, output) in self.outputs.iter().enumerate().filter(|(_, output)| output.floating) {
            let at = 16 * k..16 * k + output.bytes as usize;
            if let Some((a, e)) = self.output_elements[k]
                && usual[at.clone()] != outputs[at.clone()]
            {
                let value = crate::prototype::as_double(&usual[at]);
                exact.push((
                    a,
                    e,
                    format!("{value} (as for the large numbers that raise nothing)"),
                ));
            }
        }
        Ok((!exact.is_empty()).then_some(exact))
    }

    /// Whether the outputs of growing inputs come nearer and nearer to these, as 1/x comes to 0.
    fn tends(&self, growing: &[Ending], limit: &[u8]) -> bool {
        let [.., a, b, c] = growing else { return false };
        let far = |ending: &Ending| self.distances(&ending.outputs, limit);
        let (Some(a), Some(b), Some(c)) = (far(a), far(b), far(c)) else { return false };
        let nearer = |from: f64, to: f64| to <= from / 2.0;
        a.iter().zip(&b).zip(&c).all(|((a, b), c)| nearer(*a, *b) && nearer(*b, *c))
    }

    /// How far the floating-point outputs are apart; none if others differ.
    fn distances(&self, a: &[u8], b: &[u8]) -> Option<Vec<f64>> {
        let mut all = Vec::new();
        for (k, output) in self.outputs.iter().enumerate() {
            let at = 16 * k..16 * k + output.bytes as usize;
            let (a, b) = (&a[at.clone()], &b[at]);
            if output.floating {
                let (a, b) = (crate::prototype::as_double(a), crate::prototype::as_double(b));
                all.push((a - b).abs());
            } else if a != b && self.output_elements[k].is_some() {
                return None;
            }
        }
        Some(all)
    }

    /// Whether two sets of outputs are the same for practical purposes.
    fn close(&self, a: &[u8], b: &[u8]) -> bool {
        self.outputs.iter().enumerate().all(|(k, output)| {
            let at = 16 * k..16 * k + output.bytes as usize;
            let (a, b) = (&a[at.clone()], &b[at]);
            if !output.floating || a == b {
                return a == b || self.output_elements[k].is_none();
            }
            let (a, b) = (crate::prototype::as_double(a), crate::prototype::as_double(b));
            (a - b).abs() <= 1e-3 * a.abs().max(b.abs()).max(1e-6)
        })
    }
}
