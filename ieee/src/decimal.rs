//! Decimal text: the shortest that reads back as the same value, and reading
//! of text of any length, correctly rounded.

use crate::text::{NotANumber, saturating_exponent, special_from_text};
use crate::{Flags, Float, Format, Rounding};
use num_bigint::BigUint;
use num_traits::{One, Pow, ToPrimitive, Zero};
use std::fmt;

impl fmt::Display for Float {
    /// The shortest decimal text that reads back, to the nearest, as the same
    /// value: `0.1`, `1.0`, `1e16`, `5e-324`, `-inf`, `nan`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_sign_minus() { "-" } else { "" };
        let Some((_, significand, _)) = self.to_parts() else {
            return write!(f, "{sign}{}", if self.is_nan() { "nan" } else { "inf" });
        };
        if significand.is_zero() {
            return write!(f, "{sign}0.0");
        }
        let (digits, point) = self.shortest_digits().expect("a finite number that is not zero");
        let count = digits.len() as i64;
        if !(-3..=16).contains(&point) {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            return write!(f, "{sign}{first}{dot}{rest}e{}", point - 1);
        }
        if point <= 0 {
            let zeros = "0".repeat(point.unsigned_abs() as usize);
            write!(f, "{sign}0.{zeros}{digits}")
        } else if point >= count {
            let zeros = "0".repeat((point - count) as usize);
            write!(f, "{sign}{digits}{zeros}.0")
        } else {
            let (integer, fraction) = digits.split_at(point as usize);
            write!(f, "{sign}{integer}.{fraction}")
        }
    }
}

impl Float {
    /// The shortest digits `d` and the place `k` of the point for which
    /// `0.d * 10^k` reads back as this value, to the nearest; of these the
    /// closest. None for zeros, infinities and NaNs.
    ///
    /// Steele and White's free-format algorithm, as Burger and Dybvig put it
    /// (PLDI 1996), with exact integers.
    pub fn shortest_digits(&self) -> Option<(String, i64)> {
        if let (Format::BINARY64, Some(bits)) = (self.format(), self.to_bits()) {
            let value = f64::from_bits(bits as u64);
            return (value.is_finite() && value != 0.0).then(|| digits_of_double(value));
        }
        let (_, significand, exponent) = self.to_parts()?;
        (!significand.is_zero()).then(|| self.exact_digits(&significand, exponent))
    }

    fn exact_digits(&self, significand: &BigUint, exponent: i64) -> (String, i64) {
        let format = self.format();
        let even = !significand.bit(0);
        // Below a power of two the gap is half as wide, except at the bottom.
        let narrow = *significand == BigUint::one() << format.fraction_bits()
            && exponent > format.quantum_exponent();
        // value = rest / scale, the half gaps are above / scale, below / scale.
        let narrow = narrow as u64;
        let up = exponent.max(0) as u64;
        let down = exponent.min(0).unsigned_abs();
        let mut rest = significand << (up + 1 + narrow);
        let mut scale = BigUint::one() << (down + 1 + narrow);
        let mut above = BigUint::one() << (up + narrow);
        let mut below = BigUint::one() << up;

        // The place of the point, from the logarithm and corrected below.
        let log2 = (significand.bits() as i64 - 1 + exponent) as f64;
        let mut point = (log2 * std::f64::consts::LOG10_2).floor() as i64;
        let power = BigUint::from(10u32).pow(point.unsigned_abs());
        if point >= 0 {
            scale *= power;
        } else {
            rest *= &power;
            above *= &power;
            below *= &power;
        }
        let reaches = |rest: &BigUint, above: &BigUint, scale: &BigUint| {
            let high = rest + above;
            if even { high >= *scale } else { high > *scale }
        };
        while reaches(&rest, &above, &scale) {
            scale *= 10u32;
            point += 1;
        }
        // Now the first digit comes after one multiplication by ten; the
        // logarithm is never too large by more than this undoes.
        let mut digits = String::new();
        loop {
            rest *= 10u32;
            above *= 10u32;
            below *= 10u32;
            let digit = (&rest / &scale).to_u8().expect("a decimal digit");
            rest %= &scale;
            let low = if even { rest <= below } else { rest < below };
            let high = reaches(&rest, &above, &scale);
            if digits.is_empty() && digit == 0 && !low && !high {
                point -= 1;
                continue;
            }
            if !low && !high {
                digits.push((b'0' + digit) as char);
                continue;
            }
            let up = match (low, high) {
                (true, false) => false,
                (false, true) => true,
                _ => {
                    let twice = &rest << 1u32;
                    twice >= scale
                }
            };
            digits.push((b'0' + digit + up as u8) as char);
            return (digits, point);
        }
    }

    /// Reads text as [`Float::parse`] does, to the nearest; of doubles and singles far sooner.
    pub fn parse_nearest(format: Format, text: &str) -> Result<Float, NotANumber> {
        let decimal = text.bytes().all(|c| c.is_ascii_digit() || b"+-.eE".contains(&c));
        let read = match format {
            Format::BINARY64 if decimal => text.parse::<f64>().ok().map(Float::from),
            Format::BINARY32 if decimal => text.parse::<f32>().ok().map(Float::from),
            _ => None,
        };
        match read {
            Some(value) => Ok(value),
            None => Float::parse(format, Rounding::NearestEven, text).map(|(value, _)| value),
        }
    }

    /// Reads decimal text (`1.5`, `-2e-3`, `inf`, `nan`) or C's hexadecimal
    /// text (`0x1.8p+3`) of any length, correctly rounded.
    pub fn parse(
        format: Format,
        rounding: Rounding,
        text: &str,
    ) -> Result<(Float, Flags), NotANumber> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
            return Float::from_hexadecimal(format, rounding, text);
        }
        if let Some(special) = special_from_text(format, text) {
            return Ok((special, Flags::NONE));
        }
        let error = || NotANumber::new(text);
        let negative = text.starts_with('-');
        let (digits, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, saturating_exponent(exponent).ok_or_else(error)?),
            None => (unsigned, 0),
        };
        let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all = format!("{integer}{fraction}");
        if all.is_empty() || !all.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(error());
        }
        let significant = all.trim_start_matches('0');
        if significant.is_empty() {
            return Ok((Float::zero(format, negative), Flags::NONE));
        }
        // 10^(point - 1) <= value < 10^point
        let scale = exponent - fraction.len() as i64;
        let point = significant.len() as i64 + scale;
        let round = |top: i64| {
            let mut circuit = crate::Circuit::new(crate::Concrete);
            circuit.round_known(format, rounding, negative, top, &BigUint::from(0b1001u32))
        };
        // Far outside the format the digits do not matter, and the powers of
        // ten would not fit anywhere.
        let log2 = |point: i64| (point as f64 * std::f64::consts::LOG2_10) as i64;
        if log2(point - 1) > format.max_exponent() + 4 {
            return Ok(round(format.max_exponent() + 4));
        }
        if log2(point) < format.quantum_exponent() - 8 {
            return Ok(round(format.quantum_exponent() - 8));
        }
        let significand = BigUint::parse_bytes(significant.as_bytes(), 10).ok_or_else(error)?;
        let power = BigUint::from(10u32).pow(scale.unsigned_abs());
        Ok(if scale >= 0 {
            let numerator = significand * power;
            Float::from_ratio(format, rounding, negative, &numerator, &BigUint::one())
        } else {
            Float::from_ratio(format, rounding, negative, &significand, &power)
        })
    }
}

/// The same of a double, whose digits Rust finds by the same rule and sooner.
fn digits_of_double(value: f64) -> (String, i64) {
    let text = format!("{:e}", value.abs());
    let (digits, exponent) = text.split_once('e').expect("an exponent");
    let exponent: i64 = exponent.parse().expect("a whole number");
    (digits.replace('.', ""), exponent + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Doubles at random and at the ends of binades: both ways to their digits agree.
    #[test]
    fn digits_of_doubles_are_exact() {
        let mut bits = 0x9e37_79b9_7f4a_7c15u64;
        let ends =
            (0..2047u64).flat_map(|field| [field << 52, (field << 52) | 1, (field + 1) << 52]);
        let random = (0..4000).map(|_| {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            bits >> 1
        });
        for bits in ends.chain(random) {
            let float = Float::from(f64::from_bits(bits));
            let Some((_, significand, exponent)) = float.to_parts() else { continue };
            if significand.is_zero() {
                continue;
            }
            let exact = float.exact_digits(&significand, exponent);
            assert_eq!(float.shortest_digits(), Some(exact), "{bits:#x}");
        }
    }
    /// Texts in and beyond both formats, halfway between neighbours, and none: both ways to
    /// their values agree.
    #[test]
    fn nearest_values_are_those_of_exact_reading() {
        let mut texts: Vec<String> = ["", "-", ".", "1.", ".5", "-.5e3", "+7", "1e", "1e+5", "e5"]
            .into_iter()
            .chain(["0", "-0", "-0.0e9", "inf", "nan", "0x1.8p3", "1e99999999999999999999"])
            .chain(["9007199254740993", "16777217", "16777219", "3.4028235677973366e38"])
            .chain(["2.4703282292062327e-324", "2.4703282292062328e-324", "1.7976931348623159e308"])
            .map(str::to_owned)
            .collect();
        for decade in -360..=330 {
            for digits in ["1", "-9", "2.5", "123456789012345678901234567890"] {
                texts.push(format!("{digits}e{decade}"));
            }
        }
        for text in &texts {
            for format in [Format::BINARY16, Format::BINARY32, Format::BINARY64] {
                let exact = Float::parse(format, Rounding::NearestEven, text);
                let exact = exact.ok().map(|(value, _)| value.to_bits());
                let nearest = Float::parse_nearest(format, text).ok().map(|value| value.to_bits());
                assert_eq!(nearest, exact, "`{text}`");
            }
        }
    }
}
