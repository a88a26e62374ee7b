//! Correctly rounded values, give or take an error.

use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Monotone, Wanted};
use crate::scalar::{NEVER_NAN, double, from_double, from_single, single};
use nanoscope_ieee::{Format, Libm};

/// The formats that the library has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    Double,
    Single,
}

/// What a function may return: within an error of the correctly rounded value, of its sign, in
/// the function's range.
#[derive(Clone, Copy)]
pub(super) struct Enclosure {
    pub grid: Grid,
    pub function: Libm,
    pub range: Interval,
    lane: Lane,
    error: Ordinal,
}

impl Enclosure {
    /// The enclosure of a function on a format that the library has, in these rounding modes.
    pub fn new(grid: Grid, function: Libm, modes: Modes, range: Interval) -> Option<Enclosure> {
        let lane = match grid.format() {
            Format::BINARY64 => Lane::Double,
            Format::BINARY32 => Lane::Single,
            Format { .. } => return None,
        };
        // The ulps that it may be away from the correctly rounded value. (To nearest, glibc's
        // worst is below six, of `erfc`; of the gamma functions, below twelve.)
        let gamma = matches!(function, Libm::Tgamma | Libm::Lgamma);
        let error = if gamma || modes != Modes::NEAREST { 64 } else { 8 };
        Some(Enclosure { grid, function, range, lane, error })
    }

    fn rounded(&self, x: Ordinal, y: Ordinal) -> Ordinal {
        let value = match self.lane {
            Lane::Double => from_double(of_doubles(self.function, double(x), double(y))),
            Lane::Single => from_single(of_singles(self.function, single(x), single(y))),
        };
        value.expect(NEVER_NAN)
    }

    /// Zero at zero is exact, so is a logarithm of one, and so are zeros and infinities at
    /// infinities (C, annex F.10).
    fn is_exact(&self, x: Ordinal, value: Ordinal) -> bool {
        let infinite = self.grid.is_infinite(x);
        match value {
            0 | -1 => infinite || matches!(x, 0 | -1) || (value == 0 && x == self.grid.one()),
            value => infinite && self.grid.is_infinite(value),
        }
    }

    fn lowest(&self, value: Ordinal) -> Ordinal {
        let least = if value >= 0 { 0 } else { !self.grid.infinity() };
        (value - self.error).max(least).clamp(self.range.lo, self.range.hi)
    }

    fn highest(&self, value: Ordinal) -> Ordinal {
        let most = if value >= 0 { self.grid.infinity() } else { -1 };
        (value + self.error).min(most).clamp(self.range.lo, self.range.hi)
    }
}

impl Monotone<1> for Enclosure {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        let value = self.rounded(*x, 0);
        if self.is_exact(*x, value) { value } else { self.lowest(value) }
    }

    fn greatest(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        let value = self.rounded(*x, 0);
        if self.is_exact(*x, value) { value } else { self.highest(value) }
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], _: Wanted) -> Option<Ordinal> {
        None
    }
}

impl Monotone<2> for Enclosure {
    fn least(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        self.lowest(self.rounded(*x, *y))
    }

    fn greatest(&self, [x, y]: &[Ordinal; 2]) -> Ordinal {
        self.highest(self.rounded(*x, *y))
    }

    fn guess(&self, _: usize, _: &[Ordinal; 2], _: Wanted) -> Option<Ordinal> {
        None
    }
}

/// Correctly rounded functions.
mod correct {
    pub(super) use core_math::*;

    macro_rules! without {
        ($($double:ident $single:ident)*) => {
            $(
                pub(super) fn $double(_: f64) -> f64 {
                    unreachable!("nothing asks for a correctly rounded {}", stringify!($double))
                }
                pub(super) fn $single(_: f32) -> f32 {
                    unreachable!("nothing asks for a correctly rounded {}", stringify!($single))
                }
            )*
        };
    }
    without! { j0 j0f j1 j1f y0 y0f y1 y1f }
}

macro_rules! correctly_rounded {
    (real { $(
        $(#[$documentation:meta])*
        $Variant:ident $double:ident $single:ident $Signature:ident $Domain:ident $errors:tt $errno:ident;
    )* } $($others:tt)*) => {
        fn of_doubles(function: Libm, x: f64, y: f64) -> f64 {
            match function { $( Libm::$Variant => call!($Signature $double x y), )* }
        }

        fn of_singles(function: Libm, x: f32, y: f32) -> f32 {
            match function { $( Libm::$Variant => call!($Signature $single x y), )* }
        }
    };
}
macro_rules! call {
    (One $function:ident $x:ident $y:ident) => {
        correct::$function($x)
    };
    (Two $function:ident $x:ident $y:ident) => {
        correct::$function($x, $y)
    };
}
nanoscope_ieee::for_each_libm!(correctly_rounded);
