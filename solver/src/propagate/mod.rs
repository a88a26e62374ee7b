//! FPSE's projections, made exact: what an operation leaves of the boxes of its
//! operands and its result, and propagation of that to a fixpoint.
//!
//! A float is an interval in the order of its format and perhaps a NaN
//! ([`FloatBox`]); the projections of an operation cut from the boxes of
//! operands and result only what no solution has. They go both ways at once and
//! are written once for every format of up to 128 bits and every rounding mode:
//! an operation is monotone on a few rectangles ([`monotone`]), its value at a
//! point is computed exactly ([`scalar`], [`exact`]), and the rest is search
//! along that monotone function.

pub mod arithmetic;
pub mod bits;
pub mod bitwise;
mod cases;
pub mod constraint;
pub mod conversion;
pub mod diagonal;
mod domain;
pub mod exact;
mod grid;
mod interval;
pub mod libm;
pub mod monotone;
mod network;
pub mod relation;
pub mod remainder;
pub mod scalar;
pub mod sign;

pub use bits::BitsBox;
pub use cases::Narrowed;
pub use domain::Domain;
pub use grid::Grid;
pub use interval::{FloatBox, Interval, Modes, Ordinal};
pub use network::{Network, Outcome};
pub use relation::{Class, Truths};
