//! Value numbering: registers that the same operation on floats or the same comparison of them
//! computes from operands with the same number. They are equal wherever both can be read, as long as the rounding mode is
//! one throughout.
//!
//! (A register is readable only where its definition dominates, so that no operand was
//! assigned anew between the two computations.)

use nanoscope_ieee::{Format, Operation, Parameters};
use nanoscope_program::ir::{Act, FloatPredicate, Function, Mode, Operand, Register, Type};
use std::collections::HashMap;

/// The value numbers of a function. The number is the first register of its class.
#[derive(Debug)]
pub struct ValueNumbers {
    first: Vec<Register>,
    computations: HashMap<Computation, Register>,
    /// The classes with more than one register, by their number.
    classes: HashMap<Register, Vec<Register>>,
}

/// An operation on numbers, or a comparison of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Computation {
    Float(Operation, Parameters, Mode, Vec<Operand>),
    Compare(FloatPredicate, Format, Vec<Operand>),
    Offset(i64, Vec<i64>, Vec<Operand>),
    Load(Type, Vec<Operand>),
}

/// The address or the load that an act is.
fn access(act: &Act, operands: Vec<Operand>) -> Option<Computation> {
    match act {
        Act::Offset { constant, scaled, .. } => {
            let bytes = scaled.iter().map(|(_, bytes)| *bytes).collect();
            Some(Computation::Offset(*constant, bytes, operands))
        }
        Act::Load { ty: ty @ Type::Float(_), .. } => Some(Computation::Load(ty.clone(), operands)),
        // Any other act is no access.
        _ => None,
    }
}

fn computation(act: &Act, mut operands: Vec<Operand>) -> Option<Computation> {
    match act {
        Act::Float { operation, parameters, mode, relaxed: false, .. } => {
            if matches!(operation, Operation::Add | Operation::Mul) {
                operands.sort_unstable();
            }
            Some(Computation::Float(*operation, *parameters, *mode, operands))
        }
        Act::FloatCompare { predicate, format, .. } => {
            Some(Computation::Compare(*predicate, *format, operands))
        }
        // Any other act is not numbered.
        _ => None,
    }
}

impl ValueNumbers {
    /// Those of a function.
    pub fn of_function(function: &Function) -> ValueNumbers {
        ValueNumbers::by(function, &computation)
    }

    /// Those that a function has if nothing is stored between two loads from an address.
    pub fn without_stores(function: &Function) -> ValueNumbers {
        let each = |act: &Act, operands: Vec<Operand>| match access(act, operands.clone()) {
            Some(access) => Some(access),
            None => computation(act, operands),
        };
        ValueNumbers::by(function, &each)
    }

    fn by(
        function: &Function,
        computation: &dyn Fn(&Act, Vec<Operand>) -> Option<Computation>,
    ) -> ValueNumbers {
        let first = (0..function.registers.len() as u32).map(Register).collect();
        let (computations, classes) = (HashMap::new(), HashMap::new());
        let mut numbers = ValueNumbers { first, computations, classes };
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Some(result) = instruction.result else { continue };
            if let Act::Float { .. }
            | Act::FloatCompare { .. }
            | Act::Offset { .. }
            | Act::Load { .. } = &instruction.act
            {
                let operands = instruction.act.operands();
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
