//! Evaluation: the value of a term under a model.

use crate::{Model, Term, Terms, Value};

/// Evaluates terms under a model, each once.
pub struct Evaluation<'a> {
    terms: &'a Terms,
    model: &'a Model,
    known: Vec<Option<Value>>,
}

impl<'a> Evaluation<'a> {
    /// Nothing evaluated yet.
    pub fn new(terms: &'a Terms, model: &'a Model) -> Evaluation<'a> {
        Evaluation { terms, model, known: vec![None; terms.len()] }
    }

    /// The value of a term.
    pub fn value(&mut self, term: Term) -> &Value {
        let value = match self.terms.as_variable(term) {
            Some(variable) => self.model.get(self.terms, variable),
            None => self.terms.value(term).cloned().unwrap_or(Value::Bool(false)),
        };
        self.known[term.index()].insert(value)
    }
}

/// The value of a term under a model.
pub fn evaluate(terms: &Terms, model: &Model, term: Term) -> Value {
    Evaluation::new(terms, model).value(term).clone()
}

/// Whether all assertions hold under a model.
pub fn holds(terms: &Terms, model: &Model, assertions: &[Term]) -> bool {
    let mut evaluation = Evaluation::new(terms, model);
    assertions.iter().all(|term| *evaluation.value(*term) == Value::Bool(true))
}
