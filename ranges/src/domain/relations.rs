//! Relations of order between two registers, or between their magnitudes.

use crate::policy::MOST_ORDER_RELATIONS;
use nanoscope_program::ir::{Operand, Register};
use nanoscope_sets::{Order, Relation};
use smallvec::SmallVec;

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

/// Relations that hold.
#[derive(Clone, Debug, Default)]
pub struct Relations(pub Vec<Fact>);

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
        let about = |fact: &&Fact| fact.a == other || fact.b == other;
        let facts: SmallVec<[Fact; 8]> = self.0.iter().filter(about).copied().collect();
        self.relate(register, other, Relation::NOT_APART);
        for fact in facts {
            let [a, b] = [fact.a, fact.b].map(|it| if it == other { register } else { it });
            if a != b {
                self.add(Fact { a, b, ..fact });
            }
        }
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
