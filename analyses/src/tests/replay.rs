//! A finding of a test run once more, on the program as it is now.

use super::inputs::Case;
use super::library::with_headers;
use super::native::{Answer, Natives};
use super::seen::Seen;
use crate::replay::{Happening, Replayed};
use crate::subject::Source;
use nanoscope_native::whole::Run;
use nanoscope_program::Fault;
use nanoscope_report::{Finding, Report};
use std::time::{Duration, Instant};

/// More than any build takes.
const LONG: Duration = Duration::from_secs(3600);

/// Runs a report's finding again.
pub(crate) fn run(report: &Report, finding: &Finding) -> Result<Replayed, Fault> {
    let source = with_headers(&Source::described(&report.subject))?;
    let (compiler, program) = source.load(None)?;
    let target = match &report.subject.entry {
        Some(function) => Some(super::target(&program, function, &source)?),
        None => super::has_main(&program).map(|()| None)?,
    };
    let case = Case { numbers: finding.inputs.clone(), given: finding.given() };
    let mut natives = Natives::start(
        &source,
        &program,
        &compiler,
        target,
        &report.subject.arguments,
        Vec::new(),
        Instant::now() + LONG,
    )?;
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
