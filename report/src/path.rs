//! Paths through a program: the branches that each takes, what holds on it, what it computes, and
//! an input that takes it.

use crate::{Given, Number, Place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The paths that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Paths {
    /// The answer, where one path was asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<PathAnswer>,
    /// Paths that inputs take, in the order of their branches.
    pub list: Vec<PathTaken>,
}

/// Whether a path that was asked about can be taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathAnswer {
    /// The file that names the path.
    pub file: String,
    /// The answer.
    pub verdict: Feasibility,
    /// What stands behind it, as a sentence without its full stop.
    pub why: String,
    /// The beginning of the path that no input takes, with the branch at which that shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuted: Option<RefutedPath>,
}

/// The beginning of a path, which no input takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefutedPath {
    /// Its branches, in order.
    pub branches: Vec<BranchTaken>,
    /// Its condition, which nothing satisfies.
    pub conditions: Vec<PathCondition>,
    /// How many constraints that is.
    pub constraints: u64,
    /// The same as an SMT-LIB script.
    pub script: String,
}

/// Whether a path can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Feasibility {
    /// An input was seen to take it in a native run.
    Feasible,
    /// No input takes it.
    Infeasible,
    /// Nobody knows.
    Undecided,
}

impl Feasibility {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Feasibility::Feasible => "feasible",
            Feasibility::Infeasible => "infeasible",
            Feasibility::Undecided => "undecided",
        }
    }
}

/// A path that an input takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathTaken {
    /// Its name, that of its test too: `path-0001`.
    pub name: String,
    /// The branches that it comes by, in order.
    pub branches: Vec<BranchTaken>,
    /// How many of them belong to what was asked about; the rest is how the input went on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<u64>,
    /// What holds on it: the path condition, in normalised three-address form.
    pub conditions: Vec<PathCondition>,
    /// How many constraints that is: definitions of temporaries and relations.
    pub constraints: u64,
    /// The ranges of the inputs, in the same form.
    pub ranges: Vec<String>,
    /// Conditions and ranges as an SMT-LIB script, for `nanoscope solve`.
    pub script: String,
    /// What it gives back, as expressions over the inputs.
    pub outputs: Vec<PathOutput>,
    /// How it ends: `returns`.
    pub ending: String,
    /// An input that takes it, for a person.
    pub inputs: Vec<Number>,
    /// The same for a machine.
    pub given: Vec<Given>,
    /// Whether the program, run natively on that input, was seen to take every branch as it says.
    pub confirmed: bool,
    /// What the native run did instead, where it did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refuted: String,
    /// What was assumed on the way that the program does not promise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
}

/// A branch, and the way that a path goes there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BranchTaken {
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
    /// `true`, `false`, `case=3`, `default`.
    pub outcome: String,
}

/// A condition of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathCondition {
    /// The branch that it comes from, by its number among the branches, from 0; none for the
    /// ranges of inputs and for what the program assumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<u64>,
    /// Definitions of temporaries, an operation each, and at last the relation.
    pub lines: Vec<String>,
}

/// Something that a path gives back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathOutput {
    /// What it is: `return`.
    pub name: String,
    /// Definitions of temporaries that the conditions do not have, and at last the result.
    pub lines: Vec<String>,
    /// The same as a term of SMT-LIB over the inputs.
    pub term: String,
}
