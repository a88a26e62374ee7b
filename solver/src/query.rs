//! What is asked, what is answered, and what engines tell each other.

use crate::blast;
use crate::propagate::Domain;
use nanoscope_term::{Model, Term, Terms};
use std::collections::BTreeMap;
use std::fmt;

/// Assertions that shall hold together, without arrays, uninterpreted
/// functions and open results.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// Where the terms live.
    pub terms: &'a Terms,
    /// What shall hold, all at once.
    pub assertions: &'a [Term],
    /// By how many bytes the process may grow over it.
    pub memory: Option<u64>,
}

/// How a query ends; a model is one that the evaluator confirmed.
pub type Verdict = nanoscope_term::Verdict<Reason>;

/// Why a query is undecided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The deadline passed.
    Time,
    /// Someone raised the stop flag.
    Stopped,
    /// The query outgrew the memory it was given.
    Memory,
    /// No real numbers satisfy it, as far as they were asked. Floats round, and
    /// may.
    Reals,
    /// The engines chosen cannot do more about it, and what stopped them.
    Incomplete(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Time => f.write_str("timeout"),
            Reason::Stopped => f.write_str("stopped"),
            Reason::Memory => f.write_str("memout"),
            Reason::Reals => f.write_str("incomplete: no real numbers satisfy it, floats may"),
            Reason::Incomplete(why) => write!(f, "incomplete: {why}"),
        }
    }
}

impl From<blast::Reason> for Reason {
    fn from(reason: blast::Reason) -> Reason {
        match reason {
            blast::Reason::Time => Reason::Time,
            blast::Reason::Stopped => Reason::Stopped,
            blast::Reason::Memory => Reason::Memory,
            blast::Reason::Beyond(what) => Reason::Incomplete(what.to_string()),
        }
    }
}

/// What engines learned about a query that others can use.
#[derive(Clone, Debug, Default)]
pub struct Clues {
    /// Values outside these domains are in no model. Terms that it does not
    /// mention may have any.
    pub domains: BTreeMap<Term, Domain>,
    /// A model of a query much like this one: the caller's hint.
    pub hint: Option<Model>,
    /// The point that came nearest to being a model so far.
    pub nearest: Option<Model>,
}
