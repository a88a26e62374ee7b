//! Values of a region worth trying (Algorithm 5), the handiest first.

use super::axis::Axis;
use super::region::Region;
use crate::propagate::{Interval, Ordinal};
use crate::search::Random;
use nanoscope_ieee::Rational;

/// Of how many intervals values are taken, and how many of each by chance.
const MOST_INTERVALS: usize = 12;
const BY_CHANCE: usize = 3;

/// Values in the region, then those just outside: what rounding does to a
/// bound, reals do not know.
pub(super) fn candidates(
    axis: Axis,
    region: &Region,
    constants: &[Rational],
    random: &mut Random,
) -> Vec<Ordinal> {
    let mut found = Vec::new();
    for constant in constants {
        let place = axis.nearest(constant);
        found.extend(
            [place, axis.negated(place)].into_iter().filter(|place| region.contains(*place)),
        );
    }
    let intervals = region.intervals();
    let skip = if intervals.len() > MOST_INTERVALS {
        random.below(intervals.len() - MOST_INTERVALS)
    } else {
        0
    };
    let taken = &intervals[skip..intervals.len().min(skip + MOST_INTERVALS)];
    for interval in taken {
        let Interval { lo, hi } = *interval;
        let middle = lo + (hi - lo) / 2;
        let inside = [shortest(*interval), half_way(axis, *interval), middle, lo, hi];
        found.extend(inside);
        found
            .extend([lo + 1, hi - 1, lo + 2, hi - 2].into_iter().filter(|p| interval.contains(*p)));
        for _ in 0..BY_CHANCE {
            let wide = u128::from(random.next() >> 1) << 64 | u128::from(random.next());
            found.push(lo + (wide % interval.count()) as Ordinal);
        }
    }
    for interval in taken {
        let outside = [interval.lo - 1, interval.hi + 1];
        found.extend(outside.into_iter().filter(|place| axis.whole().contains(*place)));
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|place| seen.insert(*place));
    found
}

/// The value of an interval with the shortest significand, or nearly.
fn shortest(interval: Interval) -> Ordinal {
    if interval.contains(0) {
        return 0;
    }
    let (lo, hi) =
        if interval.lo < 0 { (!interval.hi, !interval.lo) } else { (interval.lo, interval.hi) };
    let cut = (0..126).rev().map(|bits| hi >> bits << bits).find(|place| *place >= lo);
    let place = cut.unwrap_or(hi);
    if interval.lo < 0 { !place } else { place }
}

/// The value nearest to the middle of the numbers.
fn half_way(axis: Axis, interval: Interval) -> Ordinal {
    let sum = axis.number(interval.lo) + axis.number(interval.hi);
    let middle = axis.nearest(&(sum / Rational::from_integer(2.into())));
    middle.clamp(interval.lo, interval.hi)
}
