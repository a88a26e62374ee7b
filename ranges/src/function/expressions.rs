//! Expressions over parameters: what a function computes from two or more of its parameters and
//! constants, and the registers of its callers that hold the same (`domain/caller_facts.rs`).

use super::definitions::{Definitions, Place};
use super::value_numbers::ValueNumbers;
use crate::policy::{LARGEST_EXPRESSION, MOST_EXPRESSIONS};
use nanoscope_ieee::operations;
use nanoscope_program::ir::{
    Act, BlockId, Callee, Code, ConstantId, Dominators, Function, FunctionId, Operand, Register,
    Type,
};
use std::collections::{BTreeMap, HashMap};

/// An expression over a function's parameters.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The register that holds it.
    pub register: Register,
    pub tree: Tree,
}

/// How an expression is computed.
#[derive(Clone, Debug)]
pub enum Tree {
    Parameter(usize),
    Constant(ConstantId),
    /// Computed by an instruction from these.
    Computed(Place, Vec<Tree>),
}

/// The expressions of a function.
pub fn expressions(function: &Function) -> Vec<Expression> {
    if function.variadic {
        return Vec::new();
    }
    let mut trees: HashMap<Register, Tree> = HashMap::new();
    let parameters = function.parameters.iter().enumerate();
    for (i, _) in parameters.filter(|(_, parameter)| matches!(parameter.ty, Type::Float(_))) {
        trees.insert(Register(i as u32), Tree::Parameter(i));
    }
    let mut found = Vec::new();
    for (number, block) in function.blocks.iter().enumerate() {
        for (position, instruction) in block.instructions.iter().enumerate() {
            let (Some(register), Some(operands)) =
                (instruction.result, arithmetic(&instruction.act))
            else {
                continue;
            };
            let parts: Option<Vec<Tree>> = operands
                .iter()
                .map(|operand| match operand {
                    Operand::Register(register) => trees.get(register).cloned(),
                    Operand::Constant(id) => Some(Tree::Constant(*id)),
                })
                .collect();
            let Some(parts) = parts else { continue };
            let tree = Tree::Computed((BlockId(number as u32), position), parts);
            if tree.size() > LARGEST_EXPRESSION {
                continue;
            }
            if found.len() < MOST_EXPRESSIONS && tree.parameters() > 1 {
                found.push(Expression { register, tree: tree.clone() });
            }
            trees.insert(register, tree);
        }
    }
    found
}

/// The operands of an arithmetic operation.
fn arithmetic(act: &Act) -> Option<&[Operand]> {
    let Act::Float { operation, operands, relaxed: false, .. } = act else { return None };
    let is_arithmetic = matches!(operation, operations!(Rational, Mirror));
    is_arithmetic.then_some(operands)
}

impl Tree {
    /// The number of its operations.
    fn size(&self) -> usize {
        match self {
            Tree::Parameter(_) | Tree::Constant(_) => 0,
            Tree::Computed(_, parts) => 1 + parts.iter().map(Tree::size).sum::<usize>(),
        }
    }

    /// The number of its leaves that are parameters.
    fn parameters(&self) -> usize {
        match self {
            Tree::Parameter(_) => 1,
            Tree::Constant(_) => 0,
            Tree::Computed(_, parts) => parts.iter().map(Tree::parameters).sum(),
        }
    }

    /// The value number of the expression of the arguments in a caller.
    fn in_caller(
        &self,
        callee: &Function,
        arguments: &[Operand],
        caller: &ValueNumbers,
    ) -> Option<Operand> {
        match self {
            Tree::Parameter(i) => arguments.get(*i).map(|argument| caller.of(*argument)),
            Tree::Constant(id) => Some(Operand::Constant(*id)),
            Tree::Computed((block, position), parts) => {
                let parts: Option<Vec<Operand>> =
                    parts.iter().map(|part| part.in_caller(callee, arguments, caller)).collect();
                let act = &callee.block(*block).instructions[*position].act;
                caller.computed(act, parts?).map(Operand::Register)
            }
        }
    }
}

/// For each call, the registers of the caller that hold the callee's expressions.
pub type Holders = HashMap<Place, Vec<Option<Register>>>;

/// The holders in a function's text.
pub fn holders(
    code: &Code,
    function: &Function,
    numbers: &ValueNumbers,
    definitions: &Definitions,
) -> Holders {
    let mut wanted: BTreeMap<FunctionId, Vec<Expression>> = BTreeMap::new();
    let mut dominators = None;
    let mut found = Holders::new();
    for (number, block) in function.blocks.iter().enumerate() {
        for (position, instruction) in block.instructions.iter().enumerate() {
            let Act::Call { callee: Callee::Function(id), arguments, .. } = &instruction.act else {
                continue;
            };
            let callee = code.function(*id);
            if !callee.is_defined() {
                continue;
            }
            let expressions = wanted.entry(*id).or_insert_with(|| expressions(callee));
            let here = (BlockId(number as u32), position);
            let list: Vec<Option<Register>> = expressions
                .iter()
                .map(|expression| {
                    let Operand::Register(first) =
                        expression.tree.in_caller(callee, arguments, numbers)?
                    else {
                        return None;
                    };
                    let dominators = dominators.get_or_insert_with(|| Dominators::of(function));
                    numbers.class(first).into_iter().find(|register| {
                        let defined = definitions.place(*register);
                        defined.is_some_and(|there| dominators.comes_before(there, here))
                    })
                })
                .collect();
            if list.iter().any(Option::is_some) {
                found.insert(here, list);
            }
        }
    }
    found
}
