//! Pursuit of one target's goals: native search, with every candidate replayed at once
//! on the original code.

use super::Options;
use nanoscope_ieee::Format;
use nanoscope_native::{
    Candidate, Catch, Confirmed, Death, Ended, Hunt, Judgement, Limits, Promise, Replayer, confirm,
    search_goals,
};
use nanoscope_program::{Fault, Goal, GoalId, Libraries, Target};
use nanoscope_search::Budget;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Loop iterations of one run: a few tenths of a millisecond.
const FUEL: i64 = 100_000;

/// How long a replay may take: what it showed by then is shown.
const REPLAY: Duration = Duration::from_secs(1);

/// Traps that a replay takes, at some twenty to forty microseconds each.
const TRAPS: u64 = 20_000;

/// What came of it.
#[derive(Default)]
pub(super) struct Pursued {
    /// The goals that were reached, each with the replay that showed it.
    pub confirmed: BTreeMap<GoalId, Confirmed>,
    open: BTreeMap<GoalId, String>,
    pub evaluations: u64,
    pub replays: u64,
    pub refuted: u64,
    pub stopped: u64,
    pub seconds: f64,
    /// What went wrong with many inputs.
    pub trouble: Option<String>,
}

impl Pursued {
    /// A target that could not be run.
    pub fn failed(why: &str) -> Pursued {
        Pursued { trouble: Some(format!("not run: {why}")), ..Pursued::default() }
    }

    /// Why a goal was not settled.
    pub fn why_open(&self, goal: GoalId) -> String {
        self.open.get(&goal).cloned().unwrap_or_else(|| "the search did not come to it".into())
    }
}

/// Searches for all goals of a target that no constant settles.
pub(super) fn pursue(
    goals: &[Goal],
    libraries: &Libraries,
    target: &Target,
    options: &Options,
    budget: &Budget,
    jobs: usize,
) -> Result<Pursued, Fault> {
    let start = Instant::now();
    let limits = Limits { fuel: FUEL, replay: REPLAY, traps: TRAPS, ..Limits::default() };
    let original = libraries.original(target);
    let program_sites = &original.sites;
    let replayer = Replayer::new(&original, &limits)?;
    let asked = |goal: GoalId| goals[goal.0 as usize];
    let by_event: BTreeMap<_, GoalId> = target
        .goals
        .iter()
        .map(|&goal| ((asked(goal).site, asked(goal).exception), goal))
        .collect();
    let mut confirmed: BTreeMap<GoalId, Confirmed> = BTreeMap::new();
    let (mut replays, mut refuted) = (0, 0);
    let settled =
        target.goals.iter().copied().filter(|&goal| asked(goal).never.is_some()).collect();
    // A number of runs that the user asked for is run, whether it still brings anything or not.
    let until_stalled = options.evaluations.is_none();
    let hunt = Hunt {
        seed: options.seed,
        jobs,
        limits,
        settled,
        until_stalled,
        processor: options.function_time,
        ..Hunt::default()
    };
    let mut judge = |&Candidate { goal, point, record }: &Candidate| {
        if confirmed.contains_key(&goal) {
            return Ok(Judgement::Confirmed);
        }
        if budget.exhausted() {
            return Ok(Judgement::Refuted); // not looked at: the search ends here
        }
        replays += 1;
        let Goal { site, exception, .. } = asked(goal);
        let promise = Promise { site, exception, point, record: Some(record) };
        let Some(found) = confirm(&replayer, &promise)? else {
            refuted += 1;
            return Ok(Judgement::Refuted);
        };
        // The same run may have shown other goals' exceptions.
        for other in found.others() {
            let event = other.event();
            if let Some(&also) = event.site.and_then(|site| by_event.get(&(site, event.exception)))
            {
                confirmed.entry(also).or_insert(other);
            }
        }
        confirmed.insert(goal, found);
        Ok(Judgement::Confirmed)
    };
    let caught = search_goals(&libraries.instrumented(target), &hunt, budget, &mut judge)?;
    let open = caught
        .pursuits
        .iter()
        .filter(|pursuit| !pursuit.confirmed)
        .map(|pursuit| {
            let runs = caught.evaluations;
            let end = match caught.ended {
                Ended::Budget => "the search was stopped",
                Ended::Stalled | Ended::AllConfirmed => "the search no longer came nearer",
            };
            let why = match (pursuit.refuted, &pursuit.best) {
                (0, None) => format!("no input was found that gets here; {end} after {runs} runs"),
                (0, Some(_)) => format!("not seen to happen; {end} after {runs} runs"),
                (n, _)
                    if in_software(program_sites[asked(pursuit.goal).site.0 as usize].format) =>
                {
                    format!(
                        "computed in software: {n} candidates, of which hardware traps show nothing"
                    )
                }
                (n, _) => format!(
                    "{n} candidates did not show it on the original code, which may not compute it \
                     as written; {end} after {runs} runs"
                ),
            };
            (pursuit.goal, why)
        })
        .collect();
    let deaths: u64 = caught.deaths.values().sum();
    Ok(Pursued {
        confirmed,
        open,
        evaluations: caught.evaluations,
        replays,
        refuted,
        stopped: caught.stopped + caught.aborted + deaths,
        seconds: start.elapsed().as_secs_f64(),
        trouble: trouble(target, &caught),
    })
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
