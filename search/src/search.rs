//! The search: proposes points, is told which came nearer, remembers the best.

use crate::axis::Axis;
use crate::goal::{Goal, UNSEEN};
use crate::moves::{self, Parent, Sweep};
use crate::random::Random;
use crate::run::{self, Run};
use crate::space::Space;

/// So many mutations of each hint are drawn before it is one parent among others; fewer where
/// there are many hints.
const HINT_MUTATIONS: usize = 256;
const MUTATIONS: usize = 1 << 16;

/// So many points at first are drawn afresh every second time: most goals are near to
/// somewhere, and what one finds helps others.
const BROAD: u64 = 1 << 16;

/// Refuted points remembered; older ones are forgotten.
const BANS: usize = 256;

/// Minimises the distances of many goals at once.
///
/// The caller evaluates the points of [`fill`](Self::fill) in any order, lowers its
/// copy of [`thresholds`](Self::thresholds) as it goes, and tells every point that beat
/// one to [`improved`](Self::improved) before the next batch. What is proposed depends
/// on the seed and on the calls made, on nothing else.
#[derive(Clone, Debug)]
pub struct Search {
    space: Space,
    axes: Vec<Axis>,
    random: Random,
    goals: Vec<Goal>,
    /// The goals' thresholds, 0 for closed ones: what the caller sees.
    thresholds: Vec<u64>,
    sweep: Option<Sweep>,
    hints: Vec<Vec<u64>>,
    /// Hints drawn as they are, and mutations of hints drawn.
    hints_drawn: usize,
    hint_mutations: usize,
    bans: Vec<Vec<u64>>,
    /// Whose turn it is: the wanted goals, by weight.
    turns: Vec<u32>,
    turn: usize,
    /// Which of the goals that wait for others comes next.
    waiting: usize,
    /// How many points a trajectory is given to improve: several for every power of
    /// two on every axis.
    patience: u64,
    evaluations: u64,
    last_progress: u64,
}

impl Search {
    /// A search for `goals` goals over a space. `constants` are numbers that the
    /// evaluated code compares or computes with.
    pub fn new(space: Space, goals: usize, constants: &[f64], seed: u64) -> Search {
        let axes = Axis::all(space.dimensions(), constants);
        let reach: u64 = axes.iter().map(|axis| u64::from(axis.reach())).sum();
        Search {
            random: Random::new(seed),
            goals: vec![Goal::new(space.words()); goals],
            thresholds: vec![UNSEEN; goals],
            sweep: (!axes.is_empty()).then(|| Sweep::new(&axes)),
            hints: Vec::new(),
            hints_drawn: 0,
            hint_mutations: 0,
            bans: Vec::new(),
            turns: Vec::new(),
            turn: 0,
            waiting: 0,
            patience: (256 + 16 * reach).min(32_768),
            evaluations: 0,
            last_progress: 0,
            space,
            axes,
        }
    }

    /// The space searched.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Has a goal wait for others: while there are any that matter more, it gets but a small
    /// part of the turns.
    pub fn defer(&mut self, goal: usize) {
        self.goals[goal].minor = true;
    }

    /// Whether a goal waits for others.
    pub fn is_deferred(&self, goal: usize) -> bool {
        self.goals[goal].minor
    }

    /// Proposes a point to start from: it is drawn next, brought into the admitted
    /// ranges, and mutated.
    ///
    /// # Panics
    /// When the point has not as many words as the space.
    pub fn hint(&mut self, point: &[u64]) {
        assert_eq!(point.len(), self.space.words(), "a point has as many words as its space");
        let mut point = point.to_vec();
        self.axes.iter().for_each(|axis| axis.admit(&mut point));
        self.hints.push(point);
    }

    /// How many points are well drawn at once: the search learns between batches, so
    /// small ones come to their ends with fewer evaluations and large ones only save
    /// the caller's overhead. With more open goals a batch is shared by more of them, and
    /// while nothing comes nearer there is little to learn: then they grow, but not so far
    /// that a trajectory is given up late.
    pub fn suggested_batch(&self) -> usize {
        let goals = self.open_goals() as u64;
        let idle = (self.idle() / 4).min(goals * self.patience / 4);
        (64 * goals).max(idle).clamp(256, 4096) as usize
    }

    /// Writes as many points as fit, one behind the other, and tells how many.
    /// A space without dimensions has no points to draw: 0.
    pub fn fill(&mut self, points: &mut [u64]) -> usize {
        let words = self.space.words();
        if words == 0 {
            return 0;
        }
        self.begin_batch();
        let drawn = points.len() / words;
        let length = run::length(drawn, self.open_goals());
        for run in points[..drawn * words].chunks_mut(length * words) {
            self.draw(&mut Run::new(run, words));
            if !self.bans.is_empty() {
                run.chunks_exact_mut(words).for_each(|point| self.avoid_bans(point));
            }
        }
        self.evaluations += drawn as u64;
        drawn
    }

    /// What a point must be nearer than, for each goal, to be worth reporting with
    /// [`improved`](Self::improved). 0 for goals that are hit or closed. Thresholds
    /// fall with improvements and may rise again at the beginning of a batch.
    pub fn thresholds(&self) -> &[u64] {
        &self.thresholds
    }

    /// Tells that a point came to `distance` of a goal. Returns whether that is news;
    /// it is not when the goal is closed, the point banned, or a nearer one is known.
    pub fn improved(&mut self, goal: usize, distance: u64, point: &[u64]) -> bool {
        if distance >= self.thresholds[goal] {
            return false;
        }
        if distance == 0 && is_among(&self.bans, point) {
            return false;
        }
        let state = &mut self.goals[goal];
        if distance < state.best_distance {
            self.last_progress = self.evaluations;
            state.seclusion = None;
        } else if !state.accepts(&self.axes, point) {
            return false;
        }
        state.improve(distance, point);
        self.thresholds[goal] = distance;
        true
    }

    /// No more work on this goal. What is known of it stays.
    pub fn close(&mut self, goal: usize) {
        self.goals[goal].open = false;
        self.thresholds[goal] = 0;
    }

    /// Takes up a goal again, after a close or a hit. A hit is forgotten.
    pub fn reopen(&mut self, goal: usize) {
        self.goals[goal].reopen();
        self.thresholds[goal] = self.goals[goal].threshold;
    }

    /// Takes up a goal again whose hit is not liked, though it may be true: another is looked
    /// for elsewhere.
    pub fn put_off(&mut self, goal: usize) {
        self.goals[goal].put_off();
        self.thresholds[goal] = self.goals[goal].threshold;
    }

    /// Takes up a goal again whose hit was refuted, and neither proposes that point
    /// any more nor believes it.
    pub fn ban(&mut self, goal: usize, point: &[u64]) {
        if self.bans.len() == BANS {
            self.bans.remove(0);
        }
        self.bans.push(point.to_vec());
        self.reopen(goal);
    }

    /// How many hits of a goal were taken back by [`ban`](Self::ban) or
    /// [`reopen`](Self::reopen): with many, its distance is not to be trusted.
    pub fn refutations(&self, goal: usize) -> u32 {
        self.goals[goal].refutations
    }

    /// The nearest point seen, and its distance.
    pub fn best(&self, goal: usize) -> Option<(u64, &[u64])> {
        let goal = &self.goals[goal];
        (goal.best_distance != UNSEEN).then_some((goal.best_distance, goal.best.as_slice()))
    }

    /// Whether a goal is neither closed nor hit.
    pub fn is_open(&self, goal: usize) -> bool {
        self.goals[goal].wanted()
    }

    /// How many goals are neither closed nor hit.
    pub fn open_goals(&self) -> usize {
        self.goals.iter().filter(|goal| goal.wanted()).count()
    }

    /// How many points were drawn.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// How many points were drawn since a goal last came nearer than ever before.
    pub fn idle(&self) -> u64 {
        self.evaluations - self.last_progress
    }

    /// Whether every goal is closed, hit or [stalled](Self::stalled_at): going on is a
    /// gamble.
    pub fn stalled(&self) -> bool {
        self.goals.iter().all(Goal::stalled)
    }

    /// Whether a goal's last eight trajectories came no nearer than the best before
    /// them. True for a goal that is closed or hit.
    pub fn stalled_at(&self, goal: usize) -> bool {
        self.goals[goal].stalled()
    }

    /// Makes champions parents, begins new trajectories where old ones are stuck, and
    /// deals out the turns.
    fn begin_batch(&mut self) {
        for (goal, threshold) in self.goals.iter_mut().zip(&mut self.thresholds) {
            if !goal.wanted() {
                continue;
            }
            goal.advance(&self.axes);
            if goal.restart_if_stuck(&self.axes, self.patience, &mut self.random) {
                *threshold = goal.threshold;
            }
        }
        self.turns.clear();
        for round in 1..=4 {
            let wanted = self.goals.iter().enumerate();
            let wanted = wanted.filter(|(_, goal)| !goal.minor && goal.weight() >= round);
            self.turns.extend(wanted.map(|(index, _)| index as u32));
        }
        self.deal_minor_turns();
    }

    /// A few turns for goals that wait for others, each batch for the next ones; where there
    /// are no others, for all.
    fn deal_minor_turns(&mut self) {
        let minor: Vec<u32> = (0..self.goals.len() as u32)
            .filter(|&index| {
                self.goals[index as usize].minor && self.goals[index as usize].wanted()
            })
            .collect();
        let count = match self.turns.len() {
            0 => minor.len(),
            others => minor.len().min(1 + others / 4),
        };
        let start = if minor.is_empty() { 0 } else { self.waiting % minor.len() };
        self.waiting = self.waiting.wrapping_add(count);
        self.turns.extend(minor.iter().cycle().skip(start).take(count));
    }

    /// Writes a few points of the same making.
    fn draw(&mut self, run: &mut Run) {
        if self.hints_drawn < self.hints.len() {
            for (point, hint) in run.points().zip(self.hints[self.hints_drawn..].iter().cycle()) {
                self.hints_drawn += 1;
                point.copy_from_slice(hint);
            }
            return;
        }
        let choice = self.random.next();
        let mutations = HINT_MUTATIONS.min(MUTATIONS / self.hints.len().max(1));
        if choice & 1 == 0 && self.hint_mutations < self.hints.len() * mutations {
            let hint = self.hint_mutations / mutations;
            self.hint_mutations += run.len();
            return self.mutate_stranger(run, hint + self.goals.len());
        }
        if choice & 6 == 0
            && let Some(sweep) = &mut self.sweep
        {
            for point in run.points() {
                sweep.draw(&self.axes, point, &mut self.random);
            }
            if sweep.is_over() {
                self.sweep = None;
            }
            return;
        }
        if choice & 0x100 == 0 && self.evaluations < BROAD {
            return self.fresh(run);
        }
        self.turn = if self.turn + 1 < self.turns.len() { self.turn + 1 } else { 0 };
        let Some(&index) = self.turns.get(self.turn) else {
            return self.fresh(run);
        };
        let index = index as usize;
        self.goals[index].spent += run.len() as u64;
        let seclusion = self.goals[index].seclusion;
        if seclusion.is_none() && choice & 0x38 == 0 {
            return self.fresh(run);
        }
        if !self.goals[index].led() {
            // Nothing to start from: what other goals found may pass the same guards. Its
            // own best point would only lead back to where it got stuck.
            let stranger = self.random.below(self.goals.len() + self.hints.len());
            if choice & 0xc0 != 0 || stranger == index {
                return self.fresh(run);
            }
            return self.mutate_stranger(run, stranger);
        }
        let mate = self.random.below(self.goals.len());
        let (goal, mate) = (&self.goals[index], (mate != index).then_some(&self.goals[mate]));
        let parent = Parent {
            point: &goal.champion,
            distance: goal.threshold,
            before: goal.directed.then_some((goal.before.as_slice(), goal.before_distance)),
            mate: mate.filter(|mate| mate.best_distance != UNSEEN).map(|mate| mate.best.as_slice()),
            second: (goal.directed && goal.seconded).then_some(goal.second.as_slice()),
            lucky: &goal.lucky,
        };
        match seclusion {
            None => moves::mutate(&self.axes, run, &parent, &mut self.random),
            Some(seclusion) => {
                moves::mutate_nearby(&self.axes, run, &parent, seclusion, &mut self.random);
            }
        }
    }

    fn fresh(&mut self, run: &mut Run) {
        moves::fresh(&self.axes, run, &mut self.random);
    }

    /// Writes mutations of another goal's best point, or of a hint (numbered after the
    /// goals), with steps of all sizes; fresh points where there is none.
    fn mutate_stranger(&mut self, run: &mut Run, stranger: usize) {
        let known = match stranger.checked_sub(self.goals.len()) {
            Some(hint) => self.hints.get(hint),
            None => {
                let goal = &self.goals[stranger];
                (goal.best_distance != UNSEEN).then_some(&goal.best)
            }
        };
        let Some(start) = known else {
            return self.fresh(run);
        };
        let parent = Parent {
            point: start,
            distance: UNSEEN,
            before: None,
            mate: None,
            second: None,
            lucky: &[],
        };
        moves::mutate(&self.axes, run, &parent, &mut self.random);
    }

    /// Replaces a banned point by a fresh one.
    fn avoid_bans(&mut self, point: &mut [u64]) {
        while is_among(&self.bans, point) {
            let words = point.len();
            moves::fresh(&self.axes, &mut Run::new(point, words), &mut self.random);
            // In a space of few points all may be banned: one of them is drawn then.
            if self.random.one_in(BANS) {
                break;
            }
        }
    }
}

/// Whether a point is in a list; the first word settles most cases.
fn is_among(list: &[Vec<u64>], point: &[u64]) -> bool {
    list.iter().any(|other| other.first() == point.first() && other == point)
}
