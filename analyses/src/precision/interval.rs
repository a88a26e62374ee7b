//! F-Soft's model (section III): every value is an interval of reals, and every operation adds
//! a relative error δ and an absolute error ε, both always. Coarse and quick; sound as long as
//! δ and ε are no less than the format's own.
//!
//! Beside the interval a value carries how far the float can be from the real, absolutely and
//! relatively: a sum of numbers of one sign keeps its operands' relative error.

use nanoscope_errors::{Graph, InputError, NodeId, Operation as Node, Precision};
use nanoscope_ieee::{Float, Format, Rational, Rounding};

/// δ and ε of an operation.
pub(super) type Units<'a> = &'a dyn Fn(Format) -> (f64, f64);

/// What is known of a value.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The real values.
    low: f64,
    high: f64,
    /// How far the float can be off.
    absolute: f64,
    relative: f64,
}

/// Nothing is known: the status may be NaN or an infinity.
const LOST: Known = Known {
    low: f64::NEG_INFINITY,
    high: f64::INFINITY,
    absolute: f64::INFINITY,
    relative: f64::INFINITY,
};

/// Room for the rounding of this analysis itself.
const UP: f64 = 1.0 + 1e-14;

/// Bounds on the absolute and the relative error of nodes; infinite where there are none. With
/// `ranges`, what is known of values simplifies the model: numbers of one sign do not cancel when
/// added, and what is normal has no absolute error.
pub(super) fn bounds(
    graph: &Graph,
    nodes: &[NodeId],
    units: Units,
    ranges: bool,
) -> Vec<(f64, f64)> {
    let mut known: Vec<Known> = Vec::with_capacity(graph.nodes().len());
    for node in graph.nodes() {
        let at = |id: NodeId| known[id.index()];
        let exact = real(graph, node.operation, &at, ranges);
        known.push(match node.precision {
            Precision::Exact => exact,
            Precision::Float(format, _) => match node.operation {
                Node::Input(_) | Node::Constant(_) => entered(graph, node.operation, format, exact),
                Node::Neg(_)
                | Node::Abs(_)
                | Node::Min(..)
                | Node::Max(..)
                | Node::Choose(..)
                | Node::Argument(_) => exact,
                _ => rounded(exact, format, units(format), ranges),
            },
        });
    }
    nodes.iter().map(|node| (known[node.index()].absolute, known[node.index()].relative)).collect()
}

/// An input or a constant, with the error it has from the beginning.
fn entered(graph: &Graph, operation: Node, format: Format, exact: Known) -> Known {
    let half_ulp = 2f64.powi(-(format.precision as i32));
    let most = exact.low.abs().max(exact.high.abs());
    match operation {
        Node::Input(input) => match graph.inputs()[input as usize].error {
            InputError::None => exact,
            InputError::Absolute(error) => with_error(exact, error, f64::INFINITY),
            InputError::HalfUlp => {
                with_error(exact, most * half_ulp * UP + least(format), half_ulp)
            }
        },
        Node::Constant(place) => {
            let value = &graph.constants()[place as usize];
            let (float, _) = Float::from_rational(format, Rounding::NearestEven, value);
            match float.to_rational().as_ref() == Some(value) {
                true => exact,
                false => with_error(exact, most * half_ulp * UP + least(format), half_ulp),
            }
        }
        _ => exact,
    }
}

fn with_error(exact: Known, absolute: f64, relative: f64) -> Known {
    let nearest = nearest(exact.low, exact.high);
    let relative =
        relative.min(if nearest > 0.0 { absolute / nearest * UP } else { f64::INFINITY });
    Known { absolute, relative, ..exact }
}

/// The least positive number of a format.
fn least(format: Format) -> f64 {
    Float::smallest(format, false).to_f64().max(f64::MIN_POSITIVE)
}

/// Both errors added, and the limits of the format looked at.
fn rounded(exact: Known, format: Format, (delta, epsilon): (f64, f64), ranges: bool) -> Known {
    if !exact.absolute.is_finite() {
        return LOST;
    }
    let most = exact.low.abs().max(exact.high.abs()) + exact.absolute;
    if most * (1.0 + delta) * UP + epsilon >= Float::largest(format, false).to_f64() {
        return LOST;
    }
    let nearest = nearest(exact.low, exact.high);
    // Relative to the smallest normal number where the value is below it.
    let floor = Float::smallest_normal(format, false).to_f64();
    let normal = nearest - exact.absolute >= floor;
    let epsilon = if ranges && normal { 0.0 } else { epsilon };
    let absolute = (exact.absolute + most * delta + epsilon) * UP;
    let small = epsilon / nearest.max(floor);
    let relative = (exact.relative * (1.0 + delta) + delta + small) * UP;
    let relative = relative.min(absolute / nearest.max(floor) * UP);
    Known { absolute, relative, ..exact }
}

/// The real operation on what is known of its operands.
fn real(graph: &Graph, operation: Node, at: &dyn Fn(NodeId) -> Known, ranges: bool) -> Known {
    let sum = |a: Known, b: Known| sum(a, b, ranges);
    let exact = |low: f64, high: f64| Known { low, high, absolute: 0.0, relative: 0.0 };
    match operation {
        Node::Input(input) => {
            let input = &graph.inputs()[input as usize];
            match (&input.low, &input.high) {
                (Some(low), Some(high)) => exact(below(low), above(high)),
                (_, _) => LOST,
            }
        }
        Node::Constant(place) => {
            let value = &graph.constants()[place as usize];
            exact(below(value), above(value))
        }
        Node::Add(a, b) => sum(at(a), at(b)),
        Node::Sub(a, b) => sum(at(a), negated(at(b))),
        Node::Mul(a, b) => product(at(a), at(b)),
        Node::Div(a, b) => product(at(a), inverse(at(b))),
        Node::Fma(a, b, c) => sum(product(at(a), at(b)), at(c)),
        Node::Sqrt(a) => {
            let a = at(a);
            if a.low < 0.0 || a.low - a.absolute < 0.0 {
                return LOST;
            }
            let relative = if a.relative < 1.0 { a.relative * UP } else { f64::INFINITY };
            let high = a.high.sqrt() * UP;
            // |sqrt(x + e) - sqrt(x)| is at most sqrt(e), and at most e / sqrt(x).
            let steep = a.absolute.sqrt() * UP;
            let flat = if a.low > 0.0 { a.absolute / a.low.sqrt() * UP } else { f64::INFINITY };
            Known { low: a.low.sqrt() / UP, high, absolute: steep.min(flat), relative }
        }
        Node::Neg(a) => negated(at(a)),
        Node::Abs(a) => {
            let a = at(a);
            let high = a.low.abs().max(a.high.abs());
            Known { low: nearest(a.low, a.high), high, ..a }
        }
        Node::Min(a, b) | Node::Max(a, b) => {
            let (a, b) = (at(a), at(b));
            let absolute = a.absolute.max(b.absolute);
            let (low, high) = (a.low.min(b.low), a.high.max(b.high));
            let nearest = nearest(low, high);
            let relative = if nearest > 0.0 { absolute / nearest * UP } else { f64::INFINITY };
            Known { low, high, absolute, relative }
        }
        // The comparison may go either way: the results of both sides are as far apart as can be.
        Node::Choose(_, a, b) => {
            let (a, b) = (at(a), at(b));
            if !a.absolute.is_finite() || !b.absolute.is_finite() {
                return LOST;
            }
            let (low, high) = (a.low.min(b.low), a.high.max(b.high));
            let absolute = (high - low + a.absolute.max(b.absolute)) * UP;
            let nearest = nearest(low, high);
            let relative = if nearest > 0.0 { absolute / nearest * UP } else { f64::INFINITY };
            Known { low, high, absolute, relative }
        }
        Node::Convert(a) | Node::Argument(a) => at(a),
        Node::Integral(_, a) => {
            let a = at(a);
            let absolute = if a.absolute == 0.0 { 0.0 } else { a.absolute + 1.0 };
            Known { low: a.low - 1.0, high: a.high + 1.0, absolute, relative: f64::INFINITY }
        }
        // F-Soft has no functions.
        Node::Unary(..) | Node::Binary(..) | Node::Call(_) => LOST,
    }
}

fn negated(a: Known) -> Known {
    Known { low: -a.high, high: -a.low, ..a }
}

fn sum(a: Known, b: Known, ranges: bool) -> Known {
    let (low, high) = (a.low + b.low, a.high + b.high);
    if !low.is_finite() || !high.is_finite() {
        return LOST;
    }
    let slack = (low.abs() + high.abs()) * 1e-15;
    let (low, high) = (low - slack, high + slack);
    let absolute = (a.absolute + b.absolute) * UP;
    let one_sign = (a.low >= 0.0 && b.low >= 0.0) || (a.high <= 0.0 && b.high <= 0.0);
    let nearest = nearest(low, high);
    let by_range = if nearest > 0.0 { absolute / nearest * UP } else { f64::INFINITY };
    let relative =
        if one_sign && ranges { a.relative.max(b.relative).min(by_range) } else { by_range };
    let relative = if absolute == 0.0 { 0.0 } else { relative };
    Known { low, high, absolute, relative }
}

fn product(a: Known, b: Known) -> Known {
    if !a.absolute.is_finite() || !b.absolute.is_finite() {
        return LOST;
    }
    let ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
    let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !low.is_finite() || !high.is_finite() {
        return LOST;
    }
    let slack = (low.abs() + high.abs()) * 1e-15;
    let most = |a: Known| a.low.abs().max(a.high.abs());
    let absolute = (most(a) * b.absolute + most(b) * a.absolute + a.absolute * b.absolute) * UP;
    let relative = (a.relative + b.relative + a.relative * b.relative) * UP;
    let relative = if absolute == 0.0 { 0.0 } else { relative };
    Known { low: low - slack, high: high + slack, absolute, relative }
}

/// One over a value; nothing where an interval contains zero.
fn inverse(a: Known) -> Known {
    let nearest = nearest(a.low, a.high) - a.absolute;
    if nearest.is_nan() || nearest <= 0.0 || a.low * a.high <= 0.0 {
        return LOST;
    }
    let (low, high) = (1.0 / a.high, 1.0 / a.low);
    let slack = (low.abs() + high.abs()) * 1e-15;
    let absolute = a.absolute / (nearest * (nearest + a.absolute)) * UP;
    let relative =
        if a.relative < 1.0 { a.relative / (1.0 - a.relative) * UP } else { f64::INFINITY };
    Known { low: low - slack, high: high + slack, absolute, relative }
}

/// The least magnitude in an interval.
fn nearest(low: f64, high: f64) -> f64 {
    if low > 0.0 {
        low
    } else if high < 0.0 {
        -high
    } else {
        0.0
    }
}

/// A double that is no more than a rational number.
fn below(value: &Rational) -> f64 {
    Float::from_rational(Format::BINARY64, Rounding::Downward, value).0.to_f64()
}

/// A double that is no less.
fn above(value: &Rational) -> f64 {
    Float::from_rational(Format::BINARY64, Rounding::Upward, value).0.to_f64()
}

#[cfg(test)]
mod tests {
    use super::bounds;
    use nanoscope_errors::{Graph, Input, InputError, Operation as Node, Precision};
    use nanoscope_ieee::{Format, Rational};

    /// The sum of so many positive integers, cast and added, at a δ.
    fn sum(n: usize, delta: f64, ranges: bool) -> f64 {
        let mut graph = Graph::new();
        let single = Precision::nearest(Format::BINARY32);
        let rational = |value: i64| Some(Rational::from_integer(value.into()));
        let mut total = None;
        for at in 0..n {
            let input = Input {
                name: format!("x{at}"),
                low: rational(1),
                high: rational(i64::from(i32::MAX)),
                integer: true,
                error: InputError::None,
            };
            let whole = graph.input(input, Precision::Exact, 0);
            let cast = graph.operation(Node::Convert(whole), single, 0);
            total = Some(match total {
                None => cast,
                Some(total) => graph.operation(Node::Add(total, cast), single, 0),
            });
        }
        let units = |_: Format| (delta, 1.5e-45);
        bounds(&graph, &[total.expect("a sum")], &units, ranges)[0].1
    }

    #[test]
    fn sums_of_positive_integers() {
        // (1 + δ)^n - 1: n - 1 additions on top of a cast.
        for (n, delta) in [(14, 2f64.powi(-24)), (35, 2f64.powi(-22)), (1000, 2f64.powi(-23))] {
            let exactly = (1.0 + delta).powi(n as i32) - 1.0;
            let bound = sum(n, delta, true);
            assert!(bound >= exactly && bound < 1.001 * exactly + 1e-12, "{n}: {bound} {exactly}");
        }
        // The table of F-Soft: too coarse a δ is above 10 %.
        let relative = |n, exponent| sum(n, 2f64.powi(exponent), true);
        assert!(relative(5, -9) < 0.1 && relative(5, -4) > 0.1);
        assert!(relative(30, -8) > 0.1 && relative(20, -9) < 0.1);
        // Without signs, the sum of large numbers may be as small as the least sum.
        assert!(sum(5, 2f64.powi(-23), false) > 0.1);
    }
}
