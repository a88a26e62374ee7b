//! What was decided before and helps now.
//!
//! Three looks, the cheapest first: the same set of assertions; a set that is
//! part of this one and has no model, or that this one is part of and has one;
//! the last models, which children of a path condition mostly share.

use crate::query::Verdict;
use nanoscope_term::{Model, Term, Terms, holds};
use std::collections::{HashMap, VecDeque};

/// Decided sets of assertions, and their models.
#[derive(Default)]
pub struct Cache {
    known: HashMap<Vec<Term>, Verdict>,
    refuted: VecDeque<Vec<Term>>,
    satisfied: VecDeque<(Vec<Term>, Model)>,
}

/// Sets and models looked through; older ones count only for the same query.
const RECENT: usize = 64;
/// Models tried on a new query.
const MODELS: usize = 8;
/// Queries remembered; all are forgotten beyond that.
const MOST: usize = 1 << 16;

impl Cache {
    /// What is known of a sorted set of assertions.
    pub fn look(&self, terms: &Terms, assertions: &[Term]) -> Option<Verdict> {
        if let Some(verdict) = self.known.get(assertions) {
            return Some(verdict.clone());
        }
        if self.refuted.iter().any(|set| is_part(set, assertions)) {
            return Some(Verdict::Unsat);
        }
        let whole = self.satisfied.iter().find(|(set, _)| is_part(assertions, set));
        let recent = || {
            let models = self.satisfied.iter().rev().take(MODELS);
            models.map(|(_, model)| model).find(|model| holds(terms, model, assertions))
        };
        let model = whole.map(|(_, model)| model).or_else(recent);
        model.map(|model| Verdict::Sat(model.clone()))
    }

    /// Remembers what became of a sorted set of assertions.
    pub fn note(&mut self, assertions: &[Term], verdict: &Verdict) {
        match verdict {
            Verdict::Sat(model) => {
                push(&mut self.satisfied, (assertions.to_vec(), model.clone()));
            }
            Verdict::Unsat => push(&mut self.refuted, assertions.to_vec()),
            Verdict::Unknown(_) => return,
        }
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(assertions.to_vec(), verdict.clone());
    }

    /// The model found last.
    pub fn last_model(&self) -> Option<&Model> {
        self.satisfied.back().map(|(_, model)| model)
    }
}

fn push<T>(list: &mut VecDeque<T>, item: T) {
    if list.len() == RECENT {
        list.pop_front();
    }
    list.push_back(item);
}

/// Whether the sorted `part` is contained in the sorted `whole`.
fn is_part(part: &[Term], whole: &[Term]) -> bool {
    part.len() <= whole.len() && {
        let mut rest = whole.iter();
        part.iter().all(|term| rest.any(|other| other == term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nanoscope_term::{Sort, Value};

    #[test]
    fn subsets_and_supersets_are_seen() {
        let mut terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.variable(name, Sort::Bool));
        let mut cache = Cache::default();
        cache.note(&[a, b], &Verdict::Unsat);
        assert_eq!(cache.look(&terms, &[a, b, c]), Some(Verdict::Unsat));
        assert_eq!(cache.look(&terms, &[a]), None);
        let mut model = Model::new();
        for variable in [b, c] {
            model.set(terms.as_variable(variable).expect("one"), Value::Bool(true));
        }
        cache.note(&[b, c], &Verdict::Sat(model.clone()));
        assert_eq!(cache.look(&terms, &[c]), Some(Verdict::Sat(model)));
    }
}
