//! The findings and the tests, as they come.

use super::goals::{self, Key};
use super::inputs::Case;
use super::seen::{self, Seen};
use nanoscope_native::whole::Run;
use nanoscope_report::{Claim, Evidence, Finding, Test};
use serde_json::{Value, json};

/// What was found and what was tested.
#[derive(Default)]
pub(super) struct Suite {
    pub findings: Vec<Finding>,
    tests: Vec<(Case, Test)>,
}

impl Suite {
    /// Whether something of that kind was found at that place.
    pub fn has(&self, seen: &Seen) -> bool {
        self.findings.iter().any(|finding| {
            finding.kind == seen.kind
                && finding.place.line == seen.place.line
                && seen::same_file(&finding.place.file, &seen.place.file)
        })
    }

    /// Adds a finding that a native run showed, and its test; false if it is known.
    pub fn found(
        &mut self,
        seen: &Seen,
        case: &Case,
        run: &Run,
        entry: &str,
        engine: &str,
    ) -> bool {
        if self.has(seen) {
            return false;
        }
        let id = goals::name(seen);
        let mut evidence =
            Evidence { ended: Some(super::native::outcome(run)), ..Evidence::default() };
        let mut more = |name: &str, value: Value| evidence.more.insert(name.to_owned(), value);
        more("given", serde_json::to_value(&case.given).unwrap_or_default());
        match seen.kind {
            nanoscope_report::Kind::AssertionFailure => {
                more("assertion", seen.what.clone().into());
            }
            _ if seen.what.is_empty() => {}
            _ => {
                more("what", seen.what.clone().into());
            }
        }
        let stack = match run.troubles.first() {
            Some(trouble) => &trouble.stack,
            None => &run.stack,
        };
        let calls: Vec<Value> = stack
            .iter()
            .take(16)
            .map(|frame| json!({"function": frame.function, "line": frame.line}))
            .collect();
        if calls.len() > 1 {
            more("stack", calls.into());
        }
        self.findings.push(Finding::new(
            Claim {
                id: id.clone(),
                kind: seen.kind,
                function: seen.function.clone(),
                place: seen.place.clone(),
                operation: seen.operation.clone(),
                inputs: case.numbers.clone(),
                engine: engine.to_owned(),
            },
            evidence,
        ));
        self.test(case, run, entry, engine, Some(id));
        true
    }

    /// Adds a test, unless there is one with the same inputs.
    pub fn test(
        &mut self,
        case: &Case,
        run: &Run,
        entry: &str,
        engine: &str,
        finding: Option<String>,
    ) {
        if let Some((_, test)) = self.tests.iter_mut().find(|(other, _)| other.given == case.given)
        {
            test.finding = test.finding.take().or(finding);
            return;
        }
        let test = Test {
            name: format!("test-{:04}", self.tests.len() + 1),
            function: entry.to_owned(),
            inputs: case.numbers.clone(),
            given: case.given.clone(),
            outcome: super::native::outcome(run),
            finding,
            engine: engine.to_owned(),
        };
        self.tests.push((case.clone(), test));
    }

    /// The inputs of all tests.
    pub fn cases(&self) -> Vec<&Case> {
        self.tests.iter().map(|(case, _)| case).collect()
    }

    /// The findings and the tests.
    pub fn into_parts(self) -> (Vec<Finding>, Vec<Test>) {
        (self.findings, self.tests.into_iter().map(|(_, test)| test).collect())
    }
}

/// What tells goals apart.
pub(super) fn key(seen: &Seen) -> Key {
    (seen.kind, seen.place.file.clone(), seen.place.line)
}
