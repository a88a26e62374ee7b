//! The machine's questions answered on symbols.

use super::operations::relation_of;
use super::{Extraction, Symbolic, Unknown, is_nan, missing};
use crate::shadow::{
    Answer, At, Domain, ShadowValue, Stored, Stuck, ValueOf, number, operation_named,
};
use nanoscope_budget::Budget;
use nanoscope_errors::{Comparison, NodeId, Operation as Node, Relation};
use nanoscope_ieee::{Float, Format, Libm, Operation, Parameters, Rounding};
use nanoscope_program::ir::{
    Code, FloatPredicate, FunctionId, IntegerConversion, IntegerOperation, IntegerPredicate, Mode,
};

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
