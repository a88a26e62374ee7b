//! Scripts, command by command.

use super::expression;
use super::print::{
    DeclaredSorts, function_definition, script_text, value_text, variable_definition,
};
use super::reals::{BEYOND, floats_behind};
use super::symbols::{Binding, DoorSort, Meaning, Symbols, brief};
use super::text::{At, Kind, Mistake, Reader, Tree};
use crate::{
    Evaluation, FunctionId, Model, Sort, Status, Term, Terms, Value, VariableId, Verdict,
    eliminate, holds,
};
use nanoscope_ieee::Operation;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

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

#[derive(Clone, Copy)]
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
        let wrong = || tree.mistake(*name, format!("`{command}` is not used like this"));
        let mut silent = false;
        match (command, args) {
            ("set-logic", [_]) => {}
            ("set-info", [keyword]) => {
                self.information.insert(tree.text(*keyword).to_string(), String::new());
            }
            ("set-info", [keyword, value]) => {
                let value = if tree.is_list(*value) {
                    tree.print(*value)
                } else {
                    tree.text(*value).to_string()
                };
                self.information.insert(tree.text(*keyword).to_string(), value);
            }
            ("set-option", [keyword, value]) => {
                self.options.insert(tree.text(*keyword).to_string(), tree.print(*value));
            }
            ("declare-const", [name, sort]) => self.declare(tree, *name, &[], *sort)?,
            ("declare-fun", [name, domain, range]) => {
                let domain = list(tree, *domain)?;
                self.declare(tree, *name, &domain, *range)?;
            }
            ("declare-sort", [name, rest @ ..]) if rest.len() <= 1 => {
                let name = symbol(tree, *name)?;
                let arity = rest.first().map_or(Ok(0), |at| super::symbols::index(tree, *at))?;
                let parameters = (0..arity).map(|number| format!(" {number}")).collect();
                // More elements than terms can tell apart: as good as any number.
                let bits = Reader::new(&b"(_ BitVec 32)"[..]).command()?.expect("a sort");
                self.symbols.define_sort(&name, parameters, (bits, Tree::ROOT));
                self.sorts.declare(&name);
            }
            ("define-sort", [name, parameters, body]) => {
                let name = symbol(tree, *name)?;
                let parameters = list(tree, *parameters)?;
                let parameters =
                    parameters.iter().map(|at| symbol(tree, *at)).collect::<Result<_, _>>()?;
                self.symbols.define_sort(&name, parameters, (tree.clone(), *body));
            }
            ("define-const", [name, sort, body]) => self.define(tree, *name, &[], *sort, *body)?,
            ("define-fun", [name, parameters, sort, body]) => {
                let parameters = list(tree, *parameters)?;
                self.define(tree, *name, &parameters, *sort, *body)?;
            }
            ("define-fun-rec" | "define-funs-rec", _) => {
                return Err(tree.mistake(*name, "recursive functions are not decided here").into());
            }
            ("assert", [body]) => self.assert(tree, *body)?,
            ("push", [] | [_]) => {
                for _ in 0..count(tree, args)? {
                    self.levels.push(self.level());
                }
                self.last = Last::None;
            }
            ("pop", [] | [_]) => {
                let count = count(tree, args)?;
                let left = self.levels.len().checked_sub(count);
                let left = left.ok_or_else(|| {
                    tree.mistake(*name, format!("{} levels only", self.levels.len()))
                })?;
                if let Some(level) = self.levels.get(left).copied() {
                    self.return_to(level);
                }
                self.levels.truncate(left);
                self.last = Last::None;
            }
            ("check-sat", []) => {
                silent = true;
                let verdict = self.check(Vec::new(), Vec::new())?;
                writeln!(output, "{verdict}")?;
            }
            ("check-sat-assuming", [assumptions]) => {
                silent = true;
                let (mut literals, mut texts) = (Vec::new(), Vec::new());
                for at in list(tree, *assumptions)? {
                    literals.push(self.truth(tree, at)?);
                    texts.push(tree.print(at));
                }
                let verdict = self.check(literals, texts)?;
                writeln!(output, "{verdict}")?;
            }
            ("get-model", []) => {
                silent = true;
                self.needs(tree, ":produce-models")?;
                self.print_model(tree, output)?;
            }
            ("get-value", [wanted]) => {
                silent = true;
                self.needs(tree, ":produce-models")?;
                self.print_values(tree, *wanted, output)?;
            }
            ("get-assignment", []) => {
                silent = true;
                let model = self.last_model(tree)?;
                let mut evaluation = Evaluation::new(&self.terms, model);
                let pairs: Vec<String> = self
                    .named
                    .iter()
                    .filter(|(_, term)| self.terms.sort(*term) == Sort::Bool)
                    .map(|(name, term)| {
                        let value = value_text(&self.terms, evaluation.value(*term));
                        format!("({} {value})", super::names::symbol_text(name))
                    })
                    .collect();
                writeln!(output, "({})", pairs.join(" "))?;
            }
            ("get-unsat-core", []) => {
                silent = true;
                self.needs(tree, ":produce-unsat-cores")?;
                let names =
                    self.core().ok_or_else(|| question(tree, "no unsatisfiable assertions"))?;
                writeln!(output, "({})", names.join("\n"))?;
            }
            ("get-unsat-assumptions", []) => {
                silent = true;
                self.needs(tree, ":produce-unsat-assumptions")?;
                let texts = self.failed_assumptions();
                let texts = texts.ok_or_else(|| question(tree, "no unsatisfiable assumptions"))?;
                writeln!(output, "({})", texts.join(" "))?;
            }
            ("get-assertions", []) => {
                silent = true;
                let texts: Vec<&str> = self.assertions.iter().map(|a| a.text.as_str()).collect();
                writeln!(output, "({})", texts.join("\n"))?;
            }
            ("get-info", [keyword]) => {
                silent = true;
                self.print_information(tree.text(*keyword), output)?;
            }
            ("get-option", [keyword]) => {
                silent = true;
                writeln!(output, "{}", self.option(tree.text(*keyword)).unwrap_or("unsupported"))?;
            }
            ("echo", [text]) if tree.kind(*text) == Kind::Text => {
                silent = true;
                writeln!(output, "{}", tree.print(*text))?;
            }
            ("reset", []) => {
                self.levels.clear();
                self.return_to(Level {
                    symbols: 0,
                    assertions: 0,
                    named: 0,
                    variables: 0,
                    functions: 0,
                });
                self.symbols = Symbols::default();
                self.options.clear();
                self.information.clear();
                self.last = Last::None;
            }
            ("reset-assertions", []) => {
                self.levels.clear();
                self.return_to(Level {
                    symbols: 0,
                    assertions: 0,
                    named: 0,
                    variables: 0,
                    functions: 0,
                });
                self.last = Last::None;
            }
            ("exit", []) => return Ok(Flow::Exit),
            (
                "get-proof" | "get-interpolants" | "get-interpolant" | "get-abduct" | "simplify",
                _,
            ) => {
                silent = true;
                writeln!(output, "unsupported")?;
            }
            (
                "set-logic"
                | "set-info"
                | "set-option"
                | "declare-const"
                | "declare-fun"
                | "declare-sort"
                | "define-sort"
                | "define-const"
                | "define-fun"
                | "assert"
                | "push"
                | "pop"
                | "check-sat"
                | "check-sat-assuming"
                | "get-model"
                | "get-value"
                | "get-assignment"
                | "get-unsat-core"
                | "get-unsat-assumptions"
                | "get-assertions"
                | "get-info"
                | "get-option"
                | "echo"
                | "reset"
                | "reset-assertions"
                | "exit",
                _,
            ) => return Err(wrong().into()),
            _ => {
                let what = format!("`{command}` is no command known here");
                return Err(tree.mistake(*name, what).into());
            }
        }
        if !silent && self.options.get(":print-success").is_some_and(|value| value == "true") {
            writeln!(output, "success")?;
        }
        Ok(Flow::Continue)
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

    fn level(&self) -> Level {
        Level {
            symbols: self.symbols.mark(),
            assertions: self.assertions.len(),
            named: self.named.len(),
            variables: self.variables.len(),
            functions: self.functions.len(),
        }
    }

    fn return_to(&mut self, level: Level) {
        self.assertions.truncate(level.assertions);
        if self.options.get(":global-declarations").is_none_or(|value| value != "true") {
            self.symbols.forget(level.symbols);
            self.named.truncate(level.named);
            self.variables.truncate(level.variables);
            self.functions.truncate(level.functions);
        }
    }

    fn new_name(&self, tree: &Tree, at: At) -> Result<String, Mistake> {
        let name = symbol(tree, at)?;
        if self.symbols.get(&name).is_some() {
            return Err(tree.mistake(at, format!("`{name}` is declared already")));
        }
        Ok(name)
    }

    fn declare(
        &mut self,
        tree: &Tree,
        name: At,
        domain: &[At],
        range_at: At,
    ) -> Result<(), Mistake> {
        let name = self.new_name(tree, name)?;
        let range = self.symbols.term_sort(&mut self.terms, tree, range_at)?;
        let mut sorts = Vec::new();
        for at in domain {
            sorts.push(self.symbols.term_sort(&mut self.terms, tree, *at)?);
        }
        let declared = |sorts: &DeclaredSorts, at: At| sorts.find(&tree.print(at));
        let of_range = declared(&self.sorts, range_at);
        let binding = if sorts.is_empty() {
            let term = self.terms.variable(&name, range);
            self.variables.extend(self.terms.as_variable(term));
            self.sorts.note(&name, Vec::new(), of_range);
            Binding::Is(Meaning::Term(term))
        } else {
            let function = self.terms.declare_function(&name, &sorts, range);
            let of_domain = domain.iter().map(|at| declared(&self.sorts, *at)).collect();
            self.sorts.note(&name, of_domain, of_range);
            self.functions.push(function);
            Binding::Function(function)
        };
        self.symbols.declare(&name, binding);
        self.last = Last::None;
        Ok(())
    }

    fn define(
        &mut self,
        tree: &Tree,
        name: At,
        parameters: &[At],
        sort: At,
        body: At,
    ) -> Result<(), Mistake> {
        let name = self.new_name(tree, name)?;
        let sort = self.symbols.sort(&mut self.terms, tree, sort)?;
        let (mut names, mut placeholders) = (Vec::new(), Vec::new());
        for parameter in parameters {
            let [name, sort] = tree.children(*parameter)[..] else {
                return Err(tree.mistake(*parameter, "a parameter is `(name sort)`"));
            };
            names.push(symbol(tree, name)?);
            let sort = self.symbols.term_sort(&mut self.terms, tree, sort)?;
            placeholders.push(self.terms.fresh("parameter", sort));
        }
        for (name, placeholder) in names.iter().zip(&placeholders) {
            self.symbols.bind(name, Binding::Is(Meaning::Term(*placeholder)));
        }
        let meaning = self.expression(tree, body);
        names.iter().for_each(|name| self.symbols.release(name));
        let meaning = meaning?;
        if let (Meaning::Term(term), false) = (&meaning, placeholders.is_empty())
            && self.is_beyond(&[*term])
        {
            // What stands for the number would stand for it whatever the arguments.
            return Err(tree.mistake(body, "`fp.to_real` within a function with parameters"));
        }
        let given = match &meaning {
            Meaning::Term(term) => DoorSort::Term(self.terms.sort(*term)),
            Meaning::Real(_) => DoorSort::Real,
        };
        if given != sort {
            let text = |sort| match sort {
                DoorSort::Term(sort) => self.terms.sort_text(sort),
                DoorSort::Real => "Real".to_string(),
            };
            let what = format!("`{name}` is of sort {}, its body of {}", text(sort), text(given));
            return Err(tree.mistake(body, what));
        }
        let binding = if placeholders.is_empty() {
            Binding::Is(meaning)
        } else {
            Binding::Macro(std::rc::Rc::new((placeholders, meaning)))
        };
        self.symbols.declare(&name, binding);
        Ok(())
    }

    /// Reads an expression and binds what it names.
    fn expression(&mut self, tree: &Tree, at: At) -> Result<Meaning, Mistake> {
        let mut named = Vec::new();
        let meaning = expression::read(&mut self.terms, &mut self.symbols, tree, at, &mut named)?;
        for (name, term) in named {
            if self.symbols.get(&name).is_some() {
                return Err(tree.mistake(at, format!("`{name}` is declared already")));
            }
            self.symbols.declare(&name, Binding::Is(Meaning::Term(term)));
            self.named.push((name, term));
        }
        Ok(meaning)
    }

    fn truth(&mut self, tree: &Tree, at: At) -> Result<Term, Mistake> {
        match self.expression(tree, at)? {
            Meaning::Term(term) if self.terms.sort(term) == Sort::Bool => Ok(term),
            Meaning::Term(_) | Meaning::Real(_) => {
                Err(tree.mistake(at, format!("`{}` is no truth value", brief(tree, at))))
            }
        }
    }

    fn assert(&mut self, tree: &Tree, body: At) -> Result<(), Mistake> {
        let before = self.named.len();
        let term = self.truth(tree, body)?;
        let outermost = tree.is_list(body) && tree.is_word(body + 1, "!");
        let name = self.named[before..].last().filter(|_| outermost);
        let name = name.map(|(name, _)| name.clone());
        self.assertions.push(Assertion { term, name, text: tree.print(body) });
        self.last = Last::None;
        Ok(())
    }

    fn check(&mut self, literals: Vec<Term>, texts: Vec<String>) -> Result<Status, Failure> {
        let mut query = self.assertions();
        query.extend(&literals);
        let limit = self.options.get(":timeout").and_then(|value| value.parse::<u64>().ok());
        let limit = limit.map(Duration::from_millis).filter(|limit| !limit.is_zero());
        let start = Instant::now();
        let answer = match eliminate(&mut self.terms, &query) {
            Err(why) => Answer::Unknown(why),
            Ok(eliminated) => {
                // What was done so far counts.
                let limit = limit.or(self.limit).map(|limit| limit.saturating_sub(start.elapsed()));
                match self.decider.decide(&mut self.terms, &eliminated.assertions, limit) {
                    Answer::Sat(_) if self.is_beyond(&query) => self.finitely(&query, limit),
                    Answer::Sat(model) => {
                        let model = eliminated.lift(&self.terms, &model);
                        if holds(&self.terms, &model, &query) {
                            Answer::Sat(model)
                        } else {
                            return Err(Failure::WrongModel(script_text(&self.terms, &query)));
                        }
                    }
                    other => other,
                }
            }
        };
        let status = answer.status();
        self.last = match answer {
            Answer::Sat(model) => Last::Sat(model),
            Answer::Unsat => {
                let assumptions = literals.into_iter().zip(texts).collect();
                Last::Unsat { assumptions, took: start.elapsed() }
            }
            Answer::Unknown(why) => Last::Unknown(why),
        };
        Ok(status)
    }

    /// A model in which every float that is read as a real number is finite: there SMT-LIB says
    /// which number it is.
    fn finitely(&mut self, query: &[Term], limit: Option<Duration>) -> Answer {
        let unknown = || Answer::Unknown("incomplete: fp.to_real is not interpreted".to_string());
        let mut query = query.to_vec();
        for variable in self.terms.variables_below(&query) {
            let name = self.terms.symbol(variable);
            if !is_of_reals(name) {
                continue;
            }
            let Some(floats) = floats_behind(&self.terms, name) else { return unknown() };
            for float in floats {
                query.push(self.terms.fp(Operation::IsFinite, &[float]));
            }
        }
        let Ok(eliminated) = eliminate(&mut self.terms, &query) else { return unknown() };
        match self.decider.decide(&mut self.terms, &eliminated.assertions, limit) {
            Answer::Sat(model) => {
                let model = eliminated.lift(&self.terms, &model);
                if holds(&self.terms, &model, &query) { Answer::Sat(model) } else { unknown() }
            }
            Answer::Unsat | Answer::Unknown(_) => unknown(),
        }
    }

    /// Whether a query is about real numbers that come from floats.
    fn is_beyond(&self, query: &[Term]) -> bool {
        let variables = self.terms.variables_below(query);
        variables.iter().any(|variable| is_of_reals(self.terms.symbol(*variable)))
    }

    fn last_model(&self, tree: &Tree) -> Result<&Model, Trouble> {
        self.model().ok_or_else(|| question(tree, "no model"))
    }

    fn print_model(&self, tree: &Tree, output: &mut impl Write) -> Result<(), Trouble> {
        let model = self.last_model(tree)?;
        writeln!(output, "(")?;
        for variable in &self.variables {
            let text = variable_definition(&self.terms, model, *variable, &self.sorts);
            writeln!(output, "  {text}")?;
        }
        for function in &self.functions {
            let text = function_definition(&self.terms, model, *function, &self.sorts);
            writeln!(output, "  {text}")?;
        }
        writeln!(output, ")")?;
        Ok(())
    }

    fn print_values(
        &mut self,
        tree: &Tree,
        wanted: At,
        output: &mut impl Write,
    ) -> Result<(), Trouble> {
        self.last_model(tree)?;
        let mut meanings = Vec::new();
        for at in list(tree, wanted)? {
            meanings.push((at, self.expression(tree, at).map_err(Trouble::Question)?));
        }
        let mut evaluation = Evaluation::new(&self.terms, self.last_model(tree)?);
        let mut pairs = Vec::new();
        for (at, meaning) in meanings {
            let Meaning::Term(term) = meaning else {
                return Err(question(tree, "no values of sort Real"));
            };
            let value: Value = evaluation.value(term).clone();
            let text = self.sorts.text(&self.terms, &value, self.sorts.of_term(&self.terms, term));
            pairs.push(format!("({} {text})", tree.print(at)));
        }
        writeln!(output, "({})", pairs.join("\n "))?;
        Ok(())
    }

    fn print_information(&self, keyword: &str, output: &mut impl Write) -> std::io::Result<()> {
        let text = match keyword {
            ":name" => "\"nanoscope\"".to_string(),
            ":version" => format!("\"{}\"", env!("CARGO_PKG_VERSION")),
            ":authors" => "\"the Nanoscope authors\"".to_string(),
            ":error-behavior" => "continued-execution".to_string(),
            ":assertion-stack-levels" => self.levels.len().to_string(),
            ":reason-unknown" => match &self.last {
                Last::Unknown(why) => format!("\"{}\"", why.replace('"', "\"\"")),
                Last::None | Last::Sat(_) | Last::Unsat { .. } => "\"\"".to_string(),
            },
            _ => match self.information.get(keyword) {
                Some(value) => format!("\"{}\"", value.replace('"', "\"\"")),
                None => return writeln!(output, "unsupported"),
            },
        };
        writeln!(output, "({keyword} {text})")
    }
}

/// Whether a variable of that name stands for what comes from a real number.
fn is_of_reals(name: &str) -> bool {
    name.strip_prefix(BEYOND).is_some_and(|rest| rest.starts_with('!'))
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

/// What a script asserts, for those who just want to ask once.
pub struct Problem {
    /// Its terms.
    pub terms: Terms,
    /// What it asserts when it first asks, or at its end; terms of the door.
    pub assertions: Vec<Term>,
    /// Its variables, in the order of their declarations.
    pub variables: Vec<VariableId>,
    /// The expected answer, where `set-info :status` tells.
    pub status: Option<Status>,
}

/// Reads a script up to its first question.
pub fn read(script: &str) -> Result<Problem, Mistake> {
    struct Nobody;
    impl Decide for Nobody {
        fn decide(&mut self, _: &mut Terms, _: &[Term], _: Option<Duration>) -> Answer {
            Answer::Unknown("not asked".to_string())
        }
    }
    let mut session = Session::new(Nobody);
    let mut reader = Reader::new(script.as_bytes());
    while let Some(tree) = reader.command()? {
        let first = tree.children(Tree::ROOT).first().copied();
        if first.is_some_and(|at| ["check-sat", "check-sat-assuming"].contains(&tree.text(at))) {
            break;
        }
        match session.execute(&tree, &mut std::io::sink()) {
            Ok(Flow::Continue) => {}
            Ok(Flow::Exit) => break,
            Err(Trouble::Question(mistake)) => return Err(mistake),
            Err(Trouble::Failure(Failure::Mistake(mistake))) => return Err(mistake),
            Err(Trouble::Failure(other)) => return Err(tree.mistake(Tree::ROOT, other.to_string())),
        }
    }
    let status = match session.information(":status") {
        Some("sat") => Some(Status::Sat(())),
        Some("unsat") => Some(Status::Unsat),
        Some(_) | None => None,
    };
    let (assertions, variables) = (session.assertions(), session.variables.clone());
    Ok(Problem { terms: session.terms, assertions, variables, status })
}

/// Reads another solver's answer to `get-value`: names and their values.
pub fn read_values(terms: &mut Terms, text: &str) -> Result<Vec<(String, Value)>, Mistake> {
    let mut reader = Reader::new(text.as_bytes());
    let tree = reader.command()?.unwrap_or_default();
    let mut values = Vec::new();
    for pair in tree.children(Tree::ROOT) {
        let [name, value] = tree.children(pair)[..] else {
            return Err(tree.mistake(pair, "a pair of a name and a value"));
        };
        let mut symbols = Symbols::default();
        match expression::read(terms, &mut symbols, &tree, value, &mut Vec::new())? {
            Meaning::Term(term) => {
                let value = Evaluation::new(terms, &Model::new()).value(term).clone();
                values.push((symbol(&tree, name)?, value));
            }
            Meaning::Real(_) => return Err(tree.mistake(value, "no values of sort Real")),
        }
    }
    Ok(values)
}
