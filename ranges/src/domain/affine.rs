//! Affine forms: sums whose operands share atoms, such as `x - floor(x)`, `(x + y) - x`, or
//! `x - k * ln2` with `k` the rounded quotient of the two; and sums that a comparison bounds.
//!
//! A register is an affine form of other registers (its atoms) with an interval for the rounding
//! errors on the way. Atoms that cancel in the sum of two forms cancel in the sum of the
//! registers. After `r = x - s` and `r > d`, the sum `s + d` is less than `x` and a rounding
//! error: what a comparison has shown to be positive is added where that cancels atoms. A form
//! exists only where everything is finite; its bounds are rounded outward.

use crate::domain::linear_form::{
    Bounds, Form, finite, fitting, floats_within, greatest, limited, rounded,
};
use crate::domain::point::{Domain, Known, Text};
use crate::domain::relations::Fact;
use crate::domain::values::{Computed, modes_of};
use crate::policy::{AFFINE_DEPTHS, MOST_ATOMS};
use crate::value::AbstractValue;
use nanoscope_ieee::{Format, Operation, Rounding};
use nanoscope_program::Exception;
use nanoscope_program::ir::{
    Act, Instruction, IntegerConversion, IntegerOperation, Mode, Operand, Register,
};
use nanoscope_sets::{Floats, Modes};

/// The domain of affine forms; it has no elements of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct AffineForms;

impl Domain for AffineForms {
    fn sharpen(&self, at: &Text, known: Known, instruction: &Instruction, computed: &mut Computed) {
        let Some(result) = instruction.result else { return };
        let cancels = at.facts.cancelling.get(&result).is_some();
        if !cancels && known.relations.0.is_empty() {
            return;
        }
        if let AbstractValue::Float(floats) = &mut computed.value
            && let Some(sum) = (Forms { at, known }).sum(&instruction.act, cancels)
            && floats.format() == sum.format
        {
            *floats = floats.get().meet(&sum).into();
            // Of finite numbers, and finite itself.
            let left = [Exception::Underflow].into_iter().collect();
            computed.raised = computed.raised.meet(left);
        }
    }
}

/// The bounds of the exact difference of two registers, if their definitions or comparisons tell.
pub fn difference(at: &Text, known: Known, a: Register, b: Register) -> Option<Bounds> {
    let operands = [a, b].map(Operand::Register);
    (Forms { at, known }).exact(Operation::Sub, &operands, &AFFINE_DEPTHS[..2], f64::MAX)
}

/// The bounds of the exact sum of two registers, if their definitions or comparisons tell.
pub fn sum(at: &Text, known: Known, a: Register, b: Register) -> Option<Bounds> {
    let operands = [a, b].map(Operand::Register);
    (Forms { at, known }).exact(Operation::Add, &operands, &AFFINE_DEPTHS[..2], f64::MAX)
}

/// Affine forms of registers at one point of a function.
struct Forms<'a> {
    at: &'a Text<'a>,
    known: Known<'a>,
}

impl Forms<'_> {
    /// The value of a sum or difference; `None` where it may not be finite.
    fn sum(&self, act: &Act, cancels: bool) -> Option<Floats> {
        let Act::Float {
            operation: operation @ (Operation::Add | Operation::Sub),
            parameters,
            operands,
            relaxed: false,
            ..
        } = act
        else {
            return None;
        };
        let format = parameters.format;
        let depths = if cancels { &AFFINE_DEPTHS[..] } else { &[] };
        let found = self.exact(*operation, operands, depths, greatest(format)?);
        found.map(|bounds| floats_within(format, bounds))
    }

    /// The bounds of an exact sum or difference, by forms of some depths and by comparisons.
    fn exact(
        &self,
        operation: Operation,
        operands: &[Operand],
        depths: &[u32],
        limit: f64,
    ) -> Option<Bounds> {
        // A form exists only of what is finite, and most numbers may not be.
        let is_finite =
            |operand: &Operand| finite(self.at.value(self.known.environment, *operand)).is_some();
        if !operands.iter().all(is_finite) {
            return None;
        }
        let mut found: Option<Bounds> = None;
        let mut meet = |bounds: Bounds| {
            found = Some(found.map_or(bounds, |found| found.meet(bounds)));
        };
        for depth in depths {
            let Some(form) = self.added(operation, operands, *depth) else { continue };
            let bounds = form.bounds();
            if bounds.is_within(limit) {
                meet(bounds);
            }
        }
        let Some(form) = self.added(operation, operands, 0) else { return found };
        let shares = |fact: &&Fact| !fact.magnitudes && self.shares_operands(fact, operands);
        for fact in self.known.relations.0.iter().filter(shares) {
            for depth in [0, 1] {
                if let Some(positive) = self.positive(fact, depth) {
                    let negative = positive.clone().times(Bounds::only(-1.0));
                    let mut bounds = form.bounds();
                    if let Some(above) = form.clone().plus(&positive, MOST_ATOMS) {
                        bounds.hi = bounds.hi.min(above.bounds().hi);
                    }
                    if let Some(below) = form.clone().plus(&negative, MOST_ATOMS) {
                        bounds.lo = bounds.lo.max(below.bounds().lo);
                    }
                    if bounds.lo <= bounds.hi && bounds.is_within(limit) {
                        meet(bounds);
                    }
                }
            }
        }
        found
    }

    /// Whether a relation is about operands of a sum, or about sums of these.
    fn shares_operands(&self, fact: &Fact, operands: &[Operand]) -> bool {
        [fact.a, fact.b].iter().any(|register| {
            operands.contains(&Operand::Register(*register))
                || match self.at.facts.definitions.act(self.at.function, *register) {
                    Some(Act::Float {
                        operation: Operation::Add | Operation::Sub,
                        operands: others,
                        ..
                    }) => others.iter().any(|other| operands.contains(other)),
                    Some(_) | None => false,
                }
        })
    }

    /// A form that a relation shows not to be negative: the greater less the lesser register.
    fn positive(&self, fact: &Fact, depth: u32) -> Option<Form> {
        let order = fact.relation.order();
        let (more, less) = match (order.not_less, order.not_greater) {
            (true, false) => (fact.a, fact.b),
            (false, true) => (fact.b, fact.a),
            (_, _) => return None,
        };
        let less = self.register(less, depth)?.times(Bounds::only(-1.0));
        self.register(more, depth)?.plus(&less, MOST_ATOMS)
    }

    fn added(&self, operation: Operation, operands: &[Operand], depth: u32) -> Option<Form> {
        let [a, b] = operands else { return None };
        let (a, b) = (self.operand(*a, depth)?, self.operand(*b, depth)?);
        match operation {
            Operation::Add => a.plus(&b, MOST_ATOMS),
            Operation::Sub => a.plus(&b.times(Bounds::only(-1.0)), MOST_ATOMS),
            // Any other operation is no sum.
            _ => None,
        }
    }

    fn operand(&self, operand: Operand, depth: u32) -> Option<Form> {
        match operand {
            Operand::Constant(id) => {
                let range = finite(&self.at.constants[id.0 as usize])?;
                (range.lo == range.hi).then(|| Form::constant(range))
            }
            Operand::Register(register) => self.register(register, depth),
        }
    }

    fn register(&self, register: Register, depth: u32) -> Option<Form> {
        let range = finite(self.known.environment.known(register));
        if let Some(range) = range
            && range.lo == range.hi
        {
            return Some(Form::constant(range));
        }
        if depth > 0
            && let Some(form) = self.defined(register, depth - 1)
        {
            return Some(form);
        }
        // With one rounding mode throughout, registers of one value number are equal.
        let atom = match self.at.modes {
            Modes::NEAREST => self.at.facts.numbers.number(register),
            _ => register,
        };
        Some(Form::atom(atom, range?))
    }

    /// The form of a register by its definition.
    fn defined(&self, register: Register, depth: u32) -> Option<Form> {
        match self.at.facts.definitions.act(self.at.function, register)? {
            Act::Freeze { operand } => self.operand(*operand, depth),
            Act::Float { operation, parameters, operands, mode, relaxed: false } => {
                let format = parameters.format;
                match operation {
                    Operation::Add | Operation::Sub => {
                        let form = self.added(*operation, operands, depth)?;
                        rounded(form, format, self.unit(format, *mode), false)
                    }
                    Operation::Neg => {
                        Some(self.operand(operands[0], depth)?.times(Bounds::only(-1.0)))
                    }
                    Operation::Mul => {
                        let (factor, other) = match (self.single(operands[0]), operands[1]) {
                            (Some(factor), other) => (factor, other),
                            (None, _) => (self.single(operands[1])?, operands[0]),
                        };
                        let form = self.operand(other, depth)?.times(Bounds::only(factor));
                        // By a power of two it is exact, but for what is lost at the lower end.
                        match is_power(factor) && factor.abs() >= 1.0 {
                            true => limited(form, format),
                            false => rounded(form, format, self.unit(format, *mode), true),
                        }
                    }
                    Operation::RoundToIntegral | Operation::RoundToIntegralExact => {
                        let form = self.operand(operands[0], depth)?;
                        let away = self.away(*mode, form.bounds());
                        limited(form.moved(away), format)
                    }
                    Operation::Convert => {
                        let form = self.operand(operands[0], depth)?;
                        match parameters.target.holds(format) {
                            true => limited(form, parameters.target),
                            false => rounded(
                                form,
                                parameters.target,
                                self.unit(parameters.target, *mode),
                                true,
                            ),
                        }
                    }
                    Operation::FromSigned => {
                        let form = self.operand(operands[0], depth)?;
                        match form.bounds().is_within((1u64 << format.precision.min(53)) as f64) {
                            true => Some(form),
                            false => rounded(form, format, self.unit(format, *mode), false),
                        }
                    }
                    Operation::ToSigned => {
                        let form = self.operand(operands[0], depth)?;
                        let form = fitting(form, parameters.width)?;
                        let away = self.away(*mode, form.bounds());
                        Some(form.moved(away))
                    }
                    // Any other operation is not affine.
                    _ => None,
                }
            }
            Act::Integer { operation, bits, operands: [a, b], .. } => {
                let form = match operation {
                    IntegerOperation::Add => {
                        self.operand(*a, depth)?.plus(&self.operand(*b, depth)?, MOST_ATOMS)?
                    }
                    IntegerOperation::Sub => {
                        let b = self.operand(*b, depth)?.times(Bounds::only(-1.0));
                        self.operand(*a, depth)?.plus(&b, MOST_ATOMS)?
                    }
                    // Any other operation is not linear, or not often used so.
                    _ => return None,
                };
                fitting(form, *bits)
            }
            Act::Convert { conversion: IntegerConversion::SignExtend, operand, from, .. }
                if from.bits() != Some(1) =>
            {
                self.operand(*operand, depth)
            }
            // Any other act gives an atom.
            _ => None,
        }
    }

    fn single(&self, operand: Operand) -> Option<f64> {
        let range = match operand {
            Operand::Constant(id) => finite(&self.at.constants[id.0 as usize])?,
            Operand::Register(register) => finite(self.known.environment.known(register))?,
        };
        (range.lo == range.hi).then_some(range.lo)
    }

    /// The relative rounding error of an operation.
    fn unit(&self, format: Format, mode: Mode) -> f64 {
        match modes_of(self.at.modes, mode) {
            Modes::NEAREST => 2f64.powi(-(format.precision as i32)),
            _ => 2f64.powi(1 - format.precision as i32),
        }
    }

    /// The distance of an integral value from the number that was rounded to it.
    fn away(&self, mode: Mode, bounds: Bounds) -> Bounds {
        let rounding = match (mode, self.at.modes) {
            (Mode::Fixed(rounding), _) => Some(rounding),
            (Mode::Dynamic, modes) => modes.single(),
        };
        match rounding {
            Some(Rounding::NearestEven | Rounding::NearestAway) => Bounds::new(-0.5, 0.5),
            Some(Rounding::Downward) => Bounds::new(-1.0, 0.0),
            Some(Rounding::Upward) => Bounds::new(0.0, 1.0),
            Some(Rounding::TowardZero) if bounds.lo >= 0.0 => Bounds::new(-1.0, 0.0),
            Some(Rounding::TowardZero) if bounds.hi <= 0.0 => Bounds::new(0.0, 1.0),
            Some(Rounding::TowardZero) | None => Bounds::new(-1.0, 1.0),
        }
    }
}

fn is_power(factor: f64) -> bool {
    factor.is_normal() && factor.to_bits() & ((1 << 52) - 1) == 0
}
