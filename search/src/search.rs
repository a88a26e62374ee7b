//! The search: proposes points, is told which came nearer, remembers the best.

use crate::line::Line;
use crate::random::Random;
use crate::space::Space;

/// The distance of a goal that nothing has come near to.
const UNSEEN: u64 = u64::MAX;

/// Minimises the distances of many goals at once.
#[derive(Clone, Debug)]
pub struct Search {
    space: Space,
    random: Random,
    thresholds: Vec<u64>,
    best: Vec<Option<(u64, Vec<u64>)>>,
    evaluations: u64,
}

impl Search {
    /// A search for `goals` goals over a space. `constants` are numbers that the
    /// evaluated code compares or computes with.
    pub fn new(space: Space, goals: usize, constants: &[f64], seed: u64) -> Search {
        let _ = constants;
        Search {
            space,
            random: Random::new(seed),
            thresholds: vec![UNSEEN; goals],
            best: vec![None; goals],
            evaluations: 0,
        }
    }

    /// The space searched.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Proposes a point to start from; it is drawn next, and mutated.
    pub fn hint(&mut self, point: &[u64]) {
        let _ = point;
    }

    /// Writes as many points as fit, one behind the other, and tells how many.
    /// A space without dimensions has no points to draw: 0.
    pub fn fill(&mut self, points: &mut [u64]) -> usize {
        let words = self.space.words();
        if words == 0 {
            return 0;
        }
        let mut drawn = 0;
        for point in points.chunks_exact_mut(words) {
            let mut word = 0;
            for dimension in self.space.dimensions() {
                let line = Line::<u128>::new(dimension, word);
                let span = line.high - line.low;
                let at =
                    line.low + <u128 as crate::line::Word>::random_within(&mut self.random, span);
                let e = line.encoding(at);
                point[word] = e as u64;
                if dimension.words() == 2 {
                    point[word + 1] = (e >> 64) as u64;
                }
                word += dimension.words();
            }
            drawn += 1;
        }
        self.evaluations += drawn as u64;
        drawn
    }

    /// What a point must be nearer than, for each goal, to be worth reporting with
    /// [`Self::improved`]. 0 for goals that are hit or closed.
    pub fn thresholds(&self) -> &[u64] {
        &self.thresholds
    }

    /// Tells that a point came to `distance` of a goal. Returns whether that is news;
    /// it is not when the goal is closed, the point banned, or a nearer one known.
    pub fn improved(&mut self, goal: usize, distance: u64, point: &[u64]) -> bool {
        if distance >= self.thresholds[goal] {
            return false;
        }
        self.thresholds[goal] = distance;
        self.best[goal] = Some((distance, point.to_vec()));
        true
    }

    /// No more work on this goal.
    pub fn close(&mut self, goal: usize) {
        self.thresholds[goal] = 0;
    }

    /// Takes up a goal again, after a close or a hit; a hit is forgotten.
    pub fn reopen(&mut self, goal: usize) {
        self.thresholds[goal] = UNSEEN;
    }

    /// Takes up a goal again whose hit was refuted, and neither proposes that point
    /// any more nor believes it.
    pub fn ban(&mut self, goal: usize, point: &[u64]) {
        let _ = point;
        self.reopen(goal);
    }

    /// The nearest point seen, and its distance.
    pub fn best(&self, goal: usize) -> Option<(u64, &[u64])> {
        self.best[goal].as_ref().map(|(distance, point)| (*distance, point.as_slice()))
    }

    /// How many points were drawn.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Whether no open goal has come nearer for so long that going on is a gamble.
    pub fn stalled(&self) -> bool {
        false
    }

    /// The same for one goal; true for a closed one.
    pub fn stalled_at(&self, goal: usize) -> bool {
        self.thresholds[goal] == 0
    }
}
