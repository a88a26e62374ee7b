//! Relative errors of sums, by scaling.
//!
//! Sums, differences, absolute values, the lesser and the greater, and choices by comparisons of
//! such, commute with multiplication by a power of two, in reals and in floats: a sum that becomes
//! subnormal is exact. So the relative error at any point of a box around 0 is that of a point
//! scaled up until it leaves the box with the next doubling, and there some input is at least half
//! as large as it can be. That keeps the result away from 0 where it does not cancel, however small
//! the inputs are.

use crate::graph::tape::{Action, Step, Tape};
use crate::graph::{Comparison, Graph, InputError, NodeId, Operation, Piece};
use crate::interval::Interval;
use crate::prove::facts::SPARE;
use crate::prove::local::Local;
use nanoscope_search::Budget;

/// Steps times inputs of a computation, at most.
const WORK: usize = 20_000_000;

/// Bounds the relative error of an output whose ways are told apart by integers only. None: it is
/// no sum, or nothing is found.
pub fn relative(graph: &Graph, pieces: &[Piece], output: usize, budget: &Budget) -> Option<f64> {
    let whole = |node: NodeId| {
        let inputs = graph.cone([node]);
        inputs.into_iter().all(|id| match graph.node(id).operation {
            Operation::Input(input) => graph.inputs()[input as usize].integer,
            Operation::Choose(..) => false,
            // Any other operation on integers is exact where it does not round to a format.
            _ => graph.node(id).precision.format().is_none(),
        })
    };
    let exact = |by: &Comparison| whole(by.left) && whole(by.right);
    if !graph.assumptions().is_empty() || !pieces.iter().all(|way| way.conditions.iter().all(exact))
    {
        return None;
    }
    let mut worst = 0.0f64;
    for piece in pieces {
        if budget.exhausted() {
            return None;
        }
        worst = worst.max(of_sum(&Tape::new(graph, [piece.outputs[output]]), budget)?);
    }
    Some(worst)
}

fn of_sum(tape: &Tape, budget: &Budget) -> Option<f64> {
    if tape.steps.len().saturating_mul(tape.inputs.len()) > WORK || !is_homogeneous(tape) {
        return None;
    }
    let place = tape.steps.len() - 1;
    let whole = tape.whole_box();
    let mut local = Local::<0>::widely(tape);
    if !local.forward(&whole, &[]) || local.trouble(place).is_some() {
        return None;
    }
    let error = local.absolute(place, |_, _| {}).bound;
    if tape.inputs.is_empty() {
        return Some(local.relative(place, error)).filter(|bound| bound.is_finite());
    }
    let mut least = f64::INFINITY;
    for (side, &Interval { lo, hi }) in whole.iter().enumerate() {
        let halves = [Interval { lo: 0.5 * hi, hi }, Interval { lo, hi: 0.5 * lo }];
        for half in halves.into_iter().filter(|half| half.magnitude() > 0.0) {
            if budget.exhausted() {
                return None;
            }
            let mut part = whole.clone();
            part[side] = half;
            if local.forward(&part, &[]) {
                least = least.min(local.facts(place).real.mignitude());
            }
        }
    }
    let bound = error / least * SPARE;
    (least > 0.0 && least.is_finite() && bound.is_finite()).then_some(bound)
}

/// Whether a computation commutes with multiplication by powers of two that make nothing smaller.
fn is_homogeneous(tape: &Tape) -> bool {
    let inputs = tape.inputs.iter().all(|input| {
        let around_zero = input.range.contains(0.0) && input.range.is_finite();
        around_zero && !input.integer && input.error == InputError::None
    });
    let Some(grid) = tape.steps.last().and_then(|step| step.grid) else { return false };
    let zero = |id: NodeId| match tape.steps[id.index()].action {
        Action::Constant(constant) => constant.real == Interval::ZERO,
        Action::Input(_) | Action::Operation(_) => false,
    };
    let scales = |step: &Step| match step.action {
        Action::Input(_) => true,
        // Constants stand in products and comparisons, which look at them.
        Action::Constant(_) => true,
        Action::Operation(operation) => {
            let constant = |id: NodeId| match tape.steps[id.index()].action {
                Action::Constant(constant) => Some(constant),
                Action::Input(_) | Action::Operation(_) => None,
            };
            let plain = |id: NodeId| constant(id).is_none() || zero(id);
            let grows = |id: NodeId| {
                constant(id).is_some_and(|c| c.power_of_two && c.float.mignitude() >= 1.0)
            };
            match operation {
                Operation::Add(a, b)
                | Operation::Sub(a, b)
                | Operation::Min(a, b)
                | Operation::Max(a, b) => plain(a) && plain(b),
                Operation::Neg(a) | Operation::Abs(a) | Operation::Convert(a) => plain(a),
                Operation::Mul(a, b) => plain(a) && grows(b) || grows(a) && plain(b),
                Operation::Choose(by, a, b) => {
                    plain(a) && plain(b) && plain(by.left) && plain(by.right)
                }
                Operation::Input(_)
                | Operation::Constant(_)
                | Operation::Div(..)
                | Operation::Fma(..)
                | Operation::Sqrt(_)
                | Operation::Integral(..)
                | Operation::Unary(..)
                | Operation::Binary(..)
                | Operation::Argument(_)
                | Operation::Call(_) => false,
            }
        }
    };
    inputs
        && tape.steps.iter().all(|step| {
            let constant = matches!(step.action, Action::Constant(_));
            step.model.is_none() && (constant || step.grid == Some(grid)) && scales(step)
        })
}
