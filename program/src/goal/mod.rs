//! Goals: the questions asked about a site.

pub mod constant_operands;
pub mod distance;
pub mod exception;
pub mod float_derived;
pub mod integer;
pub mod site;
pub mod software;

use exception::Exception;
use site::{Action, SiteId};

/// The position of a goal in its target's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GoalId(pub u32);

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
            Action::Libm(function) => crate::code::libm::exceptions(function),
        }
    }
}
