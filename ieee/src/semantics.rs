//! The semantics of every operation, once, over any algebra of bits.

use crate::Algebra;

/// Which NaN an operation gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NanRule {
    /// Always the canonical one: sign clear, only the quiet bit set.
    #[default]
    Canonical,
    /// As x86's SSE and AVX: the first operand that is a NaN, made quiet; and
    /// the canonical one with its sign set where no operand is a NaN.
    X86,
}

/// The bit-level reading of every operation: a float is the word of its
/// encoding, a rounding mode a word of three bits (see
/// [`Rounding`](crate::Rounding)), a truth value a bit.
#[derive(Clone, Debug, Default)]
pub struct Circuit<A> {
    /// Where the gates are made.
    pub algebra: A,
    /// Which NaN an operation gives.
    pub nan: NanRule,
}

impl<A: Algebra> Circuit<A> {
    /// The semantics over `algebra` with canonical NaNs.
    pub fn new(algebra: A) -> Circuit<A> {
        Circuit { algebra, nan: NanRule::Canonical }
    }
}
