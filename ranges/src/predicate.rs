//! The predicates of our representation as relations.

use nanoscope_program::ir::FloatPredicate;
use nanoscope_sets::Relation;

/// The outcomes for which a predicate is true.
pub fn relation(predicate: FloatPredicate) -> Relation {
    use FloatPredicate::*;
    match predicate {
        False => Relation::NEVER,
        OrderedEqual => Relation::EQUAL,
        OrderedGreater => Relation::GREATER,
        OrderedGreaterEqual => Relation::GREATER_EQUAL,
        OrderedLess => Relation::LESS,
        OrderedLessEqual => Relation::LESS_EQUAL,
        OrderedNotEqual => Relation::LESS.join(Relation::GREATER),
        Ordered => Relation::ORDERED,
        Unordered => Relation::UNORDERED,
        UnorderedEqual => Relation::NOT_APART,
        UnorderedGreater => Relation::LESS_EQUAL.negated(),
        UnorderedGreaterEqual => Relation::LESS.negated(),
        UnorderedLess => Relation::GREATER_EQUAL.negated(),
        UnorderedLessEqual => Relation::GREATER.negated(),
        UnorderedNotEqual => Relation::EQUAL.negated(),
        True => Relation::ALWAYS,
    }
}
