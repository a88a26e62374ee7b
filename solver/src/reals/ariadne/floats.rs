//! Floats of a region worth trying (Algorithm 5), the handiest first.

use super::concretize::value_at;
use super::linearize::{real, rounded};
use super::region::Region;
use crate::propagate::{Grid, Interval, Ordinal};
use crate::search::Random;
use nanoscope_ieee::Rational;

/// Of how many intervals floats are taken, and how many of each by chance.
const MOST_INTERVALS: usize = 12;
const BY_CHANCE: usize = 3;

/// Floats in the region, then those just outside: what rounding does to a
/// bound, reals do not know.
pub(super) fn candidates(
    grid: Grid,
    region: &Region,
    constants: &[Rational],
    random: &mut Random,
) -> Vec<Ordinal> {
    let mut found = Vec::new();
    for constant in constants {
        let place = rounded(grid, constant).ordinal();
        found.extend([place, !place].into_iter().filter(|place| region.contains(*place)));
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
        let inside = [shortest(*interval), half_way(grid, *interval), middle, lo, hi];
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
        found.extend(outside.into_iter().filter(|place| grid.finite().contains(*place)));
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|place| seen.insert(*place));
    found
}

/// The float of an interval with the shortest significand, or nearly.
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

/// The float nearest to the middle of the numbers.
fn half_way(grid: Grid, interval: Interval) -> Ordinal {
    let number = |place| real(&value_at(grid, place)).expect("finite");
    let sum = number(interval.lo) + number(interval.hi);
    let middle = rounded(grid, &(sum / Rational::from_integer(2.into()))).ordinal();
    middle.clamp(interval.lo, interval.hi)
}
