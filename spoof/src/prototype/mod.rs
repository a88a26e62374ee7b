//! Prototypes: what a function takes and gives back, which elements of its arrays it references,
//! and how it reports trouble. And what that comes to in one call: its arguments.

mod bind;
mod expression;
mod family;
mod grammar;
mod parse;
mod shipped;
mod tokens;

pub use bind::{Bound, Reader, bind, signature};
pub(crate) use bind::{as_double, bytes_at, hops, signed};
pub use expression::{Binary, Environment, Expression, NoValue, Scalar};
pub use parse::parse;
pub(crate) use parse::{RAISES, USUAL};
pub use shipped::{COLLECTIONS, shipped};
pub use tokens::Mistake;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A file of prototypes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Library {
    /// In the order of the file.
    pub prototypes: Vec<Prototype>,
    /// Whether the binary may lack some of the functions.
    pub optional: bool,
    /// Functions that are declared and have no prototype, with the reason.
    pub refused: BTreeMap<String, String>,
    /// What to know of them.
    pub notes: Vec<String>,
}

/// How the function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// By reference; lengths of characters come after the parameters.
    Fortran,
    /// The System V convention.
    C,
}

/// What is known of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// The name as people call it.
    pub name: String,
    /// The name in the binary.
    pub symbol: String,
    /// Where it begins in the program's file, if the file has no symbol for it.
    pub address: Option<u64>,
    /// How it is called.
    pub language: Language,
    /// Where the prototype stands in its file; 0 if it was derived from a declaration.
    pub line: u32,
    /// In order.
    pub parameters: Vec<Parameter>,
    /// What it returns.
    pub result: Option<Parameter>,
    /// The numbers of the structure that it returns, in the place of `result`, if they are of several kinds.
    pub fields: Vec<Parameter>,
    /// What that structure is.
    pub returned: Option<Returned>,
    /// What must hold of a call; others are not tested.
    pub require: Vec<Expression>,
    /// What the interface documents as not read.
    pub documented: Vec<Documented>,
    /// Conditions on the outputs that report trouble, with their text.
    pub reports: Vec<(Expression, String)>,
    /// Functions whose call reports trouble.
    pub error_routines: Vec<String>,
}

impl Prototype {
    /// What comes back as the result.
    pub fn results(&self) -> impl Iterator<Item = &Parameter> {
        self.result.iter().chain(&self.fields)
    }

    /// Whether nobody wrote it: how the function reports is then a guess.
    pub fn is_derived(&self) -> bool {
        self.line == 0
    }
}

/// Under a condition the interface documents that parameters are not read.
#[derive(Clone, Debug, PartialEq)]
pub struct Documented {
    /// When.
    pub condition: Expression,
    /// The same, as text.
    pub text: String,
    /// Which; all if empty.
    pub parameters: Vec<String>,
}

/// A parameter, or the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name; `return` for the result.
    pub name: String,
    /// What its elements are.
    pub kind: Kind,
    /// The bits of a scalar: of each part of a complex number.
    pub bits: u32,
    /// A Fortran integer without bits: as wide as the library's integers are.
    pub default_size: bool,
    /// Which way it goes.
    pub intent: Intent,
    /// How it is passed.
    pub passing: Passing,
    /// Which elements are referenced, for an array.
    pub shape: Option<Shape>,
    /// Which elements go out, if others than those that come in.
    pub out_shape: Option<Shape>,
    /// Whether the elements are those that the call is seen to reference.
    pub observed: bool,
    /// Where it is, if it is not what is passed but lies inside of it.
    pub inside: Option<Inside>,
}

/// A number, or numbers one after the other, inside of a structure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inside {
    /// From the structure's address: so many bytes further; between two of these an address is read.
    pub path: Vec<u64>,
    /// How many bytes the numbers take; none if the last step was an address.
    pub extent: Option<u64>,
    /// How far it is to the next structure of an array of them; 0 if that is not known.
    pub stride: u64,
    /// Whether the structure is that of the parameter before: it is passed once.
    pub shared: bool,
}

/// A structure that is returned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Returned {
    /// Its bytes.
    pub size: u64,
    /// Whether it comes back in memory, whatever its size.
    pub in_memory: bool,
    /// Of each eight bytes, whether they come back in a general register.
    pub general: Vec<bool>,
}

impl Parameter {
    /// Its shapes.
    pub fn shapes(&self) -> impl Iterator<Item = &Shape> {
        self.shape.iter().chain(&self.out_shape)
    }
}

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// In a register or on the stack.
    Value,
    /// Its address is passed.
    Reference,
    /// An address is passed, and what is there is not looked at.
    Address,
}

/// The referenced elements of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The indices, each from 0, with what they are less than.
    pub dimensions: Vec<Dimension>,
    /// Where an element is, counted in elements; the index itself if there is one index.
    pub offset: Option<Expression>,
    /// The increment of a BLAS vector: from its end if negative.
    pub step: Option<Expression>,
    /// Which of these elements are referenced.
    pub condition: Option<Expression>,
    /// Where it stands in the file.
    pub line: u32,
    /// Where it stands in the line.
    pub column: u32,
}

/// An index of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// Its name.
    pub index: String,
    /// It is less than this.
    pub extent: Expression,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Place {
    /// In memory, at this address.
    Memory(u64),
    /// In a general register, by its encoding (0 rax, 1 rcx, 2 rdx, …, 7 rdi, 8 r8, …).
    General {
        /// Which.
        register: u8,
        /// The first byte.
        byte: u8,
    },
    /// In a vector register, from this byte on.
    Vector {
        /// Which: 0 is xmm0.
        register: u8,
        /// The first byte.
        byte: u8,
    },
    /// st(0) or st(1) of the x87 unit.
    X87(u8),
}

/// A scalar of an argument: an element of an array, or one part of a complex element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Where its first element is, if an address is passed.
    pub base: Option<u64>,
    /// The address that is passed, if the elements are inside of what is there.
    #[serde(default)]
    pub origin: Option<u64>,
}
