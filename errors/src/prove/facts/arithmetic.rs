//! What arithmetic makes of what is known of its operands.

use super::{Facts, NO_GRAIN, SPARE, UNKNOWN_BITS, condition, number};
use crate::interval::{Interval, add_up};
use crate::prove::form::Form;
use crate::rounding::Slip;
use nanoscope_ieee::Rounding;

/// A sum or, with a negative sign, a difference.
pub fn sum<const N: usize>(a: &Facts<N>, b: &Facts<N>, sign: f64) -> Facts<N> {
    let negated = Facts { form: -b.form, range: -b.range, real: -b.real, float: -b.float, ..*b };
    let b = if sign < 0.0 { &negated } else { b };
    let form = a.form + b.form;
    let real = a.real + b.real;
    let range = form.range().narrowed(a.range + b.range);
    let error = add_up(a.error, b.error);
    let same_sign =
        (a.real.lo >= 0.0 && b.real.lo >= 0.0) || (a.real.hi <= 0.0 && b.real.hi <= 0.0);
    let (relative, floor) = if same_sign {
        (a.relative.max(b.relative), add_up(a.floor, b.floor))
    } else {
        condition(error, real.narrowed(range))
    };
    Facts {
        form,
        range,
        real,
        float: a.float + b.float,
        grain: a.grain.min(b.grain),
        bits: UNKNOWN_BITS,
        slip: Slip::NONE,
        error,
        drift: add_up(a.drift, b.drift),
        relative,
        floor,
        cut: false,
    }
}

/// A product.
pub fn product<const N: usize>(a: &Facts<N>, b: &Facts<N>) -> Facts<N> {
    let form = a.form.times(&b.form);
    let error = (a.float.magnitude() * b.error + b.real.magnitude() * a.error) * SPARE;
    Facts {
        form,
        range: form.range().narrowed(a.range * b.range),
        real: a.real * b.real,
        float: a.float * b.float,
        grain: a.grain.saturating_add(b.grain),
        bits: if a.bits == 1 || b.bits == 1 {
            a.bits.max(b.bits)
        } else {
            a.bits.saturating_add(b.bits)
        },
        slip: Slip::NONE,
        error: number(error),
        drift: number((a.range.magnitude() * b.drift + b.real.magnitude() * a.drift) * SPARE),
        relative: number((a.relative + b.relative + a.relative * b.relative) * SPARE),
        floor: number(
            (a.floor * b.float.magnitude() + b.floor * a.float.magnitude() + a.floor * b.floor)
                * SPARE,
        ),
        cut: false,
    }
}

/// The reciprocal of a form that excludes 0.
pub fn recip<const N: usize>(b: &Facts<N>) -> Form<N> {
    let center = Interval::point(b.form.center);
    let range = b.range.hull(center);
    if range.contains(0.0) {
        return Form::interval(b.range.recip());
    }
    let bend = Interval::point(2.0) / range.powi(3);
    b.form.curved(center.recip(), -center.square().recip(), bend)
}

/// A quotient by what excludes 0.
pub fn quotient<const N: usize>(a: &Facts<N>, b: &Facts<N>) -> Facts<N> {
    let inverse = recip(b);
    let form = a.form.times(&inverse);
    let real = a.real / b.real;
    let least = b.float.mignitude();
    let error = (a.error / least + real.magnitude() * b.error / least) * SPARE;
    let divisor = b.relative + b.floor / b.real.mignitude() * SPARE;
    let relative = if divisor < 0.5 {
        (a.relative + divisor) / (1.0 - divisor) * SPARE
    } else {
        f64::INFINITY
    };
    Facts {
        form,
        range: form.range().narrowed(a.range / b.range),
        real,
        float: a.float / b.float,
        grain: NO_GRAIN,
        bits: UNKNOWN_BITS,
        slip: Slip::NONE,
        error: number(error),
        drift: number((a.drift + real.magnitude() * b.drift) / b.range.mignitude() * SPARE),
        relative,
        floor: a.floor / least * SPARE,
        cut: false,
    }
}

/// A quotient where only values on the way from the real divisor to the float may be 0: its error
/// is bounded as a whole.
pub fn quotient_as_a_whole<const N: usize>(a: &Facts<N>, b: &Facts<N>) -> Facts<N> {
    let both = b.real.hull(b.float);
    let result = quotient(a, &Facts { form: Form::interval(both), range: both, ..*b });
    let range = result.real.hull(result.float);
    let error = result.error.min((result.float - result.real).magnitude());
    Facts {
        form: Form::interval(range),
        range,
        error,
        drift: error,
        slip: Slip { mid: 0.0, rad: error },
        cut: true,
        ..result
    }
}

/// A quotient of numbers that are not negative, the dividend no larger than the divisor, which
/// excludes 0: between 0 and 1 however small both are.
pub fn quotient_of_ordered<const N: usize>(a: &Facts<N>, b: &Facts<N>) -> Facts<N> {
    let unit = Interval::new(0.0, 1.0);
    let result = quotient(a, b);
    let (real, float) = (result.real.narrowed(unit), result.float.narrowed(unit));
    if result.error.is_finite() && result.form.is_finite() {
        return Facts { real, float, ..result };
    }
    // |a'/b' - a/b| is at most |a' - a| / b' + (a/b) |b' - b| / b'.
    let off = add_up(a.error, b.error);
    let error = if off == 0.0 { 0.0 } else { (off / b.float.lo * SPARE).min(1.0) };
    Facts {
        form: Form::interval(unit),
        range: unit,
        real,
        float,
        error,
        drift: error,
        slip: Slip { mid: 0.0, rad: error },
        relative: number(result.relative),
        floor: number(result.floor),
        cut: true,
        ..result
    }
}

/// The absolute value.
pub fn absolute_value<const N: usize>(a: &Facts<N>) -> Facts<N> {
    let form = if a.range.lo >= 0.0 {
        a.form
    } else if a.range.hi <= 0.0 {
        -a.form
    } else {
        Form::interval(a.range.abs())
    };
    Facts {
        form,
        range: a.range.abs(),
        real: a.real.abs(),
        float: a.float.abs(),
        slip: Slip::NONE,
        cut: false,
        ..*a
    }
}

/// The lesser of two.
pub fn lesser<const N: usize>(a: &Facts<N>, b: &Facts<N>) -> Facts<N> {
    let difference = (a.form - b.form).range();
    let form = if difference.hi <= 0.0 {
        a.form
    } else if difference.lo >= 0.0 {
        b.form
    } else {
        Form::interval(a.range.min(b.range))
    };
    let same_sign =
        (a.real.lo >= 0.0 && b.real.lo >= 0.0) || (a.real.hi <= 0.0 && b.real.hi <= 0.0);
    let error = a.error.max(b.error);
    let (relative, floor) =
        if same_sign { (a.relative.max(b.relative), a.floor.max(b.floor)) } else { (0.0, error) };
    Facts {
        form,
        range: a.range.min(b.range),
        real: a.real.min(b.real),
        float: a.float.min(b.float),
        grain: a.grain.min(b.grain),
        bits: a.bits.max(b.bits),
        slip: Slip::NONE,
        error,
        drift: a.drift.max(b.drift),
        relative,
        floor,
        cut: false,
    }
}

/// A number rounded to an integer.
pub fn integral<const N: usize>(mode: Rounding, a: &Facts<N>) -> Facts<N> {
    let round = |x: f64| match mode {
        Rounding::NearestEven => x.round_ties_even(),
        Rounding::NearestAway => x.round(),
        Rounding::Upward => x.ceil(),
        Rounding::Downward => x.floor(),
        Rounding::TowardZero => x.trunc(),
    };
    let of = |x: Interval| Interval { lo: round(x.lo), hi: round(x.hi) };
    let (real, float) = (of(a.real), of(a.float));
    let range = real.hull(float);
    // Two numbers `e` apart have integers at most `ceil(e)` apart.
    let error = (float - real).magnitude().min(a.error.ceil());
    Facts {
        form: Form::interval(range),
        range,
        real,
        float,
        grain: 0,
        bits: a.bits,
        slip: Slip { mid: 0.0, rad: error },
        error,
        drift: error,
        relative: if error == 0.0 { 0.0 } else { f64::INFINITY },
        floor: 0.0,
        cut: true,
    }
}
