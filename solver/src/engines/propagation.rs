//! `propagate` as an engine: a contradiction, or domains for the others.

use crate::engine::{Attempt, Engine, Progress};
use crate::propagate::{self, Domain, Network};
use crate::query::{Clues, Query, Reason};
use nanoscope_budget::Budget;
use nanoscope_term::{Model, holds};

/// Propagation to a fixpoint, once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Propagation;

impl Engine for Propagation {
    fn name(&self) -> &'static str {
        "propagate"
    }

    fn begin<'q>(&'q mut self, query: Query<'q>) -> Box<dyn Attempt + 'q> {
        let network = Network::new(query.terms, query.assertions);
        Box::new(Propagating { query, network })
    }
}

struct Propagating<'q> {
    query: Query<'q>,
    network: Network<'q>,
}

impl Attempt for Propagating<'_> {
    fn advance(&mut self, clues: &mut Clues, budget: &Budget) -> Progress {
        let outcome = self.network.propagate(budget);
        if outcome == propagate::Propagated::Contradiction {
            return Progress::Unsat;
        }
        let mut model = Model::new();
        for (term, domain) in self.network.domains() {
            if domain != Domain::of_sort(self.query.terms.sort(term)) {
                clues.domains.insert(term, domain);
            }
            if let (Some(variable), Some(value)) =
                (self.query.terms.as_variable(term), domain.value())
            {
                model.set(variable, value);
            }
        }
        // All settled, or the rest free: then the first values may do.
        if holds(self.query.terms, &model, self.query.assertions) {
            return Progress::Sat(model);
        }
        match outcome {
            propagate::Propagated::Interrupted => Progress::Paused,
            propagate::Propagated::Settled | propagate::Propagated::Contradiction => {
                let why = "propagation came to its end".to_string();
                Progress::Exhausted(Reason::Incomplete(why))
            }
        }
    }
}
