//! One instruction: transfer, each domain sharpens, record.

use crate::domain::derivation;
use crate::domain::memo::Memo;
use crate::domain::order;
use crate::domain::relations::Fact;
use crate::domain::state::State;
use crate::domain::values;
use crate::exceptions::Exceptions;
use crate::fixpoint::interpreter::{Flow, Frame, Interpreter};
use crate::memory::Contents;
use crate::memory::address::{ObjectId, Pointers};
use crate::value::AbstractValue;
use nanoscope_program::ir::{Act, BlockId, Instruction, IntegerConversion, Operand, Special, Type};
use nanoscope_program::specials;
use nanoscope_sets::Relation;
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

    /// Runs an instruction that only computes: transfer, each domain sharpens, record.
    fn compute(
        &mut self,
        frame: &mut Frame<'c>,
        state: &mut State,
        instruction: &'c Instruction,
    ) -> Flow {
        let constants = Rc::clone(&self.constants);
        let list = instruction.act.operands();
        let values = state.environment.operands(&list, &constants);
        let ty = self.result_type(frame, instruction);
        let at = self.text(frame);
        let order = order::of_operands(
            &at,
            &state.environment,
            &state.domains.order,
            &instruction.act,
            &list,
        );
        let mut computed =
            Memo::evaluate(at.memo, self.modes, &instruction.act, &values, ty, order)
                .expect("the act only computes");
        if let Act::Select { operands } = &instruction.act
            && let Some(value) = self.selected(frame, state, *operands)
        {
            computed.value = computed.value.meet(&value);
        }
        state.domains.sharpen(&at, &state.environment, instruction, &mut computed);
        if let (Act::Integer { operation, bits, .. }, true) = (&instruction.act, self.recording) {
            self.record.undefined |= !values::is_defined(*operation, *bits, &values);
        }
        self.site(instruction, values.iter().copied(), Some(&computed.value), computed.raised);
        drop(values);
        if let Act::Convert { conversion: IntegerConversion::FromPointer, operand, .. } =
            &instruction.act
        {
            let address = self.operand(state, *operand);
            state.memory.escapes(&address);
        }
        if let Some(register) = instruction.result {
            if computed.value.is_empty() {
                return Flow::Ends;
            }
            state.set(register, computed.value);
            let State { environment, domains, .. } = state;
            domains.transfer(&self.text(frame), environment, instruction);
        }
        Flow::On
    }

    /// The float that is selected: what one operand is where the condition holds, and what the
    /// other is where it does not; `None` where a condition tells nothing of them, or is decided.
    fn selected(
        &self,
        frame: &Frame<'c>,
        state: &State,
        [condition, then, otherwise]: [Operand; 3],
    ) -> Option<AbstractValue> {
        let is_float = |operand| matches!(self.operand(state, operand), AbstractValue::Float(_));
        let is_decided = || {
            let truth = state.environment.operand(condition, &self.constants).as_integer();
            truth.is_some_and(|truth| truth.single().is_some())
        };
        if self.effort.order_depth == 0
            || ![then, otherwise].into_iter().all(is_float)
            || is_decided()
        {
            return None;
        }
        let truths = [
            (AbstractValue::truth(false, true), then),
            (AbstractValue::truth(true, false), otherwise),
        ];
        let each = |(truth, operand): &(AbstractValue, Operand)| {
            let mut copy = state.clone();
            let possible = self.assume_value(frame, &mut copy, condition, truth);
            possible.then(|| self.operand(&copy, *operand))
        };
        truths.iter().filter_map(each).reduce(|a, b| a.join(&b))
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
                state.forget_object(object);
                self.assign(state, instruction, AbstractValue::pointer(Pointers::to(object)));
                Flow::On
            }
            Act::Load { ty, .. } => {
                let address = value(0).pointers();
                self.load(frame, state, instruction, &address, ty);
                Flow::On
            }
            Act::Store { ty, .. } => {
                let (address, value) = (value(0).pointers(), value(1).cast(ty));
                self.store(frame, state, &address, ty, list[1], value);
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
                let values: Vec<AbstractValue> = (0..list.len()).map(value).collect();
                if matches!(special, Special::Copy { .. } | Special::Fill | specials!(Variadic)) {
                    state.forget_cells();
                }
                self.special(frame, state, instruction, special, &list, &values)
            }
            Act::Unknown { .. } => {
                let values: Vec<AbstractValue> = (0..list.len()).map(value).collect();
                state.forget_cells();
                self.site(instruction, &[], None, Exceptions::ALL);
                self.foreign_code(state, &values);
                self.assign(
                    state,
                    instruction,
                    AbstractValue::top(self.result_type(frame, instruction)),
                );
                Flow::On
            }
            act => unreachable!("{act:?} only computes"),
        }
    }

    /// Runs a store.
    fn store(
        &mut self,
        frame: &Frame<'c>,
        state: &mut State,
        address: &Pointers,
        ty: &Type,
        operand: Operand,
        value: AbstractValue,
    ) {
        state.memory.store(address, ty, &value, &self.globals);
        let place = state.memory.cell(address, ty, &self.globals);
        let place = place.map(|(object, offset)| (object, offset, ty.clone()));
        if address.anywhere {
            state.forget_cells();
        }
        let bytes = ty.stored_bytes();
        let is_float = matches!(ty, Type::Float(_));
        for (object, offsets) in &address.targets {
            state.domains.cells.forget_bytes(*object, *offsets, bytes);
            if place.is_none() || !is_float {
                state.domains.recurrences.forget_object(*object);
            }
        }
        if let (Some(place), true) = (&place, is_float) {
            let State { environment, domains, .. } = state;
            domains.recurrences.store(&self.text(frame), environment, place, operand);
        }
        if let (Operand::Register(register), Some(place), true) =
            (operand, place, self.domains.cells)
        {
            state.domains.cells.store(place, register, value);
        }
    }

    /// Runs a load. A cell that was not written to since it was loaded or stored holds the value
    /// of the register that was.
    fn load(
        &mut self,
        frame: &Frame<'c>,
        state: &mut State,
        instruction: &Instruction,
        address: &Pointers,
        ty: &Type,
    ) {
        let mut value = state.memory.load(address, ty, &self.globals);
        let cell = state.memory.cell(address, ty, &self.globals);
        let (Some((object, offset)), Some(result)) = (cell, instruction.result) else {
            return self.assign(state, instruction, value);
        };
        let place = (object, offset, ty.clone());
        if !self.domains.cells {
            state.set(result, value);
            return state.domains.recurrences.load(result, &place);
        }
        let holder = state.domains.cells.holder(&place).filter(|holder| *holder != result);
        if let Some(known) = holder.and_then(|holder| state.environment.get(holder))
            && !value.meet(known).is_empty()
        {
            value = value.meet(known);
        }
        state.set(result, value.clone());
        if let (Some(holder), Type::Float(_)) = (holder, ty) {
            let of = derivation::magnitude(&self.text(frame), Operand::Register(holder));
            let State { domains, .. } = state;
            domains.order.equate(result, holder);
            if let Some(b) = of.register().filter(|of| *of != holder) {
                // It has the magnitude of what the stored number was made of.
                let relation = Relation::NOT_APART;
                domains.order.add(Fact { a: result, b, relation, magnitudes: true });
            }
        }
        state.domains.recurrences.load(result, &place);
        state.domains.cells.load(place, result, value);
    }
}
