//! Goals: the questions asked about a site.

use crate::SiteId;

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
}
