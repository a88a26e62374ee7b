//! Settling one target's goals: the engines, cheapest first, each on what the ones before it
//! left open; then what was reached is made fit for people.
//!
//! An engine takes the case and its standing, and adds to `reached` (with the replay that
//! showed it), to `impossible` (with its proof) or to `open` (with the reason).

use super::case::Case;
use super::classify::{Judge, ONE_RUN};
use super::minimise::Minimiser;
use super::standing::Reached;
use super::time::{Schedule, Wishes};
use super::witness::Witness;
use super::{Engine, explore, pursue, ranges};
use nanoscope_budget::Budget;
use nanoscope_native::{Confirmed, retell};
use nanoscope_program::{Exception, Fault, Goal, GoalId};
use nanoscope_ranges::Whole;
use nanoscope_report::{Effect, Harm};
use std::collections::BTreeSet;
use std::time::Instant;

/// Runs the engines.
pub(super) fn settle(case: &Case, budget: &Budget) -> Result<(), Fault> {
    let wishes = Wishes {
        function_time: case.options.function_time,
        polishes: case.options.polish,
        explores_only: !case.options.engines.contains(&Engine::Search),
        counts: case.options.evaluations.is_some(),
        pool: case.pool,
    };
    let mut schedule = Schedule::new(wishes, budget);
    let settled = run_engines(case, &mut schedule);
    schedule.end();
    settled
}

fn run_engines(case: &Case, schedule: &mut Schedule) -> Result<(), Fault> {
    let engines = &case.options.engines;
    let mut whole = None;
    if engines.contains(&Engine::Ranges) {
        let ranging = schedule.ranging();
        whole = schedule.spending(&ranging, || ranges::rule_out(case, &ranging, None));
        schedule.ranged();
    }
    if case.standing().unsettled(case.target).is_empty() {
        return Ok(());
    }
    if engines.iter().all(|engine| *engine == Engine::Ranges) {
        return without_probes(case, schedule, whole, "only ranges were asked");
    }
    // Who waits for a library that is still being built waits at its own expense.
    let start = Instant::now();
    let witness = match Witness::new(case) {
        Err(Fault::User(why)) if case.deadline.is_some_and(|end| Instant::now() >= end) => {
            case.standing().failed(&why);
            return Ok(());
        }
        made => made?,
    };
    match case.libraries.instrumented(case.target) {
        Ok(_) => {}
        Err(Fault::User(why)) => return without_probes(case, schedule, whole, &why),
        Err(fault) => return Err(fault),
    }
    let (searching, processor) = schedule.searching();
    let near = if engines.contains(&Engine::Search) {
        pursue::pursue(case, &witness, &searching, processor)?
    } else {
        Vec::new()
    };
    let searched = start.elapsed();
    case.tell_others();
    if whole.is_some() && !case.standing().unsettled(case.target).is_empty() {
        let cutting = schedule.cutting();
        schedule.spending(&cutting, || ranges::rule_out(case, &cutting, whole));
    }
    explore::follow(case, &witness, near, &schedule.exploring(searched))?;
    case.standing().search.seconds = searched.as_secs_f64();
    if case.options.polish {
        polish(case, &witness, &schedule.polishing(searched))?;
    }
    Ok(())
}

/// What is left to do where nothing is run: the code with probes could not be built in time.
fn without_probes(
    case: &Case,
    schedule: &mut Schedule,
    whole: Option<Whole>,
    why: &str,
) -> Result<(), Fault> {
    let why = format!("not searched for: {why}");
    let mut standing = case.standing();
    for goal in standing.unsettled(case.target) {
        standing.open.insert(goal, why.clone());
    }
    standing.trouble = Some(why);
    drop(standing);
    if whole.is_some() {
        let cutting = schedule.cutting();
        schedule.spending(&cutting, || ranges::rule_out(case, &cutting, whole));
    }
    Ok(())
}

/// Judges what was found, and finds simpler inputs that do the same harm. Everything is judged
/// before anything is simplified, and both begin with the worst.
fn polish(case: &Case, witness: &Witness, budget: &Budget) -> Result<(), Fault> {
    let mut found: Vec<(GoalId, Reached)> =
        case.standing().reached.iter().map(|(goal, reached)| (*goal, reached.clone())).collect();
    if found.is_empty() {
        return Ok(());
    }
    let instrumented = case.libraries.instrumented(case.target)?;
    let first_only = case.options.stop_at_first;
    let mut judge = Judge::new(case.lowered.exact(), case.target, case.contract, budget.clone());
    let minimiser = |as_written| {
        let replayer = witness.of(as_written);
        Minimiser::new(&instrumented, replayer, case.contract, &case.limits, first_only)
    };
    let mut usual = minimiser(false)?;
    let mut written = None;
    let rank = |id| WORST_FIRST.iter().position(|worse| *worse == case.goal(id).exception);
    found.sort_by_key(|(id, _)| rank(*id));
    let mut left = found.len() as u32;
    let assumes_arrays = case.options.source.wishes.arrays.is_empty();
    let mut strayed = BTreeSet::new();
    for (id, reached) in &mut found {
        let goal = case.goal(*id);
        let mut best = match budget.exhausted() {
            true => reached.confirmed.clone(),
            false => retell(witness.of(reached.as_written), &reached.confirmed)?
                .unwrap_or_else(|| reached.confirmed.clone()),
        };
        let minimiser = match (&mut written, reached.as_written) {
            (_, false) => &mut usual,
            (Some(written), true) => written,
            (none, true) => none.insert(minimiser(true)?),
        };
        if !budget.exhausted()
            && let Some(created) = minimiser.at_the_ends(goal, &best)?
        {
            best = created;
        }
        // One that is slow leaves time for the others.
        let rest = budget.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        judge.one_run = rest.map_or(ONE_RUN, |rest| (rest / left * 4).min(ONE_RUN));
        left -= 1;
        let harm = judge.harm(&best, goal.exception);
        if assumes_arrays && harm.effect == Effect::NoReturn && judge.strays(&best) {
            let mut standing = case.standing();
            standing.reached.remove(id);
            standing.open.insert(*id, STRAYED.to_owned());
            strayed.insert(*id);
            continue;
        }
        *reached = Reached { confirmed: best, harm: Some(harm), ..reached.clone() };
        case.standing().reached.insert(*id, reached.clone());
    }
    judge.one_run = ONE_RUN;
    found.retain(|(id, _)| !strayed.contains(id));
    found.sort_by_key(|(_, reached)| reached.harm.as_ref().map(|harm| harm.effect));
    for (id, reached) in found {
        if budget.exhausted() {
            break;
        }
        let minimiser = match &mut written {
            Some(written) if reached.as_written => written,
            Some(_) | None => &mut usual,
        };
        let simple = simplified(case.goal(id), reached.clone(), minimiser, &mut judge, budget)?;
        let simple = match assumes_arrays && judge.strays(&simple.confirmed) {
            true => reached,
            false => simple,
        };
        case.standing().reached.insert(id, simple);
    }
    case.standing().search.replays += usual.replays + written.map_or(0, |it| it.replays);
    Ok(())
}

/// Why a goal is open that only such runs reached.
const STRAYED: &str = "runs reach it that then leave the memory that their parameters point to, of a size that was \
     assumed; --array, --input and --assume say what goes together";

/// The order in which exceptions are judged: those that ruin results first.
pub(super) const WORST_FIRST: [Exception; 6] = [
    Exception::Invalid,
    Exception::DivideByZero,
    Exception::Overflow,
    Exception::IntegerOverflow,
    Exception::ConversionOutOfRange,
    Exception::Underflow,
];

/// The same with a simpler input, or with one that does more harm.
fn simplified(
    goal: Goal,
    reached: Reached,
    minimiser: &mut Minimiser,
    judge: &mut Judge,
    budget: &Budget,
) -> Result<Reached, Fault> {
    let mut best = reached.confirmed.clone();
    let mut harm = reached.harm.clone().unwrap_or_else(|| Harm::unclassified(""));
    if let Some(simple) = minimiser.simplest(goal, &best, budget)? {
        let simple_harm = judge.harm(&simple, goal.exception);
        // A simple input that hides the harm explains nothing, unless other exceptions did that
        // harm.
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
    Ok(Reached { confirmed: best, harm: Some(harm), ..reached })
}

/// How many exceptions of the program's operations a run showed.
fn exceptions(confirmed: &Confirmed) -> usize {
    confirmed.replay().events.iter().filter(|event| event.site.is_some()).count()
}
