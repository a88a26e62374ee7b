//! The domain of order: relations between two registers that comparisons have shown.

use crate::arithmetic::Order;
use crate::policy::MOST_ORDER_RELATIONS;
use crate::relation::Relation;
use nanoscope_program::ir::{Edge, Operand, Register};

/// Relations between registers.
#[derive(Clone, Debug, Default)]
pub struct OrderRelations(Vec<(Register, Register, Relation)>);

impl OrderRelations {
    /// Adds a relation.
    pub fn relate(&mut self, a: Register, b: Register, relation: Relation) {
        for known in &mut self.0 {
            if known.0 == a && known.1 == b {
                known.2 = known.2.meet(relation);
                return;
            }
        }
        if self.0.len() < MOST_ORDER_RELATIONS {
            self.0.push((a, b, relation));
        }
    }

    /// The order of two operands.
    pub fn of(&self, a: Operand, b: Operand) -> Order {
        let (Operand::Register(x), Operand::Register(y)) = (a, b) else { return Order::default() };
        if x == y {
            return Order { same: true, ..Order::default() };
        }
        let mut order = Order::default();
        for (left, right, relation) in &self.0 {
            let known = if (*left, *right) == (x, y) {
                relation.order()
            } else if (*left, *right) == (y, x) {
                relation.swapped().order()
            } else {
                continue;
            };
            order.not_less |= known.not_less;
            order.not_greater |= known.not_greater;
            order.differ |= known.differ;
        }
        order
    }

    /// Forgets a register that is assigned anew.
    pub fn forget(&mut self, register: Register) {
        if !self.0.is_empty() {
            self.0.retain(|(a, b, _)| *a != register && *b != register);
        }
    }

    /// The relations at the end of an edge. A register that moves takes its relations along.
    pub fn along(&self, edge: &Edge, is_live: impl Fn(&Register) -> bool) -> OrderRelations {
        let mut carried = Vec::new();
        for (a, b, relation) in &self.0 {
            let name = |register: &Register| {
                let onto =
                    edge.moves.iter().find(|(_, from)| *from == Operand::Register(*register));
                onto.map(|(to, _)| *to)
            };
            let kept = |register: &Register| !edge.moves.iter().any(|(to, _)| to == register);
            let a_names = [kept(a).then_some(*a), name(a)];
            let b_names = [kept(b).then_some(*b), name(b)];
            for a in a_names.into_iter().flatten() {
                for b in b_names.into_iter().flatten() {
                    carried.push((a, b, *relation));
                }
            }
        }
        carried.retain(|(a, b, _)| a != b && is_live(a) && is_live(b));
        carried.truncate(MOST_ORDER_RELATIONS);
        OrderRelations(carried)
    }

    /// The relations that hold in either.
    pub fn join(&self, other: &OrderRelations) -> OrderRelations {
        let mut joined = Vec::new();
        for (a, b, relation) in &self.0 {
            if let Some((_, _, theirs)) = other.0.iter().find(|f| f.0 == *a && f.1 == *b) {
                joined.push((*a, *b, relation.join(*theirs)));
            }
        }
        OrderRelations(joined)
    }

    /// Whether all of these hold wherever the others do.
    pub fn includes(&self, other: &OrderRelations) -> bool {
        self.0.iter().all(|(a, b, relation)| {
            let theirs = other.0.iter().find(|fact| fact.0 == *a && fact.1 == *b);
            theirs.is_some_and(|(_, _, theirs)| relation.join(*theirs) == *relation)
        })
    }
}
