//! Tests of the transfer functions: concrete results stay inside.

mod encodings;
mod library;
mod transfer;

pub use transfer::Dice;
