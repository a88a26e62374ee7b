//! Summaries: the result of a function in a context, with what was recorded on the way.

use crate::fixpoint::thresholds::Thresholds;
use crate::memory::Memory;
use crate::policy::FIRST_PARTITION_STEPS;
use crate::record::Record;
use crate::value::AbstractValue;
use nanoscope_program::ir::{BlockId, FunctionId};
use nanoscope_sets::Ordinal;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// What a function returns: its result and the memory it leaves; `None` if it does not.
pub type Returned = Option<(AbstractValue, Memory)>;

/// A function in a context: arguments (with facts from the caller) and memory.
#[derive(Clone)]
pub struct Summary {
    pub arguments: Vec<AbstractValue>,
    pub memory: Memory,
    pub returned: Returned,
    /// What was recorded in its own code.
    pub record: Record,
    /// The calls that it made.
    pub made: Vec<Made>,
    /// Where it was called.
    pub call_site: CallSite,
    /// Whether it rests on the assumed result of a recursion that has not ended.
    pub assumes: bool,
}

/// The instruction that calls; `None` for an entry.
pub type CallSite = Option<(FunctionId, BlockId, usize)>;

/// A call that was made.
#[derive(Clone)]
pub enum Made {
    /// One that was run to its end.
    Run(Rc<Summary>),
    /// One of a recursion that is being run, by its number.
    Recursive(usize),
}

/// A recursive function that is being run for all inner calls. Its context and its result are
/// assumed, and it is run again until they are stable.
pub struct Recursion {
    pub function: FunctionId,
    pub arguments: Vec<AbstractValue>,
    pub memory: Memory,
    pub number: usize,
    pub assumed: Returned,
    /// Whether an inner call occurred in this round, and whether the context had to grow.
    pub called: bool,
    pub grown: bool,
    pub rounds: u32,
}

/// The recursions of a run.
#[derive(Default)]
pub struct Recursions {
    pub running: Vec<Recursion>,
    /// The summaries of those that ended, by number.
    pub ended: Vec<Option<Rc<Summary>>>,
    /// Whether the function being run rests on an assumed result.
    pub assuming: bool,
}

/// The contexts of one function.
#[derive(Default)]
pub struct Contexts {
    /// Its summaries, in order, each with a digest of its arguments.
    pub known: Vec<(u64, Rc<Summary>)>,
    /// The contexts that all further calls from a site share.
    pub shared: BTreeMap<CallSite, SharedContext>,
    /// Its summaries on argument partitions.
    pub partitions: ArgumentPartitions,
}

/// A context for all further calls from one site, and how often it had to grow.
pub struct SharedContext {
    pub arguments: Vec<AbstractValue>,
    pub memory: Memory,
    pub grown: u32,
}

/// The summaries of a function on parts of its contexts. Contexts that overlap share parts.
pub struct ArgumentPartitions {
    pub known: HashMap<Vec<Ordinal>, Vec<Rc<Summary>>>,
    /// The constants with which the function and its callees compare.
    pub thresholds: Option<Rc<Thresholds>>,
    /// Instructions that its next context may take.
    pub allowed_steps: u64,
}

impl Default for ArgumentPartitions {
    fn default() -> ArgumentPartitions {
        let allowed_steps = FIRST_PARTITION_STEPS;
        ArgumentPartitions { known: HashMap::new(), thresholds: None, allowed_steps }
    }
}
