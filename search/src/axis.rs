//! Moves of a single coordinate: drawn afresh, stepped by ulps, scaled, set, copied.
//! Every one leaves an admitted value behind.

use crate::boundary;
use crate::line::{Line, Word};
use crate::random::Random;
use crate::space::{Dimension, Kind};
use std::ops::Range;
use std::sync::Arc;

/// A dimension of either width, with what its moves need precomputed.
#[derive(Clone, Debug)]
pub(crate) enum Axis {
    Narrow(Lane<u64>),
    Wide(Lane<u128>),
}

/// Runs an expression on the lane of either width.
macro_rules! on {
    ($axis:expr, $lane:ident => $body:expr) => {
        match $axis {
            Axis::Narrow($lane) => $body,
            Axis::Wide($lane) => $body,
        }
    };
}

impl Axis {
    /// An axis a dimension; equal dimensions share their tables.
    pub(crate) fn all(dimensions: &[Dimension], constants: &[f64]) -> Vec<Axis> {
        let mut axes: Vec<Axis> = Vec::with_capacity(dimensions.len());
        let mut distinct: Vec<(Dimension, usize)> = Vec::new();
        let mut word = 0;
        for (index, dimension) in dimensions.iter().enumerate() {
            let known = distinct.iter().find(|(known, _)| known == dimension);
            let axis = match known.map(|&(_, twin)| &axes[twin]) {
                Some(Axis::Narrow(twin)) => Axis::Narrow(twin.at(word)),
                Some(Axis::Wide(twin)) => Axis::Wide(twin.at(word)),
                None if dimension.words() == 1 => {
                    Axis::Narrow(Lane::new(dimension, word, constants))
                }
                None => Axis::Wide(Lane::new(dimension, word, constants)),
            };
            if known.is_none() {
                distinct.push((*dimension, index));
            }
            word += dimension.words();
            axes.push(axis);
        }
        axes
    }

    /// Its words in a point.
    pub(crate) fn words(&self) -> Range<usize> {
        on!(self, lane => lane.line.word..lane.line.word + lane.words())
    }

    /// A fresh value.
    #[inline]
    pub(crate) fn draw(&self, point: &mut [u64], random: &mut Random) {
        on!(self, lane => lane.draw(point, random));
    }

    /// Any ordinal, each as likely.
    #[inline]
    pub(crate) fn uniform(&self, point: &mut [u64], random: &mut Random) {
        on!(self, lane => lane.uniform(point, random));
    }

    /// A boundary value, or one near it.
    #[inline]
    pub(crate) fn boundary(&self, point: &mut [u64], random: &mut Random) {
        on!(self, lane => lane.boundary(point, random));
    }

    /// The boundary value of an index below [`Self::boundaries`].
    pub(crate) fn set_boundary(&self, point: &mut [u64], index: usize) {
        on!(self, lane => lane.line.write(point, lane.table[index]));
    }

    /// How many boundary values there are.
    pub(crate) fn boundaries(&self) -> usize {
        on!(self, lane => lane.table.len())
    }

    /// How many powers of two there are to step by.
    pub(crate) fn reach(&self) -> u32 {
        on!(self, lane => lane.reach)
    }

    /// A step of 2^k ulps, or up to twice that; k below `scale`, all as likely.
    #[inline]
    pub(crate) fn step(&self, point: &mut [u64], scale: u32, random: &mut Random) {
        on!(self, lane => lane.step(point, scale, random));
    }

    /// A step of exactly so many ulps, as far as the range goes.
    #[inline]
    pub(crate) fn shift(&self, point: &mut [u64], down: bool, ulps: u64) {
        on!(self, lane => lane.shift(point, down, Word::truncate(u128::from(ulps))));
    }

    /// Up or down by `by` powers of two.
    #[inline]
    pub(crate) fn scale(&self, point: &mut [u64], up: bool, by: u32) {
        on!(self, lane => lane.scale(point, up, by));
    }

    /// The negative.
    #[inline]
    pub(crate) fn negate(&self, point: &mut [u64]) {
        on!(self, lane => lane.negate(point));
    }

    /// A value with fewer significant bits: the low `k` cleared, k below `scale`.
    #[inline]
    pub(crate) fn coarsen(&self, point: &mut [u64], scale: u32, random: &mut Random) {
        on!(self, lane => lane.low_bits(point, scale, random, false));
    }

    /// The low `k` bits drawn afresh, k below `scale`.
    #[inline]
    pub(crate) fn scramble(&self, point: &mut [u64], scale: u32, random: &mut Random) {
        on!(self, lane => lane.low_bits(point, scale, random, true));
    }

    /// `factor` times as far again as from `from` to `to`.
    #[inline]
    pub(crate) fn along(&self, point: &mut [u64], from: &[u64], to: &[u64], factor: f64) {
        on!(self, lane => lane.along(point, from, to, factor));
    }

    /// This coordinate of another point.
    #[inline]
    pub(crate) fn take(&self, point: &mut [u64], other: &[u64]) {
        let words = self.words();
        point[words.clone()].copy_from_slice(&other[words]);
    }

    /// The middle, in ulps, between this and another point's coordinate.
    #[inline]
    pub(crate) fn halfway(&self, point: &mut [u64], other: &[u64]) {
        on!(self, lane => lane.halfway(point, other));
    }

    /// The value of another coordinate of the same point.
    #[inline]
    pub(crate) fn copy(&self, point: &mut [u64], source: &Axis) {
        match (self, source) {
            (Axis::Narrow(to), Axis::Narrow(from)) if to.kind == from.kind => {
                to.put(point, from.line.read(point));
            }
            (Axis::Wide(to), Axis::Wide(from)) if to.kind == from.kind => {
                to.put(point, from.line.read(point));
            }
            (to, from) => {
                let value = on!(from, lane => lane.line.real(lane.line.read(point)));
                on!(to, lane => lane.put(point, lane.line.ordinal_of(value)));
            }
        }
    }

    /// The scale of steps in a vicinity: 256 binades of a float or all of an integer's
    /// range, less `seclusion` sixtieths of its bits; of a binary64's, that is one bit each.
    #[inline]
    pub(crate) fn vicinity(&self, seclusion: u32) -> u32 {
        on!(self, lane => {
            let whole = if lane.line.is_float() { lane.line.fraction_bits + 8 } else { lane.reach };
            let whole = whole.min(lane.reach);
            (whole - whole * seclusion.min(60) / 60).clamp(2, lane.width() - 1)
        })
    }

    /// Whether two points are in each other's vicinity here.
    pub(crate) fn is_near(&self, one: &[u64], two: &[u64], seclusion: u32) -> bool {
        on!(self, lane => {
            let apart = lane.line.read(one).apart(lane.line.read(two));
            apart.widen() >> self.vicinity(seclusion) == 0
        })
    }

    /// Brings a coordinate into the vicinity of another point's.
    #[inline]
    pub(crate) fn confine(&self, point: &mut [u64], centre: &[u64], seclusion: u32) {
        let vicinity = self.vicinity(seclusion);
        on!(self, lane => lane.confine(point, centre, vicinity));
    }

    /// Brings a coordinate from outside into the admitted range.
    pub(crate) fn admit(&self, point: &mut [u64]) {
        on!(self, lane => lane.admit(point));
    }
}

/// A dimension whose ordinals fit into `W`.
#[derive(Clone, Debug)]
pub(crate) struct Lane<W> {
    line: Line<W>,
    kind: Kind,
    specials: bool,
    /// Boundary values as ordinals; never empty.
    table: Arc<[W]>,
    /// high - low, and how many bits that has.
    span: W,
    reach: u32,
    /// The ends of the range as numbers.
    ends: (f64, f64),
    /// Whether somebody narrowed the range.
    bounded: bool,
}

impl<W: Word> Lane<W> {
    fn new(dimension: &Dimension, word: usize, constants: &[f64]) -> Lane<W> {
        let line = Line::<W>::new(dimension, word);
        let table = boundary::table(dimension, &line, constants).into();
        let span = line.high.minus(line.low);
        let finite = |ordinal| line.real(ordinal).clamp(-f64::MAX, f64::MAX);
        Lane {
            kind: dimension.kind(),
            specials: dimension.specials(),
            table,
            span,
            reach: W::BITS - span.leading(),
            ends: (finite(line.low), finite(line.high)),
            bounded: *dimension != dimension.full().with_specials(dimension.specials()),
            line,
        }
    }

    /// The same lane at another place of the point.
    fn at(&self, word: usize) -> Lane<W> {
        let mut lane = self.clone();
        lane.line.word = word;
        lane
    }

    fn words(&self) -> usize {
        (W::BITS / 64) as usize
    }

    /// Width of the words computed with.
    fn width(&self) -> u32 {
        W::BITS
    }

    #[inline]
    fn put(&self, point: &mut [u64], ordinal: W) {
        self.line.write(point, self.line.clamp(ordinal));
    }

    /// A power of two below 2^scale and below the range's length, as its exponent.
    #[inline]
    fn exponent(&self, scale: u32, random: &mut Random) -> u32 {
        random.below(scale.min(self.reach).max(1) as usize) as u32
    }

    #[inline]
    fn draw(&self, point: &mut [u64], random: &mut Random) {
        match random.next() >> 60 {
            0..=2 => self.uniform(point, random),
            3..=5 if self.bounded => self.by_value(point, random),
            3..=5 => self.uniform(point, random),
            6..=9 => self.boundary(point, random),
            10 | 11 => self.by_value(point, random),
            12 => {
                // Of a size that people use.
                let bits = random.next() & ((1 << 52) - 1) | (1023 - 10 + random.next() % 24) << 52;
                let sign = random.next() & 1 << 63;
                self.put(point, self.line.ordinal_of(f64::from_bits(bits | sign)));
            }
            13 => {
                let integer = random.next() as i64 >> (1 + random.next() % 62);
                self.put(point, self.line.ordinal_of(integer as f64));
            }
            14 => {
                let integer = random.next() as i64 >> (44 + random.next() % 19);
                let decimals = [1e1, 1e2, 1e3, 1e6][random.below(4)];
                self.put(point, self.line.ordinal_of(integer as f64 / decimals));
            }
            _ => {
                self.uniform(point, random);
                self.low_bits(point, W::BITS, random, false);
            }
        }
    }

    /// Uniform in the values, not the ulps: half of the doubles in 0..1 are below 1e-154.
    #[inline]
    fn by_value(&self, point: &mut [u64], random: &mut Random) {
        let at = random.unit();
        let value = self.ends.0 * (1.0 - at) + self.ends.1 * at;
        self.put(point, self.line.ordinal_of(value));
    }

    #[inline]
    fn uniform(&self, point: &mut [u64], random: &mut Random) {
        let ordinal = self.line.low.plus(W::random_within(random, self.span));
        self.line.write(point, ordinal);
    }

    #[inline]
    fn boundary(&self, point: &mut [u64], random: &mut Random) {
        let value = self.table[random.below(self.table.len())];
        self.line.write(point, value);
        if random.one_in(3) {
            self.step(point, W::BITS / 2, random);
        }
    }

    #[inline]
    fn step(&self, point: &mut [u64], scale: u32, random: &mut Random) {
        let power = W::ONE << self.exponent(scale, random);
        // Every second time exactly the power of two; masked rather than branched on,
        // because nobody can foresee a random branch.
        let choice = random.next();
        let most = if choice & 2 == 0 { W::ZERO } else { power.minus(W::ONE) };
        let rest = W::random(random) & most;
        self.shift(point, choice & 1 == 0, power | rest);
    }

    #[inline]
    fn shift(&self, point: &mut [u64], down: bool, ulps: W) {
        // From infinity or NaN the way leads back over the end of the range.
        let ordinal = self.line.clamp(self.line.read(point));
        self.put(point, if down { ordinal.minus(ulps) } else { ordinal.plus(ulps) });
    }

    #[inline]
    fn scale(&self, point: &mut [u64], up: bool, by: u32) {
        let (negative, magnitude) = self.line.magnitude(self.line.clamp(self.line.read(point)));
        let scaled = if self.line.is_float() {
            let way = W::truncate(u128::from(by)) << self.line.fraction_bits;
            if up { magnitude.plus(way) } else { magnitude.minus(way) }
        } else if !up {
            magnitude >> by.min(W::BITS - 1)
        } else if magnitude.leading() > by {
            magnitude << by
        } else {
            self.line.mask
        };
        self.put(point, self.line.signed(negative, scaled));
    }

    #[inline]
    fn negate(&self, point: &mut [u64]) {
        let (negative, magnitude) = self.line.magnitude(self.line.clamp(self.line.read(point)));
        self.put(point, self.line.signed(!negative, magnitude));
    }

    #[inline]
    fn low_bits(&self, point: &mut [u64], scale: u32, random: &mut Random, scramble: bool) {
        let (negative, magnitude) = self.line.magnitude(self.line.clamp(self.line.read(point)));
        let scale = if self.line.is_float() { scale.min(self.line.fraction_bits) } else { scale };
        let low = (W::ONE << self.exponent(scale, random) << 1).minus(W::ONE);
        let fresh = if scramble { W::random(random) & low } else { W::ZERO };
        self.put(point, self.line.signed(negative, (magnitude & !low) | fresh));
    }

    #[inline]
    fn along(&self, point: &mut [u64], from: &[u64], to: &[u64], factor: f64) {
        let (from, to) = (self.line.read(from), self.line.read(to));
        if from != to {
            let ulps = W::of_float(to.apart(from).to_float() * factor.abs() + 0.5);
            self.shift(point, (to < from) != (factor < 0.0), ulps);
        }
    }

    #[inline]
    fn halfway(&self, point: &mut [u64], other: &[u64]) {
        let (one, two) = (self.line.read(point), self.line.read(other));
        self.put(point, (one & two).plus((one ^ two) >> 1));
    }

    #[inline]
    fn confine(&self, point: &mut [u64], centre: &[u64], vicinity: u32) {
        let (ordinal, centre) = (self.line.read(point), self.line.read(centre));
        let most = (W::ONE << vicinity).minus(W::ONE);
        if ordinal.apart(centre) > most {
            self.put(point, if ordinal < centre { centre.minus(most) } else { centre.plus(most) });
        }
    }

    fn admit(&self, point: &mut [u64]) {
        let encoding = W::load(point, self.line.word);
        let ordinal = self.line.ordinal(encoding);
        let special = match self.kind {
            Kind::Float(_) => {
                let (_, magnitude) = self.line.magnitude(ordinal);
                magnitude >= self.line.power_of_two(self.line.bias() + 1)
            }
            Kind::Integer { .. } => false,
        };
        if special && self.specials {
            self.line.write(point, ordinal);
        } else {
            self.put(point, ordinal);
        }
    }
}
