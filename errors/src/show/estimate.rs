//! Estimates of the error at a point, in steps of rising cost.
//!
//! The potential is first-order: half an ulp of every rounding, weighed by the derivative of the
//! result. It needs no oracle. Nor does the first-order error itself, from the errors of the
//! arithmetic operations, which the hardware can tell; what it cannot tell (library functions,
//! real inputs) counts as much as it may be. A point whose first-order error is below the best is
//! not looked at again. The others are run in twofold arithmetic. Nothing is claimed from any.

use crate::functions::Enclosed;
use crate::graph::tape::{Action, Step, Tape};
use crate::graph::{Comparison, Graph, InputError, NodeId, Operation, Piece};
use crate::rounding::Grid;
use crate::show::edge::{Edge, edges};
use crate::show::run::Runner;
use crate::show::shadow::{Twofold, derivatives, shadow};

/// How much larger than at first order an error is allowed to be.
const SLACK: f64 = 1.02;

/// What a point is worth.
pub struct Estimate {
    pub absolute: f64,
    pub relative: f64,
    /// How far each real input is from its float.
    pub shifts: Vec<f64>,
}

impl Estimate {
    /// The two errors, the absolute one first.
    pub fn errors(&self) -> [f64; 2] {
        [self.absolute, self.relative].map(|error| if error.is_nan() { 0.0 } else { error })
    }
}

/// What came of a point.
pub enum Outcome {
    /// Its errors.
    Estimate(Estimate),
    /// Its potential is too low, or it is not admitted.
    Hopeless,
    /// The float result is no number, or 0 by an underflow; the shadow cannot tell what the real
    /// one is.
    NoNumber,
}

/// Estimates errors of one output at points.
pub struct Estimator<'j> {
    graph: &'j Graph,
    pieces: &'j [Piece],
    output: usize,
    tape: &'j Tape,
    runner: Runner<'j>,
    /// The steps of the inputs.
    input_steps: Vec<usize>,
    /// Whether potentials bound errors: no branch and no jump.
    smooth: bool,
    /// Whether some inputs are real numbers that were rounded.
    uncertain: bool,
    values: Vec<f64>,
    shadows: Vec<Twofold>,
    adjoints: Vec<f64>,
    twofold: Vec<Twofold>,
}

impl<'j> Estimator<'j> {
    /// An estimator, if the hardware can run the computation.
    pub fn new(
        graph: &'j Graph,
        pieces: &'j [Piece],
        output: usize,
        tape: &'j Tape,
    ) -> Option<Estimator<'j>> {
        let runner = Runner::new(tape, graph, &needed(pieces, output, tape))?;
        let jumps = |step: &Step| match step.action {
            Action::Operation(Operation::Integral(..) | Operation::Choose(..)) => true,
            Action::Input(_) | Action::Constant(_) | Action::Operation(_) => false,
        };
        Some(Estimator {
            graph,
            pieces,
            output,
            tape,
            runner,
            input_steps: tape.input_steps(),
            smooth: pieces.len() == 1 && !tape.steps.iter().any(jumps),
            uncertain: tape.inputs.iter().any(|input| input.error != InputError::None),
            values: Vec::new(),
            shadows: Vec::new(),
            adjoints: Vec::new(),
            twofold: Vec::new(),
        })
    }

    /// What a potential and a shadow cost, in arithmetic operations of the hardware.
    pub fn costs(&self) -> (usize, usize) {
        let library = |step: &&Step| {
            let action = &step.action;
            matches!(action, Action::Operation(Operation::Unary(..) | Operation::Binary(..)))
        };
        let (steps, library) =
            (self.tape.steps.len().max(1), self.tape.steps.iter().filter(library).count());
        // Long arithmetic computes library functions.
        (steps.div_ceil(2), steps + 200 * library)
    }

    /// Where computed operands may leave domains.
    pub fn edges(&self) -> Vec<Edge> {
        edges(self.tape)
    }

    /// The float value at a place, and whether the result is a number; none where the point is not
    /// admitted.
    pub fn value(&mut self, floats: &[f64], place: usize) -> Option<(f64, bool)> {
        let result = self.start(floats)?;
        Some((self.values[place], self.values[result].is_finite()))
    }

    /// Whether the result grows with each input in the middle of their ranges.
    pub fn grows(&mut self) -> Vec<bool> {
        let Some(piece) = self.pieces.first() else { return Vec::new() };
        let middle: Vec<f64> = self.tape.inputs.iter().map(|input| input.range.middle()).collect();
        self.runner.run(&middle, &mut self.values);
        let place = self.tape.place(piece.outputs[self.output]);
        derivatives(self.tape, &self.values, place, &mut self.adjoints);
        let grows = |&at: &usize| self.adjoints.get(at).is_some_and(|d| *d > 0.0);
        self.input_steps.iter().map(grows).collect()
    }

    /// The largest errors that the roundings at a point allow, absolute and relative; none where
    /// it is not admitted.
    pub fn potentials(&mut self, floats: &[f64]) -> Option<[f64; 2]> {
        let place = self.start(floats)?;
        Some(self.potentials_of(place))
    }

    /// Estimates the errors at a point, real inputs moved so that they are large. `floors` are
    /// the errors that it must exceed, one of them.
    pub fn estimate(&mut self, floats: &[f64], floors: [f64; 2]) -> Outcome {
        let Some(place) = self.start(floats) else { return Outcome::Hopeless };
        let computed = self.values[place];
        if self.smooth && computed.is_finite() {
            derivatives(self.tape, &self.values, place, &mut self.adjoints);
            if self.below(self.sizes(place, self.first_order(place)), floors) {
                return Outcome::Hopeless;
            }
        } else if self.uncertain {
            derivatives(self.tape, &self.values, place, &mut self.adjoints);
        }
        self.twofold.clear();
        self.twofold.extend(floats.iter().map(|&x| Twofold::new(x)));
        let mut shifts = Vec::new();
        let Some(mut real) = self.real_output() else { return Outcome::Hopeless };
        let difference = |real: Twofold| computed - real.high - real.low;
        if self.uncertain {
            let error = difference(self.shadows[real]);
            shifts = self.shifts(floats, place, error);
            if self.smooth && computed.is_finite() {
                let added: f64 = (shifts.iter().zip(&self.input_steps))
                    .filter(|(_, at)| **at <= place)
                    .map(|(shift, at)| (shift * self.adjoints[*at]).abs())
                    .sum();
                if self.below(self.sizes(place, error.abs() + added), floors) {
                    return Outcome::Hopeless;
                }
            }
            for (real, &shift) in self.twofold.iter_mut().zip(&shifts) {
                *real = real.plus(Twofold::new(shift));
            }
            let Some(moved) = self.real_output() else { return Outcome::Hopeless };
            real = moved;
        }
        if !self.admitted() {
            return Outcome::Hopeless;
        }
        let exact = self.shadows[real];
        if computed == 0.0 && exact.high == 0.0 && self.underflows(place) {
            return Outcome::NoNumber;
        }
        if !exact.high.is_finite() {
            return if computed.is_finite() { Outcome::Hopeless } else { Outcome::NoNumber };
        }
        let absolute = match computed.is_finite() {
            true => difference(exact).abs(),
            false => f64::INFINITY,
        };
        let normal = self.tape.steps[real].grid.map_or(0.0, |grid: Grid| grid.smallest_normal());
        let relative = absolute / exact.high.abs().max(normal);
        Outcome::Estimate(Estimate { absolute, relative, shifts })
    }

    /// Whether a product or a quotient on the way to a place is 0 by rounding: that of the shadow is
    /// too.
    fn underflows(&self, place: usize) -> bool {
        let of = |id: NodeId| self.values[id.index()];
        let steps = self.tape.steps[..=place].iter().zip(&self.values);
        steps.filter(|(_, value)| **value == 0.0).any(|(step, _)| match step.action {
            Action::Operation(Operation::Mul(a, b)) => of(a) != 0.0 && of(b) != 0.0,
            Action::Operation(Operation::Div(a, _)) => of(a) != 0.0,
            // Sums of floats are never 0 by rounding; functions seldom.
            Action::Input(_) | Action::Constant(_) | Action::Operation(_) => false,
        })
    }

    /// Where inputs whose float result is no number are moved to: into their ranges.
    pub fn inward(&self, floats: &[f64]) -> Vec<f64> {
        let reaches = (0..floats.len()).map(|j| (j, self.reach(j, floats[j])));
        reaches
            .map(|(j, reach)| {
                let ways = [reach, -reach];
                ways.into_iter().find(|&way| self.fits(j, floats[j], way)).unwrap_or(0.0)
            })
            .collect()
    }

    /// Runs the floats: the place of the output that they take. None: what is assumed does not
    /// hold by far, or no piece is taken.
    fn start(&mut self, floats: &[f64]) -> Option<usize> {
        self.runner.run(floats, &mut self.values);
        let values = &self.values;
        let sides =
            |c: &Comparison| (values[self.tape.place(c.left)], values[self.tape.place(c.right)]);
        for known in self.graph.assumptions() {
            let (a, b) = sides(known);
            let near = (a - b).abs() <= 1e-6 * a.abs().max(b.abs());
            if !near && !known.relation.holds(&a, &b) {
                return None;
            }
        }
        let taken = self.pieces.iter().find(|piece| {
            piece.conditions.iter().all(|c| {
                let (a, b) = sides(c);
                c.relation.holds(&a, &b)
            })
        })?;
        Some(self.tape.place(taken.outputs[self.output]))
    }

    fn potentials_of(&mut self, place: usize) -> [f64; 2] {
        derivatives(self.tape, &self.values, place, &mut self.adjoints);
        let mut sum = 0.0;
        for (at, step) in self.tape.steps[..=place].iter().enumerate() {
            let d = self.adjoints[at].abs();
            if d != 0.0 {
                sum += d * self.largest(at, step);
            }
        }
        self.sizes(place, sum)
    }

    /// The largest error of one step at these values.
    fn largest(&self, at: usize, step: &Step) -> f64 {
        let value = self.values[at].abs();
        match step.action {
            Action::Input(j) => self.reach(j as usize, self.values[at]),
            Action::Constant(constant) => constant.slip.magnitude(),
            Action::Operation(operation) if operation.is_exact() => 0.0,
            Action::Operation(Operation::Unary(function, _) | Operation::Binary(function, ..)) => {
                let ulps = function.accuracy(step.precision);
                step.grid.map_or(0.0, |grid| 2.0 * ulps * grid.half_ulp(value))
            }
            Action::Operation(_) => step.grid.map_or(0.0, |grid| grid.half_ulp(value)),
        }
    }

    /// The error at first order: that of the arithmetic as it is, the rest as it may be.
    fn first_order(&self, place: usize) -> f64 {
        let (mut known, mut open) = (0.0, 0.0);
        for (at, step) in self.tape.steps[..=place].iter().enumerate() {
            let d = self.adjoints[at];
            if d == 0.0 {
                continue;
            }
            let error = match step.action {
                Action::Input(_) => None,
                Action::Constant(constant) => Some(constant.slip.mid),
                Action::Operation(operation) => {
                    slip(operation, self.values[at], step.precision, &self.values)
                }
            };
            match error {
                Some(error) => known += d * error,
                None => open += d.abs() * self.largest(at, step),
            }
        }
        known.abs() + open
    }

    /// Whether neither error can exceed its floor.
    fn below(&self, sizes: [f64; 2], floors: [f64; 2]) -> bool {
        sizes[0] * SLACK < floors[0] && sizes[1] * SLACK < floors[1]
    }

    /// An absolute error and the relative one.
    fn sizes(&self, place: usize, absolute: f64) -> [f64; 2] {
        let normal = self.tape.steps[place].grid.map_or(0.0, |grid| grid.smallest_normal());
        let relative = absolute / self.values[place].abs().max(normal);
        // What cannot be told is worth a look.
        [absolute, relative].map(|one| if one.is_nan() { f64::INFINITY } else { one })
    }

    /// How far the real number may be from the float of an input.
    fn reach(&self, j: usize, float: f64) -> f64 {
        match (self.tape.inputs[j].error, self.tape.steps[self.input_steps[j]].grid) {
            (InputError::None, _) | (InputError::HalfUlp, None) => 0.0,
            (InputError::Absolute(reach), _) => reach,
            (InputError::HalfUlp, Some(grid)) => grid.half_ulp(float.abs()) * (1.0 - 1e-6),
        }
    }

    /// Whether a real input stays in its range.
    fn fits(&self, j: usize, float: f64, shift: f64) -> bool {
        let range = self.tape.inputs[j].range;
        let Twofold { high, low } = Twofold::new(float).plus(Twofold::new(shift));
        (high > range.lo || high == range.lo && low >= 0.0)
            && (high < range.hi || high == range.hi && low <= 0.0)
    }

    /// How far the real inputs are from the floats: such that they add to the error. A float
    /// outside the range stands for numbers inside only.
    fn shifts(&self, floats: &[f64], place: usize, error: f64) -> Vec<f64> {
        let shift = |(j, &float): (usize, &f64)| {
            let reach = self.reach(j, float);
            let at = self.input_steps[j];
            let d = if at <= place { self.adjoints[at] } else { 0.0 };
            let wanted = if d == 0.0 || d.is_nan() || error.is_nan() {
                0.0
            } else {
                -error.signum() * d.signum() * reach
            };
            let ways = [wanted, 0.0, reach, -reach];
            ways.into_iter().find(|&way| self.fits(j, float, way)).unwrap_or(0.0)
        };
        floats.iter().enumerate().map(shift).collect()
    }

    /// Runs the shadow: the output that it takes.
    fn real_output(&mut self) -> Option<usize> {
        shadow(self.tape, &self.twofold, &mut self.shadows);
        let taken =
            self.pieces.iter().find(|piece| piece.conditions.iter().all(|c| self.really(c)));
        taken.map(|piece| self.tape.place(piece.outputs[self.output]))
    }

    fn admitted(&self) -> bool {
        self.graph.assumptions().iter().all(|known| self.really(known))
    }

    /// Whether a comparison holds of the shadow.
    fn really(&self, comparison: &Comparison) -> bool {
        let at = |node: NodeId| self.shadows[self.tape.place(node)];
        let difference = at(comparison.left).plus(at(comparison.right).negated()).value();
        comparison.relation.holds(&difference, &0.0)
    }
}

/// The error of one operation as the hardware can tell it; none: it cannot.
fn slip(operation: Operation, value: f64, precision: u32, values: &[f64]) -> Option<f64> {
    let of = |id: NodeId| values[id.index()];
    if operation.is_exact() {
        return Some(0.0);
    }
    // What is narrower than double is all but exact in double.
    let narrow = precision < 53;
    let sum = |a: f64, b: f64| {
        let t = value - a;
        -((a - (value - t)) + (b - t))
    };
    Some(match operation {
        Operation::Add(a, b) if narrow => value - (of(a) + of(b)),
        Operation::Sub(a, b) if narrow => value - (of(a) - of(b)),
        Operation::Add(a, b) => sum(of(a), of(b)),
        Operation::Sub(a, b) => sum(of(a), -of(b)),
        Operation::Mul(a, b) => -of(a).mul_add(of(b), -value),
        Operation::Div(a, b) => value.mul_add(of(b), -of(a)) / of(b),
        Operation::Sqrt(a) if value != 0.0 => value.mul_add(value, -of(a)) / (2.0 * value),
        Operation::Convert(a) => value - of(a),
        Operation::Input(_)
        | Operation::Constant(_)
        | Operation::Fma(..)
        | Operation::Sqrt(_)
        | Operation::Neg(_)
        | Operation::Abs(_)
        | Operation::Min(..)
        | Operation::Max(..)
        | Operation::Integral(..)
        | Operation::Choose(..)
        | Operation::Unary(..)
        | Operation::Binary(..)
        | Operation::Argument(_)
        | Operation::Call(_) => return None,
    })
}

/// The places that a run must compute.
pub fn needed(pieces: &[Piece], output: usize, tape: &Tape) -> Vec<usize> {
    let sides = |comparison: &Comparison| [comparison.left, comparison.right];
    pieces
        .iter()
        .flat_map(|piece| piece.conditions.iter().flat_map(sides).chain([piece.outputs[output]]))
        .map(|node| tape.place(node))
        .collect()
}
