//! The operations whose circuits can be put off.

use nanoscope_ieee::Operation;

/// Lemmas about an operation before it gets its circuit.
const LEMMAS_BEFORE_CIRCUIT: u32 = 6;
/// The same where the circuit has a step for every exponent.
const LEMMAS_BEFORE_LONG_CIRCUIT: u32 = 60;

/// The operations that can wait for their circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deferred {
    Mul,
    Div,
    Sqrt,
    Fma,
    Remainder,
    Fmod,
}

impl Deferred {
    pub const ALL: [Deferred; 6] = [
        Deferred::Mul,
        Deferred::Div,
        Deferred::Sqrt,
        Deferred::Fma,
        Deferred::Remainder,
        Deferred::Fmod,
    ];

    /// The operation as one that can wait, if it can.
    pub fn from(operation: Operation) -> Option<Deferred> {
        Deferred::ALL.into_iter().find(|deferred| deferred.operation() == operation)
    }

    pub fn operation(self) -> Operation {
        match self {
            Deferred::Mul => Operation::Mul,
            Deferred::Div => Operation::Div,
            Deferred::Sqrt => Operation::Sqrt,
            Deferred::Fma => Operation::Fma,
            Deferred::Remainder => Operation::Remainder,
            Deferred::Fmod => Operation::Fmod,
        }
    }

    /// Lemmas about it before it gets its circuit.
    pub fn patience(self) -> u32 {
        match self {
            Deferred::Mul | Deferred::Div | Deferred::Sqrt | Deferred::Fma => LEMMAS_BEFORE_CIRCUIT,
            Deferred::Remainder | Deferred::Fmod => LEMMAS_BEFORE_LONG_CIRCUIT,
        }
    }
}
