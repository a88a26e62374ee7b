//! Functions in their contexts: what a function does is found out once for all calls that are
//! given the same, and, where there are too many different ones, once for all of the others.

use crate::closely::Cells;
use crate::integers::Integers;
use crate::landmarks::Landmarks;
use crate::machine::{Machine, Returned};
use crate::memory::{Contents, Memory};
use crate::record::Record;
use crate::renaming::Renaming;
use crate::value::{ObjectId, Pointers, Value};
use nanoscope_program::ir::{BlockId, FunctionId};
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// A function that was run on what it was given.
#[derive(Clone)]
pub struct Call {
    pub arguments: Vec<Value>,
    pub memory: Memory,
    pub returned: Returned,
    /// What was seen in its own code.
    pub record: Record,
    /// The calls that it made.
    pub made: Vec<Made>,
    /// Where it was called.
    pub place: Place,
    /// Whether it rests on what a recursion that has not ended is assumed to return.
    pub assumes: bool,
}

/// A place in the code that calls.
pub type Place = Option<(FunctionId, BlockId, usize)>;

/// A call that was made.
#[derive(Clone)]
pub enum Made {
    /// One that was run to its end.
    Run(Rc<Call>),
    /// One of a function that is being run, by its number.
    Recursive(usize),
}

/// A function that calls itself, being run for all calls from within. What it is given and
/// what it returns is assumed, and it is run again until it is given and returns no more.
struct Recursion {
    function: FunctionId,
    arguments: Vec<Value>,
    memory: Memory,
    number: usize,
    assumed: Returned,
    /// Whether it was called from within in this round, and was given more than assumed.
    called: bool,
    grown: bool,
    rounds: u32,
}

/// The recursions of a machine.
#[derive(Default)]
pub struct Recursions {
    running: Vec<Recursion>,
    /// Those that came to their end, by number.
    ended: Vec<Option<Rc<Call>>>,
    /// Whether the function being run rests on what one is assumed to return.
    assuming: bool,
}

/// How often what a recursion is given and returns grows to landmarks, and how often at all.
const MOST_GROWN: (u32, u32) = (4, 40);

/// The contexts of one function.
#[derive(Default)]
pub struct Contexts {
    /// Those that were run, in order, each with a digest of its arguments.
    known: Vec<(u64, Rc<Call>)>,
    /// The contexts for all further calls from the same place.
    general: BTreeMap<Place, General>,
    /// What was seen of it in parts of contexts.
    pub cells: Cells,
}

/// A context for all calls from one place, and how often it had to grow.
struct General {
    arguments: Vec<Value>,
    memory: Memory,
    grown: u32,
}

/// After so many times, a context that grows does so to the next landmark, and then to whatever
/// there may be.
const GROWING: (u32, u32) = (1, 4);

/// A number that is the same for the same arguments, and hardly ever for others.
fn digest(arguments: &[Value]) -> u64 {
    let mut hasher = DefaultHasher::new();
    arguments.hash(&mut hasher);
    hasher.finish()
}

impl Machine<'_> {
    /// Runs a function, unless what it does is known.
    pub fn enter(&mut self, id: FunctionId, arguments: &[Value], mut memory: Memory) -> Returned {
        let function = self.code.function(id);
        let mut arguments = arguments.to_vec();
        if !function.variadic {
            let asked = self.shape(id).questions.len();
            arguments.resize(function.parameters.len() + asked, Value::Anything);
        }
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
        let place = self.place;
        let mut returned: Returned = None;
        for arguments in self.apart(arguments) {
            self.place = place;
            let (value, made) = self.called(id, arguments, memory.clone());
            if self.recording {
                self.made.push(made);
            }
            returned = self.either(returned, value);
        }
        returned.map(|(value, after)| {
            let (value, mut memory) = renaming.put_back(value, after, &self.globals);
            copies.iter().for_each(|object| memory.end(*object));
            (value, memory)
        })
    }

    /// Arguments, in two where an integer is either here or far away: what is left when a few
    /// values have wrapped around says little together with the others.
    fn apart(&self, arguments: Vec<Value>) -> Vec<Vec<Value>> {
        let pieces = |value: &Value| match value {
            Value::Integer(integers) if integers.bits > 1 => {
                let pieces = integers.pieces();
                pieces.map(|(lo, hi)| Integers::between(integers.bits, lo, hi)).collect()
            }
            Value::Integer(_)
            | Value::Float(_)
            | Value::Anything
            | Value::Zeros
            | Value::Pointer(_)
            | Value::Parts(_) => Vec::new(),
        };
        let split = arguments.iter().map(pieces).enumerate().find(|(_, pieces)| pieces.len() > 1);
        match split {
            Some((at, pieces)) if self.effort.parts > 1 => {
                let with = |piece: Integers| {
                    let mut arguments = arguments.clone();
                    arguments[at] = Value::Integer(piece);
                    arguments
                };
                pieces.into_iter().map(with).collect()
            }
            Some(_) | None => vec![arguments],
        }
    }

    /// What either of two calls returns.
    pub fn either(&self, one: Returned, other: Returned) -> Returned {
        match (one, other) {
            (Some(a), Some(b)) => Some((a.0.join(&b.0), a.1.join(&b.1, &self.globals))),
            (one, other) => one.or(other),
        }
    }

    /// What a call gives whose context covers this one.
    fn called(
        &mut self,
        id: FunctionId,
        arguments: Vec<Value>,
        memory: Memory,
    ) -> (Returned, Made) {
        let known = &self.contexts[id.0 as usize].known;
        let mark = digest(&arguments);
        let same = |(known, call): &&(u64, Rc<Call>)| {
            *known == mark && call.arguments == arguments && call.memory == memory
        };
        if let Some((_, call)) = known.iter().rev().find(same) {
            self.recursions.assuming |= call.assumes;
            return (call.returned.clone(), Made::Run(Rc::clone(call)));
        }
        let active = self.active.iter().filter(|active| **active == id).count();
        let recursive = active >= self.effort.nested;
        if known.len() < self.effort.contexts && !recursive {
            let call = self.run_closely(id, arguments, memory);
            return (call.returned.clone(), Made::Run(call));
        }
        let covers = |context: (&Vec<Value>, &Memory)| {
            context.0.len() == arguments.len()
                && arguments.iter().zip(context.0).all(|(new, old)| new.is_within(old))
                && memory.is_within(context.1, &self.globals)
        };
        // What others were given may be far more, and then less is known of what comes of it.
        let place = self.place;
        let covering =
            |call: &&Rc<Call>| call.place == place && covers((&call.arguments, &call.memory));
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
                self.give_more(at, &arguments, &memory);
            }
            let recursion = &mut self.recursions.running[at];
            recursion.called = true;
            self.recursions.assuming = true;
            let recursion = &self.recursions.running[at];
            return (recursion.assumed.clone(), Made::Recursive(recursion.number));
        }
        let (arguments, memory) = self.generalise(id, arguments, memory);
        let call = self.run_closely(id, arguments, memory);
        (call.returned.clone(), Made::Run(call))
    }

    /// A recursion is given more than was assumed.
    fn give_more(&mut self, at: usize, arguments: &[Value], memory: &Memory) {
        let recursion = &self.recursions.running[at];
        let pairs = recursion.arguments.iter().zip(arguments);
        let mut wide: Vec<Value> = pairs.map(|(old, new)| old.join(new)).collect();
        let mut memory = recursion.memory.join(memory, &self.globals);
        if recursion.rounds >= MOST_GROWN.0 {
            self.forget_numbers(recursion.function, &mut wide, &mut memory);
        } else if recursion.rounds > 0 {
            let landmarks = &*self.landmarks;
            let pairs = recursion.arguments.iter().zip(&wide);
            wide = pairs.map(|(old, new)| old.widen(new, landmarks)).collect();
            memory = recursion.memory.widen(&memory, &self.globals, landmarks);
        }
        let recursion = &mut self.recursions.running[at];
        (recursion.arguments, recursion.memory, recursion.grown) = (wide, memory, true);
    }

    /// Runs a function that calls itself.
    fn recur(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value>,
        memory: Memory,
    ) -> (Returned, Made) {
        let number = self.recursions.ended.len();
        self.recursions.ended.push(None);
        self.recursions.running.push(Recursion {
            function,
            arguments,
            memory,
            number,
            assumed: None,
            called: false,
            grown: false,
            rounds: 0,
        });
        let call = loop {
            let recursion = self.recursions.running.last_mut().expect("it is running");
            (recursion.called, recursion.grown) = (false, false);
            let (arguments, memory) = (recursion.arguments.clone(), recursion.memory.clone());
            let call = self.run_in(function, arguments, memory);
            if self.stopped.is_some() || self.is_stable(&call.returned) {
                break call;
            }
            // What was found out under narrower assumptions does not count.
            for contexts in &mut self.contexts {
                contexts.known.retain(|(_, call)| !call.assumes);
            }
        };
        self.recursions.running.pop();
        // What the outermost has returned is no assumption any more.
        self.recursions.assuming &= !self.recursions.running.is_empty();
        self.recursions.ended[number] = Some(Rc::clone(&call));
        (call.returned.clone(), Made::Run(call))
    }

    /// Whether the innermost recursion was given and returned what was assumed; if not, more
    /// is assumed from now on.
    fn is_stable(&mut self, returned: &Returned) -> bool {
        let recursion = self.recursions.running.last_mut().expect("it is running");
        recursion.rounds += 1;
        if !recursion.called {
            return true;
        }
        let more = match (returned, &recursion.assumed) {
            (None, _) => None,
            (Some(found), None) => Some(found.clone()),
            (Some((value, memory)), Some((assumed, before))) => {
                if value.is_within(assumed) && memory.is_within(before, &self.globals) {
                    None
                } else {
                    let none = Landmarks::NONE;
                    let landmarks =
                        if recursion.rounds > MOST_GROWN.0 { &none } else { &*self.landmarks };
                    let value = assumed.widen(&assumed.join(value), landmarks);
                    Some((value, before.widen(memory, &self.globals, landmarks)))
                }
            }
        };
        let stable = more.is_none() && !recursion.grown;
        if more.is_some() {
            recursion.assumed = more;
        }
        if !stable && recursion.rounds > MOST_GROWN.1 {
            self.stopped = Some("what a recursion returns does not settle".into());
        }
        stable
    }

    /// Forgets what numbers a function is given.
    fn forget_numbers(&self, id: FunctionId, arguments: &mut [Value], memory: &mut Memory) {
        let types = self.code.function(id).parameters.iter().map(|parameter| &parameter.ty);
        for (argument, ty) in arguments.iter_mut().zip(types) {
            if !argument.has_address() {
                *argument = Value::top(ty);
            }
        }
        // Nor is anything answered to what it asks.
        let given = self.code.function(id).parameters.len().min(arguments.len());
        arguments[given..].fill(Value::Anything);
        memory.forget_numbers();
    }

    /// A context for this call and for those from the same place that went before it.
    fn generalise(
        &mut self,
        id: FunctionId,
        arguments: Vec<Value>,
        memory: Memory,
    ) -> (Vec<Value>, Memory) {
        let general = self.contexts[id.0 as usize].general.remove(&self.place);
        let (mut wide, mut grown) = ((arguments, memory), 0);
        if let Some(General { arguments, memory, grown: before }) = general {
            let join = |old: &Value, new: &Value| old.join(new);
            let pairs = arguments.iter().zip(&wide.0);
            wide = (
                pairs.map(|(old, new)| join(old, new)).collect(),
                memory.join(&wide.1, &self.globals),
            );
            if before >= GROWING.1 {
                self.forget_numbers(id, &mut wide.0, &mut wide.1);
            } else if before >= GROWING.0 {
                let pairs = arguments.iter().zip(&wide.0);
                let landmarks = &*self.landmarks;
                let arguments = pairs.map(|(old, new)| old.widen(new, landmarks)).collect();
                wide = (arguments, memory.widen(&wide.1, &self.globals, landmarks));
            }
            grown = before + 1;
        }
        let general = General { arguments: wide.0.clone(), memory: wide.1.clone(), grown };
        self.contexts[id.0 as usize].general.insert(self.place, general);
        wide
    }

    /// Runs a function in a context, and remembers it.
    fn run_in(&mut self, id: FunctionId, arguments: Vec<Value>, memory: Memory) -> Rc<Call> {
        let call = Rc::new(self.run_once(id, arguments, memory));
        self.remember(id, &call);
        call
    }

    pub fn remember(&mut self, id: FunctionId, call: &Rc<Call>) {
        if self.stopped.is_none() {
            let known = &mut self.contexts[id.0 as usize].known;
            known.push((digest(&call.arguments), Rc::clone(call)));
        }
    }

    pub fn run_once(&mut self, id: FunctionId, arguments: Vec<Value>, memory: Memory) -> Call {
        let place = self.place;
        let outer = (std::mem::take(&mut self.record), std::mem::take(&mut self.made));
        let recording = std::mem::replace(&mut self.recording, true);
        let assuming = std::mem::replace(&mut self.recursions.assuming, false);
        let returned = self.run_function(id, &arguments, memory.clone());
        self.recording = recording;
        let assumes = self.recursions.assuming;
        self.recursions.assuming |= assuming;
        let record = std::mem::replace(&mut self.record, outer.0);
        let made = std::mem::replace(&mut self.made, outer.1);
        Call { arguments, memory, returned, record, made, place, assumes }
    }

    /// All that was seen, in the code of every function that was run in the end.
    pub fn seen(&mut self) -> Record {
        let mut record = std::mem::take(&mut self.record);
        let mut waiting = std::mem::take(&mut self.made);
        let mut known: HashSet<*const Call> = HashSet::new();
        while let Some(made) = waiting.pop() {
            let call = match made {
                Made::Run(call) => call,
                Made::Recursive(number) => {
                    let ended = self.recursions.ended[number].as_ref();
                    Rc::clone(ended.expect("all have come to their end"))
                }
            };
            if known.insert(Rc::as_ptr(&call)) {
                record.join(&call.record);
                waiting.extend(call.made.iter().cloned());
            }
        }
        record
    }
}
