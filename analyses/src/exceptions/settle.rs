//! Settling one target's goals: the engines, cheapest first, each on what the ones before it
//! left open; then what was reached is made fit for people.
//!
//! An engine takes the case and its standing, and adds to `reached` (with the replay that
//! showed it), to `impossible` (with its proof) or to `open` (with the reason).

use super::classify::Judge;
use super::contract::Contract;
use super::course::Course;
use super::elsewhere::Elsewhere;
use super::minimise::Minimiser;
use super::purse::Purse;
use super::standing::{Reached, Standing};
use super::witness::Witness;
use super::{Engine, Options, explore, pursue, ranges};
use nanoscope_native::{Confirmed, Limits, retell};
use nanoscope_program::compile::Compiler;
use nanoscope_program::ir::Code;
use nanoscope_program::{Exception, Fault, Goal, GoalId, Libraries, Target};
use nanoscope_report::Effect;
use nanoscope_search::Budget;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Loop iterations of one run: a few tenths of a millisecond.
const FUEL: i64 = 100_000;

/// How long a replay may take: what it showed by then is shown.
const REPLAY: Duration = Duration::from_millis(20);

/// Traps that a replay takes, at some twenty to forty microseconds each: few enough that the
/// rest of the run, unwatched, is in time.
const TRAPS: u64 = 400;

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
    pub compiler: &'a Compiler,
    /// When the whole run ends.
    pub deadline: Option<Instant>,
    standing: &'a Mutex<Standing>,
    elsewhere: &'a Elsewhere,
    /// What time other functions left; none where there are no others.
    pub purse: Option<&'a Arc<Purse>>,
    pub limits: Limits,
}

impl<'a> Case<'a> {
    pub fn new(
        goals: &'a [Goal],
        (libraries, code): (&'a Libraries, Result<&'a Code, &'a str>),
        (target, contract): (&'a Target, &'a Contract),
        options: &'a Options,
        jobs: usize,
        (compiler, deadline): (&'a Compiler, Option<Instant>),
        (standing, elsewhere, purse): (&'a Mutex<Standing>, &'a Elsewhere, Option<&'a Arc<Purse>>),
    ) -> Case<'a> {
        let limits = Limits { fuel: FUEL, replay: REPLAY, traps: TRAPS, ..Limits::default() };
        Case {
            goals,
            libraries,
            code,
            target,
            contract,
            options,
            jobs,
            compiler,
            deadline,
            standing,
            elsewhere,
            purse,
            limits,
        }
    }

    /// A goal by identity.
    pub fn goal(&self, goal: GoalId) -> Goal {
        self.goals[goal.0 as usize]
    }

    /// What was learnt from other functions. With a number of evaluations the report must not
    /// depend on who was first.
    pub fn elsewhere(&self) -> Option<&Elsewhere> {
        self.options.evaluations.is_none().then_some(self.elsewhere)
    }

    /// Lets the work on other functions know what was reached here.
    fn tell_others(&self) {
        let standing = self.standing();
        let reached = standing.reached.iter();
        self.elsewhere
            .tell(self.target, reached.map(|(goal, reached)| (*goal, reached.confirmed.point())));
    }

    /// How the goals stand. Held for moments only: others look at it, too.
    pub fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the engines.
pub(super) fn settle(case: &Case, budget: &Budget) -> Result<(), Fault> {
    let mut course = Course::new(case, budget);
    let settled = run_engines(case, &mut course);
    course.end();
    settled
}

fn run_engines(case: &Case, course: &mut Course) -> Result<(), Fault> {
    let engines = &case.options.engines;
    let mut whole = None;
    if engines.contains(&Engine::Ranges) {
        let ranging = course.ranging();
        whole = course.spending(&ranging, || ranges::rule_out(case, &ranging, None));
        course.ranged();
    }
    if case.standing().unsettled(case.target).is_empty() {
        return Ok(());
    }
    let start = Instant::now();
    let witness = Witness::new(case)?;
    let (searching, processor) = course.searching();
    let near = if engines.contains(&Engine::Search) {
        pursue::pursue(case, &witness, &searching, processor, course.prefers_news())?
    } else {
        Vec::new()
    };
    let searched = start.elapsed();
    case.tell_others();
    if case.options.evaluations.is_none() && whole.is_some() {
        let cutting = course.cutting();
        course.spending(&cutting, || ranges::rule_out(case, &cutting, whole));
    }
    explore::follow(case, &witness, near, &course.exploring(searched))?;
    case.standing().search.seconds = searched.as_secs_f64();
    if case.options.polish {
        polish(case, &witness, &course.polishing(searched))?;
    }
    Ok(())
}

/// Judges what was found, and finds simpler inputs that do the same harm.
fn polish(case: &Case, witness: &Witness, budget: &Budget) -> Result<(), Fault> {
    let found: Vec<(GoalId, Reached)> =
        case.standing().reached.iter().map(|(goal, reached)| (*goal, reached.clone())).collect();
    if found.is_empty() {
        return Ok(());
    }
    let instrumented = case.libraries.instrumented(case.target);
    let first_only = case.options.stop_at_first;
    let mut judge = Judge::new(case.code, case.target, case.contract, budget.clone());
    let minimiser = |as_written| {
        let replayer = witness.of(as_written);
        Minimiser::new(&instrumented, replayer, case.contract, &case.limits, first_only)
    };
    let (mut usual, mut written) = (minimiser(false)?, None);
    for (id, reached) in found {
        let goal = case.goal(id);
        let minimiser = match (&mut written, reached.as_written) {
            (_, false) => &mut usual,
            (Some(written), true) => written,
            (none, true) => none.insert(minimiser(true)?),
        };
        let mut best = match budget.exhausted() {
            true => reached.confirmed.clone(),
            false => retell(witness.of(reached.as_written), &reached.confirmed)?
                .unwrap_or_else(|| reached.confirmed.clone()),
        };
        if goal.exception == Exception::IntegerOverflow
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
    case.standing().search.replays += usual.replays + written.map_or(0, |it| it.replays);
    Ok(())
}

/// How many exceptions of the program's operations a run showed.
fn exceptions(confirmed: &Confirmed) -> usize {
    confirmed.replay().events.iter().filter(|event| event.site.is_some()).count()
}
