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
//! - `Float`: a value with its format, for everybody who just wants numbers;
//!   `evaluate` takes the hardware lane where it can.
//! - `vectors`: the operation vectors, which every engine runs.

mod algebra;
mod flags;
mod format;
mod operation;
mod rounding;
mod semantics;
mod word;

pub use algebra::{Algebra, Concrete};
pub use flags::{Flags, Raised};
pub use format::Format;
pub use operation::{
    ConcreteDatum, Datum, Domain, Flag, MismatchedOperands, Operation, OutOfRange, ParameterKind,
    Parameters, Sort, apply,
};
pub use rounding::Rounding;
pub use semantics::{Circuit, NanRule};
pub use word::Word;
