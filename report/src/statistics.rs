//! What a run cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Figures of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Statistics {
    /// Wall-clock seconds, compilation included.
    pub seconds: f64,
    /// The native search.
    pub search: Search,
    /// The solver.
    pub solver: Solver,
    /// The symbolic execution, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exploration: Option<Exploration>,
}

/// Figures of a symbolic execution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Exploration {
    /// Paths that ended.
    pub paths: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Forks.
    pub forks: u64,
    /// Branches that became terms instead of forks.
    pub merged: u64,
    /// States that were alive at once, at most.
    pub most_states: u64,
    /// Wall-clock seconds, the making of tests left out.
    pub seconds: f64,
    /// Wall-clock seconds for making tests: native runs, confirmation, coverage.
    pub generation_seconds: f64,
}

/// Figures of the native search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Of those given up, those that no real numbers satisfy, which floats still may.
    #[serde(skip_serializing_if = "is_zero")]
    pub unsat_over_reals: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// Whether there is nothing to tell.
fn is_zero(count: &u64) -> bool {
    *count == 0
}
