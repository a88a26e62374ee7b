//! Running errors: the machine's floats, each with how far it is from the number that exact
//! arithmetic gives on the same path.
//!
//! A value carries two estimates. `error` is the exact value minus the computed one, to first
//! order and beyond: what an operation rounds off is computed by error-free transformations,
//! and what its operands bring along is propagated. `bound` is what the error could be, by the
//! condition of each operation: it varies smoothly with the inputs and guides the search where
//! the error itself jumps from float to float. Neither is evidence: a run in exact arithmetic
//! confirms.

mod library;

use super::libm;
use super::tape::{Entry, Tape};
use crate::shadow::{
    Answer, Arithmetic, At, Domain, Real, ShadowValue, Step, Stuck, ValueOf, bits, nothing_unknown,
    number, operation_named, rounding_of, signed,
};
use nanoscope_ieee::{
    Datum, Format, Operation, Parameters, Rounding, Word, evaluate_value, operations,
};
use nanoscope_program::ir::{FloatPredicate, Mode};
use std::convert::Infallible;

/// A float with its running error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    /// The float; the nearest double for formats that are wider.
    pub value: f64,
    /// The encoding, for formats other than binary32 and binary64.
    pub wide: u128,
    /// The exact value minus this one; infinite where no number was computed on the way, a NaN
    /// where exact arithmetic gives none.
    pub error: f64,
    /// What the error could be in magnitude.
    pub bound: f64,
    /// Its entry on the tape; 0 for none.
    pub node: u32,
}

impl Running {
    /// A number that is meant as it is.
    pub fn exact(value: f64) -> Running {
        Running { value, wide: 0, error: 0.0, bound: 0.0, node: 0 }
    }
}

/// Is told what a run computes, to see how near it is to something.
pub(super) trait Watch {
    /// An operation gave a float.
    fn value(&mut self, at: At, format: Format, value: &Running, operands: &[Running]);
    /// Two floats were compared: by how much they differ, and by how much that may be wrong.
    fn comparison(&mut self, at: At, gap: f64, error: f64, bound: f64);
    /// A function was asked for that is not defined everywhere: how far inside of its domain the
    /// argument was, and how much farther inside the exact one is.
    fn domain(&mut self, at: At, gap: f64, error: f64, bound: f64);
    /// A float became an integer: how far it was from the next one, and how wrong it may be.
    fn conversion(&mut self, at: At, gap: f64, error: f64, bound: f64);
}

/// The operations that round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounded {
    Add,
    Sub,
    Mul,
    Div,
    Sqrt,
    Fma,
    Convert,
}

impl Rounded {
    fn operation(self) -> Operation {
        match self {
            Rounded::Add => Operation::Add,
            Rounded::Sub => Operation::Sub,
            Rounded::Mul => Operation::Mul,
            Rounded::Div => Operation::Div,
            Rounded::Sqrt => Operation::Sqrt,
            Rounded::Fma => Operation::Fma,
            Rounded::Convert => Operation::Convert,
        }
    }

    fn operands(self) -> usize {
        match self {
            Rounded::Sqrt | Rounded::Convert => 1,
            Rounded::Add | Rounded::Sub | Rounded::Mul | Rounded::Div => 2,
            Rounded::Fma => 3,
        }
    }
}

/// The domain.
pub(super) struct RunningErrors<W> {
    /// The rounding mode of the run.
    pub mode: Rounding,
    /// Whether the errors of the mathematical library are computed, which takes longer.
    pub closely: bool,
    /// Who is told.
    pub watch: W,
    /// What was rounded off where, if it is to be written down.
    pub tape: Option<Tape>,
    /// What happened, if it is to be written down.
    pub steps: Option<Vec<Step<Running>>>,
}

impl<W: Watch> RunningErrors<W> {
    pub fn new(mode: Rounding, watch: W) -> RunningErrors<W> {
        RunningErrors { mode, closely: false, watch, tape: None, steps: None }
    }

    /// Writes a result down.
    fn done(
        &mut self,
        at: At,
        format: Format,
        mut result: Running,
        local: f64,
        operands: &[(Running, f64)],
    ) -> Running {
        if let Some(tape) = &mut self.tape {
            let mut from = [(0, 0.0); 3];
            for (place, (operand, slope)) in from.iter_mut().zip(operands) {
                *place = (operand.node, *slope);
            }
            result.node = tape.push(Entry { at, local, from });
        }
        let mut given = [Running::exact(0.0); 3];
        for (place, (operand, _)) in given.iter_mut().zip(operands) {
            *place = *operand;
        }
        self.watch.value(at, format, &result, &given[..operands.len().min(3)]);
        if let Some(steps) = &mut self.steps {
            steps.push(Step::Number(at, format, result));
        }
        result
    }

    fn whole(&mut self, at: At, value: u128) -> ValueOf<Self> {
        if let Some(steps) = &mut self.steps {
            steps.push(Step::Integer(at, value));
        }
        ShadowValue::Bits(value)
    }

    /// A number that is rounded to an integer. At a step of the function only an error to one side
    /// matters: to the other, the exact number is told as if it were farther on.
    fn stepped(&mut self, at: At, a: &Running, rounding: Rounding) {
        let gap = step_gap(a.value, rounding);
        let stays = match rounding {
            Rounding::Downward => a.error > 0.0,
            Rounding::Upward => a.error < 0.0,
            Rounding::TowardZero => a.value == 0.0 || a.error * a.value > 0.0,
            Rounding::NearestEven | Rounding::NearestAway => false,
        };
        let gap = if gap == 0.0 && stays && self.closely { a.error } else { gap };
        self.watch.conversion(at, gap, a.error, a.bound);
    }

    /// Two operands of a comparison.
    fn compared(&mut self, at: At, a: &Running, b: &Running) {
        let gap = a.value - b.value;
        self.watch.comparison(at, gap, a.error - b.error, a.bound + b.bound);
    }

    /// Arithmetic in binary32 or binary64 to nearest, or the general case.
    fn arithmetic(
        &mut self,
        at: At,
        operation: Rounded,
        parameters: &Parameters,
        rounding: Rounding,
        [a, b, c]: [Running; 3],
    ) -> Result<Running, Stuck> {
        use Rounded as Op;
        let target = if operation == Op::Convert { parameters.target } else { parameters.format };
        let (x, y, w) = (a.value, b.value, c.value);
        if operation == Op::Sqrt {
            self.watch.domain(at, x, a.error, a.bound);
        }
        let plain = rounding == Rounding::NearestEven
            && [parameters.format, target].iter().all(|format| is_plain(*format));
        let z = if plain {
            let single = target == Format::BINARY32;
            // Rounding twice is harmless: binary64 has more than twice binary32's precision.
            let round = |value: f64| if single { f64::from(value as f32) } else { value };
            let z = match operation {
                Op::Add => round(x + y),
                Op::Sub => round(x - y),
                Op::Mul => round(x * y),
                Op::Div => round(x / y),
                Op::Sqrt => round(x.sqrt()),
                Op::Fma if single => f64::from((x as f32).mul_add(y as f32, w as f32)),
                Op::Fma => x.mul_add(y, w),
                Op::Convert => round(x),
            };
            Running { value: z, wide: 0, error: 0.0, bound: 0.0, node: 0 }
        } else {
            let operands = [a, b, c].map(ShadowValue::Number);
            let operands = &operands[..operation.operands()];
            let operation = operation.operation();
            let bits = self.evaluated(at, operation, parameters, rounding, operands)?;
            self.decoded(target, bits)
        };
        let z_value = z.value;
        if !z_value.is_finite() || ![x, y, w].iter().all(|value| value.is_finite()) {
            // Where exact arithmetic has no number either, none is lost.
            let none = match operation {
                Op::Div => y == 0.0 && b.error == 0.0,
                Op::Sqrt => x + a.error < 0.0,
                Op::Add | Op::Sub | Op::Mul | Op::Fma | Op::Convert => false,
            } || [a, b, c].iter().any(|operand| operand.error.is_nan());
            let error = if none { f64::NAN } else { f64::INFINITY };
            let result = Running { error, bound: f64::INFINITY, ..z };
            return Ok(self.done(
                at,
                target,
                result,
                0.0,
                &[(a, 0.0), (b, 0.0), (c, 0.0)][..operation.operands()],
            ));
        }
        if let Some(result) = beyond(z, &[a, b, c][..operation.operands()]) {
            let operands = [(a, 0.0), (b, 0.0), (c, 0.0)];
            return Ok(self.done(at, target, result, 0.0, &operands[..operation.operands()]));
        }
        let local = match plain {
            true => rounded_off(operation, x, y, w, z_value),
            false => self.rounded_off_widely(operation, [a, b, c], parameters.format, z, target),
        };
        let unit = unit_roundoff(target, rounding);
        let (error, slopes) = match operation {
            Op::Add => (local + a.error + b.error, [1.0, 1.0, 0.0]),
            Op::Sub => (local + a.error - b.error, [1.0, -1.0, 0.0]),
            Op::Mul => {
                let error = local + x * b.error + y * a.error + a.error * b.error;
                (error, [y, x, 0.0])
            }
            Op::Div => {
                let rest = local * y;
                let error = (rest + a.error - z_value * b.error) / (y + b.error);
                (error, [1.0 / y, -z_value / y, 0.0])
            }
            Op::Sqrt => {
                let rest = local * 2.0 * z_value;
                let exact = x + a.error;
                let error = match exact < 0.0 {
                    true => f64::NAN,
                    false if exact == 0.0 && z_value == 0.0 => 0.0,
                    false => (rest + a.error) / (exact.sqrt() + z_value),
                };
                (error, [0.5 / z_value.max(f64::MIN_POSITIVE), 0.0, 0.0])
            }
            Op::Fma => {
                let error = local + x * b.error + y * a.error + a.error * b.error + c.error;
                (error, [y, x, 1.0])
            }
            Op::Convert => (local + a.error, [1.0, 0.0, 0.0]),
        };
        let own = if local == 0.0 { 0.0 } else { unit * z_value.abs().max(smallest(target)) };
        let carried =
            slopes[0].abs() * a.bound + slopes[1].abs() * b.bound + slopes[2].abs() * c.bound;
        let bound = own + if carried.is_nan() { 0.0 } else { carried };
        let result = Running { error, bound, ..z };
        let operands = [(a, slopes[0]), (b, slopes[1]), (c, slopes[2])];
        Ok(self.done(at, target, result, local, &operands[..operation.operands()]))
    }

    /// What a wide format rounds off.
    fn rounded_off_widely(
        &mut self,
        operation: Rounded,
        operands: [Running; 3],
        format: Format,
        z: Running,
        target: Format,
    ) -> f64 {
        let mut run = Arithmetic::new(256);
        let [a, b, c] = operands.map(|running| self.real(format, &running));
        let exact = match operation {
            Rounded::Add => run.add(&a, &b),
            Rounded::Sub => run.sub(&a, &b),
            Rounded::Mul => run.mul(&a, &b),
            Rounded::Div => run.div(&a, &b),
            Rounded::Sqrt => run.sqrt(&a),
            Rounded::Fma => {
                let product = run.mul(&a, &b);
                run.add(&product, &c)
            }
            Rounded::Convert => a,
        };
        let computed = self.real(target, &z);
        run.sub(&exact, &computed).approximate()
    }

    /// The number that a float is.
    pub fn real(&mut self, format: Format, running: &Running) -> Real {
        let bits = encoded(format, running);
        Real::decoded(format, bits)
    }

    /// The result's bits of an operation by `ieee`.
    fn evaluated(
        &mut self,
        at: At,
        operation: Operation,
        parameters: &Parameters,
        rounding: Rounding,
        operands: &[ValueOf<Self>],
    ) -> Result<u128, Stuck> {
        let mut data = Vec::with_capacity(4);
        if takes_rounding(operation) {
            data.push(Datum::Rounding(Word::from(rounding)));
        }
        let from_integer = matches!(operation, Operation::FromSigned | Operation::FromUnsigned);
        for operand in operands {
            data.push(match from_integer {
                true => Datum::Bits(Word::new(parameters.width, bits(self, at, operand)?)),
                false => {
                    let running = number(self, at, parameters.format, operand)?;
                    let format = parameters.format;
                    Datum::Float(Word::new(format.width(), encoded(format, &running)))
                }
            });
        }
        let result = evaluate_value(operation, parameters, &data)
            .map_err(|_| Stuck::new(format!("{operation:?} got other operands than it takes")))?;
        Ok(match result {
            Datum::Float(word) | Datum::Bits(word) => word.to_u128().unwrap_or(0),
            Datum::Rounding(word) => word.to_u128().unwrap_or(0),
            Datum::Bool(holds) => u128::from(holds),
        })
    }
}

impl<W: Watch> Domain for RunningErrors<W> {
    type Number = Running;
    type Symbol = Infallible;

    fn decoded(&mut self, format: Format, bits: u128) -> Running {
        decoded(format, bits)
    }

    fn encoded(&mut self, format: Format, running: &Running) -> Result<u128, Stuck> {
        Ok(encoded(format, running))
    }

    fn float(
        &mut self,
        at: At,
        operation: Operation,
        parameters: &Parameters,
        mode: Mode,
        operands: &[ValueOf<Self>],
    ) -> Result<ValueOf<Self>, Stuck> {
        use Operation as Op;
        let format = parameters.format;
        let rounding = rounding_of(self, mode);
        if matches!(operation, Op::FromSigned | Op::FromUnsigned) {
            let whole = bits(self, at, &operands[0])?;
            let whole = match operation {
                Op::FromSigned => signed(whole, parameters.width),
                _ => whole as i128,
            };
            let bits = self.evaluated(at, operation, parameters, rounding, operands)?;
            let z = self.decoded(format, bits);
            let local = (whole - z.value as i128) as f64;
            let bound = local.abs();
            let result = Running { error: local, bound, ..z };
            return Ok(ShadowValue::Number(self.done(at, format, result, local, &[])));
        }
        let mut given = [Running::exact(0.0); 3];
        for (place, operand) in given.iter_mut().zip(operands) {
            *place = number(self, at, format, operand)?;
        }
        let [a, b, _] = given;
        let rounded = |run: &mut Self, operation: Rounded| {
            run.arithmetic(at, operation, parameters, rounding, given).map(ShadowValue::Number)
        };
        Ok(match operation {
            Op::Add => rounded(self, Rounded::Add)?,
            Op::Sub => rounded(self, Rounded::Sub)?,
            Op::Mul => rounded(self, Rounded::Mul)?,
            Op::Div => rounded(self, Rounded::Div)?,
            Op::Fma => rounded(self, Rounded::Fma)?,
            Op::Sqrt => rounded(self, Rounded::Sqrt)?,
            Op::Convert => rounded(self, Rounded::Convert)?,
            Op::Remainder | Op::Fmod | Op::NextUp | Op::NextDown => {
                let bits = self.evaluated(at, operation, parameters, rounding, operands)?;
                let z = self.decoded(format, bits);
                let result = Running { error: a.error, bound: a.bound, ..z };
                ShadowValue::Number(self.done(at, format, result, 0.0, &[(a, 1.0)]))
            }
            Op::RoundToIntegral | Op::RoundToIntegralExact => {
                let bits = self.evaluated(at, operation, parameters, rounding, operands)?;
                let z = self.decoded(format, bits);
                self.stepped(at, &a, rounding);
                let exact = integral(a.value + a.error, rounding);
                let result = Running { error: exact - z.value, bound: 0.0, ..z };
                ShadowValue::Number(self.done(at, format, result, 0.0, &[(a, 0.0)]))
            }
            Op::MinNum | Op::MaxNum | Op::Minimum | Op::Maximum | Op::MinX86 | Op::MaxX86 => {
                self.compared(at, &a, &b);
                let bits = self.evaluated(at, operation, parameters, rounding, operands)?;
                let z = self.decoded(format, bits);
                let chosen = if z.value == a.value { a } else { b };
                let least = matches!(operation, Op::MinNum | Op::Minimum | Op::MinX86);
                let (p, q) = (a.value + a.error, b.value + b.error);
                let exact = if least { p.min(q) } else { p.max(q) };
                let error = if a.error == 0.0 && b.error == 0.0 { 0.0 } else { exact - z.value };
                let result = Running { error, bound: chosen.bound, node: chosen.node, ..z };
                ShadowValue::Number(result)
            }
            Op::Abs | Op::Neg | Op::CopySign => {
                let bits = self.evaluated(at, operation, parameters, rounding, operands)?;
                let z = self.decoded(format, bits);
                let flipped = z.value.is_sign_negative() != a.value.is_sign_negative();
                let slope = if flipped { -1.0 } else { 1.0 };
                let mut result = Running { error: slope * a.error, bound: a.bound, ..z };
                if let Some(tape) = &mut self.tape {
                    let from = [(a.node, slope), (0, 0.0), (0, 0.0)];
                    result.node = tape.push(Entry { at, local: 0.0, from });
                }
                ShadowValue::Number(result)
            }
            operations!(Order) => {
                self.compared(at, &a, &b);
                let bits = self.evaluated(at, operation, parameters, rounding, operands)?;
                self.whole(at, bits)
            }
            Op::Identical | Op::Unordered | operations!(Classify) => {
                let bits = self.evaluated(at, operation, parameters, rounding, operands)?;
                self.whole(at, bits)
            }
            Op::ToSigned | Op::ToUnsigned => {
                self.stepped(at, &a, rounding);
                let bits = self.evaluated(at, operation, parameters, rounding, operands)?;
                self.whole(at, bits)
            }
            Op::FromBits => ShadowValue::Number(a),
            Op::ToBits => ShadowValue::Coded(format, a),
            Op::FromSigned | Op::FromUnsigned => unreachable!("treated above"),
        })
    }

    fn compare(
        &mut self,
        at: At,
        predicate: FloatPredicate,
        format: Format,
        a: &Running,
        b: &Running,
    ) -> Result<ValueOf<Self>, Stuck> {
        self.compared(at, a, b);
        let order = match is_plain(format) {
            true => a.value.partial_cmp(&b.value),
            false => {
                let run = Arithmetic::new(256);
                let (a, b) = (self.real(format, a), self.real(format, b));
                run.order(&a, &b)
            }
        };
        Ok(self.whole(at, u128::from(crate::shadow::holds(predicate, order))))
    }

    fn classified(
        &mut self,
        at: At,
        mask: u32,
        format: Format,
        a: &Running,
    ) -> Result<ValueOf<Self>, Stuck> {
        let run = Arithmetic::new(256);
        let real = self.real(format, a);
        Ok(self.whole(at, u128::from(crate::shadow::classified(&run, mask, &real, format))))
    }

    fn mathematical(
        &mut self,
        at: At,
        name: &str,
        symbol: &str,
        format: Format,
        arguments: &[ValueOf<Self>],
    ) -> Result<Answer<Running, Infallible>, Stuck> {
        if self.mode != Rounding::NearestEven {
            return Err(Stuck::new(format!("`{symbol}` is called in another rounding mode")));
        }
        let mut floats = Vec::with_capacity(arguments.len());
        for argument in arguments {
            floats.push(match argument {
                ShadowValue::Bits(_) => Running::exact(f64::NAN),
                other => number(self, at, format, other)?,
            });
        }
        let parameters = Parameters::of(format);
        if let Some((operation, mode)) = operation_named(name) {
            return Ok(self.float(at, operation, &parameters, mode, arguments)?.into());
        }
        if !is_plain(format) {
            return Err(Stuck::new(format!("`{symbol}` of that format is not run")));
        }
        let integer = |place: usize, width: u32| match arguments.get(place) {
            Some(ShadowValue::Bits(bits)) => signed(*bits, width) as i64,
            _ => 0,
        };
        self.library(at, name, symbol, format, &floats, integer)
    }

    fn left(&mut self, at: At, way: usize) {
        if let Some(steps) = &mut self.steps {
            steps.push(Step::Left(at, way));
        }
    }

    fn rounding(&self) -> Rounding {
        self.mode
    }

    nothing_unknown!();
}

impl<W: Watch> RunningErrors<W> {
    /// Calls a function of the mathematical library.
    fn called(
        &mut self,
        at: At,
        name: &str,
        symbol: &str,
        format: Format,
        floats: &[Running],
    ) -> Result<Running, Stuck> {
        let mut values = [0.0; 3];
        for (place, float) in values.iter_mut().zip(floats) {
            *place = float.value;
        }
        let arguments = &values[..floats.len().min(3)];
        let unknown = || {
            let name = nanoscope_program::cxx::demangled(symbol);
            Stuck::new(format!("it calls `{name}`, which is not modelled"))
        };
        let value = libm::machine(name, format, arguments).ok_or_else(unknown)?;
        let slopes = libm::slopes(name, arguments, value);
        let z = Running { value, wide: 0, error: 0.0, bound: 0.0, node: 0 };
        let mut operands = [(Running::exact(0.0), 0.0); 3];
        let count = floats.len().min(3);
        for place in 0..count {
            operands[place] = (floats[place], slopes[place]);
        }
        let operands = &operands[..count];
        if let Some((first, _)) = operands.first()
            && let Some((gap, outward)) = libm::inside(name, first.value)
        {
            self.watch.domain(at, gap, -outward * first.error, first.bound);
        }
        if !value.is_finite() || !arguments.iter().all(|x| x.is_finite()) {
            let lost = Running { error: f64::INFINITY, bound: f64::INFINITY, ..z };
            return Ok(self.done(at, format, lost, 0.0, operands));
        }
        if let Some(result) = beyond(z, floats) {
            return Ok(self.done(at, format, result, 0.0, operands));
        }
        let unit = unit_roundoff(format, Rounding::NearestEven);
        let mut error = 0.0;
        let mut bound = 1.2 * unit * value.abs().max(smallest(format));
        for (float, slope) in operands {
            let carried = slope * float.error;
            error += if carried.is_nan() { 0.0 } else { carried };
            let carried = slope.abs() * float.bound;
            bound += if carried.is_nan() { 0.0 } else { carried };
        }
        let mut local = 0.0;
        if self.closely || format == Format::BINARY32 {
            let shifts: Vec<f64> = floats.iter().map(|float| float.error).collect();
            if let Some(own) = libm::rounded_off(name, arguments, &[0.0; 3], value) {
                local = own;
                error = libm::rounded_off(name, arguments, &shifts, value).unwrap_or(error + own);
            }
        }
        Ok(self.done(at, format, Running { error, bound, ..z }, local, operands))
    }
}

/// A result of operands of which one is lost (its error is infinite: no number was computed
/// on the way) or undefined (its error is a NaN: exact arithmetic gives no number).
fn beyond(z: Running, operands: &[Running]) -> Option<Running> {
    if operands.iter().any(|operand| operand.error.is_nan()) {
        return Some(Running { error: f64::NAN, bound: 0.0, ..z });
    }
    let lost = operands.iter().any(|operand| operand.error.is_infinite());
    lost.then_some(Running { error: f64::INFINITY, bound: f64::INFINITY, ..z })
}

/// The float that an encoding stands for.
pub(super) fn decoded(format: Format, bits: u128) -> Running {
    match format {
        Format::BINARY64 => Running::exact(f64::from_bits(bits as u64)),
        Format::BINARY32 => Running::exact(f64::from(f32::from_bits(bits as u32))),
        _ => Running { wide: bits, ..Running::exact(Real::decoded(format, bits).approximate()) },
    }
}

/// A float's encoding.
pub(super) fn encoded(format: Format, running: &Running) -> u128 {
    match format {
        Format::BINARY64 => u128::from(running.value.to_bits()),
        Format::BINARY32 => u128::from((running.value as f32).to_bits()),
        _ => running.wide,
    }
}

/// What an operation of binary32 or binary64 rounds off: the exact result minus `z`.
fn rounded_off(operation: Rounded, x: f64, y: f64, w: f64, z: f64) -> f64 {
    match operation {
        Rounded::Add => two_sum(x, y, z),
        Rounded::Sub => two_sum(x, -y, z),
        Rounded::Mul => x.mul_add(y, -z),
        Rounded::Div => (-z).mul_add(y, x) / y,
        Rounded::Sqrt if z == 0.0 => 0.0,
        Rounded::Sqrt => (-z).mul_add(z, x) / (2.0 * z),
        Rounded::Fma => {
            let product = x * y;
            let rest = x.mul_add(y, -product);
            let sum = product + w;
            let carried = two_sum(product, w, sum);
            (sum - z) + (carried + rest)
        }
        Rounded::Convert => x - z,
    }
}

/// The exact sum minus `z`, which is near to it.
fn two_sum(x: f64, y: f64, z: f64) -> f64 {
    let sum = x + y;
    let second = sum - x;
    let rest = (x - (sum - second)) + (y - second);
    (sum - z) + rest
}

/// Whether the machine's own arithmetic is enough.
fn is_plain(format: Format) -> bool {
    matches!(format, Format::BINARY32 | Format::BINARY64)
}

/// The most an operation rounds off, relative to its result.
pub(super) fn unit_roundoff(format: Format, rounding: Rounding) -> f64 {
    let ulp = 2f64.powi(1 - format.precision as i32);
    match rounding {
        Rounding::NearestEven | Rounding::NearestAway => ulp / 2.0,
        Rounding::Upward | Rounding::Downward | Rounding::TowardZero => ulp,
    }
}

/// The smallest normal number of a format, as a double.
pub(super) fn smallest(format: Format) -> f64 {
    match format {
        Format::BINARY32 => f64::from(f32::MIN_POSITIVE),
        Format::BINARY16 => 6.103515625e-5,
        _ => f64::MIN_POSITIVE,
    }
}

/// How far a number is from where its rounding to an integer steps.
fn step_gap(value: f64, rounding: Rounding) -> f64 {
    let below = match rounding {
        Rounding::NearestEven | Rounding::NearestAway => value - (value - 0.5).floor() - 0.5,
        Rounding::Upward | Rounding::Downward | Rounding::TowardZero => value - value.floor(),
    };
    // At an integer, or just beside one on either side.
    if below > 0.5 { below - 1.0 } else { below }
}

/// A number rounded to an integer.
fn integral(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::NearestEven => value.round_ties_even(),
        Rounding::NearestAway => value.round(),
        Rounding::Upward => value.ceil(),
        Rounding::Downward => value.floor(),
        Rounding::TowardZero => value.trunc(),
    }
}

/// Whether an operation's first operand is a rounding mode.
fn takes_rounding(operation: Operation) -> bool {
    use nanoscope_ieee::Sort;
    operation.operands().first() == Some(&Sort::Rounding)
}
