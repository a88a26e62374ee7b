//! The functions of the mathematical library: names, accuracy, and enclosures of their values and
//! of their first two derivatives.

use crate::interval::Interval;
use nanoscope_ieee::Libm;

/// What is known of a function of the mathematical library as a function of reals.
pub trait Enclosed {
    /// The largest error of the machine's library in ulps, for results of this precision. A claim
    /// about a library is an assumption of every bound that uses it.
    fn accuracy(self, precision: u32) -> f64;
    /// Encloses the values of a function of one argument. All reals where some argument has none.
    fn value(self, x: Interval) -> Interval;
    /// Encloses the derivatives of a function of one argument.
    fn slope(self, x: Interval) -> Interval;
    /// Encloses the second derivatives of a function of one argument.
    fn bend(self, x: Interval) -> Interval;
    /// Bounds the condition number `|x f'(x) / f(x)|` of a function of one argument, zeros
    /// included where it stays finite there.
    fn condition(self, x: Interval) -> Option<f64>;
}

/// The largest errors in ulps that are known of glibc's functions, with something to spare: in
/// binary32, where most are known from all arguments, and in binary64.
const fn known_ulps(function: Libm) -> (f64, f64) {
    match function {
        Libm::Exp => (0.51, 0.52),
        Libm::Exp2 => (0.51, 0.52),
        Libm::Expm1 => (0.85, 1.0),
        Libm::Log => (0.85, 0.53),
        Libm::Log2 => (0.8, 0.57),
        Libm::Log10 => (2.1, 2.0),
        Libm::Log1p => (1.35, 1.0),
        Libm::Sin => (0.57, 0.56),
        Libm::Cos => (0.57, 0.56),
        Libm::Tan => (1.5, 0.65),
        Libm::Asin => (0.93, 0.53),
        Libm::Acos => (0.93, 0.53),
        Libm::Atan => (0.88, 0.56),
        Libm::Atan2 => (1.6, 0.56),
        Libm::Sinh => (2.6, 2.0),
        Libm::Cosh => (2.0, 2.0),
        Libm::Tanh => (2.3, 2.3),
        Libm::Exp10 => (1.1, 2.1),
        Libm::Asinh => (1.9, 2.0),
        Libm::Acosh => (2.1, 2.3),
        Libm::Atanh => (1.9, 1.9),
        Libm::Erf => (1.1, 1.5),
        Libm::Erfc => (3.3, 5.3),
        Libm::Tgamma => (8.1, 9.6),
        Libm::Lgamma => (7.7, 11.0),
        Libm::Cbrt => (1.1, 3.8),
        Libm::Pow => (0.85, 0.53),
        Libm::Hypot => (0.51, 1.0),
        // Nothing is known of any other; near their zeros, Bessel's functions keep no digit.
        _ => (1e8, 1e17),
    }
}

/// The least and greatest floats that can be meant by a correctly rounded result.
fn around(lo: f64, hi: f64) -> Interval {
    let down = if lo == 0.0 && hi >= 0.0 { -f64::from_bits(1) } else { lo.next_down() };
    Interval { lo: down, hi: hi.next_up() }
}

/// A function that grows, correctly rounded, on an interval.
fn growing(f: fn(f64) -> f64, x: Interval) -> Interval {
    around(f(x.lo), f(x.hi))
}

fn falling(f: fn(f64) -> f64, x: Interval) -> Interval {
    around(f(x.hi), f(x.lo))
}

const HALF_PI: Interval = Interval { lo: std::f64::consts::FRAC_PI_2, hi: 1.570_796_326_794_896_8 };
const LN_2: Interval = Interval { lo: 0.693_147_180_559_945_2, hi: 0.693_147_180_559_945_4 };
const LN_10: Interval = Interval { lo: 2.302_585_092_994_045, hi: 2.302_585_092_994_046_3 };

const UNIT: Interval = Interval { lo: -1.0, hi: 1.0 };
const ONE: Interval = Interval { lo: 1.0, hi: 1.0 };

/// Sine, shifted by quarter turns: `sin(x + quarters * pi/2)`.
fn sine(x: Interval, quarters: i64) -> Interval {
    if !x.is_finite() || x.magnitude() > 1e9 || x.width() >= 6.3 {
        return UNIT;
    }
    let f = if quarters % 2 == 0 { core_math::sin } else { core_math::cos };
    let sign = if quarters.rem_euclid(4) >= 2 { -1.0 } else { 1.0 };
    let (a, b) = (sign * f(x.lo), sign * f(x.hi));
    let mut value = around(a.min(b), a.max(b));
    // Extrema lie where x + quarters * pi/2 is an odd multiple of pi/2.
    let turns = x / HALF_PI;
    let (first, last) = (turns.lo.floor() as i64, turns.hi.ceil() as i64);
    for k in first..=last {
        let place = k + quarters;
        if place.rem_euclid(2) == 1 {
            let at = Interval::point(k as f64) * HALF_PI;
            if at.meet(x).is_some() {
                if place.rem_euclid(4) == 1 { value.hi = 1.0 } else { value.lo = -1.0 }
            }
        }
    }
    value.narrowed(UNIT)
}

impl Enclosed for Libm {
    fn condition(self, x: Interval) -> Option<f64> {
        let most = x.magnitude();
        let factor = match self {
            // x cot x, x / (sin x cos x) and x / (sqrt(1 - x^2) asin x), by where they end.
            Libm::Sin if most <= 1.57 => 1.0,
            Libm::Tan if most <= 1.0 => 2.21,
            Libm::Asin if most <= 0.9 => 1.85,
            Libm::Asin if most <= 0.99 => 5.0,
            Libm::Atan | Libm::Tanh | Libm::Asinh | Libm::Erf => 1.0,
            // x coth x is at most 1 + |x|.
            Libm::Sinh => 1.0 + most,
            Libm::Cosh => most,
            Libm::Expm1 => 1.0 + x.hi.max(0.0),
            // At most 1 / (1 + x) below 0, as ln y is at most y - 1.
            Libm::Log1p if x.lo >= 0.0 => 1.0,
            Libm::Log1p if x.lo > -0.99 => 1.0 / (1.0 + x.lo),
            Libm::Cbrt => 0.334,
            // atanh x is at least x.
            Libm::Atanh if most < 0.99 => 1.0 / (1.0 - most * most),
            _ => return None,
        };
        Some(factor * (1.0 + 1e-14))
    }

    fn accuracy(self, precision: u32) -> f64 {
        let (narrow, wide) = known_ulps(self);
        if precision <= 24 {
            narrow
        } else if precision <= 53 {
            wide
        } else {
            wide.max(1.0) + 1.0
        }
    }

    fn value(self, x: Interval) -> Interval {
        let within = |domain: Interval| domain.lo <= x.lo && x.hi <= domain.hi;
        let positive = x.lo > 0.0;
        match self {
            Libm::Exp => positive_part(growing(core_math::exp, x)),
            Libm::Exp2 => positive_part(growing(core_math::exp2, x)),
            Libm::Expm1 => growing(core_math::expm1, x),
            Libm::Log if positive => growing(core_math::log, x),
            Libm::Log2 if positive => growing(core_math::log2, x),
            Libm::Log10 if positive => growing(core_math::log10, x),
            Libm::Log1p if x.lo > -1.0 => growing(core_math::log1p, x),
            Libm::Sin => sine(x, 0),
            Libm::Cos => sine(x, 1),
            Libm::Tan => {
                // Between two poles it grows.
                let turns = x / HALF_PI;
                let pole = |t: f64| ((t + 1.0) / 2.0).floor();
                let apart = x.is_finite() && x.magnitude() < 1e9 && {
                    let near = 1e-9;
                    pole(turns.lo - near) == pole(turns.hi + near)
                };
                if apart { growing(core_math::tan, x) } else { Interval::ALL }
            }
            Libm::Asin if within(UNIT) => growing(core_math::asin, x),
            Libm::Acos if within(UNIT) => falling(core_math::acos, x),
            Libm::Atan => growing(core_math::atan, x),
            Libm::Sinh => growing(core_math::sinh, x),
            Libm::Cosh => {
                let a = x.abs();
                let value = growing(core_math::cosh, a);
                Interval { lo: value.lo.max(1.0), ..value }
            }
            Libm::Tanh => growing(core_math::tanh, x).narrowed(UNIT),
            Libm::Cbrt => growing(core_math::cbrt, x),
            Libm::Exp10 => positive_part(growing(core_math::exp10, x)),
            Libm::Asinh => growing(core_math::asinh, x),
            Libm::Acosh if x.lo >= 1.0 => positive_part(growing(core_math::acosh, x)),
            Libm::Atanh if x.lo > -1.0 && x.hi < 1.0 => growing(core_math::atanh, x),
            Libm::Erf => growing(core_math::erf, x).narrowed(UNIT),
            Libm::Erfc => positive_part(falling(core_math::erfc, x)),
            // Outside of its domain, or without an enclosure here.
            _ => Interval::ALL,
        }
    }

    fn slope(self, x: Interval) -> Interval {
        let value = self.value(x);
        match self {
            Libm::Exp => value,
            Libm::Exp2 => value * LN_2,
            Libm::Expm1 => Libm::Exp.value(x),
            Libm::Log => x.recip(),
            Libm::Log2 => (x * LN_2).recip(),
            Libm::Log10 => (x * LN_10).recip(),
            Libm::Log1p => (ONE + x).recip(),
            Libm::Sin => sine(x, 1),
            Libm::Cos => sine(x, 2),
            Libm::Tan => ONE + value.square(),
            Libm::Asin => (ONE - x.square()).sqrt().recip(),
            Libm::Acos => -(ONE - x.square()).sqrt().recip(),
            Libm::Atan => (ONE + x.square()).recip(),
            Libm::Sinh => Libm::Cosh.value(x),
            Libm::Cosh => Libm::Sinh.value(x),
            Libm::Tanh => ONE - value.square(),
            Libm::Cbrt => (Interval::point(3.0) * value.square()).recip(),
            Libm::Exp10 => value * LN_10,
            Libm::Asinh => (ONE + x.square()).sqrt().recip(),
            Libm::Acosh => (x.square() - ONE).sqrt().recip(),
            Libm::Atanh => (ONE - x.square()).recip(),
            Libm::Erf => bell(x),
            Libm::Erfc => -bell(x),
            // Of two arguments, or without an enclosure here.
            _ => Interval::ALL,
        }
    }

    fn bend(self, x: Interval) -> Interval {
        let two = Interval::point(2.0);
        let value = self.value(x);
        match self {
            Libm::Exp => value,
            Libm::Exp2 => value * LN_2.square(),
            Libm::Expm1 => Libm::Exp.value(x),
            Libm::Log => -x.square().recip(),
            Libm::Log2 => -(x.square() * LN_2).recip(),
            Libm::Log10 => -(x.square() * LN_10).recip(),
            Libm::Log1p => -(ONE + x).square().recip(),
            Libm::Sin => sine(x, 2),
            Libm::Cos => sine(x, 3),
            Libm::Tan => two * value * (ONE + value.square()),
            Libm::Asin => x / (ONE - x.square()).sqrt().powi(3),
            Libm::Acos => -(x / (ONE - x.square()).sqrt().powi(3)),
            Libm::Atan => -(two * x) / (ONE + x.square()).square(),
            Libm::Sinh => value,
            Libm::Cosh => value,
            Libm::Tanh => -(two * value * (ONE - value.square())),
            Libm::Cbrt => -(two / (Interval::point(9.0) * value.powi(5))),
            Libm::Exp10 => value * LN_10.square(),
            Libm::Asinh => -(x / (ONE + x.square()).sqrt().powi(3)),
            Libm::Acosh => -(x / (x.square() - ONE).sqrt().powi(3)),
            Libm::Atanh => two * x / (ONE - x.square()).square(),
            Libm::Erf => -(two * x * bell(x)),
            Libm::Erfc => two * x * bell(x),
            // Of two arguments, or without an enclosure here.
            _ => Interval::ALL,
        }
    }
}

/// The derivative of the error function: `2 / sqrt(pi) * exp(-x^2)`.
fn bell(x: Interval) -> Interval {
    let nearest = std::f64::consts::FRAC_2_SQRT_PI;
    let scale = Interval { lo: nearest.next_down(), hi: nearest.next_up() };
    scale * Libm::Exp.value(-x.square())
}

fn positive_part(x: Interval) -> Interval {
    Interval { lo: x.lo.max(0.0), ..x }
}

/// Encloses `x^y` for positive `x`, and for whole `y` of any `x`.
pub fn pow(x: Interval, y: Interval) -> Interval {
    if y.lo == y.hi && y.lo.fract() == 0.0 && y.lo.abs() <= 4096.0 {
        return x.powi(y.lo as i32);
    }
    if x.lo <= 0.0 {
        return Interval::ALL;
    }
    let ends = [(x.lo, y.lo), (x.lo, y.hi), (x.hi, y.lo), (x.hi, y.hi)];
    let values = ends.map(|(a, b)| core_math::pow(a, b));
    if values.iter().any(|value| value.is_nan()) {
        return Interval::ALL;
    }
    let lo = values.iter().copied().fold(f64::INFINITY, f64::min);
    let hi = values.iter().copied().fold(0.0, f64::max);
    positive_part(around(lo, hi))
}

/// Encloses `atan2(y, x)`; from `-pi` to `pi` where the interval meets the cut.
pub fn atan2(y: Interval, x: Interval) -> Interval {
    if x.lo <= 0.0 && y.contains(0.0) {
        return Interval::symmetric(2.0 * HALF_PI.hi);
    }
    let ends = [(y.lo, x.lo), (y.lo, x.hi), (y.hi, x.lo), (y.hi, x.hi)];
    let values = ends.map(|(a, b)| core_math::atan2(a, b));
    let lo = values.iter().copied().fold(f64::INFINITY, f64::min);
    let hi = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    around(lo, hi)
}

/// Encloses `hypot(x, y)`.
pub fn hypot(x: Interval, y: Interval) -> Interval {
    let (a, b) = (x.abs(), y.abs());
    positive_part(around(core_math::hypot(a.lo, b.lo), core_math::hypot(a.hi, b.hi)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A derivative encloses every difference quotient, and a value every value.
    #[test]
    fn condition_numbers_bound_samples() {
        for function in [
            Libm::Sin,
            Libm::Tan,
            Libm::Asin,
            Libm::Atan,
            Libm::Tanh,
            Libm::Asinh,
            Libm::Erf,
            Libm::Sinh,
            Libm::Cosh,
            Libm::Expm1,
            Libm::Log1p,
            Libm::Cbrt,
            Libm::Atanh,
        ] {
            let mut bounded = 0;
            for end in 1..60 {
                let x = f64::from(end - 30) / 20.0 + 0.01;
                let Some(bound) = function.condition(Interval::point(x)) else { continue };
                bounded += 1;
                let of = |x: f64| function.of_doubles(x, 0.0);
                let slope = (of(x + 1e-6) - of(x - 1e-6)) / 2e-6;
                let number = (x * slope / of(x)).abs();
                assert!(number <= bound + 1e-6, "{} at {x}: {number} > {bound}", function.name());
            }
            assert!(bounded > 10, "{}", function.name());
        }
    }

    #[test]
    fn enclosures_hold_of_samples() {
        type Sample = (Libm, fn(f64) -> f64, &'static [(f64, f64)]);
        let native: &[Sample] = &[
            (Libm::Exp, f64::exp, &[(-2.0, 1.5), (-700.0, 5.0)]),
            (Libm::Exp2, f64::exp2, &[(-2.0, 1.5)]),
            (Libm::Expm1, f64::exp_m1, &[(-2.0, 1.5)]),
            (Libm::Log, f64::ln, &[(0.1, 3.0)]),
            (Libm::Log2, f64::log2, &[(0.1, 3.0)]),
            (Libm::Log10, f64::log10, &[(0.1, 3.0)]),
            (Libm::Log1p, f64::ln_1p, &[(-0.9, 3.0)]),
            (Libm::Sin, f64::sin, &[(-3.0, 3.0), (0.1, 0.9), (1.0, 2.0), (100.0, 104.0)]),
            (Libm::Cos, f64::cos, &[(-3.0, 3.0), (0.1, 0.9), (3.0, 4.0), (100.0, 104.0)]),
            (Libm::Tan, f64::tan, &[(-1.5, 1.5), (2.0, 4.0)]),
            (Libm::Asin, f64::asin, &[(-0.9, 0.99)]),
            (Libm::Acos, f64::acos, &[(-0.9, 0.99)]),
            (Libm::Atan, f64::atan, &[(-5.0, 3.0)]),
            (Libm::Sinh, f64::sinh, &[(-2.0, 3.0)]),
            (Libm::Cosh, f64::cosh, &[(-2.0, 3.0), (1.0, 2.0)]),
            (Libm::Tanh, f64::tanh, &[(-2.0, 3.0)]),
            (Libm::Cbrt, f64::cbrt, &[(-3.0, -0.1), (0.1, 2.0)]),
            (Libm::Exp10, |x| Libm::Exp10.of_doubles(x, 0.0), &[(-2.0, 1.5)]),
            (Libm::Asinh, |x| Libm::Asinh.of_doubles(x, 0.0), &[(-2.0, 1.5)]),
            (Libm::Acosh, |x| Libm::Acosh.of_doubles(x, 0.0), &[(1.5, 4.0)]),
            (Libm::Atanh, |x| Libm::Atanh.of_doubles(x, 0.0), &[(-0.7, 0.8)]),
            (Libm::Erf, |x| Libm::Erf.of_doubles(x, 0.0), &[(-2.0, 1.5)]),
            (Libm::Erfc, |x| Libm::Erfc.of_doubles(x, 0.0), &[(-2.0, 1.5)]),
        ];
        for &(function, f, ranges) in native {
            for &(lo, hi) in ranges {
                let x = Interval::new(lo, hi);
                let (value, slope, bend) = (function.value(x), function.slope(x), function.bend(x));
                let h = (hi - lo) * 1e-4;
                for k in 0..=1000 {
                    let at = (lo + (hi - lo) * f64::from(k) / 1000.0).min(hi);
                    // The standard library's own versions of some are a few ulps off.
                    let value = value.widened(1e-15 * value.magnitude());
                    assert!(value.contains(f(at)), "{function:?} at {at}: {value:?}");
                    if at - h >= lo && at + h <= hi {
                        let first = (f(at + h) - f(at - h)) / (2.0 * h);
                        assert!(
                            slope.widened(1e-6 * slope.magnitude()).contains(first),
                            "{function:?}' at {at}: {slope:?}"
                        );
                        let second = (f(at + h) - 2.0 * f(at) + f(at - h)) / (h * h);
                        assert!(
                            bend.widened(1e-4 * bend.magnitude() + 1e-5).contains(second),
                            "{function:?}'' at {at}: {second} {bend:?}"
                        );
                    }
                }
            }
        }
    }
}
