//! Loads and stores at unknown places of a known object.
//!
//! The engine has seen to it that the address lies inside the object. What is known of its
//! low bits says which places are possible at all; a load chooses among the values there by
//! halves, a store makes each of them a choice between the old and the new.

use super::access::part_count;
use super::{Memory, Object, ObjectId};
use crate::Value;
use crate::compute::Compute;
use crate::memory::object::padded_bits;
use nanoscope_program::ir::Type;
use nanoscope_term::{BitsOp, Op, Term, Terms, Value as Known, bits_ops, op_heads};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// The places that an unknown address can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The first and last offset.
    pub offsets: RangeInclusive<u64>,
    /// The distance from one to the next.
    pub step: u64,
}

impl Places {
    /// How many there are.
    pub fn count(&self) -> u64 {
        let (first, last) = (*self.offsets.start(), *self.offsets.end());
        if first > last { 0 } else { (last - first) / self.step + 1 }
    }

    fn iter(&self) -> impl Iterator<Item = u64> + use<> {
        self.offsets.clone().step_by(self.step as usize)
    }
}

impl Memory {
    /// Where in an object an access of so many bytes at an unknown address can be, given the
    /// outermost offsets if somebody knows them better than the object's size.
    pub fn places(
        &self,
        terms: &Terms,
        id: ObjectId,
        address: Term,
        bytes: u64,
        within: Option<RangeInclusive<u64>>,
    ) -> Places {
        let size = self.object(id).map_or(0, Object::size);
        let Some(last) = size.checked_sub(bytes) else {
            #[allow(clippy::reversed_empty_ranges, reason = "there is no place")]
            return Places { offsets: 1..=0, step: 1 };
        };
        let (first, last) = match within {
            Some(range) => (*range.start(), last.min(*range.end())),
            None => (0, last),
        };
        let (known, low) = low_bits(terms, address, DEPTH);
        let step = 1u64 << known.min(20);
        let residue = low & (step - 1);
        let first = first + (residue.wrapping_sub(first) & (step - 1));
        if first > last {
            #[allow(clippy::reversed_empty_ranges, reason = "there is no place")]
            return Places { offsets: 1..=0, step };
        }
        let last = last - ((last - first) & (step - 1));
        Places { offsets: first..=last, step }
    }

    /// Reads a value at an unknown address inside an object.
    pub fn load_at(
        &mut self,
        compute: &mut Compute,
        ty: &Type,
        id: ObjectId,
        address: Term,
        places: &Places,
    ) -> Value {
        let values: Vec<(u64, Value)> =
            places.iter().map(|offset| (offset, self.read(compute, ty, id, offset))).collect();
        if values.is_empty() {
            return Value::Undefined;
        }
        choose_by_halves(compute, ty, id, address, &values)
    }

    /// Writes a value at an unknown address inside an object.
    pub fn store_at(
        &mut self,
        compute: &mut Compute,
        ty: &Type,
        id: ObjectId,
        address: Term,
        places: &Places,
        value: &Value,
    ) {
        let bytes = ty.stored_bytes();
        if part_count(ty).is_none() && ty.bits().is_none_or(|bits| bits % 8 != 0) {
            // What does not fill its bytes is written with the zeros above it.
            let bits = padded_bits(compute, value, ty);
            let (value, ty) = (compute.integer_value(bits), Type::Integer(bytes as u32 * 8));
            return self.store_at(compute, &ty, id, address, places, &value);
        }
        if bytes <= places.step && part_count(ty).is_none() {
            for offset in places.iter() {
                let old = self.read(compute, ty, id, offset);
                let here = is_at(compute.terms, id, address, offset);
                let new = compute.choose(here, value, &old, ty);
                self.replace(compute, ty, id, offset, &new);
            }
            return;
        }
        if let Some(count) = part_count(ty) {
            // Members one by one, each at its own distance from the address.
            for index in 0..count {
                let (at, part) = super::access::part(ty, index);
                let further = compute.terms.bits(64, u128::from(at));
                let address = compute.terms.bits_op(BitsOp::Add, &[address, further]);
                let (first, last) = (*places.offsets.start() + at, *places.offsets.end() + at);
                let places = Places { offsets: first..=last, step: places.step };
                let value = value.part(index as usize);
                self.store_at(compute, &part, id, address, &places, value);
            }
            return;
        }
        self.store_bytes_at(compute, ty, id, address, places, value);
    }

    /// Where the places overlap, byte by byte: each may become any of the value's bytes.
    fn store_bytes_at(
        &mut self,
        compute: &mut Compute,
        ty: &Type,
        id: ObjectId,
        address: Term,
        places: &Places,
        value: &Value,
    ) {
        let count = ty.stored_bytes();
        let bits = padded_bits(compute, value, ty);
        let byte = Type::Integer(8);
        let mut new: HashMap<u64, Value> = HashMap::new();
        for offset in places.iter() {
            let here = is_at(compute.terms, id, address, offset);
            for index in 0..count {
                let at = offset + index;
                let old = match new.remove(&at) {
                    Some(value) => value,
                    None => self.read(compute, &byte, id, at),
                };
                let low = index as u32 * 8;
                let part = compute.terms.extract(low + 7, low, bits);
                let part = compute.integer_value(part);
                let either = compute.choose(here, &part, &old, &byte);
                new.insert(at, either);
            }
        }
        let mut new: Vec<(u64, Value)> = new.into_iter().collect();
        new.sort_by_key(|(at, _)| *at);
        for (at, value) in new {
            self.replace(compute, &byte, id, at, &value);
        }
    }
}

/// The value at an unknown place: below the middle one half, else the other.
fn choose_by_halves(
    compute: &mut Compute,
    ty: &Type,
    id: ObjectId,
    address: Term,
    values: &[(u64, Value)],
) -> Value {
    let (_, first) = &values[0];
    if values.iter().all(|(_, value)| value == first) {
        return first.clone();
    }
    let (low, high) = values.split_at(values.len() / 2);
    let middle = compute.terms.bits(64, u128::from(id.address() + high[0].0));
    let below = compute.terms.bits_op(BitsOp::Ult, &[address, middle]);
    let low = choose_by_halves(compute, ty, id, address, low);
    let high = choose_by_halves(compute, ty, id, address, high);
    compute.choose(below, &low, &high, ty)
}

fn is_at(terms: &mut Terms, id: ObjectId, address: Term, offset: u64) -> Term {
    let place = terms.bits(64, u128::from(id.address() + offset));
    terms.equal(address, place)
}

/// How deep to look into an address: scaled indices and sums are shallow.
const DEPTH: u32 = 8;

/// How many low bits of a term are known, and what they are.
fn low_bits(terms: &Terms, term: Term, depth: u32) -> (u32, u64) {
    let width = terms.width(term).min(64);
    if depth == 0 && terms.value(term).is_none() {
        return (0, 0);
    }
    let known = match terms.op(term) {
        Op::Value(_) => {
            let word = terms.value(term).and_then(Known::as_bits);
            return (width, word.map_or(0, nanoscope_ieee::Word::low_u64));
        }
        Op::Bits(op) => {
            let args = terms.args(term);
            let of = |at: usize| low_bits(terms, args[at], depth - 1);
            match op {
                BitsOp::Add | BitsOp::Sub | BitsOp::And | BitsOp::Or | BitsOp::Xor => {
                    let ((a, x), (b, y)) = (of(0), of(1));
                    let both = match op {
                        BitsOp::Add => x.wrapping_add(y),
                        BitsOp::Sub => x.wrapping_sub(y),
                        BitsOp::And => x & y,
                        BitsOp::Or => x | y,
                        _ => x ^ y,
                    };
                    (a.min(b), both)
                }
                BitsOp::Mul => {
                    let ((a, x), (b, y)) = (of(0), of(1));
                    // Zeros at the bottom add up.
                    let zeros = |known: u32, low: u64| {
                        if low == 0 { known } else { low.trailing_zeros().min(known) }
                    };
                    let (p, q) = (zeros(a, x), zeros(b, y));
                    let known = (a + q).min(b + p).min(width);
                    (known, x.wrapping_mul(y))
                }
                BitsOp::Neg => {
                    let (a, x) = of(0);
                    (a, x.wrapping_neg())
                }
                BitsOp::Not => {
                    let (a, x) = of(0);
                    (a, !x)
                }
                BitsOp::Concat => {
                    let low = terms.width(args[1]);
                    let (b, y) = of(1);
                    if b < low || low >= 64 {
                        (b, y)
                    } else {
                        let (a, x) = of(0);
                        (low + a, y | x << low)
                    }
                }
                BitsOp::Extract { low: 0, .. } | BitsOp::SignExtend(_) | BitsOp::ZeroExtend(_) => {
                    of(0)
                }
                BitsOp::Extract { .. } | bits_ops!(Quotient, Shift, Compare) => (0, 0),
            }
        }
        Op::Ite => {
            let args = terms.args(term);
            let [(a, x), (b, y)] = [1, 2].map(|at: usize| low_bits(terms, args[at], depth - 1));
            ((x ^ y).trailing_zeros().min(a).min(b), x)
        }
        Op::Variable(_)
        | Op::Equal
        | Op::Float(..)
        | Op::Libm(..)
        | op_heads!(Connective, Door) => (0, 0),
    };
    let (count, low) = known;
    let count = count.min(width);
    (count, low & crate::value::mask(count))
}
