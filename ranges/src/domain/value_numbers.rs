//! Value numbers (`function/value_numbers.rs`): what is known of one register holds of all with
//! the same number.

use crate::domain::point::{Domain, Known, Text};
use crate::domain::values::Computed;
use crate::value::AbstractValue;
use nanoscope_program::ir::Instruction;

/// The domain of value numbers; it has no elements of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct ValueNumbering;

impl Domain for ValueNumbering {
    fn sharpen(&self, at: &Text, known: Known, instruction: &Instruction, computed: &mut Computed) {
        if let (Some(register), true) = (instruction.result, at.has_equal_numbers()) {
            for twin in at.facts.numbers.twins(register) {
                if let Some(value @ AbstractValue::Float(_)) = known.environment.get(twin) {
                    computed.meet(value);
                }
            }
        }
    }
}
