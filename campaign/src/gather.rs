//! One report of all results of a store.

use crate::fault::Trouble;
use crate::store::{Store, UnitResult};
use nanoscope_report::text::{Files, Sources};
use nanoscope_report::{Note, Place, Report, Run, Statistics, Status, Subject};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The sources of a campaign, which are named from the project file's folder.
#[derive(Debug)]
pub struct Rooted {
    root: PathBuf,
    files: Files,
}

impl Rooted {
    /// Files named from `root`.
    pub fn new(root: PathBuf) -> Rooted {
        Rooted { root, files: Files::default() }
    }
}

impl Sources for Rooted {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        self.files.line(&self.root.join(file).display().to_string(), line)
    }
}

/// Everything that a store knows, as one report, in the order of its units.
pub fn gather(store: &Store) -> Result<Report, Trouble> {
    let outcomes = store.outcomes()?;
    let left = store.counts()?.left();
    let mut notes = Vec::new();
    for (what, why) in store.troubles()? {
        notes.push(note("", &format!("{what}: {}", first_line(&why))));
    }
    for outcome in &outcomes {
        if let Some(why) = &outcome.message {
            let check = outcome.unit.check.name();
            notes.push(note(
                &outcome.unit.target,
                &format!("`{check}` ended without a report: {}", first_line(why)),
            ));
        }
    }
    if left > 0 {
        notes.push(note("", &format!("{left} units are not done yet: `campaign run` goes on")));
    }
    let mut report = joined(outcomes);
    if left > 0 || notes.iter().any(|note| note.text.contains("ended without a report")) {
        report.status = Status::Stopped;
    }
    Ok(report.with_notes(notes))
}

fn note(function: &str, text: &str) -> Note {
    Note { function: function.to_owned(), place: Place::default(), text: text.to_owned() }
}

/// What a message says first; compilers say the error after what leads to it.
fn first_line(message: &str) -> &str {
    let error = message.lines().find(|line| line.contains("error:"));
    error.or(message.lines().next()).unwrap_or_default()
}

/// One report of many.
fn joined(outcomes: Vec<UnitResult>) -> Report {
    let (mut findings, mut verdicts) = (Vec::new(), Vec::new());
    let (mut errors, mut notes) = (Vec::new(), Vec::new());
    let mut statistics = Statistics::default();
    let mut subject: Option<Subject> = None;
    let mut seed = 1;
    let mut exhausted = true;
    let mut taken = BTreeSet::new();
    for outcome in outcomes {
        statistics.seconds += outcome.seconds;
        let Some(report) = outcome.report else { continue };
        seed = report.seed;
        exhausted &= report.status == Status::Exhausted;
        add_subject(&mut subject, report.subject);
        for mut finding in report.findings {
            // Functions of one name in several programs, or in several checks.
            let id = (1..)
                .map(|count| match count {
                    1 => finding.id.clone(),
                    _ => format!("{}~{count}", finding.id),
                })
                .find(|id| !taken.contains(id))
                .expect("there are more names than findings");
            taken.insert(id.clone());
            finding.id = id;
            findings.push(finding);
        }
        verdicts.extend(report.verdicts);
        errors.extend(report.errors);
        notes.extend(report.notes);
        let (search, more) = (&mut statistics.search, report.statistics.search);
        search.evaluations += more.evaluations;
        search.seconds += more.seconds;
        search.replays += more.replays;
        search.refuted += more.refuted;
        search.stopped += more.stopped;
        let (solver, more) = (&mut statistics.solver, report.statistics.solver);
        solver.queries += more.queries;
        solver.sat += more.sat;
        solver.unsat += more.unsat;
        solver.unknown += more.unknown;
        solver.unsat_over_reals += more.unsat_over_reals;
        solver.seconds += more.seconds;
    }
    let run = Run { command: "campaign".to_owned(), seed, subject: subject.unwrap_or_default() };
    let mut report = Report::new(run, findings, verdicts, statistics);
    if !exhausted {
        report.status = Status::Stopped;
    }
    report.with_errors(errors).with_notes(notes)
}

/// Programs of one campaign differ in their sources at most.
fn add_subject(subject: &mut Option<Subject>, more: Subject) {
    match subject {
        None => *subject = Some(Subject { entry: None, ..more }),
        Some(subject) => {
            for source in more.sources {
                if !subject.sources.contains(&source) {
                    subject.sources.push(source);
                }
            }
        }
    }
}
