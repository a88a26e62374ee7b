//! Bits: queries as circuits, circuits as clauses, clauses to a SAT solver.
//!
//! The complete engine. [`Aig`] is the graph of gates, and an algebra of bits,
//! so that `ieee`'s semantics makes the circuit of every operation; [`Cnf`]
//! writes gates as clauses; [`Sat`] is the SAT solver.

pub mod aig;
pub mod cnf;
pub mod sat;
pub mod words;

pub use aig::{Aig, Lit};
pub use cnf::Cnf;
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
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Time => "out of time",
            Reason::Stopped => "stopped",
            Reason::Memory => "out of memory",
        })
    }
}
