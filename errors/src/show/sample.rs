//! Points that a search for large errors tries beside those of `search`: such that many roundings go
//! the same way.

use nanoscope_ieee::{Float, Format, Rounding};
use nanoscope_search::{Dimension, Kind, Space};

/// Draws points of a space.
pub struct Sampler<'s> {
    space: &'s Space,
    axes: Vec<Axis>,
    state: u64,
}

/// A dimension made ready for drawing.
#[derive(Clone, Copy, Debug)]
struct Axis {
    dimension: Dimension,
    /// The ends of floats, as doubles.
    low: f64,
    high: f64,
}

impl<'s> Sampler<'s> {
    /// A sampler; the same seed draws the same points.
    pub fn new(space: &'s Space, seed: u64) -> Sampler<'s> {
        let axes = space.dimensions().iter().map(Axis::new).collect();
        Sampler { space, axes, state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
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
            for j in 0..self.axes.len() {
                let flip =
                    mirrored == 1 && j % 2 == 1 || mirrored == 2 && self.random().is_multiple_of(8);
                let share = if flip { 1.0 - part } else { part };
                let bits = self.axes[j].between(share);
                self.axes[j].put(point, &mut at, bits);
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
            for (j, up) in corner.iter().enumerate() {
                let far = if ragged { far * (1.0 - 0.1 * self.unit()) } else { far };
                let part = 0.5 + if *up { 0.5 } else { -0.5 } * far;
                let axis = self.axes[j];
                axis.put(point, &mut at, axis.between(part));
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
            for j in 0..self.axes.len() {
                let axis = self.axes[j];
                let bits = match if manner.is_multiple_of(4) { self.random() } else { manner } % 3 {
                    0 => axis.between(self.unit()),
                    1 => {
                        let part = self.unit();
                        let part = part * part * part * part;
                        axis.between(if self.random().is_multiple_of(2) {
                            part
                        } else {
                            1.0 - part
                        })
                    }
                    _ => {
                        let (low, high) = (axis.between(0.0), axis.between(1.0));
                        let whole = axis.between(self.unit());
                        // Even over the encodings where both ends have one sign.
                        if low <= high && axis.admits(low + (high - low) / 2) {
                            let wide =
                                (u128::from(self.random()) << 64) | u128::from(self.random());
                            let bits = low + wide % (high - low + 1).max(1);
                            if axis.admits(bits) { bits } else { whole }
                        } else {
                            whole
                        }
                    }
                };
                axis.put(point, &mut at, bits);
            }
        }
        drawn
    }

    /// Points anywhere, made smaller by one power of two for all inputs that may be 0: what only
    /// happens near the smallest numbers.
    pub fn scaled(&mut self, points: &mut [u64]) -> usize {
        let drawn = self.anywhere(points);
        let words = self.space.words();
        for point in points.chunks_exact_mut(words) {
            let part = self.unit();
            let mut at = 0;
            for axis in &self.axes {
                let deepest = match axis.dimension.kind() {
                    Kind::Float(Format::BINARY64) => 1_080.0,
                    Kind::Float(Format::BINARY32) => 150.0,
                    Kind::Float(_) | Kind::Integer { .. } => 0.0,
                };
                let reaches = axis.low <= 0.0 && axis.high >= 0.0 && deepest > 0.0;
                let scaled = axis.double(point[at]).filter(|_| reaches).map(|x| {
                    let half = (part * deepest / 2.0) as i32;
                    axis.encoding(x * 2f64.powi(-half) * 2f64.powi(-half))
                });
                match scaled.filter(|bits| axis.admits(*bits)) {
                    Some(bits) => axis.put(point, &mut at, bits),
                    None => at += axis.dimension.words(),
                }
            }
        }
        drawn
    }

    /// A point beside one: one coordinate or a few moved by a number of ulps of any magnitude, or
    /// two by the same amount, so that their sum or difference stays.
    pub fn beside(&mut self, center: &[u64], point: &mut [u64]) {
        point.copy_from_slice(center);
        let count = self.axes.len();
        let kind = self.random() % 10;
        if kind >= 8 && count > 1 && self.together(point) {
            return;
        }
        let more = match kind {
            0 => 1,
            1 => 2,
            2 => count / 4,
            3 if count <= 8 || self.random().is_multiple_of(4) => count,
            _ => 0,
        };
        let small = self.random().is_multiple_of(2);
        for _ in 0..=more {
            let j = self.random() as usize % count;
            self.shift(point, j, small);
        }
    }

    /// A point farther away: all coordinates moved, by few ulps or many.
    pub fn kick(&mut self, center: &[u64], point: &mut [u64]) {
        point.copy_from_slice(center);
        let small = self.random().is_multiple_of(4);
        for j in 0..self.axes.len() {
            self.shift(point, j, small);
        }
    }

    /// Moves two coordinates by the same amount, up or down each; false if they cannot.
    fn together(&mut self, point: &mut [u64]) -> bool {
        let count = self.axes.len();
        let (i, j) = (self.random() as usize % count, self.random() as usize % count);
        let places = [self.place(i), self.place(j)];
        let axes = [self.axes[i], self.axes[j]];
        let [Some(x), Some(y)] = [0, 1].map(|k| axes[k].double(point[places[k]])) else {
            return false;
        };
        let reach = (self.random() % 52) as i32;
        let size = x.abs().max(y.abs()).max(f64::MIN_POSITIVE);
        let amount = size * f64::powi(2.0, reach - 53) * (1.0 + self.unit());
        let signs = self.random();
        let signed = |bit: u64, by: f64| if signs >> bit & 1 == 0 { by } else { -by };
        let moved = [x + signed(0, amount), y + signed(1, amount)];
        let bits = [0, 1].map(|k| axes[k].encoding(moved[k]));
        if i == j || !axes[0].admits(bits[0]) || !axes[1].admits(bits[1]) {
            return false;
        }
        (point[places[0]], point[places[1]]) = (bits[0] as u64, bits[1] as u64);
        true
    }

    /// The first word of a coordinate.
    fn place(&self, j: usize) -> usize {
        if self.space.words() == self.axes.len() {
            return j;
        }
        self.axes[..j].iter().map(|axis| axis.dimension.words()).sum()
    }

    /// Moves a coordinate by a number of ulps.
    fn shift(&mut self, point: &mut [u64], j: usize, small: bool) {
        let axis = self.axes[j];
        let mut at = self.place(j);
        let mut known = u128::from(point[at]);
        if axis.dimension.words() == 2 {
            known |= u128::from(point[at + 1]) << 64;
        }
        let width = axis.dimension.kind().width();
        let most = match axis.dimension.kind() {
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
        if axis.admits(kept) {
            axis.put(point, &mut at, kept);
        }
    }
}

impl Axis {
    fn new(dimension: &Dimension) -> Axis {
        let end = |bits| match dimension.kind() {
            Kind::Float(format) => Float::from_bits(format, bits).to_f64(),
            Kind::Integer { .. } => bits as u64 as i64 as f64,
        };
        Axis { dimension: *dimension, low: end(dimension.low()), high: end(dimension.high()) }
    }

    /// The value of an encoding, for floats that are doubles.
    fn double(&self, word: u64) -> Option<f64> {
        match self.dimension.kind() {
            Kind::Float(Format::BINARY64) => Some(f64::from_bits(word)),
            Kind::Float(Format::BINARY32) => Some(f64::from(f32::from_bits(word as u32))),
            Kind::Float(_) | Kind::Integer { .. } => None,
        }
    }

    /// The encoding of the float nearest to a number.
    fn encoding(&self, x: f64) -> u128 {
        match self.dimension.kind() {
            Kind::Float(Format::BINARY64) => u128::from(x.to_bits()),
            Kind::Float(Format::BINARY32) => u128::from((x as f32).to_bits()),
            Kind::Float(format) => {
                let nearest = Float::from(x).convert(format, Rounding::NearestEven).0;
                nearest.to_bits().unwrap_or(self.dimension.low())
            }
            Kind::Integer { .. } => u128::from(x as i64 as u64),
        }
    }

    fn admits(&self, bits: u128) -> bool {
        match (self.dimension.specials(), self.double(bits as u64)) {
            (false, Some(x)) if x != 0.0 => self.low <= x && x <= self.high,
            (_, _) => self.dimension.admits(bits),
        }
    }

    /// The value at a part of the range.
    fn between(&self, part: f64) -> u128 {
        match self.dimension.kind() {
            Kind::Float(_) => {
                let bits = self.encoding(self.low * (1.0 - part) + self.high * part);
                if self.admits(bits) { bits } else { self.dimension.low() }
            }
            Kind::Integer { .. } => {
                let whole = |bits: u128| bits as u64 as i64;
                let (low, high) = (whole(self.dimension.low()), whole(self.dimension.high()));
                let x = low as f64 * (1.0 - part) + high as f64 * part;
                let bits = u128::from((x as i64).clamp(low, high) as u64);
                if self.admits(bits) { bits } else { self.dimension.low() }
            }
        }
    }

    fn put(&self, point: &mut [u64], at: &mut usize, bits: u128) {
        point[*at] = bits as u64;
        *at += 1;
        if self.dimension.words() == 2 {
            point[*at] = (bits >> 64) as u64;
            *at += 1;
        }
    }
}
