//! Workers: child processes that run instrumented code on batches of points.
//!
//! A crash, an `exit`, an endless loop or runaway memory costs the point that did
//! it and a new child; the rest of the batch goes on.

use crate::board::{Board, Entry, SLOTS, Shape, Slot};
use crate::child::{Child, NOT_SET_UP, event, last_error, leave};
use crate::fork_server::{ForkServer, Order, Role, Subject};
use crate::sandbox::Sandbox;
use crate::{Death, Limits, Observer, Record, runner};
use nanoscope_budget::Budget;
use nanoscope_program::{Fault, Instrumented};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A run that came nearer to a goal than any before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Improvement {
    /// The point's position in the batch.
    pub index: usize,
    /// The goal's position in the library's list; its edges follow its goals.
    pub goal: usize,
    /// How near: 0 is a hit.
    pub distance: u64,
    /// The point.
    pub point: Vec<u64>,
    /// What the goal's place was given and gave.
    pub record: Record,
    /// Whether the run was ended later on, and why.
    pub late: Option<Late>,
}

/// Why a run was ended that did not end by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// Out of fuel.
    Fuel,
    /// Aborted, divided an integer by zero, or came to a missing function.
    Aborted,
}

/// A run that took its process with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Casualty {
    /// The point's position in the batch.
    pub index: usize,
    /// What happened.
    pub how: Death,
    /// The point.
    pub point: Vec<u64>,
}

/// What came of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// In the order they happened; the last of a goal is the nearest. Of thousands, a
    /// goal's later ones take the place of earlier ones.
    pub improvements: Vec<Improvement>,
    /// Points whose run did not return.
    pub casualties: Vec<Casualty>,
    /// Points run, casualties included.
    pub evaluations: u64,
    /// Runs that ended early: out of fuel, or at a missing function.
    pub stopped: u64,
    /// Runs that aborted, or divided an integer by zero; not counted in `stopped`.
    pub aborted: u64,
    /// Fuel that the runs used: iterations of loops, mostly. A casualty counts for a hundred
    /// thousand.
    pub burnt: u64,
    /// Fuel that each run had.
    pub fuel: i64,
}

/// Fuel that is as dear as a new process.
const PROCESS: u64 = 100_000;

/// A process that runs an instrumented library. It belongs to the thread that
/// started it (and dies with that thread), so it cannot be sent to another.
pub struct Worker {
    instrumented: Instrumented,
    server: Rc<ForkServer>,
    limits: Limits,
    board: Box<Board>,
    child: Option<Child>,
    wake: OwnedFd,
    done: OwnedFd,
    /// Of the batches that are run or wait to be, oldest first: the points, and what they may
    /// use together.
    begun: VecDeque<Begun>,
    /// The slot of the oldest of them, or of the next.
    oldest: usize,
    restarts: u64,
    _thread_bound: PhantomData<*const ()>,
}

impl Worker {
    /// Starts a process for batches of up to `capacity` points.
    pub fn start(
        instrumented: &Instrumented,
        limits: &Limits,
        capacity: usize,
    ) -> Result<Worker, Fault> {
        Worker::with_observer(instrumented, instrumented.probes.clone(), limits, capacity)
    }

    /// The same with another opinion on what is near to a goal than the library's.
    pub fn with_observer(
        instrumented: &Instrumented,
        observer: Arc<dyn Observer>,
        limits: &Limits,
        capacity: usize,
    ) -> Result<Worker, Fault> {
        let target = &instrumented.target;
        let goals = instrumented.goals.len() + instrumented.edges;
        let active = target.goals.iter().map(|goal| goal.0 as usize).chain(target.edges.clone());
        let active: Vec<usize> = active.collect();
        let shape = Shape {
            capacity,
            words: target.input_words,
            output_words: target.output_words,
            goals,
            active: active.len(),
        };
        let role = Role::Search(Arc::clone(&observer));
        let subject = Subject::new(instrumented.library.clone(), role, limits);
        let server = ForkServer::of(subject, limits, &|numbers, memory, events| {
            let &[entry, first, ref shape @ ..] = numbers else { leave(NOT_SET_UP) };
            let Ok(shape) = shape.try_into() else { leave(NOT_SET_UP) };
            let board = Board::of_child(memory, Shape::of(shape));
            let subject = (instrumented.library.as_path(), entry as u32);
            runner::run(subject, &observer, &board, first as usize, events)
        })?;
        let mut worker = Worker {
            instrumented: instrumented.clone(),
            server,
            limits: limits.clone(),
            board: Box::new(Board::new(shape, active)?),
            child: None,
            wake: event()?,
            done: event()?,
            begun: VecDeque::with_capacity(SLOTS),
            oldest: 0,
            restarts: 0,
            _thread_bound: PhantomData,
        };
        worker.launch()?;
        Ok(worker)
    }

    /// What protects the machine from the code that is run.
    pub fn sandbox(&self) -> Sandbox {
        self.server.sandbox()
    }

    /// The processor time of the process as it is; of those before it, the thread's
    /// [`processor_time`](crate::processor_time) tells.
    pub fn processor_time(&self) -> Duration {
        self.child.as_ref().map_or(Duration::ZERO, Child::processor_time)
    }

    /// How often the process had to be replaced.
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// How many batches were begun and not finished: two at most.
    pub fn begun(&self) -> usize {
        self.begun.len()
    }

    /// Where the next batch is to be written: capacity times the words of a point.
    /// Usable while one batch is running: that one is elsewhere.
    ///
    /// # Panics
    /// When two batches are begun.
    pub fn points_mut(&mut self) -> &mut [u64] {
        let board = &*self.board;
        let slot = self.idle();
        // SAFETY: the idle slot's buffer, of this length, which the child does not look at.
        unsafe { std::slice::from_raw_parts_mut(slot.points, board.capacity * board.words) }
    }

    /// Starts running the first `count` points of [`Worker::points_mut`], after those of
    /// the batch begun before. `best` has for every goal and edge the distance to beat; 0
    /// asks nothing of it. Only the target's own are looked at.
    pub fn begin(&mut self, count: usize, best: &[u64]) -> Result<(), Fault> {
        self.begin_with(count, best, self.limits.fuel, u64::MAX)
    }

    /// The same with another amount of fuel for each run, and when all together have used so
    /// much, new processes included, the other points are not run.
    pub fn begin_with(
        &mut self,
        count: usize,
        best: &[u64],
        fuel: i64,
        most: u64,
    ) -> Result<(), Fault> {
        assert!(count <= self.board.capacity && best.len() == self.board.goals);
        if self.child.is_none() {
            self.launch()?; // the last batch was interrupted
        }
        let slot = self.idle();
        // SAFETY: the child does not touch a slot before it is told to.
        unsafe {
            for &goal in &self.board.active {
                *slot.best.add(goal) = best[goal];
            }
            let standing = &mut *slot.standing;
            standing.batch.count = count as u64;
            standing.batch.next = 0;
            standing.batch.fuel = fuel;
            standing.batch.most = most.max(1);
            standing.batch.stopped = 0;
            standing.batch.burnt = 0;
            std::ptr::write_bytes(slot.late, 0, count);
            standing.aborted = 0;
            standing.logged = 0;
        }
        self.begun.push_back(Begun { count, most, fuel });
        signal(self.wake.as_raw_fd());
        Ok(())
    }

    /// Waits for the oldest batch to end, replacing the process as often as it takes.
    /// When the budget ends first, all that was begun is broken off.
    pub fn finish(&mut self, budget: &Budget) -> Result<Batch, Fault> {
        let begun = *self.begun.front().expect("no batch is running: begin one first");
        let count = begun.count;
        let slot = self.board.slots[self.oldest];
        let mut batch = Batch::default();
        let mut broken_off = false;
        loop {
            let end = self.wait_for_end(budget, self.limits.stall)?;
            self.drain(slot, count, &mut batch);
            match end {
                End::Done => break,
                End::Died(how) => {
                    let index = (next_of(slot) as usize).saturating_sub(1).min(count - 1);
                    let point = self.point(slot, index).to_vec();
                    batch.casualties.push(Casualty { index, how, point });
                    broken_off = burnt_in(slot, begun, &batch) >= begun.most;
                    if budget.exhausted() || broken_off {
                        self.child = None;
                        break;
                    }
                    self.restarts += 1;
                    self.launch()?;
                }
                End::Interrupted => break,
            }
        }
        batch.evaluations = next_of(slot).min(count as u64);
        // SAFETY: the child is done with this slot, or dead.
        let standing = unsafe { &*slot.standing };
        // No more than can be: the code under test may have written over it.
        batch.aborted = standing.aborted.min(count as u64);
        batch.burnt = burnt_in(slot, begun, &batch);
        batch.fuel = begun.fuel;
        batch.stopped = standing.batch.stopped.min(count as u64).saturating_sub(batch.aborted);
        self.begun.pop_front();
        self.oldest = (self.oldest + 1) % SLOTS;
        match &self.child {
            Some(_) => {}
            None if broken_off && !budget.exhausted() && !self.begun.is_empty() => self.launch()?,
            None => self.begun.clear(),
        }
        Ok(batch)
    }

    /// [`Worker::begin`] and [`Worker::finish`]; lowers `best` to what was reached.
    pub fn run(&mut self, points: &[u64], best: &mut [u64]) -> Result<Batch, Fault> {
        let words = self.board.words;
        self.points_mut()[..points.len()].copy_from_slice(points);
        self.begin(points.len().checked_div(words).unwrap_or(1), best)?;
        let batch = self.finish(&Budget::unlimited())?;
        for improvement in &batch.improvements {
            best[improvement.goal] = improvement.distance;
        }
        Ok(batch)
    }

    fn launch(&mut self) -> Result<(), Fault> {
        self.child = None; // the last one has to be gone before its memory is reused
        drain_event(self.wake.as_raw_fd());
        drain_event(self.done.as_raw_fd());
        let (wake, done) = (self.wake.as_raw_fd(), self.done.as_raw_fd());
        let [capacity, words, output_words, goals, active] = self.board.make_ready().numbers();
        let (entry, first) = (u64::from(self.instrumented.target.entry), self.oldest as u64);
        let child = self.server.fork(&Order {
            numbers: &[entry, first, capacity, words, output_words, goals, active],
            memory: &self.board.memory,
            events: (wake, done),
            output: None,
        })?;
        self.child = Some(child);
        // On a busy machine a large library takes its time to load.
        const LOADING: Duration = Duration::from_secs(30);
        let how = match self.wait_for_end(&Budget::unlimited(), LOADING)? {
            End::Done => {
                // What was begun goes on, from where the last one left it.
                self.begun.iter().for_each(|_| signal(wake));
                return Ok(());
            }
            End::Died(how) => how,
            End::Interrupted => unreachable!("by an unlimited budget of our own"),
        };
        self.child = None;
        // SAFETY: the child is dead.
        let trouble = unsafe { (*self.board.head).trouble.read() };
        let library = self.instrumented.library.display();
        Err(match (trouble, how) {
            (Some(trouble), _) => Fault::User(format!("cannot load {library}: {trouble}")),
            (None, Death::Exited(NOT_SET_UP)) => {
                Fault::Internal("the kernel refused the sandbox of a worker".into())
            }
            (None, how) => {
                Fault::User(format!("loading {library} ran code that ended the process: {how:?}"))
            }
        })
    }

    fn wait_for_end(&mut self, budget: &Budget, patience: Duration) -> Result<End, Fault> {
        // How often the budget is looked at while a batch takes long.
        const GLANCE: i32 = 5;
        let child = self.child.as_mut().expect("launched");
        let mut progress = u64::MAX;
        let mut since = Instant::now();
        loop {
            let watched = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
            let mut events = [watched(self.done.as_raw_fd()), watched(child.descriptor())];
            // SAFETY: two initialised entries.
            let ready = unsafe { libc::poll(events.as_mut_ptr(), 2, GLANCE) };
            if ready < 0 {
                if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) {
                    continue;
                }
                return Err(last_error("cannot wait for a worker"));
            }
            if events[0].revents & libc::POLLIN != 0 {
                take_event(self.done.as_raw_fd());
                return Ok(End::Done);
            }
            if ready > 0 {
                let how = child.reap();
                // SAFETY: the child is dead.
                let exhausted = unsafe { (*self.board.head).out_of_memory } != 0;
                return Ok(End::Died(if exhausted { Death::OutOfMemory } else { how }));
            }
            let next = next_of(self.board.slots[self.oldest]);
            if next != progress {
                (progress, since) = (next, Instant::now());
            }
            if since.elapsed() >= patience {
                child.kill();
                child.reap();
                return Ok(End::Died(Death::TimedOut));
            }
            if budget.exhausted() {
                self.child = None; // which kills it
                return Ok(End::Interrupted);
            }
        }
    }

    /// The slot that no begun batch is in.
    fn idle(&self) -> Slot {
        assert!(self.begun.len() < SLOTS, "two batches are begun: finish one first");
        self.board.slots[(self.oldest + self.begun.len()) % SLOTS]
    }

    /// A point of the batch that is being finished.
    fn point(&self, slot: Slot, index: usize) -> &[u64] {
        let board = &*self.board;
        assert!(index < board.capacity);
        // SAFETY: within the buffer, which the caller does not fill now.
        unsafe { std::slice::from_raw_parts(slot.points.add(index * board.words), board.words) }
    }

    /// Moves the log into `batch`. The code under test may have written anywhere in
    /// it, so nothing in it is believed before it is checked.
    fn drain(&mut self, slot: Slot, count: usize, batch: &mut Batch) {
        let board = &*self.board;
        // SAFETY: the child is done with the slot or dead; every index is checked.
        unsafe {
            let entries = ((*slot.standing).logged as usize).min(board.log_full + board.goals);
            for place in 0..entries {
                let entry = *slot.log.add(place);
                let (index, goal) = (entry.point as usize, entry.goal as usize);
                if index < count && goal < board.goals {
                    let point = self.point(slot, index).to_vec();
                    let Entry { distance, record, .. } = entry;
                    // Not through the batch, where a wild store may have been.
                    let late = match *slot.late.add(index) {
                        0 => None,
                        1 => Some(Late::Fuel),
                        _ => Some(Late::Aborted),
                    };
                    let improvement = Improvement { index, goal, distance, point, record, late };
                    batch.improvements.push(improvement);
                }
            }
            (*slot.standing).logged = 0;
        }
    }
}

/// What waiting for a child came to.
enum End {
    Done,
    Died(Death),
    Interrupted,
}

/// A batch that was begun.
#[derive(Clone, Copy)]
struct Begun {
    /// Its points.
    count: usize,
    /// What all its runs may use, and what each may.
    most: u64,
    fuel: i64,
}

/// What the runs of a slot's batch have used. Who uses up the batch's ends it.
fn burnt_in(slot: Slot, begun: Begun, batch: &Batch) -> u64 {
    // SAFETY: the child is done with this slot, or dead.
    let burnt = unsafe { (*slot.standing).batch.burnt };
    let each = u64::try_from(begun.fuel).unwrap_or(0);
    burnt
        .min(begun.most.saturating_add(each))
        .saturating_add(PROCESS * batch.casualties.len() as u64)
}

/// How many points of a slot's batch were begun.
fn next_of(slot: Slot) -> u64 {
    // SAFETY: an aligned word of a mapping that lives as long as the worker, stored
    // atomically by the runtime.
    unsafe { AtomicU64::from_ptr(&raw mut (*slot.standing).batch.next).load(Ordering::Acquire) }
}

pub(crate) fn signal(descriptor: RawFd) {
    let one = 1u64;
    // SAFETY: an eventfd takes eight bytes, and does not block below 2^64 - 1.
    unsafe { libc::write(descriptor, (&raw const one).cast(), 8) };
}

/// Takes all signals that are there without waiting.
pub(crate) fn drain_event(descriptor: RawFd) {
    let mut ready = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
    // SAFETY: one initialised entry.
    while unsafe { libc::poll(&mut ready, 1, 0) } > 0 {
        take_event(descriptor);
    }
}

/// Takes one signal that is there.
pub(crate) fn take_event(descriptor: RawFd) {
    let mut count = 0u64;
    // SAFETY: an eventfd gives eight bytes.
    unsafe { libc::read(descriptor, (&raw mut count).cast(), 8) };
}
