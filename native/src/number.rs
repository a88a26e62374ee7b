//! Numbers as a replay saw them: encodings with their format, and what they are.

use nanoscope_ieee::Format;
use std::fmt;

/// A value in a register, in memory, or passed to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// A floating-point number: binary32, binary64 or x87.
    Float {
        /// Its format.
        format: Format,
        /// Its encoding.
        bits: u128,
    },
    /// An integer argument.
    Integer(i64),
}

/// What kind of number a float is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Not a number (for x87: the encodings that IEEE 754 does not have, too).
    Nan,
    /// An infinity.
    Infinite,
    /// Of full precision.
    Normal,
    /// Non-zero and below the smallest normal number.
    Subnormal,
    /// A zero.
    Zero,
}

impl Number {
    /// What kind of number this is.
    pub fn class(self) -> Class {
        match self {
            Number::Integer(0) => Class::Zero,
            Number::Integer(_) => Class::Normal,
            Number::Float { format, bits } => class(format, bits),
        }
    }

    /// Whether it is a NaN or an infinity.
    pub fn is_exceptional(self) -> bool {
        matches!(self.class(), Class::Nan | Class::Infinite)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Number::Integer(value) => write!(f, "{value}"),
            Number::Float { format: Format::BINARY32, bits } => {
                write!(f, "{:?}", f32::from_bits(bits as u32))
            }
            Number::Float { format: Format::BINARY64, bits } => {
                write!(f, "{:?}", f64::from_bits(bits as u64))
            }
            Number::Float { format, bits } => {
                let digits = format.width().div_ceil(4) as usize;
                write!(f, "0x{bits:0digits$x}")
            }
        }
    }
}

/// Classifies an encoding of any format.
pub(crate) fn class(format: Format, bits: u128) -> Class {
    let stored = format.width() - 1 - format.exponent_bits;
    let exponent = (bits >> stored) & ((1 << format.exponent_bits) - 1);
    let significand = bits & ((1 << stored) - 1);
    let fraction = significand & ((1 << (format.precision - 1)) - 1);
    let integer_bit = !format.explicit_integer_bit || significand >> (format.precision - 1) == 1;
    if exponent == (1 << format.exponent_bits) - 1 {
        return if integer_bit && fraction == 0 { Class::Infinite } else { Class::Nan };
    }
    match (exponent, significand) {
        (0, 0) => Class::Zero,
        (0, _) => Class::Subnormal,
        // An "unnormal", which the processor refuses like a NaN.
        _ if !integer_bit => Class::Nan,
        _ => Class::Normal,
    }
}

/// The integer types of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    pub(crate) bits: u32,
    pub(crate) signed: bool,
}

/// Whether a float's value, truncated, is a value of the integer type: the condition
/// under which C defines the conversion (ISO C17 6.3.1.4). Allocates nothing.
pub(crate) fn fits(format: Format, bits: u128, integer: Integer) -> bool {
    match class(format, bits) {
        Class::Nan | Class::Infinite => return false,
        Class::Zero | Class::Subnormal => return true,
        Class::Normal => {}
    }
    let stored = format.width() - 1 - format.exponent_bits;
    let negative = bits >> (format.width() - 1) & 1 == 1;
    let biased = (bits >> stored) & ((1 << format.exponent_bits) - 1);
    let bias = (1i64 << (format.exponent_bits - 1)) - 1;
    let power = biased as i64 - bias; // 2^power <= |value| < 2^(power + 1)
    if power < 0 {
        return true;
    }
    let precision = i64::from(format.precision);
    let leading = 1u128 << (precision - 1);
    let significand = leading | (bits & (leading - 1));
    if power >= 128 {
        return false;
    }
    let shift = power - (precision - 1);
    let magnitude = if shift >= 0 { significand << shift } else { significand >> -shift };
    match (integer.signed, negative) {
        (false, true) => magnitude == 0,
        (false, false) => integer.bits >= 128 || magnitude >> integer.bits == 0,
        (true, false) => magnitude >> (integer.bits - 1) == 0,
        (true, true) => magnitude <= 1 << (integer.bits - 1),
    }
}

/// The format of the numbers of a trace that are this many bits wide.
pub(crate) fn format_of(kind: u32) -> Option<Format> {
    [Format::BINARY32, Format::BINARY64, Format::X87].into_iter().find(|f| f.width() == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x87(value: f64) -> u128 {
        // Exact for normal numbers: wider exponent, explicit integer bit.
        let bits = u128::from(value.to_bits());
        let (sign, exponent, fraction) = (bits >> 63, (bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
        if exponent == 0 && fraction == 0 {
            return sign << 79;
        }
        let exponent = if exponent == 0x7ff { 0x7fff } else { exponent + 16383 - 1023 };
        sign << 79 | exponent << 64 | 1 << 63 | fraction << 11
    }

    #[test]
    fn classes() {
        let check = |value: f64, expected| {
            assert_eq!(class(Format::BINARY64, value.to_bits().into()), expected, "{value}");
        };
        check(f64::NAN, Class::Nan);
        check(-f64::INFINITY, Class::Infinite);
        check(f64::MAX, Class::Normal);
        check(f64::MIN_POSITIVE, Class::Normal);
        check(f64::MIN_POSITIVE / 2.0, Class::Subnormal);
        check(-0.0, Class::Zero);
        assert_eq!(class(Format::X87, x87(f64::INFINITY)), Class::Infinite);
        assert_eq!(class(Format::X87, x87(f64::NAN)), Class::Nan);
        assert_eq!(class(Format::X87, x87(1.0)), Class::Normal);
        assert_eq!(class(Format::X87, 1 << 62), Class::Subnormal);
        assert_eq!(class(Format::X87, 1 << 64), Class::Nan);
    }

    #[test]
    fn fitting() {
        let check = |value: f64, bits, signed, expected| {
            let integer = Integer { bits, signed };
            assert_eq!(fits(Format::BINARY64, value.to_bits().into(), integer), expected);
            assert_eq!(fits(Format::X87, x87(value), integer), expected, "{value} {integer:?}");
            if f64::from(value as f32) == value {
                let narrow = u128::from((value as f32).to_bits());
                assert_eq!(fits(Format::BINARY32, narrow, integer), expected);
            }
        };
        check(127.9, 8, true, true);
        check(128.0, 8, true, false);
        check(-128.9, 8, true, true);
        check(-129.0, 8, true, false);
        check(255.5, 8, false, true);
        check(-0.9, 8, false, true);
        check(-1.0, 8, false, false);
        check(9.3e18, 64, true, false);
        check(-9223372036854775808.0, 64, true, true);
        check(9223372036854775808.0, 64, true, false);
        check(9223372036854775808.0, 64, false, true);
        check(18446744073709551616.0, 64, false, false);
        check(f64::NAN, 64, true, false);
        check(f64::INFINITY, 64, true, false);
        check(1e30, 128, true, true);
        check(1e39, 128, true, false);
        check(0.0, 8, false, true);
    }
}
