//! Programs, functions, blocks and what joins them.

use super::{Act, Constant, ConstantId, Type};
use crate::{Location, SiteId};
use std::collections::BTreeMap;

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Its functions, defined and declared.
    pub functions: Vec<Function>,
    /// Its global variables, defined and declared.
    pub globals: Vec<Global>,
    /// The constants that operands name, each with its type.
    pub constants: Vec<(Type, Constant)>,
    /// The places in the source that instructions name. The first is "nowhere".
    pub locations: Vec<Location>,
    /// Functions by symbol.
    pub symbols: BTreeMap<String, FunctionId>,
    /// Functions that run before `main`, in order, and after it.
    pub constructors: Vec<FunctionId>,
    /// Functions that run after `main`, in order.
    pub destructors: Vec<FunctionId>,
    /// Whether subnormal numbers are flushed to zero, by instructions of its own.
    pub flushes: bool,
    /// Whether it calls `longjmp`.
    pub jumps: bool,
}

/// The position of a function in [`Code::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// The position of a global variable in [`Code::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// The position of a block in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// The position of a register in its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u32);

/// The position of a place in [`Code::locations`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(pub u32);

impl Code {
    /// A function by identity.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// A function by its symbol.
    pub fn named(&self, symbol: &str) -> Option<FunctionId> {
        self.symbols.get(symbol).copied()
    }

    /// A global variable by identity.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }

    /// A constant and its type.
    pub fn constant(&self, id: ConstantId) -> &(Type, Constant) {
        &self.constants[id.0 as usize]
    }

    /// A place in the source.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.0 as usize]
    }
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its symbol.
    pub name: String,
    /// Its name in the source; the symbol where that is not known.
    pub source_name: String,
    /// Where it is defined.
    pub location: LocationId,
    /// Its parameters, in the first registers.
    pub parameters: Vec<Parameter>,
    /// What it returns.
    pub result: Type,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Whether it never returns, as the source promises.
    pub never_returns: bool,
    /// The block from which it returns with an exception of C++ on its way.
    pub leave: Option<BlockId>,
    /// The type of each register.
    pub registers: Vec<Type>,
    /// Its blocks, the entry first; none of a function that is only declared.
    pub blocks: Vec<Block>,
}

impl Function {
    /// Whether its code is here.
    pub fn is_defined(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// A block by identity.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its type.
    pub ty: Type,
    /// For a structure that is passed in memory as a copy: its bytes and alignment.
    pub copied: Option<(u64, u64)>,
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its symbol.
    pub name: String,
    /// What it holds.
    pub ty: Type,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment in bytes.
    pub alignment: u64,
    /// Whether writing to it is an error.
    pub constant: bool,
    /// What it holds at first; `None` when it is defined elsewhere.
    pub initial: Option<Constant>,
}

/// A block: instructions, and where control goes then.
#[derive(Clone, Debug)]
pub struct Block {
    /// What it does, in order.
    pub instructions: Vec<Instruction>,
    /// How it ends.
    pub end: End,
    /// Where its end stands in the source.
    pub end_location: LocationId,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The register it assigns.
    pub result: Option<Register>,
    /// What it does.
    pub act: Act,
    /// Where it stands in the source.
    pub location: LocationId,
    /// The site it is, when it is a floating-point operation that can raise something.
    pub site: Option<SiteId>,
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operand {
    /// A register's value.
    Register(Register),
    /// A constant.
    Constant(ConstantId),
}

/// How a block ends.
#[derive(Clone, Debug)]
pub enum End {
    /// Back to the caller.
    Return(Option<Operand>),
    /// On to another block.
    Jump(Edge),
    /// One of two ways.
    Branch {
        /// A truth value.
        condition: Operand,
        /// Where to go when it is true.
        then: Edge,
        /// Where to go when it is false.
        otherwise: Edge,
    },
    /// One of many ways.
    Switch {
        /// The integer looked at.
        on: Operand,
        /// Constants and where they lead.
        cases: Vec<(ConstantId, Edge)>,
        /// Where everything else leads.
        default: Edge,
    },
    /// To the block whose address (its number) is given: GNU C's computed `goto`.
    Computed {
        /// The address.
        to: Operand,
        /// Where it may lead, with the address of each.
        edges: Vec<(ConstantId, Edge)>,
    },
    /// Control cannot come here, the compiler was told.
    Unreachable,
    /// What stands here has no counterpart in this representation.
    Unknown(String),
}

/// A way from a block to another. The moves happen at once, all reads first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leads.
    pub to: BlockId,
    /// Registers assigned on the way.
    pub moves: Vec<(Register, Operand)>,
}
