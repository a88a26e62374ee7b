//! The identity of the code a function can reach: equal means that nothing an analysis of it
//! sees has changed, places in the source included.

use crate::llvm::{Block, Opcode, Type, TypeKind, Value};
use crate::program::Program;
use crate::{Fault, code::reach};
use blake3::{Hash, Hasher};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

impl Program {
    /// The identity of what each function, by its symbol, can reach.
    pub fn identities(&self, symbols: &[String]) -> Result<Vec<String>, Fault> {
        let types = self.module.globals().into_iter().map(|global| global.value_type().text());
        let types: BTreeSet<String> = types.collect();
        let mut known = Known::default();
        symbols
            .iter()
            .map(|symbol| {
                let function = self.module.function(symbol).ok_or_else(|| {
                    Fault::Internal(format!("the function `{symbol}` has disappeared"))
                })?;
                Ok(known.identity(function, &types))
            })
            .collect()
    }
}

/// What functions and variables are hashed to. Many functions reach the same ones, and LLVM
/// numbers a whole function to print a part of it: each is printed once.
#[derive(Default)]
struct Known {
    functions: HashMap<String, Rc<Body>>,
    variables: HashMap<String, Hash>,
}

/// A function by itself.
struct Body {
    code: Hash,
    /// The variables that it mentions.
    variables: BTreeSet<[u8; 32]>,
}

impl Known {
    fn identity(&mut self, function: Value, types: &BTreeSet<String>) -> String {
        let mut hash = Hasher::new();
        let mut reached: Vec<(String, Value)> =
            reach::from(function).into_iter().map(|function| (function.name(), function)).collect();
        // The order of values is that of addresses.
        reached.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut variables: BTreeSet<[u8; 32]> = BTreeSet::new();
        add(&mut hash, &function.name());
        for (name, function) in reached {
            add(&mut hash, &name);
            let body = self.body(name, function);
            hash.update(body.code.as_bytes());
            variables.extend(body.variables.iter().copied());
        }
        for variable in variables {
            hash.update(&variable);
        }
        types.iter().for_each(|text| add(&mut hash, text));
        hash.finalize().to_hex().to_string()
    }

    fn body(&mut self, name: String, function: Value) -> Rc<Body> {
        if let Some(body) = self.functions.get(&name) {
            return Rc::clone(body);
        }
        let mut hash = Hasher::new();
        let mut variables: BTreeSet<[u8; 32]> = BTreeSet::new();
        add(&mut hash, &function.value_type().text());
        if !function.blocks().is_empty() {
            // The first line has numbers of the whole module's attributes.
            for line in function.text().lines().skip(1) {
                add(&mut hash, without_numbers(line));
            }
        }
        for block in function.blocks() {
            for instruction in Block::instructions(block) {
                if instruction.callee().is_some_and(|it| it.name().starts_with("llvm.dbg.")) {
                    continue;
                }
                if instruction.opcode() == Some(Opcode::LLVMGetElementPtr) {
                    add(&mut hash, &spelt(instruction.source_element_type()));
                }
                add(&mut hash, &format!("{:?}", instruction.location()));
                for operand in instruction.operands() {
                    self.mentioned(operand, 0, &mut variables);
                }
            }
        }
        let body = Rc::new(Body { code: hash.finalize(), variables });
        self.functions.insert(name, Rc::clone(&body));
        body
    }

    /// The variables that an operand is or mentions, by their contents.
    fn mentioned(&mut self, operand: Value, depth: u32, found: &mut BTreeSet<[u8; 32]>) {
        let is_instruction = operand.opcode().is_some();
        if depth > 4 || is_instruction || !operand.is_constant() || operand.is_function() {
            return;
        }
        if operand.is_global_variable() {
            let text = || {
                let mut hash = Hasher::new();
                operand.text().lines().for_each(|line| add(&mut hash, without_numbers(line)));
                hash.finalize()
            };
            let name = operand.name();
            let hash = match name.is_empty() {
                true => text(),
                false => *self.variables.entry(name).or_insert_with(text),
            };
            if found.insert(*hash.as_bytes())
                && let Some(initial) = operand.initializer()
            {
                self.mentioned(initial, depth + 1, found);
            }
            return;
        }
        for part in operand.operands() {
            self.mentioned(part, depth + 1, found);
        }
    }
}

fn add(hash: &mut Hasher, text: &str) {
    hash.update(&(text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

/// A line of a value's text without its metadata: their numbers are the whole module's.
fn without_numbers(line: &str) -> &str {
    let is_debug = line.trim_start().starts_with("#dbg") || line.contains("@llvm.dbg.");
    if is_debug { "" } else { line.find(", !").map_or(line, |at| &line[..at]) }
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
