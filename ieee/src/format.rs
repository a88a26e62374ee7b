//! Binary floating-point formats: how many bits, and what they mean.

use std::fmt;
use std::str::FromStr;

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

    /// The formats that have a name.
    pub const NAMED: [(&'static str, Format); 6] = [
        ("binary16", Format::BINARY16),
        ("bfloat16", Format::BFLOAT16),
        ("binary32", Format::BINARY32),
        ("binary64", Format::BINARY64),
        ("binary128", Format::BINARY128),
        ("x87", Format::X87),
    ];

    /// The widest exponent field the semantics can handle.
    pub const MAX_EXPONENT_BITS: u32 = 60;

    /// A format with an implicit integer bit, as SMT-LIB's `(_ FloatingPoint eb sb)`.
    /// Both widths are at least 2, as there.
    pub const fn new(exponent_bits: u32, precision: u32) -> Format {
        assert!(
            exponent_bits >= 2 && exponent_bits <= Format::MAX_EXPONENT_BITS,
            "exponent field of 2 to 60 bits"
        );
        assert!(precision >= 2, "precision of at least 2 bits");
        Format { exponent_bits, precision, explicit_integer_bit: false }
    }

    /// Total width of an encoding in bits.
    pub const fn width(self) -> u32 {
        let stored = if self.explicit_integer_bit { self.precision } else { self.precision - 1 };
        1 + self.exponent_bits + stored
    }

    /// The same values with an implicit integer bit.
    pub const fn implicit(self) -> Format {
        Format { explicit_integer_bit: false, ..self }
    }

    /// Width of the significand field below the integer bit.
    pub const fn fraction_bits(self) -> u32 {
        self.precision - 1
    }

    /// The exponent of the largest binade, which is also the exponent's bias.
    pub const fn max_exponent(self) -> i64 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The exponent of the smallest normal number.
    pub const fn min_exponent(self) -> i64 {
        1 - self.max_exponent()
    }

    /// The exponent of the smallest subnormal number, the unit of every value.
    pub const fn quantum_exponent(self) -> i64 {
        self.min_exponent() - self.fraction_bits() as i64
    }

    /// The largest exponent field, the one of infinities and NaNs.
    pub const fn special_exponent(self) -> u64 {
        (1 << self.exponent_bits) - 1
    }

    /// Whether every value of `other` is a value of this format.
    pub const fn holds(self, other: Format) -> bool {
        self.precision >= other.precision
            && self.max_exponent() >= other.max_exponent()
            && self.quantum_exponent() <= other.quantum_exponent()
    }
}

impl fmt::Display for Format {
    /// Its name, or `e<exponent bits>p<precision>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Format::NAMED.iter().find(|(_, format)| format == self) {
            Some((name, _)) => f.pad(name),
            None => {
                let explicit = if self.explicit_integer_bit { "i" } else { "" };
                f.pad(&format!("e{}p{}{explicit}", self.exponent_bits, self.precision))
            }
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        if let Some((_, format)) = Format::NAMED.iter().find(|(name, _)| *name == text) {
            return Ok(*format);
        }
        let widths = || {
            let (rest, explicit_integer_bit) = match text.strip_suffix('i') {
                Some(rest) => (rest, true),
                None => (text, false),
            };
            let (exponent, precision) = rest.strip_prefix('e')?.split_once('p')?;
            let (exponent_bits, precision) = (exponent.parse().ok()?, precision.parse().ok()?);
            let sane = (2..=Format::MAX_EXPONENT_BITS).contains(&exponent_bits) && precision >= 2;
            sane.then_some(Format { exponent_bits, precision, explicit_integer_bit })
        };
        widths().ok_or_else(|| format!("`{text}` is no format (binary64, ..., or e11p53)"))
    }
}
