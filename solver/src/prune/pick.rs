//! Which value of a domain to try: its ends, its middle, simple ones, any.

use crate::propagate::{BitsBox, Domain, FloatBox, Grid};
use nanoscope_ieee::Word;
use nanoscope_term::Value;

/// A seeded chooser: the same choices in every run.
pub(super) struct Pick {
    state: u64,
}

impl Pick {
    pub fn new() -> Pick {
        Pick { state: 0x6a09_e667_f3bc_c909 }
    }

    /// splitmix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn coin(&mut self) -> bool {
        self.next() >> 63 == 1
    }

    /// A value of a domain that is not empty and is tracked.
    pub fn value(&mut self, domain: Domain) -> Value {
        match domain {
            Domain::Bool(truths) => Value::Bool(truths.known().unwrap_or_else(|| self.coin())),
            Domain::Rounding(modes) => {
                let modes: Vec<_> = modes.iter().collect();
                Value::Rounding(modes[self.next() as usize % modes.len()])
            }
            Domain::Bits(bits) => Value::bits(bits.width, self.bits(bits)),
            Domain::Float(grid, floats) => {
                let encoding = self.float(grid, floats);
                Value::float(grid.format(), Word::new(grid.format().width(), encoding))
            }
            Domain::Untracked => unreachable!("a value of a domain that is not tracked"),
        }
    }

    fn bits(&mut self, bits: BitsBox) -> u128 {
        let span = bits.hi - bits.lo;
        let value = match self.next() % 3 {
            0 => bits.lo,
            1 => bits.hi,
            _ => bits.lo + self.below(span),
        };
        // The bits that are known are as they are.
        value & !bits.zeros | bits.ones
    }

    /// Something from 0 to `most`.
    fn below(&mut self, most: u128) -> u128 {
        let drawn = (self.next() as u128) << 64 | self.next() as u128;
        if most == u128::MAX { drawn } else { drawn % (most + 1) }
    }

    fn float(&mut self, grid: Grid, floats: FloatBox) -> u128 {
        let numbers = floats.numbers;
        if numbers.is_empty() || floats.nan && self.next().is_multiple_of(16) {
            return grid.nan();
        }
        let middle = numbers.lo.midpoint(numbers.hi);
        let at = match self.next() % 8 {
            0 => numbers.lo,
            1 => numbers.hi,
            2 | 3 => middle,
            4 => {
                // The simplest number about the middle: as many trailing zeros
                // of its ordinal as the box allows.
                let mut at = middle;
                for bit in 0..grid.format().fraction_bits() {
                    let rounder = middle >> bit << bit;
                    if !numbers.contains(rounder) {
                        break;
                    }
                    at = rounder;
                }
                at
            }
            5 => [0, grid.one(), !grid.one(), -1]
                .into_iter()
                .find(|at| numbers.contains(*at))
                .unwrap_or(middle),
            _ => {
                let span = numbers.hi.abs_diff(numbers.lo);
                numbers.lo.wrapping_add_unsigned(self.below(span))
            }
        };
        grid.encode(at)
    }
}
