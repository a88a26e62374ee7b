//! From the program's words to the report's: kinds, places, names of goals, evidence.

use super::standing::Reached;
use super::witness::AS_WRITTEN;
use crate::numbers;
use nanoscope_native::{Death, Event, Number as Seen, RunEnd};
use nanoscope_program::{
    Action, Arithmetic, Exception, Goal, IntegerArithmetic, Location, Program, Scalar, Site, Target,
};
use nanoscope_report::{
    Call, Claim, Declared, Evidence, FORTRAN_CALL, FortranArgument, FortranCall, Kind, Memory,
    Number, Place, Raised, identity,
};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the report calls the build that showed a finding, where it is not the user's own.
pub(crate) const BUILD: &str = "build";

/// The report's word for an exception.
pub(crate) fn kind(exception: Exception) -> Kind {
    match exception {
        Exception::Overflow => Kind::Overflow,
        Exception::Underflow => Kind::Underflow,
        Exception::DivideByZero => Kind::DivideByZero,
        Exception::Invalid => Kind::Invalid,
        Exception::ConversionOutOfRange => Kind::ConversionOutOfRange,
        Exception::IntegerOverflow => Kind::IntegerOverflow,
    }
}

/// Where a site stands.
pub(crate) fn place(site: &Site) -> Place {
    of(&site.location)
}

fn of(location: &Location) -> Place {
    Place { file: location.file.clone(), line: location.line, column: location.column }
}

/// The names of goals: stable, and different for operations that one macro expands to, and
/// for those at the same line and column of two files.
pub(crate) struct Names {
    occurrence: Vec<usize>,
    /// For every goal, whether its file has to be named.
    shared: Vec<bool>,
    sites: std::sync::Arc<Vec<Site>>,
}

impl Names {
    pub fn new(program: &Program) -> Names {
        let mut seen: BTreeMap<_, usize> = BTreeMap::new();
        let occurrence = program
            .goals()
            .iter()
            .map(|goal| {
                let site = &program.sites()[goal.site.0 as usize];
                let times =
                    seen.entry((&site.location, site.action.name(), goal.exception)).or_default();
                *times += 1;
                *times
            })
            .collect();
        let spot = |goal: &Goal| {
            let site = &program.sites()[goal.site.0 as usize];
            let Location { line, column, .. } = &site.location;
            ((*line, *column, site.action.name(), goal.exception), &site.location.file)
        };
        let mut files: BTreeMap<_, BTreeSet<&String>> = BTreeMap::new();
        for (spot, file) in program.goals().iter().map(spot) {
            files.entry(spot).or_default().insert(file);
        }
        let shared = program.goals().iter().map(|goal| files[&spot(goal).0].len() > 1).collect();
        Names { occurrence, shared, sites: std::sync::Arc::clone(program.sites()) }
    }

    pub fn of(&self, function: &str, goal: Goal) -> String {
        let site = &self.sites[goal.site.0 as usize];
        let occurrence = self.occurrence[goal.id.0 as usize];
        let stem = Path::new(&site.location.file).file_stem().map(|stem| stem.to_string_lossy());
        let function = match stem.filter(|_| self.shared[goal.id.0 as usize]) {
            Some(stem) => format!("{function}-{stem}"),
            None => function.to_owned(),
        };
        identity(kind(goal.exception), &function, &place(site), site.action.name(), occurrence)
    }
}

/// What is claimed.
pub(super) fn claim(
    target: &Target,
    site: &Site,
    exception: Exception,
    id: String,
    reached: &Reached,
) -> Claim {
    Claim {
        id,
        kind: kind(exception),
        function: target.function.clone(),
        place: place(site),
        operation: site.action.name().to_owned(),
        inputs: numbers::inputs(target, reached.confirmed.point()),
        engine: reached.engine.to_owned(),
    }
}

/// What the replay showed.
pub(super) fn evidence(
    target: &Target,
    site: &Site,
    sites: &[Site],
    reached: &Reached,
) -> Evidence {
    let confirmed = &reached.confirmed;
    let (event, replay) = (confirmed.event(), confirmed.replay());
    let returned = replay.outcome == RunEnd::Returned;
    let mut more = Map::new();
    if event.times > 1 {
        more.insert("times".into(), Value::from(event.times));
    }
    if let Some(within) = &event.within {
        more.insert("within".into(), Value::from(within.clone()));
    }
    if let Some(call) = call(target) {
        more.insert("call".into(), serde_json::to_value(call).expect("plain data"));
    }
    if let Some(call) = fortran_call(target) {
        more.insert(FORTRAN_CALL.into(), serde_json::to_value(call).expect("plain data"));
    }
    if reached.as_written {
        more.insert(BUILD.into(), Value::from(AS_WRITTEN));
    }
    if !reached.others.is_empty() {
        let inputs = reached.others.iter().map(|point| numbers::inputs(target, point));
        let inputs: Vec<Vec<Number>> = inputs.collect();
        more.insert("other_paths".into(), serde_json::to_value(inputs).expect("plain data"));
    }
    let (operands, computed) = seen_evidence(event, Some(site));
    Evidence {
        operands,
        computed,
        outputs: if returned { numbers::outputs(target, &replay.outputs) } else { Vec::new() },
        inlined_at: site.location.inlined_at.iter().map(of).collect(),
        ended: ended(replay.outcome),
        harm: reached.harm.clone(),
        run: raised(&replay.events, sites),
        more,
    }
}

/// The exceptions of a run that its sites raised, as the report has them.
fn raised(events: &[Event], sites: &[Site]) -> Vec<Raised> {
    let mut run: Vec<Raised> = Vec::new();
    for event in events {
        let Some(site) = event.site.map(|site| &sites[site.0 as usize]) else { continue };
        let raised = Raised {
            kind: kind(event.exception),
            place: place(site),
            operation: site.action.name().to_owned(),
        };
        if run.len() < RAISED && !run.contains(&raised) {
            run.push(raised);
        }
    }
    run
}

/// How many exceptions of a run a finding keeps: enough to see its root.
const RAISED: usize = 16;

/// How C calls a target, where that is not plain from its inputs: numbers for parameters.
fn call(target: &Target) -> Option<Call> {
    let call = target.call.as_ref()?;
    let is_input = |name: &String| target.inputs.iter().any(|input| input.name == *name);
    if !call.is_static && call.parameters.iter().all(|(name, _)| is_input(name)) {
        return None;
    }
    let declared = call.parameters.iter().cloned();
    let memory = call.memory.iter().cloned();
    Some(Call {
        file: target.file.clone(),
        is_static: call.is_static,
        returns: call.returns.clone(),
        parameters: declared.map(|(name, type_name)| Declared { name, type_name }).collect(),
        memory: memory.map(|(name, bytes)| Memory { name, bytes }).collect(),
    })
}

/// How Fortran calls a target.
fn fortran_call(target: &Target) -> Option<FortranCall> {
    let call = target.fortran_call.as_ref()?;
    Some(FortranCall {
        name: call.name.clone(),
        module: call.module.clone(),
        arguments: call
            .arguments
            .iter()
            .map(|argument| FortranArgument {
                name: argument.name.clone(),
                type_name: argument.type_name.clone(),
                extents: argument.extents.clone(),
            })
            .collect(),
        types: call.types.clone(),
    })
}

/// What an operation was seen to be given and to give.
pub(crate) fn seen_evidence(event: &Event, site: Option<&Site>) -> (Vec<Number>, Option<Number>) {
    let (taken, given) = match site.map(|site| site.action) {
        Some(Action::Integer(arithmetic)) => {
            (integer_type(arithmetic, false), integer_type(arithmetic, true))
        }
        Some(_) | None => (None, None),
    };
    let seen = |name: &str, number: Seen, ty: Option<Scalar>| match (number, ty) {
        (Seen::Integer(value), Some(scalar)) => {
            let bits = value as u128 & (u128::MAX >> (128 - scalar.bits()));
            numbers::number(name, numbers::type_name(scalar), scalar, bits)
        }
        (number, _) => numbers::seen(name, number),
    };
    let operands = event.operands.iter().enumerate();
    let operands =
        operands.map(|(i, operand)| seen(&format!("operand {}", i + 1), *operand, taken));
    (operands.collect(), event.result.map(|result| seen("result", result, given)))
}

/// The type that integer arithmetic is done in, or that of its result.
fn integer_type(arithmetic: IntegerArithmetic, of_result: bool) -> Option<Scalar> {
    let bits = match arithmetic.operation {
        Arithmetic::Narrow { to } if of_result => to,
        Arithmetic::Add | Arithmetic::Sub | Arithmetic::Mul | Arithmetic::Narrow { .. } => {
            arithmetic.bits
        }
    };
    Some(Scalar::Integer { bits, signed: arithmetic.reads_signed() })
}

/// How a run ended that did not return.
pub(crate) fn ended(outcome: RunEnd) -> Option<String> {
    match outcome {
        RunEnd::Returned | RunEnd::Left => None,
        RunEnd::Died(Death::Signal(number)) => Some(format!("signal {number}")),
        RunEnd::Died(Death::Exited(status)) => Some(format!("exit({status})")),
        RunEnd::Died(Death::TimedOut) => Some("time limit".into()),
        RunEnd::Died(Death::OutOfMemory) => Some("out of memory".into()),
        RunEnd::Died(Death::Overwrote) => Some("stores far outside its memory".into()),
    }
}
