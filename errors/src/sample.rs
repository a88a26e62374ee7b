//! Points that a search for large errors tries beside those of `search`: such that many roundings go
//! the same way.

use nanoscope_search::{Dimension, Kind, Space};

/// Draws points of a space.
pub struct Sampler<'s> {
    space: &'s Space,
    state: u64,
}

impl<'s> Sampler<'s> {
    /// A sampler; the same seed draws the same points.
    pub fn new(space: &'s Space, seed: u64) -> Sampler<'s> {
        Sampler { space, state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    /// Xorshift.
    fn random(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn unit(&mut self) -> f64 {
        (self.random() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Points with all inputs at the same part of their ranges, some mirrored: equal numbers are
    /// rounded equally.
    pub fn alike(&mut self, points: &mut [u64]) -> usize {
        let words = self.space.words();
        let drawn = points.len() / words;
        for point in points.chunks_exact_mut(words) {
            let part = self.unit();
            let mirrored = self.random() % 3;
            let mut at = 0;
            for (j, dimension) in self.space.dimensions().iter().enumerate() {
                let flip =
                    mirrored == 1 && j % 2 == 1 || mirrored == 2 && self.random().is_multiple_of(8);
                let share = if flip { 1.0 - part } else { part };
                let bits = between(dimension, share);
                put(point, &mut at, dimension, bits);
            }
        }
        drawn
    }

    /// Points around one: a few or all coordinates moved by a few ulps, or by many.
    pub fn around(&mut self, center: &[u64], points: &mut [u64]) -> usize {
        let words = self.space.words();
        let drawn = points.len() / words;
        let encodings = self.space.encodings(center);
        for point in points.chunks_exact_mut(words) {
            point.copy_from_slice(center);
            let reach = self.random() % 36;
            let all = self.random().is_multiple_of(3);
            let chosen = self.random() as usize % encodings.len();
            let mut at = 0;
            for (j, dimension) in self.space.dimensions().iter().enumerate() {
                let known = encodings[j];
                let move_it = j == chosen || all || self.random().is_multiple_of(4);
                let bits = if move_it {
                    let step = u128::from(self.random() & ((1 << reach) - 1)) + 1;
                    let moved = if self.random().is_multiple_of(2) {
                        known.wrapping_add(step)
                    } else {
                        known.wrapping_sub(step)
                    };
                    let kept = moved & (u128::MAX >> (128 - dimension.kind().width()));
                    if dimension.admits(kept) { kept } else { known }
                } else {
                    known
                };
                put(point, &mut at, dimension, bits);
            }
        }
        drawn
    }
}

fn put(point: &mut [u64], at: &mut usize, dimension: &Dimension, bits: u128) {
    point[*at] = bits as u64;
    *at += 1;
    if dimension.words() == 2 {
        point[*at] = (bits >> 64) as u64;
        *at += 1;
    }
}

/// The value at a part of a dimension's range.
fn between(dimension: &Dimension, part: f64) -> u128 {
    use nanoscope_ieee::{Float, Rounding};
    match dimension.kind() {
        Kind::Float(format) => {
            let end = |bits| Float::from_bits(format, bits).to_f64();
            let (low, high) = (end(dimension.low()), end(dimension.high()));
            let x = low * (1.0 - part) + high * part;
            let bits = Float::from(x).convert(format, Rounding::NearestEven).0.to_bits();
            bits.filter(|&bits| dimension.admits(bits)).unwrap_or(dimension.low())
        }
        Kind::Integer { .. } => {
            let (low, high) = (dimension.low() as u64 as i64, dimension.high() as u64 as i64);
            let x = low as f64 * (1.0 - part) + high as f64 * part;
            let bits = u128::from((x as i64).clamp(low, high) as u64);
            if dimension.admits(bits) { bits } else { dimension.low() }
        }
    }
}
