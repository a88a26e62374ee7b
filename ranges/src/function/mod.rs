//! What the text of a function tells before it is run: definitions and uses, liveness, and what
//! domains prepare once.

pub mod cancelling;
pub mod definitions;
pub mod expressions;
pub mod extrema;
pub mod facts;
pub mod liveness;
pub mod slices;
pub mod value_numbers;
