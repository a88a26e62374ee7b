//! What a run cost.

use serde::{Deserialize, Serialize};

/// Figures of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Statistics {
    /// Wall-clock seconds, compilation included.
    pub seconds: f64,
    /// The native search.
    pub search: Search,
    /// The solver.
    pub solver: Solver,
}

/// Figures of the native search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Search {
    /// Runs of the instrumented code.
    pub evaluations: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Candidates replayed on the original program.
    pub replays: u64,
    /// Candidates that the replay refuted: never reported, but counted.
    pub refuted: u64,
    /// Runs that crashed a worker, ran out of fuel or of time.
    pub stopped: u64,
}

/// Figures of the solver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Solver {
    /// Queries asked.
    pub queries: u64,
    /// Answered with a model.
    pub sat: u64,
    /// Proved to have none.
    pub unsat: u64,
    /// Given up.
    pub unknown: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
}
