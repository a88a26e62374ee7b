//! C's functions of complex numbers in long arithmetic, by what they are in real ones.

use super::exact_libm;
use super::real::{Arithmetic, Real};

/// A real and an imaginary part.
type Complex = [Real; 2];

/// Calls a function by its name in the double form, on the parts of its arguments. Nothing where it
/// is not known here, or its arguments are no ordinary numbers.
pub(super) fn call(run: &mut Arithmetic, name: &str, parts: &[Real]) -> Option<Complex> {
    if !parts.iter().all(Real::is_finite) {
        return None;
    }
    let (z, second) = match parts {
        [x, y] => ([x.clone(), y.clone()], None),
        [x, y, u, v] => ([x.clone(), y.clone()], Some([u.clone(), v.clone()])),
        _ => return None,
    };
    match (name, second) {
        ("csqrt", None) => square_root(run, &z),
        ("cexp", None) => exponential(run, &z),
        ("clog", None) => logarithm(run, &z),
        ("cpow", Some(exponent)) => {
            let power = logarithm(run, &z)?;
            let power = product(run, &exponent, &power);
            power.iter().all(Real::is_finite).then(|| exponential(run, &power))?
        }
        ("csinh", None) => hyperbolic(run, &z, ["sinh", "cosh"]),
        ("ccosh", None) => hyperbolic(run, &z, ["cosh", "sinh"]),
        ("ctanh", None) => {
            let (sinh, cosh) =
                (hyperbolic(run, &z, ["sinh", "cosh"])?, hyperbolic(run, &z, ["cosh", "sinh"])?);
            Some(quotient(run, &sinh, &cosh))
        }
        // sin z = -i sinh(iz), cos z = cosh(iz), tan z = -i tanh(iz).
        ("csin" | "ctan", None) => {
            let turned = call(run, if name == "csin" { "csinh" } else { "ctanh" }, &turn(&z))?;
            let [x, y] = turned;
            Some([y, x.negated()])
        }
        ("ccos", None) => call(run, "ccosh", &turn(&z)),
        _ => None,
    }
}

/// Times the imaginary unit.
fn turn([x, y]: &Complex) -> Complex {
    [y.negated(), x.clone()]
}

fn product(run: &mut Arithmetic, [a, b]: &Complex, [c, d]: &Complex) -> Complex {
    let (ac, bd, ad, bc) = (run.mul(a, c), run.mul(b, d), run.mul(a, d), run.mul(b, c));
    [run.sub(&ac, &bd), run.add(&ad, &bc)]
}

fn quotient(run: &mut Arithmetic, z: &Complex, by: &Complex) -> Complex {
    let conjugate = [by[0].clone(), by[1].negated()];
    let [x, y] = product(run, z, &conjugate);
    let [size, _] = product(run, by, &conjugate);
    [run.div(&x, &size), run.div(&y, &size)]
}

/// The root in the right half of the plane.
fn square_root(run: &mut Arithmetic, [x, y]: &Complex) -> Option<Complex> {
    let size = exact_libm(run, "hypot", &[x.clone(), y.clone()])?;
    let twice = run.add(&size, &x.with_sign(false));
    let half = run.scaled(&twice, -1);
    let large = run.sqrt(&half);
    if matches!(large, Real::Zero { .. }) {
        return Some([large, y.clone()]);
    }
    let half = run.scaled(y, -1);
    let small = run.div(&half, &large);
    Some(match x.is_negative() {
        false => [large, small],
        true => [small.with_sign(false), large.with_sign(y.is_negative())],
    })
}

fn exponential(run: &mut Arithmetic, [x, y]: &Complex) -> Option<Complex> {
    let size = exact_libm(run, "exp", std::slice::from_ref(x))?;
    if matches!(y, Real::Zero { .. }) {
        return Some([size, y.clone()]);
    }
    let [cos, sin] = both(run, ["cos", "sin"], y)?;
    Some([run.mul(&size, &cos), run.mul(&size, &sin)])
}

fn logarithm(run: &mut Arithmetic, [x, y]: &Complex) -> Option<Complex> {
    let size = exact_libm(run, "hypot", &[x.clone(), y.clone()])?;
    let log = exact_libm(run, "log", &[size])?;
    Some([log, exact_libm(run, "atan2", &[y.clone(), x.clone()])?])
}

/// Of sinh and cosh, the one asked for and the other.
fn hyperbolic(run: &mut Arithmetic, [x, y]: &Complex, functions: [&str; 2]) -> Option<Complex> {
    let [asked, other] = both(run, functions, x)?;
    let [cos, sin] = both(run, ["cos", "sin"], y)?;
    Some([run.mul(&asked, &cos), run.mul(&other, &sin)])
}

fn both(run: &mut Arithmetic, [first, second]: [&str; 2], x: &Real) -> Option<[Real; 2]> {
    let x = std::slice::from_ref(x);
    Some([exact_libm(run, first, x)?, exact_libm(run, second, x)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, parts: &[f64], expected: [f64; 2]) {
        let mut run = Arithmetic::new(640);
        let reals: Vec<Real> = parts
            .iter()
            .map(|part| Real::decoded(nanoscope_ieee::Format::BINARY64, part.to_bits().into()))
            .collect();
        let found = call(&mut run, name, &reals).unwrap_or_else(|| panic!("{name}{parts:?}"));
        for (found, expected) in found.iter().zip(expected) {
            let found = found.approximate();
            let error = (found - expected).abs();
            assert!(
                error <= 1e-14 * expected.abs().max(1e-300),
                "{name}{parts:?}: {found} {expected}"
            );
        }
    }

    #[test]
    fn values() {
        check("csqrt", &[3.0, 4.0], [2.0, 1.0]);
        check("csqrt", &[-3.0, -4.0], [1.0, -2.0]);
        check("csqrt", &[0.0, 0.0], [0.0, 0.0]);
        check("csqrt", &[-4.0, 0.0], [0.0, 2.0]);
        check("cexp", &[1.0, 2.0], [-1.1312043837568137, 2.471726672004819]);
        check("clog", &[-1.0, 1.0], [0.34657359027997264, 2.356194490192345]);
        check("cpow", &[2.0, 1.0, 2.0, 0.0], [3.0, 4.0]);
        check("csin", &[1.0, 2.0], [3.165778513216168, 1.9596010414216063]);
        check("ccos", &[1.0, 2.0], [2.0327230070196656, -3.0518977991518]);
        check("ctan", &[1.0, 2.0], [0.03381282607989669, 1.0147936161466335]);
        check("csinh", &[1.0, 2.0], [-0.48905625904129363, 1.4031192506220405]);
        check("ccosh", &[1.0, 2.0], [-0.64214812471552, 1.0686074213827783]);
        check("ctanh", &[1.0, 2.0], [1.16673625724092, -0.24345820118572534]);
    }
}
