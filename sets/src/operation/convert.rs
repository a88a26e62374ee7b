//! Conversion from one format to another.

use crate::floats::Floats;
use crate::grid::Grid;
use crate::image::{Image, ImageParts};
use crate::interval::Ordinal;
use crate::modes::Modes;
use crate::project::{Cases, Left, Monotone, Wanted, over_modes};
use crate::rounding_error;
use crate::scalar::Scalar;
use crate::set::Set;
use nanoscope_ieee::Format;

/// What a conversion to a format gives.
pub fn direct(modes: Modes, to: Format, x: &Floats) -> Image {
    let mut cases = ImageParts::new(to, modes);
    cases.special.nan = x.nan;
    if x.has_plus_infinity() {
        cases.infinite(false);
    }
    if x.has_minus_infinity() {
        cases.infinite(true);
    }
    let from = x.grid();
    for (lo, hi) in x.finite_part().pieces() {
        let least = cases.down.convert(from, lo);
        let greatest = cases.up.convert(from, hi);
        let mut found = Floats::between(to, least, greatest);
        if lo > 0 || hi < -1 {
            // Not zero before it was rounded.
            cases.raised.tiny |= found.has_zero();
            if lo > 0 {
                found.minus_zero = false;
            } else {
                found.plus_zero = false;
            }
        }
        cases.finite = cases.finite.join(&found);
    }
    cases.finish(!to.holds(x.format)).of_multiples(x.coarsest())
}

/// A bound of the rounding error of conversions of finite numbers.
pub fn error(modes: Modes, to: Format, x: &Floats) -> f64 {
    let results = direct(modes, to, &x.finite_part()).result;
    let exact = to.holds(x.format) || rounding_error::is_exact(rounding_error::grain(x), &results);
    if exact { 0.0 } else { rounding_error::of_results(modes, &results) }
}

/// `z`, on the line `to`, is what `x` on the line `from` rounds to, both ways.
pub fn narrow<S: Set>(from: Grid, to: Grid, modes: Modes, [x]: [S; 1], z: S) -> Left<S, 1> {
    over_modes(modes, |mode| {
        let mut cases = Cases::between([from, to], [x], z);
        cases.monotone(&Conversion { from, to: Scalar::new(to, mode) }, [x.hull()], [false]);
        cases.finish()
    })
}

struct Conversion {
    from: Grid,
    to: Scalar,
}

impl Monotone<1> for Conversion {
    fn least(&self, [x]: &[Ordinal; 1]) -> Ordinal {
        self.to.convert(self.from, *x)
    }

    fn guess(&self, _: usize, _: &[Ordinal; 1], wanted: Wanted) -> Option<Ordinal> {
        Some(wanted.place(self.from, wanted.threshold(&self.to)))
    }
}
