//! Grains: powers of two that numbers are multiples of. Whole numbers are multiples of one,
//! numbers from one up of 2^-52 (in binary64), and so are all sums and differences of such:
//! where they are not zero they are not small either.

use crate::grid::{self, Ordinal};
use nanoscope_ieee::Format;

/// The exponent of a power of two.
pub type Grain = i16;

/// That of numbers of which nothing is known.
pub const FINEST: Grain = Grain::MIN;

/// That of whole numbers. Coarser ones are not told from these.
pub const WHOLE: Grain = 0;

/// What all the finite magnitudes from `lo` to `hi` are multiples of.
pub fn between(format: Format, lo: Ordinal, hi: Ordinal) -> Grain {
    let mut grain = unit(format, lo);
    if lo == hi {
        let digits = (lo & ((1 << format.fraction_bits()) - 1)) | 1 << format.fraction_bits();
        let digits = if lo < grid::min_normal(format) { lo } else { digits };
        grain += i64::from(digits.trailing_zeros());
    }
    clamped(grain)
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
pub fn multiples(format: Format, (lo, hi): (Ordinal, Ordinal), grain: Grain) -> (Ordinal, Ordinal) {
    let bits = i64::from(format.fraction_bits());
    let spare = |at: Ordinal| i64::from(grain) - unit(format, at);
    let up = match spare(lo) {
        ..=0 => lo,
        spare if spare > bits => grid::power(format, i64::from(grain)),
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

/// The exponent of the distance from a finite magnitude to the next above.
fn unit(format: Format, magnitude: Ordinal) -> i64 {
    let field = (magnitude >> format.fraction_bits()) as i64;
    (field - 1).max(0) + format.quantum_exponent()
}

fn clamped(grain: i64) -> Grain {
    grain.clamp(i64::from(FINEST), i64::from(WHOLE)) as Grain
}
