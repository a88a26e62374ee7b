//! The whole of it: run the subject, look at every call of a function under test, and gather what
//! was not handled.
//!
//! Two passes over the same program. The first spoofs the inputs of every call and finds its class,
//! the set of instructions that it executes. The second spoofs results, the first call of each class
//! before all others.

mod code;
mod examine;
mod solve;

pub use code::{Code, disassemble, operands};
pub use examine::{Cause, Effect, ExactOutput, Examined, Failing, Unfit, is_finite, scalar_bytes};

use crate::prototype::{Argument, Library, Prototype};
use crate::run::{
    Breakpoint, Event, Launch, Layout, Module, Modules, Scratch, Shared, Stop, Subject, Walls,
    Worker, channel_of,
};
use crate::sites::Spoof;
use crate::trace::State;
use examine::Kept;
use nanoscope_search::Budget;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is known of the functions.
    pub library: Library,
    /// Only these functions; all if empty.
    pub functions: Vec<String>,
    /// Functions whose call reports trouble.
    pub error_routines: Vec<String>,
    /// The executable and its arguments.
    pub command: Vec<OsString>,
    /// Libraries to load before others.
    pub preload: Vec<PathBuf>,
    /// What it reads.
    pub input: Option<PathBuf>,
    /// The bits of Fortran's default integers.
    pub integer_bits: u32,
    /// How many calls are looked at at once.
    pub jobs: usize,
    /// When to stop.
    pub time_limit: Option<Duration>,
    /// Whether results are spoofed, not only inputs.
    pub results: bool,
    /// Whether results are spoofed in every call, not only in the first of each class.
    pub every_call: bool,
    /// How long the solver may work for one call; not at all if zero.
    pub solver_time: Duration,
    /// Where to write the solver's questions in SMT-LIB.
    pub dump_queries: Option<PathBuf>,
}

/// Why there is no outcome.
#[derive(Debug)]
pub enum Trouble {
    /// The user's mistake: what, and what to do.
    User(String),
    /// Ours.
    Internal(String),
}

/// Figures of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Its calls.
    pub calls: u64,
    /// Of these, those that were spoofed.
    pub spoofed_calls: u64,
    /// Why others were not.
    pub unfit: BTreeMap<String, u64>,
    /// The classes of calls.
    pub classes: u64,
    /// Instructions executed in the representatives.
    pub instructions: u64,
    /// Spoofed inputs.
    pub input_spoofs: u64,
    /// Of these, those that failed.
    pub input_failures: u64,
    /// Spoofed results.
    pub result_spoofs: u64,
    /// Of these, those that failed.
    pub result_warnings: u64,
    /// Of these, those that inputs were found for.
    pub reified: u64,
}

/// A function under test, in one module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tested {
    /// Its symbol.
    pub symbol: String,
    /// The file it is in.
    pub module: PathBuf,
}

/// A failure: spoofs that failed alike.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which function.
    pub tested: Tested,
    /// What was spoofed, in the example.
    pub cause: Cause,
    /// `x` for an input, `sgbmv_+0x8b` for a result.
    pub place: String,
    /// The instruction, or the function's first: the file it is in, and the address there.
    pub location: (PathBuf, u64),
    /// The instruction, disassembled; empty for an input.
    pub instruction: String,
    /// What became of it.
    pub effect: Effect,
    /// The reason that the prototype gives, if it documents this.
    pub documented: Option<String>,
    /// Sticky exceptions of the example's run.
    pub flags: u8,
    /// The example's call, counted from 1 over all calls of functions under test.
    pub call: u64,
    /// The example's class.
    pub class: u64,
    /// The example's arguments.
    pub arguments: Vec<Argument>,
    /// Their values, one for each element, before the call and with the spoof.
    pub inputs: Vec<Vec<Vec<u8>>>,
    /// What came back: the same elements where they are outputs, else empty.
    pub outputs: Vec<Vec<Vec<u8>>>,
    /// What comes back without the spoof.
    pub expected: Vec<Vec<Vec<u8>>>,
    /// What outputs that are wrong should be: argument, element, value.
    pub exact: Vec<ExactOutput>,
    /// How many spoofs failed so.
    pub count: u64,
    /// In how many calls.
    pub calls: u64,
    /// Whether a fresh process showed the same.
    pub confirmed: bool,
}

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// By function.
    pub figures: BTreeMap<Tested, Figures>,
    /// What failed with spoofed inputs, by function and place.
    pub failures: Vec<Failure>,
    /// What failed with spoofed results only.
    pub warnings: Vec<Failure>,
    /// What to know.
    pub notes: Vec<String>,
    /// Whether all calls were looked at.
    pub complete: bool,
    /// How the subject ended.
    pub ended: Option<Stop>,
    /// Prototypes whose function is nowhere.
    pub absent: Vec<String>,
}

/// Told of progress.
pub trait Observer: Sync {
    /// Figures so far: pass, calls, classes, spoofs.
    fn progress(&self, pass: &str, calls: u64, classes: u64, spoofs: u64);
    /// Whether to stop.
    fn stop(&self) -> bool;
}

/// What groups failures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    tested: Tested,
    place: String,
    spoof: Spoof,
    effect: Effect,
    documented: Option<String>,
}

/// A call on its way to a worker.
struct Job {
    slot: usize,
    process: i32,
    function: usize,
    call: u64,
    state: Box<State>,
    modules: std::sync::Arc<Modules>,
}

/// A function that breakpoints are at.
struct Entry {
    prototype: usize,
    tested: Tested,
}

struct Gathered {
    figures: BTreeMap<Tested, Figures>,
    groups: BTreeMap<Key, Failure>,
    group_calls: BTreeMap<Key, BTreeSet<u64>>,
    /// The first call of each class, by function and class.
    classes: BTreeMap<(usize, u64), u64>,
    calls: u64,
    spoofs: u64,
    /// What failed with finite inputs, by function, argument and value: what it came to the last
    /// time, and how often it was judged.
    judged: BTreeMap<(Tested, usize, Spoof), (Effect, u32)>,
}

/// Executions longer than this are not followed instruction by instruction.
const MOST_STEPS: u64 = 3_000_000;
/// Failures of finite inputs are judged so often for each parameter and value.
const MOST_JUDGED: u32 = 5;
/// Of one instruction in one call, at most so many executions are spoofed.
const MOST_HITS: u64 = 400;

/// Runs the subject, twice, and gathers what was not handled.
pub fn handle(options: &Options, observer: &dyn Observer) -> Result<Outcome, Trouble> {
    let layout = Layout::of_this_machine().ok_or_else(|| {
        Trouble::User("this processor has no XSAVE: `handling` cannot run here".to_string())
    })?;
    let mut outcome = Outcome { complete: true, ..Outcome::default() };
    let mut prototypes: Vec<&Prototype> = Vec::new();
    for prototype in &options.library.prototypes {
        let wanted = options.functions.is_empty()
            || options.functions.iter().any(|f| *f == prototype.symbol || *f == prototype.name);
        if !wanted {
            continue;
        }
        if says_nothing(prototype, &options.error_routines) {
            let name = &prototype.name;
            outcome.notes.push(format!(
                "{name} has neither a floating-point output nor a way to report: skipped"
            ));
            continue;
        }
        prototypes.push(prototype);
    }
    let known =
        |f: &&String| !options.library.prototypes.iter().any(|p| p.symbol == **f || p.name == **f);
    if let Some(unknown) = options.functions.iter().find(known) {
        return Err(Trouble::User(format!("there is no prototype of {unknown}")));
    }
    if prototypes.is_empty() {
        return Err(Trouble::User("the prototypes name no function to test".to_string()));
    }
    let begin = Instant::now();
    let late = || options.time_limit.is_some_and(|limit| begin.elapsed() >= limit);
    let cut_short = AtomicBool::new(false);
    let stop = || {
        let stop = observer.stop() || late();
        if stop {
            cut_short.store(true, Ordering::Relaxed);
        }
        stop
    };
    let code = Code::default();
    let gathered = Mutex::new(Gathered {
        figures: BTreeMap::new(),
        groups: BTreeMap::new(),
        group_calls: BTreeMap::new(),
        classes: BTreeMap::new(),
        calls: 0,
        spoofs: 0,
        judged: BTreeMap::new(),
    });
    let mut chosen: Option<BTreeSet<u64>> = None;
    let passes: &[&str] = if options.results { &["inputs", "results"] } else { &["inputs"] };
    for pass in passes {
        if stop() {
            break;
        }
        let context = Pass {
            options,
            layout,
            prototypes: &prototypes,
            code: &code,
            gathered: &gathered,
            chosen: chosen.as_ref(),
            name: pass,
            observer,
        };
        let (ended, absent, notes) = context.run(&stop)?;
        outcome.ended = Some(ended);
        outcome.absent = absent;
        outcome.notes.extend(notes);
        let gathered = lock(&gathered);
        let representatives: BTreeSet<u64> = gathered.classes.values().copied().collect();
        let all = (1..=gathered.calls).collect();
        chosen = Some(if options.every_call { all } else { representatives });
    }
    outcome.complete = !cut_short.load(Ordering::Relaxed);
    let gathered = gathered.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    outcome.figures = gathered.figures;
    for (key, mut failure) in gathered.groups {
        failure.calls = gathered.group_calls.get(&key).map_or(0, |calls| calls.len() as u64);
        match failure.cause {
            Cause::Input { .. } | Cause::Solved { .. } => outcome.failures.push(failure),
            Cause::Result { .. } => outcome.warnings.push(failure),
        }
    }
    outcome.notes.sort();
    outcome.notes.dedup();
    Ok(outcome)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Whether there is nothing by which a function could tell its caller of an exception.
fn says_nothing(prototype: &Prototype, error_routines: &[String]) -> bool {
    let floats = prototype
        .parameters
        .iter()
        .chain(&prototype.result)
        .any(|parameter| parameter.kind.is_float() && parameter.intent.is_output());
    let _ = error_routines; // an error routine alone tells of bad arguments, not of exceptions
    !floats && prototype.reports.is_empty() && prototype.error_routines.is_empty()
}

struct Pass<'a> {
    options: &'a Options,
    layout: Layout,
    prototypes: &'a [&'a Prototype],
    code: &'a Code,
    gathered: &'a Mutex<Gathered>,
    /// The calls whose results are spoofed; none in the first pass.
    chosen: Option<&'a BTreeSet<u64>>,
    name: &'a str,
    observer: &'a dyn Observer,
}

impl Pass<'_> {
    fn run(
        &self,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Stop, Vec<String>, Vec<String>), Trouble> {
        let internal = |error: &dyn std::fmt::Display| Trouble::Internal(error.to_string());
        let private = Scratch::new().map_err(|error| internal(&error))?;
        let scratch = private.path().join("work");
        furnish(&scratch).map_err(|error| internal(&error))?;
        let walls = Walls::around(&scratch).map_err(|error| internal(&error))?;
        let mut notes = Vec::new();
        if !walls.confines_files() {
            notes.push("this kernel has no Landlock: the subject could write no file".to_string());
        }
        let shared = Shared::new(self.layout.components, self.layout.bytes)
            .map_err(|error| internal(&error))?;
        let mut environment = Vec::new();
        for variable in
            ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS"]
        {
            environment.push((OsString::from(variable), OsString::from("1")));
        }
        let launch = Launch {
            command: self.options.command.clone(),
            preload: self.options.preload.clone(),
            environment,
            input: self.options.input.clone(),
            scratch,
            private: private.path().to_path_buf(),
        };
        let mut subject =
            Subject::start(&launch, &shared, self.layout, walls).map_err(|error| {
                let name = Path::new(&launch.command[0]).display().to_string();
                Trouble::User(format!("cannot run {name}: {error}"))
            })?;
        let slots = self.options.jobs.clamp(1, 12);
        let entries: Mutex<Vec<Entry>> = Mutex::new(Vec::new());
        let errno = Mutex::new(0u64);
        let (give_back, free) = mpsc::channel::<usize>();
        (0..slots).for_each(|slot| {
            let _ = give_back.send(slot);
        });
        let result = std::thread::scope(|scope| {
            let mut lanes = Vec::new();
            for _ in 0..slots {
                let (send, receive) = mpsc::channel::<Job>();
                lanes.push(send);
                let (shared, entries, errno, give_back) =
                    (&shared, &entries, &errno, give_back.clone());
                scope.spawn(move || {
                    for job in receive {
                        let slot = job.slot;
                        if stop() {
                            drop(Worker::new(shared, slot, job.process, self.layout));
                        } else {
                            self.examine(shared, job, entries, *lock(errno));
                        }
                        let _ = give_back.send(slot);
                    }
                });
            }
            let mut modules = std::sync::Arc::new(Modules::default());
            let mut call = 0;
            let mut started = false;
            let watched = [Breakpoint::Entry, Breakpoint::Loader];
            loop {
                let event = subject.next(&mut || stop());
                match event {
                    Event::Started { errno: place } => {
                        started = true;
                        *lock(&errno) = place;
                        let fresh = self.watch(&mut subject, &modules, &entries)?;
                        modules = std::sync::Arc::new(fresh);
                        if lock(&entries).is_empty() && !can_load(&modules) {
                            subject.kill();
                            return Err(self.nothing_found(&modules));
                        }
                        self.check_presence(&entries, &modules).inspect_err(|_| {
                            subject.kill();
                        })?;
                        subject.go(&watched);
                    }
                    Event::Loaded => {
                        let fresh = self.watch(&mut subject, &modules, &entries)?;
                        modules = std::sync::Arc::new(fresh);
                        subject.go(&watched);
                    }
                    Event::Entered { id, state } => {
                        call += 1;
                        let wanted = self.chosen.is_none_or(|chosen| chosen.contains(&call));
                        if stop() {
                            subject.kill();
                        } else if !wanted {
                            subject.go(&watched);
                        } else {
                            let slot = free.recv().unwrap_or(0);
                            Worker::vacate(&shared, slot);
                            match subject.fork(channel_of(slot)) {
                                Some(process) => {
                                    subject.go(&watched);
                                    let function = id as usize;
                                    let modules = modules.clone();
                                    let job = Job { slot, process, function, call, state, modules };
                                    let _ = lanes[slot].send(job);
                                }
                                None => {
                                    let _ = give_back.send(slot);
                                    subject.go(&watched);
                                }
                            }
                        }
                        let mut gathered = lock(self.gathered);
                        if self.chosen.is_none() {
                            gathered.calls = call;
                        }
                        let (classes, spoofs) = (gathered.classes.len() as u64, gathered.spoofs);
                        drop(gathered);
                        self.observer.progress(self.name, call, classes, spoofs);
                    }
                    Event::Ended(ended) => {
                        drop(lanes);
                        if !started {
                            return Err(not_started(&launch, ended));
                        }
                        return Ok(ended);
                    }
                }
            }
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
            return Err(Trouble::User(
                "none of the functions with a prototype is in the program or in a library it \
                 loaded"
                    .to_string(),
            ));
        }
        Ok((ended, absent, notes))
    }

    /// Sets breakpoints in what was loaded since the last time.
    fn watch(
        &self,
        subject: &mut Subject,
        known: &Modules,
        entries: &Mutex<Vec<Entry>>,
    ) -> Result<Modules, Trouble> {
        let mut modules = known.clone();
        modules.refresh(subject.process()).map_err(|error| {
            Trouble::Internal(format!("cannot read the process's map: {error}"))
        })?;
        let fresh: Vec<Module> = modules
            .list
            .iter()
            .filter(|module| {
                !known.list.iter().any(|old| old.path == module.path && old.bias == module.bias)
            })
            .cloned()
            .collect();
        for module in fresh {
            for (k, prototype) in self.prototypes.iter().enumerate() {
                let Some(address) = module.find(&prototype.symbol) else { continue };
                let mut entries = lock(entries);
                let id = entries.len() as u64;
                if subject.add_breakpoint(address, Breakpoint::Entry, id) {
                    let tested =
                        Tested { symbol: prototype.symbol.clone(), module: module.path.clone() };
                    entries.push(Entry { prototype: k, tested });
                }
            }
            let own = self.prototypes.iter().flat_map(|p| p.error_routines.iter());
            for routine in self.options.error_routines.iter().chain(own) {
                if let Some(address) = module.find(routine) {
                    subject.add_breakpoint(address, Breakpoint::Error, 0);
                }
            }
            for routine in ["exit", "_exit", "_Exit", "quick_exit"] {
                if module.name().starts_with("libc")
                    && let Some(address) = module.find(routine)
                {
                    subject.add_breakpoint(address, Breakpoint::Exit, 0);
                }
            }
            if module.name().starts_with("ld-")
                && let Some(address) = module.find("_dl_debug_state")
            {
                subject.add_breakpoint(address, Breakpoint::Loader, 0);
            }
        }
        Ok(modules)
    }

    fn nothing_found(&self, modules: &Modules) -> Trouble {
        let names: Vec<String> = modules.list.iter().map(Module::name).collect();
        let wanted = self.prototypes.iter().take(3).map(|p| p.symbol.as_str());
        let wanted: Vec<&str> = wanted.collect();
        Trouble::User(format!(
            "none of the functions with a prototype ({}, …) is in {}",
            wanted.join(", "),
            names.join(", ")
        ))
    }

    /// All functions of a file that is not `optional` must be there, unless the program may still
    /// load them.
    fn check_presence(
        &self,
        entries: &Mutex<Vec<Entry>>,
        modules: &Modules,
    ) -> Result<(), Trouble> {
        if self.options.library.optional || can_load(modules) {
            return Ok(());
        }
        let entries = lock(entries);
        for (k, prototype) in self.prototypes.iter().enumerate() {
            if !entries.iter().any(|entry| entry.prototype == k) {
                return Err(Trouble::User(format!(
                    "line {}: {} ({}) is not in the program: remove its prototype, or begin the \
                     file with `optional`",
                    prototype.line, prototype.name, prototype.symbol
                )));
            }
        }
        Ok(())
    }

    /// Looks at one call.
    fn examine(&self, shared: &Shared, job: Job, entries: &Mutex<Vec<Entry>>, errno: u64) {
        let (tested, prototype) = {
            let entries = lock(entries);
            let entry = &entries[job.function];
            (entry.tested.clone(), self.prototypes[entry.prototype])
        };
        let mut worker = Worker::new(shared, job.slot, job.process, self.layout);
        let first = self.chosen.is_none();
        if first {
            lock(self.gathered).figures.entry(tested.clone()).or_default().calls += 1;
        }
        let examined = Examined::new(
            prototype,
            &job.state,
            &mut worker,
            &job.modules,
            self.layout,
            errno,
            self.options.integer_bits,
        );
        let examined = match examined {
            Ok(examined) => examined,
            Err(unfit) => {
                if first {
                    let why = match unfit {
                        Unfit::Prototype(why) => why,
                        Unfit::Already(what) => format!("it {what} without any spoof"),
                        Unfit::Lost => "its process was lost".to_string(),
                    };
                    let mut gathered = lock(self.gathered);
                    let figures = gathered.figures.entry(tested).or_default();
                    *figures.unfit.entry(why).or_default() += 1;
                }
                return;
            }
        };
        let mut class = 0;
        let mut steps = 0;
        let mut failing = Vec::new();
        let mut spoofs = 0;
        // The class first: a spoof may crash and leave anything behind.
        let Ok((addresses, count, _)) = worker.classify(MOST_STEPS) else { return };
        if first {
            steps = count;
            let mut hasher = DefaultHasher::new();
            for address in &addresses {
                let module = job.modules.at(*address);
                module.map_or(*address, |module| address - module.bias).hash(&mut hasher);
            }
            class = hasher.finish();
            if let Ok((found, count)) = examined.spoof_inputs(&mut worker) {
                failing = found;
                spoofs = count;
            }
            self.judge_finite(&examined, &mut worker, &tested, &mut failing);
        } else {
            let sites = examined.sites(&addresses, self.code, &mut worker);
            if let Ok((found, count)) = examined.spoof_results(&mut worker, &sites, MOST_HITS) {
                failing = found;
                spoofs = count;
            }
            let time = self.options.solver_time;
            if !failing.is_empty() && !time.is_zero() {
                let budget = Budget::lasting(time);
                let dump = self.options.dump_queries.clone();
                let symbol = &tested.symbol;
                let reified = examined.reify(&mut worker, symbol, &failing, dump, &budget);
                failing.extend(reified.unwrap_or_default().into_iter().map(|(_, found)| found));
            }
        }
        let mut confirmed = Vec::new();
        for failure in failing {
            confirmed.push(self.describe(&examined, &mut worker, &job, &tested, class, failure));
        }
        let mut gathered = lock(self.gathered);
        gathered.spoofs += spoofs;
        if first {
            let representative = gathered.classes.entry((job.function, class)).or_insert(job.call);
            *representative = (*representative).min(job.call);
            let classes =
                gathered.classes.keys().filter(|(function, _)| *function == job.function).count();
            let figures = gathered.figures.entry(tested.clone()).or_default();
            figures.spoofed_calls += 1;
            figures.classes = classes as u64;
            figures.instructions += steps;
            figures.input_spoofs += spoofs;
        } else {
            gathered.figures.entry(tested.clone()).or_default().result_spoofs += spoofs;
        }
        for (key, failure) in confirmed {
            let figures = gathered.figures.entry(tested.clone()).or_default();
            let counts = failure.documented.is_none() && !failure.effect.is_harmless();
            match failure.cause {
                Cause::Input { .. } if counts => figures.input_failures += 1,
                Cause::Result { .. } if counts => figures.result_warnings += 1,
                Cause::Solved { .. } if counts => figures.reified += 1,
                Cause::Input { .. } | Cause::Result { .. } | Cause::Solved { .. } => {}
            }
            gathered.group_calls.entry(key.clone()).or_default().insert(job.call);
            match gathered.groups.get_mut(&key) {
                None => {
                    gathered.groups.insert(key, failure);
                }
                Some(group) => {
                    let count = group.count + 1;
                    let size = |failure: &Failure| {
                        let elements: usize = failure.inputs.iter().map(Vec::len).sum();
                        (elements, failure.call, failure.cause.clone())
                    };
                    if size(&failure) < size(group) {
                        *group = failure;
                    }
                    group.count = count;
                }
            }
        }
    }

    /// Judges failures of finite inputs by exact arithmetic, once for each parameter and value.
    fn judge_finite(
        &self,
        examined: &Examined,
        worker: &mut Worker,
        tested: &Tested,
        failing: &mut [Failing],
    ) {
        for failure in failing {
            let Cause::Input { argument, element, spoof } = failure.cause else { continue };
            if spoof.is_exceptional() || failure.effect != Effect::Swallowed {
                continue;
            }
            let key = (tested.clone(), argument, spoof);
            let known = lock(self.gathered).judged.get(&key).copied();
            // What is wrong once is looked at no more, nor what was tried often enough.
            let settled = match known {
                Some((Effect::Wrong, _)) => Some(Effect::Wrong),
                Some((_, MOST_JUDGED..)) => Some(Effect::Unjudged),
                Some(_) | None => None,
            };
            failure.effect = settled.unwrap_or_else(|| {
                let bits = examined.bound.arguments[argument].bits;
                let patch = examined.patch(argument, element, &spoof.bytes(bits));
                let patches: Vec<_> = patch.into_iter().collect();
                let judged = examined.judge(worker, &tested.symbol, &patches);
                let (judged, exact) = judged.unwrap_or((Effect::Unjudged, Vec::new()));
                failure.exact = exact;
                let times = known.map_or(0, |(_, times)| times) + 1;
                lock(self.gathered).judged.insert(key, (judged, times));
                judged
            });
        }
    }

    /// A failure with everything a report needs.
    fn describe(
        &self,
        examined: &Examined,
        worker: &mut Worker,
        job: &Job,
        tested: &Tested,
        class: u64,
        failing: Failing,
    ) -> (Key, Failure) {
        let arguments = &examined.bound.arguments;
        let mut inputs = Vec::new();
        for argument in arguments {
            let length = scalar_bytes(argument.kind, argument.bits) as usize;
            let mut values = Vec::new();
            for element in &argument.elements {
                values.push(if element.input {
                    let kept = &mut Kept(&examined.memory);
                    crate::prototype::bytes_at(&job.state, kept, element.place, length)
                        .unwrap_or_default()
                } else {
                    Vec::new()
                });
            }
            inputs.push(values);
        }
        let mut documented = None;
        let (place, spoof) = match &failing.cause {
            Cause::Input { argument, element, spoof } => {
                let owner = &arguments[*argument];
                inputs[*argument][*element] = spoof.bytes(owner.bits);
                documented = owner.elements[*element].documented.clone();
                (owner.name.clone(), *spoof)
            }
            Cause::Result { address, spoof, .. } => (job.modules.describe(*address), *spoof),
            Cause::Solved { values } => {
                let mut names: Vec<&str> = Vec::new();
                let mut exceptional = Spoof::Greatest;
                for (argument, element, bits) in values {
                    let owner = &arguments[*argument];
                    let length = scalar_bytes(owner.kind, owner.bits) as usize;
                    let bytes = bits.to_le_bytes()[..length].to_vec();
                    if !is_finite(&bytes) {
                        exceptional = Spoof::NaN;
                    }
                    inputs[*argument][*element] = bytes;
                    names.push(&owner.name);
                }
                names.dedup();
                (names.join(", "), exceptional)
            }
        };
        let (address, instruction) = match &failing.cause {
            Cause::Input { .. } | Cause::Solved { .. } => (job.state.rip, String::new()),
            Cause::Result { address, .. } => {
                let instruction = self.code.instruction(*address, worker);
                (*address, instruction.map(|i| disassemble(&i)).unwrap_or_default())
            }
        };
        let location = match job.modules.at(address) {
            Some(module) => (module.path.clone(), address - module.bias),
            None => (PathBuf::new(), address),
        };
        let spread = |bytes: &[u8]| {
            let mut values: Vec<Vec<Vec<u8>>> =
                arguments.iter().map(|a| vec![Vec::new(); a.elements.len()]).collect();
            for (k, owner) in examined.output_elements.iter().enumerate() {
                let length = examined.outputs[k].bytes as usize;
                if let (Some((a, e)), Some(bytes)) = (owner, bytes.get(16 * k..16 * k + length)) {
                    values[*a][*e] = bytes.to_vec();
                }
            }
            values
        };
        let key = Key {
            tested: tested.clone(),
            place: place.clone(),
            spoof,
            effect: failing.effect,
            documented: documented.clone(),
        };
        let failure = Failure {
            tested: tested.clone(),
            cause: failing.cause,
            place,
            location,
            instruction,
            effect: failing.effect,
            documented,
            flags: failing.flags,
            call: job.call,
            class,
            arguments: arguments.clone(),
            inputs,
            outputs: spread(&failing.outputs),
            expected: spread(&examined.base),
            exact: failing.exact,
            count: 1,
            calls: 0,
            confirmed: false,
        };
        (key, failure)
    }
}

/// Whether the program may load libraries by itself.
fn can_load(modules: &Modules) -> bool {
    modules.list.first().is_some_and(|program| program.imports_loader())
}

fn not_started(launch: &Launch, ended: Stop) -> Trouble {
    let name = Path::new(&launch.command[0]).display();
    let how = match ended {
        Stop::Exited(code) => format!("it ended with code {code}"),
        Stop::Signalled(signal) => format!("signal {signal} ended it"),
    };
    let printed = fs::read_to_string(launch.private.join("output")).unwrap_or_default();
    let printed = printed.trim();
    let more = if printed.is_empty() { String::new() } else { format!("\n\n{printed}") };
    Trouble::User(format!(
        "{name} ran without Nanoscope's agent in it: {how}\n\nThe agent is preloaded into dynamic \
         executables (LD_PRELOAD). Is this one static, or has it special rights?{more}"
    ))
}

/// The folder that the subject runs in: what is in the current one, so that it finds its files, but
/// what it writes stays here. Small files are copied, since it may write them; others are linked.
fn furnish(scratch: &Path) -> std::io::Result<()> {
    fs::create_dir(scratch)?;
    for entry in fs::read_dir(".")? {
        let entry = entry?;
        let to = scratch.join(entry.file_name());
        let kind = entry.metadata()?;
        if kind.is_file() && kind.len() < 1 << 20 {
            fs::copy(entry.path(), &to)?;
        } else {
            std::os::unix::fs::symlink(fs::canonicalize(entry.path())?, &to)?;
        }
    }
    Ok(())
}
