//! The exceptions that findings are about.

use std::fmt;

/// What an operation can raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Exception {
    /// A finite computation's result is too large for the format.
    Overflow,
    /// A non-zero result is smaller than the smallest normal number.
    Underflow,
    /// A finite non-zero value divided by zero, or a function at its pole.
    DivideByZero,
    /// No useful result is defined: a NaN is born.
    Invalid,
    /// A conversion to an integer type that cannot hold the value.
    ConversionOutOfRange,
    /// Arithmetic on integers that derive from floats gives what their type cannot hold.
    IntegerOverflow,
}

/// The pattern of the exceptions of IEEE 754, or of those of integers.
#[macro_export]
macro_rules! exceptions {
    (Floating) => {
        $crate::exceptions!(@ Overflow Underflow DivideByZero Invalid)
    };
    (Integer) => {
        $crate::exceptions!(@ ConversionOutOfRange IntegerOverflow)
    };
    (@ $($Variant:ident)+) => {
        $($crate::Exception::$Variant { .. })|+
    };
    ($First:ident, $($More:ident),+) => {
        $crate::exceptions!($First) | $crate::exceptions!($($More),+)
    };
}

impl Exception {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Exception::Overflow => "overflow",
            Exception::Underflow => "underflow",
            Exception::DivideByZero => "divide-by-zero",
            Exception::Invalid => "invalid",
            Exception::ConversionOutOfRange => "conversion-out-of-range",
            Exception::IntegerOverflow => "integer-overflow",
        }
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
