//! Small functions looked at closely: in parts of what they are given, ever smaller ones where
//! something may go wrong. What cannot happen in any part cannot happen.

use crate::contexts::Call;
use crate::grid::Ordinal;
use crate::landmarks::Landmarks;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::parts;
use crate::value::Value;
use nanoscope_program::ir::{FunctionId, Type};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// What was seen of a function in parts of its contexts. Contexts that overlap have parts in
/// common.
pub struct Cells {
    known: HashMap<Vec<Ordinal>, Vec<Rc<Call>>>,
    /// What the function and those that it calls compare with.
    landmarks: Option<Rc<Landmarks>>,
    /// The steps that its next context may take: more after one that helped, fewer after one
    /// that did not.
    allowed: u64,
}

impl Default for Cells {
    fn default() -> Cells {
        Cells { known: HashMap::new(), landmarks: None, allowed: FIRST }
    }
}

/// A function that is run in so many steps is small; it has few floats as parameters.
const SMALL: u64 = 600;
const MOST_FLOATS: usize = 2;

/// The steps that the first context may take, and those that any may: what does not help in many
/// may still help in one on which much depends.
const FIRST: u64 = 15_000;
const LEAST: u64 = 1200;

impl Machine<'_> {
    /// Runs a function in a context, and, where that was quick and something may go wrong in
    /// it, in parts of the context, and remembers what these have in common.
    pub fn run_closely(
        &mut self,
        id: FunctionId,
        arguments: Vec<Value>,
        memory: Memory,
    ) -> Rc<Call> {
        let begun = self.steps;
        let mut call = Rc::new(self.run_once(id, arguments, memory));
        let small = self.steps - begun <= SMALL;
        let roots = call.record.roots();
        if small
            && self.effort.parts > 1
            && self.stopped.is_none()
            && roots > 0
            && let Some(closer) = self.run_parts(id, &call)
        {
            let most = self.effort.parts as u64 * SMALL;
            let allowed = &mut self.cells(id).allowed;
            let helped = closer.record.roots() < roots;
            *allowed = if helped { (2 * *allowed).min(most) } else { (*allowed / 2).max(LEAST) };
            call = Rc::new(closer);
        }
        self.remember(id, &call);
        call
    }

    fn cells(&mut self, id: FunctionId) -> &mut Cells {
        &mut self.contexts[id.0 as usize].cells
    }

    /// Runs a function in parts of a context, the widest first.
    fn run_parts(&mut self, id: FunctionId, whole: &Rc<Call>) -> Option<Call> {
        let end = self.steps + self.cells(id).allowed;
        let mut parts: Vec<Rc<Call>> = Vec::new();
        let mut waiting = VecDeque::from([Rc::clone(whole)]);
        while let Some(call) = waiting.pop_front() {
            let halves = if self.steps < end { self.halves(id, &call.arguments) } else { None };
            let Some(halves) = halves else {
                parts.push(call);
                continue;
            };
            for arguments in halves {
                let part = self.cell(id, arguments, &whole.memory);
                if self.stopped.is_some() {
                    return None;
                }
                if part.record.roots() > 0 {
                    waiting.push_back(part);
                } else {
                    parts.push(part);
                }
            }
        }
        let mut joined = Call { made: Vec::new(), ..(**whole).clone() };
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

    /// What a part of a context gives.
    fn cell(&mut self, id: FunctionId, arguments: Vec<Value>, memory: &Memory) -> Rc<Call> {
        let key = arguments.iter().flat_map(ends).collect::<Vec<_>>();
        let known = self.cells(id).known.get(&key).into_iter().flatten();
        let same = |call: &&Rc<Call>| call.arguments == arguments && call.memory == *memory;
        if let Some(call) = known.filter(|call| !call.assumes).find(same) {
            return Rc::clone(call);
        }
        let call = Rc::new(self.run_once(id, arguments, memory.clone()));
        self.cells(id).known.entry(key).or_default().push(Rc::clone(&call));
        call
    }

    /// The halves of arguments, cut along a float.
    fn halves(&mut self, id: FunctionId, arguments: &[Value]) -> Option<Vec<Vec<Value>>> {
        let code = self.code;
        let parameters = &code.function(id).parameters;
        let floats: Vec<usize> = (0..arguments.len().min(parameters.len()))
            .filter(|&at| matches!(parameters[at].ty, Type::Float(_)))
            .collect();
        if floats.is_empty() || floats.len() > MOST_FLOATS {
            return None;
        }
        let landmarks = match &self.cells(id).landmarks {
            Some(landmarks) => Rc::clone(landmarks),
            None => {
                let run = self.graph().reachable(&[id]);
                let functions = run.iter().map(|id| code.function(*id));
                let found = Rc::new(Landmarks::of_functions(code, functions, &self.constants));
                Rc::clone(self.cells(id).landmarks.insert(found))
            }
        };
        let inputs = floats.iter().map(|&at| arguments[at].clone()).collect();
        let halves = parts::halves(&inputs, &landmarks)?;
        let with = |half: Vec<Value>| {
            let mut arguments = arguments.to_vec();
            for (&at, value) in floats.iter().zip(half) {
                arguments[at] = value;
            }
            arguments
        };
        Some(halves.map(with).into())
    }
}

/// The ends of a float.
fn ends(value: &Value) -> Vec<Ordinal> {
    match value {
        Value::Float(floats) => floats.get().bounds().map_or(Vec::new(), |(lo, hi)| vec![lo, hi]),
        Value::Anything
        | Value::Zeros
        | Value::Integer(_)
        | Value::Pointer(_)
        | Value::Parts(_) => Vec::new(),
    }
}
