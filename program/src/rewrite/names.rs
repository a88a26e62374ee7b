//! What the source calls the values of a program. A value carries the number of its name in its
//! own, which survives that variables become registers, and copies of a module.

use crate::llvm::{self, Module, Opcode, Value};

/// Names of the source.
pub(crate) struct Names(Vec<String>);

/// Begins and ends the number of a name.
const BEGIN: char = 'v';
const END: char = '$';

impl Names {
    /// Numbers variables, parameters, and what is stored into variables.
    pub fn give(module: &Module) -> Names {
        let mut names = Names(Vec::new());
        for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
            for (at, parameter) in function.parameters().into_iter().enumerate() {
                if let Some((name, _)) = llvm::parameter(function, at as u32 + 1) {
                    names.set(parameter, &name);
                }
            }
            let instructions: Vec<Value> =
                function.blocks().into_iter().flat_map(llvm::Block::instructions).collect();
            for &instruction in &instructions {
                if instruction.opcode() == Some(Opcode::LLVMAlloca)
                    && let Some(name) = instruction.stack_name()
                {
                    names.set(instruction, &name);
                }
            }
            for &store in instructions.iter().filter(|i| i.opcode() == Some(Opcode::LLVMStore)) {
                let (value, place) = (store.operand(0), store.operand(1));
                let is_first = value.opcode().is_some() && names.of(value).is_none();
                if is_first
                    && place.opcode() == Some(Opcode::LLVMAlloca)
                    && let Some(name) = names.of(place).map(str::to_owned)
                {
                    names.set(value, &name);
                }
            }
        }
        names
    }

    fn set(&mut self, value: Value, name: &str) {
        if !name.is_empty() && !value.ty().text().contains("void") {
            value.rename(&format!("{BEGIN}{}{END}", self.0.len()));
            self.0.push(name.to_owned());
        }
    }

    /// What the source calls a value.
    pub fn of(&self, value: Value) -> Option<&str> {
        let name = value.name();
        let number = name.strip_prefix(BEGIN)?.split_once(END)?.0;
        self.0.get(number.parse::<usize>().ok()?).map(String::as_str)
    }
}
