//! Floats as registers and memory keep them: in half of the room, where the places of their
//! format fit into 64 bits. Nearly all do, and most of what is kept is only moved about.

use crate::floats::Floats;
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
    whole: bool,
}

impl From<Floats> for Kept {
    fn from(floats: Floats) -> Kept {
        let Floats { format, positive, negative, plus_zero, minus_zero, nan, whole } = floats;
        if format.width() > 64 {
            return Kept::Long(Box::new(floats));
        }
        let (positive, negative) = (positive.into(), negative.into());
        Kept::Short(Short { format, positive, negative, plus_zero, minus_zero, nan, whole })
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
                whole,
            }) => Floats {
                format: *format,
                positive: (*positive).into(),
                negative: (*negative).into(),
                plus_zero: *plus_zero,
                minus_zero: *minus_zero,
                nan: *nan,
                whole: *whole,
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
            (Kept::Short(a), Kept::Short(b)) if a.has_fractions() || b.has_fractions() => {
                Kept::Short(a.join(b))
            }
            (_, _) => self.get().join(&other.get()).into(),
        }
    }

    /// What both hold, of one format.
    pub fn meet(&self, other: &Kept) -> Kept {
        match (self, other) {
            (Kept::Short(a), Kept::Short(b)) if !a.whole && !b.whole => Kept::Short(a.meet(b)),
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

    /// Whether it is plain that some of them are no integers.
    const fn has_fractions(&self) -> bool {
        let all = grid::all_whole(self.format) as i64;
        !self.whole
            && (self.positive.has_several_below(all) || self.negative.has_several_below(all))
    }

    fn join(&self, other: &Short) -> Short {
        Short {
            format: self.format,
            positive: self.positive.join(other.positive),
            negative: self.negative.join(other.negative),
            plus_zero: self.plus_zero || other.plus_zero,
            minus_zero: self.minus_zero || other.minus_zero,
            nan: self.nan || other.nan,
            whole: false,
        }
    }

    fn meet(&self, other: &Short) -> Short {
        Short {
            format: self.format,
            positive: self.positive.meet(other.positive),
            negative: self.negative.meet(other.negative),
            plus_zero: self.plus_zero && other.plus_zero,
            minus_zero: self.minus_zero && other.minus_zero,
            nan: self.nan && other.nan,
            whole: false,
        }
    }
}
