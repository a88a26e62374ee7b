//! The identity of the code a function can reach: equal means that nothing an analysis of it
//! sees has changed, places in the source included.

use crate::llvm::{Block, Opcode, Type, TypeKind, Value};
use crate::program::Program;
use crate::{Fault, reach};
use std::collections::BTreeSet;

impl Program {
    /// The identity of what each function, by its symbol, can reach.
    pub fn identities(&self, symbols: &[String]) -> Result<Vec<String>, Fault> {
        let types = self.module.globals().into_iter().map(|global| global.value_type().text());
        let types: BTreeSet<String> = types.collect();
        symbols
            .iter()
            .map(|symbol| {
                let function = self.module.function(symbol).ok_or_else(|| {
                    Fault::Internal(format!("the function `{symbol}` has disappeared"))
                })?;
                Ok(identity(function, &types))
            })
            .collect()
    }
}

fn identity(function: Value, types: &BTreeSet<String>) -> String {
    let mut hash = blake3::Hasher::new();
    let mut add = |text: &str| {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    let mut reached: Vec<(String, Value)> =
        reach::from(function).into_iter().map(|function| (function.name(), function)).collect();
    // The order of values is that of addresses.
    reached.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut globals = BTreeSet::new();
    add(&function.name());
    for (name, function) in reached {
        add(&name);
        add(&function.value_type().text());
        for block in function.blocks() {
            add("block");
            for instruction in Block::instructions(block) {
                if instruction.callee().is_some_and(|it| it.name().starts_with("llvm.dbg.")) {
                    continue;
                }
                add(&without_numbers(&instruction.text()));
                if instruction.opcode() == Some(Opcode::LLVMGetElementPtr) {
                    add(&spelt(instruction.source_element_type()));
                }
                add(&format!("{:?}", instruction.location()));
                for operand in instruction.operands() {
                    data(operand, 0, &mut globals);
                }
            }
        }
    }
    globals.iter().for_each(|text| add(text));
    types.iter().for_each(|text| add(text));
    hash.finalize().to_hex().to_string()
}

/// A value's text without its metadata: their numbers are the whole module's.
fn without_numbers(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("#dbg"));
    lines.map(|line| line.find(", !").map_or(line, |at| &line[..at])).collect()
}

/// A type in terms of what it is made of.
fn spelt(ty: Type) -> String {
    match ty.kind() {
        TypeKind::Structure => {
            let members: Vec<String> = ty.members().into_iter().map(spelt).collect();
            format!("{{{}}}", members.join(", "))
        }
        _ => ty.text(),
    }
}

/// The contents of the variables that an operand is or mentions.
fn data(operand: Value, depth: u32, texts: &mut BTreeSet<String>) {
    if depth > 4 || operand.opcode().is_some() || !operand.is_constant() || operand.is_function() {
        return;
    }
    if operand.is_global_variable() {
        if texts.insert(without_numbers(&operand.text()))
            && let Some(initial) = operand.initializer()
        {
            data(initial, depth + 1, texts);
        }
        return;
    }
    for part in operand.operands() {
        data(part, depth + 1, texts);
    }
}
