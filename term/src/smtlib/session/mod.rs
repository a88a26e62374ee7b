//! Scripts, command by command: what they tell (`tell.rs`) and what they ask (`ask.rs`).

mod ask;
mod check;
mod problem;
mod tell;

pub use problem::{Problem, read, read_values};

use super::print::DeclaredSorts;
use super::symbols::{Symbols, brief};
use super::text::{At, Mistake, Reader, Tree};
use crate::{FunctionId, Model, Term, Terms, VariableId, Verdict};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, Write};
use std::time::Duration;

/// What came of a query.
pub type Answer = Verdict<String>;

/// A decision procedure, as scripts need one.
pub trait Decide {
    /// Whether `assertions` can hold together. They are terms without arrays,
    /// uninterpreted functions and open results.
    fn decide(&mut self, terms: &mut Terms, assertions: &[Term], limit: Option<Duration>)
    -> Answer;
}

impl<D: Decide + ?Sized> Decide for &mut D {
    fn decide(
        &mut self,
        terms: &mut Terms,
        assertions: &[Term],
        limit: Option<Duration>,
    ) -> Answer {
        (**self).decide(terms, assertions, limit)
    }
}

/// Why a script could not be followed to its end.
#[derive(Debug)]
pub enum Failure {
    /// A mistake in the script.
    Mistake(Mistake),
    /// The decision procedure gave a model under which the assertions do not
    /// hold; the query as text.
    WrongModel(String),
    /// The answers could not be written.
    Output(std::io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Mistake(mistake) => mistake.fmt(f),
            Failure::WrongModel(_) => f.write_str("a model under which the query does not hold"),
            Failure::Output(error) => write!(f, "cannot write the answer: {error}"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Mistake> for Failure {
    fn from(mistake: Mistake) -> Failure {
        Failure::Mistake(mistake)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Output(error)
    }
}

/// A script being followed: its declarations, assertions and last answer.
pub struct Session<D> {
    /// Who decides.
    pub decider: D,
    /// The time a query may take, unless the script says `:timeout`.
    pub limit: Option<Duration>,
    pub(super) terms: Terms,
    symbols: Symbols,
    levels: Vec<Level>,
    pub(super) assertions: Vec<Assertion>,
    named: Vec<(String, Term)>,
    variables: Vec<VariableId>,
    functions: Vec<FunctionId>,
    options: BTreeMap<String, String>,
    information: BTreeMap<String, String>,
    pub(super) last: Last,
    /// The declared sorts that engines know as bit strings.
    sorts: DeclaredSorts,
}

#[derive(Clone, Copy, Default)]
struct Level {
    symbols: usize,
    assertions: usize,
    named: usize,
    variables: usize,
    functions: usize,
}

pub(super) struct Assertion {
    pub(super) term: Term,
    pub(super) name: Option<String>,
    /// As it was written.
    text: String,
}

/// The last answer, as long as nothing was asserted since.
pub(super) enum Last {
    None,
    Sat(Model),
    /// With the assumptions and their texts, and how long it took.
    Unsat {
        assumptions: Vec<(Term, String)>,
        took: Duration,
    },
    Unknown(String),
}

/// Whether to go on.
enum Flow {
    Continue,
    Exit,
}

/// A command that cannot be answered.
enum Trouble {
    Failure(Failure),
    /// A question about an answer that there is not: the script goes on.
    Question(Mistake),
}

impl<E: Into<Failure>> From<E> for Trouble {
    fn from(error: E) -> Trouble {
        Trouble::Failure(error.into())
    }
}

impl<D: Decide> Session<D> {
    /// Nothing declared yet.
    pub fn new(decider: D) -> Session<D> {
        Session {
            decider,
            limit: None,
            terms: Terms::new(),
            symbols: Symbols::default(),
            levels: Vec::new(),
            assertions: Vec::new(),
            named: Vec::new(),
            variables: Vec::new(),
            functions: Vec::new(),
            options: BTreeMap::new(),
            information: BTreeMap::new(),
            last: Last::None,
            sorts: DeclaredSorts::default(),
        }
    }

    /// The terms that the script made.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The terms that the script made, for making more.
    pub fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    /// The assertions in force.
    pub fn assertions(&self) -> Vec<Term> {
        self.assertions.iter().map(|assertion| assertion.term).collect()
    }

    /// The variables in force, in the order of their declarations.
    pub fn variables(&self) -> &[VariableId] {
        &self.variables
    }

    /// What `set-info` told.
    pub fn information(&self, keyword: &str) -> Option<&str> {
        self.information.get(keyword).map(String::as_str)
    }

    /// The model of the last answer.
    pub fn model(&self) -> Option<&Model> {
        if let Last::Sat(model) = &self.last { Some(model) } else { None }
    }

    /// Follows a script to its end, answering each command as it arrives.
    /// Returns whether all questions could be answered, or the first mistake.
    pub fn run(&mut self, input: impl BufRead, output: &mut impl Write) -> Result<bool, Failure> {
        let mut reader = Reader::new(input);
        let mut all_answered = true;
        let mut first_mistake: Option<Failure> = None;
        loop {
            let (outcome, readable) = match reader.command() {
                Ok(None) => (Ok(Flow::Exit), true),
                Ok(Some(tree)) => (self.execute(&tree, output), true),
                Err(mistake) => (Err(mistake.into()), false),
            };
            match outcome {
                Ok(Flow::Continue) => {}
                Ok(Flow::Exit) => return first_mistake.map_or(Ok(all_answered), Err),
                Err(Trouble::Question(mistake)) => {
                    all_answered = false;
                    writeln!(output, "{}", error_text(&mistake))?;
                }
                Err(Trouble::Failure(failure)) => {
                    let is_mistake = matches!(failure, Failure::Mistake(_));
                    if let Failure::Mistake(mistake) = &failure {
                        writeln!(output, "{}", error_text(mistake))?;
                    }
                    // A mistaken command has no effect, and the next one is read.
                    if !(is_mistake && readable) {
                        output.flush()?;
                        return Err(first_mistake.filter(|_| is_mistake).unwrap_or(failure));
                    }
                    first_mistake.get_or_insert(failure);
                }
            }
            output.flush()?;
        }
    }

    fn execute(&mut self, tree: &Tree, output: &mut impl Write) -> Result<Flow, Trouble> {
        let children = tree.children(Tree::ROOT);
        let Some((name, args)) = children.split_first() else {
            return Err(tree.mistake(Tree::ROOT, "a command").into());
        };
        let Some(command) = tree.symbol(*name) else {
            return Err(tree.mistake(*name, "the name of a command").into());
        };
        if (command, args.len()) == ("exit", 0) {
            return Ok(Flow::Exit);
        }
        if self.ask(tree, command, args, output)? {
            return Ok(Flow::Continue);
        }
        if self.tell(tree, command, args)? {
            self.succeed(output)?;
            return Ok(Flow::Continue);
        }
        let what = if COMMANDS.contains(&command) {
            format!("`{command}` is not used like this")
        } else {
            refused(command)
        };
        Err(tree.mistake(*name, what).into())
    }

    /// Answers a command that tells something, if the script wants that.
    fn succeed(&self, output: &mut impl Write) -> std::io::Result<()> {
        if self.option(":print-success") == Some("true") {
            writeln!(output, "success")?;
        }
        Ok(())
    }

    /// The value of an option: what the script said, or the default.
    fn option(&self, keyword: &str) -> Option<&str> {
        let default =
            || DEFAULTS.iter().find(|(name, _)| *name == keyword).map(|(_, value)| *value);
        self.options.get(keyword).map(String::as_str).or_else(default)
    }

    /// That the script did not switch an option off which a command needs.
    fn needs(&self, tree: &Tree, keyword: &str) -> Result<(), Trouble> {
        match self.option(keyword) {
            Some("false") => Err(question(tree, &format!("the option {keyword} is false"))),
            _ => Ok(()),
        }
    }
}

/// Options that the standard names, and their values unless a script says otherwise.
const DEFAULTS: [(&str, &str); 12] = [
    (":diagnostic-output-channel", "\"stderr\""),
    (":global-declarations", "false"),
    (":interactive-mode", "true"),
    (":print-success", "false"),
    (":produce-assertions", "true"),
    (":produce-assignments", "true"),
    (":produce-models", "true"),
    (":produce-unsat-assumptions", "true"),
    (":produce-unsat-cores", "true"),
    (":random-seed", "0"),
    (":regular-output-channel", "\"stdout\""),
    (":verbosity", "0"),
];

/// The commands that are followed.
const COMMANDS: [&str; 26] = [
    "assert",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-fun",
    "declare-sort",
    "define-const",
    "define-fun",
    "define-sort",
    "echo",
    "exit",
    "get-assertions",
    "get-assignment",
    "get-info",
    "get-model",
    "get-option",
    "get-unsat-assumptions",
    "get-unsat-core",
    "get-value",
    "pop",
    "push",
    "reset",
    "reset-assertions",
    "set-info",
    "set-logic",
    "set-option",
];

/// Why a command is not followed.
fn refused(command: &str) -> String {
    match command {
        "declare-datatypes" | "declare-datatype" => {
            format!("`{command}`: datatypes are not decided here")
        }
        "define-fun-rec" | "define-funs-rec" => "recursive functions are not decided here".into(),
        _ => format!("`{command}` is no command known here"),
    }
}

fn error_text(mistake: &Mistake) -> String {
    format!("(error \"{}\")", mistake.to_string().replace('"', "\"\""))
}

fn question(tree: &Tree, what: &str) -> Trouble {
    Trouble::Question(tree.mistake(Tree::ROOT, what))
}

fn symbol(tree: &Tree, at: At) -> Result<String, Mistake> {
    let name = tree.symbol(at).map(str::to_string);
    name.ok_or_else(|| tree.mistake(at, format!("`{}` is no symbol", brief(tree, at))))
}

fn list(tree: &Tree, at: At) -> Result<Vec<At>, Mistake> {
    if tree.is_list(at) {
        Ok(tree.children(at))
    } else {
        Err(tree.mistake(at, format!("a list, not `{}`", brief(tree, at))))
    }
}

fn count(tree: &Tree, args: &[At]) -> Result<usize, Mistake> {
    match args.first() {
        None => Ok(1),
        Some(at) => Ok(super::symbols::index(tree, *at)? as usize),
    }
}
