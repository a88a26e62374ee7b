//! What is known of an integer of at most 64 bits: an interval of its signed values (of
//! its unsigned ones, for truth values), with one stretch within it that it cannot have.
//! That is what it takes for encodings of floats of either sign, and for what is compared
//! without sign. Wrapping is followed, never assumed away.

use nanoscope_program::ir::{IntegerOperation, IntegerPredicate, IntegerUnary};
use std::fmt;

/// The integers of a width that a value may be; none when `lo > hi`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Integers {
    /// Their width.
    pub bits: u32,
    /// The least.
    lo: i64,
    /// The greatest.
    hi: i64,
    /// First and last of a stretch strictly between the two that is left out.
    gap: (i64, i64),
}

/// The gap of integers that leave none out.
const NO_GAP: (i64, i64) = (0, -1);

impl Integers {
    /// The widest integers followed.
    pub const WIDEST: u32 = 64;

    /// The least and the greatest value of a width.
    pub const fn limits(bits: u32) -> (i128, i128) {
        if bits == 1 { (0, 1) } else { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) }
    }

    /// The values from `lo` to `hi`, which the width has.
    pub const fn between(bits: u32, lo: i128, hi: i128) -> Integers {
        if lo > hi {
            Integers::nothing(bits)
        } else {
            Integers { bits, lo: narrow(lo), hi: narrow(hi), gap: NO_GAP }
        }
    }

    /// Any integer.
    pub const fn everything(bits: u32) -> Integers {
        let (lo, hi) = Integers::limits(bits);
        Integers::between(bits, lo, hi)
    }

    /// No integer.
    pub const fn nothing(bits: u32) -> Integers {
        Integers { bits, lo: 1, hi: 0, gap: NO_GAP }
    }

    /// A truth value.
    pub const fn truth(may_be_false: bool, may_be_true: bool) -> Integers {
        match (may_be_false, may_be_true) {
            (true, true) => Integers::between(1, 0, 1),
            (true, false) => Integers::between(1, 0, 0),
            (false, true) => Integers::between(1, 1, 1),
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
        let (lo, hi) = (lo - shift, hi - shift);
        if hi <= greatest {
            Integers::between(bits, lo, hi)
        } else {
            // Around the end, and as far as it goes from the start.
            Integers::united(bits, &mut [(lo, greatest), (least, (hi - modulus).min(greatest))])
        }
    }

    /// The values from each first to its last, and those in between but for the widest gap.
    pub fn united(bits: u32, pieces: &mut [(i128, i128)]) -> Integers {
        pieces.sort_unstable();
        let mut pieces = pieces.iter().filter(|(lo, hi)| lo <= hi);
        let Some(&(lo, mut hi)) = pieces.next() else { return Integers::nothing(bits) };
        let mut gap = (0, -1);
        for &(next, last) in pieces {
            if next - hi - 1 > gap.1 - gap.0 + 1 {
                gap = (hi + 1, next - 1);
            }
            hi = hi.max(last);
        }
        let gap = (narrow(gap.0), narrow(gap.1));
        Integers { bits, lo: narrow(lo), hi: narrow(hi), gap }
    }

    /// One value, from its bits.
    pub fn of_bits(bits: u32, value: u128) -> Integers {
        Integers::wrapped(bits, value as i128, value as i128)
    }

    /// The least.
    pub const fn lo(&self) -> i128 {
        self.lo as i128
    }

    /// The greatest.
    pub const fn hi(&self) -> i128 {
        self.hi as i128
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.lo > self.hi
    }

    /// The only value, if there is just one.
    pub fn single(&self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo())
    }

    /// Whether a truth value can be true and can be false.
    pub fn may_be(&self, truth: bool) -> bool {
        self.contains(i128::from(truth))
    }

    /// Whether a value is among them.
    pub const fn contains(&self, value: i128) -> bool {
        let (first, last) = (self.gap.0 as i128, self.gap.1 as i128);
        self.lo() <= value && value <= self.hi() && !(first <= value && value <= last)
    }

    /// The values as intervals, from below.
    pub fn pieces(&self) -> impl Iterator<Item = (i128, i128)> + use<> {
        let (lo, hi) = (self.lo(), self.hi());
        let gap = (i128::from(self.gap.0), i128::from(self.gap.1));
        let pieces = if lo > hi {
            [None, None]
        } else if gap.0 > gap.1 {
            [Some((lo, hi)), None]
        } else {
            [Some((lo, gap.0 - 1)), Some((gap.1 + 1, hi))]
        };
        pieces.into_iter().flatten()
    }

    /// The values read as unsigned, as intervals.
    pub fn unsigned_pieces(&self) -> impl Iterator<Item = (i128, i128)> + use<> {
        let modulus = 1i128 << self.bits;
        self.pieces().flat_map(move |(lo, hi)| {
            let below = (lo < 0).then_some((lo + modulus, hi.min(-1) + modulus));
            let above = (hi >= 0).then_some((lo.max(0), hi));
            [above, below].into_iter().flatten()
        })
    }

    /// The values read as unsigned: the least and the greatest.
    pub fn unsigned(&self) -> (i128, i128) {
        let modulus = 1i128 << self.bits;
        if self.lo >= 0 {
            (self.lo(), self.hi())
        } else if self.hi < 0 {
            (self.lo() + modulus, self.hi() + modulus)
        } else {
            let (mut least, mut greatest) = (modulus - 1, 0);
            for (lo, hi) in self.unsigned_pieces() {
                (least, greatest) = (least.min(lo), greatest.max(hi));
            }
            (least, greatest)
        }
    }

    /// The values read as signed; the two differ for truth values only.
    pub fn signed(&self) -> (i128, i128) {
        if self.bits == 1 { (-self.hi(), -self.lo()) } else { (self.lo(), self.hi()) }
    }

    /// The values up to this one.
    pub fn at_most(&self, most: i128) -> Integers {
        self.meet(&Integers::between(self.bits, self.lo(), most.min(self.hi())))
    }

    /// The values from this one on.
    pub fn at_least(&self, least: i128) -> Integers {
        self.meet(&Integers::between(self.bits, least.max(self.lo()), self.hi()))
    }

    /// What either holds.
    pub fn join(&self, other: &Integers) -> Integers {
        if self.is_empty() {
            *other
        } else if other.is_empty() || self == other {
            *self
        } else {
            let mut both = [(1, 0); 4];
            if self.gap == NO_GAP && other.gap == NO_GAP {
                let both = &mut [(self.lo(), self.hi()), (other.lo(), other.hi())];
                return Integers::united(self.bits, both);
            }
            for (slot, piece) in both.iter_mut().zip(self.pieces().chain(other.pieces())) {
                *slot = piece;
            }
            Integers::united(self.bits, &mut both)
        }
    }

    /// What both hold.
    pub fn meet(&self, other: &Integers) -> Integers {
        if self.gap == NO_GAP && other.gap == NO_GAP {
            let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
            return match lo > hi {
                true => Integers::nothing(self.bits),
                false => Integers { bits: self.bits, lo, hi, gap: NO_GAP },
            };
        }
        let mut both = [(1, 0); 4];
        let pairs = self.pieces().flat_map(|a| other.pieces().map(move |b| (a, b)));
        for (slot, (a, b)) in both.iter_mut().zip(pairs) {
            *slot = (a.0.max(b.0), a.1.min(b.1));
        }
        Integers::united(self.bits, &mut both)
    }

    /// A superset of both; an end that moved goes on to the next landmark.
    pub fn widen(&self, next: &Integers, landmarks: &[i128]) -> Integers {
        let joined = self.join(next);
        if self.is_empty() {
            return joined;
        }
        let (least, greatest) = Integers::limits(self.bits);
        let lo = if joined.lo < self.lo {
            landmarks.iter().rev().copied().find(|&l| l <= joined.lo()).unwrap_or(least).max(least)
        } else {
            joined.lo()
        };
        let hi = if joined.hi > self.hi {
            landmarks.iter().copied().find(|&l| l >= joined.hi()).unwrap_or(greatest).min(greatest)
        } else {
            joined.hi()
        };
        // A gap stays as it is or goes: there is no end to gaps that shrink.
        let gap = if joined.gap == self.gap { self.gap } else { NO_GAP };
        Integers { bits: self.bits, lo: narrow(lo), hi: narrow(hi), gap }
    }
}

/// An end, which the width has.
const fn narrow(value: i128) -> i64 {
    debug_assert!(value as i64 as i128 == value);
    value as i64
}

impl fmt::Display for Integers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing");
        }
        for (i, (lo, hi)) in self.pieces().enumerate() {
            let or = if i > 0 { " or " } else { "" };
            match lo == hi {
                true => write!(f, "{or}{lo}")?,
                false => write!(f, "{or}[{lo}, {hi}]")?,
            }
        }
        Ok(())
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
    let whole = |x: &Integers| x.gap == NO_GAP && !(apart && x.lo < 0 && x.hi >= 0);
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
        return Integers { bits, ..*a };
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
