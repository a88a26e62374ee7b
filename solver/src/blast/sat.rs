//! The SAT solver: CaDiCaL, with a budget it keeps and a bound on memory.
//!
//! CaDiCaL asks whether to go on at every conflict and decision, but not while
//! it simplifies a large formula, which can take a good part of a second. So a
//! call about a large formula runs on a thread of its own. If that has not come
//! back shortly after the deadline, the call is answered without it; the solver
//! is waited for when it is needed next.

use super::Reason;
use super::proof::{Proof, Recorder};
use cadical_sys::{CaDiCal, Status, Terminator};
use nanoscope_budget::Budget;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What the solver says: there is an assignment, which [`Sat::value`] reads; there is none, and
/// [`Sat::failed`] tells which assumptions clash; or it gave up.
pub type Answer = nanoscope_term::Verdict<Reason, ()>;

/// A SAT solver with clauses added once and for all, and assumptions that hold
/// for one call.
///
/// Literals are as in DIMACS: a variable's number, negative when negated.
/// CaDiCaL's own environment variables (`CADICAL_...`) change its options.
pub struct Sat {
    place: Place,
    variables: i32,
    clauses: u64,
    /// Clauses added while the solver was away, each ended by a zero.
    waiting: Vec<i32>,
    conflicts: i64,
    recorder: Option<Recorder>,
    watch: Watch,
    /// What the process had in memory when the query began.
    resident: u64,
}

/// Where the solver is.
enum Place {
    Here(Movable),
    /// With a thread whose call went on beyond its deadline.
    Away(Receiver<(Movable, Status)>),
    /// The thread died, which it does only when CaDiCaL's binding panics.
    Lost,
}

/// A solver that may go to another thread.
struct Movable(CaDiCal);

#[allow(unsafe_code, reason = "the binding does not say which thread may call it")]
// SAFETY: a CaDiCaL solver has no ties to the thread that made it, and is never
// shared: whoever has it has it alone. What it calls back, `Watch` and
// `Recorder`, may be used from any thread, which `connected_from_any_thread`
// asks the compiler.
unsafe impl Send for Movable {}

const fn connected_from_any_thread<T: Send>() {}
const _: () = connected_from_any_thread::<Watch>();
const _: () = connected_from_any_thread::<Recorder>();

/// Formulas of this many clauses are solved on a thread of their own.
const LARGE: u64 = 20_000;

/// How long a call may come back after its deadline before it is left alone.
const GRACE: Duration = Duration::from_millis(5);

/// How often the stop flag is looked at while another thread works.
const PULSE: Duration = Duration::from_millis(5);

impl Default for Sat {
    fn default() -> Sat {
        Sat::new()
    }
}

impl Drop for Sat {
    fn drop(&mut self) {
        // Taking a large solver apart takes time that nobody should wait for.
        if self.clauses >= LARGE
            && let Place::Here(solver) = std::mem::replace(&mut self.place, Place::Lost)
        {
            std::thread::spawn(move || drop(solver));
        }
    }
}

impl Sat {
    /// A solver without clauses.
    pub fn new() -> Sat {
        let watch = Watch::default();
        let mut solver = CaDiCal::new();
        solver.connect_terminator(watch.clone());
        Sat {
            place: Place::Here(Movable(solver)),
            variables: 0,
            clauses: 0,
            waiting: Vec::new(),
            conflicts: 0,
            recorder: None,
            watch,
            resident: resident_bytes(),
        }
    }

    /// Begins a query: what it takes of the memory is counted from here. A new solver has begun one.
    pub fn begin_query(&mut self) {
        self.resident = resident_bytes();
    }

    /// The solver, unless a call is still under way.
    fn here(&mut self) -> Option<&mut CaDiCal> {
        match &mut self.place {
            Place::Here(solver) => Some(&mut solver.0),
            Place::Away(_) | Place::Lost => None,
        }
    }

    /// Waits for a call that is still under way; whether it came back.
    pub fn come_back(&mut self, budget: &Budget) -> bool {
        let Place::Away(receiver) = &self.place else { return self.here().is_some() };
        match wait(receiver, budget, Duration::ZERO) {
            Ok((solver, _)) => self.settle(solver),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.place = Place::Lost,
        }
        self.here().is_some()
    }

    /// The solver is here again, and gets what was added meanwhile.
    fn settle(&mut self, mut solver: Movable) {
        for literal in self.waiting.drain(..) {
            solver.0.add(literal);
        }
        self.conflicts = solver.0.get_statistic_value("conflicts");
        self.place = Place::Here(solver);
    }

    /// Keeps what is derived from what; see [`Sat::proof`]. Only before the
    /// first clause.
    pub fn trace(&mut self) {
        let recorder = Recorder::default();
        if let Some(solver) = self.here() {
            solver.connect_proof_tracer1(recorder.clone(), true, false);
        }
        self.recorder = Some(recorder);
    }

    /// What was derived since [`Sat::trace`].
    pub fn proof(&self) -> Option<Proof> {
        self.recorder.as_ref().map(Recorder::proof)
    }

    /// Sets an option of CaDiCaL's; whether it has one of that name. Only
    /// before the first clause.
    pub fn option(&mut self, name: &str, value: i32) -> bool {
        CaDiCal::is_valid_option(name) && self.here().is_some_and(|solver| solver.set(name, value))
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
        self.conflicts
    }

    /// Adds a clause.
    pub fn clause(&mut self, literals: &[i32]) {
        self.clauses += 1;
        match &mut self.place {
            Place::Here(solver) => {
                literals.iter().for_each(|&literal| solver.0.add(literal));
                solver.0.add(0);
            }
            Place::Away(_) | Place::Lost => {
                self.waiting.extend(literals);
                self.waiting.push(0);
            }
        }
    }

    /// The value a decision on this variable tries first.
    pub fn prefer(&mut self, literal: i32) {
        if let Some(solver) = self.here() {
            solver.phase(literal);
        }
    }

    /// Forgets what [`Sat::prefer`] said of this variable.
    pub fn no_preference(&mut self, literal: i32) {
        if let Some(solver) = self.here() {
            solver.unphase(literal);
        }
    }

    /// Solves under assumptions. `memory` bounds, in bytes, how much the
    /// process may grow meanwhile.
    pub fn solve(&mut self, assumptions: &[i32], budget: &Budget, memory: Option<u64>) -> Answer {
        self.solve_limited(None, assumptions, budget, memory)
    }

    /// As [`Sat::solve`], but gives up after so many conflicts.
    pub fn solve_within(
        &mut self,
        conflicts: i32,
        assumptions: &[i32],
        budget: &Budget,
        memory: Option<u64>,
    ) -> Answer {
        self.solve_limited(Some(conflicts), assumptions, budget, memory)
    }

    fn solve_limited(
        &mut self,
        conflicts: Option<i32>,
        assumptions: &[i32],
        budget: &Budget,
        memory: Option<u64>,
    ) -> Answer {
        if budget.exhausted() || !self.come_back(budget) {
            return Answer::Unknown(reason_of(budget));
        }
        let Place::Here(mut solver) = std::mem::replace(&mut self.place, Place::Lost) else {
            return Answer::Unknown(reason_of(budget));
        };
        let most_resident = memory.map(|memory| memory.saturating_add(self.resident));
        self.watch.begin(budget, most_resident);
        if let Some(conflicts) = conflicts {
            // The limit holds for the next call only.
            solver.0.limit("conflicts", conflicts);
        }
        assumptions.iter().for_each(|&literal| solver.0.assume(literal));
        let status = if self.clauses < LARGE {
            let status = solver.0.solve();
            self.settle(solver);
            status
        } else {
            let (sender, receiver) = mpsc::channel();
            std::thread::spawn(move || {
                let mut solver = solver;
                let status = solver.0.solve();
                // Nobody may be waiting any more.
                let _ = sender.send((solver, status));
            });
            match wait(&receiver, budget, GRACE) {
                Ok((solver, status)) => {
                    self.settle(solver);
                    status
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.place = Place::Away(receiver);
                    Status::UNKNOWN
                }
                Err(RecvTimeoutError::Disconnected) => panic!("the SAT solver's thread died"),
            }
        };
        match status {
            Status::SATISFIABLE => Answer::Sat(()),
            Status::UNSATISFIABLE => Answer::Unsat,
            Status::UNKNOWN => Answer::Unknown(self.watch.reason()),
        }
    }

    /// The value of a literal after [`Answer::Sat`](Answer).
    pub fn value(&mut self, literal: i32) -> bool {
        self.here().is_some_and(|solver| solver.val(literal) > 0)
    }

    /// Whether this assumption was used for [`Answer::Unsat`](Answer).
    pub fn failed(&mut self, assumption: i32) -> bool {
        self.here().is_some_and(|solver| solver.failed(assumption))
    }
}

/// Waits for a solver until some time after the budget's end.
fn wait(
    receiver: &Receiver<(Movable, Status)>,
    budget: &Budget,
    grace: Duration,
) -> Result<(Movable, Status), RecvTimeoutError> {
    loop {
        let over = budget.exhausted();
        let patience = if over { grace } else { PULSE.min(budget.remaining().unwrap_or(PULSE)) };
        match receiver.recv_timeout(patience) {
            Err(RecvTimeoutError::Timeout) if !over => {}
            other => return other,
        }
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
    state: Arc<Mutex<WatchState>>,
}

#[derive(Default)]
struct WatchState {
    budget: Budget,
    most_resident: Option<u64>,
    next_memory_look: Option<Instant>,
    outgrown: bool,
}

/// How long the memory may go unwatched.
const MEMORY_INTERVAL: Duration = Duration::from_millis(10);

impl Watch {
    fn begin(&self, budget: &Budget, most_resident: Option<u64>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = WatchState {
            budget: budget.clone(),
            most_resident,
            next_memory_look: most_resident.map(|_| Instant::now() + MEMORY_INTERVAL),
            outgrown: false,
        };
    }

    fn reason(&self) -> Reason {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.outgrown { Reason::Memory } else { reason_of(&state.budget) }
    }
}

impl Terminator for Watch {
    fn terminated(&mut self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.budget.stopped() || state.outgrown {
            return true;
        }
        if let (Some(most), Some(due)) = (state.most_resident, state.next_memory_look) {
            let now = Instant::now();
            if now >= due {
                state.next_memory_look = Some(now + MEMORY_INTERVAL);
                state.outgrown = resident_bytes() > most;
            }
        }
        state.outgrown || state.budget.exhausted()
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
        assert_eq!(sat.solve(&[-a, -b], &budget, None), Answer::Unsat);
        assert!(sat.failed(-a) && sat.failed(-b));
        assert_eq!(sat.solve(&[-a], &budget, None), Answer::Sat(()));
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
    fn a_call_left_behind_comes_back() {
        let mut sat = Sat::new();
        pigeons(&mut sat, 60);
        assert!(sat.clauses() >= LARGE);
        let start = Instant::now();
        for milliseconds in [1, 20, 40] {
            let budget = Budget::lasting(Duration::from_millis(milliseconds));
            assert_eq!(sat.solve(&[], &budget, None), Answer::Unknown(Reason::Time));
        }
        assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
        // Whatever is added meanwhile is there when it is back.
        let last = sat.variable();
        sat.clause(&[last]);
        sat.clause(&[-last]);
        let budget = Budget::lasting(Duration::from_secs(20));
        assert_eq!(sat.solve(&[], &budget, None), Answer::Unsat);
    }

    #[test]
    fn memory_is_bounded() {
        let mut sat = Sat::new();
        pigeons(&mut sat, 40);
        let answer = sat.solve(&[], &Budget::lasting(Duration::from_secs(20)), Some(1 << 20));
        assert_eq!(answer, Answer::Unknown(Reason::Memory));
    }
}
