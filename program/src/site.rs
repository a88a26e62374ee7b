//! Sites: the operations of a program, each with an identity that goals,
//! instrumentation, replay and exploration share.

use nanoscope_ieee::Format;

/// A place in the program where a floating-point operation stands. Its number is
/// the operation's position in the program's bitcode: the same source and flags
/// give the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(pub u32);

/// Where in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The file as the compiler was given it.
    pub file: String,
    /// Line, from 1; 0 where the compiler recorded none.
    pub line: u32,
    /// Column, from 1; 0 where the compiler recorded none.
    pub column: u32,
    /// The call sites this code was inlined through, innermost first.
    pub inlined_at: Vec<Location>,
}

/// What a site does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Floating-point addition.
    Add,
    /// Placeholder until the table is in.
    Other,
}

/// An operation of the program.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its identity.
    pub id: SiteId,
    /// The function whose code it is in.
    pub function: String,
    /// Where it stands in the source.
    pub location: Location,
    /// What it does.
    pub action: Action,
    /// The format it computes in.
    pub format: Format,
}
