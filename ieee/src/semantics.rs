//! The semantics of every operation, once, over any algebra of bits.
//!
//! All work is done on encodings with an implicit integer bit: `unpack` brings
//! x87's explicit bit into that form and `conclude` takes it back. A finite
//! operand is a biased exponent of at least 1 and a significand of `precision`
//! bits whose top bit is clear for subnormals. An operation computes the exact
//! result with a few bits more than it needs and a sticky one, `round` cuts it,
//! and `conclude` puts NaNs, infinities and zeros over it.

mod add;
mod compare;
mod convert;
mod div;
mod domain;
mod exponent;
mod fma;
mod integer;
mod integral;
mod minmax;
mod mul;
mod remainder;
mod round;
mod sqrt;
mod step;
mod unpack;

use crate::{Algebra, Raised};

/// Which NaN an operation gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NanRule {
    /// Always the canonical one: sign clear, only the quiet bit set.
    #[default]
    Canonical,
    /// As x86's SSE and AVX: the first operand that is a NaN, made quiet; and
    /// the canonical one with its sign set where no operand is a NaN. (The x87
    /// unit chooses among two NaNs by their significands; that is not
    /// modelled.)
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

    /// Nothing raised.
    pub fn no_flags(&mut self) -> Raised<A::Bit> {
        let clear = self.algebra.bit(false);
        Raised {
            invalid: clear.clone(),
            divide_by_zero: clear.clone(),
            overflow: clear.clone(),
            underflow: clear.clone(),
            inexact: clear.clone(),
            tiny: clear,
        }
    }

    /// Only invalid, if `invalid`.
    fn only_invalid(&mut self, invalid: A::Bit) -> Raised<A::Bit> {
        Raised { invalid, ..self.no_flags() }
    }
}

/// A result and what it raised.
type Computed<A> = (<A as Algebra>::Word, Raised<<A as Algebra>::Bit>);
