//! Sets of floats with what programs distinguish: the positive and the negative numbers, each an
//! interval, whether either zero or a NaN is among them, and the power of two that all of them are
//! multiples of.
//!
//! A gap around zero survives every join, so that a test `x != 0` or `fabs(x) > eps` is
//! remembered, and a result that is zero or normal is told from one that is subnormal.

mod compact;
pub mod granularity;
mod span;
mod widen;

use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
use crate::set::Set;
pub use compact::{CompactFloats, Signs};
use granularity::{FINEST, Grain, WHOLE};
use nanoscope_ieee::{Float, Format};
pub use span::{Place, Span};
use std::fmt;

/// Floats of a format, with ordinals of any type that holds them: [`Floats`] to compute with,
/// `FloatSet<i64>` to keep where the format has at most 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FloatSet<O> {
    /// The positive numbers.
    pub positive: Span<O>,
    /// The magnitudes of the negative numbers.
    pub negative: Span<O>,
    /// Their format.
    pub format: Format,
    /// Whether it may be `+0`.
    pub plus_zero: bool,
    /// Whether it may be `-0`.
    pub minus_zero: bool,
    /// Whether it may be a NaN.
    pub nan: bool,
    /// The finite ones are multiples of two to this power; the finest where their ends say as
    /// much.
    pub grain: Grain,
}

/// Floats of any format of at most 128 bits.
pub type Floats = FloatSet<Ordinal>;

impl<O: Place> FloatSet<O> {
    /// No float at all.
    pub fn nothing(format: Format) -> FloatSet<O> {
        FloatSet {
            format,
            positive: Span::EMPTY,
            negative: Span::EMPTY,
            plus_zero: false,
            minus_zero: false,
            nan: false,
            grain: FINEST,
        }
    }

    /// The line of its format.
    #[inline]
    pub fn grid(&self) -> Grid {
        Grid::of(self.format)
    }

    #[inline]
    fn infinity(&self) -> O {
        O::of(self.grid().infinity())
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.nan && self.has_no_number()
    }

    /// Whether there is no number.
    #[inline]
    pub fn has_no_number(&self) -> bool {
        self.positive.is_empty() && self.negative.is_empty() && !self.plus_zero && !self.minus_zero
    }

    /// What either holds.
    pub fn join(&self, other: &FloatSet<O>) -> FloatSet<O> {
        let mut hull = FloatSet {
            format: self.format,
            positive: self.positive.join(other.positive),
            negative: self.negative.join(other.negative),
            plus_zero: self.plus_zero || other.plus_zero,
            minus_zero: self.minus_zero || other.minus_zero,
            nan: self.nan || other.nan,
            grain: FINEST,
        };
        // Only single numbers and known multiples may be coarser than the hull's ends tell.
        let is_plain = |set: &FloatSet<O>| set.grain == FINEST && !set.has_single_magnitude();
        if is_plain(self) && is_plain(other) {
            return hull;
        }
        let grain = self.coarsest().min(other.coarsest());
        if grain > hull.evident() {
            hull.grain = grain;
        }
        hull
    }

    fn has_single_magnitude(&self) -> bool {
        let is_single = |span: Span<O>| span.lo == span.hi || span.others() == Some(span.lo);
        is_single(self.positive) || is_single(self.negative)
    }

    /// What both hold.
    pub fn meet(&self, other: &FloatSet<O>) -> FloatSet<O> {
        let common = FloatSet {
            format: self.format,
            positive: self.positive.meet(other.positive),
            negative: self.negative.meet(other.negative),
            plus_zero: self.plus_zero && other.plus_zero,
            minus_zero: self.minus_zero && other.minus_zero,
            nan: self.nan && other.nan,
            grain: FINEST,
        };
        match self.grain.max(other.grain) {
            FINEST => common,
            grain => common.multiples(grain),
        }
    }

    /// The least and the greatest number.
    pub fn bounds(&self) -> Option<(Ordinal, Ordinal)> {
        let (positive, negative) = (self.positive, self.negative);
        let least = if !negative.is_empty() {
            !negative.hi.ordinal()
        } else if self.minus_zero {
            -1
        } else if self.plus_zero {
            0
        } else if !positive.is_empty() {
            positive.lo.ordinal()
        } else {
            return None;
        };
        let greatest = if !positive.is_empty() {
            positive.hi.ordinal()
        } else if self.plus_zero {
            0
        } else if self.minus_zero {
            -1
        } else {
            !negative.lo.ordinal()
        };
        Some((least, greatest))
    }

    /// What the ends of its intervals say that all its finite numbers are multiples of.
    fn evident(&self) -> Grain {
        let (grid, infinity) = (self.grid(), self.infinity());
        let of = |span: Span<O>| {
            let ends = span.below(infinity);
            ends.map_or(WHOLE, |(lo, hi)| granularity::between(grid, lo.ordinal(), hi.ordinal()))
        };
        of(self.positive).min(of(self.negative))
    }

    /// What all its finite numbers are multiples of.
    pub fn coarsest(&self) -> Grain {
        self.evident().max(self.grain).min(WHOLE)
    }

    /// Normal form: drops a granularity that the bounds imply.
    pub fn settled(self) -> FloatSet<O> {
        if self.grain == FINEST { self } else { self.multiples(self.grain) }
    }

    /// Those that are multiples of a power of two, or infinite.
    pub fn multiples(self, grain: Grain) -> FloatSet<O> {
        let grain = grain.max(self.grain).min(WHOLE);
        if grain <= self.evident() {
            return FloatSet { grain: FINEST, ..self };
        }
        let (grid, infinity) = (self.grid(), self.infinity());
        let among = |span: Span<O>| {
            let Some((lo, hi)) = span.below(infinity) else { return span };
            let (lo, hi) = granularity::multiples(grid, (lo.ordinal(), hi.ordinal()), grain);
            let finite = span.meet(Span::new(O::of(lo), O::of(hi).min(infinity.previous())));
            match span.contains(infinity) {
                true => finite.join(Span::new(infinity, infinity)),
                false => finite,
            }
        };
        let (positive, negative) = (among(self.positive), among(self.negative));
        let left = FloatSet { positive, negative, ..self };
        FloatSet { grain: if grain > left.evident() { grain } else { FINEST }, ..left }
    }

    /// Whether everything here is in the other.
    pub fn within(&self, other: &FloatSet<O>) -> bool {
        let other = other.settled();
        self.settled().join(&other) == other
    }

    /// The same floats with another type of ordinals, which holds them.
    #[inline]
    pub fn with_places<P: Place>(self) -> FloatSet<P> {
        let FloatSet { format, positive, negative, plus_zero, minus_zero, nan, grain } = self;
        let (positive, negative) = (positive.with_places(), negative.with_places());
        FloatSet { format, positive, negative, plus_zero, minus_zero, nan, grain }
    }
}

impl Floats {
    /// Any float.
    pub fn everything(format: Format) -> Floats {
        let all = Span::new(1, Grid::of(format).infinity());
        Floats {
            format,
            positive: all,
            negative: all,
            plus_zero: true,
            minus_zero: true,
            nan: true,
            grain: FINEST,
        }
    }

    /// Any number that is not infinite.
    pub fn finite(format: Format) -> Floats {
        let all = Span::new(1, Grid::of(format).max_finite());
        Floats { positive: all, negative: all, nan: false, ..Floats::everything(format) }
    }

    /// Only a NaN.
    pub fn only_nan(format: Format) -> Floats {
        Floats { nan: true, ..Floats::nothing(format) }
    }

    /// Only `+0`.
    pub fn zero(format: Format) -> Floats {
        Floats { plus_zero: true, ..Floats::nothing(format) }
    }

    /// Just this float.
    pub fn of(value: &Float) -> Floats {
        match Grid::of(value.format()).place(value) {
            None => Floats::only_nan(value.format()),
            Some(at) => Floats::between(value.format(), at, at),
        }
    }

    /// The numbers between two places, both included.
    pub fn between(format: Format, lo: Ordinal, hi: Ordinal) -> Floats {
        let mut floats = Floats::nothing(format);
        if lo > hi {
            return floats;
        }
        floats.positive = Span::new(lo.max(1), hi);
        floats.negative = Span::new(if hi < -1 { !hi } else { 1 }, !lo);
        floats.plus_zero = lo <= 0 && 0 <= hi;
        floats.minus_zero = lo <= -1 && -1 <= hi;
        floats
    }

    /// The numbers between two doubles, rounded to the format; `-0` only below `+0`.
    pub fn between_doubles(format: Format, lo: f64, hi: f64) -> Floats {
        let grid = Grid::of(format);
        Floats::between(format, grid.nearest(lo), grid.nearest(hi))
    }

    /// Whether a zero is among them.
    pub fn has_zero(&self) -> bool {
        self.plus_zero || self.minus_zero
    }

    /// Whether an infinity is among them.
    pub fn has_infinity(&self) -> bool {
        self.has_plus_infinity() || self.has_minus_infinity()
    }

    /// Whether `+inf` is among them.
    pub fn has_plus_infinity(&self) -> bool {
        self.positive.contains(self.infinity())
    }

    /// Whether `-inf` is among them.
    pub fn has_minus_infinity(&self) -> bool {
        self.negative.contains(self.infinity())
    }

    /// Whether a number other than zero and the infinities is among them.
    pub fn has_finite_nonzero(&self) -> bool {
        let infinity = self.infinity();
        let finite = |span: Span| !span.is_empty() && span.lo < infinity;
        finite(self.positive) || finite(self.negative)
    }

    /// Whether a number at a place is among them.
    pub fn contains_place(&self, at: Ordinal) -> bool {
        match at {
            0 => self.plus_zero,
            -1 => self.minus_zero,
            at if at > 0 => self.positive.contains(at) && self.grained(at),
            at => self.negative.contains(!at) && self.grained(!at),
        }
    }

    /// Whether a magnitude is infinite or a multiple as all the others are.
    fn grained(&self, magnitude: Ordinal) -> bool {
        magnitude == self.infinity()
            || granularity::between(self.grid(), magnitude, magnitude) >= self.grain.min(WHOLE)
    }

    /// Whether a float is among them.
    pub fn contains(&self, value: &Float) -> bool {
        self.grid().place(value).map_or(self.nan, |at| self.contains_place(at))
    }

    /// The only number there can be, if there is just one.
    pub fn single_place(&self) -> Option<Ordinal> {
        let (lo, hi) = self.bounds()?;
        (lo == hi && !self.nan).then_some(lo)
    }

    /// The numbers as intervals of places, from below.
    pub fn pieces(&self) -> impl Iterator<Item = (Ordinal, Ordinal)> + use<> {
        let mut negative = self.negative.pieces().map(|(lo, hi)| (!hi, !lo));
        let (near, far) = (negative.next(), negative.next());
        let minus = self.minus_zero.then_some((-1, -1));
        let plus = self.plus_zero.then_some((0, 0));
        [far, near, minus, plus].into_iter().flatten().chain(self.positive.pieces())
    }

    /// The negated floats.
    pub fn negated(&self) -> Floats {
        Floats {
            positive: self.negative,
            negative: self.positive,
            plus_zero: self.minus_zero,
            minus_zero: self.plus_zero,
            ..*self
        }
    }

    /// The floats without their sign.
    pub fn magnitudes(&self) -> Floats {
        Floats {
            positive: self.positive.join(self.negative),
            negative: Span::EMPTY,
            plus_zero: self.has_zero(),
            minus_zero: false,
            ..*self
        }
    }

    /// The numbers alone.
    pub fn numbers(&self) -> Floats {
        Floats { nan: false, ..*self }
    }

    /// The numbers that are not infinite.
    pub fn finite_part(&self) -> Floats {
        let infinity = self.infinity();
        if self.positive.hi < infinity && self.negative.hi < infinity {
            return self.numbers();
        }
        self.meet(&Floats::finite(self.format))
    }

    /// The infinities alone.
    pub fn infinite_part(&self) -> Floats {
        let infinity = Span::new(self.infinity(), self.infinity());
        Floats {
            positive: self.positive.meet(infinity),
            negative: self.negative.meet(infinity),
            ..Floats::nothing(self.format)
        }
    }

    /// The numbers without both zeros.
    pub fn nonzero_part(&self) -> Floats {
        Floats { plus_zero: false, minus_zero: false, nan: false, ..*self }
    }

    /// Both zeros where either was: their order does not tell them apart.
    pub fn with_both_zeros(&self) -> Floats {
        let zero = self.has_zero();
        Floats { plus_zero: zero, minus_zero: zero, ..*self }
    }

    /// The numbers from a place up.
    pub fn at_least(&self, at: Ordinal) -> Floats {
        self.meet(&Floats::between(self.format, at, self.infinity()))
    }

    /// The numbers up to a place.
    pub fn at_most(&self, at: Ordinal) -> Floats {
        self.meet(&Floats::between(self.format, !self.infinity(), at))
    }
}

impl Set for Floats {
    const ONE_NAN: bool = false;

    fn empty(grid: Grid) -> Floats {
        Floats::nothing(grid.stored_format())
    }

    fn of_numbers(grid: Grid, numbers: Interval) -> Floats {
        Floats::between(grid.stored_format(), numbers.lo, numbers.hi)
    }

    fn of_nan(grid: Grid) -> Floats {
        Floats::only_nan(grid.stored_format())
    }

    fn hull(&self) -> Interval {
        self.bounds().map_or(Interval::EMPTY, |(lo, hi)| Interval::new(lo, hi))
    }

    fn side(&self, negative: bool) -> Interval {
        let (span, zero) = match negative {
            false => (self.positive, self.plus_zero),
            true => (self.negative, self.minus_zero),
        };
        let (lo, hi) = match (zero, span.is_empty()) {
            (true, true) => (0, 0),
            (true, false) => (0, span.hi),
            (false, true) => return Interval::EMPTY,
            (false, false) => (span.lo, span.hi),
        };
        let side = Interval::new(lo, hi);
        if negative { side.negated() } else { side }
    }

    fn has_nan(&self) -> bool {
        self.nan
    }

    fn is_empty(&self) -> bool {
        FloatSet::is_empty(self)
    }

    fn join(&self, other: &Floats) -> Floats {
        FloatSet::join(self, other)
    }

    fn meet(&self, other: &Floats) -> Floats {
        FloatSet::meet(self, other)
    }

    fn kept_of(self, given: &Floats) -> Floats {
        FloatSet::meet(&self, given)
    }

    fn without_nan(&self) -> Floats {
        self.numbers()
    }

    fn with_both_zeros(&self) -> Floats {
        Floats::with_both_zeros(self)
    }

    fn negated(&self) -> Floats {
        Floats::negated(self)
    }
}

impl fmt::Display for Floats {
    /// As a person reads it: `[-1, -0.5] or 0 or [1, inf] or NaN`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let grid = self.grid();
        let text = |at: Ordinal| grid.number(at).to_string();
        let interval = |lo, hi| match lo == hi {
            true => text(lo),
            false => format!("[{}, {}]", text(lo), text(hi)),
        };
        // Without a gap around zero one interval says it all.
        let closed = |span: Span| span.is_empty() || (span.lo == 1 && span.pieces().count() == 1);
        let whole = self.has_zero() && closed(self.positive) && closed(self.negative);
        match self.bounds() {
            Some((lo, hi)) if whole => parts.push(interval(if lo == -1 { 0 } else { lo }, hi)),
            Some(_) | None => {
                let negative = self.negative.pieces().map(|(lo, hi)| interval(!hi, !lo));
                parts.extend(negative.collect::<Vec<_>>().into_iter().rev());
                if self.has_zero() {
                    parts.push("0".into());
                }
                parts.extend(self.positive.pieces().map(|(lo, hi)| interval(lo, hi)));
            }
        }
        if self.nan {
            parts.push("NaN".into());
        }
        f.write_str(&if parts.is_empty() { "nothing".into() } else { parts.join(" or ") })
    }
}
