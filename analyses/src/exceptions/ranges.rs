//! Ranges: abstract interpretation settles as impossible what no admitted input can do.

use super::settle::Case;
use super::standing::Impossible;
use nanoscope_ranges::{Options, Start, analyse};
use nanoscope_report::Proof;
use nanoscope_search::Budget;
use std::time::{Duration, Instant};

/// What it is called in reports.
const ENGINE: &str = "ranges";

/// The longest it may take, and its share of the time there is.
const LONGEST: Duration = Duration::from_secs(2);
const SHARE: f64 = 0.1;

/// Rules out what cannot happen among the goals that nobody has settled.
pub(super) fn rule_out(case: &Case, budget: &Budget) {
    let Ok(code) = case.code else { return };
    let unsettled = case.standing().unsettled(case.target);
    let place = |goal| {
        let goal = case.goal(goal);
        (goal.site, goal.exception)
    };
    let time = budget.remaining().map_or(LONGEST, |left| left.mul_f64(SHARE).min(LONGEST));
    let options = Options {
        // With a number of evaluations the report must not depend on the clock.
        deadline: match case.options.evaluations {
            Some(_) => budget.deadline,
            None => Some(Instant::now() + time),
        },
        wanted: Some(unsettled.iter().map(|&goal| place(goal)).collect()),
        ..Options::default()
    };
    let found = analyse(code, Start::Target(case.target), &options);
    let assumed = case.contract.assumptions().map(str::to_owned);
    let assumptions: Vec<String> = found.assumptions.iter().cloned().chain(assumed).collect();
    let mut standing = case.standing();
    for goal in unsettled {
        if let Some(why) = found.impossible.get(&place(goal)) {
            let proof = Proof { engine: ENGINE.to_owned(), assumptions: assumptions.clone() };
            standing.impossible.insert(goal, Impossible { why: why.clone(), proof });
        }
    }
}
