//! What is searched: dimensions with their admitted ranges, and points over them.

use nanoscope_ieee::Format;
use std::fmt;

/// What a dimension's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Floating-point numbers of a format at most 128 bits wide.
    Float(Format),
    /// Integers of at most 128 bits.
    Integer {
        /// Width in bits, from 1.
        bits: u32,
        /// Whether they are two's complement.
        signed: bool,
    },
}

impl Kind {
    /// Width of an encoding.
    pub fn width(self) -> u32 {
        match self {
            Kind::Float(format) => format.width(),
            Kind::Integer { bits, .. } => bits,
        }
    }
}

/// A range that admits no value: its ends are the wrong way round, or one is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptyRange;

impl fmt::Display for EmptyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the range admits no value")
    }
}

impl std::error::Error for EmptyRange {}

/// One scalar of a point: its kind and the values it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dimension {
    pub(crate) kind: Kind,
    pub(crate) low: u128,
    pub(crate) high: u128,
    pub(crate) specials: bool,
}

impl Dimension {
    /// All finite numbers of a format.
    ///
    /// # Panics
    /// When the format is wider than 128 bits.
    pub fn float(format: Format) -> Dimension {
        assert!(format.width() <= 128, "formats wider than 128 bits are not searched");
        let high = largest_finite(format);
        let sign = 1 << (format.width() - 1);
        Dimension { kind: Kind::Float(format), low: high | sign, high, specials: false }
    }

    /// All integers of a width.
    ///
    /// # Panics
    /// When the width is 0 or more than 128.
    pub fn integer(bits: u32, signed: bool) -> Dimension {
        assert!((1..=128).contains(&bits), "integers have 1 to 128 bits");
        let ones = u128::MAX >> (128 - bits);
        let (low, high) = if signed { (1 << (bits - 1), ones >> 1) } else { (0, ones) };
        Dimension { kind: Kind::Integer { bits, signed }, low, high, specials: false }
    }

    /// Whether infinities and NaN are admitted beside the range (floats only).
    pub fn with_specials(self, specials: bool) -> Dimension {
        Dimension { specials: specials && matches!(self.kind, Kind::Float(_)), ..self }
    }

    /// What the values are.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The smallest admitted finite value's encoding.
    pub fn low(&self) -> u128 {
        self.low
    }

    /// The largest admitted finite value's encoding.
    pub fn high(&self) -> u128 {
        self.high
    }

    /// Whether infinities and NaN are admitted too.
    pub fn specials(&self) -> bool {
        self.specials
    }

    /// How many words a value takes in a point: two when wider than 64 bits.
    pub fn words(&self) -> usize {
        if self.kind.width() > 64 { 2 } else { 1 }
    }

    /// All finite values of the same kind.
    pub(crate) fn full(&self) -> Dimension {
        match self.kind {
            Kind::Float(format) => Dimension::float(format),
            Kind::Integer { bits, signed } => Dimension::integer(bits, signed),
        }
    }
}

/// The encoding of a format's largest finite number.
pub(crate) fn largest_finite(format: Format) -> u128 {
    let stored = format.width() - 1 - format.exponent_bits;
    let exponent = (1u128 << format.exponent_bits) - 2;
    (exponent << stored) | ((1 << stored) - 1)
}

/// A list of dimensions. A point is a slice of words: each dimension's encoding in
/// turn, two words (little end first) for those wider than 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    dimensions: Vec<Dimension>,
    words: usize,
}

impl Space {
    /// The space of these dimensions.
    pub fn new(dimensions: Vec<Dimension>) -> Space {
        let words = dimensions.iter().map(Dimension::words).sum();
        Space { dimensions, words }
    }

    /// Its dimensions, in the order of a point's words.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// Words in a point.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The encodings that a point's words stand for.
    pub fn encodings(&self, point: &[u64]) -> Vec<u128> {
        let mut words = point.iter().copied().map(u128::from);
        let mut word = || words.next().expect("a point has as many words as its space");
        self.dimensions
            .iter()
            .map(|dimension| word() | if dimension.words() == 2 { word() << 64 } else { 0 })
            .collect()
    }

    /// Whether every coordinate of a point is admitted.
    pub fn contains(&self, point: &[u64]) -> bool {
        point.len() == self.words
            && self.dimensions.iter().zip(self.encodings(point)).all(|(d, e)| d.admits(e))
    }
}
