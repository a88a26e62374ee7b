//! Functions in their contexts: what a function does is found out once for all calls that are
//! given the same, and, where there are too many different ones, once for all of the others.

use crate::machine::{Machine, Returned};
use crate::memory::{Contents, Memory};
use crate::record::Record;
use crate::renaming::Renaming;
use crate::value::{Landmarks, ObjectId, Pointers, Value};
use nanoscope_program::ir::FunctionId;
use std::collections::HashSet;
use std::rc::Rc;

/// A function that was run on what it was given.
pub struct Call {
    arguments: Vec<Value>,
    memory: Memory,
    returned: Returned,
    /// What was seen in its own code.
    record: Record,
    /// The calls that it made.
    made: Vec<Rc<Call>>,
}

/// The contexts of one function.
#[derive(Default)]
pub struct Contexts {
    known: Vec<Rc<Call>>,
    /// How often the context for all further calls had to grow.
    grown: u32,
    general: Option<(Vec<Value>, Memory)>,
}

/// After so many times, a context that grows does so to the next landmark, and then to the end
/// of everything.
const GROWING: (u32, u32) = (1, 4);

impl Machine<'_> {
    /// Runs a function, unless what it does is known.
    pub fn enter(&mut self, id: FunctionId, arguments: &[Value], mut memory: Memory) -> Returned {
        let function = self.code.function(id);
        let mut arguments = arguments.to_vec();
        let mut copies = Vec::new();
        for (i, parameter) in function.parameters.iter().enumerate() {
            if let (Some((bytes, _)), Some(argument)) = (parameter.copied, arguments.get_mut(i)) {
                let object = ObjectId::Allocated { function: id, register: i as u32, heap: false };
                memory.allocate(object, Contents::unknown(Some(bytes)));
                let copy = Pointers::to(object);
                memory.copy(&copy, &argument.pointers(), Some(bytes), &self.globals);
                *argument = Value::pointer(copy);
                copies.push(object);
            }
        }
        let (arguments, memory, renaming) = Renaming::cut(&arguments, memory);
        let call = self.called(id, arguments, memory);
        let returned = call.returned.clone();
        if self.recording {
            self.made.push(call);
        }
        returned.map(|(value, after)| {
            let (value, mut memory) = renaming.put_back(value, after, &self.globals);
            copies.iter().for_each(|object| memory.end(*object));
            (value, memory)
        })
    }

    /// A call whose context covers this one.
    fn called(&mut self, id: FunctionId, arguments: Vec<Value>, memory: Memory) -> Rc<Call> {
        let at = id.0 as usize;
        let known = &self.contexts[at].known;
        let same = |call: &&Rc<Call>| call.arguments == arguments && call.memory == memory;
        if let Some(call) = known.iter().rev().find(same) {
            return Rc::clone(call);
        }
        if known.len() < self.effort.contexts {
            return self.run_in(id, arguments, memory);
        }
        let covers = |call: &&Rc<Call>| {
            call.arguments.len() == arguments.len()
                && arguments.iter().zip(&call.arguments).all(|(new, old)| new.is_within(old))
                && memory.is_within(&call.memory, &self.globals)
        };
        if let Some(call) = known.iter().rev().find(covers) {
            return Rc::clone(call);
        }
        let (arguments, memory) = self.generalise(id, arguments, memory);
        self.run_in(id, arguments, memory)
    }

    /// A context for this call and for those that went before it.
    fn generalise(
        &mut self,
        id: FunctionId,
        arguments: Vec<Value>,
        memory: Memory,
    ) -> (Vec<Value>, Memory) {
        let contexts = &self.contexts[id.0 as usize];
        let mut wide = (arguments, memory);
        let join = |wide: &mut (Vec<Value>, Memory), arguments: &[Value], memory: &Memory| {
            let pairs = wide.0.iter().zip(arguments);
            let joined = pairs.map(|(a, b)| a.join(b)).collect();
            *wide = (joined, wide.1.join(memory, &self.globals));
        };
        match &contexts.general {
            None => {
                for call in &contexts.known {
                    join(&mut wide, &call.arguments, &call.memory);
                }
            }
            Some((arguments, memory)) => {
                join(&mut wide, arguments, memory);
                let none = Landmarks::NONE;
                let landmarks = match contexts.grown {
                    n if n < GROWING.0 => None,
                    n if n < GROWING.1 => Some(&*self.landmarks),
                    _ => Some(&none),
                };
                if let Some(landmarks) = landmarks {
                    let pairs = arguments.iter().zip(&wide.0);
                    let arguments = pairs.map(|(old, new)| old.widen(new, landmarks)).collect();
                    wide = (arguments, memory.widen(&wide.1, &self.globals, landmarks));
                }
            }
        }
        let contexts = &mut self.contexts[id.0 as usize];
        contexts.grown += 1;
        contexts.general = Some(wide.clone());
        wide
    }

    /// Runs a function in a context, and remembers it.
    fn run_in(&mut self, id: FunctionId, arguments: Vec<Value>, memory: Memory) -> Rc<Call> {
        let outer = (std::mem::take(&mut self.record), std::mem::take(&mut self.made));
        let recording = std::mem::replace(&mut self.recording, true);
        let returned = self.run_function(id, &arguments, memory.clone());
        self.recording = recording;
        let record = std::mem::replace(&mut self.record, outer.0);
        let made = std::mem::replace(&mut self.made, outer.1);
        let call = Rc::new(Call { arguments, memory, returned, record, made });
        if self.stopped.is_none() {
            self.contexts[id.0 as usize].known.push(Rc::clone(&call));
        }
        call
    }

    /// All that was seen, in the code of every function that was run in the end.
    pub fn seen(&mut self) -> Record {
        let mut record = std::mem::take(&mut self.record);
        let mut waiting = std::mem::take(&mut self.made);
        let mut known: HashSet<*const Call> = HashSet::new();
        while let Some(call) = waiting.pop() {
            if known.insert(Rc::as_ptr(&call)) {
                record.join(&call.record);
                waiting.extend(call.made.iter().cloned());
            }
        }
        record
    }
}
