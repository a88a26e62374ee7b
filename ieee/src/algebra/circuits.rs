//! The default circuits of an algebra, from bits alone.

use super::{Algebra, bits_for};

pub(super) fn tree<A: Algebra + ?Sized>(
    algebra: &mut A,
    bits: &[&A::Bit],
    empty: bool,
    join: fn(&mut A, &A::Bit, &A::Bit) -> A::Bit,
) -> A::Bit {
    match bits {
        [] => algebra.bit(empty),
        [bit] => (*bit).clone(),
        _ => {
            let (low, high) = bits.split_at(bits.len() / 2);
            let low = tree(algebra, low, empty, join);
            let high = tree(algebra, high, empty, join);
            join(algebra, &low, &high)
        }
    }
}

pub(super) fn map<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
    mut each: impl FnMut(&mut A, &A::Bit) -> A::Bit,
) -> A::Word {
    let bits = algebra.bits_of(a);
    let bits: Vec<_> = bits.iter().map(|bit| each(algebra, bit)).collect();
    algebra.assemble(&bits)
}

pub(super) fn zip<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
    b: &A::Word,
    mut each: impl FnMut(&mut A, &A::Bit, &A::Bit) -> A::Bit,
) -> A::Word {
    assert_eq!(algebra.width(a), algebra.width(b), "words of one width");
    let (a, b) = (algebra.bits_of(a), algebra.bits_of(b));
    let bits: Vec<_> = a.iter().zip(&b).map(|(a, b)| each(algebra, a, b)).collect();
    algebra.assemble(&bits)
}

pub(super) fn ripple_add<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
    b: &A::Word,
    carry: &A::Bit,
) -> (A::Word, A::Bit) {
    let mut carry = carry.clone();
    let sum = zip(algebra, a, b, |algebra, a, b| {
        let half = algebra.xor(a, b);
        let sum = algebra.xor(&half, &carry);
        let (both, through) = (algebra.and(a, b), algebra.and(&half, &carry));
        carry = algebra.or(&both, &through);
        sum
    });
    (sum, carry)
}

pub(super) fn shift_and_add<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
    b: &A::Word,
) -> A::Word {
    // The accumulator's low bits are final as soon as they are passed: a row
    // is an adder of `a`'s width only.
    let width = algebra.width(a);
    let mut done = Vec::new();
    let mut high = algebra.number(width, 0);
    for bit in algebra.bits_of(b) {
        let row = map(algebra, a, |algebra, a| algebra.and(a, &bit));
        let zero = algebra.bit(false);
        let (sum, carry) = algebra.add_carry(&high, &row, &zero);
        let mut bits = algebra.bits_of(&sum);
        bits.push(carry);
        done.push(bits.remove(0));
        high = algebra.assemble(&bits);
    }
    let low = algebra.assemble(&done);
    algebra.concat(&high, &low)
}

/// `a - b` if that is no less than zero, else `a`; and whether it was.
fn reduce<A: Algebra + ?Sized>(algebra: &mut A, a: &A::Word, b: &A::Word) -> (A::Word, A::Bit) {
    let (difference, fits) = algebra.sub_compare(a, b);
    (algebra.mux_word(&fits, &difference, a), fits)
}

/// `2 * a + bit`, one bit wider.
fn doubled<A: Algebra + ?Sized>(algebra: &mut A, a: &A::Word, bit: &A::Bit) -> A::Word {
    let bit = algebra.word_of(bit);
    algebra.concat(a, &bit)
}

pub(super) fn restoring_division<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
    b: &A::Word,
) -> (A::Word, A::Word) {
    let width = algebra.width(b);
    let divisor = algebra.zero_extend(b, width + 1);
    let mut remainder = algebra.number(width, 0);
    let mut quotient = Vec::new();
    for bit in algebra.bits_of(a).iter().rev() {
        if algebra.spent() {
            quotient.push(bit.clone());
            continue;
        }
        let partial = doubled(algebra, &remainder, bit);
        let (partial, fits) = reduce(algebra, &partial, &divisor);
        remainder = algebra.extract(&partial, 0, width);
        quotient.push(fits);
    }
    quotient.reverse();
    (algebra.assemble(&quotient), remainder)
}

pub(super) fn restoring_ratio<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
    b: &A::Word,
    fraction: u32,
) -> (A::Word, A::Bit) {
    let width = algebra.width(b);
    let zero = algebra.bit(false);
    let wide_divisor = algebra.zero_extend(b, width + 1);
    let mut quotient = Vec::new();
    let (mut remainder, integer) = reduce(algebra, a, b);
    quotient.push(integer);
    for _ in 0..fraction {
        if algebra.spent() {
            quotient.push(zero.clone());
            continue;
        }
        let partial = doubled(algebra, &remainder, &zero);
        let (partial, fits) = reduce(algebra, &partial, &wide_divisor);
        remainder = algebra.extract(&partial, 0, width);
        quotient.push(fits);
    }
    quotient.reverse();
    (algebra.assemble(&quotient), algebra.any_set(&remainder))
}

pub(super) fn restoring_root<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
) -> (A::Word, A::Bit) {
    // Two bits of the radicand a step; the trial subtrahend is `4 * root + 1`,
    // and the remainder never exceeds `2 * root`.
    let steps = algebra.width(a).div_ceil(2);
    let radicand = algebra.zero_extend(a, 2 * steps);
    let mut root = algebra.number(0, 0);
    let mut remainder = algebra.number(0, 0);
    for step in 0..steps {
        if algebra.spent() {
            root = algebra.number(steps, 0);
            break;
        }
        let next = algebra.extract(&radicand, 2 * (steps - 1 - step), 2);
        let partial = algebra.concat(&remainder, &next);
        let one = algebra.number(2, 1);
        let trial = algebra.concat(&root, &one);
        let width = algebra.width(&partial).max(algebra.width(&trial));
        let partial = algebra.zero_extend(&partial, width);
        let trial = algebra.zero_extend(&trial, width);
        let (partial, fits) = reduce(algebra, &partial, &trial);
        remainder = algebra.extract(&partial, 0, (step + 2).min(width));
        root = doubled(algebra, &root, &fits);
    }
    (root, algebra.any_set(&remainder))
}

pub(super) fn shifted_remainder<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
    shift: &A::Word,
    limit: u64,
    b: &A::Word,
) -> (A::Word, A::Bit) {
    // Both circuits are rows of adders as wide as the divisor: a doubling is
    // one row, a modular product is two rows a bit.
    let width = algebra.width(b);
    let bits = bits_for(limit).min(algebra.width(shift));
    let direct = width.ilog2().min(bits);
    let power_rows = (bits - direct + 1) as u64 * 2 * (width + 1) as u64;
    if limit <= power_rows {
        stepwise_remainder(algebra, a, shift, limit, b)
    } else {
        let shift = algebra.extract(shift, 0, bits);
        power_remainder(algebra, a, &shift, direct, b)
    }
}

/// Doubles and reduces, once for every unit of the shift.
fn stepwise_remainder<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
    shift: &A::Word,
    limit: u64,
    b: &A::Word,
) -> (A::Word, A::Bit) {
    let width = algebra.width(b);
    let zero = algebra.bit(false);
    let wide_divisor = algebra.zero_extend(b, width + 1);
    let (mut remainder, mut odd) = (a.clone(), zero.clone());
    let shift_width = algebra.width(shift);
    for step in 0..limit {
        let step = algebra.number(shift_width, step as u128);
        let active = algebra.less(&step, shift);
        if algebra.known(&active) == Some(false) || algebra.spent() {
            break;
        }
        let partial = doubled(algebra, &remainder, &zero);
        let (partial, fits) = reduce(algebra, &partial, &wide_divisor);
        let partial = algebra.extract(&partial, 0, width);
        remainder = algebra.mux_word(&active, &partial, &remainder);
        odd = algebra.mux(&active, &fits, &odd);
    }
    (remainder, odd)
}

/// Squares and doubles its way to `2^shift`, modulo twice the divisor so that
/// the quotient's parity shows. The topmost `direct` bits of the shift give a
/// power that needs no reduction.
fn power_remainder<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
    shift: &A::Word,
    direct: u32,
    b: &A::Word,
) -> (A::Word, A::Bit) {
    let width = algebra.width(b) + 1;
    let zero = algebra.bit(false);
    let modulus = doubled(algebra, b, &zero);
    let wide_modulus = algebra.zero_extend(&modulus, width + 1);
    let rest = algebra.width(shift) - direct;
    let top = algebra.extract(shift, rest, direct);
    let one = algebra.number(width, 1);
    let mut power = algebra.shl(&one, &top);
    for index in (0..rest).rev() {
        if algebra.spent() {
            break;
        }
        power = modular_product(algebra, &power, &power, &wide_modulus);
        let twice = doubled(algebra, &power, &zero);
        let (twice, _) = reduce(algebra, &twice, &wide_modulus);
        let twice = algebra.extract(&twice, 0, width);
        let bit = algebra.bit_of(shift, index);
        power = algebra.mux_word(&bit, &twice, &power);
    }
    let a = algebra.zero_extend(a, width);
    let residue = modular_product(algebra, &a, &power, &wide_modulus);
    let divisor = algebra.zero_extend(b, width);
    let (remainder, odd) = reduce(algebra, &residue, &divisor);
    (algebra.extract(&remainder, 0, width - 1), odd)
}

/// The product of two residues, reduced; the modulus comes one bit wider. The
/// product's high half is below the modulus already.
fn modular_product<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
    b: &A::Word,
    wide_modulus: &A::Word,
) -> A::Word {
    let width = algebra.width(a);
    let product = algebra.mul(a, b);
    let mut remainder = algebra.extract(&product, width, width);
    for index in (0..width).rev() {
        if algebra.spent() {
            break;
        }
        let bit = algebra.bit_of(&product, index);
        let partial = doubled(algebra, &remainder, &bit);
        let (partial, _) = reduce(algebra, &partial, wide_modulus);
        remainder = algebra.extract(&partial, 0, width);
    }
    remainder
}

/// Splits a shift amount into the bits of the stages a word of this width
/// needs, and whether the amount exceeds what these can do.
fn stages<A: Algebra + ?Sized>(
    algebra: &mut A,
    width: u32,
    amount: &A::Word,
) -> (Vec<A::Bit>, A::Bit) {
    let mut bits = algebra.bits_of(amount);
    let needed = bits_for(width.saturating_sub(1) as u64) as usize;
    let beyond = bits.split_off(needed.min(bits.len()));
    let beyond = algebra.any(&beyond.iter().collect::<Vec<_>>());
    (bits, beyond)
}

pub(super) fn barrel_left<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
    amount: &A::Word,
) -> A::Word {
    let width = algebra.width(a);
    let (bits, beyond) = stages(algebra, width, amount);
    let mut shifted = a.clone();
    for (stage, bit) in bits.iter().enumerate() {
        let distance = 1u32 << stage;
        let kept = algebra.extract(&shifted, 0, width - distance);
        let moved = algebra.zero_extend_below(&kept, width);
        shifted = algebra.mux_word(bit, &moved, &shifted);
    }
    let nothing = algebra.number(width, 0);
    algebra.mux_word(&beyond, &nothing, &shifted)
}

pub(super) fn barrel_right<A: Algebra + ?Sized>(
    algebra: &mut A,
    a: &A::Word,
    amount: &A::Word,
    fill: &A::Bit,
) -> (A::Word, A::Bit) {
    let width = algebra.width(a);
    let (bits, beyond) = stages(algebra, width, amount);
    let mut shifted = a.clone();
    let mut sticky = algebra.bit(false);
    for (stage, bit) in bits.iter().enumerate() {
        let distance = 1u32 << stage;
        let lost = algebra.extract(&shifted, 0, distance);
        let lost = algebra.any_set(&lost);
        let lost = algebra.and(bit, &lost);
        sticky = algebra.or(&sticky, &lost);
        let kept = algebra.extract(&shifted, distance, width - distance);
        let filling = algebra.repeat(fill, distance);
        let moved = algebra.concat(&filling, &kept);
        shifted = algebra.mux_word(bit, &moved, &shifted);
    }
    let rest = algebra.any_set(&shifted);
    let rest = algebra.and(&beyond, &rest);
    sticky = algebra.or(&sticky, &rest);
    let nothing = algebra.repeat(fill, width);
    (algebra.mux_word(&beyond, &nothing, &shifted), sticky)
}

pub(super) fn normalise<A: Algebra + ?Sized>(algebra: &mut A, a: &A::Word) -> (A::Word, A::Word) {
    let width = algebra.width(a);
    let mut shifted = a.clone();
    let mut amount = Vec::new();
    for stage in (0..bits_for(width.saturating_sub(1) as u64)).rev() {
        let distance = 1u32 << stage;
        let top = algebra.extract(&shifted, width - distance, distance);
        let clear = algebra.is_zero(&top);
        let kept = algebra.extract(&shifted, 0, width - distance);
        let moved = algebra.zero_extend_below(&kept, width);
        shifted = algebra.mux_word(&clear, &moved, &shifted);
        amount.push(clear);
    }
    amount.reverse();
    (shifted, algebra.assemble(&amount))
}

pub(super) fn leading_zeros<A: Algebra + ?Sized>(algebra: &mut A, a: &A::Word) -> A::Word {
    // A set bit below the word bounds the count, so no subtree is empty of
    // bits that matter.
    let width = algebra.width(a);
    let padded = (width + 1).next_power_of_two();
    let stop = algebra.bit(true);
    let stop = algebra.repeat(&stop, padded - width);
    let padded = algebra.concat(a, &stop);
    let mut bits = algebra.bits_of(&padded);
    bits.reverse();
    let count = count_from(algebra, &bits).1;
    algebra.assemble(&count)
}

/// Of bits with the most significant first: whether all are clear, and the
/// number of those before the first set one, least significant bit first.
fn count_from<A: Algebra + ?Sized>(algebra: &mut A, bits: &[A::Bit]) -> (A::Bit, Vec<A::Bit>) {
    if let [bit] = bits {
        return (algebra.not(bit), Vec::new());
    }
    let (high, low) = bits.split_at(bits.len() / 2);
    let (high_clear, high_count) = count_from(algebra, high);
    let (low_clear, low_count) = count_from(algebra, low);
    let mut count: Vec<_> = high_count
        .iter()
        .zip(&low_count)
        .map(|(high, low)| algebra.mux(&high_clear, low, high))
        .collect();
    count.push(high_clear.clone());
    (algebra.and(&high_clear, &low_clear), count)
}
