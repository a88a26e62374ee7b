//! The mathematical library by the names of its functions: what each gives and may raise.

use crate::exceptions::{Exceptions, FloatTransfer};
use nanoscope_ieee::{Format, Libm, domains};
use nanoscope_program::Exception;
use nanoscope_program::libm::{Domain, Function, RangeError, with_errors};
pub use nanoscope_sets::libm::ASSUMPTION;
use nanoscope_sets::operation::remainder::{self, Quotient};
use nanoscope_sets::operation::{fma, sign, sqrt, step, sub};
use nanoscope_sets::{Floats, Grid, Modes, Order, Span, libm};

/// What a function of the library gives for these arguments; `None` if it is not known here.
pub fn apply(
    modes: Modes,
    name: &str,
    format: Format,
    arguments: &[Floats],
) -> Option<FloatTransfer> {
    let outcome = match (name, arguments) {
        ("fdim", [x, y]) => fdim(modes, x, y),
        ("nextafter", [x, _]) => step(x),
        ("remainder" | "drem" | "remquo", [x, y]) => {
            remainder::direct(Quotient::Nearest, x, y).into()
        }
        ("fmod", [x, y]) => remainder::direct(Quotient::Truncated, x, y).into(),
        ("sqrt", [x]) => sqrt::direct(modes, x).into(),
        ("fma", [x, y, z]) => fma::direct(modes, x, y, z).into(),
        _ => {
            let result = value(modes, name, arguments)?;
            let finite: Vec<Floats> = arguments.iter().map(Floats::finite_part).collect();
            let usual = if finite.iter().any(Floats::is_empty) {
                Floats::nothing(format)
            } else {
                value(modes, name, &finite)?
            };
            let raised = match with_errors(name) {
                Some(function) => raised(modes, function, arguments, &result, &usual),
                None => Exceptions::NONE,
            };
            FloatTransfer { result, raised }
        }
    };
    Some(outcome)
}

/// The exceptions that the arguments and results allow, as `program`'s `distance` has them.
fn raised(
    modes: Modes,
    function: &Function,
    arguments: &[Floats],
    result: &Floats,
    finite: &Floats,
) -> Exceptions {
    let format = result.format;
    let mut raised = Exceptions::NONE;
    let x = &arguments[0];
    let one = Grid::of(format).one();
    let top = match modes {
        Modes::NEAREST => Grid::of(format).infinity(),
        _ => Grid::of(format).max_finite(),
    };
    raised.add_if(finite.magnitudes().positive.hi >= top, Exception::Overflow);
    let small = finite.magnitudes().positive;
    raised.add_if(
        !small.is_empty() && small.lo <= Grid::of(format).min_normal(),
        Exception::Underflow,
    );
    let nonzero = arguments.iter().all(|a| a.finite_part().has_finite_nonzero());
    let vanishing = function.has(RangeError::Vanishing);
    raised.add_if(vanishing && finite.has_zero() && nonzero, Exception::Underflow);
    raised.add_if(result.nan, Exception::Invalid);
    let pole = match function.domain {
        domains!(WithoutPole) => false,
        domains!(AtZero) => x.has_zero(),
        Domain::AboveMinusOne => x.contains_place(!one),
        Domain::UnitOpen => x.contains_place(one) || x.contains_place(!one),
        Domain::LogGamma => x.has_zero() || x.negative.hi >= one,
        Domain::Power => x.has_zero() && !arguments[1].negative.is_empty(),
    };
    raised.add_if(pole, Exception::DivideByZero);
    raised
}

fn fdim(modes: Modes, x: &Floats, y: &Floats) -> FloatTransfer {
    let order = Order { not_less: true, ..Order::default() };
    let mut difference = FloatTransfer::from(sub::direct(modes, x, y, order));
    difference.result = difference.result.join(&Floats::zero(x.format));
    difference.result.negative = Span::EMPTY;
    difference.result.nan |= x.nan || y.nan;
    difference
}

fn step(x: &Floats) -> FloatTransfer {
    let both = step::direct(true, x).join(&step::direct(false, x)).join(x);
    let mut result = both.with_both_zeros();
    result.nan = true;
    let mut raised = Exceptions::NONE;
    raised.add_if(result.has_infinity(), Exception::Overflow);
    // A zero's neighbour and every subnormal one.
    let small = result.magnitudes().positive;
    raised.add_if(
        !small.is_empty() && small.lo <= Grid::of(x.format).min_normal(),
        Exception::Underflow,
    );
    FloatTransfer { result, raised }
}

/// The results of a function; exceptions are told from them.
fn value(modes: Modes, name: &str, arguments: &[Floats]) -> Option<Floats> {
    let x = arguments.first()?;
    let function = Function::named(name).map_or(name, |function| function.name);
    Some(match (Libm::from_name(function), arguments) {
        (Some(function), [x]) => libm::direct(function, modes, x),
        (Some(function), [x, y]) => libm::direct_binary(function, modes, x, y),
        (Some(_), _) => return None,
        (None, _) => match name {
            "logb" => exponent(x),
            "fabs" => x.magnitudes(),
            "copysign" => sign::copy_sign(x, arguments.get(1)?),
            // The others are not known.
            _ => return None,
        },
    })
}

/// What `logb` gives.
fn exponent(x: &Floats) -> Floats {
    let range = Floats::between_doubles(x.format, -20000.0, 20000.0);
    let mut result = Floats { nan: x.nan, ..range };
    let infinity = x.grid().infinity();
    if x.has_zero() {
        result = result.join(&Floats::between(x.format, !infinity, !infinity));
    }
    if x.has_infinity() {
        result = result.join(&Floats::between(x.format, infinity, infinity));
    }
    result
}
