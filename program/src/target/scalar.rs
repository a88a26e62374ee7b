//! The types of scalar leaves.

use nanoscope_ieee::Format;

/// The type of a scalar leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// A floating-point number.
    Float(Format),
    /// An integer of a width up to 128 bits.
    Integer {
        /// Width in bits.
        bits: u32,
        /// Whether it is two's complement.
        signed: bool,
    },
}

impl Scalar {
    /// Width of an encoding in bits.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Float(format) => format.width(),
            Scalar::Integer { bits, .. } => bits,
        }
    }

    /// How many 64-bit words a value takes in an input vector: two when wider than 64 bits.
    pub fn words(self) -> usize {
        if self.bits() > 64 { 2 } else { 1 }
    }
}
