//! Conversion of a float to an integer.

use crate::floats::Floats;
use crate::grid::Grid;
use crate::integers::Integers;
use crate::interval::{Interval, Ordinal};
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Narrowed, Piece, Wanted, over_modes};
use crate::real::Real;
use crate::scalar::Scalar;
use crate::set::Set;
use nanoscope_ieee::OutOfRange;

/// What a conversion to an integer of a width gives, and whether a value may be out of range.
/// `None`: the width is not followed.
pub fn direct(
    modes: Modes,
    a: &Floats,
    bits: u32,
    signed: bool,
    out_of_range: OutOfRange,
) -> (Option<Integers>, bool) {
    if bits > Integers::WIDEST {
        return (None, true);
    }
    let (least, greatest) = if signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    let grid = a.grid();
    let (down, up) = (Scalar::new(grid, modes.down()), Scalar::new(grid, modes.up()));
    let mut beyond = a.nan || a.has_infinity();
    let mut result = Integers::nothing(bits);
    for (lo, hi) in a.finite_part().pieces() {
        let (lo, hi) = (down.to_integer(lo), up.to_integer(hi));
        beyond |= lo < least || hi > greatest;
        let (lo, hi) = (lo.clamp(least, greatest), hi.clamp(least, greatest));
        result = result.join(&Integers::wrapped(bits, lo, hi));
    }
    if beyond {
        result = match out_of_range {
            OutOfRange::Undefined | OutOfRange::Indefinite => Integers::everything(bits),
            OutOfRange::Saturate => [0, least, greatest]
                .iter()
                .fold(result, |all, &value| all.join(&Integers::wrapped(bits, value, value))),
        };
    }
    (Some(result), beyond)
}

/// `z`, an integer whose values lie in `range`, is what `x` rounds to, both ways; where
/// that is outside of `range`, or `x` is NaN, `z` may be anything.
pub fn narrow<S: Set>(
    grid: Grid,
    modes: Modes,
    range: Interval,
    x: S,
    z: Interval,
) -> Left<S, 1, Interval> {
    over_modes(modes, |mode| {
        let f = ToInteger(Scalar::new(grid, mode));
        let mut cases = Cases::none(grid, [x], z);
        if x.has_nan() {
            cases.add(Narrowed { arguments: [S::of_nan(grid)], result: z });
        }
        let numbers = x.hull();
        cases.monotone(&f, [numbers], [false]);
        // Outside of the range the result is not f, and not known.
        let reach = f.0.to_integer(grid.infinity());
        for side in [Interval::new(-reach, range.lo - 1), Interval::new(range.hi + 1, reach)] {
            let piece = Piece { arguments: [numbers], falling: [false] };
            if let Some((piece, _)) = piece.narrow(&f, side) {
                cases.add_numbers(piece.arguments, z);
            }
        }
        cases.finish()
    })
}

struct ToInteger(Scalar);

impl Monotone<1> for ToInteger {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.0.to_integer(*x)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        Some(wanted.place(self.0.grid, Real::integer(wanted.z)))
    }
}
