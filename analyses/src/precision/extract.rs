//! Extraction: a target as a graph of float operations, by running it on symbols.
//!
//! Inputs are symbols, memory is concrete in shape. A comparison of symbols is decided one way,
//! written down as a condition, and the run is made again the other way: every way through the
//! program becomes a piece of the graph. Or both sides of a branch are run up to where they meet,
//! and what they leave is a choice in the graph (`joined.rs`): branches in loops need no more ways
//! then. Loops unroll as long as their conditions are known, or
//! as there are ways left. Anything that has no counterpart in a graph ends the extraction, and
//! says why.

mod enclosed;
mod given;
mod helpers;
mod integers;
mod joined;
mod pinned;

pub(super) use helpers::Calls;

use super::known::Known;
use super::sites::Sites;
use super::{Case, Rounds};
use crate::shadow::{
    Answer, At, Domain, Interpreter, Output, ShadowValue, Stored, Stuck, ValueOf, number,
    operation_named, rounding_of,
};
use helpers::Helpers;
use nanoscope_budget::Budget;
use nanoscope_errors::{
    Comparison, Enclosure, Graph, NodeId, Operation as Node, Piece, Precision, Relation,
    Rounds as GraphRounds, enclosures,
};
use nanoscope_ieee::{Float, Format, Libm, Operation, Parameters, Rational, Rounding, operations};
use nanoscope_program::Scalar;
use nanoscope_program::ir::{
    Code, FloatPredicate, FunctionId, IntegerConversion, IntegerOperation, IntegerPredicate, Mode,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Ways through the program, at most.
const WAYS: usize = 1024;

/// Instructions of one way.
const STEPS: u64 = 8_000_000;

/// Operations in all.
const NODES: usize = 1_500_000;

/// Conversions to integers whose values are looked for, and operations up to which they are.
const CONVERSIONS: usize = 64;
const CONVERTED: usize = 20_000;

/// Values of an integer that are ways of their own, at most.
const VALUES: i128 = 64;

/// A float: a node of the graph, or no number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbolic {
    Node(NodeId),
    /// An infinity or a NaN, by its encoding.
    Special(Format, u128),
}

/// An integer or a truth value that is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Unknown {
    /// An integer between two ends; an input plus a constant, where it is that.
    Whole { node: NodeId, low: i128, high: i128, input: Option<(u32, i128)> },
    /// Whether a comparison holds.
    Truth(Comparison),
    /// Whether an integer input is at most so much.
    AtMost { input: u32, node: NodeId, most: i128 },
    /// The opposite of that.
    Above { input: u32, node: NodeId, most: i128 },
    /// Bits that have no counterpart in a graph: they may be handed on, not computed with.
    Opaque,
}

/// A target as a graph.
pub(super) struct Extracted {
    pub graph: Graph,
    pub pieces: Vec<Piece>,
    /// Of how many values `ranges` knows more than the graph.
    pub enclosed: usize,
    /// The positions of the outputs that the pieces' outputs are.
    pub outputs: Vec<usize>,
    /// The nodes that each site gave.
    pub sites: BTreeMap<usize, BTreeSet<NodeId>>,
    /// The sides of each comparison and conversion that was decided.
    pub decided: BTreeMap<usize, BTreeSet<NodeId>>,
    /// Nodes that were taken for numbers where the program asks: bounds hold only if they are.
    pub taken_for_numbers: BTreeSet<NodeId>,
    /// Sites in functions of the graph: of these not every node is known.
    pub inside: BTreeSet<usize>,
    /// Sites by the tags of nodes.
    pub tags: Vec<Option<usize>>,
}

/// What becomes of a branch on a comparison of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Branches {
    /// Every way through the program is a piece.
    Apart,
    /// Both sides are run, and joined where they meet.
    Joined,
}

/// Makes the graph of a target.
pub(super) fn extract(
    case: &Case,
    branches: Branches,
    calls: Calls,
    known: &BTreeMap<usize, Known>,
    budget: &Budget,
) -> Result<Extracted, Stuck> {
    let mut domain = Extraction { calls, known: Some(known), ..Extraction::new(case, branches) };
    let given = domain.inputs(case);
    domain.assume(case);
    let outputs: Vec<usize> = (0..case.target.outputs.len())
        .filter(|&at| matches!(case.target.outputs[at].scalar, Scalar::Float(_)))
        .collect();
    let point = vec![0u64; case.target.input_words];
    let mut machine = Interpreter::new(case.code, domain, STEPS, budget);
    let mut pieces = Vec::new();
    loop {
        machine.reset(STEPS);
        machine.domain.begin();
        let found = machine.enter(case.target, &point, &given)?;
        let mut nodes = Vec::new();
        for &at in &outputs {
            nodes.push(match &found[at] {
                Output::Number(Symbolic::Node(node)) => *node,
                Output::Number(Symbolic::Special(..)) | Output::Bits(_) | Output::Symbol(_) => {
                    return Err(Stuck::new("a way through it gives no number"));
                }
            });
        }
        let enclosed = std::mem::take(&mut machine.domain.enclosed);
        let conditions = machine.domain.conditions.clone();
        pieces.push(Piece { enclosed, ..Piece::new(conditions, nodes) });
        if !machine.domain.advance() {
            break;
        }
        if pieces.len() >= WAYS {
            return Err(Stuck::new(format!("loop or branches: more than {WAYS} ways through it")));
        }
        if budget.exhausted() {
            return Err(Stuck::new("time"));
        }
    }
    let Extraction { graph, site_nodes: sites, decided, tags, taken_for_numbers, helpers, .. } =
        machine.domain;
    let tags = tags.into_iter().map(|at| at.and_then(|at| case.sites.at(at))).collect();
    let inside = helpers.inside;
    let enclosed = enclosed::sharpen(&graph, &mut pieces);
    Ok(Extracted {
        graph,
        pieces,
        enclosed,
        outputs,
        sites,
        decided,
        taken_for_numbers,
        inside,
        tags,
    })
}

/// The domain.
struct Extraction<'s> {
    graph: Graph,
    sites: &'s Sites,
    branches: Branches,
    calls: Calls,
    helpers: Helpers,
    rounds: GraphRounds,
    mode: Rounding,
    /// Constants by their nodes, for whoever asks for their bits.
    constants: HashMap<NodeId, (Format, u128)>,
    /// Tags of nodes: the instructions that made them.
    tags: Vec<Option<At>>,
    tag_of: HashMap<At, u32>,
    site_nodes: BTreeMap<usize, BTreeSet<NodeId>>,
    decided: BTreeMap<usize, BTreeSet<NodeId>>,
    taken_for_numbers: BTreeSet<NodeId>,
    /// The values of integers that floats became.
    conversions: HashMap<NodeId, (i128, i128)>,
    /// Decisions of this way: those to repeat first.
    decisions: Vec<bool>,
    /// How many of them are made.
    made: usize,
    conditions: Vec<Comparison>,
    /// What is known of operations, by their sites.
    known: Option<&'s BTreeMap<usize, Known>>,
    /// What of it holds on this way.
    enclosed: Vec<Enclosure>,
    /// How many branches it is in of which both sides are run.
    beside: u32,
    /// The ranges of integer inputs, at first and on this way.
    whole_ranges: Vec<(i128, i128)>,
    whole_nodes: Vec<NodeId>,
    /// The nodes of the target's float inputs.
    input_nodes: Vec<Option<NodeId>>,
    ranges: Vec<(i128, i128)>,
}

impl<'s> Extraction<'s> {
    fn new(case: &'s Case, branches: Branches) -> Extraction<'s> {
        let rounds = match case.options.rounding {
            Rounds::To(rounding) => GraphRounds::To(rounding),
            Rounds::Any => GraphRounds::Any,
        };
        Extraction::empty(&case.sites, branches, rounds, case.options.witness_rounding())
    }

    fn empty(
        sites: &'s Sites,
        branches: Branches,
        rounds: GraphRounds,
        mode: Rounding,
    ) -> Extraction<'s> {
        Extraction {
            graph: Graph::new(),
            sites,
            branches,
            calls: Calls::Apart,
            helpers: Helpers::default(),
            rounds,
            mode,
            constants: HashMap::new(),
            tags: vec![None],
            tag_of: HashMap::new(),
            site_nodes: BTreeMap::new(),
            decided: BTreeMap::new(),
            taken_for_numbers: BTreeSet::new(),
            conversions: HashMap::new(),
            decisions: Vec::new(),
            made: 0,
            conditions: Vec::new(),
            known: None,
            enclosed: Vec::new(),
            beside: 0,
            whole_ranges: Vec::new(),
            whole_nodes: Vec::new(),
            input_nodes: Vec::new(),
            ranges: Vec::new(),
        }
    }

    /// Begins another way.
    fn begin(&mut self) {
        self.made = 0;
        self.conditions.clear();
        self.enclosed.clear();
        self.beside = 0;
        self.ranges = self.whole_ranges.clone();
    }

    /// Turns to the next way; false when there is none.
    fn advance(&mut self) -> bool {
        self.decisions.truncate(self.made);
        while let Some(last) = self.decisions.pop() {
            if last {
                self.decisions.push(false);
                return true;
            }
        }
        false
    }

    /// Decides something that is open on this way.
    fn decide(&mut self) -> bool {
        let holds = match self.decisions.get(self.made) {
            Some(&holds) => holds,
            None => {
                self.decisions.push(true);
                true
            }
        };
        self.made += 1;
        holds
    }

    /// The tag of an instruction.
    fn tag(&mut self, at: At) -> u32 {
        if let Some(&tag) = self.tag_of.get(&at) {
            return tag;
        }
        let tag = self.tags.len() as u32;
        self.tags.push(Some(at));
        self.tag_of.insert(at, tag);
        tag
    }

    fn precision(&self, format: Format) -> Precision {
        Precision::Float(format, self.rounds)
    }

    /// A node of an operation.
    fn made_of(
        &mut self,
        at: At,
        operation: Node,
        precision: Precision,
    ) -> Result<Symbolic, Stuck> {
        if self.graph.nodes().len() >= NODES {
            return Err(Stuck::new("it has too many operations"));
        }
        let tag = self.tag(at);
        let node = self.graph.operation(operation, precision, tag);
        if let Some(site) = self.sites.at(at) {
            self.site_nodes.entry(site).or_default().insert(node);
        }
        self.enclose(at, operation.operands(), Some(node));
        Ok(Symbolic::Node(node))
    }

    fn node(&self, symbolic: &Symbolic) -> Result<NodeId, Stuck> {
        match symbolic {
            Symbolic::Node(node) => Ok(*node),
            Symbolic::Special(..) => Err(Stuck::new("it computes with an infinity or a NaN")),
        }
    }

    /// The value of a constant node.
    fn known(&self, node: NodeId) -> Option<Rational> {
        let (format, bits) = self.constants.get(&node)?;
        Float::from_bits(*format, *bits).to_rational()
    }

    /// A comparison as a truth value.
    fn compared(
        &mut self,
        at: At,
        left: NodeId,
        relation: Relation,
        right: NodeId,
    ) -> ValueOf<Self> {
        if left == right {
            // `x != x` asks for NaNs.
            self.taken_for_numbers.insert(left);
            return ShadowValue::truth(matches!(relation, Relation::Equal | Relation::LessEqual));
        }
        if let (Some(a), Some(b)) = (self.known(left), self.known(right)) {
            return ShadowValue::truth(relation.holds(&a, &b));
        }
        if let Some(site) = self.sites.at(at) {
            self.decided.entry(site).or_default().extend([left, right]);
        }
        ShadowValue::Symbol(Unknown::Truth(Comparison { left, relation, right }))
    }

    /// Whether a comparison holds on this way.
    fn holds(&mut self, comparison: Comparison) -> bool {
        let comparison = self.graph.plainly(comparison);
        let opposite = comparison.negated();
        if self.conditions.contains(&comparison) {
            return true;
        }
        if self.conditions.contains(&opposite) {
            return false;
        }
        let holds = self.decide();
        self.conditions.push(if holds { comparison } else { opposite });
        holds
    }
}

impl Domain for Extraction<'_> {
    type Number = Symbolic;
    type Symbol = Unknown;

    fn decoded(&mut self, format: Format, bits: u128) -> Symbolic {
        let float = Float::from_bits(format, bits);
        match self.graph.float(&float, 0) {
            Some(node) => {
                self.constants.insert(node, (format, bits));
                Symbolic::Node(node)
            }
            None => Symbolic::Special(format, bits),
        }
    }

    fn encoded(&mut self, format: Format, number: &Symbolic) -> Result<u128, Stuck> {
        match number {
            Symbolic::Special(_, bits) => Ok(*bits),
            Symbolic::Node(node) => match self.constants.get(node) {
                Some((of, bits)) if *of == format => Ok(*bits),
                Some(_) | None => Err(Stuck::new("it looks at the bits of a float")),
            },
        }
    }

    fn float(
        &mut self,
        at: At,
        operation: Operation,
        parameters: &Parameters,
        mode: Mode,
        operands: &[ValueOf<Self>],
    ) -> Result<ValueOf<Self>, Stuck> {
        if matches!(operation, Operation::FromSigned | Operation::FromUnsigned) {
            return self.of_integer(at, operation, parameters, &operands[0]);
        }
        let mut given = Vec::with_capacity(3);
        for operand in operands {
            given.push(number(self, at, parameters.format, operand)?);
        }
        if let Some(holds) = self.asked_of_specials(operation, &given) {
            return Ok(ShadowValue::truth(holds));
        }
        let nodes: Result<Vec<NodeId>, Stuck> =
            given.iter().map(|symbolic| self.node(symbolic)).collect();
        let nodes = nodes?;
        if let Some((relation, swapped)) = relation_of(operation) {
            let [a, b] = nodes[..] else { return Err(missing()) };
            self.enclose(at, [a, b].into_iter(), None);
            let (left, right) = if swapped { (b, a) } else { (a, b) };
            return Ok(self.compared(at, left, relation, right));
        }
        self.computed(at, operation, parameters, mode, &nodes)
    }

    fn compare(
        &mut self,
        at: At,
        predicate: FloatPredicate,
        _: Format,
        a: &Symbolic,
        b: &Symbolic,
    ) -> Result<ValueOf<Self>, Stuck> {
        use FloatPredicate as P;
        if is_nan(a) || is_nan(b) {
            return Ok(ShadowValue::truth(crate::shadow::holds(predicate, None)));
        }
        if matches!(predicate, P::Ordered | P::Unordered) {
            self.take_for_number(a);
            self.take_for_number(b);
        }
        match predicate {
            P::False | P::Unordered => return Ok(ShadowValue::truth(false)),
            P::True | P::Ordered => return Ok(ShadowValue::truth(true)),
            _ => {}
        }
        let (a, b) = match (a, b) {
            (Symbolic::Node(a), Symbolic::Node(b)) => {
                self.enclose(at, [*a, *b].into_iter(), None);
                (*a, *b)
            }
            // Every number is between the infinities.
            (Symbolic::Special(format, bits), other) | (other, Symbolic::Special(format, bits)) => {
                use std::cmp::Ordering::{Equal, Greater, Less};
                let negative = |format: Format, bits: u128| bits >> (format.width() - 1) & 1 == 1;
                let first = matches!(a, Symbolic::Special(..));
                let order = match (other, negative(*format, *bits), first) {
                    (Symbolic::Special(other, more), minus, _) => {
                        match (minus, negative(*other, *more)) {
                            (true, false) => Less,
                            (false, true) => Greater,
                            (_, _) => Equal,
                        }
                    }
                    (Symbolic::Node(_), true, true) | (Symbolic::Node(_), false, false) => Less,
                    (Symbolic::Node(_), _, _) => Greater,
                };
                return Ok(ShadowValue::truth(crate::shadow::holds(predicate, Some(order))));
            }
        };
        Ok(match predicate {
            P::OrderedEqual | P::UnorderedEqual => self.compared(at, a, Relation::Equal, b),
            P::OrderedNotEqual | P::UnorderedNotEqual => {
                self.compared(at, a, Relation::NotEqual, b)
            }
            P::OrderedLess | P::UnorderedLess => self.compared(at, a, Relation::Less, b),
            P::OrderedLessEqual | P::UnorderedLessEqual => {
                self.compared(at, a, Relation::LessEqual, b)
            }
            P::OrderedGreater | P::UnorderedGreater => self.compared(at, b, Relation::Less, a),
            P::OrderedGreaterEqual | P::UnorderedGreaterEqual => {
                self.compared(at, b, Relation::LessEqual, a)
            }
            P::False | P::True | P::Ordered | P::Unordered => unreachable!("treated above"),
        })
    }

    fn classified(
        &mut self,
        _: At,
        mask: u32,
        _: Format,
        a: &Symbolic,
    ) -> Result<ValueOf<Self>, Stuck> {
        // Numbers are in bits 3 to 8, signs apart; NaNs in 0 and 1; infinities in 2 and 9.
        const FINITE: u32 = 0b01_1111_1000;
        self.take_for_number(a);
        match a {
            Symbolic::Node(_) if mask & FINITE == 0 => Ok(ShadowValue::truth(false)),
            Symbolic::Node(_) if mask & FINITE == FINITE => Ok(ShadowValue::truth(true)),
            Symbolic::Special(..) if is_nan(a) => Ok(ShadowValue::truth(mask & 0b11 != 0)),
            Symbolic::Node(_) | Symbolic::Special(..) => {
                Err(Stuck::new("the class of a float has no counterpart in proofs"))
            }
        }
    }

    fn mathematical(
        &mut self,
        at: At,
        name: &str,
        symbol: &str,
        format: Format,
        arguments: &[ValueOf<Self>],
    ) -> Result<Answer<Symbolic, Unknown>, Stuck> {
        let parameters = Parameters::of(format);
        let operation = match name {
            "isnan" => Some((Operation::IsNan, Mode::Dynamic)),
            "isinf" => Some((Operation::IsInfinite, Mode::Dynamic)),
            "finite" | "isfinite" => Some((Operation::IsFinite, Mode::Dynamic)),
            _ => operation_named(name),
        };
        if let Some((operation, mode)) = operation {
            return Ok(self.float(at, operation, &parameters, mode, arguments)?.into());
        }
        let precision = self.precision(format);
        let mut nodes = Vec::new();
        for argument in arguments {
            if let ShadowValue::Number(_) | ShadowValue::Coded(..) = argument {
                let symbolic = number(self, at, format, argument)?;
                nodes.push(self.node(&symbolic)?);
            }
        }
        let called = |run: &mut Self, function: Libm| {
            let node = match (function.arity(), nodes.as_slice()) {
                (1, [a, ..]) => Node::Unary(function, *a),
                (2, [a, b, ..]) => Node::Binary(function, *a, *b),
                (_, _) => return Err(Stuck::new(format!("`{symbol}` misses an argument"))),
            };
            run.made_of(at, node, precision)
        };
        if name == "sincos" {
            let sine = called(self, Libm::Sin)?;
            let cosine = called(self, Libm::Cos)?;
            let stores = vec![(1, Stored::Number(sine)), (2, Stored::Number(cosine))];
            return Ok(Answer { value: ShadowValue::Bits(0), stores });
        }
        match Libm::from_name(name) {
            Some(function) => Ok(ShadowValue::Number(called(self, function)?).into()),
            None => Err(Stuck::new(format!("`{symbol}` has no counterpart in proofs"))),
        }
    }

    fn integer(
        &mut self,
        operation: IntegerOperation,
        bits: u32,
        operands: [&ValueOf<Self>; 2],
    ) -> Result<ValueOf<Self>, Stuck> {
        self.computed_of_integers(operation, bits, operands)
    }

    fn integer_compare(
        &mut self,
        _: At,
        predicate: IntegerPredicate,
        bits: u32,
        operands: [&ValueOf<Self>; 2],
    ) -> Result<ValueOf<Self>, Stuck> {
        self.compared_integers(predicate, bits, operands)
    }

    fn converted(
        &mut self,
        conversion: IntegerConversion,
        _: u32,
        after: u32,
        symbol: &Unknown,
    ) -> Result<ValueOf<Self>, Stuck> {
        self.converted_integer(conversion, after, symbol)
    }

    fn select(
        &mut self,
        at: At,
        condition: &Unknown,
        [a, b]: [&ValueOf<Self>; 2],
    ) -> Result<ValueOf<Self>, Stuck> {
        if self.joins(condition) {
            return self.joined(at, condition, [a, b]);
        }
        // The lesser and the greater need no decision.
        if let (
            Unknown::Truth(Comparison { left, relation, right }),
            ShadowValue::Number(Symbolic::Node(a)),
            ShadowValue::Number(Symbolic::Node(b)),
        ) = (condition, a, b)
            && matches!(relation, Relation::Less | Relation::LessEqual)
        {
            let precision = self.graph.node(*a).precision;
            let node = match (*a == *left && *b == *right, *a == *right && *b == *left) {
                (true, _) => Some(Node::Min(*left, *right)),
                (_, true) => Some(Node::Max(*left, *right)),
                (false, false) => None,
            };
            if let Some(node) = node {
                let tag = self.tag(at);
                let node = self.graph.operation(node, precision, tag);
                return Ok(ShadowValue::Number(Symbolic::Node(node)));
            }
        }
        Ok(if self.settled(at, condition)? == 1 { a.clone() } else { b.clone() })
    }

    fn joins(&mut self, condition: &Unknown) -> bool {
        self.is_joined(condition)
    }

    fn joined(
        &mut self,
        at: At,
        condition: &Unknown,
        [a, b]: [&ValueOf<Self>; 2],
    ) -> Result<ValueOf<Self>, Stuck> {
        let Some(by) = self.comparison(condition) else {
            return Err(Stuck::new("it branches on what is not known"));
        };
        self.choice(at, by, a, b)
    }

    fn called(
        &mut self,
        code: &Code,
        id: FunctionId,
        arguments: &[ValueOf<Self>],
        budget: &Budget,
    ) -> Option<ValueOf<Self>> {
        self.call_of_helper(code, id, arguments, budget)
    }

    fn settled(&mut self, _: At, symbol: &Unknown) -> Result<u128, Stuck> {
        if let (Unknown::Whole { .. }, Some(by)) = (symbol, self.comparison(symbol)) {
            return Ok(u128::from(self.holds(by)));
        }
        match *symbol {
            Unknown::Opaque => Err(Stuck::new("it computes with the bits of what is not known")),
            Unknown::Truth(comparison) => Ok(u128::from(self.holds(comparison))),
            Unknown::AtMost { input, node, most } => {
                Ok(u128::from(self.settle_most(input, node, most)))
            }
            Unknown::Above { input, node, most } => {
                Ok(u128::from(!self.settle_most(input, node, most)))
            }
            Unknown::Whole { node, low, high, input } => {
                // One value after the other, as long as there are few.
                let value = if low == high { Some(low) } else { self.pinned(node) };
                value.map(|value| value as u128 & u128::from(u64::MAX)).ok_or_else(|| {
                    let on = if input.is_some() { "an input of many values" } else { "a float" };
                    Stuck::new(format!("an address or a count depends on {on}"))
                })
            }
        }
    }

    fn beside(&mut self, branches: u32) {
        self.beside = branches;
    }

    fn rounding(&self) -> Rounding {
        self.mode
    }
}

impl Extraction<'_> {
    /// An integer as a float.
    fn of_integer(
        &mut self,
        at: At,
        operation: Operation,
        parameters: &Parameters,
        operand: &ValueOf<Self>,
    ) -> Result<ValueOf<Self>, Stuck> {
        let precision = self.precision(parameters.format);
        let is_signed = operation == Operation::FromSigned;
        let whole = self.whole(operand, parameters.width, is_signed)?;
        let node = match operand {
            ShadowValue::Bits(_) => {
                let exact = Rational::from_integer(whole.low.into());
                let tag = self.tag(at);
                self.graph.constant(exact, Precision::Exact, tag)
            }
            ShadowValue::Number(_)
            | ShadowValue::Coded(..)
            | ShadowValue::Symbol(_)
            | ShadowValue::Parts(_) => whole.node,
        };
        Ok(ShadowValue::Number(self.made_of(at, Node::Convert(node), precision)?))
    }

    /// The answer to a question about infinities and NaNs: a node is taken for a number.
    fn asked_of_specials(&mut self, operation: Operation, given: &[Symbolic]) -> Option<bool> {
        use Operation as Op;
        let answer = match operation {
            Op::IsNan | Op::Unordered | Op::IsSignaling => given.iter().any(is_nan),
            Op::IsInfinite => given.iter().any(|symbolic| match symbolic {
                Symbolic::Special(..) => !is_nan(symbolic),
                Symbolic::Node(_) => false,
            }),
            Op::IsFinite => given.iter().all(|symbolic| matches!(symbolic, Symbolic::Node(_))),
            // Any other operation computes.
            _ => return None,
        };
        for symbolic in given {
            self.take_for_number(symbolic);
        }
        Some(answer)
    }

    /// An operation that gives a float or an integer.
    fn computed(
        &mut self,
        at: At,
        operation: Operation,
        parameters: &Parameters,
        mode: Mode,
        nodes: &[NodeId],
    ) -> Result<ValueOf<Self>, Stuck> {
        use Operation as Op;
        let [a, b, c] = [0, 1, 2].map(|at| nodes.get(at).copied().ok_or_else(missing));
        let a = a?;
        let mut precision = self.precision(parameters.format);
        let node = match operation {
            Op::Add => Node::Add(a, b?),
            Op::Sub => Node::Sub(a, b?),
            Op::Mul => Node::Mul(a, b?),
            Op::Div => Node::Div(a, b?),
            Op::Fma => Node::Fma(a, b?, c?),
            Op::Sqrt => Node::Sqrt(a),
            Op::Abs => Node::Abs(a),
            Op::Neg => Node::Neg(a),
            Op::MinNum | Op::Minimum | Op::MinX86 => Node::Min(a, b?),
            Op::MaxNum | Op::Maximum | Op::MaxX86 => Node::Max(a, b?),
            Op::Convert => {
                precision = self.precision(parameters.target);
                Node::Convert(a)
            }
            Op::RoundToIntegral | Op::RoundToIntegralExact => {
                self.note_decided(at, a);
                Node::Integral(rounding_of(self, mode), a)
            }
            Op::ToSigned | Op::ToUnsigned => {
                return Ok(self.converted_to_integer(at, operation, parameters, mode, a));
            }
            Op::FromBits => return Ok(ShadowValue::Number(Symbolic::Node(a))),
            Op::ToBits => return Ok(ShadowValue::Coded(parameters.format, Symbolic::Node(a))),
            operations!(FromInteger) => unreachable!("an integer is no node"),
            Op::CopySign | operations!(Remainder, Step, Compare, Classify) => {
                let name = operation.name();
                return Err(Stuck::new(format!("{name} has no counterpart in proofs")));
            }
        };
        self.made_of(at, node, precision).map(ShadowValue::Number)
    }

    /// A float as an integer.
    fn converted_to_integer(
        &mut self,
        at: At,
        operation: Operation,
        parameters: &Parameters,
        mode: Mode,
        a: NodeId,
    ) -> ValueOf<Self> {
        let rounding = rounding_of(self, mode);
        self.note_decided(at, a);
        let tag = self.tag(at);
        let node = self.graph.operation(Node::Integral(rounding, a), Precision::Exact, tag);
        let (low, high) = match operation == Operation::ToSigned {
            true => (-(1i128 << (parameters.width - 1)), (1 << (parameters.width - 1)) - 1),
            false => (0, (1i128 << parameters.width.min(126)) - 1),
        };
        let (low, high) = self.integer_range(node, (low, high));
        let input = self.integer_of_ways(node, (low, high)).map(|place| (place, 0));
        ShadowValue::Symbol(Unknown::Whole { node, low, high, input })
    }

    /// The values of an integer that a float became, in both computations, within those of its
    /// type.
    fn integer_range(&mut self, node: NodeId, (low, high): (i128, i128)) -> (i128, i128) {
        if let Some(&known) = self.conversions.get(&node) {
            return known;
        }
        if self.conversions.len() >= CONVERSIONS || self.graph.nodes().len() > CONVERTED {
            return (low, high);
        }
        let values = enclosures(&self.graph, &[node])[0];
        let fits = |end: f64| (low as f64..=high as f64).contains(&end);
        let range = match fits(values.lo) && fits(values.hi) {
            true => (values.lo.floor() as i128, values.hi.ceil() as i128),
            false => (low, high),
        };
        let range = (range.0.max(low), range.1.min(high));
        self.conversions.insert(node, range);
        range
    }

    /// An integer of few values, each a way of its own: an entry of a table, a count.
    fn integer_of_ways(&mut self, node: NodeId, (low, high): (i128, i128)) -> Option<u32> {
        if self.branches == Branches::Joined || low >= high || high - low > VALUES {
            return None;
        }
        let known = self.whole_nodes.iter().position(|known| *known == node);
        let place = known.unwrap_or_else(|| {
            self.whole_nodes.push(node);
            self.whole_ranges.push((low, high));
            self.ranges.push((low, high));
            self.whole_nodes.len() - 1
        });
        Some(place as u32)
    }

    fn take_for_number(&mut self, symbolic: &Symbolic) {
        if let Symbolic::Node(node) = symbolic {
            self.taken_for_numbers.insert(*node);
        }
    }

    fn note_decided(&mut self, at: At, node: NodeId) {
        if let Some(site) = self.sites.at(at) {
            self.decided.entry(site).or_default().insert(node);
        }
    }
}

fn missing() -> Stuck {
    Stuck::new("an operation misses an operand")
}

/// How a comparison compares its operands, and whether the second comes first.
fn relation_of(operation: Operation) -> Option<(Relation, bool)> {
    use Operation as Op;
    match operation {
        Op::Equal | Op::EqualSignaling => Some((Relation::Equal, false)),
        Op::Less | Op::LessSignaling => Some((Relation::Less, false)),
        Op::LessEqual | Op::LessEqualSignaling => Some((Relation::LessEqual, false)),
        Op::Greater | Op::GreaterSignaling => Some((Relation::Less, true)),
        Op::GreaterEqual | Op::GreaterEqualSignaling => Some((Relation::LessEqual, true)),
        // Any other operation compares nothing.
        _ => None,
    }
}

fn is_nan(symbolic: &Symbolic) -> bool {
    match symbolic {
        Symbolic::Node(_) => false,
        Symbolic::Special(format, bits) => Float::from_bits(*format, *bits).is_nan(),
    }
}
