//! From the program's words to the report's: kinds, places, names of goals, evidence.

use super::standing::Reached;
use crate::numbers;
use nanoscope_native::{Death, Event, Outcome};
use nanoscope_program::{Exception, Goal, Location, Program, Site, Target};
use nanoscope_report::{Claim, Evidence, Kind, Number, Place, identity};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The report's word for an exception.
pub(crate) fn kind(exception: Exception) -> Kind {
    match exception {
        Exception::Overflow => Kind::Overflow,
        Exception::Underflow => Kind::Underflow,
        Exception::DivideByZero => Kind::DivideByZero,
        Exception::Invalid => Kind::Invalid,
        Exception::ConversionOutOfRange => Kind::ConversionOutOfRange,
    }
}

/// Where a site stands.
pub(crate) fn place(site: &Site) -> Place {
    of(&site.location)
}

fn of(location: &Location) -> Place {
    Place { file: location.file.clone(), line: location.line, column: location.column }
}

/// The names of goals: stable, and different for operations that one macro expands to.
pub(crate) struct Names {
    occurrence: Vec<usize>,
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
        Names { occurrence, sites: std::sync::Arc::clone(program.sites()) }
    }

    pub fn of(&self, function: &str, goal: Goal) -> String {
        let site = &self.sites[goal.site.0 as usize];
        let occurrence = self.occurrence[goal.id.0 as usize];
        identity(kind(goal.exception), function, &place(site), site.action.name(), occurrence)
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
pub(super) fn evidence(target: &Target, site: &Site, reached: &Reached) -> Evidence {
    let confirmed = &reached.confirmed;
    let (event, replay) = (confirmed.event(), confirmed.replay());
    let returned = replay.outcome == Outcome::Returned;
    let mut more = Map::new();
    if event.times > 1 {
        more.insert("times".into(), Value::from(event.times));
    }
    if let Some(within) = &event.within {
        more.insert("within".into(), Value::from(within.clone()));
    }
    let (operands, computed) = seen_evidence(event);
    Evidence {
        operands,
        computed,
        outputs: if returned { numbers::outputs(target, &replay.outputs) } else { Vec::new() },
        inlined_at: site.location.inlined_at.iter().map(of).collect(),
        ended: ended(replay.outcome),
        harm: reached.harm.clone(),
        more,
    }
}

/// What an operation was seen to be given and to give.
pub(crate) fn seen_evidence(event: &Event) -> (Vec<Number>, Option<Number>) {
    let operands = event.operands.iter().enumerate();
    let operands =
        operands.map(|(i, operand)| numbers::seen(&format!("operand {}", i + 1), *operand));
    (operands.collect(), event.result.map(|result| numbers::seen("result", result)))
}

/// How a run ended that did not return.
pub(crate) fn ended(outcome: Outcome) -> Option<String> {
    match outcome {
        Outcome::Returned => None,
        Outcome::Died(Death::Signal(number)) => Some(format!("signal {number}")),
        Outcome::Died(Death::Exited(status)) => Some(format!("exit({status})")),
        Outcome::Died(Death::TimedOut) => Some("time limit".into()),
        Outcome::Died(Death::OutOfMemory) => Some("out of memory".into()),
    }
}
