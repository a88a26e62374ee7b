//! What is known at a point of a function: registers, memory, and which of two registers
//! is the greater.

use crate::arithmetic::Order;
use crate::few::Few;
use crate::fraction::Whole;
use crate::implied::{Implied, Way};
use crate::landmarks::Landmarks;
use crate::memory::{Globals, Memory};
use crate::relation::Relation;
use crate::value::Value;
use nanoscope_program::ir::{Edge, Operand, Register};

/// A point that control may come to.
#[derive(Clone, Debug)]
pub struct State {
    /// What the registers hold that somebody will ask.
    pub registers: Registers,
    /// Memory.
    pub memory: Memory,
    /// Relations between two registers that comparisons have shown.
    pub facts: Vec<(Register, Register, Relation)>,
    /// What truth values say of other registers.
    pub implied: Implied,
    /// Registers that whole parts of others have moved to.
    pub wholes: Vec<(Register, Whole)>,
}

/// Registers with what they hold, in order. A function may have thousands, of which few are
/// needed at any point.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Registers(Vec<(Register, Value)>);

/// A copy has room for so many more: it is made to go on with.
const MORE: usize = 16;

impl Clone for Registers {
    fn clone(&self) -> Registers {
        let mut copy = Vec::with_capacity(self.0.len() + MORE);
        copy.extend_from_slice(&self.0);
        Registers(copy)
    }
}

/// What is not known.
const ANYTHING: &Value = &Value::Anything;

impl Registers {
    fn find(&self, register: Register) -> Result<usize, usize> {
        // Registers are assigned in the order of their numbers, mostly.
        match self.0.last() {
            Some((last, _)) if *last < register => Err(self.0.len()),
            Some(_) | None => self.0.binary_search_by_key(&register, |(known, _)| *known),
        }
    }

    /// What a register holds; `None` if nobody will ask.
    pub fn get(&self, register: Register) -> Option<&Value> {
        self.find(register).ok().map(|at| &self.0[at].1)
    }

    /// What a register holds; anything, where it was never set.
    pub fn known(&self, register: Register) -> &Value {
        self.at(self.position(register))
    }

    /// Where a register is; nowhere if nobody will ask for it.
    pub fn position(&self, register: Register) -> Option<usize> {
        self.find(register).ok()
    }

    /// What the register there holds; anything, where it was never set.
    pub fn at(&self, position: Option<usize>) -> &Value {
        position.map(|at| &self.0[at].1).filter(|value| !value.is_empty()).unwrap_or(ANYTHING)
    }

    /// Assigns the register there.
    pub fn put(&mut self, position: usize, value: Value) {
        self.0[position].1 = value;
    }

    /// What an operand is.
    pub fn operand<'a>(&'a self, operand: Operand, constants: &'a [Value]) -> &'a Value {
        match operand {
            Operand::Register(register) => self.known(register),
            Operand::Constant(id) => &constants[id.0 as usize],
        }
    }

    /// What operands are, in order.
    pub fn operands<'a>(&'a self, list: &[Operand], constants: &'a [Value]) -> Few<&'a Value> {
        Few::of(ANYTHING, list.iter().map(|operand| self.operand(*operand, constants)))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &(Register, Value)> {
        self.0.iter()
    }

    /// Makes room for so many more.
    pub fn reserve(&mut self, more: usize) {
        self.0.reserve(more);
    }

    /// Keeps those in a list that is in order.
    fn keep(&mut self, list: &[Register]) {
        let mut list = list.iter().peekable();
        self.0.retain(|(register, _)| {
            while list.next_if(|wanted| *wanted < register).is_some() {}
            list.next_if_eq(&register).is_some()
        });
    }

    /// Assigns a register.
    pub fn set(&mut self, register: Register, value: Value) {
        match self.find(register) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (register, value)),
        }
    }
}

/// The most relations remembered.
const MOST_FACTS: usize = 32;

impl State {
    /// The start of a function.
    pub fn new(memory: Memory) -> State {
        State {
            registers: Registers::default(),
            memory,
            facts: Vec::new(),
            implied: Implied::default(),
            wholes: Vec::new(),
        }
    }

    /// What a register holds; anything, where it was never set.
    pub fn get(&self, register: Register) -> Value {
        self.registers.known(register).clone()
    }

    /// Assigns a register.
    pub fn set(&mut self, register: Register, value: Value) {
        self.registers.set(register, value);
        if !self.facts.is_empty() {
            self.facts.retain(|(a, b, _)| *a != register && *b != register);
        }
        self.implied.forget(register);
        if !self.wholes.is_empty() {
            self.wholes.retain(|(whole, _)| *whole != register);
        }
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
            // What was never set stays so.
            Operand::Register(register) => {
                self.registers.get(register).cloned().unwrap_or(Value::Anything)
            }
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
        let needed = |register: &Register| live.binary_search(register).is_ok();
        self.registers.keep(live);
        for (register, value) in moved.into_iter().filter(|(register, _)| needed(register)) {
            self.registers.set(register, value);
        }
        carried.retain(|(a, b, _)| a != b && needed(a) && needed(b));
        carried.truncate(MOST_FACTS);
        let implied = self.implied.along(edge, needed);
        self.wholes.retain(|(register, _)| {
            needed(register) && !edge.moves.iter().any(|(to, _)| to == register)
        });
        State { facts: carried, implied, ..self }
    }

    /// What either holds.
    pub fn join(&self, other: &State, globals: &Globals) -> State {
        let memory = self.memory.join(&other.memory, globals);
        let mut joined = self.combine(other, memory, &|a, b| a.join(b));
        joined.implied = Implied::joined(self.way(), other.way(), &joined.registers);
        joined
    }

    /// A superset of both, with landmarks for the ends that moved.
    pub fn widen(&self, next: &State, globals: &Globals, landmarks: &Landmarks) -> State {
        let memory = self.memory.widen(&next.memory, globals, landmarks);
        let mut wide = self.combine(next, memory, &|a, b| a.widen(b, landmarks));
        wide.implied = self.implied.common(&next.implied);
        wide
    }

    fn combine(
        &self,
        other: &State,
        memory: Memory,
        merge: &dyn Fn(&Value, &Value) -> Value,
    ) -> State {
        let mut registers = Vec::with_capacity(self.registers.0.len() + MORE);
        for (register, a) in &self.registers.0 {
            if let Some(b) = other.registers.get(*register) {
                registers.push((*register, if a == b { a.clone() } else { merge(a, b) }));
            }
        }
        let registers = Registers(registers);
        let mut facts = Vec::new();
        for (a, b, relation) in &self.facts {
            if let Some((_, _, theirs)) = other.facts.iter().find(|f| f.0 == *a && f.1 == *b) {
                facts.push((*a, *b, relation.join(*theirs)));
            }
        }
        let common = |whole: &&(Register, Whole)| other.wholes.contains(whole);
        let wholes = self.wholes.iter().filter(common).copied().collect();
        State { registers, memory, facts, implied: Implied::default(), wholes }
    }

    fn way(&self) -> Way<'_> {
        Way { registers: &self.registers, implied: &self.implied }
    }

    /// How many registers hold nothing that they hold in the other.
    pub fn exclusions(&self, other: &State) -> usize {
        let apart = |(register, a): &&(Register, Value)| {
            other.registers.get(*register).is_some_and(|b| a != b && a.meet(b).is_empty())
        };
        self.registers.0.iter().filter(apart).count()
    }

    /// Whether everything possible here is possible in the other.
    pub fn within(&self, other: &State, globals: &Globals) -> bool {
        let held = |(register, theirs): &(Register, Value)| {
            self.registers.get(*register).is_some_and(|mine| mine.is_within(theirs))
        };
        let related = |(a, b, relation): &(Register, Register, Relation)| {
            let mine = self.facts.iter().find(|fact| fact.0 == *a && fact.1 == *b);
            mine.is_some_and(|(_, _, mine)| relation.join(*mine) == *relation)
        };
        other.registers.iter().all(held)
            && other.facts.iter().all(related)
            && other.wholes.iter().all(|whole| self.wholes.contains(whole))
            && self.memory.is_within(&other.memory, globals)
            && other.implied.holds(self.way())
    }
}
