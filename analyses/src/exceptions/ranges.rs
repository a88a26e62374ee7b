//! Ranges: abstract interpretation settles as impossible what no admitted input can do.

use super::case::Case;
use super::standing::Impossible;
use nanoscope_budget::Budget;
use nanoscope_native::processor_time;
use nanoscope_ranges::{Options, Start, Whole, analyse};
use nanoscope_report::Proof;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What it is called in reports.
const ENGINE: &str = "ranges";

/// How many times as long a busy machine may take for what processor time there is.
const PATIENCE: u32 = 4;

/// The most parts that an input space is cut into.
const PARTS: usize = 2000;

/// Rules out what cannot happen among the goals that nobody has settled. The first look is at
/// the whole of the input space; the next, at parts of it where something is open.
pub(super) fn rule_out(case: &Case, budget: &Budget, known: Option<Whole>) -> Option<Whole> {
    let code = case.lowered.for_ranges(case.target, case.goals).ok()?;
    let unsettled = case.standing().unsettled(case.target);
    let place = |goal| {
        let goal = case.goal(goal);
        (goal.site, goal.exception)
    };
    // A function's own time is processor time. With a number of evaluations the report must not
    // depend on any clock.
    let counts = case.options.evaluations.is_some();
    let own = case.options.function_time.is_some() && !counts;
    let time = budget.remaining().filter(|_| own);
    let parts = match &known {
        None => 1,
        Some(_) if counts => Options::default().parts,
        Some(_) => PARTS,
    };
    let options = Options {
        deadline: time.map(|time| Instant::now() + PATIENCE * time).or(budget.deadline),
        processor: time.map(|time| (time, processor_time as fn() -> Duration)),
        wanted: Some(unsettled.iter().map(|&goal| place(goal)).collect()),
        parts,
        known,
        ..Options::default()
    };
    let found = analyse(&code, Start::Target(case.target), &options);
    let assumed = case.contract.assumptions().map(str::to_owned);
    let assumptions: Vec<String> = found.assumptions.iter().cloned().chain(assumed).collect();
    let proof = Arc::new(Proof { engine: ENGINE.to_owned(), assumptions });
    let mut standing = case.standing();
    standing.unranged = found.stopped.or(standing.unranged.take());
    for goal in unsettled {
        if let Some(why) = found.impossible.get(&place(goal)) {
            let impossible = Impossible { why: why.clone().into(), proof: Arc::clone(&proof) };
            standing.open.remove(&goal);
            standing.impossible.insert(goal, impossible);
        }
    }
    found.whole
}
