//! Functions of one argument.

use super::enclosure::Enclosure;
use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
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
    /// Where it may be NaN within its domain.
    holes: Interval,
}

/// `z = f(x)`, both ways. Formats that the library does not have are left as they are.
pub fn narrow<S: Set>(grid: Grid, function: Libm, [x]: [S; 1], z: S) -> Option<Narrowed<S, 1>> {
    let shape = shape(grid, function);
    let hull = shape.range[0].join(shape.range[1]);
    let Some(f) = Enclosure::new(grid, function, hull) else {
        return Some(Narrowed { arguments: [x], result: z });
    };
    let mut cases = Cases::new(grid, [x], z);
    let (numbers, results) = (x.hull(), z.hull());
    for (stretch, form) in shape.stretches {
        let stretch = numbers.meet(stretch);
        if stretch.is_empty() {
            continue;
        }
        for range in shape.range {
            let results = results.meet(range);
            match form {
                Form::Rising => cases.monotone_into(&f, [stretch], [false], results),
                Form::Falling => cases.monotone_into(&f, [stretch], [true], results),
                Form::Within(values) => {
                    for values in values {
                        cases.add_numbers([stretch], results.meet(values));
                    }
                }
            }
        }
    }
    let infinity = grid.infinity();
    cases.invalid([numbers.meet(shape.holes)]);
    cases.invalid([numbers.meet(Interval::new(!infinity, shape.domain.lo - 1))]);
    cases.invalid([numbers.meet(Interval::new(shape.domain.hi + 1, infinity))]);
    cases.finish()
}

impl Shape {
    /// A function that does not fall on its domain.
    fn rising(domain: Interval, range: Interval) -> Shape {
        let stretches = vec![(domain, Form::Rising)];
        Shape { domain, range: [range, Interval::EMPTY], stretches, holes: Interval::EMPTY }
    }

    /// A function that does not rise on its domain.
    fn falling(domain: Interval, range: Interval) -> Shape {
        let stretches = vec![(domain, Form::Falling)];
        Shape { domain, range: [range, Interval::EMPTY], stretches, holes: Interval::EMPTY }
    }

    /// A function of which only the values are known.
    fn bounded(domain: Interval, range: Interval) -> Shape {
        let range = [range, Interval::EMPTY];
        Shape {
            domain,
            range,
            stretches: vec![(domain, Form::Within(range))],
            holes: Interval::EMPTY,
        }
    }

    /// A function of an angle, of which only the values are known beyond a magnitude.
    fn periodic(grid: Grid, range: Interval, beyond: Ordinal) -> Shape {
        let far = Interval::new(beyond, grid.max_finite());
        let form = Form::Within(away(grid, range));
        let stretches = vec![(far, form), (far.negated(), form)];
        let (domain, range) = (grid.finite(), [range, Interval::EMPTY]);
        Shape { domain, range, stretches, holes: Interval::EMPTY }
    }

    /// The same with more known of some stretches.
    fn with<const N: usize>(mut self, stretches: [(Interval, Form); N]) -> Shape {
        self.stretches.extend(stretches);
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
        Libm::Log | Libm::Log2 | Libm::Log10 => Shape::rising(at_least(-1), all),
        Libm::Log1p => Shape::rising(at_least(!one), all),
        Libm::Atan => Shape::rising(all, between(-1.6, 1.6)),
        Libm::Asin => Shape::rising(unit, between(-1.6, 1.6)),
        Libm::Acos => Shape::falling(unit, between(0.0, 3.2)),
        Libm::Sinh | Libm::Asinh | Libm::Cbrt => Shape::rising(all, all),
        Libm::Tanh | Libm::Erf => Shape::rising(all, unit),
        Libm::Erfc => Shape::falling(all, between(0.0, 2.0)),
        Libm::Acosh => Shape::rising(at_least(one), at_least(0)),
        Libm::Atanh => Shape::rising(unit, all),
        Libm::J0 | Libm::J1 => Shape::bounded(all, unit),
        Libm::Y0 | Libm::Y1 => Shape::bounded(at_least(-1), Interval::new(!infinity, one)),
        Libm::Tgamma | Libm::Lgamma => {
            // Right of zero they fall to 1.46… and rise from there. Left of it, at the integers,
            // one has no value and the other a pole.
            let (before, after) = (grid.nearest(1.46), grid.nearest(1.47));
            let (negative, anything) = (at_least(0).negated(), [all, Interval::EMPTY]);
            let shape = Shape {
                domain: all,
                range: anything,
                stretches: Vec::new(),
                holes: if function == Libm::Tgamma { negative } else { Interval::EMPTY },
            };
            shape.with([
                (Interval::new(0, before), Form::Falling),
                (at_least(after), Form::Rising),
                (Interval::new(before, after), Form::Within(anything)),
                (negative, Form::Within(anything)),
            ])
        }
        Libm::Cosh => {
            let (stretches, range) = (Vec::new(), [at_least(one), Interval::EMPTY]);
            Shape { domain: all, range, stretches, holes: Interval::EMPTY }
                .with([(at_least(0), Form::Rising), (at_least(0).negated(), Form::Falling)])
        }
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
