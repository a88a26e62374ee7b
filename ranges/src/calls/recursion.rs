//! Recursion: a function that calls itself is run to a fixpoint of what it is passed and what it
//! returns.

use crate::calls::summary::{Made, Recursion, Returned, Summary};
use crate::fixpoint::interpreter::Interpreter;
use crate::fixpoint::thresholds::Thresholds;
use crate::memory::Memory;
use crate::memory::address::ObjectId;
use crate::memory::renaming::Bound;
use crate::policy::{RECURSION_JOINS, RECURSION_ROUNDS, RECURSION_WIDENINGS};
use crate::record::Record;
use crate::value::AbstractValue;
use nanoscope_program::ir::FunctionId;
use std::rc::Rc;

impl Interpreter<'_> {
    /// The context of a recursion grows.
    pub fn grow(&mut self, at: usize, arguments: &[AbstractValue], memory: &Memory) {
        let recursion = &self.recursions.running[at];
        let pairs = recursion.arguments.iter().zip(arguments);
        let mut wide: Vec<AbstractValue> = pairs.map(|(old, new)| old.join(new)).collect();
        let mut memory = recursion.memory.join(memory, &self.globals);
        if recursion.rounds >= RECURSION_WIDENINGS {
            self.forget_numbers(recursion.function, &mut wide, &mut memory);
        } else if recursion.rounds > 0 {
            let thresholds = &*self.thresholds;
            let pairs = recursion.arguments.iter().zip(&wide);
            wide = pairs.map(|(old, new)| old.widen(new, thresholds)).collect();
            memory = recursion.memory.widen(&memory, &self.globals, thresholds);
        }
        let recursion = &mut self.recursions.running[at];
        (recursion.arguments, recursion.memory, recursion.grown) = (wide, memory, true);
    }

    /// The objects that a call of a function may pass: if it is a recursion whose context has been
    /// growing, no more than it has.
    pub fn recursion_bound(&self, function: FunctionId) -> Option<Bound> {
        let mut running = self.recursions.running.iter().rev();
        let recursion = running.find(|recursion| recursion.function == function)?;
        let objects = recursion.memory.objects();
        let given = objects.filter(|(object, _)| matches!(object, ObjectId::Given(_))).count();
        (recursion.rounds >= RECURSION_JOINS).then_some(Bound(given))
    }

    /// Runs a recursive function to a fixpoint.
    pub fn recur(
        &mut self,
        function: FunctionId,
        arguments: Vec<AbstractValue>,
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
            // Summaries under narrower assumptions do not hold.
            for contexts in &mut self.contexts {
                contexts.known.retain(|(_, call)| !call.assumes);
            }
            let recursion = self.recursions.running.last().expect("it is running");
            if recursion.rounds > RECURSION_ROUNDS {
                break Rc::new(self.unsettled(&call));
            }
        };
        self.recursions.running.pop();
        // The result of the outermost is no assumption any more.
        self.recursions.assuming &= !self.recursions.running.is_empty();
        self.recursions.ended[number] = Some(Rc::clone(&call));
        (call.returned.clone(), Made::Run(call))
    }

    /// Whether the context and the result of the innermost recursion are as assumed; if not, the
    /// assumption grows.
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
                    let none = Thresholds::NONE;
                    let few = recursion.rounds <= RECURSION_WIDENINGS;
                    let thresholds = if few { &*self.thresholds } else { &none };
                    let value = assumed.widen(&assumed.join(value), thresholds);
                    Some((value, before.widen(memory, &self.globals, thresholds)))
                }
            }
        };
        let stable = more.is_none() && !recursion.grown;
        if more.is_some() {
            recursion.assumed = more;
        }
        stable
    }

    /// The summary of a recursion without a fixpoint: anything may happen in the function and in
    /// what it calls, and anything may come of it.
    fn unsettled(&mut self, call: &Summary) -> Summary {
        let recursion = self.recursions.running.last().expect("it is running");
        let (function, arguments) = (recursion.function, recursion.arguments.clone());
        let mut memory = recursion.memory.clone();
        memory.forget_all(&self.globals);
        let mut record = Record::default();
        record.given_up.extend(self.graph().reachable(&[function]));
        let returned = Some((AbstractValue::Anything, memory.clone()));
        let call_site = call.call_site;
        Summary { arguments, memory, returned, record, made: Vec::new(), call_site, assumes: true }
    }
}
