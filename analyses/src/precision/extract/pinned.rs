//! Integers that must be known: what depends on integers of few values gets ways of its own for
//! each of theirs.

use super::{Extraction, Unknown, WAYS};
use crate::shadow::{Given, ShadowValue, Stuck, ValueOf, masked, operate};
use nanoscope_errors::{Comparison, NodeId, Operation as Node, Precision};
use nanoscope_ieee::Rational;
use nanoscope_program::ir::IntegerOperation;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

impl Extraction<'_> {
    /// The value on this way of an integer that depends on integers of few values.
    pub(super) fn pinned(&mut self, node: NodeId) -> Option<i128> {
        let mut leaves = BTreeSet::new();
        self.leaves(node, &mut BTreeSet::new(), &mut leaves)?;
        let mut ways: i128 = 1;
        for &leaf in &leaves {
            let (least, most) = self.ranges[leaf];
            ways = ways.checked_mul(most.checked_sub(least)?.checked_add(1)?)?;
        }
        if ways > WAYS as i128 {
            return None;
        }
        for &leaf in &leaves {
            let (mut least, most) = self.ranges[leaf];
            let of = self.whole_nodes[leaf];
            while least < most && !self.settle_most(leaf as u32, of, least) {
                least += 1;
            }
            self.ranges[leaf] = (least, least);
        }
        let value = self.valued(node, &mut HashMap::new())?;
        i128::try_from(value.to_integer()).ok().filter(|_| value.is_integer())
    }

    /// The integers, inputs and others with ways of their own, that one is computed from; none:
    /// not from these alone.
    fn leaves(
        &self,
        node: NodeId,
        seen: &mut BTreeSet<NodeId>,
        leaves: &mut BTreeSet<usize>,
    ) -> Option<()> {
        if !seen.insert(node) {
            return Some(());
        }
        if let Some(leaf) = self.whole_nodes.iter().position(|known| *known == node) {
            leaves.insert(leaf);
            return Some(());
        }
        let known = self.graph.node(node);
        let follows = match known.operation {
            Node::Constant(_)
            | Node::Add(..)
            | Node::Sub(..)
            | Node::Mul(..)
            | Node::Neg(_)
            | Node::Abs(_)
            | Node::Min(..)
            | Node::Max(..)
            | Node::Choose(..) => known.precision == Precision::Exact,
            Node::Input(_)
            | Node::Div(..)
            | Node::Fma(..)
            | Node::Sqrt(_)
            | Node::Convert(_)
            | Node::Integral(..)
            | Node::Unary(..)
            | Node::Binary(..)
            | Node::Argument(_)
            | Node::Call(_) => false,
        };
        if !follows {
            return None;
        }
        let mut operands = known.operation.operands();
        operands.try_for_each(|operand| self.leaves(operand, seen, leaves))
    }

    /// The value of a node whose leaves have one each.
    fn valued(&self, node: NodeId, known: &mut HashMap<NodeId, Rational>) -> Option<Rational> {
        if let Some(value) = known.get(&node) {
            return Some(value.clone());
        }
        let value = match self.whole_nodes.iter().position(|leaf| *leaf == node) {
            Some(leaf) => Rational::from_integer(self.ranges[leaf].0.into()),
            None => {
                let mut of = |node: NodeId| self.valued(node, known);
                match self.graph.node(node).operation {
                    Node::Constant(place) => self.graph.constants()[place as usize].clone(),
                    Node::Add(a, b) => of(a)? + of(b)?,
                    Node::Sub(a, b) => of(a)? - of(b)?,
                    Node::Mul(a, b) => of(a)? * of(b)?,
                    Node::Neg(a) => -of(a)?,
                    Node::Abs(a) => {
                        let a = of(a)?;
                        a.clone().max(-a)
                    }
                    Node::Min(a, b) => of(a)?.min(of(b)?),
                    Node::Max(a, b) => of(a)?.max(of(b)?),
                    Node::Choose(Comparison { left, relation, right }, a, b) => {
                        let first = relation.holds(&of(left)?, &of(right)?);
                        of(if first { a } else { b })?
                    }
                    // Leaves were found through no other operation.
                    _ => return None,
                }
            }
        };
        known.insert(node, value.clone());
        Some(value)
    }

    /// An operation on integers that need their values.
    pub(super) fn computed_of_values(
        &mut self,
        operation: IntegerOperation,
        bits: u32,
        operands: [&ValueOf<Self>; 2],
        why: &str,
    ) -> Result<ValueOf<Self>, Stuck> {
        let [a, b] = [self.value_of(operands[0], bits), self.value_of(operands[1], bits)];
        let (Some(a), Some(b)) = (a, b) else { return Err(Stuck::new(why)) };
        Ok(match operate(operation, bits, a, b)? {
            Given::One(value) => ShadowValue::Bits(value),
            Given::Checked(value, overflowed) => ShadowValue::Parts(Arc::new([
                ShadowValue::Bits(value),
                ShadowValue::truth(overflowed),
            ])),
        })
    }

    /// The encoding of an integer on this way, where that can be told.
    pub(super) fn value_of(&mut self, value: &ValueOf<Self>, bits: u32) -> Option<u128> {
        match value {
            ShadowValue::Bits(encoding) => Some(*encoding),
            ShadowValue::Symbol(Unknown::Whole { node, .. }) => {
                self.pinned(*node).map(|value| masked(value as u128, bits))
            }
            ShadowValue::Symbol(_)
            | ShadowValue::Number(_)
            | ShadowValue::Coded(..)
            | ShadowValue::Parts(_) => None,
        }
    }
}
