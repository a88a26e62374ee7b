//! Errors: how far a computed float is from the exact number, in three measures.

use crate::shadow::{Arithmetic, Real, smallest_normal};
use nanoscope_ieee::{Float, Format};
use rug::float::Round;

/// Bits in which errors are computed.
const PRECISION: u32 = 256;

/// What counts as too wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// An error relative to the exact value, which counts as the smallest normal number where
    /// it is below that.
    Relative(f64),
    /// An error in units in the last place of the exact value.
    Ulps(f64),
    /// An absolute error.
    Absolute(f64),
}

/// How far a float is from the exact number. Rounded toward zero, so that it is no more than
/// the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Error {
    pub absolute: f64,
    pub relative: f64,
    pub ulps: f64,
}

impl Error {
    /// No number where there is an ordinary one.
    pub const LOST: Error =
        Error { absolute: f64::INFINITY, relative: f64::INFINITY, ulps: f64::INFINITY };

    /// In the threshold's measure.
    pub fn by(&self, threshold: Threshold) -> f64 {
        match threshold {
            Threshold::Relative(_) => self.relative,
            Threshold::Ulps(_) => self.ulps,
            Threshold::Absolute(_) => self.absolute,
        }
    }
}

impl Threshold {
    /// The number.
    pub fn limit(self) -> f64 {
        match self {
            Threshold::Relative(limit) | Threshold::Ulps(limit) | Threshold::Absolute(limit) => {
                limit
            }
        }
    }

    /// Whether an error is above it.
    pub(crate) fn exceeded(self, error: &Error) -> bool {
        error.by(self) > self.limit()
    }

    /// In words, as `a relative error of 0.001`.
    pub fn words(self) -> String {
        match self {
            Threshold::Relative(limit) => format!("a relative error of {limit}"),
            Threshold::Ulps(limit) => format!("{limit} ulps"),
            Threshold::Absolute(limit) => format!("an absolute error of {limit}"),
        }
    }
}

/// Holds a computed float against the exact number. Nothing where the exact result is no
/// number, or too large for the format: then no float is right.
pub(crate) fn error(format: Format, computed: u128, exact: &Real) -> Option<Error> {
    if !exact.is_finite() {
        return None;
    }
    let float = Float::from_bits(format, computed);
    if Float::from_bits(format, exact.encoded(format)).is_infinite() {
        return None;
    }
    if float.is_nan() || float.is_infinite() {
        return Some(Error::LOST);
    }
    let mut run = Arithmetic::new(PRECISION);
    let difference = run.sub(exact, &Real::decoded(format, computed)).to_float(PRECISION).abs();
    let exact = exact.to_float(PRECISION).abs();
    let least = smallest_normal(format).to_float(PRECISION);
    let scale = if exact < least { least } else { exact };
    let ulp = ulp(format, &scale);
    let down = |value: rug::Float| value.to_f64_round(Round::Zero);
    let relative = rug::Float::with_val_round(PRECISION, &difference / &scale, Round::Zero).0;
    let ulps = rug::Float::with_val_round(PRECISION, &difference / &ulp, Round::Zero).0;
    Some(Error { absolute: down(difference), relative: down(relative), ulps: down(ulps) })
}

/// A unit in the last place of a positive number at least the smallest normal one.
fn ulp(format: Format, value: &rug::Float) -> rug::Float {
    let exponent = value.get_exp().unwrap_or(0) - format.precision as i32;
    rug::Float::with_val(PRECISION, rug::Float::i_exp(1, exponent))
}

#[cfg(test)]
mod tests {
    use super::{Error, Threshold, error};
    use crate::shadow::{Arithmetic, Real};
    use nanoscope_ieee::Format;

    fn of(value: f64) -> Real {
        Real::decoded(Format::BINARY64, u128::from(value.to_bits()))
    }

    #[track_caller]
    fn check(computed: f64, exact: &Real, expected: Option<(f64, f64, f64)>) {
        let found = error(Format::BINARY64, u128::from(computed.to_bits()), exact);
        assert_eq!(found.map(|e| (e.absolute, e.relative, e.ulps)), expected, "{computed}");
    }

    #[test]
    fn three_measures() {
        check(1.0, &of(1.0), Some((0.0, 0.0, 0.0)));
        check(1.5, &of(1.0), Some((0.5, 0.5, 2f64.powi(51))));
        check(4.0, &of(3.0), Some((1.0, 1.0 / 3.0, 2f64.powi(51))));
        let tiny = f64::MIN_POSITIVE;
        check(tiny / 2.0, &of(0.0), Some((tiny / 2.0, 0.5, 2f64.powi(51))));
        check(0.0, &of(tiny / 4.0), Some((tiny / 4.0, 0.25, 2f64.powi(50))));
        let lost = f64::INFINITY;
        check(f64::NAN, &of(1.0), Some((lost, lost, lost)));
        check(f64::INFINITY, &of(f64::INFINITY), None);
        let mut run = Arithmetic::new(128);
        let too_large = run.power(&of(10.0), 400);
        check(f64::INFINITY, &too_large, None);
    }

    #[test]
    fn thresholds() {
        let error = Error { absolute: 2.0, relative: 1e-3, ulps: 5.0 };
        assert!(!Threshold::Relative(1e-3).exceeded(&error));
        assert!(Threshold::Relative(9e-4).exceeded(&error));
        assert!(Threshold::Ulps(4.0).exceeded(&error) && Threshold::Absolute(1.0).exceeded(&error));
    }
}
