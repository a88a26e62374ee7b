//! Whole points: the boundary sweep, fresh draws, and mutations of a parent.

use crate::axis::Axis;
use crate::random::Random;
use crate::run::{RUN, Run};

/// How many points the boundary sweep takes at most.
const SWEEP: usize = 4096;

/// Combinations of boundary values: all of them for few dimensions, as far as
/// [`SWEEP`] goes with the most telling ones, random ones for many.
#[derive(Clone, Debug)]
pub(crate) struct Sweep {
    /// How many boundary values of each axis take part; empty when they are drawn.
    counts: Vec<usize>,
    total: usize,
    next: usize,
}

impl Sweep {
    pub(crate) fn new(axes: &[Axis]) -> Sweep {
        // The same number of values on every axis, or all it has.
        let counts = |most: usize| -> Vec<usize> {
            axes.iter().map(|axis| axis.boundaries().min(most)).collect()
        };
        let total = |counts: &[usize]| {
            counts.iter().try_fold(1usize, |n, &c| n.checked_mul(c).filter(|&n| n <= SWEEP))
        };
        let mut most = 1;
        while most < SWEEP && total(&counts(most + 1)).is_some() {
            most += 1;
        }
        // Fewer than zero, one, minus one and some extremes are not worth their product.
        let all = counts(most);
        match total(&all) {
            Some(total) if most >= 6 => Sweep { counts: all, total, next: 0 },
            _ => Sweep { counts: Vec::new(), total: SWEEP, next: 0 },
        }
    }

    /// Whether every combination was drawn.
    pub(crate) fn is_over(&self) -> bool {
        self.next >= self.total
    }

    /// The next combination.
    pub(crate) fn draw(&mut self, axes: &[Axis], point: &mut [u64], random: &mut Random) {
        // In large steps through the combinations, so that the first few hundred already
        // vary every axis; the step's being prime visits all of them.
        let mut index = (self.next * STRIDE) % self.total;
        self.next += 1;
        if self.counts.is_empty() {
            for axis in axes {
                axis.set_boundary(point, random.below(axis.boundaries()));
            }
            return;
        }
        for (axis, count) in axes.iter().zip(&self.counts) {
            axis.set_boundary(point, index % count);
            index /= count;
        }
    }
}

/// A prime above [`SWEEP`]: without common divisor with any number of combinations.
const STRIDE: usize = 7919;

/// Writes points that owe nothing to any other, all made in the same way.
pub(crate) fn fresh(axes: &[Axis], run: &mut Run, random: &mut Random) {
    let count = axes.len();
    let choice = if count == 1 { 0 } else { random.next() >> 61 };
    match choice {
        0..=3 => axes.iter().for_each(|axis| axis.draw(run, random)),
        4 => axes.iter().for_each(|axis| axis.boundary(run, random)),
        5 | 6 => {
            // All alike: the same value but for little, or the same size.
            let source = &axes[random.below(count)];
            source.draw(run, random);
            let mut signs = random.next();
            for axis in axes {
                axis.copy(run, source);
                if choice == 5 {
                    relate(axis, run, random);
                } else {
                    axis.scramble(run, u32::MAX, random);
                    axis.scale(run, random, |random| random.below(4) as u32);
                }
                if signs & 1 == 0 {
                    axis.negate(run);
                }
                signs = signs.rotate_right(1);
            }
        }
        _ => {
            // All at one boundary value but for one or two.
            for point in run.points() {
                let index = random.below(4);
                for axis in axes {
                    axis.set_boundary(point, index.min(axis.boundaries() - 1));
                }
            }
            for _ in 0..2 {
                axes[random.below(count)].draw(run, random);
            }
        }
    }
}

/// Where a mutation starts from and what it may make use of.
pub(crate) struct Parent<'a> {
    /// The point to change.
    pub(crate) point: &'a [u64],
    /// Its distance.
    pub(crate) distance: u64,
    /// The point it improved on, and that one's distance.
    pub(crate) before: Option<(&'a [u64], u64)>,
    /// A good point of another goal.
    pub(crate) mate: Option<&'a [u64]>,
    /// Another improvement on the same point `before`.
    pub(crate) second: Option<&'a [u64]>,
    /// Axes on which steps lately succeeded.
    pub(crate) lucky: &'a [u32],
}

/// Writes mutations of a parent, all by the same kind of move on the same axes.
pub(crate) fn mutate(axes: &[Axis], run: &mut Run, parent: &Parent, random: &mut Random) {
    run.repeat(parent.point);
    let count = axes.len();
    let choice = random.next();
    // Distances count ulps more often than not: then longer steps overshoot.
    let scale = if choice & 1 == 0 { 128 } else { 67 - parent.distance.leading_zeros() };
    let place = |random: &mut Random| {
        let lucky = parent.lucky.len();
        if count > 1 && lucky > 0 && random.next() >> 63 == 0 {
            parent.lucky[random.below(lucky)] as usize
        } else {
            random.below(count)
        }
    };
    let axis = |random: &mut Random| &axes[place(random)];
    // Two different ones, where there are two.
    let pair = |random: &mut Random| {
        let one = place(random);
        let other = random.below(count.max(2) - 1);
        (&axes[one], &axes[if other < one || count == 1 { other } else { other + 1 }])
    };
    match choice >> 58 {
        0..=15 => axis(random).step(run, scale, random),
        16..=22 => by_distance(axis(random), run, parent.distance, random),
        23..=31 => match parent.before {
            Some(before) => onward(axes, run, parent, before, random),
            None => axis(random).step(run, scale, random),
        },
        32 | 33 => match (parent.before, parent.second) {
            (Some((before, _)), Some(second)) => {
                run.points().for_each(|point| join(axes, point, before, second));
                axis(random).step(&mut run.rest(), scale, random);
            }
            _ => axis(random).step(run, scale, random),
        },
        34..=38 => {
            for _ in 0..2 + random.below(3) {
                axis(random).step(run, scale, random);
            }
        }
        39..=42 => {
            // Two together: along a valley where one makes up for the other.
            let (one, other) = pair(random);
            let powers = scale.min(64) as usize;
            let by = |random: &mut Random| {
                let ulps = 1u64 << random.below(powers);
                (random.next() >> 63 == 0, ulps)
            };
            let mut same = random.clone();
            one.shift(run, random, by);
            // The same lengths again, the ways mirrored in every second run.
            let mirrored = choice & 2 == 0 && count > 1;
            other.shift(run, &mut same, |random| {
                let (down, ulps) = by(random);
                (down != mirrored, ulps)
            });
        }
        43..=45 => axis(random).scale(run, random, |random| 1 + random.below(8) as u32),
        46 => {
            // All together: everybody draws the same numbers.
            let same = random.clone();
            for axis in axes {
                axis.scale(run, &mut same.clone(), |random| 1 << random.below(11));
            }
            random.skip(2 * RUN);
            if random.next() >> 63 == 0 {
                axis(random).step(run, 8, random);
            }
        }
        47 => {
            let axis = axis(random);
            axis.negate(run);
            axis.step(&mut run.rest(), scale, random);
        }
        48..=50 if count == 1 => axis(random).step(run, 6, random),
        48..=50 => {
            let (to, from) = pair(random);
            to.copy(run, from);
            to.perhaps_negate(run, random);
            relate(to, run, random);
        }
        51..=53 => axis(random).boundary(run, random),
        54 | 55 => axis(random).draw(run, random),
        56 => axis(random).coarsen(run, 128, random),
        57 | 58 => axis(random).scramble(run, scale, random),
        59..=61 => match parent.mate {
            Some(mate) => cross(axes, run, mate, random),
            None => axis(random).step(run, 8, random),
        },
        // The last few ulps, tried often enough that none is missed.
        _ => axis(random).step(run, 4, random),
    }
}

/// Writes mutations in the parent's [vicinity](Axis::vicinity).
pub(crate) fn mutate_nearby(
    axes: &[Axis],
    run: &mut Run,
    parent: &Parent,
    seclusion: u32,
    random: &mut Random,
) {
    run.repeat(parent.point);
    let axis = &axes[random.below(axes.len())];
    match (random.next() >> 61, parent.before) {
        (0, Some(before)) => {
            onward(axes, run, parent, before, random);
            axes.iter().for_each(|axis| axis.confine(run, parent.point, seclusion));
        }
        (1, _) if parent.distance >> axis.vicinity(seclusion).min(63) == 0 => {
            by_distance(axis, run, parent.distance, random);
            axis.confine(run, parent.point, seclusion);
        }
        (2, _) => {
            axes.iter().for_each(|axis| axis.step(run, axis.vicinity(seclusion), random));
        }
        _ => axis.step(run, axis.vicinity(seclusion), random),
    }
}

/// Makes of a copy of another coordinate one that has to do with it: but for a few ulps the
/// same, a whole number apart, or twice or half of it.
fn relate(axis: &Axis, run: &mut Run, random: &mut Random) {
    match random.next() >> 61 {
        0..=3 => axis.step(run, 6, random),
        4..=6 => axis.add_whole(run, random),
        _ => axis.scale(run, random, |_| 1),
    }
}

/// A step as long as the distance, or a simple fraction or multiple of it: where the
/// distance counts ulps of a result, the slope is a small ratio.
fn by_distance(axis: &Axis, run: &mut Run, distance: u64, random: &mut Random) {
    axis.shift(run, random, |random| {
        let choice = random.next();
        let shift = (choice >> 8) as u32 % 5;
        let ulps = match choice & 7 {
            0 | 1 => distance,
            2 => distance / 3,
            3 => distance.saturating_mul(3),
            4 | 5 => distance >> shift,
            _ => distance.saturating_mul(1 << shift),
        };
        let jitter = (choice >> 32) & 3;
        (choice >> 63 == 0, ulps.saturating_add(jitter).saturating_sub(1))
    });
}

/// Again in the direction that succeeded: by powers of two, or as far as a straight
/// line through both distances says (the secant).
fn onward(
    axes: &[Axis],
    run: &mut Run,
    parent: &Parent,
    (before, distance): (&[u64], u64),
    random: &mut Random,
) {
    let gain = distance.saturating_sub(parent.distance);
    let secant = parent.distance as f64 / gain.max(1) as f64;
    let choice = random.next();
    let by_powers = choice & 3 == 0 || distance == u64::MAX;
    let mut factors = [0.0; RUN];
    for factor in &mut factors[..run.len()] {
        let choice = random.next();
        let size = if by_powers {
            f64::from(1u32 << ((choice >> 8) % 12)) / 8.0
        } else {
            // Off by a random part, from everything to nothing.
            secant * (1.0 + (random.unit() - 0.5) / f64::from(1u32 << ((choice >> 8) % 24)))
        };
        *factor = if choice & 0xf0 == 0 { -size } else { size };
    }
    for axis in axes {
        axis.along(run, before, parent.point, &factors);
    }
    if choice & 0x1000_0000 == 0 && axes.len() > 1 {
        axes[random.below(axes.len())].step(run, 64, random);
    }
}

/// Two improvements on the same point at once, where they are on different axes.
fn join(axes: &[Axis], point: &mut [u64], before: &[u64], second: &[u64]) {
    for axis in axes {
        let words = axis.words();
        if point[words.clone()] == before[words] {
            axis.take(point, second);
        }
    }
}

/// Coordinates of both, or their middles.
fn cross(axes: &[Axis], run: &mut Run, mate: &[u64], random: &mut Random) {
    let halfway = random.one_in(3);
    for axis in axes {
        axis.cross(run, mate, halfway, random.next());
    }
    if let [only] = axes {
        only.step(&mut run.rest(), 64, random);
    }
}
