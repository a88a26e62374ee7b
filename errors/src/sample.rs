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

    /// Points on the way from the middle of the space to a corner: `corner` says of each
    /// coordinate whether it is at its upper end there. Numbers grow together, so that large
    /// ones are rounded.
    pub fn towards(&mut self, corner: &[bool], points: &mut [u64]) -> usize {
        let words = self.space.words();
        let drawn = points.len() / words;
        for (number, point) in points.chunks_exact_mut(words).enumerate() {
            let far = if number == 0 { 1.0 } else { 0.5 + 0.5 * self.unit() };
            let ragged = number % 2 == 1;
            let mut at = 0;
            for (dimension, up) in self.space.dimensions().iter().zip(corner) {
                let far = if ragged { far * (1.0 - 0.1 * self.unit()) } else { far };
                let part = 0.5 + if *up { 0.5 } else { -0.5 } * far;
                put(point, &mut at, dimension, between(dimension, part));
            }
        }
        drawn
    }

    /// Points of any magnitudes: each coordinate even over its range, over its floats, or at
    /// an end.
    pub fn anywhere(&mut self, points: &mut [u64]) -> usize {
        let words = self.space.words();
        let drawn = points.len() / words;
        for point in points.chunks_exact_mut(words) {
            let manner = self.random();
            let mut at = 0;
            for dimension in self.space.dimensions() {
                let bits = match if manner.is_multiple_of(4) { self.random() } else { manner } % 3 {
                    0 => between(dimension, self.unit()),
                    1 => {
                        let part = self.unit();
                        let part = part * part * part * part;
                        between(
                            dimension,
                            if self.random().is_multiple_of(2) { part } else { 1.0 - part },
                        )
                    }
                    _ => {
                        let (low, high) = (between(dimension, 0.0), between(dimension, 1.0));
                        let whole = between(dimension, self.unit());
                        // Even over the encodings where both ends have one sign.
                        if low <= high && dimension.admits(low + (high - low) / 2) {
                            let wide =
                                (u128::from(self.random()) << 64) | u128::from(self.random());
                            let bits = low + wide % (high - low + 1).max(1);
                            if dimension.admits(bits) { bits } else { whole }
                        } else {
                            whole
                        }
                    }
                };
                put(point, &mut at, dimension, bits);
            }
        }
        drawn
    }

    /// A point beside one: one coordinate or a few moved by a number of ulps of any magnitude.
    pub fn beside(&mut self, center: &[u64], point: &mut [u64]) {
        let encodings = self.space.encodings(center);
        let chosen = self.random() as usize % encodings.len();
        let more = match self.random() % 8 {
            0 => 1,
            1 => 2,
            2 => encodings.len() / 4,
            3 if encodings.len() <= 8 || self.random().is_multiple_of(4) => encodings.len(),
            _ => 0,
        };
        let small = self.random().is_multiple_of(2);
        let mut moves = vec![false; encodings.len()];
        moves[chosen] = true;
        for _ in 0..more {
            moves[self.random() as usize % encodings.len()] = true;
        }
        let mut at = 0;
        for (j, dimension) in self.space.dimensions().iter().enumerate() {
            let known = encodings[j];
            let bits = if moves[j] { self.moved(dimension, known, small) } else { known };
            put(point, &mut at, dimension, bits);
        }
    }

    /// A point farther away: all coordinates moved, by few ulps or many.
    pub fn kick(&mut self, center: &[u64], point: &mut [u64]) {
        let encodings = self.space.encodings(center);
        let small = self.random().is_multiple_of(4);
        let mut at = 0;
        for (j, dimension) in self.space.dimensions().iter().enumerate() {
            let bits = self.moved(dimension, encodings[j], small);
            put(point, &mut at, dimension, bits);
        }
    }

    /// A coordinate moved by a number of ulps.
    fn moved(&mut self, dimension: &Dimension, known: u128, small: bool) -> u128 {
        let width = dimension.kind().width();
        let most = match dimension.kind() {
            Kind::Float(format) => format.precision.saturating_sub(3).max(1),
            Kind::Integer { .. } => (width / 2).max(1),
        };
        let reach = self.random() % u64::from(if small { most.min(8) } else { most.min(60) });
        let step = u128::from(self.random() & ((1 << reach) - 1)) + 1;
        let moved = match self.random().is_multiple_of(2) {
            true => known.wrapping_add(step),
            false => known.wrapping_sub(step),
        };
        let kept = moved & (u128::MAX >> (128 - width));
        if dimension.admits(kept) { kept } else { known }
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
