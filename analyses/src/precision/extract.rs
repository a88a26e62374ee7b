//! Extraction: a target as a graph of float operations, by running it on symbols.
//!
//! Inputs are symbols, memory is concrete in shape. A comparison of symbols is decided one way,
//! written down as a condition, and the run is made again the other way: every way through the
//! program becomes a piece of the graph. Or both sides of a branch are run up to where they meet,
//! and what they leave is a choice in the graph (`joined.rs`): branches in loops need no more ways
//! then. Loops unroll as long as their conditions are known, or
//! as there are ways left. Anything that has no counterpart in a graph ends the extraction, and
//! says why.

mod domain;
mod enclosed;
mod given;
mod helpers;
mod integers;
mod joined;
mod operations;
mod pinned;

pub(super) use helpers::Calls;

use super::known::Known;
use super::sites::Sites;
use super::{Case, Rounds};
use crate::shadow::{At, Interpreter, Output, ShadowValue, Stuck, ValueOf};
use helpers::Helpers;
use nanoscope_budget::Budget;
use nanoscope_errors::{
    Comparison, Enclosure, Graph, NodeId, Operation as Node, Piece, Precision, Relation,
    Rounds as GraphRounds,
};
use nanoscope_ieee::{Float, Format, Rational, Rounding};
use nanoscope_native::processor_time;
use nanoscope_program::Scalar;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

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
    /// How many ways end the program before it returns.
    pub ended: usize,
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

/// Makes the graph of a target; no other way is begun once the processor has worked for so long.
pub(super) fn extract(
    case: &Case,
    branches: Branches,
    calls: Calls,
    known: &BTreeMap<usize, Known>,
    processor: Duration,
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
    let (mut pieces, mut ended) = (Vec::new(), 0);
    loop {
        machine.reset(STEPS);
        machine.domain.begin();
        let found = match machine.enter(case.target, &point, &given) {
            Ok(found) => Some(found),
            // Bounds are of runs that return, in floats and in reals.
            Err(why) if why.ends_program() => None,
            Err(_) if machine.steps_left() == 0 => {
                return Err(Stuck::new("loop: it does not end within the steps that are unrolled"));
            }
            Err(_) if budget.exhausted() => return Err(late(pieces.len())),
            Err(why) => return Err(why),
        };
        match found {
            Some(found) => pieces.push(machine.domain.piece(&found, &outputs)?),
            None => ended += 1,
        }
        if !machine.domain.advance() {
            break;
        }
        if pieces.len() + ended >= WAYS {
            return Err(Stuck::new(format!(
                "loop: more than {WAYS} ways through loops and branches"
            )));
        }
        if budget.exhausted() || processor_time() > processor {
            return Err(late(pieces.len()));
        }
    }
    if pieces.is_empty() {
        return Err(Stuck::new("no way through it returns"));
    }
    let Extraction { graph, site_nodes: sites, decided, tags, taken_for_numbers, helpers, .. } =
        machine.domain;
    let tags = tags.into_iter().map(|at| at.and_then(|at| case.sites.at(at))).collect();
    let inside = helpers.inside;
    let enclosed = enclosed::sharpen(&graph, &mut pieces);
    Ok(Extracted {
        graph,
        pieces,
        ended,
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

    /// This way, which has come to its end.
    fn piece(
        &mut self,
        found: &[Output<Symbolic, Unknown>],
        outputs: &[usize],
    ) -> Result<Piece, Stuck> {
        let mut nodes = Vec::new();
        for &at in outputs {
            match &found[at] {
                Output::Number(Symbolic::Node(node)) => nodes.push(*node),
                Output::Number(Symbolic::Special(..)) | Output::Bits(_) | Output::Symbol(_) => {
                    return Err(Stuck::new("a way through it gives no number"));
                }
            }
        }
        let enclosed = std::mem::take(&mut self.enclosed);
        Ok(Piece { enclosed, ..Piece::new(self.conditions.clone(), nodes) })
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
/// Why there is no graph when the time is up.
fn late(ways: usize) -> Stuck {
    let far = match ways {
        0 => "before the end of one way through it".to_owned(),
        ways => format!("after {ways} ways through it"),
    };
    Stuck::new(format!("loop: the time for unrolling was up {far}"))
}

fn missing() -> Stuck {
    Stuck::new("an operation misses an operand")
}
fn is_nan(symbolic: &Symbolic) -> bool {
    match symbolic {
        Symbolic::Node(_) => false,
        Symbolic::Special(format, bits) => Float::from_bits(*format, *bits).is_nan(),
    }
}
