//! Affine forms: sums whose operands share atoms, such as `x - floor(x)`, `(x + y) - x`, or
//! `x - k * ln2` with `k` the rounded quotient of the two.
//!
//! A register is an affine form of other registers (its atoms) with an interval for the rounding
//! errors on the way. Atoms that cancel in the sum of two forms cancel in the sum of the
//! registers. A form exists only where everything is finite; its bounds are rounded outward.

use crate::arithmetic::Modes;
use crate::domain::environment::Environment;
use crate::domain::value_numbers::ValueNumbers;
use crate::domain::values::{Computed, modes_of};
use crate::floats::Floats;
use crate::function::definitions::{ByRegister, Definitions};
use crate::grid;
use crate::policy::{AFFINE_DEPTHS, MOST_AFFINE_SOURCES, MOST_ATOMS};
use crate::value::Value;
use nanoscope_ieee::{Format, Operation, Rounding};
use nanoscope_program::Exception;
use nanoscope_program::ir::{
    Act, Function, IntegerConversion, IntegerOperation, Mode, Operand, Register,
};

/// An interval of reals with doubles as bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    lo: f64,
    hi: f64,
}

impl Bounds {
    const fn new(lo: f64, hi: f64) -> Bounds {
        Bounds { lo, hi }
    }

    const fn only(value: f64) -> Bounds {
        Bounds::new(value, value)
    }

    /// The interval, or the line where a bound is not finite.
    fn checked(self) -> Bounds {
        if self.lo.is_finite() && self.hi.is_finite() {
            self
        } else {
            Bounds::new(f64::NEG_INFINITY, f64::INFINITY)
        }
    }

    fn plus(self, other: Bounds) -> Bounds {
        Bounds::new(sum(self.lo, other.lo, false), sum(self.hi, other.hi, true)).checked()
    }

    fn times(self, other: Bounds) -> Bounds {
        let pairs =
            [(self.lo, other.lo), (self.lo, other.hi), (self.hi, other.lo), (self.hi, other.hi)];
        let products = |up: bool| pairs.map(|(a, b)| product(a, b, up));
        if !(self.size() * other.size()).is_finite() {
            return Bounds::new(f64::NEG_INFINITY, f64::INFINITY);
        }
        let least = products(false).into_iter().fold(f64::MAX, f64::min);
        let most = products(true).into_iter().fold(f64::MIN, f64::max);
        Bounds::new(least, most).checked()
    }

    fn size(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    fn is_within(self, limit: f64) -> bool {
        self.lo >= -limit && self.hi <= limit
    }
}

/// A sum rounded up or down. The error of a sum to the nearest is a double itself (Knuth).
fn sum(a: f64, b: f64, up: bool) -> f64 {
    let sum = a + b;
    let other = sum - a;
    let error = (a - (sum - other)) + (b - other);
    directed(sum, error, up)
}

/// A product rounded up or down.
fn product(a: f64, b: f64, up: bool) -> f64 {
    let product = a * b;
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    if product.abs() < 1e-280 {
        return if up { product.next_up() } else { product.next_down() };
    }
    directed(product, a.mul_add(b, -product), up)
}

fn directed(value: f64, error: f64, up: bool) -> f64 {
    if up && (error > 0.0 || error.is_nan()) {
        value.next_up()
    } else if !up && (error < 0.0 || error.is_nan()) {
        value.next_down()
    } else {
        value
    }
}

/// A term of a form: an atom times a factor.
#[derive(Clone, Copy, Debug)]
struct Term {
    atom: Register,
    factor: Bounds,
    /// The values of the atom.
    range: Bounds,
}

/// A sum of terms and a rest.
#[derive(Clone, Debug)]
struct Form {
    terms: Vec<Term>,
    rest: Bounds,
}

impl Form {
    fn constant(rest: Bounds) -> Form {
        Form { terms: Vec::new(), rest }
    }

    fn plus(mut self, other: &Form) -> Option<Form> {
        for term in &other.terms {
            match self.terms.iter_mut().find(|mine| mine.atom == term.atom) {
                Some(mine) => mine.factor = mine.factor.plus(term.factor),
                None => self.terms.push(*term),
            }
        }
        self.terms.retain(|term| term.factor != Bounds::only(0.0));
        self.rest = self.rest.plus(other.rest);
        (self.terms.len() <= MOST_ATOMS).then_some(self)
    }

    fn times(mut self, factor: Bounds) -> Form {
        for term in &mut self.terms {
            term.factor = term.factor.times(factor);
        }
        self.rest = self.rest.times(factor);
        self
    }

    fn moved(mut self, by: Bounds) -> Form {
        self.rest = self.rest.plus(by);
        self
    }

    fn bounds(&self) -> Bounds {
        let each = self.terms.iter().map(|term| term.factor.times(term.range));
        each.fold(self.rest, Bounds::plus)
    }
}

/// Affine forms of registers at one point of a function.
pub struct AffineForms<'a> {
    pub function: &'a Function,
    pub definitions: &'a Definitions,
    pub numbers: &'a ValueNumbers,
    /// The values of the program's constants.
    pub constants: &'a [Value],
    /// The rounding modes.
    pub modes: Modes,
    /// The values of registers there.
    pub environment: &'a Environment,
}

impl AffineForms<'_> {
    /// Sharpens the result and the exceptions of a sum.
    pub fn sharpen(&self, act: &Act, computed: &mut Computed) {
        if let (Some(sum), Value::Float(floats)) = (self.sum(act), &mut computed.value)
            && floats.format() == sum.format
        {
            *floats = floats.get().meet(&sum).into();
            // Of finite numbers, and finite itself.
            let left = [Exception::Underflow].into_iter().collect();
            computed.raised = computed.raised.meet(left);
        }
    }

    /// The value of a sum or difference; `None` where it may not be finite.
    pub fn sum(&self, act: &Act) -> Option<Floats> {
        let Act::Float { operation, parameters, operands, relaxed: false, .. } = act else {
            return None;
        };
        let format = parameters.format;
        let limit = greatest(format)?;
        let mut found: Option<Floats> = None;
        for depth in AFFINE_DEPTHS {
            let Some(form) = self.added(*operation, operands, depth) else { continue };
            let bounds = form.bounds();
            if !bounds.is_within(limit) {
                continue;
            }
            let place = |value, rounding| {
                let at = grid::from_double(value).expect("a number");
                grid::converted(Format::BINARY64, format, rounding, at)
            };
            let (lo, hi) =
                (place(bounds.lo, Rounding::Downward), place(bounds.hi, Rounding::Upward));
            let floats = Floats::between(format, lo, hi).with_both_zeros();
            found = Some(found.map_or(floats, |found| found.meet(&floats)));
        }
        found
    }

    fn added(&self, operation: Operation, operands: &[Operand], depth: u32) -> Option<Form> {
        let [a, b] = operands else { return None };
        let (a, b) = (self.operand(*a, depth)?, self.operand(*b, depth)?);
        match operation {
            Operation::Add => a.plus(&b),
            Operation::Sub => a.plus(&b.times(Bounds::only(-1.0))),
            // Any other operation is no sum.
            _ => None,
        }
    }

    fn operand(&self, operand: Operand, depth: u32) -> Option<Form> {
        match operand {
            Operand::Constant(id) => {
                let range = finite(&self.constants[id.0 as usize])?;
                (range.lo == range.hi).then(|| Form::constant(range))
            }
            Operand::Register(register) => self.register(register, depth),
        }
    }

    fn register(&self, register: Register, depth: u32) -> Option<Form> {
        let range = finite(self.environment.known(register));
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
        let atom = match self.modes {
            Modes::Nearest => self.numbers.number(register),
            Modes::Any => register,
        };
        let term = Term { atom, factor: Bounds::only(1.0), range: range? };
        Some(Form { terms: vec![term], rest: Bounds::only(0.0) })
    }

    /// The form of a register by its definition.
    fn defined(&self, register: Register, depth: u32) -> Option<Form> {
        match self.definitions.act(self.function, register)? {
            Act::Freeze { operand } => self.operand(*operand, depth),
            Act::Float { operation, parameters, operands, mode, relaxed: false } => {
                let format = parameters.format;
                match operation {
                    Operation::Add | Operation::Sub => {
                        let form = self.added(*operation, operands, depth)?;
                        self.rounded(form, format, *mode, false)
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
                            false => self.rounded(form, format, *mode, true),
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
                            false => self.rounded(form, parameters.target, *mode, true),
                        }
                    }
                    Operation::FromSigned => {
                        let form = self.operand(operands[0], depth)?;
                        match form.bounds().is_within((1u64 << format.precision.min(53)) as f64) {
                            true => Some(form),
                            false => self.rounded(form, format, *mode, false),
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
                        self.operand(*a, depth)?.plus(&self.operand(*b, depth)?)?
                    }
                    IntegerOperation::Sub => {
                        let b = self.operand(*b, depth)?.times(Bounds::only(-1.0));
                        self.operand(*a, depth)?.plus(&b)?
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
            Operand::Constant(id) => finite(&self.constants[id.0 as usize])?,
            Operand::Register(register) => finite(self.environment.known(register))?,
        };
        (range.lo == range.hi).then_some(range.lo)
    }

    /// Adds the rounding error; `tiny` if results may be subnormal and inexact.
    fn rounded(&self, form: Form, format: Format, mode: Mode, tiny: bool) -> Option<Form> {
        let form = limited(form, format)?;
        let unit = match modes_of(self.modes, mode) {
            Modes::Nearest => 2f64.powi(-(format.precision as i32)),
            Modes::Any => 2f64.powi(1 - format.precision as i32),
        };
        let mut error = product(form.bounds().size(), unit, true);
        if tiny {
            error = sum(
                error,
                grid::double(grid::converted(format, Format::BINARY64, Rounding::Upward, 1)),
                true,
            );
        }
        Some(form.moved(Bounds::new(-error, error)))
    }

    /// The distance of an integral value from the number that was rounded to it.
    fn away(&self, mode: Mode, bounds: Bounds) -> Bounds {
        let rounding = match (mode, self.modes) {
            (Mode::Fixed(rounding), _) => Some(rounding),
            (Mode::Dynamic, Modes::Nearest) => Some(Rounding::NearestEven),
            (Mode::Dynamic, Modes::Any) => None,
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

/// The bounds of a value of finite numbers; `None` for other values.
fn finite(value: &Value) -> Option<Bounds> {
    match value {
        Value::Float(floats) => {
            let floats = floats.get();
            greatest(floats.format)?;
            if floats.nan || floats.has_infinity() {
                return None;
            }
            let (lo, hi) = floats.bounds()?;
            let double = |at| {
                grid::double(grid::converted(
                    floats.format,
                    Format::BINARY64,
                    Rounding::NearestEven,
                    at,
                ))
            };
            Some(Bounds::new(double(lo), double(hi)))
        }
        Value::Integer(integers) if integers.bits > 1 && !integers.is_empty() => {
            let exact = 1 << 53;
            let (mut lo, mut hi) = (integers.lo() as f64, integers.hi() as f64);
            if integers.lo().abs() > exact {
                lo = lo.next_down();
            }
            if integers.hi().abs() > exact {
                hi = hi.next_up();
            }
            Some(Bounds::new(lo, hi))
        }
        Value::Zeros => Some(Bounds::only(0.0)),
        Value::Integer(_) | Value::Anything | Value::Pointer(_) | Value::Parts(_) => None,
    }
}

/// The greatest number of a format whose numbers are doubles.
fn greatest(format: Format) -> Option<f64> {
    match format {
        Format::BINARY32 => Some(f64::from(f32::MAX)),
        Format::BINARY64 => Some(f64::MAX),
        _ => None,
    }
}

/// A form whose values do not overflow in a format.
fn limited(form: Form, format: Format) -> Option<Form> {
    let limit = greatest(format)?;
    form.bounds().is_within(limit).then_some(form)
}

/// A form whose values are in the range of the signed integers of a width.
fn fitting(form: Form, bits: u32) -> Option<Form> {
    // What is rounded to an integer stays within.
    let limit = match bits {
        ..=53 => 2f64.powi(bits as i32 - 1) - 1.0,
        _ => 2f64.powi(bits as i32 - 2),
    };
    form.bounds().is_within(limit).then_some(form)
}

fn is_power(factor: f64) -> bool {
    factor.is_normal() && factor.to_bits() & ((1 << 52) - 1) == 0
}

/// The sums of a function whose operands share atoms.
pub fn cancelling(
    function: &Function,
    definitions: &Definitions,
    numbers: &ValueNumbers,
) -> ByRegister<()> {
    let mut found = ByRegister::of(function);
    for block in &function.blocks {
        for instruction in &block.instructions {
            if let Act::Float { operation: Operation::Add | Operation::Sub, operands, .. } =
                &instruction.act
                && let [Operand::Register(a), Operand::Register(b)] = operands[..]
                && let Some(result) = instruction.result
            {
                let sources = [a, b].map(|register| {
                    let mut seen = Vec::new();
                    let depth = AFFINE_DEPTHS[AFFINE_DEPTHS.len() - 1];
                    sources(function, definitions, numbers, register, depth, &mut seen);
                    seen
                });
                if sources[0].iter().any(|register| sources[1].contains(register)) {
                    found.insert(result, ());
                }
            }
        }
    }
    found
}

/// The value numbers that a register depends on affinely.
fn sources(
    function: &Function,
    definitions: &Definitions,
    numbers: &ValueNumbers,
    register: Register,
    depth: u32,
    seen: &mut Vec<Register>,
) {
    let number = numbers.number(register);
    if seen.len() >= MOST_AFFINE_SOURCES || seen.contains(&number) {
        return;
    }
    seen.push(number);
    let Some(act) = definitions.act(function, register) else { return };
    let follow = |operand: Operand, seen: &mut Vec<Register>| {
        if let (Operand::Register(register), true) = (operand, depth > 0) {
            sources(function, definitions, numbers, register, depth - 1, seen);
        }
    };
    // What is loaded may be a constant that lies in memory.
    let known = |operand: Operand| match operand {
        Operand::Constant(_) => true,
        Operand::Register(register) => {
            matches!(definitions.act(function, register), Some(Act::Load { .. }))
        }
    };
    match act {
        Act::Float { operation, operands, relaxed: false, .. } => match operation {
            Operation::Mul => {
                if known(operands[0]) {
                    follow(operands[1], seen);
                } else if known(operands[1]) {
                    follow(operands[0], seen);
                }
            }
            Operation::Add
            | Operation::Sub
            | Operation::Neg
            | Operation::RoundToIntegral
            | Operation::RoundToIntegralExact
            | Operation::Convert
            | Operation::FromSigned
            | Operation::ToSigned => operands.iter().for_each(|operand| follow(*operand, seen)),
            // Any other operation is not affine.
            _ => {}
        },
        Act::Integer {
            operation: IntegerOperation::Add | IntegerOperation::Sub, operands, ..
        } => operands.iter().for_each(|operand| follow(*operand, seen)),
        Act::Freeze { operand }
        | Act::Convert { conversion: IntegerConversion::SignExtend, operand, .. } => {
            follow(*operand, seen);
        }
        // Any other act gives an atom.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums and products of whole numbers, against exact ones.
    #[test]
    fn bounds_hold_what_is_exact() {
        let mut dice = crate::tests::Dice::new(15);
        let mut whole = || {
            let size = dice.roll(62);
            (dice.roll(1 << 53) as i64 >> (53 - size.min(53))) << size.saturating_sub(53)
        };
        let mut loose = 0;
        for round in 0..20_000 {
            let sign = |value: i64| if round % 3 == 0 { -value } else { value };
            let (a, b) = (sign(whole()), whole() * [1, -1][round % 2]);
            let (x, y) = (Bounds::only(a as f64), Bounds::only(b as f64));
            let (exact_sum, exact_product) =
                (i128::from(a) + i128::from(b), i128::from(a) * i128::from(b));
            for (bounds, exact) in [(x.plus(y), exact_sum), (x.times(y), exact_product)] {
                assert!(bounds.lo as i128 <= exact && exact <= bounds.hi as i128, "{a}, {b}");
                loose += usize::from(bounds.lo != bounds.hi);
                if exact.abs() < 1 << 53 {
                    assert_eq!(bounds, Bounds::only(exact as f64));
                }
            }
        }
        assert!(loose > 1000, "{loose} were rounded");
        let huge = Bounds::new(-1e300, 1e300);
        assert!(!huge.times(huge).is_within(f64::MAX));
        assert!(!huge.times(huge).plus(huge).times(Bounds::only(0.0)).is_within(f64::MAX));
    }
}
