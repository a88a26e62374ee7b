//! How far a computation in floats is from the same computation in real numbers.
//!
//! A [`Graph`] holds float operations; [`prove`] bounds the error of its results over all inputs,
//! soundly; [`show`] searches for inputs with large errors and confirms them in exact arithmetic.
//! [`analyse_fpcore`] does both for the kernels of a text in FPCore.

mod analyse;
mod call;
mod choice;
mod choose;
mod climb;
mod conjugate;
mod estimate;
mod exact;
mod facts;
mod form;
pub mod fpcore;
mod functions;
mod graph;
mod homogeneous;
mod interval;
mod local;
mod maximise;
mod near;
mod premises;
mod prove;
mod recurrence;
mod rounding;
mod run;
mod sample;
mod seam;
mod seek;
mod shadow;
mod show;
mod tape;
mod wide;
mod within;

pub use analyse::{Entry, FpcoreOptions, analyse_core, analyse_fpcore};
pub use graph::{
    Call, Comparison, Function, Graph, Input, InputError, Model, Node, NodeId, Operation,
    PARAMETERS, Piece, Precision, Relation, Rounds,
};
pub use interval::Interval;
pub use prove::{Bound, Method, Open, Options, enclosures, prove, quick};
pub use recurrence::{Recurrence, invariant_errors};
pub use show::{Effort, Examiner, Shown, ShownInput, Worst, show};
