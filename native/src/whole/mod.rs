//! Whole programs, run natively from `main` (or from a function's entry) on given inputs or
//! on inputs made up on the way.
//!
//! One process of the program is started and stops before `main`: for every run it forks,
//! so a run costs a fork and not a start. Runs are confined as all others are, may not take
//! longer than they are allowed, and never happen in this process.

mod board;
mod frames;
mod server;

pub use frames::Frame;
pub use server::Whole;

/// How a program is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// What `main` gets after the program's name.
    pub arguments: Vec<String>,
    /// The environment, `NAME=VALUE`; without any, it is empty.
    pub environment: Vec<String>,
}

/// What a run is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The bytes of every unknown, in the order in which the program asks for them.
    pub unknowns: Vec<Vec<u8>>,
    /// What the clock says, likewise.
    pub times: Vec<Vec<u8>>,
    /// What standard input holds.
    pub stdin: Vec<u8>,
    /// The input vector of a function's entry.
    pub words: Vec<u64>,
}

/// How inputs are made up.
#[derive(Clone, Debug, Default)]
pub struct Recipe {
    /// Start of all random choices.
    pub seed: u64,
    /// How many bytes standard input holds.
    pub stdin: usize,
}

/// Everything a run showed.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub ended: Ended,
    /// The calls it ended in, innermost first, where the end was told.
    pub stack: Vec<Frame>,
    /// What the sanitisers said, in order.
    pub troubles: Vec<Trouble>,
    /// What the program asked for and got, in order.
    pub asked: Vec<Asked>,
    /// What was on standard input, where it was made up.
    pub stdin: Vec<u8>,
    /// Whether an edge was taken that no run before took.
    pub new_edges: bool,
    /// What a function's entry gave back; empty if it did not return.
    pub outputs: Vec<u64>,
    /// The branches that it came by, where the program was built to tell them; the first 65,536.
    pub branches: Vec<Branch>,
}

/// A branch that a run came by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The line it stands on.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// What decided: a truth value, or what a `switch` looked at.
    pub value: u64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// `main` returned this, or `exit` was called with it.
    Exited(i32),
    /// An assertion did not hold.
    Assertion {
        /// Its text.
        text: String,
        /// The file it names.
        file: String,
        /// The line it names.
        line: u32,
        /// The function it names.
        function: String,
    },
    /// A function that stands for an error was called.
    ErrorCall(String),
    /// `abort` was called.
    Aborted,
    /// A signal nobody caught.
    Signal(i32),
    /// The inputs do not satisfy what the program assumes of them.
    Rejected,
    /// The program asked for the run to be dropped.
    Silent,
    /// A function was called that is nowhere to be found.
    Missing(String),
    /// More was asked for than was given.
    RanShort,
    /// It took longer than it was allowed.
    TimedOut,
}

/// What a signal that ended a run stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// An access to an address where nothing is.
    Address,
    /// An integer division by zero, or one whose quotient does not fit.
    Division,
    /// An instruction that is there to end the program.
    Trap,
    /// Anything else.
    Other,
}

impl Ended {
    /// What kind of crash it was, if it was one.
    pub fn crash(&self) -> Option<Crash> {
        match self {
            Ended::Signal(libc::SIGSEGV | libc::SIGBUS) => Some(Crash::Address),
            Ended::Signal(libc::SIGFPE) => Some(Crash::Division),
            Ended::Signal(libc::SIGILL | libc::SIGTRAP) => Some(Crash::Trap),
            Ended::Signal(_) => Some(Crash::Other),
            Ended::Exited(_)
            | Ended::Assertion { .. }
            | Ended::ErrorCall(_)
            | Ended::Aborted
            | Ended::Rejected
            | Ended::Silent
            | Ended::Missing(_)
            | Ended::RanShort
            | Ended::TimedOut => None,
        }
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ended::Exited(status) => write!(f, "exited with status {status}"),
            Ended::Assertion { text, .. } => write!(f, "failed the assertion `{text}`"),
            Ended::ErrorCall(name) => write!(f, "called {name}"),
            Ended::Aborted => f.write_str("aborted"),
            Ended::Signal(number) => write!(f, "ended with signal {number}"),
            Ended::Rejected => f.write_str("did not satisfy an assumption of the program"),
            Ended::Silent => f.write_str("was dropped as the program asks"),
            Ended::Missing(name) => write!(f, "called {name}, which is nowhere to be found"),
            Ended::RanShort => f.write_str("asked for more inputs"),
            Ended::TimedOut => f.write_str("took too long"),
        }
    }
}

/// Something a sanitiser saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Its own word for it: `heap-buffer-overflow`, `integer-divide-by-zero`.
    pub kind: String,
    /// The calls it happened in, innermost first.
    pub stack: Vec<Frame>,
}

/// Something the program asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// How.
    pub manner: Manner,
    /// By which name.
    pub name: String,
    /// What it got.
    pub bytes: Vec<u8>,
}

/// How a program asks for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// As memory without a type.
    Memory,
    /// As a floating-point number.
    Float,
    /// As an integer.
    Integer,
    /// As an integer of a range.
    Ranged,
    /// As a time.
    Clock,
}
