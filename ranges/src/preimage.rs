//! Operations backward: the operands that may give a result of these.
//!
//! Each function gives a superset of such operands; what was known of them before is not
//! taken into account unless it is among the arguments.

use crate::floats::{Floats, Span};
use crate::grid::{self, Ordinal};
use crate::integers::{self, Integers};
use crate::relation::{above, below};
use nanoscope_ieee::{Format, Operation, Rounding, operations};
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

/// The floats that may be cut or rounded to one of these integers, all of them in range.
pub fn of_rounded(format: Format, signed: bool, result: &Integers) -> Floats {
    let pieces: Vec<(i128, i128)> =
        if signed { result.pieces().collect() } else { result.unsigned_pieces().collect() };
    let mut floats = Floats::nothing(format);
    for (lo, hi) in pieces {
        let least = grid::of_integer(format, Rounding::Downward, lo - 1);
        let greatest = grid::of_integer(format, Rounding::Upward, hi + 1);
        floats = floats.join(&Floats::between(format, least, greatest).with_both_zeros());
    }
    floats
}

/// The integers that may round to a float of these.
pub fn of_integer(result: &Floats) -> Option<(i128, i128)> {
    let (lo, hi) = result.finite_part().bounds()?;
    if result.has_infinity() {
        return None;
    }
    let infinity = grid::infinity(result.format);
    let (lo, hi) = (below(lo).max(!infinity + 1), above(hi).min(infinity - 1));
    let least = grid::to_integer(result.format, Rounding::Downward, lo)?;
    let greatest = grid::to_integer(result.format, Rounding::Upward, hi)?;
    Some((least, greatest))
}

/// The floats of a format that may convert to one of these.
pub fn of_converted(from: Format, result: &Floats) -> Floats {
    let everything = Floats { nan: result.nan, ..Floats::everything(from) };
    let Some((lo, hi)) = result.bounds() else { return everything };
    let infinity = grid::infinity(result.format);
    let mut lo_at = !grid::infinity(from);
    let mut hi_at = grid::infinity(from);
    if lo > !infinity {
        lo_at = grid::converted(result.format, from, Rounding::Downward, below(lo));
    }
    if hi < infinity {
        hi_at = grid::converted(result.format, from, Rounding::Upward, above(hi));
    }
    let numbers = Floats::between(from, lo_at, hi_at);
    let mut numbers = Floats { nan: result.nan, ..numbers };
    if result.positive.is_empty() && !result.plus_zero {
        numbers.positive = Span::EMPTY;
        numbers.plus_zero = false;
    }
    if result.negative.is_empty() && !result.minus_zero {
        numbers.negative = Span::EMPTY;
        numbers.minus_zero = false;
    }
    numbers
}

/// The operands of a unary operation that may give one of these results.
pub fn of_unary(operation: Operation, result: &Floats) -> Floats {
    let everything = Floats::everything(result.format);
    match operation {
        Operation::Neg => result.negated(),
        Operation::Abs => result.join(&result.negated()),
        Operation::Sqrt => {
            if result.nan {
                return everything;
            }
            let mut operand =
                Floats { plus_zero: result.plus_zero, ..Floats::nothing(result.format) };
            operand.minus_zero = result.minus_zero;
            if !result.positive.is_empty() {
                let lo = outward(
                    result.format,
                    Operation::Mul,
                    result.positive.lo - 1,
                    result.positive.lo - 1,
                )
                .0;
                let hi = if result.has_plus_infinity() {
                    grid::infinity(result.format)
                } else {
                    outward(
                        result.format,
                        Operation::Mul,
                        result.positive.hi + 1,
                        result.positive.hi + 1,
                    )
                    .1
                };
                operand.positive = Span::new(lo.max(1), hi);
            }
            operand
        }
        // Any other operation tells nothing of its operand.
        _ => everything,
    }
}

/// The operands of a binary operation that may give one of these results.
pub fn of_binary(
    operation: Operation,
    x: &Floats,
    y: &Floats,
    result: &Floats,
    same: bool,
) -> (Floats, Floats) {
    let known = matches!(operation, operations!(Rational));
    if known && !same && !result.nan && result.has_infinity() {
        return of_infinite(operation, x, y, result);
    }
    if !known || result.nan || result.has_infinity() {
        let nan = !known || result.nan;
        let any = Floats { nan, ..Floats::everything(x.format) };
        return (any, any);
    }
    // A finite result: sums and products have finite operands.
    let format = x.format;
    let finite = Floats::finite(format);
    let numbers = Floats::everything(format).numbers();
    let (Some((lo, hi)), Some((xl, xh)), Some((yl, yh))) =
        (result.bounds(), x.finite_part().bounds(), y.finite_part().bounds())
    else {
        return (numbers, numbers);
    };
    // What rounds to a result lies strictly between its neighbours.
    let (lo, hi) = (below(lo), above(hi));
    let low = |operation, a, b| outward(format, operation, a, b).0;
    let high = |operation, a, b| outward(format, operation, a, b).1;
    match operation {
        Operation::Add if !same => (
            Floats::between(format, low(Operation::Add, lo, !yh), high(Operation::Add, hi, !yl))
                .with_both_zeros()
                .meet(&finite),
            Floats::between(format, low(Operation::Add, lo, !xh), high(Operation::Add, hi, !xl))
                .with_both_zeros()
                .meet(&finite),
        ),
        Operation::Sub if !same => (
            Floats::between(format, low(Operation::Add, lo, yl), high(Operation::Add, hi, yh))
                .with_both_zeros()
                .meet(&finite),
            Floats::between(format, low(Operation::Add, xl, !hi), high(Operation::Add, xh, !lo))
                .with_both_zeros()
                .meet(&finite),
        ),
        Operation::Mul if same => {
            let most =
                result.positive.join(if result.has_zero() { Span::new(1, 1) } else { Span::EMPTY });
            if most.is_empty() {
                return (finite, finite);
            }
            let root = |at: Ordinal| {
                grid::rounded(format, Operation::Sqrt, Rounding::NearestEven, &[at]).unwrap_or(0)
            };
            let top = root((most.hi + 1).min(grid::infinity(format) - 1)) + 1;
            let bottom = if result.has_zero() { 0 } else { (root(most.lo - 1) - 1).max(0) };
            let span = Span::new(bottom.max(1), top);
            let zero = result.has_zero();
            let both = Floats {
                positive: span,
                negative: span,
                plus_zero: zero,
                minus_zero: zero,
                ..Floats::nothing(format)
            };
            (both.meet(&finite), both.meet(&finite))
        }
        Operation::Mul => (
            quotient(format, (lo, hi), (yl, yh)).meet(&finite),
            quotient(format, (lo, hi), (xl, xh)).meet(&finite),
        ),
        Operation::Div if !same => {
            // Only a finite divisor bounds the dividend.
            if y.has_infinity() {
                return (numbers, numbers);
            }
            let ends = [(lo, yl), (lo, yh), (hi, yl), (hi, yh)];
            let products = ends.map(|(a, b)| outward(format, Operation::Mul, a, b));
            let least = products.iter().map(|p| p.0).min().expect("four");
            let greatest = products.iter().map(|p| p.1).max().expect("four");
            let dividend = Floats::between(format, least, greatest).with_both_zeros();
            // Where neither is infinite and the quotient not zero, the divisor is the dividend
            // by the quotient.
            let divisor = match x.has_infinity() {
                true => numbers,
                false => quotient(format, (xl, xh), (lo, hi)),
            };
            (dividend.meet(&finite), divisor)
        }
        // Any other operation tells nothing of its operands.
        _ => (numbers, numbers),
    }
}

/// The operands of a sum that may be one of these, infinite ones among them. What is infinite
/// bounds nothing from its side.
fn of_infinite(operation: Operation, x: &Floats, y: &Floats, result: &Floats) -> (Floats, Floats) {
    let format = x.format;
    let numbers = Floats::everything(format).numbers();
    let infinity = grid::infinity(format);
    let Some((lo, hi)) = result.bounds() else { return (numbers, numbers) };
    // Of finite numbers `from` to `to`, those that are not less than, and not greater than, the
    // result without them.
    let without = |ends: Option<(Ordinal, Ordinal)>, negated: bool| {
        let Some((from, to)) = ends else { return numbers };
        let (least, greatest) = if negated { (!hi, !lo) } else { (lo, hi) };
        let least = match least == !infinity {
            true => !infinity,
            false => outward(format, Operation::Add, below(least), !to).0,
        };
        let greatest = match greatest == infinity {
            true => infinity,
            false => outward(format, Operation::Add, above(greatest), !from).1,
        };
        Floats::between(format, least, greatest).with_both_zeros()
    };
    let finite = |floats: &Floats| floats.bounds().filter(|_| !floats.has_infinity());
    match operation {
        Operation::Add => (without(finite(y), false), without(finite(x), false)),
        Operation::Sub => {
            (without(finite(&y.negated()), false), without(finite(&x.negated()), true))
        }
        // Any other operation is no sum.
        _ => (numbers, numbers),
    }
}

/// The numbers whose product with one between `y`'s ends lies between these.
fn quotient(format: Format, (lo, hi): (Ordinal, Ordinal), (yl, yh): (Ordinal, Ordinal)) -> Floats {
    if yl <= 0 && yh >= -1 {
        return Floats::finite(format);
    }
    let ends = [(lo, yl), (lo, yh), (hi, yl), (hi, yh)];
    let quotients = ends.map(|(a, b)| outward(format, Operation::Div, a, b));
    let least = quotients.iter().map(|q| q.0).min().expect("four");
    let greatest = quotients.iter().map(|q| q.1).max().expect("four");
    Floats::between(format, least, greatest).with_both_zeros()
}

/// The exact result of an operation lies between these two.
fn outward(format: Format, operation: Operation, a: Ordinal, b: Ordinal) -> (Ordinal, Ordinal) {
    let infinity = grid::infinity(format);
    let clamp = |at: Ordinal| at.clamp(!infinity, infinity);
    match grid::rounded(format, operation, Rounding::NearestEven, &[clamp(a), clamp(b)]) {
        Some(value) => (below(value).max(!infinity), above(value).min(infinity)),
        None => (!infinity, infinity),
    }
}
