//! Floats as registers and memory keep them: in half of the room, where the places of their
//! format fit into 64 bits. Nearly all do, and most of what is kept is only moved about.

use crate::floats::Floats;
use crate::grain::{self, FINEST, Grain, WHOLE};
use crate::grid;
use crate::span::ShortSpan;
use nanoscope_ieee::Format;

/// Floats of any format.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kept {
    /// Of one with at most 64 bits.
    Short(Short),
    /// Of any other.
    Long(Box<Floats>),
}

/// Floats whose places are short.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Short {
    positive: ShortSpan,
    negative: ShortSpan,
    format: Format,
    plus_zero: bool,
    minus_zero: bool,
    nan: bool,
    grain: Grain,
}

impl From<Floats> for Kept {
    fn from(floats: Floats) -> Kept {
        let floats = floats.settled();
        let Floats { format, positive, negative, plus_zero, minus_zero, nan, grain } = floats;
        if format.width() > 64 {
            return Kept::Long(Box::new(floats));
        }
        let (positive, negative) = (positive.into(), negative.into());
        Kept::Short(Short { format, positive, negative, plus_zero, minus_zero, nan, grain })
    }
}

impl Kept {
    /// The floats.
    pub fn get(&self) -> Floats {
        match self {
            Kept::Short(Short {
                positive,
                negative,
                format,
                plus_zero,
                minus_zero,
                nan,
                grain,
            }) => Floats {
                format: *format,
                positive: (*positive).into(),
                negative: (*negative).into(),
                plus_zero: *plus_zero,
                minus_zero: *minus_zero,
                nan: *nan,
                grain: *grain,
            },
            Kept::Long(floats) => **floats,
        }
    }

    /// Their format.
    pub fn format(&self) -> Format {
        match self {
            Kept::Short(short) => short.format,
            Kept::Long(floats) => floats.format,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        match self {
            Kept::Short(short) => short.is_empty(),
            Kept::Long(floats) => floats.is_empty(),
        }
    }

    /// What either holds, of one format.
    pub fn join(&self, other: &Kept) -> Kept {
        match (self, other) {
            (Kept::Short(a), Kept::Short(b)) => Kept::Short(a.join(b)),
            (_, _) => self.get().join(&other.get()).into(),
        }
    }

    /// What both hold, of one format.
    pub fn meet(&self, other: &Kept) -> Kept {
        match (self, other) {
            (Kept::Short(a), Kept::Short(b)) if a.grain.max(b.grain) == FINEST => {
                Kept::Short(a.meet(b))
            }
            (_, _) => self.get().meet(&other.get()).into(),
        }
    }
}

impl Short {
    const fn is_empty(&self) -> bool {
        self.positive.is_empty()
            && self.negative.is_empty()
            && !(self.plus_zero || self.minus_zero || self.nan)
    }

    fn join(&self, other: &Short) -> Short {
        let mut hull = Short {
            format: self.format,
            positive: self.positive.join(other.positive),
            negative: self.negative.join(other.negative),
            plus_zero: self.plus_zero || other.plus_zero,
            minus_zero: self.minus_zero || other.minus_zero,
            nan: self.nan || other.nan,
            grain: FINEST,
        };
        let grain = self.coarsest().min(other.coarsest());
        if grain > hull.evident() {
            hull.grain = grain;
        }
        hull
    }

    /// See [`Floats`].
    fn evident(&self) -> Grain {
        let infinity = grid::infinity(self.format) as i64;
        let of = |span: ShortSpan| {
            let ends = span.below(infinity);
            ends.map_or(WHOLE, |(lo, hi)| grain::between(self.format, lo.into(), hi.into()))
        };
        of(self.positive).min(of(self.negative))
    }

    fn coarsest(&self) -> Grain {
        self.evident().max(self.grain)
    }

    fn meet(&self, other: &Short) -> Short {
        Short {
            format: self.format,
            positive: self.positive.meet(other.positive),
            negative: self.negative.meet(other.negative),
            plus_zero: self.plus_zero && other.plus_zero,
            minus_zero: self.minus_zero && other.minus_zero,
            nan: self.nan && other.nan,
            grain: FINEST,
        }
    }
}
