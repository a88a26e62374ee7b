//! Lanes of vectors, members of structures, elements of arrays.

use super::part_type;
use super::{Compute, Trouble};
use crate::Value;
use nanoscope_ieee::Operation;
use nanoscope_program::ir::{IntegerOperation, Mode, Type};
use nanoscope_term::BitsOp;
use std::sync::Arc;

impl Compute<'_> {
    /// The same for every lane of a vector, or once for a scalar.
    pub(super) fn by_lane(
        &mut self,
        result: &Type,
        values: &[&Value],
        mut scalar: impl FnMut(&mut Self, &[&Value]) -> Result<Value, Trouble>,
    ) -> Result<Value, Trouble> {
        let Type::Vector(_, lanes) = result else { return scalar(self, values) };
        let mut parts = Vec::with_capacity(*lanes as usize);
        for index in 0..*lanes as usize {
            let lane: Vec<&Value> = values
                .iter()
                .map(|value| match value {
                    // A scalar among vectors is for every lane.
                    Value::Parts(parts) => &parts[index],
                    Value::Undefined
                    | Value::Small(_)
                    | Value::Wide(_)
                    | Value::Term(_)
                    | Value::Float { .. } => *value,
                })
                .collect();
            parts.push(scalar(self, &lane)?);
        }
        Ok(Value::parts(parts))
    }

    /// One of two values by a condition, or lane by lane by a vector of conditions.
    pub(super) fn select(&mut self, which: &Value, a: &Value, b: &Value, ty: &Type) -> Value {
        let Value::Parts(conditions) = which else {
            let condition = self.truth_term(which);
            return self.choose(condition, a, b, ty);
        };
        let lane = ty.lane();
        let parts = conditions.iter().enumerate().map(|(index, condition)| {
            let condition = self.truth_term(condition);
            self.choose(condition, a.part(index), b.part(index), lane)
        });
        Value::parts(parts.collect())
    }

    /// A lane by its number.
    pub(super) fn lane(&mut self, vector: &Value, index: &Value, result: &Type) -> Value {
        let Value::Parts(lanes) = vector else { return Value::Undefined };
        if let Value::Small(index) = index {
            // Beyond the end the result is poison.
            return lanes.get(*index as usize).cloned().unwrap_or(Value::Undefined);
        }
        let mut chosen = lanes[lanes.len() - 1].clone();
        for (number, lane) in lanes.iter().enumerate().rev().skip(1) {
            let here = self.is_lane(index, number);
            chosen = self.choose(here, lane, &chosen, result);
        }
        chosen
    }

    /// A vector with a lane replaced.
    pub(super) fn set_lane(
        &mut self,
        vector: &Value,
        lane: &Value,
        index: &Value,
        result: &Type,
    ) -> Value {
        let count = result.lanes().expect("a vector") as usize;
        let mut lanes: Vec<Value> = (0..count).map(|at| vector.part(at).clone()).collect();
        match index {
            Value::Small(index) => match lanes.get_mut(*index as usize) {
                Some(place) => *place = lane.clone(),
                None => return Value::Undefined,
            },
            Value::Wide(_)
            | Value::Term(_)
            | Value::Float { .. }
            | Value::Parts(_)
            | Value::Undefined => {
                for (number, place) in lanes.iter_mut().enumerate() {
                    let here = self.is_lane(index, number);
                    *place = self.choose(here, lane, place, result.lane());
                }
            }
        }
        Value::parts(lanes)
    }

    fn is_lane(&mut self, index: &Value, number: usize) -> nanoscope_term::Term {
        let index = self.integer_term(index, 64);
        let width = self.terms.width(index);
        let number = self.terms.bits(width, number as u128);
        self.terms.equal(index, number)
    }

    /// The lanes put together by an integer operation.
    pub(super) fn reduce_integer(
        &mut self,
        operation: IntegerOperation,
        vector: &Value,
        result: &Type,
    ) -> Result<Value, Trouble> {
        let bits = result.bits().expect("an integer");
        let Value::Parts(lanes) = vector else { return Ok(Value::Undefined) };
        let mut all = lanes[0].clone();
        for lane in &lanes[1..] {
            all = self.integer(operation, bits, [&all, lane], result)?;
        }
        Ok(all)
    }

    /// The lanes put together by an operation on floats, in order; sums and products have a
    /// value to start with.
    pub(super) fn reduce_float(
        &mut self,
        operation: Operation,
        values: &[&Value],
        result: &Type,
    ) -> Result<Value, Trouble> {
        let Type::Float(format) = result else { panic!("a float, not {result:?}") };
        let parameters = nanoscope_ieee::Parameters::of(*format);
        let (start, vector) = match values {
            [start, vector] => (Some((*start).clone()), *vector),
            _ => (None, values[0]),
        };
        let Value::Parts(lanes) = vector else { return Ok(Value::Undefined) };
        let mut all = start;
        for lane in lanes.iter() {
            all = Some(match all {
                None => lane.clone(),
                Some(before) => self.float(operation, &parameters, Mode::Dynamic, &[&before, lane]),
            });
        }
        Ok(all.expect("a vector has lanes"))
    }

    /// An integer of any width in another, zeros or the sign coming in.
    pub(super) fn resized(
        &mut self,
        term: nanoscope_term::Term,
        width: u32,
        signed: bool,
    ) -> nanoscope_term::Term {
        let from = self.terms.width(term);
        if from == width {
            term
        } else if from > width {
            self.terms.extract(width - 1, 0, term)
        } else if signed {
            self.terms.bits_op(BitsOp::SignExtend(width - from), &[term])
        } else {
            self.terms.bits_op(BitsOp::ZeroExtend(width - from), &[term])
        }
    }
}

/// Lanes of two vectors put together.
pub(super) fn shuffle(a: &Value, b: &Value, mask: &[Option<u32>]) -> Value {
    // The lanes of an undefined vector are as many as the other's; alone they are undefined.
    let count = match (a, b) {
        (Value::Parts(lanes), _) | (_, Value::Parts(lanes)) => lanes.len(),
        _ => return Value::parts(vec![Value::Undefined; mask.len()]),
    };
    let lanes = mask.iter().map(|from| match from {
        None => Value::Undefined,
        Some(from) if (*from as usize) < count => a.part(*from as usize).clone(),
        Some(from) => b.part(*from as usize - count).clone(),
    });
    Value::parts(lanes.collect())
}

/// A member by the way to it.
pub(super) fn member(value: &Value, path: &[u32]) -> Value {
    path.iter().fold(value, |value, index| value.part(*index as usize)).clone()
}

/// An aggregate with a member replaced.
pub(super) fn set_member(whole: &Value, member: &Value, path: &[u32], ty: &Type) -> Value {
    let [index, rest @ ..] = path else { return member.clone() };
    let mut parts = match whole {
        Value::Parts(parts) => Vec::clone(parts),
        Value::Undefined
        | Value::Small(_)
        | Value::Wide(_)
        | Value::Term(_)
        | Value::Float { .. } => {
            let count = match ty {
                Type::Aggregate(aggregate) => aggregate.count() as usize,
                Type::Vector(_, lanes) => *lanes as usize,
                Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => 0,
            };
            vec![Value::Undefined; count]
        }
    };
    let inner = part_type(ty, u64::from(*index));
    let at = *index as usize;
    parts[at] = set_member(&parts[at], member, rest, &inner);
    Value::Parts(Arc::new(parts))
}
