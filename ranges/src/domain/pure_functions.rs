//! Pure functions: a few acts in a row, without memory or branches, that call only pure
//! functions.
//!
//! Their bodies are equations like those of registers, so that refinement passes through a
//! call: a guard on `top12(x)` refines `x`.

use crate::domain::state::State;
use crate::domain::values;
use crate::function::facts::FunctionFacts;
use crate::memory::Memory;
use crate::policy::{LARGEST_PURE_FUNCTION, PURE_CALL_DEPTH};
use crate::value::AbstractValue;
use nanoscope_program::ir::{
    Act, BlockId, Callee, Code, End, Function, FunctionId, Operand, Register,
};
use nanoscope_sets::{Floats, Modes};
use std::cell::OnceCell;

/// The pure functions of a program, found when first called.
pub struct PureFunctions<'c> {
    code: &'c Code,
    bodies: Vec<OnceCell<Option<Body<'c>>>>,
}

/// A pure function.
pub struct Body<'c> {
    pub function: &'c Function,
    pub facts: FunctionFacts,
    /// Its blocks in sequence.
    blocks: Vec<BlockId>,
    /// Its result.
    pub result: Operand,
}

impl<'c> PureFunctions<'c> {
    /// Those of a program.
    pub fn new(code: &'c Code) -> PureFunctions<'c> {
        PureFunctions { code, bodies: code.functions.iter().map(|_| OnceCell::new()).collect() }
    }

    /// The state at the end of a pure function that is called with these arguments.
    pub fn run(
        &self,
        id: FunctionId,
        arguments: &[AbstractValue],
        constants: &[AbstractValue],
        modes: Modes,
    ) -> Option<(&Body<'c>, State)> {
        self.run_at(PURE_CALL_DEPTH, id, arguments, constants, modes)
    }

    fn run_at(
        &self,
        depth: u32,
        id: FunctionId,
        arguments: &[AbstractValue],
        constants: &[AbstractValue],
        modes: Modes,
    ) -> Option<(&Body<'c>, State)> {
        let body = self.bodies[id.0 as usize]
            .get_or_init(|| Body::of(self.code.function(id)))
            .as_ref()
            .filter(|body| body.function.parameters.len() == arguments.len())?;
        let mut state = State::new(Memory::default());
        for (i, (parameter, value)) in body.function.parameters.iter().zip(arguments).enumerate() {
            state.environment.set(Register(i as u32), value.cast(&parameter.ty));
        }
        for block in &body.blocks {
            for (register, extremum) in body.facts.extrema.iter().filter(|(_, e)| e.to == *block) {
                let floats = |operand| {
                    state.environment.operand(operand, constants).floats(extremum.choice.format)
                };
                let [a, b] = extremum.choice.operands.map(floats);
                let any = Floats::everything(extremum.choice.format);
                let [_, _, taken] = extremum.choice.refined(&a, &b, &any);
                state.environment.set(register, AbstractValue::float(taken));
            }
            for instruction in &body.function.block(*block).instructions {
                let register = instruction.result?;
                let ty = &body.function.registers[register.0 as usize];
                let value = {
                    let list = instruction.act.operands();
                    let values = state.environment.operands(&list, constants);
                    let order = match &*list {
                        [a, b] => state.domains.order.of(*a, *b),
                        _ => Default::default(),
                    };
                    match &instruction.act {
                        Act::Call { callee: Callee::Function(callee), .. } if depth > 0 => {
                            let values: Vec<AbstractValue> =
                                values.iter().copied().cloned().collect();
                            let (body, inside) =
                                self.run_at(depth - 1, *callee, &values, constants, modes)?;
                            inside.environment.operand(body.result, constants).clone()
                        }
                        act => values::evaluate(modes, act, &values, ty, order)?.value,
                    }
                };
                state.environment.set(register, value);
            }
        }
        Some((body, state))
    }
}

impl<'c> Body<'c> {
    fn of(function: &'c Function) -> Option<Body<'c>> {
        if function.blocks.is_empty() || function.variadic || function.never_returns {
            return None;
        }
        let mut blocks = vec![BlockId(0)];
        let mut facts = None;
        let mut acts = 0;
        loop {
            let at = blocks[blocks.len() - 1];
            let block = function.block(at);
            acts += block.instructions.len() + 1;
            if acts > LARGEST_PURE_FUNCTION
                || !block.instructions.iter().all(|i| may_be_pure(&i.act))
            {
                return None;
            }
            match &block.end {
                End::Return(Some(result)) => {
                    let facts = facts.unwrap_or_else(|| FunctionFacts::of(function, None));
                    return Some(Body { function, facts, blocks, result: *result });
                }
                End::Jump(edge) if edge.moves.is_empty() => blocks.push(edge.to),
                End::Branch { .. } => {
                    // An extremum and nothing else.
                    let facts = facts.get_or_insert_with(|| FunctionFacts::of(function, None));
                    let mut chosen = facts.extrema.iter().filter(|(_, e)| e.from == at);
                    let (_, extremum) = chosen.next()?;
                    let moves = function.blocks.iter().flat_map(|block| block.end.edges());
                    let moves = moves.filter(|edge| edge.to == extremum.to);
                    if chosen.next().is_some() || moves.into_iter().any(|e| e.moves.len() != 1) {
                        return None;
                    }
                    blocks.push(extremum.to);
                }
                End::Return(None)
                | End::Jump(_)
                | End::Switch { .. }
                | End::Computed { .. }
                | End::Unreachable
                | End::Unknown(_) => return None,
            }
        }
    }
}

/// Whether an act may occur in a pure function.
fn may_be_pure(act: &Act) -> bool {
    act.only_computes() || matches!(act, Act::Call { callee: Callee::Function(_), .. })
}
