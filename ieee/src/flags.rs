//! The exceptions an operation raises (IEEE 754-2019, clause 7), as a result.

use crate::operation::Flag;
use std::fmt;
use std::ops::{BitOr, BitOrAssign};
use std::str::FromStr;

/// What an operation raised, a bit a flag; `B` is a bit of some algebra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Raised<B> {
    /// No useful result can be given (7.2).
    pub invalid: B,
    /// An exact infinity from finite operands (7.3).
    pub divide_by_zero: B,
    /// The rounded result exceeds the largest finite number (7.4).
    pub overflow: B,
    /// Default handling (7.5): the result is tiny after rounding, and inexact.
    pub underflow: B,
    /// The result differs from the exact one (7.6).
    pub inexact: B,
    /// The result is not zero before rounding and tiny after rounding, be it
    /// exact or not: rounded with an unbounded exponent it lies below the
    /// smallest normal number. `underflow` is `tiny` and `inexact`.
    pub tiny: B,
}

/// What a concrete operation raised.
pub type Flags = Raised<bool>;

impl<B> Raised<B> {
    /// The bit of one flag.
    pub fn get(&self, flag: Flag) -> &B {
        match flag {
            Flag::Invalid => &self.invalid,
            Flag::DivideByZero => &self.divide_by_zero,
            Flag::Overflow => &self.overflow,
            Flag::Underflow => &self.underflow,
            Flag::Inexact => &self.inexact,
            Flag::Tiny => &self.tiny,
        }
    }
}

impl Flags {
    /// Nothing raised.
    pub const NONE: Flags = Flags {
        invalid: false,
        divide_by_zero: false,
        overflow: false,
        underflow: false,
        inexact: false,
        tiny: false,
    };
    /// Only `invalid`.
    pub const INVALID: Flags = Flags { invalid: true, ..Flags::NONE };
    /// Only `inexact`.
    pub const INEXACT: Flags = Flags { inexact: true, ..Flags::NONE };

    /// Whether nothing was raised.
    pub fn is_empty(self) -> bool {
        self == Flags::NONE
    }

    /// The flags raised, in the order of [`Flag::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Flag> {
        Flag::ALL.into_iter().filter(move |&flag| *self.get(flag))
    }

    /// The five flags of the standard, without `tiny`.
    pub fn standard(self) -> Flags {
        Flags { tiny: false, ..self }
    }
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags {
            invalid: self.invalid | other.invalid,
            divide_by_zero: self.divide_by_zero | other.divide_by_zero,
            overflow: self.overflow | other.overflow,
            underflow: self.underflow | other.underflow,
            inexact: self.inexact | other.inexact,
            tiny: self.tiny | other.tiny,
        }
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        *self = *self | other;
    }
}

impl FromIterator<Flag> for Flags {
    fn from_iter<I: IntoIterator<Item = Flag>>(flags: I) -> Flags {
        let mut raised = Flags::NONE;
        for flag in flags {
            match flag {
                Flag::Invalid => raised.invalid = true,
                Flag::DivideByZero => raised.divide_by_zero = true,
                Flag::Overflow => raised.overflow = true,
                Flag::Underflow => raised.underflow = true,
                Flag::Inexact => raised.inexact = true,
                Flag::Tiny => raised.tiny = true,
            }
        }
        raised
    }
}

impl fmt::Display for Flags {
    /// A letter a flag, `vzouxt`; `-` for none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.pad("-");
        }
        f.pad(&self.iter().map(Flag::letter).collect::<String>())
    }
}

impl FromStr for Flags {
    type Err = String;

    fn from_str(text: &str) -> Result<Flags, String> {
        if text == "-" {
            return Ok(Flags::NONE);
        }
        text.chars()
            .map(|letter| {
                Flag::ALL
                    .into_iter()
                    .find(|flag| flag.letter() == letter)
                    .ok_or_else(|| format!("`{letter}` is no flag (v z o u x t)"))
            })
            .collect()
    }
}
