//! Processor time: what a thread and the children it forked have used. Unlike the wall's,
//! this clock does not run while others have the machine.

use std::cell::Cell;
use std::time::Duration;

thread_local! {
    /// What the children of this thread are known to have used.
    static COUNTED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// The processor time of the calling thread, of the children that it reaped, and of those that
/// replayed for it.
pub fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills in what it is given; the clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    duration(time) + COUNTED.get()
}

/// The processor time of a child that is not reaped.
pub(crate) fn of_child(id: libc::pid_t) -> Duration {
    let mut clock = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both fill in what they are given. A child that is dead but not reaped still
    // has its clock; where there is none the time stays zero.
    unsafe {
        if libc::clock_getcpuclockid(id, &mut clock) == 0 {
            libc::clock_gettime(clock, &mut time);
        }
    }
    duration(time)
}

/// Counts a child that was reaped, but for what was [counted](count) of it before.
pub(crate) fn reaped(usage: &libc::rusage, counted: Duration) {
    let of = |time: libc::timeval| {
        Duration::new(time.tv_sec.max(0) as u64, 1000 * time.tv_usec.clamp(0, 999_999) as u32)
    };
    count((of(usage.ru_utime) + of(usage.ru_stime)).saturating_sub(counted));
}

/// Counts what a child used that is not reaped.
pub(crate) fn count(spent: Duration) {
    COUNTED.set(COUNTED.get() + spent);
}

fn duration(time: libc::timespec) -> Duration {
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
}
