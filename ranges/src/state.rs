//! What is known at a point of a function: registers, memory, and which of two registers
//! is the greater.

use crate::arithmetic::Order;
use crate::memory::{Globals, Memory};
use crate::relation::Relation;
use crate::value::{Landmarks, Value};
use nanoscope_program::ir::{Edge, Operand, Register};

/// A point that control may come to.
#[derive(Clone, Debug)]
pub struct State {
    /// What each register holds; `None` where nobody will ask.
    pub registers: Vec<Option<Value>>,
    /// Memory.
    pub memory: Memory,
    /// Relations between two registers that comparisons have shown.
    pub facts: Vec<(Register, Register, Relation)>,
}

/// The most relations remembered.
const MOST_FACTS: usize = 32;

impl State {
    /// The start of a function.
    pub fn new(registers: usize, memory: Memory) -> State {
        State { registers: vec![None; registers], memory, facts: Vec::new() }
    }

    /// What a register holds.
    pub fn get(&self, register: Register) -> Value {
        self.registers[register.0 as usize].clone().unwrap_or(Value::Anything)
    }

    /// Assigns a register.
    pub fn set(&mut self, register: Register, value: Value) {
        self.registers[register.0 as usize] = Some(value);
        self.facts.retain(|(a, b, _)| *a != register && *b != register);
    }

    /// Remembers a relation.
    pub fn relate(&mut self, a: Register, b: Register, relation: Relation) {
        for fact in &mut self.facts {
            if fact.0 == a && fact.1 == b {
                fact.2 = fact.2.meet(relation);
                return;
            }
        }
        if self.facts.len() < MOST_FACTS {
            self.facts.push((a, b, relation));
        }
    }

    /// What is known of the order of two operands.
    pub fn order(&self, a: Operand, b: Operand) -> Order {
        let (Operand::Register(x), Operand::Register(y)) = (a, b) else { return Order::default() };
        if x == y {
            return Order { same: true, ..Order::default() };
        }
        let mut order = Order::default();
        for (left, right, relation) in &self.facts {
            let known = if (*left, *right) == (x, y) {
                relation.order()
            } else if (*left, *right) == (y, x) {
                relation.swapped().order()
            } else {
                continue;
            };
            order.not_less |= known.not_less;
            order.not_greater |= known.not_greater;
            order.differ |= known.differ;
        }
        order
    }

    /// Goes along an edge: moves at once, then only what is needed there stays.
    pub fn along(
        mut self,
        edge: &Edge,
        live: &[Register],
        constant: impl Fn(Operand) -> Option<Value>,
    ) -> State {
        let read = |operand: Operand| match operand {
            Operand::Register(register) => self.get(register),
            Operand::Constant(_) => constant(operand).unwrap_or(Value::Anything),
        };
        let moved: Vec<(Register, Value)> =
            edge.moves.iter().map(|(to, from)| (*to, read(*from))).collect();
        // A register that only moves on takes its relations along.
        let mut carried = Vec::new();
        for (a, b, relation) in &self.facts {
            let name = |register: &Register| {
                let onto =
                    edge.moves.iter().find(|(_, from)| *from == Operand::Register(*register));
                onto.map(|(to, _)| *to)
            };
            let kept = |register: &Register| !edge.moves.iter().any(|(to, _)| to == register);
            let a_names = [kept(a).then_some(*a), name(a)];
            let b_names = [kept(b).then_some(*b), name(b)];
            for a in a_names.into_iter().flatten() {
                for b in b_names.into_iter().flatten() {
                    carried.push((a, b, *relation));
                }
            }
        }
        let mut registers = vec![None; self.registers.len()];
        for register in live {
            registers[register.0 as usize] = self.registers[register.0 as usize].take();
        }
        for (register, value) in moved {
            if live.contains(&register) {
                registers[register.0 as usize] = Some(value);
            }
        }
        carried.retain(|(a, b, _)| a != b && live.contains(a) && live.contains(b));
        carried.truncate(MOST_FACTS);
        State { registers, memory: self.memory, facts: carried }
    }

    /// What either holds.
    pub fn join(&self, other: &State, globals: &Globals) -> State {
        self.combine(other, self.memory.join(&other.memory, globals), &|a, b| a.join(b))
    }

    /// A superset of both, with landmarks for the ends that moved.
    pub fn widen(&self, next: &State, globals: &Globals, landmarks: &Landmarks) -> State {
        let memory = self.memory.widen(&next.memory, globals, landmarks);
        self.combine(next, memory, &|a, b| a.widen(b, landmarks))
    }

    fn combine(
        &self,
        other: &State,
        memory: Memory,
        merge: &dyn Fn(&Value, &Value) -> Value,
    ) -> State {
        let registers = self.registers.iter().zip(&other.registers);
        let registers = registers
            .map(|pair| match pair {
                (Some(a), Some(b)) => Some(if a == b { a.clone() } else { merge(a, b) }),
                (None, _) | (_, None) => None,
            })
            .collect();
        let mut facts = Vec::new();
        for (a, b, relation) in &self.facts {
            if let Some((_, _, theirs)) = other.facts.iter().find(|f| f.0 == *a && f.1 == *b) {
                facts.push((*a, *b, relation.join(*theirs)));
            }
        }
        State { registers, memory, facts }
    }

    /// Whether everything possible here is possible in the other.
    pub fn within(&self, other: &State, globals: &Globals) -> bool {
        let joined = other.join(self, globals);
        joined.registers == other.registers
            && joined.memory == other.memory
            && joined.facts == other.facts
    }
}
