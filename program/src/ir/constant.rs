//! Constants: what is known before the program runs.

use super::{FunctionId, GlobalId, Type};
use nanoscope_ieee::Word;
use std::sync::Arc;

/// The position of a constant in its program's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstantId(pub u32);

/// A constant value; its type says how its bits are read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// An integer.
    Integer(Word),
    /// A float, by its encoding (an `x86_fp80`'s has 80 bits).
    Float(nanoscope_ieee::Format, Word),
    /// An address, or the same as an integer of 64 bits. The address of a block (GNU C's
    /// `&&label`) lies as many bytes into its function as its number, from 1.
    Address {
        /// What it lies in.
        of: Place,
        /// Bytes from its start.
        offset: i64,
    },
    /// Nothing was said about the value: each use may see another one.
    Undefined(Type),
    /// The result of something that has no defined result.
    Poison(Type),
    /// All bits zero, of any type: a null pointer, an empty array.
    Zero(Type),
    /// Lanes of a vector, members of a structure, elements of an array.
    Parts(Type, Arc<[Constant]>),
    /// An array of bytes, as string literals are.
    Bytes(Arc<[u8]>),
}

/// What a constant address can lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// No object: the offset is the address.
    Nowhere,
    /// A global variable.
    Global(GlobalId),
    /// A function's code.
    Function(FunctionId),
}
