//! Whole points: the boundary sweep, fresh draws, and mutations of a parent.

use crate::axis::Axis;
use crate::random::Random;

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
pub(crate) fn fresh<'a>(
    axes: &[Axis],
    points: impl IntoIterator<Item = &'a mut [u64]>,
    random: &mut Random,
) {
    let choice = if axes.len() == 1 { 0 } else { random.next() >> 61 };
    for point in points {
        fresh_point(axes, point, choice, random);
    }
}

fn fresh_point(axes: &[Axis], point: &mut [u64], choice: u64, random: &mut Random) {
    let count = axes.len();
    match choice {
        0..=2 => axes.iter().for_each(|axis| axis.draw(point, random)),
        3 => axes.iter().for_each(|axis| axis.boundary(point, random)),
        4 => axes.iter().for_each(|axis| axis.uniform(point, random)),
        5 | 6 => {
            // All alike: the same value and a few ulps, or the same size.
            let source = &axes[random.below(count)];
            source.draw(point, random);
            let (close, signs) = (choice == 5, random.next());
            for (index, axis) in axes.iter().enumerate() {
                axis.copy(point, source);
                if close {
                    axis.step(point, 4, random);
                } else {
                    axis.scramble(point, u32::MAX, random);
                    axis.scale(point, random.next() & 1 == 0, random.below(4) as u32);
                }
                if signs >> (index & 63) & 1 == 0 {
                    axis.negate(point);
                }
            }
        }
        _ => {
            // All at one boundary value but for one or two.
            let index = random.below(4);
            for axis in axes {
                axis.set_boundary(point, index.min(axis.boundaries() - 1));
            }
            for _ in 0..2 {
                axes[random.below(count)].draw(point, random);
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

/// Writes mutations of a parent, all by the same kind of move.
pub(crate) fn mutate<'a>(
    axes: &[Axis],
    points: impl IntoIterator<Item = &'a mut [u64]>,
    parent: &Parent,
    random: &mut Random,
) {
    let choice = random.next();
    // Distances count ulps more often than not: then longer steps overshoot.
    let scale = if choice & 1 == 0 { 128 } else { 67 - parent.distance.leading_zeros() };
    for point in points {
        mutate_point(axes, point, parent, choice >> 58, scale, random);
    }
}

fn mutate_point(
    axes: &[Axis],
    point: &mut [u64],
    parent: &Parent,
    choice: u64,
    scale: u32,
    random: &mut Random,
) {
    point.copy_from_slice(parent.point);
    let count = axes.len();
    let axis = |random: &mut Random| -> &Axis {
        if count > 1 && !parent.lucky.is_empty() && random.next() >> 63 == 0 {
            &axes[parent.lucky[random.below(parent.lucky.len())] as usize]
        } else {
            &axes[random.below(count)]
        }
    };
    match choice {
        0..=15 => axis(random).step(point, scale, random),
        16..=22 => by_distance(axis(random), point, parent.distance, random),
        23..=31 => match parent.before {
            Some(before) => onward(axes, point, parent, before, random),
            None => axis(random).step(point, scale, random),
        },
        32 | 33 => match (parent.before, parent.second) {
            (Some((before, _)), Some(second)) => {
                join(axes, point, before, second);
                if random.next() >> 63 == 0 {
                    axis(random).step(point, scale, random);
                }
            }
            _ => axis(random).step(point, scale, random),
        },
        34..=38 => {
            for _ in 0..2 + random.below(3) {
                axis(random).step(point, scale, random);
            }
        }
        39..=42 => {
            // Two together: along a valley where one makes up for the other.
            let ulps = 1u64 << random.below(scale.min(64) as usize);
            for _ in 0..2 {
                axis(random).shift(point, random.next() >> 63 == 0, ulps);
            }
        }
        43..=45 => axis(random).scale(point, random.next() >> 63 == 0, 1 + random.below(8) as u32),
        46 => {
            let (up, by) = (random.next() >> 63 == 0, 1 << random.below(11));
            axes.iter().for_each(|axis| axis.scale(point, up, by));
            if random.next() >> 63 == 0 {
                axis(random).step(point, 8, random);
            }
        }
        47 => axis(random).negate(point),
        48..=50 => {
            let (to, from) = (axis(random), &axes[random.below(count)]);
            to.copy(point, from);
            if random.one_in(2) {
                to.negate(point);
            }
            to.step(point, 6, random);
        }
        51..=53 => axis(random).boundary(point, random),
        54 | 55 => axis(random).draw(point, random),
        56 => axis(random).coarsen(point, 128, random),
        57 | 58 => axis(random).scramble(point, scale, random),
        59..=61 => match parent.mate {
            Some(mate) => cross(axes, point, mate, random),
            None => axis(random).step(point, 8, random),
        },
        // The last few ulps, tried often enough that none is missed.
        _ => axis(random).step(point, 4, random),
    }
}

/// Writes mutations in the parent's [vicinity](Axis::vicinity).
pub(crate) fn mutate_nearby<'a>(
    axes: &[Axis],
    points: impl IntoIterator<Item = &'a mut [u64]>,
    parent: &Parent,
    seclusion: u32,
    random: &mut Random,
) {
    let choice = random.next() >> 61;
    for point in points {
        mutate_point_nearby(axes, point, parent, (seclusion, choice), random);
    }
}

fn mutate_point_nearby(
    axes: &[Axis],
    point: &mut [u64],
    parent: &Parent,
    (seclusion, choice): (u32, u64),
    random: &mut Random,
) {
    point.copy_from_slice(parent.point);
    let axis = &axes[random.below(axes.len())];
    match (choice, parent.before) {
        (0, Some(before)) => {
            onward(axes, point, parent, before, random);
            axes.iter().for_each(|axis| axis.confine(point, parent.point, seclusion));
        }
        (1, _) if parent.distance >> axis.vicinity(seclusion).min(63) == 0 => {
            by_distance(axis, point, parent.distance, random);
            axis.confine(point, parent.point, seclusion);
        }
        (2, _) => {
            axes.iter().for_each(|axis| axis.step(point, axis.vicinity(seclusion), random));
        }
        _ => axis.step(point, axis.vicinity(seclusion), random),
    }
}

/// A step as long as the distance, or a simple fraction or multiple of it: where the
/// distance counts ulps of a result, the slope is a small ratio.
fn by_distance(axis: &Axis, point: &mut [u64], distance: u64, random: &mut Random) {
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
    axis.shift(point, choice >> 63 == 0, ulps.saturating_add(jitter).saturating_sub(1));
}

/// Again in the direction that succeeded: by powers of two, or as far as a straight
/// line through both distances says (the secant).
fn onward(
    axes: &[Axis],
    point: &mut [u64],
    parent: &Parent,
    (before, distance): (&[u64], u64),
    random: &mut Random,
) {
    let gain = distance.saturating_sub(parent.distance);
    let secant = parent.distance as f64 / gain.max(1) as f64;
    let choice = random.next();
    let factor = if choice & 3 == 0 || distance == u64::MAX {
        f64::from(1u32 << ((choice >> 8) % 12)) / 8.0
    } else {
        // Off by a random part, from everything to nothing.
        let off = (random.unit() - 0.5) / f64::from(1u32 << ((choice >> 8) % 24));
        secant * (1.0 + off)
    };
    let factor = if choice & 0xf0 == 0 { -factor } else { factor };
    for axis in axes {
        axis.along(point, before, parent.point, factor);
    }
    if choice & 0x1000_0000 == 0 && axes.len() > 1 {
        axes[random.below(axes.len())].step(point, 64, random);
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
fn cross(axes: &[Axis], point: &mut [u64], mate: &[u64], random: &mut Random) {
    let (halfway, mut coins) = (random.one_in(3), random.next());
    for axis in axes {
        if coins & 1 == 0 {
            if halfway {
                axis.halfway(point, mate);
            } else {
                axis.take(point, mate);
            }
        }
        coins = coins.rotate_right(1);
    }
}
