//! A part of a graph made ready for evaluation: operands by place, constants folded.

use crate::graph::{
    Comparison, Function, Graph, InputError, Model, NodeId, Operation, Precision, Rounds,
};
use crate::interval::Interval;
use crate::rounding::{Grid, Slip};
use nanoscope_ieee::{Float, Format, Rational, Rounding};
use num_traits::{Signed, Zero};
use std::collections::HashMap;

/// The nodes that some results depend on, in order.
#[derive(Clone, Debug)]
pub struct Tape {
    /// The steps.
    pub steps: Vec<Step>,
    /// The inputs that occur, by their places in the graph.
    pub inputs: Vec<TapeInput>,
    /// The functions that are called.
    pub functions: Vec<Called>,
    places: HashMap<NodeId, u32>,
}

/// A function that is called.
#[derive(Clone, Debug)]
pub struct Called {
    /// Its operations; the inputs are those of its parameters that it uses.
    pub tape: Tape,
    /// The places of its results.
    pub outputs: Vec<usize>,
    /// How many parameters it has.
    pub parameters: usize,
}

impl Called {
    fn new(Function { graph, outputs }: &Function) -> Called {
        let tape = Tape::new(graph, outputs.iter().copied());
        let outputs = outputs.iter().map(|output| tape.place(*output)).collect();
        Called { tape, outputs, parameters: graph.inputs().len() }
    }
}

/// An input of a tape.
#[derive(Clone, Debug)]
pub struct TapeInput {
    /// Its place in [`Graph::inputs`].
    pub input: usize,
    /// All it may be; infinite ends where it has no bounds.
    pub range: Interval,
    /// Whether only integers are meant.
    pub integer: bool,
    /// How far the float may be from the real.
    pub error: InputError,
}

/// A node of a tape. Operands are places of earlier steps.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it computes.
    pub action: Action,
    /// What it rounds to; none: it does not round.
    pub grid: Option<Grid>,
    /// The model of rounding that replaces the grid's.
    pub model: Option<Model>,
    /// Its precision in bits, for the accuracy of functions.
    pub precision: u32,
    /// The node it was made from.
    pub node: NodeId,
    /// Where in the source it comes from.
    pub tag: u32,
}

/// What a step computes.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// The input with this place in [`Tape::inputs`].
    Input(u32),
    /// A constant.
    Constant(Constant),
    /// An operation, its operands as places.
    Operation(Operation),
}

/// A constant of both computations.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Encloses the real number.
    pub real: Interval,
    /// Encloses the float.
    pub float: Interval,
    /// How far the float is from the real.
    pub slip: Slip,
    /// The float is a multiple of two to this power.
    pub grain: i32,
    /// How many significant bits the float has.
    pub bits: i32,
    /// Whether the float is a power of two, or minus one.
    pub power_of_two: bool,
}

/// A rational between two floats, equal ones where it is one.
pub fn enclose(value: &Rational) -> Interval {
    let end = |mode| {
        let (float, _) = Float::from_rational(Format::BINARY64, mode, value);
        float.to_f64()
    };
    Interval { lo: end(Rounding::Downward), hi: end(Rounding::Upward) }
}

/// Remembers which nodes of a growing graph are constants, and their values.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    known: Vec<Option<Known>>,
}

impl Folder {
    /// Looks at the nodes that came since the last time.
    pub fn update(&mut self, graph: &Graph) {
        for node in &graph.nodes()[self.known.len()..] {
            let value = fold(graph, node.operation, node.precision, &self.known);
            self.known.push(value);
        }
    }

    /// The real and the float value of a constant node.
    pub fn known(&self, node: NodeId) -> Option<(&Rational, &Rational)> {
        self.known[node.index()].as_ref().map(|known| (&known.real, &known.float))
    }
}

/// What a node is known to be in both computations.
#[derive(Clone, Debug)]
struct Known {
    real: Rational,
    float: Rational,
}

impl Tape {
    /// The tape of some results.
    pub fn new(graph: &Graph, roots: impl IntoIterator<Item = NodeId>) -> Tape {
        let mut tape = Tape {
            steps: Vec::new(),
            inputs: Vec::new(),
            functions: graph.functions().iter().map(|function| Called::new(function)).collect(),
            places: HashMap::new(),
        };
        let mut known: Vec<Option<Known>> = Vec::new();
        for id in graph.cone(roots) {
            let node = graph.node(id);
            let place = |operand: NodeId| NodeId::new(tape.places[&operand]);
            let operation = node.operation.map(place);
            let constant = fold(graph, operation, node.precision, &known);
            let action = match (&constant, operation) {
                (Some(constant), _) => Action::Constant(constant_of(constant)),
                (None, Operation::Input(input)) => {
                    let input = input as usize;
                    let known = &graph.inputs()[input];
                    let low = known.low.as_ref().map_or(f64::NEG_INFINITY, |low| enclose(low).lo);
                    let high = known.high.as_ref().map_or(f64::INFINITY, |high| enclose(high).hi);
                    tape.inputs.push(TapeInput {
                        input,
                        range: Interval { lo: low, hi: high },
                        integer: known.integer,
                        error: known.error,
                    });
                    Action::Input(tape.inputs.len() as u32 - 1)
                }
                (None, Operation::Constant(place)) => Action::Constant(any_rounding(
                    &graph.constants()[place as usize],
                    node.precision,
                )),
                (None, operation) => Action::Operation(operation),
            };
            let (grid, precision) = match node.precision {
                Precision::Exact => (None, u32::MAX),
                Precision::Float(format, rounds) => {
                    (Some(Grid::new(format, rounds)), format.precision)
                }
            };
            tape.places.insert(id, tape.steps.len() as u32);
            tape.steps.push(Step {
                action,
                grid,
                model: graph.model(),
                precision,
                node: id,
                tag: node.tag,
            });
            known.push(constant);
        }
        tape
    }

    /// The operations of one pass, those of the functions that are called among them.
    pub fn operations(&self) -> usize {
        let of = |step: &Step| match step.action {
            Action::Operation(Operation::Call(call)) => {
                self.functions[call.function as usize].tape.operations()
            }
            Action::Operation(_) | Action::Input(_) | Action::Constant(_) => 1,
        };
        self.steps.iter().map(of).sum()
    }

    /// The place of a node.
    pub fn place(&self, node: NodeId) -> usize {
        self.places[&node] as usize
    }

    /// The place of a node; none: it is not needed.
    pub fn find(&self, node: NodeId) -> Option<usize> {
        self.places.get(&node).map(|place| *place as usize)
    }

    /// The places of the inputs, in their order.
    pub fn input_steps(&self) -> Vec<usize> {
        let mut places = vec![0; self.inputs.len()];
        for (place, step) in self.steps.iter().enumerate() {
            if let Action::Input(input) = step.action {
                places[input as usize] = place;
            }
        }
        places
    }

    /// The box of all inputs; infinite sides where one is unbounded.
    pub fn whole_box(&self) -> Vec<Interval> {
        self.inputs.iter().map(|input| input.range).collect()
    }
}

fn constant_of(known: &Known) -> Constant {
    let error = &known.float - &known.real;
    let enclosed = enclose(&error);
    let mid = enclosed.middle();
    let float = enclose(&known.float);
    let (grain, bits, power_of_two) = if known.float.is_zero() {
        (i32::MAX / 4, 0, false)
    } else {
        let numerator = known.float.numer().magnitude();
        let trailing = numerator.trailing_zeros().unwrap_or(0) as i32;
        let down = known.float.denom().bits() as i32 - 1;
        let dyadic = known.float.denom().magnitude().trailing_zeros() == Some(down as u64);
        let single = numerator.bits() as i32 - 1 == trailing;
        let bits = numerator.bits() as i32 - trailing;
        if dyadic { (trailing - down, bits, single) } else { (i32::MIN / 4, i32::MAX / 4, false) }
    };
    Constant {
        real: enclose(&known.real),
        float,
        slip: Slip { mid, rad: enclosed.radius_from(mid) },
        grain,
        bits,
        power_of_two,
    }
}

/// A constant that may be rounded either way, or that its format cannot hold.
fn any_rounding(value: &Rational, precision: Precision) -> Constant {
    let real = enclose(value);
    let (float, slip) = match precision {
        Precision::Exact => (real, Slip::NONE),
        Precision::Float(format, rounds) => {
            let grid = Grid::new(format, rounds);
            if real.magnitude() > grid.largest() {
                // No float of the format is near.
                return Constant {
                    real,
                    float: Interval::ALL,
                    slip: Slip { mid: 0.0, rad: f64::INFINITY },
                    grain: i32::MIN / 4,
                    bits: i32::MAX / 4,
                    power_of_two: false,
                };
            }
            (grid.round(real), grid.slip(real, i32::MIN / 4, i32::MAX / 4))
        }
    };
    Constant { real, float, slip, grain: i32::MIN / 4, bits: i32::MAX / 4, power_of_two: false }
}

/// Rounds a known value as a node does; none where it overflows or the direction is open.
fn rounded(precision: Precision, value: &Rational) -> Option<Rational> {
    match precision {
        Precision::Exact => Some(value.clone()),
        Precision::Float(format, Rounds::To(mode)) => {
            Float::from_rational(format, mode, value).0.to_rational()
        }
        Precision::Float(format, Rounds::Any) => {
            let (float, flags) = Float::from_rational(format, Rounding::NearestEven, value);
            if flags.inexact { None } else { float.to_rational() }
        }
    }
}

/// Constants whose numbers grow beyond this many bits are not folded further.
const FOLD_BITS: u64 = 1 << 14;

/// Both values of a node whose operands are constants.
fn fold(
    graph: &Graph,
    operation: Operation,
    precision: Precision,
    known: &[Option<Known>],
) -> Option<Known> {
    let of = |operand: NodeId| known[operand.index()].as_ref();
    let both = |f: &dyn Fn(&[&Rational]) -> Option<Rational>, operands: &[NodeId]| {
        let values: Vec<&Known> =
            operands.iter().map(|&operand| of(operand)).collect::<Option<_>>()?;
        let reals: Vec<&Rational> = values.iter().map(|known| &known.real).collect();
        let floats: Vec<&Rational> = values.iter().map(|known| &known.float).collect();
        let real = f(&reals)?;
        let float = rounded(precision, &f(&floats)?)?;
        let small = |x: &Rational| x.numer().bits() + x.denom().bits() < FOLD_BITS;
        (small(&real) && small(&float)).then_some(Known { real, float })
    };
    match operation {
        Operation::Constant(place) => {
            let real = graph.constants()[place as usize].clone();
            // Where every direction may be taken it is left to the intervals.
            let float = rounded(precision, &real)?;
            Some(Known { real, float })
        }
        Operation::Add(a, b) => both(&|x| Some(x[0] + x[1]), &[a, b]),
        Operation::Sub(a, b) => both(&|x| Some(x[0] - x[1]), &[a, b]),
        Operation::Mul(a, b) => both(&|x| Some(x[0] * x[1]), &[a, b]),
        Operation::Div(a, b) => both(&|x| (!x[1].is_zero()).then(|| x[0] / x[1]), &[a, b]),
        Operation::Fma(a, b, c) => both(&|x| Some(x[0] * x[1] + x[2]), &[a, b, c]),
        Operation::Neg(a) => both(&|x| Some(-x[0]), &[a]),
        Operation::Abs(a) => both(&|x| Some(x[0].abs()), &[a]),
        Operation::Min(a, b) => both(&|x| Some(x[0].min(x[1]).clone()), &[a, b]),
        Operation::Max(a, b) => both(&|x| Some(x[0].max(x[1]).clone()), &[a, b]),
        Operation::Convert(a) | Operation::Argument(a) => both(&|x| Some(x[0].clone()), &[a]),
        Operation::Choose(Comparison { left, relation, right }, a, b) => both(
            &|x| Some(if relation.holds(x[0], x[1]) { x[2].clone() } else { x[3].clone() }),
            &[left, right, a, b],
        ),
        Operation::Input(_)
        | Operation::Sqrt(_)
        | Operation::Integral(..)
        | Operation::Unary(..)
        | Operation::Binary(..)
        | Operation::Call(_) => None,
    }
}
