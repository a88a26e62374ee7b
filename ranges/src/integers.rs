//! What is known of an integer of at most 64 bits: an interval of its signed values (of
//! its unsigned ones, for truth values). Wrapping is followed, never assumed away.

use nanoscope_program::ir::{IntegerOperation, IntegerPredicate, IntegerUnary};
use std::fmt;

/// The integers of a width that a value may be; none when `lo > hi`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Integers {
    /// Their width.
    pub bits: u32,
    /// The least.
    pub lo: i128,
    /// The greatest.
    pub hi: i128,
}

impl Integers {
    /// The widest integers followed.
    pub const WIDEST: u32 = 64;

    /// The least and the greatest value of a width.
    pub const fn limits(bits: u32) -> (i128, i128) {
        if bits == 1 { (0, 1) } else { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) }
    }

    /// Any integer.
    pub const fn everything(bits: u32) -> Integers {
        let (lo, hi) = Integers::limits(bits);
        Integers { bits, lo, hi }
    }

    /// No integer.
    pub const fn nothing(bits: u32) -> Integers {
        Integers { bits, lo: 1, hi: 0 }
    }

    /// A truth value.
    pub const fn truth(may_be_false: bool, may_be_true: bool) -> Integers {
        match (may_be_false, may_be_true) {
            (true, true) => Integers { bits: 1, lo: 0, hi: 1 },
            (true, false) => Integers { bits: 1, lo: 0, hi: 0 },
            (false, true) => Integers { bits: 1, lo: 1, hi: 1 },
            (false, false) => Integers::nothing(1),
        }
    }

    /// The values from `lo` to `hi`, wrapped to the width.
    pub fn wrapped(bits: u32, lo: i128, hi: i128) -> Integers {
        let (least, greatest) = Integers::limits(bits);
        if lo > hi {
            return Integers::nothing(bits);
        }
        let modulus = 1i128 << bits;
        let turns = (lo - least).div_euclid(modulus);
        let shift = turns * modulus;
        if hi - shift <= greatest {
            Integers { bits, lo: lo - shift, hi: hi - shift }
        } else {
            Integers { bits, lo: least, hi: greatest }
        }
    }

    /// One value, from its bits.
    pub fn of_bits(bits: u32, value: u128) -> Integers {
        Integers::wrapped(bits, value as i128, value as i128)
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.lo > self.hi
    }

    /// The only value, if there is just one.
    pub fn single(&self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// Whether a truth value can be true and can be false.
    pub fn may_be(&self, truth: bool) -> bool {
        self.contains(i128::from(truth))
    }

    /// Whether a value is among them.
    pub const fn contains(&self, value: i128) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// The values read as unsigned: an interval, all if it goes around.
    pub fn unsigned(&self) -> (i128, i128) {
        let modulus = 1i128 << self.bits;
        if self.lo >= 0 {
            (self.lo, self.hi)
        } else if self.hi < 0 {
            (self.lo + modulus, self.hi + modulus)
        } else {
            (0, modulus - 1)
        }
    }

    /// The values read as signed; the two differ for truth values only.
    pub fn signed(&self) -> (i128, i128) {
        if self.bits == 1 { (-self.hi, -self.lo) } else { (self.lo, self.hi) }
    }

    /// What either holds.
    pub fn join(&self, other: &Integers) -> Integers {
        if self.is_empty() {
            *other
        } else if other.is_empty() {
            *self
        } else {
            Integers { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), ..*self }
        }
    }

    /// What both hold.
    pub fn meet(&self, other: &Integers) -> Integers {
        let both = Integers { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi), ..*self };
        if both.is_empty() { Integers::nothing(self.bits) } else { both }
    }

    /// A superset of both; an end that moved goes on to the next landmark.
    pub fn widen(&self, next: &Integers, landmarks: &[i128]) -> Integers {
        let joined = self.join(next);
        if self.is_empty() {
            return joined;
        }
        let (least, greatest) = Integers::limits(self.bits);
        let lo = if joined.lo < self.lo {
            landmarks.iter().rev().copied().find(|&l| l <= joined.lo).unwrap_or(least).max(least)
        } else {
            joined.lo
        };
        let hi = if joined.hi > self.hi {
            landmarks.iter().copied().find(|&l| l >= joined.hi).unwrap_or(greatest).min(greatest)
        } else {
            joined.hi
        };
        Integers { bits: self.bits, lo, hi }
    }
}

impl fmt::Display for Integers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.single() {
            Some(value) => write!(f, "{value}"),
            None if self.is_empty() => f.write_str("nothing"),
            None => write!(f, "[{}, {}]", self.lo, self.hi),
        }
    }
}

/// An operation on two integers; `None` where it gives a structure. A division by zero and
/// a shift too far have no result of their own: what is left is the other cases, or anything.
pub fn binary(operation: IntegerOperation, a: &Integers, b: &Integers) -> Option<Integers> {
    use IntegerOperation::*;
    let bits = a.bits;
    if a.is_empty() || b.is_empty() {
        return Some(Integers::nothing(bits));
    }
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
        UnsignedRem if ubl > 0 => wrapped(0, uah.min(ubh - 1)),
        SignedRem if bl > 0 || bh < 0 => {
            let size = bl.abs().max(bh.abs()) - 1;
            if al >= 0 {
                wrapped(0, ah.min(size))
            } else {
                wrapped((-size).max(al), if ah <= 0 { 0 } else { ah.min(size) })
            }
        }
        ShiftLeft if ubh < i128::from(bits) && bits <= 32 => {
            corners(&|x, y| x << y, [al, ah], [ubl, ubh])
        }
        ShiftLeft if ubh < i128::from(bits) && ubl == ubh && ubl < 62 => {
            wrapped(al << ubl, ah << ubl)
        }
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
        And | Or | Xor if a.single().is_some() && b.single().is_some() => {
            let (x, y) = (a.lo, b.lo);
            let value = match operation {
                And => x & y,
                Or => x | y,
                _ => x ^ y,
            };
            wrapped(value, value)
        }
        And if al >= 0 && bl >= 0 => wrapped(0, ah.min(bh)),
        And if al >= 0 => wrapped(0, ah),
        And if bl >= 0 => wrapped(0, bh),
        Or | Xor if al >= 0 && bl >= 0 => {
            let top = ah.max(bh).max(1);
            let mask = (1i128 << (128 - top.leading_zeros())) - 1;
            wrapped(if operation == Or { al.max(bl) } else { 0 }, mask)
        }
        // Flipping every bit turns the order around.
        Xor if b.single() == Some(-1) => wrapped(!ah, !al),
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
        | And
        | Or
        | Xor
        | SaturatingUnsignedShiftLeft
        | SaturatingSignedShiftLeft => everything,
        UnsignedAddOverflow | SignedAddOverflow | UnsignedSubOverflow | SignedSubOverflow
        | UnsignedMulOverflow | SignedMulOverflow | UnsignedCompare | SignedCompare => return None,
    })
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
    let width = i128::from(bits);
    match operation {
        IntegerUnary::Abs => {
            let (lo, hi) = a.signed();
            if lo >= 0 {
                *a
            } else if hi <= 0 {
                Integers::wrapped(bits, -hi, -lo)
            } else {
                Integers::wrapped(bits, 0, hi.max(-lo))
            }
        }
        IntegerUnary::CountOnes | IntegerUnary::LeadingZeros | IntegerUnary::TrailingZeros => {
            Integers::wrapped(bits, 0, width)
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
                Some(value) if x.lo == value => Integers { lo: x.lo + 1, ..*x },
                Some(value) if x.hi == value => Integers { hi: x.hi - 1, ..*x },
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
