//! Tests of the transfer functions: concrete results stay inside.

mod integers;
mod library;
mod transfer;

pub use transfer::Dice;
