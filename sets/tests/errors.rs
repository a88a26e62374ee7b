//! Bounds of rounding errors against enumeration of a tiny format, whose exact sums and products
//! are doubles.

mod oracle;

use nanoscope_ieee::{Format, Rounding};
use nanoscope_sets::operation::{add, convert, div, fma, mul, sqrt, sub};
use nanoscope_sets::{Floats, Grid, Modes, Ordinal, Scalar};
use oracle::{Draw, Sampled};

const TINY: Format = Format::new(4, 4);

fn members(floats: &Floats) -> Vec<Ordinal> {
    let all = Grid::of(floats.format).finite();
    (all.lo..=all.hi).filter(|at| floats.contains_place(*at)).collect()
}

/// Half an ulp of a double is nothing beside a unit of the tiny format.
const SLACK: f64 = 1.0 + 1e-12;

#[test]
fn no_error_exceeds_its_bound() {
    let grid = Grid::of(TINY);
    let exact = |at: Ordinal| grid.to_double(at, Rounding::NearestEven);
    let mut draw = Draw(17);
    let mut exactly = 0;
    for round in 0..120 {
        let mut some = || {
            let floats = Floats::draw(&mut draw, grid, None).finite_part();
            match draw.below(4) {
                0 => floats.multiples(0),
                1 => floats.bounds().map_or(floats, |(_, hi)| Floats::between(TINY, hi, hi)),
                _ => floats,
            }
        };
        let (x, y, z) = (some(), some(), some());
        let mode = Rounding::ALL[round % 5];
        let (modes, scalar) = (Modes::only(mode), Scalar::new(grid, mode));
        let narrow = Format::new(3, 3);
        let narrowing = Scalar::new(Grid::of(narrow), mode);
        let bounds = [
            add::error(modes, &x, &y),
            sub::error(modes, &x, &y),
            mul::error(modes, &x, &y),
            div::error(modes, &x, &y),
        ];
        let root = sqrt::error(modes, &x);
        let converted = convert::error(modes, narrow, &x);
        let fused = fma::error(modes, &x, &y, &z);
        exactly += bounds.iter().filter(|bound| **bound == 0.0).count();
        let check = |what: &str, rounded: Option<f64>, real: f64, bound: f64| {
            let Some(rounded) = rounded.filter(|rounded| rounded.is_finite()) else { return };
            let error = (rounded - real).abs();
            assert!(error <= bound * SLACK, "{what} {mode}: {error} beyond {bound}, of {x}, {y}");
        };
        for &a in &members(&x) {
            check("sqrt", scalar.sqrt(a).map(exact), exact(a).max(0.0).sqrt(), root);
            let to = Grid::of(narrow).to_double(narrowing.convert(grid, a), mode);
            check("convert", Some(to), exact(a), converted);
            for &b in &members(&y) {
                let (u, v) = (exact(a), exact(b));
                let reals = [u + v, u - v, u * v, u / v];
                let results =
                    [scalar.add(a, b), scalar.sub(a, b), scalar.mul(a, b), scalar.div(a, b)];
                for i in 0..4 {
                    if reals[i].is_finite() {
                        check("arithmetic", results[i].map(exact), reals[i], bounds[i]);
                    }
                }
                for &c in members(&z).iter().step_by(7) {
                    check("fma", scalar.fma(a, b, c).map(exact), u * v + exact(c), fused);
                }
            }
        }
    }
    assert!(exactly > 20, "{exactly} operations were found exact");
}

#[test]
fn known_bounds() {
    let double = |lo: f64, hi: f64| Floats::between_doubles(Format::BINARY64, lo, hi);
    let nearest = Modes::NEAREST;
    assert_eq!(add::error(nearest, &double(1.0, 2.0), &double(1.0, 1.5)), 2f64.powi(-52));
    assert_eq!(add::error(Modes::ALL, &double(1.0, 2.0), &double(1.0, 1.5)), 2f64.powi(-51));
    // Sterbenz, powers of two, small integers.
    assert_eq!(sub::error(nearest, &double(1.0, 1.5), &double(1.0, 2.0)), 0.0);
    assert_eq!(mul::error(nearest, &double(1.0, 3.0), &double(0.25, 0.25)), 0.0);
    assert_eq!(div::error(nearest, &double(1.0, 3.0), &double(4.0, 4.0)), 0.0);
    let integers = double(-1e6, 1e6).multiples(0);
    assert_eq!(mul::error(nearest, &integers, &integers), 0.0);
    assert_eq!(add::error(nearest, &integers, &integers), 0.0);
    // Outward, an operation encloses its exact results.
    let third = div::direct(Modes::OUTWARD, &double(1.0, 1.0), &double(3.0, 3.0), false).result;
    let (lo, hi) = third.bounds().unwrap();
    assert_eq!(hi - lo, 1);
}
