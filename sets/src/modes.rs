//! Sets of rounding modes.

use nanoscope_ieee::Rounding;
use std::fmt;

/// The rounding modes that an operation may meet.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Modes(u8);

impl Modes {
    /// Every mode.
    pub const ALL: Modes = Modes(0b11111);
    /// To the nearest, ties to even: the default of every machine.
    pub const NEAREST: Modes = Modes::only(Rounding::NearestEven);
    /// Down and up: results in these two modes enclose the exact ones.
    pub const OUTWARD: Modes = Modes::only(Rounding::Downward).join(Modes::only(Rounding::Upward));
    /// No mode: a contradiction.
    pub const NONE: Modes = Modes(0);

    /// Just this mode.
    pub const fn only(mode: Rounding) -> Modes {
        Modes(1 << mode as u8)
    }

    /// Whether `mode` is among them.
    pub const fn contains(self, mode: Rounding) -> bool {
        self.0 & 1 << mode as u8 != 0
    }

    /// Whether none is left.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether just one is left.
    pub const fn is_single(self) -> bool {
        self.0.is_power_of_two()
    }

    /// Whether all round to the nearest.
    pub const fn is_nearest(self) -> bool {
        let nearest = Modes::NEAREST.join(Modes::only(Rounding::NearestAway));
        self.join(nearest).0 == nearest.0
    }

    /// The mode that gives the least results of all.
    pub const fn down(self) -> Rounding {
        match self.single() {
            Some(mode) => mode,
            None => Rounding::Downward,
        }
    }

    /// The mode that gives the greatest results of all.
    pub const fn up(self) -> Rounding {
        match self.single() {
            Some(mode) => mode,
            None => Rounding::Upward,
        }
    }

    /// Whether a sum of opposite numbers may be `+0`, and whether it may be `-0` (IEEE 754-2019,
    /// 6.3).
    pub const fn cancelled_zeros(self) -> (bool, bool) {
        let minus = self.contains(Rounding::Downward);
        (self.0 & !Modes::only(Rounding::Downward).0 != 0, minus)
    }

    /// The only mode, if there is just one.
    pub const fn single(self) -> Option<Rounding> {
        if self.is_single() { Some(Rounding::ALL[self.0.trailing_zeros() as usize]) } else { None }
    }

    /// What both hold.
    pub const fn meet(self, other: Modes) -> Modes {
        Modes(self.0 & other.0)
    }

    /// What either holds.
    pub const fn join(self, other: Modes) -> Modes {
        Modes(self.0 | other.0)
    }

    /// The modes, in the order of their encodings.
    pub fn iter(self) -> impl Iterator<Item = Rounding> {
        Rounding::ALL.into_iter().filter(move |mode| self.contains(*mode))
    }
}

impl fmt::Debug for Modes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
