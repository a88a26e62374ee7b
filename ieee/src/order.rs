//! The order of the encodings: distances in units in the last place.

use crate::{Circuit, Concrete, Float, Format, Word};

impl Float {
    /// The place of this encoding in the order of all: `+0` is 0, `-0` is -1,
    /// and every step is to the next encoding. NaNs lie beyond the infinities
    /// of their sign. The map is one-to-one and monotone; x87's redundant
    /// encodings share the place of the number they stand for.
    ///
    /// # Panics
    /// If the format has more than 128 bits.
    pub fn ordinal(&self) -> i128 {
        let (negative, magnitude) = self.sign_and_magnitude();
        if negative { !(magnitude as i128) } else { magnitude as i128 }
    }

    /// The datum at a place in the order; none if the format ends before.
    ///
    /// # Panics
    /// If the format has more than 128 bits.
    pub fn from_ordinal(format: Format, ordinal: i128) -> Option<Float> {
        let width = format.implicit().width();
        assert!(width <= 128, "an order for formats of at most 128 bits");
        let negative = ordinal < 0;
        let magnitude = if negative { !ordinal } else { ordinal } as u128;
        if magnitude >> (width - 1) != 0 {
            return None;
        }
        let bits = (negative as u128) << (width - 1) | magnitude;
        Some(Float::from_implicit(format, &Word::new(width, bits)))
    }

    /// How many steps lie between two numbers, both zeros being one place;
    /// none with a NaN.
    ///
    /// # Panics
    /// If the formats differ or have more than 128 bits.
    pub fn ulp_distance(&self, other: &Float) -> Option<u128> {
        assert_eq!(self.format(), other.format(), "a distance within one format");
        if self.is_nan() || other.is_nan() {
            return None;
        }
        let (negative, magnitude) = self.sign_and_magnitude();
        let (other_negative, other_magnitude) = other.sign_and_magnitude();
        Some(if negative == other_negative {
            magnitude.abs_diff(other_magnitude)
        } else {
            magnitude + other_magnitude
        })
    }

    /// The sign and the magnitude of the encoding, integer bit implicit.
    fn sign_and_magnitude(&self) -> (bool, u128) {
        let unpacked = Circuit::new(Concrete).unpack(self.format(), self.word());
        let magnitude = unpacked.magnitude.to_u128().filter(|_| self.format().width() <= 128);
        (unpacked.sign, magnitude.expect("an order for formats of at most 128 bits"))
    }
}
