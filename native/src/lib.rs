//! Running real machine code: worker processes for searching, replay under hardware
//! traps for confirming, and the sandbox that both are in. x86-64 Linux.
#![allow(unsafe_code)] // forking, loading and tracing foreign code is what this room is for

mod board;
mod child;
mod loaded;
mod outcome;
mod runner;
mod sandbox;
mod shared;
mod worker;

pub use outcome::{Death, Limits, Outcome};
pub use runner::Observer;
pub use sandbox::Sandbox;
pub use worker::{Batch, Casualty, Improvement, Worker};
