//! What a target is given: its inputs as symbols, and what the user assumes of them.

use super::super::{Case, InputError};
use super::{Extraction, Symbolic, Unknown};
use crate::condition::{Combination, Side};
use crate::shadow::{ShadowValue, ValueOf, signed};
use nanoscope_errors::{
    Comparison, Input, InputError as GraphError, NodeId, Operation as Node, Precision, Relation,
};
use nanoscope_ieee::{Float, Rational};
use nanoscope_program::Scalar;

impl Extraction<'_> {
    /// The inputs as symbols, for the machine's memory.
    pub(super) fn inputs(&mut self, case: &Case) -> Vec<(usize, u64, ValueOf<Self>)> {
        let mut given = Vec::new();
        self.input_nodes = vec![None; case.target.inputs.len()];
        for (at, input) in case.target.inputs.iter().enumerate() {
            let name = input.name.clone();
            let size = crate::shadow::bytes_of(input.scalar);
            match input.scalar {
                Scalar::Float(format) => {
                    let uncertain = case.points.uncertain.iter().find(|u| u.input == at);
                    let (low, high) = match uncertain {
                        Some(uncertain) => uncertain.ends(),
                        None => {
                            let end = |bits| Float::from_bits(format, bits).to_rational();
                            (end(input.low), end(input.high))
                        }
                    };
                    let largest = Float::largest(format, false).to_rational();
                    let bounded = |end: Option<Rational>| {
                        end.filter(|end| Some(end.clone()) < largest && Some(-end) < largest)
                    };
                    let error = match uncertain.map(|uncertain| uncertain.error) {
                        None => GraphError::None,
                        Some(InputError::HalfUlp) => GraphError::HalfUlp,
                        Some(InputError::Absolute(most)) => GraphError::Absolute(most),
                    };
                    let (low, high) = (bounded(low), bounded(high));
                    let (low, high) = if input.specials { (None, None) } else { (low, high) };
                    let symbol = Input { name, low, high, integer: false, error };
                    let node = self.graph.input(symbol, Precision::nearest(format), 0);
                    self.input_nodes[at] = Some(node);
                    let value = ShadowValue::Coded(format, Symbolic::Node(node));
                    given.push((input.word, size, value));
                }
                Scalar::Integer { bits, signed: is_signed } if bits <= 64 => {
                    let end = |encoding: u128| match is_signed {
                        true => signed(encoding, bits),
                        false => encoding as i128,
                    };
                    let (low, high) = (end(input.low), end(input.high));
                    // One value is known; bytes of a part of a word are not looked at.
                    let rational = |end: i128| Some(Rational::from_integer(end.into()));
                    let symbol = Input {
                        name,
                        low: rational(low),
                        high: rational(high),
                        integer: true,
                        error: GraphError::None,
                    };
                    let node = self.graph.input(symbol, Precision::Exact, 0);
                    let place = self.whole_ranges.len() as u32;
                    self.whole_ranges.push((low, high));
                    self.whole_nodes.push(node);
                    let input_symbol = Some((place, 0));
                    let whole = Unknown::Whole { node, low, high, input: input_symbol };
                    given.push((input.word, size, ShadowValue::Symbol(whole)));
                }
                Scalar::Integer { .. } => {}
            }
        }
        given
    }

    /// Tells the graph what the user assumes of the inputs, where these are meant as they are.
    pub(super) fn assume(&mut self, case: &Case) {
        if !case.points.uncertain.is_empty() {
            return;
        }
        for order in case.contract.orders() {
            let (Some(left), Some(right)) =
                (self.side(case, &order.left), self.side(case, &order.right))
            else {
                continue;
            };
            let relation = if order.strict { Relation::Less } else { Relation::LessEqual };
            self.graph.assume(Comparison { left, relation, right });
        }
    }

    /// A side of an assumption, as a real number.
    fn side(&mut self, case: &Case, side: &Side) -> Option<NodeId> {
        match side {
            Side::Input(word) => {
                let at = case.target.inputs.iter().position(|input| input.word == *word)?;
                self.input_nodes[at]
            }
            Side::Constant(x) => {
                let value = Float::from(*x).to_rational()?;
                Some(self.graph.constant(value, Precision::Exact, 0))
            }
            Side::Combined(how, sides) => {
                let (a, b) = (self.side(case, &sides[0])?, self.side(case, &sides[1])?);
                let operation = match how {
                    Combination::Sum => Node::Add(a, b),
                    Combination::Difference => Node::Sub(a, b),
                    Combination::Product => Node::Mul(a, b),
                };
                Some(self.graph.operation(operation, Precision::Exact, 0))
            }
        }
    }
}
