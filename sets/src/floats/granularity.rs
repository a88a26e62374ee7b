//! Granularity: the power of two that numbers are multiples of. Whole numbers are multiples of
//! one, numbers from one up of 2^-52 (in binary64), and so are all sums and differences of such:
//! where they are not zero they are not small either.

use crate::grid::Grid;
use crate::interval::Ordinal;

/// The exponent of a power of two.
pub type Grain = i16;

/// That of numbers of which nothing is known.
pub const FINEST: Grain = Grain::MIN;

/// That of whole numbers. Coarser ones are not told from these.
pub const WHOLE: Grain = 0;

/// What all the finite magnitudes from `lo` to `hi` are multiples of.
pub fn between(grid: Grid, lo: Ordinal, hi: Ordinal) -> Grain {
    let mut grain = grid.unit_exponent(lo);
    if lo == hi {
        grain += i64::from(grid.real(lo).significand.trailing_zeros());
    }
    grain.clamp(i64::from(FINEST), i64::from(WHOLE)) as Grain
}

/// What sums of multiples are multiples of, rounded or not.
pub fn of_sum(a: Grain, b: Grain) -> Grain {
    a.min(b)
}

/// What products of multiples are multiples of.
pub fn of_product(a: Grain, b: Grain) -> Grain {
    a.saturating_add(b).min(WHOLE)
}

/// The multiples among the finite magnitudes from `lo` to `hi`: the least and the greatest.
pub fn multiples(grid: Grid, (lo, hi): (Ordinal, Ordinal), grain: Grain) -> (Ordinal, Ordinal) {
    let bits = i64::from(grid.format().fraction_bits());
    let spare = |at: Ordinal| i64::from(grain) - grid.unit_exponent(at);
    let up = match spare(lo) {
        ..=0 => lo,
        spare if spare > bits => grid.power(i64::from(grain)),
        spare => {
            let low = (1 << spare) - 1;
            (lo + low) & !low
        }
    };
    let down = match spare(hi) {
        ..=0 => hi,
        spare if spare > bits => 0,
        spare => hi & !((1 << spare) - 1),
    };
    (up, down)
}
