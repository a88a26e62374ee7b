//! Random numbers, and every float of a tiny format.

#![allow(dead_code, reason = "every test takes what it needs")]

use nanoscope_ieee::Format;
use nanoscope_solver::propagate::{Grid, Ordinal};

/// A splitmix64 generator: small, seeded, the same everywhere.
pub struct Draw(pub u64);

impl Draw {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// A float as the tests see it: a number, or `None` for NaN.
pub type Number = Option<Ordinal>;

/// Every float of a format: its numbers in order, then NaN.
pub fn floats(format: Format) -> Vec<Number> {
    let grid = Grid::new(format).unwrap();
    let numbers = grid.numbers();
    (numbers.lo..=numbers.hi).map(Some).chain([None]).collect()
}
