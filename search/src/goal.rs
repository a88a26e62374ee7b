//! One goal's state: the trajectory it is on, and the best it ever had.
//!
//! A trajectory is a sequence of champions, each nearer than the one before. When one
//! gets stuck, the goal begins another: from the best of all that is drawn, from the
//! best point ever, or secluded around a random place, so that basins which look worse
//! from afar get their chance. Later trajectories are given more time before they count
//! as stuck.

use crate::random::Random;
use crate::run::Run;
use crate::{axis::Axis, moves};

/// The distance of a goal that nothing has come near to.
pub(crate) const UNSEEN: u64 = u64::MAX;

/// So many trajectories in vain make a goal stalled.
const VAIN: u32 = CYCLE;

/// After so many trajectories all ways to begin one have had their turn.
const CYCLE: u32 = 8;

/// How many axes on which steps succeeded are remembered.
const LUCKY: usize = 4;

/// A goal's champion, its past and its fortunes.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    pub(crate) open: bool,
    /// The point that mutations start from; while `threshold` is [`UNSEEN`], only when
    /// the trajectory is secluded.
    pub(crate) champion: Vec<u64>,
    /// The distance to beat.
    pub(crate) threshold: u64,
    /// How small the steps of a secluded trajectory are: see [`Axis::vicinity`].
    pub(crate) seclusion: Option<u32>,
    /// The champion when points were last drawn, and the one that it improved on.
    pub(crate) parent: Vec<u64>,
    parent_distance: u64,
    pub(crate) before: Vec<u64>,
    pub(crate) before_distance: u64,
    /// Whether `before` belongs to this trajectory.
    pub(crate) directed: bool,
    /// An improvement of the same batch as the champion's that it outdid.
    pub(crate) second: Vec<u64>,
    pub(crate) seconded: bool,
    /// Axes on which the last improvements differed.
    pub(crate) lucky: Vec<u32>,
    /// The nearest point ever.
    pub(crate) best: Vec<u64>,
    pub(crate) best_distance: u64,
    /// Points drawn for this goal and batches begun since its last improvement, and the
    /// distance it came to when the points were last counted from 0.
    pub(crate) spent: u64,
    milestone: u64,
    pub(crate) batches: u32,
    /// Trajectories begun, in all and since the best point ever came nearer.
    trajectory: u32,
    vain: u32,
    improved: bool,
    pub(crate) refutations: u32,
    /// Whether others matter more.
    pub(crate) minor: bool,
}

impl Goal {
    pub(crate) fn new(words: usize) -> Goal {
        Goal {
            open: true,
            champion: vec![0; words],
            threshold: UNSEEN,
            seclusion: None,
            parent: vec![0; words],
            parent_distance: UNSEEN,
            before: vec![0; words],
            before_distance: UNSEEN,
            directed: false,
            second: vec![0; words],
            seconded: false,
            lucky: Vec::with_capacity(LUCKY),
            best: vec![0; words],
            best_distance: UNSEEN,
            spent: 0,
            milestone: UNSEEN,
            batches: 0,
            trajectory: 0,
            vain: 0,
            improved: false,
            refutations: 0,
            minor: false,
        }
    }

    /// Whether there is a champion to mutate.
    pub(crate) fn led(&self) -> bool {
        self.threshold != UNSEEN || self.seclusion.is_some()
    }

    /// Whether work on it is of use: open and not hit.
    pub(crate) fn wanted(&self) -> bool {
        self.open && self.threshold > 0
    }

    /// Whether several trajectories came no nearer than the best.
    pub(crate) fn stalled(&self) -> bool {
        !self.wanted() || self.vain >= VAIN
    }

    /// How many turns it gets: more while it makes progress.
    pub(crate) fn weight(&self) -> u32 {
        if !self.wanted() {
            0
        } else if self.threshold != UNSEEN && self.batches <= 2 {
            4
        } else if self.vain == 0 {
            2
        } else {
            1
        }
    }

    /// A nearer point, known to be so.
    pub(crate) fn improve(&mut self, distance: u64, point: &[u64]) {
        self.seconded = self.improved;
        if self.seconded {
            std::mem::swap(&mut self.champion, &mut self.second);
        }
        self.champion.copy_from_slice(point);
        self.threshold = distance;
        self.improved = true;
        if distance < self.best_distance {
            self.best.copy_from_slice(point);
            self.best_distance = distance;
            self.vain = 0;
        }
    }

    /// A batch begins: the champion becomes the parent of what is drawn.
    pub(crate) fn advance(&mut self, axes: &[Axis]) {
        self.batches = self.batches.saturating_add(1);
        if !self.improved {
            return;
        }
        self.improved = false;
        self.batches = 0;
        // A secluded trajectory has to halve its distance each time: it must not crawl
        // through a whole range in small steps.
        if self.seclusion.is_none() || self.threshold <= self.milestone / 2 {
            self.milestone = self.threshold;
            self.spent = 0;
        }
        std::mem::swap(&mut self.before, &mut self.parent);
        self.before_distance = self.parent_distance;
        self.directed = self.before_distance != UNSEEN;
        self.parent.copy_from_slice(&self.champion);
        self.parent_distance = self.threshold;
        if self.directed {
            self.remember_axes(axes);
        }
    }

    /// Notes the axes on which the parent differs from the point before, when they are
    /// few enough to tell something.
    fn remember_axes(&mut self, axes: &[Axis]) {
        let moved = axes.iter().enumerate().filter(|(_, axis)| {
            let words = axis.words();
            self.before[words.clone()] != self.parent[words]
        });
        let moved: Vec<u32> = moved.map(|(index, _)| index as u32).take(LUCKY + 1).collect();
        if moved.len() <= LUCKY {
            let excess = (self.lucky.len() + moved.len()).saturating_sub(LUCKY);
            self.lucky.drain(..excess);
            self.lucky.extend(moved);
        }
    }

    /// Begins another trajectory if this one is stuck. True if it did.
    pub(crate) fn restart_if_stuck(
        &mut self,
        axes: &[Axis],
        patience: u64,
        random: &mut Random,
    ) -> bool {
        let cycles = self.trajectory / CYCLE;
        let stuck = match self.seclusion {
            None => self.spent >= patience << cycles.min(2) && self.batches >= 2,
            Some(_) => self.spent >= patience << cycles.min(1),
        };
        if !self.wanted() || !stuck {
            return false;
        }
        self.trajectory = self.trajectory.saturating_add(1);
        self.vain = self.vain.saturating_add(1);
        self.begin();
        match self.trajectory % CYCLE {
            1 | 5 => {}
            2 => {
                if self.best_distance != UNSEEN {
                    self.resume(self.best_distance);
                }
            }
            _ => {
                let words = self.champion.len();
                moves::fresh(axes, &mut Run::new(&mut self.champion, words), random);
                self.seclusion = Some(4 + random.below(16) as u32);
            }
        }
        true
    }

    /// Whether a point may lead this trajectory on: within reach when it is secluded.
    pub(crate) fn accepts(&self, axes: &[Axis], point: &[u64]) -> bool {
        self.seclusion.is_none_or(|seclusion| {
            axes.iter().all(|axis| axis.is_near(&self.champion, point, seclusion))
        })
    }

    /// Takes the goal up again. A hit is forgotten; its place is kept as the champion,
    /// as near as a point can be that is no hit, every second time: true hits are
    /// often not far from false ones, but not always.
    pub(crate) fn reopen(&mut self) {
        self.open = true;
        if self.best_distance > 0 {
            if self.threshold == 0 {
                self.begin();
            }
            return;
        }
        self.best_distance = UNSEEN;
        self.refutations = self.refutations.saturating_add(1);
        self.vain = 0;
        self.begin();
        if self.refutations % 2 == 1 {
            self.resume(1);
        }
    }

    /// Forgets a hit without holding it against the goal.
    pub(crate) fn put_off(&mut self) {
        self.best_distance = UNSEEN;
        self.vain = 0;
        self.begin();
    }

    /// Begins a trajectory at the best point.
    fn resume(&mut self, distance: u64) {
        self.champion.copy_from_slice(&self.best);
        self.parent.copy_from_slice(&self.best);
        self.threshold = distance;
        self.parent_distance = distance;
    }

    /// Forgets the trajectory.
    fn begin(&mut self) {
        self.threshold = UNSEEN;
        self.parent_distance = UNSEEN;
        self.seclusion = None;
        self.directed = false;
        self.seconded = false;
        self.improved = false;
        self.lucky.clear();
        self.milestone = UNSEEN;
        (self.spent, self.batches) = (0, 0);
    }
}
