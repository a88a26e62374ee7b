//! Our representation of a program: small, typed, self-contained, without LLVM.
//!
//! `ranges` and `explore` read it. [`Code`] is a whole program. A function is blocks of
//! instructions on registers; each register is assigned in one place of the text. What LLVM
//! writes as phi nodes are moves on the edges between blocks. Addresses are computed by
//! [`Act::Offset`]; everything else is an operation on integers, floats, pointers, vectors
//! or aggregates.
//!
//! - `types.rs`: what registers and memory hold
//! - `constant.rs`: what is known before running
//! - `code.rs`: programs, functions, blocks, globals
//! - `act.rs`: what an instruction does
//! - `query.rs`, `dominators.rs`: edges, operands, liveness, dominators
//! - `coreachable.rs`: paths that come by nothing that is asked about, ended; `initialisers.rs`: what
//!   constructors compute for others, left out
//! - `variadic.rs`: how variable arguments lie
//! - `check.rs`: what all of it keeps
//! - `print.rs`: all of it as text
//! - `lower/`: how it is made from bitcode

mod act;
mod check;
mod code;
mod constant;
mod coreachable;
mod dominators;
mod initialisers;
mod lower;
mod print;
mod query;
mod types;
pub mod variadic;

pub use act::{
    Act, Callee, FloatPredicate, IntegerConversion, IntegerOperation, IntegerPredicate,
    IntegerUnary, Mode, Promises, Special,
};
pub use code::{
    Block, BlockId, Code, Edge, End, Function, FunctionId, Global, GlobalId, Instruction,
    LocationId, Operand, Parameter, Register,
};
pub use constant::{Constant, ConstantId, Place};
pub use dominators::Dominators;
pub use lower::Lowering;
pub(crate) use lower::{is_barrier, is_jump};
pub use query::Operands;
pub use types::{Aggregate, Type};
