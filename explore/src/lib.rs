//! Symbolic execution of our representation: states, memory, scheduling, library models.
//!
//! - `options.rs`, `outcome.rs`: what is asked and what is told
//! - `value.rs`, `environment.rs`, `compute/`, `memory/`: what registers and memory hold and
//!   what instructions compute

mod options;
mod outcome;

pub use options::{Goal, Options, Scheduler, Start, Stdin};
pub use outcome::{Ending, Event, Flow, Given, How, Outcome, PathEnd, Statistics};
