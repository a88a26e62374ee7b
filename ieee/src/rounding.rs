//! The five rounding-direction attributes (IEEE 754-2019, 4.3).

use std::fmt;
use std::str::FromStr;

/// Which way an operation rounds a result that the format cannot hold.
///
/// The discriminants are the encoding of a symbolic rounding mode, a word of
/// three bits; the encodings 5, 6 and 7 round toward zero as 4 does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rounding {
    /// To the nearest value, ties to the even significand.
    #[default]
    NearestEven = 0,
    /// To the nearest value, ties away from zero.
    NearestAway = 1,
    /// Toward plus infinity.
    Upward = 2,
    /// Toward minus infinity.
    Downward = 3,
    /// Toward zero.
    TowardZero = 4,
}

impl Rounding {
    /// Every mode, in the order of their encodings.
    pub const ALL: [Rounding; 5] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::Upward,
        Rounding::Downward,
        Rounding::TowardZero,
    ];

    /// SMT-LIB's short name: `RNE`, `RNA`, `RTP`, `RTN`, `RTZ`.
    pub const fn smtlib_name(self) -> &'static str {
        match self {
            Rounding::NearestEven => "RNE",
            Rounding::NearestAway => "RNA",
            Rounding::Upward => "RTP",
            Rounding::Downward => "RTN",
            Rounding::TowardZero => "RTZ",
        }
    }

    /// SMT-LIB's long name, `roundNearestTiesToEven` and its like.
    pub const fn smtlib_long_name(self) -> &'static str {
        match self {
            Rounding::NearestEven => "roundNearestTiesToEven",
            Rounding::NearestAway => "roundNearestTiesToAway",
            Rounding::Upward => "roundTowardPositive",
            Rounding::Downward => "roundTowardNegative",
            Rounding::TowardZero => "roundTowardZero",
        }
    }

    /// The mode that rounds `-x` to minus what this one rounds `x` to.
    pub const fn mirrored(self) -> Rounding {
        match self {
            Rounding::Upward => Rounding::Downward,
            Rounding::Downward => Rounding::Upward,
            Rounding::NearestEven | Rounding::NearestAway | Rounding::TowardZero => self,
        }
    }

    /// Whether the magnitude of a negative or positive number is rounded up,
    /// given its last kept bit, the first bit cut off and whether any bit
    /// below that was set.
    pub const fn rounds_up(self, negative: bool, odd: bool, half: bool, rest: bool) -> bool {
        match self {
            Rounding::NearestEven => half && (odd || rest),
            Rounding::NearestAway => half,
            Rounding::Upward => !negative && (half || rest),
            Rounding::Downward => negative && (half || rest),
            Rounding::TowardZero => false,
        }
    }
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.smtlib_name())
    }
}

impl FromStr for Rounding {
    type Err = String;

    /// Reads either of SMT-LIB's names.
    fn from_str(text: &str) -> Result<Rounding, String> {
        Rounding::ALL
            .into_iter()
            .find(|mode| mode.smtlib_name() == text || mode.smtlib_long_name() == text)
            .ok_or_else(|| format!("`{text}` is no rounding mode (RNE, RNA, RTP, RTN, RTZ)"))
    }
}
