//! Unsatisfiable cores: what cannot be left out of something without a model.

use super::session::{Answer, Decide, Last, Session};
use crate::{Term, eliminate};
use std::time::{Duration, Instant};

/// What an attempt to leave something out of a core may take at least.
const SHORTEST_ATTEMPT: Duration = Duration::from_millis(50);
/// What finding a core may take, if that is not much more than finding that there is one.
const LONGEST_SHRINKING: Duration = Duration::from_secs(2);

impl<D: Decide> Session<D> {
    /// The names of assertions that cannot hold together with those that have none, of which
    /// none can be left out as far as that is decided soon; `None` after another answer.
    pub(super) fn core(&mut self) -> Option<Vec<String>> {
        let Last::Unsat { assumptions, took } = &self.last else { return None };
        let took = *took;
        let mut fixed: Vec<Term> = assumptions.iter().map(|(term, _)| *term).collect();
        let mut named = Vec::new();
        for assertion in &self.assertions {
            match &assertion.name {
                Some(name) => named.push((assertion.term, super::names::symbol_text(name))),
                None => fixed.push(assertion.term),
            }
        }
        Some(self.needed(fixed, named, took))
    }

    /// Likewise the assumptions of the last question.
    pub(super) fn failed_assumptions(&mut self) -> Option<Vec<String>> {
        let Last::Unsat { assumptions, took } = &self.last else { return None };
        let (assumptions, took) = (assumptions.clone(), *took);
        let fixed = self.assertions();
        Some(self.needed(fixed, assumptions, took))
    }

    /// What cannot be left out of something without a model, by leaving out ever smaller parts.
    fn needed(
        &mut self,
        fixed: Vec<Term>,
        mut candidates: Vec<(Term, String)>,
        took: Duration,
    ) -> Vec<String> {
        let attempt = (took * 2).max(SHORTEST_ATTEMPT);
        let attempt = self.limit.map_or(attempt, |limit| limit.min(attempt));
        let start = Instant::now();
        let most = (attempt * 20).max(LONGEST_SHRINKING);
        let mut size = candidates.len();
        while size > 0 {
            let mut at = 0;
            while at < candidates.len() && start.elapsed() < most {
                let end = (at + size).min(candidates.len());
                let mut query = fixed.clone();
                query.extend(
                    candidates[..at].iter().chain(&candidates[end..]).map(|(term, _)| *term),
                );
                let without_model = match eliminate(&mut self.terms, &query) {
                    Ok(eliminated) => {
                        let terms = &mut self.terms;
                        let answer =
                            self.decider.decide(terms, &eliminated.assertions, Some(attempt));
                        matches!(answer, Answer::Unsat)
                    }
                    Err(_) => false,
                };
                if without_model {
                    candidates.drain(at..end);
                } else {
                    at = end;
                }
            }
            size /= 2;
        }
        candidates.into_iter().map(|(_, text)| text).collect()
    }
}
