//! Calls in a round of a loop that is followed as a linear recurrence: the callee is run by itself,
//! with the linear forms of its arguments and of the memory that it reaches.

use crate::calls::summaries::Passed;
use crate::domain::state::State;
use crate::fixpoint::interpreter::{Flow, Frame, Interpreter};
use crate::value::AbstractValue;
use nanoscope_program::ir::{FunctionId, Instruction, Operand, Type};

impl<'c> Interpreter<'c> {
    /// Runs a call of a function of the program. Nothing is recorded.
    #[allow(clippy::too_many_arguments, reason = "a call is all of these")]
    pub fn call_followed(
        &mut self,
        frame: &Frame<'c>,
        state: &mut State,
        instruction: &'c Instruction,
        id: FunctionId,
        arguments: &[Operand],
        values: &[AbstractValue],
        result: &'c Type,
    ) -> Flow {
        let memory = std::mem::take(&mut state.memory);
        let Passed { arguments: values, memory, renaming, copies } = self.pass(id, values, memory);
        let inside = |object| renaming.inside(object);
        let recurrences = std::mem::take(&mut state.domains.recurrences);
        let recurrences =
            recurrences.enter(&self.text(frame), &state.environment, arguments, &inside);
        let returned = self.run_function(id, &values, memory, recurrences);
        let Some((value, after, mut recurrences)) = returned else { return Flow::Ends };
        let forgets = after.swept || after.handed_out;
        recurrences.leave(instruction.result, &|object| renaming.outside(object));
        if forgets {
            recurrences.forget_memory();
        }
        copies.iter().for_each(|object| recurrences.forget_object(*object));
        let (value, memory) = self.put_back(renaming, &copies, (value, after));
        state.memory = memory;
        self.assign(state, instruction, value.cast(result));
        state.domains.recurrences = recurrences;
        Flow::On
    }
}
