//! Queries about the representation: the edges of a block's end, the operands of an act,
//! which acts only compute, and which registers are live where.

use super::{
    Act, BlockId, Callee, Code, Constant, Edge, End, Function, FunctionId, Instruction, Operand,
    Register, Special,
};
use crate::{acts, specials};
use std::ops::Deref;
use std::slice;

impl Code {
    /// Where control goes after a call that an exception ends, where that is another place than after
    /// one that returns. (What looks for jumps comes between.)
    pub fn way_of_exception(&self, id: FunctionId, block: BlockId, after: u32) -> Option<BlockId> {
        let function = self.function(id);
        function.leave?;
        let block = function.block(block);
        let is_call = |one: &Instruction| matches!(one.act, Act::Call { .. });
        let rest = block.instructions.iter().skip(after as usize);
        if self.jumps || rest.clone().any(is_call) || rest.count() > LOOK {
            return None;
        }
        block.end.edges().first().map(|edge| edge.to)
    }
}

impl Code {
    /// The edges of a block's end that control can take: one, where a constant decides.
    pub fn ways<'e>(&self, end: &'e End) -> Vec<&'e Edge> {
        if let End::Branch { condition: Operand::Constant(id), then, otherwise } = end
            && let Constant::Integer(word) = &self.constant(*id).1
        {
            return vec![if word.low_u64() & 1 == 1 { then } else { otherwise }];
        }
        end.edges()
    }
}

/// Instructions that look for an exception on its way: a load and a comparison.
const LOOK: usize = 2;

impl End {
    /// The outgoing edges, in order.
    pub fn edges(&self) -> Vec<&Edge> {
        match self {
            End::Jump(edge) => vec![edge],
            End::Branch { then, otherwise, .. } => vec![then, otherwise],
            End::Switch { cases, default, .. } => {
                cases.iter().map(|(_, edge)| edge).chain([default]).collect()
            }
            End::Computed { edges, .. } => edges.iter().map(|(_, edge)| edge).collect(),
            End::Return(_) | End::Unreachable | End::Unknown(_) => Vec::new(),
        }
    }

    /// The operand that the end itself reads: a condition, a selector, a returned value.
    pub fn operand(&self) -> Option<Operand> {
        match self {
            End::Return(operand) => *operand,
            End::Branch { condition, .. } => Some(*condition),
            End::Switch { on, .. } => Some(*on),
            End::Computed { to, .. } => Some(*to),
            End::Jump(_) | End::Unreachable | End::Unknown(_) => None,
        }
    }
}

/// The operands of an act; borrowed where the act stores them side by side.
pub enum Operands<'a> {
    /// As stored in the act.
    Stored(&'a [Operand]),
    /// Two that are stored apart.
    Pair([Operand; 2]),
    /// Any number.
    Collected(Vec<Operand>),
}

impl Deref for Operands<'_> {
    type Target = [Operand];

    fn deref(&self) -> &[Operand] {
        match self {
            Operands::Stored(operands) => operands,
            Operands::Pair(operands) => operands,
            Operands::Collected(operands) => operands,
        }
    }
}

impl Operands<'_> {
    /// The registers among them.
    pub fn registers(&self) -> impl Iterator<Item = Register> {
        self.iter().filter_map(|operand| operand.register())
    }
}

impl Operand {
    /// The register, if it is one.
    pub fn register(self) -> Option<Register> {
        match self {
            Operand::Register(register) => Some(register),
            Operand::Constant(_) => None,
        }
    }
}

impl Act {
    /// Everything that the act reads.
    pub fn operands(&self) -> Operands<'_> {
        match self {
            Act::Integer { operands, .. }
            | Act::IntegerCompare { operands, .. }
            | Act::FloatCompare { operands, .. }
            | Act::Lane { operands }
            | Act::Shuffle { operands, .. }
            | Act::SetMember { operands, .. } => Operands::Stored(operands),
            Act::FunnelShift { operands, .. }
            | Act::Select { operands }
            | Act::SetLane { operands } => Operands::Stored(operands),
            Act::IntegerUnary { operand, .. }
            | Act::Convert { operand, .. }
            | Act::Classify { operand, .. }
            | Act::Freeze { operand }
            | Act::Member { operand, .. } => Operands::Stored(slice::from_ref(operand)),
            Act::Float { operands, .. }
            | Act::Special { operands, .. }
            | Act::Unknown { operands, .. } => Operands::Stored(operands),
            Act::Allocate { count, .. } => Operands::Stored(slice::from_ref(count)),
            Act::Offset { base, scaled, .. } => match &scaled[..] {
                [] => Operands::Stored(slice::from_ref(base)),
                [(index, _)] => Operands::Pair([*base, *index]),
                [..] => {
                    let indices = scaled.iter().map(|(index, _)| *index);
                    Operands::Collected([*base].into_iter().chain(indices).collect())
                }
            },
            Act::Load { address, .. } => Operands::Stored(slice::from_ref(address)),
            Act::Store { address, value, .. } => Operands::Pair([*address, *value]),
            Act::Call { callee, arguments, .. } => match callee {
                Callee::Function(_) => Operands::Stored(arguments),
                Callee::Address(address) => {
                    Operands::Collected(arguments.iter().chain([address]).copied().collect())
                }
            },
        }
    }

    /// Whether the act only computes: it gives a value from its operands alone, and neither
    /// touches memory nor calls.
    #[inline]
    pub fn only_computes(&self) -> bool {
        match self {
            acts!(Computing) => true,
            Act::Allocate { .. }
            | Act::Load { .. }
            | Act::Store { .. }
            | Act::Call { .. }
            | Act::Special { .. }
            | Act::Unknown { .. } => false,
        }
    }
}

impl Special {
    /// Whether it only computes, as [`Act::only_computes`] says of acts.
    #[inline]
    pub fn only_computes(&self) -> bool {
        match self {
            specials!(Float, Reduce) => true,
            specials!(Memory, Variadic, Control, Environment) => false,
        }
    }
}

impl Function {
    /// For each block, the registers that are live at its start, in order: read there or
    /// later, before they are assigned. `also_read` names registers that an instruction reads
    /// besides its operands.
    pub fn live_registers(
        &self,
        also_read: impl Fn(BlockId, usize) -> Vec<Register>,
    ) -> Vec<Vec<Register>> {
        let words = self.registers.len().div_ceil(64);
        let mut live = vec![vec![0u64; words]; self.blocks.len()];
        let put = |set: &mut [u64], Register(r): Register| set[r as usize / 64] |= 1 << (r % 64);
        let cut = |set: &mut [u64], Register(r): Register| set[r as usize / 64] &= !(1 << (r % 64));
        loop {
            let mut changed = false;
            for (number, block) in self.blocks.iter().enumerate().rev() {
                let mut set = vec![0u64; words];
                for edge in block.end.edges() {
                    let mut on_edge = live[edge.to.0 as usize].clone();
                    edge.moves.iter().for_each(|(register, _)| cut(&mut on_edge, *register));
                    let sources = edge.moves.iter().filter_map(|(_, from)| from.register());
                    sources.for_each(|register| put(&mut on_edge, register));
                    set.iter_mut().zip(&on_edge).for_each(|(a, b)| *a |= b);
                }
                let read = block.end.operand().and_then(Operand::register);
                read.into_iter().for_each(|register| put(&mut set, register));
                for (position, instruction) in block.instructions.iter().enumerate().rev() {
                    instruction.result.into_iter().for_each(|register| cut(&mut set, register));
                    let also = also_read(BlockId(number as u32), position);
                    also.into_iter().for_each(|register| put(&mut set, register));
                    let operands = instruction.act.operands();
                    operands.registers().for_each(|register| put(&mut set, register));
                }
                if set != live[number] {
                    live[number] = set;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let registers = |set: &Vec<u64>| {
            (0..self.registers.len() as u32)
                .filter(|r| set[*r as usize / 64] >> (r % 64) & 1 == 1)
                .map(Register)
                .collect()
        };
        live.iter().map(registers).collect()
    }
}
