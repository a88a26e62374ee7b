//! The line of a format's numbers: which ordinal is which number.

use crate::float_box::FloatBox;
use crate::interval::{Interval, Ordinal};
use crate::real::Real;
use nanoscope_ieee::{Float, Format, Rounding};

/// The ordinals of one format. Formats of up to 128 bits have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// The format, with an implicit integer bit.
    format: Format,
    /// Whether encodings store the integer bit.
    explicit: bool,
}

impl Grid {
    const DOUBLE: Grid = Grid { format: Format::BINARY64, explicit: false };

    /// The grid of `format`; `None` when its encodings take more than 128 bits
    /// or its significands more than the exact arithmetic here can cut.
    pub const fn new(format: Format) -> Option<Grid> {
        let explicit = format.explicit_integer_bit;
        let format = format.implicit();
        if format.width() <= 128 && format.precision <= 120 {
            Some(Grid { format, explicit })
        } else {
            None
        }
    }

    /// The grid of a format that a machine has.
    ///
    /// # Panics
    /// If the format has no grid.
    #[inline]
    pub const fn of(format: Format) -> Grid {
        match Grid::new(format) {
            Some(grid) => grid,
            None => panic!("a format of at most 128 bits"),
        }
    }

    /// Its format, with an implicit integer bit.
    pub const fn format(self) -> Format {
        self.format
    }

    /// Its format as it was given.
    pub const fn stored_format(self) -> Format {
        Format { explicit_integer_bit: self.explicit, ..self.format }
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

    /// The exponent of the distance from a finite magnitude to the next above.
    pub const fn unit_exponent(self, magnitude: Ordinal) -> i64 {
        let field = (magnitude >> self.format.fraction_bits()) as i64;
        let above = if field == 0 { 0 } else { field - 1 };
        above + self.format.quantum_exponent()
    }

    /// The distance from a finite magnitude to the next above, as a magnitude.
    pub const fn unit(self, magnitude: Ordinal) -> Ordinal {
        self.power(self.unit_exponent(magnitude))
    }

    /// Half of a finite magnitude, rounded down.
    pub const fn half(self, magnitude: Ordinal) -> Ordinal {
        if magnitude >= 2 * self.min_normal() {
            magnitude - self.min_normal()
        } else {
            magnitude / 2
        }
    }

    /// Half of a finite magnitude, rounded up.
    pub const fn half_above(self, magnitude: Ordinal) -> Ordinal {
        if magnitude >= 2 * self.min_normal() {
            magnitude - self.min_normal()
        } else {
            (magnitude + 1) / 2
        }
    }

    /// The place of a float; `None` of a NaN.
    pub fn place(self, value: &Float) -> Option<Ordinal> {
        (!value.is_nan()).then(|| value.ordinal())
    }

    /// The number at a place.
    pub fn number(self, at: Ordinal) -> Float {
        Float::from_ordinal(self.format, at).expect("a place of the line")
    }

    /// The number nearest to a double.
    pub const fn nearest(self, value: f64) -> Ordinal {
        self.of_double(value, Rounding::NearestEven)
    }

    /// The place that a double, which is a number, rounds to.
    pub const fn of_double(self, value: f64, mode: Rounding) -> Ordinal {
        let at = Grid::DOUBLE.decode(value.to_bits() as u128).expect("a number");
        self.converted(Grid::DOUBLE, at, mode)
    }

    /// The double that the number at a place rounds to.
    pub const fn to_double(self, at: Ordinal, mode: Rounding) -> f64 {
        f64::from_bits(Grid::DOUBLE.encode(Grid::DOUBLE.converted(self, at, mode)) as u64)
    }

    /// The place that a number of another line rounds to.
    pub const fn converted(self, from: Grid, at: Ordinal, mode: Rounding) -> Ordinal {
        if self.format.precision == from.format.precision
            && self.format.exponent_bits == from.format.exponent_bits
        {
            return at;
        }
        if from.is_infinite(at) {
            return if at < 0 { !self.infinity() } else { self.infinity() };
        }
        self.round(from.real(at), mode)
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
