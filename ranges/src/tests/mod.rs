//! Tests of the transfer functions: concrete results stay inside.

mod backward;
mod encodings;
mod library;
mod spans;
mod transfer;

pub use transfer::Dice;
