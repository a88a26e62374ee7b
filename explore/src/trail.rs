//! Trails: which way a path went at every branch of the user's code, under which conditions, and
//! what it computed.

use crate::inputs::Unknown;
use crate::interpreter::{Effect, access};
use crate::machine::Machine;
use crate::route::{Stray, Way};
use crate::state::{State, Waiting};
use crate::{Ending, Value};
use nanoscope_program::ir::{BlockId, Code, Constant, End, FunctionId, LocationId, Type};
use nanoscope_program::{Location, Output, Scalar};
use nanoscope_term::{NormalForm, Term};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A branch, and the way that a path went there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Where the branch stands.
    pub location: Location,
    /// The way.
    pub way: Way,
}

/// What holds on a path, in normalised form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The decision that it belongs to, by number; none for ranges of inputs, and for what was
    /// assumed after the last decision.
    pub decision: Option<usize>,
    /// Definitions of temporaries, and at last the relation.
    pub lines: Vec<String>,
}

/// What a path gives back, in normalised form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// What it is: `return`, `exit status`, `result->val`.
    pub name: String,
    /// Definitions of temporaries, and at last the result.
    pub lines: Vec<String>,
}

/// A path as people name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// The branches that it came by, in order.
    pub decisions: Vec<Decision>,
    /// What holds on it, in order.
    pub conditions: Vec<Condition>,
    /// What it gives back.
    pub outputs: Vec<Expression>,
    /// How many of the decisions and of the conditions belong to the route that was asked for.
    pub on_route: Option<(usize, usize)>,
    /// The conditions, and the outputs by their names, as an SMT-LIB script.
    pub script: String,
}

/// A state's record of its decisions.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// Branches with their ways, and how many conditions the path then had.
    decisions: Vec<(LocationId, Way, usize)>,
    /// Conditions before the first instruction.
    given: usize,
    /// Entries of the route that are behind it.
    pub position: usize,
    /// Decisions and conditions when the route was done.
    pub on_route: Option<(usize, usize)>,
}

impl Track {
    /// The record of a path that begins with so many conditions.
    pub fn new(given: usize) -> Track {
        Track { given, ..Track::default() }
    }
}

/// Where branches stand in the code of a program that people wrote: each with its ways.
pub fn branches(code: &Code) -> Vec<(Location, Vec<Way>)> {
    let mut list = Vec::new();
    for function in code.functions.iter() {
        for block in &function.blocks {
            let location = code.location(block.end_location);
            let ways = ways(code, &block.end);
            if location.line != 0 && ways.len() > 1 {
                list.push((location.clone(), ways));
            }
        }
    }
    list
}

/// The ways of a block's end, in the order of their numbers.
fn ways(code: &Code, end: &End) -> Vec<Way> {
    match end {
        End::Branch { .. } => vec![Way::True, Way::False],
        End::Switch { cases, .. } => {
            let case = |id| match &code.constant(id).1 {
                Constant::Integer(word) => {
                    let shift = 128 - word.width().min(128);
                    ((word.to_u128().unwrap_or(0) << shift) as i128) >> shift
                }
                Constant::Zero(_)
                | Constant::Float(..)
                | Constant::Address { .. }
                | Constant::Undefined(_)
                | Constant::Poison(_)
                | Constant::Parts(..)
                | Constant::Bytes(_) => 0,
            };
            let cases = cases.iter().map(|(constant, _)| Way::Case(case(*constant)));
            cases.chain([Way::Default]).collect()
        }
        End::Computed { edges, .. } => {
            (0..edges.len()).map(|number| Way::Case(number as i128)).collect()
        }
        End::Return(_) | End::Jump(_) | End::Unreachable | End::Unknown(_) => Vec::new(),
    }
}

/// The branch at the end of a block and one of its ways, where it is one of the user's.
fn branch(
    machine: &Machine,
    function: FunctionId,
    block: BlockId,
    way: u32,
) -> Option<(LocationId, Way)> {
    let code = machine.code;
    let block = code.function(function).block(block);
    let location = code.location(block.end_location);
    if location.line == 0 || machine.is_ours(&location.file) {
        return None;
    }
    let way = ways(code, &block.end).into_iter().nth(way as usize)?;
    Some((block.end_location, way))
}

/// How a state leaves its route by going some way at the branch that it has come to, and before
/// which entry; none where it does not.
pub fn leaves(machine: &Machine, state: &State, way: u32) -> Option<(Stray, usize)> {
    let (track, route) = (state.track.as_ref()?, machine.options.route.as_ref()?);
    let frame = state.frame();
    let (location, way) = branch(machine, frame.function, frame.block, way)?;
    let stray = route.at_branch(track.position, machine.code.location(location), &way).err()?;
    Some((stray, track.position))
}

/// Notes the way that a state goes at the end of its block; an effect where it leaves its route.
pub fn decide(machine: &mut Machine, state: &mut State, way: u32) -> Option<Effect> {
    let frame = state.frame();
    let (location, way) = branch(machine, frame.function, frame.block, way)?;
    let conditions = state.path.conditions().len();
    let track = Rc::make_mut(state.track.as_mut()?);
    let before = track.decisions.last().map_or(track.given, |(_, _, conditions)| *conditions);
    // The path itself knows the way: others that the program's text has cannot be gone.
    machine.pruned |= conditions == before;
    if let Some(route) = &machine.options.route {
        match route.at_branch(track.position, machine.code.location(location), &way) {
            Ok(position) => track.position = position,
            Err(stray) => return Some(Effect::Leave(stray, track.position)),
        }
    }
    track.decisions.push((location, way, conditions));
    finish(machine, track, conditions);
    None
}

/// Notes the line that a state has come to; an effect where it leaves its route.
pub fn arrive(machine: &Machine, state: &mut State, at: LocationId) -> Option<Effect> {
    let route = machine.options.route.as_ref()?;
    let location = machine.code.location(at);
    let line = location.line;
    if line == 0 || state.frame().line == line || machine.is_ours(&location.file) {
        return None;
    }
    state.frame_mut().line = line;
    let conditions = state.path.conditions().len();
    let track = Rc::make_mut(state.track.as_mut()?);
    match route.at_line(track.position, location) {
        Ok(position) => track.position = position,
        Err(stray) => return Some(Effect::Leave(stray, track.position)),
    }
    finish(machine, track, conditions);
    None
}

fn finish(machine: &Machine, track: &mut Track, conditions: usize) {
    let whole = machine.options.route.as_ref().is_some_and(|route| track.position == route.len());
    if whole && track.on_route.is_none() {
        track.on_route = Some((track.decisions.len(), conditions));
    }
}

/// What came instead, where a path ends before its route does.
pub fn ended_early(ending: &Ending) -> Stray {
    Stray::Place(format!("the path {ending}"))
}

/// A path that ended, as people name it.
pub fn tell(machine: &mut Machine, state: &State, ending: &Ending, outputs: &[Output]) -> Trail {
    let Some(track) = &state.track else { return Trail::default() };
    let outputs = results(machine, state, ending, outputs);
    told(machine, state, track, state.path.conditions(), &outputs)
}

/// A path that no input takes, with the decision at which that shows.
pub fn tell_refuted(machine: &mut Machine, state: &State, waiting: &Waiting) -> Trail {
    let Some(track) = &state.track else { return Trail::default() };
    let mut track = Track::clone(track);
    let mut conditions = state.path.conditions().to_vec();
    conditions.push(waiting.condition);
    let frame = state.frame();
    let heading =
        waiting.heading.and_then(|(_, way)| branch(machine, frame.function, frame.block, way));
    if let Some((location, way)) = heading {
        track.decisions.push((location, way, conditions.len()));
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
    let decision = |number: usize| match number < track.given {
        true => None,
        false => track.decisions.iter().position(|(_, _, count)| number < *count),
    };
    let terms = &machine.terms;
    let written = conditions.iter().enumerate().map(|(number, condition)| Condition {
        decision: decision(number),
        lines: form.condition(terms, *condition),
    });
    let written = written.collect();
    let expressions = outputs.iter().map(|(name, term)| Expression {
        name: name.clone(),
        lines: form.result(terms, name, *term),
    });
    let expressions = expressions.collect();
    let decisions = track.decisions.iter().map(|(location, way, _)| Decision {
        location: machine.code.location(*location).clone(),
        way: way.clone(),
    });
    Trail {
        decisions: decisions.collect(),
        conditions: written,
        outputs: expressions,
        on_route: track.on_route,
        script: script(machine, &names, conditions, outputs),
    }
}

/// Conditions and outputs as a script in which floats are unknowns, not their encodings.
fn script(
    machine: &mut Machine,
    names: &[(Term, String)],
    conditions: &[Term],
    outputs: &[(String, Term)],
) -> String {
    let terms = &mut machine.terms;
    let mut assertions = conditions.to_vec();
    for (name, term) in outputs {
        let sort = terms.sort(*term);
        let output = terms.variable(name, sort);
        assertions.push(terms.equal(output, *term));
    }
    let assertions = terms.substitute(&assertions, |terms, term| {
        let is_float = !terms.args(term).is_empty();
        let (_, name) = names.iter().find(|(named, _)| is_float && *named == term)?;
        let sort = terms.sort(term);
        Some(terms.variable(name, sort))
    });
    nanoscope_term::smtlib::script_text(terms, &assertions)
}

/// The names that people know of inputs: of their encodings, and of the floats that these are.
fn names(machine: &mut Machine, inputs: &[Rc<Unknown>]) -> Vec<(Term, String)> {
    let mut names = Vec::new();
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for input in inputs {
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
        Ending::Silent
        | Ending::AssertionFailure(_)
        | Ending::ErrorCall(_)
        | Ending::Abort
        | Ending::InvalidDeref(_)
        | Ending::InvalidFree(_)
        | Ending::IntegerDivisionByZero
        | Ending::Overshift
        | Ending::Unreachable
        | Ending::Trap
        | Ending::BadCall(_)
        | Ending::StackOverflow
        | Ending::Stopped(_) => {}
    }
    list
}
