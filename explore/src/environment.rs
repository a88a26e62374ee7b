//! The floating-point environment of a state: which way it rounds, and what was raised.

use nanoscope_ieee::{Flag, Flags, Rounding};
use nanoscope_term::{Term, Terms};

/// Rounding mode and exception flags. The x87 and the SSE unit share one, as C sees them.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// The rounding mode of operations that do not bring their own.
    pub rounding: RoundingMode,
    /// What was raised and not cleared since: a truth value for each of [`STANDARD`].
    pub flags: [Raising; 5],
    /// Whether operations record what they raise: only for programs that look at it.
    pub tracked: bool,
}

/// The flags that programs can see, in the order of [`Environment::flags`].
pub const STANDARD: [Flag; 5] =
    [Flag::Invalid, Flag::DivideByZero, Flag::Overflow, Flag::Underflow, Flag::Inexact];

/// A rounding mode, known or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundingMode {
    /// This one.
    Known(Rounding),
    /// A term of sort Rounding. Whoever makes it keeps out the mode that x86 does not have
    /// (ties away from zero).
    Unknown(Term),
}

/// Whether a flag is raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raising {
    /// It is, or it is not.
    Known(bool),
    /// If this truth value is true.
    If(Term),
}

impl Default for Environment {
    fn default() -> Environment {
        Environment {
            rounding: RoundingMode::Known(Rounding::NearestEven),
            flags: [Raising::Known(false); 5],
            tracked: false,
        }
    }
}

impl Environment {
    /// Raises what a known operation raised.
    pub fn raise(&mut self, raised: Flags) {
        for (flag, raising) in STANDARD.into_iter().zip(&mut self.flags) {
            if *raised.get(flag) {
                *raising = Raising::Known(true);
            }
        }
    }

    /// Raises a flag if a truth value is true.
    pub fn raise_if(&mut self, terms: &mut Terms, flag: Flag, condition: Term) {
        let Some(at) = STANDARD.iter().position(|standard| *standard == flag) else { return };
        let either = match self.flags[at] {
            Raising::Known(true) => return,
            Raising::Known(false) => condition,
            Raising::If(before) => terms.or(&[before, condition]),
        };
        self.flags[at] = Raising::of(terms, either);
    }

    /// Whether a flag is raised, as a truth value.
    pub fn raised(&self, terms: &mut Terms, flag: Flag) -> Term {
        match STANDARD.iter().position(|standard| *standard == flag) {
            Some(at) => self.flags[at].term(terms),
            None => terms.bool(false),
        }
    }

    /// The rounding mode as a term.
    pub fn mode(&self, terms: &mut Terms) -> Term {
        match self.rounding {
            RoundingMode::Known(mode) => terms.rounding(mode),
            RoundingMode::Unknown(term) => term,
        }
    }
}

impl Raising {
    /// The truth value a term is, as simple as it can be said.
    pub fn of(terms: &Terms, condition: Term) -> Raising {
        match terms.value(condition).and_then(nanoscope_term::Value::as_bool) {
            Some(known) => Raising::Known(known),
            None => Raising::If(condition),
        }
    }

    /// As a truth value.
    pub fn term(self, terms: &mut Terms) -> Term {
        match self {
            Raising::Known(known) => terms.bool(known),
            Raising::If(condition) => condition,
        }
    }
}
