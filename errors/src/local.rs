//! The error of a computation on one box of inputs, bounded.
//!
//! Between the real computation (`t = 0`) and the float one (`t = 1`) lie computations in which
//! every rounding error is scaled by `t`. By the mean value theorem the difference of the results
//! is the sum over all roundings of the error made there times the derivative of the result with
//! respect to it, somewhere on the way. So values are enclosed for all `t` at once by affine
//! forms ([`Local::forward`]), derivatives by one reverse pass over the same forms
//! ([`Local::absolute`]), and no term of second order is left over.
//!
//! Where a derivative has no bound (a square root near 0, a jump), the pass is *cut*: the error of
//! that node is bounded as a whole from its operands' errors, and counts as an error made there.

use crate::form::Form;
use crate::functions::{self, Enclosed};
use crate::graph::{Comparison, InputError, Model, NodeId, Operation, Relation};
use crate::interval::{Interval, add_up};
use crate::rounding::{Grid, Slip};
use crate::tape::{Action, Constant, Step, Tape, TapeInput};
use nanoscope_ieee::{Libm, Rounding};

/// Covers the roundings of a few `f64` operations on bounds.
const SPARE: f64 = 1.0 + 1e-14;
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

/// An upper bound over a box and how it depends on the box's sides.
#[derive(Clone, Copy, Debug)]
pub struct Ceiling<const N: usize> {
    /// The bound.
    pub bound: f64,
    /// How much each side matters for it.
    pub weight: [f64; N],
}

/// Evaluates a tape on boxes. `N` symbols are given to the first inputs of the tape.
pub struct Local<'t, const N: usize> {
    tape: &'t Tape,
    facts: Vec<Facts<N>>,
    /// Why nothing is known of a place.
    troubles: Vec<Option<Trouble>>,
    adjoints: Vec<Form<N>>,
}

impl<'t, const N: usize> Local<'t, N> {
    /// An evaluator of a tape.
    pub fn new(tape: &'t Tape) -> Local<'t, N> {
        Local {
            tape,
            facts: Vec::with_capacity(tape.steps.len()),
            troubles: Vec::with_capacity(tape.steps.len()),
            adjoints: Vec::new(),
        }
    }

    /// What is known of a place after [`Self::forward`].
    pub fn facts(&self, place: usize) -> &Facts<N> {
        &self.facts[place]
    }

    /// Why nothing is known of a place after [`Self::forward`], if so.
    pub fn trouble(&self, place: usize) -> Option<Trouble> {
        self.troubles[place]
    }

    /// Encloses all values on a box, which has a side for each input of the tape.
    pub fn forward(&mut self, sides: &[Interval]) {
        self.facts.clear();
        self.troubles.clear();
        let tape = self.tape;
        for step in &tape.steps {
            let computed = match step.action {
                Action::Input(index) => {
                    input(&tape.inputs[index as usize], index as usize, sides[index as usize], step)
                }
                Action::Constant(constant) if !constant.float.is_finite() => {
                    Err(Trouble::Overflow(step.node))
                }
                Action::Constant(constant) => Ok(Facts::constant(&constant)),
                Action::Operation(operation) => {
                    let mut operands = operation.operands();
                    match operands.find_map(|operand| self.troubles[operand.index()]) {
                        Some(trouble) => Err(trouble),
                        None => self.operation(operation, step),
                    }
                }
            };
            self.troubles.push(computed.as_ref().err().copied());
            let facts = computed.unwrap_or(Facts::UNKNOWN);
            self.facts.push(facts);
        }
    }

    /// Whether a comparison can hold, of the reals or of the floats.
    pub fn may_hold(&self, comparison: &Comparison) -> bool {
        let left = &self.facts[self.tape.place(comparison.left)];
        let right = &self.facts[self.tape.place(comparison.right)];
        let difference = (left.form - right.form).range().narrowed(left.range - right.range);
        match comparison.relation {
            Relation::Less => difference.lo < 0.0,
            Relation::LessEqual => difference.lo <= 0.0,
            Relation::Equal => difference.contains(0.0),
            Relation::NotEqual => difference != Interval::ZERO,
        }
    }

    /// Whether a comparison can hold of the reals.
    pub fn may_hold_really(&self, comparison: &Comparison) -> bool {
        let left = &self.facts[self.tape.place(comparison.left)];
        let right = &self.facts[self.tape.place(comparison.right)];
        let difference = left.real - right.real;
        let possible = match comparison.relation {
            Relation::Less => difference.lo < 0.0,
            Relation::LessEqual => difference.lo <= 0.0,
            Relation::Equal => difference.contains(0.0),
            Relation::NotEqual => difference != Interval::ZERO,
        };
        possible && self.may_hold(comparison)
    }

    /// Bounds how far the float at `float` is from the real at `real`, two different nodes.
    pub fn apart(&self, float: usize, real: usize) -> f64 {
        let (f, r) = (&self.facts[float], &self.facts[real]);
        let forms = (f.form - r.form).range().magnitude();
        let ranges = (f.float - r.real).magnitude();
        forms.min(ranges)
    }

    /// Bounds the relative error at a place, measured at least against the smallest normal.
    pub fn relative(&self, place: usize, absolute: f64) -> f64 {
        let facts = &self.facts[place];
        let normal = self.tape.steps[place].grid.map_or(0.0, |grid| grid.smallest_normal());
        let least = facts.real.mignitude().max(normal);
        let quotient = if absolute == 0.0 { 0.0 } else { absolute / least * SPARE };
        let carried = (facts.relative + facts.floor / least) * SPARE;
        quotient.min(if carried.is_nan() { f64::INFINITY } else { carried })
    }

    /// The quotient of an error and the least real value at a place.
    pub fn relative_of(&self, place: usize, absolute: f64) -> f64 {
        let normal = self.tape.steps[place].grid.map_or(0.0, |grid| grid.smallest_normal());
        let least = self.facts[place].real.mignitude().max(normal);
        if absolute == 0.0 { 0.0 } else { absolute / least * SPARE }
    }

    /// Bounds the absolute error at a place by a reverse pass; tells every error source to
    /// `source` with its bound.
    pub fn absolute(&mut self, output: usize, mut source: impl FnMut(usize, f64)) -> Ceiling<N> {
        self.adjoints.clear();
        self.adjoints.resize(output + 1, Form::ZERO);
        self.adjoints[output] = Form::constant(1.0);
        let mut weight = [0.0; N];
        let mut above = Form::<N>::ZERO;
        let mut signed = Form::<N>::ZERO;
        for place in (0..=output).rev() {
            let adjoint = self.adjoints[place];
            if adjoint == Form::ZERO {
                continue;
            }
            let facts = self.facts[place];
            let Slip { mid, rad } = facts.slip;
            if rad > 0.0 {
                let absolute = adjoint.absolute_above();
                above = above + absolute.scaled(rad);
                add(&mut weight, &adjoint.slopes, rad);
                // An error that is not the same all over the box depends on the node's value.
                let radius = facts.form.radius();
                if radius > 0.0 {
                    let share = rad * adjoint.center.abs() * 0.25 / radius;
                    let spread = facts.range.magnitude() > 2.0 * facts.range.mignitude();
                    if spread {
                        add(&mut weight, &facts.form.slopes, share);
                    }
                }
            }
            if mid != 0.0 {
                signed = signed + adjoint.scaled(mid);
            }
            if rad > 0.0 || mid != 0.0 {
                source(place, adjoint.range().magnitude() * facts.slip.magnitude());
            }
            if !facts.cut
                && let Action::Operation(operation) = self.tape.steps[place].action
            {
                self.propagate(operation, place, adjoint);
            }
        }
        let total = above + signed.absolute_above();
        let bound = total.range().hi;
        let bound = if bound.is_nan() { f64::INFINITY } else { bound.max(0.0) };
        add(&mut weight, &total.slopes, 1.0);
        add(&mut weight, &signed.slopes, 1.0);
        Ceiling { bound: bound.min(self.facts[output].error), weight }
    }

    /// Hands the derivative of a node on to its operands.
    fn propagate(&mut self, operation: Operation, place: usize, adjoint: Form<N>) {
        let facts = &self.facts;
        let form = |id: NodeId| &facts[id.index()].form;
        let mut give = |id: NodeId, more: Form<N>| {
            let adjoint = &mut self.adjoints[id.index()];
            *adjoint = if *adjoint == Form::ZERO { more } else { *adjoint + more };
        };
        match operation {
            Operation::Input(_) | Operation::Constant(_) | Operation::Integral(..) => {}
            Operation::Add(a, b) => {
                give(a, adjoint);
                give(b, adjoint);
            }
            Operation::Sub(a, b) => {
                give(a, adjoint);
                give(b, -adjoint);
            }
            Operation::Mul(a, b) => {
                give(a, adjoint.times(form(b)));
                give(b, adjoint.times(form(a)));
            }
            Operation::Div(a, b) => {
                let share = adjoint.times(&recip(&facts[b.index()]));
                give(a, share);
                give(b, -share.times(form(NodeId::new(place as u32))));
            }
            Operation::Fma(a, b, c) => {
                give(a, adjoint.times(form(b)));
                give(b, adjoint.times(form(a)));
                give(c, adjoint);
            }
            Operation::Neg(a) => give(a, -adjoint),
            Operation::Convert(a) => give(a, adjoint),
            Operation::Abs(a) => {
                let range = facts[a.index()].range;
                if range.lo >= 0.0 {
                    give(a, adjoint);
                } else if range.hi <= 0.0 {
                    give(a, -adjoint);
                } else {
                    give(a, adjoint.times(&Form::interval(Interval::symmetric(1.0))));
                }
            }
            Operation::Min(a, b) | Operation::Max(a, b) => {
                let difference = (*form(a) - *form(b)).range();
                let least = matches!(operation, Operation::Min(..));
                if difference.hi <= 0.0 {
                    give(if least { a } else { b }, adjoint);
                } else if difference.lo >= 0.0 {
                    give(if least { b } else { a }, adjoint);
                } else {
                    let part = adjoint.times(&Form::interval(Interval::new(0.0, 1.0)));
                    give(a, part);
                    give(b, part);
                }
            }
            Operation::Sqrt(a) => {
                let root = |x: Interval| (Interval::point(2.0) * x.sqrt()).recip();
                let bend = |x: Interval| -(Interval::point(4.0) * x.sqrt().powi(3)).recip();
                give(a, adjoint.times(&slope(&facts[a.index()], root, bend)));
            }
            Operation::Unary(function, a) => {
                let of = &facts[a.index()];
                give(a, adjoint.times(&slope(of, |x| function.slope(x), |x| function.bend(x))));
            }
            Operation::Binary(function, a, b) => {
                let (x, y) = (&facts[a.index()], &facts[b.index()]);
                let (by_a, by_b) = partials(function, x, y, form(NodeId::new(place as u32)));
                give(a, adjoint.times(&by_a));
                if let Some(by_b) = by_b {
                    give(b, adjoint.times(&by_b));
                }
            }
        }
    }

    /// Encloses the values of an operation from those of its operands.
    fn operation(&self, operation: Operation, step: &Step) -> Result<Facts<N>, Trouble> {
        let of = |id: NodeId| &self.facts[id.index()];
        let node = step.node;
        match operation {
            Operation::Input(_) | Operation::Constant(_) => unreachable!("folded by the tape"),
            // Twice a number is a float with it.
            Operation::Add(a, b) if a == b => {
                Facts { bits: of(a).bits, ..sum(of(a), of(a), 1.0) }.rounded(step)
            }
            Operation::Add(a, b) => sum(of(a), of(b), 1.0).rounded(step),
            Operation::Sub(a, b) => sum(of(a), of(b), -1.0).rounded(step),
            Operation::Mul(a, b) if a == b => {
                let a = of(a);
                let mut result = product(a, a);
                result.range = result.range.narrowed(a.range.square());
                result.real = a.real.square();
                result.float = a.float.square();
                result.rounded(step)
            }
            Operation::Mul(a, b) => {
                let result = product(of(a), of(b));
                match (self.scale(a), self.scale(b)) {
                    (None, None) => result.rounded(step),
                    (Some(up), _) | (_, Some(up)) => result.shifted_exactly(step, up),
                }
            }
            Operation::Div(a, b) => {
                let (x, y) = (of(a), of(b));
                if y.range.contains(0.0) {
                    return Err(Trouble::Divisor(node));
                }
                let result = quotient(x, y);
                match self.scale(b) {
                    None => result.rounded(step),
                    Some(up) => Facts { bits: x.bits, ..result }
                        .shifted_exactly(step, !up || y.float.magnitude() == 1.0),
                }
            }
            Operation::Fma(a, b, c) => sum(&product(of(a), of(b)), of(c), 1.0).rounded(step),
            Operation::Neg(a) => {
                let a = of(a);
                Ok(Facts {
                    form: -a.form,
                    range: -a.range,
                    real: -a.real,
                    float: -a.float,
                    slip: Slip::NONE,
                    cut: false,
                    ..*a
                })
            }
            Operation::Abs(a) => {
                let a = of(a);
                let form = if a.range.lo >= 0.0 {
                    a.form
                } else if a.range.hi <= 0.0 {
                    -a.form
                } else {
                    Form::interval(a.range.abs())
                };
                Ok(Facts {
                    form,
                    range: a.range.abs(),
                    real: a.real.abs(),
                    float: a.float.abs(),
                    slip: Slip::NONE,
                    cut: false,
                    ..*a
                })
            }
            Operation::Min(a, b) => Ok(lesser(of(a), of(b))),
            Operation::Max(a, b) => {
                let flip = |x: &Facts<N>| Facts {
                    form: -x.form,
                    range: -x.range,
                    real: -x.real,
                    float: -x.float,
                    ..*x
                };
                Ok(flip(&lesser(&flip(of(a)), &flip(of(b)))))
            }
            Operation::Convert(a) => Facts { slip: Slip::NONE, cut: false, ..*of(a) }.rounded(step),
            Operation::Integral(mode, a) => Ok(integral(mode, of(a))),
            Operation::Sqrt(a) => square_root(of(a), node)?.rounded(step),
            Operation::Unary(function, a) => unary(function, of(a), node)?.library(function, step),
            Operation::Binary(function, a, b) => {
                binary(function, of(a), of(b), node)?.library(function, step)
            }
        }
    }

    /// Of a power of two: whether multiplying by it makes nothing smaller.
    fn scale(&self, id: NodeId) -> Option<bool> {
        match self.tape.steps[id.index()].action {
            Action::Constant(constant) if constant.power_of_two => {
                Some(constant.float.magnitude() >= 1.0)
            }
            Action::Constant(_) | Action::Input(_) | Action::Operation(_) => None,
        }
    }
}

impl<const N: usize> Facts<N> {
    /// Nothing is known.
    const UNKNOWN: Facts<N> = Facts {
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

    fn constant(constant: &Constant) -> Facts<N> {
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

    /// Rounds what an operation has computed exactly: `slip`, if any, is an error already made.
    fn rounded(self, step: &Step) -> Result<Facts<N>, Trouble> {
        let Some(grid) = step.grid else { return Ok(self) };
        let float = self.float.narrowed(self.range);
        if let Some(Model { delta, epsilon }) = step.model {
            let rad = (float.magnitude() * delta + epsilon) * SPARE;
            return self.with_slip(step, grid, float, Slip { mid: 0.0, rad }, delta, epsilon);
        }
        let slip = grid.slip(float, self.grain, self.bits);
        let small = slip != Slip::NONE && float.mignitude() < grid.smallest_normal();
        let floor = if small { grid.subnormal_slip() } else { 0.0 };
        let relative = if slip == Slip::NONE { 0.0 } else { grid.unit_roundoff() };
        self.with_slip(step, grid, float, slip, relative, floor)
    }

    /// Rounds a product with a power of two: only what becomes subnormal is inexact.
    fn shifted_exactly(self, step: &Step, grows: bool) -> Result<Facts<N>, Trouble> {
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
    fn library(self, function: Libm, step: &Step) -> Result<Facts<N>, Trouble> {
        if step.model.is_some() {
            return self.rounded(step);
        }
        let Some(grid) = step.grid else { return Ok(self) };
        let float = self.float.narrowed(self.range);
        let ulps = function.accuracy(step.precision);
        let unit = crate::rounding::power_of_two(grid.ulp_exponent(float.magnitude()).max(-1074));
        let slip = Slip { mid: 0.0, rad: ulps * unit * SPARE };
        let relative = ulps * crate::rounding::power_of_two(1 - step.precision as i32) * SPARE;
        let floor = if float.mignitude() < grid.smallest_normal() {
            ulps * crate::rounding::power_of_two(grid.quantum().max(-1074)) * SPARE
        } else {
            0.0
        };
        self.with_slip(step, grid, float, slip, relative, floor)
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
        let near = float.widened(size);
        let float = if slip == Slip::NONE { float } else { near };
        // Rounding is monotone; a library function or a model need not be.
        let float = if step.model.is_some()
            || matches!(
                step.action,
                Action::Operation(Operation::Unary(..) | Operation::Binary(..))
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
            relative: (self.relative + relative + self.relative * relative) * SPARE,
            floor: (self.floor * (1.0 + relative) + floor) * SPARE,
            cut: self.cut,
        })
    }
}

/// Adds the magnitudes of slopes to weights.
fn add<const N: usize>(weight: &mut [f64; N], slopes: &[f64; N], factor: f64) {
    for (weight, slope) in weight.iter_mut().zip(slopes) {
        *weight += factor * slope.abs();
    }
}

fn input<const N: usize>(
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

fn sum<const N: usize>(a: &Facts<N>, b: &Facts<N>, sign: f64) -> Facts<N> {
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

/// A relative bound from an absolute one.
fn condition(error: f64, real: Interval) -> (f64, f64) {
    let least = real.mignitude();
    if error == 0.0 {
        (0.0, 0.0)
    } else if least > 0.0 {
        (error / least * SPARE, 0.0)
    } else {
        (0.0, error)
    }
}

fn product<const N: usize>(a: &Facts<N>, b: &Facts<N>) -> Facts<N> {
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
        relative: (a.relative + b.relative + a.relative * b.relative) * SPARE,
        floor: (a.floor * b.float.magnitude() + b.floor * a.float.magnitude() + a.floor * b.floor)
            * SPARE,
        cut: false,
    }
}

/// The reciprocal of a form that excludes 0.
fn recip<const N: usize>(b: &Facts<N>) -> Form<N> {
    let center = Interval::point(b.form.center);
    let range = b.range.hull(center);
    if range.contains(0.0) {
        return Form::interval(b.range.recip());
    }
    let bend = Interval::point(2.0) / range.powi(3);
    b.form.curved(center.recip(), -center.square().recip(), bend)
}

fn quotient<const N: usize>(a: &Facts<N>, b: &Facts<N>) -> Facts<N> {
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

fn lesser<const N: usize>(a: &Facts<N>, b: &Facts<N>) -> Facts<N> {
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
fn slope<const N: usize>(
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

fn integral<const N: usize>(mode: Rounding, a: &Facts<N>) -> Facts<N> {
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

fn square_root<const N: usize>(a: &Facts<N>, node: NodeId) -> Result<Facts<N>, Trouble> {
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

fn unary<const N: usize>(function: Libm, a: &Facts<N>, node: NodeId) -> Result<Facts<N>, Trouble> {
    let whole = function.value(a.range);
    if whole == Interval::ALL {
        return Err(Trouble::Domain(node));
    }
    let center = Interval::point(a.form.center);
    let hull = a.range.hull(center);
    let form = a.form.curved(function.value(center), function.slope(center), function.bend(hull));
    let form = if form.is_finite() { form } else { Form::interval(whole) };
    let steep = function.slope(a.real.hull(a.float)).magnitude();
    let real = function.value(a.real);
    let error = if a.error == 0.0 { 0.0 } else { number(a.error * steep * SPARE) };
    let (mut relative, mut floor) = condition(error, real);
    if matches!(function, Libm::Exp | Libm::Exp2) && a.error < 0.1 {
        // e^(a + d) = e^a e^d, and e^d - 1 is at most d + d^2 for such d; 2^d - 1 is less.
        let d = a.error;
        (relative, floor) = ((d + d * d) * SPARE, 0.0);
    }
    let singular = !function.slope(a.range).is_finite();
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
        float: function.value(a.float),
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

fn binary<const N: usize>(
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
fn partials<const N: usize>(
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
