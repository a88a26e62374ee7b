//! Integers of the shadow run: the processor's own, of up to 128 bits.

use super::Stuck;
use nanoscope_program::ir::{IntegerOperation, IntegerPredicate, IntegerUnary};
use std::cmp::Ordering;

/// The low bits.
pub(crate) fn masked(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// Read as two's complement.
pub(crate) fn signed(value: u128, bits: u32) -> i128 {
    let unused = 128 - bits.min(128);
    (value << unused) as i128 >> unused
}

/// What an operation gives: a value, or a value and whether it overflowed.
pub(crate) enum Given {
    One(u128),
    Checked(u128, bool),
}

/// An operation on two integers of a width.
pub(crate) fn operate(
    operation: IntegerOperation,
    bits: u32,
    a: u128,
    b: u128,
) -> Result<Given, Stuck> {
    use IntegerOperation as Op;
    if bits > 128 {
        return Err(Stuck::new(format!("integers of {bits} bits are not modelled")));
    }
    let (x, y) = (signed(a, bits), signed(b, bits));
    let (least, most) = (signed(1 << (bits - 1), bits), signed(masked(u128::MAX, bits) >> 1, bits));
    let fits = |value: Option<i128>| value.filter(|value| (least..=most).contains(value));
    let all = masked(u128::MAX, bits);
    let nonzero = || if b == 0 { Err(Stuck::new("an integer is divided by zero")) } else { Ok(()) };
    let shift = b.min(255) as u32;
    let one = |value: u128| Ok(Given::One(masked(value, bits)));
    let toward = |negative: bool| if negative { least } else { most };
    match operation {
        Op::Add => one(a.wrapping_add(b)),
        Op::Sub => one(a.wrapping_sub(b)),
        Op::Mul => one(a.wrapping_mul(b)),
        Op::UnsignedDiv => nonzero().and_then(|()| one(a / b)),
        Op::SignedDiv => nonzero().and_then(|()| one(x.wrapping_div(y) as u128)),
        Op::UnsignedRem => nonzero().and_then(|()| one(a % b)),
        Op::SignedRem => nonzero().and_then(|()| one(x.wrapping_rem(y) as u128)),
        Op::ShiftLeft => one(a.checked_shl(shift).unwrap_or(0)),
        Op::LogicalShiftRight => one(a.checked_shr(shift).unwrap_or(0)),
        Op::ArithmeticShiftRight => one((x >> shift.min(127)) as u128),
        Op::And => one(a & b),
        Op::Or => one(a | b),
        Op::Xor => one(a ^ b),
        Op::UnsignedMin => one(a.min(b)),
        Op::UnsignedMax => one(a.max(b)),
        Op::SignedMin => one(x.min(y) as u128),
        Op::SignedMax => one(x.max(y) as u128),
        Op::SaturatingUnsignedAdd => one(a.checked_add(b).map_or(all, |sum| sum.min(all))),
        Op::SaturatingSignedAdd => {
            one(fits(x.checked_add(y)).unwrap_or_else(|| toward(x < 0)) as u128)
        }
        Op::SaturatingUnsignedSub => one(a.saturating_sub(b)),
        Op::SaturatingSignedSub => {
            one(fits(x.checked_sub(y)).unwrap_or_else(|| toward(x < 0)) as u128)
        }
        Op::SaturatingUnsignedShiftLeft => {
            let shifted = masked(a.checked_shl(shift).unwrap_or(0), bits);
            one(if shifted.checked_shr(shift) == Some(a) { shifted } else { all })
        }
        Op::SaturatingSignedShiftLeft => {
            let shifted = signed(a.checked_shl(shift).unwrap_or(0), bits);
            let back = shifted >> shift.min(127);
            one(if back == x { shifted } else { toward(x < 0) } as u128)
        }
        Op::UnsignedAddOverflow => {
            let sum = a.checked_add(b);
            Ok(checked(a.wrapping_add(b), bits, sum.is_none_or(|sum| sum > all)))
        }
        Op::SignedAddOverflow => {
            Ok(checked(a.wrapping_add(b), bits, fits(x.checked_add(y)).is_none()))
        }
        Op::UnsignedSubOverflow => Ok(checked(a.wrapping_sub(b), bits, a < b)),
        Op::SignedSubOverflow => {
            Ok(checked(a.wrapping_sub(b), bits, fits(x.checked_sub(y)).is_none()))
        }
        Op::UnsignedMulOverflow => {
            let product = a.checked_mul(b);
            Ok(checked(a.wrapping_mul(b), bits, product.is_none_or(|product| product > all)))
        }
        Op::SignedMulOverflow => {
            Ok(checked(a.wrapping_mul(b), bits, fits(x.checked_mul(y)).is_none()))
        }
        Op::UnsignedCompare => one(sign(a.cmp(&b))),
        Op::SignedCompare => one(sign(x.cmp(&y))),
    }
}

fn checked(value: u128, bits: u32, overflowed: bool) -> Given {
    Given::Checked(masked(value, bits), overflowed)
}

fn sign(order: Ordering) -> u128 {
    match order {
        Ordering::Less => u128::MAX,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// An operation on one integer of a width.
pub(crate) fn unary(operation: IntegerUnary, bits: u32, a: u128) -> u128 {
    let value = match operation {
        IntegerUnary::Abs => signed(a, bits).unsigned_abs(),
        IntegerUnary::CountOnes => u128::from(a.count_ones()),
        IntegerUnary::LeadingZeros => u128::from(a.leading_zeros().saturating_sub(128 - bits)),
        IntegerUnary::TrailingZeros => u128::from(a.trailing_zeros().min(bits)),
        IntegerUnary::SwapBytes => a.swap_bytes() >> (128 - bits),
        IntegerUnary::ReverseBits => a.reverse_bits() >> (128 - bits),
    };
    masked(value, bits)
}

/// A comparison.
pub(crate) fn compare(predicate: IntegerPredicate, bits: u32, a: u128, b: u128) -> bool {
    let (x, y) = (signed(a, bits), signed(b, bits));
    match predicate {
        IntegerPredicate::Equal => a == b,
        IntegerPredicate::NotEqual => a != b,
        IntegerPredicate::UnsignedGreater => a > b,
        IntegerPredicate::UnsignedGreaterEqual => a >= b,
        IntegerPredicate::UnsignedLess => a < b,
        IntegerPredicate::UnsignedLessEqual => a <= b,
        IntegerPredicate::SignedGreater => x > y,
        IntegerPredicate::SignedGreaterEqual => x >= y,
        IntegerPredicate::SignedLess => x < y,
        IntegerPredicate::SignedLessEqual => x <= y,
    }
}

/// Two halves shifted together.
pub(crate) fn funnel(left: bool, bits: u32, upper: u128, lower: u128, by: u128) -> u128 {
    let by = (by % u128::from(bits)) as u32;
    let value = match (by, left) {
        (0, true) => upper,
        (0, false) => lower,
        (by, true) => upper << by | lower >> (bits - by),
        (by, false) => upper << (bits - by) | lower >> by,
    };
    masked(value, bits)
}

#[cfg(test)]
mod tests {
    use super::{Given, operate};
    use nanoscope_program::ir::IntegerOperation as Op;

    #[test]
    fn of_eight_bits() {
        let check = |operation: Op, a: u128, b: u128, expected: u128| {
            let given = match operate(operation, 8, a, b).expect("defined") {
                Given::One(value) => value,
                Given::Checked(value, overflowed) => value | u128::from(overflowed) << 8,
            };
            assert_eq!(given, expected, "{operation:?} {a} {b}");
        };
        check(Op::Add, 250, 10, 4);
        check(Op::SignedDiv, 0xf9, 2, 0xfd);
        check(Op::SignedRem, 0xf9, 2, 0xff);
        check(Op::ArithmeticShiftRight, 0x80, 3, 0xf0);
        check(Op::SaturatingSignedAdd, 0x7f, 1, 0x7f);
        check(Op::SaturatingSignedSub, 0x80, 1, 0x80);
        check(Op::SignedAddOverflow, 0x7f, 1, 0x180);
        check(Op::UnsignedSubOverflow, 1, 2, 0x1ff);
        check(Op::SignedCompare, 0xff, 0, 0xff);
        assert!(operate(Op::UnsignedDiv, 8, 1, 0).is_err());
    }
}
