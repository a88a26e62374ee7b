//! Moves of a single coordinate, in all points of a run: drawn afresh, stepped by ulps,
//! scaled, set, copied. Every one leaves an admitted value behind.

use crate::boundary;
use crate::line::{Line, Word};
use crate::random::Random;
use crate::run::Run;
use crate::space::{Dimension, Kind};
use std::hint::select_unpredictable;
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

    /// Fresh values, all of one making.
    pub(crate) fn draw(&self, run: &mut Run, random: &mut Random) {
        on!(self, lane => lane.draw(run, random));
    }

    /// Boundary values, every third run near them.
    pub(crate) fn boundary(&self, run: &mut Run, random: &mut Random) {
        on!(self, lane => lane.boundary(run, random));
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
    pub(crate) fn step(&self, run: &mut Run, scale: u32, random: &mut Random) {
        on!(self, lane => lane.step(run, scale, random));
    }

    /// A step of so many ulps, down or up, as far as the range goes.
    pub(crate) fn shift(
        &self,
        run: &mut Run,
        random: &mut Random,
        by: impl Fn(&mut Random) -> (bool, u64),
    ) {
        on!(self, lane => lane.each(run, |ordinal| {
            let (down, ulps) = by(random);
            lane.shifted(ordinal, down, Word::truncate(u128::from(ulps)))
        }));
    }

    /// Up or down by so many powers of two.
    pub(crate) fn scale(
        &self,
        run: &mut Run,
        random: &mut Random,
        by: impl Fn(&mut Random) -> u32,
    ) {
        on!(self, lane => lane.each(run, |ordinal| {
            let up = random.next() >> 63 == 0;
            lane.line.clamp(lane.scaled(ordinal, up, by(random)))
        }));
    }

    /// The negative.
    pub(crate) fn negate(&self, run: &mut Run) {
        on!(self, lane => lane.each(run, |ordinal| lane.line.clamp(lane.negated(ordinal))));
    }

    /// The negative, or not.
    pub(crate) fn perhaps_negate(&self, run: &mut Run, random: &mut Random) {
        on!(self, lane => lane.each(run, |ordinal| {
            let negative = lane.line.clamp(lane.negated(ordinal));
            select_unpredictable(random.next() >> 63 == 0, negative, ordinal)
        }));
    }

    /// A whole number more or less, small ones most often.
    pub(crate) fn add_whole(&self, run: &mut Run, random: &mut Random) {
        on!(self, lane => lane.each(run, |ordinal| {
            let choice = random.next();
            let number = 1 + (choice >> 8) % (2 << (choice % 6));
            let number = if choice >> 63 == 0 { number as f64 } else { -(number as f64) };
            let value = lane.line.real(ordinal) + number;
            if value.is_finite() { lane.line.clamp(lane.line.ordinal_of(value)) } else { ordinal }
        }));
    }

    /// A value with fewer significant bits: the low `k` cleared, k below `scale`.
    pub(crate) fn coarsen(&self, run: &mut Run, scale: u32, random: &mut Random) {
        on!(self, lane => lane.low_bits(run, scale, random, false));
    }

    /// The low `k` bits drawn afresh, k below `scale`.
    pub(crate) fn scramble(&self, run: &mut Run, scale: u32, random: &mut Random) {
        on!(self, lane => lane.low_bits(run, scale, random, true));
    }

    /// A factor for each point times as far again as from `from` to `to`.
    pub(crate) fn along(&self, run: &mut Run, from: &[u64], to: &[u64], factors: &[f64]) {
        on!(self, lane => lane.along(run, from, to, factors));
    }

    /// This coordinate of another point.
    pub(crate) fn take(&self, point: &mut [u64], other: &[u64]) {
        let words = self.words();
        point[words.clone()].copy_from_slice(&other[words]);
    }

    /// This coordinate of another point, or the middle (in ulps) between both, where a
    /// coin of the point's says so.
    pub(crate) fn cross(&self, run: &mut Run, other: &[u64], halfway: bool, coins: u64) {
        on!(self, lane => lane.cross(run, other, halfway, coins));
    }

    /// The value of another coordinate of the same point.
    pub(crate) fn copy(&self, run: &mut Run, source: &Axis) {
        match (self, source) {
            (Axis::Narrow(to), Axis::Narrow(from)) if to.kind == from.kind => {
                run.points().for_each(|point| to.put(point, from.line.read(point)));
            }
            (Axis::Wide(to), Axis::Wide(from)) if to.kind == from.kind => {
                run.points().for_each(|point| to.put(point, from.line.read(point)));
            }
            (to, from) => run.points().for_each(|point| {
                let value = on!(from, lane => lane.line.real(lane.line.read(point)));
                on!(to, lane => lane.put(point, lane.line.ordinal_of(value)));
            }),
        }
    }

    /// The scale of steps in a vicinity: 256 binades of a float or all of an integer's
    /// range, less `seclusion` sixtieths of its bits; of a binary64's, that is one bit each.
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
    pub(crate) fn confine(&self, run: &mut Run, centre: &[u64], seclusion: u32) {
        let vicinity = self.vicinity(seclusion);
        on!(self, lane => lane.confine(run, centre, vicinity));
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

    /// Puts an admitted value in each point that depends on what was there. From infinity
    /// or NaN the way leads back over the end of the range.
    #[inline]
    fn each(&self, run: &mut Run, mut change: impl FnMut(W) -> W) {
        for point in run.points() {
            let ordinal = self.line.clamp(self.line.read(point));
            self.line.write(point, change(ordinal));
        }
    }

    /// So many steps down or up, as far as the range goes.
    #[inline]
    fn shifted(&self, ordinal: W, down: bool, by: W) -> W {
        ordinal.shifted(self.line.low, self.span, down, by)
    }

    /// Puts a value in each point that does not.
    #[inline]
    fn fill(&self, run: &mut Run, mut value: impl FnMut() -> W) {
        for point in run.points() {
            self.put(point, value());
        }
    }

    /// How many powers of two there are below 2^scale and below the range's length.
    #[inline]
    fn exponents(&self, scale: u32) -> u64 {
        u64::from(scale.min(self.reach).max(1))
    }

    fn draw(&self, run: &mut Run, random: &mut Random) {
        if !self.line.is_float() {
            return self.draw_integers(run, random);
        }
        match random.next() >> 60 {
            0..=2 => self.uniform(run, random),
            3..=5 if self.bounded => self.by_value(run, random),
            3 | 4 => self.usual(run, random),
            5 => {
                // Uniform in the values up to a power of ten.
                let size = [1.0, 10.0, 100.0, 1000.0][random.below(4)];
                self.fill(run, || self.line.ordinal_of((random.unit() - 0.5) * 2.0 * size));
            }
            6..=9 => self.boundary(run, random),
            10 if self.bounded => self.by_value(run, random),
            10 => {
                // Small integers, and what is next to them.
                self.fill(run, || self.line.ordinal_of((random.below(65) as f64) - 32.0));
                if random.next() >> 63 == 0 {
                    self.step(run, W::BITS / 2, random);
                }
            }
            11 if self.bounded => self.by_value(run, random),
            11 | 12 => self.usual(run, random),
            13 => self.fill(run, || {
                let integer = random.next() as i64 >> (1 + random.next() % 62);
                self.line.ordinal_of(integer as f64)
            }),
            14 => self.fill(run, || {
                let integer = random.next() as i64 >> (44 + random.next() % 19);
                let decimals = [1e1, 1e2, 1e3, 1e6][random.below(4)];
                self.line.ordinal_of(integer as f64 / decimals)
            }),
            _ => {
                self.uniform(run, random);
                self.low_bits(run, W::BITS, random, false);
            }
        }
    }

    /// Integers are orders, counts and switches: small ones are what code is written for,
    /// and large ones what it runs long with.
    fn draw_integers(&self, run: &mut Run, random: &mut Random) {
        match random.next() >> 60 {
            0..=3 => self.fill(run, || self.line.ordinal_of(random.below(8) as f64)),
            4 | 5 => self.fill(run, || self.line.ordinal_of(random.below(33) as f64 - 8.0)),
            6 | 7 => self.fill(run, || self.line.ordinal_of(random.below(513) as f64 - 128.0)),
            8..=10 => self.boundary(run, random),
            11..=13 => self.fill(run, || {
                let integer = random.next() as i64 >> (1 + random.next() % 62);
                self.line.ordinal_of(integer as f64)
            }),
            14 => self.by_value(run, random),
            _ if random.next() >> 63 == 0 => self.uniform(run, random),
            // The ends, where negation, absolute values and sums wrap, and what is next to them.
            _ => self.fill(run, || {
                let choice = random.next();
                let step = if choice & 6 == 0 { W::ONE } else { W::ZERO };
                if choice & 1 == 0 { self.line.low.plus(step) } else { self.line.high.minus(step) }
            }),
        }
    }

    /// Numbers of a size that people use.
    fn usual(&self, run: &mut Run, random: &mut Random) {
        self.fill(run, || {
            let bits = random.next() & ((1 << 52) - 1) | (1023 - 10 + random.next() % 24) << 52;
            let sign = random.next() & 1 << 63;
            self.line.ordinal_of(f64::from_bits(bits | sign))
        });
    }

    /// Uniform in the values, not the ulps: half of the doubles in 0..1 are below 1e-154.
    fn by_value(&self, run: &mut Run, random: &mut Random) {
        self.fill(run, || {
            let at = random.unit();
            self.line.ordinal_of(self.ends.0 * (1.0 - at) + self.ends.1 * at)
        });
    }

    /// Any ordinal, each as likely.
    fn uniform(&self, run: &mut Run, random: &mut Random) {
        self.fill(run, || self.line.low.plus(W::random_within(random, self.span)));
    }

    fn boundary(&self, run: &mut Run, random: &mut Random) {
        for point in run.points() {
            // The most telling are first: every second draw is from the first half, of
            // those every second from its first half, and once more. Not clamped:
            // infinities and NaN are among them.
            let halvings = (random.next() >> 61 | 8).trailing_zeros();
            let first = (self.table.len() >> halvings).max(1);
            self.line.write(point, self.table[random.below(first)]);
        }
        if random.one_in(3) {
            self.step(run, W::BITS / 2, random);
        }
    }

    fn step(&self, run: &mut Run, scale: u32, random: &mut Random) {
        let exponents = self.exponents(scale);
        self.each(run, |ordinal| {
            // The upper half of the bits for the power, the lowest two for the rest.
            let choice = random.next();
            let power = W::ONE << (((choice >> 32) * exponents) >> 32) as u32;
            // Every second time exactly the power of two.
            let most = select_unpredictable(choice & 2 == 0, W::ZERO, power.minus(W::ONE));
            self.shifted(ordinal, choice & 1 == 0, power | (W::random(random) & most))
        });
    }

    #[inline]
    fn scaled(&self, ordinal: W, up: bool, by: u32) -> W {
        let (negative, magnitude) = self.line.magnitude(ordinal);
        let scaled = if self.line.is_float() {
            let way = W::truncate(u128::from(by)) << self.line.fraction_bits;
            select_unpredictable(up, magnitude.plus(way), magnitude.minus(way))
        } else if !up {
            magnitude >> by.min(W::BITS - 1)
        } else if magnitude.leading() > by {
            magnitude << by
        } else {
            self.line.mask
        };
        self.line.signed(negative, scaled)
    }

    #[inline]
    fn negated(&self, ordinal: W) -> W {
        let (negative, magnitude) = self.line.magnitude(ordinal);
        self.line.signed(!negative, magnitude)
    }

    fn low_bits(&self, run: &mut Run, scale: u32, random: &mut Random, scramble: bool) {
        let scale = if self.line.is_float() { scale.min(self.line.fraction_bits) } else { scale };
        let exponents = self.exponents(scale);
        let fresh = if scramble { !W::ZERO } else { W::ZERO };
        self.each(run, |ordinal| {
            let (negative, magnitude) = self.line.magnitude(ordinal);
            let low = (W::ONE << (random.below(exponents as usize) as u32) << 1).minus(W::ONE);
            let drawn = W::random(random) & low & fresh;
            self.line.clamp(self.line.signed(negative, (magnitude & !low) | drawn))
        });
    }

    fn along(&self, run: &mut Run, from: &[u64], to: &[u64], factors: &[f64]) {
        let (from, to) = (self.line.read(from), self.line.read(to));
        if from == to {
            return;
        }
        let (way, falling) = (to.apart(from).to_float(), to < from);
        let mut factors = factors.iter();
        self.each(run, |ordinal| {
            let factor = factors.next().copied().unwrap_or(1.0);
            let by = W::of_float(way * factor.abs() + 0.5);
            self.shifted(ordinal, falling != (factor < 0.0), by)
        });
    }

    fn cross(&self, run: &mut Run, other: &[u64], halfway: bool, mut coins: u64) {
        let other = self.line.read(other);
        for point in run.points() {
            let own = self.line.read(point);
            let middle = self.line.clamp((own & other).plus((own ^ other) >> 1));
            let crossed = if halfway { middle } else { other };
            self.line.write(point, select_unpredictable(coins & 1 == 0, crossed, own));
            coins = coins.rotate_right(1);
        }
    }

    fn confine(&self, run: &mut Run, centre: &[u64], vicinity: u32) {
        let centre = self.line.read(centre);
        let most = (W::ONE << vicinity).minus(W::ONE);
        for point in run.points() {
            let ordinal = self.line.read(point);
            if ordinal.apart(centre) > most {
                let below = ordinal < centre;
                self.put(point, if below { centre.minus(most) } else { centre.plus(most) });
            }
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
