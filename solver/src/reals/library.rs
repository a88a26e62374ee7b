//! Functions of the mathematical library as forms: a line through the centre of the argument's
//! range, and how far the curve may be from it; small powers as products.

use super::taylor::Form;
use nanoscope_ieee::Libm;

/// What doubles may be away from the function that computes them, relatively; generous.
const UNSURE: f64 = 64.0 * f64::EPSILON;

/// Exponents of powers that become products.
const LONGEST_PRODUCT: f64 = 8.0;

/// A function of an argument between two numbers, as a form; none where that says nothing.
pub(super) fn applied(
    function: Libm,
    argument: &Form,
    (low, high): (f64, f64),
    most: u32,
) -> Option<Form> {
    let centre = (low / 2.0 + high / 2.0).clamp(low, high);
    along(argument, (low, high), line(function, centre, low, high)?, most)
}

/// A power with a known exponent, of a base between two numbers.
pub(super) fn raised(
    base: &Form,
    (low, high): (f64, f64),
    exponent: f64,
    most: u32,
) -> Option<Form> {
    if exponent.fract() == 0.0 && (1.0..=LONGEST_PRODUCT).contains(&exponent.abs()) {
        let mut product = base.clone();
        for _ in 1..exponent.abs() as u32 {
            product = product.times(base, most);
        }
        return if exponent > 0.0 { Some(product) } else { product.inverted(most) };
    }
    if low <= 0.0 {
        return None;
    }
    let centre = (low / 2.0 + high / 2.0).clamp(low, high);
    let curve = [low, high].map(|x| x.powf(exponent - 2.0));
    let line = Line {
        centre,
        value: centre.powf(exponent),
        slope: exponent * centre.powf(exponent - 1.0),
        curvature: (exponent * (exponent - 1.0)).abs() * curve[0].max(curve[1]),
    };
    along(base, (low, high), line, most)
}

/// A tangent, and a bound on the second derivative.
struct Line {
    centre: f64,
    value: f64,
    slope: f64,
    curvature: f64,
}

/// The tangent at the argument, widened by what the curve may leave it.
fn along(argument: &Form, (low, high): (f64, f64), line: Line, most: u32) -> Option<Form> {
    let Line { centre, value, slope, curvature } = line;
    let reach = (high - centre).max(centre - low) * (1.0 + UNSURE);
    let bend = curvature * reach * reach / 2.0 * (1.0 + UNSURE);
    let unsure = UNSURE * value.abs() + f64::MIN_POSITIVE;
    let slope = Form::around(slope, UNSURE * slope.abs() + f64::MIN_POSITIVE);
    let form = argument
        .minus(&Form::constant(centre))
        .times(&slope, most)
        .plus(&Form::constant(value))
        .widened(bend + unsure);
    form.is_finite().then_some(form)
}

/// The tangent of a function at a number, and its curvature between two.
fn line(function: Libm, centre: f64, low: f64, high: f64) -> Option<Line> {
    use std::f64::consts::{LN_2, LN_10};
    let c = centre;
    let farthest = low.abs().max(high.abs());
    // The second derivative of a logarithm to base e is largest at the lower end.
    let logarithm = |low: f64, unit: f64| (low > 0.0).then(|| 1.0 / (low * low) / unit);
    let (value, slope, curvature) = match function {
        Libm::Exp => (c.exp(), c.exp(), high.exp()),
        Libm::Expm1 => (c.exp_m1(), c.exp(), high.exp()),
        Libm::Exp2 => (c.exp2(), c.exp2() * LN_2, high.exp2() * LN_2 * LN_2),
        Libm::Exp10 => {
            let power = |x: f64| 10f64.powf(x);
            (power(c), power(c) * LN_10, power(high) * LN_10 * LN_10)
        }
        Libm::Log => (c.ln(), 1.0 / c, logarithm(low, 1.0)?),
        Libm::Log2 => (c.log2(), 1.0 / (c * LN_2), logarithm(low, LN_2)?),
        Libm::Log10 => (c.log10(), 1.0 / (c * LN_10), logarithm(low, LN_10)?),
        Libm::Log1p => (c.ln_1p(), 1.0 / (1.0 + c), logarithm((1.0 + low) * (1.0 - UNSURE), 1.0)?),
        Libm::Sin => (c.sin(), c.cos(), 1.0),
        Libm::Cos => (c.cos(), -c.sin(), 1.0),
        // 3/8 of the root of 3.
        Libm::Atan => (c.atan(), 1.0 / (1.0 + c * c), 0.65),
        // 4/9 of the root of 3.
        Libm::Tanh => (c.tanh(), 1.0 - c.tanh() * c.tanh(), 0.77),
        Libm::Sinh => (c.sinh(), c.cosh(), farthest.sinh()),
        Libm::Cosh => (c.cosh(), c.sinh(), farthest.cosh()),
        Libm::Asinh => (c.asinh(), 1.0 / (c * c + 1.0).sqrt(), 0.39),
        // No tangent is known of the others.
        _ => return None,
    };
    Some(Line { centre, value, slope, curvature })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of a form in one variable between two numbers hold the function's.
    fn check(form: &Form, (low, high): (f64, f64), function: impl Fn(f64) -> f64) {
        let (centre, radius) = (low / 2.0 + high / 2.0, (high - low) / 2.0);
        for step in 0..=40 {
            let t = f64::from(step) / 20.0 - 1.0;
            let x = (centre + radius * t).clamp(low, high);
            let (least, greatest) = form.rest();
            let line = form.centre() + form.slope(0) * t;
            let value = function(x);
            let slack = 1e-12 * (1.0 + value.abs());
            assert!(
                line + least - slack <= value && value <= line + greatest + slack,
                "{value} at {x}: {line} {least} {greatest}"
            );
        }
    }

    fn variable((low, high): (f64, f64)) -> Form {
        Form::variable(0, low / 2.0 + high / 2.0, (high - low) / 2.0)
    }

    #[test]
    fn lines_enclose_functions() {
        type Exact = fn(f64) -> f64;
        let functions: [(Libm, Exact); 15] = [
            (Libm::Exp, f64::exp),
            (Libm::Expm1, f64::exp_m1),
            (Libm::Exp2, f64::exp2),
            (Libm::Exp10, |x| 10f64.powf(x)),
            (Libm::Log, f64::ln),
            (Libm::Log2, f64::log2),
            (Libm::Log10, f64::log10),
            (Libm::Log1p, f64::ln_1p),
            (Libm::Sin, f64::sin),
            (Libm::Cos, f64::cos),
            (Libm::Atan, f64::atan),
            (Libm::Tanh, f64::tanh),
            (Libm::Sinh, f64::sinh),
            (Libm::Cosh, f64::cosh),
            (Libm::Asinh, f64::asinh),
        ];
        for (function, exact) in functions {
            for range in [(0.5, 0.75), (1.0, 4.0), (0.1, 3.0)] {
                let form = applied(function, &variable(range), range, 3).expect("a line");
                check(&form, range, exact);
            }
            let range = (-0.5, 2.0);
            if let Some(form) = applied(function, &variable(range), range, 3) {
                check(&form, range, exact);
            }
        }
    }

    #[test]
    fn powers_are_enclosed() {
        for exponent in [2.0, 3.0, -1.0, 0.5, 2.5, -1.5, 9.0] {
            let range = (1.0, 1.5);
            let form = raised(&variable(range), range, exponent, 3).expect("a form");
            check(&form, range, |x| x.powf(exponent));
        }
        let range = (-2.0, 1.0);
        let form = raised(&variable(range), range, 2.0, 3).expect("a product");
        check(&form, range, |x| x * x);
        assert!(raised(&variable(range), range, 0.5, 3).is_none());
    }
}
