//! Integers of any width: known ones of up to 64 bits on machine words, all others as terms.

use super::{Compute, Obligation, Trouble};
use crate::Value;
use crate::value::mask;
use nanoscope_program::integer_operations;
use nanoscope_program::ir::{
    Aggregate, IntegerOperation, IntegerPredicate, IntegerUnary, Operand, Type,
};
use nanoscope_term::{BitsOp, Term, Value as Known};

/// A number's bits read as signed.
#[inline]
const fn signed(bits: u32, a: u64) -> i64 {
    let spare = 64 - bits;
    (a << spare) as i64 >> spare
}

/// An operation on known bits; none where something goes wrong, or where the result depends
/// on more than the width.
#[inline]
pub(super) fn small(operation: IntegerOperation, bits: u32, a: u64, b: u64) -> Option<Value> {
    use IntegerOperation as O;
    let all = mask(bits);
    let in_range = b < u64::from(bits);
    Some(Value::Small(match operation {
        O::Add => a.wrapping_add(b) & all,
        O::Sub => a.wrapping_sub(b) & all,
        O::Mul => a.wrapping_mul(b) & all,
        O::UnsignedDiv => a.checked_div(b)?,
        O::UnsignedRem => a.checked_rem(b)?,
        O::SignedDiv => divided(bits, a, b)?.0,
        O::SignedRem => divided(bits, a, b)?.1,
        O::ShiftLeft => in_range.then(|| a << b & all)?,
        O::LogicalShiftRight => in_range.then(|| a >> b)?,
        O::ArithmeticShiftRight => in_range.then(|| (signed(bits, a) >> b) as u64 & all)?,
        O::And => a & b,
        O::Or => a | b,
        O::Xor => a ^ b,
        O::UnsignedMin => a.min(b),
        O::UnsignedMax => a.max(b),
        O::SignedMin => signed(bits, a).min(signed(bits, b)) as u64 & all,
        O::SignedMax => signed(bits, a).max(signed(bits, b)) as u64 & all,
        integer_operations!(Saturating, Overflow) => return bounded(operation, bits, a, b),
        O::UnsignedCompare | O::SignedCompare => return None,
    }))
}

/// Signed quotient and remainder, where there are any.
fn divided(bits: u32, a: u64, b: u64) -> Option<(u64, u64)> {
    let (x, y) = (signed(bits, a), signed(bits, b));
    if y == 0 || (y == -1 && x == -1 << (bits - 1)) {
        return None;
    }
    Some(((x / y) as u64 & mask(bits), (x % y) as u64 & mask(bits)))
}

/// The operations that look at the ends of the range, on known bits.
fn bounded(operation: IntegerOperation, bits: u32, a: u64, b: u64) -> Option<Value> {
    use IntegerOperation as O;
    let all = mask(bits);
    let (least, greatest) = (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1);
    let (x, y) = (i128::from(signed(bits, a)), i128::from(signed(bits, b)));
    let (u, v) = (i128::from(a), i128::from(b));
    let in_range = b < u64::from(bits);
    let unsigned = |exact: i128| Value::Small(exact.clamp(0, all.into()) as u64);
    let saturated = |exact: i128| Value::Small(exact.clamp(least, greatest) as u64 & all);
    let structure = |exact: i128, (low, high): (i128, i128)| {
        let fits = exact >= low && exact <= high;
        Value::parts(vec![Value::Small(exact as u64 & all), Value::truth(!fits)])
    };
    let (signed_ends, unsigned_ends) = ((least, greatest), (0, i128::from(all)));
    Some(match operation {
        O::SaturatingUnsignedAdd => unsigned(u + v),
        O::SaturatingUnsignedSub => unsigned(u - v),
        O::SaturatingSignedAdd => saturated(x + y),
        O::SaturatingSignedSub => saturated(x - y),
        O::SaturatingUnsignedShiftLeft => in_range.then(|| unsigned(u << b))?,
        O::SaturatingSignedShiftLeft => in_range.then(|| saturated(x << b))?,
        O::UnsignedAddOverflow => structure(u + v, unsigned_ends),
        O::UnsignedSubOverflow => structure(u - v, unsigned_ends),
        // Beyond the range of the product's own type it is certainly beyond the width.
        O::UnsignedMulOverflow => match u.checked_mul(v) {
            Some(exact) => structure(exact, unsigned_ends),
            None => structure((a.wrapping_mul(b) as i128) | 1 << 100, unsigned_ends),
        },
        O::SignedAddOverflow => structure(x + y, signed_ends),
        O::SignedSubOverflow => structure(x - y, signed_ends),
        O::SignedMulOverflow => structure(x * y, signed_ends),
        integer_operations!(Arithmetic, Shift, Logic, Choice, Compare) => return None,
    })
}

/// A comparison of known bits.
#[inline]
pub(super) fn holds(predicate: IntegerPredicate, bits: u32, a: u64, b: u64) -> bool {
    use IntegerPredicate as P;
    let (x, y) = (signed(bits, a), signed(bits, b));
    match predicate {
        P::Equal => a == b,
        P::NotEqual => a != b,
        P::UnsignedGreater => a > b,
        P::UnsignedGreaterEqual => a >= b,
        P::UnsignedLess => a < b,
        P::UnsignedLessEqual => a <= b,
        P::SignedGreater => x > y,
        P::SignedGreaterEqual => x >= y,
        P::SignedLess => x < y,
        P::SignedLessEqual => x <= y,
    }
}

/// An address so many bytes further; none with an index that is unknown. Known indices have 64
/// bits.
#[inline]
pub(super) fn offset_known<'v>(
    base: u64,
    constant: i64,
    scaled: &[(Operand, i64)],
    read: impl Fn(Operand) -> &'v Value,
) -> Option<u64> {
    let mut address = base.wrapping_add(constant as u64);
    for (index, scale) in scaled {
        let index = read(*index).as_small()?;
        address = address.wrapping_add(index.wrapping_mul(*scale as u64));
    }
    Some(address)
}

impl Compute<'_> {
    /// An operation on two integers, or on vectors of them.
    pub(super) fn integer(
        &mut self,
        operation: IntegerOperation,
        bits: u32,
        values: [&Value; 2],
        result: &Type,
    ) -> Result<Value, Trouble> {
        match result {
            Type::Vector(lane, lanes) => {
                let parts: Result<Vec<Value>, Trouble> = (0..*lanes as usize)
                    .map(|at| {
                        let lanes = values.map(|value| value.part(at));
                        self.integer_scalar(operation, bits, lanes, lane)
                    })
                    .collect();
                Ok(Value::parts(parts?))
            }
            // Overflow of vectors: a structure of two vectors.
            Type::Aggregate(aggregate) => match &**aggregate {
                Aggregate::Structure { members, .. }
                    if members.first().is_some_and(|(_, ty)| ty.lanes().is_some()) =>
                {
                    let lanes = members[0].1.lanes().expect("a vector");
                    let (mut results, mut overflows) = (Vec::new(), Vec::new());
                    for at in 0..lanes as usize {
                        let lane = values.map(|value| value.part(at));
                        let both = self.integer_scalar(operation, bits, lane, result)?;
                        results.push(both.part(0).clone());
                        overflows.push(both.part(1).clone());
                    }
                    Ok(Value::parts(vec![Value::parts(results), Value::parts(overflows)]))
                }
                Aggregate::Structure { .. } | Aggregate::Array { .. } => {
                    self.integer_scalar(operation, bits, values, result)
                }
            },
            Type::Void | Type::Integer(_) | Type::Float(_) | Type::Pointer => {
                self.integer_scalar(operation, bits, values, result)
            }
        }
    }

    fn integer_scalar(
        &mut self,
        operation: IntegerOperation,
        bits: u32,
        values: [&Value; 2],
        result: &Type,
    ) -> Result<Value, Trouble> {
        use IntegerOperation as O;
        if let [Value::Small(a), Value::Small(b)] = values
            && let Some(value) = small(operation, bits, *a, *b)
        {
            return Ok(value);
        }
        if bits == 1
            && let Some(value) = self.logic(operation, values)
        {
            return Ok(value);
        }
        let [a, b] = values.map(|value| self.integer_term(value, bits));
        let plain = |compute: &mut Self, op: BitsOp| {
            let term = compute.terms.bits_op(op, &[a, b]);
            Ok(compute.integer_value(term))
        };
        match operation {
            O::Add => plain(self, BitsOp::Add),
            O::Sub => plain(self, BitsOp::Sub),
            O::Mul => plain(self, BitsOp::Mul),
            O::And => plain(self, BitsOp::And),
            O::Or => plain(self, BitsOp::Or),
            O::Xor => plain(self, BitsOp::Xor),
            O::UnsignedDiv => {
                self.divisor_not_zero(bits, b)?;
                plain(self, BitsOp::Udiv)
            }
            O::UnsignedRem => {
                self.divisor_not_zero(bits, b)?;
                plain(self, BitsOp::Urem)
            }
            O::SignedDiv | O::SignedRem => {
                self.divisor_not_zero(bits, b)?;
                let overflows = self.terms.sdiv_overflows(a, b);
                self.oblige(overflows, Trouble::DivisionOverflow)?;
                let term = if operation == O::SignedDiv {
                    self.terms.sdiv(a, b)
                } else {
                    self.terms.srem(a, b)
                };
                Ok(self.integer_value(term))
            }
            O::ShiftLeft => {
                self.shift_in_range(bits, b)?;
                plain(self, BitsOp::Shl)
            }
            O::LogicalShiftRight => {
                self.shift_in_range(bits, b)?;
                plain(self, BitsOp::Lshr)
            }
            O::ArithmeticShiftRight => {
                self.shift_in_range(bits, b)?;
                plain(self, BitsOp::Ashr)
            }
            O::UnsignedMin => Ok(self.first_if(BitsOp::Ult, [a, b], a, b)),
            O::UnsignedMax => Ok(self.first_if(BitsOp::Ult, [b, a], a, b)),
            O::SignedMin => Ok(self.first_if(BitsOp::Slt, [a, b], a, b)),
            O::SignedMax => Ok(self.first_if(BitsOp::Slt, [b, a], a, b)),
            integer_operations!(Saturating) => self.saturating(operation, bits, a, b),
            O::UnsignedAddOverflow | O::SignedAddOverflow => {
                let over = self.terms.add_overflows(operation == O::SignedAddOverflow, a, b);
                Ok(self.with_overflow(BitsOp::Add, a, b, over))
            }
            O::UnsignedSubOverflow | O::SignedSubOverflow => {
                let over = self.terms.sub_overflows(operation == O::SignedSubOverflow, a, b);
                Ok(self.with_overflow(BitsOp::Sub, a, b, over))
            }
            O::UnsignedMulOverflow | O::SignedMulOverflow => {
                let over = self.terms.mul_overflows(operation == O::SignedMulOverflow, a, b);
                Ok(self.with_overflow(BitsOp::Mul, a, b, over))
            }
            O::UnsignedCompare | O::SignedCompare => {
                let width = result.lane().bits().expect("an integer");
                Ok(self.three_way(operation == O::SignedCompare, width, a, b))
            }
        }
    }

    /// What stays at the end of its range instead of wrapping.
    fn saturating(
        &mut self,
        operation: IntegerOperation,
        bits: u32,
        a: Term,
        b: Term,
    ) -> Result<Value, Trouble> {
        use IntegerOperation as O;
        match operation {
            O::SaturatingUnsignedAdd => {
                let over = self.terms.add_overflows(false, a, b);
                let sum = self.terms.bits_op(BitsOp::Add, &[a, b]);
                let all = self.ones(bits);
                let term = self.terms.ite(over, all, sum);
                Ok(self.integer_value(term))
            }
            O::SaturatingUnsignedSub => {
                let below = self.terms.bits_op(BitsOp::Ult, &[a, b]);
                let difference = self.terms.bits_op(BitsOp::Sub, &[a, b]);
                let zero = self.terms.bits(bits, 0);
                let term = self.terms.ite(below, zero, difference);
                Ok(self.integer_value(term))
            }
            O::SaturatingSignedAdd => {
                let over = self.terms.add_overflows(true, a, b);
                let sum = self.terms.bits_op(BitsOp::Add, &[a, b]);
                Ok(self.saturated(bits, over, a, sum))
            }
            O::SaturatingSignedSub => {
                let over = self.terms.sub_overflows(true, a, b);
                let difference = self.terms.bits_op(BitsOp::Sub, &[a, b]);
                Ok(self.saturated(bits, over, a, difference))
            }
            O::SaturatingUnsignedShiftLeft => {
                self.shift_in_range(bits, b)?;
                let shifted = self.terms.bits_op(BitsOp::Shl, &[a, b]);
                let back = self.terms.bits_op(BitsOp::Lshr, &[shifted, b]);
                let same = self.terms.equal(back, a);
                let all = self.ones(bits);
                let term = self.terms.ite(same, shifted, all);
                Ok(self.integer_value(term))
            }
            O::SaturatingSignedShiftLeft => {
                self.shift_in_range(bits, b)?;
                let shifted = self.terms.bits_op(BitsOp::Shl, &[a, b]);
                let back = self.terms.bits_op(BitsOp::Ashr, &[shifted, b]);
                let same = self.terms.equal(back, a);
                let over = self.terms.not(same);
                Ok(self.saturated(bits, over, a, shifted))
            }
            integer_operations!(Arithmetic, Shift, Logic, Choice, Overflow, Compare) => {
                unreachable!("{operation:?} does not saturate")
            }
        }
    }

    /// -1, 0 or 1: how two integers compare.
    fn three_way(&mut self, signed: bool, width: u32, a: Term, b: Term) -> Value {
        let less = if signed { BitsOp::Slt } else { BitsOp::Ult };
        let below = self.terms.bits_op(less, &[a, b]);
        let same = self.terms.equal(a, b);
        let minus = self.ones(width);
        let (zero, one) = (self.terms.bits(width, 0), self.terms.bits(width, 1));
        let rest = self.terms.ite(same, zero, one);
        let term = self.terms.ite(below, minus, rest);
        self.integer_value(term)
    }

    /// Bitwise operations on truth values stay truth values.
    fn logic(&mut self, operation: IntegerOperation, values: [&Value; 2]) -> Option<Value> {
        use IntegerOperation as O;
        if !matches!(operation, O::Add | O::Sub | O::Mul | integer_operations!(Logic)) {
            return None;
        }
        let [a, b] = values.map(|value| self.truth_term(value));
        let term = if matches!(operation, O::And | O::Mul) {
            self.terms.and(&[a, b])
        } else if operation == O::Or {
            self.terms.or(&[a, b])
        } else {
            self.terms.xor(a, b)
        };
        Some(self.truth_value(term))
    }

    fn ones(&mut self, bits: u32) -> Term {
        self.terms.constant(Known::Bits(nanoscope_ieee::Word::ones(bits)))
    }

    /// `a` if the relation holds, else `b`.
    fn first_if(&mut self, relation: BitsOp, sides: [Term; 2], a: Term, b: Term) -> Value {
        let first = self.terms.bits_op(relation, &sides);
        let term = self.terms.ite(first, a, b);
        self.integer_value(term)
    }

    /// The end of the signed range on the side of `a`, if it overflows.
    fn saturated(&mut self, bits: u32, over: Term, a: Term, wrapped: Term) -> Value {
        let least = nanoscope_ieee::Word::run(bits, bits - 1, 1);
        let greatest = nanoscope_ieee::Word::run(bits, 0, bits - 1);
        let least = self.terms.constant(Known::Bits(least));
        let greatest = self.terms.constant(Known::Bits(greatest));
        let negative = self.terms.sign(a);
        let end = self.terms.ite(negative, least, greatest);
        let term = self.terms.ite(over, end, wrapped);
        self.integer_value(term)
    }

    fn with_overflow(&mut self, op: BitsOp, a: Term, b: Term, over: Term) -> Value {
        let wrapped = self.terms.bits_op(op, &[a, b]);
        Value::parts(vec![self.integer_value(wrapped), self.truth_value(over)])
    }

    fn divisor_not_zero(&mut self, bits: u32, b: Term) -> Result<(), Trouble> {
        let zero = self.terms.bits(bits, 0);
        let is_zero = self.terms.equal(b, zero);
        self.oblige(is_zero, Trouble::DivisionByZero)
    }

    fn shift_in_range(&mut self, bits: u32, b: Term) -> Result<(), Trouble> {
        let width = self.terms.bits(bits, u128::from(bits));
        let too_far = self.terms.bits_op(BitsOp::Ule, &[width, b]);
        self.oblige(too_far, Trouble::ShiftTooFar)
    }

    /// Notes that something goes wrong if the condition holds; an error where it does.
    pub(super) fn oblige(&mut self, condition: Term, trouble: Trouble) -> Result<(), Trouble> {
        if self.is_true(condition) {
            return Err(trouble);
        }
        if !self.is_false(condition) {
            self.obligations.push(Obligation { condition, trouble });
        }
        Ok(())
    }

    /// A comparison of integers or pointers.
    pub(super) fn integer_compare(
        &mut self,
        predicate: IntegerPredicate,
        bits: u32,
        a: &Value,
        b: &Value,
    ) -> Value {
        use IntegerPredicate as P;
        if let (Value::Small(a), Value::Small(b)) = (a, b) {
            return Value::truth(holds(predicate, bits, *a, *b));
        }
        if bits == 1 && matches!(predicate, P::Equal | P::NotEqual) {
            let (a, b) = (self.truth_term(a), self.truth_term(b));
            let same = self.terms.equal(a, b);
            let term = if predicate == P::Equal { same } else { self.terms.not(same) };
            return self.truth_value(term);
        }
        let (a, b) = (self.integer_term(a, bits), self.integer_term(b, bits));
        let term = match predicate {
            P::Equal => self.terms.equal(a, b),
            P::NotEqual => {
                let same = self.terms.equal(a, b);
                self.terms.not(same)
            }
            P::UnsignedGreater => self.terms.bits_op(BitsOp::Ult, &[b, a]),
            P::UnsignedGreaterEqual => self.terms.bits_op(BitsOp::Ule, &[b, a]),
            P::UnsignedLess => self.terms.bits_op(BitsOp::Ult, &[a, b]),
            P::UnsignedLessEqual => self.terms.bits_op(BitsOp::Ule, &[a, b]),
            P::SignedGreater => self.terms.bits_op(BitsOp::Slt, &[b, a]),
            P::SignedGreaterEqual => self.terms.bits_op(BitsOp::Sle, &[b, a]),
            P::SignedLess => self.terms.bits_op(BitsOp::Slt, &[a, b]),
            P::SignedLessEqual => self.terms.bits_op(BitsOp::Sle, &[a, b]),
        };
        self.truth_value(term)
    }

    /// An operation on one integer.
    pub(super) fn integer_unary(
        &mut self,
        operation: IntegerUnary,
        bits: u32,
        value: &Value,
    ) -> Value {
        if let Value::Small(a) = value {
            return Value::Small(unary(operation, bits, *a));
        }
        let a = self.integer_term(value, bits);
        let term = match operation {
            IntegerUnary::Abs => {
                let negative = self.terms.sign(a);
                let opposite = self.terms.bits_op(BitsOp::Neg, &[a]);
                self.terms.ite(negative, opposite, a)
            }
            IntegerUnary::CountOnes => self.count_ones(a, bits),
            IntegerUnary::LeadingZeros => self.leading_zeros(a, bits),
            IntegerUnary::TrailingZeros => {
                let turned = self.reversed(a, bits, 1);
                self.leading_zeros(turned, bits)
            }
            IntegerUnary::SwapBytes => self.reversed(a, bits, 8),
            IntegerUnary::ReverseBits => self.reversed(a, bits, 1),
        };
        self.integer_value(term)
    }

    /// The groups of so many bits in reverse.
    fn reversed(&mut self, a: Term, bits: u32, group: u32) -> Term {
        let mut all = self.terms.extract(group - 1, 0, a);
        for low in (group..bits).step_by(group as usize) {
            let next = self.terms.extract(low + group - 1, low, a);
            all = self.terms.concat(all, next);
        }
        all
    }

    /// How many bits are set, by adding up halves: few levels instead of a long chain.
    fn count_ones(&mut self, a: Term, bits: u32) -> Term {
        let mut counts: Vec<Term> = (0..bits)
            .map(|at| {
                let bit = self.terms.extract(at, at, a);
                self.widened(bit, bits)
            })
            .collect();
        while counts.len() > 1 {
            counts = counts
                .chunks(2)
                .map(|pair| match pair {
                    [one, other] => self.terms.bits_op(BitsOp::Add, &[*one, *other]),
                    _ => pair[0],
                })
                .collect();
        }
        counts[0]
    }

    fn widened(&mut self, a: Term, bits: u32) -> Term {
        let more = bits - self.terms.width(a);
        if more == 0 { a } else { self.terms.bits_op(BitsOp::ZeroExtend(more), &[a]) }
    }

    /// How many zeros lead: the highest set bit decides.
    fn leading_zeros(&mut self, a: Term, bits: u32) -> Term {
        let one = self.terms.bits(1, 1);
        let mut count = self.terms.bits(bits, u128::from(bits));
        for at in 0..bits {
            let bit = self.terms.extract(at, at, a);
            let set = self.terms.equal(bit, one);
            let here = self.terms.bits(bits, u128::from(bits - 1 - at));
            count = self.terms.ite(set, here, count);
        }
        count
    }

    /// Two words side by side, shifted.
    pub(super) fn funnel_shift(&mut self, left: bool, bits: u32, values: &[&Value]) -> Value {
        if let [Value::Small(high), Value::Small(low), Value::Small(distance)] = values {
            let both = u128::from(*high) << bits | u128::from(*low);
            let distance = distance % u64::from(bits);
            let shifted = if left { both << distance >> bits } else { both >> distance };
            return Value::Small(shifted as u64 & mask(bits));
        }
        let [high, low, distance] = [0, 1, 2].map(|at: usize| self.integer_term(values[at], bits));
        let both = self.terms.concat(high, low);
        let width = self.terms.bits(bits, u128::from(bits));
        let distance = self.terms.bits_op(BitsOp::Urem, &[distance, width]);
        let distance = self.terms.bits_op(BitsOp::ZeroExtend(bits), &[distance]);
        let term = if left {
            let shifted = self.terms.bits_op(BitsOp::Shl, &[both, distance]);
            self.terms.extract(2 * bits - 1, bits, shifted)
        } else {
            let shifted = self.terms.bits_op(BitsOp::Lshr, &[both, distance]);
            self.terms.extract(bits - 1, 0, shifted)
        };
        self.integer_value(term)
    }

    /// An address so many bytes further: base and indices, or vectors of them.
    pub(super) fn offset(
        &mut self,
        constant: i64,
        scales: &[i64],
        values: &[&Value],
        result: &Type,
    ) -> Result<Value, Trouble> {
        self.by_lane(result, values, |compute, values| {
            let known: Option<Vec<u64>> = values.iter().map(|value| value.as_small()).collect();
            if let Some(known) = known {
                let address = known[1..].iter().zip(scales).fold(
                    known[0].wrapping_add(constant as u64),
                    |address, (index, scale)| {
                        address.wrapping_add(index.wrapping_mul(*scale as u64))
                    },
                );
                return Ok(Value::Small(address));
            }
            let mut address = compute.integer_term(values[0], 64);
            for (value, scale) in values[1..].iter().zip(scales) {
                let index = compute.integer_term(value, 64);
                let index = compute.index_of_64_bits(index);
                let scale = compute.terms.bits(64, *scale as u64 as u128);
                let bytes = compute.terms.bits_op(BitsOp::Mul, &[index, scale]);
                address = compute.terms.bits_op(BitsOp::Add, &[address, bytes]);
            }
            let constant = compute.terms.bits(64, constant as u64 as u128);
            let address = compute.terms.bits_op(BitsOp::Add, &[address, constant]);
            Ok(compute.integer_value(address))
        })
    }

    /// An index of any width as a signed one of 64 bits.
    fn index_of_64_bits(&mut self, index: Term) -> Term {
        let width = self.terms.width(index);
        if width < 64 {
            self.terms.bits_op(BitsOp::SignExtend(64 - width), &[index])
        } else if width > 64 {
            self.terms.extract(63, 0, index)
        } else {
            index
        }
    }
}

/// An operation on known bits.
fn unary(operation: IntegerUnary, bits: u32, a: u64) -> u64 {
    let spare = 64 - bits;
    match operation {
        IntegerUnary::Abs => signed(bits, a).unsigned_abs() & mask(bits),
        IntegerUnary::CountOnes => a.count_ones().into(),
        IntegerUnary::LeadingZeros => (a.leading_zeros() - spare).into(),
        IntegerUnary::TrailingZeros => a.trailing_zeros().min(bits).into(),
        IntegerUnary::SwapBytes => a.swap_bytes() >> spare,
        IntegerUnary::ReverseBits => a.reverse_bits() >> spare,
    }
}
