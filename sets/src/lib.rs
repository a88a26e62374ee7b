//! Sets of floating-point numbers, and what every operation makes of them, forward and backward.
//!
//! The parts, from the ground up:
//!
//! - [`Grid`]: the ordered line of a format; an [`Ordinal`] is a place in it, an [`Interval`] a
//!   stretch of it. [`Real`] and [`Scalar`] compute exactly and round once, on any format of up to
//!   128 bits.
//! - [`Floats`] (generic over the type of its ordinals: [`FloatSet`], kept small: [`CompactFloats`])
//!   and [`FloatBox`]: sets of floats. [`Integers`] and [`BitsBox`]: sets of integers. [`Modes`],
//!   [`Truths`], [`Relation`], [`Classes`]: sets of rounding modes, truth values, orders, classes.
//!   [`Set`] and [`Bits`] are what a projection asks of a set.
//! - [`project`]: the hull of `z = f(x…)` on rectangles where `f` is monotone.
//! - [`operation`]: the operations of IEEE 754, a file each: what it gives and may raise (`direct`),
//!   what its result leaves of its operands (`narrow`), how far it rounds (`error`). [`libm`]: the
//!   mathematical library.
//! - [`Direct`] and [`Projection`]: the tables of all operations, forward and both ways. They
//!   implement `nanoscope_ieee`'s `Domain`, so that a missing operation does not compile.
//!
//! A first example is in the README.

mod bits;
mod direct;
mod float_box;
pub mod floats;
mod grid;
mod image;
mod integers;
mod interval;
pub mod libm;
mod modes;
pub mod operation;
pub mod project;
mod projection;
mod real;
mod rounding_error;
mod scalar;
mod set;
mod truths;

pub use bits::{Bits, BitsBox, mask};
pub use direct::Direct;
pub use float_box::FloatBox;
pub use floats::{CompactFloats, FloatSet, Floats, Signs, Span};
pub use grid::Grid;
pub use image::{Image, Order};
pub use integers::Integers;
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

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
