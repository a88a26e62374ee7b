//! What an exploration tells: events on the way, and what it comes to.

use crate::{Goal, Trail};
use nanoscope_program::ir::{BlockId, FunctionId};
use nanoscope_program::{Location, Scalar};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

/// Something that an exploration came by.
#[derive(Clone, Debug)]
pub enum Event {
    /// A path ended, or would end here on some inputs.
    Path(PathEnd),
    /// An exception that was looked for can be raised.
    Goal {
        /// Which.
        goal: Goal,
        /// Where.
        location: Location,
        /// The inputs that raise it.
        inputs: Vec<Given>,
    },
    /// What a path wrote to standard output or standard error.
    Output {
        /// Whether it went to standard error.
        error: bool,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

/// What an observer answers to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// The native program did not behave so: report the same place again when other inputs
    /// lead there.
    Refuse,
    /// It is so: tell of it again when another path leads there.
    Again,
    /// No more.
    Stop,
}

/// The end of a path.
#[derive(Clone, Debug)]
pub struct PathEnd {
    /// How it ended.
    pub ending: Ending,
    /// Where.
    pub location: Location,
    /// The function that it ended in, as the source names it.
    pub function: String,
    /// The calls that led there, outermost first: function and place of the call.
    pub calls: Vec<(String, Location)>,
    /// The inputs that lead there, in the order in which the program asked for them.
    pub inputs: Vec<Given>,
    /// Whether the path came by code that no path before it had come by.
    pub new_coverage: bool,
    /// What was assumed on the way that the program does not promise; with any of these, a
    /// native run may go elsewhere.
    pub assumptions: Vec<String>,
    /// The path's branches and conditions, where they are asked for.
    pub trail: Option<Box<Trail>>,
}

/// How a path ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// `main` returned, or a target did (with 0).
    Returned(i32),
    /// The program called `exit` or the like.
    Exited(i32),
    /// The program asked for the path to be dropped: an assumption that cannot hold,
    /// `klee_silent_exit`.
    Silent,
    /// An assertion does not hold: its text.
    AssertionFailure(String),
    /// A function that stands for an error was called: its name.
    ErrorCall(String),
    /// `abort`.
    Abort,
    /// Memory was read or written where there is none to be: what exactly.
    InvalidDeref(String),
    /// Memory was freed that cannot be: what exactly.
    InvalidFree(String),
    /// An integer was divided by zero, or the quotient does not fit.
    IntegerDivisionByZero,
    /// A shift by the width or more.
    Overshift,
    /// Control came to where the compiler was told it cannot come.
    Unreachable,
    /// A trap instruction.
    Trap,
    /// A call of something that is no function, or not with these arguments.
    BadCall(String),
    /// The stack is full.
    StackOverflow,
    /// The path could not be followed further: why.
    Stopped(String),
}

impl Ending {
    /// The kind of finding it is; `None` of ordinary ends.
    pub fn finding(&self) -> Option<&'static str> {
        match self {
            Ending::Returned(_) | Ending::Exited(_) | Ending::Silent | Ending::Stopped(_) => None,
            Ending::AssertionFailure(_) => Some("assertion-failure"),
            Ending::ErrorCall(_) => Some("error-call"),
            Ending::Abort | Ending::Trap => Some("abort"),
            Ending::InvalidDeref(_) | Ending::BadCall(_) | Ending::StackOverflow => {
                Some("invalid-deref")
            }
            Ending::InvalidFree(_) => Some("invalid-free"),
            Ending::IntegerDivisionByZero => Some("integer-division-by-zero"),
            Ending::Overshift => Some("overshift"),
            Ending::Unreachable => Some("unreachable"),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Returned(code) => write!(f, "returns {code}"),
            Ending::Exited(code) => write!(f, "exits with {code}"),
            Ending::Silent => f.write_str("is dropped as the program asks"),
            Ending::AssertionFailure(text) => write!(f, "assertion `{text}` fails"),
            Ending::ErrorCall(name) => write!(f, "calls {name}"),
            Ending::Abort => f.write_str("aborts"),
            Ending::InvalidDeref(what) | Ending::InvalidFree(what) => f.write_str(what),
            Ending::IntegerDivisionByZero => f.write_str("divides an integer by zero"),
            Ending::Overshift => f.write_str("shifts by the width or more"),
            Ending::Unreachable => {
                f.write_str("comes to where the compiler was told it cannot come")
            }
            Ending::Trap => f.write_str("traps"),
            Ending::BadCall(what) => write!(f, "calls {what}"),
            Ending::StackOverflow => f.write_str("overflows the stack"),
            Ending::Stopped(why) => write!(f, "is stopped: {why}"),
        }
    }
}

/// One unknown thing, with the value that leads a path where it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its name: the program's for it, the parameter's, the function's that gave it.
    pub name: String,
    /// How the program came by it.
    pub how: How,
    /// What its bytes are, where it is one scalar.
    pub scalar: Option<Scalar>,
    /// Its bytes as they lie in memory.
    pub bytes: Vec<u8>,
}

/// How a program came by something unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum How {
    /// By `klee_make_symbolic`.
    MakeSymbolic,
    /// By a function like `__VERIFIER_nondet_double`: what comes after the last underscore.
    Nondet(String),
    /// As an input of the target.
    Parameter,
    /// From standard input.
    Stdin,
    /// From the clock.
    Time,
    /// From a function that is not modelled: its name.
    ExternalResult(String),
    /// By reading what was never written.
    Uninitialised,
    /// As the part of a result that neither C nor the model determines: what it is.
    Unspecified(String),
}

/// What keeps an exploration from being a proof.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// The solver left a question undecided.
    Undecided,
    /// The time was over.
    Time,
    /// The limit on questions was reached.
    Questions,
    /// The memory limit was reached.
    Memory,
    /// The memory limit was reached, and states were dropped.
    Dropped,
    /// The observer said stop.
    Observer,
    /// A defect of ours ended it.
    Defect,
    /// What is not modelled, or was assumed on a path, in words.
    Other(String),
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Gap::Undecided => "an undecided question",
            Gap::Time => "the time limit",
            Gap::Questions => "the limit on questions",
            Gap::Memory => "the memory limit",
            Gap::Dropped => "the memory limit: states were dropped",
            Gap::Observer => "the observer",
            Gap::Defect => "an internal error of Nanoscope's",
            Gap::Other(what) => what,
        })
    }
}

impl Gap {
    /// Several, in words; of what is not modelled only the first few.
    pub fn list(gaps: &[Gap], separator: &str) -> String {
        let is_other = |gap: &&Gap| matches!(gap, Gap::Other(_));
        let (others, limits): (Vec<&Gap>, Vec<&Gap>) = gaps.iter().partition(is_other);
        let told = others.iter().take(MOST_TOLD).chain(&limits);
        let mut words: Vec<String> = told.map(ToString::to_string).collect();
        if others.len() > MOST_TOLD {
            words.insert(MOST_TOLD, format!("{} more of this kind", others.len() - MOST_TOLD));
        }
        words.join(separator)
    }
}

/// How much of what is not modelled is told by name.
const MOST_TOLD: usize = 3;

#[test]
fn a_long_list_is_cut() {
    let others = ["a", "b", "c", "d", "e"].map(|name| Gap::Other(name.into()));
    let gaps: Vec<Gap> = others.into_iter().chain([Gap::Time]).collect();
    assert_eq!(Gap::list(&gaps, ", "), "a, b, c, 2 more of this kind, the time limit");
    assert_eq!(Gap::list(&gaps[3..], ", "), "d, e, the time limit");
}

/// What an exploration comes to.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// Whether every path was followed to its end and nothing was assumed: what was not
    /// found is then not there, as far as the model goes.
    pub exhausted: bool,
    /// What stopped it otherwise, each reason once.
    pub stopped_by: Vec<Gap>,
    /// Places where something stands that is not modelled, and what.
    pub open: BTreeSet<(Location, String)>,
    /// The blocks that paths came by.
    pub covered: BTreeSet<(FunctionId, BlockId)>,
    /// The goals that no path can raise, if every path was followed.
    pub impossible: Vec<Goal>,
    /// Figures.
    pub statistics: Statistics,
    /// The longest path along the route that was asked for that no input takes.
    pub refuted: Option<Trail>,
    /// How far paths came along the route that was asked for, where none came to its end.
    pub off_route: Option<OffRoute>,
    /// What is taken for granted of files that the program reads, as sentences.
    pub files: Vec<String>,
    /// A defect of the solver's that an answer was lost to: the query.
    pub defect: Option<String>,
}

/// Where the path that came farthest left the route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffRoute {
    /// The number of the entry that it did not come to.
    pub entry: usize,
    /// What came instead.
    pub instead: String,
    /// Whether any way was left out because no input, or no input on the path so far, takes it.
    /// If none was, the program's text has no such path.
    pub pruned: bool,
}

/// What it took.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Instructions executed.
    pub instructions: u64,
    /// Paths that ended.
    pub paths: u64,
    /// Paths that ended, by kind of end.
    pub endings: BTreeMap<&'static str, u64>,
    /// Forks.
    pub forks: u64,
    /// Branches that became terms instead of forks.
    pub merged: u64,
    /// States that were alive at once, at most.
    pub most_states: u64,
    /// Queries asked of the solver.
    pub queries: u64,
    /// Those with a model.
    pub satisfiable: u64,
    /// Those without.
    pub unsatisfiable: u64,
    /// Those that stayed undecided (some of them asked again later).
    pub undecided: u64,
    /// Of these, those without a solution over the reals.
    pub over_reals: u64,
    /// Time in the solver.
    pub solver_time: Duration,
    /// Time in all.
    pub time: Duration,
}
