//! What a script asserts, without anybody who decides.

use super::super::expression;
use super::super::symbols::{Meaning, Symbols};
use super::super::text::{Mistake, Reader, Tree};
use super::{Answer, Decide, Failure, Flow, Session, Trouble, symbol};
use crate::{Evaluation, Model, Status, Term, Terms, Value, VariableId};
use std::time::Duration;

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
