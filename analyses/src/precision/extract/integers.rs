//! Integers that are not known: inputs within ranges, sums with constants, lengths and counts.

use super::{Extraction, Symbolic, Unknown};
use crate::shadow::{At, Domain, ShadowValue, Stuck, ValueOf, compare_integers, signed};
use nanoscope_errors::{Comparison, NodeId, Operation as Node, Precision, Relation};
use nanoscope_ieee::Rational;
use nanoscope_program::ir::{IntegerConversion, IntegerOperation, IntegerPredicate};

/// A side of a comparison of integers.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub node: NodeId,
    pub low: i128,
    pub high: i128,
    pub input: Option<(u32, i128)>,
}

impl Extraction<'_> {
    /// An integer as a node of the graph.
    pub(super) fn whole(
        &mut self,
        value: &ValueOf<Self>,
        bits: u32,
        is_signed: bool,
    ) -> Result<Side, Stuck> {
        match value {
            ShadowValue::Bits(encoding) => {
                let value = if is_signed { signed(*encoding, bits) } else { *encoding as i128 };
                let node =
                    self.graph.constant(Rational::from_integer(value.into()), Precision::Exact, 0);
                Ok(Side { node, low: value, high: value, input: None })
            }
            ShadowValue::Symbol(Unknown::Whole { node, low, high, input }) => {
                let (mut low, mut high) = (*low, *high);
                if let Some((input, shift)) = input {
                    let (least, most) = self.ranges[*input as usize];
                    (low, high) = (low.max(least + shift), high.min(most + shift));
                    if low == high {
                        // One value is left on this way.
                        let value = Rational::from_integer(low.into());
                        let node = self.graph.constant(value, Precision::Exact, 0);
                        return Ok(Side { node, low, high, input: None });
                    }
                }
                Ok(Side { node: *node, low, high, input: *input })
            }
            ShadowValue::Symbol(_)
            | ShadowValue::Number(_)
            | ShadowValue::Coded(..)
            | ShadowValue::Parts(_) => {
                Err(Stuck::new("it computes with the bits of what is not known"))
            }
        }
    }

    /// An operation on integers.
    pub(super) fn computed_of_integers(
        &mut self,
        operation: IntegerOperation,
        bits: u32,
        operands: [&ValueOf<Self>; 2],
    ) -> Result<ValueOf<Self>, Stuck> {
        use IntegerOperation as Op;
        if bits == 1 {
            return self.computed_of_truths(operation, operands);
        }
        let left = self.whole(operands[0], bits, true)?;
        let right = self.whole(operands[1], bits, true)?;
        let Side { node: a, low: a_low, high: a_high, input: a_input } = left;
        let Side { node: b, low: b_low, high: b_high, input: b_input } = right;
        let (node, low, high, input) = match operation {
            Op::Add => {
                let input = match (a_input, b_input) {
                    (Some((input, shift)), None) if b_low == b_high => Some((input, shift + b_low)),
                    (None, Some((input, shift))) if a_low == a_high => Some((input, shift + a_low)),
                    (_, _) => None,
                };
                (Node::Add(a, b), a_low + b_low, a_high + b_high, input)
            }
            Op::Sub => {
                let input = match a_input {
                    Some((input, shift)) if b_low == b_high => Some((input, shift - b_low)),
                    Some(_) | None => None,
                };
                (Node::Sub(a, b), a_low - b_high, a_high - b_low, input)
            }
            Op::Mul if a_high.max(-a_low) < 1 << 62 && b_high.max(-b_low) < 1 << 62 => {
                let ends = [a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high];
                let (low, high) = (ends.iter().min(), ends.iter().max());
                let (low, high) = (low.copied().unwrap_or(0), high.copied().unwrap_or(0));
                (Node::Mul(a, b), low, high, None)
            }
            _ => {
                let why = "arithmetic on integers that are not known";
                return self.computed_of_values(operation, bits, operands, why);
            }
        };
        if low < -(1i128 << (bits.min(120) - 1)) || high >= 1i128 << (bits.min(120) - 1) {
            let why = "an integer may overflow";
            return self.computed_of_values(operation, bits, operands, why);
        }
        let node = self.graph.operation(node, Precision::Exact, 0);
        Ok(ShadowValue::Symbol(Unknown::Whole { node, low, high, input }))
    }

    /// A comparison of integers.
    pub(super) fn compared_integers(
        &mut self,
        predicate: IntegerPredicate,
        bits: u32,
        operands: [&ValueOf<Self>; 2],
    ) -> Result<ValueOf<Self>, Stuck> {
        use IntegerPredicate as P;
        let left = self.whole(operands[0], bits, true)?;
        let right = self.whole(operands[1], bits, true)?;
        let Side { node: a, low: a_low, high: a_high, input: a_input } = left;
        let Side { node: b, low: b_low, high: b_high, input: b_input } = right;
        let unsigned = matches!(
            predicate,
            P::UnsignedGreater | P::UnsignedGreaterEqual | P::UnsignedLess | P::UnsignedLessEqual
        );
        if unsigned && (a_low < 0 || b_low < 0) {
            let values = [0, 1].map(|place| self.value_of(operands[place], bits));
            let [Some(a), Some(b)] = values else {
                return Err(Stuck::new("integers of unknown sign are compared without it"));
            };
            return Ok(ShadowValue::truth(compare_integers(predicate, bits, a, b)));
        }
        // Everything is "left at most right" or its opposite, or an equation.
        let at_most = |run: &mut Self, left: Side, right: Side| run.at_most(left, right);
        Ok(match predicate {
            P::SignedLessEqual | P::UnsignedLessEqual => at_most(self, left, right),
            P::SignedGreaterEqual | P::UnsignedGreaterEqual => at_most(self, right, left),
            P::SignedLess | P::UnsignedLess => opposite(at_most(self, right, left)),
            P::SignedGreater | P::UnsignedGreater => opposite(at_most(self, left, right)),
            P::Equal | P::NotEqual => {
                let equal = predicate == P::Equal;
                if a_high < b_low || b_high < a_low {
                    return Ok(ShadowValue::truth(!equal));
                }
                if a_low == a_high && b_low == b_high {
                    return Ok(ShadowValue::truth(equal));
                }
                // At an end of the range an equation is an inequality.
                match (a_input, b_input) {
                    (Some(_), None) if b_low == b_high && b_low == a_low => {
                        let value = at_most(self, left, right);
                        if equal { value } else { opposite(value) }
                    }
                    (Some(_), None) if b_low == b_high && b_low == a_high => {
                        let value = at_most(self, right, left);
                        if equal { value } else { opposite(value) }
                    }
                    (_, _) => {
                        let relation = if equal { Relation::Equal } else { Relation::NotEqual };
                        ShadowValue::Symbol(Unknown::Truth(Comparison {
                            left: a,
                            relation,
                            right: b,
                        }))
                    }
                }
            }
        })
    }

    /// An integer of another width.
    pub(super) fn converted_integer(
        &mut self,
        conversion: IntegerConversion,
        after: u32,
        symbol: &Unknown,
    ) -> Result<ValueOf<Self>, Stuck> {
        Ok(match (symbol, conversion) {
            (Unknown::Opaque, _) => ShadowValue::Symbol(Unknown::Opaque),
            (Unknown::Whole { .. }, IntegerConversion::SignExtend) => ShadowValue::Symbol(*symbol),
            (Unknown::Whole { low, .. }, IntegerConversion::ZeroExtend) if *low >= 0 => {
                ShadowValue::Symbol(*symbol)
            }
            (Unknown::Whole { low, high, .. }, IntegerConversion::Truncate)
                if *low >= -(1i128 << (after - 1)) && *high < 1i128 << (after - 1) =>
            {
                ShadowValue::Symbol(*symbol)
            }
            (Unknown::Whole { .. }, _) => ShadowValue::Symbol(Unknown::Opaque),
            (Unknown::Truth(by), IntegerConversion::ZeroExtend) if self.is_joined(symbol) => {
                ShadowValue::Symbol(self.truth_as_integer(*by))
            }
            (Unknown::Truth(_) | Unknown::AtMost { .. } | Unknown::Above { .. }, _) => {
                let holds = self.settled(At::default(), symbol)?;
                ShadowValue::Bits(match conversion {
                    IntegerConversion::SignExtend if holds == 1 => {
                        crate::shadow::masked(u128::MAX, after)
                    }
                    _ => holds,
                })
            }
        })
    }

    /// Whether one integer is at most another.
    fn at_most(&mut self, left: Side, right: Side) -> ValueOf<Self> {
        if left.high <= right.low {
            return ShadowValue::truth(true);
        }
        if left.low > right.high {
            return ShadowValue::truth(false);
        }
        match (left.input, right.input) {
            (Some((input, shift)), None) if right.low == right.high => {
                let node = self.whole_nodes[input as usize];
                ShadowValue::Symbol(Unknown::AtMost { input, node, most: right.low - shift })
            }
            // left <= input + shift is the opposite of input <= left - shift - 1.
            (None, Some((input, shift))) if left.low == left.high => {
                let node = self.whole_nodes[input as usize];
                ShadowValue::Symbol(Unknown::Above { input, node, most: left.low - shift - 1 })
            }
            (_, _) => {
                let comparison = Comparison {
                    left: left.node,
                    relation: Relation::LessEqual,
                    right: right.node,
                };
                ShadowValue::Symbol(Unknown::Truth(comparison))
            }
        }
    }

    /// Whether an integer input is at most so much on this way.
    pub(super) fn settle_most(&mut self, input: u32, node: NodeId, most: i128) -> bool {
        let (least, greatest) = self.ranges[input as usize];
        if greatest <= most {
            return true;
        }
        if least > most {
            return false;
        }
        let holds = self.decide();
        let border = self.graph.constant(Rational::from_integer(most.into()), Precision::Exact, 0);
        let comparison = Comparison { left: node, relation: Relation::LessEqual, right: border };
        self.conditions.push(if holds { comparison } else { comparison.negated() });
        self.ranges[input as usize] = if holds { (least, most) } else { (most + 1, greatest) };
        holds
    }
}

/// The opposite of a truth value.
pub(super) fn opposite(value: ShadowValue<Symbolic, Unknown>) -> ShadowValue<Symbolic, Unknown> {
    match value {
        ShadowValue::Bits(bits) => ShadowValue::Bits(bits ^ 1),
        ShadowValue::Symbol(Unknown::Truth(comparison)) => {
            ShadowValue::Symbol(Unknown::Truth(comparison.negated()))
        }
        ShadowValue::Symbol(Unknown::AtMost { input, node, most }) => {
            ShadowValue::Symbol(Unknown::Above { input, node, most })
        }
        ShadowValue::Symbol(Unknown::Above { input, node, most }) => {
            ShadowValue::Symbol(Unknown::AtMost { input, node, most })
        }
        other => other,
    }
}
