//! Argument partitions: a small function in which an exception may occur is run on parts of its
//! arguments, which are bisected where the exception may still occur.

use crate::calls::summary::{ArgumentPartitions, Summary};
use crate::fixpoint::interpreter::Interpreter;
use crate::fixpoint::thresholds::Thresholds;
use crate::input_partitions;
use crate::memory::Memory;
use crate::policy::{LEAST_PARTITION_STEPS, MOST_PARTITIONED_ARGUMENTS, SMALL_FUNCTION};
use crate::value::AbstractValue;
use nanoscope_program::ir::{FunctionId, Type};
use nanoscope_sets::Ordinal;
use std::collections::VecDeque;
use std::rc::Rc;

impl Interpreter<'_> {
    /// Runs a function in a context, and, where that was quick and an exception may occur, on
    /// partitions of the arguments; keeps the summary.
    pub fn run_partitioned(
        &mut self,
        id: FunctionId,
        arguments: Vec<AbstractValue>,
        memory: Memory,
    ) -> Rc<Summary> {
        let begun = self.steps;
        let mut call = Rc::new(self.run_once(id, arguments, memory));
        let small = self.steps - begun <= SMALL_FUNCTION;
        let roots = call.record.roots();
        if small
            && self.effort.argument_partitions > 1
            && self.stopped.is_none()
            && roots > 0
            && let Some(closer) = self.run_parts(id, &call)
        {
            let most = self.effort.argument_partitions as u64 * SMALL_FUNCTION;
            let allowed = &mut self.partitions(id).allowed_steps;
            let helped = closer.record.roots() < roots;
            *allowed = if helped {
                (2 * *allowed).min(most)
            } else {
                (*allowed / 2).max(LEAST_PARTITION_STEPS)
            };
            call = Rc::new(closer);
        }
        self.remember(id, &call);
        call
    }

    fn partitions(&mut self, id: FunctionId) -> &mut ArgumentPartitions {
        &mut self.contexts[id.0 as usize].partitions
    }

    /// The join of the summaries on parts of a context, the widest bisected first.
    fn run_parts(&mut self, id: FunctionId, whole: &Rc<Summary>) -> Option<Summary> {
        let end = self.steps + self.partitions(id).allowed_steps;
        let mut parts: Vec<Rc<Summary>> = Vec::new();
        let mut work_list = VecDeque::from([Rc::clone(whole)]);
        while let Some(call) = work_list.pop_front() {
            let halves = if self.steps < end { self.halves(id, &call.arguments) } else { None };
            let Some(halves) = halves else {
                parts.push(call);
                continue;
            };
            for arguments in halves {
                let part = self.part(id, arguments, &whole.memory);
                if self.stopped.is_some() {
                    return None;
                }
                if part.record.roots() > 0 {
                    work_list.push_back(part);
                } else {
                    parts.push(part);
                }
            }
        }
        let mut joined = Summary { made: Vec::new(), ..(**whole).clone() };
        joined.record = Default::default();
        joined.returned = None;
        for call in parts {
            joined.record.join(&call.record);
            joined.made.extend(call.made.iter().cloned());
            joined.assumes |= call.assumes;
            joined.returned = self.either(joined.returned.take(), call.returned.clone());
        }
        joined.record.restrict(&whole.record);
        Some(joined)
    }

    /// The summary on a part of a context.
    fn part(
        &mut self,
        id: FunctionId,
        arguments: Vec<AbstractValue>,
        memory: &Memory,
    ) -> Rc<Summary> {
        let key = arguments.iter().flat_map(ends).collect::<Vec<_>>();
        let known = self.partitions(id).known.get(&key).into_iter().flatten();
        let same = |call: &&Rc<Summary>| call.arguments == arguments && call.memory == *memory;
        if let Some(call) = known.filter(|call| !call.assumes).find(same) {
            return Rc::clone(call);
        }
        let call = Rc::new(self.run_once(id, arguments, memory.clone()));
        self.partitions(id).known.entry(key).or_default().push(Rc::clone(&call));
        call
    }

    /// The halves of arguments, bisected along a float.
    fn halves(
        &mut self,
        id: FunctionId,
        arguments: &[AbstractValue],
    ) -> Option<Vec<Vec<AbstractValue>>> {
        let code = self.code;
        let parameters = &code.function(id).parameters;
        let floats: Vec<usize> = (0..arguments.len().min(parameters.len()))
            .filter(|&at| matches!(parameters[at].ty, Type::Float(_)))
            .collect();
        if floats.is_empty() || floats.len() > MOST_PARTITIONED_ARGUMENTS {
            return None;
        }
        let thresholds = match &self.partitions(id).thresholds {
            Some(thresholds) => Rc::clone(thresholds),
            None => {
                let run = self.graph().reachable(&[id]);
                let functions = run.iter().map(|id| code.function(*id));
                let found = Rc::new(Thresholds::of_functions(code, functions));
                Rc::clone(self.partitions(id).thresholds.insert(found))
            }
        };
        let inputs = floats.iter().map(|&at| arguments[at].clone()).collect();
        let halves = input_partitions::halves(&inputs, &thresholds)?;
        let with = |half: Vec<AbstractValue>| {
            let mut arguments = arguments.to_vec();
            for (&at, value) in floats.iter().zip(half) {
                arguments[at] = value;
            }
            arguments
        };
        Some(halves.map(with).into())
    }
}

/// The bounds of a float.
fn ends(value: &AbstractValue) -> Vec<Ordinal> {
    let bounds = value.as_float().and_then(|floats| floats.get().bounds());
    bounds.map_or(Vec::new(), |(lo, hi)| vec![lo, hi])
}
