//! The operations, a file each: what it makes of sets of operands, and what its result leaves of
//! them.

pub mod add;
pub mod classify;
pub mod compare;
pub mod convert;
pub mod div;
pub mod encoding;
pub mod extremum;
pub mod fma;
pub mod from_integer;
pub mod mul;
pub mod remainder;
pub mod round_to_integral;
pub mod sign;
pub mod sqrt;
pub mod step;
pub mod sub;
pub mod to_integer;
