//! Loops: unrolled as long as that pays, then iterated to a fixpoint with widening, then
//! narrowed.

use crate::domain::state::State;
use crate::fixpoint::interpreter::{Frame, Interpreter};
use crate::fixpoint::invariant::Invariant;
use crate::fixpoint::order::{Element, Loop};
use crate::fixpoint::partitions::Partitions;
use crate::fixpoint::thresholds::Thresholds;
use crate::policy::{
    CHEAP_LOOP, EXPENSIVE_JOINS, EXPENSIVE_LOOP, EXPENSIVE_WIDENINGS, JOINS_BEFORE_WIDENING,
    NARROWINGS, WIDENINGS_TO_THRESHOLDS,
};
use std::rc::Rc;

impl<'c> Interpreter<'c> {
    /// Runs elements of the iteration order.
    pub fn run(&mut self, frame: &mut Frame<'c>, elements: &[Element]) {
        for element in elements {
            if self.stopped.is_some() {
                return;
            }
            match element {
                Element::Block(block) => {
                    for state in frame.pending[block.0 as usize].take() {
                        self.block(frame, *block, Rc::unwrap_or_clone(state));
                    }
                }
                Element::Loop(inner) => self.run_loop(frame, inner),
            }
        }
    }

    /// Runs a loop for each of its partitions.
    fn run_loop(&mut self, frame: &mut Frame<'c>, inner: &Loop) {
        let pending = std::mem::take(&mut frame.pending[inner.head.0 as usize]);
        for state in pending.limited(self.effort.loop_partitions, &self.globals) {
            self.run_loop_from(frame, inner, state);
        }
    }

    /// Runs a loop: unrolled first, then to a fixpoint.
    fn run_loop_from(&mut self, frame: &mut Frame<'c>, inner: &Loop, mut current: Rc<State>) {
        let head = inner.head.0 as usize;
        let members: Rc<[bool]> = inner.members.clone().into();
        let invariant = self.accelerate(frame, inner, &members, &current);
        let (mut rounds, mut undecided) = (0, 0);
        let begun = self.steps;
        while rounds < self.effort.unroll
            && (undecided < self.effort.unroll_undecided || self.steps - begun < CHEAP_LOOP)
            && self.steps - begun <= EXPENSIVE_LOOP.max(u64::from(rounds) * CHEAP_LOOP)
        {
            let round = invariant.begin(Rc::clone(&current), self.level(frame));
            let (back, left) = self.round(frame, inner, &members, round);
            rounds += 1;
            undecided += u32::from(left);
            match back {
                Some(back) if self.stopped.is_none() => {
                    current = invariant.restrict(back, &self.globals)
                }
                Some(_) | None => return,
            }
        }
        let recording = std::mem::replace(&mut self.recording, false);
        current = self.fixpoint(frame, inner, &members, &current, &invariant);
        self.recording = recording;
        let round = invariant.begin(current, self.level(frame));
        self.round(frame, inner, &members, round);
        frame.pending[head] = Partitions::default();
    }

    /// The states at the head of a loop that is entered with a state: iteration with widening,
    /// then a decreasing iteration.
    pub fn fixpoint(
        &mut self,
        frame: &mut Frame<'c>,
        inner: &Loop,
        members: &Rc<[bool]>,
        entry: &Rc<State>,
        invariant: &Invariant,
    ) -> Rc<State> {
        // Of a loop that is iterated, only the registers and the memory are known afterwards.
        let mut entry = Rc::clone(entry);
        if entry.domains.recurrences.is_following() {
            Rc::make_mut(&mut entry).domains.recurrences.stop();
        }
        let mut current = Rc::clone(&entry);
        let outside = (frame.pending.clone(), frame.returned.clone());
        let mut count = 0;
        let begun = self.steps;
        let mut expensive;
        loop {
            let round = invariant.begin(Rc::clone(&current), self.level(frame));
            let (back, _) = self.round(frame, inner, members, round);
            (frame.pending, frame.returned) = outside.clone();
            expensive = self.steps - begun > EXPENSIVE_LOOP;
            if self.stopped.is_some() {
                break;
            }
            let Some(back) = back.map(|back| invariant.restrict(back, &self.globals)) else {
                break;
            };
            if current.includes(&back, &self.globals) {
                break;
            }
            count += 1;
            let none = Thresholds::NONE;
            let (joins, widenings) = match expensive {
                true => (EXPENSIVE_JOINS, EXPENSIVE_WIDENINGS),
                false => (JOINS_BEFORE_WIDENING, WIDENINGS_TO_THRESHOLDS),
            };
            let thresholds = if count > widenings { &none } else { &*self.thresholds };
            let next = if count <= joins {
                current.join(&back, &self.globals)
            } else {
                current.widen(&back, &self.globals, thresholds)
            };
            current = invariant.restrict(Rc::new(next), &self.globals);
        }
        for _ in 0..NARROWINGS {
            if self.stopped.is_some() || expensive {
                break;
            }
            let round = invariant.begin(Rc::clone(&current), self.level(frame));
            let (back, _) = self.round(frame, inner, members, round);
            (frame.pending, frame.returned) = outside.clone();
            current = match back {
                Some(back) => {
                    let next = Rc::new(entry.join(&back, &self.globals));
                    invariant.restrict(next, &self.globals)
                }
                None => Rc::clone(&entry),
            };
        }
        current
    }

    /// One round of a loop: the state back at its head, and whether the loop may exit.
    pub fn round(
        &mut self,
        frame: &mut Frame<'c>,
        inner: &Loop,
        members: &Rc<[bool]>,
        state: Rc<State>,
    ) -> (Option<Rc<State>>, bool) {
        frame.loops.push((Rc::clone(members), false));
        frame.pending[inner.head.0 as usize] = Partitions::default();
        self.block(frame, inner.head, Rc::unwrap_or_clone(state));
        self.run(frame, &inner.body);
        let (_, left) = frame.loops.pop().expect("just pushed");
        let back = std::mem::take(&mut frame.pending[inner.head.0 as usize]);
        (back.limited(1, &self.globals).into_iter().next(), left)
    }
}
