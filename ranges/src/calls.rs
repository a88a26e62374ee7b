//! Calls: functions of the program are entered, functions of the library are known, and
//! any other code may do what it can with what it is given.

use crate::arithmetic::Modes;
use crate::asked::Question;
use crate::exceptions::Exceptions;
use crate::machine::{Flow, Frame, Machine};
use crate::state::State;
use crate::value::{ObjectId, Value};
use nanoscope_program::ir::{
    Act, Callee, Code, Constant, Function, FunctionId, Instruction, Operand, Place, Register, Type,
};
use std::collections::BTreeSet;
use std::rc::Rc;

/// How often a function may be active at once, beyond what one context stands for, before it
/// is given up.
const MOST_ACTIVE: usize = 3;

/// Functions whose call ends every argument about what follows.
const UNFOLLOWED: &[&str] = &[
    "setjmp",
    "_setjmp",
    "__sigsetjmp",
    "sigsetjmp",
    "longjmp",
    "siglongjmp",
    "__cxa_begin_catch",
    "pthread_create",
    "thrd_create",
    "signal",
    "sigaction",
    "swapcontext",
    "vfork",
];

/// Functions that change how the others round.
const ROUNDING: &[&str] =
    &["fesetround", "fesetenv", "feupdateenv", "feholdexcept", "_controlfp", "__fesetround"];

/// Who calls whom.
pub struct CallGraph {
    /// For each function, those it calls by name, and whether it calls through an address.
    calls: Vec<(Vec<FunctionId>, bool)>,
    /// The functions whose address is taken.
    taken: Vec<FunctionId>,
}

impl CallGraph {
    /// Looks at a program.
    pub fn of(code: &Code) -> CallGraph {
        let mut taken = BTreeSet::new();
        fn visit(constant: &Constant, taken: &mut BTreeSet<FunctionId>) {
            match constant {
                Constant::Address { of: Place::Function(id), .. } => {
                    taken.insert(*id);
                }
                Constant::Parts(_, parts) => parts.iter().for_each(|part| visit(part, taken)),
                Constant::Integer(_)
                | Constant::Float(..)
                | Constant::Address { .. }
                | Constant::Undefined(_)
                | Constant::Poison(_)
                | Constant::Zero(_)
                | Constant::Bytes(_) => {}
            }
        }
        code.constants.iter().for_each(|(_, constant)| visit(constant, &mut taken));
        code.globals.iter().filter_map(|g| g.initial.as_ref()).for_each(|c| visit(c, &mut taken));
        let calls = code.functions.iter().map(|function| {
            let mut named = BTreeSet::new();
            let mut through = false;
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                match &instruction.act {
                    Act::Call { callee: Callee::Function(id), .. } => {
                        named.insert(*id);
                    }
                    Act::Call { callee: Callee::Address(_), .. } | Act::Unknown { .. } => {
                        through = true;
                    }
                    _ => {}
                }
            }
            (named.into_iter().collect(), through)
        });
        CallGraph { calls: calls.collect(), taken: taken.into_iter().collect() }
    }

    /// All functions that may run when one of these does.
    pub fn reachable(&self, from: &[FunctionId]) -> BTreeSet<FunctionId> {
        let mut found = BTreeSet::new();
        let mut queue = from.to_vec();
        while let Some(id) = queue.pop() {
            if found.insert(id) {
                let (named, through) = &self.calls[id.0 as usize];
                queue.extend(named);
                if *through {
                    queue.extend(&self.taken);
                }
            }
        }
        found
    }
}

/// Whether the rounding mode may be changed when a function runs, after the constructors.
pub fn changes_rounding(code: &Code, entry: Option<FunctionId>) -> bool {
    let changes = |function: &Function| {
        ROUNDING.contains(&function.name.as_str())
            || function.blocks.iter().flat_map(|block| &block.instructions).any(|i| {
                matches!(
                    i.act,
                    Act::Special { special: nanoscope_program::ir::Special::SetRounding, .. }
                )
            })
    };
    if !code.functions.iter().any(changes) {
        return false;
    }
    let Some(entry) = entry else { return true };
    let graph = CallGraph::of(code);
    let mut first = code.constructors.clone();
    first.push(entry);
    let mut reached = graph.reachable(&first);
    if reached.iter().any(|id| code.function(*id).blocks.is_empty()) {
        // Code that is not here may call what it finds the address of.
        first.extend(&graph.taken);
        reached = graph.reachable(&first);
    }
    reached.iter().any(|id| changes(code.function(*id)))
}

impl<'c> Machine<'c> {
    pub fn graph(&mut self) -> Rc<CallGraph> {
        let code = self.code;
        Rc::clone(self.reached.get_or_insert_with(|| Rc::new(CallGraph::of(code))))
    }

    /// Does not follow these functions: anything may happen in them and in what they call.
    fn give_up(&mut self, functions: &[FunctionId]) {
        let reachable = self.graph().reachable(functions);
        self.record.given_up.extend(reachable);
    }

    /// Code that is not here runs, and is given these values.
    pub fn foreign_code(&mut self, state: &mut State, values: &[Value]) {
        match state.memory.hand_out(values, &self.globals) {
            Some(functions) => self.give_up(&functions),
            None => {
                let taken = self.graph().taken.clone();
                self.give_up(&taken);
            }
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
        let values: Vec<Value> = arguments.iter().map(|o| self.operand(state, *o)).collect();
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
                        // Any function whose address is known to anybody.
                        let taken = self.graph().taken.clone();
                        self.give_up(&taken);
                        self.site(instruction, &[], None, Exceptions::ALL);
                        self.record.foreign.insert("an unknown address".into());
                        state.memory.forget_all(&self.globals);
                        self.assign(state, instruction, Value::top(result));
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
        values: &[Value],
        types: &[Type],
        result: &'c Type,
    ) -> Flow {
        let function = self.code.function(id);
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
            self.assign(state, instruction, Value::top(result));
            return if function.never_returns { Flow::Ends } else { Flow::On };
        }
        if crate::library::is_assumption(&function.name) {
            // Its body, if it has one, only says the same.
            return self.assume(frame, state, arguments, values);
        }
        let active = self.active.iter().filter(|active| **active == id).count();
        if active >= self.effort.nested + MOST_ACTIVE
            || self.active.len() as u32 >= self.effort.depth
        {
            self.give_up(&[id]);
            self.foreign_code(state, values);
            self.assign(state, instruction, Value::top(result));
            return Flow::On;
        }
        let mut values = values.to_vec();
        values.extend(self.answers(frame, state, id, &values));
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

    /// What is answered to a function that is called, question by question.
    fn answers(
        &mut self,
        frame: &Frame<'c>,
        state: &State,
        id: FunctionId,
        arguments: &[Value],
    ) -> Vec<Value> {
        let function = self.code.function(id);
        let place = self.place.map(|(_, block, position)| (block, position));
        let known = place.and_then(|place| frame.shape.answers.get(&place));
        let (Some(known), Modes::Nearest) = (known, self.modes) else { return Vec::new() };
        if arguments.len() != function.parameters.len() {
            return Vec::new();
        }
        let shape = self.shape(id);
        let answer = |(question, register): (&Question, &Option<Register>)| match register
            .and_then(|register| state.registers.get(register))
        {
            Some(known @ Value::Float(_)) => {
                question.answer(known, function, arguments, &self.constants, self.modes)
            }
            Some(_) | None => Value::Anything,
        };
        shape.questions.iter().zip(known).map(answer).collect()
    }

    /// A condition that the program takes for granted.
    pub fn assume(
        &mut self,
        frame: &Frame<'c>,
        state: &mut State,
        arguments: &[Operand],
        values: &[Value],
    ) -> Flow {
        let (Some(&operand), Some(value)) = (arguments.first(), values.first()) else {
            return Flow::On;
        };
        let Some(bits) = self.operand_type(frame.function, operand).bits().filter(|b| *b <= 64)
        else {
            return Flow::On;
        };
        let known = value.integers(bits);
        let zero = crate::integers::Integers::of_bits(bits, 0);
        let (left, _) = crate::integers::refined(
            nanoscope_program::ir::IntegerPredicate::NotEqual,
            &known,
            &zero,
        );
        if left.is_empty() || !self.learn(frame, state, operand, &Value::Integer(left)) {
            return Flow::Ends;
        }
        Flow::On
    }
}
