//! Value numbering: registers that the same operation on floats computes from operands with the
//! same number. They are equal wherever both can be read, as long as the rounding mode is
//! one throughout.
//!
//! (A register is readable only where its definition dominates, so that no operand was
//! assigned anew between the two computations.)

use nanoscope_ieee::{Operation, Parameters};
use nanoscope_program::ir::{Act, Function, Mode, Operand, Register};
use std::collections::HashMap;

/// The value numbers of a function. The number is the first register of its class.
#[derive(Debug)]
pub struct ValueNumbers {
    first: Vec<Register>,
    computations: HashMap<Computation, Register>,
    /// The classes with more than one register, by their number.
    classes: HashMap<Register, Vec<Register>>,
}

/// An operation on numbers.
type Computation = (Operation, Parameters, Mode, Vec<Operand>);

fn computation(act: &Act, mut operands: Vec<Operand>) -> Option<Computation> {
    let Act::Float { operation, parameters, mode, relaxed: false, .. } = act else { return None };
    if matches!(operation, Operation::Add | Operation::Mul) {
        operands.sort_unstable();
    }
    Some((*operation, *parameters, *mode, operands))
}

impl ValueNumbers {
    /// Those of a function.
    pub fn of_function(function: &Function) -> ValueNumbers {
        let first = (0..function.registers.len() as u32).map(Register).collect();
        let (computations, classes) = (HashMap::new(), HashMap::new());
        let mut numbers = ValueNumbers { first, computations, classes };
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Some(result) = instruction.result else { continue };
            if let Act::Float { operands, .. } = &instruction.act {
                let operands = operands.iter().map(|operand| numbers.of(*operand)).collect();
                if let Some(key) = computation(&instruction.act, operands) {
                    let number = *numbers.computations.entry(key).or_insert(result);
                    numbers.first[result.0 as usize] = number;
                }
            }
        }
        for (register, first) in (0..).map(Register).zip(&numbers.first) {
            if register != *first {
                numbers.classes.entry(*first).or_insert_with(|| vec![*first]).push(register);
            }
        }
        numbers
    }

    /// The number of a register.
    pub fn number(&self, register: Register) -> Register {
        self.first[register.0 as usize]
    }

    /// An operand with its number in place of a register.
    pub fn of(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Register(register) => Operand::Register(self.number(register)),
            Operand::Constant(_) => operand,
        }
    }

    /// The number of what an act computes from numbered operands.
    pub fn computed(&self, act: &Act, operands: Vec<Operand>) -> Option<Register> {
        self.computations.get(&computation(act, operands)?).copied()
    }

    /// The registers of a number.
    pub fn class(&self, number: Register) -> Vec<Register> {
        self.classes.get(&number).cloned().unwrap_or_else(|| vec![number])
    }

    /// The other registers with the number of this one.
    pub fn twins(&self, register: Register) -> impl Iterator<Item = Register> {
        let class = match self.classes.is_empty() {
            true => None,
            false => self.classes.get(&self.number(register)),
        };
        class.into_iter().flatten().copied().filter(move |twin| *twin != register)
    }

    /// Whether two operands are registers of one number.
    pub fn alike(&self, a: Operand, b: Operand) -> bool {
        match (a, b) {
            (Operand::Register(a), Operand::Register(b)) => self.number(a) == self.number(b),
            (Operand::Register(_) | Operand::Constant(_), _) => false,
        }
    }
}
