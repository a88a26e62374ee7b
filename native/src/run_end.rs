//! How a run of somebody's code can end, and what it may use up before it is ended.

use std::path::PathBuf;
use std::time::Duration;

/// Why a process that ran the program is no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Death {
    /// A signal nobody caught: SIGSEGV, SIGABRT, SIGFPE of an integer division…
    Signal(i32),
    /// The program called `exit` with this status.
    Exited(i32),
    /// It made no progress within its time.
    TimedOut,
    /// It had used up its memory when it crashed.
    OutOfMemory,
    /// It wrote over memory that is not its own: the record of the run.
    Overwrote,
}

/// How one run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RunEnd {
    /// The target returned to its caller.
    Returned,
    /// It had shown what it was to show, and was not waited for.
    Left,
    /// It did not return.
    Died(Death),
}

/// What a run may use.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Loop iterations and function entries of one run of instrumented code.
    pub fuel: i64,
    /// How long a worker may stay with one point, on the wall clock.
    pub stall: Duration,
    /// How long one replay may take, of the processor; on the wall clock, many times that.
    pub replay: Duration,
    /// Memory beyond what the process has at its start, in bytes.
    pub memory: u64,
    /// How many traps a replay takes before it lets the program run on unwatched.
    pub traps: u64,
    /// The only folder the program may write to; none, nowhere.
    pub scratch: Option<PathBuf>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            fuel: 1_000_000,
            stall: Duration::from_millis(500),
            replay: Duration::from_secs(10),
            memory: 2 << 30,
            traps: 200_000,
            scratch: None,
        }
    }
}
