//! An algebra of bits and words: what the semantics is written over.
//!
//! Everything is a method on `&mut self`, so that an and-inverter graph can
//! make gates. Only a handful of methods must be given; all others have a
//! default circuit in terms of these, to be replaced where an algebra knows
//! better. [`Concrete`] replaces all that matter.

mod circuits;
mod concrete;

pub use concrete::Concrete;

use crate::Word;

/// Bits, and words of a width known at run time.
///
/// Words are unsigned; operations on two words want equal widths unless they
/// say otherwise. Constant folding is the algebra's own business.
pub trait Algebra {
    /// A bit.
    type Bit: Clone;
    /// A string of bits, possibly none.
    type Word: Clone;

    /// A known bit.
    fn bit(&mut self, value: bool) -> Self::Bit;
    /// The negation.
    fn not(&mut self, a: &Self::Bit) -> Self::Bit;
    /// The conjunction.
    fn and(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit;
    /// The word of these bits, the least significant first.
    fn assemble(&mut self, bits: &[Self::Bit]) -> Self::Word;
    /// The bit at `index`, 0 being the least significant.
    fn bit_of(&mut self, a: &Self::Word, index: u32) -> Self::Bit;
    /// The width of a word.
    fn width(&self, a: &Self::Word) -> u32;

    /// What a bit is known to be, if it is: a licence to leave a part out.
    fn known(&self, _a: &Self::Bit) -> Option<bool> {
        None
    }

    /// Whether results no longer matter, because there is no room or time for
    /// them: the long circuits then end early, with words of the right widths.
    fn spent(&self) -> bool {
        false
    }

    /// The disjunction.
    fn or(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(&a, &b);
        self.not(&neither)
    }

    /// The exclusive disjunction.
    fn xor(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit {
        let both = self.and(a, b);
        let either = self.or(a, b);
        self.and_not(&either, &both)
    }

    /// `a` and not `b`.
    fn and_not(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit {
        let b = self.not(b);
        self.and(a, &b)
    }

    /// `then` if `condition`, else `otherwise`.
    fn mux(&mut self, condition: &Self::Bit, then: &Self::Bit, otherwise: &Self::Bit) -> Self::Bit {
        let then = self.and(condition, then);
        let otherwise = self.and_not(otherwise, condition);
        self.or(&then, &otherwise)
    }

    /// The conjunction of all.
    fn all(&mut self, bits: &[&Self::Bit]) -> Self::Bit {
        circuits::tree(self, bits, true, Self::and)
    }

    /// The disjunction of all.
    fn any(&mut self, bits: &[&Self::Bit]) -> Self::Bit {
        circuits::tree(self, bits, false, Self::or)
    }

    /// Its bits, the least significant first.
    fn bits_of(&mut self, a: &Self::Word) -> Vec<Self::Bit> {
        (0..self.width(a)).map(|i| self.bit_of(a, i)).collect()
    }

    /// A known word.
    fn constant(&mut self, value: &Word) -> Self::Word {
        let bits: Vec<_> = (0..value.width()).map(|i| self.bit(value.bit(i))).collect();
        self.assemble(&bits)
    }

    /// A known word, the low `width` bits of a number.
    fn number(&mut self, width: u32, value: u128) -> Self::Word {
        self.constant(&Word::new(width, value))
    }

    /// The word of one bit.
    fn word_of(&mut self, a: &Self::Bit) -> Self::Word {
        self.assemble(std::slice::from_ref(a))
    }

    /// `width` copies of a bit.
    fn repeat(&mut self, a: &Self::Bit, width: u32) -> Self::Word {
        self.assemble(&vec![a.clone(); width as usize])
    }

    /// `width` bits from `low` up.
    fn extract(&mut self, a: &Self::Word, low: u32, width: u32) -> Self::Word {
        let bits: Vec<_> = (low..low + width).map(|i| self.bit_of(a, i)).collect();
        self.assemble(&bits)
    }

    /// `high` above `low`; any widths.
    fn concat(&mut self, high: &Self::Word, low: &Self::Word) -> Self::Word {
        let mut bits = self.bits_of(low);
        bits.extend(self.bits_of(high));
        self.assemble(&bits)
    }

    /// Widened with zeros to `width`.
    fn zero_extend(&mut self, a: &Self::Word, width: u32) -> Self::Word {
        let zeros = self.number(width - self.width(a), 0);
        self.concat(&zeros, a)
    }

    /// Widened with its top bit to `width`.
    fn sign_extend(&mut self, a: &Self::Word, width: u32) -> Self::Word {
        let top = self.bit_of(a, self.width(a) - 1);
        let copies = self.repeat(&top, width - self.width(a));
        self.concat(&copies, a)
    }

    /// Widened with zeros below to `width`.
    fn zero_extend_below(&mut self, a: &Self::Word, width: u32) -> Self::Word {
        let zeros = self.number(width - self.width(a), 0);
        self.concat(a, &zeros)
    }

    /// Bitwise negation.
    fn not_word(&mut self, a: &Self::Word) -> Self::Word {
        circuits::map(self, a, |algebra, a| algebra.not(a))
    }

    /// Bitwise conjunction.
    fn and_word(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word {
        circuits::zip(self, a, b, Self::and)
    }

    /// Bitwise disjunction.
    fn or_word(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word {
        circuits::zip(self, a, b, Self::or)
    }

    /// Bitwise exclusive disjunction.
    fn xor_word(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word {
        circuits::zip(self, a, b, Self::xor)
    }

    /// `then` if `condition`, else `otherwise`.
    fn mux_word(
        &mut self,
        condition: &Self::Bit,
        then: &Self::Word,
        otherwise: &Self::Word,
    ) -> Self::Word {
        circuits::zip(self, then, otherwise, |algebra, a, b| algebra.mux(condition, a, b))
    }

    /// Whether any bit is set.
    fn any_set(&mut self, a: &Self::Word) -> Self::Bit {
        let bits = self.bits_of(a);
        self.any(&bits.iter().collect::<Vec<_>>())
    }

    /// Whether all bits are set.
    fn all_set(&mut self, a: &Self::Word) -> Self::Bit {
        let bits = self.bits_of(a);
        self.all(&bits.iter().collect::<Vec<_>>())
    }

    /// Whether no bit is set.
    fn is_zero(&mut self, a: &Self::Word) -> Self::Bit {
        let any = self.any_set(a);
        self.not(&any)
    }

    /// `a + b + carry`, and the carry out.
    fn add_carry(
        &mut self,
        a: &Self::Word,
        b: &Self::Word,
        carry: &Self::Bit,
    ) -> (Self::Word, Self::Bit) {
        circuits::ripple_add(self, a, b, carry)
    }

    /// `a + b`, wrapping.
    fn add(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word {
        let carry = self.bit(false);
        self.add_carry(a, b, &carry).0
    }

    /// `a + bit`, wrapping.
    fn increment(&mut self, a: &Self::Word, bit: &Self::Bit) -> Self::Word {
        let zero = self.number(self.width(a), 0);
        self.add_carry(a, &zero, bit).0
    }

    /// `a - b`, wrapping, and whether `a >= b`.
    fn sub_compare(&mut self, a: &Self::Word, b: &Self::Word) -> (Self::Word, Self::Bit) {
        let b = self.not_word(b);
        let one = self.bit(true);
        self.add_carry(a, &b, &one)
    }

    /// `a - b`, wrapping.
    fn sub(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word {
        self.sub_compare(a, b).0
    }

    /// `-a`, wrapping.
    fn neg(&mut self, a: &Self::Word) -> Self::Word {
        let a = self.not_word(a);
        let one = self.bit(true);
        self.increment(&a, &one)
    }

    /// The product in full, as wide as both operands together; any widths.
    fn mul(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word {
        circuits::shift_and_add(self, a, b)
    }

    /// Quotient and remainder; all ones and `a` when `b` is zero, as SMT-LIB.
    fn udiv_rem(&mut self, a: &Self::Word, b: &Self::Word) -> (Self::Word, Self::Word) {
        circuits::restoring_division(self, a, b)
    }

    /// The quotient `a * 2^fraction / b`, `fraction + 1` bits, and whether it
    /// is not exact. Wants `a < 2 * b`; anything else gives anything.
    fn ratio(&mut self, a: &Self::Word, b: &Self::Word, fraction: u32) -> (Self::Word, Self::Bit) {
        circuits::restoring_ratio(self, a, b, fraction)
    }

    /// The integer square root, half the width rounded up, and whether it is
    /// not exact.
    fn root(&mut self, a: &Self::Word) -> (Self::Word, Self::Bit) {
        circuits::restoring_root(self, a)
    }

    /// `a * 2^shift` modulo `b`, and whether the quotient is odd. Wants
    /// `a < b` and the top bit of `b` set; anything else gives anything.
    /// `limit` bounds `shift`.
    fn shifted_remainder(
        &mut self,
        a: &Self::Word,
        shift: &Self::Word,
        limit: u64,
        b: &Self::Word,
    ) -> (Self::Word, Self::Bit) {
        circuits::shifted_remainder(self, a, shift, limit, b)
    }

    /// Whether they are equal.
    fn equal(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bit {
        let difference = self.xor_word(a, b);
        self.is_zero(&difference)
    }

    /// Unsigned `a < b`.
    fn less(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bit {
        let (_, at_least) = self.sub_compare(a, b);
        self.not(&at_least)
    }

    /// Two's complement `a < b`.
    fn less_signed(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bit {
        let top = self.width(a) - 1;
        let (sign_a, sign_b) = (self.bit_of(a, top), self.bit_of(b, top));
        let differ = self.xor(&sign_a, &sign_b);
        let less = self.less(a, b);
        self.mux(&differ, &sign_a, &less)
    }

    /// Shifted left, zeros coming in; all zeros from `width` on. The amount
    /// has any width.
    fn shl(&mut self, a: &Self::Word, amount: &Self::Word) -> Self::Word {
        circuits::barrel_left(self, a, amount)
    }

    /// Shifted right, zeros coming in; all zeros from `width` on. The amount
    /// has any width.
    fn shr(&mut self, a: &Self::Word, amount: &Self::Word) -> Self::Word {
        let fill = self.bit(false);
        circuits::barrel_right(self, a, amount, &fill).0
    }

    /// Shifted right, the top bit coming in. The amount has any width.
    fn shr_signed(&mut self, a: &Self::Word, amount: &Self::Word) -> Self::Word {
        let fill = self.bit_of(a, self.width(a) - 1);
        circuits::barrel_right(self, a, amount, &fill).0
    }

    /// Shifted right, and whether any set bit fell off the end.
    fn shr_sticky(&mut self, a: &Self::Word, amount: &Self::Word) -> (Self::Word, Self::Bit) {
        let fill = self.bit(false);
        circuits::barrel_right(self, a, amount, &fill)
    }

    /// Shifted left until the top bit is set, and by how much: a number as
    /// wide as `width - 1` takes. The amount for zero is unspecified.
    fn normalise(&mut self, a: &Self::Word) -> (Self::Word, Self::Word) {
        circuits::normalise(self, a)
    }

    /// How many zeros lead: a number as wide as `width` takes.
    fn leading_zeros(&mut self, a: &Self::Word) -> Self::Word {
        circuits::leading_zeros(self, a)
    }
}

/// How many bits it takes to write `value`.
pub(crate) const fn bits_for(value: u64) -> u32 {
    64 - value.leading_zeros()
}
