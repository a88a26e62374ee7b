//! Operations on integers backward: the operands that may give a result of these.
//!
//! Each function gives a superset of such operands; what was known of them before is not
//! taken into account unless it is among the arguments.

use crate::integers::{self, Integers};
use nanoscope_program::ir::IntegerOperation;

/// What is left of an integer of which the lowest bits are among these residues: intervals
/// that each are shorter than a turn.
fn congruent(a: &Integers, bits: u32, residues: &[(i128, i128)]) -> Integers {
    let modulus = 1i128 << bits;
    let mut found = Vec::new();
    for (lo, hi) in a.pieces() {
        for &(least, greatest) in residues.iter().filter(|(least, greatest)| least <= greatest) {
            // The first turn with such a value and the last.
            let first = -(greatest - lo).div_euclid(modulus);
            let last = (hi - least).div_euclid(modulus);
            if first > last {
                continue;
            }
            let stretch = |from: i128, to: i128| {
                (lo.max(least + from * modulus), hi.min(greatest + to * modulus))
            };
            found.push(stretch(first, first));
            if last > first {
                found.push(stretch(first + 1, last));
            }
        }
    }
    Integers::united(a.bits, &mut found)
}

/// What is left of an integer that was cut to this.
pub fn of_truncated(a: &Integers, result: &Integers) -> Integers {
    congruent(a, result.bits, &result.pieces().collect::<Vec<_>>())
}

/// The integers of a width that extend to one of these.
pub fn of_extended(bits: u32, signed: bool, result: &Integers) -> Integers {
    if bits == 1 {
        return Integers::truth(result.contains(0), result.contains(if signed { -1 } else { 1 }));
    }
    let (least, greatest) = if signed { Integers::limits(bits) } else { (0, (1i128 << bits) - 1) };
    let within = result.pieces().map(|(lo, hi)| (lo.max(least), hi.min(greatest)));
    let wrapped = within.flat_map(|(lo, hi)| Integers::wrapped(bits, lo, hi).pieces());
    Integers::united(bits, &mut wrapped.collect::<Vec<_>>())
}

/// The operands of an operation on integers (of which this is known) that may give one of
/// these results.
pub fn of_integers(
    operation: IntegerOperation,
    a: &Integers,
    b: &Integers,
    result: &Integers,
) -> (Integers, Integers) {
    use IntegerOperation::*;
    let bits = result.bits;
    let computed = |operation, a: &Integers, b: &Integers| {
        integers::binary(operation, a, b).unwrap_or(Integers::everything(bits))
    };
    match operation {
        // Modulo the width these are exact: what wraps around is kept.
        Add => (computed(Sub, result, b), computed(Sub, result, a)),
        Sub => (computed(Add, result, b), computed(Sub, a, result)),
        Xor => (computed(Xor, result, b), computed(Xor, result, a)),
        And => (masked(a, b, result), masked(b, a, result)),
        Or => {
            let (_, most) = result.unsigned();
            let below = Integers::wrapped(bits, 0, most);
            (below, below)
        }
        Mul => (multiplied(a, b, result), multiplied(b, a, result)),
        ShiftLeft | LogicalShiftRight | ArithmeticShiftRight => {
            let distance = match b.single() {
                Some(distance) if (0..i128::from(bits)).contains(&distance) => distance as u32,
                Some(_) | None => return (*a, *b),
            };
            let shifted = match operation {
                ShiftLeft => shifted_left(a, distance, result),
                _ => shifted_right(distance, operation == ArithmeticShiftRight, result),
            };
            (shifted, *b)
        }
        UnsignedDiv
        | SignedDiv
        | UnsignedRem
        | SignedRem
        | UnsignedMin
        | UnsignedMax
        | SignedMin
        | SignedMax
        | SaturatingUnsignedAdd
        | SaturatingUnsignedSub
        | SaturatingSignedAdd
        | SaturatingSignedSub
        | SaturatingUnsignedShiftLeft
        | SaturatingSignedShiftLeft
        | UnsignedAddOverflow
        | SignedAddOverflow
        | UnsignedSubOverflow
        | SignedSubOverflow
        | UnsignedMulOverflow
        | SignedMulOverflow
        | UnsignedCompare
        | SignedCompare => (*a, *b),
    }
}

/// What is left of an integer that a mask of adjacent bits makes one of these.
fn masked(a: &Integers, mask: &Integers, result: &Integers) -> Integers {
    let Some(mask) = mask.single().filter(|mask| *mask != 0) else { return *a };
    let mask = mask & ((1 << a.bits) - 1);
    let low = mask.trailing_zeros();
    let high = 128 - mask.leading_zeros();
    if mask != (1 << high) - (1 << low) {
        return *a;
    }
    // The bits below the mask may be any.
    let rest = (1 << low) - 1;
    let residues = result.unsigned_pieces().map(|(lo, hi)| {
        let hi = hi.min(mask);
        ((lo + rest) & !rest, (hi & !rest) | rest)
    });
    congruent(a, high, &residues.collect::<Vec<_>>())
}

/// What is left of an integer that a power of two multiplies to one of these.
fn multiplied(a: &Integers, by: &Integers, result: &Integers) -> Integers {
    match by.single() {
        Some(by) if by > 0 && by.count_ones() == 1 => shifted_left(a, by.trailing_zeros(), result),
        Some(_) | None => *a,
    }
}

/// What is left of an integer that is one of these when shifted to the left.
fn shifted_left(a: &Integers, distance: u32, result: &Integers) -> Integers {
    let low = (1i128 << distance) - 1;
    let residues =
        result.unsigned_pieces().map(|(lo, hi)| ((lo + low) >> distance, hi >> distance));
    congruent(a, a.bits - distance, &residues.collect::<Vec<_>>())
}

/// The integers that are one of these when shifted to the right.
fn shifted_right(distance: u32, signed: bool, result: &Integers) -> Integers {
    let bits = result.bits;
    let (least, greatest) = if signed { Integers::limits(bits) } else { (0, (1i128 << bits) - 1) };
    let given: Vec<(i128, i128)> =
        if signed { result.pieces().collect() } else { result.unsigned_pieces().collect() };
    let wide = given
        .into_iter()
        .map(|(lo, hi)| ((lo << distance).max(least), (((hi + 1) << distance) - 1).min(greatest)));
    let wrapped = wide.flat_map(|(lo, hi)| Integers::wrapped(bits, lo, hi).pieces());
    Integers::united(bits, &mut wrapped.collect::<Vec<_>>())
}
