//! Loops without an end: a bound on the error after any number of trips.
//!
//! The state of a loop is a list of inputs of a graph that computes the next state. A box of states
//! and a list of errors that one trip (or a few at once) leads back into themselves hold for ever:
//! they are looked for by iteration with widening. Stable filters and controllers have such a box,
//! because old errors die out faster than new ones are made.

use crate::graph::tape::Tape;
use crate::graph::{Graph, InputError, NodeId};
use crate::interval::Interval;
use crate::prove::local::Local;
use nanoscope_ieee::Rational;
use nanoscope_search::Budget;

/// A loop: states, how they begin, and what some trips in a row make of them.
#[derive(Clone, Debug)]
pub struct Recurrence {
    /// The computation of first states, trips and results.
    pub graph: Graph,
    /// The states, as places of inputs of the graph, with the nodes of their first values.
    pub states: Vec<(usize, NodeId)>,
    /// The states after as many trips as are taken at once.
    pub next: Vec<NodeId>,
    /// The results after 0, 1, ... of these trips.
    pub results: Vec<Vec<NodeId>>,
}

/// Rounds of iteration before it is given up.
const ROUNDS: usize = 400;
/// The most inputs and states that are followed.
const SIDES: usize = 16;

/// Bounds the absolute error of each result after any number of trips; none where no invariant was
/// found.
pub fn invariant_errors(recurrence: &Recurrence, budget: &Budget) -> Option<Vec<f64>> {
    if recurrence.graph.inputs().len() > SIDES {
        return None;
    }
    let mut graph = recurrence.graph.clone();
    let firsts: Vec<NodeId> = recurrence.states.iter().map(|&(_, first)| first).collect();
    let mut ranges = Vec::new();
    let mut errors = Vec::new();
    for (range, error) in look(&graph, &firsts)? {
        ranges.push(range);
        errors.push(error);
    }
    for round in 0..ROUNDS {
        if budget.exhausted() {
            return None;
        }
        assign(&mut graph, recurrence, &ranges, &errors);
        let mut stable = true;
        let widen = if round < 4 { 0.0 } else { 0.01 };
        for (state, (range, error)) in look(&graph, &recurrence.next)?.into_iter().enumerate() {
            let known = ranges[state];
            if range.lo < known.lo || range.hi > known.hi || error > errors[state] {
                stable = false;
                let wider = known.hull(range);
                let spare = widen * wider.magnitude();
                ranges[state] = wider.widened(spare);
                errors[state] = errors[state].max(error) * (1.0 + widen);
            }
        }
        if stable {
            let results: Vec<NodeId> = recurrence.results.iter().flatten().copied().collect();
            let found = look(&graph, &results)?;
            let count = recurrence.results.first().map_or(0, Vec::len);
            return Some(
                (0..count)
                    .map(|output| {
                        let after = found.iter().skip(output).step_by(count);
                        after.map(|&(_, error)| error).fold(0.0, f64::max)
                    })
                    .collect(),
            );
        }
        if ranges.iter().any(|range| range.magnitude() > 1e100) {
            return None;
        }
    }
    None
}

/// Gives the states their ranges and errors.
fn assign(graph: &mut Graph, recurrence: &Recurrence, ranges: &[Interval], errors: &[f64]) {
    for (&(input, _), (range, &error)) in recurrence.states.iter().zip(ranges.iter().zip(errors)) {
        let input = &mut graph.inputs_mut()[input];
        input.low = Rational::from_float(range.lo);
        input.high = Rational::from_float(range.hi);
        input.error = InputError::Absolute(error);
    }
}

/// The real ranges and the errors of some nodes over all inputs; none where one has no bound.
fn look(graph: &Graph, nodes: &[NodeId]) -> Option<Vec<(Interval, f64)>> {
    let tape = Tape::new(graph, nodes.iter().copied());
    let mut local = Local::<SIDES>::new(&tape);
    local.forward(&tape.whole_box(), &[]);
    nodes
        .iter()
        .map(|&node| {
            let place = tape.place(node);
            if local.trouble(place).is_some() {
                return None;
            }
            let error = local.absolute(place, |_, _| {}).bound;
            let facts = local.facts(place);
            let real = facts.real.narrowed(facts.range);
            (error.is_finite() && real.is_finite()).then_some((real, error))
        })
        .collect()
}
