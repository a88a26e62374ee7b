//! FPSE's projections, made exact: what an operation leaves of the boxes of its
//! operands and its result, and propagation of that to a fixpoint.
//!
//! The boxes and the projections of single operations are those of
//! [`nanoscope_sets`]; here a term is a constraint between such boxes, and a
//! network of them is narrowed until nothing changes.

pub mod bitwise;
pub mod constraint;
mod domain;
mod network;

pub use domain::Domain;
pub use nanoscope_sets::{BitsBox, FloatBox, Grid, Interval, Modes, Ordinal, Truths};
pub use network::{Network, Propagated};
