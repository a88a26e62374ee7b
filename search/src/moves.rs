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

    /// The next combination; false when there are no more.
    pub(crate) fn draw(&mut self, axes: &[Axis], point: &mut [u64], random: &mut Random) -> bool {
        if self.next >= self.total {
            return false;
        }
        // In large steps through the combinations, so that the first few hundred already
        // vary every axis; the step's being prime visits all of them.
        let mut index = (self.next * STRIDE) % self.total;
        self.next += 1;
        if self.counts.is_empty() {
            for axis in axes {
                axis.set_boundary(point, random.below(axis.boundaries()));
            }
            return true;
        }
        for (axis, count) in axes.iter().zip(&self.counts) {
            axis.set_boundary(point, index % count);
            index /= count;
        }
        true
    }
}

/// A prime above [`SWEEP`]: without common divisor with any number of combinations.
const STRIDE: usize = 7919;

/// A point that owes nothing to any other.
pub(crate) fn fresh(axes: &[Axis], point: &mut [u64], random: &mut Random) {
    let count = axes.len();
    let choice = if count == 1 { 0 } else { random.next() >> 61 };
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
    /// Axes on which steps lately succeeded.
    pub(crate) lucky: &'a [u32],
}

/// Writes a mutation of a parent.
pub(crate) fn mutate(axes: &[Axis], point: &mut [u64], parent: &Parent, random: &mut Random) {
    point.copy_from_slice(parent.point);
    let count = axes.len();
    let axis = |random: &mut Random| -> &Axis {
        if !parent.lucky.is_empty() && random.next() >> 63 == 0 {
            &axes[parent.lucky[random.below(parent.lucky.len())] as usize]
        } else {
            &axes[random.below(count)]
        }
    };
    // Distances count ulps more often than not: then longer steps overshoot.
    let scale = if random.next() >> 63 == 0 { 128 } else { 67 - parent.distance.leading_zeros() };
    match random.next() >> 58 {
        0..=15 => axis(random).step(point, scale, random),
        16..=22 => by_distance(axis(random), point, parent.distance, random),
        23..=33 => match parent.before {
            Some(before) => onward(axes, point, parent, before, random),
            None => axis(random).step(point, scale, random),
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
            let (up, by) = (random.next() >> 63 == 0, 1 + random.below(16) as u32);
            axes.iter().for_each(|axis| axis.scale(point, up, by));
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

/// A step as long as the distance, or a simple fraction or multiple of it: where the
/// distance counts ulps of a result, the slope is a small ratio.
fn by_distance(axis: &Axis, point: &mut [u64], distance: u64, random: &mut Random) {
    let choice = random.next();
    let ulps = match choice & 7 {
        0..=2 => distance,
        3 => distance / 2,
        4 => distance / 3,
        5 => distance.saturating_mul(2),
        6 => distance.saturating_mul(3),
        _ => distance / 4,
    };
    let jitter = (choice >> 32) & 3;
    axis.shift(point, choice & 8 == 0, ulps.saturating_add(jitter).saturating_sub(1));
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
