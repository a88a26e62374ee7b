//! Everything that is known of a function's text, found once for all of its runs.

use super::cancelling;
use super::definitions::{ByRegister, Definitions};
use super::expressions::{self, Expression, Holders};
use super::extrema::{self, Extremum};
use super::liveness;
use super::slices::{self, Slice};
use super::value_numbers::ValueNumbers;
use crate::fixpoint::order::{self, Element};
use nanoscope_ieee::Operation;
use nanoscope_program::ir::{Act, Code, Function, Register};

/// What the text of a function tells.
#[derive(Debug)]
pub struct FunctionFacts {
    /// The iteration order of its blocks.
    pub order: Vec<Element>,
    /// Whether a block is the head of a loop.
    pub heads: Vec<bool>,
    /// The registers kept at the start of each block.
    pub live: Vec<Vec<Register>>,
    /// Definitions and uses.
    pub definitions: Definitions,
    /// Value numbers.
    pub numbers: ValueNumbers,
    /// Expressions over its parameters that callers may know more of.
    pub expressions: Vec<Expression>,
    /// For each call, the registers that hold expressions of the callee.
    pub holders: Holders,
    /// Sums in which atoms of affine forms may cancel.
    pub cancelling: ByRegister<()>,
    /// Registers to which sums or differences move where paths meet.
    pub summed: ByRegister<()>,
    /// Values that depend on one register in several ways.
    pub slices: ByRegister<Slice>,
    /// Registers that are the lesser or the greater of two operands.
    pub extrema: ByRegister<Extremum>,
    /// Registers that are the greater of two operands.
    pub greatest: Vec<Register>,
}

impl FunctionFacts {
    /// The facts of a function; without `code`, of one that is only run in place.
    pub fn of(function: &Function, code: Option<&Code>) -> FunctionFacts {
        let order = order::of_function(function);
        let mut heads = vec![false; function.blocks.len()];
        order::mark_heads(&order, &mut heads);
        let definitions = Definitions::of(function);
        let numbers = ValueNumbers::of_function(function);
        let holders = code.map(|code| expressions::holders(code, function, &numbers, &definitions));
        let holders = holders.unwrap_or_default();
        let expressions = match code {
            Some(_) => expressions::expressions(function),
            None => Vec::new(),
        };
        let extrema = extrema::of_function(function, &definitions, &numbers);
        let live = liveness::of_function(function, &definitions, &numbers, &extrema, &holders);
        let cancelling = cancelling::of_function(function, &definitions, &numbers);
        let summed = moved_sums(function, &definitions);
        let slices = match code {
            Some(code) => slices::of_function(code, function, &definitions, &numbers),
            None => ByRegister::of(function),
        };
        let greatest = extrema::greatest(function, &definitions, &numbers, &extrema);
        FunctionFacts {
            order,
            heads,
            live,
            definitions,
            numbers,
            expressions,
            holders,
            cancelling,
            summed,
            slices,
            extrema,
            greatest,
        }
    }
}

/// The registers to which sums or differences move along some edge.
fn moved_sums(function: &Function, definitions: &Definitions) -> ByRegister<()> {
    let mut found = ByRegister::of(function);
    for edge in function.blocks.iter().flat_map(|block| block.end.edges()) {
        for (to, from) in &edge.moves {
            let act = from.register().and_then(|from| definitions.act(function, from));
            if let Some(Act::Float { operation: Operation::Add | Operation::Sub, .. }) = act {
                found.insert(*to, ());
            }
        }
    }
    found
}
