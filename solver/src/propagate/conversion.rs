//! Projections of the conversions: between formats, to integral numbers, from
//! and to integers.

use super::arithmetic::Left;
use super::cases::{Cases, Narrowed, over_modes};
use super::exact::Real;
use super::grid::Grid;
use super::interval::{FloatBox, Interval, Modes, Ordinal};
use super::monotone::{Monotone, Wanted};
use super::scalar::Scalar;
use nanoscope_ieee::Rounding;

/// `z`, on the grid `to`, is what `x` on the grid `from` rounds to.
pub fn convert(from: Grid, to: Grid, modes: Modes, [x]: [FloatBox; 1], z: FloatBox) -> Left<1> {
    over_modes(modes, |mode| {
        let mut cases = Cases::new([x], z);
        cases.monotone(&Conversion { from, scalar: Scalar::new(to, mode) }, [x.numbers], [false]);
        cases.finish()
    })
}

struct Conversion {
    from: Grid,
    scalar: Scalar,
}

impl Monotone<1> for Conversion {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.scalar.convert(self.from, *x)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        Some(start(&self.scalar, wanted).round(self.from, toward(wanted)))
    }
}

/// `z` is the integral number that `x` rounds to.
pub fn round_to_integral(grid: Grid, modes: Modes, [x]: [FloatBox; 1], z: FloatBox) -> Left<1> {
    over_modes(modes, |mode| {
        let mut cases = Cases::new([x], z);
        cases.monotone(&Integral(Scalar::new(grid, mode)), [x.numbers], [false]);
        cases.finish()
    })
}

struct Integral(Scalar);

impl Monotone<1> for Integral {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.0.round_to_integral(*x)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        Some(wanted.z)
    }
}

/// `z` is what the integer `x` rounds to. The integer's interval is of values.
pub fn from_integer(grid: Grid, modes: Modes, x: Interval, z: FloatBox) -> Left<1> {
    let x = FloatBox { numbers: x, nan: false };
    over_modes(modes, |mode| {
        let mut cases = Cases::none([x], z);
        cases.monotone(&FromInteger(Scalar::new(grid, mode)), [x.numbers], [false]);
        cases.finish()
    })
}

struct FromInteger(Scalar);

impl Monotone<1> for FromInteger {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.0.convert_integer(*x)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        start(&self.0, wanted).round_to_integer(toward(wanted))
    }
}

/// `z`, an integer whose values lie in `range`, is what `x` rounds to; where
/// that is outside of `range`, or `x` is NaN, `z` may be anything.
pub fn to_integer(
    grid: Grid,
    modes: Modes,
    range: Interval,
    x: FloatBox,
    z: Interval,
) -> Option<(Modes, FloatBox, Interval)> {
    let any = FloatBox { numbers: z, nan: false };
    let (modes, narrowed) = over_modes(modes, |mode| {
        let f = ToInteger(Scalar::new(grid, mode));
        let mut cases = Cases::none([x], any);
        if x.nan {
            cases.add(Narrowed { arguments: [FloatBox::NAN], result: any });
        }
        cases.monotone(&f, [x.numbers], [false]);
        // Outside of the range the result is not f, and not known.
        let beyond = |side: Interval| {
            let all = Piece::of(x.numbers).narrow(&f, side).map(|(piece, _)| piece.arguments[0]);
            all.unwrap_or(Interval::EMPTY)
        };
        let reach = f.0.to_integer(grid.infinity());
        for side in [Interval::new(-reach, range.lo - 1), Interval::new(range.hi + 1, reach)] {
            let outside = FloatBox { numbers: beyond(side), nan: false };
            cases.add(Narrowed { arguments: [outside], result: any });
        }
        cases.finish()
    })?;
    Some((modes, narrowed.arguments[0], narrowed.result.numbers))
}

type Piece = super::monotone::Piece<1>;

impl Piece {
    fn of(numbers: Interval) -> Piece {
        Piece { arguments: [numbers], falling: [false] }
    }
}

struct ToInteger(Scalar);

impl Monotone<1> for ToInteger {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.0.to_integer(*x)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        Some(Real::integer(wanted.z).round(self.0.grid, toward(wanted)))
    }
}

fn start(scalar: &Scalar, wanted: Wanted) -> Real {
    if wanted.at_least { scalar.preimage_start(wanted.z) } else { scalar.preimage_end(wanted.z) }
}

fn toward(wanted: Wanted) -> Rounding {
    if wanted.first { Rounding::Upward } else { Rounding::Downward }
}
