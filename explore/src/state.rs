//! States: how far a path has come.

use crate::inputs::Unknown;
use crate::memory::{Memory, ObjectId};
use crate::path::Path;
use crate::persistent::List;
use crate::questions::Undecided;
use crate::trail::Track;
use crate::{Ending, Environment, Value};
use nanoscope_program::ir::{BlockId, FunctionId, LocationId, Register, Type};
use nanoscope_term::Term;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A path that has not ended: everything that it needs to go on. Copies are cheap.
#[derive(Clone)]
pub struct State {
    /// The calls it is in, the innermost last.
    pub frames: Vec<Frame>,
    /// The registers of all frames.
    pub registers: Vec<Value>,
    /// The local variables of all frames: their addresses and bytes.
    pub locals: Vec<(u64, u64)>,
    /// Bytes of stack in use.
    pub stack: u64,
    /// Memory.
    pub memory: Memory,
    /// Rounding mode and flags.
    pub environment: Environment,
    /// What holds on the path.
    pub path: Path,
    /// What the program came by that is unknown, in order.
    pub inputs: List<Rc<Unknown>>,
    /// Functions to call when the program ends, with an argument or without, the first one
    /// registered first.
    pub at_exit: Vec<(Option<FunctionId>, Option<Value>)>,
    /// What comes when the outermost call returns.
    pub stage: Stage,
    /// The exit code, and whether it comes from `exit`, once the program ends.
    pub exit: (Value, bool),
    /// How often it forked.
    pub forks: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Whether it came by something that no other path had come by.
    pub found_new: bool,
    /// What was assumed that the program does not promise.
    pub assumptions: Rc<Vec<String>>,
    /// What else a reader of the path must know; proofs hold all the same.
    pub remarks: Rc<Vec<String>>,
    /// Whether unknown arguments of external calls get known values.
    pub concretising: Concretising,
    /// What inputs that are told should satisfy, where they can, the most important first.
    pub preferences: Rc<Vec<Term>>,
    /// Whether the program switched forking off.
    pub forks_no_more: bool,
    /// Its decisions, where they are told.
    pub track: Option<Rc<Track>>,
    /// Objects that functions which are not modelled can change, once there was such a call.
    pub handed: Option<Rc<BTreeSet<ObjectId>>>,
    /// What must be asked before it goes on.
    pub waiting: Option<Waiting>,
}

/// A call in progress.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The function.
    pub function: FunctionId,
    /// The block that control is in.
    pub block: BlockId,
    /// The next instruction there; the block's end after the last.
    pub at: u32,
    /// Its first register among the state's.
    pub registers: u32,
    /// Its first local variable among the state's.
    pub locals: u32,
    /// Where the caller wants the result.
    pub result: Option<Register>,
    /// The arguments beyond the parameters.
    pub variable: Rc<[(Value, Type)]>,
    /// The line that it came to last, where that matters.
    pub line: u32,
    /// How often control came to each block, where that is counted.
    pub visits: Option<Rc<Vec<u32>>>,
}

/// What comes when the outermost call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Constructors: the next one's number.
    Constructors(usize),
    /// `main`, or a target.
    Main,
    /// What was registered for the end, the last first, then destructors: the next one's
    /// number.
    AtExit(usize),
}

/// Whether unknown arguments of external calls get known values on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concretising {
    /// No: results are unknown, and other paths try values.
    No,
    /// Those of the next call do; so many more values are tried.
    Next(u32),
    /// Those of one call did.
    Done,
}

/// A side of a fork that nobody knows to be possible yet.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// What holds there.
    pub condition: Term,
    /// What is there.
    pub then: Then,
    /// How often the solver was asked in vain.
    pub attempts: u32,
    /// Why, the last time.
    pub why: Option<Undecided>,
    /// The block that comes next, and the way there, if it is known.
    pub heading: Option<(BlockId, u32)>,
    /// How large the question is, where that decides who is asked first.
    pub size: u32,
}

/// What comes on the side of a fork.
#[derive(Clone, Debug)]
pub enum Then {
    /// The path goes on.
    GoOn,
    /// The path ends, at that place.
    End(Ending, LocationId),
    /// A goal by its number is reached, at that place.
    Goal(usize, LocationId),
}

impl State {
    /// The innermost call.
    pub fn frame(&self) -> &Frame {
        self.frames.last().expect("a state is in some call")
    }

    /// The innermost call.
    pub fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a state is in some call")
    }

    /// Sets a register of the innermost call.
    pub fn set(&mut self, register: Register, value: Value) {
        let at = self.frame().registers + register.0;
        self.registers[at as usize] = value;
    }

    /// Notes what was assumed, once.
    pub fn assume(&mut self, what: &str) {
        if !self.assumptions.iter().any(|known| known == what) {
            Rc::make_mut(&mut self.assumptions).push(what.to_owned());
        }
    }

    /// Notes what a reader must know, once.
    pub fn remark(&mut self, what: &str) {
        if !self.remarks.iter().any(|known| known == what) {
            Rc::make_mut(&mut self.remarks).push(what.to_owned());
        }
    }

    /// A copy that waits for an answer. What was new on the way is this state's to show.
    pub fn fork(&self, condition: Term, then: Then, heading: Option<(BlockId, u32)>) -> State {
        let waiting = Waiting { condition, then, attempts: 0, why: None, heading, size: 0 };
        State { waiting: Some(waiting), forks: self.forks + 1, found_new: false, ..self.clone() }
    }
}
