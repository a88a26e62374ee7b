//! Ranges: abstract interpretation proves what no number of paths would: loops without end
//! among others.

use super::goals::{self, Key, Site};
use nanoscope_native::processor_time;
use nanoscope_program::Target;
use nanoscope_program::ir::{Act, BlockId, Callee, Code, FunctionId, Instruction};
use nanoscope_ranges::{Findings, Options, Start, analyse};
use nanoscope_report::Proof;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What it is called in reports.
const ENGINE: &str = "ranges";

/// How many times as long a busy machine may take for what processor time there is.
const PATIENCE: u32 = 4;

/// What was proved.
#[derive(Debug, Default)]
pub(super) struct Proved {
    /// The questions that are answered "never".
    pub never: BTreeMap<Key, Proof>,
    /// Whether nothing can go wrong anywhere: every question is answered, and no access leaves
    /// its object, no integer is divided by zero, no shift is too far.
    pub everything: bool,
    /// The loops whose variables are not bounded, and why.
    pub unbounded: Vec<String>,
}

/// Asks which of the sites control can never come to. It may take so much processor time, and
/// ends at the deadline at the latest.
pub(super) fn prove(
    code: &Code,
    target: Option<&Target>,
    sites: &[Site],
    time: Duration,
    deadline: Instant,
) -> Proved {
    let start = match (target, code.named("main").or_else(|| code.named("_QQmain"))) {
        (Some(target), _) => Start::Target(target),
        (None, Some(main)) => Start::Program(main),
        (None, None) => return Proved::default(),
    };
    // Failures matter here, not exceptions: nothing to cut the input space for.
    let options = Options {
        deadline: Some(deadline.min(Instant::now() + PATIENCE * time)),
        processor: Some((time, processor_time)),
        wanted: target.is_none().then(Default::default),
        ..Options::default()
    };
    let found = analyse(code, start, &options);
    if found.stopped.is_some() {
        return Proved::default();
    }
    let mut reachable: BTreeMap<Key, bool> = BTreeMap::new();
    for failure in &found.failures {
        if let Some(key) = goals::key(code, &failure.callee, failure.location) {
            *reachable.entry(key).or_default() |= failure.may_be_reached;
        }
    }
    let proof = Proof { engine: ENGINE.to_owned(), assumptions: found.assumptions.clone() };
    let never: BTreeMap<Key, Proof> = sites
        .iter()
        .map(Site::key)
        .filter(|key| reachable.get(key) == Some(&false))
        .map(|key| (key, proof.clone()))
        .collect();
    let everything = never.len() == sites.len()
        && found.accesses_stay_inside
        && nothing_else_can_go_wrong(code, &found);
    Proved { never, everything, unbounded: unbounded(code, &found) }
}

/// The loops that were not bounded: where they stand, and why.
fn unbounded(code: &Code, found: &Findings) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for unbounded in &found.unbounded {
        let location = code.location(unbounded.location);
        let text = format!("the loop at line {} is not bounded: {}", location.line, unbounded.why);
        if location.line > 0 && !list.contains(&text) {
            list.push(text);
        }
    }
    list
}

/// Whether nothing can go wrong beside accesses and calls of error functions in the code that
/// control comes to.
fn nothing_else_can_go_wrong(code: &Code, found: &Findings) -> bool {
    found.integers_are_defined
        && code.functions.iter().enumerate().all(|(number, function)| {
            let id = FunctionId(number as u32);
            function.blocks.iter().enumerate().all(|(at, block)| {
                found.unreachable.contains(&(id, BlockId(at as u32)))
                    || block.instructions.iter().all(|instruction| is_harmless(code, instruction))
            })
        })
}

/// Whether an instruction does nothing that ranges do not judge.
fn is_harmless(code: &Code, instruction: &Instruction) -> bool {
    match &instruction.act {
        Act::Call { callee: Callee::Function(callee), .. } => {
            let name = code.function(*callee).name.as_str();
            !matches!(name, "free" | "realloc" | "_ZdlPv" | "_ZdaPv")
        }
        Act::Call { callee: Callee::Address(_), .. } | Act::Unknown { .. } => false,
        // All others only compute, or access memory.
        _ => true,
    }
}
