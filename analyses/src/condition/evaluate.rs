//! What a condition's expression is worth, as C computes it on x86-64.

use super::{Binary, Expression, Function, Number, Slot, Unary};
use nanoscope_ieee::{Float, Format, Libm, Rounding};
use nanoscope_program::Scalar;

/// A number of C's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// An integer of a type at least as wide as `int`; within its type's range.
    Integer { value: i128, bits: u32, signed: bool },
    /// A `float`.
    Single(f32),
    /// A `double`. A `long double` is rounded to one.
    Double(f64),
}

const INT: Number = Number::Integer { bits: 32, signed: true };

impl Value {
    /// C's truth values are integers.
    fn of(truth: bool) -> Value {
        Value::Integer { value: i128::from(truth), bits: 32, signed: true }
    }

    /// Whether it counts as true: not zero.
    pub fn truth(self) -> bool {
        match self {
            Value::Integer { value, .. } => value != 0,
            Value::Single(value) => value != 0.0,
            Value::Double(value) => value != 0.0,
        }
    }

    /// As a double, the nearest.
    pub fn as_double(self) -> f64 {
        match self {
            Value::Integer { value, .. } => value as f64,
            Value::Single(value) => f64::from(value),
            Value::Double(value) => value,
        }
    }

    fn number(self) -> Number {
        match self {
            Value::Integer { bits, signed, .. } => Number::Integer { bits, signed },
            Value::Single(_) => Number::Single,
            Value::Double(_) => Number::Double,
        }
    }

    /// A literal as C reads it.
    pub fn literal(text: &str) -> Option<Value> {
        let lower = text.to_ascii_lowercase();
        let hexadecimal = lower.starts_with("0x");
        let floating = lower.contains('.') || lower.contains(if hexadecimal { 'p' } else { 'e' });
        if floating {
            let (digits, single) = match lower.strip_suffix('f') {
                Some(digits) if !hexadecimal || digits.contains('p') => (digits, true),
                Some(_) | None => (lower.strip_suffix('l').unwrap_or(&lower), false),
            };
            let format = if single { Format::BINARY32 } else { Format::BINARY64 };
            let (number, _) = Float::parse(format, Rounding::NearestEven, digits).ok()?;
            return Some(if single {
                Value::Single(number.to_f32())
            } else {
                Value::Double(number.to_f64())
            });
        }
        let digits = lower.trim_end_matches(['u', 'l']);
        let suffix = &lower[digits.len()..];
        let value = match digits.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None if digits.len() > 1 && digits.starts_with('0') => {
                i128::from_str_radix(&digits[1..], 8)
            }
            None => digits.parse(),
        };
        let value = value.ok()?;
        // C17 6.4.4.1: the first type of the list that can hold it; a decimal literal without
        // a `u` is never unsigned.
        let decimal = !digits.starts_with('0') || digits == "0";
        let list = [(32, true), (32, false), (64, true), (64, false)];
        let (bits, signed) = list.into_iter().find(|&(bits, signed)| {
            (bits == 64 || !suffix.contains('l'))
                && (!signed || !suffix.contains('u'))
                && (signed || suffix.contains('u') || !decimal)
                && fits(value, bits, signed)
        })?;
        Some(Value::Integer { value, bits, signed })
    }

    /// What macros of the standard headers stand for.
    pub fn named(name: &str) -> Option<Value> {
        let integer = |value, bits| Value::Integer { value, bits, signed: true };
        Some(match name {
            "DBL_MAX" => Value::Double(f64::MAX),
            "DBL_MIN" => Value::Double(f64::MIN_POSITIVE),
            "DBL_EPSILON" => Value::Double(f64::EPSILON),
            "FLT_MAX" => Value::Single(f32::MAX),
            "FLT_MIN" => Value::Single(f32::MIN_POSITIVE),
            "FLT_EPSILON" => Value::Single(f32::EPSILON),
            "M_PI" => Value::Double(std::f64::consts::PI),
            "M_E" => Value::Double(std::f64::consts::E),
            "INFINITY" => Value::Single(f32::INFINITY),
            "NAN" => Value::Single(f32::NAN),
            "INT_MAX" => integer(i128::from(i32::MAX), 32),
            "INT_MIN" => integer(i128::from(i32::MIN), 32),
            "LONG_MAX" => integer(i128::from(i64::MAX), 64),
            "LONG_MIN" => integer(i128::from(i64::MIN), 64),
            "true" => Value::of(true),
            "false" => Value::of(false),
            _ => return None,
        })
    }

    /// Converted as C converts; nothing where that is undefined.
    fn to(self, ty: Number) -> Option<Value> {
        Some(match (ty, self) {
            (Number::Double, _) => Value::Double(self.as_double()),
            (Number::Single, Value::Integer { value, .. }) => Value::Single(value as f32),
            (Number::Single, Value::Single(_)) => self,
            (Number::Single, Value::Double(value)) => Value::Single(value as f32),
            (Number::Integer { bits, signed }, Value::Integer { value, .. }) => {
                Value::Integer { value: wrapped(value, bits, signed), bits, signed }
            }
            (Number::Integer { bits, signed }, Value::Single(_) | Value::Double(_)) => {
                let whole = self.as_double().trunc();
                let value = whole as i128;
                (whole.is_finite() && fits(value, bits, signed)).then_some(Value::Integer {
                    value,
                    bits,
                    signed,
                })?
            }
        })
    }
}

fn fits(value: i128, bits: u32, signed: bool) -> bool {
    let (low, high) =
        if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    (low..=high).contains(&value)
}

fn wrapped(value: i128, bits: u32, signed: bool) -> i128 {
    let unused = 128 - bits;
    if signed { value << unused >> unused } else { ((value as u128) << unused >> unused) as i128 }
}

/// The type that C17 6.3.1.8 computes in.
pub(super) fn common(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Double, _) | (_, Number::Double) => Number::Double,
        (Number::Single, _) | (_, Number::Single) => Number::Single,
        (
            Number::Integer { bits: a_bits, signed: a_signed },
            Number::Integer { bits: b_bits, signed: b_signed },
        ) => {
            let bits = a_bits.max(b_bits);
            // The unsigned type wins unless the signed one is wider.
            let unsigned = (!a_signed && a_bits == bits) || (!b_signed && b_bits == bits);
            Number::Integer { bits, signed: !unsigned }
        }
    }
}

/// The value, or nothing where C leaves it undefined.
pub(super) fn evaluate(expression: &Expression, slots: &[Slot], words: &[u64]) -> Option<Value> {
    let value = |part: &Expression| evaluate(part, slots, words);
    match expression {
        Expression::Constant(value) => Some(*value),
        Expression::Name(_) => None,
        Expression::Slot(at) => Some(read(&slots[*at], words)),
        Expression::Unary(operator, part) => unary(*operator, value(part)?),
        Expression::Binary(operator, parts) => {
            binary(*operator, value(&parts[0])?, value(&parts[1])?)
        }
        Expression::And(parts) => {
            Some(Value::of(value(&parts[0])?.truth() && value(&parts[1])?.truth()))
        }
        Expression::Or(parts) => {
            Some(Value::of(value(&parts[0])?.truth() || value(&parts[1])?.truth()))
        }
        Expression::Choice(parts) => {
            value(if value(&parts[0])?.truth() { &parts[1] } else { &parts[2] })
        }
        Expression::Cast(ty, part) => value(part)?.to(*ty),
        Expression::Call(function, arguments) => {
            let first = value(&arguments[0])?;
            let second = arguments.get(1).map_or(Some(first), value)?;
            call(*function, first, second)
        }
    }
}

/// A number of the vector, promoted as C promotes it.
fn read(slot: &Slot, words: &[u64]) -> Value {
    let bits = crate::numbers::encoding(words, slot.word, slot.scalar);
    match slot.scalar {
        Scalar::Float(Format::BINARY64) => Value::Double(f64::from_bits(bits as u64)),
        Scalar::Float(Format::BINARY32) => Value::Single(f32::from_bits(bits as u32)),
        Scalar::Float(format) => Value::Double(Float::from_bits(format, bits).to_f64()),
        Scalar::Integer { bits: width, signed } => {
            let value = wrapped(bits as i128, width, signed);
            match width {
                0..32 => Value::Integer { value, bits: 32, signed: true },
                _ => Value::Integer { value, bits: if width > 32 { 64 } else { 32 }, signed },
            }
        }
    }
}

pub(super) fn unary(operator: Unary, value: Value) -> Option<Value> {
    match (operator, value) {
        (Unary::Not, value) => Some(Value::of(!value.truth())),
        (Unary::Minus, Value::Single(value)) => Some(Value::Single(-value)),
        (Unary::Minus, Value::Double(value)) => Some(Value::Double(-value)),
        (Unary::Minus, Value::Integer { value, bits, signed }) => ranged(-value, bits, signed),
        (Unary::Complement, Value::Integer { value, bits, signed }) => {
            Some(Value::Integer { value: wrapped(!value, bits, signed), bits, signed })
        }
        (Unary::Complement, Value::Single(_) | Value::Double(_)) => None,
    }
}

/// An integer result: an unsigned one wraps, a signed one that does not fit is undefined.
fn ranged(value: i128, bits: u32, signed: bool) -> Option<Value> {
    let value = if signed { value } else { wrapped(value, bits, false) };
    fits(value, bits, signed).then_some(Value::Integer { value, bits, signed })
}

fn binary(operator: Binary, a: Value, b: Value) -> Option<Value> {
    if let (Binary::ShiftLeft | Binary::ShiftRight, Value::Integer { value, bits, signed }) =
        (operator, a)
    {
        let Value::Integer { value: by, .. } = b else { return None };
        if !(0..i128::from(bits)).contains(&by) {
            return None;
        }
        let shifted = if operator == Binary::ShiftLeft { value << by } else { value >> by };
        return ranged(shifted, bits, signed);
    }
    let ty = common(a.number(), b.number());
    match (a.to(ty)?, b.to(ty)?) {
        (Value::Integer { value: a, bits, signed }, Value::Integer { value: b, .. }) => {
            integers(operator, a, b, bits, signed)
        }
        (Value::Single(a), Value::Single(b)) => match arithmetic(operator) {
            Some(Arithmetic::Add) => Some(Value::Single(a + b)),
            Some(Arithmetic::Sub) => Some(Value::Single(a - b)),
            Some(Arithmetic::Mul) => Some(Value::Single(a * b)),
            Some(Arithmetic::Div) => Some(Value::Single(a / b)),
            None => compare(operator, a.partial_cmp(&b)),
        },
        (a, b) => {
            let (a, b) = (a.as_double(), b.as_double());
            match arithmetic(operator) {
                Some(Arithmetic::Add) => Some(Value::Double(a + b)),
                Some(Arithmetic::Sub) => Some(Value::Double(a - b)),
                Some(Arithmetic::Mul) => Some(Value::Double(a * b)),
                Some(Arithmetic::Div) => Some(Value::Double(a / b)),
                None => compare(operator, a.partial_cmp(&b)),
            }
        }
    }
}

/// The operators that floats have too.
enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
}

fn arithmetic(operator: Binary) -> Option<Arithmetic> {
    match operator {
        Binary::Add => Some(Arithmetic::Add),
        Binary::Sub => Some(Arithmetic::Sub),
        Binary::Mul => Some(Arithmetic::Mul),
        Binary::Div => Some(Arithmetic::Div),
        Binary::Rem
        | Binary::ShiftLeft
        | Binary::ShiftRight
        | Binary::And
        | Binary::Or
        | Binary::Xor
        | Binary::Less
        | Binary::LessEqual
        | Binary::Greater
        | Binary::GreaterEqual
        | Binary::Equal
        | Binary::NotEqual => None,
    }
}

fn integers(operator: Binary, a: i128, b: i128, bits: u32, signed: bool) -> Option<Value> {
    let result = match operator {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a.checked_mul(b)?,
        Binary::Div => a.checked_div(b)?,
        Binary::Rem => a.checked_rem(b)?,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::ShiftLeft | Binary::ShiftRight => return None,
        Binary::Less
        | Binary::LessEqual
        | Binary::Greater
        | Binary::GreaterEqual
        | Binary::Equal
        | Binary::NotEqual => return compare(operator, Some(a.cmp(&b))),
    };
    ranged(result, bits, signed)
}

/// A comparison, given how the operands stand to each other.
fn compare(operator: Binary, order: Option<std::cmp::Ordering>) -> Option<Value> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    Some(Value::of(match operator {
        Binary::Less => order == Some(Less),
        Binary::LessEqual => matches!(order, Some(Less | Equal)),
        Binary::Greater => order == Some(Greater),
        Binary::GreaterEqual => matches!(order, Some(Greater | Equal)),
        Binary::Equal => order == Some(Equal),
        Binary::NotEqual => order != Some(Equal),
        Binary::Add
        | Binary::Sub
        | Binary::Mul
        | Binary::Div
        | Binary::Rem
        | Binary::ShiftLeft
        | Binary::ShiftRight
        | Binary::And
        | Binary::Or
        | Binary::Xor => return None,
    }))
}

fn call(function: Function, first: Value, second: Value) -> Option<Value> {
    let (a, b) = (first.as_double(), second.as_double());
    Some(match function {
        Function::Abs => match first.to(INT)? {
            Value::Integer { value, bits, signed } => return ranged(value.abs(), bits, signed),
            other => other,
        },
        Function::Fabs => Value::Double(a.abs()),
        Function::Sqrt => Value::Double(a.sqrt()),
        Function::Exp => Value::Double(Libm::Exp.of_doubles(a, b)),
        Function::Log => Value::Double(Libm::Log.of_doubles(a, b)),
        Function::Pow => Value::Double(Libm::Pow.of_doubles(a, b)),
        Function::Floor => Value::Double(a.floor()),
        Function::Ceil => Value::Double(a.ceil()),
        Function::Trunc => Value::Double(a.trunc()),
        Function::Fmod => Value::Double(a % b),
        Function::Fmin => Value::Double(a.min(b)),
        Function::Fmax => Value::Double(a.max(b)),
        Function::IsNan => Value::of(a.is_nan()),
        Function::IsInf => Value::of(a.is_infinite()),
        Function::IsFinite => Value::of(a.is_finite()),
        // Of its own type: the smallest normal float is not the smallest normal double.
        Function::IsNormal => Value::of(match first {
            Value::Single(value) => value.is_normal(),
            Value::Integer { .. } | Value::Double(_) => a.is_normal(),
        }),
        Function::SignBit => Value::of(a.is_sign_negative()),
    })
}
