//! The search for points with large errors.
//!
//! First points everywhere; then climbs out of the domains of functions, to results that are no
//! numbers; then, from the best of them and from those that the bound suggests,
//! climbs to points where the roundings could add up to most (the potential, which has slopes);
//! then climbs on the error itself, which jumps from float to float.

use crate::show::climb::Climb;
use crate::show::edge::Edge;
use crate::show::estimate::{Estimator, Outcome};
use crate::show::sample::Sampler;
use nanoscope_ieee::{Float, Format};
use nanoscope_search::{Budget, Kind, Search, Space};

/// An error and the point that has it.
pub type Found = (f64, Vec<u64>);

/// Parts of the exploration whose best points climbs begin at.
const STARTS: usize = 8;

/// Shares of the work for the exploration and for climbs on potentials.
const EXPLORING: f64 = 0.35;
const PREPARING: f64 = 0.1;
/// The share for climbs out of domains, the steps after which one must be near the end, and those
/// that it goes on there.
const LEAVING: f64 = 0.15;
const SCOUTING: usize = 1_500;
const LINGERING: usize = 10_000;
/// Points outside of a domain at which the exact result is no number either, or out of range.
const FRUITLESS: usize = 2_000;

/// Operations of the hardware that a search may cost.
const WORK: usize = 48_000_000;

/// Points without a number that are kept.
const NUMBERLESS: usize = 16;

/// What a search found.
#[derive(Default)]
pub struct Catch {
    /// The points with the largest absolute and relative errors.
    pub best: [Option<Found>; 2],
    /// Points at which the float result is no number, and the shadow knows no more.
    pub numberless: Vec<Vec<u64>>,
    /// Points looked at.
    pub tried: usize,
}

impl Catch {
    /// The largest error so far.
    fn error(&self, goal: usize) -> f64 {
        self.best[goal].as_ref().map_or(0.0, |found| found.0)
    }

    fn keep(&mut self, goal: usize, error: f64, point: &[u64]) -> bool {
        let better =
            error > 0.0 && self.best[goal].as_ref().is_none_or(|(known, _)| error > *known);
        if better {
            self.best[goal] = Some((error, point.to_vec()));
        }
        better
    }
}

/// Searches one output's errors.
pub struct Seeker<'s, 'j> {
    space: &'s Space,
    estimator: Estimator<'j>,
    sampler: Sampler<'s>,
    budget: &'s Budget,
    /// What is left of the work.
    work: usize,
    catch: Catch,
}

impl<'s, 'j> Seeker<'s, 'j> {
    /// A search of at most so many points, fewer where they are slow.
    pub fn new(
        space: &'s Space,
        estimator: Estimator<'j>,
        (points, seed): (usize, u64),
        budget: &'s Budget,
    ) -> Seeker<'s, 'j> {
        let work = estimator.costs().1.saturating_mul(points).min(WORK);
        let sampler = Sampler::new(space, seed);
        Seeker { space, estimator, sampler, budget, work, catch: Catch::default() }
    }

    /// Searches. `hints` are points where large errors are suspected.
    pub fn run(
        mut self,
        constants: &[f64],
        hints: &[Vec<u64>],
        seed: u64,
    ) -> (Catch, Estimator<'j>) {
        let whole = self.work;
        let starts = self.explore(constants, hints, seed, (whole as f64 * EXPLORING) as usize);
        self.leave_domains((whole as f64 * LEAVING) as usize);
        let starts = self.prepare(starts, hints, (whole as f64 * PREPARING) as usize);
        self.climb(starts);
        (self.catch, self.estimator)
    }

    fn spend(&mut self, cost: usize) {
        self.work = self.work.saturating_sub(cost.max(1));
        self.catch.tried += 1;
    }

    /// Whether work and time are left; slow computations look at the clock more often.
    fn goes_on(&self, until: usize) -> bool {
        let often = self.estimator.costs().1 > 1_000 || self.catch.tried.is_multiple_of(64);
        self.work > until && !(often && self.budget.exhausted())
    }

    /// The errors at a point, if one may exceed its floor.
    fn look(&mut self, point: &[u64], floors: [f64; 2]) -> Option<[f64; 2]> {
        let floats = decode(self.space, point);
        let (cheap, dear) = self.estimator.costs();
        match self.estimator.estimate(&floats, floors) {
            Outcome::Hopeless => {
                self.spend(cheap);
                None
            }
            Outcome::NoNumber => {
                self.spend(dear);
                if self.catch.numberless.len() < NUMBERLESS {
                    self.catch.numberless.push(point.to_vec());
                }
                None
            }
            Outcome::Estimate(estimate) => {
                self.spend(dear);
                Some(estimate.errors())
            }
        }
    }

    /// Looks at points of all kinds. By turns: the search, points that treat all inputs alike or
    /// lie towards the corner where the result is largest, and points of all magnitudes. Returns
    /// the best of each part of the exploration.
    fn explore(
        &mut self,
        constants: &[f64],
        hints: &[Vec<u64>],
        seed: u64,
        work: usize,
    ) -> [Vec<Option<Found>>; 2] {
        let words = self.space.words();
        let mut search = Search::new(self.space.clone(), 2, constants, seed);
        for hint in hints {
            search.hint(hint);
        }
        let mut starts: [Vec<Option<Found>>; 2] = [vec![None; STARTS], vec![None; STARTS]];
        let mut batch = vec![0u64; words * 64];
        let corner = self.estimator.grows();
        let before = self.work;
        let end = before.saturating_sub(work);
        let mut round = 0usize;
        while self.goes_on(end) {
            round += 1;
            let drawn = match round % 4 {
                1 => self.sampler.alike(&mut batch),
                2 if round % 8 == 2 && !corner.is_empty() => {
                    self.sampler.towards(&corner, &mut batch)
                }
                2 if round % 16 == 6 => self.sampler.scaled(&mut batch),
                2 => self.sampler.anywhere(&mut batch),
                _ => search.fill(&mut batch),
            };
            for point in batch[..drawn * words].chunks_exact(words) {
                if !self.goes_on(end) {
                    break;
                }
                let part = ((before - self.work) * STARTS / work.max(1)).min(STARTS - 1);
                // A start far below the best is not worth a climb.
                let floors = [0, 1].map(|goal| {
                    let error = |found: &Option<Found>| found.as_ref().map_or(0.0, |one| one.0);
                    error(&starts[goal][part]).max(0.5 * self.catch.error(goal))
                });
                let Some(errors) = self.look(point, floors) else { continue };
                for (goal, error) in errors.into_iter().enumerate() {
                    if error > floors[goal] {
                        starts[goal][part] = Some((error, point.to_vec()));
                    }
                    if self.catch.keep(goal, error, point) {
                        // Larger errors are nearer; 0 would end the search.
                        let distance = (u64::MAX >> 1) - error.to_bits().min((u64::MAX >> 1) - 1);
                        search.improved(goal, distance, point);
                    }
                }
            }
        }
        starts
    }

    /// Climbs to where computed operands leave the domains of functions, from one point after the
    /// other: no climb crosses 0. Those that are not soon near an end are given up.
    fn leave_domains(&mut self, work: usize) {
        let dimensions = self.space.dimensions().len();
        let edges = self.estimator.edges();
        let share = work / edges.len().max(1);
        let mut start = vec![0u64; self.space.words()];
        for edge in &edges {
            let end = self.work.saturating_sub(share);
            let (mut starts, mut near) = (0, 0);
            // A domain that no climb comes near to the end of is left alone.
            while self.goes_on(end) && (near > 0 || starts < STARTS) {
                starts += 1;
                self.sampler.anywhere(&mut start);
                let mut climb = Climb::new(0.0, start.clone(), dimensions);
                let mut left = self.climb_out(edge, &mut climb, SCOUTING);
                if !left && Edge::is_near(climb.best().0) {
                    near += 1;
                    left = self.climb_out(edge, &mut climb, LINGERING);
                }
                if left {
                    break;
                }
            }
        }
    }

    /// Climbs so many steps, until the float result is no number and the exact one is.
    fn climb_out(&mut self, edge: &Edge, climb: &mut Climb, steps: usize) -> bool {
        let cost = self.estimator.costs().0;
        let mut point = vec![0u64; self.space.words()];
        let mut fruitless = 0;
        for _ in 0..steps {
            if !self.goes_on(0) || fruitless > FRUITLESS {
                break;
            }
            climb.step(&mut self.sampler, &mut point);
            self.spend(cost);
            let floats = decode(self.space, &point);
            let Some((value, is_number)) = self.estimator.value(&floats, edge.place) else {
                continue;
            };
            climb.told(edge.worth(value), &point);
            if edge.is_at_step(value) {
                let floors = [0, 1].map(|goal| self.catch.error(goal));
                for (goal, error) in self.look(&point, floors).into_iter().flatten().enumerate() {
                    self.catch.keep(goal, error, &point);
                }
            }
            if !is_number {
                let errors = self.look(&point, [f64::MAX; 2]);
                if errors.is_some_and(|[absolute, _]| absolute.is_infinite()) {
                    for goal in [0, 1] {
                        self.catch.keep(goal, f64::INFINITY, &point);
                    }
                    return true;
                }
                fruitless += 1;
            }
        }
        false
    }

    /// Climbs to where the roundings could add up to most, from the best points of the
    /// exploration and from the hints; those points are starts too.
    fn prepare(
        &mut self,
        starts: [Vec<Option<Found>>; 2],
        hints: &[Vec<u64>],
        work: usize,
    ) -> [Vec<Found>; 2] {
        let dimensions = self.space.dimensions().len();
        let cost = self.estimator.costs().0;
        let mut found = starts.map(|list| list.into_iter().flatten().collect::<Vec<Found>>());
        for goal in [0, 1] {
            found[goal].sort_by(|a, b| b.0.total_cmp(&a.0));
            // The absolute error is climbed from more points: the relative one mostly has a peak.
            found[goal].truncate(STARTS >> goal);
        }
        for goal in [0, 1] {
            let from: Vec<Vec<u64>> = hints
                .iter()
                .take(2)
                .cloned()
                .chain(found[goal].iter().map(|(_, point)| point.clone()))
                .take(STARTS >> goal)
                .collect();
            let share = work / 2 / from.len().max(1) / cost.max(1);
            for start in from {
                let floats = decode(self.space, &start);
                let Some(potentials) = self.estimator.potentials(&floats) else { continue };
                let mut climb = Climb::new(potentials[goal], start, dimensions);
                let mut point = vec![0u64; self.space.words()];
                for _ in 0..share {
                    if !self.goes_on(0) {
                        break;
                    }
                    climb.step(&mut self.sampler, &mut point);
                    self.spend(cost);
                    let floats = decode(self.space, &point);
                    if let Some(potentials) = self.estimator.potentials(&floats) {
                        let potential = potentials[goal];
                        climb.told(if potential.is_finite() { potential } else { 0.0 }, &point);
                    }
                }
                let point = climb.best().1.clone();
                let error = self.look(&point, [0.0; 2]).map_or(0.0, |errors| errors[goal]);
                self.catch.keep(goal, error, &point);
                found[goal].push((error, point));
            }
        }
        found
    }

    /// Climbs on the errors from several points. Those that come less high are given up, half of
    /// them at a time.
    fn climb(&mut self, starts: [Vec<Found>; 2]) {
        let dimensions = self.space.dimensions().len();
        let mut climbs: Vec<(usize, Climb)> = Vec::new();
        for (goal, starts) in starts.into_iter().enumerate() {
            for (error, point) in starts.into_iter().filter(|(error, _)| error.is_finite()) {
                climbs.push((goal, Climb::new(error, point, dimensions)));
            }
        }
        let mut point = vec![0u64; self.space.words()];
        while !climbs.is_empty() {
            let last = climbs.len() <= 2;
            let end = if last { 0 } else { self.work - self.work * 2 / 5 };
            let mut turn = 0;
            while self.goes_on(end) {
                let (goal, climb) = {
                    let at = turn % climbs.len();
                    &mut climbs[at]
                };
                turn += 1;
                climb.step(&mut self.sampler, &mut point);
                let mut floors = [f64::INFINITY; 2];
                floors[*goal] = climb.here();
                if let Some(errors) = self.look(&point, floors) {
                    climb.told(errors[*goal], &point);
                }
            }
            for (goal, climb) in &climbs {
                let (error, point) = climb.best();
                self.catch.keep(*goal, *error, point);
            }
            if last || self.work == 0 || self.budget.exhausted() {
                break;
            }
            climbs.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.best().0.total_cmp(&a.1.best().0)));
            let mut rank = [0; 2];
            let counts = [0, 1].map(|goal| climbs.iter().filter(|(of, _)| *of == goal).count());
            climbs.retain(|(goal, _)| {
                rank[*goal] += 1;
                rank[*goal] <= counts[*goal].div_ceil(2)
            });
        }
    }
}

/// A point as doubles.
pub fn decode(space: &Space, point: &[u64]) -> Vec<f64> {
    let mut at = 0;
    let value = |dimension: &nanoscope_search::Dimension| {
        let low = u128::from(point[at]);
        let bits = if dimension.words() == 2 { low | u128::from(point[at + 1]) << 64 } else { low };
        at += dimension.words();
        match dimension.kind() {
            Kind::Float(Format::BINARY64) => f64::from_bits(bits as u64),
            Kind::Float(Format::BINARY32) => f64::from(f32::from_bits(bits as u32)),
            Kind::Float(format) => Float::from_bits(format, bits).to_f64(),
            Kind::Integer { .. } => bits as u64 as i64 as f64,
        }
    };
    space.dimensions().iter().map(value).collect()
}
