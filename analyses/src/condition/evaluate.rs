//! What a condition's expression is worth, as C computes it on x86-64.

use super::binaries;
use super::{Binary, Expression, Function, Number, Slot, Unary};
use nanoscope_ieee::{Float, Format, Libm, Rounding};
use nanoscope_program::Scalar;

/// A number of C's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CValue {
    /// An integer of a type at least as wide as `int`; within its type's range.
    Integer { value: i128, bits: u32, signed: bool },
    /// A `float`.
    Single(f32),
    /// A `double`. A `long double` is rounded to one.
    Double(f64),
}

const INT: Number = Number::Integer { bits: 32, signed: true };

impl CValue {
    /// C's truth values are integers.
    fn of(truth: bool) -> CValue {
        CValue::Integer { value: i128::from(truth), bits: 32, signed: true }
    }

    /// Whether it counts as true: not zero.
    pub fn truth(self) -> bool {
        match self {
            CValue::Integer { value, .. } => value != 0,
            CValue::Single(value) => value != 0.0,
            CValue::Double(value) => value != 0.0,
        }
    }

    /// As a double, the nearest.
    pub fn as_double(self) -> f64 {
        match self {
            CValue::Integer { value, .. } => value as f64,
            CValue::Single(value) => f64::from(value),
            CValue::Double(value) => value,
        }
    }

    fn number(self) -> Number {
        match self {
            CValue::Integer { bits, signed, .. } => Number::Integer { bits, signed },
            CValue::Single(_) => Number::Single,
            CValue::Double(_) => Number::Double,
        }
    }

    /// A literal as C reads it.
    pub fn literal(text: &str) -> Option<CValue> {
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
                CValue::Single(number.to_f32())
            } else {
                CValue::Double(number.to_f64())
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
        Some(CValue::Integer { value, bits, signed })
    }

    /// What macros of the standard headers stand for.
    pub fn named(name: &str) -> Option<CValue> {
        let integer = |value, bits| CValue::Integer { value, bits, signed: true };
        Some(match name {
            "DBL_MAX" => CValue::Double(f64::MAX),
            "DBL_MIN" => CValue::Double(f64::MIN_POSITIVE),
            "DBL_EPSILON" => CValue::Double(f64::EPSILON),
            "FLT_MAX" => CValue::Single(f32::MAX),
            "FLT_MIN" => CValue::Single(f32::MIN_POSITIVE),
            "FLT_EPSILON" => CValue::Single(f32::EPSILON),
            "M_PI" => CValue::Double(std::f64::consts::PI),
            "M_E" => CValue::Double(std::f64::consts::E),
            "INFINITY" => CValue::Single(f32::INFINITY),
            "NAN" => CValue::Single(f32::NAN),
            "INT_MAX" => integer(i128::from(i32::MAX), 32),
            "INT_MIN" => integer(i128::from(i32::MIN), 32),
            "LONG_MAX" => integer(i128::from(i64::MAX), 64),
            "LONG_MIN" => integer(i128::from(i64::MIN), 64),
            "true" => CValue::of(true),
            "false" => CValue::of(false),
            _ => return None,
        })
    }

    /// Converted as C converts; nothing where that is undefined.
    fn to(self, ty: Number) -> Option<CValue> {
        Some(match (ty, self) {
            (Number::Double, _) => CValue::Double(self.as_double()),
            (Number::Single, CValue::Integer { value, .. }) => CValue::Single(value as f32),
            (Number::Single, CValue::Single(_)) => self,
            (Number::Single, CValue::Double(value)) => CValue::Single(value as f32),
            (Number::Integer { bits, signed }, CValue::Integer { value, .. }) => {
                CValue::Integer { value: wrapped(value, bits, signed), bits, signed }
            }
            (Number::Integer { bits, signed }, CValue::Single(_) | CValue::Double(_)) => {
                let whole = self.as_double().trunc();
                let value = whole as i128;
                (whole.is_finite() && fits(value, bits, signed)).then_some(CValue::Integer {
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
pub(super) fn evaluate(expression: &Expression, slots: &[Slot], words: &[u64]) -> Option<CValue> {
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
            Some(CValue::of(value(&parts[0])?.truth() && value(&parts[1])?.truth()))
        }
        Expression::Or(parts) => {
            Some(CValue::of(value(&parts[0])?.truth() || value(&parts[1])?.truth()))
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
fn read(slot: &Slot, words: &[u64]) -> CValue {
    let bits = crate::numbers::encoding(words, slot.word, slot.scalar);
    match slot.scalar {
        Scalar::Float(Format::BINARY64) => CValue::Double(f64::from_bits(bits as u64)),
        Scalar::Float(Format::BINARY32) => CValue::Single(f32::from_bits(bits as u32)),
        Scalar::Float(format) => CValue::Double(Float::from_bits(format, bits).to_f64()),
        Scalar::Integer { bits: width, signed } => {
            let value = wrapped(bits as i128, width, signed);
            match width {
                0..32 => CValue::Integer { value, bits: 32, signed: true },
                _ => CValue::Integer { value, bits: if width > 32 { 64 } else { 32 }, signed },
            }
        }
    }
}

pub(super) fn unary(operator: Unary, value: CValue) -> Option<CValue> {
    match (operator, value) {
        (Unary::Not, value) => Some(CValue::of(!value.truth())),
        (Unary::Minus, CValue::Single(value)) => Some(CValue::Single(-value)),
        (Unary::Minus, CValue::Double(value)) => Some(CValue::Double(-value)),
        (Unary::Minus, CValue::Integer { value, bits, signed }) => ranged(-value, bits, signed),
        (Unary::Complement, CValue::Integer { value, bits, signed }) => {
            Some(CValue::Integer { value: wrapped(!value, bits, signed), bits, signed })
        }
        (Unary::Complement, CValue::Single(_) | CValue::Double(_)) => None,
    }
}

/// An integer result: an unsigned one wraps, a signed one that does not fit is undefined.
fn ranged(value: i128, bits: u32, signed: bool) -> Option<CValue> {
    let value = if signed { value } else { wrapped(value, bits, false) };
    fits(value, bits, signed).then_some(CValue::Integer { value, bits, signed })
}

fn binary(operator: Binary, a: CValue, b: CValue) -> Option<CValue> {
    if let (Binary::ShiftLeft | Binary::ShiftRight, CValue::Integer { value, bits, signed }) =
        (operator, a)
    {
        let CValue::Integer { value: by, .. } = b else { return None };
        if !(0..i128::from(bits)).contains(&by) {
            return None;
        }
        let shifted = if operator == Binary::ShiftLeft { value << by } else { value >> by };
        return ranged(shifted, bits, signed);
    }
    let ty = common(a.number(), b.number());
    match (a.to(ty)?, b.to(ty)?) {
        (CValue::Integer { value: a, bits, signed }, CValue::Integer { value: b, .. }) => {
            integers(operator, a, b, bits, signed)
        }
        (CValue::Single(a), CValue::Single(b)) => match arithmetic(operator) {
            Some(Arithmetic::Add) => Some(CValue::Single(a + b)),
            Some(Arithmetic::Sub) => Some(CValue::Single(a - b)),
            Some(Arithmetic::Mul) => Some(CValue::Single(a * b)),
            Some(Arithmetic::Div) => Some(CValue::Single(a / b)),
            None => compare(operator, a.partial_cmp(&b)),
        },
        (a, b) => {
            let (a, b) = (a.as_double(), b.as_double());
            match arithmetic(operator) {
                Some(Arithmetic::Add) => Some(CValue::Double(a + b)),
                Some(Arithmetic::Sub) => Some(CValue::Double(a - b)),
                Some(Arithmetic::Mul) => Some(CValue::Double(a * b)),
                Some(Arithmetic::Div) => Some(CValue::Double(a / b)),
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
        Binary::Rem | binaries!(Bitwise, Compare) => None,
    }
}

fn integers(operator: Binary, a: i128, b: i128, bits: u32, signed: bool) -> Option<CValue> {
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
        binaries!(Compare) => return compare(operator, Some(a.cmp(&b))),
    };
    ranged(result, bits, signed)
}

/// A comparison, given how the operands stand to each other.
fn compare(operator: Binary, order: Option<std::cmp::Ordering>) -> Option<CValue> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    Some(CValue::of(match operator {
        Binary::Less => order == Some(Less),
        Binary::LessEqual => matches!(order, Some(Less | Equal)),
        Binary::Greater => order == Some(Greater),
        Binary::GreaterEqual => matches!(order, Some(Greater | Equal)),
        Binary::Equal => order == Some(Equal),
        Binary::NotEqual => order != Some(Equal),
        binaries!(Arithmetic, Bitwise) => return None,
    }))
}

fn call(function: Function, first: CValue, second: CValue) -> Option<CValue> {
    let (a, b) = (first.as_double(), second.as_double());
    Some(match function {
        Function::Abs => match first.to(INT)? {
            CValue::Integer { value, bits, signed } => return ranged(value.abs(), bits, signed),
            other => other,
        },
        Function::Fabs => CValue::Double(a.abs()),
        Function::Sqrt => CValue::Double(a.sqrt()),
        Function::Exp => CValue::Double(Libm::Exp.of_doubles(a, b)),
        Function::Log => CValue::Double(Libm::Log.of_doubles(a, b)),
        Function::Pow => CValue::Double(Libm::Pow.of_doubles(a, b)),
        Function::Floor => CValue::Double(a.floor()),
        Function::Ceil => CValue::Double(a.ceil()),
        Function::Trunc => CValue::Double(a.trunc()),
        Function::Fmod => CValue::Double(a % b),
        Function::Fmin => CValue::Double(a.min(b)),
        Function::Fmax => CValue::Double(a.max(b)),
        Function::IsNan => CValue::of(a.is_nan()),
        Function::IsInf => CValue::of(a.is_infinite()),
        Function::IsFinite => CValue::of(a.is_finite()),
        // Of its own type: the smallest normal float is not the smallest normal double.
        Function::IsNormal => CValue::of(match first {
            CValue::Single(value) => value.is_normal(),
            CValue::Integer { .. } | CValue::Double(_) => a.is_normal(),
        }),
        Function::SignBit => CValue::of(a.is_sign_negative()),
    })
}
