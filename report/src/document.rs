//! The report of one run: who ran on what, what was found, and how every goal ended.

use crate::competition::PropertyVerdict;
use crate::story::stories;
use crate::{
    Coverage, Finding, Handling, Outcome, OutputError, Paths, Place, Statistics, Story, Test,
    Verdict,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the JSON. Fields may be added under the same name; none is
/// renamed, removed or given another meaning.
pub const SCHEMA: &str = "nanoscope/1";

/// Everything a run has to say.
///
/// A report narrowed to one finding (see [`Report::only`]) is what
/// `nanoscope replay` takes: there is no second file format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The command that was run: `exceptions`, …
    pub command: String,
    /// Nanoscope's version.
    pub version: String,
    /// The seed that makes the run repeatable.
    pub seed: u64,
    /// What was looked at, so that a finding can be replayed from the file alone.
    pub subject: Subject,
    /// Whether every goal was settled.
    pub status: Status,
    /// How the goals ended, counted.
    pub goals: Tally,
    /// What was seen to happen, the most harmful first, then by place.
    pub findings: Vec<Finding>,
    /// What was seen to happen too, but is allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<Suppressed>,
    /// The findings grouped by their roots, the most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stories: Vec<Story>,
    /// How every goal ended, by place.
    pub verdicts: Vec<Verdict>,
    /// The errors of results, where precision was asked for: an entry an output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<OutputError>,
    /// The test suite, where one was made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<Test>,
    /// What the tests cover, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Paths through the program, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Paths>,
    /// How exceptions are handled, where that was tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handling: Option<Handling>,
    /// How the property ended that was asked about, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<PropertyVerdict>,
    /// What a reader must know to read the rest right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// What it cost.
    pub statistics: Statistics,
}

/// Something to know about a function: what was assumed of its inputs, what in it was
/// not looked into, why it could not be run at all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// The function; empty if it is about the whole program.
    pub function: String,
    /// The place it is about.
    #[serde(flatten)]
    pub place: Place,
    /// One sentence, without its full stop.
    pub text: String,
}

/// A finding that is allowed, with the reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Suppressed {
    /// Why it is allowed, in the words of who allowed it.
    pub reason: String,
    /// Where that stands.
    pub by: Place,
    /// The finding.
    pub finding: Finding,
}

/// The circumstances of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The command that was run: `exceptions`, …
    pub command: String,
    /// The seed that makes the run repeatable.
    pub seed: u64,
    /// What was looked at.
    pub subject: Subject,
}

/// The program that was looked at, with what it takes to build it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Subject {
    /// The sources as the user named them, from the folder the command ran in.
    pub sources: Vec<String>,
    /// The flags for compiler and linker.
    pub flags: Vec<String>,
    /// The `compile_commands.json` that more flags came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compile_commands: Option<String>,
    /// The function that is run, where it is one and not `main`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// The arguments of `main`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// The variables of the environment, `NAME=VALUE`, where they were stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Vec<String>>,
    /// Elements given to each array parameter: `x`, or `norm2:x` for one function's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub arrays: BTreeMap<String, u64>,
    /// Elements of arrays as expressions over integer inputs, named in the same way.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extents: BTreeMap<String, String>,
    /// What functions are that targets are given, where the user said so.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub callbacks: BTreeMap<String, String>,
    /// Variables of the program that are inputs, named in the same way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub globals: Vec<String>,
    /// The ranges of integers that the extents are made of.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ranges: BTreeMap<String, (String, String)>,
}

/// Whether a run settled what it set out to settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Every goal is reached or impossible.
    Exhausted,
    /// Some goals are open.
    Stopped,
}

/// Goals, counted by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// All of them.
    pub total: u64,
    /// Those with a confirmed witness.
    pub reached: u64,
    /// Those proved impossible.
    pub impossible: u64,
    /// The rest.
    pub open: u64,
}

impl Tally {
    /// Counts verdicts.
    pub fn of<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Tally {
        let mut tally = Tally::default();
        for verdict in verdicts {
            tally.count(verdict.outcome);
        }
        tally
    }

    /// Counts one more goal.
    pub(crate) fn count(&mut self, outcome: Outcome) {
        self.total += 1;
        match outcome {
            Outcome::Reached => self.reached += 1,
            Outcome::Impossible => self.impossible += 1,
            Outcome::Open => self.open += 1,
        }
    }
}

impl Report {
    /// Puts a report together: counts the goals, and orders findings by harm and verdicts
    /// by place, so that the order of the work does not show.
    pub fn new(
        run: Run,
        mut findings: Vec<Finding>,
        mut verdicts: Vec<Verdict>,
        statistics: Statistics,
    ) -> Report {
        verdicts.sort_by(|a, b| a.order().cmp(&b.order()));
        let stories = told(&mut findings);
        let goals = Tally::of(&verdicts);
        Report {
            schema: SCHEMA.to_string(),
            command: run.command,
            version: env!("CARGO_PKG_VERSION").to_string(),
            seed: run.seed,
            subject: run.subject,
            status: if goals.open == 0 { Status::Exhausted } else { Status::Stopped },
            goals,
            findings,
            suppressed: Vec::new(),
            stories,
            verdicts,
            errors: Vec::new(),
            tests: Vec::new(),
            coverage: None,
            paths: None,
            handling: None,
            property: None,
            notes: Vec::new(),
            statistics,
        }
    }

    /// The same report of other findings: ordered, and told as stories.
    pub fn with_findings(mut self, mut findings: Vec<Finding>) -> Report {
        self.stories = told(&mut findings);
        self.findings = findings;
        self
    }

    /// Every finding, suppressed or not.
    pub fn all_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().chain(self.suppressed.iter().map(|one| &one.finding))
    }

    /// Adds notes, in order of their functions and places.
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = Note>) -> Report {
        self.notes.extend(notes);
        self.notes.sort();
        self.notes.dedup();
        self
    }

    /// Adds the errors of results.
    pub fn with_errors(mut self, errors: Vec<OutputError>) -> Report {
        self.errors = errors;
        self
    }

    /// Adds a test suite and what it covers.
    pub fn with_tests(mut self, tests: Vec<Test>, coverage: Option<Coverage>) -> Report {
        self.tests = tests;
        self.coverage = coverage;
        self
    }

    /// Adds paths.
    pub fn with_paths(mut self, paths: Paths) -> Report {
        self.paths = Some(paths);
        self
    }

    /// Adds how exceptions are handled.
    pub fn with_handling(mut self, handling: Handling) -> Report {
        self.handling = Some(handling);
        self
    }

    /// Says whether everything was looked into, where the goals alone do not tell.
    pub fn with_status(mut self, status: Status) -> Report {
        self.status = status;
        self
    }

    /// The report of a single finding, or nothing if there is none of that name.
    pub fn only(&self, id: &str) -> Option<Report> {
        let finding = self.findings.iter().find(|finding| finding.id == id)?.clone();
        let verdicts = self.verdicts.iter().filter(|verdict| verdict.goal == id).cloned().collect();
        let run =
            Run { command: self.command.clone(), seed: self.seed, subject: self.subject.clone() };
        let narrowed = Report::new(run, vec![finding], verdicts, Statistics::default());
        Some(Report { version: self.version.clone(), ..narrowed })
    }
}

/// Orders findings by harm and groups them into stories.
fn told(findings: &mut [Finding]) -> Vec<Story> {
    findings.sort_by(|a, b| a.order().cmp(&b.order()));
    let stories = stories(findings);
    let mut story_of = BTreeMap::new();
    for story in &stories {
        story_of.extend(story.findings.iter().map(|finding| (finding.clone(), story.id.clone())));
    }
    for finding in findings {
        finding.story = story_of.remove(&finding.id).unwrap_or_default();
    }
    stories
}
