//! What is known of one node on a box of inputs, and what each operation makes of it.

use crate::functions::{self, Enclosed};
use crate::graph::Operation;
use crate::graph::tape::{Action, Constant, Step, TapeInput};
use crate::graph::{InputError, Model, NodeId};
use crate::interval::{Interval, add_down, add_up};
use crate::prove::form::Form;
use crate::rounding::{Grid, Slip, power_of_two};
use nanoscope_ieee::{Libm, Rounding};
use std::f64::consts::FRAC_PI_2;

/// Covers the roundings of a few `f64` operations on bounds.
pub const SPARE: f64 = 1.0 + 1e-14;
/// Any number of significant bits.
const UNKNOWN_BITS: i32 = i32::MAX / 4;
/// Multiples of nothing in particular.
const NO_GRAIN: i32 = i32::MIN / 4;

/// Why there is no bound on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// An input has no bounds.
    Unbounded(usize),
    /// A result may exceed its format.
    Overflow(NodeId),
    /// A divisor may be zero.
    Divisor(NodeId),
    /// An argument may be outside the domain of a function.
    Domain(NodeId),
}

impl Trouble {
    /// The same trouble inside a call of a function.
    pub fn inside(self, call: NodeId) -> Trouble {
        match self {
            Trouble::Unbounded(_) | Trouble::Overflow(_) => Trouble::Overflow(call),
            Trouble::Divisor(_) => Trouble::Divisor(call),
            Trouble::Domain(_) => Trouble::Domain(call),
        }
    }
}

/// The error that is made inside a call.
#[derive(Clone, Copy, Debug)]
pub struct Inside {
    /// Bounds it.
    pub slip: f64,
    /// It is at most `relative` times the exact result and `floor` more.
    pub relative: f64,
    /// See `relative`.
    pub floor: f64,
}

/// What is known of a node on a box.
#[derive(Clone, Copy, Debug)]
pub struct Facts<const N: usize> {
    /// Its values on the way from reals to floats.
    pub form: Form<N>,
    /// The same as an interval.
    pub range: Interval,
    /// Its real values.
    pub real: Interval,
    /// Its float values.
    pub float: Interval,
    /// The floats are multiples of two to this power.
    pub grain: i32,
    /// The floats have at most so many significant bits.
    pub bits: i32,
    /// The error made here.
    pub slip: Slip,
    /// Bounds how far the float is from the real: the errors of operands carried forward.
    pub error: f64,
    /// The same for everything on the way to the float.
    pub drift: f64,
    /// The float `f` and the real `r` satisfy `|f - r| <= relative |r| + floor`.
    pub relative: f64,
    /// See `relative`.
    pub floor: f64,
    /// Whether the errors of the operands are in `slip`.
    pub cut: bool,
}

impl<const N: usize> Facts<N> {
    /// Nothing is known.
    pub const UNKNOWN: Facts<N> = Facts {
        form: Form { center: 0.0, slopes: [0.0; N], rest: f64::INFINITY },
        range: Interval::ALL,
        real: Interval::ALL,
        float: Interval::ALL,
        grain: NO_GRAIN,
        bits: UNKNOWN_BITS,
        slip: Slip::NONE,
        error: f64::INFINITY,
        drift: f64::INFINITY,
        relative: f64::INFINITY,
        floor: f64::INFINITY,
        cut: true,
    };

    /// What is known of a constant.
    pub fn constant(constant: &Constant) -> Facts<N> {
        let error = constant.slip.magnitude();
        let (relative, floor) = condition(error, constant.real);
        let range = constant.real.hull(constant.float);
        Facts {
            form: Form::interval(range),
            range,
            real: constant.real,
            float: constant.float,
            grain: constant.grain,
            bits: constant.bits,
            slip: constant.slip,
            error,
            drift: error,
            relative,
            floor,
            cut: false,
        }
    }

    /// The negative.
    pub fn flipped(&self) -> Facts<N> {
        Facts {
            form: -self.form,
            range: -self.range,
            real: -self.real,
            float: -self.float,
            ..*self
        }
    }

    /// The same where the real value lies in an interval; none: it does not.
    pub fn with_real(self, limit: Interval) -> Option<Facts<N>> {
        let real = self.real.meet(limit)?;
        self.consistent(real, self.float)
    }

    /// The same where the float lies in an interval; none: it does not.
    pub fn with_float(self, limit: Interval) -> Option<Facts<N>> {
        let float = self.float.meet(limit)?;
        self.consistent(self.real, float)
    }

    /// The same where all values on the way lie in an interval.
    pub fn with_range(self, limit: Interval) -> Facts<N> {
        Facts {
            range: self.range.narrowed(limit),
            real: self.real.narrowed(limit),
            float: self.float.narrowed(limit),
            ..self
        }
    }

    /// The float and the real are `error` apart, and the way to the float stays near the real.
    fn consistent(self, real: Interval, float: Interval) -> Option<Facts<N>> {
        let near = |x: Interval, reach: f64| match reach.is_finite() {
            true => x.widened(reach),
            false => Interval::ALL,
        };
        let float = float.meet(near(real, self.error))?;
        let real = real.meet(near(float, self.error))?;
        let error = self.error.min((float - real).magnitude());
        let range = self.range.narrowed(near(real, self.drift));
        Some(Facts { real, float, range, error, ..self })
    }

    /// Rounds what an operation has computed exactly: `slip`, if any, is an error already made.
    pub fn rounded(self, step: &Step) -> Result<Facts<N>, Trouble> {
        let Some(grid) = step.grid else { return Ok(self) };
        let float = self.float.narrowed(self.range);
        if let Some(Model { delta, epsilon }) = step.model {
            let rad = (float.magnitude() * delta + epsilon) * SPARE;
            return self.with_slip(step, grid, float, Slip { mid: 0.0, rad }, delta, epsilon);
        }
        let slip = grid.slip(float, self.grain, self.bits);
        // Multiples of the smallest float are exact where they are subnormal.
        let small = slip != Slip::NONE
            && float.mignitude() < grid.smallest_normal()
            && self.grain < grid.quantum();
        let floor = if small { grid.subnormal_slip() } else { 0.0 };
        let relative = if slip == Slip::NONE { 0.0 } else { grid.unit_roundoff() };
        self.with_slip(step, grid, float, slip, relative, floor)
    }

    /// Rounds a product with a power of two: only what becomes subnormal is inexact.
    pub fn shifted_exactly(self, step: &Step, grows: bool) -> Result<Facts<N>, Trouble> {
        // An operand of a wider format may have too many bits.
        if step.model.is_some() || i64::from(self.bits) > i64::from(step.precision) {
            return self.rounded(step);
        }
        let Some(grid) = step.grid else { return Ok(self) };
        let float = self.float.narrowed(self.range);
        if grows || float.mignitude() >= grid.smallest_normal() {
            return self.with_slip(step, grid, float, Slip::NONE, 0.0, 0.0);
        }
        let both = Slip { mid: 0.0, rad: grid.subnormal_slip() };
        self.with_slip(step, grid, float, both, 0.0, both.rad)
    }

    /// Rounds the result of a library function.
    pub fn library(self, function: Libm, step: &Step) -> Result<Facts<N>, Trouble> {
        if step.model.is_some() {
            return self.rounded(step);
        }
        let Some(grid) = step.grid else { return Ok(self) };
        let float = self.float.narrowed(self.range);
        let ulps = function.accuracy(step.precision);
        let unit = power_of_two(grid.ulp_exponent(float.magnitude()).max(-1074));
        let slip = Slip { mid: 0.0, rad: ulps * unit * SPARE };
        let relative = ulps * power_of_two(1 - step.precision as i32) * SPARE;
        let floor = if float.mignitude() < grid.smallest_normal() {
            ulps * power_of_two(grid.quantum().max(-1074)) * SPARE
        } else {
            0.0
        };
        self.with_slip(step, grid, float, slip, relative, floor)
    }

    /// Rounds the result of a call by the error that is made inside.
    pub fn called(self, inside: Inside, step: &Step) -> Result<Facts<N>, Trouble> {
        let Some(grid) = step.grid else { return Ok(self) };
        let float = self.float.narrowed(self.range);
        let Inside { slip, relative, floor } = inside;
        self.with_slip(step, grid, float, Slip { mid: 0.0, rad: slip }, relative, floor)
    }

    fn with_slip(
        self,
        step: &Step,
        grid: Grid,
        float: Interval,
        slip: Slip,
        relative: f64,
        floor: f64,
    ) -> Result<Facts<N>, Trouble> {
        if float.magnitude().is_nan() || float.magnitude() > grid.largest() {
            return Err(Trouble::Overflow(step.node));
        }
        let size = slip.magnitude();
        let rounded = grid.round(float);
        let near = float.widened(size).narrowed(off_relatively(float, relative, floor));
        let float = if slip == Slip::NONE { float } else { near };
        // Rounding is monotone; a library function or a model need not be.
        let float = if step.model.is_some()
            || matches!(
                step.action,
                Action::Operation(
                    Operation::Unary(..) | Operation::Binary(..) | Operation::Call(_)
                )
            ) {
            float
        } else {
            float.narrowed(rounded)
        };
        let form = self.form.widened(size);
        let real = self.real.narrowed(self.range);
        let drift = add_up(self.drift, size);
        let range = form.range().narrowed(self.range.widened(size)).narrowed(real.widened(drift));
        let carried = add_up(self.error, size);
        let spread = (float - real).magnitude();
        let error = carried.min(spread);
        let float = float.narrowed(real.widened(error));
        let made = self.slip;
        Ok(Facts {
            form,
            range,
            real,
            float,
            grain: if step.model.is_some() {
                NO_GRAIN
            } else {
                self.grain.max(grid.grain(float.mignitude()))
            },
            bits: self.bits.min(step.precision.min(UNKNOWN_BITS as u32) as i32),
            slip: Slip { mid: slip.mid, rad: add_up(slip.rad, made.magnitude()) },
            error,
            drift,
            relative: number((self.relative + relative + self.relative * relative) * SPARE),
            floor: number((self.floor * (1.0 + relative) + floor) * SPARE),
            cut: self.cut,
        })
    }
}

/// What is known of an input on a side of a box.
pub fn input<const N: usize>(
    input: &TapeInput,
    index: usize,
    side: Interval,
    step: &Step,
) -> Result<Facts<N>, Trouble> {
    if !side.is_finite() {
        return Err(Trouble::Unbounded(input.input));
    }
    let (float, slip) = match (input.error, step.grid) {
        (InputError::None, _) | (InputError::HalfUlp, None) => (side, Slip::NONE),
        (InputError::Absolute(error), _) => (side.widened(error), Slip { mid: 0.0, rad: error }),
        (InputError::HalfUlp, Some(grid)) => {
            (grid.round(side), grid.slip(side, NO_GRAIN, UNKNOWN_BITS))
        }
    };
    if let Some(grid) = step.grid
        && float.magnitude() > grid.largest()
    {
        return Err(Trouble::Overflow(step.node));
    }
    let range = side.hull(float);
    let center = side.middle();
    let radius = side.radius_from(center);
    let mut form = Form::constant(center);
    if index < N {
        form.slopes[index] = radius;
    } else {
        form.rest = radius;
    }
    let error = slip.magnitude();
    let grain = match step.grid {
        None if input.integer => 0,
        None => NO_GRAIN,
        Some(grid) => {
            let fine = grid.grain(float.mignitude());
            if input.integer { fine.max(0) } else { fine }
        }
    };
    let (relative, floor) = match step.grid {
        _ if error == 0.0 => (0.0, 0.0),
        Some(grid) if matches!(input.error, InputError::HalfUlp) => {
            let small = side.mignitude() < grid.smallest_normal();
            (grid.unit_roundoff(), if small { grid.subnormal_slip() } else { 0.0 })
        }
        Some(_) | None => (0.0, error),
    };
    Ok(Facts {
        form: form.widened(error),
        range,
        real: side,
        float,
        grain,
        bits: step.precision.min(UNKNOWN_BITS as u32) as i32,
        slip,
        error,
        drift: error,
        relative,
        floor,
        cut: false,
    })
}

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

/// What is no number is no bound.
fn number(bound: f64) -> f64 {
    if bound.is_nan() { f64::INFINITY } else { bound }
}

/// An interval whose members are off by a part of their own, and some more.
fn off_relatively(x: Interval, relative: f64, floor: f64) -> Interval {
    if relative.is_nan() || relative >= 0.5 {
        return Interval::ALL;
    }
    let off = |x: f64| (x.abs() * relative + floor) * SPARE;
    let (below, above) = (off(x.lo), off(x.hi));
    Interval { lo: add_down(x.lo, -below), hi: add_up(x.hi, above) }
}

/// A relative bound from an absolute one.
/// An error as a part of a real value, or what cannot be one.
pub fn condition(error: f64, real: Interval) -> (f64, f64) {
    let least = real.mignitude();
    if error == 0.0 {
        (0.0, 0.0)
    } else if least > 0.0 {
        (error / least * SPARE, 0.0)
    } else {
        (0.0, error)
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
    let (relative, floor) = condition(error, real);
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
