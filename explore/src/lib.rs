//! Symbolic execution of our representation: states, memory, scheduling, library models.
//!
//! - `options.rs`, `outcome.rs`: what is asked and what is told
//! - `value.rs`, `environment.rs`, `compute/`, `memory/`: what registers and memory hold and
//!   what instructions compute

pub mod compute;
pub mod environment;
pub mod library;
pub mod memory;
mod options;
mod outcome;
mod value;

pub use environment::Environment;
pub use options::{Goal, Options, Scheduler, Start, Stdin};
pub use outcome::{Ending, Event, Flow, Given, How, Outcome, PathEnd, Statistics};
pub use value::Value;
