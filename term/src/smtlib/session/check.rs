//! Asking the decision procedure, and what to believe of its answer.

use super::super::print::script_text;
use super::super::reals::{BEYOND, floats_behind};
use super::{Answer, Decide, Failure, Last, Session};
use crate::{Status, Term, eliminate, holds};
use nanoscope_ieee::Operation;
use std::time::{Duration, Instant};

impl<D: Decide> Session<D> {
    /// Whether the assertions and these literals can hold together.
    pub(super) fn check(
        &mut self,
        literals: Vec<Term>,
        texts: Vec<String>,
    ) -> Result<Status, Failure> {
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
    pub(super) fn is_beyond(&self, query: &[Term]) -> bool {
        let variables = self.terms.variables_below(query);
        variables.iter().any(|variable| is_of_reals(self.terms.symbol(*variable)))
    }
}

/// Whether a variable of that name stands for what comes from a real number.
fn is_of_reals(name: &str) -> bool {
    name.strip_prefix(BEYOND).is_some_and(|rest| rest.starts_with('!'))
}
