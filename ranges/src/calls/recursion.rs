//! Recursion: a function that calls itself is run to a fixpoint of what it is passed and what it
//! returns.

use crate::calls::summary::{Made, Recursion, Returned};
use crate::fixpoint::interpreter::Interpreter;
use crate::fixpoint::thresholds::Thresholds;
use crate::memory::Memory;
use crate::policy::{RECURSION_ROUNDS, RECURSION_WIDENINGS};
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
        if !stable && recursion.rounds > RECURSION_ROUNDS {
            self.stopped = Some("what a recursion returns does not settle".into());
        }
        stable
    }
}
