//! How an exploration is to go about its work, and where it starts.

use crate::{External, QueryLog, Route};
use nanoscope_program::ir::FunctionId;
use nanoscope_program::{Exception, Input, Output, SiteId};
use nanoscope_solver::Choice;
use nanoscope_term::{Term, Terms};
use std::fmt;
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
    /// How often a question is asked before it is left open; none: as long as there is time.
    pub patience: Option<u32>,
    /// How many questions are asked, at most.
    pub max_queries: Option<u64>,
    /// The solver's engines for questions with floats in them; none for the usual ones.
    pub engines: Vec<Choice>,
    /// How many concretisations Ariadne's method tries for a question; none for the usual number.
    pub concretizations: Option<u32>,
    /// What standard input holds.
    pub stdin: Stdin,
    /// The variables of the environment, `NAME=VALUE`, where they are stated.
    pub environment: Option<Vec<String>>,
    /// Whether what the program prints is handed on as [`Event::Output`](crate::Event::Output).
    pub echo: bool,
    /// Whether small diamonds of the control flow become terms instead of paths.
    pub merge: bool,
    /// Whether every path that ends is reported, not only those that show something new.
    pub every_path: bool,
    /// Whether paths are told with their branches and conditions.
    pub trails: bool,
    /// The path that is asked about; others are left where they leave it.
    pub route: Option<Arc<Route>>,
    /// Exceptions of operations to look for on the way.
    pub goals: Vec<Goal>,
    /// Whether a path ends at the first exception that an operation raises.
    pub stop_at_first: bool,
    /// Input vectors of a target that come near to something: paths that they take are
    /// known to be possible, and questions there begin with them.
    pub hints: Vec<Vec<u64>>,
    /// What may be assumed of a target's inputs, beyond their ranges.
    pub assumption: Option<Assumption>,
    /// How external functions are treated.
    pub external: External,
    /// Where every question is written to, as SMT-LIB.
    pub queries: Option<QueryLog>,
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
            patience: None,
            max_queries: None,
            engines: Vec::new(),
            concretizations: None,
            stdin: Stdin::Symbolic(0),
            environment: None,
            echo: false,
            merge: true,
            every_path: false,
            trails: false,
            route: None,
            goals: Vec::new(),
            stop_at_first: false,
            hints: Vec::new(),
            assumption: None,
            external: External::default(),
            queries: None,
            stop: Arc::new(AtomicBool::new(false)),
        }
    }
}

/// A condition on a target's inputs: from a term for each of them, a float or bits as the
/// input is, to terms that all hold.
#[derive(Clone)]
pub struct Assumption(Arc<Encode>);

type Encode = dyn Fn(&mut Terms, &[Term]) -> Vec<Term> + Send + Sync;

impl Assumption {
    /// What this function says.
    pub fn new(
        encode: impl Fn(&mut Terms, &[Term]) -> Vec<Term> + Send + Sync + 'static,
    ) -> Assumption {
        Assumption(Arc::new(encode))
    }

    /// The terms that hold.
    pub(crate) fn of(&self, terms: &mut Terms, inputs: &[Term]) -> Vec<Term> {
        (self.0)(terms, inputs)
    }
}

impl fmt::Debug for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Assumption")
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
    /// By turns the one nearest to a goal, and a random one. Paths that can come by no goal
    /// any more are not followed, and nothing but goals is looked for.
    Goals,
}

/// An exception of an operation, looked for on every path that comes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
        /// What lies there.
        outputs: &'a [Output],
    },
}
