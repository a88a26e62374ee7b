//! What is known of one node on a box of inputs, and how an operation's exact result is rounded.

mod arithmetic;
mod library;

pub use arithmetic::{
    absolute_value, integral, lesser, product, quotient, quotient_as_a_whole, quotient_of_ordered,
    recip, sum,
};
pub use library::{binary, partials, slope, square_root, unary};

use crate::functions::Enclosed;
use crate::graph::Operation;
use crate::graph::tape::{Action, Constant, Step, TapeInput};
use crate::graph::{InputError, Model, NodeId};
use crate::interval::{Interval, add_down, add_up};
use crate::prove::form::Form;
use crate::rounding::{Grid, Slip, power_of_two};
use nanoscope_ieee::Libm;

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
