//! One pass over the program: it runs, and its calls of functions under test are looked at, each in a
//! process of its own.

use super::code::Code;
use super::confirm::Fresh;
use super::examine::Stand;
use super::gather::{Gathered, Key};
use super::launch::{cannot_run, furnish, last_words, not_started};
use super::saved::Store;
use super::trial::{Trial, Tried};
use super::{
    Cause, Examined, Failing, Failure, Observer, Options, Progress, Tested, Trouble, Unfit, lock,
};
use crate::prototype::{Prototype, signature};
use crate::run::{
    Breakpoint, Event, Launch, Layout, Module, Modules, Peek, Scratch, Shared, Stop, Subject,
    Walls, Worker, channel_of, executable, foreign,
};
use crate::sites::Spoof;
use crate::trace::State;
use nanoscope_search::Budget;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// What a pass is for.
pub enum Goal {
    /// Spoofed inputs.
    Inputs(Calls),
    /// Spoofed results, in these calls.
    Results(BTreeSet<u64>),
    /// Inputs for spoofed results that vanished, by call.
    Solve(BTreeMap<u64, Vec<Cause>>),
    /// These failures once more, by call.
    Confirm(BTreeMap<u64, Vec<(Key, Failure)>>),
    /// These inputs, by call; what is seen is told by call and number.
    Try(BTreeMap<u64, Vec<Trial>>, Mutex<BTreeMap<(u64, usize), Tried>>),
}

/// Calls whose inputs are spoofed.
pub struct Calls {
    /// Not these.
    pub done: BTreeSet<u64>,
    /// And none after this one.
    pub last: u64,
    /// If only calls of kinds that are not here yet: the function, and the integers and characters it is
    /// given.
    pub kinds: Option<Mutex<BTreeSet<(u64, u64)>>>,
}

impl Goal {
    fn name(&self) -> &'static str {
        match self {
            Goal::Inputs(Calls { kinds: Some(_), .. }) => "inputs",
            Goal::Inputs(_) => "inputs of other calls",
            Goal::Results(_) => "results",
            Goal::Solve(_) => "solving",
            Goal::Confirm(_) => "confirming",
            Goal::Try(..) => "running again",
        }
    }

    /// Whether no call matters.
    pub fn is_empty(&self) -> bool {
        self.next(1) == u64::MAX
    }

    /// The first call from this one on that matters.
    fn next(&self, from: u64) -> u64 {
        let next = match self {
            Goal::Inputs(Calls { done, last, .. }) => {
                (from..=*last).find(|call| !done.contains(call))
            }
            Goal::Results(calls) => calls.range(from..).next().copied(),
            Goal::Solve(asked) => asked.range(from..).next().map(|(call, _)| *call),
            Goal::Confirm(failures) => failures.range(from..).next().map(|(call, _)| *call),
            Goal::Try(trials, _) => trials.range(from..).next().map(|(call, _)| *call),
        };
        next.unwrap_or(u64::MAX)
    }

    /// How many processes a call needs.
    fn processes(&self, call: u64) -> usize {
        match self {
            Goal::Inputs(Calls { done, .. }) => usize::from(!done.contains(&call)),
            Goal::Results(calls) => usize::from(calls.contains(&call)),
            Goal::Solve(asked) => usize::from(asked.contains_key(&call)),
            Goal::Confirm(failures) => failures.get(&call).map_or(0, Vec::len),
            Goal::Try(trials, _) => trials.get(&call).map_or(0, Vec::len),
        }
    }
}

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
                            self.examine(worker, job, entries, *lock(errno));
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
                self.end_call(&mut gathered, &job, &tested);
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
            Goal::Inputs(_) => self.spoof_inputs(&examined, &mut worker, &job, &tested, class),
            Goal::Results(_) => {
                self.spoof_results(&examined, &mut worker, &job, &tested, class, &addresses);
            }
            Goal::Solve(asked) => {
                let asked = asked.get(&job.call).map_or(&[][..], Vec::as_slice);
                self.solve(&examined, &mut worker, &job, &tested, class, &addresses, asked);
            }
            Goal::Confirm(_) | Goal::Try(..) => {}
        }
    }

    /// Whether a call is of a kind that was looked at, where that is enough.
    fn repeats(&self, id: u64, state: &State, process: u32, entries: &Mutex<Vec<Entry>>) -> bool {
        let Goal::Inputs(Calls { kinds: Some(kinds), .. }) = &self.goal else { return false };
        let prototype = self.prototypes[lock(entries)[id as usize].prototype];
        let bits = self.options.integer_bits;
        signature(prototype, state, &mut Peek(process), bits)
            .is_some_and(|signature| !lock(kinds).insert((id, signature)))
    }

    /// Notes that a call was looked at.
    fn end_call(&self, gathered: &mut Gathered, job: &Job, tested: &Tested) {
        if self.budget.exhausted() {
            return; // perhaps not to its end
        }
        match &self.goal {
            Goal::Inputs(_) => {
                gathered.inputs_done.insert(job.call);
                gathered.figures.entry(tested.clone()).or_default().calls += 1;
            }
            Goal::Results(_) => {
                gathered.results_done.insert(job.call);
            }
            Goal::Solve(asked) => {
                let asked = asked.get(&job.call).into_iter().flatten();
                gathered.asked.extend(asked.map(|cause| (job.call, cause.clone())));
            }
            Goal::Confirm(_) | Goal::Try(..) => {}
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
    ) {
        let spoofed = examined.spoof_inputs(worker);
        let (mut failing, spoofs) = spoofed.unwrap_or_default();
        self.judge_finite(examined, worker, tested, &mut failing);
        let documented = |failure: &Failing| examined.documented(&failure.cause).is_some();
        let mut gathered = lock(self.gathered);
        self.end_call(&mut gathered, job, tested);
        gathered.spoofs += spoofs;
        let kind = (job.function, class, parameters_of(examined));
        let representative = gathered.kinds.entry(kind).or_insert(job.call);
        *representative = (*representative).min(job.call);
        gathered.written.extend(examined.written().map(|argument| (tested.clone(), argument)));
        let fresh = gathered.classes.insert((job.function, class));
        let figures = gathered.figures.entry(tested.clone()).or_default();
        figures.spoofed_calls += u64::from(!self.budget.exhausted());
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
            gathered.failing_inputs.insert(job.call, inputs);
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
        let spoofed = examined.spoof_results(worker, &sites, MOST_HITS);
        let (failing, spoofs) = spoofed.unwrap_or_default();
        let mut gathered = lock(self.gathered);
        self.end_call(&mut gathered, job, tested);
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
        let budget = self.budget.slice(self.options.solver_time.saturating_sub(spent));
        let sites = examined.sites(addresses, self.code, &job.modules);
        let warnings = match examined.spoof_results(worker, &sites, MOST_HITS) {
            Ok((warnings, _)) if !budget.exhausted() => warnings,
            Ok(_) | Err(_) => Vec::new(),
        };
        let causes: Vec<Cause> = warnings.iter().map(|warning| warning.cause.clone()).collect();
        let dump = self.options.dump_queries.as_deref();
        let answer = examined.reify(worker, &tested.symbol, &causes, asked, &known, dump, &budget);
        let mut gathered = lock(self.gathered);
        self.end_call(&mut gathered, job, tested);
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
            match subject.next(&mut || (self.stop)()) {
                Event::Started { errno: place } => {
                    started = true;
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
                    let repeated = pass.repeats(id, &state, subject.process(), entries);
                    let wanted = if repeated { 0 } else { pass.goal.processes(call) };
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
                    let is_last = next == u64::MAX && !matches!(pass.goal, Goal::Inputs(_));
                    if !is_last {
                        subject.go(&watched, next);
                    }
                    let mut gathered = lock(pass.gathered);
                    gathered.calls = gathered.calls.max(call);
                    let progress = Progress {
                        pass: pass.goal.name(),
                        functions: gathered.figures.len(),
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
