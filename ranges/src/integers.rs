//! Operations on sets of integers, forward and backward. Wrapping is followed, never assumed
//! away.

use nanoscope_program::ir::{IntegerOperation, IntegerPredicate, IntegerUnary};
pub use nanoscope_sets::Integers;

/// An operation on two integers; `None` where it gives a structure. A division by zero and
/// a shift too far have no result of their own: what is left is the other cases, or anything.
pub fn binary(operation: IntegerOperation, a: &Integers, b: &Integers) -> Option<Integers> {
    use IntegerOperation::*;
    let bits = a.bits;
    if a.is_empty() || b.is_empty() {
        return Some(Integers::nothing(bits));
    }
    // Where the sign is but the highest bit, the two signs are looked at one by one.
    let apart = matches!(
        operation,
        UnsignedDiv
            | UnsignedRem
            | LogicalShiftRight
            | And
            | Or
            | Xor
            | UnsignedMin
            | UnsignedMax
            | SaturatingUnsignedAdd
            | SaturatingUnsignedSub
    );
    let whole = |x: &Integers| x.is_interval() && !(apart && x.lo() < 0 && x.hi() >= 0);
    if bits == 1 || (whole(a) && whole(b)) {
        return interval(operation, a, b);
    }
    let parts = |x: &Integers| -> Vec<Integers> {
        let split = |(lo, hi): (i128, i128)| {
            let at_zero = apart && lo < 0 && hi >= 0;
            let first = Integers::between(bits, lo, if at_zero { -1 } else { hi });
            [Some(first), at_zero.then(|| Integers::between(bits, 0, hi))].into_iter().flatten()
        };
        x.pieces().flat_map(split).collect()
    };
    let (left, right) = (parts(a), parts(b));
    let mut found = Vec::with_capacity(2 * left.len() * right.len());
    for x in &left {
        for y in &right {
            found.extend(interval(operation, x, y)?.pieces());
        }
    }
    Some(Integers::united(bits, &mut found))
}

/// An operation on two integers without gaps.
fn interval(operation: IntegerOperation, a: &Integers, b: &Integers) -> Option<Integers> {
    use IntegerOperation::*;
    let bits = a.bits;
    let everything = Integers::everything(bits);
    let ((al, ah), (bl, bh)) = (a.signed(), b.signed());
    let ((ual, uah), (ubl, ubh)) = (a.unsigned(), b.unsigned());
    let wrapped = |lo, hi| Integers::wrapped(bits, lo, hi);
    let corners = |f: &dyn Fn(i128, i128) -> i128, xs: [i128; 2], ys: [i128; 2]| {
        let all = xs.map(|x| ys.map(|y| f(x, y)));
        let all = [all[0][0], all[0][1], all[1][0], all[1][1]];
        wrapped(*all.iter().min().expect("four"), *all.iter().max().expect("four"))
    };
    let (least, greatest) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let most = (1i128 << bits) - 1;
    Some(match operation {
        Add => wrapped(al + bl, ah + bh),
        Sub => wrapped(al - bh, ah - bl),
        Mul => corners(&|x, y| x * y, [al, ah], [bl, bh]),
        UnsignedDiv if ubl > 0 => wrapped(ual / ubh, uah / ubl),
        SignedDiv if bl > 0 || bh < 0 => corners(&|x, y| x / y, [al, ah], [bl, bh]),
        UnsignedRem if ubl > 0 && uah < ubl => wrapped(ual, uah),
        UnsignedRem if ubl > 0 && ubl == ubh && ual / ubl == uah / ubl => {
            wrapped(ual % ubl, uah % ubl)
        }
        UnsignedRem if ubl > 0 => wrapped(0, uah.min(ubh - 1)),
        SignedRem if bl > 0 || bh < 0 => {
            let size = bl.abs().max(bh.abs()) - 1;
            if al >= 0 {
                wrapped(0, ah.min(size))
            } else {
                wrapped((-size).max(al), if ah <= 0 { 0 } else { ah.min(size) })
            }
        }
        ShiftLeft if ubh < i128::from(bits) => corners(&|x, y| x << y, [al, ah], [ubl, ubh]),
        LogicalShiftRight if ubh < i128::from(bits) => wrapped(ual >> ubh, uah >> ubl),
        ArithmeticShiftRight if ubh < i128::from(bits) => {
            corners(&|x, y| x >> y, [al, ah], [ubl, ubh])
        }
        And if bits == 1 => {
            Integers::truth(a.may_be(false) || b.may_be(false), a.may_be(true) && b.may_be(true))
        }
        Or if bits == 1 => {
            Integers::truth(a.may_be(false) && b.may_be(false), a.may_be(true) || b.may_be(true))
        }
        Xor if bits == 1 => Integers::truth(
            (a.may_be(false) && b.may_be(false)) || (a.may_be(true) && b.may_be(true)),
            (a.may_be(false) && b.may_be(true)) || (a.may_be(true) && b.may_be(false)),
        ),
        And | Or | Xor => {
            let both = |of: fn(bool, bool) -> bool| {
                let at = |greatest| bitwise(of, greatest, (ual, uah), (ubl, ubh));
                wrapped(at(false), at(true))
            };
            match operation {
                And => both(|x, y| x && y),
                Or => both(|x, y| x || y),
                _ => both(|x, y| x != y),
            }
        }
        UnsignedMin => wrapped(ual.min(ubl), uah.min(ubh)),
        UnsignedMax => wrapped(ual.max(ubl), uah.max(ubh)),
        SignedMin => wrapped(al.min(bl), ah.min(bh)),
        SignedMax => wrapped(al.max(bl), ah.max(bh)),
        SaturatingUnsignedAdd => wrapped((ual + ubl).min(most), (uah + ubh).min(most)),
        SaturatingUnsignedSub => wrapped((ual - ubh).max(0), (uah - ubl).max(0)),
        SaturatingSignedAdd => {
            wrapped((al + bl).clamp(least, greatest), (ah + bh).clamp(least, greatest))
        }
        SaturatingSignedSub => {
            wrapped((al - bh).clamp(least, greatest), (ah - bl).clamp(least, greatest))
        }
        UnsignedDiv
        | SignedDiv
        | UnsignedRem
        | SignedRem
        | ShiftLeft
        | LogicalShiftRight
        | ArithmeticShiftRight
        | SaturatingUnsignedShiftLeft
        | SaturatingSignedShiftLeft => everything,
        UnsignedAddOverflow | SignedAddOverflow | UnsignedSubOverflow | SignedSubOverflow
        | UnsignedMulOverflow | SignedMulOverflow | UnsignedCompare | SignedCompare => return None,
    })
}

/// The greatest (or least) result of an operation bit by bit on two naturals within bounds.
///
/// From the highest bit down, a result's bit is taken as it is wanted wherever some operands
/// allow it. What matters of the operands' higher bits is only which of their bounds they
/// still lie on, so that sixteen cases stand for all of them.
fn bitwise(
    of: fn(bool, bool) -> bool,
    greatest: bool,
    (al, ah): (i128, i128),
    (bl, bh): (i128, i128),
) -> i128 {
    const ON_ALL: usize = 15;
    let mut cases = 1u16 << ON_ALL;
    let mut result = 0;
    let top = 128 - (ah | bh).leading_zeros();
    for bit in (0..top).rev() {
        let [al, ah, bl, bh] = [al, ah, bl, bh].map(|end| end >> bit & 1 == 1);
        let (mut wanted, mut other) = (0u16, 0u16);
        let mut left = cases;
        while left != 0 {
            let case = left.trailing_zeros() as usize;
            left &= left - 1;
            for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut next = 0;
                let mut possible = true;
                for (on, value, end, is_low) in
                    [(0, x, al, true), (1, x, ah, false), (2, y, bl, true), (3, y, bh, false)]
                {
                    if case >> on & 1 == 1 {
                        possible &= value == end || value == is_low;
                        next |= usize::from(value == end) << on;
                    }
                }
                if possible {
                    let set = if of(x, y) == greatest { &mut wanted } else { &mut other };
                    *set |= 1 << next;
                }
            }
        }
        let found = if wanted != 0 { greatest } else { !greatest };
        cases = if wanted != 0 { wanted } else { other };
        result |= i128::from(found) << bit;
    }
    result
}

/// The lowest bits of integers, as one of a lesser width.
pub fn truncated(a: &Integers, bits: u32) -> Integers {
    let mut pieces: Vec<(i128, i128)> =
        a.pieces().flat_map(|(lo, hi)| Integers::wrapped(bits, lo, hi).pieces()).collect();
    Integers::united(bits, &mut pieces)
}

/// Integers as ones of a greater width.
pub fn extended(a: &Integers, bits: u32, signed: bool) -> Integers {
    if a.bits == 1 {
        let (lo, hi) = if signed { a.signed() } else { a.unsigned() };
        return if a.is_empty() {
            Integers::nothing(bits)
        } else {
            Integers::wrapped(bits, lo, hi)
        };
    }
    if signed {
        return a.widened(bits);
    }
    let mut pieces: Vec<(i128, i128)> = a.unsigned_pieces().collect();
    Integers::united(bits, &mut pieces)
}

/// The parts of an operation that tells whether it overflowed: the wrapped result and that.
pub fn overflowing(
    operation: IntegerOperation,
    a: &Integers,
    b: &Integers,
) -> Option<(Integers, Integers)> {
    use IntegerOperation::*;
    let (plain, is_signed) = match operation {
        UnsignedAddOverflow => (Add, false),
        SignedAddOverflow => (Add, true),
        UnsignedSubOverflow => (Sub, false),
        SignedSubOverflow => (Sub, true),
        UnsignedMulOverflow => (Mul, false),
        SignedMulOverflow => (Mul, true),
        // The others give one integer.
        _ => return None,
    };
    let result = binary(plain, a, b)?;
    let ((al, ah), (bl, bh)) =
        if is_signed { (a.signed(), b.signed()) } else { (a.unsigned(), b.unsigned()) };
    let ends = match plain {
        Add => [al + bl, ah + bh],
        Sub => [al - bh, ah - bl],
        _ => {
            let all = [
                al.saturating_mul(bl),
                al.saturating_mul(bh),
                ah.saturating_mul(bl),
                ah.saturating_mul(bh),
            ];
            [*all.iter().min().expect("four"), *all.iter().max().expect("four")]
        }
    };
    let (least, greatest) = if is_signed {
        (-(1i128 << (a.bits - 1)), (1i128 << (a.bits - 1)) - 1)
    } else {
        (0, (1i128 << a.bits) - 1)
    };
    let fits = ends[0] >= least && ends[1] <= greatest;
    let never_fits = ends[1] < least || ends[0] > greatest;
    Some((result, Integers::truth(!never_fits, !fits)))
}

/// Whether a sum, a difference or a product may not fit its type, signed or not.
pub fn may_overflow(operation: IntegerOperation, signed: bool, a: &Integers, b: &Integers) -> bool {
    use IntegerOperation::*;
    let telling = match (operation, signed) {
        (Add, true) => SignedAddOverflow,
        (Add, false) => UnsignedAddOverflow,
        (Sub, true) => SignedSubOverflow,
        (Sub, false) => UnsignedSubOverflow,
        (Mul, true) => SignedMulOverflow,
        (Mul, false) => UnsignedMulOverflow,
        // Nobody asks it of the others.
        _ => return false,
    };
    overflowing(telling, a, b).is_none_or(|(_, overflowed)| overflowed.may_be(true))
}

/// An operation on one integer.
pub fn unary(operation: IntegerUnary, a: &Integers) -> Integers {
    let bits = a.bits;
    if a.is_empty() {
        return *a;
    }
    match operation {
        IntegerUnary::Abs => {
            let (lo, hi) = a.signed();
            if lo >= 0 {
                *a
            } else if lo == Integers::limits(bits).0 {
                // C leaves it open, and compilers take it for granted that there is no such
                // value: what they make of it has now one sign and now the other.
                Integers::everything(bits)
            } else if hi <= 0 {
                Integers::wrapped(bits, -hi, -lo)
            } else {
                Integers::wrapped(bits, 0, hi.max(-lo))
            }
        }
        IntegerUnary::LeadingZeros => {
            let (lo, hi) = a.unsigned();
            let unused = 128 - bits;
            let zeros = |value: i128| i128::from(value.leading_zeros() - unused);
            Integers::wrapped(bits, zeros(hi), zeros(lo))
        }
        IntegerUnary::CountOnes | IntegerUnary::TrailingZeros => {
            Integers::wrapped(bits, 0, bits.into())
        }
        IntegerUnary::SwapBytes | IntegerUnary::ReverseBits => Integers::everything(bits),
    }
}

/// Whether a comparison can be false and can be true.
pub fn compare(predicate: IntegerPredicate, a: &Integers, b: &Integers) -> Integers {
    let holds = |p| !refined(p, a, b).0.is_empty();
    if a.is_empty() || b.is_empty() {
        return Integers::nothing(1);
    }
    Integers::truth(holds(negation(predicate)), holds(predicate))
}

/// The predicate that holds where this one does not.
pub const fn negation(predicate: IntegerPredicate) -> IntegerPredicate {
    use IntegerPredicate::*;
    match predicate {
        Equal => NotEqual,
        NotEqual => Equal,
        UnsignedGreater => UnsignedLessEqual,
        UnsignedGreaterEqual => UnsignedLess,
        UnsignedLess => UnsignedGreaterEqual,
        UnsignedLessEqual => UnsignedGreater,
        SignedGreater => SignedLessEqual,
        SignedGreaterEqual => SignedLess,
        SignedLess => SignedGreaterEqual,
        SignedLessEqual => SignedGreater,
    }
}

/// What is left of two integers between which a predicate holds; both nothing if it cannot.
pub fn refined(predicate: IntegerPredicate, a: &Integers, b: &Integers) -> (Integers, Integers) {
    use IntegerPredicate::*;
    let bits = a.bits;
    let none = (Integers::nothing(bits), Integers::nothing(bits));
    let swap = |(a, b): (Integers, Integers)| (b, a);
    match predicate {
        Equal => {
            let both = a.meet(b);
            (both, both)
        }
        NotEqual => {
            let without = |x: &Integers, y: &Integers| match y.single() {
                Some(value) if x.lo() == value => x.at_least(value + 1),
                Some(value) if x.hi() == value => x.at_most(value - 1),
                Some(value) if x.contains(value) => {
                    let ends = x.pieces().flat_map(|(lo, hi)| {
                        let cut = (lo..=hi).contains(&value);
                        let first = (lo, if cut { value - 1 } else { hi });
                        [first, if cut { (value + 1, hi) } else { (1, 0) }]
                    });
                    Integers::united(bits, &mut ends.collect::<Vec<_>>())
                }
                Some(_) | None => *x,
            };
            let (a, b) = (without(a, b), without(b, a));
            if a.is_empty() || b.is_empty() { none } else { (a, b) }
        }
        SignedGreater => swap(refined(SignedLess, b, a)),
        SignedGreaterEqual => swap(refined(SignedLessEqual, b, a)),
        UnsignedGreater => swap(refined(UnsignedLess, b, a)),
        UnsignedGreaterEqual => swap(refined(UnsignedLessEqual, b, a)),
        SignedLess | SignedLessEqual | UnsignedLess | UnsignedLessEqual => {
            let strict = i128::from(matches!(predicate, SignedLess | UnsignedLess));
            let is_signed = matches!(predicate, SignedLess | SignedLessEqual);
            let view = |x: &Integers| if is_signed { x.signed() } else { x.unsigned() };
            let ((al, ah), (bl, bh)) = (view(a), view(b));
            let (ah, bl) = (ah.min(bh - strict), bl.max(al + strict));
            if al > ah || bl > bh {
                return none;
            }
            (Integers::wrapped(bits, al, ah).meet(a), Integers::wrapped(bits, bl, bh).meet(b))
        }
    }
}
