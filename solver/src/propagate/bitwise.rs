//! Projections of the functions of bit strings: exact on known bits where the
//! function moves bits, on intervals where it computes without wrapping; what
//! is cheap elsewhere.

use nanoscope_sets::{BitsBox, mask};
use nanoscope_term::{BitsOp, bits_ops};

/// What `z = op(arguments)` leaves of the boxes; `None` for a contradiction.
/// The comparisons are not among these functions: their results are truths.
pub fn project(op: BitsOp, arguments: &mut [BitsBox], z: &mut BitsBox) -> Option<()> {
    match (op, &mut *arguments) {
        (BitsOp::Not, [x]) => {
            *z = z.meet(complement(*x));
            *x = x.meet(complement(*z));
        }
        (BitsOp::And, [x, y]) => conjunction(x, y, z),
        (BitsOp::Or, [x, y]) => {
            // De Morgan: the complements' conjunction.
            let mut mirrored = [complement(*x), complement(*y), complement(*z)];
            let [a, b, c] = &mut mirrored;
            conjunction(a, b, c);
            [*x, *y, *z] = mirrored.map(complement);
        }
        (BitsOp::Xor, [x, y]) => {
            *z = exclusive(*z, *x, *y);
            *x = exclusive(*x, *z, *y);
            *y = exclusive(*y, *z, *x);
        }
        (BitsOp::Add, [x, y]) => sum(x, y, z),
        // z = x - y is x = z + y.
        (BitsOp::Sub, [x, y]) => sum(z, y, x),
        // z = -x is 0 = z + x.
        (BitsOp::Neg, [x]) => sum(z, x, &mut BitsBox::point(x.width, 0)),
        (BitsOp::Mul, [x, y]) => product(x, y, z),
        (BitsOp::Udiv, [x, y]) => {
            if let Some(most) = x.hi.checked_div(y.lo) {
                *z = z.within(x.lo / y.hi, most);
            }
        }
        (BitsOp::Urem, [x, y]) => remainder(x, y, z),
        (BitsOp::Shl, [x, y]) => {
            shift(x, y, z, |value, amount, width| (value << amount & mask(width), mask(amount)))
        }
        (BitsOp::Lshr, [x, y]) => {
            if let Some(amount) = y.known().filter(|amount| *amount < x.width as u128) {
                *z = z.within(x.lo >> amount, x.hi >> amount);
                let low = mask(amount as u32);
                *x = x.within(z.lo << amount, (z.hi << amount) | low);
            }
            shift_right(x, y, z);
        }
        (BitsOp::Ashr, [x, y]) => {
            let top = 1u128 << (x.width - 1);
            if x.zeros & top != 0 {
                shift_right(x, y, z);
            }
        }
        (BitsOp::Concat, [x, y]) => concatenation(x, y, z),
        (BitsOp::Extract { high, low }, [x]) => extraction(high, low, x, z),
        (BitsOp::ZeroExtend(_), [x]) => {
            *z = z.within(x.lo, x.hi).with_bits(x.zeros | mask(z.width) & !mask(x.width), x.ones);
            *x = x.within(z.lo, z.hi).with_bits(z.zeros & mask(x.width), z.ones & mask(x.width));
        }
        (BitsOp::SignExtend(_), [x]) => sign_extension(x, z),
        (bits_ops!(Compare), _) => {
            unreachable!("{} gives a truth value", op.name())
        }
        (bits_ops!(Logic, Arithmetic, Shift, Slice), given) => {
            unreachable!("{} of {} arguments", op.name(), given.len())
        }
    }
    let left = !z.is_empty() && arguments.iter().all(|argument| !argument.is_empty());
    left.then_some(())
}

fn complement(x: BitsBox) -> BitsBox {
    if x.is_empty() {
        return x;
    }
    let all = mask(x.width);
    BitsBox { width: x.width, lo: all - x.hi, hi: all - x.lo, zeros: x.ones, ones: x.zeros }
}

fn conjunction(x: &mut BitsBox, y: &mut BitsBox, z: &mut BitsBox) {
    *z = z.with_bits(x.zeros | y.zeros, x.ones & y.ones).within(0, x.hi.min(y.hi));
    let operand = |this: BitsBox, other: BitsBox| {
        this.with_bits(z.zeros & other.ones, z.ones).within(z.lo, u128::MAX)
    };
    *x = operand(*x, *y);
    *y = operand(*y, *x);
}

/// `this` with the bits of `a ^ b`.
fn exclusive(this: BitsBox, a: BitsBox, b: BitsBox) -> BitsBox {
    this.with_bits(a.zeros & b.zeros | a.ones & b.ones, a.zeros & b.ones | a.ones & b.zeros)
}

/// `z = x + y`, wrapping.
fn sum(x: &mut BitsBox, y: &mut BitsBox, z: &mut BitsBox) {
    let width = z.width;
    let all = mask(width);
    // The low bits that two of them know, they know of the third.
    let known = |bits: &BitsBox| (bits.zeros | bits.ones).trailing_ones();
    let low = |a: &BitsBox, b: &BitsBox| mask(known(a).min(known(b)).min(width));
    let told = |this: BitsBox, low: u128, value: u128| this.with_bits(!value & low, value & low);
    *z = told(*z, low(x, y), x.ones.wrapping_add(y.ones));
    *x = told(*x, low(z, y), z.ones.wrapping_sub(y.ones));
    *y = told(*y, low(z, x), z.ones.wrapping_sub(x.ones));
    if width == 128 {
        return;
    }
    *x = difference(*x, *z, *y);
    *y = difference(*y, *z, *x);
    if x.is_empty() || y.is_empty() {
        return;
    }
    let (least, most) = (x.lo + y.lo, x.hi + y.hi);
    if most <= all {
        *z = z.within(least, most);
    } else if least > all {
        *z = z.within(least - (all + 1), most - (all + 1));
    }
}

/// `this = a - b`, wrapping; the bounds of all differences that wrap alike.
fn difference(this: BitsBox, a: BitsBox, b: BitsBox) -> BitsBox {
    if a.is_empty() || b.is_empty() {
        return this;
    }
    if a.lo >= b.hi {
        this.within(a.lo - b.hi, a.hi - b.lo)
    } else if a.hi < b.lo {
        let modulus = mask(this.width) + 1;
        this.within(modulus - (b.hi - a.lo), modulus - (b.lo - a.hi))
    } else {
        this
    }
}

/// `z = x * y`; bounds where nothing wraps, and the low zeros.
fn product(x: &mut BitsBox, y: &mut BitsBox, z: &mut BitsBox) {
    if let Some(most) = x.hi.checked_mul(y.hi).filter(|most| *most <= mask(z.width)) {
        *z = z.within(x.lo * y.lo, most);
        *x = x.within(z.lo.div_ceil(y.hi.max(1)), z.hi.checked_div(y.lo).unwrap_or(u128::MAX));
        *y = y.within(z.lo.div_ceil(x.hi.max(1)), z.hi.checked_div(x.lo).unwrap_or(u128::MAX));
    }
    let zeros = x.zeros.trailing_ones().saturating_add(y.zeros.trailing_ones());
    *z = z.with_bits(mask(zeros.min(z.width)), 0);
}

/// `z = x % y`, `x` for a zero `y`.
fn remainder(x: &mut BitsBox, y: &BitsBox, z: &mut BitsBox) {
    *z = z.within(0, x.hi);
    if y.lo > 0 {
        *z = z.within(0, y.hi - 1);
    }
    if x.hi < y.lo {
        let own = x.meet(*z);
        (*x, *z) = (own, own);
    }
}

/// `z` is `x` above `y`.
fn concatenation(x: &mut BitsBox, y: &mut BitsBox, z: &mut BitsBox) {
    let low = y.width;
    *z = z
        .within(x.lo << low | y.lo, x.hi << low | y.hi)
        .with_bits(x.zeros << low | y.zeros, x.ones << low | y.ones);
    *x = x.within(z.lo >> low, z.hi >> low).with_bits(z.zeros >> low, z.ones >> low);
    *y = y.with_bits(z.zeros & mask(low), z.ones & mask(low));
    if x.known().is_some() {
        *y = y.within(z.lo & mask(low), z.hi & mask(low));
    }
}

/// `z` is the bits of `x` from `low` to `high`.
fn extraction(high: u32, low: u32, x: &mut BitsBox, z: &mut BitsBox) {
    let part = mask(high - low + 1);
    *z = z.with_bits(x.zeros >> low & part, x.ones >> low & part);
    *x = x.with_bits((z.zeros & part) << low, z.ones << low);
    // Where nothing is cut above, the value below the cut is monotone.
    if x.hi >> low <= part {
        *z = z.within(x.lo >> low, x.hi >> low);
        *x = x.within(z.lo << low, z.hi << low | mask(low));
    }
}

/// `z` is `x` with copies of its sign above.
fn sign_extension(x: &mut BitsBox, z: &mut BitsBox) {
    let all = mask(x.width);
    let top = 1u128 << (x.width - 1);
    let above = mask(z.width) & !all;
    let copies = above | top;
    // One known copy of the sign tells all of them.
    if z.zeros & copies != 0 || x.zeros & top != 0 {
        *z = z.with_bits(copies, 0).within(x.lo, x.hi);
    }
    if z.ones & copies != 0 || x.ones & top != 0 {
        *z = z.with_bits(0, copies).within(x.lo | above, x.hi | above);
    }
    *z = z.with_bits(x.zeros & (all & !top), x.ones & (all & !top));
    *x = x.with_bits(z.zeros & all, z.ones & all);
    if z.zeros & top != 0 || z.ones & top != 0 {
        *x = x.within(z.lo & all, z.hi & all);
    }
}

/// A shift to the right that lets zeros in.
fn shift_right(x: &mut BitsBox, y: &BitsBox, z: &mut BitsBox) {
    shift(x, y, z, |value, amount, width| (value >> amount, mask(width) & !mask(width - amount)));
}

/// A shift by a known amount: `moved` gives the bits moved, and the bits that
/// come in clear.
fn shift(
    x: &mut BitsBox,
    y: &BitsBox,
    z: &mut BitsBox,
    moved: impl Fn(u128, u32, u32) -> (u128, u128),
) {
    let width = x.width;
    let Some(amount) = y.known() else { return };
    if amount >= width as u128 {
        *z = z.within(0, 0);
        return;
    }
    let amount = amount as u32;
    let (zeros, clear) = moved(x.zeros, amount, width);
    let (ones, _) = moved(x.ones, amount, width);
    *z = z.with_bits(zeros | clear, ones);
    // Which bit of x each bit of z came from: shift every position's own bit.
    for bit in 0..width {
        let (to, _) = moved(1 << bit, amount, width);
        if to != 0 {
            let zeros = if z.zeros & to != 0 { 1 << bit } else { 0 };
            let ones = if z.ones & to != 0 { 1 << bit } else { 0 };
            *x = x.with_bits(zeros, ones);
        }
    }
}
