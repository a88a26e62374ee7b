//! Bits: queries as circuits, circuits as clauses, clauses to a SAT solver.
//!
//! The complete engine. [`Blaster`] answers queries; below it, [`Aig`] is the
//! graph of gates, and an algebra of bits, so that `ieee`'s semantics makes the
//! circuit of every operation; [`Cnf`] writes gates as clauses; [`Sat`] is the
//! SAT solver.

pub mod aig;
mod blaster;
pub mod cnf;
mod deferred;
pub mod guess;
mod image;
mod lazy;
mod proof;
pub mod sat;
pub mod words;

pub use aig::{Aig, Lit};
pub use blaster::{Blaster, Options, Statistics, Verdict};
pub use cnf::Cnf;
pub use image::KnownBits;
pub use proof::Proof;
pub use sat::Sat;

use std::fmt;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The deadline passed.
    Time,
    /// Someone raised the stop flag.
    Stopped,
    /// The query outgrew the memory it was given.
    Memory,
    /// The engine does not know this; only terms that should have been
    /// eliminated at the door.
    Beyond(&'static str),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Time => f.write_str("out of time"),
            Reason::Stopped => f.write_str("stopped"),
            Reason::Memory => f.write_str("out of memory"),
            Reason::Beyond(what) => write!(f, "{what} is beyond bits"),
        }
    }
}
