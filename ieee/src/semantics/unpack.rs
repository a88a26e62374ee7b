//! From an encoding to its parts, and from a result's parts to an encoding.

use super::exponent::Exponent;
use super::round::Rounded;
use super::{Circuit, Computed, NanRule};
use crate::{Algebra, Format, Raised, Word};

/// An operand taken apart. Encodings the x87 unit does not support (unnormals,
/// pseudo-infinities, pseudo-NaNs) appear as signalling NaNs: every operation
/// on them is invalid. Pseudo-denormals appear as the number they stand for.
pub(crate) struct Unpacked<A: Algebra> {
    /// The encoding with an implicit integer bit.
    pub word: A::Word,
    /// The same without its sign: an order-preserving number.
    pub magnitude: A::Word,
    pub sign: A::Bit,
    pub nan: A::Bit,
    pub signaling: A::Bit,
    pub infinite: A::Bit,
    pub zero: A::Bit,
    pub subnormal: A::Bit,
    pub normal: A::Bit,
    /// The biased exponent, at least 1.
    pub exponent: Exponent<A::Word>,
    /// The significand with its integer bit on top.
    pub significand: A::Word,
}

/// A finite number that is not zero, its significand's top bit set.
pub(super) struct Normalised<W> {
    pub exponent: Exponent<W>,
    pub significand: W,
}

/// What overrides the rounded number. NaN operands come on top of it; beyond
/// that the first that holds of invalid, infinite, zero wins.
pub(super) struct Special<B> {
    pub invalid: B,
    pub divide_by_zero: B,
    pub infinite: B,
    pub zero: B,
}

/// The canonical NaN of a format with an implicit integer bit.
fn canonical_nan(format: Format, negative: bool) -> Word {
    let ones = format.exponent_bits + 1 + negative as u32;
    Word::run(format.width(), format.fraction_bits() - 1, ones)
}

impl<A: Algebra> Circuit<A> {
    /// Takes an operand apart.
    pub(crate) fn unpack(&mut self, format: Format, encoding: &A::Word) -> Unpacked<A> {
        assert_eq!(self.algebra.width(encoding), format.width(), "an encoding of {format}");
        let (word, supported) = self.make_implicit(format, encoding);
        let format = format.implicit();
        let (eb, fraction_bits) = (format.exponent_bits, format.fraction_bits());
        let alg = &mut self.algebra;
        let sign = alg.bit_of(&word, eb + fraction_bits);
        let magnitude = alg.extract(&word, 0, eb + fraction_bits);
        let field = alg.extract(&word, fraction_bits, eb);
        let fraction = alg.extract(&word, 0, fraction_bits);
        let quiet = alg.bit_of(&word, fraction_bits - 1);

        let field_ones = alg.all_set(&field);
        let field_some = alg.any_set(&field);
        let fraction_some = alg.any_set(&fraction);
        let mut nan = alg.and(&field_ones, &fraction_some);
        let mut signaling = alg.and_not(&nan, &quiet);
        let mut infinite = alg.and_not(&field_ones, &fraction_some);
        let mut normal = alg.and_not(&field_some, &field_ones);
        let subnormal = alg.and_not(&fraction_some, &field_some);
        let nonzero = alg.or(&field_some, &fraction_some);
        let zero = alg.not(&nonzero);
        if let Some(supported) = supported {
            let unsupported = alg.not(&supported);
            nan = alg.or(&nan, &unsupported);
            signaling = alg.or(&signaling, &unsupported);
            infinite = alg.and(&infinite, &supported);
            normal = alg.and(&normal, &supported);
        }

        let lowest = alg.bit_of(&field, 0);
        let field_none = alg.not(&field_some);
        let lowest = alg.or(&lowest, &field_none);
        let lowest = alg.word_of(&lowest);
        let upper = alg.extract(&field, 1, eb - 1);
        let biased = alg.concat(&upper, &lowest);
        let integer = alg.word_of(&field_some);
        let significand = alg.concat(&integer, &fraction);
        // The special exponent is left out of the range: what is computed from
        // it means nothing and is overridden.
        let exponent = self.exponent(&biased, 1, format.special_exponent() as i64 - 1);
        Unpacked {
            word,
            magnitude,
            sign,
            nan,
            signaling,
            infinite,
            zero,
            subnormal,
            normal,
            exponent,
            significand,
        }
    }

    /// The encoding with an implicit integer bit, and whether the explicit one
    /// is as the x87 unit wants it.
    fn make_implicit(&mut self, format: Format, a: &A::Word) -> (A::Word, Option<A::Bit>) {
        if !format.explicit_integer_bit {
            return (a.clone(), None);
        }
        let (eb, fraction_bits) = (format.exponent_bits, format.fraction_bits());
        let alg = &mut self.algebra;
        let fraction = alg.extract(a, 0, fraction_bits);
        let integer = alg.bit_of(a, fraction_bits);
        let field = alg.extract(a, fraction_bits + 1, eb);
        let sign = alg.extract(a, fraction_bits + 1 + eb, 1);
        let field_some = alg.any_set(&field);
        let denormal = alg.not(&field_some);
        let supported = alg.or(&integer, &denormal);
        // A pseudo-denormal: exponent field 0 with the integer bit set stands
        // for exponent field 1.
        let lowest = alg.bit_of(&field, 0);
        let pseudo_denormal = alg.and(&integer, &denormal);
        let lowest = alg.or(&lowest, &pseudo_denormal);
        let lowest = alg.word_of(&lowest);
        let upper = alg.extract(&field, 1, eb - 1);
        let field = alg.concat(&upper, &lowest);
        let top = alg.concat(&sign, &field);
        (alg.concat(&top, &fraction), Some(supported))
    }

    /// The encoding in `format` of one with an implicit integer bit.
    pub(crate) fn encode(&mut self, format: Format, a: &A::Word) -> A::Word {
        if !format.explicit_integer_bit {
            return a.clone();
        }
        let (eb, fraction_bits) = (format.exponent_bits, format.fraction_bits());
        let alg = &mut self.algebra;
        let fraction = alg.extract(a, 0, fraction_bits);
        let field = alg.extract(a, fraction_bits, eb);
        let integer = alg.any_set(&field);
        let integer = alg.word_of(&integer);
        let top = alg.extract(a, fraction_bits, eb + 1);
        let top = alg.concat(&top, &integer);
        alg.concat(&top, &fraction)
    }

    /// The operand with its significand's top bit set; anything for a zero.
    pub(super) fn normalised(&mut self, a: &Unpacked<A>) -> Normalised<A::Word> {
        let precision = self.algebra.width(&a.significand) as i64;
        let (significand, amount) = self.algebra.normalise(&a.significand);
        let amount = self.exponent(&amount, 0, precision - 1);
        Normalised { exponent: self.exponent_sub(&a.exponent, &amount), significand }
    }

    /// The NaN an operation on these operands gives, integer bit implicit.
    pub(super) fn nan_for(&mut self, format: Format, operands: &[&Unpacked<A>]) -> A::Word {
        let format = format.implicit();
        match self.nan {
            NanRule::Canonical => self.algebra.constant(&canonical_nan(format, false)),
            NanRule::X86 => {
                let mut nan = self.algebra.constant(&canonical_nan(format, true));
                for operand in operands.iter().rev() {
                    let quieted = self.quieted(format, &operand.word);
                    nan = self.algebra.mux_word(&operand.nan, &quieted, &nan);
                }
                nan
            }
        }
    }

    /// A NaN with its quiet bit set.
    pub(super) fn quieted(&mut self, format: Format, nan: &A::Word) -> A::Word {
        let quiet = Word::run(format.width(), format.fraction_bits() - 1, 1);
        let quiet = self.algebra.constant(&quiet);
        self.algebra.or_word(nan, &quiet)
    }

    /// The magnitude of infinity, integer bit implicit.
    pub(super) fn infinity(&mut self, format: Format) -> A::Word {
        let (eb, fraction_bits) = (format.exponent_bits, format.fraction_bits());
        self.algebra.constant(&Word::run(eb + fraction_bits, fraction_bits, eb))
    }

    /// Nothing special.
    pub(super) fn ordinary(&mut self) -> Special<A::Bit> {
        let clear = self.algebra.bit(false);
        Special {
            invalid: clear.clone(),
            divide_by_zero: clear.clone(),
            infinite: clear.clone(),
            zero: clear,
        }
    }

    /// The result of an operation: the rounded number unless something special
    /// overrides it.
    pub(super) fn conclude(
        &mut self,
        format: Format,
        operands: &[&Unpacked<A>],
        special: &Special<A::Bit>,
        sign: &A::Bit,
        rounded: &Rounded<A>,
    ) -> Computed<A> {
        let nan_word = self.nan_for(format, operands);
        self.conclude_with_nan(format, operands, special, sign, rounded, &nan_word)
    }

    /// As `conclude`, with the NaN to give where there is one.
    pub(super) fn conclude_with_nan(
        &mut self,
        format: Format,
        operands: &[&Unpacked<A>],
        special: &Special<A::Bit>,
        sign: &A::Bit,
        rounded: &Rounded<A>,
        nan_word: &A::Word,
    ) -> Computed<A> {
        let infinity = self.infinity(format);
        let alg = &mut self.algebra;
        let mut operand_nan = alg.bit(false);
        let mut signaling = alg.bit(false);
        for operand in operands {
            operand_nan = alg.or(&operand_nan, &operand.nan);
            signaling = alg.or(&signaling, &operand.signaling);
        }
        let nan = alg.or(&operand_nan, &special.invalid);
        let made_nan = alg.and_not(&special.invalid, &operand_nan);
        let invalid = alg.or(&signaling, &made_nan);

        let nothing = alg.number(format.exponent_bits + format.fraction_bits(), 0);
        let magnitude = alg.mux_word(&special.zero, &nothing, &rounded.magnitude);
        let magnitude = alg.mux_word(&special.infinite, &infinity, &magnitude);
        let sign = alg.word_of(sign);
        let number = alg.concat(&sign, &magnitude);
        let word = alg.mux_word(&nan, nan_word, &number);

        let overridden = alg.any(&[&nan, &special.infinite, &special.zero]);
        let flags = Raised {
            invalid,
            divide_by_zero: alg.and_not(&special.divide_by_zero, &nan),
            overflow: alg.and_not(&rounded.flags.overflow, &overridden),
            underflow: alg.and_not(&rounded.flags.underflow, &overridden),
            inexact: alg.and_not(&rounded.flags.inexact, &overridden),
            tiny: alg.and_not(&rounded.flags.tiny, &overridden),
        };
        (self.encode(format, &word), flags)
    }
}
