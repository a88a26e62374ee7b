//! Proved bounds on the error of a computation's results.

use crate::facts::Trouble;
use crate::graph::{Comparison, Graph, NodeId, Piece};
use crate::interval::Interval;
use crate::local::Local;
use crate::maximise::{Above, Effort, Maximum, Objective, maximise};
use crate::tape::Tape;
use nanoscope_search::Budget;
use std::collections::BTreeMap;
use std::fmt;

/// How to prove.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many parts of the input space to look at, for each result.
    pub boxes: usize,
    /// Stop when the bound exceeds the largest sum of error terms at a point by no more than this.
    pub tolerance: f64,
    /// Whether relative errors are wanted too.
    pub relative: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { boxes: 20_000, tolerance: 0.01, relative: true }
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
    /// The inputs (by their places in the graph) where the sum of the error terms is largest.
    pub point: Vec<(usize, f64)>,
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
    (0..outputs)
        .map(|output| {
            let share = budget.remaining().map(|left| left / (outputs - output) as u32);
            let budget = share.map_or(budget.clone(), |share| budget.slice(share));
            one_output(graph, pieces, output, options, &budget)
        })
        .collect()
}

/// Bounds the error of every node of a graph, quickly: errors are carried forward through the
/// operations over the whole input space. Infinite where nothing can be said.
pub fn quick(graph: &Graph, nodes: &[NodeId]) -> Vec<(f64, f64)> {
    nodes
        .iter()
        .map(|&node| {
            let tape = Tape::new(graph, [node]);
            let mut local = Local::<0>::new(&tape);
            local.forward(&tape.whole_box());
            let place = tape.place(node);
            if local.trouble(place).is_some() {
                return (f64::INFINITY, f64::INFINITY);
            }
            let absolute = local.absolute(place, |_, _| {}).bound;
            (absolute, local.relative(place, absolute))
        })
        .collect()
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
    // Forms over many symbols cost more than they give on large graphs.
    let symbols = if count > 16 || count * tape.steps.len() > 4_000_000 { 0 } else { count };
    let problem = Problem { graph, pieces, output, tape: &tape };
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
}

impl<const N: usize> Objective for Errors<'_, N> {
    fn above(&mut self, sides: &[Interval]) -> Option<Above> {
        self.local.forward(sides);
        let problem = self.problem;
        if !problem.graph.assumptions().iter().all(|known| self.local.may_hold_really(known)) {
            return None;
        }
        let possible: Vec<&Piece> = problem
            .pieces
            .iter()
            .filter(|piece| piece.conditions.iter().all(|known| self.local.may_hold(known)))
            .collect();
        let mut worst = 0.0f64;
        let mut weights = vec![0.0; problem.tape.inputs.len().min(N)];
        for taken in &possible {
            let place = problem.tape.place(taken.outputs[problem.output]);
            if let Some(trouble) = self.local.trouble(place) {
                let weights = vec![1.0; weights.len()];
                return Some(Above { bound: f64::INFINITY, weights, trouble: Some(trouble) });
            }
            let mut sources = self.sources.take();
            let tape = problem.tape;
            let ceiling = self.local.absolute(place, |at, share| {
                if let Some(sources) = &mut sources {
                    *sources.entry(tape.steps[at].tag).or_insert(0.0) += share;
                }
            });
            self.sources = sources;
            let error = match self.measure {
                Measure::Absolute => ceiling.bound,
                Measure::Relative => self.local.relative(place, ceiling.bound),
            };
            worst = worst.max(error);
            for (known, weight) in weights.iter_mut().zip(ceiling.weight) {
                *known = f64::max(*known, weight);
            }
            for other in &possible {
                let real = problem.tape.place(other.outputs[problem.output]);
                if !std::ptr::eq(*taken, *other) && place != real {
                    let apart = self.local.apart(place, real);
                    let apart = match self.measure {
                        Measure::Absolute => apart,
                        Measure::Relative => self.local.relative_of(real, apart),
                    };
                    self.unstable = true;
                    worst = worst.max(apart);
                    for (j, weight) in weights.iter_mut().enumerate() {
                        let of = |place: usize| self.local.facts(place).form.slopes[j].abs();
                        *weight += of(place) + of(real);
                    }
                }
            }
        }
        Some(Above { bound: worst, weights, trouble: None })
    }

    fn integer(&self, side: usize) -> bool {
        self.problem.tape.inputs[side].integer
    }

    fn splittable(&self) -> usize {
        N
    }
}

impl Problem<'_> {
    fn bound<const N: usize>(&self, options: &Options, budget: &Budget) -> Bound {
        let absolute = self.maximum::<N>(Measure::Absolute, options, budget);
        let relative = (options.relative && !budget.exhausted())
            .then(|| self.maximum::<N>(Measure::Relative, options, budget).0.upper)
            .filter(|bound| bound.is_finite());
        let (maximum, unstable) = absolute;
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
            point: self.tape.inputs.iter().map(|input| input.input).zip(maximum.point).collect(),
        }
    }

    fn errors<const N: usize>(&self, measure: Measure) -> Errors<'_, N> {
        Errors {
            problem: self,
            local: Local::new(self.tape),
            measure,
            unstable: false,
            sources: None,
        }
    }

    fn maximum<const N: usize>(
        &self,
        measure: Measure,
        options: &Options,
        budget: &Budget,
    ) -> (Maximum, bool) {
        // Boxes of large graphs cost more: the effort is counted in operations.
        let boxes = if N == 0 {
            1
        } else {
            options.boxes.min(20_000_000 / self.tape.steps.len().max(1)).max(1)
        };
        let effort = Effort { boxes, tolerance: options.tolerance };
        let whole = self.tape.whole_box();
        let mut errors = self.errors::<N>(measure);
        let maximum = maximise(&mut errors, &whole, effort, budget);
        let integer = |side: usize| self.tape.inputs[side].integer;
        if let Err(fault) = maximum.certificate.check(&whole, integer, maximum.upper) {
            panic!("the certificate of a bound does not hold: {fault}");
        }
        let unstable = errors.unstable;
        (maximum, unstable)
    }

    /// The shares of the tags at a point, the largest first.
    fn contributions<const N: usize>(&self, point: &[f64]) -> Vec<(u32, f64)> {
        let sides: Vec<Interval> = point.iter().map(|&x| Interval::point(x)).collect();
        let mut errors = self.errors::<N>(Measure::Absolute);
        errors.sources = Some(BTreeMap::new());
        errors.above(&sides);
        let mut shares: Vec<(u32, f64)> = errors.sources.unwrap_or_default().into_iter().collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        shares
    }
}
