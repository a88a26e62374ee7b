//! Calls of functions that a graph holds once, however often they are called.
//!
//! A call is an operation like those of the mathematical library: on a box of arguments it has
//! values, slopes and an error that is made inside, its [`Summary`]. The value at the middle of the
//! arguments is computed for every call: values stay narrow where summaries are coarse.

use crate::graph::Call;
use crate::interval::{Interval, add_up};
use crate::prove::facts::{Facts, Inside, SPARE, Trouble, condition};
use crate::prove::form::Form;
use crate::rounding::Slip;
use std::rc::Rc;

/// What is known of a function's results on a box of arguments.
#[derive(Clone, Debug)]
pub struct Summary {
    /// By result.
    pub outputs: Vec<Result<Outcome, Trouble>>,
}

/// What is known of one result.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The real values.
    pub real: Interval,
    /// The float values.
    pub float: Interval,
    /// The derivatives by the parameters; none where they have no bounds.
    pub slopes: Option<Rc<[Interval]>>,
    /// The error that is made inside.
    pub inside: Inside,
}

/// Summarises calls of one function.
pub trait Summarise {
    /// Forgets all summaries: another pass begins.
    fn begin(&mut self);
    /// What is known on a box of arguments, or on one around it.
    fn summary(&mut self, sides: &[Interval]) -> Rc<Summary>;
    /// Encloses a real result at a point.
    fn at(&mut self, point: &[f64], output: usize) -> Result<Interval, Trouble>;
}

/// The exact result of a call, not yet rounded, with the error that is made inside.
pub struct Called<const N: usize> {
    pub facts: Facts<N>,
    pub inside: Inside,
    /// The derivatives by the arguments; none where the error is taken as a whole.
    pub slopes: Option<Rc<[Interval]>>,
}

/// What a call makes of its arguments. Troubles are those of the function's own nodes.
pub fn called<const N: usize>(
    summariser: &mut dyn Summarise,
    call: Call,
    facts: &[Facts<N>],
) -> Result<Called<N>, Trouble> {
    let arguments: Vec<&Facts<N>> = call.arguments().map(|id| &facts[id.index()]).collect();
    let point: Vec<f64> = arguments.iter().map(|x| x.form.center).collect();
    let sides: Vec<Interval> = arguments
        .iter()
        .zip(&point)
        .map(|(x, &center)| x.range.hull(x.real).hull(x.float).hull(Interval::point(center)))
        .collect();
    let output = call.output as usize;
    let summary = summariser.summary(&sides);
    let outcome = summary.outputs[output].as_ref().map_err(|trouble| *trouble)?;
    let inside = outcome.inside;
    let Some(slopes) = &outcome.slopes else {
        return Ok(Called { facts: as_a_whole(outcome), inside, slopes: None });
    };
    let center = summariser.at(&point, output)?;
    // The mean value theorem about the middle of the arguments.
    let mut form = Form::interval(center);
    let (mut real, mut float) = (center, center);
    let (mut error, mut drift) = (0.0f64, 0.0f64);
    for ((argument, &slope), &x) in arguments.iter().zip(slopes.iter()).zip(&point) {
        form = form + argument.form.sloped(Interval::ZERO, slope);
        let away = |side: Interval| (side - Interval::point(x)) * slope;
        real = real + away(argument.real);
        float = float + away(argument.float);
        let carried = |by: f64| if by == 0.0 { 0.0 } else { by * slope.magnitude() * SPARE };
        error = add_up(error, carried(argument.error));
        drift = add_up(drift, carried(argument.drift));
    }
    let real = real.narrowed(outcome.real);
    let (relative, floor) = condition(error, real);
    let facts = Facts {
        form,
        range: form.range().narrowed(outcome.real),
        real,
        float: float.narrowed(outcome.real),
        slip: Slip::NONE,
        error,
        drift,
        relative,
        floor,
        cut: false,
        ..Facts::UNKNOWN
    };
    Ok(Called { facts, inside, slopes: Some(Rc::clone(slopes)) })
}

/// A call whose slopes have no bounds: its error is how far its values are apart.
fn as_a_whole<const N: usize>(outcome: &Outcome) -> Facts<N> {
    let range = outcome.real.hull(outcome.float);
    let error = (outcome.float - outcome.real).magnitude();
    let (relative, floor) = condition(error, outcome.real);
    Facts {
        form: Form::interval(range),
        range,
        real: outcome.real,
        float: outcome.float,
        slip: Slip { mid: 0.0, rad: error },
        error,
        drift: error,
        relative,
        floor,
        cut: true,
        ..Facts::UNKNOWN
    }
}
