//! Sets of bit strings, and of the integers that they encode.
//!
//! [`BitsBox`] knows an interval of the unsigned value, and bits.
//!
//! The two tell each other what they can: the bits that the ends of the
//! interval share are known, and known bits bound the value.

use crate::interval::Interval;
use crate::truths::Truths;
use std::fmt;

/// The bit strings of one width, of at most 128 bits, that a term may still be.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BitsBox {
    /// The width.
    pub width: u32,
    /// The least unsigned value.
    pub lo: u128,
    /// The greatest unsigned value.
    pub hi: u128,
    /// The bits known to be clear.
    pub zeros: u128,
    /// The bits known to be set.
    pub ones: u128,
}

/// A set of bit strings of one width.
pub trait Bits: Copy {
    /// No string.
    fn empty(width: u32) -> Self;

    /// Whether there is none.
    fn is_empty(&self) -> bool;

    /// The least and the greatest unsigned value. It is not empty.
    fn unsigned(&self) -> (u128, u128);

    /// The least and the greatest value in two's complement. The width is at most 126.
    fn signed(&self) -> Interval;

    /// Those of unsigned value `lo` to `hi`.
    fn within(self, lo: u128, hi: u128) -> Self;

    /// Those whose two's complement value lies within. The width is at most 126.
    fn within_signed(self, values: Interval) -> Self;

    /// The smallest set that holds both.
    fn join(self, other: Self) -> Self;
}

impl Bits for BitsBox {
    fn empty(width: u32) -> BitsBox {
        BitsBox::empty(width)
    }

    fn is_empty(&self) -> bool {
        BitsBox::is_empty(*self)
    }

    fn unsigned(&self) -> (u128, u128) {
        (self.lo, self.hi)
    }

    fn signed(&self) -> Interval {
        BitsBox::signed(*self)
    }

    fn within(self, lo: u128, hi: u128) -> BitsBox {
        BitsBox::within(self, lo, hi)
    }

    fn within_signed(self, values: Interval) -> BitsBox {
        BitsBox::within_signed(self, values)
    }

    fn join(self, other: BitsBox) -> BitsBox {
        BitsBox::join(self, other)
    }
}

impl fmt::Debug for BitsBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BitsBox { width, lo, hi, zeros, ones } = self;
        write!(f, "{width}'[{lo:#x}, {hi:#x}] clear {zeros:#x} set {ones:#x}")
    }
}

/// The low `width` bits.
pub const fn mask(width: u32) -> u128 {
    if width == 0 { 0 } else { u128::MAX >> (128 - width) }
}

impl BitsBox {
    /// Any string of that width; `None` beyond 128 bits.
    pub const fn any(width: u32) -> Option<BitsBox> {
        if width == 0 || width > 128 {
            return None;
        }
        Some(BitsBox { width, lo: 0, hi: mask(width), zeros: 0, ones: 0 })
    }

    /// Just one string. The width is at most 128.
    pub const fn point(width: u32, value: u128) -> BitsBox {
        let value = value & mask(width);
        BitsBox { width, lo: value, hi: value, zeros: !value & mask(width), ones: value }
    }

    /// No string: a contradiction.
    pub const fn empty(width: u32) -> BitsBox {
        BitsBox { width, lo: 1, hi: 0, zeros: 0, ones: 0 }
    }

    /// Whether no string is left.
    pub const fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// The only string left, if there is just one.
    pub const fn known(self) -> Option<u128> {
        if self.lo == self.hi { Some(self.lo) } else { None }
    }

    /// Lets interval and bits tell each other what they know.
    pub const fn settled(mut self) -> BitsBox {
        loop {
            if self.lo > self.hi || self.zeros & self.ones != 0 {
                return BitsBox::empty(self.width);
            }
            let before = self;
            if self.ones > self.lo {
                self.lo = self.ones;
            }
            let most = mask(self.width) & !self.zeros;
            if most < self.hi {
                self.hi = most;
            }
            if self.lo > self.hi {
                return BitsBox::empty(self.width);
            }
            // The leading bits that both ends have are those of all between.
            let differing = 128 - (self.lo ^ self.hi).leading_zeros();
            let shared = mask(self.width) & !mask(differing);
            self.ones |= self.lo & shared;
            self.zeros |= !self.lo & shared;
            if before.lo == self.lo
                && before.hi == self.hi
                && before.ones == self.ones
                && before.zeros == self.zeros
            {
                return self;
            }
        }
    }

    /// What both hold.
    pub fn meet(self, other: BitsBox) -> BitsBox {
        BitsBox {
            width: self.width,
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
        }
        .settled()
    }

    /// A box that holds both.
    pub fn join(self, other: BitsBox) -> BitsBox {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        BitsBox {
            width: self.width,
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
    }

    /// Those of unsigned value `lo` to `hi`.
    pub fn within(self, lo: u128, hi: u128) -> BitsBox {
        BitsBox { lo: self.lo.max(lo), hi: self.hi.min(hi), ..self }.settled()
    }

    /// Those with these bits clear and set.
    pub const fn with_bits(self, zeros: u128, ones: u128) -> BitsBox {
        BitsBox { zeros: self.zeros | zeros, ones: self.ones | ones, ..self }.settled()
    }

    /// The value as a two's complement integer. The width is at most 126.
    pub const fn signed(self) -> Interval {
        let half = 1u128 << (self.width - 1);
        let wrap = 1i128 << self.width;
        if self.is_empty() {
            Interval::EMPTY
        } else if self.hi < half {
            Interval::new(self.lo as i128, self.hi as i128)
        } else if self.lo >= half {
            Interval::new(self.lo as i128 - wrap, self.hi as i128 - wrap)
        } else if self.ones & half != 0 {
            Interval::new(-(half as i128), self.hi as i128 - wrap)
        } else if self.zeros & half != 0 {
            Interval::new(self.lo as i128, half as i128 - 1)
        } else {
            Interval::new(-(half as i128), half as i128 - 1)
        }
    }

    /// Those whose two's complement value lies within. The width is at most 126.
    pub fn within_signed(self, values: Interval) -> BitsBox {
        let wrap = 1i128 << self.width;
        if values.is_empty() {
            BitsBox::empty(self.width)
        } else if values.lo >= 0 {
            self.within(values.lo as u128, values.hi as u128)
        } else if values.hi < 0 {
            self.within((values.lo + wrap) as u128, (values.hi + wrap) as u128)
        } else if self.lo > values.hi as u128 {
            self.within((values.lo + wrap) as u128, u128::MAX)
        } else if self.hi < (values.lo + wrap) as u128 {
            self.within(0, values.hi as u128)
        } else {
            self
        }
    }

    /// The strings where `x < y`, or `x <= y`, both unsigned, is `value`.
    fn ordered([x, y]: [BitsBox; 2], strict: bool, value: bool) -> Option<[BitsBox; 2]> {
        if !value {
            return BitsBox::ordered([y, x], !strict, true).map(|[y, x]| [x, y]);
        }
        let gap = strict as u128;
        let most = y.hi.checked_sub(gap)?;
        let least = x.lo.checked_add(gap)?;
        inhabited([x.within(0, most), y.within(least, u128::MAX)])
    }

    /// What is left where `x < y`, or `x <= y`, signed or not, is one of `truths`.
    pub fn compare(
        boxes: [BitsBox; 2],
        signed: bool,
        strict: bool,
        truths: Truths,
    ) -> Option<(Truths, [BitsBox; 2])> {
        // With the sign bits flipped, signed order is unsigned order.
        let flip = |bits: BitsBox| if signed { bits.with_top_flipped() } else { bits };
        let flipped = boxes.map(flip);
        let (truths, left) = decide(truths, |value| BitsBox::ordered(flipped, strict, value))?;
        let left = [0, 1].map(|i| boxes[i].meet(flip(left[i])));
        Some((truths, inhabited(left)?))
    }

    /// What is left where `x = y` is one of `truths`.
    pub fn equal([x, y]: [BitsBox; 2], truths: Truths) -> Option<(Truths, [BitsBox; 2])> {
        decide(truths, |value| {
            if value {
                let both = x.meet(y);
                return inhabited([both, both]);
            }
            inhabited([x.other_than(y.known()), y.other_than(x.known())])
        })
    }

    fn other_than(self, value: Option<u128>) -> BitsBox {
        match value {
            Some(value) if self.lo == value && self.hi == value => BitsBox::empty(self.width),
            Some(value) if self.lo == value => self.within(value + 1, u128::MAX),
            Some(value) if self.hi == value => self.within(0, value - 1),
            Some(_) | None => self,
        }
    }

    /// The strings with the top bit flipped: a box of them.
    fn with_top_flipped(self) -> BitsBox {
        let top = 1u128 << (self.width - 1);
        let rest = mask(self.width) & !top;
        let (zeros, ones) =
            (self.zeros & rest | self.ones & top, self.ones & rest | self.zeros & top);
        let (lo, hi) = if self.hi < top {
            (self.lo | top, self.hi | top)
        } else if self.lo >= top {
            (self.lo & rest, self.hi & rest)
        } else {
            (0, mask(self.width))
        };
        BitsBox { width: self.width, lo, hi, zeros, ones }.settled()
    }
}

fn inhabited<const N: usize>(boxes: [BitsBox; N]) -> Option<[BitsBox; N]> {
    boxes.iter().all(|bits| !bits.is_empty()).then_some(boxes)
}

fn decide(
    truths: Truths,
    assume: impl Fn(bool) -> Option<[BitsBox; 2]>,
) -> Option<(Truths, [BitsBox; 2])> {
    let holding = if truths.may_hold { assume(true) } else { None };
    let failing = if truths.may_fail { assume(false) } else { None };
    let truths = Truths { may_hold: holding.is_some(), may_fail: failing.is_some() };
    match (holding, failing) {
        (Some(a), Some(b)) => Some((truths, [a[0].join(b[0]), a[1].join(b[1])])),
        (Some(left), None) | (None, Some(left)) => Some((truths, left)),
        (None, None) => None,
    }
}
