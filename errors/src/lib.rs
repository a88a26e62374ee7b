//! How far a computation in floats is from the same computation in real numbers.
//!
//! A [`Graph`] holds float operations; [`prove`] bounds the error of its results over all inputs,
//! soundly; [`show`] searches for inputs with large errors and confirms them in exact arithmetic.
//! [`analyse_fpcore`] does both for the kernels of a text in FPCore.

mod analyse;
mod call;
pub mod fpcore;
mod functions;
mod graph;
mod interval;
mod prove;
mod rounding;
mod show;

pub use analyse::{Entry, FpcoreOptions, analyse_core, analyse_fpcore};
pub use graph::{
    Call, Comparison, Enclosure, Function, Graph, Input, InputError, Model, Node, NodeId,
    Operation, PARAMETERS, Piece, Precision, Relation, Rounds,
};
pub use interval::Interval;
pub use prove::recurrence::{Recurrence, invariant_errors};
pub use prove::{Bound, Method, Open, Options, enclosures, prove, quick};
pub use show::{Effort, Examiner, FloatResult, Shown, ShownInput, Worst, show};
