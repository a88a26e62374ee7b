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

mod summary;

use crate::call::{Summarise, called};
use crate::functions::Enclosed;
use crate::graph::tape::{Action, Step, Tape};
use crate::graph::{Call, Comparison, NodeId, Operation, Relation};
use crate::interval::{Interval, add_up};
use crate::prove::choice::{decided, least_apart, open_choice, width};
use crate::prove::conjugate;
use crate::prove::facts::{
    Facts, Inside, SPARE, Trouble, absolute_value, binary, input, integral, lesser, partials,
    product, quotient, quotient_as_a_whole, quotient_of_ordered, recip, slope, square_root, sum,
    unary,
};
use crate::prove::form::Form;
use crate::prove::near::Multiples;
use crate::prove::premises::{Limit, Premise, Premises, World};
use crate::prove::seam::Combinations;
use crate::prove::wide_form::{Wide, WideForms};
use crate::rounding::Slip;
use nanoscope_ieee::Libm;
use std::collections::HashMap;
use std::rc::Rc;
use summary::summarisers;

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
    /// Forms over all inputs and roundings, where there are too many inputs for `N` symbols.
    wide: Option<WideForms>,
    /// The functions that are called.
    functions: Vec<Box<dyn Summarise + 't>>,
    /// The derivatives of calls by their arguments.
    slopes: Slopes,
}

/// Derivatives of calls by their arguments, by place; none where a call's error is taken as a
/// whole.
type Slopes = HashMap<usize, Rc<[Interval]>>;

impl<'t, const N: usize> Local<'t, N> {
    /// An evaluator of a tape.
    pub fn new(tape: &'t Tape) -> Local<'t, N> {
        Local {
            tape,
            facts: Vec::with_capacity(tape.steps.len()),
            troubles: Vec::with_capacity(tape.steps.len()),
            adjoints: Vec::new(),
            wide: None,
            functions: summarisers(tape),
            slopes: Slopes::new(),
        }
    }

    /// An evaluator of a tape with many inputs.
    pub fn widely(tape: &'t Tape) -> Local<'t, N> {
        Local { wide: Some(WideForms::new(tape)), ..Local::new(tape) }
    }

    /// What is known of a place after [`Self::forward`].
    pub fn facts(&self, place: usize) -> &Facts<N> {
        &self.facts[place]
    }

    /// Why nothing is known of a place after [`Self::forward`], if so.
    pub fn trouble(&self, place: usize) -> Option<Trouble> {
        self.troubles[place]
    }

    /// Encloses all values on a box, which has a side for each input of the tape, as far as the
    /// premises hold. False: they do not hold anywhere on the box.
    pub fn forward(&mut self, sides: &[Interval], premises: &[&Premises]) -> bool {
        self.begin();
        self.pass(sides, premises)
    }

    /// Forgets what is known of calls.
    pub fn begin(&mut self) {
        for function in &mut self.functions {
            function.begin();
        }
    }

    /// The same as [`Self::forward`], with what is known of calls from passes before.
    pub fn pass(&mut self, sides: &[Interval], premises: &[&Premises]) -> bool {
        self.facts.clear();
        self.troubles.clear();
        self.slopes.clear();
        let tape = self.tape;
        if let Some(wide) = &mut self.wide {
            wide.clear();
        }
        for (place, step) in tape.steps.iter().enumerate() {
            let mut pending = None;
            let computed = match step.action {
                Action::Input(index) => {
                    let index = index as usize;
                    let Some(side) = self.side(place, sides, premises) else { return false };
                    input(&tape.inputs[index], index, side, step)
                }
                Action::Constant(constant) if !constant.float.is_finite() => {
                    Err(Trouble::Overflow(step.node))
                }
                Action::Constant(constant) => Ok(Facts::constant(&constant)),
                Action::Operation(operation) => match self.trouble_of(operation) {
                    Some(trouble) => Err(trouble),
                    None => match self.operation(operation, place) {
                        Ok((exact, rounding)) => {
                            let wide = self.wide.as_ref();
                            let form = wide.and_then(|wide| wide.operation(operation, &self.facts));
                            let exact = match form {
                                Some((range, form)) => {
                                    pending = Some(form);
                                    exact.with_range(range)
                                }
                                None => exact,
                            };
                            let narrowed =
                                self.narrowed(exact, place, sides, World::Real, premises);
                            let Some(exact) = narrowed else { return false };
                            let known = premises.iter().any(|known| known.is_exact(place));
                            if known { Finish::Exact } else { rounding }.of(exact, step)
                        }
                        Err(trouble) => Err(trouble),
                    },
                },
            };
            self.troubles.push(computed.as_ref().err().copied());
            let facts = match computed {
                Err(_) => Facts::UNKNOWN,
                Ok(facts) => {
                    let narrowed = self.narrowed(facts, place, sides, World::Float, premises);
                    let Some(facts) = narrowed else { return false };
                    facts
                }
            };
            let facts = match &mut self.wide {
                None => facts,
                Some(wide) => {
                    wide.push(tape, pending, &facts);
                    Facts { form: Form::interval(facts.range), ..facts }
                }
            };
            self.facts.push(facts);
        }
        true
    }

    /// Why nothing is known of an operation's operands: of a choice that is certain, only what is
    /// chosen matters.
    fn trouble_of(&self, operation: Operation) -> Option<Trouble> {
        if let Operation::Choose(comparison, a, b) = operation
            && let Some(first) = self.decided(&comparison)
        {
            return self.troubles[if first { a } else { b }.index()];
        }
        operation.operands().find_map(|operand| self.troubles[operand.index()])
    }

    /// Whether a comparison of places is certain on this box.
    fn decided(&self, comparison: &Comparison) -> Option<bool> {
        let [left, right] = [comparison.left, comparison.right].map(NodeId::index);
        let known = self.troubles[left].or(self.troubles[right]).is_none();
        known.then(|| decided(comparison.relation, &self.facts[left], &self.facts[right]))?
    }

    /// A side of the box, narrowed by what is known of the real input.
    fn side(&self, place: usize, sides: &[Interval], premises: &[&Premises]) -> Option<Interval> {
        let Action::Input(index) = self.tape.steps[place].action else { return None };
        let known = premises.iter().flat_map(|premises| premises.of(place));
        let mut side = sides[index as usize];
        for premise in known.filter(|premise| premise.world == World::Real) {
            side = side.meet(self.limit(premise, sides))?;
        }
        Some(side)
    }

    /// What is known of a node of one of the two computations where premises hold; none: they
    /// do not.
    fn narrowed(
        &self,
        facts: Facts<N>,
        place: usize,
        sides: &[Interval],
        world: World,
        premises: &[&Premises],
    ) -> Option<Facts<N>> {
        let known = premises.iter().flat_map(|premises| premises.of(place));
        known.filter(|premise| premise.world == world).try_fold(facts, |facts, premise| {
            let limit = self.limit(premise, sides);
            match world {
                World::Real => facts.with_real(limit),
                World::Float => facts.with_float(limit),
            }
        })
    }

    /// Where a premise says that a value lies.
    fn limit(&self, premise: &Premise, sides: &[Interval]) -> Interval {
        let at = |place: usize| match (self.tape.steps[place].action, premise.world) {
            (Action::Constant(constant), World::Real) => constant.real,
            (Action::Constant(constant), World::Float) => constant.float,
            (Action::Input(index), World::Real) => sides[index as usize],
            (_, world) => match (self.facts.get(place), world) {
                (None, _) => Interval::ALL,
                (Some(facts), World::Real) => facts.real,
                (Some(facts), World::Float) => facts.float,
            },
        };
        match premise.limit {
            Limit::Within(interval) => interval,
            Limit::AtMost(place) => Interval { lo: f64::NEG_INFINITY, hi: at(place).hi },
            Limit::AtLeast(place) => Interval { lo: at(place).lo, hi: f64::INFINITY },
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
        if self.wide.is_some() {
            let bound = self.absolute_widely(output, source).min(self.facts[output].error);
            return Ceiling { bound, weight: [0.0; N] };
        }
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
                let (facts, adjoints) = (&self.facts, &mut self.adjoints);
                let slopes = self.slopes.get(&place);
                propagate(facts, slopes, operation, place, adjoint, &mut |id, more| {
                    let known = &mut adjoints[id.index()];
                    *known = if *known == Form::ZERO { more } else { *known + more };
                });
            }
        }
        let total = above + signed.absolute_above();
        let bound = total.range().hi;
        let bound = if bound.is_nan() { f64::INFINITY } else { bound.max(0.0) };
        add(&mut weight, &total.slopes, 1.0);
        add(&mut weight, &signed.slopes, 1.0);
        Ceiling { bound: bound.min(self.facts[output].error), weight }
    }

    /// The same by adjoints in twofold precision, for many inputs: single numbers and how far
    /// they may be off.
    fn absolute_widely(&self, output: usize, mut source: impl FnMut(usize, f64)) -> f64 {
        let mut adjoints = vec![Wide::ZERO; output + 1];
        adjoints[output] = Wide::new(1.0);
        let (mut above, mut signed) = (0.0f64, Wide::ZERO);
        for place in (0..=output).rev() {
            let adjoint = adjoints[place];
            if adjoint == Wide::ZERO {
                continue;
            }
            let facts = &self.facts[place];
            let Slip { mid, rad } = facts.slip;
            if rad > 0.0 {
                above = add_up(above, adjoint.magnitude() * rad * (1.0 + 1e-15));
            }
            if mid != 0.0 {
                signed = signed.plus(adjoint.times(&Form::<N>::constant(mid)));
            }
            if rad > 0.0 || mid != 0.0 {
                source(place, adjoint.magnitude() * facts.slip.magnitude());
            }
            if !facts.cut
                && let Action::Operation(operation) = self.tape.steps[place].action
            {
                let slopes = self.slopes.get(&place);
                propagate(&self.facts, slopes, operation, place, adjoint, &mut |id, more: Wide| {
                    let known = &mut adjoints[id.index()];
                    *known = known.plus(more);
                });
            }
        }
        let bound = add_up(above, signed.magnitude());
        if bound.is_nan() { f64::INFINITY } else { bound }
    }

    /// Encloses the values of an operation from those of its operands, not yet rounded.
    fn operation(
        &mut self,
        operation: Operation,
        place: usize,
    ) -> Result<(Facts<N>, Finish), Trouble> {
        if let Operation::Call(call) = operation {
            return self.call(call, place);
        }
        let of = |id: NodeId| &self.facts[id.index()];
        let node = self.tape.steps[place].node;
        match operation {
            Operation::Input(_) | Operation::Constant(_) => unreachable!("folded by the tape"),
            Operation::Call(_) => unreachable!("treated above"),
            // Twice a number is a float with it.
            Operation::Add(a, b) if a == b => {
                Facts { bits: of(a).bits, ..sum(of(a), of(a), 1.0) }.then(Finish::Round)
            }
            Operation::Add(a, b) => self.by_conjugate(operation, sum(of(a), of(b), 1.0)),
            Operation::Sub(a, b) if self.is_at_most(a, b) => {
                let result = sum(of(a), of(b), -1.0);
                let negative = Interval { lo: f64::NEG_INFINITY, hi: 0.0 };
                let [real, float] = [result.real, result.float].map(|x| x.narrowed(negative));
                Facts { real, float, ..result }.then(Finish::Round)
            }
            Operation::Sub(a, b) => self.by_conjugate(operation, sum(of(a), of(b), -1.0)),
            Operation::Mul(a, b) => self.multiplied(a, b),
            Operation::Div(a, b) => self.divided(a, b, node),
            Operation::Fma(a, b, c) => sum(&product(of(a), of(b)), of(c), 1.0).then(Finish::Round),
            Operation::Neg(a) => {
                Facts { slip: Slip::NONE, cut: false, ..of(a).flipped() }.then(Finish::Exact)
            }
            Operation::Abs(a) => absolute_value(of(a)).then(Finish::Exact),
            Operation::Min(a, b) => lesser(of(a), of(b)).then(Finish::Exact),
            Operation::Max(a, b) => {
                lesser(&of(a).flipped(), &of(b).flipped()).flipped().then(Finish::Exact)
            }
            Operation::Convert(a) => {
                Facts { slip: Slip::NONE, cut: false, ..*of(a) }.then(Finish::Round)
            }
            Operation::Argument(a) => {
                Facts { slip: Slip::NONE, cut: false, ..*of(a) }.then(Finish::Exact)
            }
            Operation::Integral(mode, a) => integral(mode, of(a)).then(Finish::Exact),
            Operation::Sqrt(a) => square_root(of(a), node)?.then(Finish::Round),
            Operation::Unary(function, a) => {
                unary(function, of(a), node)?.then(Finish::Library(function))
            }
            Operation::Binary(function, a, b) => {
                binary(function, of(a), of(b), node)?.then(Finish::Library(function))
            }
            Operation::Choose(comparison, a, b) => match self.decided(&comparison) {
                Some(first) => {
                    let chosen = of(if first { a } else { b });
                    Facts { slip: Slip::NONE, cut: false, ..*chosen }.then(Finish::Exact)
                }
                None => {
                    let operands = [comparison.left, comparison.right, a, b];
                    open_choice(of(a), of(b), self.jump(operands)).then(Finish::Exact)
                }
            },
        }
    }

    /// A call of a function of the graph.
    fn call(&mut self, call: Call, place: usize) -> Result<(Facts<N>, Finish), Trouble> {
        let Local { functions, facts, slopes, tape, .. } = self;
        let function = functions[call.function as usize].as_mut();
        let found = called(function, call, facts);
        let found = found.map_err(|trouble| trouble.inside(tape.steps[place].node))?;
        if let Some(by) = found.slopes {
            slopes.insert(place, by);
        }
        found.facts.then(Finish::Called(found.inside))
    }

    /// A product.
    fn multiplied(&self, a: NodeId, b: NodeId) -> Result<(Facts<N>, Finish), Trouble> {
        let of = |id: NodeId| &self.facts[id.index()];
        let mut result = product(of(a), of(b));
        if a == b {
            let a = of(a);
            result.range = result.range.narrowed(a.range.square());
            result.real = a.real.square();
            result.float = a.float.square();
            return result.then(Finish::Round);
        }
        if self.times_a_square(a, b) || self.times_a_square(b, a) {
            let positive = Interval { lo: 0.0, hi: f64::INFINITY };
            result.real = result.real.narrowed(positive);
            result.float = result.float.narrowed(positive);
        }
        match (self.scale(a), self.scale(b)) {
            (None, None) => result.then(Finish::Round),
            (Some(up), _) | (_, Some(up)) => result.then(Finish::Shift { grows: up }),
        }
    }

    /// A quotient.
    fn divided(&self, a: NodeId, b: NodeId, node: NodeId) -> Result<(Facts<N>, Finish), Trouble> {
        let (x, y) = (&self.facts[a.index()], &self.facts[b.index()]);
        if y.real.hull(y.float).contains(0.0) {
            return Err(Trouble::Divisor(node));
        }
        let positive = |facts: &Facts<N>| facts.real.lo >= 0.0 && facts.float.lo >= 0.0;
        if positive(x) && positive(y) && self.is_at_most(a, b) {
            return quotient_of_ordered(x, y).then(Finish::Round);
        }
        if y.range.contains(0.0) {
            return quotient_as_a_whole(x, y).then(Finish::Round);
        }
        let result = quotient(x, y);
        match self.scale(b) {
            None => result.then(Finish::Round),
            Some(up) => Facts { bits: x.bits, ..result }
                .then(Finish::Shift { grows: !up || y.float.magnitude() == 1.0 }),
        }
    }

    /// The derivatives of a place by the inputs of the tape's graph, after [`Self::absolute`] of
    /// it; none where they have no bounds.
    pub fn slopes(&self, output: usize, inputs: usize) -> Option<Vec<Interval>> {
        let mut slopes = vec![Interval::ZERO; inputs];
        for place in 0..=output {
            let adjoint = &self.adjoints[place];
            if *adjoint == Form::ZERO {
                continue;
            }
            if self.facts[place].cut || !adjoint.is_finite() {
                return None;
            }
            if let Action::Input(index) = self.tape.steps[place].action {
                slopes[self.tape.inputs[index as usize].input] = adjoint.range();
            }
        }
        Some(slopes)
    }

    /// A sum, narrowed where it is a difference with a square root.
    fn by_conjugate(
        &self,
        operation: Operation,
        sum: Facts<N>,
    ) -> Result<(Facts<N>, Finish), Trouble> {
        let real = match conjugate::difference(self.tape, &self.facts, operation) {
            Some(real) => sum.real.narrowed(real),
            None => sum.real,
        };
        Facts { real, ..sum }.then(Finish::Round)
    }

    /// Bounds how far `a` and `b` are apart where the computations disagree on how `left` and
    /// `right` compare.
    fn jump(&self, operands: [NodeId; 4]) -> f64 {
        let (tape, facts) = (self.tape, self.facts.as_slice());
        let [left, right, ..] = operands.map(|id| &facts[id.index()]);
        let width = width(left, right);
        if width == 0.0 {
            return 0.0;
        }
        let (combinations, multiples) = (Combinations { tape, facts }, Multiples { tape, facts });
        let least = least_apart(&[&combinations, &multiples], operands, width);
        match &self.wide {
            Some(wide) => least_apart(&[wide], operands, width).min(least),
            None => least,
        }
    }

    /// Whether a product `a b` is `(c b) b` with `c` not negative: it is not either, in the reals
    /// and in the floats.
    fn times_a_square(&self, a: NodeId, b: NodeId) -> bool {
        let Action::Operation(Operation::Mul(p, q)) = self.tape.steps[a.index()].action else {
            return false;
        };
        let positive = |id: NodeId| {
            let facts = &self.facts[id.index()];
            facts.real.lo >= 0.0 && facts.float.lo >= 0.0
        };
        q == b && positive(p) || p == b && positive(q)
    }

    /// Whether a number is never greater than another, in both computations: the lesser of some
    /// numbers, and the greater of some with one of them among these.
    fn is_at_most(&self, a: NodeId, b: NodeId) -> bool {
        let among = |id: NodeId, of: fn(Operation) -> Option<[NodeId; 2]>| {
            let (mut found, mut at) = (vec![id], 0);
            while at < found.len() && found.len() < 16 {
                if let Action::Operation(operation) = self.tape.steps[found[at].index()].action {
                    found.extend(of(operation).into_iter().flatten());
                }
                at += 1;
            }
            found
        };
        let lesser = among(a, |operation| match operation {
            Operation::Min(p, q) => Some([p, q]),
            // Any other operation is a number of its own.
            _ => None,
        });
        let greater = among(b, |operation| match operation {
            Operation::Max(p, q) => Some([p, q]),
            // Any other operation is a number of its own.
            _ => None,
        });
        lesser.iter().any(|id| greater.contains(id))
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

/// A derivative of the result by a node.
trait Adjoint<const N: usize>: Copy {
    fn times(&self, factor: &Form<N>) -> Self;
    fn negated(&self) -> Self;
}

impl<const N: usize> Adjoint<N> for Form<N> {
    fn times(&self, factor: &Form<N>) -> Form<N> {
        Form::times(self, factor)
    }
    fn negated(&self) -> Form<N> {
        -*self
    }
}

impl<const N: usize> Adjoint<N> for Wide {
    fn times(&self, factor: &Form<N>) -> Wide {
        Wide::times(*self, factor)
    }
    fn negated(&self) -> Wide {
        Wide::negated(*self)
    }
}

/// Hands the derivative by a node on to its operands.
fn propagate<const N: usize, A: Adjoint<N>>(
    facts: &[Facts<N>],
    slopes: Option<&Rc<[Interval]>>,
    operation: Operation,
    place: usize,
    adjoint: A,
    give: &mut impl FnMut(NodeId, A),
) {
    let form = |id: NodeId| &facts[id.index()].form;
    match operation {
        Operation::Input(_) | Operation::Constant(_) | Operation::Integral(..) => {}
        Operation::Add(a, b) => {
            give(a, adjoint);
            give(b, adjoint);
        }
        Operation::Sub(a, b) => {
            give(a, adjoint);
            give(b, adjoint.negated());
        }
        Operation::Mul(a, b) => {
            give(a, adjoint.times(form(b)));
            give(b, adjoint.times(form(a)));
        }
        Operation::Div(a, b) => {
            let share = adjoint.times(&recip(&facts[b.index()]));
            give(a, share);
            give(b, share.times(form(NodeId::new(place as u32))).negated());
        }
        Operation::Fma(a, b, c) => {
            give(a, adjoint.times(form(b)));
            give(b, adjoint.times(form(a)));
            give(c, adjoint);
        }
        Operation::Neg(a) => give(a, adjoint.negated()),
        Operation::Convert(a) | Operation::Argument(a) => give(a, adjoint),
        Operation::Call(call) => {
            for (id, slope) in call.arguments().zip(slopes.into_iter().flat_map(|all| all.iter())) {
                give(id, adjoint.times(&Form::interval(*slope)));
            }
        }
        Operation::Abs(a) => {
            let range = facts[a.index()].range;
            if range.lo >= 0.0 {
                give(a, adjoint);
            } else if range.hi <= 0.0 {
                give(a, adjoint.negated());
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
        Operation::Choose(Comparison { left, relation, right }, a, b) => {
            match decided(relation, &facts[left.index()], &facts[right.index()]) {
                Some(first) => give(if first { a } else { b }, adjoint),
                None => {
                    let part = adjoint.times(&Form::interval(Interval::new(0.0, 1.0)));
                    give(a, part);
                    give(b, part);
                }
            }
        }
    }
}

/// How an operation's exact result becomes a float.
#[derive(Clone, Copy, Debug)]
enum Finish {
    /// It is one.
    Exact,
    /// It is rounded.
    Round,
    /// It is a product with a power of two.
    Shift { grows: bool },
    /// A library computes it.
    Library(Libm),
    /// A function of the graph computes it.
    Called(Inside),
}

impl Finish {
    fn of<const N: usize>(self, exact: Facts<N>, step: &Step) -> Result<Facts<N>, Trouble> {
        match self {
            Finish::Exact => Ok(exact),
            Finish::Round => exact.rounded(step),
            Finish::Shift { grows } => exact.shifted_exactly(step, grows),
            Finish::Library(function) => exact.library(function, step),
            Finish::Called(inside) => exact.called(inside, step),
        }
    }
}

impl<const N: usize> Facts<N> {
    fn then(self, finish: Finish) -> Result<(Facts<N>, Finish), Trouble> {
        Ok((self, finish))
    }
}

/// Adds the magnitudes of slopes to weights.
fn add<const N: usize>(weight: &mut [f64; N], slopes: &[f64; N], factor: f64) {
    for (weight, slope) in weight.iter_mut().zip(slopes) {
        *weight += factor * slope.abs();
    }
}
