//! How far a rounded result is from the exact one.
//!
//! The exact results themselves lie between the least and the greatest result of an operation in
//! the modes [`Modes::OUTWARD`]: the same `direct` functions enclose them.

use crate::floats::Floats;
use crate::floats::granularity::Grain;
use crate::grid::Grid;
use crate::interval::Ordinal;
use crate::modes::Modes;
use crate::real::Real;
use nanoscope_ieee::Rounding;

/// The greatest magnitude of a set's numbers.
fn greatest(floats: &Floats) -> Ordinal {
    floats.positive.join(floats.negative).hi.max(0)
}

/// A bound of the error of results rounded to one of these: half of the unit of the greatest, to
/// nearest, and a whole one in any other mode. Infinite where a result may overflow.
pub(crate) fn of_results(modes: Modes, results: &Floats) -> f64 {
    let grid = results.grid();
    let most = greatest(results);
    // Rounding toward zero, an overflow stops at the greatest number.
    if most >= grid.infinity() || (most >= grid.max_finite() && !modes.is_nearest()) {
        return f64::INFINITY;
    }
    let exponent = grid.unit_exponent(most) - i64::from(modes.is_nearest());
    power_above(exponent)
}

/// Two to a power as a double, or the smallest one above.
fn power_above(exponent: i64) -> f64 {
    let double = Grid::of(nanoscope_ieee::Format::BINARY64);
    let place = double.round(Real::exact(false, 1, exponent), Rounding::Upward);
    double.to_double(place, Rounding::Upward)
}

/// Whether every multiple of two to the power `grain`, up to the magnitude of these results, is a
/// number of their format: nothing is rounded.
pub(crate) fn is_exact(grain: i64, results: &Floats) -> bool {
    let grid = results.grid();
    let format = grid.format();
    let most = greatest(results);
    grain >= format.quantum_exponent()
        && most < grid.infinity()
        && most <= grid.power(grain + i64::from(format.precision))
}

/// Whether the only number is a power of two, which scales without rounding.
pub(crate) fn is_power_of_two(floats: &Floats) -> bool {
    let number = floats.single_place().map(|at| floats.grid().real(at));
    number.is_some_and(|real| real.significand.is_power_of_two())
}

/// Whether a set is one power of two that is at least 1 in magnitude: products with it are exact.
pub(crate) fn scales_up(floats: &Floats) -> bool {
    let grid = floats.grid();
    let is_large = |at: Ordinal| (grid.one()..grid.infinity()).contains(&at.max(!at));
    is_power_of_two(floats) && floats.single_place().is_some_and(is_large)
}

/// Whether no result but zero is below the smallest normal number, and none is infinite.
pub(crate) fn is_normal(results: &Floats) -> bool {
    let grid = results.grid();
    let magnitudes = results.positive.join(results.negative);
    magnitudes.is_empty()
        || (magnitudes.lo >= grid.min_normal() && magnitudes.hi < grid.max_finite())
}

/// The power of two that all numbers are multiples of.
pub(crate) fn grain(floats: &Floats) -> i64 {
    let grain: Grain = floats.coarsest();
    i64::from(grain)
}
