//! The line of a format's numbers: which ordinal is which number.

use super::exact::Real;
use super::interval::{FloatBox, Interval, Ordinal};
use nanoscope_ieee::Format;

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
