//! Where a function's registers are defined and used.

use nanoscope_program::ir::{Act, BlockId, Function, Register};

/// A place of an instruction: its block and its position there.
pub type Place = (BlockId, usize);

/// A map from some of a function's registers.
#[derive(Clone, Debug)]
pub struct ByRegister<T>(Vec<Option<T>>);

impl<T> ByRegister<T> {
    /// The empty map.
    pub fn of(function: &Function) -> ByRegister<T> {
        ByRegister(function.registers.iter().map(|_| None).collect())
    }

    /// The item of a register.
    pub fn get(&self, register: &Register) -> Option<&T> {
        self.0.get(register.0 as usize)?.as_ref()
    }

    /// The registers that have an item, with it.
    pub fn iter(&self) -> impl Iterator<Item = (Register, &T)> {
        let items = (0..).map(Register).zip(&self.0);
        items.filter_map(|(register, item)| Some((register, item.as_ref()?)))
    }

    /// Sets the item of a register.
    pub fn insert(&mut self, register: Register, item: T) {
        self.0[register.0 as usize] = Some(item);
    }
}

/// Definitions and uses. A register is defined by one instruction, or by moves on edges.
#[derive(Debug)]
pub struct Definitions {
    defined: ByRegister<Place>,
    users: ByRegister<Vec<Place>>,
}

impl Definitions {
    /// Those of a function.
    pub fn of(function: &Function) -> Definitions {
        let mut defined = ByRegister::of(function);
        let mut users: ByRegister<Vec<Place>> = ByRegister::of(function);
        for (number, block) in function.blocks.iter().enumerate() {
            for (position, instruction) in block.instructions.iter().enumerate() {
                let place = (BlockId(number as u32), position);
                if let Some(result) = instruction.result {
                    defined.insert(result, place);
                }
                for register in instruction.act.operands().registers() {
                    users.0[register.0 as usize].get_or_insert_default().push(place);
                }
            }
        }
        Definitions { defined, users }
    }

    /// The instruction that defines a register; `None` for parameters and targets of moves.
    pub fn place(&self, register: Register) -> Option<Place> {
        self.defined.get(&register).copied()
    }

    /// The act that defines a register.
    pub fn act<'f>(&self, function: &'f Function, register: Register) -> Option<&'f Act> {
        let (block, position) = self.place(register)?;
        Some(&function.block(block).instructions[position].act)
    }

    /// The instructions that read a register.
    pub fn users(&self, register: Register) -> &[Place] {
        self.users.get(&register).map_or(&[], Vec::as_slice)
    }
}
