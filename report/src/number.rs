//! A number with a name: an input, an operand, a result; in bits and in words.

use nanoscope_ieee::Format;
use serde::{Deserialize, Serialize};

/// A named value of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Number {
    /// As a person names it: `x`, `p->val`, `a[3]`, `return`.
    pub name: String,
    /// The type's name, as the source has it.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The encoding in hexadecimal, all digits: `0x7fefffffffffffff`.
    pub bits: String,
    /// In decimal, the shortest that reads back as the same value.
    pub value: String,
    /// A float in C's hexadecimal form; absent for integers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<String>,
}

impl Number {
    /// A floating-point value from its encoding.
    pub fn float(name: &str, type_name: &str, format: Format, bits: u128) -> Number {
        Number {
            name: name.to_string(),
            type_name: type_name.to_string(),
            bits: digits(bits, format.width()),
            value: decimal(format, bits),
            hex: Some(hexadecimal(format, bits)),
        }
    }

    /// An integer of `width` bits from its encoding.
    pub fn integer(name: &str, type_name: &str, width: u32, signed: bool, bits: u128) -> Number {
        let unused = 128 - width;
        let value = if signed {
            (((bits << unused) as i128) >> unused).to_string()
        } else {
            ((bits << unused) >> unused).to_string()
        };
        Number {
            name: name.to_string(),
            type_name: type_name.to_string(),
            bits: digits(bits, width),
            value,
            hex: None,
        }
    }

    /// The encoding, if `bits` holds one.
    pub fn encoding(&self) -> Option<u128> {
        u128::from_str_radix(self.bits.strip_prefix("0x")?, 16).ok()
    }

    /// Whether it is a NaN or an infinity.
    pub fn is_exceptional(&self) -> bool {
        self.is_nan() || self.is_infinite()
    }

    /// Whether it is a NaN.
    pub fn is_nan(&self) -> bool {
        self.hex.is_some() && self.value.trim_start_matches('-') == "nan"
    }

    /// Whether it is an infinity.
    pub fn is_infinite(&self) -> bool {
        self.hex.is_some() && self.value.trim_start_matches('-') == "inf"
    }
}

fn digits(bits: u128, width: u32) -> String {
    format!("0x{bits:0digits$x}", digits = width.div_ceil(4) as usize)
}

fn decimal(format: Format, bits: u128) -> String {
    if format == Format::BINARY64 {
        let value = f64::from_bits(bits as u64);
        settle(value, format!("{value:?}"))
    } else if format == Format::BINARY32 {
        let value = f32::from_bits(bits as u32);
        settle(f64::from(value), format!("{value:?}"))
    } else {
        hexadecimal(format, bits)
    }
}

/// Rust's words as C writes them.
fn settle(value: f64, shortest: String) -> String {
    if value.is_nan() {
        return "nan".to_string();
    }
    match shortest.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        Some(_) | None => shortest.trim_end_matches(".0").to_string(),
    }
}

fn hexadecimal(format: Format, bits: u128) -> String {
    let stored = format.width() - 1 - format.exponent_bits;
    let sign = if bits >> (format.width() - 1) & 1 == 1 { "-" } else { "" };
    let exponent = (bits >> stored) & ((1 << format.exponent_bits) - 1);
    let fraction_bits = format.precision - 1;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let bias = (1i64 << (format.exponent_bits - 1)) - 1;
    if exponent == (1 << format.exponent_bits) - 1 {
        return if fraction == 0 { format!("{sign}inf") } else { "nan".to_string() };
    }
    let integer = if format.explicit_integer_bit {
        (bits >> fraction_bits) & 1
    } else {
        u128::from(exponent != 0)
    };
    if integer == 0 && fraction == 0 {
        return format!("{sign}0x0p+0");
    }
    let power = if exponent == 0 { 1 - bias } else { exponent as i64 - bias };
    let places = fraction_bits.div_ceil(4);
    let mut text =
        format!("{:0places$x}", fraction << (places * 4 - fraction_bits), places = places as usize);
    text.truncate(text.trim_end_matches('0').len());
    let point = if text.is_empty() { "" } else { "." };
    format!("{sign}0x{integer}{point}{text}p{power:+}")
}
