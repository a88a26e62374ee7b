//! Telling a path: its branches, its conditions and results in normalised form.

use crate::branches;
use crate::inputs::Unknown;
use crate::interpreter::access;
use crate::machine::Machine;
use crate::persistent::List;
use crate::route::Stray;
use crate::state::{State, Waiting};
use crate::trail::{Condition, Decision, Expression, Track, Trail};
use crate::{Ending, Value};
use nanoscope_program::ir::Type;
use nanoscope_program::{Output, Scalar};
use nanoscope_term::{NormalForm, Term};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What came instead, where a path ends before its route does.
pub fn ended_early(ending: &Ending) -> Stray {
    Stray::Place(format!("the path {ending}"))
}

/// A path that ended, as people name it.
pub fn tell(machine: &mut Machine, state: &State, ending: &Ending, outputs: &[Output]) -> Trail {
    let Some(track) = &state.track else { return Trail::default() };
    let outputs = results(machine, state, ending, outputs);
    told(machine, state, track, &state.path.conditions().to_vec(), &outputs)
}

/// A path that no input takes, with the decision at which that shows.
pub fn tell_refuted(machine: &mut Machine, state: &State, waiting: &Waiting) -> Trail {
    let Some(track) = &state.track else { return Trail::default() };
    let mut track = Track::clone(track);
    let mut conditions = state.path.conditions().to_vec();
    conditions.push(waiting.condition);
    let frame = state.frame();
    let heading = waiting
        .heading
        .and_then(|(_, way)| branches::branch(machine, frame.function, frame.block, way));
    if let Some((location, way)) = heading {
        track.decisions.push((location, way, conditions.len()));
    }
    told(machine, state, &track, &conditions, &[])
}

/// A path whose conditions contradict the way that its route goes at the branch it has come to.
pub fn tell_contradicted(machine: &mut Machine, state: &State) -> Trail {
    let Some(track) = &state.track else { return Trail::default() };
    let mut track = Track::clone(track);
    let conditions = state.path.conditions().to_vec();
    let frame = state.frame();
    let end = machine.code.function(frame.function).block(frame.block).end_location;
    let wanted = machine.options.route.as_ref().and_then(|route| route.wanted(track.position));
    if let Some(way) = wanted {
        track.decisions.push((end, way.clone(), conditions.len()));
    }
    told(machine, state, &track, &conditions, &[])
}

fn told(
    machine: &mut Machine,
    state: &State,
    track: &Track,
    conditions: &[Term],
    outputs: &[(String, Term)],
) -> Trail {
    let names = names(machine, &state.inputs);
    let mut form = NormalForm::new();
    for (term, name) in &names {
        form.name(*term, name);
    }
    let decision = |number: usize| track.decisions.iter().position(|(_, _, count)| number < *count);
    let assertions = in_floats(machine, &names, conditions);
    let results: Vec<Term> = outputs.iter().map(|(_, term)| *term).collect();
    let results = in_floats(machine, &names, &results);
    let terms = &machine.terms;
    let written = conditions.iter().enumerate().skip(track.given).map(|(number, condition)| {
        Condition { decision: decision(number), lines: form.condition(terms, *condition) }
    });
    let written = written.collect();
    let expressions = outputs.iter().zip(results).map(|((name, term), result)| Expression {
        name: name.clone(),
        lines: form.result(terms, name, *term),
        term: nanoscope_term::smtlib::term_text(terms, result),
    });
    let expressions = expressions.collect();
    let given = conditions[..track.given].iter();
    let ranges = given.flat_map(|range| form.condition(terms, *range)).collect();
    let decisions = track.decisions.iter().map(|(location, way, _)| Decision {
        location: machine.code.location(*location).clone(),
        way: way.clone(),
    });
    Trail {
        decisions: decisions.collect(),
        conditions: written,
        ranges,
        outputs: expressions,
        on_route: track.on_route,
        script: nanoscope_term::smtlib::script_text(terms, &assertions),
    }
}

/// Terms in which floats are unknowns, not their encodings.
fn in_floats(machine: &mut Machine, names: &[(Term, String)], terms: &[Term]) -> Vec<Term> {
    machine.terms.substitute(terms, |terms, term| {
        let is_float = !terms.args(term).is_empty();
        let (_, name) = names.iter().find(|(named, _)| is_float && *named == term)?;
        let sort = terms.sort(term);
        Some(terms.variable(name, sort))
    })
}

/// The names that people know of inputs: of their encodings, and of the floats that these are.
fn names(machine: &mut Machine, inputs: &List<Rc<Unknown>>) -> Vec<(Term, String)> {
    let mut names = Vec::new();
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for input in inputs.iter() {
        let count = times.entry(&input.name).or_default();
        *count += 1;
        let name = match count {
            1 => input.name.clone(),
            count => format!("{}#{count}", input.name),
        };
        let many = input.pieces.len() > 1;
        for (number, (_, term)) in input.pieces.iter().enumerate() {
            let name = if many { format!("{name}[{number}]") } else { name.clone() };
            names.push((*term, name.clone()));
            if let Some(Scalar::Float(format)) = input.scalar
                && !format.explicit_integer_bit
            {
                let float = machine.terms.from_bits(format, *term);
                names.push((float, name));
            }
        }
    }
    names
}

/// What a path gives back.
fn results(
    machine: &mut Machine,
    state: &State,
    ending: &Ending,
    outputs: &[Output],
) -> Vec<(String, Term)> {
    let mut list = Vec::new();
    let mut state = state.clone();
    match ending {
        Ending::Returned(_) if !outputs.is_empty() => {
            let Some(Value::Small(vector)) = machine.entry.1.get(1).cloned() else { return list };
            for output in outputs {
                let place = Value::Small(vector + 8 * output.word as u64);
                let ty = match output.scalar {
                    Scalar::Float(format) => Type::Float(format),
                    Scalar::Integer { bits, .. } => Type::Integer(bits),
                };
                let Ok(value) = access::load(machine, &mut state, &place, &ty) else { continue };
                if value == Value::Undefined {
                    continue;
                }
                let mut compute = machine.compute(&mut state);
                let term = match output.scalar {
                    Scalar::Float(format) => compute.float_term(&value, format),
                    Scalar::Integer { bits: 1, .. } => compute.truth_term(&value),
                    Scalar::Integer { bits, .. } => compute.integer_term(&value, bits),
                };
                list.push((output.name.clone(), term));
            }
        }
        Ending::Returned(_) | Ending::Exited(_) => {
            let value = state.exit.0.clone();
            let term = machine.compute(&mut state).integer_term(&value, 32);
            list.push(("exit status".to_owned(), term));
        }
        // Other endings have no results.
        _ => {}
    }
    list
}
