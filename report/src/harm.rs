//! Harm: what an exception did to what the function gives back, judged against the same
//! function in exact arithmetic. Findings are ordered by it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an exception did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Harm {
    /// In a word.
    pub effect: Effect,
    /// Whether the function computes an ordinary number in exact arithmetic, so that another
    /// way of computing it may avoid the overflow or underflow; absent where that is not known
    /// or was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avoidable: Option<bool>,
    /// What exact arithmetic gives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exact: Vec<Exact>,
    /// Reported: the condition that does not hold. Undefined: what is. Unclassified: what stood
    /// in the way.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// An output in exact arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Exact {
    /// The output's name: `return`, `result->val`.
    pub name: String,
    /// Its value to fifteen digits: `1.4142135623731e+200`.
    pub value: String,
    /// The native run's relative error, where both are finite. Below the normal numbers it is
    /// relative to the smallest of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// Effects, the worst first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// The result looks ordinary, no error was reported, and it is wrong.
    SilentlyWrong,
    /// A NaN or an infinity is the result where exact arithmetic has an ordinary number.
    Spoilt,
    /// The function did not return.
    NoReturn,
    /// A number became an integer that cannot hold it: C does not define what comes of it.
    Undefined,
    /// Something stood in the way of judging.
    Unclassified,
    /// The result is as exceptional in exact arithmetic: too large, too small, undefined.
    Unavoidable,
    /// The function reported an error.
    Reported,
    /// The result is right all the same.
    Harmless,
}

impl Effect {
    /// Every effect, the worst first.
    pub const ALL: [Effect; 8] = [
        Effect::SilentlyWrong,
        Effect::Spoilt,
        Effect::NoReturn,
        Effect::Undefined,
        Effect::Unclassified,
        Effect::Unavoidable,
        Effect::Reported,
        Effect::Harmless,
    ];

    /// In words, for people.
    pub fn words(self) -> &'static str {
        match self {
            Effect::SilentlyWrong => "silently wrong",
            Effect::Spoilt => "spoilt",
            Effect::NoReturn => "without return",
            Effect::Undefined => "undefined in C",
            Effect::Unclassified => "unclassified",
            Effect::Unavoidable => "out of range in exact arithmetic too",
            Effect::Reported => "reported as an error",
            Effect::Harmless => "harmless",
        }
    }
}

impl Harm {
    /// A harm that could not be judged.
    pub fn unclassified(why: impl Into<String>) -> Harm {
        Harm { effect: Effect::Unclassified, avoidable: None, exact: Vec::new(), why: why.into() }
    }
}
