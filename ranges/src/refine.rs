//! Learning from a branch: what a condition says about the values it was computed from,
//! and what that says about everything computed from these.
//!
//! A register is assigned in one place of the text, so that its defining equation holds
//! wherever it can be read. Narrowing one register narrows through its definition backward
//! (the operands that can give such a result) and through its uses forward.

use crate::arithmetic::Modes;
use crate::evaluate;
use crate::floats::{Floats, Span};
use crate::grid::{self, Ordinal};
use crate::integers::{self, Integers};
use crate::relation::{self, Relation, above, below};
use crate::shape::{Shape, operands};
use crate::state::State;
use crate::value::{Pointers, Value};
use nanoscope_ieee::{Format, Operation, Rounding};
use nanoscope_program::ir::{
    Act, Function, IntegerConversion, IntegerOperation, IntegerPredicate, Operand, Register, Type,
};

/// How many equations one condition may set in motion.
const MOST_STEPS: usize = 60;

/// Learns in one function.
pub struct Refinement<'a> {
    /// The function.
    pub function: &'a Function,
    /// Its shape.
    pub shape: &'a Shape,
    /// The values of the program's constants.
    pub constants: &'a [Value],
    /// The rounding modes.
    pub modes: Modes,
}

impl Refinement<'_> {
    /// Learns that an operand has (at most) these values; false if it cannot.
    pub fn learn(&self, state: &mut State, operand: Operand, value: &Value) -> bool {
        let mut queue = Vec::new();
        if !self.narrow(state, operand, value, &mut queue) {
            return false;
        }
        let mut steps = 0;
        let mut next = 0;
        while next < queue.len() && steps < MOST_STEPS {
            let register: Register = queue[next];
            next += 1;
            steps += 1;
            if !self.backward(state, register, &mut queue) {
                return false;
            }
            for &(block, position) in self.shape.users.get(&register).into_iter().flatten() {
                let instruction = &self.function.block(block).instructions[position];
                let Some(result) = instruction.result else { continue };
                if state.registers.get(result).is_none() {
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

    fn value(&self, state: &State, operand: Operand) -> Value {
        match operand {
            Operand::Register(register) => state.get(register),
            Operand::Constant(id) => self.constants[id.0 as usize].clone(),
        }
    }

    fn narrow(
        &self,
        state: &mut State,
        operand: Operand,
        value: &Value,
        queue: &mut Vec<Register>,
    ) -> bool {
        let old = self.value(state, operand);
        let new = old.meet(value);
        if new.is_empty() {
            return false;
        }
        if let Operand::Register(register) = operand
            && new != old
            && state.registers.get(register).is_some()
        {
            state.registers.set(register, new);
            queue.push(register);
        }
        true
    }

    /// Evaluates a use again.
    fn forward(
        &self,
        state: &mut State,
        result: Register,
        act: &Act,
        queue: &mut Vec<Register>,
    ) -> bool {
        let ty = &self.function.registers[result.0 as usize];
        if !matches!(ty, Type::Integer(_) | Type::Float(_)) {
            return true;
        }
        let list = operands(act);
        let values: Vec<Value> = list.iter().map(|o| self.value(state, *o)).collect();
        let order = match list.as_slice() {
            [a, b] => state.order(*a, *b),
            _ => Default::default(),
        };
        match evaluate::evaluate(self.modes, act, &values, ty, order) {
            Some(computed) => self.narrow(state, Operand::Register(result), &computed.value, queue),
            None => true,
        }
    }

    /// Narrows the operands of a register's definition to what can give its value.
    fn backward(&self, state: &mut State, register: Register, queue: &mut Vec<Register>) -> bool {
        let Some(&(block, position)) = self.shape.definitions.get(&register) else { return true };
        let act = &self.function.block(block).instructions[position].act;
        let result = state.get(register);
        match (act, &result) {
            (Act::FloatCompare { predicate, format, operands, .. }, Value::Integer(truth)) => {
                let Some(truth) = truth.single() else { return true };
                let holds = Relation::of(*predicate);
                let relation = if truth == 1 { holds } else { holds.negated() };
                self.related(state, *format, relation, *operands, queue)
            }
            (Act::IntegerCompare { predicate, bits, operands }, Value::Integer(truth)) => {
                let Some(truth) = truth.single() else { return true };
                let predicate =
                    if truth == 1 { *predicate } else { integers::negation(*predicate) };
                self.compared(state, predicate, *bits, *operands, queue)
            }
            (Act::Classify { mask, format, operand }, Value::Integer(truth)) => {
                let Some(truth) = truth.single() else { return true };
                let mask = if truth == 1 { *mask } else { !mask & 0x3ff };
                let mut classes = relation::classes(*format, mask);
                // Quiet and signalling NaNs are not told apart.
                classes.nan |= matches!(mask & 3, 1 | 2);
                self.narrow(state, *operand, &Value::Float(classes), queue)
            }
            (Act::Integer { operation, bits: 1, operands, .. }, Value::Integer(truth)) => {
                let Some(truth) = truth.single() else { return true };
                self.connective(state, *operation, truth == 1, *operands, queue)
            }
            (Act::Integer { operation, bits, operands, .. }, Value::Integer(result)) => {
                self.integer_operands(state, *operation, *bits, *operands, result, queue)
            }
            (Act::Select { operands }, Value::Integer(_) | Value::Float(_)) => {
                self.selected(state, *operands, &result, queue)
            }
            (Act::Freeze { operand }, _) => self.narrow(state, *operand, &result, queue),
            (Act::Convert { conversion, operand, from, .. }, Value::Integer(result)) => {
                self.extended(state, *conversion, *operand, from, result, queue)
            }
            (Act::Float { relaxed: true, .. }, _) => true,
            (Act::Float { operation, parameters, operands, mode, .. }, Value::Float(result)) => {
                let format = parameters.format;
                // Rounding toward zero, anything may stop at the greatest number.
                let top = grid::max_finite(result.format);
                if evaluate::modes_of(self.modes, *mode) == Modes::Any
                    && result.magnitudes().positive.hi >= top
                {
                    return true;
                }
                let floats =
                    |i: usize, state: &State| self.value(state, operands[i]).floats(format);
                match (operation, operands.len()) {
                    (Operation::FromSigned, 1) | (Operation::FromUnsigned, 1) => {
                        let Some(values) = integer_preimage(result) else { return true };
                        if parameters.width > Integers::WIDEST {
                            return true;
                        }
                        let old = self.value(state, operands[0]).integers(parameters.width);
                        let view = if *operation == Operation::FromSigned {
                            old.signed()
                        } else {
                            old.unsigned()
                        };
                        let (lo, hi) = (view.0.max(values.0), view.1.min(values.1));
                        if lo > hi {
                            return false;
                        }
                        let new = Integers::wrapped(parameters.width, lo, hi);
                        self.narrow(state, operands[0], &Value::Integer(new), queue)
                    }
                    (Operation::Convert, 1) => {
                        let new = converted_preimage(format, result);
                        self.narrow(state, operands[0], &Value::Float(new), queue)
                    }
                    (_, 1) => {
                        let new = unary_preimage(*operation, result);
                        self.narrow(state, operands[0], &Value::Float(new), queue)
                    }
                    (_, 2) => {
                        let (x, y) = (floats(0, state), floats(1, state));
                        let same = operands[0] == operands[1];
                        let (new_x, new_y) = binary_preimage(*operation, &x, &y, result, same);
                        self.narrow(state, operands[0], &Value::Float(new_x), queue)
                            && self.narrow(state, operands[1], &Value::Float(new_y), queue)
                    }
                    (_, _) => true,
                }
            }
            (_, _) => true,
        }
    }

    fn related(
        &self,
        state: &mut State,
        format: Format,
        relation: Relation,
        operands: [Operand; 2],
        queue: &mut Vec<Register>,
    ) -> bool {
        let [a, b] = operands.map(|o| self.value(state, o).floats(format));
        let (left, right) = relation.refine(&a, &b);
        if left.is_empty() || right.is_empty() {
            return false;
        }
        if let [Operand::Register(x), Operand::Register(y)] = operands {
            if x == y {
                // Equal, unless it is a NaN.
                let number =
                    !relation.refine(&Floats::zero(format), &Floats::zero(format)).0.is_empty();
                let nan = Floats::only_nan(format);
                let unordered = !relation.refine(&nan, &nan).0.is_empty();
                let mut left = if number { a } else { Floats::nothing(format) };
                left.nan = a.nan && unordered;
                return self.narrow(state, operands[0], &Value::Float(left), queue);
            }
            state.relate(x, y, relation);
            // Differences of the two are worth another look.
            queue.extend([x, y]);
        }
        self.narrow(state, operands[0], &Value::Float(left), queue)
            && self.narrow(state, operands[1], &Value::Float(right), queue)
    }

    fn compared(
        &self,
        state: &mut State,
        predicate: IntegerPredicate,
        bits: u32,
        operands: [Operand; 2],
        queue: &mut Vec<Register>,
    ) -> bool {
        let values = operands.map(|o| self.value(state, o));
        if values.iter().any(|value| matches!(value, Value::Pointer(_))) {
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
        self.narrow(state, operands[0], &Value::Integer(left), queue)
            && self.narrow(state, operands[1], &Value::Integer(right), queue)
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
            state.registers.set(register, Value::pointer(pointers));
        }
        true
    }

    fn connective(
        &self,
        state: &mut State,
        operation: IntegerOperation,
        truth: bool,
        operands: [Operand; 2],
        queue: &mut Vec<Register>,
    ) -> bool {
        let know = |truth: bool| Value::truth(!truth, truth);
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
                true
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

    fn integer_operands(
        &self,
        state: &mut State,
        operation: IntegerOperation,
        bits: u32,
        operands: [Operand; 2],
        result: &Integers,
        queue: &mut Vec<Register>,
    ) -> bool {
        if bits > Integers::WIDEST {
            return true;
        }
        let [a, b] = operands.map(|o| self.value(state, o).integers(bits));
        // Modulo the width these are exact: what wraps around is kept.
        let (left, right) = match operation {
            IntegerOperation::Add => (
                Integers::wrapped(bits, result.lo - b.hi, result.hi - b.lo),
                Integers::wrapped(bits, result.lo - a.hi, result.hi - a.lo),
            ),
            IntegerOperation::Sub => (
                Integers::wrapped(bits, result.lo + b.lo, result.hi + b.hi),
                Integers::wrapped(bits, a.lo - result.hi, a.hi - result.lo),
            ),
            _ => return true,
        };
        self.narrow(state, operands[0], &Value::Integer(left), queue)
            && self.narrow(state, operands[1], &Value::Integer(right), queue)
    }

    fn selected(
        &self,
        state: &mut State,
        operands: [Operand; 3],
        result: &Value,
        queue: &mut Vec<Register>,
    ) -> bool {
        let [condition, then, otherwise] = operands.map(|o| self.value(state, o));
        if matches!(condition, Value::Parts(_)) {
            return true;
        }
        let condition = condition.integers(1);
        let possible = [
            condition.may_be(false) && !otherwise.meet(result).is_empty(),
            condition.may_be(true) && !then.meet(result).is_empty(),
        ];
        let taken = Value::truth(possible[0], possible[1]);
        if !self.narrow(state, operands[0], &taken, queue) {
            return false;
        }
        match possible {
            [false, true] => self.narrow(state, operands[1], result, queue),
            [true, false] => self.narrow(state, operands[2], result, queue),
            [true, true] => true,
            [false, false] => false,
        }
    }

    fn extended(
        &self,
        state: &mut State,
        conversion: IntegerConversion,
        operand: Operand,
        from: &Type,
        result: &Integers,
        queue: &mut Vec<Register>,
    ) -> bool {
        let Some(bits) = from.bits().filter(|bits| *bits <= Integers::WIDEST) else { return true };
        if !matches!(from, Type::Integer(_)) {
            return true;
        }
        let old = self.value(state, operand).integers(bits);
        let (lo, hi) = match conversion {
            IntegerConversion::ZeroExtend => {
                let (lo, hi) = old.unsigned();
                (lo.max(result.lo), hi.min(result.hi))
            }
            IntegerConversion::SignExtend => {
                let (lo, hi) = old.signed();
                (lo.max(result.lo), hi.min(result.hi))
            }
            IntegerConversion::Truncate
            | IntegerConversion::Reinterpret
            | IntegerConversion::FromPointer
            | IntegerConversion::ToPointer => return true,
        };
        if lo > hi {
            return false;
        }
        self.narrow(state, operand, &Value::Integer(Integers::wrapped(bits, lo, hi)), queue)
    }
}

/// The integers that may round to a float of these.
fn integer_preimage(result: &Floats) -> Option<(i128, i128)> {
    let (lo, hi) = result.finite_part().bounds()?;
    if result.has_infinity() {
        return None;
    }
    let infinity = grid::infinity(result.format);
    let (lo, hi) = (below(lo).max(!infinity + 1), above(hi).min(infinity - 1));
    let least = grid::to_integer(result.format, Rounding::Downward, lo)?;
    let greatest = grid::to_integer(result.format, Rounding::Upward, hi)?;
    Some((least, greatest))
}

/// The floats of a format that may convert to one of these.
fn converted_preimage(from: Format, result: &Floats) -> Floats {
    let everything = Floats { nan: result.nan, ..Floats::everything(from) };
    let Some((lo, hi)) = result.bounds() else { return everything };
    let infinity = grid::infinity(result.format);
    let mut lo_at = !grid::infinity(from);
    let mut hi_at = grid::infinity(from);
    if lo > !infinity {
        lo_at = grid::converted(result.format, from, Rounding::Downward, below(lo));
    }
    if hi < infinity {
        hi_at = grid::converted(result.format, from, Rounding::Upward, above(hi));
    }
    let numbers = Floats::between(from, lo_at, hi_at);
    let mut numbers = Floats { nan: result.nan, ..numbers };
    if result.positive.is_empty() && !result.plus_zero {
        numbers.positive = Span::EMPTY;
        numbers.plus_zero = false;
    }
    if result.negative.is_empty() && !result.minus_zero {
        numbers.negative = Span::EMPTY;
        numbers.minus_zero = false;
    }
    numbers
}

/// The operands of a unary operation that may give one of these results.
fn unary_preimage(operation: Operation, result: &Floats) -> Floats {
    let everything = Floats::everything(result.format);
    match operation {
        Operation::Neg => result.negated(),
        Operation::Abs => result.join(&result.negated()),
        Operation::Sqrt => {
            if result.nan {
                return everything;
            }
            let mut operand =
                Floats { plus_zero: result.plus_zero, ..Floats::nothing(result.format) };
            operand.minus_zero = result.minus_zero;
            if !result.positive.is_empty() {
                let lo = outward(
                    result.format,
                    Operation::Mul,
                    result.positive.lo - 1,
                    result.positive.lo - 1,
                )
                .0;
                let hi = if result.has_plus_infinity() {
                    grid::infinity(result.format)
                } else {
                    outward(
                        result.format,
                        Operation::Mul,
                        result.positive.hi + 1,
                        result.positive.hi + 1,
                    )
                    .1
                };
                operand.positive = Span::new(lo.max(1), hi);
            }
            operand
        }
        // Any other operation tells nothing of its operand.
        _ => everything,
    }
}

/// The operands of a binary operation that may give one of these results.
fn binary_preimage(
    operation: Operation,
    x: &Floats,
    y: &Floats,
    result: &Floats,
    same: bool,
) -> (Floats, Floats) {
    let known =
        matches!(operation, Operation::Add | Operation::Sub | Operation::Mul | Operation::Div);
    if !known || result.nan || result.has_infinity() {
        let nan = !known || result.nan;
        let any = Floats { nan, ..Floats::everything(x.format) };
        return (any, any);
    }
    // A finite result: sums and products have finite operands.
    let format = x.format;
    let finite = Floats::finite(format);
    let numbers = Floats::everything(format).numbers();
    let (Some((lo, hi)), Some((xl, xh)), Some((yl, yh))) =
        (result.bounds(), x.finite_part().bounds(), y.finite_part().bounds())
    else {
        return (numbers, numbers);
    };
    // What rounds to a result lies strictly between its neighbours.
    let (lo, hi) = (below(lo), above(hi));
    let low = |operation, a, b| outward(format, operation, a, b).0;
    let high = |operation, a, b| outward(format, operation, a, b).1;
    match operation {
        Operation::Add if !same => (
            Floats::between(format, low(Operation::Add, lo, !yh), high(Operation::Add, hi, !yl))
                .with_both_zeros()
                .meet(&finite),
            Floats::between(format, low(Operation::Add, lo, !xh), high(Operation::Add, hi, !xl))
                .with_both_zeros()
                .meet(&finite),
        ),
        Operation::Sub if !same => (
            Floats::between(format, low(Operation::Add, lo, yl), high(Operation::Add, hi, yh))
                .with_both_zeros()
                .meet(&finite),
            Floats::between(format, low(Operation::Add, xl, !hi), high(Operation::Add, xh, !lo))
                .with_both_zeros()
                .meet(&finite),
        ),
        Operation::Mul if same => {
            let most =
                result.positive.join(if result.has_zero() { Span::new(1, 1) } else { Span::EMPTY });
            if most.is_empty() {
                return (finite, finite);
            }
            let root = |at: Ordinal| {
                grid::rounded(format, Operation::Sqrt, Rounding::NearestEven, &[at]).unwrap_or(0)
            };
            let top = root((most.hi + 1).min(grid::infinity(format) - 1)) + 1;
            let bottom = if result.has_zero() { 0 } else { (root(most.lo - 1) - 1).max(0) };
            let span = Span::new(bottom.max(1), top);
            let zero = result.has_zero();
            let both = Floats {
                positive: span,
                negative: span,
                plus_zero: zero,
                minus_zero: zero,
                ..Floats::nothing(format)
            };
            (both.meet(&finite), both.meet(&finite))
        }
        Operation::Mul => (
            quotient(format, (lo, hi), (yl, yh)).meet(&finite),
            quotient(format, (lo, hi), (xl, xh)).meet(&finite),
        ),
        Operation::Div if !same => {
            // Only a finite divisor bounds the dividend.
            if y.has_infinity() {
                return (numbers, numbers);
            }
            let ends = [(lo, yl), (lo, yh), (hi, yl), (hi, yh)];
            let products = ends.map(|(a, b)| outward(format, Operation::Mul, a, b));
            let least = products.iter().map(|p| p.0).min().expect("four");
            let greatest = products.iter().map(|p| p.1).max().expect("four");
            (Floats::between(format, least, greatest).with_both_zeros().meet(&finite), numbers)
        }
        // Any other operation tells nothing of its operands.
        _ => (numbers, numbers),
    }
}

/// The numbers whose product with one between `y`'s ends lies between these.
fn quotient(format: Format, (lo, hi): (Ordinal, Ordinal), (yl, yh): (Ordinal, Ordinal)) -> Floats {
    if yl <= 0 && yh >= -1 {
        return Floats::finite(format);
    }
    let ends = [(lo, yl), (lo, yh), (hi, yl), (hi, yh)];
    let quotients = ends.map(|(a, b)| outward(format, Operation::Div, a, b));
    let least = quotients.iter().map(|q| q.0).min().expect("four");
    let greatest = quotients.iter().map(|q| q.1).max().expect("four");
    Floats::between(format, least, greatest).with_both_zeros()
}

/// The exact result of an operation lies between these two.
fn outward(format: Format, operation: Operation, a: Ordinal, b: Ordinal) -> (Ordinal, Ordinal) {
    let infinity = grid::infinity(format);
    let clamp = |at: Ordinal| at.clamp(!infinity, infinity);
    match grid::rounded(format, operation, Rounding::NearestEven, &[clamp(a), clamp(b)]) {
        Some(value) => (below(value).max(!infinity), above(value).min(infinity)),
        None => (!infinity, infinity),
    }
}
