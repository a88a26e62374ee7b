//! Functions of one argument.

use super::enclosure::Enclosure;
use crate::floats::Floats;
use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, Narrowed};
use crate::set::Set;
use nanoscope_ieee::{Format, Libm};

/// What is known of a function on a stretch of its arguments.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// It does not fall.
    Rising,
    /// It does not rise.
    Falling,
    /// It has values of these two intervals.
    Within([Interval; 2]),
}

/// A function: where it is defined, what it can give, and how it runs.
struct Shape {
    /// Outside of it the function is NaN.
    domain: Interval,
    /// All its values lie in one of these.
    range: [Interval; 2],
    /// The stretches of its domain, each with how the function runs there.
    stretches: Vec<(Interval, Form)>,
    /// Where it may be NaN too.
    partial: Interval,
}

/// `z = f(x)`, both ways.
pub fn narrow<S: Set>(grid: Grid, function: Libm, [x]: [S; 1], z: S) -> Option<Narrowed<S, 1>> {
    narrow_within(grid, function, Modes::NEAREST, [x], z)
}

/// What a function gives, in these rounding modes.
pub fn direct(function: Libm, modes: Modes, x: &Floats) -> Floats {
    let (grid, everything) = (x.grid(), Floats::everything(x.format));
    let mut result = Floats { nan: x.nan, ..Floats::nothing(x.format) };
    for (lo, hi) in x.finite_part().pieces().chain(x.infinite_part().pieces()) {
        let piece = Floats::between(x.format, lo, hi);
        if let Some(found) = narrow_within(grid, function, modes, [piece], everything) {
            result = result.join(&found.result);
        }
    }
    result
}

fn narrow_within<S: Set>(
    grid: Grid,
    function: Libm,
    modes: Modes,
    [x]: [S; 1],
    z: S,
) -> Option<Narrowed<S, 1>> {
    let shape = shape(grid, function);
    let range = shape.range[0].join(shape.range[1]);
    let f = Enclosure::new(grid, function, modes, range);
    let mut cases = Cases::new(grid, [x], z);
    let (numbers, results) = (x.hull(), z.hull());
    for (stretch, form) in shape.stretches {
        let stretch = numbers.meet(stretch);
        if stretch.is_empty() {
            continue;
        }
        for range in shape.range {
            let results = results.meet(range);
            match (form, &f) {
                (Form::Rising, Some(f)) => cases.monotone_into(f, [stretch], [false], results),
                (Form::Falling, Some(f)) => cases.monotone_into(f, [stretch], [true], results),
                (Form::Within(values), _) => {
                    for values in values {
                        cases.add_numbers([stretch], results.meet(values));
                    }
                }
                // Of a format that the library does not have, only the range is known.
                (Form::Rising | Form::Falling, None) => cases.add_numbers([stretch], results),
            }
        }
    }
    let infinity = grid.infinity();
    cases.invalid([numbers.meet(Interval::new(!infinity, shape.domain.lo - 1))]);
    cases.invalid([numbers.meet(Interval::new(shape.domain.hi + 1, infinity))]);
    cases.invalid([numbers.meet(shape.partial)]);
    cases.finish()
}

impl Shape {
    /// A function of which nothing is known yet but domain and range.
    fn new(domain: Interval, range: Interval) -> Shape {
        let (range, partial) = ([range, Interval::EMPTY], Interval::EMPTY);
        Shape { domain, range, stretches: Vec::new(), partial }
    }

    /// A function that does not fall on its domain.
    fn rising(domain: Interval, range: Interval) -> Shape {
        Shape::new(domain, range).with([(domain, Form::Rising)])
    }

    /// A function that does not rise on its domain.
    fn falling(domain: Interval, range: Interval) -> Shape {
        Shape::new(domain, range).with([(domain, Form::Falling)])
    }

    /// A function that may have any value of its range anywhere.
    fn any(domain: Interval, range: Interval) -> Shape {
        Shape::new(domain, range).with([(domain, Form::Within([range; 2]))])
    }

    /// A function of an angle, of which only the values are known beyond a magnitude.
    fn periodic(grid: Grid, range: Interval, beyond: Ordinal) -> Shape {
        let far = Interval::new(beyond, grid.max_finite());
        let form = Form::Within(away(grid, range));
        Shape::new(grid.finite(), range).with([(far, form), (far.negated(), form)])
    }

    /// The same with more known of some stretches.
    fn with<const N: usize>(mut self, stretches: [(Interval, Form); N]) -> Shape {
        self.stretches.extend(stretches);
        self
    }

    /// The same with a root at one, where it is exactly zero and next to which it is not.
    fn with_root_at(mut self, one: Ordinal) -> Shape {
        let cut = std::mem::take(&mut self.stretches);
        for (Interval { lo, hi }, form) in cut {
            let parts = [
                Interval::new(lo, hi.min(one - 1)),
                Interval::new(lo.max(one), hi.min(one)),
                Interval::new(lo.max(one + 1), hi),
            ];
            self.stretches.extend(parts.map(|part| (part, form)));
        }
        self
    }
}

fn shape(grid: Grid, function: Libm) -> Shape {
    let (all, one, infinity) = (grid.numbers(), grid.one(), grid.infinity());
    let unit = Interval::new(!one, one);
    let at_least = |least| Interval::new(least, infinity);
    let between = |lo: f64, hi: f64| Interval::new(grid.nearest(lo), grid.nearest(hi));
    match function {
        Libm::Exp | Libm::Exp2 | Libm::Exp10 => Shape::rising(all, at_least(0)),
        Libm::Expm1 => Shape::rising(all, at_least(!one)),
        Libm::Log | Libm::Log2 | Libm::Log10 => Shape::rising(at_least(-1), all).with_root_at(one),
        Libm::Log1p => Shape::rising(at_least(!one), all),
        Libm::Atan => Shape::rising(all, between(-1.6, 1.6)),
        Libm::Asin => Shape::rising(unit, between(-1.6, 1.6)),
        Libm::Acos => Shape::falling(unit, between(0.0, 3.2)).with_root_at(one),
        Libm::Sinh | Libm::Asinh | Libm::Cbrt => Shape::rising(all, all),
        Libm::Tanh | Libm::Erf => Shape::rising(all, unit),
        Libm::Acosh => Shape::rising(at_least(one), at_least(0)).with_root_at(one),
        Libm::Atanh => Shape::rising(unit, all),
        Libm::Erfc => Shape::falling(all, between(0.0, 2.0)),
        Libm::Cosh => Shape::new(all, at_least(one))
            .with([(at_least(0), Form::Rising), (at_least(0).negated(), Form::Falling)]),
        Libm::Sin => {
            // The first arch rises to 1.57… and falls to 3.14….
            let (up, top, down) = (between(-0.0, 1.57), between(1.57, 1.58), between(1.58, 3.125));
            let best = between(0.9999, 1.0);
            Shape::periodic(grid, unit, down.hi).with([
                (up.join(up.negated()), Form::Rising),
                (top, Form::Within([best; 2])),
                (top.negated(), Form::Within([best.negated(); 2])),
                (down, Form::Falling),
                (down.negated(), Form::Falling),
            ])
        }
        Libm::Cos => {
            let down = between(0.0, 3.125);
            let shape = Shape { range: away(grid, unit), ..Shape::periodic(grid, unit, down.hi) };
            shape.with([(down, Form::Falling), (down.negated(), Form::Rising)])
        }
        Libm::Tan => {
            // Up to the first pole.
            let up = between(0.0, 1.57);
            Shape::periodic(grid, all, up.hi).with([(up.join(up.negated()), Form::Rising)])
        }
        // Right of zero they fall to 1.46… and rise from there.
        Libm::Tgamma | Libm::Lgamma => {
            let (low, turn) = (between(0.0, 1.46), between(1.46, 1.47));
            let least = match function {
                Libm::Tgamma => between(0.88, 0.89),
                // Minus 0.1214….
                _ => between(-0.13, -0.12),
            };
            let left = Interval::new(!infinity, -1);
            let shape = Shape::new(all, all).with([
                (left, Form::Within([all; 2])),
                (low, Form::Falling),
                (turn, Form::Within([least; 2])),
                (Interval::new(turn.hi, infinity), Form::Rising),
            ]);
            // At integers below zero the one has no value and the other a pole.
            let partial = if function == Libm::Tgamma { left } else { Interval::EMPTY };
            Shape { partial, ..shape }.with_root_at(one)
        }
        Libm::J0 | Libm::J1 => Shape::any(all, unit),
        Libm::Y0 | Libm::Y1 => {
            let shape = Shape::any(all, Interval::new(!infinity, one));
            Shape { partial: Interval::new(!infinity, -2), ..shape }
        }
        Libm::Atan2 | Libm::Pow | Libm::Hypot => {
            unreachable!("{} takes two arguments", function.name())
        }
    }
}

/// Those of a range that a sine, cosine or tangent of a number of at least one may be: no
/// such number is nearer to a multiple of half of pi than 2^-60.9 in double precision, and
/// than 2^-29.3 in single (the continued fraction of 2^e/pi has the nearest for each e).
fn away(grid: Grid, range: Interval) -> [Interval; 2] {
    let nearest = match grid.format() {
        Format::BINARY64 => 62,
        Format::BINARY32 => 31,
        Format { .. } => return [range, Interval::EMPTY],
    };
    let magnitudes = Interval::new(grid.power(-nearest), grid.power(nearest));
    [range.meet(magnitudes.negated()), range.meet(magnitudes)]
}
