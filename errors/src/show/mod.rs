//! Errors shown: inputs at which the float result is far from the exact one.
//!
//! A search (`seek.rs`) proposes points; MPFR intervals confirm the best. What is reported is a
//! lower bound of the error at that very input.

pub mod climb;
pub mod edge;
pub mod estimate;
pub mod exact;
pub mod run;
pub mod sample;
pub mod seek;
pub mod shadow;

use crate::graph::tape::{Action, Tape};
use crate::graph::{Comparison, Graph, Input, InputError, NodeId, Piece, Relation};
use climb::Climb;
use estimate::{Estimator, Outcome, needed};
use exact::Wide;
use nanoscope_ieee::{Float, Format, Rational, Rounding};
use nanoscope_search::{Budget, Dimension, Space};
use num_traits::Zero;
use run::{Missing, Runner, run_exactly};
use sample::Sampler;
use seek::{Catch, Seeker, decode};

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many points to try.
    pub points: usize,
    /// The seed.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { points: 1_500_000, seed: 1 }
    }
}

/// An input with a large error.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The error is at least this; infinite where the float result is no number and the exact one
    /// is.
    pub absolute: f64,
    /// The same relative to the exact result, or to the smallest normal number.
    pub relative: f64,
    /// The same in units of the last place of the exact result.
    pub ulps: f64,
    /// The float result; none if it is infinite or a NaN.
    pub computed: Option<Rational>,
    /// The exact result in decimal.
    pub exact: String,
    /// The inputs.
    pub inputs: Vec<ShownInput>,
}

/// An input at a point.
#[derive(Clone, Debug)]
pub struct ShownInput {
    /// Its name.
    pub name: String,
    /// The number given to the float computation.
    pub float: Rational,
    /// The format of that number; none for integers.
    pub format: Option<Format>,
    /// The number given to the real computation.
    pub real: Rational,
}

/// The worst errors found of one result: absolute and relative.
#[derive(Clone, Debug, Default)]
pub struct Worst {
    /// The largest absolute error.
    pub absolute: Option<Shown>,
    /// The largest relative error.
    pub relative: Option<Shown>,
    /// Points tried.
    pub points: usize,
}

/// Searches for inputs with large errors of one output. `hints` are points, a number for each
/// input of the graph, where large errors are suspected.
pub fn show(
    graph: &Graph,
    pieces: &[Piece],
    output: usize,
    hints: &[Vec<f64>],
    effort: Effort,
    budget: &Budget,
) -> Worst {
    if !graph.functions().is_empty() {
        if graph.operations() > INLINED {
            return Worst::default();
        }
        let (graph, at) = graph.inlined();
        let pieces: Vec<Piece> = pieces.iter().map(|piece| piece.moved(&at)).collect();
        return show(&graph, &pieces, output, hints, effort, budget);
    }
    let tape = tape_of(graph, pieces, output);
    let Some(space) = space(graph, &tape) else { return Worst::default() };
    let mut judge = Judge::new(graph, pieces, output, &tape);
    judge.search(space, hints, effort, budget)
}

/// Operations that a search takes calls apart for.
const INLINED: usize = 200_000;

/// Steps of a tape that exact rational arithmetic is too slow for.
const LARGE: usize = 2_000;

/// The double nearest to a number.
fn nearest(value: &Rational) -> f64 {
    Float::from_rational(Format::BINARY64, Rounding::NearestEven, value).0.to_f64()
}

/// Tells the error of a computation at single points, for certain.
pub struct Examiner<'e> {
    graph: &'e Graph,
    pieces: &'e [Piece],
    output: usize,
    tape: Tape,
}

impl<'e> Examiner<'e> {
    /// An examiner of one output of a graph without calls ([`Graph::inlined`]).
    pub fn new(graph: &'e Graph, pieces: &'e [Piece], output: usize) -> Examiner<'e> {
        Examiner { graph, pieces, output, tape: tape_of(graph, pieces, output) }
    }

    /// The error at a point: the numbers given to the float computation and to the real one, for
    /// each input of the graph. `choose` is the direction of an operation that may round in any.
    /// None: the point is not admitted, or the exact value is not known well enough.
    pub fn at(
        &self,
        floats: &[Rational],
        reals: &[Rational],
        choose: impl FnMut() -> Rounding,
    ) -> Option<Shown> {
        let judge = Judge::new(self.graph, self.pieces, self.output, &self.tape);
        judge.examine(floats, reals, choose)
    }

    /// What the float computation gives at a point.
    pub fn float_at(&self, floats: &[Rational]) -> FloatResult {
        let judge = Judge::new(self.graph, self.pieces, self.output, &self.tape);
        judge.computed(floats, || Rounding::NearestEven)
    }
}

/// What a float computation gives at a point.
#[derive(Clone, Debug, PartialEq)]
pub enum FloatResult {
    /// It takes none of the pieces.
    Elsewhere,
    /// A number.
    Number(Rational),
    /// An infinity or a NaN.
    NoNumber,
    /// That cannot be told.
    Unknown,
}

fn tape_of(graph: &Graph, pieces: &[Piece], output: usize) -> Tape {
    let sides = |comparison: &Comparison| [comparison.left, comparison.right];
    let roots: Vec<NodeId> = pieces
        .iter()
        .flat_map(|piece| piece.conditions.iter().flat_map(sides).chain([piece.outputs[output]]))
        .chain(graph.assumptions().iter().flat_map(sides))
        .collect();
    Tape::new(graph, roots)
}

/// The points to search; none if an input is wider than the search takes.
fn space(graph: &Graph, tape: &Tape) -> Option<Space> {
    let mut dimensions = Vec::new();
    for step in &tape.steps {
        let Action::Input(index) = step.action else { continue };
        let input = &graph.inputs()[tape.inputs[index as usize].input];
        dimensions.push(match graph.node(step.node).precision.format() {
            Some(format) => {
                let end = |value: &Option<Rational>, mode| match value {
                    Some(value) => Float::from_rational(format, mode, value).0.to_bits(),
                    None => Some(0),
                };
                let whole = Dimension::float(format);
                // A real number at an end of the range may round to a float outside.
                let (up, down) = match input.error {
                    InputError::HalfUlp => (Rounding::NearestEven, Rounding::NearestEven),
                    InputError::None | InputError::Absolute(_) => {
                        (Rounding::Upward, Rounding::Downward)
                    }
                };
                let low = match &input.low {
                    None => whole.low(),
                    some => end(some, up)?,
                };
                let high = match &input.high {
                    None => whole.high(),
                    some => end(some, down)?,
                };
                whole.within(low, high).ok()?
            }
            None => {
                let whole = Dimension::integer(64, true);
                let end = |value: &Option<Rational>, default: i64| match value {
                    Some(value) => i64::try_from(value.to_integer()).unwrap_or(default),
                    None => default,
                };
                let (low, high) = (end(&input.low, i64::MIN), end(&input.high, i64::MAX));
                whole.within(u128::from(low as u64), u128::from(high as u64)).ok()?
            }
        });
    }
    Some(Space::new(dimensions))
}

struct Judge<'j> {
    graph: &'j Graph,
    pieces: &'j [Piece],
    output: usize,
    tape: &'j Tape,
    runner: Option<Runner<'j>>,
}

/// Points tried where the hardware cannot run the computation, and operations they may cost.
const SLOWLY: usize = 400_000;

impl<'j> Judge<'j> {
    fn new(graph: &'j Graph, pieces: &'j [Piece], output: usize, tape: &'j Tape) -> Judge<'j> {
        let runner = Runner::new(tape, graph, &needed(pieces, output, tape));
        Judge { graph, pieces, output, tape, runner }
    }

    fn search(
        &mut self,
        space: Space,
        hints: &[Vec<f64>],
        effort: Effort,
        budget: &Budget,
    ) -> Worst {
        let mut worst = Worst::default();
        if space.words() == 0 {
            worst.absolute = self.confirm(&[], &[]);
            worst.relative = worst.absolute.clone();
            return worst;
        }
        let hints: Vec<Vec<u64>> =
            hints.iter().filter_map(|hint| self.encode(&space, hint)).collect();
        let Some(estimator) = Estimator::new(self.graph, self.pieces, self.output, self.tape)
        else {
            return self.search_exactly(&space, &hints, effort, budget);
        };
        let constants: Vec<f64> = self
            .tape
            .steps
            .iter()
            .filter_map(|step| match step.action {
                Action::Constant(constant) => Some(constant.float.lo),
                Action::Input(_) | Action::Operation(_) => None,
            })
            .collect();
        let seeker = Seeker::new(&space, estimator, (effort.points, effort.seed), budget);
        let (Catch { best, numberless, tried }, mut estimator) =
            seeker.run(&constants, &hints, effort.seed);
        worst.points = tried;
        for (_, point) in best.into_iter().flatten() {
            let floats = decode(&space, &point);
            let shifts = match estimator.estimate(&floats, [0.0; 2]) {
                Outcome::Estimate(estimate) => estimate.shifts,
                Outcome::Hopeless | Outcome::NoNumber => Vec::new(),
            };
            if let Some(shown) = self.confirm(&self.decode(&space, &point), &shifts) {
                worst.keep(shown);
            }
        }
        for point in numberless {
            if worst.absolute.as_ref().is_some_and(|shown| shown.absolute.is_infinite()) {
                break;
            }
            let shifts = estimator.inward(&decode(&space, &point));
            if let Some(shown) = self.confirm(&self.decode(&space, &point), &shifts) {
                worst.keep(shown);
            }
        }
        worst
    }

    /// Tries points in exact arithmetic, where the hardware has no such formats or directions:
    /// anywhere first, then beside the best.
    fn search_exactly(
        &self,
        space: &Space,
        hints: &[Vec<u64>],
        effort: Effort,
        budget: &Budget,
    ) -> Worst {
        let mut worst = Worst::default();
        let points = effort.points.min(SLOWLY / self.tape.steps.len().max(1));
        let mut sampler = Sampler::new(space, effort.seed);
        let words = space.words();
        let mut batch: Vec<u64> = hints.concat();
        let mut climbs: [Option<Climb>; 2] = [None, None];
        while worst.points < points && !budget.exhausted() {
            for point in batch.chunks_exact(words) {
                worst.points += 1;
                let Some(shown) = self.confirm(&self.decode(space, point), &[]) else { continue };
                for (climb, error) in climbs.iter_mut().zip([shown.absolute, shown.relative]) {
                    let new = || Climb::new(error, point.to_vec(), space.dimensions().len());
                    climb.get_or_insert_with(new).told(error, point);
                }
                worst.keep(shown);
                if budget.exhausted() {
                    return worst;
                }
            }
            batch.resize(words * 8, 0);
            match (worst.points > points / 3, worst.points / 8 % 2) {
                (true, goal) if climbs[goal].is_some() => {
                    let climb = climbs[goal].iter_mut();
                    for climb in climb {
                        batch.chunks_exact_mut(words).for_each(|at| climb.step(&mut sampler, at));
                    }
                }
                (_, 0) => _ = sampler.alike(&mut batch),
                (_, _) => _ = sampler.anywhere(&mut batch),
            }
        }
        worst
    }

    /// The point of a search that is nearest to a point of the graph.
    fn encode(&self, space: &Space, hint: &[f64]) -> Option<Vec<u64>> {
        let mut words = Vec::new();
        for (input, dimension) in self.tape.inputs.iter().zip(space.dimensions()) {
            let x = *hint.get(input.input)?;
            let bits = match dimension.kind() {
                nanoscope_search::Kind::Float(format) => {
                    Float::from(x).convert(format, Rounding::NearestEven).0.to_bits()?
                }
                nanoscope_search::Kind::Integer { .. } => u128::from(x as i64 as u64),
            };
            words.push(bits as u64);
            if dimension.words() == 2 {
                words.push((bits >> 64) as u64);
            }
        }
        Some(words)
    }

    fn decode(&self, space: &Space, point: &[u64]) -> Vec<Rational> {
        space
            .encodings(point)
            .into_iter()
            .zip(space.dimensions())
            .map(|(bits, dimension)| match dimension.kind() {
                nanoscope_search::Kind::Float(format) => {
                    Float::from_bits(format, bits).to_rational().unwrap_or_else(Rational::zero)
                }
                nanoscope_search::Kind::Integer { .. } => {
                    Rational::from_integer((bits as u64 as i64).into())
                }
            })
            .collect()
    }

    /// The error at a point of the search, for certain.
    fn confirm(&self, floats: &[Rational], shifts: &[f64]) -> Option<Shown> {
        let count = self.graph.inputs().len();
        // Inputs that do not matter are at an end of their ranges.
        let end = |j: usize| self.graph.inputs()[j].low.clone().unwrap_or_else(Rational::zero);
        let mut float_point: Vec<Rational> = (0..count).map(end).collect();
        let mut real_point = float_point.clone();
        for (j, input) in self.tape.inputs.iter().enumerate() {
            let shift = shifts.get(j).and_then(|&shift| Float::from(shift).to_rational());
            float_point[input.input] = floats[j].clone();
            // Into the range is towards the float, or no farther than it was rounded.
            let mut real = &floats[j] + shift.unwrap_or_else(Rational::zero);
            let Input { low, high, .. } = &self.graph.inputs()[input.input];
            real = low.as_ref().map_or(real.clone(), |low| real.max(low.clone()));
            real = high.as_ref().map_or(real.clone(), |high| real.min(high.clone()));
            real_point[input.input] = real;
        }
        self.examine(&float_point, &real_point, || Rounding::NearestEven)
    }

    /// The error at a point, for certain: the floats by exact arithmetic, the reals by MPFR
    /// intervals of rising precision.
    fn examine(
        &self,
        floats: &[Rational],
        reals: &[Rational],
        choose: impl FnMut() -> Rounding,
    ) -> Option<Shown> {
        let computed = match self.computed(floats, choose) {
            FloatResult::Number(number) => Some(number),
            FloatResult::NoNumber => None,
            FloatResult::Elsewhere | FloatResult::Unknown => return None,
        };
        let mut precision = 160;
        loop {
            let values = exact::evaluate(self.tape, self.graph, reals, precision);
            if let Some(found) = self.measure(&values, computed.as_ref()) {
                let (absolute, relative, ulps, exact) = found?;
                return Some(Shown {
                    absolute,
                    relative,
                    ulps,
                    computed,
                    exact,
                    inputs: self.inputs(floats, reals),
                });
            }
            precision *= 4;
            if precision > 12_000 {
                return None;
            }
        }
    }

    /// What the floats give, by the piece that they take.
    fn computed(&self, floats: &[Rational], choose: impl FnMut() -> Rounding) -> FloatResult {
        let values = self.run(floats, choose);
        for piece in self.pieces {
            let mut all = true;
            for Comparison { left, relation, right } in &piece.conditions {
                let [left, right] = [left, right].map(|node| self.tape.place(*node));
                match values.compare(*relation, left, right) {
                    Some(holds) => all &= holds,
                    None => return FloatResult::Unknown,
                }
            }
            if all {
                return values.number(self.tape.place(piece.outputs[self.output]));
            }
        }
        FloatResult::Elsewhere
    }

    /// Runs the floats by exact arithmetic; on the hardware where that is too slow, or where it
    /// meets what is no number. The hardware rounds as the exact arithmetic does.
    fn run(&self, floats: &[Rational], choose: impl FnMut() -> Rounding) -> FloatRun {
        if self.runner.is_none() || self.tape.steps.len() <= LARGE {
            let exact = run_exactly(self.tape, self.graph, floats, choose);
            if self.runner.is_none() || exact.iter().all(Result::is_ok) {
                return FloatRun::Exact(exact);
            }
        }
        let mut values = Vec::new();
        if let Some(runner) = &self.runner {
            let point: Vec<f64> =
                self.tape.inputs.iter().map(|input| nearest(&floats[input.input])).collect();
            runner.run(&point, &mut values);
        }
        FloatRun::Hardware(values)
    }

    /// The error from enclosures of the reals. None: more bits are needed. `Some(None)`: the point
    /// is not admitted.
    fn measure(
        &self,
        reals: &[Wide],
        computed: Option<&Rational>,
    ) -> Option<Option<(f64, f64, f64, String)>> {
        let compare = |c: &Comparison| {
            reals[self.tape.place(c.left)].compare(c.relation, &reals[self.tape.place(c.right)])
        };
        for known in self.graph.assumptions() {
            if !compare(known)? {
                return Some(None);
            }
        }
        let mut piece = None;
        for candidate in self.pieces {
            let mut all = true;
            for condition in &candidate.conditions {
                all &= compare(condition)?;
            }
            if all {
                piece = Some(candidate);
                break;
            }
        }
        let Some(piece) = piece else { return Some(None) };
        let place = self.tape.place(piece.outputs[self.output]);
        let value = &reals[place];
        if !value.is_finite() {
            return None;
        }
        let (least, most) = match computed {
            Some(computed) => value.distance(computed),
            None => (f64::INFINITY, f64::INFINITY),
        };
        if least != most && most - least > 1e-3 * most {
            return None;
        }
        let (_, size) = value.magnitudes();
        let grid = self.tape.steps[place].grid;
        let normal = grid.map_or(0.0, |grid| grid.smallest_normal());
        let relative = if least == 0.0 { 0.0 } else { (least / size.max(normal)).next_down() };
        let ulp = grid.map_or(f64::NAN, |grid| {
            crate::rounding::power_of_two(grid.ulp_exponent(size).max(-1074))
        });
        Some(Some((least, relative, least / ulp, value.decimal(20))))
    }

    fn inputs(&self, floats: &[Rational], reals: &[Rational]) -> Vec<ShownInput> {
        let mut formats = vec![None; floats.len()];
        for step in &self.tape.steps {
            if let Action::Input(index) = step.action {
                formats[self.tape.inputs[index as usize].input] =
                    self.graph.node(step.node).precision.format();
            }
        }
        self.graph
            .inputs()
            .iter()
            .enumerate()
            .map(|(j, input)| ShownInput {
                name: input.name.clone(),
                float: floats[j].clone(),
                format: formats[j],
                real: reals[j].clone(),
            })
            .collect()
    }
}

/// The values of a run in floats.
enum FloatRun {
    /// By exact arithmetic and one rounding each.
    Exact(Vec<Result<Rational, Missing>>),
    /// By the hardware.
    Hardware(Vec<f64>),
}

impl FloatRun {
    /// Whether two values compare so; none: that is not known.
    fn compare(&self, relation: Relation, left: usize, right: usize) -> Option<bool> {
        match self {
            FloatRun::Exact(values) => match (&values[left], &values[right]) {
                (Ok(a), Ok(b)) => Some(relation.holds(a, b)),
                (Err(_), _) | (_, Err(_)) => None,
            },
            FloatRun::Hardware(values) => Some(relation.holds(&values[left], &values[right])),
        }
    }

    /// A value.
    fn number(&self, place: usize) -> FloatResult {
        match self {
            FloatRun::Exact(values) => match &values[place] {
                Ok(number) => FloatResult::Number(number.clone()),
                Err(Missing::NoNumber) => FloatResult::NoNumber,
                Err(Missing::Unknown) => FloatResult::Unknown,
            },
            FloatRun::Hardware(values) => {
                let number = Float::from(values[place]).to_rational();
                number.map_or(FloatResult::NoNumber, FloatResult::Number)
            }
        }
    }
}

impl Worst {
    fn keep(&mut self, shown: Shown) {
        if self.relative.as_ref().is_none_or(|known| shown.relative > known.relative) {
            self.relative = Some(shown.clone());
        }
        if self.absolute.as_ref().is_none_or(|known| shown.absolute > known.absolute) {
            self.absolute = Some(shown);
        }
    }
}
