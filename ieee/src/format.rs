//! Binary floating-point formats: how many bits, and what they mean.

/// A binary interchange-like format: sign, biased exponent, significand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Format {
    /// Width of the biased exponent field.
    pub exponent_bits: u32,
    /// Precision: significand bits including the integer bit, stored or not.
    pub precision: u32,
    /// Whether the integer bit of the significand is stored (x87 extended).
    pub explicit_integer_bit: bool,
}

impl Format {
    /// IEEE 754 binary16.
    pub const BINARY16: Format = Format::new(5, 11);
    /// bfloat16: binary32's range with eight bits of precision.
    pub const BFLOAT16: Format = Format::new(8, 8);
    /// IEEE 754 binary32, C's `float`.
    pub const BINARY32: Format = Format::new(8, 24);
    /// IEEE 754 binary64, C's `double`.
    pub const BINARY64: Format = Format::new(11, 53);
    /// IEEE 754 binary128, C's `__float128`.
    pub const BINARY128: Format = Format::new(15, 113);
    /// x87 double extended, C's `long double` on x86-64.
    pub const X87: Format = Format { exponent_bits: 15, precision: 64, explicit_integer_bit: true };

    /// A format with an implicit integer bit, as SMT-LIB's `(_ FloatingPoint eb sb)`.
    pub const fn new(exponent_bits: u32, precision: u32) -> Format {
        Format { exponent_bits, precision, explicit_integer_bit: false }
    }

    /// Total width of an encoding in bits.
    pub const fn width(self) -> u32 {
        let stored = if self.explicit_integer_bit { self.precision } else { self.precision - 1 };
        1 + self.exponent_bits + stored
    }
}
