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

use crate::facts::{
    Facts, SPARE, Trouble, binary, input, integral, lesser, partials, product, quotient, recip,
    slope, square_root, sum, unary,
};
use crate::form::Form;
use crate::functions::Enclosed;
use crate::graph::{Comparison, NodeId, Operation, Relation};
use crate::interval::Interval;
use crate::rounding::Slip;
use crate::tape::{Action, Step, Tape};

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

/// Adds the magnitudes of slopes to weights.
fn add<const N: usize>(weight: &mut [f64; N], slopes: &[f64; N], factor: f64) {
    for (weight, slope) in weight.iter_mut().zip(slopes) {
        *weight += factor * slope.abs();
    }
}
