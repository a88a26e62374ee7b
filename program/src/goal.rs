//! Goals: the questions asked about a site.

use crate::site::{Action, SiteId};
use std::fmt;

/// The position of a goal in its target's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GoalId(pub u32);

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

/// Can this site raise this exception?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Goal {
    /// Its identity within the target.
    pub id: GoalId,
    /// The place asked about.
    pub site: SiteId,
    /// The exception asked about.
    pub exception: Exception,
    /// Why the answer is never, where a constant operand shows it.
    pub never: Option<&'static str>,
}

impl Action {
    /// The exceptions it can raise where it stands (IEEE 754 clause 7).
    ///
    /// Comparisons, copies, absolute values, negations and widening conversions
    /// create none: what comes out exceptional went in exceptional.
    pub fn exceptions(&self) -> Vec<Exception> {
        use Exception::*;
        match self {
            Action::Add | Action::Sub | Action::Mul | Action::Fma => {
                vec![Overflow, Underflow, Invalid]
            }
            Action::Div => vec![Overflow, Underflow, DivideByZero, Invalid],
            Action::Rem => vec![Underflow, Invalid],
            Action::Sqrt => vec![Invalid],
            Action::Narrow { .. } => vec![Overflow, Underflow],
            Action::ToInteger { .. } => vec![ConversionOutOfRange],
            Action::Integer(_) => vec![IntegerOverflow],
            Action::Libm(function) => function.exceptions(),
        }
    }
}
