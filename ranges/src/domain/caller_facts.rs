//! Facts from callers: relations between arguments that the values of the arguments do not show.
//!
//! `fabs(a * x) < 1` was tested before the call of a function that also computes `a * x` from its
//! parameters. A function lists the expressions over two or more of its parameters and
//! constants; a caller that has computed the same expression of the arguments on every path
//! to the call passes its value beside them.

use crate::domain::point::{Domain, Known, Text};
use crate::domain::values::{self, Computed};
use crate::function::expressions::{Expression, Tree};
use crate::value::AbstractValue;
use nanoscope_program::ir::{Function, Instruction};
use nanoscope_sets::{Modes, Order};

/// The domain of facts from callers; it has no elements of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallerFacts;

impl Domain for CallerFacts {
    fn sharpen(
        &self,
        at: &Text,
        _known: Known,
        instruction: &Instruction,
        computed: &mut Computed,
    ) {
        if !at.caller_facts.is_empty()
            && let Some(register) = instruction.result
            && let Some((_, fact)) = at.caller_facts.iter().find(|(known, _)| *known == register)
        {
            computed.meet(fact);
        }
    }
}

/// The fact that a caller passes that holds an expression in a register: top, if the
/// arguments' values imply it.
pub fn fact(
    expression: &Expression,
    known: &AbstractValue,
    callee: &Function,
    arguments: &[AbstractValue],
    constants: &[AbstractValue],
    modes: Modes,
) -> AbstractValue {
    match value(&expression.tree, callee, arguments, constants, modes) {
        Some(natural) if natural.is_within(known) => AbstractValue::Anything,
        Some(_) | None => known.clone(),
    }
}

/// The value of an expression that the arguments' values give.
fn value(
    tree: &Tree,
    callee: &Function,
    arguments: &[AbstractValue],
    constants: &[AbstractValue],
    modes: Modes,
) -> Option<AbstractValue> {
    match tree {
        Tree::Parameter(i) => arguments.get(*i).cloned(),
        Tree::Constant(id) => constants.get(id.0 as usize).cloned(),
        Tree::Computed((block, position), parts) => {
            let parts: Option<Vec<AbstractValue>> =
                parts.iter().map(|part| value(part, callee, arguments, constants, modes)).collect();
            let parts = parts?;
            let parts: Vec<&AbstractValue> = parts.iter().collect();
            let instruction = &callee.block(*block).instructions[*position];
            let ty = &callee.registers[instruction.result?.0 as usize];
            let order = Order::default();
            let computed = values::evaluate(modes, &instruction.act, &parts, ty, order)?;
            Some(computed.value)
        }
    }
}
