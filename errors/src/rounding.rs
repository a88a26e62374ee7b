//! What one rounding can do: the largest error, the grid, the range of a format.
//!
//! A rounded operation yields `v + e`, `v` the exact result of its operands. The constants here
//! bound `e` from what is known of `v`: half an ulp of the largest binade that `v` reaches, nothing
//! where `v` is on the grid of the format.

use crate::graph::Rounds;
use crate::interval::{Interval, add_down, add_up};
use nanoscope_ieee::{Format, Rounding};

/// `2^exponent`, 0 or infinite beyond the range of `f64`.
pub fn power_of_two(exponent: i32) -> f64 {
    if exponent > 1023 {
        f64::INFINITY
    } else if exponent >= -1022 {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    } else if exponent >= -1074 {
        f64::from_bits(1u64 << (exponent + 1074))
    } else {
        0.0
    }
}

/// The exponent of the binade that holds a positive number: `2^e <= x < 2^(e+1)`.
pub fn exponent_of(x: f64) -> i32 {
    let bits = x.abs().to_bits();
    let biased = (bits >> 52) as i32;
    if biased > 0 { biased - 1023 } else { -1011 - bits.leading_zeros() as i32 }
}

/// A format and a direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    precision: i32,
    quantum: i32,
    /// The largest finite number; infinite where `f64` cannot hold it.
    largest: f64,
    smallest_normal: f64,
    rounds: Rounds,
}

/// The error of one rounding: between `mid - rad` and `mid + rad`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slip {
    /// The middle.
    pub mid: f64,
    /// The radius.
    pub rad: f64,
}

impl Slip {
    /// No error.
    pub const NONE: Slip = Slip { mid: 0.0, rad: 0.0 };

    /// The largest magnitude.
    pub fn magnitude(self) -> f64 {
        add_up(self.mid.abs(), self.rad)
    }
}

impl Grid {
    /// The grid of a format.
    pub fn new(format: Format, rounds: Rounds) -> Grid {
        let top = format.max_exponent();
        let largest = if top > 1023 {
            f64::INFINITY
        } else {
            let missing = power_of_two(-(format.precision.min(60) as i32));
            if format.precision >= 53 {
                power_of_two(top as i32) * (2.0 - f64::EPSILON)
            } else {
                power_of_two(top as i32) * (2.0 - 2.0 * missing)
            }
        };
        Grid {
            precision: format.precision as i32,
            quantum: format.quantum_exponent() as i32,
            largest,
            smallest_normal: power_of_two((format.min_exponent() as i32).max(-1074)),
            rounds,
        }
    }

    /// The exponent of the unit of every value.
    pub fn quantum(&self) -> i32 {
        self.quantum
    }

    /// The largest finite number.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// The smallest normal number.
    pub fn smallest_normal(&self) -> f64 {
        self.smallest_normal
    }

    /// The unit in the last place of the numbers of at most this magnitude, as an exponent. A
    /// power of two is on the grid of the binade below it.
    fn unit(&self, magnitude: f64) -> i32 {
        if magnitude == 0.0 {
            return self.quantum;
        }
        let exponent = exponent_of(magnitude);
        let below = if power_of_two(exponent) == magnitude { exponent - 1 } else { exponent };
        (below - self.precision + 1).max(self.quantum)
    }

    /// The unit in the last place of the binade of a magnitude, as an exponent.
    pub fn ulp_exponent(&self, magnitude: f64) -> i32 {
        if magnitude == 0.0 {
            return self.quantum;
        }
        (exponent_of(magnitude) - self.precision + 1).max(self.quantum)
    }

    /// The exponent of the grid on which all floats of at least this magnitude lie.
    pub fn grain(&self, mignitude: f64) -> i32 {
        self.ulp_exponent(mignitude)
    }

    /// Half an ulp of the numbers of at most this magnitude; never below the least `f64`.
    pub fn half_ulp(&self, magnitude: f64) -> f64 {
        power_of_two((self.unit(magnitude) - 1).max(-1074))
    }

    /// The largest error of rounding a number below the smallest normal.
    pub fn subnormal_slip(&self) -> f64 {
        match self.rounds {
            Rounds::To(Rounding::NearestEven | Rounding::NearestAway) => self.half_ulp(0.0),
            Rounds::To(Rounding::Upward | Rounding::Downward | Rounding::TowardZero)
            | Rounds::Any => 2.0 * self.half_ulp(0.0),
        }
    }

    /// Whether all multiples of `2^grain` up to this magnitude, of so many significant bits, are
    /// floats.
    pub fn holds(&self, grain: i32, bits: i32, magnitude: f64) -> bool {
        grain >= self.quantum
            && magnitude <= self.largest
            && (magnitude == 0.0
                || bits <= self.precision
                || magnitude <= power_of_two(grain.saturating_add(self.precision).min(1024)))
    }

    /// The error of rounding a number of this interval, which is a multiple of `2^grain` and has
    /// at most so many significant bits.
    pub fn slip(&self, value: Interval, grain: i32, bits: i32) -> Slip {
        let magnitude = value.magnitude();
        if self.holds(grain, bits, magnitude) {
            return Slip::NONE;
        }
        let half = self.half_ulp(magnitude);
        let up = Slip { mid: half, rad: half };
        let down = Slip { mid: -half, rad: half };
        match self.rounds {
            Rounds::To(Rounding::NearestEven | Rounding::NearestAway) => {
                Slip { mid: 0.0, rad: half }
            }
            Rounds::To(Rounding::Upward) => up,
            Rounds::To(Rounding::Downward) => down,
            Rounds::To(Rounding::TowardZero) if value.lo >= 0.0 => down,
            Rounds::To(Rounding::TowardZero) if value.hi <= 0.0 => up,
            Rounds::To(Rounding::TowardZero) | Rounds::Any => Slip { mid: 0.0, rad: 2.0 * half },
        }
    }

    /// The relative error of rounding a normal number: the unit roundoff, as `2^-p` to nearest.
    /// To nearest it is `u / (1 + u)`.
    pub fn unit_roundoff(&self) -> f64 {
        let u = power_of_two(-self.precision);
        match self.rounds {
            Rounds::To(Rounding::NearestEven | Rounding::NearestAway) => {
                if self.precision < 50 {
                    (u / (1.0 + u)).next_up()
                } else {
                    u
                }
            }
            Rounds::To(Rounding::Upward | Rounding::Downward | Rounding::TowardZero)
            | Rounds::Any => 2.0 * u,
        }
    }

    /// The floats that rounding numbers of this interval gives, as an interval.
    pub fn round(&self, value: Interval) -> Interval {
        if self.precision > 53 || self.quantum < -1074 {
            let slip = self.slip(value, i32::MIN / 4, i32::MAX);
            return Interval {
                lo: add_down(value.lo, -slip.magnitude()),
                hi: add_up(value.hi, slip.magnitude()),
            };
        }
        let (lower, upper) = match self.rounds {
            Rounds::To(mode) => (mode, mode),
            Rounds::Any => (Rounding::Downward, Rounding::Upward),
        };
        Interval { lo: self.round_to(value.lo, lower), hi: self.round_to(value.hi, upper) }
    }

    /// A number of `f64` rounded to this grid, which must not be finer than that of `f64`.
    pub fn round_to(&self, x: f64, mode: Rounding) -> f64 {
        if x == 0.0 || !x.is_finite() {
            return x;
        }
        let unit = self.ulp_exponent(x);
        if unit <= -1074 {
            return x;
        }
        let scale = power_of_two(unit);
        let scaled = x / scale;
        let rounded = match mode {
            Rounding::NearestEven => scaled.round_ties_even(),
            Rounding::NearestAway => scaled.round(),
            Rounding::Upward => scaled.ceil(),
            Rounding::Downward => scaled.floor(),
            Rounding::TowardZero => scaled.trunc(),
        };
        rounded * scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEAREST: Rounds = Rounds::To(Rounding::NearestEven);

    #[test]
    fn half_an_ulp_of_the_binade_below_a_power_of_two() {
        let grid = Grid::new(Format::BINARY64, NEAREST);
        assert_eq!(grid.half_ulp(2.0), power_of_two(-53));
        assert_eq!(grid.half_ulp(2.0f64.next_up()), power_of_two(-52));
        assert_eq!(grid.half_ulp(1.5), power_of_two(-53));
        assert_eq!(grid.largest(), f64::MAX);
        assert_eq!(Grid::new(Format::BINARY32, NEAREST).largest(), f64::from(f32::MAX));
    }

    #[test]
    fn multiples_that_fit_are_exact() {
        let grid = Grid::new(Format::BINARY64, NEAREST);
        assert_eq!(grid.slip(Interval::new(-2.0, 2.0), -52, 99), Slip::NONE);
        assert_eq!(grid.slip(Interval::new(0.0, 2.5), -52, 99).rad, power_of_two(-52));
    }

    #[test]
    fn rounds_as_the_hardware() {
        let grid = Grid::new(Format::BINARY32, NEAREST);
        for x in [0.1, -3.7e-40, 1e30, 16777217.0, 1.0 + f64::EPSILON, 1e-46, -7e-46] {
            assert_eq!(grid.round_to(x, Rounding::NearestEven), f64::from(x as f32), "{x}");
        }
    }
}
