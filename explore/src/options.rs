//! How an exploration is to go about its work, and where it starts.

use nanoscope_program::ir::FunctionId;
use nanoscope_program::{Exception, Input, SiteId};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How an exploration goes about its work.
#[derive(Clone, Debug)]
pub struct Options {
    /// The moment to be done at; kept within a fraction of a second.
    pub deadline: Option<Instant>,
    /// By how many bytes the process may grow; beyond that, states are dropped.
    pub memory_limit: Option<u64>,
    /// Start of all random choices.
    pub seed: u64,
    /// Which state goes on next.
    pub scheduler: Scheduler,
    /// How many times a path may fork before it is stopped.
    pub max_depth: Option<u64>,
    /// How many times a call may come by the same block before its path is stopped.
    pub max_loop: Option<u64>,
    /// How long the first attempt at a query may take; attempts at what stayed undecided
    /// take longer and longer.
    pub query_limit: Duration,
    /// What standard input holds.
    pub stdin: Stdin,
    /// Whether what the program prints is handed on as [`Event::Output`](crate::Event::Output).
    pub echo: bool,
    /// Whether small diamonds of the control flow become terms instead of paths.
    pub merge: bool,
    /// Whether every path that ends is reported, not only those that show something new.
    pub every_path: bool,
    /// Exceptions of operations to look for on the way.
    pub goals: Vec<Goal>,
    /// Raised by anyone who wants the work to stop.
    pub stop: Arc<AtomicBool>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            deadline: None,
            memory_limit: None,
            seed: 1,
            scheduler: Scheduler::Coverage,
            max_depth: None,
            max_loop: None,
            query_limit: Duration::from_secs(1),
            stdin: Stdin::Symbolic(0),
            echo: false,
            merge: true,
            every_path: false,
            goals: Vec::new(),
            stop: Arc::new(AtomicBool::new(false)),
        }
    }
}

/// What the program reads from its standard input before it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// So many unknown bytes.
    Symbolic(usize),
    /// These bytes.
    Given(Vec<u8>),
}

/// Which state goes on next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheduler {
    /// By turns the one nearest to code that no path has seen, and a random one.
    #[default]
    Coverage,
    /// The newest.
    DepthFirst,
    /// A random walk down the tree of forks.
    RandomPath,
}

/// An exception of an operation, looked for on every path that comes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Goal {
    /// The operation.
    pub site: SiteId,
    /// What it shall raise.
    pub exception: Exception,
}

/// Where an exploration starts.
#[derive(Clone, Debug)]
pub enum Start<'a> {
    /// At the program's start: constructors, `main`, what runs at exit.
    Main {
        /// The command line, the program's name first.
        arguments: Vec<String>,
    },
    /// At a target's entry, `nanoscope_run_N(inputs, outputs)`.
    Target {
        /// The entry.
        entry: FunctionId,
        /// What the target's inputs are and may be.
        inputs: &'a [Input],
        /// Words in an output vector.
        output_words: usize,
    },
}
