//! Replay: a finding once more, on the program as it is now.

use crate::exceptions::{BUILD, ended, seen_evidence};
use crate::numbers;
use crate::replayed::point;
pub use crate::replayed::{Compared, Happening, Replayed};
use crate::subject::{Scratch, Source};
use nanoscope_native::{Limits, Replayer};
use nanoscope_program::{Fault, Site};
use nanoscope_report::{Finding, Report};

/// Runs a report's finding again.
pub fn run(report: &Report, finding: &Finding) -> Result<Replayed, Fault> {
    if finding.kind.is_precision() {
        return crate::precision::again::run(report, finding);
    }
    if !finding.kind.is_exception() {
        return crate::tests::replay::run(report, finding);
    }
    let source = Source::described(&report.subject);
    let (compiler, program) = source.load(None)?;
    let names = [finding.function.clone()];
    let target = program.targets(&names, &source.wishes)?.remove(0).map_err(|untestable| {
        Fault::User(format!("{} {}: it cannot be replayed", untestable.function, untestable.why))
    })?;
    let point = point(&target, &finding.inputs)?;
    let scratch = Scratch::new()?;
    let libraries = program.libraries(&names, &source.wishes, &compiler, scratch.path(), None)?;
    let written = match finding.details.more.contains_key(BUILD) {
        true => libraries.written(&target)?,
        false => None,
    };
    let original = written.map_or_else(|| libraries.original(&target), Ok)?;
    let replayer = Replayer::new(&original, &Limits::default())?;
    let replay = replayer.run_with_checks(&point)?;
    let mut events = Vec::new();
    for event in &replay.events {
        let site: Option<&Site> = event.site.map(|site| &program.sites()[site.0 as usize]);
        let (operands, computed) = seen_evidence(event, site);
        let kind = crate::exceptions::kind(event.exception);
        let place = site.map(crate::exceptions::place);
        let operation = match (site, &event.call, &event.within) {
            (Some(site), _, None) => site.action.name().to_owned(),
            (_, Some(call), _) => call.clone(),
            (_, _, Some(within)) => format!("code in {within}"),
            (None, None, None) => "an instruction of no operation in the source".to_owned(),
        };
        let is_the_finding = kind == finding.kind
            && place.as_ref() == Some(&finding.place)
            && operation == finding.operation;
        let function = site.map_or_else(String::new, |site| site.function.clone());
        let times = event.times;
        events.push(Happening {
            kind,
            place,
            function,
            operation,
            operands,
            computed,
            times,
            is_the_finding,
        });
    }
    let born = replay.born().and_then(|born| replay.events.iter().position(|event| event == born));
    let returned = replay.outcome == nanoscope_native::RunEnd::Returned;
    Ok(Replayed {
        happened: events.iter().any(|event| event.is_the_finding),
        events,
        outputs: if returned { numbers::outputs(&target, &replay.outputs) } else { Vec::new() },
        ended: ended(replay.outcome),
        born,
        printed: replay.stdout + &replay.stderr,
        steps: Vec::new(),
    })
}
