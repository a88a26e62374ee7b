//! An abstract state: the environment, memory, and the product of the domains.

use crate::domain::environment::Environment;
use crate::domain::point::{Domain, Known, Side, Text};
use crate::domain::product::Product;
use crate::fixpoint::thresholds::Thresholds;
use crate::memory::address::ObjectId;
use crate::memory::{Globals, Memory};
use crate::value::AbstractValue;
use nanoscope_program::ir::{Edge, Operand, Register};

/// What may hold at a point of a function.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The values of live registers.
    pub environment: Environment,
    /// Memory.
    pub memory: Memory,
    /// What the domains say.
    pub domains: Product,
}

impl State {
    /// The start of a function.
    pub fn new(memory: Memory) -> State {
        State { memory, ..State::default() }
    }

    /// The value of a register; top if it was never set.
    pub fn get(&self, register: Register) -> AbstractValue {
        self.environment.known(register).clone()
    }

    /// Assigns a register. What domains say of one that is not live ends with the edge to a block,
    /// but for conditions.
    pub fn set(&mut self, register: Register, value: AbstractValue) {
        if self.environment.set(register, value) {
            self.domains.forget(register);
        } else {
            self.domains.implications.forget(register);
            self.domains.recurrences.forget(register);
        }
    }

    /// All of memory may have changed.
    pub fn forget_cells(&mut self) {
        self.domains.cells.clear();
        self.domains.recurrences.forget_memory();
    }

    /// An object may have changed.
    pub fn forget_object(&mut self, object: ObjectId) {
        self.domains.cells.forget_object(object);
        self.domains.recurrences.forget_object(object);
    }

    /// The state at the end of an edge: its moves are made at once, then only live registers
    /// stay.
    pub fn along(
        mut self,
        at: &Text,
        edge: &Edge,
        constant: impl Fn(Operand) -> Option<AbstractValue>,
    ) -> State {
        let live = &at.facts.live[edge.to.0 as usize];
        let is_live = |register: Register| live.binary_search(&register).is_ok();
        self.domains.zones.refine(&mut self.environment);
        if at.domains.zones && at.order_depth > 0 && !edge.moves.is_empty() {
            let known = Known { environment: &self.environment, relations: &self.domains.order };
            self.domains.zones.derive(at, known, edge, &is_live);
        }
        self.domains.follow(at, &self.environment, edge, &is_live);
        let read = |operand: Operand| match operand {
            // What was never set stays so.
            Operand::Register(register) => {
                self.environment.get(register).cloned().unwrap_or(AbstractValue::Anything)
            }
            Operand::Constant(_) => constant(operand).unwrap_or(AbstractValue::Anything),
        };
        let moved: Vec<(Register, AbstractValue)> =
            edge.moves.iter().map(|(to, from)| (*to, read(*from))).collect();
        self.environment.keep(live);
        for (register, value) in moved.into_iter().filter(|(register, _)| is_live(*register)) {
            self.environment.set(register, value);
        }
        self
    }

    /// The join of two states.
    pub fn join(&self, other: &State, globals: &Globals) -> State {
        let memory = self.memory.join(&other.memory, globals);
        let environment = self.environment.merge(&other.environment, AbstractValue::join);
        let domains = Product::join(self.side(), other.side(), &environment);
        State { environment, memory, domains }
    }

    /// The widening of this state by the next: bounds that moved go to the next threshold.
    pub fn widen(&self, next: &State, globals: &Globals, thresholds: &Thresholds) -> State {
        let memory = self.memory.widen(&next.memory, globals, thresholds);
        let environment = self.environment.merge(&next.environment, |a, b| a.widen(b, thresholds));
        let domains = Product::widen(self.side(), next.side(), &environment);
        State { environment, memory, domains }
    }

    fn side(&self) -> Side<'_, Product> {
        Side { environment: &self.environment, element: &self.domains }
    }

    /// Whether this state includes another.
    pub fn includes(&self, other: &State, globals: &Globals) -> bool {
        let mut registers = self.environment.beside(&other.environment);
        registers.all(|(_, mine, theirs)| theirs.is_some_and(|theirs| theirs.is_within(mine)))
            && other.memory.is_within(&self.memory, globals)
            && self.domains.includes(other.side())
    }
}
