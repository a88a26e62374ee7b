//! Sets of floats.
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
