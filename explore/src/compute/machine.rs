//! Known floats. `float` and `double` to the nearest are the machine's own operations; all
//! else, and every NaN, is `ieee`'s soft float by x86's rules.

use super::encoding::default_nan;
use crate::environment::{Environment, RoundingMode};
use crate::value::Value;
use nanoscope_ieee::{
    Circuit, Concrete, Datum, Flags, Float, Format, NanRule, Operation, OutOfRange, Parameters,
    Rounding, Word, apply, operations,
};
use nanoscope_program::ir::{FloatPredicate, Mode, Operand};

/// The rounding mode of an operation, if it is known.
#[inline]
pub(super) fn known_mode(mode: Mode, environment: &Environment) -> Option<Rounding> {
    match (mode, environment.rounding) {
        (Mode::Fixed(mode), _) | (Mode::Dynamic, RoundingMode::Known(mode)) => Some(mode),
        (Mode::Dynamic, RoundingMode::Unknown(_)) => None,
    }
}

/// An operation on known scalars by the machine; none where it has no such instruction, the
/// result is a NaN or an operand is unknown.
#[inline]
pub(super) fn float<'v>(
    operation: Operation,
    parameters: &Parameters,
    mode: Rounding,
    operands: &[Operand],
    read: impl Fn(Operand) -> &'v Value,
) -> Option<Value> {
    let mut bits = [0u64; 3];
    for (bits, operand) in bits.iter_mut().zip(operands) {
        *bits = read(*operand).as_small()?;
    }
    match parameters.format {
        Format::BINARY64 => lane64(operation, parameters, mode, bits),
        Format::BINARY32 => lane32(operation, parameters, mode, bits),
        _ => None,
    }
}

macro_rules! lane {
    ($lane:ident, $float:ty, $bits:ty, $signed:ty, $other:expr, $wide:ty) => {
        #[inline]
        fn $lane(
            operation: Operation,
            parameters: &Parameters,
            mode: Rounding,
            bits: [u64; 3],
        ) -> Option<Value> {
            const SIGN: u64 = 1 << (<$bits>::BITS - 1);
            let [a, b, c] = bits.map(|bits| <$float>::from_bits(bits as $bits));
            let nearest = mode == Rounding::NearestEven;
            let made =
                |result: $float| (!result.is_nan()).then(|| Value::Small(result.to_bits().into()));
            let truth = |holds: bool| Some(Value::truth(holds));
            match operation {
                Operation::Add if nearest => made(a + b),
                Operation::Sub if nearest => made(a - b),
                Operation::Mul if nearest => made(a * b),
                Operation::Div if nearest => made(a / b),
                Operation::Sqrt if nearest => made(a.sqrt()),
                Operation::Fma if nearest => made(a.mul_add(b, c)),
                Operation::Fmod => made(a % b),
                Operation::RoundToIntegral | Operation::RoundToIntegralExact => made(match mode {
                    Rounding::NearestEven => a.round_ties_even(),
                    Rounding::NearestAway => a.round(),
                    Rounding::Upward => a.ceil(),
                    Rounding::Downward => a.floor(),
                    Rounding::TowardZero => a.trunc(),
                }),
                Operation::Abs => Some(Value::Small(bits[0] & !SIGN)),
                Operation::Neg => Some(Value::Small(bits[0] ^ SIGN)),
                Operation::CopySign => Some(Value::Small(bits[0] & !SIGN | bits[1] & SIGN)),
                Operation::MinX86 => Some(Value::Small(bits[if a < b { 0 } else { 1 }])),
                Operation::MaxX86 => Some(Value::Small(bits[if a > b { 0 } else { 1 }])),
                Operation::Equal | Operation::EqualSignaling => truth(a == b),
                Operation::Less | Operation::LessSignaling => truth(a < b),
                Operation::LessEqual | Operation::LessEqualSignaling => truth(a <= b),
                Operation::Greater | Operation::GreaterSignaling => truth(a > b),
                Operation::GreaterEqual | Operation::GreaterEqualSignaling => truth(a >= b),
                Operation::Unordered => truth(a.is_nan() || b.is_nan()),
                Operation::IsNan => truth(a.is_nan()),
                Operation::IsInfinite => truth(a.is_infinite()),
                Operation::IsFinite => truth(a.is_finite()),
                Operation::IsZero => truth(a == 0.0),
                Operation::IsSignMinus => truth(bits[0] & SIGN != 0),
                Operation::Convert if parameters.target == $other => {
                    let result = a as $wide;
                    // Widening is exact in any mode.
                    (!result.is_nan() && (nearest || <$wide>::DIGITS > <$float>::DIGITS))
                        .then(|| Value::Small(result.to_bits().into()))
                }
                Operation::FromSigned if nearest && parameters.width <= 64 => {
                    let spare = 64 - parameters.width;
                    made(((bits[0] << spare) as i64 >> spare) as $float)
                }
                Operation::FromUnsigned if nearest && parameters.width <= 64 => {
                    made(bits[0] as $float)
                }
                // In range whatever is asked for beyond it.
                Operation::ToSigned
                    if mode == Rounding::TowardZero && matches!(parameters.width, 32 | 64) =>
                {
                    let integer = a as i64;
                    let narrow = integer as i32;
                    if parameters.width == 32 {
                        (a.abs() < 2147483648.0).then(|| Value::Small(narrow as u32 as u64))
                    } else {
                        (a.abs() < 9223372036854775808.0).then(|| Value::Small(integer as u64))
                    }
                }
                // The soft float has these, or they round otherwise.
                Operation::Remainder
                | Operation::Identical
                | Operation::IsSignaling
                | Operation::IsSubnormal
                | Operation::IsNormal
                | Operation::IsNegative
                | Operation::IsPositive
                | operations!(Extremum)
                | operations!(Arithmetic, Step, Convert, Encoding) => None,
            }
        }
    };
}
lane!(lane64, f64, u64, i64, Format::BINARY32, f32);
lane!(lane32, f32, u32, i32, Format::BINARY64, f64);

/// A comparison of known floats by the machine.
#[inline]
pub(super) fn compare(predicate: FloatPredicate, format: Format, a: u64, b: u64) -> Option<bool> {
    match format {
        Format::BINARY64 => {
            Some(related(predicate, f64::from_bits(a).partial_cmp(&f64::from_bits(b))))
        }
        Format::BINARY32 => Some(related(
            predicate,
            f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        )),
        _ => None,
    }
}

/// Whether a comparison holds, given how the operands are ordered.
pub(super) fn related(predicate: FloatPredicate, order: Option<std::cmp::Ordering>) -> bool {
    use FloatPredicate as P;
    use std::cmp::Ordering::{Equal, Greater, Less};
    match (predicate, order) {
        (P::False, _) => false,
        (P::True, _) => true,
        (P::Ordered, order) => order.is_some(),
        (P::Unordered, order) => order.is_none(),
        (P::OrderedEqual, order) => order == Some(Equal),
        (P::OrderedGreater, order) => order == Some(Greater),
        (P::OrderedGreaterEqual, order) => matches!(order, Some(Greater | Equal)),
        (P::OrderedLess, order) => order == Some(Less),
        (P::OrderedLessEqual, order) => matches!(order, Some(Less | Equal)),
        (P::OrderedNotEqual, order) => matches!(order, Some(Less | Greater)),
        (P::UnorderedEqual, order) => matches!(order, None | Some(Equal)),
        (P::UnorderedGreater, order) => matches!(order, None | Some(Greater)),
        (P::UnorderedGreaterEqual, order) => !matches!(order, Some(Less)),
        (P::UnorderedLess, order) => matches!(order, None | Some(Less)),
        (P::UnorderedLessEqual, order) => !matches!(order, Some(Greater)),
        (P::UnorderedNotEqual, order) => order != Some(Equal),
    }
}

/// An operation on known operands, by the soft float: its result and what it raises.
pub(super) fn soft(
    operation: Operation,
    parameters: &Parameters,
    mode: Rounding,
    words: &[Word],
) -> (Value, Flags) {
    use nanoscope_ieee::Sort;
    if matches!(operation, Operation::ToSigned | Operation::ToUnsigned)
        && parameters.out_of_range == OutOfRange::Undefined
    {
        return native_integer(operation == Operation::ToSigned, parameters, mode, &words[0]);
    }
    // Here an encoding is what a float is, whichever NaN it may be.
    if matches!(operation, Operation::FromBits | Operation::ToBits) {
        return (Value::word(words[0].clone()), Flags::NONE);
    }
    let mut words_left = words.iter();
    let data: Vec<_> = operation
        .operands()
        .iter()
        .map(|sort| match sort {
            Sort::Rounding => Datum::Rounding(mode.into()),
            Sort::Float => Datum::Float(words_left.next().expect("an operand").clone()),
            Sort::Bits => Datum::Bits(words_left.next().expect("an operand").clone()),
            Sort::Bool => Datum::Bool(!words_left.next().expect("an operand").is_zero()),
        })
        .collect();
    let mut circuit = Circuit { algebra: Concrete, nan: NanRule::X86 };
    let (result, flags) =
        apply(&mut circuit, operation, parameters, &data).expect("operands as the row wants them");
    let value = match result {
        Datum::Float(word) => {
            let format =
                if operation == Operation::Convert { parameters.target } else { parameters.format };
            Value::word(x87_nan(operation, parameters.format, format, words, word))
        }
        Datum::Bits(word) => Value::word(word),
        Datum::Bool(holds) => Value::truth(holds),
        Datum::Rounding(_) => unreachable!("no operation gives a rounding mode"),
    };
    (value, flags)
}

/// The x87 unit's choice of a NaN (Intel SDM volume 1, table 4-7): the default one for
/// encodings it does not support, else a quiet one before a signalling one, else the one of
/// the larger significand.
fn x87_nan(
    operation: Operation,
    from: Format,
    to: Format,
    operands: &[Word],
    result: Word,
) -> Word {
    let passes =
        [Operation::Abs, Operation::Neg, Operation::CopySign, Operation::MinX86, Operation::MaxX86];
    if !from.explicit_integer_bit || passes.contains(&operation) {
        return result;
    }
    let is_float = |sort: &&nanoscope_ieee::Sort| **sort == nanoscope_ieee::Sort::Float;
    let count = operation.operands().iter().filter(is_float).count();
    let operands = &operands[..count];
    let unsupported = |word: &Word| {
        let field = (0..from.exponent_bits).any(|at| word.bit(from.precision + at));
        field && !word.bit(from.precision - 1)
    };
    if operands.iter().any(unsupported) {
        return default_nan(to);
    }
    if !Float::from_word(to, result.clone()).is_nan() {
        return result;
    }
    if operation == Operation::Convert {
        return result;
    }
    let significand = |word: &Word| word.low_u64();
    let quiet = |word: &Word| word.bit(from.fraction_bits() - 1);
    let nans = operands.iter().filter(|word| Float::from_word(from, (*word).clone()).is_nan());
    // Of equal significands the positive one.
    let best = nans.max_by_key(|word| (quiet(word), significand(word), !word.bit(79)));
    match best {
        Some(word) => {
            let bits = word.to_u128().expect("80 bits") | 1 << (from.fraction_bits() - 1);
            Word::new(from.width(), bits)
        }
        None => default_nan(to),
    }
}

/// How clang for x86-64 converts a float to an integer: in a register of this many bits,
/// signed, of which the low bits are taken; or in the two steps of an unsigned 64-bit one.
pub(super) enum Register {
    /// By one instruction of that width.
    Direct(u32),
    /// Values from 2^63 on less 2^63 first.
    TwoSteps,
    /// By a function that stays at the ends of the range.
    Saturating,
}

/// The register of a conversion.
pub(super) fn register(format: Format, signed: bool, width: u32) -> Register {
    if format.precision > Format::X87.precision {
        return Register::Saturating;
    }
    match (format.explicit_integer_bit, signed, width) {
        (_, _, 65..) => Register::Saturating,
        (_, false, 64) => Register::TwoSteps,
        (true, true, ..=16) | (true, false, ..=8) => Register::Direct(16),
        (_, true, ..=32) | (_, false, ..=31) => Register::Direct(32),
        (_, _, _) => Register::Direct(64),
    }
}

fn native_integer(
    signed: bool,
    parameters: &Parameters,
    mode: Rounding,
    word: &Word,
) -> (Value, Flags) {
    let float = Float::from_word(parameters.format, word.clone());
    // Half precision goes by way of `float`.
    let narrow = parameters.format.precision < Format::BINARY32.precision;
    let format = if narrow { Format::BINARY32 } else { parameters.format };
    let (float, widened) = if narrow { float.convert(format, mode) } else { (float, Flags::NONE) };
    let (value, flags) = native_register(signed, format, parameters.width, mode, &float);
    (value, flags | widened)
}

fn native_register(
    signed: bool,
    format: Format,
    width: u32,
    mode: Rounding,
    float: &Float,
) -> (Value, Flags) {
    match register(format, signed, width) {
        Register::Direct(bits) => {
            let (word, flags) = float.to_signed(bits, mode, OutOfRange::Indefinite);
            (Value::bits(width, word.low_u64().into()), flags)
        }
        Register::Saturating if signed => {
            let (word, flags) = float.to_signed(width, mode, OutOfRange::Saturate);
            (Value::word(word), flags)
        }
        Register::Saturating => {
            let (word, flags) = float.to_unsigned(width, mode, OutOfRange::Saturate);
            (Value::word(word), flags)
        }
        Register::TwoSteps => {
            let half = Word::run(65, 63, 1);
            let (half, _) = Float::from_unsigned(format, mode, &half);
            let (less, subtracted) = float.sub(&half, Rounding::NearestEven);
            let (above, second) = less.to_signed(64, mode, OutOfRange::Indefinite);
            let (below, first) = float.to_signed(64, mode, OutOfRange::Indefinite);
            if format.explicit_integer_bit {
                let low = float.less(&half).0;
                let word = if low { below.low_u64() } else { above.low_u64() ^ 1 << 63 };
                return (Value::Small(word), if low { first } else { subtracted | second });
            }
            let below = below.low_u64();
            let chosen = above.low_u64() & ((below as i64 >> 63) as u64);
            (Value::Small(below | chosen), subtracted | second | first)
        }
    }
}
