//! What square roots and functions of the mathematical library make of what is known of their
//! arguments.

use super::{Facts, NO_GRAIN, SPARE, Trouble, UNKNOWN_BITS, condition, number, recip};
use crate::functions::{self, Enclosed};
use crate::graph::NodeId;
use crate::interval::{Interval, add_up};
use crate::prove::form::Form;
use crate::rounding::Slip;
use nanoscope_ieee::Libm;
use std::f64::consts::FRAC_PI_2;

/// A function's slope on a form: by the mean value theorem from its second derivatives.
pub fn slope<const N: usize>(
    x: &Facts<N>,
    first: impl Fn(Interval) -> Interval,
    second: impl Fn(Interval) -> Interval,
) -> Form<N> {
    let center = Interval::point(x.form.center);
    let all = first(x.range);
    let bend = second(x.range.hull(center));
    let at = first(center);
    if bend.is_finite() && at.is_finite() {
        let form = x.form.sloped(at, bend);
        if form.radius() <= all.width() {
            return form;
        }
    }
    Form::interval(all)
}

/// A square root.
pub fn square_root<const N: usize>(a: &Facts<N>, node: NodeId) -> Result<Facts<N>, Trouble> {
    if a.real.lo < 0.0 || a.float.lo < 0.0 {
        return Err(Trouble::Domain(node));
    }
    let (real, float) = (a.real.sqrt(), a.float.sqrt());
    // |sqrt(f) - sqrt(r)| = |f - r| / (sqrt f + sqrt r), at most sqrt |f - r|.
    let below = add_up(real.lo, float.lo) * (1.0 - 1e-15);
    // sqrt(1 + d) is at most 1 + d/2, and 1 - sqrt(1 - d) at most d / (2 - d).
    let half = if a.relative < 1.0 { a.relative / (2.0 - a.relative) } else { a.relative };
    let by_relative = number(real.hi * half) + a.floor.sqrt();
    let error = (a.error / below).min(a.error.sqrt()).min(by_relative) * SPARE;
    let error = number(error);
    let least = a.range.lo;
    let center = a.form.center;
    let smooth = least > 0.0 && center > 0.0 && a.drift < 0.25 * least;
    let common = Facts {
        real,
        float,
        grain: NO_GRAIN,
        bits: UNKNOWN_BITS,
        error,
        drift: error,
        relative: half * SPARE,
        floor: a.floor.sqrt() * SPARE,
        ..*a
    };
    if !smooth {
        let range = real.hull(float);
        let slip = Slip { mid: 0.0, rad: error };
        return Ok(Facts { form: Form::interval(range), range, slip, cut: true, ..common });
    }
    let range = a.range.hull(Interval::point(center));
    let at = Interval::point(center).sqrt();
    let bend = -(Interval::point(4.0) * range.sqrt().powi(3)).recip();
    let form = a.form.curved(at, (Interval::point(2.0) * at).recip(), bend);
    let steep = Interval::point(0.5) / a.range.sqrt();
    let range = form.range().narrowed(a.range.sqrt());
    let drift = a.drift * steep.magnitude() * SPARE;
    Ok(Facts { form, range, drift, slip: Slip::NONE, cut: false, ..common })
}

/// A library function of one argument.
pub fn unary<const N: usize>(
    function: Libm,
    a: &Facts<N>,
    node: NodeId,
) -> Result<Facts<N>, Trouble> {
    let both = a.real.hull(a.float);
    // Values on the way may lie outside the domain where both ends lie inside.
    let (way, outside) = match function.value(a.range) == Interval::ALL {
        true => (both, true),
        false => (a.range, false),
    };
    let whole = function.value(way);
    if whole == Interval::ALL {
        return Err(Trouble::Domain(node));
    }
    let center = Interval::point(a.form.center);
    let hull = way.hull(center);
    let form = a.form.curved(function.value(center), function.slope(center), function.bend(hull));
    let form = if form.is_finite() && !outside { form } else { Form::interval(whole) };
    let steep = function.slope(both).magnitude();
    let (real, float) = (function.value(a.real), function.value(a.float));
    let spread = (float - real).magnitude();
    let error = if a.error == 0.0 { 0.0 } else { number(a.error * steep * SPARE).min(spread) };
    let error = match function {
        // Steepest at the ends of the domain: acos(1 - e) is at most pi/2 sqrt(e).
        Libm::Asin | Libm::Acos => error.min(FRAC_PI_2 * a.error.sqrt() * SPARE),
        _ => error,
    };
    let (mut relative, mut floor) = condition(error, real);
    if matches!(function, Libm::Exp | Libm::Exp2) && a.error < 0.1 {
        // e^(a + d) = e^a e^d, and e^d - 1 is at most d + d^2 for such d; 2^d - 1 is less.
        let d = a.error;
        (relative, floor) = ((d + d * d) * SPARE, 0.0);
    }
    if let Some(factor) = function.condition(both.widened(a.floor))
        && a.relative < 0.01
        && factor * a.relative < 0.1
    {
        // ln |f| grows at most `factor` times as fast as ln |x|: f(x (1 + d)) is f(x) times at
        // most (1 + d)^factor, and what is beyond the relative error is carried by the slope.
        let d = factor * a.relative;
        let beyond = if a.floor == 0.0 {
            0.0
        } else {
            number(function.slope(both.widened(a.floor)).magnitude() * a.floor * SPARE)
        };
        let carried = (d * (1.0 + d) * SPARE, beyond);
        if carried.1.is_finite() && carried.0 < relative + if floor > 0.0 { 1.0 } else { 0.0 } {
            (relative, floor) = carried;
        }
    }
    let singular = outside || !function.slope(a.range).is_finite();
    let drift = if singular {
        error
    } else if a.drift == 0.0 {
        0.0
    } else {
        number(a.drift * function.slope(a.range).magnitude() * SPARE)
    };
    Ok(Facts {
        form,
        range: form.range().narrowed(whole),
        real,
        float,
        grain: NO_GRAIN,
        bits: UNKNOWN_BITS,
        slip: if singular { Slip { mid: 0.0, rad: error } } else { Slip::NONE },
        error,
        drift,
        relative,
        floor,
        cut: singular,
    })
}

/// A library function of two arguments.
pub fn binary<const N: usize>(
    function: Libm,
    a: &Facts<N>,
    b: &Facts<N>,
    node: NodeId,
) -> Result<Facts<N>, Trouble> {
    let value = |x: Interval, y: Interval| match function {
        Libm::Pow => functions::pow(x, y),
        Libm::Atan2 => functions::atan2(x, y),
        Libm::Hypot => functions::hypot(x, y),
        other => unreachable!("{} takes one argument", other.name()),
    };
    let whole = value(a.range, b.range);
    if whole == Interval::ALL {
        return Err(Trouble::Domain(node));
    }
    // Both arguments move: the mean value theorem with partial derivatives on the whole range.
    let (x, y) = (a.form.center, b.form.center);
    let at = value(Interval::point(x), Interval::point(y));
    let (by_a, by_b) = slopes(function, a.range, b.range, whole);
    let rise = a.form.sloped(Interval::ZERO, by_a) + b.form.sloped(Interval::ZERO, by_b);
    let middle = at.middle();
    let form = rise.shifted(middle).widened(at.radius_from(middle));
    let form = if form.is_finite() { form } else { Form::interval(whole) };
    let carried = |x: f64, y: f64| {
        let part = |error: f64, slope: Interval| {
            if error == 0.0 { 0.0 } else { error * slope.magnitude() }
        };
        number((part(x, by_a) + part(y, by_b)) * SPARE)
    };
    let error = carried(a.error, b.error);
    let real = value(a.real, b.real);
    let (mut relative, mut floor) = condition(error, real);
    if let Some(conveyed) = conveyed(function, a, b)
        && conveyed.0 < relative + if floor > 0.0 { 1.0 } else { 0.0 }
    {
        (relative, floor) = conveyed;
    }
    Ok(Facts {
        form,
        range: form.range().narrowed(whole),
        real,
        float: value(a.float, b.float),
        grain: NO_GRAIN,
        bits: UNKNOWN_BITS,
        slip: Slip::NONE,
        error,
        drift: carried(a.drift, b.drift),
        relative,
        floor,
        cut: false,
    })
}

/// What a function of two arguments makes of relative errors: as [`Facts::relative`] and
/// [`Facts::floor`].
fn conveyed<const N: usize>(function: Libm, a: &Facts<N>, b: &Facts<N>) -> Option<(f64, f64)> {
    let (relative, floor) = match function {
        // The triangle inequality, for vectors that are off in both coordinates.
        Libm::Hypot => (a.relative.max(b.relative), add_up(a.floor, b.floor)),
        // |atan t| grows no faster than |t|, and its slope by the first argument is at most 1/x.
        Libm::Atan2 => {
            let least = b.real.lo.min(b.float.lo);
            let divisor = b.relative + b.floor / b.real.lo * SPARE;
            // Otherwise the quotient may change its sign.
            let keeps_sign = least > 0.0 && a.relative < 1.0 && divisor < 0.5;
            if !keeps_sign {
                return None;
            }
            ((a.relative + divisor) / (1.0 - divisor), a.floor / least)
        }
        // (1 + d)^n is at most e^(n d / (1 - d)) away from 1.
        Libm::Pow if b.error == 0.0 && b.range.lo == b.range.hi && a.floor == 0.0 => {
            let k = b.range.magnitude() * a.relative / (1.0 - a.relative) * SPARE;
            if a.relative.is_nan() || a.relative > 0.1 || k > 0.1 {
                return None;
            }
            (k + k * k, 0.0)
        }
        // Other functions of two arguments have no such law.
        _ => return None,
    };
    let (relative, floor) = (relative * SPARE, floor * SPARE);
    (relative.is_finite() && floor.is_finite()).then_some((relative, floor))
}

/// Encloses the partial derivatives of a function of two arguments.
fn slopes(function: Libm, x: Interval, y: Interval, value: Interval) -> (Interval, Interval) {
    match function {
        Libm::Pow if y.lo == y.hi => {
            (y * functions::pow(x, y - Interval::point(1.0)), Interval::ZERO)
        }
        Libm::Pow => (y * value / x, value * Libm::Log.value(x)),
        Libm::Atan2 => {
            // Of y over x: the first argument is y.
            let square = x.square() + y.square();
            (y / square, -(x / square))
        }
        Libm::Hypot => (
            (x / value).narrowed(Interval::symmetric(1.0)),
            (y / value).narrowed(Interval::symmetric(1.0)),
        ),
        other => unreachable!("{} takes one argument", other.name()),
    }
}

/// The partial derivatives as forms; none where the argument is a constant without error.
pub fn partials<const N: usize>(
    function: Libm,
    a: &Facts<N>,
    b: &Facts<N>,
    value: &Form<N>,
) -> (Form<N>, Option<Form<N>>) {
    let (x, y) = (&a.form, &b.form);
    match function {
        Libm::Pow if b.range.lo == b.range.hi => {
            let n = b.range;
            let one = Interval::point(1.0);
            let first = |x: Interval| n * functions::pow(x, n - one);
            let second = |x: Interval| n * (n - one) * functions::pow(x, n - one - one);
            (slope(a, first, second), None)
        }
        Libm::Pow => {
            let by_a = y.times(value).times(&recip(a));
            let log = slope(a, |x| Libm::Log.value(x), |x| Libm::Log.slope(x));
            (by_a, Some(value.times(&log)))
        }
        Libm::Atan2 => {
            let square = x.times(x) + y.times(y);
            let range = square.range().narrowed(a.range.square() + b.range.square());
            let inverse = recip(&Facts { form: square, range, ..*a });
            (y.times(&inverse), Some(-x.times(&inverse)))
        }
        Libm::Hypot => {
            let whole = value.range().narrowed(functions::hypot(a.range, b.range));
            let inverse = recip(&Facts { form: *value, range: whole, ..*a });
            (x.times(&inverse), Some(y.times(&inverse)))
        }
        other => unreachable!("{} takes one argument", other.name()),
    }
}
