//! What is known of a float: the positive and the negative numbers it may be, each an
//! interval, and whether it may be either zero or a NaN.
//!
//! A gap around zero survives every join, so that a test `x != 0` or `fabs(x) > eps` is
//! remembered, and a result that is zero or normal is told from one that is subnormal.

use crate::grain::{self, FINEST, Grain, WHOLE};
use crate::grid::{self, Ordinal};
pub use crate::span::Span;
use nanoscope_ieee::{Float, Format};
use std::fmt;

/// The floats of a format that a value may be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Floats {
    /// Their format.
    pub format: Format,
    /// The positive numbers.
    pub positive: Span,
    /// The magnitudes of the negative numbers.
    pub negative: Span,
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

impl Floats {
    /// No float at all: control does not come here.
    pub const fn nothing(format: Format) -> Floats {
        Floats {
            format,
            positive: Span::EMPTY,
            negative: Span::EMPTY,
            plus_zero: false,
            minus_zero: false,
            nan: false,
            grain: FINEST,
        }
    }

    /// Any float.
    pub const fn everything(format: Format) -> Floats {
        let all = Span::new(1, grid::infinity(format));
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
    pub const fn finite(format: Format) -> Floats {
        let all = Span::new(1, grid::max_finite(format));
        Floats { positive: all, negative: all, nan: false, ..Floats::everything(format) }
    }

    /// Only a NaN.
    pub const fn only_nan(format: Format) -> Floats {
        Floats { nan: true, ..Floats::nothing(format) }
    }

    /// Only `+0`.
    pub const fn zero(format: Format) -> Floats {
        Floats { plus_zero: true, ..Floats::nothing(format) }
    }

    /// Just this float.
    pub fn of(value: &Float) -> Floats {
        match grid::place(value) {
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
        Floats::between(format, grid::nearest(format, lo), grid::nearest(format, hi))
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        !self.nan && self.has_no_number()
    }

    /// Whether there is no number.
    pub const fn has_no_number(&self) -> bool {
        self.positive.is_empty() && self.negative.is_empty() && !self.plus_zero && !self.minus_zero
    }

    /// Whether a zero is among them.
    pub const fn has_zero(&self) -> bool {
        self.plus_zero || self.minus_zero
    }

    /// Whether an infinity is among them.
    pub const fn has_infinity(&self) -> bool {
        self.has_plus_infinity() || self.has_minus_infinity()
    }

    /// Whether `+inf` is among them.
    pub const fn has_plus_infinity(&self) -> bool {
        self.positive.contains(grid::infinity(self.format))
    }

    /// Whether `-inf` is among them.
    pub const fn has_minus_infinity(&self) -> bool {
        self.negative.contains(grid::infinity(self.format))
    }

    /// Whether a number other than zero and the infinities is among them.
    pub const fn has_finite_nonzero(&self) -> bool {
        let infinity = grid::infinity(self.format);
        (!self.positive.is_empty() && self.positive.lo < infinity)
            || (!self.negative.is_empty() && self.negative.lo < infinity)
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
        magnitude == grid::infinity(self.format)
            || grain::between(self.format, magnitude, magnitude) >= self.grain.min(WHOLE)
    }

    /// Whether a float is among them.
    pub fn contains(&self, value: &Float) -> bool {
        grid::place(value).map_or(self.nan, |at| self.contains_place(at))
    }

    /// The only number there can be, if there is just one.
    pub fn single_place(&self) -> Option<Ordinal> {
        let (lo, hi) = self.bounds()?;
        (lo == hi && !self.nan).then_some(lo)
    }

    /// The least and the greatest number.
    pub fn bounds(&self) -> Option<(Ordinal, Ordinal)> {
        let (positive, negative) = (self.positive, self.negative);
        let least = if !negative.is_empty() {
            !negative.hi
        } else if self.minus_zero {
            -1
        } else if self.plus_zero {
            0
        } else if !positive.is_empty() {
            positive.lo
        } else {
            return None;
        };
        let greatest = if !positive.is_empty() {
            positive.hi
        } else if self.plus_zero {
            0
        } else if self.minus_zero {
            -1
        } else {
            !negative.lo
        };
        Some((least, greatest))
    }

    /// The numbers as intervals of places, from below.
    pub fn pieces(&self) -> impl Iterator<Item = (Ordinal, Ordinal)> + use<> {
        let mut negative = self.negative.pieces().map(|(lo, hi)| (!hi, !lo));
        let (near, far) = (negative.next(), negative.next());
        let minus = self.minus_zero.then_some((-1, -1));
        let plus = self.plus_zero.then_some((0, 0));
        [far, near, minus, plus].into_iter().flatten().chain(self.positive.pieces())
    }

    /// What either holds.
    pub fn join(&self, other: &Floats) -> Floats {
        let hull = Floats {
            format: self.format,
            positive: self.positive.join(other.positive),
            negative: self.negative.join(other.negative),
            plus_zero: self.plus_zero || other.plus_zero,
            minus_zero: self.minus_zero || other.minus_zero,
            nan: self.nan || other.nan,
            grain: FINEST,
        };
        hull.told(self.coarsest().min(other.coarsest()))
    }

    /// What both hold.
    pub fn meet(&self, other: &Floats) -> Floats {
        let common = Floats {
            format: self.format,
            positive: self.positive.meet(other.positive),
            negative: self.negative.meet(other.negative),
            plus_zero: self.plus_zero && other.plus_zero,
            minus_zero: self.minus_zero && other.minus_zero,
            nan: self.nan && other.nan,
            grain: FINEST,
        };
        common.multiples(self.grain.max(other.grain))
    }

    /// What the ends of its intervals say that all its finite numbers are multiples of.
    fn evident(&self) -> Grain {
        let infinity = grid::infinity(self.format);
        let of = |span: Span| {
            let ends = span.below(infinity);
            ends.map_or(WHOLE, |(lo, hi)| grain::between(self.format, lo, hi))
        };
        of(self.positive).min(of(self.negative))
    }

    /// What all its finite numbers are multiples of.
    pub fn coarsest(&self) -> Grain {
        self.evident().max(self.grain).min(WHOLE)
    }

    /// The same floats, all finite ones of which are multiples of a power of two.
    fn told(self, grain: Grain) -> Floats {
        Floats { grain: if grain > self.evident() { grain } else { FINEST }, ..self }
    }

    /// The same floats, with no more said of them than their ends do not say.
    pub fn settled(self) -> Floats {
        if self.grain == FINEST { self } else { self.multiples(self.grain) }
    }

    /// Those that are multiples of a power of two, or infinite.
    pub fn multiples(self, grain: Grain) -> Floats {
        let grain = grain.max(self.grain).min(WHOLE);
        if grain <= self.evident() {
            return Floats { grain: FINEST, ..self };
        }
        let infinity = grid::infinity(self.format);
        let among = |span: Span| {
            let Some(ends) = span.below(infinity) else { return span };
            let (lo, hi) = grain::multiples(self.format, ends, grain);
            let finite = span.meet(Span::new(lo, hi.min(infinity - 1)));
            if span.contains(infinity) {
                finite.join(Span::new(infinity, infinity))
            } else {
                finite
            }
        };
        let (positive, negative) = (among(self.positive), among(self.negative));
        Floats { positive, negative, ..self }.told(grain)
    }

    /// Whether everything here is in the other.
    pub fn within(&self, other: &Floats) -> bool {
        let other = other.settled();
        self.settled().join(&other) == other
    }

    /// The negated floats.
    pub const fn negated(&self) -> Floats {
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
    pub const fn numbers(&self) -> Floats {
        Floats { nan: false, ..*self }
    }

    /// The numbers that are not infinite.
    pub fn finite_part(&self) -> Floats {
        let infinity = grid::infinity(self.format);
        if self.positive.hi < infinity && self.negative.hi < infinity {
            return self.numbers();
        }
        self.meet(&Floats::finite(self.format))
    }

    /// The infinities alone.
    pub fn infinite_part(&self) -> Floats {
        let infinity = Span::new(grid::infinity(self.format), grid::infinity(self.format));
        Floats {
            positive: self.positive.meet(infinity),
            negative: self.negative.meet(infinity),
            ..Floats::nothing(self.format)
        }
    }

    /// The numbers without both zeros.
    pub const fn nonzero_part(&self) -> Floats {
        Floats { plus_zero: false, minus_zero: false, nan: false, ..*self }
    }

    /// Both zeros where either was: their order does not tell them apart.
    pub const fn with_both_zeros(&self) -> Floats {
        let zero = self.has_zero();
        Floats { plus_zero: zero, minus_zero: zero, ..*self }
    }

    /// The numbers from a place up.
    pub fn at_least(&self, at: Ordinal) -> Floats {
        self.meet(&Floats::between(self.format, at, grid::infinity(self.format)))
    }

    /// The numbers up to a place.
    pub fn at_most(&self, at: Ordinal) -> Floats {
        self.meet(&Floats::between(self.format, !grid::infinity(self.format), at))
    }

    /// A superset of both that an ascending chain reaches in few steps: an end that moved
    /// goes on to the next landmark.
    pub fn widen(&self, next: &Floats, landmarks: &[Ordinal]) -> Floats {
        let infinity = grid::infinity(self.format);
        let stretch = |old: Span, new: Span| {
            let joined = old.join(new);
            if joined.is_empty() || old.is_empty() {
                return joined;
            }
            let lo = if joined.lo < old.lo {
                landmarks.iter().rev().copied().find(|&l| l <= joined.lo && l >= 1).unwrap_or(1)
            } else {
                joined.lo
            };
            // Infinity is not come to by growing.
            let finite =
                |span: Span| if span.hi < infinity { Some(span.hi) } else { span.others() };
            let most = match finite(joined) {
                None => return joined,
                Some(most) if Some(most) <= finite(old) => most,
                Some(most) => {
                    let next = landmarks.iter().copied().find(|&mark| mark >= most);
                    next.unwrap_or(infinity - 1).min(infinity - 1)
                }
            };
            if joined.hi == infinity {
                Span::apart(lo, most, infinity)
            } else {
                Span::new(lo, most)
            }
        };
        let wide = Floats {
            positive: stretch(self.positive, next.positive),
            negative: stretch(self.negative, next.negative),
            grain: FINEST,
            ..self.join(next)
        };
        // What is no longer multiples of as much is whole numbers, or anything.
        match (self.coarsest(), next.coarsest()) {
            (old, new) if new >= old => wide.multiples(old),
            (_, WHOLE..) => wide.multiples(WHOLE),
            (_, _) => wide,
        }
    }
}

impl fmt::Display for Floats {
    /// As a person reads it: `[-1, -0.5] or 0 or [1, inf] or NaN`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let text = |at: Ordinal| grid::number(self.format, at).to_string();
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
