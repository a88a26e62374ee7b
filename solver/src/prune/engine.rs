//! `prune` as an engine of the chain.

use super::{Pruning, Step};
use crate::engine::{Attempt, Engine, Progress};
use crate::query::{Clues, Query, Reason};
use nanoscope_budget::Budget;

/// Branch and prune.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prune;

impl Engine for Prune {
    fn name(&self) -> &'static str {
        "prune"
    }

    fn begin<'q>(&'q mut self, query: Query<'q>) -> Box<dyn Attempt + 'q> {
        Box::new(Walk { query, pruning: None })
    }
}

struct Walk<'q> {
    query: Query<'q>,
    pruning: Option<Pruning<'q>>,
}

impl Attempt for Walk<'_> {
    fn advance(&mut self, clues: &mut Clues, budget: &Budget) -> Progress {
        let pruning = self.pruning.get_or_insert_with(|| {
            let mut pruning = Pruning::new(self.query.terms, self.query.assertions);
            for (term, domain) in &clues.domains {
                pruning.restrict(*term, *domain);
            }
            for model in [&clues.hint, &clues.nearest].into_iter().flatten() {
                pruning.hint(model.clone());
            }
            pruning
        });
        match pruning.advance(budget) {
            Step::Sat(model) => Progress::Sat(model),
            Step::Unsat => Progress::Unsat,
            Step::Paused => Progress::Paused,
            Step::Stuck(why) => Progress::Exhausted(Reason::Incomplete(why.to_string())),
        }
    }
}
