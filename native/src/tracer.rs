//! The replay's child side: run the original code with hardware exceptions unmasked,
//! and write down every one.
//!
//! An SSE or AVX instruction traps before it completes. The handler masks all
//! exceptions and lets it run alone, up to a breakpoint right behind it; what it then did
//! to the flags and to its destination is the event, and the exceptions are unmasked again.
//! Where no trap tells (see [`Watch`]) a breakpoint does the same. (The processor's single
//! step serves where no breakpoint can be set: on virtual machines it costs several times
//! as much, since the hypervisor has its hands in the debug registers.)

use crate::child::{NOT_SET_UP, leave};
use crate::frame::{FLAGS, Frame, MASKED};
use crate::libm::{Call, classify};
use crate::loaded::Loaded;
use crate::number::{Class, class, fits};
use crate::runner::{note_memory_left, signal, wait, watch_memory};
use crate::text::{Operation, Place, Text, Watch};
use crate::trace::{
    Asked, DIVIDE_BY_ZERO, EVENTS, INVALID, NOWHERE, OUT_OF_RANGE, OVERFLOW, RawEvent, RawNumber,
    Trace, UNDERFLOW, WANTED, WRAPPED, Wanted,
};
use nanoscope_program::{Site, SiteId};
use std::convert::Infallible;
use std::ffi::{CStr, c_void};
use std::os::fd::RawFd;
use std::path::Path;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What can be asked of the hardware; inexact and denormal operands are everyday.
pub(crate) const ALL: u32 = INVALID | DIVIDE_BY_ZERO | OVERFLOW | UNDERFLOW;

/// Tells the child to leave its run.
pub(crate) const LEAVE: i32 = libc::SIGUSR2;

/// Traps taken after what was looked for was seen, but not with the operands expected.
const MORE: u64 = 24;

/// The child's state; the handlers are its only users once the code runs.
struct Tracer {
    text: *const Text,
    sites: *const [Site],
    trace: *const Trace,
    /// Where the library was loaded, relative to where it was linked.
    bias: u64,
    /// Where a run goes that takes too long, and whether there is one.
    escape: u64,
    armed: *const u32,
    traps_left: u64,
    /// What is looked for, as far as it was not seen; and with the operands expected.
    unseen: Vec<Wanted>,
    inexact: Vec<Wanted>,
    /// Whether the text can be changed.
    writable: bool,
    /// Whether breakpoints were taken away.
    bare: bool,
    /// Instructions that are stopped at in this run.
    stops: Vec<&'static Operation>,
    /// Whether the run is to be left.
    hurry: bool,
    step: Option<Step>,
    /// Open addressing: the hash of an event and its place in the log, from 1.
    known: Vec<(u64, u32)>,
    /// The places in `known` that are taken.
    used: Vec<usize>,
}

/// An instruction that is running alone.
struct Step {
    event: RawEvent,
    operation: Option<Operation>,
    is_breakpoint: bool,
    /// The breakpoint behind it: where, and the byte it took the place of. None: a single step.
    end: Option<(u64, u8)>,
    mxcsr: u32,
    status: u32,
}

const INT3: u8 = 0xcc;

static TRACER: AtomicPtr<Tracer> = AtomicPtr::new(std::ptr::null_mut());

/// Runs forever: each time that `wake` is signalled the trace has inputs to run; the end of
/// the run is signalled on `done`.
pub(crate) fn run(
    (library, entry): (&Path, u32),
    (text, sites): (&Text, &[Site]),
    trace: &Trace,
    traps: u64,
    (wake, done): (RawFd, RawFd),
) -> Infallible {
    // SAFETY: shared memory that outlives us.
    let head = unsafe { &mut *trace.head };
    let (reset, entry) = match prepare((library, entry), (text, sites), trace) {
        Ok(entries) => entries,
        Err(trouble) => {
            head.trouble.write(&trouble);
            leave(NOT_SET_UP);
        }
    };
    signal(done);
    loop {
        wait(wake);
        // SAFETY: the library's contract gives the symbols these types; MXCSR is as
        // Rust expects it again before any of its code computes.
        unsafe {
            (*TRACER.load(Ordering::Relaxed)).begin(traps, head.asked);
            reset();
            let mut before = 0u32;
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut before);
            // A library may ask to flush to zero when it is loaded: keep that.
            let unmasked = (before & 0x8040) | (MASKED & !(head.asked.flags << 7));
            let unmasked = unmasked | head.asked.rounding << 13;
            let mut control = 0u16;
            std::arch::asm!("fnstcw [{}]", in(reg) &raw mut control);
            let rounding = (control & !0xc00) | (head.asked.rounding as u16) << 10;
            std::arch::asm!("fldcw [{}]", in(reg) &raw const rounding);
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const unmasked);
            head.left = u64::from(entry(trace.inputs, trace.outputs));
            let masked = MASKED | before & 0x8040;
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const masked);
            std::arch::asm!("fldcw [{}]", in(reg) &raw const control);
            libc::fflush(std::ptr::null_mut());
        }
        head.returned = u64::from(head.left == 0);
        signal(done);
    }
}

type Reset = unsafe extern "C" fn();
type Entry = unsafe extern "C" fn(*const u64, *mut u64) -> u32;

fn prepare(
    (library, target): (&Path, u32),
    (text, sites): (&Text, &[Site]),
    trace: &Trace,
) -> Result<(Reset, Entry), String> {
    let library = Loaded::open(library)?;
    let run = library.symbol(c"nanoscope_run")?;
    let entry = library.symbol(c"nanoscope_try")?;
    let reset = library.symbol(c"nanoscope_reset")?;
    let tracer = Tracer {
        text,
        sites,
        trace,
        bias: (run as u64).wrapping_sub(text.run),
        escape: library.symbol(c"nanoscope_escape")? as u64,
        armed: library.symbol(c"nanoscope_armed")?.cast(),
        traps_left: 0,
        unseen: Vec::with_capacity(WANTED),
        inexact: Vec::with_capacity(WANTED),
        writable: false,
        bare: false,
        stops: Vec::new(),
        hurry: false,
        step: None,
        known: vec![(0, 0); 4 * EVENTS],
        used: Vec::new(),
    };
    TRACER.store(Box::into_raw(Box::new(tracer)), Ordering::Relaxed);
    // SAFETY: the tracer lives from here on; handlers have the signature they are
    // installed for; symbols have the types that the contract gives them.
    unsafe {
        watch_memory(&raw mut (*trace.head).out_of_memory);
        for (signal, handler) in [
            (libc::SIGFPE, trapped as *const () as usize),
            (libc::SIGTRAP, stepped as *const () as usize),
            (LEAVE, hurried as *const () as usize),
            (libc::SIGABRT, aborted as *const () as usize),
        ] {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
        if !(*TRACER.load(Ordering::Relaxed)).set_breakpoints() {
            return Err("its code cannot be made writable for breakpoints".into());
        }
        let hook = library.find(c"nanoscope_libm");
        if !hook.is_null() {
            *hook.cast::<unsafe extern "C" fn(*const Call)>() = called;
        }
        let hook = library.find(c"nanoscope_integer");
        if !hook.is_null() {
            *hook.cast::<unsafe extern "C" fn(u32, u64, u64)>() = wrapped;
        }
        let hook = library.find(c"nanoscope_soft");
        if !hook.is_null() {
            *hook.cast::<unsafe extern "C" fn(u32, u32, *const u64)>() = computed;
        }
        on_exit(exited, std::ptr::null_mut());
        library.choose(target);
        Ok((
            std::mem::transmute::<*mut c_void, Reset>(reset),
            std::mem::transmute::<*mut c_void, Entry>(entry),
        ))
    }
}

impl Tracer {
    /// Another run begins.
    fn begin(&mut self, traps: u64, asked: Asked) {
        self.take_stops_away();
        self.traps_left = traps;
        for list in [&mut self.unseen, &mut self.inexact] {
            list.clear();
            list.extend(&asked.wanted[..(asked.count as usize).min(WANTED)]);
        }
        self.hurry = false;
        if std::mem::take(&mut self.bare) {
            // SAFETY: there were breakpoints, so the text is writable.
            self.watched().for_each(|operation| unsafe { self.patch(operation, true) });
        }
        for slot in self.used.drain(..) {
            self.known[slot] = (0, 0);
        }
        if asked.stops != 0 && self.writable {
            for wanted in &self.unseen {
                let own = self.text().operations_of(SiteId(wanted.site));
                self.stops.extend(own.filter(|operation| operation.watch == Watch::None));
            }
            // SAFETY: the text is writable.
            self.stops.iter().for_each(|operation| unsafe { self.patch(operation, true) });
        }
    }

    fn take_stops_away(&mut self) {
        for operation in std::mem::take(&mut self.stops) {
            // SAFETY: there were stops, so the text is writable.
            unsafe { self.patch(operation, false) };
        }
    }

    fn text(&self) -> &'static Text {
        // SAFETY: the text outlives the child's run: the child never returns.
        unsafe { &*self.text }
    }

    fn operation(&self, address: u64) -> Option<&'static Operation> {
        let operations = &self.text().operations;
        let found = operations.binary_search_by_key(&address, |operation| operation.address);
        found.ok().map(|index| &operations[index])
    }

    fn is_ours(&self, counter: u64) -> bool {
        (self.text().start..self.text().end).contains(&counter.wrapping_sub(self.bias))
    }

    /// # Safety
    /// The library is loaded at the bias and not running.
    unsafe fn set_breakpoints(&mut self) -> bool {
        const PAGE: u64 = crate::shared::PAGE as u64;
        let start = self.text().start.wrapping_add(self.bias) / PAGE * PAGE;
        let end = self.text().end.wrapping_add(self.bias).next_multiple_of(PAGE);
        let all = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        // SAFETY: the library's own pages.
        unsafe {
            self.writable = libc::mprotect(start as *mut c_void, (end - start) as usize, all) == 0;
            if !self.writable {
                return self.watched().next().is_none();
            }
            self.watched().for_each(|operation| self.patch(operation, true));
        }
        true
    }

    /// Has an instruction run alone from where it stands: [`Step::end`].
    fn let_run(&self, frame: &Frame, operation: Option<&Operation>) -> Option<(u64, u8)> {
        let Some(operation) = operation.filter(|_| self.writable) else {
            frame.single_step(true);
            return None;
        };
        let end = operation.address.wrapping_add(self.bias) + u64::from(operation.length);
        // SAFETY: arithmetic goes on with the instruction behind it, so there is one; the
        // text is writable. Volatile, since the store is for the processor.
        let byte = unsafe {
            let byte = (end as *const u8).read_volatile();
            (end as *mut u8).write_volatile(INT3);
            byte
        };
        Some((end, byte))
    }

    /// Takes the breakpoint behind a step away, whose handler runs.
    fn end_step(&self, frame: &Frame, step: &Step) {
        let Some((end, byte)) = step.end else {
            frame.single_step(false);
            return;
        };
        // SAFETY: written when the step began. One that was there before stays, and traps
        // again.
        unsafe { (end as *mut u8).write_volatile(byte) };
        frame.set_program_counter(end);
    }

    fn watched(&self) -> impl Iterator<Item = &'static Operation> {
        self.text().operations.iter().filter(|operation| operation.watch != Watch::None)
    }

    /// # Safety
    /// The text is writable.
    unsafe fn patch(&self, operation: &Operation, breakpoint: bool) {
        let byte = if breakpoint { INT3 } else { operation.first_byte };
        // SAFETY: an address in the text; volatile, since the store is for the processor.
        unsafe { (operation.address.wrapping_add(self.bias) as *mut u8).write_volatile(byte) };
    }

    /// Strikes what an event shows from what is looked for. When all was seen, few traps are
    /// taken any more; none when all had the operands expected.
    fn strike(&mut self, event: &RawEvent) {
        let flags = self.inexact.iter().fold(0, |flags, wanted| flags | wanted.flag);
        if event.flags & flags == 0 {
            return;
        }
        // SAFETY: the sites outlive the child's run: the child never returns.
        let sites = unsafe { &*self.sites };
        let site = match event.told_by {
            0 if event.name[0] != 0 => self.text().site_of_call(event.address, sites),
            0 => self.text().site_of_operation(event.address, sites),
            told => Some(SiteId(told - 1)),
        };
        let Some(site) = site else { return };
        let is_it = |wanted: &Wanted| wanted.site == site.0 && event.flags & wanted.flag != 0;
        let operands = event.fingerprint();
        self.unseen.retain(|wanted| !is_it(wanted));
        self.inexact.retain(|wanted| {
            !(is_it(wanted) && (wanted.operands == 0 || wanted.operands == operands))
        });
        if self.unseen.is_empty() {
            // SAFETY: shared memory.
            unsafe { (*(*self.trace).head).seen = 1 };
            let more = if self.inexact.is_empty() { 1 } else { MORE };
            self.traps_left = self.traps_left.min(more);
        }
    }

    /// Writes an event down, or counts it if it is known.
    fn log(&mut self, event: &RawEvent) {
        if !self.inexact.is_empty() {
            self.strike(event);
        }
        // SAFETY: shared memory; the slot is checked.
        let head = unsafe { &mut *(*self.trace).head };
        let log = unsafe { (*self.trace).log };
        let mut key = event.address ^ u64::from(event.flags | event.is_call << 16) << 44;
        key ^= u64::from(event.told_by) << 8;
        key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut slot = key as usize >> 8;
        loop {
            slot %= self.known.len();
            let (found, place) = self.known[slot];
            if found == key {
                // SAFETY: a slot that was logged.
                unsafe { (*log.add(place as usize)).times += 1 };
                return;
            }
            if found == 0 {
                break;
            }
            slot += 1;
        }
        if head.events as usize >= EVENTS {
            head.lost += 1;
            return;
        }
        self.known[slot] = (key, head.events as u32);
        self.used.push(slot);
        // SAFETY: below the log's length.
        let entry = unsafe { &mut *log.add(head.events as usize) };
        *entry = *event;
        entry.seal();
        head.events += 1;
    }

    /// Counts a trap. When there were too many, the rest runs unwatched.
    fn count_trap(&mut self) -> bool {
        // SAFETY: shared memory; the text is writable if there are breakpoints.
        unsafe {
            (*(*self.trace).head).traps += 1;
            self.traps_left = self.traps_left.saturating_sub(1);
            if self.traps_left > 0 {
                return true;
            }
            (*(*self.trace).head).unwatched = 1;
            self.bare = true;
            self.watched().for_each(|operation| self.patch(operation, false));
        }
        self.take_stops_away();
        false
    }
}

/// SIGFPE: an unmasked exception of SSE or AVX, or an integer division.
unsafe extern "C" fn trapped(signal: i32, info: *const libc::siginfo_t, context: *mut c_void) {
    // SAFETY: set before the handler was; the kernel's arguments are live.
    let tracer = unsafe { &mut *TRACER.load(Ordering::Relaxed) };
    let frame = unsafe { Frame::new(context, tracer.bias) };
    const INTEGER_OVERFLOW: i32 = 2; // and integer division, 1
    let code = unsafe { (*info).si_code };
    if code <= INTEGER_OVERFLOW || tracer.step.is_some() {
        // Deadly: let it happen again without us. (Codes below 0: raise(SIGFPE).)
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            if code <= 0 {
                libc::raise(signal);
            }
        }
        return;
    }
    let mxcsr = frame.mxcsr();
    if !tracer.count_trap() {
        frame.set_mxcsr(mxcsr | MASKED);
        return;
    }
    let counter = frame.program_counter();
    let mut event = RawEvent::at(counter.wrapping_sub(tracer.bias));
    let operation = if tracer.is_ours(counter) {
        tracer.operation(event.address).copied()
    } else {
        attribute(tracer, counter, &mut event);
        None
    };
    if let Some(operation) = &operation {
        read_operands(&frame, operation, &mut event);
    }
    frame.set_mxcsr((mxcsr | MASKED) & !FLAGS);
    let end = tracer.let_run(&frame, operation.as_ref());
    tracer.step = Some(Step { event, operation, is_breakpoint: false, end, mxcsr, status: 0 });
}

/// SIGTRAP: a breakpoint, or the end of a single step.
unsafe extern "C" fn stepped(signal: i32, _: *const libc::siginfo_t, context: *mut c_void) {
    // SAFETY: set before the handler was; the kernel's arguments are live.
    let tracer = unsafe { &mut *TRACER.load(Ordering::Relaxed) };
    let frame = unsafe { Frame::new(context, tracer.bias) };
    if let Some(step) = tracer.step.take() {
        tracer.end_step(&frame, &step);
        complete(tracer, &frame, step);
        leave_if_hurried(tracer, &frame);
        return;
    }
    let counter = frame.program_counter().wrapping_sub(1);
    let found = tracer.operation(counter.wrapping_sub(tracer.bias));
    let is_ours = |operation: &&Operation| {
        let address = operation.address;
        operation.watch != Watch::None || tracer.stops.iter().any(|stop| stop.address == address)
    };
    let Some(operation) = found.filter(is_ours) else {
        // Not ours: the program's own int3 or raise(SIGTRAP).
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
        return;
    };
    frame.set_program_counter(counter);
    if !tracer.count_trap() {
        frame.set_mxcsr(frame.mxcsr() | MASKED);
        return;
    }
    let mut event = RawEvent::at(operation.address);
    read_operands(&frame, operation, &mut event);
    if let Watch::Conversion(integer) = operation.watch {
        let value = event.operands[0];
        let bad = (0..operation.lanes as usize)
            .map(|lane| value.lane(lane))
            .find(|bits| !fits(operation.format, *bits, integer));
        if let Some(bits) = bad {
            let words = [bits as u64, (bits >> 64) as u64, 0, 0];
            event.operands[0] = RawNumber { kind: value.kind, lanes: 1, words };
            event.flags = OUT_OF_RANGE;
            tracer.log(&event);
        }
    }
    let (mxcsr, status) = (frame.mxcsr(), frame.status());
    frame.set_mxcsr((mxcsr | MASKED) & !FLAGS);
    frame.set_status(status & !FLAGS);
    // SAFETY: there is a breakpoint, so the text is writable.
    unsafe { tracer.patch(operation, false) };
    let end = tracer.let_run(&frame, Some(operation));
    let operation = Some(*operation);
    tracer.step = Some(Step { event, operation, is_breakpoint: true, end, mxcsr, status });
}

/// [`LEAVE`]: the run takes too long. It is left where that can do no harm, in its own code;
/// elsewhere it may hold a lock, and the parent will ask again.
unsafe extern "C" fn hurried(_: i32, _: *const libc::siginfo_t, context: *mut c_void) {
    // SAFETY: set before the handler was; the kernel's arguments are live.
    let tracer = unsafe { &mut *TRACER.load(Ordering::Relaxed) };
    let frame = unsafe { Frame::new(context, tracer.bias) };
    // SAFETY: a word of the library.
    tracer.hurry = unsafe { tracer.armed.read_volatile() } != 0;
    if tracer.step.is_none() {
        leave_if_hurried(tracer, &frame);
    }
}

/// SIGABRT: `abort` (which holds no lock while it raises the signal) or an assertion. The run
/// is left; if there is no memory any more, it is deadly.
unsafe extern "C" fn aborted(signal: i32, _: *const libc::siginfo_t, context: *mut c_void) {
    // SAFETY: set before the handler was; the kernel's arguments are live.
    let tracer = unsafe { &mut *TRACER.load(Ordering::Relaxed) };
    let frame = unsafe { Frame::new(context, tracer.bias) };
    // SAFETY: a word of the library, and shared memory; system calls only.
    unsafe {
        if tracer.armed.read_volatile() == 0 || !note_memory_left() {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
            return;
        }
        (*(*tracer.trace).head).aborted = 1;
    }
    frame.set_mxcsr(frame.mxcsr() | MASKED);
    frame.divert(tracer.escape);
}

/// Leaves a run that takes too long, if it is in its own code.
fn leave_if_hurried(tracer: &mut Tracer, frame: &Frame) {
    if tracer.hurry && tracer.is_ours(frame.program_counter()) {
        tracer.hurry = false;
        frame.set_mxcsr(frame.mxcsr() | MASKED);
        frame.divert(tracer.escape);
    }
}

/// After the instruction has run alone: what did it do?
fn complete(tracer: &mut Tracer, frame: &Frame, mut step: Step) {
    let raised = frame.mxcsr() & FLAGS;
    frame.set_mxcsr(step.mxcsr | raised);
    if let Some(operation) = &step.operation {
        step.event.result = frame.read(operation.result, operation.result_format, operation.lanes);
    }
    if step.is_breakpoint {
        let operation = step.operation.as_ref().expect("breakpoints are at operations");
        let stack_fault = frame.status() & 0x40 != 0;
        let mut flags = frame.status() & FLAGS;
        frame.set_status(frame.status() | step.status & FLAGS);
        // SAFETY: there are breakpoints, so the text is writable.
        unsafe { tracer.patch(operation, true) };
        match operation.watch {
            Watch::Conversion(_) => return,
            Watch::None => flags = raised,
            Watch::X87 if stack_fault => flags &= !INVALID, // the stack's, not the arithmetic's
            Watch::X87 => {}
        }
        // A tiny result that is exact sets no flag (IEEE 754, 7.5) but is one.
        let tiny =
            |lane| class(operation.result_format, step.event.result.lane(lane)) == Class::Subnormal;
        if (0..operation.lanes as usize).any(tiny) {
            flags |= UNDERFLOW;
        }
        step.event.flags = flags & ALL;
    } else {
        // An unmasked underflow traps on exact tiny results too: no flag is that.
        step.event.flags = match raised & ALL {
            0 => UNDERFLOW,
            flags => flags,
        };
    }
    if step.event.flags != 0 {
        tracer.log(&step.event);
    }
}

fn read_operands(frame: &Frame, operation: &Operation, event: &mut RawEvent) {
    for (to, place) in event.operands.iter_mut().zip(operation.operands) {
        if place != Place::None {
            *to = frame.read(place, operation.format, operation.lanes);
        }
    }
}

/// What `replay.c` calls after every call of libm.
unsafe extern "C" fn called(call: *const Call) {
    // SAFETY: set before the code ran; the wrapper's argument is live.
    let (tracer, call) = unsafe { (&mut *TRACER.load(Ordering::Relaxed), &*call) };
    let flags = classify(call);
    if flags == 0 {
        return;
    }
    let address = (call.returns_to as u64).wrapping_sub(1).wrapping_sub(tracer.bias);
    let mut event = RawEvent::at(address);
    event.flags = flags;
    event.is_call = 1;
    for (to, from) in event.operands.iter_mut().zip(call.arguments()) {
        *to = from.raw();
    }
    event.result = call.result.raw();
    // SAFETY: a string constant of the runtime.
    event.append_name(unsafe { CStr::from_ptr(call.name) }.to_bytes());
    tracer.log(&event);
}

/// What `checks.c` calls after an operation of a format without instructions that raised
/// something: three operands and the result, two words each.
unsafe extern "C" fn computed(site: u32, flags: u32, words: *const u64) {
    // SAFETY: set before the code ran; the caller's array has eight words.
    let (tracer, words) =
        unsafe { (&mut *TRACER.load(Ordering::Relaxed), &*words.cast::<[[u64; 2]; 4]>()) };
    let mut event = RawEvent::at(NOWHERE);
    event.flags = flags;
    event.told_by = site + 1;
    let number =
        |[low, high]: [u64; 2]| RawNumber { kind: 128, lanes: 1, words: [low, high, 0, 0] };
    for (to, words) in event.operands.iter_mut().zip(words) {
        *to = number(*words);
    }
    event.result = number(words[3]);
    tracer.log(&event);
}

/// What `checks.c` calls before arithmetic on integers that does not fit.
unsafe extern "C" fn wrapped(site: u32, a: u64, b: u64) {
    // SAFETY: set before the code ran.
    let tracer = unsafe { &mut *TRACER.load(Ordering::Relaxed) };
    let mut event = RawEvent::at(NOWHERE);
    event.flags = WRAPPED;
    event.told_by = site + 1;
    for (to, word) in event.operands.iter_mut().zip([a, b]) {
        *to = RawNumber { kind: RawNumber::INTEGER, lanes: 1, words: [word, 0, 0, 0] };
    }
    tracer.log(&event);
}

unsafe extern "C" {
    fn on_exit(function: unsafe extern "C" fn(i32, *mut c_void), argument: *mut c_void) -> i32;
    fn _Unwind_Backtrace(
        each: unsafe extern "C" fn(*mut c_void, *mut c_void) -> i32,
        argument: *mut c_void,
    ) -> i32;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

/// The program called `exit`: the exit handlers that follow are the parent's.
unsafe extern "C" fn exited(status: i32, _: *mut c_void) {
    let masked = MASKED;
    // SAFETY: loads a valid control word; then writes what was printed.
    unsafe {
        std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const masked);
        libc::fflush(std::ptr::null_mut());
    }
    leave(status)
}

/// A trap elsewhere belongs to the innermost frame in the library.
fn attribute(tracer: &Tracer, counter: u64, event: &mut RawEvent) {
    let mut search = (tracer, NOWHERE);
    // SAFETY: the unwinder passes our own pointer back while `search` lives. The trap
    // was synchronous, in arithmetic, so no lock of the loader is held.
    unsafe {
        _Unwind_Backtrace(visit, (&raw mut search).cast());
        event.address = search.1;
        let mut place: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(counter as *const c_void, &mut place) != 0 {
            let file = CStr::from_ptr(place.dli_fname).to_bytes();
            let start = file.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
            if !place.dli_sname.is_null() {
                event.append_name(CStr::from_ptr(place.dli_sname).to_bytes());
                event.append_name(b" in ");
            }
            event.append_name(&file[start..]);
        }
    }
}

unsafe extern "C" fn visit(context: *mut c_void, search: *mut c_void) -> i32 {
    const GO_ON: i32 = 0;
    const STOP: i32 = 4;
    // SAFETY: the pointer given to `_Unwind_Backtrace`.
    unsafe {
        let search = &mut *search.cast::<(&Tracer, u64)>();
        let counter = _Unwind_GetIP(context) as u64;
        if search.0.is_ours(counter) {
            search.1 = counter.wrapping_sub(1).wrapping_sub(search.0.bias);
            return STOP;
        }
    }
    GO_ON
}
