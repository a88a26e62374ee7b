//! Invariants at the head of a loop: bounds of registers and of their differences that hold in every
//! round.

use crate::domain::linear_form::Bounds;
use crate::domain::state::State;
use crate::value::Value;
use nanoscope_program::ir::Register;
use std::rc::Rc;

/// What holds at the head of a loop.
#[derive(Default)]
pub struct Invariant {
    /// Values that include those of registers.
    pub values: Vec<(Register, Value)>,
    /// Bounds on the differences of two.
    pub differences: Vec<(Register, Register, Bounds)>,
}

impl Invariant {
    /// A state at the head, restricted.
    pub fn restrict(&self, mut state: Rc<State>) -> Rc<State> {
        if self.values.is_empty() {
            return state;
        }
        let inner = Rc::make_mut(&mut state);
        for (register, value) in &self.values {
            let met = inner.environment.known(*register).meet(value);
            // A register without a value has none yet.
            if inner.environment.get(*register).is_some() && !met.is_empty() {
                inner.environment.set(*register, met);
            }
        }
        for (a, b, bounds) in &self.differences {
            inner.domains.zones.add(*a, *b, *bounds);
        }
        state
    }
}
