//! Computations as graphs of float operations.
//!
//! A [`Graph`] is a list of nodes, operands before their users. A node computes in floats (its
//! operation rounded to its format) and stands for a real number at once (the same operation on
//! the operands' real numbers, not rounded). How far the two can be apart is what this crate finds
//! out. A node of precision [`Precision::Exact`] rounds nothing: integers, and reals by decree.

pub mod choose;
pub mod tape;

use nanoscope_ieee::{Float, Format, Libm, Rational, Rounding};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A node of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The node at a place.
    pub(crate) fn new(place: u32) -> NodeId {
        NodeId(place)
    }

    /// Its place in [`Graph::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How results are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounds {
    /// In one direction.
    To(Rounding),
    /// In any direction, each operation in its own.
    Any,
}

impl Default for Rounds {
    fn default() -> Rounds {
        Rounds::To(Rounding::NearestEven)
    }
}

/// What a node's results are rounded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Not rounded: integers, and whatever is exact by decree.
    Exact,
    /// Rounded to a format.
    Float(Format, Rounds),
}

impl Precision {
    /// A format, to nearest.
    pub fn nearest(format: Format) -> Precision {
        Precision::Float(format, Rounds::default())
    }

    /// The format, if it rounds.
    pub fn format(self) -> Option<Format> {
        match self {
            Precision::Exact => None,
            Precision::Float(format, _) => Some(format),
        }
    }
}

/// What a node computes from its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// An input, by its place in [`Graph::inputs`].
    Input(u32),
    /// A rational constant, by its place in [`Graph::constants`], rounded to the node's precision.
    Constant(u32),
    /// Sum.
    Add(NodeId, NodeId),
    /// Difference.
    Sub(NodeId, NodeId),
    /// Product.
    Mul(NodeId, NodeId),
    /// Quotient.
    Div(NodeId, NodeId),
    /// `a * b + c`, rounded once.
    Fma(NodeId, NodeId, NodeId),
    /// Square root.
    Sqrt(NodeId),
    /// Minus.
    Neg(NodeId),
    /// Absolute value.
    Abs(NodeId),
    /// The lesser.
    Min(NodeId, NodeId),
    /// The greater.
    Max(NodeId, NodeId),
    /// To the node's precision, from another: a cast between formats or from an integer.
    Convert(NodeId),
    /// To an integral value.
    Integral(Rounding, NodeId),
    /// A function of the mathematical library of one argument.
    Unary(Libm, NodeId),
    /// A function of the mathematical library of two arguments.
    Binary(Libm, NodeId, NodeId),
    /// The first where the comparison holds, else the second: floats are compared in the float
    /// computation, reals in the real one.
    Choose(Comparison, NodeId, NodeId),
    /// An argument of a call: the number itself.
    Argument(NodeId),
    /// A result of a function that the graph holds once.
    Call(Call),
}

/// A call of a function. Its arguments are [`Operation::Argument`]s, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// The function, by its place in [`Graph::functions`].
    pub function: u16,
    /// Which of its results.
    pub output: u16,
    first: NodeId,
    count: u16,
}

impl Call {
    /// The arguments, in order.
    pub fn arguments(self) -> impl Iterator<Item = NodeId> {
        (self.first.0..self.first.0 + u32::from(self.count)).map(NodeId)
    }
}

impl Operation {
    /// The same operation on other operands.
    pub fn map(self, mut f: impl FnMut(NodeId) -> NodeId) -> Operation {
        use Operation::*;
        match self {
            Input(_) | Constant(_) => self,
            Add(a, b) => Add(f(a), f(b)),
            Sub(a, b) => Sub(f(a), f(b)),
            Mul(a, b) => Mul(f(a), f(b)),
            Div(a, b) => Div(f(a), f(b)),
            Fma(a, b, c) => Fma(f(a), f(b), f(c)),
            Sqrt(a) => Sqrt(f(a)),
            Neg(a) => Neg(f(a)),
            Abs(a) => Abs(f(a)),
            Min(a, b) => Min(f(a), f(b)),
            Max(a, b) => Max(f(a), f(b)),
            Convert(a) => Convert(f(a)),
            Integral(mode, a) => Integral(mode, f(a)),
            Unary(function, a) => Unary(function, f(a)),
            Binary(function, a, b) => Binary(function, f(a), f(b)),
            Choose(Comparison { left, relation, right }, a, b) => {
                Choose(Comparison { left: f(left), relation, right: f(right) }, f(a), f(b))
            }
            Argument(a) => Argument(f(a)),
            // Arguments stay one after the other wherever they are moved to.
            Call(call) if call.count == 0 => self,
            Call(call) => Call(crate::graph::Call { first: f(call.first), ..call }),
        }
    }

    /// Whether it rounds nothing, given operands of its own format.
    pub fn is_exact(self) -> bool {
        use Operation::*;
        match self {
            Neg(_) | Abs(_) | Min(..) | Max(..) | Integral(..) | Choose(..) | Argument(_) => true,
            Input(_) | Constant(_) | Add(..) | Sub(..) | Mul(..) | Div(..) | Fma(..) | Sqrt(_)
            | Convert(_) | Unary(..) | Binary(..) | Call(_) => false,
        }
    }

    /// The operands, in order.
    pub fn operands(self) -> impl Iterator<Item = NodeId> {
        use Operation::*;
        let arguments = match self {
            Call(call) => Some(call.arguments()),
            // Any other operation has few operands.
            _ => None,
        };
        let all = match self {
            Input(_) | Constant(_) | Call(_) => [None; 4],
            Sqrt(a) | Neg(a) | Abs(a) | Convert(a) | Integral(_, a) | Unary(_, a) | Argument(a) => {
                [Some(a), None, None, None]
            }
            Add(a, b)
            | Sub(a, b)
            | Mul(a, b)
            | Div(a, b)
            | Min(a, b)
            | Max(a, b)
            | Binary(_, a, b) => [Some(a), Some(b), None, None],
            Fma(a, b, c) => [Some(a), Some(b), Some(c), None],
            Choose(Comparison { left, right, .. }, a, b) => {
                [Some(left), Some(right), Some(a), Some(b)]
            }
        };
        all.into_iter().flatten().chain(arguments.into_iter().flatten())
    }
}

/// An operation with its precision and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// What it computes.
    pub operation: Operation,
    /// What its result is rounded to.
    pub precision: Precision,
    /// The caller's name of the place in the source: errors are attributed to tags.
    pub tag: u32,
}

/// How far the float that a computation is given may be from the real number that is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum InputError {
    /// The float itself is meant.
    #[default]
    None,
    /// At most so far.
    Absolute(f64),
    /// The real number was rounded to the format: half an ulp.
    HalfUlp,
}

/// An input: the real numbers it stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// The least value; none: unbounded.
    pub low: Option<Rational>,
    /// The greatest value; none: unbounded.
    pub high: Option<Rational>,
    /// Whether only integers are meant.
    pub integer: bool,
    /// How far the float may be from the real number.
    pub error: InputError,
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Less.
    Less,
    /// Less or equal.
    LessEqual,
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
}

impl Relation {
    /// Whether two numbers compare so.
    pub fn holds<T: PartialOrd>(self, a: &T, b: &T) -> bool {
        match self {
            Relation::Less => a < b,
            Relation::LessEqual => a <= b,
            Relation::Equal => a == b,
            Relation::NotEqual => a != b,
        }
    }
}

/// A comparison of two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// The left side.
    pub left: NodeId,
    /// How it compares.
    pub relation: Relation,
    /// The right side.
    pub right: NodeId,
}

impl Comparison {
    /// The comparison that holds exactly where this does not, of numbers.
    pub fn negated(self) -> Comparison {
        let Comparison { left, relation, right } = self;
        match relation {
            Relation::Less => {
                Comparison { left: right, relation: Relation::LessEqual, right: left }
            }
            Relation::LessEqual => {
                Comparison { left: right, relation: Relation::Less, right: left }
            }
            Relation::Equal => Comparison { relation: Relation::NotEqual, ..self },
            Relation::NotEqual => Comparison { relation: Relation::Equal, ..self },
        }
    }
}

/// One of the ways through a computation: taken where all its conditions hold.
///
/// The float computation takes the piece whose conditions hold of the floats, the real one the
/// piece whose conditions hold of the reals; they need not be the same. The pieces of a
/// computation exclude each other and leave nothing out, or what is left out is not claimed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    /// What holds on this way.
    pub conditions: Vec<Comparison>,
    /// The results.
    pub outputs: Vec<NodeId>,
    /// Where float values lie on this way, as the caller knows.
    pub enclosed: Vec<Enclosure>,
}

/// Between which doubles a node's value in floats lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enclosure {
    /// The node.
    pub node: NodeId,
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
}

impl Piece {
    /// The only way there is.
    pub fn only(outputs: Vec<NodeId>) -> Piece {
        Piece::new(Vec::new(), outputs)
    }

    /// A way of which nothing more is known.
    pub fn new(conditions: Vec<Comparison>, outputs: Vec<NodeId>) -> Piece {
        Piece { conditions, outputs, enclosed: Vec::new() }
    }

    /// The same way through a graph whose nodes were moved.
    pub fn moved(&self, at: &[NodeId]) -> Piece {
        let of = |id: NodeId| at[id.index()];
        let condition =
            |by: &Comparison| Comparison { left: of(by.left), right: of(by.right), ..*by };
        Piece {
            conditions: self.conditions.iter().map(condition).collect(),
            outputs: self.outputs.iter().map(|id| of(*id)).collect(),
            enclosed: self
                .enclosed
                .iter()
                .map(|known| Enclosure { node: of(known.node), ..*known })
                .collect(),
        }
    }
}

/// Parameters that a function may have.
pub const PARAMETERS: usize = 16;

/// A function of a graph.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its operations; the inputs are the parameters.
    pub(crate) graph: Graph,
    /// Its results.
    pub(crate) outputs: Vec<NodeId>,
}

impl Function {
    /// A function; none where calls of it cannot be summarised: its results must be floats and
    /// change continuously with its arguments.
    fn new(graph: Graph, outputs: Vec<NodeId>) -> Option<Function> {
        let continuous = |id: &NodeId| match graph.node(*id).operation {
            Operation::Choose(..) | Operation::Integral(..) => false,
            Operation::Input(_)
            | Operation::Constant(_)
            | Operation::Add(..)
            | Operation::Sub(..)
            | Operation::Mul(..)
            | Operation::Div(..)
            | Operation::Fma(..)
            | Operation::Sqrt(_)
            | Operation::Neg(_)
            | Operation::Abs(_)
            | Operation::Min(..)
            | Operation::Max(..)
            | Operation::Convert(_)
            | Operation::Unary(..)
            | Operation::Binary(..)
            | Operation::Argument(_)
            | Operation::Call(_) => true,
        };
        let floats = outputs.iter().all(|id| graph.node(*id).precision.format().is_some());
        let fits = !outputs.is_empty()
            && graph.inputs().len() <= PARAMETERS
            && graph.assumptions().is_empty();
        let cone = graph.cone(outputs.iter().copied());
        (fits && floats && cone.iter().all(continuous)).then_some(Function { graph, outputs })
    }

    /// How many parameters it has.
    pub fn parameters(&self) -> usize {
        self.graph.inputs().len()
    }
}

/// A coarse model of rounding: every operation is off by at most `delta` of its result and
/// `epsilon` more, both always.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// The relative error of a rounding.
    pub delta: f64,
    /// The absolute error of a rounding.
    pub epsilon: f64,
}

/// A directed acyclic graph of float operations, equal ones shared.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    model: Option<Model>,
    nodes: Vec<Node>,
    inputs: Vec<Input>,
    constants: Vec<Rational>,
    assumptions: Vec<Comparison>,
    functions: Vec<Arc<Function>>,
    shared: HashMap<(Operation, Precision), NodeId>,
    constant_index: HashMap<Rational, u32>,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Graph {
        Graph::default()
    }

    /// The nodes, operands first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// The inputs.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The precision of an input's node.
    pub fn input_precision(&self, input: usize) -> Option<Precision> {
        let is_it = |node: &&Node| node.operation == Operation::Input(input as u32);
        self.nodes.iter().find(is_it).map(|node| node.precision)
    }

    /// The inputs, to change their ranges and errors.
    pub fn inputs_mut(&mut self) -> &mut [Input] {
        &mut self.inputs
    }

    /// The model of rounding that bounds are proved in; none: the formats' own rounding.
    pub fn model(&self) -> Option<Model> {
        self.model
    }

    /// Proves in a model of rounding instead of the formats' own.
    pub fn set_model(&mut self, model: Option<Model>) {
        self.model = model;
        for function in &mut self.functions {
            let mut graph = function.graph.clone();
            graph.set_model(model);
            let made = Function::new(graph, function.outputs.clone());
            *function = Arc::new(made.expect("it was a function before"));
        }
    }

    /// The constants.
    pub fn constants(&self) -> &[Rational] {
        &self.constants
    }

    /// The functions that are called.
    pub fn functions(&self) -> &[Arc<Function>] {
        &self.functions
    }

    /// Adds a function: a graph whose inputs are its parameters, and its results. None: calls of
    /// it cannot be summarised, it is to be taken apart.
    pub fn function(&mut self, body: Graph, outputs: Vec<NodeId>) -> Option<u16> {
        let function = Function::new(body, outputs)?;
        let place = u16::try_from(self.functions.len()).ok()?;
        self.functions.push(Arc::new(function));
        Some(place)
    }

    /// Calls a function: a node for each of its results.
    ///
    /// # Panics
    /// When there is no such function, or it has another number of parameters.
    pub fn call(&mut self, function: u16, arguments: &[NodeId], tag: u32) -> Vec<NodeId> {
        let callee = Arc::clone(&self.functions[function as usize]);
        assert_eq!(arguments.len(), callee.graph.inputs().len(), "an argument for each parameter");
        let first = NodeId(self.nodes.len() as u32);
        for &argument in arguments {
            let precision = self.node(argument).precision;
            self.push(Node { operation: Operation::Argument(argument), precision, tag });
        }
        let count = arguments.len() as u16;
        let call = |(output, node): (usize, &NodeId)| {
            let call = Call { function, output: output as u16, first, count };
            let precision = callee.graph.node(*node).precision;
            self.push(Node { operation: Operation::Call(call), precision, tag })
        };
        callee.outputs.iter().enumerate().map(call).collect()
    }

    /// The operations there would be with every call taken apart.
    pub fn operations(&self) -> usize {
        let of = |node: &Node| match node.operation {
            Operation::Call(Call { function, output: 0, .. }) => {
                self.functions[function as usize].graph.operations()
            }
            // Any other operation is one.
            _ => 1,
        };
        self.nodes.iter().map(of).sum()
    }

    /// The same computation with every call taken apart, and where its nodes are.
    pub fn inlined(&self) -> (Graph, Vec<NodeId>) {
        let mut graph = Graph { model: self.model, ..Graph::new() };
        let mut at: Vec<NodeId> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            at.push(self.moved(*node, &at, &mut graph, None));
        }
        for known in &self.assumptions {
            let [left, right] = [known.left, known.right].map(|id| at[id.index()]);
            graph.assume(Comparison { left, right, ..*known });
        }
        (graph, at)
    }

    /// A node of this graph in another one, operands first; `arguments` take the place of the
    /// inputs.
    fn moved(
        &self,
        node: Node,
        at: &[NodeId],
        into: &mut Graph,
        arguments: Option<(&[NodeId], u32)>,
    ) -> NodeId {
        let tag = arguments.map_or(node.tag, |(_, tag)| tag);
        match (node.operation, arguments) {
            (Operation::Input(input), Some((arguments, _))) => arguments[input as usize],
            (Operation::Input(input), None) => {
                into.input(self.inputs[input as usize].clone(), node.precision, tag)
            }
            (Operation::Constant(place), _) => {
                into.constant(self.constants[place as usize].clone(), node.precision, tag)
            }
            (Operation::Argument(a), _) => at[a.index()],
            (Operation::Call(call), _) => {
                let callee = &self.functions[call.function as usize];
                let given: Vec<NodeId> = call.arguments().map(|id| at[id.index()]).collect();
                let mut inside: Vec<NodeId> = Vec::new();
                for node in &callee.graph.nodes {
                    inside.push(callee.graph.moved(*node, &inside, into, Some((&given, tag))));
                }
                inside[callee.outputs[call.output as usize].index()]
            }
            (operation, _) => {
                into.operation(operation.map(|id| at[id.index()]), node.precision, tag)
            }
        }
    }

    /// Comparisons known to hold of the real numbers.
    pub fn assumptions(&self) -> &[Comparison] {
        &self.assumptions
    }

    /// States that a comparison holds of the real numbers: what is claimed is claimed there only.
    pub fn assume(&mut self, comparison: Comparison) {
        self.assumptions.push(comparison);
    }

    /// Adds an input and its node. An integer's precision is [`Precision::Exact`].
    pub fn input(&mut self, input: Input, precision: Precision, tag: u32) -> NodeId {
        self.inputs.push(input);
        self.push(Node {
            operation: Operation::Input(self.inputs.len() as u32 - 1),
            precision,
            tag,
        })
    }

    /// A constant: the rational in the real computation, rounded in the float one.
    pub fn constant(&mut self, value: Rational, precision: Precision, tag: u32) -> NodeId {
        let place = match self.constant_index.get(&value) {
            Some(&place) => place,
            None => {
                self.constants.push(value.clone());
                let place = self.constants.len() as u32 - 1;
                self.constant_index.insert(value, place);
                place
            }
        };
        self.operation(Operation::Constant(place), precision, tag)
    }

    /// A constant that is a float: the same in both computations. None for infinities and NaNs.
    pub fn float(&mut self, value: &Float, tag: u32) -> Option<NodeId> {
        let exact = value.to_rational()?;
        Some(self.constant(exact, Precision::nearest(value.format()), tag))
    }

    /// Adds an operation, or finds the equal one that is there: the same operation on the same
    /// operands rounds the same way. Where any rounding is allowed, each is its own.
    ///
    /// # Panics
    /// When an operand is not of this graph.
    pub fn operation(&mut self, operation: Operation, precision: Precision, tag: u32) -> NodeId {
        for operand in operation.operands() {
            assert!(operand.index() < self.nodes.len(), "operands come first");
        }
        let varies = matches!(precision, Precision::Float(_, Rounds::Any));
        if !varies && let Some(&known) = self.shared.get(&(operation, precision)) {
            return known;
        }
        let id = self.push(Node { operation, precision, tag });
        if !varies {
            self.shared.insert((operation, precision), id);
        }
        id
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// The nodes that some of these depend on, themselves included, operands first.
    pub fn cone(&self, roots: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
        let mut seen = HashSet::new();
        let mut cone = Vec::new();
        let mut pending: Vec<NodeId> = roots.into_iter().collect();
        while let Some(id) = pending.pop() {
            if seen.insert(id) {
                cone.push(id);
                pending.extend(self.node(id).operation.operands());
            }
        }
        cone.sort_unstable();
        cone
    }
}
