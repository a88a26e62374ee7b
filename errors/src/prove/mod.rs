//! Proved bounds on the error of a computation's results.

pub mod choice;
pub mod conjugate;
pub mod facts;
pub mod form;
pub mod homogeneous;
pub mod local;
pub mod maximise;
pub mod near;
pub mod premises;
pub mod recurrence;
pub mod seam;
mod ways;
pub mod wide_form;
pub mod within;

use crate::graph::tape::Tape;
use crate::graph::{Comparison, Graph, NodeId, Piece};
use crate::interval::Interval;
use facts::Trouble;
use local::Local;
use maximise::{Above, Effort, Maximum, Objective, maximise};
use nanoscope_search::Budget;
use premises::{Maker, Premises, World};
use std::collections::BTreeMap;
use std::fmt;
use ways::{Here, Ways};

/// How to prove.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many parts of the input space to look at, for each result.
    pub boxes: usize,
    /// Stop when the bound exceeds the largest sum of error terms at a point by no more than this.
    pub tolerance: f64,
    /// Whether relative errors are wanted too.
    pub relative: bool,
    /// Up to so many inputs have symbols of their own on every part of the input space (16 at
    /// most); more are followed by wide forms over the whole of it.
    pub symbols: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { boxes: 20_000, tolerance: 0.01, relative: true, symbols: SYMBOLS }
    }
}

/// What is proved of one result.
#[derive(Clone, Debug)]
pub struct Bound {
    /// No float result is farther from the real one; infinite where nothing is proved.
    pub absolute: f64,
    /// The same relative to the real result, or to the smallest normal number where that is
    /// larger. None where nothing is proved.
    pub relative: Option<f64>,
    /// Where the error comes from: the largest shares first, by tag, at the inputs where the sum
    /// of the error terms was largest.
    pub contributions: Vec<(u32, f64)>,
    /// How it was proved.
    pub method: Method,
    /// Why there is no bound.
    pub open: Option<Open>,
    /// Where large errors are suspected: points, a number for each input of the graph, at which
    /// the sum of the error terms is largest, absolutely and relative to the result.
    pub points: Vec<Vec<f64>>,
    /// Whether the exact result is negative for some inputs, and positive for some.
    pub signs: [bool; 2],
}

impl Bound {
    /// Why there is an absolute bound and no relative one.
    pub fn why_not_relative(&self) -> &'static str {
        match self.signs {
            [true, true] => {
                "the exact result has both signs, and near 0 no relative error is bounded"
            }
            [false, _] | [_, false] => "the exact result comes near 0, as far as enclosures tell",
        }
    }

    /// The same with the lesser bounds of another proof about the same result.
    pub fn sharpened(mut self, other: &Bound) -> Bound {
        if other.absolute < self.absolute {
            self.absolute = other.absolute;
            self.open = None;
            self.method = other.method;
        }
        self.relative = match (self.relative, other.relative) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, None) | (None, one) => one,
        };
        self
    }
}

/// How a bound was proved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// Parts of the input space that were looked at.
    pub boxes: usize,
    /// The largest sum of first-order error terms at a single point: the bound cannot become
    /// less than this by more work of this kind.
    pub attained: f64,
    /// Whether the results of different ways had to be compared: a branch may be unstable.
    pub unstable: bool,
}

/// Why there is no bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    /// An input has no bounds.
    UnboundedInput(String),
    /// A result may exceed its format; the tag of the operation.
    Overflow(u32),
    /// A divisor may be zero; the tag of the division.
    Divisor(u32),
    /// An argument may be outside a function's domain; the tag of the call.
    Domain(u32),
    /// No input satisfies the assumptions.
    NoInput,
}

impl fmt::Display for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Open::UnboundedInput(name) => write!(f, "unbounded input {name}"),
            Open::Overflow(_) => f.write_str("a result may overflow"),
            Open::Divisor(_) => f.write_str("a divisor may be zero"),
            Open::Domain(_) => f.write_str("an argument may be outside a function's domain"),
            Open::NoInput => f.write_str("no input satisfies the assumptions"),
        }
    }
}

impl Open {
    fn of(trouble: Trouble, graph: &Graph) -> Open {
        let tag = |node: NodeId| graph.node(node).tag;
        match trouble {
            Trouble::Unbounded(input) => Open::UnboundedInput(graph.inputs()[input].name.clone()),
            Trouble::Overflow(node) => Open::Overflow(tag(node)),
            Trouble::Divisor(node) => Open::Divisor(tag(node)),
            Trouble::Domain(node) => Open::Domain(tag(node)),
        }
    }
}

/// Bounds the error of every output of a computation. The pieces are the ways through it; a
/// computation without branches has one ([`Piece::only`]).
///
/// # Panics
/// When the pieces have different numbers of outputs, or a certificate does not hold.
pub fn prove(graph: &Graph, pieces: &[Piece], options: &Options, budget: &Budget) -> Vec<Bound> {
    let outputs = pieces.first().map_or(0, |piece| piece.outputs.len());
    assert!(
        pieces.iter().all(|piece| piece.outputs.len() == outputs),
        "as many outputs on each way"
    );
    if let [piece] = pieces
        && piece.conditions.is_empty()
        && graph.assumptions().is_empty()
        && outputs > 1
        && graph.inputs().len() > options.symbols.min(SYMBOLS)
    {
        return many_outputs(graph, piece, options, budget);
    }
    (0..outputs)
        .map(|output| {
            let share = budget.remaining().map(|left| left / (outputs - output) as u32);
            let budget = share.map_or(budget.clone(), |share| budget.slice(share));
            one_output(graph, pieces, output, options, &budget)
        })
        .collect()
}

/// Steps of reverse passes that a quick bound of many nodes may take; nodes after that have the
/// error that is carried forward.
const REVERSED: usize = 20_000_000;

/// Bounds the error of every node of a graph, quickly: errors are carried forward through the
/// operations over the whole input space. Infinite where nothing can be said.
pub fn quick(graph: &Graph, nodes: &[NodeId]) -> Vec<(f64, f64)> {
    let tape = Tape::new(graph, nodes.iter().copied());
    let mut local = Local::<0>::new(&tape);
    local.forward(&tape.whole_box(), &[]);
    let mut work = REVERSED;
    let bound = |node: &NodeId| {
        let place = tape.place(*node);
        if local.trouble(place).is_some() {
            return (f64::INFINITY, f64::INFINITY);
        }
        let absolute = match work.checked_sub(place + 1) {
            Some(left) => {
                work = left;
                local.absolute(place, |_, _| {}).bound
            }
            None => local.facts(place).error,
        };
        (absolute, local.relative(place, absolute))
    };
    nodes.iter().map(bound).collect()
}

/// Where the values of nodes lie, in both computations and over all inputs; everything where that
/// is not known.
pub fn enclosures(graph: &Graph, nodes: &[NodeId]) -> Vec<Interval> {
    let tape = Tape::new(graph, nodes.iter().copied());
    let mut local = Local::<0>::new(&tape);
    local.forward(&tape.whole_box(), &[]);
    let of = |node: &NodeId| {
        let place = tape.place(*node);
        match local.trouble(place) {
            Some(_) => Interval::ALL,
            None => local.facts(place).real.hull(local.facts(place).float),
        }
    };
    nodes.iter().map(of).collect()
}

/// Inputs that forms have symbols of their own for, at most.
const SYMBOLS: usize = 16;

/// Bounds the errors of all outputs of a computation with many inputs: values are enclosed once.
fn many_outputs(graph: &Graph, piece: &Piece, options: &Options, budget: &Budget) -> Vec<Bound> {
    let tape = Tape::new(graph, piece.outputs.iter().copied());
    let mut local = Local::<0>::widely(&tape);
    local.forward(&tape.whole_box(), &[]);
    let bound = |output: &NodeId| {
        let place = tape.place(*output);
        let trouble = local.trouble(place);
        let mut sources: BTreeMap<u32, f64> = BTreeMap::new();
        let absolute = match trouble {
            Some(_) => f64::INFINITY,
            // What the operations carry forward is a bound too.
            None if budget.exhausted() => local.facts(place).error,
            None => {
                let source = |at: usize, share: f64| {
                    *sources.entry(tape.steps[at].tag).or_insert(0.0) += share;
                };
                local.absolute(place, source).bound
            }
        };
        let relative = options.relative.then(|| local.relative(place, absolute));
        Bound {
            absolute,
            relative: relative.filter(|bound| trouble.is_none() && bound.is_finite()),
            contributions: ranked(sources),
            method: Method { boxes: 1, attained: 0.0, unstable: false },
            open: trouble.map(|trouble| Open::of(trouble, graph)),
            points: Vec::new(),
            signs: [false; 2],
        }
    };
    piece.outputs.iter().map(bound).collect()
}

/// Shares of tags, the largest first.
fn ranked(sources: BTreeMap<u32, f64>) -> Vec<(u32, f64)> {
    let mut shares: Vec<(u32, f64)> = sources.into_iter().collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    shares
}

fn one_output(
    graph: &Graph,
    pieces: &[Piece],
    output: usize,
    options: &Options,
    budget: &Budget,
) -> Bound {
    let sides = |comparison: &Comparison| [comparison.left, comparison.right];
    let roots = pieces
        .iter()
        .flat_map(|piece| piece.conditions.iter().flat_map(sides).chain([piece.outputs[output]]))
        .chain(graph.assumptions().iter().flat_map(sides));
    let tape = Tape::new(graph, roots);
    let count = tape.inputs.len();
    // Many symbols, or some on a large graph, are left to wide forms.
    let few = count <= options.symbols.min(SYMBOLS) && count * tape.steps.len() <= 4_000_000;
    let symbols = if few { count } else { 0 };
    let maker = Maker::new(&tape);
    let taken = pieces.iter().map(|piece| {
        let of = |world| maker.make(&piece.conditions, world);
        let (mut floats, reals) = (of(World::Float), of(World::Real));
        floats.enclose(&tape, &piece.enclosed);
        (floats, reals)
    });
    let mut assumed = maker.assumed(graph.assumptions());
    // What is known on the only way is known always.
    if let [only] = pieces {
        assumed.enclose(&tape, &only.enclosed);
    }
    let (ways, taken) = (Ways::of(pieces), taken.collect());
    let problem = Problem { graph, pieces, output, tape: &tape, assumed, taken, ways };
    match symbols {
        0 => problem.bound::<0>(options, budget),
        1 => problem.bound::<1>(options, budget),
        2 => problem.bound::<2>(options, budget),
        3 => problem.bound::<3>(options, budget),
        4 => problem.bound::<4>(options, budget),
        5..=6 => problem.bound::<6>(options, budget),
        7..=9 => problem.bound::<9>(options, budget),
        _ => problem.bound::<16>(options, budget),
    }
}

/// One output of a computation.
struct Problem<'p> {
    graph: &'p Graph,
    pieces: &'p [Piece],
    output: usize,
    tape: &'p Tape,
    /// What the assumptions say.
    assumed: Premises,
    /// What each way's conditions say of the floats, and of the reals.
    taken: Vec<(Premises, Premises)>,
    /// The ways by what parts them.
    ways: Ways,
}

/// Which error is maximised.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    Absolute,
    Relative,
}

struct Errors<'p, const N: usize> {
    problem: &'p Problem<'p>,
    local: Local<'p, N>,
    measure: Measure,
    /// Whether different ways had to be compared on a part that counted.
    unstable: bool,
    sources: Option<BTreeMap<u32, f64>>,
    /// Whether the result was seen to be negative, and positive.
    signs: [bool; 2],
}

/// The largest error of a measure.
struct Found {
    maximum: Maximum,
    unstable: bool,
    signs: [bool; 2],
}

/// Ways that are possible on one part of the inputs are looked at one by one, as far as each is
/// taken; pairs of them are, up to this number.
const PAIRS: usize = 36;

/// Operations that are enclosed on one part of the inputs where exact comparisons part the ways.
const PARTED: usize = 400_000;

/// A relative bound above this is worth another argument.
const WIDE: f64 = 1e-6;

/// Operations that are enclosed for the relative error of a result of both signs.
const HOPELESS: usize = 400_000;

impl<const N: usize> Objective for Errors<'_, N> {
    fn above(&mut self, sides: &[Interval]) -> Option<Above> {
        let problem = self.problem;
        if !self.local.forward(sides, &[&problem.assumed])
            || !problem.graph.assumptions().iter().all(|known| self.local.may_hold_really(known))
        {
            return None;
        }
        let mut pairs = Vec::new();
        let possible = problem.ways.possible(&WaysHere(self), &mut pairs);
        let mut whole = self.nothing();
        // A single way holds wherever it is possible: its premises help only if it fails.
        let narrowed = match possible.as_slice() {
            [only] => self.troubled(*only),
            _ => {
                // Ways that exact comparisons part are as many forward passes, no more.
                let parted = pairs.iter().all(|(taken, real)| taken == real);
                let work = pairs.len().saturating_mul(problem.tape.steps.len());
                pairs.len() <= PAIRS || parted && work <= PARTED
            }
        };
        for (taken, real) in pairs {
            let premises = [&problem.assumed, &problem.taken[taken].0, &problem.taken[real].1];
            if !narrowed || self.local.forward(sides, &premises) {
                let pair = self.pair(taken, real);
                whole.include(pair);
            }
        }
        Some(whole)
    }

    fn integer(&self, side: usize) -> bool {
        self.problem.tape.inputs[side].integer
    }

    fn splittable(&self) -> usize {
        N
    }

    /// A result of both signs is mostly 0 somewhere, where no relative error has a bound.
    fn hopeless(&self) -> Option<usize> {
        let boxes = (HOPELESS / self.problem.tape.steps.len().max(1)).clamp(500, 6_000);
        (self.measure == Measure::Relative && self.signs == [true; 2]).then_some(boxes)
    }

    fn is_relative(&self) -> bool {
        self.measure == Measure::Relative
    }
}

impl Above {
    /// The worse of both.
    fn include(&mut self, other: Above) {
        self.bound = self.bound.max(other.bound);
        self.trouble = self.trouble.or(other.trouble);
        for (known, weight) in self.weights.iter_mut().zip(other.weights) {
            *known = known.max(weight);
        }
    }
}

/// What a box says of ways.
struct WaysHere<'e, 'p, const N: usize>(&'e Errors<'p, N>);

impl<const N: usize> Here for WaysHere<'_, '_, N> {
    fn may_hold(&self, comparison: &Comparison) -> bool {
        self.0.local.may_hold(comparison)
    }

    fn is_exact(&self, Comparison { left, right, .. }: &Comparison) -> bool {
        let exact = |node: NodeId| self.0.local.facts(self.0.problem.tape.place(node)).error == 0.0;
        exact(*left) && exact(*right)
    }

    fn conditions(&self, piece: usize) -> &[Comparison] {
        &self.0.problem.pieces[piece].conditions
    }
}

impl<const N: usize> Errors<'_, N> {
    fn nothing(&self) -> Above {
        let sides = self.problem.tape.inputs.len().min(N);
        Above { bound: 0.0, weights: vec![0.0; sides], trouble: None }
    }

    /// The place of a way's result.
    fn result(&self, piece: usize) -> usize {
        let problem = self.problem;
        problem.tape.place(problem.pieces[piece].outputs[problem.output])
    }

    fn troubled(&self, piece: usize) -> bool {
        self.local.trouble(self.result(piece)).is_some()
    }

    /// The error where the floats take one way and the reals another, or the same.
    fn pair(&mut self, taken: usize, other: usize) -> Above {
        let mut found = self.nothing();
        let (place, real) = (self.result(taken), self.result(other));
        if let Some(trouble) = self.local.trouble(place).or(self.local.trouble(real)) {
            found.weights.fill(1.0);
            return Above { bound: f64::INFINITY, trouble: Some(trouble), ..found };
        }
        let value = self.local.facts(real).real;
        self.signs[0] |= value.hi < 0.0;
        self.signs[1] |= value.lo > 0.0;
        if place == real {
            let mut sources = self.sources.take();
            let tape = self.problem.tape;
            let ceiling = self.local.absolute(place, |at, share| {
                if let Some(sources) = &mut sources {
                    *sources.entry(tape.steps[at].tag).or_insert(0.0) += share;
                }
            });
            self.sources = sources;
            found.bound = match self.measure {
                Measure::Absolute => ceiling.bound,
                Measure::Relative => self.local.relative(place, ceiling.bound),
            };
            for (known, weight) in found.weights.iter_mut().zip(ceiling.weight) {
                *known = weight;
            }
            return found;
        }
        self.unstable = true;
        let apart = self.local.apart(place, real);
        found.bound = match self.measure {
            Measure::Absolute => apart,
            Measure::Relative => self.local.relative_of(real, apart),
        };
        for (j, weight) in found.weights.iter_mut().enumerate() {
            let of = |place: usize| self.local.facts(place).form.slopes[j].abs();
            *weight = of(place) + of(real);
        }
        found
    }
}

impl Problem<'_> {
    fn bound<const N: usize>(&self, options: &Options, budget: &Budget) -> Bound {
        // Something is left for relative errors.
        let first = match budget.remaining().filter(|_| options.relative) {
            Some(left) => budget.slice(left.mul_f64(0.6)),
            None => budget.clone(),
        };
        let absolute = self.maximum::<N>(Measure::Absolute, options, &first);
        let relative = (options.relative && !budget.exhausted())
            .then(|| self.maximum::<N>(Measure::Relative, options, budget));
        let Found { maximum, unstable, mut signs } = absolute;
        let mut points = vec![self.point(&maximum)];
        if let Some(found) = &relative {
            points.push(self.point(&found.maximum));
            signs = [0, 1].map(|sign| signs[sign] | found.signs[sign]);
        }
        let relative = relative.map(|found| found.maximum.upper).filter(|bound| bound.is_finite());
        let relative = match relative {
            Some(bound) if bound <= WIDE => relative,
            _ if !options.relative => relative,
            Some(_) | None => {
                let scaled = homogeneous::relative(self.graph, self.pieces, self.output, budget);
                scaled.into_iter().chain(relative).reduce(f64::min)
            }
        };
        let open = if maximum.upper.is_finite() {
            None
        } else {
            Some(maximum.trouble.map_or(Open::NoInput, |trouble| Open::of(trouble, self.graph)))
        };
        let contributions =
            if open.is_none() { self.contributions::<N>(&maximum.point) } else { Vec::new() };
        Bound {
            absolute: maximum.upper,
            relative,
            contributions,
            method: Method { boxes: maximum.boxes, attained: maximum.lower, unstable },
            open,
            points,
            signs,
        }
    }

    /// The point of a maximum, as one of the graph.
    fn point(&self, maximum: &Maximum) -> Vec<f64> {
        let mut point = vec![0.0; self.graph.inputs().len()];
        for (input, x) in self.tape.inputs.iter().zip(&maximum.point) {
            point[input.input] = *x;
        }
        point
    }

    fn errors<const N: usize>(&self, measure: Measure) -> Errors<'_, N> {
        Errors {
            problem: self,
            local: match N == 0 && !self.tape.inputs.is_empty() {
                true => Local::widely(self.tape),
                false => Local::new(self.tape),
            },
            measure,
            unstable: false,
            sources: None,
            signs: [false; 2],
        }
    }

    fn maximum<const N: usize>(
        &self,
        measure: Measure,
        options: &Options,
        budget: &Budget,
    ) -> Found {
        // Boxes of large graphs cost more: the effort is counted in operations.
        let boxes = if N == 0 {
            1
        } else {
            options.boxes.min(20_000_000 / self.tape.operations().max(1)).max(1)
        };
        let effort = Effort { boxes, tolerance: options.tolerance };
        let whole = self.tape.whole_box();
        let mut errors = self.errors::<N>(measure);
        let maximum = maximise(&mut errors, &whole, effort, budget);
        let integer = |side: usize| self.tape.inputs[side].integer;
        if let Err(fault) = maximum.certificate.check(&whole, integer, maximum.upper) {
            panic!("the certificate of a bound does not hold: {fault}");
        }
        Found { maximum, unstable: errors.unstable, signs: errors.signs }
    }

    /// The shares of the tags at a point, the largest first.
    fn contributions<const N: usize>(&self, point: &[f64]) -> Vec<(u32, f64)> {
        let sides: Vec<Interval> = point.iter().map(|&x| Interval::point(x)).collect();
        let mut errors = self.errors::<N>(Measure::Absolute);
        errors.sources = Some(BTreeMap::new());
        errors.above(&sides);
        ranked(errors.sources.unwrap_or_default())
    }
}
