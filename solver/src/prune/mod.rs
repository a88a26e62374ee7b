//! Branch and prune: propagate, try, split, and exhaust.
//!
//! [`Pruning`] walks a tree of boxes. In each it propagates ([`Network`]), tries
//! a few points of what is left on the terms themselves, and splits what
//! remains: truths first, then NaN from numbers, signs, and the ordinals in the
//! middle, which halves exponents before significands. It says that there is no
//! solution only when every leaf was refuted. [`shave`] tightens a box by
//! refuting its ends, and [`hull`] finds the exact ends with the help of an
//! engine that decides.

mod engine;
pub mod hull;
mod pick;
mod shave;
mod split;

pub use engine::Prune;
pub use shave::shave;

use crate::propagate::{Domain, Network, Propagated};
use nanoscope_budget::Budget;
use nanoscope_term::{Model, Op, Term, Terms, VariableId, holds, op_heads};
use pick::Pick;

/// How a walk went so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A model, confirmed on the terms by the evaluator.
    Sat(Model),
    /// Every box was refuted.
    Unsat,
    /// The budget ended; the walk can go on.
    Paused,
    /// All was walked, but not all of it could be refuted.
    Stuck(&'static str),
}

/// A walk through the boxes of some assertions.
pub struct Pruning<'a> {
    network: Network<'a>,
    assertions: &'a [Term],
    /// The variables below the assertions with their terms.
    variables: Vec<(VariableId, Term)>,
    /// What is left to do at each level: the other half of a split.
    pending: Vec<Option<(Term, Domain)>>,
    /// The points to try first, such as a caller's hint.
    hints: Vec<Model>,
    pick: Pick,
    boxes: u64,
    /// Why not all leaves could be refuted.
    gap: Option<&'static str>,
    finished: Option<Step>,
}

/// Every so many boxes a point is sought by fixing one variable after another.
const BOXES_PER_DIVE: u64 = 4;

impl<'a> Pruning<'a> {
    /// A walk that has not begun.
    pub fn new(terms: &'a Terms, assertions: &'a [Term]) -> Pruning<'a> {
        let variables = terms.variables_below(assertions);
        // What is open at the door is more than its variables: a point that
        // fails does not refute it.
        let open = terms.below(assertions).into_iter().any(|term| at_the_door(terms.op(term)));
        Pruning {
            network: Network::new(terms, assertions),
            assertions,
            variables: variables.iter().map(|id| (*id, terms.variable_term(*id))).collect(),
            pending: Vec::new(),
            hints: Vec::new(),
            pick: Pick::new(),
            boxes: 0,
            gap: open.then_some("terms that only the door knows"),
            finished: None,
        }
    }

    /// A point to try before any other.
    pub fn hint(&mut self, model: Model) {
        self.hints.push(model);
    }

    /// Takes away what is known to be in no model. Only before the walk begins.
    pub fn restrict(&mut self, term: Term, domain: Domain) {
        self.network.restrict(term, domain);
    }

    /// What is known, at present: before the walk has begun to split, of all
    /// models; later of those in the box it is in.
    pub fn network(&self) -> &Network<'a> {
        &self.network
    }

    /// How many boxes were looked at.
    pub fn boxes(&self) -> u64 {
        self.boxes
    }

    /// Walks on until there is an answer or the budget ends.
    pub fn advance(&mut self, budget: &Budget) -> Step {
        loop {
            if let Some(step) = &self.finished {
                return step.clone();
            }
            while let Some(model) = self.hints.pop() {
                if self.confirms(&model) {
                    return self.finish(Step::Sat(model));
                }
            }
            match self.network.propagate(budget) {
                Propagated::Interrupted => return Step::Paused,
                Propagated::Contradiction => self.turn_back(),
                Propagated::Settled => {
                    if budget.exhausted() {
                        return Step::Paused;
                    }
                    if let Some(step) = self.look(budget) {
                        return step;
                    }
                }
            }
        }
    }

    fn finish(&mut self, step: Step) -> Step {
        self.finished = Some(step.clone());
        step
    }

    /// Tries points of the present box and splits it.
    fn look(&mut self, budget: &Budget) -> Option<Step> {
        self.boxes += 1;
        let model = self.point();
        if self.confirms(&model) {
            return Some(self.finish(Step::Sat(model)));
        }
        let Some((term, first, second)) =
            split::choose(&self.network, &self.variables, self.pending.len())
        else {
            // One point is left, and it is no model; unless a variable is not
            // tracked, and has more values than the one that was tried.
            if self.variables.iter().any(|(_, term)| !self.network.domain(*term).is_single()) {
                self.gap = Some("variables too wide for intervals");
            }
            self.turn_back();
            return None;
        };
        if self.boxes % BOXES_PER_DIVE == 1
            && let Some(model) = self.dive(budget)
        {
            return Some(self.finish(Step::Sat(model)));
        }
        let (first, second) = if self.pick.coin() { (first, second) } else { (second, first) };
        self.network.push();
        self.pending.push(Some((term, second)));
        self.network.restrict(term, first);
        None
    }

    /// Leaves a refuted box for the next one, if there is any.
    fn turn_back(&mut self) {
        while let Some(pending) = self.pending.pop() {
            self.network.pop();
            if let Some((term, domain)) = pending {
                self.network.push();
                self.pending.push(None);
                self.network.restrict(term, domain);
                return;
            }
        }
        self.finish(self.gap.map_or(Step::Unsat, Step::Stuck));
    }

    /// Fixes one variable after another to a value of its box and propagates.
    fn dive(&mut self, budget: &Budget) -> Option<Model> {
        self.network.push();
        let mut found = None;
        for index in 0..self.variables.len() {
            let term = self.variables[index].1;
            let domain = self.network.domain(term);
            if domain.is_single() || domain == Domain::Untracked {
                continue;
            }
            let value = self.pick.value(domain);
            self.network.restrict(term, Domain::of_value(&value));
            if self.network.propagate(budget) != Propagated::Settled {
                break;
            }
        }
        if !self.network.is_contradictory() {
            let model = self.point();
            found = self.confirms(&model).then_some(model);
        }
        self.network.pop();
        found
    }

    /// A point of the present box.
    fn point(&mut self) -> Model {
        let mut model = Model::new();
        for (id, term) in &self.variables {
            let domain = self.network.domain(*term);
            if domain != Domain::Untracked {
                model.set(*id, self.pick.value(domain));
            }
        }
        model
    }

    fn confirms(&self, model: &Model) -> bool {
        holds(self.network.terms(), model, self.assertions)
    }
}

/// Whether an operation must have been eliminated before engines see it.
fn at_the_door(op: Op) -> bool {
    match op {
        op_heads!(Door) => true,
        Op::Ite
        | Op::Equal
        | Op::Bits(_)
        | Op::Float(..)
        | Op::Libm(..)
        | op_heads!(Leaf, Connective) => false,
    }
}
