//! One number in, one number out: the correctly rounded operations on ordinals.
//!
//! `None` is NaN. binary64 and binary32 to the nearest even go through the
//! processor; everything else is computed exactly and rounded once.

use crate::grid::Grid;
use crate::interval::Ordinal;
use crate::real::Real;
use nanoscope_ieee::{Format, Rounding};

/// A rectangle on which an operation is monotone holds no operands that give NaN.
pub(crate) const NEVER_NAN: &str = "the rectangles of an operation exclude its NaNs";

/// A grid and the way to round to it.
#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    /// The grid of operands and results.
    pub grid: Grid,
    /// How results are rounded.
    pub mode: Rounding,
    lane: Lane,
}

/// Who computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    Double,
    Single,
    Exact,
}

/// The number at a place of binary64.
pub const fn double(at: Ordinal) -> f64 {
    let at = at as i64;
    f64::from_bits(if at >= 0 { at as u64 } else { !at as u64 | 1 << 63 })
}

/// The place of a number of binary64; `None` of a NaN.
pub const fn from_double(value: f64) -> Option<Ordinal> {
    if value.is_nan() {
        return None;
    }
    let bits = value.to_bits() as i64;
    Some((if bits >= 0 { bits } else { !(bits & i64::MAX) }) as Ordinal)
}

/// The number at a place of binary32.
pub const fn single(at: Ordinal) -> f32 {
    let at = at as i32;
    f32::from_bits(if at >= 0 { at as u32 } else { !at as u32 | 1 << 31 })
}

/// The place of a number of binary32; `None` of a NaN.
pub const fn from_single(value: f32) -> Option<Ordinal> {
    if value.is_nan() {
        return None;
    }
    let bits = value.to_bits() as i32;
    Some((if bits >= 0 { bits } else { !(bits & i32::MAX) }) as Ordinal)
}

/// Equality of formats, for constants.
const fn same(a: Format, b: Format) -> bool {
    a.precision == b.precision && a.exponent_bits == b.exponent_bits
}

impl Scalar {
    /// Arithmetic on `grid`, rounding as `mode` says.
    pub const fn new(grid: Grid, mode: Rounding) -> Scalar {
        const DOUBLE: Format = Format::BINARY64;
        const SINGLE: Format = Format::BINARY32;
        let format = grid.format();
        let nearest = matches!(mode, Rounding::NearestEven);
        let lane = if nearest && same(format, DOUBLE) {
            Lane::Double
        } else if nearest && same(format, SINGLE) {
            Lane::Single
        } else {
            Lane::Exact
        };
        Scalar { grid, mode, lane }
    }

    /// The same without the processor's lane.
    pub const fn exactly(self) -> Scalar {
        Scalar { lane: Lane::Exact, ..self }
    }

    /// The zero that a sum of opposite numbers is (IEEE 754-2019, 6.3).
    const fn cancelled(&self) -> Ordinal {
        if matches!(self.mode, Rounding::Downward) { -1 } else { 0 }
    }

    /// `x + y`.
    pub fn add(&self, x: Ordinal, y: Ordinal) -> Option<Ordinal> {
        match self.lane {
            Lane::Double => return from_double(double(x) + double(y)),
            Lane::Single => return from_single(single(x) + single(y)),
            Lane::Exact => {}
        }
        let grid = self.grid;
        match (grid.is_infinite(x), grid.is_infinite(y)) {
            (true, true) => (x == y).then_some(x),
            (true, false) => Some(x),
            (false, true) => Some(y),
            (false, false) => Some(self.sum(grid.real(x), grid.real(y))),
        }
    }

    fn sum(&self, x: Real, y: Real) -> Ordinal {
        let sum = x.plus(y);
        if !sum.is_zero() {
            self.grid.round(sum, self.mode)
        } else if x.is_zero() && y.is_zero() && x.negative == y.negative {
            if x.negative { -1 } else { 0 }
        } else {
            self.cancelled()
        }
    }

    /// `x - y`.
    pub fn sub(&self, x: Ordinal, y: Ordinal) -> Option<Ordinal> {
        self.add(x, !y)
    }

    /// `x * y`.
    pub fn mul(&self, x: Ordinal, y: Ordinal) -> Option<Ordinal> {
        match self.lane {
            Lane::Double => return from_double(double(x) * double(y)),
            Lane::Single => return from_single(single(x) * single(y)),
            Lane::Exact => {}
        }
        let grid = self.grid;
        let (a, b) = (grid.real(x), grid.real(y));
        if grid.is_infinite(x) || grid.is_infinite(y) {
            let zero = a.is_zero() || b.is_zero();
            return (!zero).then_some(self.infinity(a.negative != b.negative));
        }
        Some(grid.round(a.times(b), self.mode))
    }

    /// `x / y`.
    pub fn div(&self, x: Ordinal, y: Ordinal) -> Option<Ordinal> {
        match self.lane {
            Lane::Double => return from_double(double(x) / double(y)),
            Lane::Single => return from_single(single(x) / single(y)),
            Lane::Exact => {}
        }
        let grid = self.grid;
        let (a, b) = (grid.real(x), grid.real(y));
        let negative = a.negative != b.negative;
        match (grid.is_infinite(x), grid.is_infinite(y)) {
            (true, true) => None,
            (true, false) => Some(self.infinity(negative)),
            (false, true) => Some(if negative { -1 } else { 0 }),
            (false, false) if b.is_zero() => (!a.is_zero()).then_some(self.infinity(negative)),
            (false, false) => Some(grid.round(a.over(b, grid.format().precision), self.mode)),
        }
    }

    /// `x * y + z`.
    pub fn fma(&self, x: Ordinal, y: Ordinal, z: Ordinal) -> Option<Ordinal> {
        match self.lane {
            Lane::Double => return from_double(double(x).mul_add(double(y), double(z))),
            Lane::Single => return from_single(single(x).mul_add(single(y), single(z))),
            Lane::Exact => {}
        }
        let grid = self.grid;
        let (a, b, c) = (grid.real(x), grid.real(y), grid.real(z));
        let negative = a.negative != b.negative;
        if grid.is_infinite(x) || grid.is_infinite(y) {
            let infinity = self.infinity(negative);
            let invalid = a.is_zero() || b.is_zero() || z == !infinity;
            return (!invalid).then_some(infinity);
        }
        if grid.is_infinite(z) {
            return Some(z);
        }
        let product_is_zero = a.is_zero() || b.is_zero();
        let sum = a.times_plus(b, c);
        Some(if !sum.is_zero() {
            grid.round(sum, self.mode)
        } else if product_is_zero && c.is_zero() && negative == c.negative {
            if negative { -1 } else { 0 }
        } else {
            self.cancelled()
        })
    }

    /// The square root of `x`.
    pub fn sqrt(&self, x: Ordinal) -> Option<Ordinal> {
        match self.lane {
            Lane::Double => return from_double(double(x).sqrt()),
            Lane::Single => return from_single(single(x).sqrt()),
            Lane::Exact => {}
        }
        if x == -1 || x == self.grid.infinity() {
            return Some(x);
        }
        (x >= 0).then(|| {
            let root = self.grid.real(x).root(self.grid.format().precision);
            self.grid.round(root, self.mode)
        })
    }

    /// The integral number that `x` rounds to. A zero result has the sign of `x`.
    pub fn round_to_integral(&self, x: Ordinal) -> Ordinal {
        let real = self.grid.real(x);
        if self.grid.is_infinite(x) || real.exponent >= 0 || real.is_zero() {
            return x;
        }
        // Only numbers with a fraction are left. In a format with more precision than
        // range their integer may lie beyond the greatest number.
        let integer = real.round_to_integer(self.mode).unwrap_or(0);
        let integral = Real { negative: x < 0, ..Real::integer(integer) };
        self.grid.round(integral, self.mode)
    }

    /// The number of this grid that `x` of the grid `from` rounds to.
    pub fn convert(&self, from: Grid, x: Ordinal) -> Ordinal {
        self.grid.converted(from, x, self.mode)
    }

    /// The number that an integer rounds to. Zero is `+0`.
    pub fn convert_integer(&self, x: i128) -> Ordinal {
        if self.lane == Lane::Double {
            return from_double(x as f64).expect("a number");
        }
        self.grid.round(Real::integer(x), self.mode)
    }

    /// The integer that `x` rounds to; beyond 126 bits the nearest with them.
    pub fn to_integer(&self, x: Ordinal) -> i128 {
        const MOST: i128 = 1 << 126;
        if self.grid.is_infinite(x) {
            return if x < 0 { -MOST } else { MOST };
        }
        let real = self.grid.real(x);
        real.round_to_integer(self.mode).unwrap_or(if real.negative { -MOST } else { MOST })
    }

    /// The real below which every sum, product or quotient rounds below `z`:
    /// the lower end of what rounds to `z`, for guessing inverses.
    pub fn preimage_start(&self, z: Ordinal) -> Real {
        let real = self.grid.real(z);
        let below = || match z - 1 {
            // Between the zeros there is nothing: what rounds to +0 from below starts at 0.
            -1 => Real::exact(false, 0, 0),
            below => self.grid.real(below),
        };
        match self.mode {
            Rounding::NearestEven | Rounding::NearestAway => real.halfway(below()),
            Rounding::Downward => real,
            Rounding::Upward => below(),
            Rounding::TowardZero => {
                if z > 0 {
                    real
                } else {
                    below()
                }
            }
        }
    }

    /// The upper end of what rounds to `z`, for guessing inverses.
    pub fn preimage_end(&self, z: Ordinal) -> Real {
        Scalar { mode: self.mode.mirrored(), ..*self }.preimage_start(!z).negated()
    }

    const fn infinity(&self, negative: bool) -> Ordinal {
        if negative { !self.grid.infinity() } else { self.grid.infinity() }
    }
}
