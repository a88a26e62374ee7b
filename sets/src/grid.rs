//! The line of a format's numbers: which ordinal is which number.

use crate::float_box::FloatBox;
use crate::interval::{Interval, Ordinal};
use crate::real::Real;
use nanoscope_ieee::{Format, Rounding};

/// The ordinals of one format. Formats of up to 128 bits have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// The format, with an implicit integer bit.
    format: Format,
}

impl Grid {
    /// The grid of `format`; `None` when its encodings take more than 128 bits
    /// or its significands more than the exact arithmetic here can cut.
    pub const fn new(format: Format) -> Option<Grid> {
        let format = format.implicit();
        if format.width() <= 128 && format.precision <= 120 { Some(Grid { format }) } else { None }
    }

    /// Its format, with an implicit integer bit.
    pub const fn format(self) -> Format {
        self.format
    }

    /// Plus infinity, the greatest ordinal.
    pub const fn infinity(self) -> Ordinal {
        (self.format.special_exponent() as Ordinal) << self.format.fraction_bits()
    }

    /// The greatest finite number.
    pub const fn max_finite(self) -> Ordinal {
        self.infinity() - 1
    }

    /// The smallest positive normal number.
    pub const fn min_normal(self) -> Ordinal {
        1 << self.format.fraction_bits()
    }

    /// The number one.
    pub const fn one(self) -> Ordinal {
        (self.format.max_exponent() as Ordinal) << self.format.fraction_bits()
    }

    /// Every number, infinities included.
    pub const fn numbers(self) -> Interval {
        Interval::new(!self.infinity(), self.infinity())
    }

    /// The finite numbers.
    pub const fn finite(self) -> Interval {
        Interval::new(!self.max_finite(), self.max_finite())
    }

    /// The two infinities.
    pub const fn infinities(self) -> [Interval; 2] {
        [Interval::point(self.infinity()), Interval::point(!self.infinity())]
    }

    /// Every float, NaN included.
    pub const fn everything(self) -> FloatBox {
        FloatBox { numbers: self.numbers(), nan: true }
    }

    /// Whether this is an infinity.
    pub const fn is_infinite(self, at: Ordinal) -> bool {
        at == self.infinity() || at == !self.infinity()
    }

    /// The number at `at`. An infinity reads as the number one binade above the
    /// greatest, where rounding to it begins to make sense.
    pub const fn real(self, at: Ordinal) -> Real {
        let negative = at < 0;
        let magnitude = if negative { !at as u128 } else { at as u128 };
        let fraction_bits = self.format.fraction_bits();
        let field = (magnitude >> fraction_bits) as i64;
        let fraction = magnitude & ((1 << fraction_bits) - 1);
        if field == 0 {
            Real::exact(negative, fraction, self.format.quantum_exponent())
        } else {
            let significand = fraction | 1 << fraction_bits;
            Real::exact(negative, significand, self.format.quantum_exponent() + field - 1)
        }
    }

    /// The place that a real number rounds to. A zero keeps its sign.
    pub const fn round(self, real: Real, mode: Rounding) -> Ordinal {
        let magnitude = self.round_magnitude(real, mode);
        if real.negative { !magnitude } else { magnitude }
    }

    const fn round_magnitude(self, real: Real, mode: Rounding) -> Ordinal {
        let format = self.format;
        if real.is_zero() {
            return 0;
        }
        if real.significand == 0 {
            return mode.rounds_up(real.negative, false, false, true) as Ordinal;
        }
        let leading = real.leading();
        if leading > format.max_exponent() {
            let up = mode.rounds_up(real.negative, true, true, true);
            return if up { self.infinity() } else { self.max_finite() };
        }
        let binade = if leading < format.min_exponent() { format.min_exponent() } else { leading };
        let quantum = binade - format.fraction_bits() as i64;
        let shift = quantum - real.exponent;
        let base = ((binade - format.min_exponent()) as Ordinal) << format.fraction_bits();
        if shift <= 0 {
            return base + (real.significand << -shift) as Ordinal;
        }
        let (kept, half, rest) = if shift > 128 {
            (0, false, true)
        } else {
            let kept = if shift == 128 { 0 } else { real.significand >> shift };
            let half = real.significand >> (shift - 1) & 1 == 1;
            let below = real.significand & ((1 << (shift - 1)) - 1);
            (kept, half, below != 0 || real.sticky)
        };
        let up = mode.rounds_up(real.negative, kept & 1 == 1, half, rest);
        base + kept as Ordinal + up as Ordinal
    }

    /// Two to a power: zero below the smallest number, infinity above the greatest.
    pub const fn power(self, exponent: i64) -> Ordinal {
        let format = self.format;
        if exponent > format.max_exponent() {
            self.infinity()
        } else if exponent >= format.min_exponent() {
            ((exponent + format.max_exponent()) as Ordinal) << format.fraction_bits()
        } else if exponent >= format.quantum_exponent() {
            1 << (exponent - format.quantum_exponent())
        } else {
            0
        }
    }

    /// The number nearest to a double.
    pub const fn nearest(self, value: f64) -> Ordinal {
        let double = Grid { format: Format::BINARY64 };
        let at = double.decode(value.to_bits() as u128).expect("a number");
        if double.is_infinite(at) {
            return if at < 0 { !self.infinity() } else { self.infinity() };
        }
        self.round(double.real(at), Rounding::NearestEven)
    }

    /// The encoding of the number at `at`, with an implicit integer bit.
    pub const fn encode(self, at: Ordinal) -> u128 {
        if at >= 0 { at as u128 } else { !at as u128 | 1 << (self.format.width() - 1) }
    }

    /// The number of an encoding with an implicit integer bit; `None` for a NaN.
    pub const fn decode(self, bits: u128) -> Option<Ordinal> {
        let sign = 1u128 << (self.format.width() - 1);
        let magnitude = (bits & (sign - 1)) as Ordinal;
        if magnitude > self.infinity() {
            None
        } else if bits & sign != 0 {
            Some(!magnitude)
        } else {
            Some(magnitude)
        }
    }

    /// The canonical NaN's encoding with an implicit integer bit.
    pub const fn nan(self) -> u128 {
        self.infinity() as u128 | 1 << (self.format.fraction_bits() - 1)
    }
}
