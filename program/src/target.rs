//! Targets: a function and its input space.

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
    /// How many 64-bit words a value takes in an input vector: two when wider than 64 bits.
    pub fn words(self) -> usize {
        let bits = match self {
            Scalar::Float(format) => format.width(),
            Scalar::Integer { bits, .. } => bits,
        };
        if bits > 64 { 2 } else { 1 }
    }
}

/// A scalar leaf of a target's parameters.
#[derive(Clone, Debug)]
pub struct Input {
    /// As a person names it: `x`, `p->val`, `a[3]`.
    pub name: String,
    /// The C type's name, as the source has it.
    pub type_name: String,
    /// What it holds.
    pub scalar: Scalar,
    /// Its first word in the input vector (little end first for two).
    pub word: usize,
    /// Smallest admitted value, as an encoding of `scalar`.
    pub low: u128,
    /// Largest admitted value, as an encoding of `scalar`.
    pub high: u128,
    /// Whether infinities and NaN are admitted too (floats only).
    pub specials: bool,
}

/// A scalar that the target gives back: its result, or a leaf of memory it was handed.
#[derive(Clone, Debug)]
pub struct Output {
    /// As a person names it: `return`, `result->val`.
    pub name: String,
    /// What it holds.
    pub scalar: Scalar,
    /// Its first word in the output vector.
    pub word: usize,
}

/// A function with its input space.
#[derive(Clone, Debug)]
pub struct Target {
    /// The function's name.
    pub function: String,
    /// Its inputs.
    pub inputs: Vec<Input>,
    /// Its outputs.
    pub outputs: Vec<Output>,
    /// Words in an input vector.
    pub input_words: usize,
    /// Words in an output vector.
    pub output_words: usize,
}
