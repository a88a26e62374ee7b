//! Abstract interpretation of our representation over floats: what cannot happen.
//!
//! [`analyse`] runs a program on ranges instead of numbers. What no range allows cannot
//! happen: exceptions that no operand raises, code that control never comes to, failures
//! that nothing calls. One wrong "impossible" is worse than a thousand left open, so that
//! everything not understood is taken to do anything.
//!
//! From the ground up:
//!
//! - `grid.rs`, `span.rs`, `grain.rs`, `floats.rs`, `integers.rs`, `landmarks.rs`: numbers in
//!   order, sets of them, what these are multiples of, and those at which a program changes its
//!   ways
//! - `arithmetic.rs`, `pieces.rs`, `relation.rs`, `libm.rs`: operations on such sets, and
//!   what each may raise
//! - `linear.rs`, `slices.rs`: sums, and other values, whose operands share what they were
//!   computed from
//! - `kept.rs`, `value.rs`, `memory.rs`, `state.rs`, `implied.rs`: what registers and memory may
//!   hold, and what a truth value says of others
//! - `evaluate.rs`, `fraction.rs`, `refine.rs`, `preimage.rs`, `plain.rs`: instructions forward,
//!   and conditions backward
//! - `shape.rs`, `dominators.rs`, `reminders.rs`, `extremes.rs`: a function's text
//! - `few.rs`, `waiting.rs`, `machine.rs`, `calls.rs`, `library.rs`: functions, the ways that meet
//!   in them, loops and calls
//! - `contexts.rs`, `renaming.rs`, `asked.rs`: what is known of a function serves every call like
//!   it, and what its caller knows serves it
//! - `closely.rs`: small functions in parts of what they are given
//! - `start.rs`, `record.rs`, `parts.rs`, `analyse.rs`: from inputs, whole and in parts, to
//!   findings

mod analyse;
mod arithmetic;
mod asked;
mod calls;
mod closely;
mod contexts;
mod dominators;
mod evaluate;
mod exceptions;
mod extremes;
mod few;
mod floats;
mod fraction;
mod grain;
mod grid;
mod implied;
mod integers;
mod kept;
mod landmarks;
mod libm;
mod library;
mod linear;
mod machine;
mod memory;
mod parts;
mod pieces;
mod plain;
mod preimage;
mod record;
mod refine;
mod relation;
mod reminders;
mod renaming;
mod shape;
mod slices;
mod span;
mod start;
mod state;
mod value;
mod waiting;

pub use analyse::{FailureCall, Findings, Options, Whole, analyse};
pub use arithmetic::Modes;
pub use floats::{Floats, Span};
pub use record::SiteRange;
pub use start::Start;

#[cfg(test)]
mod tests;
