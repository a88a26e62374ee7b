//! Every effort, limit and threshold of the analysis, with what it trades. None of them
//! touches soundness: a lower limit loses precision, a higher one costs time.

use std::time::{Duration, Instant};

/// How far one run over the program goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Rounds that a loop is unrolled whose exit condition is decided each time.
    pub unroll: u32,
    /// Rounds that a loop is unrolled that may exit or go on.
    pub unroll_undecided: u32,
    /// Depth of calls; below it a function is not analysed.
    pub depth: u32,
    /// Contexts of a function before all further calls share one.
    pub contexts: usize,
    /// Activations of a function at once before a summary stands for inner calls.
    pub recursion: usize,
    /// Trace partitions of a block, and those for which a loop is iterated separately.
    pub partitions: usize,
    pub loop_partitions: usize,
    /// Argument partitions of a small function; 1 switches bisection off, too.
    pub argument_partitions: usize,
    /// The length of derivations of order; 0: only what comparisons say.
    pub order_depth: u32,
    /// Whether loops are tried as linear recurrences, which takes a fixpoint of its own for each.
    pub accelerate: bool,
    /// Instructions interpreted.
    pub steps: u64,
}

/// The first run: milliseconds, settles most goals.
pub const QUICK: Effort = Effort {
    unroll: 40,
    unroll_undecided: 3,
    depth: 60,
    contexts: 12,
    recursion: 2,
    partitions: 1,
    loop_partitions: 1,
    argument_partitions: 1,
    order_depth: 0,
    accelerate: false,
    steps: 60_000,
};

/// Where [`QUICK`] ended within its steps: everything that a small program can afford.
pub const THOROUGH: Effort = Effort {
    unroll: 600,
    unroll_undecided: 16,
    contexts: 1000,
    recursion: 3,
    partitions: 8,
    loop_partitions: 4,
    argument_partitions: 48,
    order_depth: 4,
    accelerate: true,
    steps: 2_000_000,
    ..QUICK
};

/// Where [`QUICK`] did not end: fewer contexts, so that a large program ends at all.
pub const COARSE: Effort =
    Effort { unroll: 8, unroll_undecided: 2, contexts: 8, steps: 2_000_000, ..QUICK };

/// Where [`COARSE`] did not end either: the function with hardly any of its callees.
pub const ALONE: Effort =
    Effort { unroll: 1, unroll_undecided: 1, depth: 2, contexts: 1, recursion: 1, ..QUICK };

/// The whole of a large program, with many contexts and argument partitions.
pub const FULL: Effort = Effort {
    unroll: 100,
    unroll_undecided: 6,
    contexts: 1000,
    recursion: 1,
    argument_partitions: 24,
    order_depth: 4,
    accelerate: true,
    steps: 10_000_000,
    ..QUICK
};

/// [`FULL`] with trace partitions.
pub const DEEP: Effort =
    Effort { unroll_undecided: 16, partitions: 8, loop_partitions: 2, steps: 30_000_000, ..FULL };

/// Between [`FULL`] and [`DEEP`], where there is no time for the latter.
pub const WIDE: Effort = Effort { partitions: 3, steps: 20_000_000, ..FULL };

/// How many times as long as [`FULL`] a run at [`DEEP`] and at [`WIDE`] is expected to take; it
/// is not begun when less time is left.
pub const DEEP_FACTOR: f64 = 4.0;
pub const WIDE_FACTOR: f64 = 2.5;

/// A deep run that takes longer is not repeated on every input partition.
pub const DEEP_PARTITION_TIME: Duration = Duration::from_millis(300);

/// Instructions after which the input space is bisected no further.
pub const MOST_STEPS: u64 = 80_000_000;

/// The stack for recursive interpretation of deep call chains.
pub const STACK: usize = 512 << 20;

/// When an analysis has to end.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// By the wall clock.
    pub deadline: Option<Instant>,
    /// By the processor time of this thread, and the clock that tells it.
    pub processor: Option<(Duration, fn() -> Duration)>,
}

impl Limits {
    /// The time left.
    pub fn left(&self) -> Duration {
        let wall = self.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let processor = self.processor.map(|(end, clock)| end.saturating_sub(clock()));
        wall.into_iter().chain(processor).min().unwrap_or(Duration::MAX)
    }

    /// Whether no time is left.
    pub fn over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.processor.is_some_and(|(limit, clock)| clock() >= limit)
    }
}

/// Instructions between two looks at the clock.
pub const STEPS_BETWEEN_CLOCKS: u64 = 64;

// Loops.

/// An undecided loop is unrolled further while it took no more instructions in all: cheap
/// precision.
pub const CHEAP_LOOP: u64 = 2000;

/// A loop that took more instructions calls much, with other numbers each round: it is unrolled
/// no further and widened early.
pub const EXPENSIVE_LOOP: u64 = 60_000;

/// Rounds of a fixpoint iteration that join, and rounds up to which widening stops at
/// thresholds: more rounds find tighter invariants.
pub const JOINS_BEFORE_WIDENING: u32 = 2;
pub const WIDENINGS_TO_THRESHOLDS: u32 = 24;

/// The same for an expensive loop.
pub const EXPENSIVE_JOINS: u32 = 0;
pub const EXPENSIVE_WIDENINGS: u32 = 2;

/// Decreasing iterations (narrowing) from a fixpoint.
pub const NARROWINGS: u32 = 2;

/// Blocks in a row that are run for each truth value that comes along an edge (C's `&&` and
/// `||`) by itself.
pub const MOST_SPLIT_EDGES: u32 = 8;

/// Selections of a float in one block after each of which both ways are run by themselves, and the
/// trace partitions that this takes: fewer would be joined at once.
pub const MOST_SPLIT_SELECTIONS: u32 = 2;
pub const PARTITIONS_OF_SELECTIONS: usize = 8;

// Calls.

/// Activations of a function beyond [`Effort::recursion`] before it is not analysed.
pub const MOST_ACTIVE: usize = 3;

/// Rounds of a recursion's fixpoint iteration after which its calls pass no more objects than before,
/// rounds that widen to thresholds, and rounds in all; then the function is given up.
pub const RECURSION_JOINS: u32 = 2;
pub const RECURSION_WIDENINGS: u32 = 4;
pub const RECURSION_ROUNDS: u32 = 40;

/// Calls that join the shared context of a call site, and those that widen it to thresholds;
/// further ones widen it to top.
pub const SHARED_CONTEXT_JOINS: u32 = 1;
pub const SHARED_CONTEXT_WIDENINGS: u32 = 4;

/// Expressions over its parameters that a function takes facts of from its callers, and the
/// operations in one.
pub const MOST_EXPRESSIONS: usize = 16;
pub const LARGEST_EXPRESSION: usize = 5;

/// Instructions of a pure function that refinement passes through, and the depth of calls of
/// such functions.
pub const LARGEST_PURE_FUNCTION: usize = 16;
pub const PURE_CALL_DEPTH: u32 = 3;

/// A function is run on argument partitions if one run takes no more instructions and it has no
/// more parameters that are floats.
pub const SMALL_FUNCTION: u64 = 600;
pub const MOST_PARTITIONED_ARGUMENTS: usize = 2;

/// Instructions that the argument partitions of a function's first context may take; they double
/// where partitioning excluded something and halve where it did not, down to the second.
pub const FIRST_PARTITION_STEPS: u64 = 15_000;
pub const LEAST_PARTITION_STEPS: u64 = 1200;

// Domains.

/// Relations of order between two registers that a state keeps.
pub const MOST_ORDER_RELATIONS: usize = 128;

/// Pairs of registers at the head of a loop whose order is derived, and the pairs of operands that
/// such a derivation looks at.
pub const MOST_PHI_PAIRS: usize = 12;
pub const ORDER_FUEL: u32 = 16;

/// Sums in one another of which the squares are looked for.
pub const MOST_SQUARES: u32 = 6;

/// Ratios of registers that a state keeps.
pub const MOST_RATIOS: usize = 16;

/// Differences of registers that a state keeps.
pub const MOST_ZONES: usize = 16;

/// Cells of memory with a register that holds their value.
pub const MOST_CELLS: usize = 24;

/// Variables of a linear recurrence, atoms of a form in it, and traces through the loop.
pub const MOST_VARIABLES: usize = 12;
pub const MOST_RECURRENCE_ATOMS: usize = 16;
pub const MOST_TRACES: usize = 4;

/// Operations between a variable of a loop and its value in the next round.
pub const LONGEST_RECURRENCE: usize = 64;

/// Rounds after which the rest of a recurrence's response is taken from the assumed bounds.
pub const LONGEST_RESPONSE: u64 = 20_000;

/// Linear forms of a recurrence's variables that are bounded by its response.
pub const MOST_OBSERVED_ROWS: usize = 64;

/// Variables of a recurrence that ellipsoids are looked for, factors of a matrix that are ranges,
/// and the norms that are tried.
pub const MOST_ELLIPSOID_VARIABLES: usize = 4;
pub const MOST_WIDE_FACTORS: usize = 4;
pub const ELLIPSOID_TRIALS: usize = 600;

/// Modes of a recurrence, flags and small counters that are tried for them, and choices of a round
/// for each mode.
pub const MOST_MODES: usize = 12;
pub const MOST_MODE_VARIABLES: usize = 3;
pub const MOST_MODE_STEPS: usize = 16;

/// Boxes that are tried for one loop, and vain attempts after which a loop is left alone; one that
/// fails counts for several that iteration makes needless.
pub const ACCELERATION_ATTEMPTS: u32 = 8;
pub const MOST_VAIN_ACCELERATIONS: u32 = 12;
pub const FAILURE_COST: u32 = 4;

/// Implications that a state keeps.
pub const MOST_IMPLICATIONS: usize = 64;

/// Results of arithmetic that are kept to be looked up, at first and at most: powers of two. They
/// take some 300 bytes each.
pub const MEMO_START: usize = 256;
pub const MOST_MEMOS: usize = 4096;

/// Equations that one condition sets in motion.
pub const MOST_REFINEMENTS: usize = 60;

/// Dead registers in a row that refinement rematerialises.
pub const MOST_REMATERIALISED: u32 = 8;

/// Operations from a float to an integer that keep the float alive, and from live registers to
/// a dead one that is kept.
pub const LONGEST_INTEGER_CHAIN: usize = 8;
pub const LONGEST_DEAD_CHAIN: usize = 4;

/// Depths of definitions that affine forms are tried with: an atom has no rounding error, a
/// deeper form cancels more. The most atoms of a form, and of the search for shared ones.
pub const AFFINE_DEPTHS: [u32; 4] = [1, 2, 4, 7];
pub const MOST_ATOMS: usize = 6;
pub const MOST_AFFINE_SOURCES: usize = 24;

/// Instructions of a slice that bisection runs.
pub const LARGEST_SLICE: usize = 24;

/// Bisections of a slice's input, and those after which something must have come of it.
pub const MOST_BISECTIONS: usize = 120;
pub const FIRST_BISECTIONS: usize = 24;

/// Times in a row that a slice is bisected in vain.
pub const MOST_VAIN_BISECTIONS: u32 = 6;

/// Instructions that bisection may run at first, and for each instruction interpreted besides.
pub const FIRST_BISECTION_STEPS: u64 = 200_000;
pub const BISECTION_SHARE: f64 = 0.5;

// Memory.

/// Places that one access to an array looks at; beyond, the whole array.
pub const MOST_PLACES: u64 = 2048;

/// Lanes or members of a value that are followed one by one.
pub const MOST_PARTS: usize = 256;
