//! Loops whose variables are not bounded, and what keeps them from being so.

use std::fmt;

/// Why no bounds of the variables of a loop were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unbounded {
    /// It has more variables than are followed.
    ManyVariables,
    /// A variable is no linear form of those of the round before.
    NotLinear,
    /// There are too many choices of rounds in its modes.
    ManyModes,
    /// Boxes of its states grew on and on.
    NoBox,
    /// Its impulse response is not shown to vanish.
    NotContracting,
}

impl fmt::Display for Unbounded {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Unbounded::ManyVariables => "it has more variables than are followed",
            Unbounded::NotLinear => {
                "its variables are not seen to be linear in those of the round before"
            }
            Unbounded::ManyModes => "its modes have too many rounds to be told apart",
            Unbounded::NoBox => "no bounds were found that hold from round to round",
            Unbounded::NotContracting => "its recurrence is not shown to contract",
        })
    }
}
