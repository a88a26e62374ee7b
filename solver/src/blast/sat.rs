//! The SAT solver: CaDiCaL, with a budget it keeps and a bound on memory.

use super::Reason;
use super::proof::{Proof, Recorder};
use cadical_sys::{CaDiCal, Status, Terminator};
use nanoscope_search::Budget;
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What the solver says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is an assignment; [`Sat::value`] reads it.
    Satisfiable,
    /// There is none; [`Sat::failed`] tells which assumptions clash.
    Unsatisfiable,
    /// It gave up.
    Unknown(Reason),
}

/// A SAT solver with clauses added once and for all, and assumptions that hold
/// for one call.
///
/// Literals are as in DIMACS: a variable's number, negative when negated.
/// CaDiCaL's own environment variables (`CADICAL_...`) change its options.
pub struct Sat {
    solver: CaDiCal,
    variables: i32,
    clauses: u64,
    recorder: Option<Recorder>,
    watch: Watch,
}

impl Default for Sat {
    fn default() -> Sat {
        Sat::new()
    }
}

impl Sat {
    /// A solver without clauses.
    pub fn new() -> Sat {
        let watch = Watch::default();
        let mut solver = CaDiCal::new();
        solver.connect_terminator(watch.clone());
        Sat { solver, variables: 0, clauses: 0, recorder: None, watch }
    }

    /// Keeps what is derived from what; see [`Sat::proof`]. Only before the
    /// first clause.
    pub fn trace(&mut self) {
        let recorder = Recorder::default();
        self.solver.connect_proof_tracer1(recorder.clone(), true, false);
        self.recorder = Some(recorder);
    }

    /// What was derived since [`Sat::trace`].
    pub fn proof(&self) -> Option<Proof> {
        self.recorder.as_ref().map(|recorder| recorder.proof.borrow().clone())
    }

    /// Sets an option of CaDiCaL's; whether it has one of that name. Only
    /// before the first clause.
    pub fn option(&mut self, name: &str, value: i32) -> bool {
        CaDiCal::is_valid_option(name) && self.solver.set(name, value)
    }

    /// A new variable.
    pub fn variable(&mut self) -> i32 {
        self.variables += 1;
        self.variables
    }

    /// The number of variables.
    pub fn variables(&self) -> i32 {
        self.variables
    }

    /// The number of clauses added.
    pub fn clauses(&self) -> u64 {
        self.clauses
    }

    /// Conflicts of all calls so far: a measure of work that does not depend
    /// on the machine.
    pub fn conflicts(&self) -> i64 {
        self.solver.get_statistic_value("conflicts")
    }

    /// Adds a clause.
    pub fn clause(&mut self, literals: &[i32]) {
        for &literal in literals {
            self.solver.add(literal);
        }
        self.solver.add(0);
        self.clauses += 1;
    }

    /// The value a decision on this variable tries first.
    pub fn prefer(&mut self, literal: i32) {
        self.solver.phase(literal);
    }

    /// Forgets what [`Sat::prefer`] said of this variable.
    pub fn no_preference(&mut self, literal: i32) {
        self.solver.unphase(literal);
    }

    /// Solves under assumptions. `memory` bounds, in bytes, how much the
    /// process may grow meanwhile.
    pub fn solve(&mut self, assumptions: &[i32], budget: &Budget, memory: Option<u64>) -> Answer {
        if budget.exhausted() {
            return Answer::Unknown(reason_of(budget));
        }
        self.watch.begin(budget, memory);
        for &literal in assumptions {
            self.solver.assume(literal);
        }
        match self.solver.solve() {
            Status::SATISFIABLE => Answer::Satisfiable,
            Status::UNSATISFIABLE => Answer::Unsatisfiable,
            Status::UNKNOWN => Answer::Unknown(self.watch.reason()),
        }
    }

    /// As [`Sat::solve`], but gives up after so many conflicts.
    pub fn solve_within(
        &mut self,
        conflicts: i32,
        assumptions: &[i32],
        budget: &Budget,
        memory: Option<u64>,
    ) -> Answer {
        // The limit holds for the next call only.
        self.solver.limit("conflicts", conflicts);
        self.solve(assumptions, budget, memory)
    }

    /// The value of a literal after [`Answer::Satisfiable`].
    pub fn value(&mut self, literal: i32) -> bool {
        self.solver.val(literal) > 0
    }

    /// Whether this assumption was used for [`Answer::Unsatisfiable`].
    pub fn failed(&mut self, assumption: i32) -> bool {
        self.solver.failed(assumption)
    }
}

/// Why a budget that is used up is used up.
pub(super) fn reason_of(budget: &Budget) -> Reason {
    if budget.stopped() { Reason::Stopped } else { Reason::Time }
}

/// The terminator. CaDiCaL asks it at each conflict or decision, but rarely
/// while it simplifies: so it looks at the clock each time, and at the memory
/// when some time has passed.
#[derive(Clone, Default)]
struct Watch {
    state: Rc<WatchState>,
}

#[derive(Default)]
struct WatchState {
    budget: std::cell::RefCell<Budget>,
    most_resident: Cell<Option<u64>>,
    next_memory_look: Cell<Option<Instant>>,
    outgrown: Cell<bool>,
}

/// How long the memory may go unwatched.
const MEMORY_INTERVAL: Duration = Duration::from_millis(10);

impl Watch {
    fn begin(&self, budget: &Budget, memory: Option<u64>) {
        let state = &self.state;
        *state.budget.borrow_mut() = budget.clone();
        state.most_resident.set(memory.map(|memory| memory.saturating_add(resident_bytes())));
        state.next_memory_look.set(memory.map(|_| Instant::now() + MEMORY_INTERVAL));
        state.outgrown.set(false);
    }

    fn reason(&self) -> Reason {
        if self.state.outgrown.get() {
            Reason::Memory
        } else {
            reason_of(&self.state.budget.borrow())
        }
    }
}

impl Terminator for Watch {
    fn terminated(&mut self) -> bool {
        let state = &self.state;
        let budget = state.budget.borrow();
        if budget.stopped() || state.outgrown.get() {
            return true;
        }
        if let (Some(most), Some(due)) = (state.most_resident.get(), state.next_memory_look.get()) {
            let now = Instant::now();
            if now >= due {
                state.next_memory_look.set(Some(now + MEMORY_INTERVAL));
                state.outgrown.set(resident_bytes() > most);
            }
        }
        state.outgrown.get() || budget.exhausted()
    }
}

/// What the process has in memory, as far as the system tells.
pub(super) fn resident_bytes() -> u64 {
    let Ok(statm) = std::fs::read_to_string("/proc/self/statm") else { return 0 };
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

#[cfg(test)]
mod tests {
    use super::*;

    /// That `holes + 1` pigeons do not fit: hard for resolution.
    fn pigeons(sat: &mut Sat, holes: usize) {
        let places: Vec<Vec<i32>> =
            (0..=holes).map(|_| (0..holes).map(|_| sat.variable()).collect()).collect();
        for pigeon in &places {
            sat.clause(pigeon);
        }
        for (i, pigeon) in places.iter().enumerate() {
            for other in &places[..i] {
                for (place, same) in pigeon.iter().zip(other) {
                    sat.clause(&[-place, -same]);
                }
            }
        }
    }

    #[test]
    fn assumptions_hold_for_one_call() {
        let mut sat = Sat::new();
        let (a, b) = (sat.variable(), sat.variable());
        sat.clause(&[a, b]);
        let budget = Budget::unlimited();
        assert_eq!(sat.solve(&[-a, -b], &budget, None), Answer::Unsatisfiable);
        assert!(sat.failed(-a) && sat.failed(-b));
        assert_eq!(sat.solve(&[-a], &budget, None), Answer::Satisfiable);
        assert!(sat.value(b) && !sat.value(a));
    }

    #[test]
    fn time_is_kept() {
        let mut sat = Sat::new();
        pigeons(&mut sat, 14);
        let start = Instant::now();
        let answer = sat.solve(&[], &Budget::lasting(Duration::from_millis(200)), None);
        assert_eq!(answer, Answer::Unknown(Reason::Time));
        assert!(start.elapsed() < Duration::from_millis(1000), "{:?}", start.elapsed());
        let stopped = Budget::unlimited();
        stopped.cancel();
        assert_eq!(sat.solve(&[], &stopped, None), Answer::Unknown(Reason::Stopped));
    }

    #[test]
    fn memory_is_bounded() {
        let mut sat = Sat::new();
        pigeons(&mut sat, 40);
        let answer = sat.solve(&[], &Budget::lasting(Duration::from_secs(20)), Some(1 << 20));
        assert_eq!(answer, Answer::Unknown(Reason::Memory));
    }
}
