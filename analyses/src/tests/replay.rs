//! A finding of a test run once more, or its whole suite, on the program as it is now.

use super::coverage;
use super::inputs::Case;
use super::native::{Answer, Natives};
use super::seen::Seen;
use crate::library::with_headers;
use crate::replay::{Happening, Replayed};
use crate::subject::Source;
use nanoscope_native::whole::{self, Invocation, Run};
use nanoscope_program::Fault;
use nanoscope_report::{Coverage, Finding, Report, Subject, Test};
use std::time::{Duration, Instant};

/// More than any build takes.
const LONG: Duration = Duration::from_secs(3600);

/// Runs a report's finding again.
pub(crate) fn run(report: &Report, finding: &Finding) -> Result<Replayed, Fault> {
    let source = with_headers(&Source::described(&report.subject))?;
    let mut natives = build(&source, &report.subject)?;
    let case = Case { numbers: finding.inputs.clone(), given: finding.given() };
    let claim = Seen {
        kind: finding.kind,
        place: finding.place.clone(),
        function: finding.function.clone(),
        operation: finding.operation.clone(),
        what: String::new(),
    };
    Ok(match natives.confirm(&claim, &case, true)? {
        Answer::Confirmed { seen, run } => told(&seen, &run, true),
        Answer::Another { seen, run } => told(&seen, &run, false),
        Answer::Refuted(ended) => quiet(ended),
        Answer::Later => quiet("was not run with sanitisers".to_owned()),
    })
}

/// Builds a subject as it is now.
fn build<'a>(source: &'a Source, subject: &Subject) -> Result<Natives<'a>, Fault> {
    let (compiler, program) = source.load(None)?;
    let target = match &subject.entry {
        Some(function) => Some(super::target(&program, function, source)?),
        None => super::has_main(&program).map(|()| None)?,
    };
    let invocation = Invocation {
        arguments: subject.arguments.clone(),
        environment: subject.environment.clone().unwrap_or_default(),
    };
    Natives::start(
        source,
        &program,
        &compiler,
        target,
        &invocation,
        Vec::new(),
        Instant::now() + LONG,
    )
}

/// What a test suite shows now.
#[derive(Clone, Debug)]
pub struct Rerun {
    /// How each test ended, in the order given.
    pub tests: Vec<Ended>,
    /// What they cover, where LLVM's tools are there to count.
    pub coverage: Option<Coverage>,
}

/// How a test ended now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// In words, as the test's own outcome is.
    pub outcome: String,
    /// Whether it ended so when it was written.
    pub as_before: bool,
    /// Whether the program came to an ordinary end.
    pub exited: bool,
}

/// Runs tests of a subject once more and counts what they cover.
pub fn suite(subject: &Subject, tests: &[&Test]) -> Result<Rerun, Fault> {
    let source = with_headers(&Source::described(subject))?;
    let mut natives = build(&source, subject)?;
    let cases: Vec<Case> = tests.iter().map(|test| Case::of_test(test)).collect();
    let mut ended = Vec::new();
    for (test, case) in tests.iter().zip(&cases) {
        let run = natives.run(case)?;
        let mut outcome = super::native::outcome(&run);
        let exited = matches!(run.ended, whole::Ended::Exited(_));
        // What only sanitisers see was recorded as they saw it.
        if outcome != test.outcome
            && test.finding.is_some()
            && let Ok(run) = natives.run_sanitised(case)?
        {
            let sanitised = super::native::outcome(&run);
            if sanitised == test.outcome {
                outcome = sanitised;
            }
        }
        let as_before = outcome == test.outcome;
        ended.push(Ended { outcome, as_before, exited });
    }
    let coverage = match coverage::tools_are_there() {
        true => {
            coverage::measure(&natives, &cases.iter().collect::<Vec<_>>(), Instant::now() + LONG)?
        }
        false => None,
    };
    Ok(Rerun { tests: ended, coverage })
}

fn told(seen: &Seen, run: &Run, is_the_finding: bool) -> Replayed {
    let event = Happening {
        kind: seen.kind,
        place: Some(seen.place.clone()),
        function: seen.function.clone(),
        operation: seen.operation.clone(),
        operands: Vec::new(),
        computed: None,
        times: 1,
        is_the_finding,
    };
    Replayed { happened: is_the_finding, events: vec![event], ..quiet(super::native::outcome(run)) }
}

fn quiet(ended: String) -> Replayed {
    Replayed {
        happened: false,
        events: Vec::new(),
        outputs: Vec::new(),
        ended: Some(ended),
        born: None,
        printed: String::new(),
        steps: Vec::new(),
    }
}
