//! Short significands as an engine: models only, and good places to start.

use crate::blast;
use crate::blast::guess::{Guess, guess};
use crate::engine::{Attempt, Engine, Progress};
use crate::query::{Clues, Query, Reason};
use nanoscope_budget::Budget;
use nanoscope_term::{Sort, Terms};

/// The query on floats with fewer bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guessing;

/// The bits of significand tried, one after the other.
const PRECISIONS: [u32; 2] = [4, 9];
/// How often a guess is begun anew with more time.
const BEGINNINGS: u32 = 4;

impl Engine for Guessing {
    fn name(&self) -> &'static str {
        "guess"
    }

    fn begin<'q>(&'q mut self, query: Query<'q>) -> Box<dyn Attempt + 'q> {
        Box::new(Trying { query, next: 0, beginnings: 0 })
    }
}

struct Trying<'q> {
    query: Query<'q>,
    next: usize,
    beginnings: u32,
}

impl Attempt for Trying<'_> {
    fn advance(&mut self, clues: &mut Clues, budget: &Budget) -> Progress {
        let Query { terms, assertions, memory } = self.query;
        let end = |why: &str| Progress::Exhausted(Reason::Incomplete(why.to_string()));
        let mut options = blast::Options::default();
        options.memory = memory.unwrap_or(options.memory);
        while let Some(precision) = PRECISIONS.get(self.next) {
            if !has_longer_floats(terms, assertions, *precision) {
                return end("no floats to shorten");
            }
            match guess(terms, assertions, *precision, options, budget) {
                Guess::Right(model) => return Progress::Sat(model),
                Guess::Near(model) => {
                    clues.nearest.get_or_insert(model);
                }
                Guess::None if budget.exhausted() && self.beginnings < BEGINNINGS => {
                    self.beginnings += 1;
                    return Progress::Paused;
                }
                Guess::None => {}
            }
            self.next += 1;
        }
        end("no model among short floats")
    }
}

fn has_longer_floats(terms: &Terms, assertions: &[nanoscope_term::Term], precision: u32) -> bool {
    terms.below(assertions).into_iter().any(|term| match terms.sort(term) {
        Sort::Float(format) => format.precision > precision,
        Sort::Bool | Sort::Bits(_) | Sort::Rounding | Sort::Array(_) => false,
    })
}
