//! Stories: findings with one root, told once.
//!
//! The root of a finding is its birth: the operation where the first exceptional value of its
//! run came to be. Findings born in the same line by the same kind of exception, and of the same
//! class of harm, are one story. The most ordinary input tells it; the worst story comes first.

use crate::{Effect, Finding, Kind, Number, Place};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// An exception of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    /// What happened.
    pub kind: Kind,
    /// The place of the operation.
    #[serde(flatten)]
    pub place: Place,
    /// The operation: `fadd`, `fmul`, `sqrt`, `exp`, …
    pub operation: String,
}

/// Findings with one root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Story {
    /// Names the story: the identity of the finding that tells it.
    pub id: String,
    /// Every finding of the story, the one that tells it first.
    pub findings: Vec<String>,
    /// Where the first exceptional value is born.
    pub birth: Raised,
    /// What came of it.
    pub harm: Effect,
    /// The functions through which it was reached.
    pub functions: Vec<String>,
}

/// How bad a story is. Within a class the input decides how important it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// The result is wrong, or there is none.
    Wrong,
    /// Nobody knows better, or exact arithmetic does no better.
    Unavoidable,
    /// The result is right, or an error was reported.
    Harmless,
}

impl Class {
    fn of(effect: Effect) -> Class {
        match effect {
            Effect::SilentlyWrong | Effect::Spoilt | Effect::NoReturn => Class::Wrong,
            Effect::Unclassified | Effect::Unavoidable => Class::Unavoidable,
            Effect::Reported | Effect::Harmless => Class::Harmless,
        }
    }
}

/// Groups findings into stories, the most important first.
pub(crate) fn stories(findings: &[Finding]) -> Vec<Story> {
    let mut groups: BTreeMap<_, Vec<(&Finding, Raised)>> = BTreeMap::new();
    for finding in findings {
        let birth = birth(finding);
        let key =
            (birth.place.file.clone(), birth.place.line, birth.kind, Class::of(effect(finding)));
        groups.entry(key).or_default().push((finding, birth));
    }
    let mut told: Vec<(Rank, Story)> =
        groups.into_iter().map(|((_, _, _, class), group)| tell(class, group)).collect();
    told.sort_by(|(a, _), (b, _)| a.cmp(b));
    told.into_iter().map(|(_, story)| story).collect()
}

/// Makes one story of findings with one root.
fn tell(class: Class, mut group: Vec<(&Finding, Raised)>) -> (Rank, Story) {
    // What was seen at the birth tells the story best, by the most ordinary input.
    group.sort_by_key(|(finding, birth)| {
        (oddness(&finding.inputs), !is_birth(finding, birth), effect(finding), finding.id.clone())
    });
    let functions: BTreeSet<&String> = group.iter().map(|(finding, _)| &finding.function).collect();
    let harm =
        group.iter().map(|(finding, _)| effect(finding)).min().unwrap_or(Effect::Unclassified);
    let (first, birth) = (group[0].0, group[0].1.clone());
    let spoilt = group.iter().any(|(finding, _)| effect(finding) == Effect::Spoilt);
    let rank = Rank {
        class,
        small: birth.kind == Kind::Underflow && !spoilt,
        oddness: oddness(&first.inputs),
        harm,
        callers: std::cmp::Reverse(functions.len()),
        birth: birth.clone(),
    };
    let story = Story {
        id: first.id.clone(),
        findings: group.iter().map(|(finding, _)| finding.id.clone()).collect(),
        functions: functions.into_iter().cloned().collect(),
        birth,
        harm,
    };
    (rank, story)
}

/// What stories are ordered by.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    class: Class,
    /// An underflow that makes no NaN and no infinity: few people measure what it changes.
    small: bool,
    oddness: u64,
    harm: Effect,
    callers: std::cmp::Reverse<usize>,
    birth: Raised,
}

impl Ord for Raised {
    fn cmp(&self, other: &Raised) -> std::cmp::Ordering {
        let key = |raised: &Raised| (raised.place.clone(), raised.operation.clone(), raised.kind);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Raised {
    fn partial_cmp(&self, other: &Raised) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Where the finding's first exceptional value was born. An underflow is the root of what
/// zeros do (a division by it, a NaN), not of an overflow.
fn birth(finding: &Finding) -> Raised {
    let caused_by_zero =
        matches!(finding.kind, Kind::DivideByZero | Kind::Invalid | Kind::Underflow);
    let itself = || Raised {
        kind: finding.kind,
        place: finding.place.clone(),
        operation: finding.operation.clone(),
    };
    let mut before = finding.details.run.iter().take_while(|raised| !is_birth(finding, raised));
    before
        .find(|raised| caused_by_zero || raised.kind != Kind::Underflow)
        .cloned()
        .unwrap_or_else(itself)
}

fn is_birth(finding: &Finding, raised: &Raised) -> bool {
    finding.kind == raised.kind
        && finding.place == raised.place
        && finding.operation == raised.operation
}

/// The effect a finding is grouped by.
fn effect(finding: &Finding) -> Effect {
    finding.details.harm.as_ref().map_or(Effect::Unclassified, |harm| harm.effect)
}

/// How far an input is from what people use: the decimal orders of magnitude by which its
/// numbers leave the range from 1e-6 to 1e9, with one odd number before several.
fn oddness(inputs: &[Number]) -> u64 {
    const ANOTHER: u64 = 100;
    inputs
        .iter()
        .filter_map(|input| {
            let value: f64 = input.value.parse().ok()?;
            let orders = match value.abs() {
                0.0 => 0.0,
                size if !size.is_finite() => 400.0,
                size if size < 1e-6 => -6.0 - size.log10(),
                size if size > 1e9 => size.log10() - 9.0,
                _ => 0.0,
            };
            (orders > 0.0).then_some(ANOTHER + orders as u64)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::oddness;
    use crate::Number;
    use nanoscope_ieee::Format;

    fn input(values: &[f64]) -> Vec<Number> {
        let number =
            |value: &f64| Number::float("x", "double", Format::BINARY64, value.to_bits().into());
        values.iter().map(number).collect()
    }

    #[test]
    fn ordinary_inputs_come_first() {
        let ordered: [&[f64]; 6] = [
            &[1.0, 0.0, -3.5e5],
            &[1e12],
            &[1e200],
            &[-1e-300],
            &[1e155, 1e155],
            &[f64::NAN, 1e300],
        ];
        for pair in ordered.windows(2) {
            assert!(oddness(&input(pair[0])) < oddness(&input(pair[1])), "{pair:?}");
        }
    }
}
