//! The enclosures of the mathematical library against the library of this machine.

use super::transfer::Dice;
use crate::libm;
use nanoscope_ieee::{Float, Format, Libm, Rounding};
use nanoscope_program::libm::{exceptions, with_errors};
use nanoscope_program::{Action, distance};
use nanoscope_sets::{Floats, Grid, Modes};

const F64: Format = Format::BINARY64;

/// A double, more often an ordinary one.
fn double(dice: &mut Dice) -> f64 {
    match dice.roll(4) {
        0 => f64::from_bits(dice.roll(1 << 40) << 24 | dice.roll(1 << 24)),
        1 => (dice.roll(4001) as f64 - 2000.0) / 100.0,
        2 => (dice.roll(2001) as f64 - 1000.0) * 0.97,
        _ => [0.0, -0.0, 1.0, -1.0, 0.5, 1e-310, -1e-310, 1e300, -3.0, f64::INFINITY, 2.0, 710.0]
            [dice.roll(12) as usize],
    }
}

fn check(name: &'static str, operands: usize, call: impl Fn(&[f64]) -> f64) {
    let mut dice = Dice::new(11);
    for _ in 0..400 {
        let ranges: Vec<(f64, f64)> = (0..operands)
            .map(|_| {
                let (a, b) = (double(&mut dice), double(&mut dice));
                match (a.is_nan(), b.is_nan()) {
                    (true, _) | (_, true) => (0.0, 1.0),
                    (false, false) if a <= b => (a, b),
                    (false, false) => (b, a),
                }
            })
            .collect();
        let floats: Vec<Floats> = ranges
            .iter()
            .map(|(lo, hi)| Floats::between_doubles(F64, *lo, *hi).with_both_zeros())
            .collect();
        let outcome = libm::apply(Modes::NEAREST, name, F64, &floats).expect("a known function");
        for _ in 0..60 {
            let point: Vec<f64> = floats
                .iter()
                .map(|floats| {
                    let (lo, hi) = floats.bounds().expect("numbers");
                    let step = dice.roll(u64::MAX) as i128 % (hi - lo + 1);
                    let at = match dice.roll(3) {
                        0 => lo,
                        1 => hi,
                        _ => lo + step,
                    };
                    Grid::of(F64).to_double(at, Rounding::NearestEven)
                })
                .collect();
            let inside = point.iter().zip(&floats).all(|(x, f)| f.contains(&Float::from(*x)));
            if !inside {
                continue;
            }
            let result = call(&point);
            assert!(
                outcome.result.contains(&Float::from(result)),
                "{name} {point:?} = {result:e} not in {} for {floats:?}",
                outcome.result
            );
            let Some(function) = with_errors(name) else { continue };
            let bits: Vec<u128> = point.iter().map(|x| x.to_bits().into()).collect();
            for exception in exceptions(function) {
                let action = Action::Libm(function);
                let far = distance(action, F64, exception, &bits, result.to_bits().into());
                assert!(
                    far > 0 || outcome.raised.contains(exception),
                    "{name} {point:?} raises {exception} for {floats:?}"
                );
            }
        }
    }
}

#[test]
fn the_machines_library_stays_inside() {
    for function in Libm::ALL {
        let call = |x: &[f64]| function.of_doubles(x[0], x.get(1).copied().unwrap_or(0.0));
        check(function.name(), function.arity(), call);
    }
    check("fmod", 2, |x| x[0] % x[1]);
}

#[test]
fn no_number_is_a_multiple_of_half_of_pi() {
    // Of all doubles, and all singles, the nearest to one.
    let nearest = 6_381_956_970_095_103.0 * 2f64.powi(797);
    assert!(nearest.cos().abs() < 2f64.powi(-60));
    let near = Floats::between_doubles(F64, 1.0, f64::MAX);
    for (name, value) in
        [("cos", nearest.cos()), ("sin", (2.0 * nearest).sin()), ("tan", nearest.tan())]
    {
        let outcome = libm::apply(Modes::NEAREST, name, F64, &[near]).expect("a known function");
        assert!(outcome.result.contains(&Float::from(value)), "{name} {}", outcome.result);
        assert!(!outcome.result.has_zero() && !outcome.result.has_infinity(), "{name}");
        assert_eq!(outcome.raised, crate::exceptions::Exceptions::NONE, "{name}");
    }
    let nearest = 16_367_173.0 * 2f32.powi(72);
    let near = Floats::between_doubles(Format::BINARY32, 1.0, f64::from(f32::MAX));
    let outcome =
        libm::apply(Modes::NEAREST, "cos", Format::BINARY32, &[near]).expect("a known function");
    assert!(outcome.result.contains(&Float::from(nearest.cos())), "{}", outcome.result);
}

#[test]
fn what_is_infinite_or_zero_stands_apart() {
    let check = |name: &str, lo: f64, hi: f64, inside: &[f64], outside: &[f64]| {
        let floats = Floats::between_doubles(F64, lo, hi);
        let outcome = libm::apply(Modes::NEAREST, name, F64, &[floats]).expect("a known function");
        for (list, is_inside) in [(inside, true), (outside, false)] {
            for value in list {
                let found = outcome.result.contains(&Float::from(*value));
                assert_eq!(found, is_inside, "{name} of {floats}: {value} in {}", outcome.result);
            }
        }
    };
    let infinity = f64::INFINITY;
    check("sqrt", 4.0, infinity, &[2.0, 1.3e154, infinity], &[1.9, 1.4e154, f64::MAX]);
    check(
        "log",
        0.5,
        infinity,
        &[-0.69, -1.2e-16, 0.0, 2.3e-16, 709.7, infinity],
        &[1e-17, -1e-17, 710.0],
    );
    check("acos", 0.0, 1.0, &[0.0, 1.5e-8, 1.57], &[1e-300, 1e-8]);
}
