//! Correctly rounded values, give or take an error.

use crate::grid::Grid;
use crate::interval::{Interval, Ordinal};
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
    /// How many ulps a library may be away from the correctly rounded value.
    const ERROR: Ordinal = 8;

    /// The enclosure of a function on a format that the library has.
    pub fn new(grid: Grid, function: Libm, range: Interval) -> Option<Enclosure> {
        let lane = match grid.format() {
            Format::BINARY64 => Lane::Double,
            Format::BINARY32 => Lane::Single,
            Format { .. } => return None,
        };
        Some(Enclosure { grid, function, range, lane, error: Enclosure::ERROR })
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

macro_rules! correctly_rounded {
    ($name:ident, $float:ty, $($Variant:ident $unary:ident)*; $($Binary:ident $binary:ident)*) => {
        fn $name(function: Libm, x: $float, y: $float) -> $float {
            match function {
                $( Libm::$Variant => core_math::$unary(x), )*
                $( Libm::$Binary => core_math::$binary(x, y), )*
            }
        }
    };
}
correctly_rounded! {
    of_doubles, f64,
    Exp exp Exp2 exp2 Expm1 expm1 Log log Log2 log2 Log10 log10 Log1p log1p Sin sin Cos cos Tan tan
    Asin asin Acos acos Atan atan Sinh sinh Cosh cosh Tanh tanh Cbrt cbrt;
    Atan2 atan2 Pow pow Hypot hypot
}
correctly_rounded! {
    of_singles, f32,
    Exp expf Exp2 exp2f Expm1 expm1f Log logf Log2 log2f Log10 log10f Log1p log1pf Sin sinf Cos cosf
    Tan tanf Asin asinf Acos acosf Atan atanf Sinh sinhf Cosh coshf Tanh tanhf Cbrt cbrtf;
    Atan2 atan2f Pow powf Hypot hypotf
}
