//! The mathematical library on ranges: monotone where a function is, by its range where
//! it is not.
//!
//! What the machine's libm returns is not known exactly. [`ASSUMPTION`] says what is taken
//! for granted of it: a distance of a few units in the last place from the correctly
//! rounded result, right signs, and the bounds that the mathematical function has.

use crate::arithmetic::{self, Modes, Order};
use crate::exceptions::{Exceptions, Outcome};
use crate::floats::{Floats, Span};
use crate::grid::{self, Ordinal};
use crate::pieces;
use nanoscope_ieee::{Format, domains};
use nanoscope_program::Exception;
use nanoscope_program::libm::{Domain, Function, RangeError, with_errors};

/// What is assumed of the mathematical library.
pub const ASSUMPTION: &str = "the mathematical library is within 8 units in the last place of \
     the correctly rounded result (64 for gamma functions and when not rounding to nearest), \
     with the right sign and within the bounds of the function, and exact at infinities and where \
     it gives zero";

/// What a function of the library gives for these arguments; `None` if it is not known here.
pub fn apply(modes: Modes, name: &str, format: Format, arguments: &[Floats]) -> Option<Outcome> {
    let outcome = match (name, arguments) {
        ("fdim", [x, y]) => fdim(modes, x, y),
        ("nextafter", [x, _]) => step(x),
        ("remainder" | "drem" | "remquo", [x, y]) => arithmetic::remainder(x, y, true),
        ("fmod", [x, y]) => arithmetic::remainder(x, y, false),
        ("sqrt", [x]) => arithmetic::sqrt(modes, x),
        ("fma", [x, y, z]) => arithmetic::fma(modes, x, y, z),
        _ => {
            let result = value(modes, name, format, arguments)?;
            let finite: Vec<Floats> = arguments.iter().map(Floats::finite_part).collect();
            let usual = if finite.iter().any(Floats::is_empty) {
                Floats::nothing(format)
            } else {
                value(modes, name, format, &finite)?
            };
            let raised = match with_errors(name) {
                Some(function) => raised(modes, function, arguments, &result, &usual),
                None => Exceptions::NONE,
            };
            Outcome { result, raised }
        }
    };
    Some(outcome)
}

/// The exceptions that the arguments and results allow, as `program`'s `distance` has them.
fn raised(
    modes: Modes,
    function: &Function,
    arguments: &[Floats],
    result: &Floats,
    finite: &Floats,
) -> Exceptions {
    let format = result.format;
    let mut raised = Exceptions::NONE;
    let x = &arguments[0];
    let one = grid::power(format, 0);
    let top = match modes {
        Modes::Nearest => grid::infinity(format),
        Modes::Any => grid::max_finite(format),
    };
    raised.add_if(finite.magnitudes().positive.hi >= top, Exception::Overflow);
    let small = finite.magnitudes().positive;
    raised.add_if(!small.is_empty() && small.lo <= grid::min_normal(format), Exception::Underflow);
    let nonzero = arguments.iter().all(|a| a.finite_part().has_finite_nonzero());
    let vanishing = function.has(RangeError::Vanishing);
    raised.add_if(vanishing && finite.has_zero() && nonzero, Exception::Underflow);
    raised.add_if(result.nan, Exception::Invalid);
    let pole = match function.domain {
        domains!(WithoutPole) => false,
        domains!(AtZero) => x.has_zero(),
        Domain::AboveMinusOne => x.contains_place(!one),
        Domain::UnitOpen => x.contains_place(one) || x.contains_place(!one),
        Domain::LogGamma => x.has_zero() || x.negative.hi >= one,
        Domain::Power => x.has_zero() && !arguments[1].negative.is_empty(),
    };
    raised.add_if(pole, Exception::DivideByZero);
    raised
}

fn fdim(modes: Modes, x: &Floats, y: &Floats) -> Outcome {
    let mut difference = arithmetic::sub(modes, x, y, Order { not_less: true, ..Order::default() });
    difference.result = difference.result.join(&Floats::zero(x.format));
    difference.result.negative = Span::EMPTY;
    difference.result.nan |= x.nan || y.nan;
    difference
}

fn step(x: &Floats) -> Outcome {
    let both = pieces::neighbour(true, x).join(&pieces::neighbour(false, x)).join(x);
    let mut result = both.with_both_zeros();
    result.nan = true;
    let mut raised = Exceptions::NONE;
    raised.add_if(result.has_infinity(), Exception::Overflow);
    // A zero's neighbour and every subnormal one.
    let small = result.magnitudes().positive;
    raised
        .add_if(!small.is_empty() && small.lo <= grid::min_normal(x.format), Exception::Underflow);
    Outcome { result, raised }
}

/// A function of one argument, correctly rounded.
type Unary = (fn(f64) -> f64, fn(f32) -> f32);
/// A function of two arguments, correctly rounded.
type Binary = (fn(f64, f64) -> f64, fn(f32, f32) -> f32);

/// The results of a function; exceptions are told from them.
fn value(modes: Modes, name: &str, format: Format, arguments: &[Floats]) -> Option<Floats> {
    use core_math as cr;
    let f = Enclosure { format, error: if modes == Modes::Nearest { 8 } else { 64 } };
    let wide = Enclosure { format, error: 64 };
    let x = arguments.first()?;
    let all = Floats::everything(format).numbers();
    let (infinity, one) = (grid::infinity(format), grid::power(format, 0));
    let unit = Floats::between(format, !one, one);
    let range = |lo: f64, hi: f64| Floats::between_doubles(format, lo, hi);
    let domain = |lo, hi| Floats::between(format, lo, hi);
    Some(match name {
        "exp" => f.rising(x, all, all.at_least(0), (cr::exp, cr::expf)),
        "exp2" => f.rising(x, all, all.at_least(0), (cr::exp2, cr::exp2f)),
        "exp10" | "pow10" => f.rising(x, all, all.at_least(0), (cr::exp10, cr::exp10f)),
        "expm1" => f.rising(x, all, all.at_least(!one), (cr::expm1, cr::expm1f)),
        "log" => f.rising(x, domain(-1, infinity), all, (cr::log, cr::logf)),
        "log2" => f.rising(x, domain(-1, infinity), all, (cr::log2, cr::log2f)),
        "log10" => f.rising(x, domain(-1, infinity), all, (cr::log10, cr::log10f)),
        "log1p" => f.rising(x, domain(!one, infinity), all, (cr::log1p, cr::log1pf)),
        "atan" => f.rising(x, all, range(-1.6, 1.6), (cr::atan, cr::atanf)),
        "asin" => f.rising(x, unit, range(-1.6, 1.6), (cr::asin, cr::asinf)),
        "acos" => f.falling(x, unit, range(0.0, 3.2), (cr::acos, cr::acosf)),
        "sinh" => f.rising(x, all, all, (cr::sinh, cr::sinhf)),
        "tanh" => f.rising(x, all, unit, (cr::tanh, cr::tanhf)),
        "asinh" => f.rising(x, all, all, (cr::asinh, cr::asinhf)),
        "acosh" => f.rising(x, domain(one, infinity), all.at_least(0), (cr::acosh, cr::acoshf)),
        "atanh" => f.rising(x, unit, all, (cr::atanh, cr::atanhf)),
        "cbrt" => f.rising(x, all, all, (cr::cbrt, cr::cbrtf)),
        "erf" => f.rising(x, all, unit, (cr::erf, cr::erff)),
        "erfc" => f.falling(x, all, range(0.0, 2.0), (cr::erfc, cr::erfcf)),
        "cosh" => {
            f.rising(&x.magnitudes(), domain(0, infinity), all.at_least(one), (cr::cosh, cr::coshf))
        }
        "sin" => f.sine(x, unit, (cr::sin, cr::sinf)),
        // Monotone up to their first pole or extremum; 1.57 and 3.125 are below it.
        "tan" => {
            let near = range(-1.57, 1.57).with_both_zeros();
            let mut found = f.rising(&x.meet(&near), near, all, (cr::tan, cr::tanf));
            if !x.numbers().within(&near) {
                found = found.join(&f.away(all));
            }
            found.nan = x.nan || x.has_infinity();
            found
        }
        "cos" => {
            let (size, near) = (x.magnitudes(), domain(0, grid::nearest(format, 3.125)));
            let mut found = f.falling(&size.meet(&near), near, unit, (cr::cos, cr::cosf));
            if !size.numbers().within(&near) {
                found = found.join(&unit);
            }
            Floats { nan: x.nan || x.has_infinity(), ..found.meet(&f.away(unit)) }
        }
        "lgamma" | "gamma" => positive_gamma(&wide, x, all, (cr::lgamma, cr::lgammaf)),
        "tgamma" => positive_gamma(&wide, x, all, (cr::tgamma, cr::tgammaf)),
        "pow" => power(&f, x, arguments.get(1)?),
        "hypot" => {
            let (x, y) = (x.magnitudes(), arguments.get(1)?.magnitudes());
            let (Some(a), Some(b)) = (x.bounds(), y.bounds()) else {
                return Some(all.at_least(0).join(&Floats::only_nan(format)));
            };
            let mut result = f.corners([a.0, b.0], [a.1, b.1], (cr::hypot, cr::hypotf));
            result = result.meet(&all.at_least(a.0.max(b.0)));
            if x.nan || y.nan {
                result = result.join(&x.infinite_part()).join(&y.infinite_part());
                result.nan = true;
            }
            result
        }
        "atan2" => arctangent(&f, x, arguments.get(1)?),
        "j0" | "j1" => Floats { nan: x.nan, ..range(-1.0, 1.0) },
        "y0" | "y1" => {
            let nan = x.nan || !x.negative.is_empty();
            Floats { nan, ..domain(!infinity, one) }
        }
        "logb" => {
            let range = range(-20000.0, 20000.0);
            let mut result = Floats { nan: x.nan, ..range };
            if x.has_zero() {
                result = result.join(&domain(!infinity, !infinity));
            }
            if x.has_infinity() {
                result = result.join(&domain(infinity, infinity));
            }
            result
        }
        "fabs" => x.magnitudes(),
        "copysign" => pieces::copy_sign(x, arguments.get(1)?),
        // The others are not known.
        _ => return None,
    })
}

/// The gamma functions right of zero: they fall to 1.46… and rise from there.
fn positive_gamma(f: &Enclosure, x: &Floats, all: Floats, functions: Unary) -> Floats {
    let place = |value: f64| grid::nearest(f.format, value);
    if !x.negative.is_empty() || x.has_zero() {
        return Floats { nan: true, ..all };
    }
    let falling = f.falling(&x.at_most(place(1.46)), all, all, functions);
    let rising = f.rising(&x.at_least(place(1.47)), all, all, functions);
    let between = x.at_least(place(1.46)).at_most(place(1.47));
    let mut result = falling.join(&rising);
    if !between.is_empty() {
        // Near the minimum: -0.1214… of the logarithm, 0.8856… of the function itself.
        let (lo, hi) = if functions.0(1.0) == 0.0 { (-0.13, -0.12) } else { (0.88, 0.89) };
        result = result.join(&Floats::between_doubles(f.format, lo, hi));
    }
    result.nan |= x.nan;
    result
}

fn power(f: &Enclosure, x: &Floats, y: &Floats) -> Floats {
    let format = f.format;
    let (infinity, one) = (grid::infinity(format), grid::power(format, 0));
    let functions: Binary = (core_math::pow, core_math::powf);
    let all = Floats::everything(format).numbers();
    if x.nan || y.nan {
        return Floats::everything(format);
    }
    let bases = x.magnitudes();
    let mut result = Floats::nothing(format);
    for (b_lo, b_hi, large) in [(0, one, false), (one, infinity, true)] {
        let Some((b_lo, b_hi)) = bases.meet(&Floats::between(format, b_lo, b_hi)).bounds() else {
            continue;
        };
        for (y_lo, y_hi, positive) in [(0, infinity, true), (!infinity, -1, false)] {
            let Some((y_lo, y_hi)) = y.meet(&Floats::between(format, y_lo, y_hi)).bounds() else {
                continue;
            };
            let (x_low, x_high) = if positive { (b_lo, b_hi) } else { (b_hi, b_lo) };
            let (y_low, y_high) = if large { (y_lo, y_hi) } else { (y_hi, y_lo) };
            let found = f.corners([x_low, y_low], [x_high, y_high], functions);
            result = result.join(&found.meet(&all.at_least(0)));
        }
    }
    if x.negative.is_empty() && !x.minus_zero {
        return result;
    }
    // A negative base: the exponent's parity tells the sign; without it, both are possible.
    let exponent = y.single_place().and_then(|at| exact_integer(format, at));
    match exponent {
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
fn exact_integer(format: Format, at: Ordinal) -> Option<i128> {
    use nanoscope_ieee::Rounding;
    if grid::infinity(format) == at || grid::infinity(format) == !at {
        return None;
    }
    let down = grid::to_integer(format, Rounding::Downward, at)?;
    let up = grid::to_integer(format, Rounding::Upward, at)?;
    (down == up).then_some(down)
}

fn arctangent(f: &Enclosure, y: &Floats, x: &Floats) -> Floats {
    let format = f.format;
    let functions: Binary = (core_math::atan2, core_math::atan2f);
    let mut result = Floats { nan: x.nan || y.nan, ..Floats::nothing(format) };
    let halves = [(*y, false), (y.negated(), true)];
    for (side, negative) in halves {
        let side = side.numbers().at_least(0);
        let Some((y_lo, y_hi)) = side.bounds() else { continue };
        let mut found = Floats::nothing(format);
        if let Some((x_lo, x_hi)) = x.numbers().at_least(0).bounds() {
            // Rising in y, falling in x; the angle of the origin is 0.
            found = f.corners([y_lo, x_hi], [y_hi, x_lo], functions);
            found = found.join(&f.corners([y_lo, x_hi], [y_lo, x_hi], functions));
            found = found.meet(&Floats::between_doubles(format, 0.0, 1.6));
        }
        if !x.numbers().at_most(-1).is_empty() {
            found = found.join(&Floats::between_doubles(format, 1.57, 3.15));
        }
        result = result.join(&if negative { found.negated() } else { found });
    }
    result
}

/// Correctly rounded values, give or take an error.
struct Enclosure {
    format: Format,
    error: Ordinal,
}

impl Enclosure {
    /// A function that rises on its domain and is NaN outside.
    fn rising(&self, x: &Floats, domain: Floats, range: Floats, functions: Unary) -> Floats {
        self.monotone(x, domain, range, functions, false)
    }

    /// A function that falls on its domain and is NaN outside.
    fn falling(&self, x: &Floats, domain: Floats, range: Floats, functions: Unary) -> Floats {
        self.monotone(x, domain, range, functions, true)
    }

    fn monotone(
        &self,
        x: &Floats,
        domain: Floats,
        range: Floats,
        functions: Unary,
        falls: bool,
    ) -> Floats {
        let inside = x.numbers().meet(&domain);
        let mut result = Floats::nothing(self.format);
        for (lo, hi) in self.apart(inside, functions) {
            let (lo, hi) = if falls { (hi, lo) } else { (lo, hi) };
            let (at_lo, at_hi) = (self.at(lo, functions), self.at(hi, functions));
            let found = match (at_lo, at_hi) {
                (Some(least), Some(greatest)) => {
                    // Zero at zero is exact, so is a logarithm of one, and so are zeros and
                    // infinities at infinities (C, annex F.10).
                    let infinity = grid::infinity(self.format);
                    let infinite = |at: Ordinal| at == infinity || at == !infinity;
                    let exact = |x: Ordinal, v: Ordinal| {
                        (matches!(v, 0 | -1) && (matches!(x, 0 | -1) || infinite(x)))
                            || (v == 0 && x == grid::power(self.format, 0))
                            || (infinite(v) && infinite(x))
                    };
                    let least = if exact(lo, least) { least } else { self.lowest(least) };
                    let greatest =
                        if exact(hi, greatest) { greatest } else { self.highest(greatest) };
                    Floats::between(self.format, least, greatest).meet(&range)
                }
                (None, _) | (_, None) => range,
            };
            result = result.join(&found);
        }
        let outside = inside != x.numbers() || x.nan;
        Floats { nan: outside, ..result }
    }

    /// The pieces of an argument, the infinities and a root at one apart from the others: what
    /// is infinite is no large number, and what is zero no small one.
    fn apart(&self, x: Floats, functions: Unary) -> impl Iterator<Item = (Ordinal, Ordinal)> {
        let one = grid::power(self.format, 0);
        let around = x.contains_place(one - 1) || x.contains_place(one + 1);
        let root = around && x.contains_place(one) && self.at(one, functions) == Some(0);
        let infinite = x.infinite_part().pieces();
        let finite = x.finite_part().pieces().flat_map(move |(lo, hi)| match root {
            true => [(lo, hi.min(one - 1)), (lo.max(one), hi.min(one)), (lo.max(one + 1), hi)],
            false => [(lo, hi), (1, 0), (1, 0)],
        });
        finite.filter(|(lo, hi)| lo <= hi).chain(infinite)
    }

    /// The sine, whose arches from zero to pi are least at one of two ends.
    fn sine(&self, x: &Floats, unit: Floats, functions: Unary) -> Floats {
        let place = |value: f64| grid::nearest(self.format, value);
        let one = grid::power(self.format, 0);
        let arch = |span: Span| {
            let mut found = Floats::nothing(self.format);
            for (lo, hi) in span.meet(Span::new(1, place(3.125))).pieces() {
                let (Some(first), Some(last)) = (self.at(lo, functions), self.at(hi, functions))
                else {
                    return unit.at_least(1);
                };
                let top = if hi < place(1.57) {
                    self.highest(last)
                } else if lo > place(1.58) {
                    self.highest(first)
                } else {
                    one
                };
                let least = self.lowest(first.min(last)).max(1);
                found = found.join(&Floats::between(self.format, least, top).meet(&unit));
            }
            found
        };
        let special = Floats {
            plus_zero: x.plus_zero,
            minus_zero: x.minus_zero,
            nan: x.nan || x.has_infinity(),
            ..Floats::nothing(self.format)
        };
        let mut found = arch(x.positive).join(&arch(x.negative).negated()).join(&special);
        if x.magnitudes().positive.hi > place(3.125) {
            found = found.join(&self.away(unit));
        }
        found
    }

    /// Those of a range that a sine, cosine or tangent of a number of at least one may be: no
    /// such number is nearer to a multiple of half of pi than 2^-60.9 in double precision, and
    /// than 2^-29.3 in single (the continued fraction of 2^e/pi has the nearest for each e).
    fn away(&self, range: Floats) -> Floats {
        let nearest = match self.format {
            Format::BINARY64 => -62,
            Format::BINARY32 => -31,
            Format { .. } => return range,
        };
        let span = Span::new(grid::power(self.format, nearest), grid::power(self.format, -nearest));
        let numbers = Floats { positive: span, negative: span, ..Floats::nothing(self.format) };
        numbers.meet(&range)
    }

    /// The results between two corners of a rectangle on which a function is monotone.
    fn corners(&self, least: [Ordinal; 2], greatest: [Ordinal; 2], functions: Binary) -> Floats {
        let at = |[a, b]: [Ordinal; 2]| match self.format {
            Format::BINARY64 => grid::from_double(functions.0(grid::double(a), grid::double(b))),
            Format::BINARY32 => grid::from_single(functions.1(grid::single(a), grid::single(b))),
            Format { .. } => None,
        };
        match (at(least), at(greatest)) {
            (Some(least), Some(greatest)) => {
                Floats::between(self.format, self.lowest(least), self.highest(greatest))
            }
            (None, _) | (_, None) => Floats::everything(self.format).numbers(),
        }
    }

    fn at(&self, x: Ordinal, functions: Unary) -> Option<Ordinal> {
        match self.format {
            Format::BINARY64 => grid::from_double(functions.0(grid::double(x))),
            Format::BINARY32 => grid::from_single(functions.1(grid::single(x))),
            Format { .. } => None,
        }
    }

    /// The least result when this one is correctly rounded, of the same sign.
    fn lowest(&self, value: Ordinal) -> Ordinal {
        if value >= 0 {
            (value - self.error).max(0)
        } else {
            (value - self.error).max(!grid::infinity(self.format))
        }
    }

    /// The greatest result when this one is correctly rounded, of the same sign.
    fn highest(&self, value: Ordinal) -> Ordinal {
        if value >= 0 {
            (value + self.error).min(grid::infinity(self.format))
        } else {
            (value + self.error).min(-1)
        }
    }
}
