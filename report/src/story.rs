//! Stories: findings with one root, told once.
//!
//! The root of a finding is its birth: the operation where the first exceptional value of its
//! run came to be. Findings whose results are wrong are one story if they are born in the same
//! line, or in lines that the same functions reach, by the same kind of exception; what exact
//! arithmetic does no better is one story a function, or one for all functions that the same
//! operation tells it of; what does no harm is one a file. The most ordinary input tells it; the worst story
//! comes first. A NaN or an infinity for everyday input stands among what is wrong even where exact
//! arithmetic has no number either (an angle with a zero vector, a rate of zero); of the stories of one line
//! only the first stands that high.

use crate::{Effect, Finding, Kind, Number, Place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// An exception of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Story {
    /// Names the story: the identity of the finding that tells it.
    pub id: String,
    /// Every finding of the story, the one that tells it first.
    pub findings: Vec<String>,
    /// Where the first exceptional value is born, in the run that tells the story.
    pub birth: Raised,
    /// The lines where first exceptional values are born, in all runs.
    pub lines: Vec<u32>,
    /// The kinds of exception by which they are born, in all runs.
    #[serde(default)]
    pub kinds: Vec<Kind>,
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
            Effect::SilentlyWrong | Effect::Spoilt | Effect::NoReturn | Effect::Undefined => {
                Class::Wrong
            }
            Effect::Unclassified | Effect::Unavoidable => Class::Unavoidable,
            Effect::Reported | Effect::Harmless => Class::Harmless,
        }
    }
}

/// What findings of one story have in common. Where the result is wrong, the line and the kind of
/// exception it was born by; what matters less is told for a function or a file at once.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Root {
    class: Class,
    file: String,
    function: Option<String>,
    line: Option<u32>,
    kind: Option<Kind>,
}

impl Root {
    fn of(finding: &Finding, birth: &Raised) -> Root {
        let class = Class::of(effect(finding));
        let file = birth.place.file.clone();
        let function = Some(finding.function.clone());
        match class {
            Class::Wrong if is_small(finding, birth) => {
                Root { class, file, function, line: None, kind: Some(birth.kind) }
            }
            Class::Wrong => {
                // An integer that is not defined is the same story, whatever led to it.
                let is_undefined = effect(finding) == Effect::Undefined;
                let (line, kind) = (Some(birth.place.line), (!is_undefined).then_some(birth.kind));
                Root { class, file, function: None, line, kind }
            }
            Class::Unavoidable => Root { class, file, function, line: None, kind: None },
            Class::Harmless => Root { class, file, function: None, line: None, kind: None },
        }
    }
}

/// An underflow that makes no NaN and no infinity: few people measure what it changes.
fn is_small(finding: &Finding, birth: &Raised) -> bool {
    birth.kind == Kind::Underflow && effect(finding) != Effect::Spoilt
}

/// A NaN or an infinity is returned where mathematics has no number either.
fn has_no_value(finding: &Finding) -> bool {
    effect(finding) == Effect::Unavoidable
        && matches!(finding.kind, Kind::Invalid | Kind::DivideByZero)
        && finding.details.outputs.iter().any(Number::is_exceptional)
}

/// Groups findings into stories, the most important first.
pub(crate) fn stories(findings: &[Finding]) -> Vec<Story> {
    let mut groups: BTreeMap<Root, Vec<(&Finding, Raised)>> = BTreeMap::new();
    for finding in findings {
        let birth = finding.birth();
        groups.entry(Root::of(finding, &birth)).or_default().push((finding, birth));
    }
    // Several lines of the same functions that go wrong in the same way are one story, too.
    // So are functions for which the same operation tells what exact arithmetic does no better.
    let mut joined: BTreeMap<_, Vec<(&Finding, Raised)>> = BTreeMap::new();
    for (root, mut group) in groups {
        let (functions, birth) = match root.class {
            Class::Unavoidable => {
                order(&mut group);
                (BTreeSet::new(), Some(group[0].1.clone()))
            }
            Class::Wrong | Class::Harmless => {
                let names = group.iter().map(|(finding, _)| finding.function.as_str());
                (names.collect(), None)
            }
        };
        let key = (root.class, root.file, root.kind, functions, birth);
        joined.entry(key).or_default().extend(group);
    }
    let mut told: Vec<(Rank, Story)> =
        joined.into_iter().map(|((class, ..), group)| tell(class, group)).collect();
    told.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut before: BTreeMap<(String, u32), u64> = BTreeMap::new();
    for (rank, story) in &mut told {
        let place = &story.birth.place;
        let count = before.entry((place.file.clone(), place.line)).or_default();
        rank.oddness += ANOTHER * *count;
        *count += 1;
    }
    told.sort_by(|(a, _), (b, _)| a.cmp(b));
    told.into_iter().map(|(_, story)| story).collect()
}

/// Puts the finding first that tells the story best: of the worst, the one with the most ordinary
/// input, seen at the birth.
fn order(group: &mut [(&Finding, Raised)]) {
    group.sort_by_key(|(finding, birth)| {
        (
            Reverse(finding.severity()),
            oddness(&finding.inputs),
            !is_birth(finding, birth),
            effect(finding),
            finding.id.clone(),
        )
    });
}

/// Makes one story of findings with one root.
fn tell(class: Class, mut group: Vec<(&Finding, Raised)>) -> (Rank, Story) {
    order(&mut group);
    let functions: BTreeSet<&String> = group.iter().map(|(finding, _)| &finding.function).collect();
    let harm =
        group.iter().map(|(finding, _)| effect(finding)).min().unwrap_or(Effect::Unclassified);
    let (first, birth) = (group[0].0, group[0].1.clone());
    let (class, oddness) = match oddness(&first.inputs) {
        0 if has_no_value(first) => (Class::Wrong, NO_VALUE),
        orders => (class, orders),
    };
    let rank = Rank {
        class,
        small: group.iter().all(|(finding, birth)| is_small(finding, birth)),
        oddness,
        harm,
        callers: Reverse(functions.len()),
        birth: birth.clone(),
    };
    let story = Story {
        id: first.id.clone(),
        findings: group.iter().map(|(finding, _)| finding.id.clone()).collect(),
        functions: functions.into_iter().cloned().collect(),
        lines: group
            .iter()
            .map(|(_, birth)| birth.place.line)
            .collect::<BTreeSet<u32>>()
            .into_iter()
            .collect(),
        kinds: group
            .iter()
            .map(|(_, birth)| birth.kind)
            .collect::<BTreeSet<Kind>>()
            .into_iter()
            .collect(),
        birth,
        harm,
    };
    (rank, story)
}

/// What stories are ordered by.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    class: Class,
    small: bool,
    oddness: u64,
    harm: Effect,
    callers: Reverse<usize>,
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

impl Finding {
    /// Where its first exceptional value was born. An underflow is the root of what zeros do (a
    /// division by it, a NaN), not of an overflow: where both spoil a run, the overflow did.
    pub fn birth(&self) -> Raised {
        let spoilt_underflow = self.kind == Kind::Underflow && effect(self) == Effect::Spoilt;
        let mut raised = self.details.run.iter();
        if spoilt_underflow
            && let Some(first) = raised.find(|raised| raised.kind != Kind::Underflow)
            && first.kind == Kind::Overflow
        {
            return first.clone();
        }
        let caused_by_zero =
            matches!(self.kind, Kind::DivideByZero | Kind::Invalid | Kind::Underflow);
        let itself = || Raised {
            kind: self.kind,
            place: self.place.clone(),
            operation: self.operation.clone(),
        };
        let mut before = self.details.run.iter().take_while(|raised| !is_birth(self, raised));
        before
            .find(|raised| caused_by_zero || raised.kind != Kind::Underflow)
            .cloned()
            .unwrap_or_else(itself)
    }
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

/// What one more odd number weighs, and one more story of the same line.
const ANOTHER: u64 = 100;

/// What it weighs that mathematics has no number for an everyday input: as much as one number that is odd by
/// two hundred orders of magnitude.
const NO_VALUE: u64 = 300;

/// How far an input is from what people use: the decimal orders of magnitude by which its
/// numbers leave the range from 1e-6 to 1e9, with one odd number before several.
fn oddness(inputs: &[Number]) -> u64 {
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
    use super::{Raised, oddness, stories};
    use crate::{Claim, Effect, Evidence, Finding, Harm, Kind, Number, Place};
    use nanoscope_ieee::Format;

    fn raised(kind: Kind, line: u32) -> Raised {
        let place = Place { file: "f.c".to_owned(), line, column: 1 };
        Raised { kind, place, operation: "fmul".to_owned() }
    }

    /// The root of an underflow in line 1 of a run that an infinity or a NaN spoils.
    fn root_of_underflow(then: Kind) -> Kind {
        let underflow = raised(Kind::Underflow, 1);
        let claim = Claim {
            id: "underflow".to_owned(),
            kind: underflow.kind,
            function: "f".to_owned(),
            place: underflow.place.clone(),
            operation: underflow.operation.clone(),
            inputs: Vec::new(),
            engine: "native-search".to_owned(),
        };
        let evidence = Evidence {
            run: vec![underflow, raised(then, 2)],
            harm: Some(Harm {
                effect: Effect::Spoilt,
                avoidable: None,
                exact: Vec::new(),
                why: String::new(),
            }),
            ..Evidence::default()
        };
        Finding::new(claim, evidence).birth().kind
    }

    #[test]
    fn underflows_do_not_cause_overflows() {
        assert_eq!(root_of_underflow(Kind::Overflow), Kind::Overflow);
        assert_eq!(root_of_underflow(Kind::DivideByZero), Kind::Underflow);
        assert_eq!(root_of_underflow(Kind::Invalid), Kind::Underflow);
    }

    fn input(values: &[f64]) -> Vec<Number> {
        let number =
            |value: &f64| Number::float("x", "double", Format::BINARY64, value.to_bits().into());
        values.iter().map(number).collect()
    }

    /// A finding with an effect, for an input, in a line.
    fn finding(line: u32, kind: Kind, effect: Effect, x: f64) -> Finding {
        let Raised { kind, place, operation } = raised(kind, line);
        let claim = Claim {
            id: format!("{line}-{}-{x:e}", kind.name()),
            kind,
            function: format!("in_line_{line}"),
            place,
            operation,
            inputs: input(&[x]),
            engine: "native-search".to_owned(),
        };
        let (exact, why) = (Vec::new(), String::new());
        let evidence = Evidence {
            outputs: input(&[f64::NAN]),
            harm: Some(Harm { effect, avoidable: None, exact, why }),
            ..Evidence::default()
        };
        Finding::new(claim, evidence)
    }

    #[test]
    fn no_value_for_everyday_input_stands_among_what_is_wrong() {
        let findings = [
            finding(1, Kind::Overflow, Effect::Unavoidable, 1.0),
            finding(2, Kind::Overflow, Effect::Spoilt, 1e300),
            finding(3, Kind::Invalid, Effect::Unavoidable, 0.0),
            finding(4, Kind::Overflow, Effect::Spoilt, 1e12),
            finding(5, Kind::Invalid, Effect::Unavoidable, 1e200),
        ];
        let lines: Vec<u32> =
            stories(&findings).iter().map(|story| story.birth.place.line).collect();
        assert_eq!(lines, [4, 3, 2, 1, 5]);
    }

    #[test]
    fn the_first_story_of_a_line_stands_before_the_second_of_another() {
        let findings = [
            finding(1, Kind::Invalid, Effect::Spoilt, 1.0),
            finding(1, Kind::DivideByZero, Effect::Spoilt, 2.0),
            finding(2, Kind::Overflow, Effect::Spoilt, 1e12),
            finding(3, Kind::Overflow, Effect::Spoilt, 1e200),
        ];
        let told = stories(&findings);
        let lines: Vec<u32> = told.iter().map(|story| story.birth.place.line).collect();
        assert_eq!(lines, [1, 1, 2, 3], "an odd input stands further down than a second story");
        let findings = [
            findings[0].clone(),
            finding(1, Kind::DivideByZero, Effect::Spoilt, 1e12),
            findings[2].clone(),
        ];
        let lines: Vec<u32> =
            stories(&findings).iter().map(|story| story.birth.place.line).collect();
        assert_eq!(lines, [1, 2, 1]);
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
