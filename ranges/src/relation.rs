//! Comparisons of floats: which can hold, and what is left of the operands where one does.

use crate::arithmetic::Order;
use crate::floats::{Floats, Span};
use crate::grid::{self, Ordinal};
use crate::integers::Integers;
use nanoscope_ieee::Format;
use nanoscope_program::ir::FloatPredicate;

/// The outcomes for which a comparison is true, of four: less, equal, greater, unordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relation(u8);

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const UNORDERED: u8 = 8;

impl Relation {
    /// Equal.
    pub const EQUAL: Relation = Relation(EQUAL);
    /// Neither less nor greater.
    pub const NOT_APART: Relation = Relation(EQUAL | UNORDERED);
    /// Less.
    pub const LESS: Relation = Relation(LESS);
    /// Less or equal.
    pub const LESS_EQUAL: Relation = Relation(LESS | EQUAL);
    /// Greater.
    pub const GREATER: Relation = Relation(GREATER);
    /// Greater or equal.
    pub const GREATER_EQUAL: Relation = Relation(GREATER | EQUAL);
    /// A NaN on either side.
    pub const UNORDERED: Relation = Relation(UNORDERED);

    /// The outcomes for which a predicate is true.
    pub const fn of(predicate: FloatPredicate) -> Relation {
        use FloatPredicate::*;
        Relation(match predicate {
            False => 0,
            OrderedEqual => EQUAL,
            OrderedGreater => GREATER,
            OrderedGreaterEqual => GREATER | EQUAL,
            OrderedLess => LESS,
            OrderedLessEqual => LESS | EQUAL,
            OrderedNotEqual => LESS | GREATER,
            Ordered => LESS | EQUAL | GREATER,
            Unordered => UNORDERED,
            UnorderedEqual => UNORDERED | EQUAL,
            UnorderedGreater => UNORDERED | GREATER,
            UnorderedGreaterEqual => UNORDERED | GREATER | EQUAL,
            UnorderedLess => UNORDERED | LESS,
            UnorderedLessEqual => UNORDERED | LESS | EQUAL,
            UnorderedNotEqual => UNORDERED | LESS | GREATER,
            True => LESS | EQUAL | GREATER | UNORDERED,
        })
    }

    /// The outcomes for which it is false.
    pub const fn negated(self) -> Relation {
        Relation(!self.0 & (LESS | EQUAL | GREATER | UNORDERED))
    }

    /// The same relation between the operands in the other order.
    pub const fn swapped(self) -> Relation {
        let less = if self.0 & GREATER != 0 { LESS } else { 0 };
        let greater = if self.0 & LESS != 0 { GREATER } else { 0 };
        Relation(self.0 & (EQUAL | UNORDERED) | less | greater)
    }

    /// What both say.
    pub const fn meet(self, other: Relation) -> Relation {
        Relation(self.0 & other.0)
    }

    /// What either allows.
    pub const fn join(self, other: Relation) -> Relation {
        Relation(self.0 | other.0)
    }

    /// What it says about two operands that are numbers.
    pub const fn order(self) -> Order {
        Order {
            same: false,
            not_less: self.0 & LESS == 0,
            not_greater: self.0 & GREATER == 0,
            differ: self.0 & EQUAL == 0,
        }
    }

    /// Whether it can be false and can be true of these operands.
    pub fn truth(self, a: &Floats, b: &Floats, order: Order) -> Integers {
        let mut possible = Relation::possible(a, b);
        for (excluded, outcome) in [
            (order.not_less || order.same, LESS),
            (order.not_greater || order.same, GREATER),
            (order.differ, EQUAL),
        ] {
            possible &= if excluded { !outcome } else { !0 };
        }
        Integers::truth(possible & self.negated().0 != 0, possible & self.0 != 0)
    }

    /// The outcomes that these operands may have.
    fn possible(a: &Floats, b: &Floats) -> u8 {
        let mut possible = 0;
        if let (Some((least_a, most_a)), Some((least_b, most_b))) = (a.bounds(), b.bounds()) {
            let less = |least: Ordinal, most: Ordinal| least <= below(most);
            possible |= if less(least_a, most_b) { LESS } else { 0 };
            possible |= if less(least_b, most_a) { GREATER } else { 0 };
            let meet = |a: Span, b: Span| !a.meet(b).is_empty();
            let equal = (a.has_zero() && b.has_zero())
                || meet(a.positive, b.positive)
                || meet(a.negative, b.negative);
            possible |= if equal { EQUAL } else { 0 };
        }
        let unordered = (a.nan && !b.is_empty()) || (b.nan && !a.is_empty());
        possible | if unordered { UNORDERED } else { 0 }
    }

    /// What is left of the operands where it is true; both nothing if it cannot be.
    pub fn refine(self, a: &Floats, b: &Floats) -> (Floats, Floats) {
        let nothing = Floats::nothing(a.format);
        let mut left = (nothing, nothing);
        let mut allow = |case: (Floats, Floats)| {
            if !case.0.is_empty() && !case.1.is_empty() {
                left = (left.0.join(&case.0), left.1.join(&case.1));
            }
        };
        if self.0 & LESS != 0 {
            allow(less(a, b));
        }
        if self.0 & GREATER != 0 {
            let (b, a) = less(b, a);
            allow((a, b));
        }
        if self.0 & EQUAL != 0 {
            let (x, y) = (a.numbers(), b.numbers());
            allow((x.meet(&y.with_both_zeros()), y.meet(&x.with_both_zeros())));
        }
        if self.0 & UNORDERED != 0 {
            let nan = Floats::only_nan(a.format);
            if a.nan {
                allow((nan, *b));
            }
            if b.nan {
                allow((*a, nan));
            }
        }
        left
    }
}

fn less(a: &Floats, b: &Floats) -> (Floats, Floats) {
    let (a, b) = (a.numbers(), b.numbers());
    match (a.bounds(), b.bounds()) {
        (Some((least, _)), Some((_, greatest))) => {
            (a.at_most(below(greatest)), b.at_least(above(least)))
        }
        (None, _) | (_, None) => (Floats::nothing(a.format), Floats::nothing(a.format)),
    }
}

/// The place next below every number equal to this one.
pub fn below(at: Ordinal) -> Ordinal {
    if at == 0 { -2 } else { at - 1 }
}

/// The place next above every number equal to this one.
pub fn above(at: Ordinal) -> Ordinal {
    if at == -1 { 1 } else { at + 1 }
}

/// The floats in the classes of LLVM's mask: signalling NaN, quiet NaN, then -inf, negative
/// normal, negative subnormal, -0, +0, positive subnormal, positive normal, +inf.
pub fn classes(format: Format, mask: u32) -> Floats {
    let (infinity, normal) = (grid::infinity(format), grid::min_normal(format));
    let mut floats = Floats::nothing(format);
    floats.nan = mask & 0b11 != 0;
    let places = [
        (!infinity, !infinity),
        (!(infinity - 1), !normal),
        (!(normal - 1), -2),
        (-1, -1),
        (0, 0),
        (1, normal - 1),
        (normal, infinity - 1),
        (infinity, infinity),
    ];
    for (i, (lo, hi)) in places.into_iter().enumerate() {
        if mask & (0b100 << i) != 0 {
            floats = floats.join(&Floats::between(format, lo, hi));
        }
    }
    floats
}

/// Whether a float is in the classes of a mask.
pub fn classify(mask: u32, a: &Floats) -> Integers {
    let inside = |mask: u32| !a.meet(&classes(a.format, mask)).is_empty();
    // Quiet and signalling NaNs are not told apart.
    let some_nans = a.nan && matches!(mask & 0b11, 1 | 2);
    Integers::truth(inside(!mask & 0x3ff) || some_nans, inside(mask) || some_nans)
}
