//! The worker's child side: load the instrumented library, then run batches, and
//! tell of every run that comes nearer to a goal than any before.

use crate::board::{Board, Entry, Record, RuntimeBatch, SLOTS, Slot};
use crate::child::{NOT_SET_UP, leave};
use crate::loaded::Loaded;
use nanoscope_program::Probes;
use std::convert::Infallible;
use std::os::fd::RawFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Tells how far observed executions are from goals: what [`Probes`] does for the
/// goals of a library.
pub trait Observer: Send + Sync {
    /// See [`Probes::observe`]. Every goal named is below the library's number of them,
    /// edges included.
    fn observe(&self, probe: u32, record: &Record, each: &mut dyn FnMut(usize, u64));
    /// See [`Probes::cutoffs`].
    fn cutoffs(&self, goal: usize, best: &[u64], set: &mut dyn FnMut(usize, u64));
}

impl Observer for Probes {
    fn observe(&self, probe: u32, record: &Record, each: &mut dyn FnMut(usize, u64)) {
        Probes::observe(self, probe, record, each);
    }

    fn cutoffs(&self, goal: usize, best: &[u64], set: &mut dyn FnMut(usize, u64)) {
        Probes::cutoffs(self, goal, best, set);
    }
}

/// What the probes' hook needs. One per process: the child runs one library.
struct Hook {
    probes: Arc<dyn Observer>,
    /// The batch that is run.
    slot: Slot,
    goals: usize,
    log_full: usize,
    cutoffs: *mut u64,
    /// Leaves the run that is under way for the next point.
    stop: unsafe extern "C" fn() -> !,
    /// For each goal, where in the log its last entry stands, if in this batch.
    entry: Vec<usize>,
}

static HOOK: AtomicPtr<Hook> = AtomicPtr::new(std::ptr::null_mut());

/// Runs forever: each time that `wake` is signalled there is a batch to run, in the
/// slots in turn from `first` on; its end is signalled on `done`.
pub(crate) fn run(
    (library, entry): (&Path, u32),
    probes: &Arc<dyn Observer>,
    board: &Board,
    first: usize,
    (wake, done): (RawFd, RawFd),
) -> Infallible {
    note_exhaustion(board);
    let library = match prepare((library, entry), probes, board) {
        Ok(library) => library,
        Err(trouble) => {
            // SAFETY: the head is shared memory that outlives us.
            unsafe { (*board.head).trouble.write(&trouble) };
            leave(NOT_SET_UP);
        }
    };
    // Whatever is not the target's asks for nothing.
    let nothing = vec![0; board.goals];
    for goal in 0..board.goals {
        // SAFETY: the library has a cutoff for every goal and gate.
        let set = &mut |at, cutoff| unsafe { *library.cutoffs.add(at) = cutoff };
        probes.cutoffs(goal, &nothing, set);
    }
    // The thresholds that the cutoffs were last computed from.
    let mut known = vec![None; board.active.len()];
    signal(done);
    for number in (0..SLOTS).cycle().skip(first) {
        wait(wake);
        let slot = board.slots[number];
        let hook = HOOK.load(Ordering::Relaxed);
        // SAFETY: set in `prepare`; only this thread uses it, and the parent leaves
        // the slot alone until `done`.
        unsafe {
            (*hook).slot = slot;
            let best = std::slice::from_raw_parts(slot.best, board.goals);
            for (&goal, known) in board.active.iter().zip(&mut known) {
                (&mut (*hook).entry)[goal] = usize::MAX;
                if *known != Some(best[goal]) {
                    probes.cutoffs(goal, best, &mut |at, cutoff| *library.cutoffs.add(at) = cutoff);
                    *known = Some(best[goal]);
                }
            }
            (library.batch)(&raw mut (*slot.standing).batch);
            for (&goal, known) in board.active.iter().zip(&mut known) {
                *known = Some(*slot.best.add(goal));
            }
        }
        signal(done);
    }
    unreachable!("a cycle has no end")
}

type RunBatch = unsafe extern "C" fn(*mut RuntimeBatch);

struct Entries {
    batch: RunBatch,
    cutoffs: *mut u64,
}

fn prepare(
    (library, entry): (&Path, u32),
    probes: &Arc<dyn Observer>,
    board: &Board,
) -> Result<Entries, String> {
    // SAFETY: pages of our own mapping; the parent's protection is not touched.
    unsafe {
        for slot in board.slots {
            libc::mprotect(slot.points.cast(), board.point_bytes, libc::PROT_READ);
        }
    }
    let library = Loaded::open(library)?;
    let batch = library.symbol(c"nanoscope_batch")?;
    let probe = library.symbol(c"nanoscope_probe")?;
    let mut cutoffs = library.find(c"nanoscope_cutoffs").cast::<u64>();
    if cutoffs.is_null() {
        if board.goals > 0 {
            return Err("the library has no symbol nanoscope_cutoffs".into());
        }
        cutoffs = std::ptr::NonNull::dangling().as_ptr();
    }
    let stop = library.symbol(c"nanoscope_stop")?;
    let hook = Hook {
        probes: probes.clone(),
        // SAFETY: the library's contract gives the symbol this type.
        stop: unsafe {
            std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn() -> !>(stop)
        },
        slot: board.slots[0],
        goals: board.goals,
        log_full: board.log_full,
        cutoffs,
        entry: vec![usize::MAX; board.goals],
    };
    HOOK.store(Box::into_raw(Box::new(hook)), Ordering::Relaxed);
    type Probe = unsafe extern "C" fn(u32, *const Record);
    // SAFETY: the library's contract gives these symbols these types.
    unsafe {
        *probe.cast::<Probe>() = observe;
        library.choose(entry);
        on_exit(exited, std::ptr::null_mut());
        survive_aborts();
        Ok(Entries { batch: std::mem::transmute::<*mut libc::c_void, RunBatch>(batch), cutoffs })
    }
}

/// What instrumented sites call.
unsafe extern "C" fn observe(probe: u32, record: *const Record) {
    // SAFETY: set before any instrumented code ran, used by this thread only.
    let hook = unsafe { &mut *HOOK.load(Ordering::Relaxed) };
    let (probes, slot) = (&hook.probes, hook.slot);
    // SAFETY: probes hand over a record of their own.
    let record = unsafe { &*record };
    probes.observe(probe, record, &mut |goal, distance| {
        // SAFETY: `goal` is below the number of goals, which sized all four arrays;
        // the log has room for every goal once beyond `log_full`, and from there on
        // only a goal that has no entry yet makes one.
        unsafe {
            let best = slot.best.add(goal);
            if distance >= *best {
                return;
            }
            *best = distance;
            let cutoffs = hook.cutoffs;
            let all = std::slice::from_raw_parts(slot.best, hook.goals);
            probes.cutoffs(goal, all, &mut |at, cutoff| *cutoffs.add(at) = cutoff);
            let standing = slot.standing;
            let point = (*standing).batch.next - 1;
            let entry = Entry { point, goal: goal as u64, distance, record: *record };
            let known = hook.entry[goal];
            let next = (*standing).logged as usize;
            let same = known != usize::MAX && (*slot.log.add(known)).point == point;
            if same || (known != usize::MAX && next >= hook.log_full) {
                *slot.log.add(known) = entry;
                return;
            }
            *slot.log.add(next) = entry;
            (*standing).logged = next as u64 + 1;
            hook.entry[goal] = next;
        }
    });
}

unsafe extern "C" {
    fn on_exit(
        function: unsafe extern "C" fn(i32, *mut libc::c_void),
        argument: *mut libc::c_void,
    ) -> i32;
}

/// The program called `exit`: the exit handlers that follow are the parent's.
unsafe extern "C" fn exited(status: i32, _: *mut libc::c_void) {
    leave(status)
}

/// Tells the parent.
pub(crate) fn signal(descriptor: RawFd) {
    let one = 1u64;
    // SAFETY: an eventfd takes eight bytes.
    if unsafe { libc::write(descriptor, (&raw const one).cast(), 8) } != 8 {
        leave(NOT_SET_UP);
    }
}

/// Waits for the parent.
pub(crate) fn wait(descriptor: RawFd) {
    let mut count = 0u64;
    // SAFETY: an eventfd gives eight bytes.
    while unsafe { libc::read(descriptor, (&raw mut count).cast(), 8) } != 8 {
        if std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            leave(NOT_SET_UP);
        }
    }
}

/// A run that aborts, or divides an integer by zero, has done no harm: it is left for the
/// next point, which costs far less than a new process. (glibc's `abort` holds no lock
/// while it raises the signal, so that a handler may jump.)
fn survive_aborts() {
    // SAFETY: a handler that makes system calls and jumps, see there.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = aborting as *const () as usize;
        action.sa_flags = libc::SA_NODEFER;
        for signal in [libc::SIGABRT, libc::SIGFPE] {
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

extern "C" fn aborting(signal: i32) {
    // SAFETY: set before any instrumented code ran; the signal comes from that code, which
    // is in the middle of a batch.
    unsafe {
        if !note_memory_left() {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
        let hook = &*HOOK.load(Ordering::Relaxed);
        (*hook.slot.standing).aborted += 1;
        (hook.stop)()
    }
}

static OUT_OF_MEMORY: AtomicPtr<u64> = AtomicPtr::new(std::ptr::null_mut());

/// Lets a crash tell whether memory had run out. On a stack of its own, since the
/// crash may be that the stack has.
fn note_exhaustion(board: &Board) {
    // SAFETY: the address of a field of the shared head.
    let flag = unsafe { &raw mut (*board.head).out_of_memory };
    watch_memory(flag);
}

/// From now on a deadly signal sets `flag` if no memory was to be had.
pub(crate) fn watch_memory(flag: *mut u64) {
    const SIZE: usize = 32 << 10;
    OUT_OF_MEMORY.store(flag, Ordering::Relaxed);
    // SAFETY: a fresh mapping, and a handler that only makes system calls.
    unsafe {
        let base = libc::mmap(
            std::ptr::null_mut(),
            SIZE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        let stack = libc::stack_t { ss_sp: base, ss_flags: 0, ss_size: SIZE };
        libc::sigaltstack(&stack, std::ptr::null_mut());
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = dying as *const () as usize;
        // Once: back from the handler, the same fault happens again and kills.
        action.sa_flags = libc::SA_ONSTACK | libc::SA_RESETHAND;
        for deadly in [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGTRAP, libc::SIGILL] {
            libc::sigaction(deadly, &action, std::ptr::null_mut());
        }
    }
}

/// Whether the kernel still gives memory. Async-signal-safe.
fn is_memory_left() -> bool {
    // More than malloc's smallest request to the kernel.
    const SOME: usize = 2 << 20;
    // SAFETY: system calls only, on a mapping of our own.
    unsafe {
        let page = libc::mmap(
            std::ptr::null_mut(),
            SOME,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        page != libc::MAP_FAILED && libc::munmap(page, SOME) == 0
    }
}

/// Whether the kernel still gives memory; if not, the flag is set. For handlers.
pub(crate) fn note_memory_left() -> bool {
    let left = is_memory_left();
    if !left {
        // SAFETY: a flag in shared memory, set before any handler was.
        unsafe { *OUT_OF_MEMORY.load(Ordering::Relaxed) = 1 };
    }
    left
}

extern "C" fn dying(signal: i32) {
    note_memory_left();
    // SAFETY: a system call, async-signal-safe.
    unsafe {
        if signal == libc::SIGABRT {
            libc::raise(signal);
        }
    }
}
