//! Sets of exceptions, and what an operation on ranges gives and may raise.

use nanoscope_ieee::Flags;
use nanoscope_program::Exception;
use nanoscope_sets::Floats;

/// A set of exceptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exceptions(u8);

/// Every exception.
pub const EVERY: [Exception; 6] = [
    Exception::Overflow,
    Exception::Underflow,
    Exception::DivideByZero,
    Exception::Invalid,
    Exception::ConversionOutOfRange,
    Exception::IntegerOverflow,
];

impl Exceptions {
    /// None.
    pub const NONE: Exceptions = Exceptions(0);
    /// All.
    pub const ALL: Exceptions = Exceptions(0b111111);

    const fn bit(exception: Exception) -> u8 {
        match exception {
            Exception::Overflow => 1,
            Exception::Underflow => 2,
            Exception::DivideByZero => 4,
            Exception::Invalid => 8,
            Exception::ConversionOutOfRange => 16,
            Exception::IntegerOverflow => 32,
        }
    }

    /// Whether one is among them.
    pub const fn contains(self, exception: Exception) -> bool {
        self.0 & Exceptions::bit(exception) != 0
    }

    /// Adds one where a condition holds.
    pub fn add_if(&mut self, condition: bool, exception: Exception) {
        if condition {
            self.0 |= Exceptions::bit(exception);
        }
    }

    /// Takes one away.
    pub fn remove(&mut self, exception: Exception) {
        self.0 &= !Exceptions::bit(exception);
    }

    /// What both hold.
    pub const fn meet(self, other: Exceptions) -> Exceptions {
        Exceptions(self.0 & other.0)
    }

    /// What either holds.
    pub const fn union(self, other: Exceptions) -> Exceptions {
        Exceptions(self.0 | other.0)
    }
}

impl FromIterator<Exception> for Exceptions {
    fn from_iter<I: IntoIterator<Item = Exception>>(list: I) -> Exceptions {
        let mut set = Exceptions::NONE;
        for exception in list {
            set.add_if(true, exception);
        }
        set
    }
}

/// What an operation gives, and what it may raise on the way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FloatTransfer {
    /// The results possible.
    pub result: Floats,
    /// The exceptions possible.
    pub raised: Exceptions,
}

impl From<Flags> for Exceptions {
    /// What a floating-point operation raises; a tiny result counts, exact or not.
    fn from(flags: Flags) -> Exceptions {
        let mut set = Exceptions::NONE;
        set.add_if(flags.invalid, Exception::Invalid);
        set.add_if(flags.divide_by_zero, Exception::DivideByZero);
        set.add_if(flags.overflow, Exception::Overflow);
        set.add_if(flags.tiny, Exception::Underflow);
        set
    }
}

impl From<nanoscope_sets::Image> for FloatTransfer {
    fn from(outcome: nanoscope_sets::Image) -> FloatTransfer {
        FloatTransfer { result: outcome.result, raised: outcome.raised.into() }
    }
}
