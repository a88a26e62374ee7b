//! The named constants of FPCore.

use crate::show::exact::rational_of;
use nanoscope_ieee::Rational;
use rug::Float;
use rug::float::Constant;

/// Bits of a constant that is irrational: far more than any bound or format can tell apart.
const BITS: u32 = 512;

/// The value of a constant by its name.
pub fn named(name: &str) -> Option<Rational> {
    let number = |x: f64| Float::with_val(BITS, x);
    let pi = || Float::with_val(BITS, Constant::Pi);
    let value = match name {
        "E" => number(1.0).exp(),
        "LOG2E" => number(1.0).exp().log2(),
        "LOG10E" => number(1.0).exp().log10(),
        "LN2" => number(2.0).ln(),
        "LN10" => number(10.0).ln(),
        "PI" => pi(),
        "PI_2" => pi() / 2,
        "PI_4" => pi() / 4,
        "M_1_PI" => number(1.0) / pi(),
        "M_2_PI" => number(2.0) / pi(),
        "M_2_SQRTPI" => number(2.0) / pi().sqrt(),
        "SQRT2" => number(2.0).sqrt(),
        "SQRT1_2" => number(0.5).sqrt(),
        _ => return None,
    };
    rational_of(&value)
}
