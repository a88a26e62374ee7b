//! One target and all that is needed to work on it.

use super::Options;
use super::contract::Contract;
use super::cross_target_hints::CrossTargetHints;
use super::lowered::Lowered;
use super::standing::Standing;
use super::time::TimePool;
use nanoscope_native::Limits;
use nanoscope_program::{Goal, GoalId, Libraries, Target};
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
    /// The program in our representation.
    pub lowered: &'a Lowered,
    pub target: &'a Target,
    pub contract: &'a Contract,
    pub options: &'a Options,
    pub jobs: usize,
    /// When the whole run ends.
    pub deadline: Option<Instant>,
    standing: &'a Mutex<Standing>,
    hints: &'a CrossTargetHints,
    /// What time other functions left; none where there are no others.
    pub pool: Option<&'a Arc<TimePool>>,
    pub limits: Limits,
}

impl<'a> Case<'a> {
    pub fn new(
        goals: &'a [Goal],
        (libraries, lowered): (&'a Libraries, &'a Lowered),
        (target, contract): (&'a Target, &'a Contract),
        options: &'a Options,
        jobs: usize,
        deadline: Option<Instant>,
        (standing, hints, pool): (
            &'a Mutex<Standing>,
            &'a CrossTargetHints,
            Option<&'a Arc<TimePool>>,
        ),
    ) -> Case<'a> {
        let limits = Limits { fuel: FUEL, replay: REPLAY, traps: TRAPS, ..Limits::default() };
        Case {
            goals,
            libraries,
            lowered,
            target,
            contract,
            options,
            jobs,
            deadline,
            standing,
            hints,
            pool,
            limits,
        }
    }

    /// A goal by identity.
    pub fn goal(&self, goal: GoalId) -> Goal {
        self.goals[goal.0 as usize]
    }

    /// Hints from other functions. With a number of evaluations the report must not
    /// depend on who was first.
    pub fn hints(&self) -> Option<&CrossTargetHints> {
        self.options.evaluations.is_none().then_some(self.hints)
    }

    /// Lets the work on other functions know what was reached here.
    pub fn tell_others(&self) {
        let standing = self.standing();
        let reached = standing.reached.iter();
        self.hints
            .tell(self.target, reached.map(|(goal, reached)| (*goal, reached.confirmed.point())));
    }

    /// How the goals stand. Held for moments only: others look at it, too.
    pub fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
