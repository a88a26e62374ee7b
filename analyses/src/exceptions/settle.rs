//! Settling one target's goals: the engines, cheapest first, each on what the ones before it
//! left open; then what was reached is made fit for people.
//!
//! An engine takes the case and its standing, and adds to `reached` (with the replay that
//! showed it), to `impossible` (with its proof) or to `open` (with the reason).

use super::classify::Judge;
use super::contract::Contract;
use super::minimise::{Minimiser, is_created};
use super::standing::{Reached, Standing};
use super::{Options, explore, pursue, ranges};
use nanoscope_native::{Confirmed, Limits, Replayer};
use nanoscope_program::ir::Code;
use nanoscope_program::{Fault, Goal, GoalId, Libraries, Target};
use nanoscope_report::Effect;
use nanoscope_search::Budget;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Loop iterations of one run: a few tenths of a millisecond.
const FUEL: i64 = 100_000;

/// How long a replay may take: what it showed by then is shown.
const REPLAY: Duration = Duration::from_millis(20);

/// Traps that a replay takes, at some twenty to forty microseconds each.
const TRAPS: u64 = 2_000;

/// The search's share of the time, where findings are to be judged.
const SEARCHING: f64 = 0.65;

/// Exploration's share of the time that is left, and the longest it may take: so many times as
/// long as the search, but at least so long.
const EXPLORING: (f64, f64, Duration) = (0.5, 2.0, Duration::from_secs(2));

/// The share of the search's time that shortening and judging may take on top, and the least
/// they get.
const POLISHING: (f64, Duration) = (0.5, Duration::from_secs(2));

/// One target and all that is needed to work on it.
pub(super) struct Case<'a> {
    pub goals: &'a [Goal],
    pub libraries: &'a Libraries,
    /// The program in our representation, or why there is none.
    pub code: Result<&'a Code, &'a str>,
    pub target: &'a Target,
    pub contract: &'a Contract,
    pub options: &'a Options,
    pub jobs: usize,
    standing: &'a Mutex<Standing>,
    pub limits: Limits,
}

impl<'a> Case<'a> {
    pub fn new(
        goals: &'a [Goal],
        libraries: &'a Libraries,
        code: Result<&'a Code, &'a str>,
        (target, contract): (&'a Target, &'a Contract),
        options: &'a Options,
        jobs: usize,
        standing: &'a Mutex<Standing>,
    ) -> Case<'a> {
        let limits = Limits { fuel: FUEL, replay: REPLAY, traps: TRAPS, ..Limits::default() };
        Case { goals, libraries, code, target, contract, options, jobs, standing, limits }
    }

    /// A goal by identity.
    pub fn goal(&self, goal: GoalId) -> Goal {
        self.goals[goal.0 as usize]
    }

    /// How the goals stand. Held for moments only: others look at it, too.
    pub fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the engines.
pub(super) fn settle(case: &Case, budget: &Budget) -> Result<(), Fault> {
    ranges::rule_out(case, budget);
    if case.standing().unsettled(case.target).is_empty() {
        return Ok(());
    }
    let start = Instant::now();
    let replayer = Replayer::new(&case.libraries.original(case.target), &case.limits)?;
    // What is found wants some time, too.
    let searching = match budget.remaining() {
        Some(left) if case.options.polish && case.options.evaluations.is_none() => {
            budget.slice(left.mul_f64(SEARCHING))
        }
        Some(_) | None => budget.clone(),
    };
    let near = pursue::pursue(case, &replayer, &searching)?;
    let searched = start.elapsed();
    let exploring = match (budget.remaining(), case.options.function_time) {
        _ if case.options.evaluations.is_some() => budget.clone(),
        // What the search did not use of the function's time, and what it was not to use. The
        // search counts processor time, which passes no faster than the clock.
        (_, Some(time)) => {
            let kept = time.mul_f64(1.0 - pursue::SHARE);
            budget.slice(time.saturating_sub(searched).max(kept))
        }
        (Some(left), None) => {
            let (share, times, least) = EXPLORING;
            budget.slice(left.mul_f64(share).min(searched.mul_f64(times).max(least)))
        }
        (None, None) => budget.clone(),
    };
    explore::follow(case, &replayer, near, &exploring)?;
    case.standing().search.seconds = searched.as_secs_f64();
    if case.options.polish {
        let time = searched.mul_f64(POLISHING.0).max(POLISHING.1);
        // With a number of evaluations the report must not depend on the clock.
        let polishing =
            if case.options.evaluations.is_some() { budget.clone() } else { budget.slice(time) };
        polish(case, &replayer, &polishing)?;
    }
    Ok(())
}

/// Judges what was found, and finds simpler inputs that do the same harm.
fn polish(case: &Case, replayer: &Replayer, budget: &Budget) -> Result<(), Fault> {
    let found: Vec<(GoalId, Reached)> =
        case.standing().reached.iter().map(|(goal, reached)| (*goal, reached.clone())).collect();
    if found.is_empty() {
        return Ok(());
    }
    let instrumented = case.libraries.instrumented(case.target);
    let first_only = case.options.stop_at_first;
    let mut judge = Judge::new(case.code, case.target, case.contract, budget.clone());
    let mut minimiser =
        Minimiser::new(&instrumented, replayer, case.contract, &case.limits, first_only)?;
    for (id, reached) in found {
        let goal = case.goal(id);
        let mut best = reached.confirmed.clone();
        if !is_created(&best)
            && let Some(created) = minimiser.at_the_ends(goal, &best)?
        {
            best = created;
        }
        let mut harm = judge.harm(&best, goal.exception);
        if !budget.exhausted()
            && let Some(simple) = minimiser.simplest(goal, &best, budget)?
        {
            let simple_harm = judge.harm(&simple, goal.exception);
            // A simple input that hides the harm explains nothing, unless other exceptions
            // did that harm.
            let unknown = harm.effect == Effect::Unclassified;
            let alone = exceptions(&simple) < exceptions(&best);
            if unknown || alone || simple_harm.effect <= harm.effect {
                (best, harm) = (simple, simple_harm);
            }
        }
        if !budget.exhausted() && harm.effect > Effect::Unclassified {
            for further in minimiser.further(goal, &best)? {
                let further_harm = judge.harm(&further, goal.exception);
                if further_harm.effect < harm.effect
                    && further_harm.effect != Effect::Unclassified
                    && exceptions(&further) <= exceptions(&best)
                {
                    (best, harm) = (further, further_harm);
                }
            }
        }
        let reached = Reached { confirmed: best, harm: Some(harm), ..reached };
        case.standing().reached.insert(id, reached);
    }
    case.standing().search.replays += minimiser.replays;
    Ok(())
}

/// How many exceptions of the program's operations a run showed.
fn exceptions(confirmed: &Confirmed) -> usize {
    confirmed.replay().events.iter().filter(|event| event.site.is_some()).count()
}
