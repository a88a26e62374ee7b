//! Abstract interpretation of our representation over floats: what cannot happen.
//!
//! [`analyse`] runs a program on ranges instead of numbers. What no range allows cannot
//! happen: exceptions that no operand raises, code that control never comes to, failures
//! that nothing calls. One wrong "impossible" is worse than a thousand left open, so that
//! everything not understood is taken to do anything.
//!
//! The sets of numbers and their operations are those of [`nanoscope_sets`]; here is the
//! interpreter:
//!
//! - `value.rs`, `memory/`: the lattice of values; objects, cells, addresses
//! - `function/`: what a function's text tells before it is run
//! - `domain/`: the domains of the reduced product, a file each
//! - `fixpoint/`: iteration order, trace partitions, loops, widening, the interpreter
//! - `calls/`: summaries by context, recursion, argument partitions, the library
//! - `policy.rs`: every effort, limit and threshold
//! - `start.rs`, `record.rs`, `input_partitions.rs`, `analyse.rs`: from inputs to findings

mod analyse;
mod calls;
mod domain;
mod exceptions;
mod fixpoint;
mod function;
mod input_partitions;
mod integers;
mod libm;
mod memory;
mod policy;
mod predicate;
mod preimage;
mod record;
mod start;
mod value;

pub use analyse::{FailureCall, Findings, Options, UnboundedLoop, Whole, analyse};
pub use calls::graph::CallGraph;
pub use domain::point::Domains;
pub use fixpoint::unbounded::Unbounded;
pub use nanoscope_sets::{Floats, Modes, Span};
pub use record::SiteRange;
pub use start::Start;

#[cfg(test)]
mod tests;
