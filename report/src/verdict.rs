//! How a goal ended.

use crate::{Kind, Place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A goal and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The goal's name; a finding that reaches it has the same.
    pub goal: String,
    /// What was asked.
    pub kind: Kind,
    /// The function it was asked of.
    pub function: String,
    /// The place of the operation.
    #[serde(flatten)]
    pub place: Place,
    /// The operation.
    pub operation: String,
    /// How it ended.
    #[serde(rename = "verdict")]
    pub outcome: Outcome,
    /// Reached: what found it. Impossible: what was exhausted. Open: what stopped it.
    pub why: String,
    /// Impossible: what the proof rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// What a proof of impossibility rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// The engine: `constants`, `ranges`, …
    pub engine: String,
    /// What was assumed: ranges of inputs, the rounding mode, errors of the mathematical
    /// library.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
}

/// There is no fourth.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A native run showed it.
    Reached,
    /// Proved not to happen within the input space.
    Impossible,
    /// Neither.
    Open,
}

impl Verdict {
    /// What verdicts are ordered by.
    pub(crate) fn order(&self) -> (&Place, &str, Kind, &str) {
        (&self.place, &self.function, self.kind, &self.goal)
    }
}
