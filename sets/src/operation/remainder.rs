//! The remainders: bounds on magnitudes, and the operand itself where it is too small to be
//! divided.
//!
//! A remainder is exact, and monotone only where the whole quotient stays the same: there both
//! directions are exact. Elsewhere what is left here holds every solution and may hold more.

use crate::floats::{Floats, Span, granularity};
use crate::grid::Grid;
use crate::image::{Image, ImageParts, signed_span, signs};
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, Narrowed};
use crate::real::Real;
use crate::set::Set;
use nanoscope_ieee::Rounding;

/// Which integer the quotient is cut to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotient {
    /// The nearest: IEEE's remainder, at most half of the divisor.
    Nearest,
    /// The one toward zero: C's `fmod`, less than the divisor, of the
    /// dividend's sign.
    Truncated,
}

/// What the remainder of `x` divided by `y` gives.
pub fn direct(quotient: Quotient, x: &Floats, y: &Floats) -> Image {
    let (format, nearest) = (x.format, quotient == Quotient::Nearest);
    let mut cases = ImageParts::new(format, Modes::NEAREST);
    let grid = cases.grid;
    cases.nan_operand(&[x, y]);
    let some = |floats: &Floats| !floats.has_no_number();
    cases.invalid(x.has_infinity() && some(y) || y.has_zero() && some(x));
    let x = x.finite_part();
    let divisors = y.positive.join(y.negative);
    if divisors.is_empty() {
        return cases.finish(false);
    }
    // A zero, or a dividend below the divisor, is its own remainder.
    cases.finite.plus_zero |= x.plus_zero;
    cases.finite.minus_zero |= x.minus_zero;
    let infinity = grid.infinity();
    for (a, negative) in signs(&x) {
        if a.is_empty() {
            continue;
        }
        let mut add = |found: Floats| cases.finite = cases.finite.join(&found);
        let finite_divisors = divisors.meet(Span::new(1, infinity - 1));
        if divisors.hi == infinity || (!nearest && a.lo < divisors.hi) {
            let most = if divisors.hi == infinity { a.hi } else { a.hi.min(divisors.hi) };
            add(signed_span(format, negative, Span::new(a.lo, most)));
        }
        if finite_divisors.is_empty() {
            continue;
        }
        if !nearest && a.hi < finite_divisors.lo {
            add(signed_span(format, negative, a));
            continue;
        }
        // Exact, and a multiple of the smaller unit.
        let quantum = grid.unit(a.lo).min(grid.unit(finite_divisors.lo)).max(1);
        let most = if nearest { finite_divisors.hi } else { finite_divisors.hi - 1 };
        let left = Span::new(quantum, a.hi.min(most));
        add(signed_span(format, negative, left));
        if nearest {
            add(signed_span(format, !negative, left));
        }
        let nought =
            Floats { plus_zero: !negative, minus_zero: negative, ..Floats::nothing(format) };
        add(nought);
    }
    cases.finish(false).of_multiples(granularity::of_sum(x.coarsest(), y.coarsest()))
}

/// `z` is the remainder of `x` divided by `y`, both ways.
pub fn narrow<S: Set>(
    grid: Grid,
    quotient: Quotient,
    [x, y]: [S; 2],
    z: S,
) -> Option<Narrowed<S, 2>> {
    let mut cases = Cases::new(grid, [x, y], z);
    let z = z.hull();
    let finite = x.hull().meet(grid.finite());
    for infinity in grid.infinities() {
        cases.invalid([x.hull().meet(infinity), y.hull()]);
        // A finite number divided by an infinity is its own remainder.
        let own = finite.meet(z);
        cases.add_numbers([own, y.hull().meet(infinity)], own);
    }
    cases.invalid([finite, y.hull().meet(Interval::new(-1, 0))]);
    let divisors = Interval::new(1, grid.max_finite());
    for (y_negative, divisors) in [(false, divisors), (true, divisors.negated())] {
        let divisors = y.side(y_negative).meet(divisors);
        for x_negative in [false, true] {
            let dividends = x.side(x_negative).meet(grid.finite());
            finite_case(grid, quotient, [dividends, divisors], z, &mut cases);
        }
    }
    cases.finish()
}

/// Operands of one sign each, finite, the divisor not zero.
fn finite_case<S: Set>(
    grid: Grid,
    quotient: Quotient,
    [x, y]: [Interval; 2],
    z: Interval,
    cases: &mut Cases<S, 2>,
) {
    if x.is_empty() || y.is_empty() {
        return;
    }
    let (x_least, x_most) = magnitudes(x);
    let (y_least, y_most) = magnitudes(y);
    let scaled = |at: Ordinal, by: i64, mode| {
        let real = grid.real(at);
        grid.round(Real { exponent: real.exponent + by, ..real }, mode)
    };
    // The largest remainder of a divisor.
    let largest = |y: Ordinal| match quotient {
        Quotient::Nearest => scaled(y, -1, Rounding::Downward),
        Quotient::Truncated => y - 1,
    };
    let untouched = match quotient {
        // At exactly half of the divisor the nearest quotient is 0, the even one.
        Quotient::Nearest => x_most <= scaled(y_least, -1, Rounding::Downward),
        Quotient::Truncated => x_most < y_least,
    };
    if untouched {
        let own = x.meet(z);
        cases.add_numbers([own, y], own);
        return;
    }
    let most = x_most.min(largest(y_most));
    // The truncated remainder has the dividend's sign, zeros too.
    let negative = x.hi < 0;
    let reach = match quotient {
        Quotient::Truncated => {
            if negative {
                Interval::new(!most, -1)
            } else {
                Interval::new(0, most)
            }
        }
        Quotient::Nearest => Interval::new(!most, most),
    };
    let result = z.meet(reach);
    if result.is_empty() {
        return;
    }
    // A remainder is a multiple of what both are multiples of.
    let divisors_unit = if y_least == y_most {
        let divisor = grid.real(y_least);
        divisor.exponent + i64::from(divisor.significand.trailing_zeros())
    } else {
        grid.unit_exponent(y_least)
    };
    let result = multiples(grid, result, grid.unit_exponent(x_least).min(divisors_unit));
    if result.is_empty() {
        return;
    }
    if y_least == y_most
        && let Some(piece) = Piece::of(grid, quotient, [x_least, x_most], y_least)
    {
        let turned = |numbers: Interval| if negative { numbers.negated() } else { numbers };
        let (dividends, remainders) = piece.narrowed(grid, turned(result));
        if !remainders.is_empty() && !dividends.is_empty() {
            cases.add_numbers([turned(dividends), y], turned(remainders));
        }
        return;
    }
    // The dividend is at least the remainder, and so is what the divisor allows.
    let (least, _) = magnitudes(result);
    let x = of_magnitude(x, least.max(x_least), x_most);
    let divisor = match quotient {
        Quotient::Nearest => scaled(least, 1, Rounding::Upward),
        Quotient::Truncated => least.saturating_add(1),
    };
    let y = of_magnitude(y, divisor.max(y_least), y_most);
    cases.add_numbers([x, y], result);
}

/// Positive dividends with the same whole quotient by one divisor: there, the remainder grows as
/// the dividend does.
struct Piece {
    dividends: [Ordinal; 2],
    remainders: [Real; 2],
}

impl Piece {
    /// None where the whole quotients differ, or the numbers are too far apart to tell.
    fn of(
        grid: Grid,
        quotient: Quotient,
        dividends: [Ordinal; 2],
        divisor: Ordinal,
    ) -> Option<Piece> {
        let [least, most] = dividends.map(|dividend| grid.real(dividend));
        let divisor = grid.real(divisor);
        let remainders = [divided(quotient, least, divisor)?, divided(quotient, most, divisor)?];
        let apart = difference(most, least)?;
        let remainders_apart = difference(remainders[1], remainders[0])?;
        (apart == remainders_apart).then_some(Piece { dividends, remainders })
    }

    /// The dividends whose remainders are among these, and their remainders.
    fn narrowed(&self, grid: Grid, wanted: Interval) -> (Interval, Interval) {
        // A zero has the dividend's sign.
        let place =
            |real: Real| if real.is_zero() { 0 } else { grid.round(real, Rounding::TowardZero) };
        let reach = Interval::new(place(self.remainders[0]), place(self.remainders[1]));
        let remainders = wanted.meet(reach);
        if remainders.is_empty() {
            return (Interval::EMPTY, Interval::EMPTY);
        }
        // The dividend at a remainder, from an end where both are known.
        let at = |end: usize, remainder: Ordinal, mode: Rounding| {
            let moved = difference(grid.real(remainder), self.remainders[end]);
            let dividend = moved.map(|moved| grid.real(self.dividends[end]).plus(moved));
            match dividend {
                Some(dividend) if !dividend.is_zero() => grid.round(dividend, mode),
                Some(_) | None => self.dividends[end],
            }
        };
        let dividends = Interval::new(self.dividends[0], self.dividends[1]);
        let within = Interval::new(
            at(0, remainders.lo, Rounding::Upward),
            at(1, remainders.hi, Rounding::Downward),
        );
        (dividends.meet(within), remainders)
    }
}

/// The difference of two exact numbers in lowest terms; none if it is too long.
fn difference(a: Real, b: Real) -> Option<Real> {
    let exact = a.plus(b.negated());
    if exact.sticky {
        return None;
    }
    if exact.significand == 0 {
        return Some(Real::exact(false, 0, 0));
    }
    let zeros = exact.significand.trailing_zeros();
    let (significand, exponent) = (exact.significand >> zeros, exact.exponent + i64::from(zeros));
    (significand >> 120 == 0).then_some(Real::exact(exact.negative, significand, exponent))
}

/// The exact remainder of a positive number or zero by a positive one.
fn divided(quotient: Quotient, x: Real, y: Real) -> Option<Real> {
    // Modulo twice the divisor: that tells whether the whole quotient is odd.
    let twice = Real { exponent: y.exponent + 1, ..y };
    let rest = if x.significand == 0 || x.leading() < twice.leading() {
        x
    } else {
        // What is shifted is no longer than the dividend.
        let exponent = x.exponent.min(twice.exponent);
        let divisor = twice.significand << (twice.exponent - exponent);
        Real::exact(false, modulo(x, exponent, divisor), exponent)
    };
    let is_below = |a: Real, b: Real| a.plus(b.negated()).negative;
    let odd = !is_below(rest, y);
    let left = if odd { difference(rest, y)? } else { rest };
    let doubled = Real { exponent: left.exponent + 1, ..left };
    let is_whole = match quotient {
        Quotient::Truncated => true,
        // Halfway, the even quotient.
        Quotient::Nearest => is_below(doubled, y) || !odd && !is_below(y, doubled),
    };
    if is_whole { Some(left) } else { difference(left, y) }
}

/// `x` in units of `2^exponent`, modulo a number of these.
fn modulo(x: Real, exponent: i64, divisor: u128) -> u128 {
    let mut rest = x.significand % divisor;
    let mut shift = x.exponent - exponent;
    let room = i64::from(divisor.leading_zeros());
    while shift > 0 && rest != 0 {
        let step = shift.min(room);
        rest = (rest << step) % divisor;
        shift -= step;
    }
    rest
}

/// The numbers between the first and the last multiple of `2^exponent` in an interval.
fn multiples(grid: Grid, numbers: Interval, exponent: i64) -> Interval {
    let rounded = |magnitude: Ordinal, up: bool| {
        let real = grid.real(magnitude);
        let shift = exponent - real.exponent;
        if shift <= 0 || real.significand == 0 || grid.is_infinite(magnitude) {
            return magnitude;
        }
        let (kept, cut) = match shift {
            0..128 => (real.significand >> shift, real.significand & ((1 << shift) - 1) != 0),
            _ => (0, true),
        };
        match kept + u128::from(up && cut) {
            0 => 0,
            units => grid.round(Real::exact(false, units, exponent), Rounding::TowardZero),
        }
    };
    let (lo, hi) = (numbers.lo, numbers.hi);
    Interval::new(
        if lo < 0 { !rounded(!lo, false) } else { rounded(lo, true) },
        if hi < 0 { !rounded(!hi, true) } else { rounded(hi, false) },
    )
}

/// The least and the greatest magnitude in an interval.
fn magnitudes(numbers: Interval) -> (Ordinal, Ordinal) {
    let magnitude = |at: Ordinal| if at < 0 { !at } else { at };
    let (a, b) = (magnitude(numbers.lo), magnitude(numbers.hi));
    let least = if numbers.lo < 0 && numbers.hi >= 0 { 0 } else { a.min(b) };
    (least, a.max(b))
}

/// The numbers of these magnitudes in an interval of one sign.
fn of_magnitude(numbers: Interval, least: Ordinal, most: Ordinal) -> Interval {
    let magnitudes = Interval::new(least, most);
    if magnitudes.is_empty() {
        return Interval::EMPTY;
    }
    numbers.meet(if numbers.lo < 0 { magnitudes.negated() } else { magnitudes })
}
