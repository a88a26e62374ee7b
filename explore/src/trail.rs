//! Trails: a path as people name it, by its branches and conditions; and a state's record of them.

use crate::route::Way;
use nanoscope_program::Location;
use nanoscope_program::ir::LocationId;

/// A branch, and the way that a path went there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Where the branch stands.
    pub location: Location,
    /// The way.
    pub way: Way,
}

/// What holds on a path, in normalised form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The decision that it belongs to, by number; none for what was assumed after the last.
    pub decision: Option<usize>,
    /// Definitions of temporaries, and at last the relation.
    pub lines: Vec<String>,
}

/// What a path gives back, in normalised form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// What it is: `return`, `exit status`, `result->val`.
    pub name: String,
    /// Definitions of temporaries, and at last the result.
    pub lines: Vec<String>,
    /// The same as a term of SMT-LIB.
    pub term: String,
}

/// A path as people name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// The branches that it came by, in order.
    pub decisions: Vec<Decision>,
    /// What holds on it beyond the ranges of inputs, in order.
    pub conditions: Vec<Condition>,
    /// The ranges of inputs.
    pub ranges: Vec<String>,
    /// What it gives back.
    pub outputs: Vec<Expression>,
    /// How many of the decisions and of the conditions belong to the route that was asked for.
    pub on_route: Option<(usize, usize)>,
    /// Conditions and ranges as an SMT-LIB script.
    pub script: String,
}

/// A state's record of its decisions.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// Branches with their ways, and how many conditions the path then had.
    pub(crate) decisions: Vec<(LocationId, Way, usize)>,
    /// Conditions before the first instruction.
    pub(crate) given: usize,
    /// Entries of the route that are behind it.
    pub position: usize,
    /// Decisions and conditions when the route was done.
    pub on_route: Option<(usize, usize)>,
}

impl Track {
    /// The record of a path that begins with so many conditions.
    pub fn new(given: usize) -> Track {
        Track { given, ..Track::default() }
    }
}
