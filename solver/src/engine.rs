//! What an engine is: it begins on a query and works on it in slices.

use crate::query::{Clues, Query, Reason};
use nanoscope_budget::Budget;
use nanoscope_term::Model;

/// A way to decide queries.
pub trait Engine {
    /// Its name, as `--engine` takes it.
    fn name(&self) -> &'static str;

    /// How long its turns are, in turns of the others.
    fn share(&self) -> u32 {
        1
    }

    /// Begins on a query; no work yet.
    fn begin<'q>(&'q mut self, query: Query<'q>) -> Box<dyn Attempt + 'q>;
}

/// An engine's work on one query, which can be continued.
pub trait Attempt {
    /// Works until there is an outcome or the budget ends, reading and adding
    /// clues. Called again after [`Progress::Paused`], it goes on from there.
    fn advance(&mut self, clues: &mut Clues, budget: &Budget) -> Progress;

    /// Which part of the engine the last outcome is from, where it has parts.
    fn by(&self) -> Option<&'static str> {
        None
    }

    /// Whether there is no solution over the reals, as far as it has looked.
    /// Floats round, and may have one.
    fn is_without_reals(&self) -> bool {
        false
    }
}

/// What came of an engine's slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Said to be a model; the chain checks it.
    Sat(Model),
    /// There is no model.
    Unsat,
    /// The budget ended first; going on may help.
    Paused,
    /// Going on does not help.
    Exhausted(Reason),
}
