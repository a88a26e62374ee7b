//! Sets of integers of at most 64 bits: an interval of its signed values (of
//! its unsigned ones, for truth values), with one stretch within it left out.
//! That is what it takes for encodings of floats of either sign, and for what is compared
//! without sign. Wrapping is followed, never assumed away.

use crate::bits::Bits;
use crate::interval::Interval;
use crate::truths::Truths;
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

    /// Whether no value between the least and the greatest is left out.
    pub fn is_interval(&self) -> bool {
        self.gap == NO_GAP
    }

    /// The same values as integers of a greater width.
    pub const fn widened(self, bits: u32) -> Integers {
        Integers { bits, ..self }
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

impl From<Truths> for Integers {
    fn from(truths: Truths) -> Integers {
        Integers::truth(truths.may_fail, truths.may_hold)
    }
}

impl Bits for Integers {
    fn empty(width: u32) -> Integers {
        Integers::nothing(width)
    }

    fn is_empty(&self) -> bool {
        Integers::is_empty(self)
    }

    fn unsigned(&self) -> (u128, u128) {
        let (lo, hi) = Integers::unsigned(self);
        (lo as u128, hi as u128)
    }

    fn signed(&self) -> Interval {
        if Integers::is_empty(self) {
            return Interval::EMPTY;
        }
        let (lo, hi) = Integers::signed(self);
        Interval::new(lo, hi)
    }

    fn within(self, lo: u128, hi: u128) -> Integers {
        let most = (1u128 << self.bits) - 1;
        if lo > hi || lo > most {
            return Integers::nothing(self.bits);
        }
        self.meet(&Integers::wrapped(self.bits, lo as i128, hi.min(most) as i128))
    }

    fn within_signed(self, values: Interval) -> Integers {
        let (least, greatest) = if self.bits == 1 { (-1, 0) } else { Integers::limits(self.bits) };
        let values = values.meet(Interval::new(least, greatest));
        if values.is_empty() {
            return Integers::nothing(self.bits);
        }
        self.meet(&Integers::wrapped(self.bits, values.lo, values.hi))
    }

    fn join(self, other: Integers) -> Integers {
        Integers::join(&self, &other)
    }
}
