//! Concrete words: known bits of any width.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use std::fmt;

/// A string of known bits. Up to 128 of them are a machine integer.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Word {
    width: u32,
    value: Digits,
}

/// `Large` exactly when the width exceeds 128.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Digits {
    Small(u128),
    Large(BigUint),
}

const fn mask(width: u32) -> u128 {
    if width == 0 { 0 } else { u128::MAX >> (128 - width) }
}

impl Word {
    /// The low `width` bits of `value`.
    #[inline]
    pub fn new(width: u32, value: u128) -> Word {
        if width <= 128 {
            Word { width, value: Digits::Small(value & mask(width)) }
        } else {
            Word { width, value: Digits::Large(BigUint::from(value)) }
        }
    }

    /// The low `width` bits of `value`.
    pub fn from_big(width: u32, value: &BigUint) -> Word {
        if width <= 128 {
            let low = value.iter_u64_digits().take(2);
            let low =
                low.enumerate().fold(0u128, |low, (i, limb)| low | (limb as u128) << (64 * i));
            Word::new(width, low)
        } else if value.bits() <= width as u64 {
            Word { width, value: Digits::Large(value.clone()) }
        } else {
            let modulus = (BigUint::one() << width) - 1u32;
            Word { width, value: Digits::Large(value & modulus) }
        }
    }

    /// All bits clear.
    #[inline]
    pub fn zero(width: u32) -> Word {
        Word::new(width, 0)
    }

    /// All bits set.
    #[inline]
    pub fn ones(width: u32) -> Word {
        if width <= 128 {
            Word::new(width, u128::MAX)
        } else {
            Word { width, value: Digits::Large((BigUint::one() << width) - 1u32) }
        }
    }

    /// `count` bits set from `low` up, all others clear.
    #[inline]
    pub fn run(width: u32, low: u32, count: u32) -> Word {
        assert!(low + count <= width, "bits {low}+{count} of a word of {width}");
        if width <= 128 {
            let value = if low == 128 { 0 } else { mask(count) << low };
            Word { width, value: Digits::Small(value) }
        } else {
            let ones = (BigUint::one() << count) - 1u32;
            Word { width, value: Digits::Large(ones << low) }
        }
    }

    /// The word with these bits, the least significant first.
    pub fn from_bits(bits: &[bool]) -> Word {
        let width = bits.len() as u32;
        if width <= 128 {
            let value = bits.iter().rev().fold(0u128, |value, &bit| value << 1 | bit as u128);
            return Word::new(width, value);
        }
        let mut value = BigUint::zero();
        for (i, _) in bits.iter().enumerate().filter(|(_, bit)| **bit) {
            value.set_bit(i as u64, true);
        }
        Word { width, value: Digits::Large(value) }
    }

    /// Its width in bits.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The bit at `index`, 0 being the least significant.
    #[inline]
    pub fn bit(&self, index: u32) -> bool {
        assert!(index < self.width, "bit {index} of a word of {}", self.width);
        match &self.value {
            Digits::Small(value) => value >> index & 1 == 1,
            Digits::Large(value) => value.bit(index as u64),
        }
    }

    /// Its value as an unsigned number, if that fits.
    #[inline]
    pub fn to_u128(&self) -> Option<u128> {
        match &self.value {
            Digits::Small(value) => Some(*value),
            Digits::Large(value) => value.to_u128(),
        }
    }

    /// Its low 64 bits.
    #[inline]
    pub fn low_u64(&self) -> u64 {
        match &self.value {
            Digits::Small(value) => *value as u64,
            Digits::Large(value) => value.iter_u64_digits().next().unwrap_or(0),
        }
    }

    /// Its value as an unsigned number.
    pub fn to_big(&self) -> BigUint {
        match &self.value {
            Digits::Small(value) => BigUint::from(*value),
            Digits::Large(value) => value.clone(),
        }
    }

    /// Whether no bit is set.
    #[inline]
    pub fn is_zero(&self) -> bool {
        match &self.value {
            Digits::Small(value) => *value == 0,
            Digits::Large(value) => value.is_zero(),
        }
    }

    /// How many bits, up from the least significant, its value takes.
    #[inline]
    pub fn significant_bits(&self) -> u32 {
        match &self.value {
            Digits::Small(value) => 128 - value.leading_zeros(),
            Digits::Large(value) => value.bits() as u32,
        }
    }

    /// Applies `small` or `large` to the values of two words of any widths and
    /// cuts the outcome to `width` bits. `small` is taken only when the result
    /// and both operands have at most 128 bits.
    #[inline]
    pub(crate) fn combine(
        &self,
        other: &Word,
        width: u32,
        small: impl FnOnce(u128, u128) -> u128,
        large: impl FnOnce(BigUint, BigUint) -> BigUint,
    ) -> Word {
        match (&self.value, &other.value) {
            (Digits::Small(a), Digits::Small(b)) if width <= 128 => Word::new(width, small(*a, *b)),
            _ => Word::from_big(width, &large(self.to_big(), other.to_big())),
        }
    }

    /// Its value and width when it has at most 128 bits.
    #[inline]
    pub(crate) fn small(&self) -> Option<u128> {
        match &self.value {
            Digits::Small(value) => Some(*value),
            Digits::Large(_) => None,
        }
    }

    /// Its digits in hexadecimal, as many as its width takes, without prefix.
    pub fn to_hex(&self) -> String {
        let digits = self.width.div_ceil(4) as usize;
        match &self.value {
            Digits::Small(value) => format!("{value:0digits$x}"),
            Digits::Large(value) => format!("{value:0>digits$x}"),
        }
    }

    /// Reads hexadecimal digits, with or without `0x`; `None` if these are no
    /// such digits or do not fit the width.
    pub fn from_hex(width: u32, text: &str) -> Option<Word> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let value = BigUint::parse_bytes(digits.as_bytes(), 16)?;
        (value.bits() <= width as u64).then(|| Word::from_big(width, &value))
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}'0x{}", self.width, self.to_hex())
    }
}

impl fmt::LowerHex for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad_integral(true, "0x", &self.to_hex())
    }
}
