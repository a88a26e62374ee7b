//! Functions of two arguments.

use super::enclosure::Enclosure;
use crate::floats::Floats;
use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, Monotone, Narrowed};
use crate::scalar::Scalar;
use crate::set::Set;
use nanoscope_ieee::{Libm, Rounding};

/// `z = f(x, y)`, both ways. Formats that the library does not have are left as they are.
pub fn narrow<S: Set>(grid: Grid, function: Libm, [x, y]: [S; 2], z: S) -> Option<Narrowed<S, 2>> {
    let (infinity, one) = (grid.infinity(), grid.one());
    let range = range(grid, function);
    let Some(f) = Enclosure::new(grid, function, Modes::NEAREST, range) else {
        return Some(Narrowed { arguments: [x, y], result: z });
    };
    let mut cases = Cases::none(grid, [x, y], z);
    let nan = S::of_nan(grid);
    let in_range = z.meet(&S::of_numbers(grid, range).join(&nan));
    // With a NaN among the operands some of these functions still give a
    // number: any result in range is left possible.
    for (x, y) in [(x.meet(&nan), y), (x, y.meet(&nan))] {
        cases.add(Narrowed { arguments: [x, y], result: in_range });
    }
    match function {
        Libm::Hypot => {
            for x_negative in [false, true] {
                for y_negative in [false, true] {
                    let rectangle = [x.side(x_negative), y.side(y_negative)];
                    cases.monotone(&f, rectangle, [x_negative, y_negative]);
                }
            }
        }
        Libm::Pow => {
            let bases = x.side(false);
            for (bases, falls_in_y) in [
                (bases.meet(Interval::new(one, infinity)), false),
                (bases.meet(Interval::new(0, one)), true),
            ] {
                for falls_in_x in [false, true] {
                    let rectangle = [bases, y.side(falls_in_x)];
                    cases.monotone(&f, rectangle, [falls_in_x, falls_in_y]);
                }
            }
            let negative = x.side(true);
            let exponents = y.hull();
            let is_known = !exponents.is_empty() && exponents.lo == exponents.hi;
            let whole = is_known.then(|| exact_integer(grid, exponents.lo)).flatten();
            if let (Some(exponent), false) = (whole, negative.is_empty()) {
                // The magnitude falls as the base rises to zero; an odd power has its sign.
                let falls = (exponent % 2 == 0) == (exponent > 0);
                cases.monotone(&f, [negative, exponents], [falls, false]);
            } else if !negative.is_empty() {
                let negative = S::of_numbers(grid, negative).kept_of(&x);
                cases.add(Narrowed { arguments: [negative, y], result: z });
            }
        }
        Libm::Atan2 => {
            let arguments = [x.without_nan(), y.without_nan()];
            cases.add(Narrowed { arguments, result: in_range.without_nan() });
        }
        unary => unreachable!("{} takes one argument", unary.name()),
    }
    cases.finish()
}

/// What a function gives, in these rounding modes.
pub fn direct(function: Libm, modes: Modes, x: &Floats, y: &Floats) -> Floats {
    let grid = x.grid();
    let f = Enclosure::new(grid, function, modes, range(grid, function));
    match function {
        Libm::Hypot => hypotenuse(f, x, y),
        Libm::Pow => power(f, x, y),
        Libm::Atan2 => angle(f, x, y),
        unary => unreachable!("{} takes one argument", unary.name()),
    }
}

/// What a function can give at all.
fn range(grid: Grid, function: Libm) -> Interval {
    match function {
        Libm::Hypot => Interval::new(0, grid.infinity()),
        Libm::Atan2 => Interval::new(!grid.nearest(3.2), grid.nearest(3.2)),
        Libm::Pow => grid.numbers(),
        unary => unreachable!("{} takes one argument", unary.name()),
    }
}

/// The results between two corners of a rectangle on which a function is monotone.
fn corners(
    f: Option<Enclosure>,
    x: &Floats,
    least: [Ordinal; 2],
    greatest: [Ordinal; 2],
) -> Floats {
    match f {
        Some(f) => Floats::between(x.format, f.least(&least), f.greatest(&greatest)),
        None => Floats::everything(x.format).numbers(),
    }
}

fn hypotenuse(f: Option<Enclosure>, x: &Floats, y: &Floats) -> Floats {
    let (x, y) = (x.magnitudes(), y.magnitudes());
    let positive = Floats::everything(x.format).numbers().at_least(0);
    let (Some(a), Some(b)) = (x.bounds(), y.bounds()) else {
        return positive.join(&Floats::only_nan(x.format));
    };
    let mut result = corners(f, &x, [a.0, b.0], [a.1, b.1]);
    result = result.meet(&positive.at_least(a.0.max(b.0)));
    if x.nan || y.nan {
        result = result.join(&x.infinite_part()).join(&y.infinite_part());
        result.nan = true;
    }
    result
}

fn power(f: Option<Enclosure>, x: &Floats, y: &Floats) -> Floats {
    let format = x.format;
    if x.nan || y.nan {
        return Floats::everything(format);
    }
    let (infinity, one) = (x.grid().infinity(), x.grid().one());
    let positive = Floats::everything(format).numbers().at_least(0);
    let bases = x.magnitudes();
    let mut result = Floats::nothing(format);
    for (lo, hi, large) in [(0, one, false), (one, infinity, true)] {
        let Some((b_lo, b_hi)) = bases.at_least(lo).at_most(hi).bounds() else { continue };
        for negative in [false, true] {
            let exponents = y.side(negative);
            if exponents.is_empty() {
                continue;
            }
            let (x_low, x_high) = if negative { (b_hi, b_lo) } else { (b_lo, b_hi) };
            let Interval { lo, hi } = exponents;
            let (y_low, y_high) = if large { (lo, hi) } else { (hi, lo) };
            let found = corners(f, x, [x_low, y_low], [x_high, y_high]);
            result = result.join(&found.meet(&positive));
        }
    }
    if x.negative.is_empty() && !x.minus_zero {
        return result;
    }
    // A negative base: the exponent's parity tells the sign; without it, both are possible.
    match y.single_place().and_then(|at| exact_integer(x.grid(), at)) {
        Some(n) if n % 2 == 0 => result,
        Some(_) => {
            let positive_bases = !x.positive.is_empty() || x.plus_zero;
            if positive_bases { result.join(&result.negated()) } else { result.negated() }
        }
        None => {
            let mut result = result.join(&result.negated());
            result.nan = true;
            result
        }
    }
}

/// A small number without a fraction, as an integer.
fn exact_integer(grid: Grid, at: Ordinal) -> Option<i128> {
    let rounded = |mode| Scalar::new(grid, mode).to_integer(at);
    let (down, up) = (rounded(Rounding::Downward), rounded(Rounding::Upward));
    (down == up && down.unsigned_abs() < 1 << 100).then_some(down)
}

fn angle(f: Option<Enclosure>, y: &Floats, x: &Floats) -> Floats {
    let format = x.format;
    let mut result = Floats { nan: x.nan || y.nan, ..Floats::nothing(format) };
    for (side, negative) in [(*y, false), (y.negated(), true)] {
        let Some((y_lo, y_hi)) = side.numbers().at_least(0).bounds() else { continue };
        let mut found = Floats::nothing(format);
        if let Some((x_lo, x_hi)) = x.numbers().at_least(0).bounds() {
            // Rising in y, falling in x; the angle of the origin is 0.
            found = corners(f, x, [y_lo, x_hi], [y_hi, x_lo]);
            found = found.join(&corners(f, x, [y_lo, x_hi], [y_lo, x_hi]));
            found = found.meet(&Floats::between_doubles(format, 0.0, 1.6));
        }
        if !x.numbers().at_most(-1).is_empty() {
            found = found.join(&Floats::between_doubles(format, 1.57, 3.15));
        }
        result = result.join(&if negative { found.negated() } else { found });
    }
    result
}
