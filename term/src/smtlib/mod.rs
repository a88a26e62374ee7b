//! The SMT-LIB door: reading, printing, and answering scripts (SMT-LIB 2.6,
//! with the overflow predicates of 2.7).
//!
//! Sorts: Bool, BitVec, FloatingPoint, RoundingMode, arrays, and declared
//! sorts, which are strings of 32 bits. Real numbers are read where they are
//! known, or the values of floats (`fp.to_real`), which are compared with each other and with known
//! ones; of sums and products of these nothing is known, so that queries about them are refuted or
//! unknown. There are no unknowns of sort Real. What is more than SMT-LIB has:
//!
//! - `fp.to_ieee_bv`, as other solvers have it; any NaN's encoding for the NaN.
//! - `libm.exp`, `libm.pow` and so on ([`Libm`](crate::Libm)): the machine's
//!   libm, on `Float32` and `Float64`.
//! - `ieee.min_num`, `ieee.next_up`, `(_ ieee.to_signed 32 saturate)` and so
//!   on: the operations of the table in `ieee` that SMT-LIB has not, or leaves
//!   partly open.
//!
//! A mistake is answered by an error and has no effect; the script goes on, as
//! `(get-info :error-behavior)` says. Only text that cannot be taken apart into
//! commands ends it.

mod cores;
mod expression;
mod head;
mod heads;
mod names;
mod print;
mod reals;
mod session;
mod symbols;
mod text;

pub(crate) use expression::expression_text;
pub use print::{
    DeclaredSorts, function_definition, script_text, term_text, value_text, variable_definition,
};
pub use session::{Answer, Decide, Failure, Problem, Session, read, read_values};
pub use text::{Mistake, Place};
