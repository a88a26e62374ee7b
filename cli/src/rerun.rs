//! `nanoscope replay` of tests: how each ends now, and what they cover.

use crate::as_ours;
use nanoscope_analyses::tests::{Rerun, rerun};
use nanoscope_cli::{Fault, output};
use nanoscope_report::text::coverage_table;
use nanoscope_report::{SCHEMA, Subject, Test, TestFile};
use serde_json::{Value, json};
use std::fmt::Write;

/// The tests of one program, and what they show.
pub struct Replayed {
    tests: Vec<Test>,
    shown: Rerun,
}

/// Runs tests, those of one program together.
pub fn run(files: Vec<TestFile>) -> Result<Vec<Replayed>, Fault> {
    let mut programs: Vec<(Subject, Vec<Test>)> = Vec::new();
    for TestFile { subject, test } in files {
        match programs.iter_mut().find(|(known, _)| *known == subject) {
            Some((_, tests)) => tests.push(test),
            None => programs.push((subject, vec![test])),
        }
    }
    let run = |(subject, tests): (Subject, Vec<Test>)| {
        let shown = rerun(&subject, &tests.iter().collect::<Vec<_>>()).map_err(as_ours)?;
        Ok(Replayed { tests, shown })
    };
    programs.into_iter().map(run).collect()
}

impl Replayed {
    /// Whether a test shows a finding, or ends otherwise than it did. A finding that is mended is
    /// nothing to act upon.
    pub fn is_notable(&self) -> bool {
        let mut ended = self.tests.iter().zip(&self.shown.tests);
        ended.any(|(test, now)| match &test.finding {
            Some(_) => now.as_before || !now.exited,
            None => !now.as_before,
        })
    }

    /// For a person.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (test, now) in self.tests.iter().zip(&self.shown.tests) {
            let inputs: Vec<String> =
                test.inputs.iter().map(|it| format!("{} = {}", it.name, it.value)).collect();
            let _ = writeln!(text, "{}: {}", test.name, now.outcome);
            if !inputs.is_empty() {
                let _ = writeln!(text, "  {}", inputs.join(", "));
            }
            if !now.as_before {
                let _ = writeln!(text, "  when it was written, it {}", test.outcome);
            }
            match &test.finding {
                Some(finding) if now.as_before => {
                    let _ = writeln!(text, "  {finding} happens");
                }
                Some(finding) => {
                    let _ = writeln!(text, "  {finding} is not seen any more");
                }
                None => {}
            }
        }
        let same = self.shown.tests.iter().filter(|now| now.as_before).count();
        let all = self.tests.len();
        let _ = writeln!(text, "\n{same} of {all} tests end as when they were written");
        if let Some(coverage) = &self.shown.coverage {
            let _ = write!(text, "\n{}", coverage_table(coverage, output::paint()));
        }
        text
    }

    /// For machines.
    pub fn to_json(&self) -> Value {
        let tests = self.tests.iter().zip(&self.shown.tests).map(|(test, now)| {
            json!({
                "name": test.name,
                "inputs": test.inputs,
                "outcome": now.outcome,
                "expected": test.outcome,
                "as_before": now.as_before,
                "finding": test.finding,
            })
        });
        json!({
            "schema": SCHEMA,
            "command": "replay",
            "version": env!("CARGO_PKG_VERSION"),
            "tests": tests.collect::<Vec<Value>>(),
            "coverage": self.shown.coverage,
        })
    }
}
