//! The functions of the mathematical library: monotone on a few stretches of their arguments, and
//! enclosed around the correctly rounded value.
//!
//! What the machine's library returns is not known exactly. [`ASSUMPTION`] says what is taken for
//! granted of it.

mod binary;
mod enclosure;
mod unary;

pub use binary::{direct as direct_binary, narrow as narrow_binary};
pub use unary::{direct, narrow};

/// What is assumed of the mathematical library.
pub const ASSUMPTION: &str = "the mathematical library is within 8 units in the last place of \
     the correctly rounded result (64 for gamma functions and when not rounding to nearest), \
     with the right sign and within the bounds of the function, and exact at infinities and where \
     it gives zero";
