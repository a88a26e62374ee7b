//! Functions of bit strings, by SMT-LIB's definitions over integers.

use crate::{BitsOp, Value};
use nanoscope_ieee::Word;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};

/// The value of a function on known strings.
pub(crate) fn apply(op: BitsOp, args: &[&Word]) -> Value {
    match narrow(op, args) {
        Some(value) => value,
        None => wide(op, args),
    }
}

fn signed(value: u64, width: u32) -> i64 {
    ((value << (64 - width)) as i64) >> (64 - width)
}

/// On machine words, where all strings have at most 64 bits.
fn narrow(op: BitsOp, args: &[&Word]) -> Option<Value> {
    let width = args[0].width();
    if args.iter().any(|word| word.width() > 64) {
        return None;
    }
    let a = args[0].low_u64();
    let b = args.get(1).map_or(0, |word| word.low_u64());
    let same = |value: u64| Value::bits(width, value as u128);
    let (sa, sb) = (signed(a, width), args.get(1).map_or(0, |word| signed(b, word.width())));
    Some(match op {
        BitsOp::Not => same(!a),
        BitsOp::Neg => same(a.wrapping_neg()),
        BitsOp::And => same(a & b),
        BitsOp::Or => same(a | b),
        BitsOp::Xor => same(a ^ b),
        BitsOp::Add => same(a.wrapping_add(b)),
        BitsOp::Sub => same(a.wrapping_sub(b)),
        BitsOp::Mul => same(a.wrapping_mul(b)),
        BitsOp::Udiv => same(a.checked_div(b).unwrap_or(u64::MAX)),
        BitsOp::Urem => same(a.checked_rem(b).unwrap_or(a)),
        BitsOp::Shl => same(if b < 64 { a << b } else { 0 }),
        BitsOp::Lshr => same(if b < 64 { a >> b } else { 0 }),
        BitsOp::Ashr => same((sa >> b.min(63)) as u64),
        BitsOp::Concat => {
            let low = args[1].width();
            Value::bits(width + low, (a as u128) << low | b as u128)
        }
        BitsOp::Extract { high, low } => Value::bits(high - low + 1, (a >> low) as u128),
        BitsOp::ZeroExtend(more) => Value::bits(width + more, a as u128),
        BitsOp::SignExtend(more) => {
            if width + more > 128 {
                return None;
            }
            Value::bits(width + more, sa as i128 as u128)
        }
        BitsOp::Ult => Value::Bool(a < b),
        BitsOp::Ule => Value::Bool(a <= b),
        BitsOp::Slt => Value::Bool(sa < sb),
        BitsOp::Sle => Value::Bool(sa <= sb),
    })
}

/// On big integers.
fn wide(op: BitsOp, args: &[&Word]) -> Value {
    let width = args[0].width();
    let a = args[0].to_big();
    let b = args.get(1).map_or_else(BigUint::zero, |word| word.to_big());
    let modulus = BigUint::one() << width;
    let same = |value: &BigUint| Value::Bits(Word::from_big(width, value));
    let integer = |word: &Word| {
        let value = BigInt::from(word.to_big());
        let top = word.bit(word.width() - 1);
        if top { value - (BigInt::one() << word.width()) } else { value }
    };
    let shift = b.to_u32().filter(|shift| *shift < width);
    let (sa, sb) = (integer(args[0]), args.get(1).map_or_else(BigInt::zero, |w| integer(w)));
    let wrapped = |value: BigInt, width: u32| {
        let modulus = BigInt::one() << width;
        let value = ((value % &modulus) + &modulus) % &modulus;
        Value::Bits(Word::from_big(width, value.magnitude()))
    };
    match op {
        BitsOp::Not => same(&(modulus - 1u32 - a)),
        BitsOp::Neg => same(&(modulus - a)),
        BitsOp::And => same(&(a & b)),
        BitsOp::Or => same(&(a | b)),
        BitsOp::Xor => same(&(a ^ b)),
        BitsOp::Add => same(&(a + b)),
        BitsOp::Sub => same(&(a + modulus - b)),
        BitsOp::Mul => same(&(a * b)),
        BitsOp::Udiv => same(&if b.is_zero() { modulus - 1u32 } else { a / b }),
        BitsOp::Urem => same(&if b.is_zero() { a } else { a % b }),
        BitsOp::Shl => same(&shift.map_or_else(BigUint::zero, |shift| a << shift)),
        BitsOp::Lshr => same(&shift.map_or_else(BigUint::zero, |shift| a >> shift)),
        BitsOp::Ashr => wrapped(sa >> shift.unwrap_or(width), width),
        BitsOp::Concat => {
            let low = args[1].width();
            Value::Bits(Word::from_big(width + low, &(a << low | b)))
        }
        BitsOp::Extract { high, low } => Value::Bits(Word::from_big(high - low + 1, &(a >> low))),
        BitsOp::ZeroExtend(more) => Value::Bits(Word::from_big(width + more, &a)),
        BitsOp::SignExtend(more) => wrapped(sa, width + more),
        BitsOp::Ult => Value::Bool(a < b),
        BitsOp::Ule => Value::Bool(a <= b),
        BitsOp::Slt => Value::Bool(sa < sb),
        BitsOp::Sle => Value::Bool(sa <= sb),
    }
}
