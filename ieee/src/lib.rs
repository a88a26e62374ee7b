//! IEEE 754 arithmetic: formats, values, rounding, exceptions and every operation.
//!
//! The parts, from the ground up:
//!
//! - [`Format`], [`Rounding`], [`Flags`]: what an encoding means, which way an
//!   operation rounds, what it raises. Rounding is an operand and flags are a
//!   result everywhere; nothing here reads or writes ambient state.
//! - [`for_each_operation!`]: the one table of operations, which expands into
//!   [`Operation`] and the trait [`Domain`].
//! - [`Algebra`]: an algebra of bits and words. [`Concrete`] is the one of
//!   known bits, with [`Word`] as its word.
//! - [`Circuit`]: the semantics of every operation, written once over any
//!   [`Algebra`]. `Circuit<Concrete>` is the soft float.
//! - [`Float`]: a value with its format, for everybody who just wants numbers;
//!   [`evaluate_value`] takes the hardware lane where it can.
//! - [`vectors`]: the operation vectors, which every engine runs.
//! - [`for_each_libm!`]: the one table of the mathematical library, which expands into [`Libm`].
//!
//! ```
//! use nanoscope_ieee::{Float, Format, Rounding};
//!
//! let tenth = Float::parse(Format::BINARY32, Rounding::NearestEven, "0.1").unwrap().0;
//! let (product, flags) = tenth.mul(&tenth, Rounding::Upward);
//! assert_eq!(product.to_string(), "0.010000001");
//! assert_eq!(product.to_hexadecimal(), "0x1.47ae16p-7");
//! assert!(flags.inexact && !flags.underflow);
//! ```

mod algebra;
mod decimal;
mod flags;
mod float;
mod format;
mod hardware;
mod hexadecimal;
pub mod libm;
mod operation;
mod order;
mod rational;
mod rounding;
mod semantics;
mod text;
pub mod vectors;
mod word;

pub use algebra::{Algebra, Concrete};
pub use flags::{Flags, Raised};
pub use float::{Float, evaluate, evaluate_value};
pub use format::Format;
pub use libm::Libm;
pub use operation::{
    ConcreteDatum, Datum, Domain, Family, Flag, MismatchedOperands, Operation, OutOfRange,
    ParameterKind, Parameters, Sort, apply,
};
pub use rational::Rational;
pub use rounding::Rounding;
pub use semantics::{Circuit, NanRule};
pub use text::NotANumber;
pub use word::Word;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
