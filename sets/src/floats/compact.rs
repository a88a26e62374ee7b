//! Floats to keep: in half of the room, where the ordinals of their format fit into 64 bits.
//! Nearly all do, and most of what is kept is only moved about.

use super::{FloatSet, Floats, Place};
use crate::interval::Ordinal;
use nanoscope_ieee::Format;

/// Floats of any format, in normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CompactFloats {
    /// Of one with at most 64 bits.
    Short(FloatSet<i64>),
    /// Of any other.
    Long(Box<Floats>),
}

/// The signs of the floats of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signs {
    /// Numbers below zero.
    pub negative: bool,
    /// A zero.
    pub zero: bool,
    /// Numbers above zero.
    pub positive: bool,
    /// NaN.
    pub nan: bool,
}

impl Signs {
    fn of<O: Place>(floats: &FloatSet<O>) -> Signs {
        Signs {
            negative: !floats.negative.is_empty(),
            zero: floats.plus_zero || floats.minus_zero,
            positive: !floats.positive.is_empty(),
            nan: floats.nan,
        }
    }
}

impl From<Floats> for CompactFloats {
    fn from(floats: Floats) -> CompactFloats {
        let floats = floats.settled();
        match floats.format.width() {
            ..=64 => CompactFloats::Short(floats.with_places()),
            _ => CompactFloats::Long(Box::new(floats)),
        }
    }
}

impl CompactFloats {
    /// The floats.
    #[inline]
    pub fn get(&self) -> Floats {
        match self {
            CompactFloats::Short(short) => short.with_places(),
            CompactFloats::Long(floats) => **floats,
        }
    }

    /// Their format.
    pub fn format(&self) -> Format {
        match self {
            CompactFloats::Short(short) => short.format,
            CompactFloats::Long(floats) => floats.format,
        }
    }

    /// Which signs they have.
    pub fn signs(&self) -> Signs {
        match self {
            CompactFloats::Short(short) => Signs::of(short),
            CompactFloats::Long(floats) => Signs::of(floats),
        }
    }

    /// The least and the greatest number.
    pub fn bounds(&self) -> Option<(Ordinal, Ordinal)> {
        match self {
            CompactFloats::Short(short) => short.bounds(),
            CompactFloats::Long(floats) => floats.bounds(),
        }
    }

    /// Whether both hold a NaN or the same zero.
    pub fn shares_special(&self, other: &CompactFloats) -> bool {
        let special = |floats: &CompactFloats| match floats {
            CompactFloats::Short(short) => [short.nan, short.plus_zero, short.minus_zero],
            CompactFloats::Long(long) => [long.nan, long.plus_zero, long.minus_zero],
        };
        special(self).into_iter().zip(special(other)).any(|(a, b)| a && b)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        match self {
            CompactFloats::Short(short) => short.is_empty(),
            CompactFloats::Long(floats) => floats.is_empty(),
        }
    }

    /// What either holds, of one format.
    pub fn join(&self, other: &CompactFloats) -> CompactFloats {
        match (self, other) {
            (CompactFloats::Short(a), CompactFloats::Short(b)) => CompactFloats::Short(a.join(b)),
            (_, _) => self.get().join(&other.get()).into(),
        }
    }

    /// What both hold, of one format.
    pub fn meet(&self, other: &CompactFloats) -> CompactFloats {
        match (self, other) {
            (CompactFloats::Short(a), CompactFloats::Short(b)) => CompactFloats::Short(a.meet(b)),
            (_, _) => self.get().meet(&other.get()).into(),
        }
    }
}
