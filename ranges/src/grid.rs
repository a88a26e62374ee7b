//! The line of a format's numbers, and correctly rounded operations on places in it.
//!
//! A place is an ordinal: `+0` is 0, `-0` is -1, and the complement `!` of an ordinal is
//! the place of the negated number. The magnitude of a number is its place without sign.

use nanoscope_ieee::{Datum, Float, Format, Operation, Parameters, Rounding, Word, evaluate_value};

/// A number's place in the order of its format.
pub type Ordinal = i128;

/// Plus infinity.
pub const fn infinity(format: Format) -> Ordinal {
    (format.special_exponent() as Ordinal) << format.fraction_bits()
}

/// The greatest finite number.
pub const fn max_finite(format: Format) -> Ordinal {
    infinity(format) - 1
}

/// The smallest positive normal number.
pub const fn min_normal(format: Format) -> Ordinal {
    1 << format.fraction_bits()
}

/// Two to a power: zero below the smallest number, infinity above the greatest.
pub const fn power(format: Format, exponent: i64) -> Ordinal {
    if exponent > format.max_exponent() {
        infinity(format)
    } else if exponent >= format.min_exponent() {
        ((exponent + format.max_exponent()) as Ordinal) << format.fraction_bits()
    } else if exponent >= format.quantum_exponent() {
        1 << (exponent - format.quantum_exponent())
    } else {
        0
    }
}

/// The distance from a finite magnitude to the next above, as a magnitude.
pub const fn unit(format: Format, magnitude: Ordinal) -> Ordinal {
    let field = (magnitude >> format.fraction_bits()) as i64;
    let exponent = if field == 0 { 0 } else { field - 1 } + format.quantum_exponent();
    power(format, exponent)
}

/// Half of a finite magnitude, rounded down.
pub const fn half(format: Format, magnitude: Ordinal) -> Ordinal {
    if magnitude >= 2 * min_normal(format) { magnitude - min_normal(format) } else { magnitude / 2 }
}

/// The place of an encoding; `None` of a NaN.
pub fn place(value: &Float) -> Option<Ordinal> {
    (!value.is_nan()).then(|| value.ordinal())
}

/// The number at a place.
pub fn number(format: Format, at: Ordinal) -> Float {
    Float::from_ordinal(format, at).expect("a place within the format")
}

/// The nearest number to a double, for landmarks.
pub fn nearest(format: Format, value: f64) -> Ordinal {
    if let (Format::BINARY64, Some(at)) = (format, from_double(value)) {
        return at;
    }
    let (float, _) = Float::from(value).convert(format, Rounding::NearestEven);
    float.ordinal()
}

/// The double at a place of binary64.
pub const fn double(at: Ordinal) -> f64 {
    let at = at as i64;
    f64::from_bits(if at >= 0 { at as u64 } else { !at as u64 | 1 << 63 })
}

/// The place of a double; `None` of a NaN.
pub const fn from_double(value: f64) -> Option<Ordinal> {
    if value.is_nan() {
        return None;
    }
    let bits = value.to_bits() as i64;
    Some((if bits >= 0 { bits } else { !(bits & i64::MAX) }) as Ordinal)
}

/// The single at a place of binary32.
pub const fn single(at: Ordinal) -> f32 {
    let at = at as i32;
    f32::from_bits(if at >= 0 { at as u32 } else { !at as u32 | 1 << 31 })
}

/// The place of a single; `None` of a NaN.
pub const fn from_single(value: f32) -> Option<Ordinal> {
    if value.is_nan() {
        return None;
    }
    let bits = value.to_bits() as i32;
    Some((if bits >= 0 { bits } else { !(bits & i32::MAX) }) as Ordinal)
}

/// The result of a rounded operation on numbers of one format; `None` is NaN.
#[inline]
pub fn rounded(
    format: Format,
    operation: Operation,
    rounding: Rounding,
    operands: &[Ordinal],
) -> Option<Ordinal> {
    if rounding == Rounding::NearestEven {
        // Only plain arithmetic to the nearest is left to the processor.
        let quick = match (format, operation, operands) {
            (Format::BINARY64, Operation::Add, &[a, b]) => Some(from_double(double(a) + double(b))),
            (Format::BINARY64, Operation::Mul, &[a, b]) => Some(from_double(double(a) * double(b))),
            (Format::BINARY64, Operation::Div, &[a, b]) => Some(from_double(double(a) / double(b))),
            (Format::BINARY64, Operation::Sqrt, &[a]) => Some(from_double(double(a).sqrt())),
            (Format::BINARY32, Operation::Add, &[a, b]) => Some(from_single(single(a) + single(b))),
            (Format::BINARY32, Operation::Mul, &[a, b]) => Some(from_single(single(a) * single(b))),
            (Format::BINARY32, Operation::Div, &[a, b]) => Some(from_single(single(a) / single(b))),
            (Format::BINARY32, Operation::Sqrt, &[a]) => Some(from_single(single(a).sqrt())),
            // Any other operation is computed in software.
            _ => None,
        };
        if let Some(result) = quick {
            return result;
        }
    }
    in_software(format, operation, rounding, operands)
}

fn in_software(
    format: Format,
    operation: Operation,
    rounding: Rounding,
    operands: &[Ordinal],
) -> Option<Ordinal> {
    let mut data = Vec::with_capacity(operands.len() + 1);
    data.push(Datum::Rounding(Word::from(rounding)));
    data.extend(operands.iter().map(|&at| Datum::Float(number(format, at).word().clone())));
    match evaluate_value(operation, &Parameters::of(format), &data) {
        Ok(Datum::Float(word)) => place(&Float::from_word(format, word)),
        Ok(Datum::Rounding(_) | Datum::Bits(_) | Datum::Bool(_)) | Err(_) => {
            unreachable!("a rounded operation on floats")
        }
    }
}

/// What a number of one format becomes in another.
pub fn converted(from: Format, to: Format, rounding: Rounding, at: Ordinal) -> Ordinal {
    let quick = match (from, to, rounding) {
        (from, to, _) if from == to => Some(at),
        (Format::BINARY32, Format::BINARY64, _) => from_double(f64::from(single(at))),
        (Format::BINARY64, Format::BINARY32, Rounding::NearestEven) => {
            from_single(double(at) as f32)
        }
        // Anything else is converted in software.
        _ => None,
    };
    quick.unwrap_or_else(|| number(from, at).convert(to, rounding).0.ordinal())
}

/// The number an integer rounds to.
pub fn of_integer(format: Format, rounding: Rounding, value: i128) -> Ordinal {
    let exact = value.unsigned_abs() <= 1 << 53;
    if format == Format::BINARY64 && (exact || rounding == Rounding::NearestEven) {
        return from_double(value as f64).expect("a number");
    }
    Float::from_signed(format, rounding, &Word::new(128, value as u128)).0.ordinal()
}

/// A finite number cut to an integer, if that has at most 100 bits.
pub fn to_integer(format: Format, rounding: Rounding, at: Ordinal) -> Option<i128> {
    let width = 100;
    if format == Format::BINARY64 {
        let value = double(at);
        let whole = match rounding {
            Rounding::NearestEven => value.round_ties_even(),
            Rounding::NearestAway => value.round(),
            Rounding::TowardZero => value.trunc(),
            Rounding::Upward => value.ceil(),
            Rounding::Downward => value.floor(),
        };
        let limit = 2f64.powi(width as i32 - 1);
        return (-limit..limit).contains(&whole).then_some(whole as i128);
    }
    let (word, flags) =
        number(format, at).to_signed(width, rounding, nanoscope_ieee::OutOfRange::Undefined);
    let value = word.to_u128()?;
    let unused = 128 - width;
    (!flags.invalid).then_some(((value << unused) as i128) >> unused)
}
