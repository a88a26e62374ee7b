//! Errors shown: inputs at which the float result is far from the exact one.
//!
//! A search proposes points; twofold shadows estimate the error at each, and MPFR intervals confirm
//! the best. What is reported is a lower bound of the error at that very input.

use crate::climb::Climb;
use crate::exact::{self, Wide};
use crate::graph::{Comparison, Graph, InputError, NodeId, Operation, Piece};
use crate::rounding::Grid;
use crate::run::{Runner, run_exactly};
use crate::sample::Sampler;
use crate::shadow::{Twofold, derivatives, shadow};
use crate::tape::{Action, Step, Tape};
use nanoscope_ieee::{Float, Format, Rational, Rounding};
use nanoscope_search::{Budget, Dimension, Search, Space};
use num_traits::Zero;

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
        Effort { points: 800_000, seed: 1 }
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
    let tape = tape_of(graph, pieces, output);
    let Some(space) = space(graph, &tape) else { return Worst::default() };
    let mut judge = Judge::new(graph, pieces, output, &tape);
    judge.search(space, hints, effort, budget)
}

/// An error and the point that has it.
type Found = (f64, Vec<u64>);

/// Points that climbs begin at.
const STARTS: usize = 8;

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
    /// An examiner of one output.
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
                let low = match &input.low {
                    None => whole.low(),
                    some => end(some, Rounding::Upward)?,
                };
                let high = match &input.high {
                    None => whole.high(),
                    some => end(some, Rounding::Downward)?,
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
    /// The steps of the inputs.
    input_steps: Vec<usize>,
    floats: Vec<f64>,
    shadows: Vec<Twofold>,
    adjoints: Vec<f64>,
}

/// What a point is worth: estimates of the absolute and the relative error.
struct Estimate {
    absolute: f64,
    relative: f64,
    /// How far each real input is from its float.
    shifts: Vec<f64>,
}

impl Estimate {
    fn errors(&self) -> [f64; 2] {
        [self.absolute, self.relative].map(|error| if error.is_nan() { 0.0 } else { error })
    }
}

impl<'j> Judge<'j> {
    fn new(graph: &'j Graph, pieces: &'j [Piece], output: usize, tape: &'j Tape) -> Judge<'j> {
        let sides = |comparison: &Comparison| [comparison.left, comparison.right];
        let needed: Vec<usize> = pieces
            .iter()
            .flat_map(|piece| {
                piece.conditions.iter().flat_map(sides).chain([piece.outputs[output]])
            })
            .map(|node| tape.place(node))
            .collect();
        Judge {
            graph,
            pieces,
            output,
            tape,
            runner: Runner::new(tape, graph, &needed),
            input_steps: tape.input_steps(),
            floats: Vec::new(),
            shadows: Vec::new(),
            adjoints: Vec::new(),
        }
    }

    fn search(
        &mut self,
        space: Space,
        hints: &[Vec<f64>],
        effort: Effort,
        budget: &Budget,
    ) -> Worst {
        let words = space.words();
        let mut worst = Worst::default();
        if words == 0 {
            worst.absolute = self.confirm(&[], &[]);
            worst.relative = worst.absolute.clone();
            return worst;
        }
        let constants: Vec<f64> = self
            .tape
            .steps
            .iter()
            .filter_map(|step| match step.action {
                Action::Constant(constant) => Some(constant.float.lo),
                Action::Input(_) | Action::Operation(_) => None,
            })
            .collect();
        let mut search = Search::new(space.clone(), 2, &constants, effort.seed);
        for hint in hints {
            if let Some(point) = self.encode(&space, hint) {
                search.hint(&point);
            }
        }
        let points = self.affordable(effort.points);
        let mut batch = vec![0u64; words * 64];
        let mut sampler = Sampler::new(&space, effort.seed);
        let mut best: [Option<Found>; 2] = [None, None];
        // The best of each part of the exploration: climbs begin there.
        let mut starts: [Vec<Option<Found>>; 2] = [vec![None; STARTS], vec![None; STARTS]];
        let explored = points * 2 / 5;
        let mut tried = 0;
        let mut round = 0usize;
        let corner = self.corner();
        // By turns: the search, points that treat all inputs alike or lie towards the corner
        // where the result is largest, and points of all magnitudes. The rest of the points is
        // for climbing from the best.
        while tried < explored && !budget.exhausted() {
            round += 1;
            let drawn = match round % 4 {
                1 => sampler.alike(&mut batch),
                2 if round % 8 == 2 && !corner.is_empty() => sampler.towards(&corner, &mut batch),
                2 => sampler.anywhere(&mut batch),
                _ => search.fill(&mut batch),
            };
            for point in batch[..drawn * words].chunks_exact(words) {
                if tried >= points || self.tape.steps.len() > 1_000 && budget.exhausted() {
                    break;
                }
                tried += 1;
                let Some(estimate) = self.estimate(&space, point) else { continue };
                let part = tried * STARTS / (explored + 1);
                for (goal, error) in estimate.errors().into_iter().enumerate() {
                    let start = &mut starts[goal][part.min(STARTS - 1)];
                    if error > 0.0 && start.as_ref().is_none_or(|(known, _)| error > *known) {
                        *start = Some((error, point.to_vec()));
                    }
                    if error > 0.0 && best[goal].as_ref().is_none_or(|(known, _)| error > *known) {
                        best[goal] = Some((error, point.to_vec()));
                        // Larger errors are nearer; 0 would end the search.
                        let distance = (u64::MAX >> 1) - error.to_bits().min((u64::MAX >> 1) - 1);
                        search.improved(goal, distance, point);
                    }
                }
            }
        }
        self.climb(&space, &mut best, starts, &mut sampler, points.saturating_sub(tried), budget);
        worst.points = points.max(tried);
        let candidates = best.into_iter().flatten().map(|(_, point)| point);
        for point in candidates {
            let shifts = self.estimate(&space, &point).map_or_else(Vec::new, |found| found.shifts);
            let floats = self.decode(&space, &point);
            if let Some(shown) = self.confirm(&floats, &shifts) {
                worst.keep(shown);
            }
        }
        worst
    }

    /// The corner of the inputs where the result is largest, if it is linear: true where it
    /// grows with an input. Empty where nothing is known.
    fn corner(&self) -> Vec<bool> {
        let (Some(runner), Some(piece)) = (&self.runner, self.pieces.first()) else {
            return Vec::new();
        };
        let middle: Vec<f64> = self.tape.inputs.iter().map(|input| input.range.middle()).collect();
        let (mut values, mut adjoints) = (Vec::new(), Vec::new());
        runner.run(&middle, &mut values);
        let place = self.tape.place(piece.outputs[self.output]);
        derivatives(self.tape, &values, place, &mut adjoints);
        self.input_steps.iter().map(|&at| adjoints.get(at).is_some_and(|d| *d > 0.0)).collect()
    }

    /// Climbs from several points, with so many points in all. Those that come less high are
    /// given up, half of them at a time.
    fn climb(
        &mut self,
        space: &Space,
        best: &mut [Option<Found>; 2],
        starts: [Vec<Option<Found>>; 2],
        sampler: &mut Sampler<'_>,
        points: usize,
        budget: &Budget,
    ) {
        let mut climbs: Vec<(usize, Climb)> = Vec::new();
        for (goal, starts) in starts.into_iter().enumerate() {
            let mut starts: Vec<Found> = starts.into_iter().flatten().collect();
            starts.sort_by(|a, b| b.0.total_cmp(&a.0));
            // The absolute error is climbed from more points: the relative one mostly has a peak.
            starts.truncate(STARTS >> goal);
            for (error, point) in starts.into_iter().filter(|(error, _)| error.is_finite()) {
                climbs.push((goal, Climb::new(error, point, self.tape.inputs.len())));
            }
        }
        let mut point = vec![0u64; space.words()];
        let mut left = points;
        while !climbs.is_empty() {
            let stage = if climbs.len() <= 2 { left } else { left * 2 / 5 };
            left -= stage;
            for tried in 0..stage {
                let stop = tried.is_multiple_of(64) || self.tape.steps.len() > 1_000;
                if stop && budget.exhausted() {
                    break;
                }
                let at = tried % climbs.len();
                let (goal, climb) = &mut climbs[at];
                climb.step(sampler, &mut point);
                let Some(estimate) = self.estimate(space, &point) else { continue };
                climb.told(estimate.errors()[*goal], &point);
            }
            for (goal, climb) in &climbs {
                let found = climb.best();
                if best[*goal].as_ref().is_none_or(|(known, _)| found.0 > *known) {
                    best[*goal] = Some(found.clone());
                }
            }
            if left == 0 || climbs.len() <= 2 || budget.exhausted() {
                break;
            }
            climbs.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.best().0.total_cmp(&a.1.best().0)));
            let mut rank = [0; 2];
            let counts = [0, 1].map(|goal| climbs.iter().filter(|(of, _)| *of == goal).count());
            climbs.retain(|(goal, _)| {
                rank[*goal] += 1;
                rank[*goal] <= counts[*goal].div_ceil(2)
            });
        }
    }

    /// How many points are looked at: slow graphs get fewer.
    fn affordable(&self, points: usize) -> usize {
        let cost = |step: &Step| match step.action {
            // Long arithmetic.
            Action::Operation(Operation::Unary(..) | Operation::Binary(..)) => 200,
            Action::Input(_) | Action::Constant(_) | Action::Operation(_) => 1,
        };
        let cost: usize = self.tape.steps.iter().map(cost).sum();
        match &self.runner {
            Some(_) => points.min(40_000_000 / cost.max(1)),
            None => points.min(400_000 / cost.max(1)),
        }
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

    fn quick_point(&self, space: &Space, point: &[u64]) -> Vec<f64> {
        space
            .encodings(point)
            .into_iter()
            .zip(space.dimensions())
            .map(|(bits, dimension)| match dimension.kind() {
                nanoscope_search::Kind::Float(Format::BINARY64) => f64::from_bits(bits as u64),
                nanoscope_search::Kind::Float(Format::BINARY32) => {
                    f64::from(f32::from_bits(bits as u32))
                }
                nanoscope_search::Kind::Float(format) => Float::from_bits(format, bits).to_f64(),
                nanoscope_search::Kind::Integer { .. } => bits as u64 as i64 as f64,
            })
            .collect()
    }

    /// Estimates the errors at a point, real inputs moved so that they are large.
    fn estimate(&mut self, space: &Space, point: &[u64]) -> Option<Estimate> {
        let floats = self.quick_point(space, point);
        let Some(runner) = &self.runner else {
            let exact = self.decode(space, point);
            let shown = self.confirm(&exact, &[])?;
            return Some(Estimate {
                absolute: shown.absolute,
                relative: shown.relative,
                shifts: Vec::new(),
            });
        };
        let mut values = std::mem::take(&mut self.floats);
        let mut shadows = std::mem::take(&mut self.shadows);
        let mut adjoints = std::mem::take(&mut self.adjoints);
        runner.run(&floats, &mut values);
        let result = (|| {
            let taken = self.pieces.iter().find(|piece| {
                piece.conditions.iter().all(|c| {
                    let (a, b) =
                        (values[self.tape.place(c.left)], values[self.tape.place(c.right)]);
                    c.relation.holds(&a, &b)
                })
            })?;
            let place = self.tape.place(taken.outputs[self.output]);
            let computed = values[place];
            let mut shifts = vec![0.0; floats.len()];
            let uncertain = self.tape.inputs.iter().any(|input| input.error != InputError::None);
            let twofold: Vec<Twofold> = floats.iter().map(|&x| Twofold::new(x)).collect();
            shadow(self.tape, &twofold, &mut shadows);
            let mut real = self.real_piece(&shadows)?;
            let mut error = computed - shadows[real].high - shadows[real].low;
            if uncertain {
                derivatives(self.tape, &values, place, &mut adjoints);
                let step_of = &self.input_steps;
                for (j, shift) in shifts.iter_mut().enumerate() {
                    let input = &self.tape.inputs[j];
                    let reach = match (input.error, self.tape.steps[step_of[j]].grid) {
                        (InputError::None, _) | (InputError::HalfUlp, None) => 0.0,
                        (InputError::Absolute(reach), _) => reach,
                        (InputError::HalfUlp, Some(grid)) => {
                            grid.half_ulp(floats[j].abs()) * (1.0 - 1e-6)
                        }
                    };
                    let d = if step_of[j] <= place { adjoints[step_of[j]] } else { 0.0 };
                    let wanted = -error.signum() * d.signum() * reach;
                    // The real input stays in its range.
                    let Twofold { high, low } = Twofold::new(floats[j]).plus(Twofold::new(wanted));
                    let fits = (high > input.range.lo || high == input.range.lo && low >= 0.0)
                        && (high < input.range.hi || high == input.range.hi && low <= 0.0);
                    if d != 0.0 && fits {
                        *shift = wanted;
                    }
                }
                let twofold: Vec<Twofold> = floats
                    .iter()
                    .zip(&shifts)
                    .map(|(&x, &shift)| Twofold::new(x).plus(Twofold::new(shift)))
                    .collect();
                shadow(self.tape, &twofold, &mut shadows);
                real = self.real_piece(&shadows)?;
                error = computed - shadows[real].high - shadows[real].low;
            }
            for known in self.graph.assumptions() {
                let at = |node: NodeId| shadows[self.tape.place(node)];
                let difference = at(known.left).plus(at(known.right).negated()).value();
                if !known.relation.holds(&difference, &0.0) {
                    return None;
                }
            }
            let exact = shadows[real].high;
            if !exact.is_finite() {
                return None;
            }
            let absolute = if computed.is_finite() { error.abs() } else { f64::INFINITY };
            let normal =
                self.tape.steps[real].grid.map_or(0.0, |grid: Grid| grid.smallest_normal());
            let relative = absolute / exact.abs().max(normal);
            Some(Estimate { absolute, relative, shifts })
        })();
        (self.floats, self.shadows, self.adjoints) = (values, shadows, adjoints);
        result
    }

    /// The output of the piece that the shadows take.
    fn real_piece(&self, shadows: &[Twofold]) -> Option<usize> {
        self.pieces
            .iter()
            .find(|piece| {
                piece.conditions.iter().all(|c| {
                    let at = |node: NodeId| shadows[self.tape.place(node)];
                    let difference = at(c.left).plus(at(c.right).negated()).value();
                    c.relation.holds(&difference, &0.0)
                })
            })
            .map(|piece| self.tape.place(piece.outputs[self.output]))
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
            real_point[input.input] = &floats[j] + shift.unwrap_or_else(Rational::zero);
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
        let values = match &self.runner {
            // The hardware rounds as the exact arithmetic does, and is faster.
            Some(runner) if self.tape.steps.len() > LARGE => {
                let point: Vec<f64> =
                    self.tape.inputs.iter().map(|input| nearest(&floats[input.input])).collect();
                let mut values = Vec::new();
                runner.run(&point, &mut values);
                values.into_iter().map(|value| Float::from(value).to_rational()).collect()
            }
            Some(_) | None => run_exactly(self.tape, self.graph, floats, choose),
        };
        let taken = self.pieces.iter().find(|piece| {
            piece.conditions.iter().all(|c| {
                let at = |node: NodeId| values[self.tape.place(node)].as_ref();
                match (at(c.left), at(c.right)) {
                    (Some(a), Some(b)) => c.relation.holds(a, b),
                    _ => false,
                }
            })
        })?;
        let computed = values[self.tape.place(taken.outputs[self.output])].clone();
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
