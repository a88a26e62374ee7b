//! What callers know of what a function computes: `fabs(a * x) < 1` was tested before a call of
//! a function that is given `a` and `x` and multiplies them, too. Of the arguments' ranges
//! nothing of that can be seen, so it is handed over beside them.
//!
//! A function asks about what it computes from two or more of its parameters and from
//! constants. A caller answers where it has computed the same from the arguments, on every
//! way to the call.

use crate::arithmetic::{Modes, Order};
use crate::dominators::Dominators;
use crate::evaluate;
use crate::shape::{ByRegister, Numbers};
use crate::value::Value;
use nanoscope_ieee::Operation;
use nanoscope_program::ir::{
    Act, BlockId, Callee, Code, ConstantId, Function, FunctionId, Operand, Register, Type,
};
use std::collections::{BTreeMap, HashMap};

/// So many questions a function asks at most, each of so many operations at most.
const MOST: usize = 16;
const LARGEST: usize = 5;

/// A question: what is this register, which is computed like that?
#[derive(Clone, Debug)]
pub struct Question {
    /// The register.
    pub register: Register,
    tree: Tree,
}

/// How something is computed.
#[derive(Clone, Debug)]
enum Tree {
    Parameter(usize),
    Constant(ConstantId),
    /// By an instruction from these.
    Computed((BlockId, usize), Vec<Tree>),
}

/// The questions of a function.
pub fn questions(function: &Function) -> Vec<Question> {
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
            if tree.size() > LARGEST {
                continue;
            }
            if found.len() < MOST && tree.parameters() > 1 {
                found.push(Question { register, tree: tree.clone() });
            }
            trees.insert(register, tree);
        }
    }
    found
}

/// The operands of an operation that gives the same wherever it is done.
fn arithmetic(act: &Act) -> Option<&[Operand]> {
    let Act::Float { operation, operands, relaxed: false, .. } = act else { return None };
    let plain = matches!(
        operation,
        Operation::Add
            | Operation::Sub
            | Operation::Mul
            | Operation::Div
            | Operation::Neg
            | Operation::Abs
    );
    plain.then_some(operands)
}

impl Tree {
    /// How many operations it is made of.
    fn size(&self) -> usize {
        match self {
            Tree::Parameter(_) | Tree::Constant(_) => 0,
            Tree::Computed(_, parts) => 1 + parts.iter().map(Tree::size).sum::<usize>(),
        }
    }

    /// How many of its leaves are parameters.
    fn parameters(&self) -> usize {
        match self {
            Tree::Parameter(_) => 1,
            Tree::Constant(_) => 0,
            Tree::Computed(_, parts) => parts.iter().map(Tree::parameters).sum(),
        }
    }

    /// The first register of a caller that is computed like this from the arguments.
    fn in_caller(
        &self,
        callee: &Function,
        arguments: &[Operand],
        caller: &Numbers,
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

    /// What it comes to as far as the arguments tell.
    fn value(
        &self,
        callee: &Function,
        arguments: &[Value],
        constants: &[Value],
        modes: Modes,
    ) -> Option<Value> {
        match self {
            Tree::Parameter(i) => arguments.get(*i).cloned(),
            Tree::Constant(id) => constants.get(id.0 as usize).cloned(),
            Tree::Computed((block, position), parts) => {
                let parts: Option<Vec<Value>> = parts
                    .iter()
                    .map(|part| part.value(callee, arguments, constants, modes))
                    .collect();
                let parts = parts?;
                let parts: Vec<&Value> = parts.iter().collect();
                let instruction = &callee.block(*block).instructions[*position];
                let ty = &callee.registers[instruction.result?.0 as usize];
                let order = Order::default();
                let computed = evaluate::evaluate(modes, &instruction.act, &parts, ty, order)?;
                Some(computed.value)
            }
        }
    }
}

impl Question {
    /// What a caller answers that has this in a register: anything, where that says no more
    /// than the arguments do.
    pub fn answer(
        &self,
        known: &Value,
        callee: &Function,
        arguments: &[Value],
        constants: &[Value],
        modes: Modes,
    ) -> Value {
        match self.tree.value(callee, arguments, constants, modes) {
            Some(natural) if natural.is_within(known) => Value::Anything,
            Some(_) | None => known.clone(),
        }
    }
}

/// For each call of a function, the registers that answer what is asked there.
pub type Answers = HashMap<(BlockId, usize), Vec<Option<Register>>>;

/// Finds the answers in a function's text.
pub fn answers(
    code: &Code,
    function: &Function,
    numbers: &Numbers,
    definitions: &ByRegister<(BlockId, usize)>,
) -> Answers {
    let mut asked: BTreeMap<FunctionId, Vec<Question>> = BTreeMap::new();
    let mut dominators = None;
    let mut found = Answers::new();
    for (number, block) in function.blocks.iter().enumerate() {
        for (position, instruction) in block.instructions.iter().enumerate() {
            let Act::Call { callee: Callee::Function(id), arguments, .. } = &instruction.act else {
                continue;
            };
            let callee = code.function(*id);
            if !callee.is_defined() {
                continue;
            }
            let questions = asked.entry(*id).or_insert_with(|| questions(callee));
            let here = (BlockId(number as u32), position);
            let list: Vec<Option<Register>> = questions
                .iter()
                .map(|question| {
                    let Operand::Register(first) =
                        question.tree.in_caller(callee, arguments, numbers)?
                    else {
                        return None;
                    };
                    let dominators = dominators.get_or_insert_with(|| Dominators::of(function));
                    numbers.alike(first).into_iter().find(|register| {
                        let defined = definitions.get(register);
                        defined.is_some_and(|there| dominators.comes_before(*there, here))
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
