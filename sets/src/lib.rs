//! Sets of floating-point numbers, and what every operation makes of them, forward and backward.
//!
//! The parts, from the ground up:
//!
//! - [`Grid`]: the ordered line of a format; an [`Ordinal`] is a place in it, an [`Interval`] a
//!   stretch of it. [`Real`] and [`Scalar`] compute exactly and round once, on any format of up to
//!   128 bits.
//! - [`FloatBox`], [`BitsBox`], [`Modes`], [`Truths`]: sets of floats, bit strings, rounding modes
//!   and truth values. [`Set`] and [`Bits`] are what a projection asks of a set.
//! - [`project`]: the hull of `z = f(x…)` on rectangles where `f` is monotone.
//! - [`operation`]: the operations of IEEE 754, a file each; [`libm`]: the mathematical library.
//! - [`Projection`]: the table of all operations as equations between sets.

mod bits;
mod float_box;
mod grid;
mod interval;
pub mod libm;
mod modes;
pub mod operation;
pub mod project;
mod projection;
mod real;
mod scalar;
mod set;
mod truths;

pub use bits::{Bits, BitsBox, mask};
pub use float_box::FloatBox;
pub use grid::Grid;
pub use interval::{Interval, Ordinal};
pub use modes::Modes;
pub use operation::classify::Classes;
pub use operation::compare::Relation;
pub use project::{Left, Narrowed};
pub use projection::{Operand, Projection, SetDatum};
pub use real::Real;
pub use scalar::Scalar;
pub use set::Set;
pub use truths::Truths;
