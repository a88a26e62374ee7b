//! Replay: the original code, natively, with every exception watched.

use crate::child::{Child, NOT_SET_UP, event, last_error, leave};
use crate::fork_server::{ForkServer, Order, Role, Subject};
use crate::number::{Class, Number, format_of};
use crate::sandbox::Sandbox;
use crate::text::Text;
use crate::trace::{
    Asked, DIVIDE_BY_ZERO, EVENTS, INVALID, NOWHERE, OUT_OF_RANGE, OVERFLOW, RawEvent, RawNumber,
    Trace, UNDERFLOW, WRAPPED, Wanted,
};
use crate::tracer;
use crate::worker::{drain_event, signal, take_event};
use crate::{Death, Limits, RunEnd};
use nanoscope_ieee::{Format, Rounding};
use nanoscope_program::{Action, Exception, Fault, Original, Output, Scalar, SiteId, actions};
use std::cell::{OnceCell, RefCell};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An operation that raised an exception, at its first time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The operation; none when it is no site of the program.
    pub site: Option<SiteId>,
    /// What it raised.
    pub exception: Exception,
    /// Its instruction's address in the library as linked; none when no frame of the
    /// library was found.
    pub address: Option<u64>,
    /// The libm function that was called, for an exception inside one.
    pub call: Option<String>,
    /// The function and library it happened in, for a trap in other code that the
    /// site called.
    pub within: Option<String>,
    /// What the operation was given, where that can be read.
    pub operands: Vec<Number>,
    /// What it gave, where that can be read.
    pub result: Option<Number>,
    /// How often it happened.
    pub times: u64,
    /// Whether its instruction does several operations at once, so that the site may be
    /// another one's than the guilty lane's.
    pub packed: bool,
}

/// What a replay showed.
#[derive(Clone, Debug)]
pub struct Replay {
    /// One for every instruction and exception, in the order of their first times.
    pub events: Vec<Event>,
    /// How the run ended.
    pub outcome: RunEnd,
    /// The target's outputs; meaningful when it returned.
    pub outputs: Vec<u64>,
    /// The positions of the outputs that are NaN or infinite.
    pub exceptional_outputs: Vec<usize>,
    /// The end of what it printed.
    pub stdout: String,
    /// The end of what it printed to standard error.
    pub stderr: String,
    /// False when there were more traps than allowed: then later events may be missing.
    pub complete: bool,
    /// Traps taken.
    pub traps: u64,
}

impl Event {
    /// Whether a check told of it, not a trap.
    fn is_told(&self) -> bool {
        self.site.is_some() && self.address.is_none() && self.call.is_none()
    }
}

impl Replay {
    /// Whether `site` was seen to raise `exception`.
    pub fn shows(&self, site: SiteId, exception: Exception) -> bool {
        self.find(site, exception).is_some()
    }

    /// The event of `site` raising `exception`.
    pub fn find(&self, site: SiteId, exception: Exception) -> Option<&Event> {
        self.events.iter().find(|event| event.site == Some(site) && event.exception == exception)
    }

    /// Where the first NaN or infinity came to be.
    pub fn born(&self) -> Option<&Event> {
        self.events.iter().find(|event| event.result.is_some_and(Number::is_exceptional))
    }
}

/// Replays an original library: one point after the other in the same process, which is far
/// cheaper than a process each. What a run leaves behind in globals is reset before the next;
/// a run that does not return costs the process, and the next gets another.
pub struct Replayer {
    original: Original,
    limits: Limits,
    server: Rc<ForkServer>,
    text: Arc<Text>,
    trace: Trace,
    output: File,
    errors: File,
    wake: OwnedFd,
    done: OwnedFd,
    child: RefCell<Option<Child>>,
    /// Of the library with checks, once it is asked for.
    checked: OnceCell<Option<Box<Replayer>>>,
    _thread_bound: PhantomData<*const ()>,
}

/// How long a library may take to load: on a busy machine a large one takes its time.
const LOADING: Duration = Duration::from_secs(30);

/// How much of what a program prints is kept.
const PRINTED: u64 = 16 << 10;

impl Replayer {
    /// Reads the library's code and line table.
    pub fn new(original: &Original, limits: &Limits) -> Result<Replayer, Fault> {
        let target = &original.target;
        let text = text_of(original)?;
        let role = Role::Replay(Arc::clone(&text), Arc::clone(&original.sites));
        let subject = Subject::new(original.library.clone(), role, limits);
        let server = ForkServer::of(subject, limits, &|numbers, memory, events| {
            let &[entry, traps, input_words] = numbers else { leave(NOT_SET_UP) };
            let trace = Trace::over(memory, input_words as usize);
            let subject = (original.library.as_path(), entry as u32);
            tracer::run(subject, (&text, &original.sites), &trace, traps, events)
        })?;
        Ok(Replayer {
            original: original.clone(),
            limits: limits.clone(),
            server,
            text,
            trace: Trace::new(target.input_words, target.output_words)?,
            output: memory_file()?,
            errors: memory_file()?,
            wake: event()?,
            done: event()?,
            child: RefCell::new(None),
            checked: OnceCell::new(),
            _thread_bound: PhantomData,
        })
    }

    /// What protects the machine from the code that is run.
    pub fn sandbox(&self) -> Sandbox {
        self.server.sandbox()
    }

    /// The library that is replayed.
    pub fn original(&self) -> &Original {
        &self.original
    }

    /// Whether the instruction at an address does what an operation does.
    pub(crate) fn does(&self, address: u64, action: Action) -> bool {
        self.text.does(address, action)
    }

    /// Runs the target once and writes down all that happens.
    pub fn run(&self, inputs: &[u64]) -> Result<Replay, Fault> {
        let all = Asked { flags: tracer::ALL, ..Asked::default() };
        self.look(inputs, &all, self.limits.replay)
    }

    /// Runs the target once in a rounding mode, and watches nothing: what it gives back
    /// counts.
    ///
    /// # Panics
    /// When the hardware has no such mode.
    pub fn run_rounding(&self, inputs: &[u64], rounding: Rounding) -> Result<Replay, Fault> {
        let rounding = match rounding {
            Rounding::NearestEven => 0,
            Rounding::Downward => 1,
            Rounding::Upward => 2,
            Rounding::TowardZero => 3,
            Rounding::NearestAway => panic!("the hardware does not round ties away from zero"),
        };
        self.look(inputs, &Asked { rounding, ..Asked::default() }, self.limits.replay)
    }

    /// Runs the target once to see whether one thing happens. Other exceptions, and what
    /// comes after it, may be missing in the replay.
    pub fn glance(
        &self,
        inputs: &[u64],
        site: SiteId,
        exception: Exception,
    ) -> Result<Replay, Fault> {
        self.glance_for(inputs, &[(site, exception, 0)], false, self.limits.replay)
    }

    /// The same for several things at once, each with the fingerprint of the operands that it
    /// is expected with; left after so long. By stopping at every instruction of their sites,
    /// if so wanted, and not at any other.
    pub(crate) fn glance_for(
        &self,
        inputs: &[u64],
        wanted: &[(SiteId, Exception, u64)],
        stopping: bool,
        within: Duration,
    ) -> Result<Replay, Fault> {
        let (count, stops) = (wanted.len() as u32, u32::from(stopping));
        let mut asked = Asked { count, stops, ..Asked::default() };
        for (to, &(site, exception, operands)) in asked.wanted.iter_mut().zip(wanted) {
            *to = Wanted { flag: flag(exception), site: site.0, operands };
            asked.flags |= to.flag & if stopping { 0 } else { tracer::ALL };
        }
        self.look(inputs, &asked, within.min(self.limits.replay))
    }

    fn look(&self, inputs: &[u64], asked: &Asked, within: Duration) -> Result<Replay, Fault> {
        let target = &self.original.target;
        assert_eq!(inputs.len(), target.input_words, "the inputs of {}", target.function);
        let mut child = match self.child.take() {
            Some(child) => child,
            None => self.launch()?,
        };
        let trace = &self.trace;
        // SAFETY: sized for it; the child waits.
        unsafe {
            trace.clear(target.output_words);
            (*trace.head).asked = *asked;
            std::ptr::copy_nonoverlapping(inputs.as_ptr(), trace.inputs, inputs.len());
        }
        signal(self.wake.as_raw_fd());
        // SAFETY: a word that the child writes once.
        let seen = || unsafe { (&raw const (*trace.head).seen).read_volatile() != 0 };
        // SAFETY: a word that the child counts up.
        let traps = || unsafe { (&raw const (*trace.head).traps).read_volatile() };
        let patience = Patience { within, traps: &traps, seen: Some(&seen) };
        let death = wait(&mut child, &self.done, &patience)?;
        child.count();
        // SAFETY: the child is dead or waits; the mapping is ours alone now.
        let head = unsafe { &*trace.head };
        let logged = (head.events as usize).min(EVENTS);
        // SAFETY: below the log's length; any bytes are a `RawEvent`.
        let log = unsafe { std::slice::from_raw_parts(trace.log, logged) };
        let overwritten =
            head.events > EVENTS as u64 || !log.iter().all(|event| self.is_credible(event));
        let outcome = match death {
            _ if overwritten => RunEnd::Died(Death::Overwrote),
            None if head.aborted != 0 => RunEnd::Died(Death::Signal(libc::SIGABRT)),
            None if head.left != 0 && head.seen != 0 => RunEnd::Left,
            None if head.left != 0 => RunEnd::Died(Death::TimedOut),
            None => RunEnd::Returned,
            Some(Death::TimedOut) => RunEnd::Died(Death::TimedOut),
            Some(_) if head.out_of_memory != 0 => RunEnd::Died(Death::OutOfMemory),
            Some(how) => RunEnd::Died(how),
        };
        if death.is_none() && !overwritten {
            self.child.replace(Some(child));
        }
        let mut events = Vec::new();
        for event in log.iter().filter(|_| !overwritten) {
            self.tell(event, &mut events);
        }
        // SAFETY: sized for it.
        let outputs =
            unsafe { std::slice::from_raw_parts(trace.outputs, target.output_words) }.to_vec();
        let exceptional = |output: &Output| {
            matches!(outcome, RunEnd::Returned) && is_exceptional(output, &outputs)
        };
        let exceptional_outputs =
            (0..target.outputs.len()).filter(|at| exceptional(&target.outputs[*at])).collect();
        Ok(Replay {
            events,
            outcome,
            exceptional_outputs,
            outputs,
            stdout: tail(&self.output),
            stderr: tail(&self.errors),
            complete: head.unwatched == 0 && head.lost == 0,
            traps: head.traps,
        })
    }

    /// Runs the target once, and once more with a check at every operation that is asked about
    /// and traps nowhere; what the checks tell is added to what the first run showed, at its
    /// place in the order.
    pub fn run_with_checks(&self, inputs: &[u64]) -> Result<Replay, Fault> {
        let mut replay = self.run(inputs)?;
        let Some(checked) = self.checked()? else { return Ok(replay) };
        let seen = checked.run(inputs)?.events;
        let mut place = 0;
        for event in seen {
            let same = |it: &Event| it.site == event.site && it.exception == event.exception;
            match replay.events.iter().position(same) {
                Some(at) => place = place.max(at + 1),
                None if event.is_told() => {
                    replay.events.insert(place, event);
                    place += 1;
                }
                None => {} // another instruction's affair, in another build
            }
        }
        Ok(replay)
    }

    /// The replayer of the library with checks; none where there is nothing to check.
    pub(crate) fn checked(&self) -> Result<Option<&Replayer>, Fault> {
        if self.checked.get().is_none() {
            let made = match self.original.with_checks()? {
                Some(original) => Some(Box::new(Replayer::new(&original, &self.limits)?)),
                None => None,
            };
            let _ = self.checked.set(made); // nobody else can have: this is one thread's
        }
        Ok(self.checked.get().and_then(Option::as_deref))
    }

    fn launch(&self) -> Result<Child, Fault> {
        let Replayer { original, limits, .. } = self;
        drain_event(self.wake.as_raw_fd());
        drain_event(self.done.as_raw_fd());
        let target = &original.target;
        let mut child = self.server.fork(&Order {
            numbers: &[u64::from(target.entry), limits.traps, target.input_words as u64],
            memory: &self.trace.memory,
            events: (self.wake.as_raw_fd(), self.done.as_raw_fd()),
            output: Some((self.output.as_raw_fd(), self.errors.as_raw_fd())),
        })?;
        let patience = Patience { within: LOADING, traps: &|| 0, seen: None };
        let library = original.library.display();
        match wait(&mut child, &self.done, &patience)? {
            None => Ok(child),
            Some(Death::Exited(NOT_SET_UP)) => {
                // SAFETY: the child is dead.
                Err(match unsafe { (*self.trace.head).trouble.read() } {
                    Some(trouble) => Fault::User(format!("cannot load {library}: {trouble}")),
                    None => Fault::Internal("the kernel refused the sandbox of a replay".into()),
                })
            }
            Some(how) => Err(Fault::User(format!(
                "loading {library} ran code that ended the process: {how:?}"
            ))),
        }
    }

    /// Whether an event is one that the child wrote: the code under test may have written over it.
    fn is_credible(&self, raw: &RawEvent) -> bool {
        raw.is_whole() && (raw.told_by as usize) <= self.original.sites.len()
    }

    /// The event of an integer operation that a check told about.
    fn told(&self, raw: &RawEvent) -> Event {
        let site = SiteId(raw.told_by - 1);
        let Action::Integer(arithmetic) = self.original.sites[site.0 as usize].action else {
            unreachable!("only integers are checked")
        };
        let encodings = raw.operands.map(|operand| u128::from(operand.words[0]));
        let integer = |value: i128| Number::Integer(value as i64);
        Event {
            site: Some(site),
            exception: Exception::IntegerOverflow,
            address: None,
            call: None,
            within: None,
            operands: encodings[..arithmetic.operands()]
                .iter()
                .map(|encoding| integer(arithmetic.read(*encoding)))
                .collect(),
            result: Some(integer(arithmetic.wrapped(&encodings))),
            times: raw.times,
            packed: false,
        }
    }

    /// The event of an operation in software that a check told about.
    fn computed(&self, raw: &RawEvent) -> Option<Event> {
        let id = SiteId(raw.told_by - 1);
        let site = &self.original.sites[id.0 as usize];
        let given = match site.action {
            Action::Narrow { from } => from,
            Action::ToInteger { .. }
            | Action::Libm(_)
            | Action::Integer(_)
            | actions!(Operation) => site.format,
        };
        let number = |raw: &RawNumber, format: Format| Number::Float { format, bits: raw.lane(0) };
        let operands = raw.operands.iter().take(site.action.operands());
        Some(Event {
            site: Some(id),
            exception: *FLOATING.iter().find(|exception| raw.flags & flag(**exception) != 0)?,
            address: None,
            call: None,
            within: None,
            operands: operands.map(|operand| number(operand, given)).collect(),
            result: Some(number(&raw.result, site.format)),
            times: raw.times,
            packed: false,
        })
    }

    /// Makes events of what the child wrote: one for every exception.
    fn tell(&self, raw: &RawEvent, events: &mut Vec<Event>) {
        let address = (raw.address != NOWHERE).then_some(raw.address);
        let sites = &self.original.sites;
        if raw.flags & WRAPPED != 0 {
            events.push(self.told(raw));
            return;
        }
        if raw.told_by != 0 {
            events.extend(self.computed(raw));
            return;
        }
        // Traps in other code have a name, and their address is the call's.
        let site = address.and_then(|address| match raw.name() {
            Some(_) => self.text.site_of_call(address, sites),
            None => self.text.site_of_operation(address, sites),
        });
        let converts = site
            .is_some_and(|site| matches!(sites[site.0 as usize].action, Action::ToInteger { .. }));
        for exception in FLOATING {
            let raised = raw.flags & flag(exception) != 0;
            // What the hardware says at a conversion is about its own integers.
            if !raised || converts && exception != Exception::ConversionOutOfRange {
                continue;
            }
            for lane in guilty_lanes(raw, exception) {
                let numbers = |raw: &RawNumber| number(raw, lane);
                events.push(Event {
                    site,
                    exception,
                    address,
                    call: raw.name().filter(|_| raw.is_call != 0),
                    within: raw.name().filter(|_| raw.is_call == 0),
                    operands: raw.operands.iter().filter_map(numbers).collect(),
                    result: number(&raw.result, lane),
                    times: raw.times,
                    packed: raw.result.lanes > 1,
                });
            }
        }
    }
}

/// The exceptions that hardware flags and ours stand for.
const FLOATING: [Exception; 5] = [
    Exception::Invalid,
    Exception::DivideByZero,
    Exception::Overflow,
    Exception::Underflow,
    Exception::ConversionOutOfRange,
];

/// The flag that stands for an exception.
fn flag(exception: Exception) -> u32 {
    match exception {
        Exception::Invalid => INVALID,
        Exception::DivideByZero => DIVIDE_BY_ZERO,
        Exception::Overflow => OVERFLOW,
        Exception::Underflow => UNDERFLOW,
        Exception::ConversionOutOfRange => OUT_OF_RANGE,
        Exception::IntegerOverflow => WRAPPED,
    }
}

/// The code of a library. That of the last two is kept, a program with its checks and without:
/// its targets come one after the other, and a library in the cache is never written again.
fn text_of(original: &Original) -> Result<Arc<Text>, Fault> {
    static LAST: Mutex<Vec<(PathBuf, Arc<Text>)>> = Mutex::new(Vec::new());
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, text)) = last.iter().find(|(path, _)| *path == original.library) {
        return Ok(Arc::clone(text));
    }
    let text = Arc::new(Text::read(original)?);
    last.truncate(1);
    last.insert(0, (original.library.clone(), Arc::clone(&text)));
    Ok(text)
}

/// Of several results at once, those that look like the exception; the first if none does.
fn guilty_lanes(raw: &RawEvent, exception: Exception) -> Vec<usize> {
    let fits = |lane: &usize| {
        let Some(class) = number(&raw.result, *lane).map(Number::class) else { return false };
        let normal = number(&raw.operands[0], *lane).map(Number::class) != Some(Class::Zero);
        match exception {
            Exception::Invalid => class == Class::Nan,
            Exception::DivideByZero | Exception::Overflow => class == Class::Infinite,
            Exception::Underflow => matches!(class, Class::Subnormal | Class::Zero) && normal,
            Exception::ConversionOutOfRange | Exception::IntegerOverflow => false,
        }
    };
    let guilty: Vec<usize> = (0..raw.result.lanes.min(8) as usize).filter(fits).collect();
    if guilty.is_empty() { vec![0] } else { guilty }
}

fn number(raw: &RawNumber, lane: usize) -> Option<Number> {
    let lane = if lane < raw.lanes as usize { lane } else { 0 };
    match raw.kind {
        RawNumber::INTEGER => Some(Number::Integer(raw.words[0] as i64)),
        kind => format_of(kind).map(|format| Number::Float { format, bits: raw.lane(lane) }),
    }
}

fn is_exceptional(output: &Output, words: &[u64]) -> bool {
    let Scalar::Float(format) = output.scalar else { return false };
    let low = u128::from(words[output.word]);
    let high = if output.scalar.words() == 2 { u128::from(words[output.word + 1]) } else { 0 };
    let mask = if format.width() == 128 { u128::MAX } else { (1 << format.width()) - 1 };
    let bits = (low | high << 64) & mask;
    Number::Float { format, bits }.is_exceptional()
}

/// How long a child is waited for.
struct Patience<'a> {
    /// So long, beside what its traps take.
    within: Duration,
    traps: &'a dyn Fn() -> u64,
    /// Whether it has shown what it was to show; none, it is not to be left but killed.
    seen: Option<&'a dyn Fn() -> bool>,
}

/// What a trap takes, about; and the most of them that are waited for.
const TRAP: Duration = Duration::from_micros(20);
const MOST_TRAPS: u64 = 1000;

/// Waits until the child says that it is done; else how it died. A run that takes too long,
/// or goes on after it showed what it was to show, is left; if it cannot be, the child dies.
fn wait(child: &mut Child, done: &OwnedFd, patience: &Patience) -> Result<Option<Death>, Fault> {
    // How often the child's clock is looked at, in milliseconds; and how much longer the
    // wall's may run.
    const GLANCE: i32 = 1;
    const BUSY: u32 = 20;
    // How often a child is told to leave a run.
    const TOLD: u32 = 20;
    let begun = child.processor_time();
    let deadline = Instant::now() + patience.within * BUSY;
    let mut told = 0;
    loop {
        let watched = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut events = [watched(done.as_raw_fd()), watched(child.descriptor())];
        // SAFETY: two initialised entries.
        match unsafe { libc::poll(events.as_mut_ptr(), 2, GLANCE) } {
            0 => {
                let spent = child.processor_time().saturating_sub(begun);
                let within = patience.within + TRAP * (patience.traps)().min(MOST_TRAPS) as u32;
                let late = spent >= within || Instant::now() >= deadline;
                match patience.seen {
                    Some(seen) if told < TOLD && (late || seen()) => {
                        told += 1;
                        child.signal(tracer::LEAVE);
                    }
                    Some(_) | None if late => {
                        child.kill();
                        child.reap();
                        return Ok(Some(Death::TimedOut));
                    }
                    Some(_) | None => {}
                }
            }
            1.. if events[0].revents & libc::POLLIN != 0 => {
                take_event(done.as_raw_fd());
                return Ok(None);
            }
            1.. => return Ok(Some(child.reap())),
            _ if std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => {}
            _ => return Err(last_error("cannot wait for a replay")),
        }
    }
}

/// A file without a name; the limit on file sizes bounds what a program can print.
fn memory_file() -> Result<File, Fault> {
    // SAFETY: makes a descriptor that nobody else owns.
    unsafe {
        let fd = libc::memfd_create(c"output".as_ptr(), libc::MFD_CLOEXEC);
        if fd < 0 {
            return Err(last_error("cannot make a memory file"));
        }
        Ok(File::from_raw_fd(fd))
    }
}

fn tail(mut file: &File) -> String {
    let mut text = Vec::new();
    let length = file.seek(SeekFrom::End(0)).unwrap_or(0);
    if length > 0 && file.seek(SeekFrom::Start(length.saturating_sub(PRINTED))).is_ok() {
        // What cannot be read back is not there to be shown. The next run writes from the
        // beginning: a child shares the position.
        let _ = file.read_to_end(&mut text);
        let _ = file.set_len(0).and_then(|()| file.rewind());
    }
    String::from_utf8_lossy(&text).into_owned()
}
