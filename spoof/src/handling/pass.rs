//! One pass over the program: it runs, and its calls of functions under test are looked at, each in a
//! process of its own.

use super::code::Code;
use super::confirm::Fresh;
use super::examine::{InputSpoofs, Stand};
use super::gather::{Gathered, Key};
use super::goal::Goal;
use super::launch::{cannot_run, furnish, last_words, not_started};
use super::results::ResultSpoofs;
use super::saved::Store;
use super::turns::{Census, Shares};
use super::{
    Cause, Effect, Examined, Failing, Observer, Options, Progress, Tested, Trouble, Unfit, lock,
};
use crate::prototype::{Prototype, signature};
use crate::run::{
    Breakpoint, Event, Launch, Layout, Module, Modules, Peek, Scratch, Shared, Stop, Subject,
    Walls, Worker, channel_of, executable, foreign,
};
use crate::sites::Spoof;
use crate::trace::State;
use nanoscope_search::Budget;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// A call on its way to a worker.
pub struct Job {
    slot: usize,
    process: i32,
    function: usize,
    pub call: u64,
    /// Which failure of the call is to be confirmed.
    number: usize,
    pub state: Box<State>,
    pub modules: Arc<Modules>,
}

/// A function that breakpoints are at.
pub struct Entry {
    pub prototype: usize,
    pub tested: Tested,
    pub address: u64,
}

/// Of one instruction in one call, at most so many executions are spoofed.
const MOST_HITS: u64 = 400;

pub struct Pass<'a> {
    pub options: &'a Options,
    pub layout: Layout,
    pub prototypes: &'a [&'a Prototype],
    pub code: &'a Code,
    pub gathered: &'a Mutex<Gathered>,
    pub budget: &'a Budget,
    pub observer: &'a dyn Observer,
    /// Where what is done is kept.
    pub store: Option<&'a Store>,
    /// The calls that the program makes, if they were counted.
    pub census: &'a Census,
    pub shares: &'a Shares,
    /// Calls that this pass left to a later one, or did not finish.
    pub left_over: Mutex<BTreeSet<u64>>,
    /// How many functions are called, and of how many nothing is left to do.
    pub functions: usize,
    pub whole: usize,
    pub goal: Goal,
}

/// The workers that are alive, so that all of them can be ended at once.
type Alive = Mutex<BTreeSet<i32>>;

/// A slot while a worker has it: given back however its work ends.
struct Lent<'a> {
    slot: usize,
    process: i32,
    alive: &'a Alive,
    give_back: &'a mpsc::Sender<usize>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // Reaped: the number may become another's.
        lock(self.alive).remove(&self.process);
        let _ = self.give_back.send(self.slot);
    }
}

impl Pass<'_> {
    /// Runs the program. Gives how it ended, the functions that are nowhere, and notes.
    pub fn run(
        &self,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Stop, Vec<String>, Vec<String>), Trouble> {
        let internal = |error: &dyn std::fmt::Display| Trouble::Internal(error.to_string());
        let program = Path::new(&self.options.command[0]);
        if let Some(why) = executable(program).and_then(|file| foreign(&file)) {
            return Err(Trouble::User(format!("cannot test {}: {why}", program.display())));
        }
        let private = Scratch::new().map_err(|error| internal(&error))?;
        let scratch = private.path().join("work");
        furnish(&scratch).map_err(|error| internal(&error))?;
        let walls = Walls::around(&scratch).map_err(|error| internal(&error))?;
        let mut notes = Vec::new();
        if !walls.confines_files() {
            notes.push("this kernel has no Landlock: the subject could write no file".to_string());
        }
        let shared = Shared::new(self.layout.components, self.layout.bytes).map_err(|error| {
            Trouble::User(format!(
                "cannot share memory with the program (memfd_create, 256 MB): {error}\n\nContainers: \
                 allow that system call, and enough memory."
            ))
        })?;
        let threads =
            ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS"];
        let environment = threads.map(|name| (OsString::from(name), OsString::from("1")));
        let launch = Launch {
            command: self.options.command.clone(),
            preload: self.options.preload.clone(),
            environment: environment.to_vec(),
            input: self.options.input.clone(),
            scratch,
            private: private.path().to_path_buf(),
        };
        let mut subject = Subject::start(&launch, &shared, self.layout, walls)
            .map_err(|error| cannot_run(Path::new(&launch.command[0]), &error))?;
        let slots = self.options.jobs.clamp(1, 12);
        let entries: Mutex<Vec<Entry>> = Mutex::new(Vec::new());
        let errno = Mutex::new(0u64);
        let alive = Alive::default();
        let (give_back, free) = mpsc::channel::<usize>();
        (0..slots).for_each(|slot| {
            let _ = give_back.send(slot);
        });
        let result = std::thread::scope(|scope| {
            let mut lanes = Vec::new();
            for _ in 0..slots {
                let (send, receive) = mpsc::channel::<Job>();
                lanes.push(send);
                let (shared, entries, errno, alive, give_back) =
                    (&shared, &entries, &errno, &alive, give_back.clone());
                scope.spawn(move || {
                    for job in receive {
                        let (slot, process) = (job.slot, job.process);
                        let _lent = Lent { slot, process, alive, give_back: &give_back };
                        let worker = Worker::new(shared, slot, process, self.layout);
                        if !stop() {
                            let (function, begin) = (job.function, Instant::now());
                            self.examine(worker, job, entries, *lock(errno));
                            self.shares.spend(function, begin.elapsed());
                        }
                    }
                });
            }
            let main = Main { pass: self, shared: &shared, stop, free: &free, alive: &alive };
            let ended = main.events(&mut subject, &launch, &entries, &errno, &lanes);
            drop(lanes);
            if stop() {
                subject.kill();
            }
            // Until every worker is done, or there is no more time.
            let mut idle = 0;
            while idle < slots {
                match free.recv_timeout(Duration::from_millis(50)) {
                    Ok(_) => idle += 1,
                    Err(_) if stop() => main.kill_workers(),
                    Err(_) => {}
                }
            }
            ended
        });
        let ended = result?;
        let entries = lock(&entries);
        let absent: Vec<String> = self
            .prototypes
            .iter()
            .enumerate()
            .filter(|(k, _)| !entries.iter().any(|entry| entry.prototype == *k))
            .map(|(_, prototype)| prototype.name.clone())
            .collect();
        if absent.len() == self.prototypes.len() && !stop() {
            let none = "none of the functions with a prototype is in the program or in a library it \
                        loaded";
            return Err(Trouble::User(format!("{none}: {}", last_words(&launch, ended))));
        }
        notes.extend(self.not_preloaded(&entries));
        if let Goal::Census(census) = &self.goal {
            lock(census).functions = entries.iter().map(|entry| entry.tested.clone()).collect();
        }
        Ok((ended, absent, notes))
    }

    /// Looks at one call.
    fn examine(&self, mut worker: Worker, job: Job, entries: &Mutex<Vec<Entry>>, errno: u64) {
        let (tested, prototype) = {
            let entries = lock(entries);
            let entry = &entries[job.function];
            (entry.tested.clone(), self.prototypes[entry.prototype])
        };
        let stand = Stand {
            prototype,
            state: &job.state,
            modules: &job.modules,
            layout: self.layout,
            errno: errno_of(errno, &job),
            integer_bits: self.options.integer_bits,
        };
        if let Goal::Confirm(failures) = &self.goal {
            if let Some((key, failure)) =
                failures.get(&job.call).and_then(|all| all.get(job.number))
            {
                let written = lock(self.gathered).written.clone();
                let fresh = Fresh { modules: &job.modules, written };
                if let Some(seen) = fresh.confirm(&stand, &mut worker, failure) {
                    lock(self.gathered).confirm(key, seen);
                }
            }
            return;
        }
        if let Goal::Try(trials, seen) = &self.goal {
            if let Some(trial) = trials.get(&job.call).and_then(|all| all.get(job.number)) {
                let seen_here = trial.run(&stand, &mut worker, &tested.symbol);
                lock(seen).insert((job.call, job.number), seen_here);
            }
            return;
        }
        let examined = match Examined::new(&stand, &mut worker) {
            Ok(examined) => examined,
            Err(unfit) => {
                let why = match unfit {
                    Unfit::Prototype(why) => why,
                    Unfit::Already(what) => format!("it {what} without any spoof"),
                    Unfit::Lost => "its process was lost".to_string(),
                };
                if self.budget.exhausted() {
                    return; // its process was ended
                }
                let mut gathered = lock(self.gathered);
                self.end_call(&mut gathered, &job);
                if matches!(self.goal, Goal::Inputs(_)) {
                    let figures = gathered.figures.entry(tested).or_default();
                    *figures.unfit.entry(why).or_default() += 1;
                }
                return;
            }
        };
        // The class first: a spoof may crash and leave anything behind.
        let entry = job.state.rip;
        let blocks = self.code.blocks(entry, &job.modules);
        let mut learn = |address: u64| self.code.learn(entry, address, &job.modules);
        let Ok((reached, _)) = worker.classify(&blocks, &mut learn) else { return };
        let addresses = self.code.instructions_of(&reached, &job.modules);
        let class = class_of(&addresses, &job.modules);
        match &self.goal {
            Goal::Inputs(calls) => {
                let from = calls.get(&job.call).copied().unwrap_or(0);
                self.spoof_inputs(&examined, &mut worker, &job, &tested, class, from);
            }
            Goal::Results(_) => {
                self.spoof_results(&examined, &mut worker, &job, &tested, class, &addresses);
            }
            Goal::Solve(asked) => {
                let asked = asked.get(&job.call).map_or(&[][..], Vec::as_slice);
                self.solve(&examined, &mut worker, &job, &tested, class, &addresses, asked);
            }
            Goal::Census(_) | Goal::Confirm(_) | Goal::Try(..) => {}
        }
    }

    /// Whether a call has its turn in this pass.
    fn has_turn(&self, function: usize, call: u64) -> bool {
        match self.goal {
            Goal::Census(_) => false,
            Goal::Inputs(_) | Goal::Results(_) | Goal::Solve(_) => {
                if self.census.function(call) != Some(function) {
                    lock(self.gathered).strays.insert(call);
                    return false;
                }
                let has_time = self.shares.left(function).is_none_or(|left| !left.is_zero());
                if !has_time {
                    lock(&self.left_over).insert(call);
                }
                has_time
            }
            Goal::Confirm(_) | Goal::Try(..) => true,
        }
    }

    /// Counts a call, if that is what this pass is for.
    fn count(&self, id: u64, state: &State, process: u32, entries: &Mutex<Vec<Entry>>) {
        let Goal::Census(census) = &self.goal else { return };
        let prototype = self.prototypes[lock(entries)[id as usize].prototype];
        let bits = self.options.integer_bits;
        let kind = signature(prototype, state, &mut Peek(process), bits);
        lock(census).record(id as usize, kind);
    }

    /// Whether to leave a program that has not ended, since its calls were counted long enough.
    fn leaves(&self) -> bool {
        match &self.goal {
            Goal::Census(census) => lock(census).leaves(self.options.time_limit),
            Goal::Inputs(_)
            | Goal::Results(_)
            | Goal::Solve(_)
            | Goal::Confirm(_)
            | Goal::Try(..) => false,
        }
    }

    /// After a pass that was not stopped: what it did not leave to a later one is done, be it that a call came
    /// to nothing or was not made.
    pub fn settle(&self) {
        let left_over = lock(&self.left_over);
        let mut gathered = lock(self.gathered);
        for call in self.goal.calls().into_iter().filter(|call| !left_over.contains(call)) {
            match &self.goal {
                Goal::Inputs(_) => {
                    gathered.inputs_done.insert(call);
                }
                Goal::Results(_) => {
                    gathered.results_done.insert(call);
                }
                Goal::Solve(asked) => {
                    let asked = asked.get(&call).into_iter().flatten();
                    gathered.asked.extend(asked.map(|cause| (call, cause.clone())));
                }
                Goal::Census(_) | Goal::Confirm(_) | Goal::Try(..) => {}
            }
        }
    }

    /// When a function's share of the time ends.
    fn until(&self, function: usize) -> Option<Instant> {
        self.shares.left(function).and_then(|left| Instant::now().checked_add(left))
    }

    /// Notes that a call was looked at.
    fn end_call(&self, gathered: &mut Gathered, job: &Job) {
        if self.budget.exhausted() {
            return; // perhaps not to its end
        }
        match &self.goal {
            Goal::Inputs(_) => {
                gathered.end_inputs(job.call);
            }
            Goal::Results(_) => {
                gathered.results_done.insert(job.call);
            }
            Goal::Solve(asked) => {
                let asked = asked.get(&job.call).into_iter().flatten();
                gathered.asked.extend(asked.map(|cause| (job.call, cause.clone())));
            }
            Goal::Census(_) | Goal::Confirm(_) | Goal::Try(..) => {}
        }
    }

    /// Writes down what is done.
    pub fn keep(&self) -> Result<(), Trouble> {
        self.store.map_or(Ok(()), |store| store.write(&lock(self.gathered)))
    }

    fn spoof_inputs(
        &self,
        examined: &Examined,
        worker: &mut Worker,
        job: &Job,
        tested: &Tested,
        class: u64,
        from: u64,
    ) {
        let spoofed = examined.spoof_inputs(worker, from, self.until(job.function));
        let InputSpoofs { mut failing, next, whole, lost } = spoofed;
        let spoofs = next - from;
        self.judge_finite(examined, worker, tested, &mut failing);
        let unjudged = failing.iter().any(|failure| failure.effect == Effect::Unjudged);
        if unjudged && self.budget.exhausted() {
            return; // perhaps for want of time: once more, if the run goes on
        }
        let documented = |failure: &Failing| examined.documented(&failure.cause).is_some();
        let mut gathered = lock(self.gathered);
        if whole {
            gathered.end_inputs(job.call);
        } else if lost && !self.budget.exhausted() {
            gathered.cut_short.insert(job.function);
            gathered.end_inputs(job.call);
        } else {
            lock(&self.left_over).insert(job.call);
            gathered.partial.insert(job.call, next);
        }
        gathered.spoofs += spoofs;
        gathered.see_kind((job.function, class, parameters_of(examined)), job.call);
        gathered.written.extend(examined.written().map(|argument| (tested.clone(), argument)));
        let fresh = gathered.classes.insert((job.function, class));
        let figures = gathered.figures.entry(tested.clone()).or_default();
        figures.spoofed_calls += u64::from(whole);
        figures.classes += u64::from(fresh);
        figures.input_spoofs += spoofs;
        let inputs: Vec<(usize, usize, Spoof)> = failing
            .iter()
            .filter(|failure| !failure.effect.is_harmless() && !documented(failure))
            .filter_map(|failure| match failure.cause {
                Cause::Input { argument, element, spoof } => Some((argument, element, spoof)),
                Cause::Result { .. } | Cause::Solved { .. } => None,
            })
            .collect();
        if !inputs.is_empty() {
            gathered.failing_inputs.entry(job.call).or_default().extend(inputs);
        }
        for failure in failing {
            self.add(&mut gathered, examined, job, tested, class, failure);
        }
    }

    fn spoof_results(
        &self,
        examined: &Examined,
        worker: &mut Worker,
        job: &Job,
        tested: &Tested,
        class: u64,
        addresses: &[u64],
    ) {
        let sites = examined.sites(addresses, self.code, &job.modules);
        let until = self.until(job.function);
        let spoofed = examined.spoof_results(worker, &sites, MOST_HITS, until);
        let mut gathered = lock(self.gathered);
        let Ok(ResultSpoofs { failing, count: spoofs, whole }) = spoofed else {
            return self.end_call(&mut gathered, job);
        };
        gathered.results_done.insert(job.call);
        if !whole {
            gathered.cut_short.insert(job.function);
        }
        gathered.spoofs += spoofs;
        gathered.figures.entry(tested.clone()).or_default().result_spoofs += spoofs;
        for failure in failing {
            gathered.warn(tested, class, job.call, &failure.cause);
            self.add(&mut gathered, examined, job, tested, class, failure);
        }
    }

    /// Asks the solver for inputs that do what these spoofed results did.
    #[expect(clippy::too_many_arguments, reason = "what a call is and what is asked about it")]
    fn solve(
        &self,
        examined: &Examined,
        worker: &mut Worker,
        job: &Job,
        tested: &Tested,
        class: u64,
        addresses: &[u64],
        asked: &[Cause],
    ) {
        let begin = Instant::now();
        let (known, spent) = {
            let gathered = lock(self.gathered);
            let known = gathered.failing_inputs.get(&job.call).cloned().unwrap_or_default();
            (known, gathered.solving.get(tested).copied().unwrap_or_default())
        };
        let time = self.options.solver_time.saturating_sub(spent);
        let budget =
            self.budget.slice(self.shares.left(job.function).map_or(time, |l| l.min(time)));
        let sites = examined.sites(addresses, self.code, &job.modules);
        let until = self.until(job.function);
        let warnings = match examined.spoof_results(worker, &sites, MOST_HITS, until) {
            Ok(ResultSpoofs { failing, .. }) if !budget.exhausted() => failing,
            Ok(_) | Err(_) => Vec::new(),
        };
        let causes: Vec<Cause> = warnings.iter().map(|warning| warning.cause.clone()).collect();
        let dump = self.options.dump_queries.as_deref();
        let answer = examined.reify(worker, &tested.symbol, &causes, asked, &known, dump, &budget);
        let mut gathered = lock(self.gathered);
        self.end_call(&mut gathered, job);
        *gathered.solving.entry(tested.clone()).or_default() += begin.elapsed();
        gathered.questions = gathered.questions.saturating_sub(asked.len() as u64);
        let Ok(answer) = answer else { return };
        for (name, times) in answer.unlifted {
            *gathered.unlifted.entry(name).or_default() += times as u64;
        }
        for number in answer.reified {
            let Cause::Result { address, spoof, .. } = causes[number] else { continue };
            gathered.reified(&Key {
                tested: tested.clone(),
                place: job.modules.describe(address),
                spoof,
                effect: warnings[number].effect,
                documented: None,
            });
        }
        for failure in answer.found {
            self.add(&mut gathered, examined, job, tested, class, failure);
        }
    }
}

/// The class of a call that executes these instructions.
fn class_of(addresses: &[u64], modules: &Modules) -> u64 {
    let mut hasher = DefaultHasher::new();
    for address in addresses {
        let module = modules.at(*address);
        module.map_or(*address, |module| address - module.bias).hash(&mut hasher);
    }
    hasher.finish()
}

/// What the integers and characters are that a call is given.
fn parameters_of(examined: &Examined) -> u64 {
    let mut hasher = DefaultHasher::new();
    for argument in &examined.bound.arguments {
        argument.value.hash(&mut hasher);
    }
    hasher.finish()
}

/// The side of a pass that talks with the program.
struct Main<'a> {
    pass: &'a Pass<'a>,
    shared: &'a Shared,
    stop: &'a (dyn Fn() -> bool + Sync),
    free: &'a mpsc::Receiver<usize>,
    alive: &'a Alive,
}

impl Main<'_> {
    fn kill_workers(&self) {
        for process in lock(self.alive).iter() {
            // SAFETY: a child of ours that nobody has reaped, as it is still among these.
            unsafe { libc::kill(*process, libc::SIGKILL) };
        }
    }

    /// A free slot; none if there is no more time.
    fn slot(&self) -> Option<usize> {
        loop {
            match self.free.recv_timeout(Duration::from_millis(50)) {
                Ok(slot) => return Some(slot),
                Err(_) if (self.stop)() => return None,
                Err(_) => {}
            }
        }
    }

    /// Follows the program to its end.
    fn events(
        &self,
        subject: &mut Subject,
        launch: &Launch,
        entries: &Mutex<Vec<Entry>>,
        errno: &Mutex<u64>,
        lanes: &[mpsc::Sender<Job>],
    ) -> Result<Stop, Trouble> {
        let pass = self.pass;
        let mut modules = Arc::new(Modules::default());
        let mut started = false;
        let mut next = pass.goal.next(1);
        let watched = [Breakpoint::Entry, Breakpoint::Loader];
        loop {
            match subject.next(&mut || (self.stop)() || pass.leaves()) {
                Event::Started { errno: place } => {
                    started = true;
                    if let Goal::Census(census) = &pass.goal {
                        lock(census).begin();
                    }
                    *lock(errno) = place;
                    modules = Arc::new(pass.watch(subject, &modules, entries)?);
                    pass.check_presence(entries, &modules)?;
                    subject.go(&watched, next);
                }
                Event::Loaded => {
                    modules = Arc::new(pass.watch(subject, &modules, entries)?);
                    subject.go(&watched, next);
                }
                Event::Entered { id, call, state } => {
                    pass.count(id, &state, subject.process(), entries);
                    let wanted = pass.goal.processes(call);
                    let wanted =
                        if wanted > 0 && pass.has_turn(id as usize, call) { wanted } else { 0 };
                    for number in 0..wanted {
                        if (self.stop)() {
                            return Ok(subject.kill());
                        }
                        let Some(slot) = self.slot() else { return Ok(subject.kill()) };
                        Worker::vacate(self.shared, slot);
                        let Some(process) = subject.fork(channel_of(slot)) else { break };
                        lock(self.alive).insert(process);
                        let function = id as usize;
                        let (state, modules) = (state.clone(), modules.clone());
                        let job = Job { slot, process, function, call, number, state, modules };
                        let _ = lanes[slot].send(job);
                    }
                    next = pass.goal.next(call + 1);
                    let is_last = next == u64::MAX;
                    if !is_last {
                        subject.go(&watched, next);
                    }
                    let gathered = lock(pass.gathered);
                    let progress = Progress {
                        pass: pass.goal.name(),
                        functions: pass.functions,
                        whole: pass.whole,
                        calls: call,
                        classes: gathered.classes.len(),
                        spoofs: gathered.spoofs,
                        questions: gathered.questions,
                    };
                    drop(gathered);
                    pass.observer.progress(&progress);
                    if pass.store.is_some_and(Store::is_due) {
                        pass.keep()?;
                    }
                    if is_last {
                        return Ok(subject.dismiss());
                    }
                }
                Event::Ended(ended) => {
                    if !started {
                        return Err(not_started(launch, ended));
                    }
                    return Ok(ended);
                }
            }
        }
    }
}

/// Where errno is: as the C library told the agent, or as a static program's file has it. 0 if nobody
/// knows.
fn errno_of(told: u64, job: &Job) -> u64 {
    let offset = job.modules.list.iter().find_map(Module::errno);
    match offset {
        Some(offset) if told == 0 => job.state.fs_base.wrapping_add_signed(offset),
        Some(_) | None => told,
    }
}
