//! Rounding: the one place where precision and range are lost.

use super::Circuit;
use super::exponent::Exponent;
use crate::{Algebra, Format, Raised, Word};

/// A rounding mode decoded; none of these is toward zero.
pub(super) struct Mode<B> {
    pub nearest_even: B,
    pub nearest_away: B,
    pub upward: B,
    pub downward: B,
}

/// A number as the format has it: magnitude with an implicit integer bit.
pub(super) struct Rounded<A: Algebra> {
    pub magnitude: A::Word,
    pub flags: Raised<A::Bit>,
}

/// Bits `finish` wants below the precision: half, one more, sticky. The one
/// in the middle serves to tell tiny after rounding from tiny before.
const EXTRA: u32 = 3;

impl<A: Algebra> Circuit<A> {
    /// Decodes a rounding mode.
    pub(super) fn mode(&mut self, rounding: &A::Word) -> Mode<A::Bit> {
        assert_eq!(self.algebra.width(rounding), 3, "a rounding mode has three bits");
        let alg = &mut self.algebra;
        let [b0, b1, b2] = [0, 1, 2].map(|i| alg.bit_of(rounding, i));
        let b12 = alg.or(&b1, &b2);
        let directed = alg.and_not(&b1, &b2);
        let nearest = alg.not(&b12);
        Mode {
            nearest_even: alg.and_not(&nearest, &b0),
            nearest_away: alg.and(&nearest, &b0),
            upward: alg.and_not(&directed, &b0),
            downward: alg.and(&directed, &b0),
        }
    }

    /// Whether a magnitude is rounded up; see
    /// [`Rounding::rounds_up`](crate::Rounding::rounds_up).
    pub(super) fn rounds_up(
        &mut self,
        mode: &Mode<A::Bit>,
        sign: &A::Bit,
        odd: &A::Bit,
        half: &A::Bit,
        rest: &A::Bit,
    ) -> A::Bit {
        let away = self.away_from_zero(mode, sign);
        let alg = &mut self.algebra;
        let above_half = alg.or(odd, rest);
        let even_up = alg.and(&mode.nearest_even, &above_half);
        let nearest_up = alg.or(&mode.nearest_away, &even_up);
        let nearest_up = alg.and(&nearest_up, half);
        let inexact = alg.or(half, rest);
        let directed_up = alg.and(&away, &inexact);
        alg.or(&nearest_up, &directed_up)
    }

    /// Whether the mode is directed away from zero for this sign.
    fn away_from_zero(&mut self, mode: &Mode<A::Bit>, sign: &A::Bit) -> A::Bit {
        let alg = &mut self.algebra;
        let up = alg.and_not(&mode.upward, sign);
        let down = alg.and(&mode.downward, sign);
        alg.or(&up, &down)
    }

    /// Brings a word to `width` bits from the top: zeros come in below, what
    /// is cut off is gathered in the lowest bit.
    pub(super) fn fit(&mut self, a: &A::Word, width: u32) -> A::Word {
        let given = self.algebra.width(a);
        if given <= width {
            return self.algebra.zero_extend_below(a, width);
        }
        let alg = &mut self.algebra;
        let kept = alg.extract(a, given - width + 1, width - 1);
        let cut = alg.extract(a, 0, given - width + 1);
        let sticky = alg.any_set(&cut);
        let sticky = alg.word_of(&sticky);
        alg.concat(&kept, &sticky)
    }

    /// `a` with `bit` added below.
    pub(super) fn with_sticky(&mut self, a: &A::Word, bit: &A::Bit) -> A::Word {
        let bit = self.algebra.word_of(bit);
        self.algebra.concat(a, &bit)
    }

    /// Rounds a number whose significand has its top bit set, worth
    /// `2^(exponent - bias)`; the lowest bit may be sticky. Unless the result
    /// is exact, at least two bits beyond the precision must be given.
    pub(super) fn round(
        &mut self,
        format: Format,
        mode: &Mode<A::Bit>,
        sign: &A::Bit,
        exponent: &Exponent<A::Word>,
        significand: &A::Word,
    ) -> Rounded<A> {
        let mut significand = self.fit(significand, format.precision + EXTRA);
        let mut exponent = exponent.clone();
        if exponent.low < 1 {
            let shortfall = self.exponent_from(1, &exponent);
            let amount = self.exponent_clamped(&shortfall);
            let (shifted, lost) = self.algebra.shr_sticky(&significand, &amount);
            let lost = self.algebra.word_of(&lost);
            let lost = self.algebra.zero_extend(&lost, format.precision + EXTRA);
            significand = self.algebra.or_word(&shifted, &lost);
            // max(exponent, 1)
            let above = self.exponent_offset(&exponent, -1);
            let above = self.exponent_clamped(&above);
            let above = self.exponent(&above, 0, (exponent.high - 1).max(0));
            exponent = self.exponent_offset(&above, 1);
        }
        self.finish(format, mode, sign, &exponent, &significand)
    }

    /// Rounds a number with an exponent of at least 1 and a significand of
    /// `precision + 3` bits, whose top bit may be clear if the exponent is 1.
    pub(super) fn finish(
        &mut self,
        format: Format,
        mode: &Mode<A::Bit>,
        sign: &A::Bit,
        exponent: &Exponent<A::Word>,
        significand: &A::Word,
    ) -> Rounded<A> {
        let (eb, fraction_bits) = (format.exponent_bits, format.fraction_bits());
        let away = self.away_from_zero(mode, sign);
        let alg = &mut self.algebra;
        let integer = alg.bit_of(significand, fraction_bits + EXTRA);
        let fraction = alg.extract(significand, EXTRA, fraction_bits);
        let [sticky, next, half, odd] = [0, 1, 2, 3].map(|i| alg.bit_of(significand, i));
        let rest = alg.or(&next, &sticky);
        let inexact = alg.or(&half, &rest);
        let nonzero = alg.any_set(significand);
        let fraction_ones = alg.all_set(&fraction);

        // Tiny after rounding (7.5): below the smallest normal even when
        // rounded at full precision, one place further down for the topmost
        // subnormal binade.
        let up = self.rounds_up(mode, sign, &odd, &half, &rest);
        let up_below = self.rounds_up(mode, sign, &half, &next, &sticky);
        let alg = &mut self.algebra;
        let saved = alg.all(&[&fraction_ones, &half, &up_below]);
        let below = alg.and_not(&nonzero, &integer);
        let tiny = alg.and_not(&below, &saved);
        let underflow = alg.and(&tiny, &inexact);

        // The increment carries from the fraction into the exponent field.
        let field = alg.extract(&exponent.word, 0, eb.min(alg.width(&exponent.word)));
        let field = alg.zero_extend(&field, eb);
        let mask = alg.repeat(&integer, eb);
        let field = alg.and_word(&field, &mask);
        let packed = alg.concat(&field, &fraction);
        let packed = alg.increment(&packed, &up);

        let special = format.special_exponent() as i64;
        let field = alg.extract(&packed, fraction_bits, eb);
        let carried = alg.all_set(&field);
        let within = self.exponent_less(exponent, special);
        let alg = &mut self.algebra;
        let beyond = alg.not(&within);
        let overflow = alg.or(&beyond, &carried);
        let to_infinity = alg.any(&[&mode.nearest_even, &mode.nearest_away, &away]);
        let lowest = Word::run(eb + fraction_bits, fraction_bits, 1);
        let lowest = alg.constant(&lowest);
        let largest = alg.not_word(&lowest);
        let infinity = self.infinity(format);
        let alg = &mut self.algebra;
        let extreme = alg.mux_word(&to_infinity, &infinity, &largest);
        let magnitude = alg.mux_word(&overflow, &extreme, &packed);
        let inexact = alg.or(&inexact, &overflow);
        let flags = Raised {
            invalid: alg.bit(false),
            divide_by_zero: alg.bit(false),
            overflow,
            underflow,
            inexact,
            tiny,
        };
        Rounded { magnitude, flags }
    }
}

impl Circuit<crate::Concrete> {
    /// Rounds `±significand`, not zero, its top bit worth `2^exponent` and its
    /// lowest one sticky.
    pub(crate) fn round_known(
        &mut self,
        format: Format,
        rounding: crate::Rounding,
        negative: bool,
        exponent: i64,
        significand: &num_bigint::BigUint,
    ) -> (crate::Float, crate::Flags) {
        let mode = self.mode(&rounding.into());
        let width = significand.bits() as u32;
        let significand = Word::from_big(width, significand);
        // Beyond these bounds every exponent rounds alike.
        let lowest = -(format.precision as i64) - 2;
        let highest = format.special_exponent() as i64 + 1;
        let biased = (exponent + format.max_exponent()).clamp(lowest, highest);
        let word = Word::new(64, biased as u128);
        let exponent = self.exponent(&word, lowest, highest);
        let rounded = self.round(format, &mode, &negative, &exponent, &significand);
        let special = self.ordinary();
        let (word, flags) = self.conclude(format, &[], &special, &negative, &rounded);
        (crate::Float::from_word(format, word), flags)
    }
}
