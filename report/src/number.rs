//! A number with a name: an input, an operand, a result; in bits and in words.

use nanoscope_ieee::{Float, Format};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A named value of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
        let float = Float::from_bits(format, bits);
        Number {
            name: name.to_string(),
            type_name: type_name.to_string(),
            bits: digits(bits, format.width()),
            value: decimal(&float),
            hex: Some(hexadecimal(&float)),
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

    /// Memory whose type is not known: its bytes, and as text where they are that.
    pub fn memory(name: &str, bytes: &[u8]) -> Number {
        let printable = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
        let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        let value = if text.iter().all(printable) {
            format!("{:?}", String::from_utf8_lossy(text))
        } else {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("bytes {}", digits.join(" "))
        };
        Number {
            name: name.to_string(),
            type_name: format!("char[{}]", bytes.len()),
            // The first byte is the lowest, as in a number.
            bits: bytes
                .iter()
                .rev()
                .fold("0x".to_string(), |text, byte| format!("{text}{byte:02x}")),
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

/// The shortest decimal, with its exponent signed as C's `%g` writes it.
fn decimal(float: &Float) -> String {
    if float.is_nan() {
        return "nan".to_string();
    }
    let shortest = float.to_string();
    match shortest.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        Some(_) | None => shortest.trim_end_matches(".0").to_string(),
    }
}

fn hexadecimal(float: &Float) -> String {
    if float.is_nan() { "nan".to_string() } else { float.to_hexadecimal() }
}

#[cfg(test)]
mod tests {
    use super::Number;
    use nanoscope_ieee::Format;

    #[track_caller]
    fn check(number: Number, bits: &str, value: &str, hex: Option<&str>) {
        assert_eq!((number.bits.as_str(), number.value.as_str()), (bits, value));
        assert_eq!(number.hex.as_deref(), hex);
    }

    fn double(value: f64) -> Number {
        Number::float("x", "double", Format::BINARY64, u128::from(value.to_bits()))
    }

    fn float(value: f32) -> Number {
        Number::float("x", "float", Format::BINARY32, u128::from(value.to_bits()))
    }

    #[test]
    fn floats_in_bits_decimal_and_hexadecimal() {
        let max = "1.7976931348623157e+308";
        check(double(f64::MAX), "0x7fefffffffffffff", max, Some("0x1.fffffffffffffp+1023"));
        check(double(-0.0), "0x8000000000000000", "-0", Some("-0x0p+0"));
        check(double(5e-324), "0x0000000000000001", "5e-324", Some("0x1p-1074"));
        check(double(12.5), "0x4029000000000000", "12.5", Some("0x1.9p+3"));
        check(double(f64::NEG_INFINITY), "0xfff0000000000000", "-inf", Some("-inf"));
        check(double(f64::NAN), "0x7ff8000000000000", "nan", Some("nan"));
        check(float(0.1), "0x3dcccccd", "0.1", Some("0x1.99999ap-4"));
        check(double(-f64::NAN), "0xfff8000000000000", "nan", Some("nan"));
        check(float(f32::MAX), "0x7f7fffff", "3.4028235e+38", Some("0x1.fffffep+127"));
    }

    #[test]
    fn formats_that_rust_has_not() {
        let one = Number::float("x", "long double", Format::X87, 0x3fff << 64 | 1 << 63);
        check(one, "0x3fff8000000000000000", "1", Some("0x1p+0"));
        let tenth = Number::float("x", "_Float16", Format::BINARY16, 0x2e66);
        check(tenth, "0x2e66", "0.1", Some("0x1.998p-4"));
    }

    #[test]
    fn integers_by_width_and_sign() {
        let check = |width, signed, bits, text: &str, value: &str| {
            check(Number::integer("n", "", width, signed, bits), text, value, None);
        };
        check(32, true, 0xffff_ffff, "0xffffffff", "-1");
        check(32, false, 0xffff_ffff, "0xffffffff", "4294967295");
        check(1, false, 1, "0x1", "1");
        check(128, true, 1 << 127, "0x80000000000000000000000000000000", &i128::MIN.to_string());
    }

    #[test]
    fn memory_is_text_or_bytes() {
        let check = |bytes: &[u8], text: &str, value: &str| {
            check(Number::memory("m", bytes), text, value, None);
        };
        check(b"a1\0", "0x003161", "\"a1\"");
        check(&[1, 0xff], "0xff01", "bytes 01 ff");
        check(b"a\0b", "0x620061", "bytes 61 00 62");
        check(b"", "0x", "\"\"");
    }

    #[test]
    fn encodings_are_read_back() {
        assert_eq!(double(1.5).encoding(), Some(0x3ff8 << 48));
        assert_eq!(Number { bits: "7".to_string(), ..double(0.0) }.encoding(), None);
    }
}
