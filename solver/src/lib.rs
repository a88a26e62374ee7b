//! A solver for floats as floats: a query goes in, a model, a refutation or a reason comes out.
//!
//! - [`Solver`] is the chain: simplify, slice, look into caches, and let the
//!   engines work, cheapest first. `solver.rs` is the place to begin reading.
//! - An [`Engine`] begins an [`Attempt`] at a [`Query`] and works on it in
//!   slices, reading and leaving [`Clues`] for the others.
//! - A [`Verdict`] is a model that the evaluator confirmed, a refutation, or
//!   what stopped the work.

mod arithmetic;
pub mod blast;
mod bounds;
mod cache;
mod engine;
mod engines;
pub mod order;
pub mod propagate;
pub mod prune;
mod query;
pub mod reals;
mod recast;
mod schedule;
pub mod search;
mod simplify;
mod slice;
mod solver;

pub use bounds::{bounds, boxes};
pub use engine::{Attempt, Engine, Progress};
pub use engines::{Complete, External, Guessing, Propagation};
pub use query::{Clues, Query, Reason, Verdict};
pub use solver::{Choice, Defect, Options, Solver, Statistics};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
