//! Which state goes on next.
//!
//! States that the solver has been asked about in vain form classes of their own: the next
//! attempt takes more time, and each class gets its share of the whole.

use crate::Scheduler;
use crate::aim::Aim;
use crate::coverage::{Coverage, FAR};
use crate::state::{State, Then};
use nanoscope_program::ir::Code;
use std::time::Duration;

/// The states that wait for their turn.
pub struct Queue {
    #[expect(clippy::vec_box, reason = "states are large, and move in and out by their boxes")]
    waiting: Vec<Box<State>>,
    scheduler: Scheduler,
    random: u64,
    turn: u64,
    /// Time given to each class so far.
    spent: Vec<Duration>,
    /// How long a first attempt takes, where longer ones wait until others had as much.
    attempt: Duration,
}

/// States looked at for a choice, at most: of more than that, a random part.
const LOOKED_AT: usize = 1024;
/// What it costs to have to return from a call first, in instructions.
const RETURN_COST: u32 = 64;

impl Queue {
    /// No states. `attempt` is how long a first attempt at a question takes, four times less than
    /// the next: a class then waits until the others had what its next attempt takes. Zero lets a new
    /// class go first.
    pub fn new(scheduler: Scheduler, seed: u64, attempt: Duration) -> Queue {
        Queue {
            waiting: Vec::new(),
            scheduler,
            random: seed.wrapping_mul(2).wrapping_add(1),
            turn: 0,
            spent: vec![Duration::ZERO],
            attempt,
        }
    }

    /// How many states wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Lets a state wait.
    pub fn push(&mut self, state: Box<State>) {
        self.waiting.push(state);
    }

    /// All that wait, in the order of their coming.
    pub fn states(&self) -> &[Box<State>] {
        &self.waiting
    }

    /// Notes the time that a state of a class took.
    pub fn charge(&mut self, class: u32, time: Duration) {
        let class = class as usize;
        if self.spent.len() <= class {
            self.spent.resize(class + 1, Duration::ZERO);
        }
        self.spent[class] += time;
    }

    /// Drops every second state; how many.
    pub fn thin(&mut self) -> usize {
        let before = self.waiting.len();
        let mut number = 0;
        self.waiting.retain(|_| {
            number += 1;
            number % 2 == 0
        });
        before - self.waiting.len()
    }

    /// The state whose turn it is.
    pub fn pick(&mut self, code: &Code, coverage: &mut Coverage, aim: &Aim) -> Option<Box<State>> {
        let class = self.class()?;
        let candidates = self.candidates(class);
        self.turn += 1;
        let newest = *candidates.last()?;
        let chosen = match self.scheduler {
            Scheduler::DepthFirst => newest,
            Scheduler::RandomPath => self.random_path(&candidates),
            Scheduler::Coverage | Scheduler::Goals => {
                let ends = |at: &&usize| {
                    let waiting = self.waiting[**at].waiting.as_ref();
                    waiting.is_some_and(|waiting| !matches!(waiting.then, Then::GoOn))
                };
                if self.scheduler == Scheduler::Goals
                    && let Some(at) = candidates.iter().rev().filter(ends).min_by_key(|at| {
                        self.waiting[**at].waiting.as_ref().map_or(0, |waiting| waiting.size)
                    })
                {
                    // Small questions are easy ones.
                    *at
                } else if let Some(at) = candidates.iter().rev().find(ends) {
                    *at
                } else if self.turn.is_multiple_of(2) {
                    let to_goals = self.scheduler == Scheduler::Goals;
                    self.nearest(&candidates, &mut |state| {
                        if to_goals {
                            aim.ahead(code, state)
                        } else {
                            distance(state, code, coverage)
                        }
                    })
                } else {
                    self.random_path(&candidates)
                }
            }
        };
        Some(self.waiting.remove(chosen))
    }

    /// The class whose turn it is: the one that had least for its rank.
    fn class(&self) -> Option<u32> {
        let mut present: Vec<u32> = self.waiting.iter().map(|state| class_of(state)).collect();
        present.sort_unstable();
        present.dedup();
        let share = |class: &u32| {
            let spent = self.spent.get(*class as usize).copied().unwrap_or_default();
            let next = match class {
                0 => Duration::ZERO,
                _ => self.attempt * 4u32.saturating_pow(*class),
            };
            (spent + next) * (class + 1)
        };
        present.into_iter().min_by_key(share)
    }

    /// Positions of states of a class, in order; a random part if there are many, the newest
    /// always among them.
    fn candidates(&mut self, class: u32) -> Vec<usize> {
        let mut all: Vec<usize> =
            (0..self.waiting.len()).filter(|at| class_of(&self.waiting[*at]) == class).collect();
        if all.len() > LOOKED_AT && self.scheduler != Scheduler::DepthFirst {
            let newest = all.len() - 1;
            for at in 0..LOOKED_AT {
                let other = at + self.draw((newest - at) as u64) as usize;
                all.swap(at, other);
            }
            let last = all[newest];
            all.truncate(LOOKED_AT);
            all.push(last);
            all.sort_unstable();
            all.dedup();
        }
        all
    }

    /// One by chance: a state is half as likely as its parent was.
    fn random_path(&mut self, candidates: &[usize]) -> usize {
        let forks = |at: &usize| self.waiting[*at].forks;
        let least = candidates.iter().map(forks).min().unwrap_or(0);
        let weight = |at: &usize| 0.5f64.powi((forks(at) - least).min(1000) as i32);
        let weights: Vec<f64> = candidates.iter().map(weight).collect();
        let total: f64 = weights.iter().sum();
        let mut drawn = total * (self.draw(1 << 53) as f64 / (1u64 << 53) as f64);
        for (at, weight) in candidates.iter().zip(weights) {
            drawn -= weight;
            if drawn < 0.0 {
                return *at;
            }
        }
        candidates[candidates.len() - 1]
    }

    /// The nearest one; the newest of several.
    fn nearest(&self, candidates: &[usize], distance: &mut dyn FnMut(&State) -> u32) -> usize {
        let mut best = (FAR, candidates[candidates.len() - 1]);
        for at in candidates.iter().rev() {
            let distance = distance(&self.waiting[*at]);
            if distance < best.0 {
                best = (distance, *at);
            }
        }
        best.1
    }

    /// A number below a limit, by chance (xorshift64*).
    fn draw(&mut self, limit: u64) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let drawn = self.random.wrapping_mul(0x2545_f491_4f6c_dd1d);
        ((u128::from(drawn) * u128::from(limit.max(1))) >> 64) as u64
    }
}

fn class_of(state: &State) -> u32 {
    state.waiting.as_ref().map_or(0, |waiting| waiting.attempts)
}

/// How far a state is from a way that no path has taken.
fn distance(state: &State, code: &Code, coverage: &mut Coverage) -> u32 {
    let mut least = FAR;
    for (level, frame) in state.frames.iter().rev().enumerate() {
        let cost = RETURN_COST.saturating_mul(level as u32);
        let heading = state.waiting.as_ref().and_then(|waiting| waiting.heading);
        let within = match heading {
            Some((_, way)) if level == 0 && !coverage.taken(frame.function, frame.block, way) => 0,
            Some((block, _)) if level == 0 => coverage.distance(code, frame.function, block),
            Some(_) | None => coverage.distance(code, frame.function, frame.block),
        };
        least = least.min(within.saturating_add(cost));
        if cost >= least {
            break;
        }
    }
    least
}
