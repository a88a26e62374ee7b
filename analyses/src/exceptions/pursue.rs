//! Pursuit of one target's goals: native search, with every candidate replayed at once
//! on the original code.

use super::case::Case;
use super::standing::{Reached, is_first};
use super::witness::Witness;
use nanoscope_budget::Budget;
use nanoscope_ieee::{Float, Format};
use nanoscope_native::{
    Allowance, Candidate, Catch, Confirmed, Death, Ended, Hunt, Judgement, Promise, Pursuit,
    Replayer, search_goals,
};
use nanoscope_program::{Exception, Fault, Goal, GoalId, Target, is_soft};
use std::collections::BTreeMap;
use std::time::Duration;

/// How long a replay may take to show what a run of the search showed within some iterations
/// of its loops: so long each, and at least.
const ITERATION: Duration = Duration::from_nanos(400);
const AT_LEAST: Duration = Duration::from_millis(2);

/// What it is called in reports.
const ENGINE: &str = "native-search";

/// Searches for all goals that nobody has settled, and most for those that nobody has reached
/// through other functions either; the points that came nearest to those it does not reach.
pub(super) fn pursue(
    case: &Case,
    witness: &Witness,
    budget: &Budget,
    processor: Option<Allowance>,
) -> Result<Vec<Vec<u64>>, Fault> {
    let (target, options) = (case.target, case.options);
    let known = case.hints();
    let unsettled = case.standing().unsettled(target);
    let hunt = Hunt {
        seed: options.seed,
        jobs: case.jobs,
        limits: case.limits.clone(),
        settled: target.goals.iter().copied().filter(|goal| !unsettled.contains(goal)).collect(),
        hints: known.map(|it| it.points(target, &unsettled)).unwrap_or_default(),
        minor: known.map(|it| it.known_of(target)).unwrap_or_default(),
        // A number of runs that the user asked for is run, whether it still brings anything
        // or not.
        until_stalled: options.evaluations.is_none(),
        processor,
        admission: case.contract.admission(),
    };
    let mut second_best = SecondBest::default();
    let mut shown = Shown::default();
    let mut judge = |candidate: &Candidate| {
        let goal = candidate.goal;
        if case.standing().reached.contains_key(&goal) {
            return Ok(Judgement::Confirmed);
        }
        if budget.exhausted() {
            return Ok(Judgement::Refuted); // not looked at: the search ends here
        }
        let (found, written) = shown.take(case, witness, candidate, &second_best)?;
        let Some(found) = found else {
            case.standing().search.refuted += 1;
            return Ok(second_best.hear(goal, written));
        };
        let mut standing = case.standing();
        if options.stop_at_first && !is_first(&found) {
            return Ok(Judgement::Refuted);
        }
        standing.reached.insert(goal, reached(found, false));
        Ok(Judgement::Confirmed)
    };
    let caught = search_goals(&case.libraries.instrumented(target)?, &hunt, budget, &mut judge)?;
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
    Reached { confirmed, as_written, engine: ENGINE, harm: None, others: Vec::new() }
}

/// What a point was seen to do, of all that its run promised: a replay looks for all of it.
#[derive(Default)]
struct Shown {
    point: Vec<u64>,
    /// By the program as the user compiles it, and else by the program as it is written.
    told: BTreeMap<GoalId, (Option<Confirmed>, Option<Confirmed>)>,
}

impl Shown {
    /// What a candidate's goal was seen to do, once.
    fn take(
        &mut self,
        case: &Case,
        witness: &Witness,
        candidate: &Candidate,
        second_best: &SecondBest,
    ) -> Result<(Option<Confirmed>, Option<Confirmed>), Fault> {
        if self.point == candidate.point
            && let Some(told) = self.told.remove(&candidate.goal)
        {
            return Ok(told);
        }
        let all = std::iter::once((candidate.goal, candidate.record));
        let all = all.chain(candidate.also.iter().map(|(goal, record)| (*goal, record)));
        let (goals, promises): (Vec<GoalId>, Vec<Promise>) = all
            .filter(|(goal, _)| !case.standing().reached.contains_key(goal))
            .map(|(goal, record)| {
                let Goal { site, exception, .. } = case.goal(goal);
                (goal, Promise { site, exception, point: candidate.point, record: Some(record) })
            })
            .unzip();
        let within = AT_LEAST + ITERATION * candidate.fuel.clamp(0, 1 << 30) as u32;
        case.standing().search.replays += 1;
        let told = witness.confirm(&promises, within)?;
        let left: Vec<usize> = (0..goals.len())
            .filter(|&at| told[at].is_none() && !second_best.seen.contains_key(&goals[at]))
            .collect();
        let mut written: Vec<Option<Confirmed>> = vec![None; goals.len()];
        if !left.is_empty() {
            let promises: Vec<Promise> = left.iter().map(|&at| promises[at]).collect();
            for (at, told) in left.into_iter().zip(witness.confirm_written(&promises, within)?) {
                written[at] = told;
            }
        }
        self.point = candidate.point.to_vec();
        self.told = goals.into_iter().zip(told.into_iter().zip(written)).collect();
        Ok(self.told.remove(&candidate.goal).unwrap_or_default())
    }
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
    fn hear(&mut self, goal: GoalId, written: Option<Confirmed>) -> Judgement {
        if self.seen.contains_key(&goal) {
            return Judgement::Confirmed;
        }
        if let Some(seen) = written {
            self.seen.insert(goal, seen);
        }
        Judgement::Refuted
    }
}

/// What stopped the search for a goal.
fn why_open(case: &Case, replayer: &Replayer, caught: &Catch, pursuit: &Pursuit) -> String {
    let runs = caught.evaluations;
    let end = match caught.ended {
        Ended::Budget => "the search was stopped",
        Ended::Stalled | Ended::AllConfirmed => "the search no longer came nearer",
    };
    let Goal { site, exception, .. } = case.goal(pursuit.goal);
    let site = &replayer.original().sites[site.0 as usize];
    match (pursuit.refuted, &pursuit.best) {
        (0, None) => format!("no input was found that gets here; {end} after {runs} runs"),
        (0, Some((distance, _))) => {
            let nearest = nearest(site.format, exception, *distance);
            format!("not seen to happen{nearest}; {end} after {runs} runs")
        }
        (n, _) if case.options.stop_at_first => format!(
            "{n} candidates raised another exception before it, or did not show it; {end} after \
             {runs} runs"
        ),
        (n, _) if is_soft(site.format) => {
            format!("computed in software: {n} candidates, of which hardware traps show nothing")
        }
        (n, _) => format!(
            "{n} candidates did not show it on the original code, which may not compute it as \
             written; {end} after {runs} runs"
        ),
    }
}

/// How near the results of an operation came to an overflow or underflow, in words.
fn nearest(format: Format, exception: Exception, distance: u64) -> String {
    let distance = i128::from(distance);
    let (which, place) = match exception {
        Exception::Overflow => ("greatest", Float::infinity(format, false).ordinal() - distance),
        Exception::Underflow => {
            ("smallest", Float::smallest_normal(format, false).ordinal() + distance - 1)
        }
        Exception::DivideByZero
        | Exception::Invalid
        | Exception::ConversionOutOfRange
        | Exception::IntegerOverflow => return String::new(),
    };
    // Distances in wide formats are not counted in single steps.
    if format.width() > 64 {
        return String::new();
    }
    Float::from_ordinal(format, place)
        .map_or(String::new(), |result| format!(", the {which} result was {:.2e}", result.to_f64()))
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
            Death::Overwrote => format!("{times} wrote far outside their memory"),
        });
    }
    if caught.aborted > 0 {
        parts.push(format!("{} aborted or divided an integer by zero", caught.aborted));
    }
    if caught.endless() > 0 {
        let ends = target.gaps.iter().any(|gap| gap.what.contains("a run ends there"));
        let how = if ends {
            "looped too long or called a function that is not there"
        } else {
            "looped too long"
        };
        parts.push(format!("{} {how}", caught.endless()));
    }
    (!parts.is_empty()).then(|| format!("of {} runs, {}", caught.evaluations, parts.join(", ")))
}
