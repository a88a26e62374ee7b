//! Calls: functions of the program are entered, library functions are modelled, and external
//! code may do anything with what it can reach.

use crate::calls::graph::CallGraph;
use crate::calls::library;
use crate::domain::caller_facts;
use crate::domain::state::State;
use crate::exceptions::Exceptions;
use crate::fixpoint::interpreter::{Flow, Frame, Interpreter};
use crate::function::expressions::Expression;
use crate::integers::{self, Integers};
use crate::memory::address::ObjectId;
use crate::policy::MOST_ACTIVE;
use crate::value::AbstractValue;
use nanoscope_program::ir::{
    Callee, FunctionId, Instruction, IntegerPredicate, Operand, Register, Type,
};
use nanoscope_sets::Modes;
use std::rc::Rc;

/// Functions after whose call control is not followed.
const UNFOLLOWED: &[&str] = &[
    "setjmp",
    "_setjmp",
    "__sigsetjmp",
    "sigsetjmp",
    "longjmp",
    "siglongjmp",
    "pthread_create",
    "thrd_create",
    "signal",
    "sigaction",
    "swapcontext",
    "vfork",
];

impl<'c> Interpreter<'c> {
    /// The call graph of the program.
    pub fn graph(&mut self) -> Rc<CallGraph> {
        let code = self.code;
        Rc::clone(self.learnt.call_graph.get_or_insert_with(|| Rc::new(CallGraph::of(code))))
    }

    /// Gives functions up: anything may happen in them and in what they call.
    fn give_up(&mut self, functions: &[FunctionId]) {
        let reachable = self.graph().reachable(functions);
        self.record.given_up.extend(reachable);
    }

    /// External code runs with these values.
    pub fn foreign_code(&mut self, state: &mut State, values: &[AbstractValue]) {
        let functions = state.memory.hand_out(values, &self.globals);
        self.call_back(functions);
    }

    /// External code may call functions back; `None`: any whose address is taken.
    pub fn call_back(&mut self, functions: Option<Vec<FunctionId>>) {
        let functions = functions.unwrap_or_else(|| self.graph().address_taken.clone());
        if !functions.is_empty() {
            self.give_up(&functions);
        }
    }

    /// Runs a call.
    pub fn call(
        &mut self,
        frame: &mut Frame<'c>,
        state: &mut State,
        instruction: &'c Instruction,
        callee: &Callee,
        arguments: &[Operand],
        types: &[Type],
    ) -> Flow {
        let values: Vec<AbstractValue> =
            arguments.iter().map(|o| self.operand(state, *o)).collect();
        let result = match instruction.result {
            Some(register) => &frame.function.registers[register.0 as usize],
            None => &Type::Void,
        };
        let ids: Vec<FunctionId> = match callee {
            Callee::Function(id) => vec![*id],
            Callee::Address(address) => {
                let pointers = self.operand(state, *address).pointers();
                let known: Option<Vec<FunctionId>> = pointers
                    .targets
                    .keys()
                    .map(|object| match object {
                        ObjectId::Function(id) => Some(*id),
                        ObjectId::Global(_)
                        | ObjectId::Allocated { .. }
                        | ObjectId::Given(_)
                        | ObjectId::Inputs
                        | ObjectId::Outputs => None,
                    })
                    .collect();
                match known {
                    Some(ids) if !pointers.anywhere && !ids.is_empty() => ids,
                    Some(_) | None => {
                        // Any function whose address is taken.
                        let functions = self.graph().address_taken.clone();
                        self.give_up(&functions);
                        self.site(instruction, &[], None, Exceptions::ALL);
                        self.record.foreign.insert("an unknown address".into());
                        state.memory.forget_all(&self.globals);
                        state.forget_cells();
                        self.assign(state, instruction, AbstractValue::top(result));
                        return Flow::On;
                    }
                }
            }
        };
        if let [id] = ids[..] {
            return self.call_one(frame, state, instruction, id, arguments, &values, types, result);
        }
        let mut joined: Option<State> = None;
        for id in ids {
            let mut branch = state.clone();
            let flow = self.call_one(
                frame,
                &mut branch,
                instruction,
                id,
                arguments,
                &values,
                types,
                result,
            );
            if flow == Flow::On {
                joined = Some(match joined {
                    None => branch,
                    Some(other) => other.join(&branch, &self.globals),
                });
            }
        }
        match joined {
            Some(joined) => {
                *state = joined;
                Flow::On
            }
            None => Flow::Ends,
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a call is all of these")]
    fn call_one(
        &mut self,
        frame: &mut Frame<'c>,
        state: &mut State,
        instruction: &'c Instruction,
        id: FunctionId,
        arguments: &[Operand],
        values: &[AbstractValue],
        types: &[Type],
        result: &'c Type,
    ) -> Flow {
        let function = self.code.function(id);
        let is_followed = function.is_defined()
            && state.domains.recurrences.is_following()
            && !self.active.contains(&id)
            && self.active.len() < self.effort.depth as usize;
        // A function of the program may have the name of one of the library.
        let is_model = !function.is_defined() || library::is_assumption(&function.name);
        match is_model && library::leaves_memory(&function.name) {
            true => {}
            false if is_followed => state.domains.cells.clear(),
            false => state.forget_cells(),
        }
        if !function.is_defined() {
            let name = function.name.as_str();
            if UNFOLLOWED.contains(&name) {
                self.stopped = Some(format!("`{name}` is called, which is not followed"));
                return Flow::Ends;
            }
            if let Some(flow) =
                self.library(frame, state, instruction, id, arguments, values, types, result)
            {
                return flow;
            }
            self.site(instruction, &[], None, Exceptions::ALL);
            self.record.foreign.insert(name.to_owned());
            self.foreign_code(state, values);
            self.assign(state, instruction, AbstractValue::top(result));
            return if function.never_returns { Flow::Ends } else { Flow::On };
        }
        if library::is_assumption(&function.name) {
            // Its body, if it has one, only says the same.
            return self.assume(frame, state, arguments, values);
        }
        let active = self.active.iter().filter(|active| **active == id).count();
        if active >= self.effort.recursion + MOST_ACTIVE
            || self.active.len() as u32 >= self.effort.depth
        {
            self.give_up(&[id]);
            self.foreign_code(state, values);
            self.assign(state, instruction, AbstractValue::top(result));
            return Flow::On;
        }
        let mut values = values.to_vec();
        values.extend(self.facts_for(frame, state, id, &values));
        if is_followed {
            return self.call_followed(frame, state, instruction, id, arguments, &values, result);
        }
        let memory = std::mem::take(&mut state.memory);
        match self.enter(id, &values, memory) {
            Some((value, memory)) => {
                state.memory = memory;
                self.assign(state, instruction, value.cast(result));
                Flow::On
            }
            None => Flow::Ends,
        }
    }

    /// The facts for a callee, one for each of its expressions.
    fn facts_for(
        &mut self,
        frame: &Frame<'c>,
        state: &State,
        id: FunctionId,
        arguments: &[AbstractValue],
    ) -> Vec<AbstractValue> {
        let function = self.code.function(id);
        let place = self.call_site.map(|(_, block, position)| (block, position));
        let known = place.and_then(|place| frame.facts.holders.get(&place));
        let (Some(known), Modes::NEAREST) = (known, self.modes) else { return Vec::new() };
        if arguments.len() != function.parameters.len() {
            return Vec::new();
        }
        let facts = self.facts(id);
        let fact = |(expression, register): (&Expression, &Option<Register>)| match register
            .and_then(|register| state.environment.get(register))
        {
            Some(known @ AbstractValue::Float(_)) => caller_facts::fact(
                expression,
                known,
                function,
                arguments,
                &self.constants,
                self.modes,
            ),
            Some(_) | None => AbstractValue::Anything,
        };
        facts.expressions.iter().zip(known).map(fact).collect()
    }

    /// Assumes a condition that the program takes for granted.
    pub fn assume(
        &mut self,
        frame: &Frame<'c>,
        state: &mut State,
        arguments: &[Operand],
        values: &[AbstractValue],
    ) -> Flow {
        let (Some(&operand), Some(value)) = (arguments.first(), values.first()) else {
            return Flow::On;
        };
        let Some(bits) = self.operand_type(frame.function, operand).bits().filter(|b| *b <= 64)
        else {
            return Flow::On;
        };
        let known = value.integers(bits);
        let zero = Integers::of_bits(bits, 0);
        let (left, _) = integers::refined(IntegerPredicate::NotEqual, &known, &zero);
        if left.is_empty()
            || !self.assume_value(frame, state, operand, &AbstractValue::Integer(left))
        {
            return Flow::Ends;
        }
        Flow::On
    }
}
