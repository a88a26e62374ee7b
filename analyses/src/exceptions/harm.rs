//! Harm judged later: what a run had no time to judge.

use super::classify::Judge;
use super::lowered::Lowered;
use super::settle::WORST_FIRST;
use super::{BUILD, Contracts, kind, place};
use crate::replayed::point;
use crate::subject::{Scratch, Source};
use nanoscope_budget::Budget;
use nanoscope_native::{Limits, Replayer};
use nanoscope_program::Fault;
use nanoscope_report::{Effect, Finding, Harm, Report};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one run in exact arithmetic may take here.
const ONE_RUN: Duration = Duration::from_secs(10);

/// What became of a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Its name.
    pub id: String,
    /// What it does, or why that is not known; none where it does not happen any more.
    pub harm: Option<Harm>,
}

/// Whether a finding's harm is still to be judged.
pub fn is_unjudged(finding: &Finding) -> bool {
    let effect = finding.details.harm.as_ref().map(|harm| harm.effect);
    finding.kind.is_exception() && effect.is_none_or(|effect| effect == Effect::Unclassified)
}

/// Judges findings of a report, the worst first, until the deadline; tells each as it is judged.
pub fn judge(
    report: &Report,
    chosen: &dyn Fn(&Finding) -> bool,
    contracts: &Contracts,
    deadline: Instant,
    tell: &mut dyn FnMut(&Finding, &Judged),
) -> Result<Vec<Judged>, Fault> {
    let mut findings: Vec<&Finding> =
        report.findings.iter().filter(|finding| chosen(finding)).collect();
    let mut judged = Vec::new();
    if findings.is_empty() {
        return Ok(judged);
    }
    findings.sort_by_key(|finding| {
        WORST_FIRST.iter().position(|exception| kind(*exception) == finding.kind)
    });
    let mut functions: Vec<String> = findings.iter().map(|it| it.function.clone()).collect();
    functions.sort();
    functions.dedup();
    let source = Source::described(&report.subject);
    let (compiler, program) = source.load(Some(deadline))?;
    let mut all = program.targets(&functions, &source.wishes)?;
    let mut targets: Vec<_> = all.iter_mut().flatten().collect();
    let contracts = contracts.of(&mut targets)?;
    let targets: Vec<_> = all.iter().flatten().collect();
    let scratch = Scratch::new()?;
    let libraries =
        program.libraries(&functions, &source.wishes, &compiler, scratch.path(), Some(deadline))?;
    let lowered = Lowered::new(&program, &functions, &source.wishes, deadline)?;
    let code = lowered.exact();
    for finding in findings {
        let named = |is_it: fn(&str, &str) -> bool| {
            targets.iter().position(|target| is_it(&finding.function, &target.function))
        };
        let number = named(|a, b| a == b).or_else(|| named(nanoscope_program::is_the_same));
        let Some(number) = number else { continue };
        let target = targets[number];
        let written = match finding.details.more.contains_key(BUILD) {
            true => libraries.written(target)?,
            false => None,
        };
        let original = written.map_or_else(|| libraries.original(target), Ok)?;
        let point = point(target, &finding.inputs)?;
        let replayer = Replayer::new(&original, &Limits::default())?;
        let replay = replayer.run_with_checks(&point)?;
        let event = replay.events.iter().find(|event| {
            let site = event.site.map(|site| &program.sites()[site.0 as usize]);
            kind(event.exception) == finding.kind
                && site.map(place).as_ref() == Some(&finding.place)
        });
        let harm = event.map(|event| {
            let budget =
                Budget { deadline: Some(deadline), stop: Arc::default(), evaluations: None };
            let mut judge = Judge::new(code, target, &contracts[number], budget);
            judge.one_run = ONE_RUN;
            judge.harm_of(&point, &replay, event.exception)
        });
        let one = Judged { id: finding.id.clone(), harm };
        tell(finding, &one);
        judged.push(one);
        if Instant::now() >= deadline {
            break;
        }
    }
    Ok(judged)
}
