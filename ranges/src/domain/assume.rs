//! Assuming a condition: refinement of the values that it was computed from, and of everything
//! computed from these.
//!
//! A register is assigned in one place of the text, so that its defining equation holds wherever
//! it can be read. A refined register refines the operands of its definition (backward, by
//! preimages) and the results of its uses (forward).

use crate::domain::memo::{Left, Memo};
use crate::domain::order;
use crate::domain::point::Text;
use crate::domain::pure_functions::PureFunctions;
use crate::domain::relations::Fact;
use crate::domain::state::State;
use crate::domain::values::{self, MOST_OPERANDS};
use crate::function::extrema::Choice;
use crate::integers::{self, Integers};
use crate::memory::address::Pointers;
use crate::policy::{MOST_REFINEMENTS, MOST_REMATERIALISED};
use crate::predicate;
use crate::preimage;
use crate::value::AbstractValue;
use nanoscope_ieee::{Datum, Format, Operation, Parameters, Sort, apply};
use nanoscope_program::ir::{
    Act, Callee, FunctionId, IntegerConversion, IntegerOperation, IntegerPredicate, IntegerUnary,
    Operand, Register, Type,
};
use nanoscope_sets::{Classes, Floats, Grid, Modes, Projection, Relation, Truths};
use smallvec::SmallVec;
use std::cell::Cell;

/// Registers whose equations are to be used, each once.
#[derive(Default)]
struct WorkList {
    registers: SmallVec<[Register; 16]>,
    done: usize,
}

impl WorkList {
    fn push(&mut self, register: Register) {
        if !self.registers[self.done..].contains(&register) {
            self.registers.push(register);
        }
    }

    fn next(&mut self) -> Option<Register> {
        let register = self.registers.get(self.done).copied();
        self.done += usize::from(register.is_some());
        register
    }
}

/// Refinement in one function.
#[derive(Clone, Copy)]
pub struct Refinement<'a, 'c> {
    pub text: Text<'a>,
    /// The pure functions of the program.
    pub pure: &'a PureFunctions<'c>,
}

impl Refinement<'_, '_> {
    /// Assumes that an operand is in a value; false if it cannot be.
    pub fn assume(&self, state: &mut State, operand: Operand, value: &AbstractValue) -> bool {
        let mut queue = WorkList::default();
        if !self.narrow(state, operand, value, &mut queue) {
            return false;
        }
        let mut steps = 0;
        while steps < MOST_REFINEMENTS
            && let Some(register) = queue.next()
        {
            steps += 1;
            if !self.backward(state, register, &mut queue) {
                return false;
            }
            for &(block, position) in self.text.facts.definitions.users(register) {
                let instruction = &self.text.function.block(block).instructions[position];
                let Some(result) = instruction.result else { continue };
                if state.environment.get(result).is_none() {
                    continue;
                }
                steps += 1;
                if !self.forward(state, result, &instruction.act, &mut queue) {
                    return false;
                }
            }
        }
        true
    }

    fn value<'s>(&'s self, state: &'s State, operand: Operand) -> &'s AbstractValue {
        state.environment.operand(operand, self.text.constants)
    }

    /// The value of an operand. A dead register is rematerialised, so that refinement can pass
    /// through it.
    fn current(&self, state: &mut State, operand: Operand) -> AbstractValue {
        if let Operand::Register(register) = operand {
            self.rematerialise(state, register, MOST_REMATERIALISED);
        }
        self.value(state, operand).clone()
    }

    fn rematerialise(&self, state: &mut State, register: Register, depth: u32) {
        if depth == 0 || state.environment.get(register).is_some() {
            return;
        }
        let Some(act) = self.text.facts.definitions.act(self.text.function, register) else {
            return;
        };
        if !matches!(
            act,
            Act::Integer { .. }
                | Act::Convert { .. }
                | Act::Call { callee: Callee::Function(_), .. }
        ) {
            return;
        }
        for register in act.operands().registers() {
            self.rematerialise(state, register, depth - 1);
        }
        if let Some(value) = self.computed(state, register, act) {
            state.environment.set(register, value);
        }
    }

    /// The result of an act that computes a number.
    fn computed(&self, state: &State, result: Register, act: &Act) -> Option<AbstractValue> {
        let ty = &self.text.function.registers[result.0 as usize];
        if !matches!(ty, Type::Integer(_) | Type::Float(_)) {
            return None;
        }
        let list = act.operands();
        let values = state.environment.operands(&list, self.text.constants);
        if let Act::Call { callee: Callee::Function(callee), .. } = act {
            let values: Vec<AbstractValue> = values.iter().copied().cloned().collect();
            let (body, inside) =
                self.pure.run(*callee, &values, self.text.constants, self.text.modes)?;
            return Some(self.value(&inside, body.result).clone());
        }
        let State { environment, domains, .. } = state;
        let order = order::of_operands(&self.text, environment, &domains.order, act, &list);
        let Text { memo, modes, .. } = self.text;
        Memo::evaluate(memo, modes, act, &values, ty, order).map(|computed| computed.value)
    }

    fn narrow(
        &self,
        state: &mut State,
        operand: Operand,
        value: &AbstractValue,
        queue: &mut WorkList,
    ) -> bool {
        let Operand::Register(register) = operand else {
            return !self.value(state, operand).meet(value).is_empty();
        };
        let mut position = state.environment.position(register);
        if position.is_none() {
            self.rematerialise(state, register, MOST_REMATERIALISED);
            position = state.environment.position(register);
        }
        let old = state.environment.at(position);
        let new = old.meet(value);
        if new.is_empty() {
            return false;
        }
        if self.is_undefined(register, old) {
            return true;
        }
        let truth = new.as_integer().and_then(Integers::single);
        if let Some(position) = position
            && new != *old
        {
            state.environment.put(position, new.clone());
            queue.push(register);
            if self.text.has_equal_numbers() {
                for twin in self.text.facts.numbers.twins(register) {
                    if !self.narrow_twin(state, twin, &new, queue) {
                        return false;
                    }
                }
            }
            if !self.narrow_equal(state, register, &new, queue)
                || !self.narrow_smaller(state, register, &new, queue)
            {
                return false;
            }
        }
        match truth {
            Some(0) => self.imply(state, register, false, queue),
            Some(1) => self.imply(state, register, true, queue),
            Some(_) | None => true,
        }
    }

    /// Whether a register is the absolute value of what may be the least integer. It is
    /// anything each time that it is read: compilers compare it as if it were positive, and
    /// convert it as the negative number that it is.
    fn is_undefined(&self, register: Register, value: &AbstractValue) -> bool {
        let AbstractValue::Integer(integers) = value else { return false };
        if integers.bits == 1 || *integers != Integers::everything(integers.bits) {
            return false;
        }
        matches!(
            self.text.facts.definitions.act(self.text.function, register),
            Some(Act::IntegerUnary { operation: IntegerUnary::Abs, .. })
        )
    }

    /// Narrows a register as one of the same value number.
    fn narrow_twin(
        &self,
        state: &mut State,
        twin: Register,
        value: &AbstractValue,
        queue: &mut WorkList,
    ) -> bool {
        let Some(position) = state.environment.position(twin) else { return true };
        let old = state.environment.at(Some(position));
        let new = old.meet(value);
        if new != *old {
            if new.is_empty() {
                return false;
            }
            state.environment.put(position, new);
            queue.push(twin);
        }
        true
    }

    /// Narrows the registers that a float is equal to: those loaded from the same cell, say.
    fn narrow_equal(
        &self,
        state: &mut State,
        register: Register,
        value: &AbstractValue,
        queue: &mut WorkList,
    ) -> bool {
        let AbstractValue::Float(floats) = value else { return true };
        let same: SmallVec<[Register; 4]> = state.domains.order.identical(register).collect();
        if !same.into_iter().all(|other| self.narrow_twin(state, other, value, queue)) {
            return false;
        }
        let is_equal = |fact: &&Fact| {
            !fact.magnitudes && fact.relation.join(Relation::NOT_APART) == Relation::NOT_APART
        };
        let facts = state.domains.order.0.iter().filter(is_equal);
        let others: SmallVec<[Register; 4]> = facts
            .filter_map(|fact| match (fact.a == register, fact.b == register) {
                (true, false) => Some(fact.b),
                (false, true) => Some(fact.a),
                (_, _) => None,
            })
            .collect();
        if others.is_empty() {
            return true;
        }
        // Where it is a NaN, the others may be anything; where one of them is, so may this be.
        let mut floats = floats.get();
        if floats.nan {
            return true;
        }
        floats.nan = true;
        // The zeros are equal.
        floats.plus_zero |= floats.minus_zero;
        floats.minus_zero |= floats.plus_zero;
        let value = AbstractValue::float(floats);
        others.into_iter().all(|other| self.narrow_twin(state, other, &value, queue))
    }

    /// Narrows the registers whose magnitudes a float's is at least.
    fn narrow_smaller(
        &self,
        state: &mut State,
        register: Register,
        value: &AbstractValue,
        queue: &mut WorkList,
    ) -> bool {
        let AbstractValue::Float(floats) = value else { return true };
        let others: SmallVec<[Register; 4]> =
            state.domains.order.magnitudes_beside(register, false).collect();
        let floats = floats.get();
        let Some((_, most)) = floats.magnitudes().bounds().filter(|_| !floats.nan) else {
            return true;
        };
        let below =
            Floats::between(floats.format, !most, most).join(&Floats::only_nan(floats.format));
        let value = AbstractValue::float(below);
        others.into_iter().all(|other| self.narrow_twin(state, other, &value, queue))
    }

    /// Applies the implications of a truth value.
    fn imply(&self, state: &mut State, on: Register, nonzero: bool, queue: &mut WorkList) -> bool {
        if !self.text.domains.implications {
            return true;
        }
        let implied: Vec<(Register, AbstractValue)> = state
            .domains
            .implications
            .implied_by(on, nonzero)
            .map(|(about, value)| (about, value.clone()))
            .collect();
        implied.into_iter().all(|(about, value)| {
            // Once is enough: the environment has it then.
            state.domains.implications.forget_one(on, nonzero, about);
            // A register that is not set yet excludes nothing.
            state.get(about).is_empty()
                || self.narrow(state, Operand::Register(about), &value, queue)
        })
    }

    /// Evaluates a use again.
    fn forward(
        &self,
        state: &mut State,
        result: Register,
        act: &Act,
        queue: &mut WorkList,
    ) -> bool {
        match self.computed(state, result, act) {
            Some(value) => self.narrow(state, Operand::Register(result), &value, queue),
            None => true,
        }
    }

    /// Narrows the operands of a register's definition to what can give its value.
    fn backward(&self, state: &mut State, register: Register, queue: &mut WorkList) -> bool {
        let Some(act) = self.text.facts.definitions.act(self.text.function, register) else {
            let extremum = self.text.facts.extrema.get(&register);
            return self.chosen(state, register, extremum.map(|it| it.choice), queue);
        };
        let result = state.get(register);
        match (act, &result) {
            (
                Act::FloatCompare { predicate, format, operands, .. },
                AbstractValue::Integer(truth),
            ) => {
                let Some(truth) = truth.single() else { return true };
                let holds = predicate::relation(*predicate);
                let relation = if truth == 1 { holds } else { holds.negated() };
                self.related(state, *format, relation, *operands, queue)
            }
            (Act::IntegerCompare { predicate, bits, operands }, AbstractValue::Integer(truth)) => {
                let Some(truth) = truth.single() else { return true };
                let predicate =
                    if truth == 1 { *predicate } else { integers::negation(*predicate) };
                self.compared(state, predicate, *bits, *operands, queue)
            }
            (Act::Classify { mask, format, operand }, AbstractValue::Integer(truth)) => {
                let Some(truth) = truth.single() else { return true };
                let mask = if truth == 1 { *mask } else { !mask & 0x3ff };
                let mut classes = Classes(mask).floats(*format);
                // Quiet and signalling NaNs are not told apart.
                classes.nan |= matches!(mask & 3, 1 | 2);
                self.narrow(state, *operand, &AbstractValue::float(classes), queue)
            }
            (Act::Integer { operation, bits: 1, operands, .. }, AbstractValue::Integer(truth)) => {
                let Some(truth) = truth.single() else { return true };
                self.connective(state, *operation, truth == 1, *operands, queue)
            }
            (Act::Integer { operation, bits, operands, .. }, AbstractValue::Integer(result)) => {
                self.integer_operands(state, *operation, *bits, *operands, result, queue)
            }
            (Act::Select { operands }, AbstractValue::Integer(_) | AbstractValue::Float(_)) => {
                let Text { function, facts, .. } = self.text;
                let choice = Choice::selected(function, &facts.definitions, &facts.numbers, act);
                self.selected(state, *operands, &result, queue)
                    && self.chosen(state, register, choice, queue)
            }
            (Act::Freeze { operand }, _) => self.narrow(state, *operand, &result, queue),
            (Act::Convert { conversion, operand, from, .. }, _) => {
                self.converted(state, *conversion, *operand, from, &result, queue)
            }
            (Act::Call { callee: Callee::Function(callee), arguments, .. }, _) => {
                self.called(state, *callee, arguments, &result, queue)
            }
            (Act::Float { relaxed: true, .. }, _) => true,
            (
                Act::Float { operation, parameters, operands, mode, .. },
                AbstractValue::Float(_) | AbstractValue::Integer(_),
            ) => {
                let modes = values::modes_of(self.text.modes, *mode);
                self.projected(state, (*operation, parameters), modes, operands, &result, queue)
            }
            (_, _) => true,
        }
    }

    /// Narrows both operands of a choice.
    fn chosen(
        &self,
        state: &mut State,
        register: Register,
        choice: Option<Choice>,
        queue: &mut WorkList,
    ) -> bool {
        let (Some(choice), Modes::NEAREST) = (choice, self.text.modes) else { return true };
        let floats = |operand| self.value(state, operand).floats(choice.format);
        let [a, b] = choice.operands.map(floats);
        let result = floats(Operand::Register(register));
        let [left, right, _] = choice.refined(&a, &b, &result);
        self.narrow(state, choice.operands[0], &AbstractValue::float(left), queue)
            && self.narrow(state, choice.operands[1], &AbstractValue::float(right), queue)
    }

    fn related(
        &self,
        state: &mut State,
        format: Format,
        relation: Relation,
        operands: [Operand; 2],
        queue: &mut WorkList,
    ) -> bool {
        let [a, b] = operands.map(|o| self.value(state, o).floats(format));
        let grid = Grid::of(format);
        if operands[0] == operands[1] {
            return match relation.decide_same(grid, Truths::only(true), a) {
                Some((_, [left])) => {
                    self.narrow(state, operands[0], &AbstractValue::float(left), queue)
                }
                None => false,
            };
        }
        let Some([left, right]) = relation.narrow(grid, [a, b]) else { return false };
        if !self.narrow(state, operands[0], &AbstractValue::float(left), queue)
            || !self.narrow(state, operands[1], &AbstractValue::float(right), queue)
        {
            return false;
        }
        if let [Operand::Register(x), Operand::Register(y)] = operands {
            // By now their signs are known.
            state.domains.assume(&self.text, &state.environment, operands, relation);
            // Their difference is evaluated again.
            queue.push(x);
            queue.push(y);
        }
        true
    }

    fn compared(
        &self,
        state: &mut State,
        predicate: IntegerPredicate,
        bits: u32,
        operands: [Operand; 2],
        queue: &mut WorkList,
    ) -> bool {
        let values = operands.map(|o| self.value(state, o));
        if values.iter().any(|value| matches!(value, AbstractValue::Pointer(_))) {
            return self.compared_addresses(state, predicate, operands);
        }
        if bits > Integers::WIDEST {
            return true;
        }
        let [a, b] = values.map(|value| value.integers(bits));
        let (left, right) = integers::refined(predicate, &a, &b);
        if left.is_empty() || right.is_empty() {
            return false;
        }
        self.narrow(state, operands[0], &AbstractValue::Integer(left), queue)
            && self.narrow(state, operands[1], &AbstractValue::Integer(right), queue)
    }

    fn compared_addresses(
        &self,
        state: &mut State,
        predicate: IntegerPredicate,
        operands: [Operand; 2],
    ) -> bool {
        let only_null = |p: &Pointers| p.null && p.targets.is_empty() && !p.anywhere;
        for (this, other) in [(operands[0], operands[1]), (operands[1], operands[0])] {
            let other = self.value(state, other).pointers();
            let Operand::Register(register) = this else { continue };
            if !only_null(&other) {
                continue;
            }
            let mut pointers = (*state.get(register).pointers()).clone();
            match predicate {
                IntegerPredicate::Equal if !pointers.null => return false,
                IntegerPredicate::Equal => pointers = Pointers::null(),
                IntegerPredicate::NotEqual => pointers.null = false,
                _ => continue,
            }
            if pointers == Pointers::default() {
                return false;
            }
            state.environment.set(register, AbstractValue::pointer(pointers));
        }
        true
    }

    fn connective(
        &self,
        state: &mut State,
        operation: IntegerOperation,
        truth: bool,
        operands: [Operand; 2],
        queue: &mut WorkList,
    ) -> bool {
        let know = |truth: bool| AbstractValue::truth(!truth, truth);
        let values = operands.map(|o| self.value(state, o).integers(1));
        match (operation, truth) {
            (IntegerOperation::And, true) | (IntegerOperation::Or, false) => {
                self.narrow(state, operands[0], &know(truth), queue)
                    && self.narrow(state, operands[1], &know(truth), queue)
            }
            (IntegerOperation::And, false) | (IntegerOperation::Or, true) => {
                // One of them decides if the other cannot.
                for (this, other) in [(0, 1), (1, 0)] {
                    if values[this].single() == Some(i128::from(!truth)) {
                        return self.narrow(state, operands[other], &know(truth), queue);
                    }
                }
                let [a, b] = operands;
                self.entail(state, (a, !truth), (b, truth), queue)
                    && self.entail(state, (b, !truth), (a, truth), queue)
            }
            (IntegerOperation::Xor, _) => {
                for (this, other) in [(0, 1), (1, 0)] {
                    if let Some(value) = values[this].single() {
                        let left = truth != (value == 1);
                        return self.narrow(state, operands[other], &know(left), queue);
                    }
                }
                true
            }
            (_, _) => true,
        }
    }

    /// Adds that a truth value entails another: where the one operand is as given, the other is.
    fn entail(
        &self,
        state: &mut State,
        (on, nonzero): (Operand, bool),
        (operand, truth): (Operand, bool),
        queue: &mut WorkList,
    ) -> bool {
        let (Operand::Register(on), true) = (on, self.text.domains.implications) else {
            return true;
        };
        let mut entailed: SmallVec<[(Register, AbstractValue); 4]> = SmallVec::new();
        if !self.consequences(state, operand, truth, &mut entailed) {
            let other = AbstractValue::truth(nonzero, !nonzero);
            return self.narrow(state, Operand::Register(on), &other, queue);
        }
        for (register, value) in entailed {
            state.domains.implications.add(on, nonzero, register, value);
        }
        true
    }

    /// What holds of registers where a truth value is as given; false if it cannot be.
    fn consequences(
        &self,
        state: &State,
        operand: Operand,
        truth: bool,
        found: &mut SmallVec<[(Register, AbstractValue); 4]>,
    ) -> bool {
        let value = self.value(state, operand).meet(&AbstractValue::truth(!truth, truth));
        if value.is_empty() {
            return false;
        }
        let Operand::Register(register) = operand else { return true };
        if state.environment.get(register).is_some() {
            found.push((register, value));
        }
        match self.text.facts.definitions.act(self.text.function, register) {
            Some(Act::FloatCompare { predicate, format, operands, .. })
                if operands[0] != operands[1] =>
            {
                let holds = predicate::relation(*predicate);
                let relation = if truth { holds } else { holds.negated() };
                let floats = operands.map(|o| self.value(state, o).floats(*format));
                let Some(left) = relation.narrow(Grid::of(*format), floats) else { return false };
                for ((operand, left), given) in operands.iter().zip(left).zip(floats) {
                    if let (Some(register), true) = (operand.register(), left != given)
                        && state.environment.get(register).is_some()
                    {
                        found.push((register, AbstractValue::float(left)));
                    }
                }
                true
            }
            Some(Act::Integer {
                operation: operation @ (IntegerOperation::And | IntegerOperation::Or),
                bits: 1,
                operands,
                ..
            }) if (*operation == IntegerOperation::And) == truth => {
                operands.iter().all(|operand| self.consequences(state, *operand, truth, found))
            }
            Some(_) | None => true,
        }
    }

    fn integer_operands(
        &self,
        state: &mut State,
        operation: IntegerOperation,
        bits: u32,
        operands: [Operand; 2],
        result: &Integers,
        queue: &mut WorkList,
    ) -> bool {
        if bits > Integers::WIDEST {
            return true;
        }
        let [a, b] = operands.map(|o| self.current(state, o).integers(bits));
        let (left, right) = preimage::of_integers(operation, &a, &b, result);
        self.narrow(state, operands[0], &AbstractValue::Integer(left), queue)
            && self.narrow(state, operands[1], &AbstractValue::Integer(right), queue)
    }

    fn selected(
        &self,
        state: &mut State,
        operands: [Operand; 3],
        result: &AbstractValue,
        queue: &mut WorkList,
    ) -> bool {
        let [condition, then, otherwise] = operands.map(|o| self.value(state, o));
        if matches!(condition, AbstractValue::Parts(_)) {
            return true;
        }
        let condition = condition.integers(1);
        let possible = [
            condition.may_be(false) && !otherwise.meet(result).is_empty(),
            condition.may_be(true) && !then.meet(result).is_empty(),
        ];
        let taken = AbstractValue::truth(possible[0], possible[1]);
        if !self.narrow(state, operands[0], &taken, queue) {
            return false;
        }
        match possible {
            [false, true] => self.narrow(state, operands[1], result, queue),
            [true, false] => self.narrow(state, operands[2], result, queue),
            [true, true] => match result.as_integer().filter(|truth| truth.bits == 1) {
                Some(truth) => self.selected_truth(state, operands, truth.single(), queue),
                None => true,
            },
            [false, false] => false,
        }
    }

    /// A truth value was selected: each way, what it is selected from has its value.
    fn selected_truth(
        &self,
        state: &mut State,
        [condition, then, otherwise]: [Operand; 3],
        truth: Option<i128>,
        queue: &mut WorkList,
    ) -> bool {
        let Some(truth) = truth.map(|truth| truth == 1) else { return true };
        self.entail(state, (condition, true), (then, truth), queue)
            && self.entail(state, (condition, false), (otherwise, truth), queue)
            && self.entail(state, (then, !truth), (condition, false), queue)
            && self.entail(state, (otherwise, !truth), (condition, true), queue)
    }

    fn converted(
        &self,
        state: &mut State,
        conversion: IntegerConversion,
        operand: Operand,
        from: &Type,
        result: &AbstractValue,
        queue: &mut WorkList,
    ) -> bool {
        let bits = match (conversion, from) {
            (IntegerConversion::Reinterpret, Type::Integer(_) | Type::Float(_)) => {
                return self.narrow(state, operand, &result.cast(from), queue);
            }
            (_, Type::Integer(bits @ ..=Integers::WIDEST)) => *bits,
            (_, _) => return true,
        };
        let AbstractValue::Integer(result) = result else { return true };
        let new = match conversion {
            IntegerConversion::Truncate => {
                let old = self.current(state, operand).integers(bits);
                preimage::of_truncated(&old, result)
            }
            IntegerConversion::ZeroExtend => preimage::of_extended(bits, false, result),
            IntegerConversion::SignExtend => preimage::of_extended(bits, true, result),
            IntegerConversion::Reinterpret
            | IntegerConversion::FromPointer
            | IntegerConversion::ToPointer => return true,
        };
        self.narrow(state, operand, &AbstractValue::Integer(new), queue)
    }

    /// Narrows the operands of an operation of IEEE 754 to what can give its result.
    fn projected(
        &self,
        state: &mut State,
        (operation, parameters): (Operation, &Parameters),
        modes: Modes,
        operands: &[Operand],
        result: &AbstractValue,
        queue: &mut WorkList,
    ) -> bool {
        let values: Left = operands.iter().map(|operand| self.current(state, *operand)).collect();
        let same = matches!(operands, [x, y] if x == y);
        let what = (operation, parameters, modes);
        let left = Memo::project(self.text.memo, what, &values, result, same, || {
            projection(what, &values, result, same)
        });
        left.is_some_and(|left| {
            operands.iter().zip(&left).all(|(x, left)| self.narrow(state, *x, left, queue))
        })
    }

    /// Narrows the arguments of a pure function.
    fn called(
        &self,
        state: &mut State,
        callee: FunctionId,
        arguments: &[Operand],
        result: &AbstractValue,
        queue: &mut WorkList,
    ) -> bool {
        let values: Vec<AbstractValue> =
            arguments.iter().map(|o| self.current(state, *o)).collect();
        let run = self.pure.run(callee, &values, self.text.constants, self.text.modes);
        let Some((body, mut inside)) = run else { return true };
        let text = Text { id: callee, function: body.function, facts: &body.facts, ..self.text };
        let within = Refinement { text, ..*self };
        if !within.assume(&mut inside, body.result, result) {
            return false;
        }
        arguments.iter().enumerate().all(|(i, argument)| {
            self.narrow(state, *argument, &inside.get(Register(i as u32)), queue)
        })
    }
}

/// What an operation leaves of its operands, given its result: `None` if nothing can be so, and of
/// none of them if it is not followed.
fn projection(
    (operation, parameters, modes): (Operation, &Parameters, Modes),
    operands: &[AbstractValue],
    result: &AbstractValue,
    same: bool,
) -> Option<Left> {
    let bits = values::followed(operation, parameters);
    let given = match (operation.result(), bits) {
        (Sort::Float, _) => {
            let converts = operation == Operation::Convert;
            let format = if converts { parameters.target } else { parameters.format };
            Datum::Float(result.floats(format))
        }
        (Sort::Bits, Some(bits)) => Datum::Bits(result.integers(bits)),
        (Sort::Bool, _) => {
            let truth = result.integers(1);
            let (may_hold, may_fail) = (truth.may_be(true), truth.may_be(false));
            Datum::Bool(Truths { may_hold, may_fail })
        }
        (Sort::Bits, None) | (Sort::Rounding, _) => return Some(Left::new()),
    };
    let mut sets = [const { Datum::Rounding(Cell::new(Modes::NEAREST)) }; MOST_OPERANDS];
    let sorts = operation.operands();
    let mut next = operands.iter();
    for (set, sort) in sets.iter_mut().zip(sorts) {
        *set = match (sort, bits) {
            (Sort::Rounding, _) => Datum::Rounding(Cell::new(modes)),
            (Sort::Float, _) => match next.next() {
                Some(value) => Datum::Float(Cell::new(value.floats(parameters.format))),
                None => return Some(Left::new()),
            },
            (Sort::Bits, Some(bits)) => match next.next() {
                Some(value) => Datum::Bits(Cell::new(value.integers(bits))),
                None => return Some(Left::new()),
            },
            (Sort::Bits, None) | (Sort::Bool, _) => return Some(Left::new()),
        };
    }
    let sets = &sets[..sorts.len()];
    let mut projection = Projection { result: given, same };
    let (_, consistent) = apply(&mut projection, operation, parameters, sets)
        .expect("operands of the operation's sorts");
    let left = sets.iter().filter_map(|set| match set {
        Datum::Float(floats) => Some(AbstractValue::float(floats.get())),
        Datum::Bits(integers) => Some(AbstractValue::Integer(integers.get())),
        Datum::Rounding(_) | Datum::Bool(_) => None,
    });
    consistent.then(|| left.collect())
}
