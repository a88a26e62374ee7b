//! The states that wait at the start of a block: the ways that lead there, told apart where
//! they exclude each other.

use crate::memory::Globals;
use crate::state::State;
use std::rc::Rc;

/// States of which each stands for some of the ways to a block.
#[derive(Clone, Debug, Default)]
pub struct Waiting(Vec<Rc<State>>);

impl Waiting {
    /// One state for all ways.
    pub fn one(state: Rc<State>) -> Waiting {
        Waiting(vec![state])
    }

    /// Takes what waits.
    pub fn take(&mut self) -> Vec<Rc<State>> {
        std::mem::take(&mut self.0)
    }

    /// Another way leads here. It is kept apart from ways that it excludes, `most` in all.
    pub fn add(&mut self, state: State, most: usize, globals: &Globals) {
        let nearest = (0..self.0.len())
            .map(|at| (self.0[at].exclusions(&state), at))
            .min_by_key(|(exclusions, _)| *exclusions);
        match nearest {
            Some((exclusions, at)) if exclusions == 0 || self.0.len() >= most => {
                self.0[at] = Rc::new(self.0[at].join(&state, globals));
            }
            Some(_) | None => self.0.push(Rc::new(state)),
        }
    }

    /// The same in no more states than that.
    pub fn most(self, most: usize, globals: &Globals) -> Vec<Rc<State>> {
        let mut states = self.0;
        while states.len() > most.max(1) {
            let last = states.pop().expect("more than one");
            let at = (0..states.len())
                .min_by_key(|at| states[*at].exclusions(&last))
                .expect("at least one");
            states[at] = Rc::new(states[at].join(&last, globals));
        }
        states
    }
}
