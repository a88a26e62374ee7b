//! The rows of the operation table, on exact numbers.

use super::libm::least;
use super::real::{Arithmetic, Real};
use crate::shadow::Stuck;
use crate::shadow::domain::{At, ShadowValue, ValueOf, bits, number};
use crate::shadow::integer::{masked, signed};
use nanoscope_ieee::{Float, Format, Operation, OutOfRange, Parameters, Rounding};
use nanoscope_program::ir::FloatPredicate;
use rug::Integer;
use std::cmp::Ordering;

/// An operation on scalars. `rounding` matters where a result is an integer only.
pub(super) fn operate(
    run: &mut Arithmetic,
    at: At,
    operation: Operation,
    parameters: &Parameters,
    rounding: Rounding,
    operands: &[ValueOf<Arithmetic>],
) -> Result<ValueOf<Arithmetic>, Stuck> {
    use Operation as Op;
    let format = parameters.format;
    let mut real = |place: usize| match operands.get(place) {
        Some(value) => number(run, at, format, value),
        None => Ok(Real::Nan),
    };
    let (a, b, c) = (real(0)?, real(1)?, real(2)?);
    let truth = ShadowValue::truth;
    let compared = |run: &Arithmetic, predicate| truth(holds(predicate, run.order(&a, &b)));
    Ok(match operation {
        Op::Add => ShadowValue::Number(run.add(&a, &b)),
        Op::Sub => ShadowValue::Number(run.sub(&a, &b)),
        Op::Mul => ShadowValue::Number(run.mul(&a, &b)),
        Op::Div => ShadowValue::Number(run.div(&a, &b)),
        Op::Fma => {
            let product = run.mul(&a, &b);
            ShadowValue::Number(run.add(&product, &c))
        }
        Op::Sqrt => ShadowValue::Number(run.sqrt(&a)),
        Op::Remainder => ShadowValue::Number(run.remainder(&a, &b, Rounding::NearestEven)),
        Op::Fmod => ShadowValue::Number(run.remainder(&a, &b, Rounding::TowardZero)),
        Op::RoundToIntegral | Op::RoundToIntegralExact => {
            ShadowValue::Number(run.integral(&a, rounding))
        }
        Op::MinNum => ShadowValue::Number(least(run, &a, &b)),
        Op::MaxNum => ShadowValue::Number(least(run, &a.negated(), &b.negated()).negated()),
        Op::Minimum | Op::Maximum if matches!(a, Real::Nan) || matches!(b, Real::Nan) => {
            ShadowValue::Number(Real::Nan)
        }
        Op::Minimum => ShadowValue::Number(least(run, &a, &b)),
        Op::Maximum => ShadowValue::Number(least(run, &a.negated(), &b.negated()).negated()),
        Op::MinX86 => {
            ShadowValue::Number(if run.order(&a, &b) == Some(Ordering::Less) { a } else { b })
        }
        Op::MaxX86 => {
            ShadowValue::Number(if run.order(&a, &b) == Some(Ordering::Greater) { a } else { b })
        }
        Op::Abs => ShadowValue::Number(a.with_sign(false)),
        Op::Neg => ShadowValue::Number(a.negated()),
        Op::CopySign => ShadowValue::Number(a.with_sign(b.is_negative())),
        Op::NextUp => ShadowValue::Number(neighbour(&a, format, false)),
        Op::NextDown => ShadowValue::Number(neighbour(&a, format, true)),
        Op::Identical => match (&a, &b) {
            (Real::Nan, Real::Nan) => truth(true),
            (_, _) => truth(
                run.order(&a, &b) == Some(Ordering::Equal) && a.is_negative() == b.is_negative(),
            ),
        },
        Op::Equal | Op::EqualSignaling => compared(run, FloatPredicate::OrderedEqual),
        Op::Less | Op::LessSignaling => compared(run, FloatPredicate::OrderedLess),
        Op::LessEqual | Op::LessEqualSignaling => compared(run, FloatPredicate::OrderedLessEqual),
        Op::Greater | Op::GreaterSignaling => compared(run, FloatPredicate::OrderedGreater),
        Op::GreaterEqual | Op::GreaterEqualSignaling => {
            compared(run, FloatPredicate::OrderedGreaterEqual)
        }
        Op::Unordered => compared(run, FloatPredicate::Unordered),
        Op::IsNan => truth(matches!(a, Real::Nan)),
        Op::IsSignaling => truth(false),
        Op::IsInfinite => truth(matches!(a, Real::Infinite { .. })),
        Op::IsFinite => truth(a.is_finite()),
        Op::IsZero => truth(matches!(a, Real::Zero { .. })),
        Op::IsSubnormal => truth(class(run, &a, format) == Class::Subnormal),
        Op::IsNormal => truth(class(run, &a, format) == Class::Normal),
        Op::IsNegative => truth(a.is_negative()),
        Op::IsPositive => truth(!a.is_negative() && !matches!(a, Real::Nan)),
        Op::IsSignMinus => truth(a.is_negative()),
        // Formats do not matter to exact numbers.
        Op::Convert => ShadowValue::Number(a),
        Op::FromSigned => {
            let bits = bits(run, at, &operands[0])?;
            ShadowValue::Number(Real::integer(signed(bits, parameters.width)))
        }
        Op::FromUnsigned => {
            let bits = masked(bits(run, at, &operands[0])?, parameters.width);
            ShadowValue::Number(Real::rational(rug::Rational::from(Integer::from(bits))))
        }
        Op::ToSigned => ShadowValue::Bits(to_integer(&a, parameters, rounding, true)),
        Op::ToUnsigned => ShadowValue::Bits(to_integer(&a, parameters, rounding, false)),
        Op::FromBits => ShadowValue::Number(a),
        Op::ToBits => ShadowValue::Coded(format, a),
    })
}

/// A conversion to an integer; out of range, what the policy or else x86-64 says.
fn to_integer(a: &Real, parameters: &Parameters, rounding: Rounding, signed: bool) -> u128 {
    let width = parameters.width.min(128);
    let (least, most) = if signed {
        (-(Integer::from(1) << (width - 1)), (Integer::from(1) << (width - 1)) - 1)
    } else {
        (Integer::new(), (Integer::from(1) << width) - 1)
    };
    let whole = a.to_integer(rounding);
    let value = match whole {
        Some(value) if value >= least && value <= most => value,
        Some(_) | None => match parameters.out_of_range {
            OutOfRange::Saturate if matches!(a, Real::Nan) => Integer::new(),
            OutOfRange::Saturate if a.is_negative() => least,
            OutOfRange::Saturate => most,
            OutOfRange::Undefined | OutOfRange::Indefinite => {
                return 1 << (width - 1);
            }
        },
    };
    masked(value.to_i128_wrapping() as u128, width)
}

/// A comparison as LLVM has them, of numbers in some order (none with a NaN).
pub(crate) fn holds(predicate: FloatPredicate, order: Option<Ordering>) -> bool {
    use Ordering::{Equal, Greater, Less};
    let no_number = order.is_none();
    match predicate {
        FloatPredicate::False => false,
        FloatPredicate::OrderedEqual => order == Some(Equal),
        FloatPredicate::OrderedGreater => order == Some(Greater),
        FloatPredicate::OrderedGreaterEqual => matches!(order, Some(Greater | Equal)),
        FloatPredicate::OrderedLess => order == Some(Less),
        FloatPredicate::OrderedLessEqual => matches!(order, Some(Less | Equal)),
        FloatPredicate::OrderedNotEqual => matches!(order, Some(Less | Greater)),
        FloatPredicate::Ordered => !no_number,
        FloatPredicate::Unordered => no_number,
        FloatPredicate::UnorderedEqual => no_number || order == Some(Equal),
        FloatPredicate::UnorderedGreater => no_number || order == Some(Greater),
        FloatPredicate::UnorderedGreaterEqual => {
            no_number || matches!(order, Some(Greater | Equal))
        }
        FloatPredicate::UnorderedLess => no_number || order == Some(Less),
        FloatPredicate::UnorderedLessEqual => no_number || matches!(order, Some(Less | Equal)),
        FloatPredicate::UnorderedNotEqual => order != Some(Equal),
        FloatPredicate::True => true,
    }
}

/// What kind of number it would be in a format, were that large enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Nan,
    Infinite,
    Zero,
    Subnormal,
    Normal,
}

pub(super) fn class(run: &Arithmetic, a: &Real, format: Format) -> Class {
    match a {
        Real::Nan => Class::Nan,
        Real::Infinite { .. } => Class::Infinite,
        Real::Zero { .. } => Class::Zero,
        Real::Exact(_) | Real::Rounded(_) => {
            let smallest = smallest_normal(format);
            match run.order(&a.with_sign(false), &smallest) {
                Some(Ordering::Less) => Class::Subnormal,
                Some(_) | None => Class::Normal,
            }
        }
    }
}

/// The smallest normal number of a format.
pub(crate) fn smallest_normal(format: Format) -> Real {
    let bits = Float::smallest_normal(format, false).to_bits().unwrap_or(0);
    Real::decoded(format, bits)
}

/// Whether a number is in one of the classes of LLVM's mask.
pub(crate) fn classified(run: &Arithmetic, mask: u32, a: &Real, format: Format) -> bool {
    let negative = a.is_negative();
    let bit = match (class(run, a, format), negative) {
        (Class::Nan, _) => 1,
        (Class::Infinite, true) => 2,
        (Class::Normal, true) => 3,
        (Class::Subnormal, true) => 4,
        (Class::Zero, true) => 5,
        (Class::Zero, false) => 6,
        (Class::Subnormal, false) => 7,
        (Class::Normal, false) => 8,
        (Class::Infinite, false) => 9,
    };
    mask >> bit & 1 == 1
}

/// The next number of a format.
pub(super) fn neighbour(a: &Real, format: Format, down: bool) -> Real {
    let float = Float::from_bits(format, a.encoded(format));
    let (next, _) = if down { float.next_down() } else { float.next_up() };
    Real::decoded(format, next.to_bits().unwrap_or(0))
}
