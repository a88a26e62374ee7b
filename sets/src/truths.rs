//! Sets of truth values.

/// The truth values a term may still have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Truths {
    /// Whether it may be true.
    pub may_hold: bool,
    /// Whether it may be false.
    pub may_fail: bool,
}

impl Truths {
    /// Either.
    pub const BOTH: Truths = Truths { may_hold: true, may_fail: true };
    /// Neither: a contradiction.
    pub const NONE: Truths = Truths { may_hold: false, may_fail: false };

    /// Just this one.
    pub const fn only(value: bool) -> Truths {
        Truths { may_hold: value, may_fail: !value }
    }

    /// The only one left, if there is just one.
    pub const fn known(self) -> Option<bool> {
        match (self.may_hold, self.may_fail) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            (true, true) | (false, false) => None,
        }
    }

    /// Whether none is left.
    pub const fn is_empty(self) -> bool {
        !self.may_hold && !self.may_fail
    }

    /// What both hold.
    pub const fn meet(self, other: Truths) -> Truths {
        Truths {
            may_hold: self.may_hold && other.may_hold,
            may_fail: self.may_fail && other.may_fail,
        }
    }

    /// The truth values of the negation.
    pub const fn negated(self) -> Truths {
        Truths { may_hold: self.may_fail, may_fail: self.may_hold }
    }
}
