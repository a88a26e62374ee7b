//! Replay: a finding once more, on the program as it is now.

use crate::exceptions::{BUILD, ended, seen_evidence};
use crate::numbers;
use crate::subject::{Scratch, Source};
use nanoscope_native::{Limits, Replayer};
use nanoscope_program::{Fault, Site, Target};
use nanoscope_report::{Finding, Number, Place, Report};

/// Everything a replay showed.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Whether the finding happened again.
    pub happened: bool,
    /// The exceptions, in the order in which they were first raised.
    pub events: Vec<Happening>,
    /// What the function gave back; empty if it did not return.
    pub outputs: Vec<Number>,
    /// How the run ended if it did not return.
    pub ended: Option<String>,
    /// Where the first NaN or infinity was born: a position in `events`.
    pub born: Option<usize>,
    /// What the program printed.
    pub printed: String,
    /// What was computed and what is exact, operation by operation, for findings of precision.
    pub steps: Vec<Compared>,
}

/// An operation in the machine's floats and in real numbers.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Where it stands.
    pub place: Place,
    /// The operation.
    pub operation: String,
    /// What it gave.
    pub computed: Number,
    /// What real numbers give.
    pub exact: String,
    /// The relative error.
    pub relative: f64,
}

/// An exception that was raised.
#[derive(Clone, Debug)]
pub struct Happening {
    /// What was raised.
    pub kind: nanoscope_report::Kind,
    /// Where; `None` in code that has no place in the source.
    pub place: Option<Place>,
    /// The function whose code it is.
    pub function: String,
    /// The operation.
    pub operation: String,
    /// What the operation was given.
    pub operands: Vec<Number>,
    /// What it gave.
    pub computed: Option<Number>,
    /// How often.
    pub times: u64,
    /// Whether it is the finding.
    pub is_the_finding: bool,
}

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
    let original = match finding.details.more.contains_key(BUILD) {
        false => libraries.original(&target),
        true => libraries
            .written(&target, &compiler, None)?
            .unwrap_or_else(|| libraries.original(&target)),
    };
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
    let returned = replay.outcome == nanoscope_native::Outcome::Returned;
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

/// The input vector that a finding's inputs stand for.
pub(crate) fn point(target: &Target, inputs: &[Number]) -> Result<Vec<u64>, Fault> {
    let mut point = vec![0; target.input_words];
    for input in &target.inputs {
        let number = inputs.iter().find(|number| number.name == input.name).ok_or_else(|| {
            Fault::User(format!(
                "the finding has no value for `{}`: {} has other inputs now than when it was found",
                input.name, target.function
            ))
        })?;
        let bits = number.encoding().ok_or_else(|| {
            Fault::User(format!(
                "the finding's input `{}` has no readable bits: `{}`",
                number.name, number.bits
            ))
        })?;
        point[input.word] = bits as u64;
        if input.scalar.words() == 2 {
            point[input.word + 1] = (bits >> 64) as u64;
        }
    }
    Ok(point)
}
