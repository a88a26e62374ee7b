//! Analyses: what a user asks of a program. Each makes goals, drives engines, and has
//! every candidate confirmed before it becomes a finding.

mod condition;
pub mod exceptions;
mod external;
mod library;
pub mod listing;
mod numbers;
pub mod precision;
pub mod replay;
mod replayed;
mod shadow;
mod subject;
pub mod tests;

pub use subject::Source;
