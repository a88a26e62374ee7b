//! Both sides of a branch joined: values that differ become choices in the graph.

use super::integers::opposite;
use super::{Branches, Extraction, Symbolic, Unknown};
use crate::shadow::{At, Domain, ShadowValue, Stuck, ValueOf};
use nanoscope_errors::{Comparison, NodeId, Operation as Node, Precision, Relation};
use nanoscope_ieee::Rational;
use nanoscope_program::ir::IntegerOperation;

/// Integers below this have one value, with a sign or without.
const PLAIN: u128 = 1 << 31;

impl Extraction<'_> {
    /// Whether values that depend on a condition become choices.
    pub(super) fn is_joined(&mut self, condition: &Unknown) -> bool {
        let Some(by) = self.comparison(condition) else { return false };
        let decided = [by, by.negated()].iter().any(|known| self.conditions.contains(known));
        self.branches == Branches::Joined && !decided
    }

    /// A truth value as a comparison.
    pub(super) fn comparison(&mut self, truth: &Unknown) -> Option<Comparison> {
        let comparison = match *truth {
            Unknown::Truth(comparison) => comparison,
            Unknown::Whole { node, low: 0, high: 1, input: None } => {
                let zero = self.integer_constant(0);
                Comparison { left: zero, relation: Relation::Less, right: node }
            }
            Unknown::Whole { .. }
            | Unknown::AtMost { .. }
            | Unknown::Above { .. }
            | Unknown::Opaque => return None,
        };
        Some(self.graph.plainly(comparison))
    }

    fn integer_constant(&mut self, value: i128) -> NodeId {
        self.graph.constant(Rational::from_integer(value.into()), Precision::Exact, 0)
    }

    /// A truth value as 0 or 1.
    pub(super) fn truth_as_integer(&mut self, by: Comparison) -> Unknown {
        let (one, zero) = (self.integer_constant(1), self.integer_constant(0));
        let node = self.graph.choose(by, one, zero, Precision::Exact, 0);
        Unknown::Whole { node, low: 0, high: 1, input: None }
    }

    /// The first value where a comparison holds, else the second. What cannot be joined is
    /// opaque: most of it is not used any more.
    pub(super) fn choice(
        &mut self,
        at: At,
        by: Comparison,
        a: &ValueOf<Self>,
        b: &ValueOf<Self>,
    ) -> Result<ValueOf<Self>, Stuck> {
        let opaque = Ok(ShadowValue::Symbol(Unknown::Opaque));
        match (a, b) {
            (ShadowValue::Bits(x), ShadowValue::Bits(y)) if x == y => Ok(a.clone()),
            (ShadowValue::Symbol(x), ShadowValue::Symbol(y)) if x == y => Ok(a.clone()),
            (ShadowValue::Number(x), ShadowValue::Number(y)) => {
                match self.float_choice(at, by, x, y) {
                    Some(number) => Ok(ShadowValue::Number(number)),
                    None => opaque,
                }
            }
            (ShadowValue::Coded(format, x), ShadowValue::Coded(other, y)) if format == other => {
                match self.float_choice(at, by, x, y) {
                    Some(number) => Ok(ShadowValue::Coded(*format, number)),
                    None => opaque,
                }
            }
            (ShadowValue::Parts(x), ShadowValue::Parts(y)) if x.len() == y.len() => {
                let parts: Result<Vec<ValueOf<Self>>, Stuck> =
                    x.iter().zip(y.iter()).map(|(x, y)| self.choice(at, by, x, y)).collect();
                Ok(ShadowValue::Parts(parts?.into()))
            }
            (
                ShadowValue::Bits(_) | ShadowValue::Symbol(_),
                ShadowValue::Bits(_) | ShadowValue::Symbol(_),
            ) => {
                let (Some(x), Some(y)) = (self.as_integer(a), self.as_integer(b)) else {
                    return opaque;
                };
                if x.0 == y.0 {
                    return Ok(a.clone());
                }
                let tag = self.tag(at);
                let node = self.graph.choose(by, x.0, y.0, Precision::Exact, tag);
                let (low, high) = (x.1.min(y.1), x.2.max(y.2));
                Ok(ShadowValue::Symbol(Unknown::Whole { node, low, high, input: None }))
            }
            (_, _) => opaque,
        }
    }

    fn float_choice(
        &mut self,
        at: At,
        by: Comparison,
        a: &Symbolic,
        b: &Symbolic,
    ) -> Option<Symbolic> {
        match (a, b) {
            (Symbolic::Node(a), Symbolic::Node(b)) => {
                let format = |node: NodeId| self.graph.node(node).precision.format();
                let format = format(*a).filter(|known| format(*b) == Some(*known))?;
                let (precision, tag) = (self.precision(format), self.tag(at));
                Some(Symbolic::Node(self.graph.choose(by, *a, *b, precision, tag)))
            }
            (Symbolic::Special(f, x), Symbolic::Special(g, y)) if (f, x) == (g, y) => Some(*a),
            (Symbolic::Special(..), _) | (_, Symbolic::Special(..)) => None,
        }
    }

    /// An integer as a node between two ends.
    fn as_integer(&mut self, value: &ValueOf<Self>) -> Option<(NodeId, i128, i128)> {
        match value {
            ShadowValue::Bits(bits) if *bits < PLAIN => {
                let value = *bits as i128;
                Some((self.integer_constant(value), value, value))
            }
            ShadowValue::Symbol(Unknown::Truth(by)) => match self.truth_as_integer(*by) {
                Unknown::Whole { node, low, high, .. } => Some((node, low, high)),
                _ => None,
            },
            ShadowValue::Symbol(Unknown::Whole { node, low, high, .. }) => {
                Some((*node, *low, *high))
            }
            _ => None,
        }
    }

    /// Truth values combined.
    pub(super) fn computed_of_truths(
        &mut self,
        operation: IntegerOperation,
        [a, b]: [&ValueOf<Self>; 2],
    ) -> Result<ValueOf<Self>, Stuck> {
        let (known, symbol) = match (a, b) {
            (ShadowValue::Symbol(symbol), other) | (other, ShadowValue::Symbol(symbol)) => {
                (other, symbol)
            }
            (_, _) => return Err(Stuck::new("a truth value is no truth value")),
        };
        let [no, yes] = [false, true].map(ShadowValue::truth);
        let both = match operation {
            IntegerOperation::And => [known, &no],
            IntegerOperation::Or => [&yes, known],
            IntegerOperation::Xor => {
                return match known {
                    ShadowValue::Bits(0) => Ok(ShadowValue::Symbol(*symbol)),
                    ShadowValue::Bits(_)
                        if !matches!(symbol, Unknown::Whole { .. } | Unknown::Opaque) =>
                    {
                        Ok(opposite(ShadowValue::Symbol(*symbol)))
                    }
                    ShadowValue::Bits(_) => self.denied(symbol),
                    _ => Err(Stuck::new("truth values that are not known are compared")),
                };
            }
            _ => return Err(Stuck::new("arithmetic on truth values that are not known")),
        };
        self.select(At::default(), symbol, both)
    }

    /// The opposite of 0 or 1.
    fn denied(&mut self, truth: &Unknown) -> Result<ValueOf<Self>, Stuck> {
        let Unknown::Whole { node, low: 0, high: 1, .. } = *truth else {
            return Err(Stuck::new("it computes with the bits of what is not known"));
        };
        let one = self.integer_constant(1);
        let node = self.graph.operation(Node::Sub(one, node), Precision::Exact, 0);
        Ok(ShadowValue::Symbol(Unknown::Whole { node, low: 0, high: 1, input: None }))
    }
}
