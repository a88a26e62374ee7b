//! Trace partitions: the states at the start of a block, kept apart where they exclude each
//! other.

use crate::domain::state::State;
use crate::memory::Globals;
use std::rc::Rc;

/// States of which each stands for some of the traces to a block.
#[derive(Clone, Debug, Default)]
pub struct Partitions(Vec<Rc<State>>);

impl Partitions {
    /// One state for all traces.
    pub fn one(state: Rc<State>) -> Partitions {
        Partitions(vec![state])
    }

    /// Takes all states.
    pub fn take(&mut self) -> Vec<Rc<State>> {
        std::mem::take(&mut self.0)
    }

    /// Adds a state. It is joined with one that it does not exclude, or with the nearest if there
    /// are `limit`.
    pub fn add(&mut self, state: State, limit: usize, globals: &Globals) {
        let nearest = (0..self.0.len())
            .map(|at| (self.0[at].environment.exclusions(&state.environment), at))
            .min_by_key(|(exclusions, _)| *exclusions);
        match nearest {
            Some((exclusions, at)) if exclusions == 0 || self.0.len() >= limit => {
                self.0[at] = Rc::new(self.0[at].join(&state, globals));
            }
            Some(_) | None => self.0.push(Rc::new(state)),
        }
    }

    /// Joined to at most `limit` states.
    pub fn limited(self, limit: usize, globals: &Globals) -> Vec<Rc<State>> {
        let mut states = self.0;
        while states.len() > limit.max(1) {
            let last = states.pop().expect("more than one");
            let at = (0..states.len())
                .min_by_key(|at| states[*at].environment.exclusions(&last.environment))
                .expect("at least one");
            states[at] = Rc::new(states[at].join(&last, globals));
        }
        states
    }
}
