//! The algebra of known bits: machine integers up to 128 bits, big ones beyond.

use super::{Algebra, bits_for};
use crate::Word;
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

/// The algebra whose bits are `bool` and whose words are [`Word`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Concrete;

/// How far a shift by this amount goes, no farther than `width`.
fn distance(width: u32, amount: &Word) -> u32 {
    match amount.to_u128() {
        Some(amount) if amount < width as u128 => amount as u32,
        _ => width,
    }
}

impl Algebra for Concrete {
    type Bit = bool;
    type Word = Word;

    #[inline]
    fn bit(&mut self, value: bool) -> bool {
        value
    }

    #[inline]
    fn not(&mut self, a: &bool) -> bool {
        !a
    }

    #[inline]
    fn and(&mut self, a: &bool, b: &bool) -> bool {
        *a && *b
    }

    #[inline]
    fn assemble(&mut self, bits: &[bool]) -> Word {
        Word::from_bits(bits)
    }

    #[inline]
    fn bit_of(&mut self, a: &Word, index: u32) -> bool {
        a.bit(index)
    }

    #[inline]
    fn width(&self, a: &Word) -> u32 {
        a.width()
    }

    #[inline]
    fn known(&self, a: &bool) -> Option<bool> {
        Some(*a)
    }

    #[inline]
    fn or(&mut self, a: &bool, b: &bool) -> bool {
        *a || *b
    }

    #[inline]
    fn xor(&mut self, a: &bool, b: &bool) -> bool {
        a ^ b
    }

    #[inline]
    fn mux(&mut self, condition: &bool, then: &bool, otherwise: &bool) -> bool {
        if *condition { *then } else { *otherwise }
    }

    #[inline]
    fn and_not(&mut self, a: &bool, b: &bool) -> bool {
        *a && !*b
    }

    #[inline]
    fn all(&mut self, bits: &[&bool]) -> bool {
        bits.iter().all(|bit| **bit)
    }

    #[inline]
    fn any(&mut self, bits: &[&bool]) -> bool {
        bits.iter().any(|bit| **bit)
    }

    #[inline]
    fn constant(&mut self, value: &Word) -> Word {
        value.clone()
    }

    #[inline]
    fn number(&mut self, width: u32, value: u128) -> Word {
        Word::new(width, value)
    }

    #[inline]
    fn word_of(&mut self, a: &bool) -> Word {
        Word::new(1, *a as u128)
    }

    #[inline]
    fn repeat(&mut self, a: &bool, width: u32) -> Word {
        if *a { Word::ones(width) } else { Word::zero(width) }
    }

    #[inline]
    fn extract(&mut self, a: &Word, low: u32, width: u32) -> Word {
        assert!(low + width <= a.width(), "bits {low}+{width} of a word of {}", a.width());
        match a.small() {
            Some(_) if low == 128 => Word::zero(width),
            Some(value) => Word::new(width, value >> low),
            None => Word::from_big(width, &(a.to_big() >> low)),
        }
    }

    #[inline]
    fn concat(&mut self, high: &Word, low: &Word) -> Word {
        let shift = low.width();
        high.combine(
            low,
            high.width() + shift,
            |high, low| high.checked_shl(shift).unwrap_or(0) | low,
            |high, low| (high << shift) | low,
        )
    }

    #[inline]
    fn zero_extend(&mut self, a: &Word, width: u32) -> Word {
        assert!(width >= a.width(), "an extension");
        match a.small() {
            Some(value) => Word::new(width, value),
            None => Word::from_big(width, &a.to_big()),
        }
    }

    #[inline]
    fn zero_extend_below(&mut self, a: &Word, width: u32) -> Word {
        let shift = width - a.width();
        match a.small() {
            Some(value) if width <= 128 => Word::new(width, value.checked_shl(shift).unwrap_or(0)),
            _ => Word::from_big(width, &(a.to_big() << shift)),
        }
    }

    #[inline]
    fn not_word(&mut self, a: &Word) -> Word {
        match a.small() {
            Some(value) => Word::new(a.width(), !value),
            None => Word::from_big(a.width(), &(a.to_big() ^ Word::ones(a.width()).to_big())),
        }
    }

    #[inline]
    fn and_word(&mut self, a: &Word, b: &Word) -> Word {
        assert_eq!(a.width(), b.width(), "words of one width");
        a.combine(b, a.width(), |a, b| a & b, |a, b| a & b)
    }

    #[inline]
    fn or_word(&mut self, a: &Word, b: &Word) -> Word {
        assert_eq!(a.width(), b.width(), "words of one width");
        a.combine(b, a.width(), |a, b| a | b, |a, b| a | b)
    }

    #[inline]
    fn xor_word(&mut self, a: &Word, b: &Word) -> Word {
        assert_eq!(a.width(), b.width(), "words of one width");
        a.combine(b, a.width(), |a, b| a ^ b, |a, b| a ^ b)
    }

    #[inline]
    fn mux_word(&mut self, condition: &bool, then: &Word, otherwise: &Word) -> Word {
        assert_eq!(then.width(), otherwise.width(), "words of one width");
        if *condition { then.clone() } else { otherwise.clone() }
    }

    #[inline]
    fn any_set(&mut self, a: &Word) -> bool {
        !a.is_zero()
    }

    #[inline]
    fn all_set(&mut self, a: &Word) -> bool {
        match a.small() {
            Some(value) => Word::new(a.width(), !value).is_zero(),
            None => *a == Word::ones(a.width()),
        }
    }

    #[inline]
    fn add_carry(&mut self, a: &Word, b: &Word, carry: &bool) -> (Word, bool) {
        assert_eq!(a.width(), b.width(), "words of one width");
        let width = a.width();
        if let (Some(x), Some(y)) = (a.small(), b.small())
            && width < 128
        {
            let sum = x + y + *carry as u128;
            return (Word::new(width, sum), sum >> width != 0);
        }
        let sum = a.to_big() + b.to_big() + *carry as u32;
        (Word::from_big(width, &sum), sum.bits() > width as u64)
    }

    #[inline]
    fn sub_compare(&mut self, a: &Word, b: &Word) -> (Word, bool) {
        assert_eq!(a.width(), b.width(), "words of one width");
        if let (Some(x), Some(y)) = (a.small(), b.small()) {
            return (Word::new(a.width(), x.wrapping_sub(y)), x >= y);
        }
        let b = self.not_word(b);
        self.add_carry(a, &b, &true)
    }

    #[inline]
    fn increment(&mut self, a: &Word, bit: &bool) -> Word {
        if *bit { self.add_carry(a, &Word::zero(a.width()), bit).0 } else { a.clone() }
    }

    #[inline]
    fn mul(&mut self, a: &Word, b: &Word) -> Word {
        a.combine(b, a.width() + b.width(), |a, b| a * b, |a, b| a * b)
    }

    #[inline]
    fn udiv_rem(&mut self, a: &Word, b: &Word) -> (Word, Word) {
        if b.is_zero() {
            // What the restoring circuit gives when the remainder is cut to
            // the divisor's width.
            let low = a.to_big();
            return (Word::ones(a.width()), Word::from_big(b.width(), &low));
        }
        let quotient = a.combine(b, a.width(), |a, b| a / b, |a, b| a / b);
        (quotient, a.combine(b, b.width(), |a, b| a % b, |a, b| a % b))
    }

    #[inline]
    fn ratio(&mut self, a: &Word, b: &Word, fraction: u32) -> (Word, bool) {
        let width = fraction + 1;
        if b.is_zero() {
            return (Word::zero(width), false);
        }
        match (a.small(), b.small()) {
            (Some(x), Some(y)) if a.width() + fraction <= 128 => {
                let scaled = x << fraction;
                (Word::new(width, scaled / y), !scaled.is_multiple_of(y))
            }
            _ => {
                let scaled = a.to_big() << fraction;
                let divisor = b.to_big();
                (Word::from_big(width, &(&scaled / &divisor)), !(scaled % divisor).is_zero())
            }
        }
    }

    #[inline]
    fn root(&mut self, a: &Word) -> (Word, bool) {
        let width = a.width().div_ceil(2);
        match a.small() {
            Some(value) => {
                let root = value.isqrt();
                (Word::new(width, root), root * root != value)
            }
            None => {
                let value = a.to_big();
                let root = value.sqrt();
                (Word::from_big(width, &root), &root * &root != value)
            }
        }
    }

    #[inline]
    fn shifted_remainder(&mut self, a: &Word, shift: &Word, limit: u64, b: &Word) -> (Word, bool) {
        // Modulo twice the divisor, so that the quotient's parity shows.
        let shift = shift.to_u128().unwrap_or(u128::MAX).min(limit as u128) as u64;
        if b.is_zero() {
            return (Word::zero(b.width()), false);
        }
        match (a.small(), b.small()) {
            (Some(x), Some(y)) if b.width() <= 64 => {
                let remainder = power_residue(x % (2 * y), shift, 2 * y);
                let odd = remainder >= y;
                (Word::new(b.width(), remainder - if odd { y } else { 0 }), odd)
            }
            _ => {
                let divisor = b.to_big();
                let twice = &divisor << 1u32;
                let power = (BigUint::one() + 1u32).modpow(&BigUint::from(shift), &twice);
                let mut remainder = a.to_big() * power % &twice;
                let odd = remainder >= divisor;
                if odd {
                    remainder -= divisor;
                }
                (Word::from_big(b.width(), &remainder), odd)
            }
        }
    }

    #[inline]
    fn equal(&mut self, a: &Word, b: &Word) -> bool {
        assert_eq!(a.width(), b.width(), "words of one width");
        a == b
    }

    #[inline]
    fn less(&mut self, a: &Word, b: &Word) -> bool {
        assert_eq!(a.width(), b.width(), "words of one width");
        match (a.small(), b.small()) {
            (Some(a), Some(b)) => a < b,
            _ => a.to_big() < b.to_big(),
        }
    }

    #[inline]
    fn shl(&mut self, a: &Word, amount: &Word) -> Word {
        let distance = distance(a.width(), amount);
        match a.small() {
            Some(value) => Word::new(a.width(), value.checked_shl(distance).unwrap_or(0)),
            None => Word::from_big(a.width(), &(a.to_big() << distance)),
        }
    }

    #[inline]
    fn shr(&mut self, a: &Word, amount: &Word) -> Word {
        self.shr_sticky(a, amount).0
    }

    #[inline]
    fn shr_sticky(&mut self, a: &Word, amount: &Word) -> (Word, bool) {
        let distance = distance(a.width(), amount);
        match a.small() {
            Some(value) => {
                let shifted = value.checked_shr(distance).unwrap_or(0);
                let lost = shifted.checked_shl(distance).unwrap_or(0) != value;
                (Word::new(a.width(), shifted), lost)
            }
            None => {
                let value = a.to_big();
                let lost = value.trailing_zeros().is_some_and(|zeros| zeros < distance as u64);
                (Word::from_big(a.width(), &(value >> distance)), lost)
            }
        }
    }

    #[inline]
    fn normalise(&mut self, a: &Word) -> (Word, Word) {
        let zeros = (a.width() - a.significant_bits()).min(a.width().saturating_sub(1));
        let amount = Word::new(bits_for(a.width().saturating_sub(1) as u64), zeros as u128);
        (self.shl(a, &amount), amount)
    }

    #[inline]
    fn leading_zeros(&mut self, a: &Word) -> Word {
        let zeros = a.width() - a.significant_bits();
        Word::new(bits_for(a.width() as u64), zeros as u128)
    }
}

/// `a * 2^exponent` modulo `modulus`, which has at most 65 bits.
fn power_residue(a: u128, exponent: u64, modulus: u128) -> u128 {
    if modulus >> 64 == 0 {
        let mut result = a % modulus;
        let mut power = 2 % modulus;
        let mut rest = exponent;
        while rest != 0 {
            if rest & 1 == 1 {
                result = result * power % modulus;
            }
            power = power * power % modulus;
            rest >>= 1;
        }
        return result;
    }
    let modulus = BigUint::from(modulus);
    let power = BigUint::from(2u32).modpow(&BigUint::from(exponent), &modulus);
    let residue = BigUint::from(a) * power % modulus;
    residue.to_u128().expect("a residue of a 65-bit modulus")
}
