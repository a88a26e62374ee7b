//! Typed terms over truth values, bit strings, floats and rounding modes.
//!
//! - [`Terms`] holds every term once; [`Term`] names one. [`Op`] is what a
//!   term does, [`Sort`] what it stands for. Terms are simplified as they are
//!   made, by the rules in [`rules`].
//! - [`evaluate`] gives a term's [`Value`] under a [`Model`], by exact
//!   arithmetic that shares nothing with the semantics in `ieee`: a second
//!   opinion on whatever an engine finds.
//! - [`eliminate`] turns what only the SMT-LIB door knows (arrays,
//!   uninterpreted functions, results that SMT-LIB leaves open) into terms that
//!   engines understand, and models of these back.
//! - [`smtlib`] reads and prints SMT-LIB 2.6; [`standard`] brings terms into
//!   the functions that every solver knows.
//! - [`NormalForm`] writes terms for people, an operation a line.

mod build;
mod eliminate;
mod evaluate;
mod model;
mod normal_form;
mod op;
mod rewrite;
pub mod smtlib;
mod sort;
mod standard;
mod terms;
mod typing;
mod value;
mod verdict;

pub use eliminate::{Eliminated, eliminate};
pub use evaluate::{Evaluated, Evaluation, evaluate, holds};
pub use model::{FunctionValue, Model};
pub use nanoscope_ieee::Libm;
pub use normal_form::NormalForm;
pub use op::{BitsOp, Op, Unspecified};
pub use rewrite::{Rule, rules};
pub use sort::{ArraySort, Sort};
pub use standard::standard;
pub use terms::{Function, FunctionId, Term, Terms, ValueId, VariableId};
pub use value::{ArrayValue, Value};
pub use verdict::{Status, Verdict};
