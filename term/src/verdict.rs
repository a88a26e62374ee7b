//! How a query ends.

use crate::Model;
use std::fmt;

/// How a query ends: satisfiable, with a model or whatever else shows it; not satisfiable; or
/// undecided, for a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict<R, M = Model> {
    /// All assertions hold under this model.
    Sat(M),
    /// No model makes all assertions hold.
    Unsat,
    /// Undecided, and why.
    Unknown(R),
}

impl<R, M> Verdict<R, M> {
    /// The same with the reason in other terms.
    pub fn map_reason<S>(self, change: impl FnOnce(R) -> S) -> Verdict<S, M> {
        match self {
            Verdict::Sat(model) => Verdict::Sat(model),
            Verdict::Unsat => Verdict::Unsat,
            Verdict::Unknown(reason) => Verdict::Unknown(change(reason)),
        }
    }

    /// The same in one word.
    pub fn status(&self) -> Status {
        match self {
            Verdict::Sat(_) => Verdict::Sat(()),
            Verdict::Unsat => Verdict::Unsat,
            Verdict::Unknown(_) => Verdict::Unknown(()),
        }
    }
}

/// A verdict in one word.
pub type Status = Verdict<(), ()>;

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Sat(()) => "sat",
            Verdict::Unsat => "unsat",
            Verdict::Unknown(()) => "unknown",
        })
    }
}
