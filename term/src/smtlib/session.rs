//! Scripts, command by command.

use crate::{Model, Term, Terms};
use std::time::Duration;

/// What came of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All assertions hold under this model.
    Sat(Model),
    /// No model makes all assertions hold.
    Unsat,
    /// Undecided, and why.
    Unknown(String),
}

/// A decision procedure, as scripts need one.
pub trait Decide {
    /// Whether `assertions` can hold together. They are terms without arrays,
    /// uninterpreted functions and open results.
    fn decide(&mut self, terms: &mut Terms, assertions: &[Term], limit: Option<Duration>)
    -> Answer;
}
