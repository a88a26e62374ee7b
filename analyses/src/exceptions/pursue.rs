//! Pursuit of one target's goals: native search, with every candidate replayed at once
//! on the original code.

use super::settle::Case;
use super::standing::Reached;
use super::witness::{Seen, Witness};
use nanoscope_ieee::Format;
use nanoscope_native::{
    Candidate, Catch, Confirmed, Death, Ended, Hunt, Judgement, Promise, Pursuit, Replayer,
    search_goals,
};
use nanoscope_program::{Fault, Goal, GoalId, Target};
use nanoscope_search::Budget;
use std::collections::BTreeMap;
use std::time::Duration;

/// What it is called in reports.
const ENGINE: &str = "native-search";

/// Whether no operation of the program raised anything before what was confirmed.
pub(super) fn is_first(confirmed: &Confirmed) -> bool {
    let first = confirmed.replay().events.iter().find(|event| event.site.is_some());
    first.is_none_or(|event| {
        let found = confirmed.event();
        event.site == found.site && event.exception == found.exception
    })
}

/// Searches for all goals that nobody has settled; the points that came nearest to those it
/// does not reach.
pub(super) fn pursue(
    case: &Case,
    witness: &Witness,
    budget: &Budget,
    processor: Option<Duration>,
) -> Result<Vec<Vec<u64>>, Fault> {
    let (target, options) = (case.target, case.options);
    let unsettled = case.standing().unsettled(target);
    let hunt = Hunt {
        seed: options.seed,
        jobs: case.jobs,
        limits: case.limits.clone(),
        settled: target.goals.iter().copied().filter(|goal| !unsettled.contains(goal)).collect(),
        minor: case.known_elsewhere(),
        // A number of runs that the user asked for is run, whether it still brings anything
        // or not.
        until_stalled: options.evaluations.is_none(),
        processor,
        admission: case.contract.admission(),
        ..Hunt::default()
    };
    let mut second_best = SecondBest::default();
    let mut judge = |&Candidate { goal, point, record }: &Candidate| {
        if case.standing().reached.contains_key(&goal) {
            return Ok(Judgement::Confirmed);
        }
        if budget.exhausted() {
            return Ok(Judgement::Refuted); // not looked at: the search ends here
        }
        let Goal { site, exception, .. } = case.goal(goal);
        let promise = Promise { site, exception, point, record: Some(record) };
        case.standing().search.replays += 1;
        let Some(Seen { confirmed: found, .. }) = witness.confirm(&promise)? else {
            case.standing().search.refuted += 1;
            return second_best.hear(witness, goal, &promise);
        };
        let mut standing = case.standing();
        if options.stop_at_first && !is_first(&found) {
            return Ok(Judgement::Refuted);
        }
        standing.reached.insert(goal, reached(found, false));
        Ok(Judgement::Confirmed)
    };
    let caught = search_goals(&case.libraries.instrumented(target), &hunt, budget, &mut judge)?;
    let deaths: u64 = caught.deaths.values().sum();
    let mut standing = case.standing();
    for (goal, confirmed) in second_best.seen {
        if !options.stop_at_first || is_first(&confirmed) {
            standing.reached.entry(goal).or_insert(reached(confirmed, true));
        }
    }
    let mut near = Vec::new();
    for pursuit in caught.pursuits.iter().filter(|pursuit| !pursuit.confirmed) {
        near.extend(pursuit.best.iter().map(|(_, point)| point.clone()));
        let why = why_open(case, witness.original(), &caught, pursuit);
        standing.open.insert(pursuit.goal, why);
    }
    standing.search.evaluations += caught.evaluations;
    standing.search.stopped += caught.stopped + caught.aborted + deaths;
    standing.trouble = trouble(target, &caught);
    near.sort_unstable();
    near.dedup();
    Ok(near)
}

fn reached(confirmed: Confirmed, as_written: bool) -> Reached {
    Reached { confirmed, as_written, engine: ENGINE, harm: None }
}

/// Candidates that the program as the user compiles it did not show are shown to the program
/// as it is written. What that says counts where the other never says it.
#[derive(Default)]
struct SecondBest {
    seen: BTreeMap<GoalId, Confirmed>,
}

impl SecondBest {
    /// A candidate that was refuted once may have been so by chance, and the search goes on;
    /// of the next, the optimiser is to blame.
    fn hear(
        &mut self,
        witness: &Witness,
        goal: GoalId,
        promise: &Promise,
    ) -> Result<Judgement, Fault> {
        if self.seen.contains_key(&goal) {
            return Ok(Judgement::Confirmed);
        }
        if let Some(seen) = witness.confirm_written(promise)? {
            self.seen.insert(goal, seen.confirmed);
        }
        Ok(Judgement::Refuted)
    }
}

/// What stopped the search for a goal.
fn why_open(case: &Case, replayer: &Replayer, caught: &Catch, pursuit: &Pursuit) -> String {
    let runs = caught.evaluations;
    let end = match caught.ended {
        Ended::Budget => "the search was stopped",
        Ended::Stalled | Ended::AllConfirmed => "the search no longer came nearer",
    };
    let site = &replayer.original().sites[case.goal(pursuit.goal).site.0 as usize];
    match (pursuit.refuted, &pursuit.best) {
        (0, None) => format!("no input was found that gets here; {end} after {runs} runs"),
        (0, Some(_)) => format!("not seen to happen; {end} after {runs} runs"),
        (n, _) if case.options.stop_at_first => format!(
            "{n} candidates raised another exception before it, or did not show it; {end} after \
             {runs} runs"
        ),
        (n, _) if in_software(site.format) => {
            format!("computed in software: {n} candidates, of which hardware traps show nothing")
        }
        (n, _) => format!(
            "{n} candidates did not show it on the original code, which may not compute it as \
             written; {end} after {runs} runs"
        ),
    }
}

/// Whether a format has no instructions of its own on x86-64.
fn in_software(format: Format) -> bool {
    matches!(format, Format::BINARY16 | Format::BFLOAT16 | Format::BINARY128)
}

/// What the user should know about runs that did not return.
fn trouble(target: &Target, caught: &Catch) -> Option<String> {
    let mut parts = Vec::new();
    for (death, times) in &caught.deaths {
        parts.push(match death {
            Death::Signal(number) => format!("{times} ended with signal {number}"),
            Death::Exited(status) => format!("{times} called exit({status})"),
            Death::TimedOut => format!("{times} took too long"),
            Death::OutOfMemory => format!("{times} ran out of memory"),
        });
    }
    if caught.aborted > 0 {
        parts.push(format!("{} aborted or divided an integer by zero", caught.aborted));
    }
    if caught.stopped > 0 {
        let ends = target.gaps.iter().any(|gap| gap.what.contains("a run ends there"));
        let how = if ends {
            "looped too long or called a function that is not there"
        } else {
            "looped too long"
        };
        parts.push(format!("{} {how}", caught.stopped));
    }
    (!parts.is_empty()).then(|| format!("of {} runs, {}", caught.evaluations, parts.join(", ")))
}
