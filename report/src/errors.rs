//! Errors of results: for each output of a function, the worst that could be shown and the
//! worst that could be proved.

use crate::{Number, Outcome, Place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An output and the two ends of its error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutputError {
    /// The function; the name of an FPCore.
    pub function: String,
    /// The output: `return`, `result->val`.
    pub output: String,
    /// What inputs stand for: `float-inputs` (the floats themselves) or `real-inputs` (real
    /// numbers near to them).
    pub convention: String,
    /// The worst that was shown.
    pub shown: Option<ShownError>,
    /// The worst that can be, as far as it was proved.
    pub proved: ProvedError,
    /// What counts as too wrong, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub threshold: String,
    /// Shown above the threshold, proved below it, or neither.
    pub verdict: Outcome,
    /// Why it is open, or what the proof rests on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Where the shown error came from, the largest share first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<ErrorSource>,
    /// The error over each input, the others as in the worst case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<ErrorPlot>,
}

/// A shown error. The numbers are rounded toward zero: no more than the truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShownError {
    /// The largest distance from the exact value.
    pub absolute: String,
    /// The largest one relative to the exact value, or to the smallest normal number where that is larger.
    pub relative: String,
    /// In units in the last place of the exact value.
    pub ulps: String,
    /// The input that shows it, in the threshold's measure.
    pub inputs: Vec<Number>,
    /// The input that shows the largest error of the other measure (absolute, where the threshold
    /// is relative), where it is another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_inputs: Vec<Number>,
    /// What the native run gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed: Option<Number>,
    /// What real numbers give.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub exact: String,
}

/// A proved bound on the error, rounded up; null where there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProvedError {
    /// On the distance from the exact value.
    pub absolute: Option<String>,
    /// Relative to the exact value, or to the smallest normal number where that is larger.
    pub relative: Option<String>,
}

/// An operation that an error came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorSource {
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
    /// The operation: `fsub`, `cos`, …
    pub operation: String,
    /// Its share of the error, from 0 to 1.
    pub share: f64,
    /// What it rounded off itself, over all executions.
    pub injected: f64,
    /// By how much that grew on the way to the result.
    pub amplification: f64,
}

/// The error over one input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorPlot {
    /// The input's name.
    pub input: String,
    /// Values of the input, rising.
    pub at: Vec<f64>,
    /// The error at each, in the threshold's measure.
    pub error: Vec<f64>,
    /// Where the worst case lies.
    pub worst: f64,
    /// The proved bound in the same measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// The measure: `relative error`, `ulps`, `absolute error`.
    pub measure: String,
}
