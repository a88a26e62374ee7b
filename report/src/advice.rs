//! Advice: another way to compute a value, which was tried before it is given.

use crate::Place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rewriting that avoids what a finding shows. The rewritten function was compiled, gave the right
/// result on the finding's input, and was searched again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Advice {
    /// What the rewriting is called: `hypot`, `dividing before adding`, …
    pub rewriting: String,
    /// The formulas to change.
    pub steps: Vec<Rewritten>,
    /// How many inputs that went wrong come out right.
    pub inputs: u64,
    /// Runs of the search that found nothing of the kind in the rewritten function.
    pub evaluations: u64,
    /// Whether inputs at the ends of the range (within a factor of 16 of the largest or the smallest
    /// normal number) still go wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends: bool,
}

/// A formula and what takes its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rewritten {
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
    /// As it is.
    pub before: String,
    /// As it may be.
    pub after: String,
}
