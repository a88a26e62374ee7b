//! What a test run asks: can this assertion fail, can this error be reached? And how each
//! question ended.

use super::ranges::Proved;
use super::seen::{self, Seen};
use nanoscope_explore::Start;
use nanoscope_program::ir::{Act, Callee, Code, FunctionId, LocationId};
use nanoscope_program::{Failure, FailureFunction, Program};
use nanoscope_ranges::CallGraph;
use nanoscope_report::{Finding, Kind, Outcome, Place, Verdict, identity};
use std::collections::BTreeMap;

/// Loops without bounds that a verdict tells of.
const TOLD_LOOPS: usize = 3;

/// What tells goals apart: kind, file, line.
pub(super) type Key = (Kind, String, u32);

/// A place where a program says itself that something is wrong.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub kind: Kind,
    pub place: Place,
    function: String,
    operation: String,
}

impl Site {
    pub fn key(&self) -> Key {
        (self.kind, self.place.file.clone(), self.place.line)
    }
}

/// The calls in the program that end it as an error, once a line. From a function's entry,
/// only those in functions that it may call count.
pub(super) fn sites(code: &Code, start: &Start, ours: &dyn Fn(&str) -> bool) -> Vec<Site> {
    let called = match start {
        Start::Main { .. } => None,
        Start::Target { entry, .. } => Some(CallGraph::of(code).reachable(&[*entry])),
    };
    let mut list: BTreeMap<Key, Site> = BTreeMap::new();
    for (number, function) in code.functions.iter().enumerate() {
        let id = FunctionId(number as u32);
        if called.as_ref().is_some_and(|called| !called.contains(&id)) {
            continue;
        }
        let name = function.source_name.as_str();
        if seen::is_error(name) || seen::is_assumption(name) {
            continue;
        }
        for block in &function.blocks {
            for instruction in &block.instructions {
                let Act::Call { callee: Callee::Function(callee), .. } = &instruction.act else {
                    continue;
                };
                let called = code.function(*callee);
                let Some((kind, operation)) = error(&called.name) else { continue };
                // A program's own check is no error; what it calls then is.
                if called.is_defined() && !seen::is_error(&called.name) {
                    continue;
                }
                let location = code.location(instruction.location);
                if instruction.location == LocationId::default() || ours(&location.file) {
                    continue;
                }
                let site = Site {
                    kind,
                    place: seen::place(location),
                    function: name.to_owned(),
                    operation: operation.to_owned(),
                };
                list.entry(site.key()).or_insert(site);
            }
        }
    }
    list.into_values().collect()
}

/// Whether a program is written for SV-COMP: it has one of the competition's error functions,
/// and so another way than `abort` to say that something is wrong.
pub(super) fn is_competition(program: &Program) -> bool {
    program.mentions(&|name| {
        FailureFunction::named(name).is_some_and(|function| function.failure == Failure::Error)
            && !name.starts_with("klee_")
    })
}

/// Whether a program says which inputs it prefers in tests.
pub(super) fn has_preferences(program: &Program) -> bool {
    program.mentions(&|name| matches!(name, "klee_prefer_cex" | "klee_posix_prefer_cex"))
}

/// What tells the goal apart that a call is.
pub(super) fn key(code: &Code, called: &str, location: LocationId) -> Option<Key> {
    let (kind, _) = error(called)?;
    let place = seen::place(code.location(location));
    Some((kind, place.file, place.line))
}

/// What a call of a function means.
fn error(called: &str) -> Option<(Kind, &str)> {
    Some(match FailureFunction::named(called)?.failure {
        Failure::Assertion => (Kind::AssertionFailure, "assert"),
        Failure::Abort => (Kind::Abort, "abort"),
        Failure::Error => (Kind::ErrorCall, called),
    })
}

/// What a finding or goal is called.
pub(super) fn name(seen: &Seen) -> String {
    identity(seen.kind, &seen.function, &seen.place, &seen.operation, 1)
}

/// How every question ended. `open` says of candidates that no native run confirmed why;
/// `undone` is what kept the exploration from its end, if anything; `proved` needed no exploration.
pub(super) fn verdicts(
    sites: &[Site],
    findings: &[Finding],
    open: &BTreeMap<Key, (Seen, String)>,
    undone: Option<&str>,
    proved: &Proved,
) -> Vec<Verdict> {
    let mut list = Vec::new();
    let found = |kind: Kind, place: &Place| {
        findings.iter().any(|finding| {
            finding.kind == kind
                && finding.place.line == place.line
                && seen::same_file(&finding.place.file, &place.file)
        })
    };
    for finding in findings {
        list.push(Verdict {
            goal: finding.id.clone(),
            kind: finding.kind,
            function: finding.function.clone(),
            place: finding.place.clone(),
            operation: finding.operation.clone(),
            outcome: Outcome::Reached,
            proof: None,
            why: format!("found by {}, seen in a native run", finding.engine.replace('-', " ")),
        });
    }
    for (seen, why) in open.values().filter(|(seen, _)| !found(seen.kind, &seen.place)) {
        list.push(Verdict {
            goal: name(seen),
            kind: seen.kind,
            function: seen.function.clone(),
            place: seen.place.clone(),
            operation: seen.operation.clone(),
            outcome: Outcome::Open,
            why: why.clone(),
            proof: None,
        });
    }
    for site in sites {
        if found(site.kind, &site.place) || open.contains_key(&site.key()) {
            continue;
        }
        let (outcome, why, proof) = match (undone, proved.never.get(&site.key())) {
            (None, _) => {
                (Outcome::Impossible, "every path was followed to its end".to_owned(), None)
            }
            (Some(_), Some(proof)) => {
                (Outcome::Impossible, "control never comes here".to_owned(), Some(proof.clone()))
            }
            (Some(why), None) => {
                let loops: String =
                    proved.unbounded.iter().take(TOLD_LOOPS).map(|it| format!("; {it}")).collect();
                (Outcome::Open, format!("no path was seen to lead here; {why}{loops}"), None)
            }
        };
        list.push(Verdict {
            goal: identity(site.kind, &site.function, &site.place, &site.operation, 1),
            kind: site.kind,
            function: site.function.clone(),
            place: site.place.clone(),
            operation: site.operation.clone(),
            outcome,
            why,
            proof,
        });
    }
    list
}
