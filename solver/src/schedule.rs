//! Who works when: engines by turns, in slices that grow.
//!
//! A turn is short at first, so that what is easy for any engine is decided
//! soon, and grows, so that little is lost to the engines that get nowhere.
//! An engine that is at its end leaves; the last one has all the time.

use crate::engine::{Attempt, Engine, Progress};
use crate::query::{Clues, Query, Reason, Verdict};
use nanoscope_budget::Budget;
use std::time::Duration;

/// The first turn's length: what is easy for any engine takes milliseconds.
const FIRST: Duration = Duration::from_millis(8);
/// How much longer each round is than the one before.
const GROWTH: u32 = 3;

/// Lets engines work on a query until one decides it; the verdict and whose it
/// is. Of what stays undecided, that is the one that found no solution over the
/// reals, if there is one.
pub fn run(
    engines: &mut [Box<dyn Engine>],
    query: Query,
    clues: &mut Clues,
    budget: &Budget,
) -> (Verdict, Option<&'static str>) {
    let mut attempts: Vec<(&'static str, u32, Box<dyn Attempt + '_>)> = engines
        .iter_mut()
        .map(|engine| (engine.name(), engine.share(), engine.begin(query)))
        .collect();
    let mut turn = FIRST;
    let mut last = (Reason::Incomplete("no engine was asked".to_string()), None);
    while !attempts.is_empty() {
        let mut at = 0;
        while at < attempts.len() {
            if budget.exhausted() {
                let relaxed = attempts.iter().find(|(.., attempt)| attempt.is_without_reals());
                let by = relaxed.map(|(name, _, attempt)| attempt.by().unwrap_or(name));
                return (Verdict::Unknown(why_over(budget)), by);
            }
            let alone = attempts.len() == 1;
            let (name, share, attempt) = &mut attempts[at];
            let slice = if alone { budget.clone() } else { budget.slice(turn * *share) };
            match attempt.advance(clues, &slice) {
                Progress::Sat(model) => {
                    return (Verdict::Sat(model), Some(attempt.by().unwrap_or(name)));
                }
                Progress::Unsat => return (Verdict::Unsat, Some(attempt.by().unwrap_or(name))),
                Progress::Paused => at += 1,
                Progress::Exhausted(reason) => {
                    // What a limit stopped says more than what was never able to.
                    if matches!(last.0, Reason::Incomplete(_)) {
                        let by = attempt.by().unwrap_or(name);
                        last = (reason, Some(by));
                    }
                    drop(attempts.remove(at));
                }
            }
        }
        turn *= GROWTH;
    }
    match last {
        (Reason::Reals, by) => (Verdict::Unknown(Reason::Reals), by),
        (reason, _) => (Verdict::Unknown(reason), None),
    }
}

/// Why a budget that is used up is used up.
pub fn why_over(budget: &Budget) -> Reason {
    if budget.stopped() { Reason::Stopped } else { Reason::Time }
}
