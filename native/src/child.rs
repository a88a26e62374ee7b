//! Forked children: no exec, confined, silent, gone when their parent's thread is.
//!
//! A child has its own copy of everything that was known at the fork, so little has to be
//! sent to it; but it never runs the parent's destructors nor returns into its code. It ends
//! by `_exit` or by a signal.

use crate::Death;
use crate::processor;
use crate::sandbox::Walls;
use crate::shared::PAGE;
use nanoscope_program::Fault;
use std::cell::Cell;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::OnceLock;
use std::time::Duration;

/// A process of ours. Dropping kills it.
pub(crate) struct Child {
    id: libc::pid_t,
    /// Readable when the child is dead.
    descriptor: OwnedFd,
    reaped: bool,
    /// What the thread's clock has counted of it.
    counted: Cell<Duration>,
}

/// Where a child's output goes and what it keeps open.
pub(crate) struct Descriptors<'a> {
    /// Standard output and standard error; none, /dev/null.
    pub(crate) output: Option<(RawFd, RawFd)>,
    pub(crate) keep: &'a [RawFd],
}

/// The stack that the code under test gets, whatever thread forked: Linux's default.
const STACK: usize = 8 << 20;

/// Exit status of a child that could not be set up, before any code under test ran.
pub(crate) const NOT_SET_UP: i32 = 86;

impl Child {
    /// Forks; `body` runs in the child, on a fresh stack, inside the walls if there are any,
    /// and does not come back.
    pub(crate) fn fork(
        walls: Option<&Walls>,
        descriptors: &Descriptors<'_>,
        body: &mut dyn FnMut() -> std::convert::Infallible,
    ) -> Result<Child, Fault> {
        let silence = null_device()?;
        // SAFETY: the child only does what is safe after a fork: system calls, and
        // allocation, which glibc keeps usable.
        let id = unsafe {
            let parent = libc::getpid();
            let id = libc::fork();
            if id == 0 {
                become_child(parent, silence, descriptors, walls);
                on_fresh_stack(body);
            }
            id
        };
        if id < 0 {
            return Err(last_error("cannot fork"));
        }
        Child::watched(id)
    }

    /// A child of this process, whoever forked it.
    pub(crate) fn watched(id: libc::pid_t) -> Result<Child, Fault> {
        // SAFETY: the child is ours and not reaped, so its id means it.
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, id, 0) };
        if descriptor < 0 {
            let fault = last_error("cannot watch a child (pidfd_open, Linux 5.3)");
            // SAFETY: as above.
            unsafe {
                libc::kill(id, libc::SIGKILL);
                libc::waitpid(id, std::ptr::null_mut(), 0);
            }
            return Err(fault);
        }
        // SAFETY: fresh, nobody else's.
        let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor as RawFd) };
        Ok(Child { id, descriptor, reaped: false, counted: Cell::default() })
    }

    /// Readable when the child is dead.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }

    /// The processor time it has used.
    pub(crate) fn processor_time(&self) -> Duration {
        if self.reaped { Duration::ZERO } else { processor::of_child(self.id) }
    }

    /// Has the thread's clock count what it has used.
    pub(crate) fn count(&self) {
        let spent = self.processor_time().max(self.counted.get());
        processor::count(spent - self.counted.replace(spent));
    }

    pub(crate) fn kill(&self) {
        self.signal(libc::SIGKILL);
    }

    pub(crate) fn signal(&self, signal: i32) {
        if !self.reaped {
            // SAFETY: not reaped, so the id still means our child.
            unsafe { libc::kill(self.id, signal) };
        }
    }

    /// Waits for the end. What it says is the status's story; whether time or memory
    /// was behind it, the caller knows.
    pub(crate) fn reap(&mut self) -> Death {
        let mut status = 0;
        // SAFETY: a plain structure of numbers.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: our own child, reaped once.
        while unsafe { libc::wait4(self.id, &mut status, 0, &mut usage) } < 0
            && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
        {}
        self.reaped = true;
        processor::reaped(&usage, self.counted.get());
        if libc::WIFSIGNALED(status) {
            Death::Signal(libc::WTERMSIG(status))
        } else {
            Death::Exited(libc::WEXITSTATUS(status))
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            self.reap();
        }
    }
}

/// Gives freed memory back to the system. A fork copies the tables of all that a process has:
/// who is about to fork often should have let go of what it no longer needs.
pub fn give_back_memory() {
    // SAFETY: glibc's own affair, and safe among threads.
    unsafe { libc::malloc_trim(0) };
}

/// Leaves the child's process without running anybody's exit handlers.
pub(crate) fn leave(status: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(status) }
}

pub(crate) fn last_error(what: &str) -> Fault {
    Fault::Internal(format!("{what}: {}", std::io::Error::last_os_error()))
}

/// A counter that one process waits on and another raises.
pub(crate) fn event() -> Result<OwnedFd, Fault> {
    // SAFETY: makes a descriptor, which nobody else owns.
    unsafe {
        let fd = libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_SEMAPHORE);
        if fd < 0 {
            return Err(last_error("cannot make an eventfd"));
        }
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

pub(crate) fn null_device() -> Result<RawFd, Fault> {
    static NULL: OnceLock<Option<std::fs::File>> = OnceLock::new();
    let open = || std::fs::File::options().read(true).write(true).open("/dev/null").ok();
    match NULL.get_or_init(open) {
        Some(file) => Ok(file.as_raw_fd()),
        None => Err(Fault::User("cannot open /dev/null for reading and writing".into())),
    }
}

/// # Safety
/// In a freshly forked child only.
pub(crate) unsafe fn become_child(
    parent: libc::pid_t,
    silence: RawFd,
    descriptors: &Descriptors<'_>,
    walls: Option<&Walls>,
) {
    // SAFETY: system calls on our own, single-threaded process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        if libc::getppid() != parent {
            leave(NOT_SET_UP); // it died between the fork and the line above
        }
        libc::setpgid(0, 0); // the terminal's ^C is the parent's business
        for signal in 1..32 {
            libc::signal(signal, libc::SIG_DFL);
        }
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN); // too much output is EFBIG, not death
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());

        let (output, errors) = descriptors.output.unwrap_or((silence, silence));
        libc::dup2(silence, 0);
        libc::dup2(output, 1);
        libc::dup2(errors, 2);
        let mut kept: Vec<RawFd> = descriptors.keep.to_vec();
        kept.extend(walls.and_then(Walls::descriptor));
        close_all_but(&mut kept);
        if walls.is_some_and(|walls| !walls.enter()) {
            leave(NOT_SET_UP);
        }
    }
}

/// # Safety
/// Closes descriptors whoever owns them: in a child that will not return.
unsafe fn close_all_but(kept: &mut [RawFd]) {
    kept.sort_unstable();
    let mut from = 3;
    for &fd in kept.iter() {
        if fd > from {
            // SAFETY: as the caller promises.
            unsafe { libc::syscall(libc::SYS_close_range, from, fd - 1, 0) };
        }
        from = from.max(fd + 1);
    }
    // SAFETY: as the caller promises.
    unsafe { libc::syscall(libc::SYS_close_range, from, u32::MAX, 0) };
}

type Body<'a> = &'a mut dyn FnMut() -> std::convert::Infallible;

unsafe extern "C" fn run_body(body: *mut Body<'_>) -> ! {
    // SAFETY: `on_fresh_stack` passes the address of its live argument.
    let body = unsafe { &mut *body };
    match body() {}
}

/// # Safety
/// Abandons the current stack, and every destructor on it.
pub(crate) unsafe fn on_fresh_stack(mut body: Body<'_>) -> ! {
    // SAFETY: a fresh mapping with a page below it that stops an endless recursion;
    // `run_body` never returns, so nothing needs the old stack pointer.
    unsafe {
        let stack = libc::mmap(
            std::ptr::null_mut(),
            STACK + PAGE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK,
            -1,
            0,
        );
        if stack == libc::MAP_FAILED {
            leave(NOT_SET_UP);
        }
        libc::mprotect(stack, PAGE, libc::PROT_NONE);
        let top = stack.cast::<u8>().add(STACK + PAGE);
        let body = &raw mut body;
        std::arch::asm!(
            "mov rsp, {top}",
            "xor ebp, ebp",
            "push 0", // the return address at which an unwinder stops
            "jmp {run}",
            top = in(reg) top,
            run = in(reg) run_body as unsafe extern "C" fn(*mut Body<'_>) -> !,
            in("rdi") body,
            options(noreturn),
        )
    }
}
