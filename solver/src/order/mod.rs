//! Refutation by relations: what follows from the order of floats alone.
//!
//! Rounding is monotone, so a sum of larger operands is no smaller; a product with a factor
//! of at most one shrinks; the sign of a product is the product of the signs. An operation
//! becomes a free variable (`abstraction.rs`), with every such lemma about it and about pairs
//! of operations (`lemmas`, `pairs.rs`) as an assertion. What is left compares bits, which
//! is easy in any format. Without a model there, the query has none.

mod abstraction;
mod lemmas;
mod pairs;
mod say;

pub use abstraction::{Instance, selection};
pub use lemmas::{Lemma, lemmas};
pub use pairs::{PAIRS, Pair};
pub use say::{Known, Say};

use crate::blast::{self, Blaster};
use crate::engine::{Attempt, Engine, Progress};
use crate::query::{Clues, Query, Reason};
use abstraction::Abstraction;
use nanoscope_budget::Budget;
use nanoscope_term::{Model, holds};

/// Order lemmas and a SAT solver.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order;

impl Engine for Order {
    fn name(&self) -> &'static str {
        "order"
    }

    /// What it can do at all, it does soon.
    fn share(&self) -> u32 {
        4
    }

    fn begin<'q>(&'q mut self, query: Query<'q>) -> Box<dyn Attempt + 'q> {
        Box::new(Ordering { query, work: None })
    }
}

struct Ordering<'q> {
    query: Query<'q>,
    work: Option<(Abstraction, Blaster)>,
}

impl Attempt for Ordering<'_> {
    fn advance(&mut self, clues: &mut Clues, budget: &Budget) -> Progress {
        let exhausted = |why: &str| Progress::Exhausted(Reason::Incomplete(why.to_string()));
        if self.work.is_none() {
            let Some(mut abstraction) = Abstraction::of(self.query.terms, self.query.assertions)
            else {
                return exhausted("the operations are too many to relate");
            };
            abstraction.bound(&clues.domains);
            abstraction.relate();
            let mut options = blast::Options::default();
            options.memory = self.query.memory.unwrap_or(options.memory);
            let mut blaster = Blaster::new(options);
            abstraction.assertions.iter().for_each(|term| blaster.assert(*term));
            self.work = Some((abstraction, blaster));
        }
        let (abstraction, blaster) = self.work.as_mut().expect("made above");
        match blaster.check(&abstraction.terms, &[], budget, None) {
            blast::Verdict::Unsat => Progress::Unsat,
            blast::Verdict::Sat(model) => {
                let model: Model = abstraction.concrete(self.query, &model);
                if holds(self.query.terms, &model, self.query.assertions) {
                    return Progress::Sat(model);
                }
                exhausted("the lemmas of order do not contradict it")
            }
            blast::Verdict::Unknown(blast::Reason::Time | blast::Reason::Stopped) => {
                Progress::Paused
            }
            blast::Verdict::Unknown(reason) => Progress::Exhausted(reason.into()),
        }
    }
}
