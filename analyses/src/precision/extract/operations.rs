//! Operations as nodes of the graph, conversions between floats and integers among them.

use super::{
    Branches, CONVERSIONS, CONVERTED, Extraction, Symbolic, Unknown, VALUES, is_nan, missing,
};
use crate::shadow::{At, ShadowValue, Stuck, ValueOf, rounding_of};
use nanoscope_errors::{NodeId, Operation as Node, Precision, Relation, enclosures};
use nanoscope_ieee::{Operation, Parameters, Rational, operations};
use nanoscope_program::ir::Mode;

impl Extraction<'_> {
    /// An integer as a float.
    pub(super) fn of_integer(
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
    pub(super) fn asked_of_specials(
        &mut self,
        operation: Operation,
        given: &[Symbolic],
    ) -> Option<bool> {
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
    pub(super) fn computed(
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
    pub(super) fn converted_to_integer(
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
    pub(super) fn integer_range(
        &mut self,
        node: NodeId,
        (low, high): (i128, i128),
    ) -> (i128, i128) {
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
    pub(super) fn integer_of_ways(
        &mut self,
        node: NodeId,
        (low, high): (i128, i128),
    ) -> Option<u32> {
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

    pub(super) fn take_for_number(&mut self, symbolic: &Symbolic) {
        if let Symbolic::Node(node) = symbolic {
            self.taken_for_numbers.insert(*node);
        }
    }

    pub(super) fn note_decided(&mut self, at: At, node: NodeId) {
        if let Some(site) = self.sites.at(at) {
            self.decided.entry(site).or_default().insert(node);
        }
    }
}
/// How a comparison compares its operands, and whether the second comes first.
pub(super) fn relation_of(operation: Operation) -> Option<(Relation, bool)> {
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
