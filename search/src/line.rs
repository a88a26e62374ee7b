//! The number line of one dimension: its encodings in numeric order.
//!
//! An ordinal is the position of an encoding in the order of the values it stands
//! for (IEEE 754-2019 §5.10 totalOrder; -0 directly below +0, NaN at both ends), so
//! one ulp is one step and an interval of values is an interval of ordinals. The
//! stored integer bit of x87 follows from the exponent and is left out of it.

use crate::random::Random;
use crate::space::{Dimension, EmptyRange, Kind};
use std::fmt::Debug;
use std::hint::select_unpredictable;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// An unsigned integer wide enough for a dimension's ordinals: `u64` is the fast
/// path, `u128` for everything wider.
pub(crate) trait Word:
    Copy
    + Debug
    + Ord
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const ZERO: Self;
    const ONE: Self;
    const BITS: u32;
    fn truncate(wide: u128) -> Self;
    fn widen(self) -> u128;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn apart(self, other: Self) -> Self;
    /// This, which is in `low..=low + span`, less `by` or more, as far as that goes.
    fn shifted(self, low: Self, span: Self, down: bool, by: Self) -> Self;
    fn to_float(self) -> f64;
    fn of_float(value: f64) -> Self;
    fn load(point: &[u64], word: usize) -> Self;
    fn store(self, point: &mut [u64], word: usize);
    fn random(random: &mut Random) -> Self;
    /// Uniform in `0..=span`, as far as 64 random bits go.
    fn random_within(random: &mut Random, span: Self) -> Self;
    fn leading(self) -> u32;
}

// Where a random step goes, and whether beyond an end, nobody can foresee: hence the
// selections without branches.
macro_rules! arithmetic {
    ($type:ty) => {
        const ZERO: Self = 0;
        const ONE: Self = 1;
        const BITS: u32 = <$type>::BITS;
        #[inline]
        fn truncate(wide: u128) -> Self {
            wide as $type
        }
        #[inline]
        fn widen(self) -> u128 {
            self as u128
        }
        #[inline]
        fn plus(self, other: Self) -> Self {
            let (sum, beyond) = self.overflowing_add(other);
            select_unpredictable(beyond, <$type>::MAX, sum)
        }
        #[inline]
        fn minus(self, other: Self) -> Self {
            let (difference, beyond) = self.overflowing_sub(other);
            select_unpredictable(beyond, 0, difference)
        }
        #[inline]
        fn shifted(self, low: Self, span: Self, down: bool, by: Self) -> Self {
            // Down towards the lower end or, seen from the other side, towards the upper.
            let mask = (down as $type).wrapping_sub(1);
            let offset = select_unpredictable(down, 0, span.wrapping_add(1));
            let left = (self.wrapping_sub(low) ^ mask).wrapping_add(offset);
            let rest = left.wrapping_sub(by);
            // Whether `left < by`, in bits: what a compiler recognises as a saturating
            // subtraction it makes a branch of.
            let borrow = (!left & by) | ((!left | by) & rest);
            let rest = select_unpredictable(borrow >> (<$type>::BITS - 1) != 0, 0, rest);
            low.wrapping_add((rest ^ mask).wrapping_add(offset))
        }
        #[inline]
        fn apart(self, other: Self) -> Self {
            self.abs_diff(other)
        }
        #[inline]
        fn to_float(self) -> f64 {
            self as f64
        }
        #[inline]
        fn of_float(value: f64) -> Self {
            value as $type
        }
        #[inline]
        fn leading(self) -> u32 {
            self.leading_zeros()
        }
    };
}

impl Word for u64 {
    arithmetic!(u64);
    #[inline]
    fn load(point: &[u64], word: usize) -> u64 {
        point[word]
    }
    #[inline]
    fn store(self, point: &mut [u64], word: usize) {
        point[word] = self;
    }
    #[inline]
    fn random(random: &mut Random) -> u64 {
        random.next()
    }
    #[inline]
    fn random_within(random: &mut Random, span: u64) -> u64 {
        // raw * (span + 1) / 2^64; the sum cannot pass 2^128.
        let raw = u128::from(random.next());
        ((raw * u128::from(span) + raw) >> 64) as u64
    }
}

impl Word for u128 {
    arithmetic!(u128);
    #[inline]
    fn load(point: &[u64], word: usize) -> u128 {
        u128::from(point[word]) | u128::from(point[word + 1]) << 64
    }
    #[inline]
    fn store(self, point: &mut [u64], word: usize) {
        point[word] = self as u64;
        point[word + 1] = (self >> 64) as u64;
    }
    #[inline]
    fn random(random: &mut Random) -> u128 {
        u128::from(random.next()) << 64 | u128::from(random.next())
    }
    fn random_within(random: &mut Random, span: u128) -> u128 {
        let raw = u128::random(random);
        match span.checked_add(1) {
            None => raw,
            Some(count) => raw % count,
        }
    }
}

/// The order of one dimension's encodings and the part of it that is admitted.
#[derive(Clone, Debug)]
pub(crate) struct Line<W> {
    /// First word in a point.
    pub(crate) word: usize,
    /// Smallest and largest admitted ordinal, infinities and NaN aside.
    pub(crate) low: W,
    pub(crate) high: W,
    /// The ordinal's top bit: set from +0 (or integer 0) on.
    pub(crate) top: W,
    /// All bits of an ordinal.
    pub(crate) mask: W,
    /// Bits below the exponent in an ordinal; 0 for integers.
    pub(crate) fraction_bits: u32,
    /// What turns a (squeezed) encoding with its top bit set, or clear, into its ordinal.
    flip_set: W,
    flip_clear: W,
    /// Whether the encoding has an integer bit above the fraction.
    integer_bit: bool,
}

impl<W: Word> Line<W> {
    pub(crate) fn new(dimension: &Dimension, word: usize) -> Line<W> {
        let (width, fraction_bits, integer_bit) = match dimension.kind() {
            Kind::Float(format) => {
                let stored = u32::from(format.explicit_integer_bit);
                (format.width() - stored, format.precision - 1, format.explicit_integer_bit)
            }
            Kind::Integer { bits, .. } => (bits, 0, false),
        };
        let mask = !W::ZERO >> (W::BITS - width);
        let top = W::ONE << (width - 1);
        let (flip_set, flip_clear) = match dimension.kind() {
            Kind::Float(_) => (mask, top),
            Kind::Integer { signed: true, .. } => (top, top),
            Kind::Integer { signed: false, .. } => (W::ZERO, W::ZERO),
        };
        let mut line = Line {
            word,
            low: W::ZERO,
            high: mask,
            top,
            mask,
            fraction_bits,
            flip_set,
            flip_clear,
            integer_bit,
        };
        line.low = line.ordinal(W::truncate(dimension.low()));
        line.high = line.ordinal(W::truncate(dimension.high()));
        line
    }

    /// The position of an encoding.
    #[inline]
    pub(crate) fn ordinal(&self, encoding: W) -> W {
        let squeezed = if self.integer_bit { self.squeeze(encoding) } else { encoding & self.mask };
        let flip =
            select_unpredictable(squeezed & self.top != W::ZERO, self.flip_set, self.flip_clear);
        squeezed ^ flip
    }

    /// The encoding at a position.
    #[inline]
    pub(crate) fn encoding(&self, ordinal: W) -> W {
        // `flip_set` keeps floats below +0 apart; for integers both flips are the same.
        let above = ordinal & self.top != W::ZERO;
        let flip = select_unpredictable(above, self.flip_clear, self.flip_set);
        let squeezed = ordinal ^ flip;
        if self.integer_bit { self.expand(squeezed) } else { squeezed }
    }

    /// Reads this dimension's ordinal out of a point.
    #[inline]
    pub(crate) fn read(&self, point: &[u64]) -> W {
        self.ordinal(W::load(point, self.word))
    }

    /// Writes an ordinal into a point, as it is.
    #[inline]
    pub(crate) fn write(&self, point: &mut [u64], ordinal: W) {
        self.encoding(ordinal).store(point, self.word);
    }

    /// The nearest admitted finite ordinal.
    #[inline]
    pub(crate) fn clamp(&self, ordinal: W) -> W {
        let raised = select_unpredictable(ordinal < self.low, self.low, ordinal);
        select_unpredictable(raised > self.high, self.high, raised)
    }

    /// Where zero is: +0 for floats.
    #[inline]
    pub(crate) fn zero(&self) -> W {
        if self.flip_clear == W::ZERO { W::ZERO } else { self.top }
    }

    /// Whether the values are floats: then the ordinals below `top` are negative numbers
    /// from -0 down.
    #[inline]
    pub(crate) fn is_float(&self) -> bool {
        self.fraction_bits > 0
    }

    /// How far an ordinal is from the zero of its own sign, and whether it is below zero.
    #[inline]
    pub(crate) fn magnitude(&self, ordinal: W) -> (bool, W) {
        let zero = self.zero();
        if ordinal >= zero {
            (false, ordinal.minus(zero))
        } else {
            (true, zero.minus(ordinal).minus(self.signed_zeros()))
        }
    }

    /// The ordinal of a sign and magnitude, not clamped.
    #[inline]
    pub(crate) fn signed(&self, negative: bool, magnitude: W) -> W {
        let zero = self.zero();
        if negative {
            zero.minus(self.signed_zeros()).minus(magnitude)
        } else {
            zero.plus(magnitude)
        }
    }

    #[inline]
    fn signed_zeros(&self) -> W {
        if self.is_float() { W::ONE } else { W::ZERO }
    }

    // Out of line, or compilers compute it every time and then choose.
    #[cold]
    #[inline(never)]
    fn squeeze(&self, encoding: W) -> W {
        let fraction = encoding & (W::ONE << self.fraction_bits).minus(W::ONE);
        ((encoding >> (self.fraction_bits + 1) << self.fraction_bits) | fraction) & self.mask
    }

    #[cold]
    #[inline(never)]
    fn expand(&self, squeezed: W) -> W {
        let fraction_mask = (W::ONE << self.fraction_bits).minus(W::ONE);
        let above = squeezed >> self.fraction_bits;
        let exponent = squeezed & !self.top & !fraction_mask;
        let integer = if exponent == W::ZERO { W::ZERO } else { W::ONE };
        (above << (self.fraction_bits + 1))
            | (integer << self.fraction_bits)
            | (squeezed & fraction_mask)
    }
}

impl Dimension {
    /// Only the values from `low` to `high`, both admitted, as encodings. An infinite
    /// end stands for the largest finite number: infinities are [`Self::with_specials`].
    pub fn within(self, low: u128, high: u128) -> Result<Dimension, EmptyRange> {
        let line = Line::<u128>::new(&Dimension { specials: false, ..self.full() }, 0);
        let (bottom, top) = (line.low, line.high);
        let (low, high) = (line.ordinal(low), line.ordinal(high));
        // One step beyond the largest finite number is infinity, further is NaN.
        let number = |ordinal: u128| match self.kind {
            Kind::Float(_) => ordinal.saturating_add(1) >= bottom && ordinal <= top + 1,
            Kind::Integer { .. } => true,
        };
        if low > high || !number(low) || !number(high) {
            return Err(EmptyRange);
        }
        let (low, high) = (line.clamp(low), line.clamp(high));
        Ok(Dimension { low: line.encoding(low), high: line.encoding(high), ..self })
    }

    /// Whether a value is admitted.
    pub fn admits(&self, encoding: u128) -> bool {
        let (line, whole) = (Line::<u128>::new(self, 0), Line::<u128>::new(&self.full(), 0));
        let ordinal = line.ordinal(encoding);
        if line.encoding(ordinal) != encoding {
            return false; // bits beyond the width, or an x87 encoding that is no number
        }
        let finite = (whole.low..=whole.high).contains(&ordinal);
        (line.low..=line.high).contains(&ordinal) || (self.specials && !finite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nanoscope_ieee::Format;

    /// Every ordinal has one encoding, in the order of the values.
    fn check<W: Word>(dimension: Dimension, value: impl Fn(u128) -> f64) {
        let line = Line::<W>::new(&dimension, 0);
        let mut ordinal = line.low;
        let mut before = f64::NEG_INFINITY;
        loop {
            let encoding = line.encoding(ordinal);
            assert_eq!(line.ordinal(encoding), ordinal);
            let (negative, magnitude) = line.magnitude(ordinal);
            assert_eq!(line.signed(negative, magnitude), ordinal);
            let value = value(encoding.widen());
            assert_eq!(line.real(ordinal), value, "{dimension:?} {encoding:?}");
            // Only the zeros are equal neighbours.
            assert!(before < value || (before == 0.0 && value == 0.0));
            before = value;
            if ordinal == line.high {
                break;
            }
            ordinal = ordinal.plus(W::ONE);
        }
    }

    /// The value of a finite encoding by IEEE 754-2019 §3.4.
    fn value(format: Format, encoding: u128) -> f64 {
        let fraction_bits = format.precision - 1;
        let stored = fraction_bits + u32::from(format.explicit_integer_bit);
        let fraction = (encoding & ((1 << fraction_bits) - 1)) as f64;
        let field = (encoding >> stored & ((1 << format.exponent_bits) - 1)) as i32;
        let bias = (1 << (format.exponent_bits - 1)) - 1;
        let significand = fraction / 2f64.powi(fraction_bits as i32) + f64::from(field.min(1));
        let magnitude = significand * 2f64.powi(field.max(1) - bias);
        if encoding >> (format.width() - 1) == 1 { -magnitude } else { magnitude }
    }

    #[test]
    fn ordinals_follow_values() {
        let explicit = Format { explicit_integer_bit: true, ..Format::new(4, 5) };
        for format in [Format::BINARY16, Format::BFLOAT16, Format::new(2, 2), explicit] {
            check::<u64>(Dimension::float(format), |encoding| value(format, encoding));
            check::<u128>(Dimension::float(format), |encoding| value(format, encoding));
        }
        check::<u64>(Dimension::integer(8, true), |e| f64::from(e as u8 as i8));
        check::<u128>(Dimension::integer(9, false), |e| e as f64);
    }

    #[test]
    fn bits_within_a_span() {
        let mut random = Random::new(11);
        for span in [0, 1, 6, u64::MAX / 3, u64::MAX] {
            let narrow: Vec<u64> =
                (0..200).map(|_| u64::random_within(&mut random, span)).collect();
            assert!(narrow.iter().all(|&n| n <= span));
            assert!(span > 6 || (0..=span).all(|n| narrow.contains(&n)));
            let wide = u128::from(span) << 60;
            assert!((0..200).all(|_| u128::random_within(&mut random, wide) <= wide));
        }
    }
}
