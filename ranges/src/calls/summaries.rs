//! Summaries by context: a function is run once for all calls with the same arguments and memory,
//! and, where there are too many, once for all further calls from the same site.

use crate::calls::summary::{Made, Returned, SharedContext, Summary};
use crate::domain::recurrences::Recurrences;
use crate::fixpoint::interpreter::Interpreter;
use crate::integers::Integers;
use crate::memory::address::{ObjectId, Pointers};
use crate::memory::renaming::{PutBack, Renaming};
use crate::memory::{Contents, Memory};
use crate::policy::{SHARED_CONTEXT_JOINS, SHARED_CONTEXT_WIDENINGS};
use crate::record::Record;
use crate::value::AbstractValue;
use nanoscope_program::ir::FunctionId;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// A hash of arguments.
fn digest(arguments: &[AbstractValue]) -> u64 {
    let mut hasher = DefaultHasher::new();
    arguments.hash(&mut hasher);
    hasher.finish()
}

/// What a callee is given, and what undoes the renaming.
pub struct Passed {
    pub arguments: Vec<AbstractValue>,
    pub memory: Memory,
    pub renaming: Renaming,
    /// The copies of objects that are passed by value.
    pub copies: Vec<ObjectId>,
}

impl Interpreter<'_> {
    /// Enters a function: applies a summary, or makes one.
    pub fn enter(
        &mut self,
        id: FunctionId,
        arguments: &[AbstractValue],
        memory: Memory,
    ) -> Returned {
        let Passed { arguments, memory, renaming, copies } = self.pass(id, arguments, memory);
        let call_site = self.call_site;
        let mut returned: Returned = None;
        for arguments in self.unwrapped(arguments) {
            self.call_site = call_site;
            let (value, made) = self.summary(id, arguments, memory.clone());
            if self.recording {
                self.made.push(made);
            }
            returned = self.either(returned, value);
        }
        returned.map(|returned| self.put_back(renaming, &copies, returned))
    }

    /// The result of a call and the memory after it, as the caller sees them.
    pub fn put_back(
        &mut self,
        renaming: Renaming,
        copies: &[ObjectId],
        (value, after): (AbstractValue, Memory),
    ) -> (AbstractValue, Memory) {
        let PutBack { value, mut memory, called_back } =
            renaming.put_back(value, after, &self.globals);
        self.call_back(called_back);
        copies.iter().for_each(|object| memory.end(*object));
        (value, memory)
    }

    /// The arguments and the memory as a callee sees them.
    pub fn pass(
        &mut self,
        id: FunctionId,
        arguments: &[AbstractValue],
        mut memory: Memory,
    ) -> Passed {
        let function = self.code.function(id);
        let mut arguments = arguments.to_vec();
        if !function.variadic {
            let facts = self.facts(id).expressions.len();
            arguments.resize(function.parameters.len() + facts, AbstractValue::Anything);
        }
        let mut copies = Vec::new();
        for (i, parameter) in function.parameters.iter().enumerate() {
            if let (Some((bytes, _)), Some(argument)) = (parameter.copied, arguments.get_mut(i)) {
                let object = ObjectId::Allocated { function: id, register: i as u32, heap: false };
                memory.allocate(object, Contents::unknown(Some(bytes)));
                let copy = Pointers::to(object);
                memory.copy(&copy, &argument.pointers(), Some(bytes), &self.globals);
                *argument = AbstractValue::pointer(copy);
                copies.push(object);
            }
        }
        let bound = self.recursion_bound(id);
        let (arguments, memory, renaming) = Renaming::cut(&arguments, memory, bound);
        Passed { arguments, memory, renaming, copies }
    }

    /// Arguments, with an integer of two separate intervals in two: values that wrapped around
    /// say little together with the others.
    fn unwrapped(&self, arguments: Vec<AbstractValue>) -> Vec<Vec<AbstractValue>> {
        let pieces = |value: &AbstractValue| match value.as_integer() {
            Some(integers) if integers.bits > 1 => {
                let pieces = integers.pieces();
                pieces.map(|(lo, hi)| Integers::between(integers.bits, lo, hi)).collect()
            }
            Some(_) | None => Vec::new(),
        };
        let split = arguments.iter().map(pieces).enumerate().find(|(_, pieces)| pieces.len() > 1);
        match split {
            Some((at, pieces)) if self.effort.argument_partitions > 1 => {
                let with = |piece: Integers| {
                    let mut arguments = arguments.clone();
                    arguments[at] = AbstractValue::Integer(piece);
                    arguments
                };
                pieces.into_iter().map(with).collect()
            }
            Some(_) | None => vec![arguments],
        }
    }

    /// The join of two results.
    pub fn either(&self, one: Returned, other: Returned) -> Returned {
        match (one, other) {
            (Some(a), Some(b)) => Some((a.0.join(&b.0), a.1.join(&b.1, &self.globals))),
            (one, other) => one.or(other),
        }
    }

    /// The result of a summary whose context includes this one.
    fn summary(
        &mut self,
        id: FunctionId,
        arguments: Vec<AbstractValue>,
        memory: Memory,
    ) -> (Returned, Made) {
        let known = &self.contexts[id.0 as usize].known;
        let mark = digest(&arguments);
        let same = |(known, call): &&(u64, Rc<Summary>)| {
            *known == mark && call.arguments == arguments && call.memory == memory
        };
        if let Some((_, call)) = known.iter().rev().find(same) {
            self.recursions.assuming |= call.assumes;
            return (call.returned.clone(), Made::Run(Rc::clone(call)));
        }
        let active = self.active.iter().filter(|active| **active == id).count();
        let recursive = active >= self.effort.recursion;
        if known.len() < self.effort.contexts && !recursive {
            let call = self.run_partitioned(id, arguments, memory);
            return (call.returned.clone(), Made::Run(call));
        }
        let covers = |context: (&Vec<AbstractValue>, &Memory)| {
            context.0.len() == arguments.len()
                && arguments.iter().zip(context.0).all(|(new, old)| new.is_within(old))
                && memory.is_within(context.1, &self.globals)
        };
        // The contexts of other call sites may be far larger, and their results less precise.
        let call_site = self.call_site;
        let covering = |call: &&Rc<Summary>| {
            call.call_site == call_site && covers((&call.arguments, &call.memory))
        };
        if let Some(call) = known.iter().rev().map(|(_, call)| call).find(covering) {
            self.recursions.assuming |= call.assumes;
            return (call.returned.clone(), Made::Run(Rc::clone(call)));
        }
        if recursive {
            let running = &self.recursions.running;
            let Some(at) = running.iter().rposition(|recursion| recursion.function == id) else {
                return self.recur(id, arguments, memory);
            };
            let covered = covers((&running[at].arguments, &running[at].memory));
            if !covered {
                self.grow(at, &arguments, &memory);
            }
            let recursion = &mut self.recursions.running[at];
            recursion.called = true;
            self.recursions.assuming = true;
            let recursion = &self.recursions.running[at];
            return (recursion.assumed.clone(), Made::Recursive(recursion.number));
        }
        let (arguments, memory) = self.share(id, arguments, memory);
        let call = self.run_partitioned(id, arguments, memory);
        (call.returned.clone(), Made::Run(call))
    }

    /// Widens the numbers in a context to top.
    pub fn forget_numbers(
        &self,
        id: FunctionId,
        arguments: &mut [AbstractValue],
        memory: &mut Memory,
    ) {
        let types = self.code.function(id).parameters.iter().map(|parameter| &parameter.ty);
        for (argument, ty) in arguments.iter_mut().zip(types) {
            if !argument.has_address() {
                *argument = AbstractValue::top(ty);
            }
        }
        // Nor does a caller pass facts.
        let given = self.code.function(id).parameters.len().min(arguments.len());
        arguments[given..].fill(AbstractValue::Anything);
        memory.forget_numbers();
    }

    /// A context for this call and for earlier ones from the same site.
    fn share(
        &mut self,
        id: FunctionId,
        arguments: Vec<AbstractValue>,
        memory: Memory,
    ) -> (Vec<AbstractValue>, Memory) {
        let shared = self.contexts[id.0 as usize].shared.remove(&self.call_site);
        let (mut wide, mut grown) = ((arguments, memory), 0);
        if let Some(SharedContext { arguments, memory, grown: before }) = shared {
            let join = |old: &AbstractValue, new: &AbstractValue| old.join(new);
            let pairs = arguments.iter().zip(&wide.0);
            wide = (
                pairs.map(|(old, new)| join(old, new)).collect(),
                memory.join(&wide.1, &self.globals),
            );
            if before >= SHARED_CONTEXT_WIDENINGS {
                self.forget_numbers(id, &mut wide.0, &mut wide.1);
            } else if before >= SHARED_CONTEXT_JOINS {
                let pairs = arguments.iter().zip(&wide.0);
                let thresholds = &*self.thresholds;
                let arguments = pairs.map(|(old, new)| old.widen(new, thresholds)).collect();
                wide = (arguments, memory.widen(&wide.1, &self.globals, thresholds));
            }
            grown = before + 1;
        }
        let shared = SharedContext { arguments: wide.0.clone(), memory: wide.1.clone(), grown };
        self.contexts[id.0 as usize].shared.insert(self.call_site, shared);
        wide
    }

    /// Runs a function in a context, and keeps the summary.
    pub fn run_in(
        &mut self,
        id: FunctionId,
        arguments: Vec<AbstractValue>,
        memory: Memory,
    ) -> Rc<Summary> {
        let call = Rc::new(self.run_once(id, arguments, memory));
        self.remember(id, &call);
        call
    }

    /// Keeps a summary.
    pub fn remember(&mut self, id: FunctionId, call: &Rc<Summary>) {
        if self.stopped.is_none() {
            let known = &mut self.contexts[id.0 as usize].known;
            known.push((digest(&call.arguments), Rc::clone(call)));
        }
    }

    /// The summary of a function in a context.
    pub fn run_once(
        &mut self,
        id: FunctionId,
        arguments: Vec<AbstractValue>,
        memory: Memory,
    ) -> Summary {
        let call_site = self.call_site;
        let outer = (std::mem::take(&mut self.record), std::mem::take(&mut self.made));
        let recording = std::mem::replace(&mut self.recording, true);
        let assuming = std::mem::replace(&mut self.recursions.assuming, false);
        let nothing = Recurrences::default();
        let returned = self.run_function(id, &arguments, memory.clone(), nothing);
        let returned = returned.map(|(value, memory, _)| (value, memory));
        self.recording = recording;
        let assumes = self.recursions.assuming;
        self.recursions.assuming |= assuming;
        let record = std::mem::replace(&mut self.record, outer.0);
        let made = std::mem::replace(&mut self.made, outer.1);
        Summary { arguments, memory, returned, record, made, call_site, assumes }
    }

    /// Everything recorded, in the code of all functions whose summaries were applied.
    pub fn recorded(&mut self) -> Record {
        let mut record = std::mem::take(&mut self.record);
        let mut work_list = std::mem::take(&mut self.made);
        let mut known: HashSet<*const Summary> = HashSet::new();
        while let Some(made) = work_list.pop() {
            let call = match made {
                Made::Run(call) => call,
                Made::Recursive(number) => {
                    let ended = self.recursions.ended[number].as_ref();
                    Rc::clone(ended.expect("all recursions have ended"))
                }
            };
            if known.insert(Rc::as_ptr(&call)) {
                record.join(&call.record);
                work_list.extend(call.made.iter().cloned());
            }
        }
        record
    }
}
