//! An abstract state: the environment, memory, and the relational domains.

use crate::domain::environment::Environment;
use crate::domain::implications::{Implications, Side};
use crate::domain::order::OrderRelations;
use crate::domain::whole_parts::WholePart;
use crate::fixpoint::thresholds::Thresholds;
use crate::memory::{Globals, Memory};
use crate::value::Value;
use nanoscope_program::ir::{Edge, Operand, Register};

/// What may hold at a point of a function.
#[derive(Clone, Debug)]
pub struct State {
    /// The values of live registers.
    pub environment: Environment,
    /// Memory.
    pub memory: Memory,
    /// Relations of order between registers.
    pub order: OrderRelations,
    /// What truth values imply of other registers.
    pub implications: Implications,
    /// Registers to which whole parts of others have moved.
    pub whole_parts: Vec<(Register, WholePart)>,
}

impl State {
    /// The start of a function.
    pub fn new(memory: Memory) -> State {
        State {
            environment: Environment::default(),
            memory,
            order: OrderRelations::default(),
            implications: Implications::default(),
            whole_parts: Vec::new(),
        }
    }

    /// The value of a register; top if it was never set.
    pub fn get(&self, register: Register) -> Value {
        self.environment.known(register).clone()
    }

    /// Assigns a register.
    pub fn set(&mut self, register: Register, value: Value) {
        self.environment.set(register, value);
        self.order.forget(register);
        self.implications.forget(register);
        if !self.whole_parts.is_empty() {
            self.whole_parts.retain(|(whole, _)| *whole != register);
        }
    }

    /// The state at the end of an edge: its moves are made at once, then only live registers
    /// stay.
    pub fn along(
        mut self,
        edge: &Edge,
        live: &[Register],
        constant: impl Fn(Operand) -> Option<Value>,
    ) -> State {
        let read = |operand: Operand| match operand {
            // What was never set stays so.
            Operand::Register(register) => {
                self.environment.get(register).cloned().unwrap_or(Value::Anything)
            }
            Operand::Constant(_) => constant(operand).unwrap_or(Value::Anything),
        };
        let moved: Vec<(Register, Value)> =
            edge.moves.iter().map(|(to, from)| (*to, read(*from))).collect();
        let is_live = |register: &Register| live.binary_search(register).is_ok();
        let order = self.order.along(edge, is_live);
        let implications = self.implications.along(edge, is_live);
        self.environment.keep(live);
        for (register, value) in moved.into_iter().filter(|(register, _)| is_live(register)) {
            self.environment.set(register, value);
        }
        self.whole_parts.retain(|(register, _)| {
            is_live(register) && !edge.moves.iter().any(|(to, _)| to == register)
        });
        State { order, implications, ..self }
    }

    /// The join of two states.
    pub fn join(&self, other: &State, globals: &Globals) -> State {
        let memory = self.memory.join(&other.memory, globals);
        let environment = self.environment.merge(&other.environment, Value::join);
        let implications = Implications::join(self.side(), other.side(), &environment);
        self.merge(other, environment, memory, implications)
    }

    /// The widening of this state by the next: bounds that moved go to the next threshold.
    pub fn widen(&self, next: &State, globals: &Globals, thresholds: &Thresholds) -> State {
        let memory = self.memory.widen(&next.memory, globals, thresholds);
        let environment = self.environment.merge(&next.environment, |a, b| a.widen(b, thresholds));
        let implications = self.implications.common(&next.implications);
        self.merge(next, environment, memory, implications)
    }

    fn merge(
        &self,
        other: &State,
        environment: Environment,
        memory: Memory,
        implications: Implications,
    ) -> State {
        let common = |whole: &&(Register, WholePart)| other.whole_parts.contains(whole);
        let whole_parts = self.whole_parts.iter().filter(common).copied().collect();
        let order = self.order.join(&other.order);
        State { environment, memory, order, implications, whole_parts }
    }

    fn side(&self) -> Side<'_> {
        Side { environment: &self.environment, implications: &self.implications }
    }

    /// Whether this state includes another.
    pub fn includes(&self, other: &State, globals: &Globals) -> bool {
        let held = |(register, mine): &(Register, Value)| {
            other.environment.get(*register).is_some_and(|theirs| theirs.is_within(mine))
        };
        self.environment.iter().all(held)
            && self.order.includes(&other.order)
            && self.whole_parts.iter().all(|whole| other.whole_parts.contains(whole))
            && other.memory.is_within(&self.memory, globals)
            && self.implications.includes(other.side())
    }
}
