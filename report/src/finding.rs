//! A finding: an input on which the original program was seen to misbehave.
//!
//! A finding is made from a [`Claim`] (what was asked of which place, with which
//! input) and [`Evidence`] (what the native run of the original program showed).
//! There is no other way to make one, so a candidate that was not run natively
//! cannot be reported.

use crate::kinds::Severity;
use crate::{Advice, Call, Effect, Given, Harm, Kind, Number, Raised, finding_kinds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A confirmed finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Names the finding, the same in every run on the same source; see [`identity`].
    pub id: String,
    /// What happened.
    pub kind: Kind,
    /// The function it was called through.
    pub function: String,
    /// The place of the operation.
    #[serde(flatten)]
    pub place: Place,
    /// The operation: `fadd`, `fmul`, `sqrt`, `exp`, …
    pub operation: String,
    /// The whole input.
    pub inputs: Vec<Number>,
    /// The native run showed it.
    pub confirmed: Confirmed,
    /// What found the input: `native-search`, …
    pub engine: String,
    /// The story it belongs to; see [`crate::Story`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub story: String,
    /// A name that survives moved lines; see [`crate::fingerprints`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// What the native run showed, and whatever else is worth keeping.
    #[serde(default)]
    pub details: Details,
}

/// A place in the source.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct Place {
    /// The file as the compiler was given it.
    pub file: String,
    /// Line, from 1; 0 where the compiler recorded none.
    pub line: u32,
    /// Column, from 1; 0 where the compiler recorded none.
    pub column: u32,
}

/// What is claimed of a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The goal's name; see [`identity`].
    pub id: String,
    /// What happens there.
    pub kind: Kind,
    /// The function it is called through.
    pub function: String,
    /// The place of the operation.
    pub place: Place,
    /// The operation: `fadd`, `fmul`, `sqrt`, `exp`, …
    pub operation: String,
    /// The whole input.
    pub inputs: Vec<Number>,
    /// What found the input: `native-search`, …
    pub engine: String,
}

/// What the native run of the original program showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The operation's operands, where they were observed.
    pub operands: Vec<Number>,
    /// The operation's result, where it was observed.
    pub computed: Option<Number>,
    /// What the function gave back; empty if it did not return.
    pub outputs: Vec<Number>,
    /// The calls the operation was inlined through, innermost first.
    pub inlined_at: Vec<Place>,
    /// How the run ended if it did not return: `signal 11`, `time limit`, …
    pub ended: Option<String>,
    /// What the exception did, where that was judged.
    pub harm: Option<Harm>,
    /// The exceptions of the run, in the order in which they first happened.
    pub run: Vec<Raised>,
    /// Anything else: goes to the JSON as it is.
    pub more: Map<String, Value>,
}

/// What is kept of the evidence, and free-form extras beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Details {
    /// The operation's operands, where they were observed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<Number>,
    /// The operation's result, where it was observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed: Option<Number>,
    /// What the function gave back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Number>,
    /// The outputs that are NaN or infinite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reached_result: Vec<String>,
    /// The calls the operation was inlined through, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inlined_at: Vec<Place>,
    /// How the run ended if it did not return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// What the exception did, where that was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harm: Option<Harm>,
    /// The exceptions of the run, in the order in which they first happened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run: Vec<Raised>,
    /// Another way to compute the value that was tried and avoids it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// Everything else.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The mark of a finding that the original program was seen to show: `true` in
/// JSON, and nothing else is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "bool", try_from = "bool")]
pub struct Confirmed(());

impl From<Confirmed> for bool {
    fn from(_: Confirmed) -> bool {
        true
    }
}

impl TryFrom<bool> for Confirmed {
    type Error = &'static str;

    fn try_from(confirmed: bool) -> Result<Confirmed, &'static str> {
        if confirmed { Ok(Confirmed(())) } else { Err("an unconfirmed finding is not a finding") }
    }
}

/// The name of a goal, and of the finding that reaches it:
/// `overflow-mean-12.9-fadd`. `occurrence` counts, from 1, the goals that would
/// otherwise share a name: operations that one macro or inlined call expands to.
pub fn identity(
    kind: Kind,
    function: &str,
    place: &Place,
    operation: &str,
    occurrence: usize,
) -> String {
    let mut id = format!(
        "{}-{function}-{}.{}-{}",
        kind.name(),
        place.line,
        place.column,
        operation.replace(' ', "-")
    );
    // The name is a file's name too; a Fortran or C++ symbol may hold anything.
    id.retain(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '$'));
    if occurrence > 1 {
        id.push_str(&format!("-{occurrence}"));
    }
    id
}

impl Finding {
    /// Joins a claim with the evidence for it.
    pub fn new(claim: Claim, evidence: Evidence) -> Finding {
        let reached_result = evidence
            .outputs
            .iter()
            .filter(|output| output.is_exceptional())
            .map(|output| output.name.clone())
            .collect();
        Finding {
            id: claim.id,
            kind: claim.kind,
            function: claim.function,
            place: claim.place,
            operation: claim.operation,
            inputs: claim.inputs,
            confirmed: Confirmed(()),
            engine: claim.engine,
            story: String::new(),
            fingerprint: String::new(),
            details: Details {
                operands: evidence.operands,
                computed: evidence.computed,
                outputs: evidence.outputs,
                reached_result,
                inlined_at: evidence.inlined_at,
                ended: evidence.ended,
                harm: evidence.harm,
                run: evidence.run,
                advice: None,
                more: evidence.more,
            },
        }
    }

    /// The inputs for a machine, in the order in which the program asks for them: what a
    /// test run keeps in the details.
    pub fn given(&self) -> Vec<Given> {
        let kept = self.details.more.get("given").cloned();
        kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default()
    }

    /// How C calls the function, where its parameters are more than numbers: what the
    /// details keep.
    pub fn call(&self) -> Option<Call> {
        let kept = self.details.more.get("call").cloned();
        kept.and_then(|kept| serde_json::from_value(kept).ok())
    }

    /// How bad it is: by its effect where that is known; else an overflow is an error once
    /// it spoilt the result.
    pub fn severity(&self) -> Severity {
        match self.details.harm.as_ref().map(|harm| harm.effect) {
            Some(Effect::SilentlyWrong | Effect::Spoilt | Effect::Undefined) => {
                return Severity::Error;
            }
            Some(Effect::Unavoidable) => return Severity::Warning,
            Some(Effect::Reported | Effect::Harmless) => return Severity::Note,
            Some(Effect::NoReturn | Effect::Unclassified) | None => {}
        }
        match self.kind {
            Kind::Overflow if !self.details.reached_result.is_empty() => Severity::Error,
            finding_kinds!(Precision, Handling, Exception, Failure) => {
                self.kind.explanation().severity
            }
        }
    }

    /// What findings are ordered by: the worst first, then by place.
    pub(crate) fn order(&self) -> (Effect, u64, &Place, &str, Kind, &str) {
        let effect = self.details.harm.as_ref().map_or(Effect::Unclassified, |harm| harm.effect);
        let rank = self.details.more.get("rank").and_then(Value::as_u64).unwrap_or(0);
        (effect, rank, &self.place, &self.function, self.kind, &self.id)
    }
}
