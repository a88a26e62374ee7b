//! The hardware lane: binary32 and binary64 by the machine's own operations,
//! where these give the same value and nobody asks for the flags.
//!
//! Only plain arithmetic to the nearest is used; the machine's rounding mode is
//! never touched and assumed to be the default one. NaNs come out canonical.

use crate::{
    ConcreteDatum, Datum, Format, Operation, OutOfRange, Parameters, Rounding, Word, operations,
};

/// The value of an operation, if the hardware gives it.
pub(crate) fn evaluate(
    operation: Operation,
    parameters: &Parameters,
    operands: &[ConcreteDatum],
) -> Option<ConcreteDatum> {
    match parameters.format {
        Format::BINARY32 => lane32(operation, parameters, operands),
        Format::BINARY64 => lane64(operation, parameters, operands),
        _ => None,
    }
}

fn rounding_of(datum: &ConcreteDatum) -> Option<Rounding> {
    match datum {
        Datum::Rounding(word) => Rounding::ALL.get(word.low_u64() as usize).copied(),
        Datum::Float(_) | Datum::Bits(_) | Datum::Bool(_) => None,
    }
}

fn canonical32(value: f32) -> ConcreteDatum {
    let bits = if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() };
    Datum::Float(Word::new(32, bits as u128))
}

fn canonical64(value: f64) -> ConcreteDatum {
    let bits = if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() };
    Datum::Float(Word::new(64, bits as u128))
}

macro_rules! lane {
    ($lane:ident, $float:ty, $bits:ty, $canonical:ident, $other:expr, $convert:ident, $wide:ty) => {
        fn $lane(
            operation: Operation,
            parameters: &Parameters,
            operands: &[ConcreteDatum],
        ) -> Option<ConcreteDatum> {
            let float = |datum: &ConcreteDatum| match datum {
                Datum::Float(word) => Some(<$float>::from_bits(word.low_u64() as $bits)),
                Datum::Rounding(_) | Datum::Bits(_) | Datum::Bool(_) => None,
            };
            let (rounding, rest) = match operands {
                [first @ Datum::Rounding(_), rest @ ..] => (rounding_of(first)?, rest),
                _ => (Rounding::NearestEven, operands),
            };
            let nearest = rounding == Rounding::NearestEven;
            let unary = |apply: fn($float) -> $float| match rest {
                [a] => Some($canonical(apply(float(a)?))),
                _ => None,
            };
            let binary = |apply: fn($float, $float) -> $float| match rest {
                [a, b] => Some($canonical(apply(float(a)?, float(b)?))),
                _ => None,
            };
            let relation = |holds: fn(&$float, &$float) -> bool| match rest {
                [a, b] => Some(Datum::Bool(holds(&float(a)?, &float(b)?))),
                _ => None,
            };
            match operation {
                Operation::Add if nearest => binary(|a, b| a + b),
                Operation::Sub if nearest => binary(|a, b| a - b),
                Operation::Mul if nearest => binary(|a, b| a * b),
                Operation::Div if nearest => binary(|a, b| a / b),
                Operation::Sqrt if nearest => unary(<$float>::sqrt),
                Operation::Fma if nearest => match rest {
                    [a, b, c] => Some($canonical(float(a)?.mul_add(float(b)?, float(c)?))),
                    _ => None,
                },
                operations!(Arithmetic) => None,
                Operation::Fmod => binary(|a, b| a % b),
                Operation::RoundToIntegral | Operation::RoundToIntegralExact => {
                    unary(match rounding {
                        Rounding::NearestEven => <$float>::round_ties_even,
                        Rounding::NearestAway => <$float>::round,
                        Rounding::Upward => <$float>::ceil,
                        Rounding::Downward => <$float>::floor,
                        Rounding::TowardZero => <$float>::trunc,
                    })
                }
                Operation::Equal | Operation::EqualSignaling => relation(<$float>::eq),
                Operation::Less | Operation::LessSignaling => relation(<$float>::lt),
                Operation::LessEqual | Operation::LessEqualSignaling => relation(<$float>::le),
                Operation::Greater | Operation::GreaterSignaling => relation(<$float>::gt),
                Operation::GreaterEqual | Operation::GreaterEqualSignaling => {
                    relation(<$float>::ge)
                }
                Operation::Convert if nearest && parameters.target == $other => match rest {
                    [a] => Some($convert(float(a)? as $wide)),
                    _ => None,
                },
                Operation::FromSigned if nearest && parameters.width == 64 => match rest {
                    [Datum::Bits(a)] => Some($canonical(a.low_u64() as i64 as $float)),
                    _ => None,
                },
                Operation::FromUnsigned if nearest && parameters.width <= 64 => match rest {
                    [Datum::Bits(a)] => Some($canonical(a.low_u64() as $float)),
                    _ => None,
                },
                Operation::ToSigned
                    if rounding == Rounding::TowardZero
                        && parameters.out_of_range == OutOfRange::Saturate
                        && parameters.width == 64 =>
                {
                    match rest {
                        [a] => Some(Datum::Bits(Word::new(64, float(a)? as i64 as u128))),
                        _ => None,
                    }
                }
                Operation::ToUnsigned
                    if rounding == Rounding::TowardZero
                        && parameters.out_of_range == OutOfRange::Saturate
                        && parameters.width == 64 =>
                {
                    match rest {
                        [a] => Some(Datum::Bits(Word::new(64, float(a)? as u64 as u128))),
                        _ => None,
                    }
                }
                // Bit operations cost no more in software, and the others have
                // no plain Rust counterpart with the same meaning.
                Operation::Remainder
                | Operation::Identical
                | Operation::Unordered
                | operations!(Choice, Sign, Step, Classify, Convert, Encoding) => None,
            }
        }
    };
}

lane!(lane32, f32, u32, canonical32, Format::BINARY64, canonical64, f64);
lane!(lane64, f64, u64, canonical64, Format::BINARY32, canonical32, f32);
