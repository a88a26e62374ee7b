//! What decimal and hexadecimal text have in common.

use crate::{Float, Format};
use std::fmt;

/// Text that is no number.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotANumber {
    /// What was read.
    pub text: String,
}

impl NotANumber {
    pub(crate) fn new(text: &str) -> NotANumber {
        NotANumber { text: text.to_owned() }
    }
}

impl fmt::Display for NotANumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no number (1.5, -2e-3, 0x1.8p+3, inf, nan)", self.text)
    }
}

impl std::error::Error for NotANumber {}

/// The infinity or NaN that a text names, in any case, with any sign.
pub(crate) fn special_from_text(format: Format, text: &str) -> Option<Float> {
    let negative = text.starts_with('-');
    let name = text.strip_prefix(['+', '-']).unwrap_or(text);
    if name.eq_ignore_ascii_case("inf") || name.eq_ignore_ascii_case("infinity") {
        Some(Float::infinity(format, negative))
    } else if name.eq_ignore_ascii_case("nan") {
        let nan = Float::nan(format);
        Some(if negative { nan.neg() } else { nan })
    } else {
        None
    }
}

/// Reads a signed decimal exponent of any length; the value sticks at the ends
/// of a range no format reaches.
pub(crate) fn saturating_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let magnitude = digits.parse::<i64>().unwrap_or(i64::MAX).min(1 << 60);
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}
