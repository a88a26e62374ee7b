//! `nanoscope replay --harm`.

use crate::as_ours;
use crate::document::read;
use nanoscope_analyses::exceptions::{Contracts, Judged, is_unjudged, judge};
use nanoscope_cli::programs::Replay;
use nanoscope_cli::{Conclusion, Fault, output};
use nanoscope_report::{Document, Effect, Finding, Report, to_json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Judges findings of a report and says what they do.
pub fn run(arguments: &Replay) -> Result<Conclusion, Fault> {
    let file = arguments.file.display();
    let report = match read_report(arguments)? {
        Some(report) => report,
        None => {
            let what = "--harm judges findings: give a report written by --json, or a finding";
            return Err(Fault::User(format!("{file}: {what}")));
        }
    };
    if let Some(id) = &arguments.id
        && !report.findings.iter().any(|finding| finding.id == *id)
    {
        return Err(Fault::User(format!("{file} has no finding {id}")));
    }
    let chosen = |finding: &Finding| match &arguments.id {
        Some(id) => finding.id == *id,
        None => is_unjudged(finding),
    };
    let contracts = Contracts { status_ok: arguments.status_ok.clone(), ..Contracts::default() };
    let deadline = Instant::now() + Duration::from_secs_f64(arguments.time_limit);
    let mut text = String::new();
    let judged = judge(&report, &chosen, &contracts, deadline, &mut |finding, one| {
        line(&mut text, finding, one);
    });
    let judged = judged.map_err(as_ours)?;
    let wanted = report.findings.iter().filter(|finding| chosen(finding)).count();
    summary(&mut text, &judged, wanted);
    let report = with_harm(report, &judged);
    if let Some(path) = &arguments.json {
        output::write(path, &to_json(&report))?;
    }
    let json_on_stdout = arguments.json.as_deref().is_some_and(output::is_stdout);
    if !arguments.quiet && !json_on_stdout {
        output::print(&text)?;
    }
    Ok(if report.findings.is_empty() { Conclusion::Nothing } else { Conclusion::Findings })
}

fn read_report(arguments: &Replay) -> Result<Option<Report>, Fault> {
    if arguments.file.is_dir() {
        return Ok(None);
    }
    Ok(match read(&arguments.file)? {
        Document::Report(report) => Some(*report),
        Document::Test(_) => None,
    })
}

fn line(text: &mut String, finding: &Finding, judged: &Judged) {
    let place = &finding.place;
    let what = match &judged.harm {
        None => "it does not happen any more".to_owned(),
        Some(harm) if harm.why.is_empty() => harm.effect.words().to_owned(),
        Some(harm) => format!("{} ({})", harm.effect.words(), harm.why),
    };
    let _ = writeln!(
        text,
        "{} at {}:{}:{}, called through {}: {what}",
        finding.kind.name(),
        place.file,
        place.line,
        place.column,
        finding.function
    );
}

fn summary(text: &mut String, judged: &[Judged], wanted: usize) {
    let mut counts: BTreeMap<Effect, usize> = BTreeMap::new();
    for effect in judged.iter().filter_map(|one| one.harm.as_ref()).map(|harm| harm.effect) {
        *counts.entry(effect).or_default() += 1;
    }
    let known: Vec<String> =
        counts.iter().map(|(effect, count)| format!("{count} {}", effect.words())).collect();
    let known = if known.is_empty() { String::new() } else { format!(": {}", known.join(", ")) };
    let _ = writeln!(text, "{} of {wanted} judged{known}", judged.len());
}

/// The report with what is known now.
fn with_harm(report: Report, judged: &[Judged]) -> Report {
    let mut findings = report.findings.clone();
    for finding in &mut findings {
        let known = judged.iter().find(|one| one.id == finding.id);
        if let Some(harm) = known.and_then(|one| one.harm.clone()) {
            finding.details.harm = Some(harm);
        }
    }
    report.with_findings(findings)
}
