//! Known floats as the text that `printf` makes of them.

use nanoscope_ieee::Word;
use num_bigint::BigUint;

/// How a conversion is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conversion {
    /// `a`, `e`, `f`, `g` or one of their capitals.
    pub letter: char,
    /// How many digits, if that is said.
    pub precision: Option<usize>,
    /// The flag `#`.
    pub alternate: bool,
    /// Whether the number is a `long double`, no `double`: `a` writes these otherwise.
    pub extended: bool,
}

/// An `x86_fp80` as text.
pub(super) fn text(bits: &Word, conversion: Conversion) -> String {
    let negative = bits.bit(79);
    let exponent = (bits.to_big() >> 64u32).iter_u64_digits().next().unwrap_or(0) & 0x7fff;
    let significand = bits.low_u64();
    let sign = if negative { "-" } else { "" };
    let magnitude = if exponent == 0x7fff {
        if significand << 1 == 0 { "inf".to_owned() } else { "nan".to_owned() }
    } else {
        let scale = exponent.max(1) as i64 - 16383 - 63;
        finite(significand, scale, conversion)
    };
    let magnitude =
        if conversion.letter.is_ascii_uppercase() { magnitude.to_uppercase() } else { magnitude };
    format!("{sign}{magnitude}")
}

/// The text of `significand * 2^scale`.
fn finite(significand: u64, scale: i64, conversion: Conversion) -> String {
    let Conversion { letter, precision: given, alternate, extended } = conversion;
    match letter.to_ascii_lowercase() {
        'a' => {
            // The digit before the point is 1, or has the first four bits of a `long double`.
            let (number, exponent) = match significand {
                0 => (0, 0),
                _ if extended => (u128::from(significand) << 4, scale + 60),
                _ => {
                    let zeros = significand.leading_zeros();
                    let exponent = scale + 63 - i64::from(zeros);
                    let number = u128::from(significand << zeros) << 1;
                    // A subnormal `double` has a zero there, and the least exponent.
                    let least = exponent.max(-1022);
                    (number >> (least - exponent).min(127), least)
                }
            };
            hexadecimal(number, exponent, given, alternate)
        }
        'e' => scientific(significand, scale, given.unwrap_or(6), alternate),
        'g' => {
            let digits = given.unwrap_or(6).max(1);
            let (_, exponent) = leading(significand, scale, digits);
            let text = if exponent < -4 || exponent >= digits as i64 {
                scientific(significand, scale, digits - 1, alternate)
            } else {
                fixed(significand, scale, (digits as i64 - 1 - exponent) as usize, alternate)
            };
            if alternate { text } else { without_trailing_zeros(&text) }
        }
        _ => fixed(significand, scale, given.unwrap_or(6), alternate),
    }
}

/// `significand * 2^scale * 10^power`, rounded to the nearest integer, ties to even.
fn scaled(significand: u64, scale: i64, power: i64) -> BigUint {
    let ten = BigUint::from(10u32);
    let mut above = BigUint::from(significand);
    let mut below = BigUint::from(1u32);
    let factor = ten.pow(power.unsigned_abs() as u32);
    if power >= 0 {
        above *= factor
    } else {
        below *= factor
    }
    let shift = scale.unsigned_abs();
    if scale >= 0 {
        above <<= shift
    } else {
        below <<= shift
    }
    let quotient = &above / &below;
    let twice: BigUint = (&above - &quotient * &below) << 1u32;
    let up = twice > below || (twice == below && quotient.bit(0));
    if up { quotient + 1u32 } else { quotient }
}

/// The first so many digits, rounded, and the decimal exponent of the first.
fn leading(significand: u64, scale: i64, digits: usize) -> (String, i64) {
    if significand == 0 {
        return ("0".repeat(digits), 0);
    }
    let binary = scale + 63 - i64::from(significand.leading_zeros());
    // An estimate that is at most one off: log10(2) is 0.30103.
    let mut exponent = (binary as f64 * std::f64::consts::LOG10_2).floor() as i64;
    loop {
        let text = scaled(significand, scale, digits as i64 - 1 - exponent).to_string();
        match text.len().cmp(&digits) {
            std::cmp::Ordering::Equal => return (text, exponent),
            std::cmp::Ordering::Less => exponent -= 1,
            std::cmp::Ordering::Greater => exponent += 1,
        }
    }
}

fn fixed(significand: u64, scale: i64, precision: usize, alternate: bool) -> String {
    let digits = scaled(significand, scale, precision as i64).to_string();
    let digits = format!("{digits:0>width$}", width = precision + 1);
    let (whole, fraction) = digits.split_at(digits.len() - precision);
    if precision == 0 && !alternate { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

fn scientific(significand: u64, scale: i64, precision: usize, alternate: bool) -> String {
    let (digits, exponent) = leading(significand, scale, precision + 1);
    let (first, rest) = digits.split_at(1);
    let point = if precision == 0 && !alternate { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{first}{point}{rest}e{sign}{:02}", exponent.abs())
}

fn without_trailing_zeros(text: &str) -> String {
    let (mantissa, exponent) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    format!("{mantissa}{exponent}")
}

/// A number with 64 bits behind the point, times two to an exponent.
fn hexadecimal(
    mut number: u128,
    exponent: i64,
    precision: Option<usize>,
    alternate: bool,
) -> String {
    if let Some(precision) = precision.filter(|digits| *digits < 16) {
        let cut = 4 * (16 - precision as u32);
        let rest = number & ((1 << cut) - 1);
        number >>= cut;
        let half = 1u128 << (cut - 1);
        if rest > half || (rest == half && number & 1 == 1) {
            number += 1;
        }
        number <<= cut;
    }
    let whole = number >> 64;
    let digits = format!("{:016x}", number as u64);
    let fraction = match precision {
        Some(precision) => format!("{digits:0<precision$}")[..precision].to_owned(),
        None => digits.trim_end_matches('0').to_owned(),
    };
    let point = if fraction.is_empty() && !alternate { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{whole:x}{point}{fraction}p{sign}{}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The x87 encoding of a double.
    fn extended(value: f64) -> Word {
        let bits = value.to_bits();
        let (sign, exponent, fraction) = (bits >> 63, bits >> 52 & 0x7ff, bits << 12 >> 1);
        let (exponent, significand) = match exponent {
            0 if fraction == 0 => (0, 0),
            0 => {
                let shift = fraction.leading_zeros();
                (16383 - 1022 - u64::from(shift), fraction << shift)
            }
            0x7ff => (0x7fff, 1 << 63 | fraction),
            _ => (exponent + 16383 - 1023, 1 << 63 | fraction),
        };
        Word::new(80, u128::from(sign << 15 | exponent) << 64 | u128::from(significand))
    }

    #[test]
    fn floats_as_printf_writes_them() {
        let check = |value: f64, conversion: char, precision: i32, expected: &str| {
            let precision = usize::try_from(precision).ok();
            let conversion =
                Conversion { letter: conversion, precision, alternate: false, extended: false };
            assert_eq!(text(&extended(value), conversion), expected, "{value}");
        };
        check(0.1, 'f', -1, "0.100000");
        check(0.5, 'f', 0, "0");
        check(1.5, 'f', 0, "2");
        check(-2.5, 'f', 1, "-2.5");
        check(1e22, 'f', 2, "10000000000000000000000.00");
        check(0.1, 'f', 55, "0.1000000000000000055511151231257827021181583404541015625");
        check(12345.678, 'e', 3, "1.235e+04");
        check(9.9999, 'e', 2, "1.00e+01");
        check(5e-324, 'e', 5, "4.94066e-324");
        check(0.0, 'e', 2, "0.00e+00");
        check(100000.0, 'g', -1, "100000");
        check(1e6, 'g', -1, "1e+06");
        check(0.0001, 'g', -1, "0.0001");
        check(0.00001234, 'g', -1, "1.234e-05");
        check(1.0, 'a', -1, "0x1p+0");
        check(-0.75, 'a', -1, "-0x1.8p-1");
        check(0.1, 'a', 3, "0x1.99ap-4");
        check(5e-324, 'a', -1, "0x0.0000000000001p-1022");
        check(f64::INFINITY, 'F', -1, "INF");
        check(f64::NAN, 'g', -1, "nan");
        check(f64::MAX, 'e', 16, "1.7976931348623157e+308");
    }
}
