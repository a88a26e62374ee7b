//! Any other solver as an engine: a process that reads SMT-LIB and answers.
//!
//! Opt-in, and the oracle of the tests. What it says is believed as far as a
//! model can be checked; its `unsat` is its own word.

use super::process::Process;
use crate::engine::{Attempt, Engine, Progress};
use crate::query::{Clues, Query, Reason};
use crate::simplify::simplify;
use nanoscope_budget::Budget;
use nanoscope_term::Model;
use nanoscope_term::smtlib::{read, script_text, term_text};

/// A solver's command line: the program and its arguments. It must read a
/// script from standard input.
#[derive(Clone, Debug)]
pub struct External {
    /// The program and its arguments.
    pub command: Vec<String>,
}

impl External {
    /// The usual command line of a solver known by name; any other is taken to
    /// read standard input when run without arguments.
    pub fn named(name: &str) -> External {
        let base = name.rsplit('/').next().unwrap_or(name);
        let arguments: &[&str] = match base {
            "z3" => &["-in", "-smt2"],
            "cvc5" => &["--lang=smt2", "--fp-exp", "--produce-models", "-"],
            _ => &[],
        };
        let command = std::iter::once(name).chain(arguments.iter().copied());
        External { command: command.map(str::to_string).collect() }
    }
}

impl Engine for External {
    fn name(&self) -> &'static str {
        "external"
    }

    fn begin<'q>(&'q mut self, query: Query<'q>) -> Box<dyn Attempt + 'q> {
        Box::new(Asking { query, command: &self.command, running: None })
    }
}

struct Asking<'q> {
    query: Query<'q>,
    command: &'q [String],
    running: Option<Process>,
}

impl Attempt for Asking<'_> {
    fn advance(&mut self, _clues: &mut Clues, budget: &Budget) -> Progress {
        if self.running.is_none() {
            match Process::start(self.command, self.script()) {
                Ok(running) => self.running = Some(running),
                Err(error) => {
                    let why = format!("cannot run {}: {error}", self.command[0]);
                    return Progress::Exhausted(Reason::Incomplete(why));
                }
            }
        }
        let running = self.running.as_ref().expect("started above");
        match running.said(budget) {
            Some(text) => self.answer(&text),
            None => Progress::Paused,
        }
    }
}

impl Asking<'_> {
    fn script(&self) -> String {
        let mut script = String::from("(set-option :produce-models true)\n");
        script.push_str(&script_text(self.query.terms, self.query.assertions));
        if !script.contains("(check-sat)") {
            script.push_str("(check-sat)\n");
        }
        let names: Vec<String> = self
            .query
            .terms
            .variables_below(self.query.assertions)
            .into_iter()
            .map(|variable| {
                let term = self.query.terms.variable_term(variable);
                term_text(self.query.terms, term)
            })
            .collect();
        if !names.is_empty() {
            script.push_str(&format!("(get-value ({}))\n", names.join(" ")));
        }
        script.push_str("(exit)\n");
        script
    }

    fn answer(&self, text: &str) -> Progress {
        let mut words = text.split_whitespace();
        match words.next() {
            Some("unsat") => Progress::Unsat,
            Some("sat") => match self.model(text) {
                Some(model) => Progress::Sat(model),
                None => {
                    let why = "an answer of the external solver that cannot be read".to_string();
                    Progress::Exhausted(Reason::Incomplete(why))
                }
            },
            Some(_) | None => {
                let why = format!("{} does not know", self.command[0]);
                Progress::Exhausted(Reason::Incomplete(why))
            }
        }
    }

    /// Reads `((x value) (y value))`: each pair is an equation to be solved.
    fn model(&self, text: &str) -> Option<Model> {
        let terms = self.query.terms;
        let variables = terms.variables_below(self.query.assertions);
        let body = text.split_once("sat")?.1.trim();
        let mut rest = body.strip_prefix('(').unwrap_or("").trim_start();
        let mut script = String::new();
        for (number, variable) in variables.iter().enumerate() {
            let name = term_text(terms, terms.variable_term(*variable));
            rest = rest.strip_prefix('(')?.trim_start().strip_prefix(name.as_str())?;
            let end = closing(rest)?;
            let sort = terms.sort_text(terms.variable_sort(*variable));
            let value = &rest[..end];
            script.push_str(&format!(
                "(declare-const v{number} {sort})(assert (= v{number} {value}))"
            ));
            rest = rest[end + 1..].trim_start();
        }
        let mut problem = read(&script).ok()?;
        let solved = simplify(&mut problem.terms, &problem.assertions);
        let mut values = Model::new();
        solved.complete(&problem.terms, &mut values);
        let mut model = Model::new();
        for (variable, solved) in variables.iter().zip(&problem.variables) {
            model.set(*variable, values.get(&problem.terms, *solved));
        }
        Some(model)
    }
}

/// Where the parenthesis closes that is open at the beginning.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}
