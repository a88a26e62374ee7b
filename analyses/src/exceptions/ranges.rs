//! Ranges: abstract interpretation settles as impossible what no admitted input can do.

use super::settle::Case;
use super::standing::Impossible;
use nanoscope_ranges::{Options, Start, analyse};
use nanoscope_report::Proof;
use nanoscope_search::Budget;

/// What it is called in reports.
const ENGINE: &str = "ranges";

/// Rules out what cannot happen among the goals that nobody has settled.
pub(super) fn rule_out(case: &Case, budget: &Budget) {
    let Ok(code) = case.code else { return };
    let unsettled = case.standing().unsettled(case.target);
    let place = |goal| {
        let goal = case.goal(goal);
        (goal.site, goal.exception)
    };
    let options = Options {
        deadline: budget.deadline,
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
