//! The project file, `nanoscope.toml`: what is known about a library's functions, what a
//! campaign does with them, and which findings are allowed.
//!
//! A mistake in it is told with its line and column, and with the nearest word that would be right.

use nanoscope_report::{Place, Rule, kinds_from_text};
use serde::Deserialize;
use serde::de::Deserializer;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

/// A project file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Project {
    /// What is assumed of the inputs of every function that has such.
    pub assume: List,
    /// How every function that has such outputs tells success.
    pub status_ok: Option<String>,
    /// The outputs that are results.
    pub value: List,
    /// Ranges of inputs.
    pub input: BTreeMap<String, String>,
    /// Elements of arrays.
    pub array: BTreeMap<String, Elements>,
    /// What is known about single functions.
    pub function: BTreeMap<String, Known>,
    /// What a campaign does.
    pub campaign: Option<Campaign>,
    /// The findings that are allowed.
    pub suppress: Vec<Suppression>,
}

/// What is known about one function.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Known {
    /// What is assumed of its inputs.
    pub assume: List,
    /// How it tells success.
    pub status_ok: Option<String>,
    /// The outputs that are results.
    pub value: List,
    /// Ranges of inputs.
    pub input: BTreeMap<String, String>,
    /// Elements of arrays.
    pub array: BTreeMap<String, Elements>,
}

/// A number of elements, or an expression over integer inputs.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Elements {
    /// A number.
    Number(u64),
    /// An expression.
    Expression(String),
}

/// One text or several.
#[derive(Clone, Debug, Default)]
pub struct List(pub Vec<String>);

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<List, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a text or a list of texts")]
        enum Written {
            One(String),
            Several(Vec<String>),
        }
        Ok(List(match Written::deserialize(from)? {
            Written::One(text) => vec![text],
            Written::Several(texts) => texts,
        }))
    }
}

/// What a campaign does.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Campaign {
    /// Sources, as patterns from the project file's folder.
    pub sources: List,
    /// A `compile_commands.json`, or its folder.
    pub compile_commands: Option<String>,
    /// Compiler flags.
    pub flags: List,
    /// Whether the sources are one program, or one each.
    pub link: Link,
    /// The functions meant, as patterns; all if there is none.
    pub functions: List,
    /// The functions not meant, as patterns.
    pub exclude: List,
    /// Whether only functions are meant whose inputs are numbers, without arrays.
    pub scalar_only: bool,
    /// What is checked.
    pub checks: Vec<Check>,
    /// Start of all random choices.
    pub seed: Option<u64>,
    /// Runs of the instrumented code for each function.
    pub evaluations: Option<u64>,
    /// Seconds for each unit.
    pub time_limit: Option<f64>,
    /// Processor seconds for each unit.
    pub function_time: Option<f64>,
    /// More options of the commands, by check.
    pub options: BTreeMap<Check, List>,
    /// Programs whose handling of exceptions is tested.
    pub handling: Vec<Handling>,
    /// The store, from the project file's folder.
    pub store: Option<String>,
}

/// How sources make programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// All of them one.
    #[default]
    Together,
    /// Each by itself.
    Apart,
}

/// A command of Nanoscope that checks something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// Exceptions of operations.
    Exceptions,
    /// Errors of results.
    Precision,
    /// Failures of programs.
    Test,
    /// Exceptions that are swallowed.
    Handling,
}

impl Check {
    /// The command.
    pub fn name(self) -> &'static str {
        match self {
            Check::Exceptions => "exceptions",
            Check::Precision => "precision",
            Check::Test => "test",
            Check::Handling => "handling",
        }
    }
}

/// A program whose handling of exceptions is tested.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Handling {
    /// What functions take and give back.
    pub prototypes: List,
    /// The program and its arguments.
    pub command: List,
    /// Functions whose call reports trouble.
    #[serde(default)]
    pub error_routines: List,
    /// What the program reads.
    #[serde(default)]
    pub input: Option<String>,
}

/// Findings that are allowed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Suppression {
    /// Their kind or kinds; `all`.
    pub kind: Spanned<String>,
    /// Their functions, as a pattern.
    #[serde(default)]
    pub function: Option<String>,
    /// Their files, as a pattern.
    #[serde(default)]
    pub file: Option<String>,
    /// Their line.
    #[serde(default)]
    pub line: Option<u32>,
    /// Why.
    pub reason: String,
}

impl Project {
    /// Reads a project file.
    pub fn read(path: &Path) -> Result<Project, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Project::parse(&text, &path.display().to_string())
    }

    /// Reads the text of a project file, which is called `name`.
    pub fn parse(text: &str, name: &str) -> Result<Project, String> {
        let project: Project = toml::from_str(text).map_err(|error| {
            let what = hinted(error.message());
            format!("{}: {what}", place(text, name, error.span()))
        })?;
        project.rules(text, name)?;
        Ok(project)
    }

    /// The suppressions, from the text it was read from.
    pub fn rules(&self, text: &str, name: &str) -> Result<Vec<Rule>, String> {
        let rule = |said: &Suppression| {
            let span = said.kind.span();
            let complain =
                |why: String| format!("{}: {why}", place(text, name, Some(span.clone())));
            let pattern = |text: &Option<String>| {
                text.as_deref()
                    .map(glob::Pattern::new)
                    .transpose()
                    .map_err(|error| complain(format!("suppress: not a pattern: {error}")))
            };
            if said.reason.trim().is_empty() {
                return Err(complain("suppress: the reason is empty".to_owned()));
            }
            Ok(Rule {
                kinds: kinds_from_text(said.kind.get_ref()).map_err(&complain)?,
                function: pattern(&said.function)?,
                file: pattern(&said.file)?,
                lines: said.line.map(|line| (line, line)),
                reason: said.reason.trim().to_owned(),
                by: Place { file: name.to_owned(), line: position(text, span.start).0, column: 0 },
            })
        };
        self.suppress.iter().map(rule).collect()
    }
}

/// `nanoscope.toml:3:7`.
fn place(text: &str, name: &str, span: Option<Range<usize>>) -> String {
    match span {
        Some(span) => {
            let (line, column) = position(text, span.start);
            format!("{name}:{line}:{column}")
        }
        None => name.to_owned(),
    }
}

/// The line and column, from 1, of a byte.
fn position(text: &str, at: usize) -> (u32, u32) {
    let before = &text[..at.min(text.len())];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() as u32 + 1;
    (line, before[start..].chars().count() as u32 + 1)
}

/// The parser's message, with the nearest of the words that it expects.
fn hinted(message: &str) -> String {
    let message = message.replace("unknown field", "unknown key");
    let mut quoted = message.split('`').skip(1).step_by(2);
    let Some(written) = quoted.next().filter(|_| message.starts_with("unknown")) else {
        return message;
    };
    let nearest = quoted.min_by_key(|right| strsim::damerau_levenshtein(written, right));
    match nearest.filter(|right| strsim::jaro_winkler(written, right) > 0.7) {
        Some(right) => format!("{message}; did you mean `{right}`?"),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::{Check, Link, Project};

    #[test]
    fn everything_it_may_say() {
        let text = r#"
assume = "x > 0"
input.x = "-1..1"
array.a = 8
[function.norm]
input = { n = "1..100" }
assume = ["n > 1", "x < 3"]
[campaign]
sources = ["src/*.c"]
flags = ["-O2", "-lm"]
link = "apart"
functions = "gsl_*"
exclude = ["*_test"]
scalar-only = true
checks = ["exceptions", "precision"]
evaluations = 1000
time-limit = 2.5
options.exceptions = ["--quick"]
[[campaign.handling]]
prototypes = "blas"
command = ["./sblat2"]
[[suppress]]
kind = "overflow, invalid"
function = "norm*"
reason = "callers scale"
"#;
        let project = Project::parse(text, "n.toml").expect("it is right");
        let campaign = project.campaign.as_ref().expect("it has one");
        assert_eq!(campaign.link, Link::Apart);
        assert_eq!(campaign.options[&Check::Exceptions].0, ["--quick"]);
        let rules = project.rules(text, "n.toml").expect("they are right");
        assert_eq!((rules[0].kinds.len(), rules[0].by.line), (2, 23));
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (text, told) in [
            ("[campaign]\nsoruces = [\"a.c\"]\n", "n.toml:2:1: unknown key `soruces`"),
            ("[campaign]\nsoruces = [\"a.c\"]\n", "did you mean `sources`?"),
            ("[campain]\n", "n.toml:1:2: unknown key `campain`"),
            ("[campaign]\nchecks = [\"exeptions\"]\n", "did you mean `exceptions`?"),
            ("[campaign]\nchecks = [\"exeptions\"]\n", "n.toml:2:11: "),
            ("[campaign]\nseed = \"x\"\n", "n.toml:2:8: "),
            ("[campaign\n", "n.toml:1:10: "),
            ("[[suppress]]\nkind = \"owerflow\"\nreason = \"r\"\n", "n.toml:2:8: there is no kind"),
            ("[[suppress]]\nkind = \"overflow\"\n", "missing field `reason`"),
        ] {
            let why = Project::parse(text, "n.toml").expect_err("it is wrong");
            assert!(why.contains(told), "{why}");
        }
    }
}
