//! Invariants at the head of a loop: bounds of its variables and of their differences that hold in
//! every round.

use crate::domain::linear_form::Bounds;
use crate::domain::linear_system::Bounded;
use crate::domain::recurrences::{Level, Recurrences, Variable};
use crate::domain::state::State;
use crate::memory::Globals;
use crate::value::AbstractValue;
use nanoscope_program::ir::Register;
use std::rc::Rc;

/// What holds at the head of a loop.
#[derive(Default)]
pub struct Invariant {
    /// Values that include those of variables.
    pub values: Vec<(Variable, AbstractValue)>,
    /// Bounds on the differences of two registers.
    pub differences: Vec<(Register, Register, Bounds)>,
    /// The recurrence, with its variables and their bounds.
    pub recurrence: Option<(Vec<Variable>, Vec<Bounds>, Rc<Bounded>)>,
}

impl Invariant {
    /// A state at the head, from which a round is followed. An outer loop that is followed already
    /// stays so.
    pub fn begin(&self, mut state: Rc<State>, level: Level) -> Rc<State> {
        if let Some((variables, ranges, bounded)) = &self.recurrence
            && state.domains.recurrences.level().is_none_or(|followed| followed == level)
        {
            let bounded = Some(Rc::clone(bounded));
            Rc::make_mut(&mut state).domains.recurrences =
                Recurrences::follow_from(level, variables, ranges, bounded, false);
        }
        state
    }

    /// A state at the head, restricted.
    pub fn restrict(&self, mut state: Rc<State>, globals: &Globals) -> Rc<State> {
        if self.values.is_empty() {
            return state;
        }
        let inner = Rc::make_mut(&mut state);
        for (variable, value) in &self.values {
            // A variable without a value has none yet.
            if let Some(known) = value_of(inner, variable, globals) {
                let met = known.meet(value);
                if !met.is_empty() {
                    assign(inner, variable, met, globals);
                }
            }
        }
        for (a, b, bounds) in &self.differences {
            inner.domains.zones.add(*a, *b, *bounds);
        }
        state
    }
}

/// The value of a variable.
pub fn value_of(state: &State, variable: &Variable, globals: &Globals) -> Option<AbstractValue> {
    match variable {
        Variable::Register(register) => state.environment.get(*register).cloned(),
        Variable::Cell((object, offset, ty)) => {
            let contents = state.memory.contents(*object, globals)?;
            Some(contents.get(*offset, ty.stored_bytes(), ty))
        }
    }
}

/// Restricts a variable to a value.
pub fn assign(state: &mut State, variable: &Variable, value: AbstractValue, globals: &Globals) {
    match variable {
        Variable::Register(register) => {
            state.environment.set(*register, value);
        }
        Variable::Cell((object, offset, ty)) => {
            state.memory.refine(*object, *offset, ty, &value, globals);
        }
    }
}
