//! What can go wrong in an instruction.

use crate::memory::ObjectId;
use nanoscope_term::Term;
use std::fmt;

/// Something that goes wrong where a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// Where this truth value is true, it goes wrong.
    pub condition: Term,
    /// What does.
    pub trouble: Trouble,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trouble {
    /// An integer is divided by zero.
    DivisionByZero,
    /// The least integer is divided by minus one: x86 traps as for zero.
    DivisionOverflow,
    /// A shift by at least the width.
    ShiftTooFar,
    /// A float is converted to an integer type that cannot hold it. Undefined in C, but no
    /// end: the value is what x86-64 gives.
    ConversionOutOfRange,
    /// An access through a null pointer, or a little beside it.
    Null,
    /// An access where no object is.
    Wild,
    /// An access that begins or ends outside the object it points into.
    OutOfBounds(ObjectId),
    /// An access to what was freed.
    UseAfterFree(ObjectId),
    /// An access to a local variable of a function that has returned.
    UseAfterReturn(ObjectId),
    /// A write to what is constant.
    ReadOnly(ObjectId),
    /// Reading or writing a function, or calling what is none.
    NotData(ObjectId),
    /// Freeing what is not the start of an object of the heap.
    InvalidFree,
    /// Freeing what was freed.
    DoubleFree(ObjectId),
    /// The size of an object that nothing can hold.
    TooLarge,
    /// Memory and control are not computed here: a mistake of ours.
    NotComputed,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trouble::DivisionByZero => "integer division by zero",
            Trouble::DivisionOverflow => "integer division of the least value by -1",
            Trouble::ShiftTooFar => "shift by at least the width",
            Trouble::ConversionOutOfRange => "float out of the integer's range",
            Trouble::Null => "null pointer",
            Trouble::Wild => "address of no object",
            Trouble::OutOfBounds(_) => "out of bounds",
            Trouble::UseAfterFree(_) => "use after free",
            Trouble::UseAfterReturn(_) => "use of a local variable after its function returned",
            Trouble::ReadOnly(_) => "write to a constant",
            Trouble::NotData(_) => "function used as data",
            Trouble::InvalidFree => "free of what is no start of a heap object",
            Trouble::DoubleFree(_) => "double free",
            Trouble::TooLarge => "object too large",
            Trouble::NotComputed => "an act that computes nothing",
        })
    }
}
