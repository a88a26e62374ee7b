//! Functions that only compute: a few acts in a row, without memory or branches, that call
//! no others but such.
//!
//! Their bodies are equations like those of registers: what is learnt of a result is learnt
//! of the arguments. So a guard on `top12(x)` tells of `x`.

use crate::evaluate;
use crate::floats::Floats;
use crate::memory::Memory;
use crate::refine::Refinement;
use crate::shape::{Shape, edges, operands};
use crate::state::State;
use crate::value::Value;
use nanoscope_program::ir::{
    Act, BlockId, Callee, Code, End, Function, FunctionId, Operand, Register,
};
use std::cell::OnceCell;

/// The most acts that are few.
const MOST_ACTS: usize = 16;

/// How deep they call each other.
const DEEPEST: u32 = 3;

/// The functions of a program that only compute, found when first asked for.
pub struct Plain<'c> {
    code: &'c Code,
    bodies: Vec<OnceCell<Option<Body<'c>>>>,
}

/// A function that only computes.
pub struct Body<'c> {
    /// The function.
    pub function: &'c Function,
    /// Its shape.
    pub shape: Shape,
    /// Its blocks, one after the other.
    blocks: Vec<BlockId>,
    /// What it returns.
    pub result: Operand,
}

impl<'c> Plain<'c> {
    /// Those of a program.
    pub fn new(code: &'c Code) -> Plain<'c> {
        Plain { code, bodies: code.functions.iter().map(|_| OnceCell::new()).collect() }
    }

    /// A function run on these arguments as far as its end, if it only computes.
    pub fn run(
        &self,
        id: FunctionId,
        arguments: &[Value],
        refinement: &Refinement,
    ) -> Option<(&Body<'c>, State)> {
        self.run_at(DEEPEST, id, arguments, refinement)
    }

    fn run_at(
        &self,
        depth: u32,
        id: FunctionId,
        arguments: &[Value],
        refinement: &Refinement,
    ) -> Option<(&Body<'c>, State)> {
        let body = self.bodies[id.0 as usize]
            .get_or_init(|| Body::of(self.code.function(id)))
            .as_ref()
            .filter(|body| body.function.parameters.len() == arguments.len())?;
        let mut state = State::new(Memory::default());
        for (i, (parameter, value)) in body.function.parameters.iter().zip(arguments).enumerate() {
            state.registers.set(Register(i as u32), value.cast(&parameter.ty));
        }
        for block in &body.blocks {
            for (register, extreme) in body.shape.extremes.iter().filter(|(_, e)| e.to == *block) {
                let floats = |operand| refinement.value(&state, operand).floats(extreme.format);
                let [a, b] = extreme.operands.map(floats);
                let any = Floats::everything(extreme.format);
                let [_, _, taken] = extreme.refined(&a, &b, &any);
                state.registers.set(register, Value::float(taken));
            }
            for instruction in &body.function.block(*block).instructions {
                let register = instruction.result?;
                let ty = &body.function.registers[register.0 as usize];
                let list = operands(&instruction.act);
                let values = state.registers.operands(&list, refinement.constants);
                let order = match &*list {
                    [a, b] => state.order(*a, *b),
                    _ => Default::default(),
                };
                let value = match &instruction.act {
                    Act::Call { callee: Callee::Function(callee), .. } if depth > 0 => {
                        let values: Vec<Value> = values.iter().copied().cloned().collect();
                        let (body, inside) =
                            self.run_at(depth - 1, *callee, &values, refinement)?;
                        refinement.value(&inside, body.result)
                    }
                    act => evaluate::evaluate(refinement.modes, act, &values, ty, order)?.value,
                };
                state.registers.set(register, value);
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
        let mut shape = None;
        let mut acts = 0;
        loop {
            let at = blocks[blocks.len() - 1];
            let block = function.block(at);
            acts += block.instructions.len() + 1;
            if acts > MOST_ACTS || !block.instructions.iter().all(|i| computes(&i.act)) {
                return None;
            }
            match &block.end {
                End::Return(Some(result)) => {
                    let shape = shape.unwrap_or_else(|| Shape::of(function, None));
                    return Some(Body { function, shape, blocks, result: *result });
                }
                End::Jump(edge) if edge.moves.is_empty() => blocks.push(edge.to),
                End::Branch { .. } => {
                    // The lesser or the greater of two, and nothing else.
                    let shape = shape.get_or_insert_with(|| Shape::of(function, None));
                    let mut chosen = shape.extremes.iter().filter(|(_, e)| e.from == at);
                    let (_, extreme) = chosen.next()?;
                    let moves = function.blocks.iter().flat_map(|block| edges(&block.end));
                    let moves = moves.filter(|edge| edge.to == extreme.to);
                    if chosen.next().is_some() || moves.into_iter().any(|e| e.moves.len() != 1) {
                        return None;
                    }
                    blocks.push(extreme.to);
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

/// Whether an act does nothing but give a value, if what it calls does not.
fn computes(act: &Act) -> bool {
    match act {
        Act::Integer { .. }
        | Act::IntegerUnary { .. }
        | Act::FunnelShift { .. }
        | Act::IntegerCompare { .. }
        | Act::Convert { .. }
        | Act::Float { .. }
        | Act::FloatCompare { .. }
        | Act::Classify { .. }
        | Act::Select { .. }
        | Act::Freeze { .. }
        | Act::Offset { .. }
        | Act::Lane { .. }
        | Act::SetLane { .. }
        | Act::Shuffle { .. }
        | Act::Member { .. }
        | Act::SetMember { .. }
        | Act::Call { callee: Callee::Function(_), .. } => true,
        Act::Allocate { .. }
        | Act::Load { .. }
        | Act::Store { .. }
        | Act::Call { .. }
        | Act::Special { .. }
        | Act::Unknown { .. } => false,
    }
}
