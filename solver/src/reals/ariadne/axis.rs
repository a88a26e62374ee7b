//! The values of an unknown in their order: floats, or integers in two's complement.

use super::number::{real, rounded};
use crate::propagate::{Grid, Interval, Ordinal};
use nanoscope_ieee::{Float, Rational, Word};
use nanoscope_term::Value;
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive};

/// The line that an unknown lies on. A place on it is an [`Ordinal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// The finite floats of a format.
    Floats(Grid),
    /// Integers of a width; a place is the integer itself.
    Integers(u32),
}

impl Axis {
    /// All its places.
    pub(super) fn whole(self) -> Interval {
        match self {
            Axis::Floats(grid) => grid.finite(),
            Axis::Integers(width) => {
                let half: Ordinal = 1 << (width - 1);
                Interval::new(-half, half - 1)
            }
        }
    }

    /// Places over all of it in rising order: its ends, zero, and powers of two, close to each
    /// other near one.
    pub(super) fn spread(self) -> Vec<Ordinal> {
        let Interval { lo, hi } = self.whole();
        let mut places = vec![lo, 0, hi];
        for exponent in (-1088..=1088_i32).filter(|it| it.abs() <= 16 || it % 32 == 0) {
            let power = BigInt::from(1) << exponent.unsigned_abs();
            let one = BigInt::from(1);
            let (above, below) = if exponent < 0 { (one, power) } else { (power, one) };
            let place = self.nearest(&Rational::new(above, below));
            places.extend([place, self.negated(place)]);
        }
        places.retain(|place| (lo..=hi).contains(place));
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The value at a place.
    pub(super) fn value(self, place: Ordinal) -> Value {
        match self {
            Axis::Floats(grid) => {
                let width = grid.format().width();
                Value::float(grid.format(), Word::new(width, grid.encode(place)))
            }
            Axis::Integers(width) => {
                Value::bits(width, place as u128 & (u128::MAX >> (128 - width)))
            }
        }
    }

    /// The number at a place.
    pub(super) fn number(self, place: Ordinal) -> Rational {
        match self {
            Axis::Floats(_) => real(&self.value(place)).expect("finite"),
            Axis::Integers(_) => Rational::from_integer(place.into()),
        }
    }

    /// The number at a place as `significand * 2^exponent`.
    pub(super) fn parts(self, place: Ordinal) -> (BigInt, i64) {
        match self {
            Axis::Floats(grid) => {
                let float = Float::from_ordinal(grid.format(), place).expect("a place");
                let (negative, significand, exponent) = float.to_parts().expect("a finite float");
                let sign = if negative { Sign::Minus } else { Sign::Plus };
                (BigInt::from_biguint(sign, significand), exponent)
            }
            Axis::Integers(_) => (place.into(), 0),
        }
    }

    /// The place nearest to a number.
    pub(super) fn nearest(self, number: &Rational) -> Ordinal {
        let Interval { lo, hi } = self.whole();
        let place = match self {
            Axis::Floats(grid) => rounded(grid, number).ordinal(),
            Axis::Integers(_) => {
                let end = if number.is_negative() { lo } else { hi };
                number.round().to_integer().to_i128().unwrap_or(end)
            }
        };
        place.clamp(lo, hi)
    }

    /// The place of the number with the other sign.
    pub(super) fn negated(self, place: Ordinal) -> Ordinal {
        match self {
            Axis::Floats(_) => !place,
            Axis::Integers(_) => -place,
        }
    }
}
