//! Operands worth trying.

use nanoscope_ieee::Format;

/// A small generator of its own, so that every run tries the same.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn wide(&mut self) -> u128 {
        (self.next() as u128) << 64 | self.next() as u128
    }
}

/// An encoding with an implicit integer bit worth trying: boundaries, long
/// runs of equal bits, exponents near those that matter, and plain noise.
pub fn operand(format: Format, random: &mut Random) -> u128 {
    let fraction_bits = format.fraction_bits();
    let special = format.special_exponent();
    let bias = format.max_exponent() as u64;
    let field = match random.below(10) {
        0 => 0,
        1 => special,
        2 => (1 + random.below(3)).min(special),
        3 => special - 1 - random.below(2),
        4 | 5 => (bias + random.below(5)).saturating_sub(2).min(special),
        6 => (bias + fraction_bits as u64 + random.below(5)).saturating_sub(2).min(special),
        7 => (bias / 2 + random.below(4)).min(special),
        _ => random.below(special + 1),
    };
    let mask = (1u128 << fraction_bits) - 1;
    let fraction = match random.below(8) {
        0 => 0,
        1 => mask,
        2 => 1 << random.below(fraction_bits as u64),
        3 => mask << random.below(fraction_bits as u64 + 1),
        4 => mask >> random.below(fraction_bits as u64 + 1),
        5 => random.below(4) as u128,
        _ => random.wide(),
    } & mask;
    let sign = random.below(2) as u128;
    (sign << format.exponent_bits | field as u128) << fraction_bits | fraction
}
