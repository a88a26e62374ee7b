//! Prototypes: what a function takes and gives back, which elements of its arrays it references,
//! and how it reports trouble. And what that comes to in one call: its arguments.

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A character.
    Character,
    /// A signed integer.
    Integer,
    /// A floating-point number.
    Real,
    /// Two floating-point numbers, the real part first.
    Complex,
}

impl Kind {
    /// Whether its parts are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Kind::Real | Kind::Complex)
    }
}

/// Which way a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Intent {
    /// Only read.
    In,
    /// Only written.
    Out,
    /// Read and written.
    InOut,
    /// Given back as the function's result.
    Return,
}

impl Intent {
    /// Whether the caller's value is an input.
    pub fn is_input(self) -> bool {
        matches!(self, Intent::In | Intent::InOut)
    }

    /// Whether the caller sees a result in it.
    pub fn is_output(self) -> bool {
        !matches!(self, Intent::In)
    }
}

/// Where a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// In memory, at this address.
    Memory(u64),
    /// In a general register, by its encoding (0 rax, 1 rcx, 2 rdx, …, 7 rdi, 8 r8, …).
    General(u8),
    /// In a vector register, from this byte on.
    Vector {
        /// Which: 0 is xmm0.
        register: u8,
        /// The first byte.
        byte: u8,
    },
    /// st(0) of the x87 unit.
    X87,
}

/// A scalar of an argument: an element of an array, or one part of a complex element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// How people call it: `alpha`, `a(2,1)`, `x(3).im`. Indices are from 1 for Fortran, from 0
    /// for C (`x[2]`).
    pub name: String,
    /// Where it is: an input's place at entry, a result's place at exit.
    pub place: Place,
    /// Whether the call may read it.
    pub input: bool,
    /// Whether it is part of what the caller gets back.
    pub output: bool,
    /// The documented reason for which this call does not propagate it, if any: "beta = 0".
    pub documented: Option<String>,
}

/// A parameter with what one call passes for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The parameter's name; `return` for the result.
    pub name: String,
    /// What its elements are.
    pub kind: Kind,
    /// The bits of a scalar: of each part of a complex number.
    pub bits: u32,
    /// Which way it goes.
    pub intent: Intent,
    /// The scalars that the call references, in the order of their addresses. Padding, the other
    /// triangle, a unit diagonal and everything else that is not referenced is not here.
    pub elements: Vec<Element>,
    /// The value, for characters and integers that are scalars.
    pub value: Option<i64>,
}
