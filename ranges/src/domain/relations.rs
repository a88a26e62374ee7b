//! Relations of order between two registers, or between their magnitudes.

use crate::policy::MOST_ORDER_RELATIONS;
use nanoscope_program::ir::{Operand, Register};
use nanoscope_sets::{Order, Relation};
use smallvec::{SmallVec, smallvec};

/// A relation between two registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    pub a: Register,
    pub b: Register,
    pub relation: Relation,
    /// Whether it is between the magnitudes.
    pub magnitudes: bool,
}

/// The relation that says nothing.
pub const ANY: Relation = Relation::LESS.join(Relation::GREATER_EQUAL).join(Relation::UNORDERED);

/// Relations that hold, and pairs of registers that have the same value, be it a NaN.
#[derive(Clone, Debug, Default)]
pub struct Relations(pub Vec<Fact>, pub Vec<(Register, Register)>);

impl Relations {
    /// Adds a relation between two registers.
    pub fn relate(&mut self, a: Register, b: Register, relation: Relation) {
        self.add(Fact { a, b, relation, magnitudes: false });
    }

    /// Adds a relation.
    pub fn add(&mut self, mut new: Fact) {
        if new.a > new.b {
            let (a, b, relation) = (new.b, new.a, new.relation.swapped());
            new = Fact { a, b, relation, ..new };
        }
        for known in &mut self.0 {
            if (known.a, known.b, known.magnitudes) == (new.a, new.b, new.magnitudes) {
                known.relation = known.relation.meet(new.relation);
                return;
            }
        }
        if self.0.len() < MOST_ORDER_RELATIONS {
            self.0.push(new);
        }
    }

    /// Whether two registers are known to be equal unless one is a NaN.
    pub fn equates(&self, a: Operand, b: Operand) -> bool {
        let (Operand::Register(a), Operand::Register(b)) = (a, b) else { return false };
        let pair = (a.min(b), a.max(b));
        self.0.iter().any(|fact| {
            (fact.a, fact.b) == pair
                && !fact.magnitudes
                && fact.relation.join(Relation::NOT_APART) == Relation::NOT_APART
        })
    }

    /// A register has the value of another: what holds of the one holds of the other.
    pub fn equate(&mut self, register: Register, other: Register) {
        self.copy(register, other, Relation::NEVER);
        self.identify(register, other);
    }

    /// Two registers have the same value.
    pub fn identify(&mut self, a: Register, b: Register) {
        let pair = (a.min(b), a.max(b));
        if a != b && self.1.len() < MOST_ORDER_RELATIONS && !self.1.contains(&pair) {
            self.1.push(pair);
        }
    }

    /// The registers that have a register's value.
    pub fn identical(&self, register: Register) -> impl Iterator<Item = Register> {
        self.1.iter().filter_map(move |(a, b)| match (*a == register, *b == register) {
            (true, _) => Some(*b),
            (_, true) => Some(*a),
            (false, false) => None,
        })
    }

    /// A register and all that are known to have its value.
    pub fn class(&self, register: Register) -> SmallVec<[Register; 4]> {
        let mut class: SmallVec<[Register; 4]> = smallvec![register];
        let mut seen = 0;
        while let Some(one) = class.get(seen).copied() {
            for other in self.identical(one) {
                if !class.contains(&other) {
                    class.push(other);
                }
            }
            seen += 1;
        }
        class
    }

    /// A register has the value of another, or is a NaN.
    pub fn equate_numbers(&mut self, register: Register, other: Register) {
        self.copy(register, other, Relation::UNORDERED);
    }

    /// What holds of a register, or else one of `besides`, holds of another that is equal to it
    /// unless one is a NaN.
    fn copy(&mut self, register: Register, other: Register, besides: Relation) {
        let about = |fact: &&Fact| fact.a == other || fact.b == other;
        let facts: SmallVec<[Fact; 8]> = self.0.iter().filter(about).copied().collect();
        self.relate(register, other, Relation::NOT_APART);
        for fact in facts {
            let [a, b] = [fact.a, fact.b].map(|it| if it == other { register } else { it });
            let relation = fact.relation.join(besides);
            if a != b && relation != ANY {
                self.add(Fact { a, b, relation, ..fact });
            }
        }
    }

    /// The magnitude of a register is at most another's, unless one is a NaN.
    pub fn bound_magnitude(&mut self, register: Register, by: Register) {
        if register != by {
            let relation = Relation::LESS_EQUAL.join(Relation::UNORDERED);
            self.add(Fact { a: register, b: by, relation, magnitudes: true });
        }
    }

    /// What a register bounds is bounded by another.
    pub fn bound_as(&mut self, register: Register, by: Register) {
        let bounded: SmallVec<[Register; 4]> = self.magnitudes_beside(register, false).collect();
        bounded.into_iter().for_each(|lesser| self.bound_magnitude(lesser, by));
    }

    /// A register has the magnitude of another: so have those that are equal to it.
    pub fn copy_magnitude(&mut self, register: Register, of: Register) {
        let about = |fact: &&Fact| {
            (fact.a == of || fact.b == of)
                && fact.relation.join(Relation::NOT_APART) == Relation::NOT_APART
        };
        let facts: SmallVec<[Fact; 8]> = self.0.iter().filter(about).copied().collect();
        for fact in facts {
            let [a, b] = [fact.a, fact.b].map(|it| if it == of { register } else { it });
            if a != b {
                self.add(Fact { a, b, magnitudes: true, ..fact });
            }
        }
    }

    /// The registers whose magnitudes are at least (or at most) a register's, unless one is a NaN.
    pub fn magnitudes_beside(
        &self,
        register: Register,
        at_least: bool,
    ) -> impl Iterator<Item = Register> {
        self.0.iter().filter(|fact| fact.magnitudes).filter_map(move |fact| {
            let (other, relation) = match (fact.a == register, fact.b == register) {
                (true, _) => (fact.b, fact.relation),
                (_, true) => (fact.a, fact.relation.swapped()),
                (false, false) => return None,
            };
            let order = relation.order();
            (if at_least { order.not_greater } else { order.not_less }).then_some(other)
        })
    }

    /// The order of two operands that comparisons have shown.
    pub fn of(&self, a: Operand, b: Operand) -> Order {
        let (Operand::Register(x), Operand::Register(y)) = (a, b) else { return Order::default() };
        if x == y {
            return Order { same: true, ..Order::default() };
        }
        let mut order = Order::default();
        for fact in self.0.iter().filter(|fact| !fact.magnitudes) {
            let known = if (fact.a, fact.b) == (x, y) {
                fact.relation.order()
            } else if (fact.a, fact.b) == (y, x) {
                fact.relation.swapped().order()
            } else {
                continue;
            };
            order.not_less |= known.not_less;
            order.not_greater |= known.not_greater;
            order.differ |= known.differ;
        }
        order
    }
}
