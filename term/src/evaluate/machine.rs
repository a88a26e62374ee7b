//! What the machine computes: common operations on `double` and `float`, and
//! its libm.

use crate::{Libm, Value};
use nanoscope_ieee::{Format, Operation, Rounding, operations};

/// The result by hardware, where the format is the machine's and the rounding
/// to nearest even, as it is while Rust code runs.
pub(crate) fn operate(operation: Operation, format: Format, args: &[&Value]) -> Option<Value> {
    if ![Format::BINARY32, Format::BINARY64].contains(&format) {
        return None;
    }
    let operands = match args {
        [Value::Rounding(Rounding::NearestEven), operands @ ..] => operands,
        [Value::Rounding(_), ..] => return None,
        operands => operands,
    };
    if let Some([a, b, c]) = numbers(operands, Value::to_f64) {
        compute(operation, [a, b, c], Value::from_f64, Doubles)
    } else if let Some([a, b, c]) = numbers(operands, Value::to_f32) {
        compute(operation, [a, b, c], Value::from_f32, Singles)
    } else {
        None
    }
}

/// Up to three operands, the missing ones zero.
fn numbers<T: Copy + Default>(
    operands: &[&Value],
    read: impl Fn(&Value) -> Option<T>,
) -> Option<[T; 3]> {
    let mut numbers = [T::default(); 3];
    for (number, operand) in numbers.iter_mut().zip(operands) {
        *number = read(operand)?;
    }
    Some(numbers)
}

/// The two operations that Rust's traits do not name.
trait NativeFloat<T> {
    fn sqrt(a: T) -> T;
    fn fma(a: T, b: T, c: T) -> T;
}

struct Doubles;
impl NativeFloat<f64> for Doubles {
    fn sqrt(a: f64) -> f64 {
        a.sqrt()
    }
    fn fma(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
}

struct Singles;
impl NativeFloat<f32> for Singles {
    fn sqrt(a: f32) -> f32 {
        a.sqrt()
    }
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

#[rustfmt::skip]
fn compute<T, M: NativeFloat<T>>(
    operation: Operation,
    [a, b, c]: [T; 3],
    float: impl Fn(T) -> Value,
    _machine: M,
) -> Option<Value>
where
    T: Copy
        + PartialOrd
        + std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>,
{
    match operation {
        Operation::Add => Some(float(a + b)),
        Operation::Sub => Some(float(a - b)),
        Operation::Mul => Some(float(a * b)),
        Operation::Div => Some(float(a / b)),
        Operation::Fma => Some(float(M::fma(a, b, c))),
        Operation::Sqrt => Some(float(M::sqrt(a))),
        Operation::Equal | Operation::EqualSignaling => Some(Value::Bool(a == b)),
        Operation::Less | Operation::LessSignaling => Some(Value::Bool(a < b)),
        Operation::LessEqual | Operation::LessEqualSignaling => Some(Value::Bool(a <= b)),
        Operation::Greater | Operation::GreaterSignaling => Some(Value::Bool(a > b)),
        Operation::GreaterEqual | Operation::GreaterEqualSignaling => Some(Value::Bool(a >= b)),
        Operation::Identical | Operation::Unordered | operations!(Remainder, Integral, Choice, Sign, Step, Classify, Convert, Encoding) => None,
    }
}

/// A function of libm.
pub(crate) fn libm(function: Libm, format: Format, args: &[&Value]) -> Value {
    if format == Format::BINARY64 {
        let [a, b, _] = numbers(args, Value::to_f64).expect("doubles");
        Value::from_f64(function.of_doubles(a, b))
    } else {
        let [a, b, _] = numbers(args, Value::to_f32).expect("floats");
        Value::from_f32(function.of_singles(a, b))
    }
}
