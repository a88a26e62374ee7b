//! The environment: a map from registers to values. Registers that are not live are not in it.

use crate::value::AbstractValue;
use nanoscope_program::ir::{Operand, Register};
use smallvec::SmallVec;

/// Registers with their values, in order. A function may have thousands of registers, of which
/// few are live at any point.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Environment(Vec<(Register, AbstractValue)>);

/// Spare room of a copy: it is made to go on with.
const SPARE: usize = 16;

impl Clone for Environment {
    fn clone(&self) -> Environment {
        let mut copy = Vec::with_capacity(self.0.len() + SPARE);
        copy.extend_from_slice(&self.0);
        Environment(copy)
    }
}

const TOP: &AbstractValue = &AbstractValue::Anything;

/// The values of an instruction's operands; there are hardly ever more than a few.
pub type Values<'a> = SmallVec<[&'a AbstractValue; 4]>;

impl Environment {
    fn find(&self, register: Register) -> Result<usize, usize> {
        // Registers are mostly assigned in the order of their numbers.
        match self.0.last() {
            Some((last, _)) if *last < register => Err(self.0.len()),
            Some(_) | None => self.0.binary_search_by_key(&register, |(known, _)| *known),
        }
    }

    /// The value of a register; `None` if it is not live.
    pub fn get(&self, register: Register) -> Option<&AbstractValue> {
        self.find(register).ok().map(|at| &self.0[at].1)
    }

    /// The value of a register; top if it was never set.
    pub fn known(&self, register: Register) -> &AbstractValue {
        self.at(self.position(register))
    }

    /// The position of a register; `None` if it is not live.
    pub fn position(&self, register: Register) -> Option<usize> {
        self.find(register).ok()
    }

    /// The value at a position; top if it was never set.
    pub fn at(&self, position: Option<usize>) -> &AbstractValue {
        position.map(|at| &self.0[at].1).filter(|value| !value.is_empty()).unwrap_or(TOP)
    }

    /// Assigns the register at a position.
    pub fn put(&mut self, position: usize, value: AbstractValue) {
        self.0[position].1 = value;
    }

    /// The value of an operand.
    pub fn operand<'a>(
        &'a self,
        operand: Operand,
        constants: &'a [AbstractValue],
    ) -> &'a AbstractValue {
        match operand {
            Operand::Register(register) => self.known(register),
            Operand::Constant(id) => &constants[id.0 as usize],
        }
    }

    /// The values of operands.
    pub fn operands<'a>(&'a self, list: &[Operand], constants: &'a [AbstractValue]) -> Values<'a> {
        list.iter().map(|operand| self.operand(*operand, constants)).collect()
    }

    /// All registers with their values.
    pub fn iter(&self) -> impl Iterator<Item = &(Register, AbstractValue)> {
        self.0.iter()
    }

    /// Makes room for so many more.
    pub fn reserve(&mut self, more: usize) {
        self.0.reserve(more);
    }

    /// Keeps only the registers of an ordered list.
    pub fn keep(&mut self, list: &[Register]) {
        let mut list = list.iter().peekable();
        self.0.retain(|(register, _)| {
            while list.next_if(|wanted| *wanted < register).is_some() {}
            list.next_if_eq(&register).is_some()
        });
    }

    /// Assigns a register. Tells whether it was there already.
    pub fn set(&mut self, register: Register, value: AbstractValue) -> bool {
        let found = self.find(register);
        match found {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (register, value)),
        }
        found.is_ok()
    }

    /// All registers with their values here and in another environment.
    pub fn beside<'a>(
        &'a self,
        other: &'a Environment,
    ) -> impl Iterator<Item = (Register, &'a AbstractValue, Option<&'a AbstractValue>)> {
        let mut others = other.0.iter().peekable();
        self.0.iter().map(move |(register, value)| {
            while others.next_if(|(known, _)| known < register).is_some() {}
            let theirs = others.next_if(|(known, _)| known == register);
            (*register, value, theirs.map(|(_, value)| value))
        })
    }

    /// The registers of both, with their values merged.
    pub fn merge(
        &self,
        other: &Environment,
        merge: impl Fn(&AbstractValue, &AbstractValue) -> AbstractValue,
    ) -> Environment {
        let mut merged = Vec::with_capacity(self.0.len() + SPARE);
        for (register, a, b) in self.beside(other) {
            if let Some(b) = b {
                merged.push((register, if a == b { a.clone() } else { merge(a, b) }));
            }
        }
        Environment(merged)
    }

    /// How many registers have disjoint values in the two.
    pub fn exclusions(&self, other: &Environment) -> usize {
        self.beside(other).filter(|(_, a, b)| b.is_some_and(|b| a.is_apart_from(b))).count()
    }
}
