//! One instruction: transfer, each domain sharpens, record.

use crate::arithmetic::{Modes, Order};
use crate::domain::affine::AffineForms;
use crate::domain::bisection::Run;
use crate::domain::state::State;
use crate::domain::values;
use crate::domain::whole_parts;
use crate::exceptions::Exceptions;
use crate::fixpoint::interpreter::{Flow, Frame, Interpreter};
use crate::grain::WHOLE;
use crate::memory::Contents;
use crate::memory::address::{ObjectId, Pointers};
use crate::relation::Relation;
use crate::value::Value;
use nanoscope_ieee::Operation;
use nanoscope_program::ir::{
    Act, BlockId, Instruction, IntegerConversion, Operand, Register, Type,
};
use std::cell::Cell;
use std::rc::Rc;

impl<'c> Interpreter<'c> {
    /// Runs an instruction.
    pub fn step(
        &mut self,
        frame: &mut Frame<'c>,
        state: &mut State,
        instruction: &'c Instruction,
        block: BlockId,
        position: usize,
    ) -> Flow {
        match instruction.act.only_computes() {
            true => self.compute(frame, state, instruction),
            false => self.act(frame, state, instruction, block, position),
        }
    }

    /// The type of an instruction's result.
    pub fn result_type(&self, frame: &Frame<'c>, instruction: &Instruction) -> &'c Type {
        match instruction.result {
            Some(register) => &frame.function.registers[register.0 as usize],
            None => &Type::Void,
        }
    }

    /// Runs an instruction that only computes.
    fn compute(
        &mut self,
        frame: &mut Frame<'c>,
        state: &mut State,
        instruction: &'c Instruction,
    ) -> Flow {
        let list = instruction.act.operands();
        let constants = Rc::clone(&self.constants);
        let values = state.environment.operands(&list, &constants);
        let ty = self.result_type(frame, instruction);
        let order = match &*list {
            [a, b] if self.modes == Modes::Nearest && frame.facts.numbers.alike(*a, *b) => {
                Order { same: true, ..Order::default() }
            }
            [a, b] => state.order.of(*a, *b),
            _ => Default::default(),
        };
        let mut computed = values::evaluate(self.modes, &instruction.act, &values, ty, order)
            .expect("the act only computes");
        if instruction.result.is_some_and(|result| frame.facts.cancelling.get(&result).is_some()) {
            let forms = AffineForms {
                function: frame.function,
                definitions: &frame.facts.definitions,
                numbers: &frame.facts.numbers,
                constants: &self.constants,
                modes: self.modes,
                environment: &state.environment,
            };
            forms.sharpen(&instruction.act, &mut computed);
        }
        if matches!(ty, Type::Float(_)) {
            let rest =
                self.whole_parts(frame, state, |parts| parts.rest(self.modes, &instruction.act));
            if let Some(rest) = rest {
                whole_parts::restrict(&mut computed.value, &mut computed.raised, &rest);
            }
        }
        if self.effort.argument_partitions > 1
            && self.modes == Modes::Nearest
            && let Some(result) = instruction.result
            && let Some(slice) = frame.facts.slices.get(&result)
        {
            let (function, acts) = (frame.function, Cell::new(0));
            let run = Run { function, slice, constants: &constants, acts };
            let from = state.environment.known(slice.from);
            self.bisections.sharpen(frame.id, result, &run, from, &mut computed, self.steps);
        }
        if !frame.caller_facts.is_empty()
            && let Some(register) = instruction.result
            && let Some((_, fact)) = frame.caller_facts.iter().find(|(known, _)| *known == register)
        {
            computed.meet(fact);
        }
        if let (Some(register), Modes::Nearest) = (instruction.result, self.modes) {
            for twin in frame.facts.numbers.twins(register) {
                if let Some(known @ Value::Float(_)) = state.environment.get(twin) {
                    computed.meet(known);
                }
            }
        }
        let operands = values.iter().copied();
        self.site(instruction, operands, Some(&computed.value), computed.raised);
        let whole = already_whole(&instruction.act, &values);
        if let Act::Convert { conversion: IntegerConversion::FromPointer, .. } = &instruction.act {
            let address = values[0].clone();
            drop(values);
            state.memory.escapes(&address);
        } else {
            drop(values);
        }
        if let Some(register) = instruction.result {
            if computed.value.is_empty() {
                return Flow::Ends;
            }
            state.set(register, computed.value);
            if let Some(of) = whole {
                state.order.relate(register, of, Relation::NOT_APART);
            }
        }
        Flow::On
    }

    /// Runs an instruction that touches memory or calls.
    fn act(
        &mut self,
        frame: &mut Frame<'c>,
        state: &mut State,
        instruction: &'c Instruction,
        block: BlockId,
        position: usize,
    ) -> Flow {
        let list = instruction.act.operands();
        let value = |at: usize| self.operand(state, list[at]);
        match &instruction.act {
            Act::Allocate { size, .. } => {
                let register = instruction.result.map_or(0, |r| r.0);
                let object = ObjectId::Allocated {
                    function: frame.id,
                    register: register + frame.function.parameters.len() as u32,
                    heap: false,
                };
                let bytes = value(0).count().and_then(|count| count.checked_mul(*size));
                state.memory.allocate(object, Contents::unknown(bytes));
                self.assign(state, instruction, Value::pointer(Pointers::to(object)));
                Flow::On
            }
            Act::Load { ty, .. } => {
                let address = value(0).pointers();
                let value = state.memory.load(&address, ty, &self.globals);
                self.assign(state, instruction, value);
                Flow::On
            }
            Act::Store { ty, .. } => {
                let (address, value) = (value(0).pointers(), value(1).cast(ty));
                state.memory.store(&address, ty, &value, &self.globals);
                Flow::On
            }
            Act::Call { callee, arguments, types } => {
                if self.recording {
                    self.record.calls.insert((frame.id, block, position));
                }
                self.call_site = Some((frame.id, block, position));
                self.call(frame, state, instruction, callee, arguments, types)
            }
            Act::Special { special, .. } => {
                let values: Vec<Value> = (0..list.len()).map(value).collect();
                self.special(frame, state, instruction, special, &list, &values)
            }
            Act::Unknown { .. } => {
                let values: Vec<Value> = (0..list.len()).map(value).collect();
                self.site(instruction, &[], None, Exceptions::ALL);
                self.foreign_code(state, &values);
                self.assign(state, instruction, Value::top(self.result_type(frame, instruction)));
                Flow::On
            }
            act => unreachable!("{act:?} only computes"),
        }
    }
}

/// The register that an act rounds to a whole number, where it is one already.
fn already_whole(act: &Act, values: &[&Value]) -> Option<Register> {
    let Act::Float { operation, operands, .. } = act else { return None };
    let rounds = matches!(operation, Operation::RoundToIntegral | Operation::RoundToIntegralExact);
    match (operands.first(), values.first()) {
        (Some(Operand::Register(of)), Some(Value::Float(floats)))
            if rounds && floats.get().coarsest() >= WHOLE =>
        {
            Some(*of)
        }
        (_, _) => None,
    }
}
