//! C's hexadecimal text: `-0x1.8p+3`, exact in both directions where it fits.

use crate::text::{NotANumber, saturating_exponent, special_from_text};
use crate::{Flags, Float, Format, Rounding};
use num_bigint::BigUint;
use num_traits::{One, Zero};

impl Float {
    /// C's hexadecimal text, as `printf("%a")` has it: `0x1.8p+3`,
    /// `0x0p+0`, `-inf`, `nan`. Numbers, subnormal ones too, start with a one.
    pub fn to_hexadecimal(&self) -> String {
        let sign = if self.is_sign_minus() { "-" } else { "" };
        let Some((_, significand, exponent)) = self.to_parts() else {
            let name = if self.is_nan() { "nan" } else { "inf" };
            return format!("{sign}{name}");
        };
        if significand.is_zero() {
            return format!("{sign}0x0p+0");
        }
        let top = significand.bits() - 1;
        let exponent = exponent + top as i64;
        let fraction = significand - (BigUint::one() << top);
        let digits = top.div_ceil(4) as usize;
        let aligned = fraction << (4 * digits as u64 - top);
        let digits = if digits == 0 { String::new() } else { format!("{aligned:0>digits$x}") };
        let digits = digits.trim_end_matches('0');
        let point = if digits.is_empty() { "" } else { "." };
        format!("{sign}0x1{point}{digits}p{exponent:+}")
    }

    /// Reads C's hexadecimal text, rounding if it has more digits than fit.
    pub fn from_hexadecimal(
        format: Format,
        rounding: Rounding,
        text: &str,
    ) -> Result<(Float, Flags), NotANumber> {
        let error = || NotANumber::new(text);
        if let Some(special) = special_from_text(format, text) {
            return Ok((special, Flags::NONE));
        }
        let (negative, rest) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let rest = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")).ok_or_else(error)?;
        let (digits, exponent) = match rest.split_once(['p', 'P']) {
            Some((digits, exponent)) => (digits, saturating_exponent(exponent).ok_or_else(error)?),
            None => (rest, 0),
        };
        let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all = format!("{integer}{fraction}");
        if all.is_empty() || !all.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(error());
        }
        let significand = BigUint::parse_bytes(all.as_bytes(), 16).ok_or_else(error)?;
        if significand.is_zero() {
            return Ok((Float::zero(format, negative), Flags::NONE));
        }
        let top = significand.bits() as i64 - 1 - 4 * fraction.len() as i64;
        let exponent = exponent.saturating_add(top).clamp(i64::MIN / 2, i64::MAX / 2);
        // Room below for half, next and sticky, whatever the text's length.
        let significand = significand << 3u32;
        let mut circuit = crate::Circuit::new(crate::Concrete);
        Ok(circuit.round_known(format, rounding, negative, exponent, &significand))
    }
}
