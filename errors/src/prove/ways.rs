//! The ways through a computation, by the comparisons that part them.
//!
//! The ways are the leaves of a tree of decisions. On a box of inputs, those that are possible are found
//! by a walk that leaves out whole branches of it; and so are the pairs of a way that the floats take
//! and one that the reals take: where a comparison of numbers without error parts two ways, both
//! computations take the same side. A loop of a thousand possible lengths has a thousand ways, and a
//! million pairs that nobody should look at.

use crate::graph::{Comparison, Piece};

/// What is known of ways on a box.
pub trait Here {
    /// Whether a comparison can hold in one of the computations.
    fn may_hold(&self, comparison: &Comparison) -> bool;
    /// Whether it is one of numbers without error.
    fn is_exact(&self, comparison: &Comparison) -> bool;
    /// The conditions of a way.
    fn conditions(&self, way: usize) -> &[Comparison];
}

/// Some of the ways.
pub enum Ways {
    /// No decision is common to them: the first of their conditions that are not decided yet.
    Loose { ways: Vec<usize>, from: usize },
    /// All of them have this condition.
    Under(Comparison, Box<Ways>),
    /// A comparison parts them.
    Parted { by: Comparison, yes: Box<Ways>, no: Box<Ways> },
}

/// Pairs of ways that are compared condition by condition, at most.
const COMPARED: usize = 1_024;

impl Ways {
    /// All ways.
    pub fn of(pieces: &[Piece]) -> Ways {
        Ways::from(pieces, (0..pieces.len()).collect(), 0)
    }

    fn from(pieces: &[Piece], ways: Vec<usize>, from: usize) -> Ways {
        let at = |way: usize| pieces[way].conditions.get(from);
        let first = ways.first().and_then(|&way| at(way));
        let (Some(&by), true) = (first, ways.len() > 1) else { return Ways::Loose { ways, from } };
        let opposite = by.negated();
        if ways.iter().any(|&way| at(way).is_none_or(|one| *one != by && *one != opposite)) {
            return Ways::Loose { ways, from };
        }
        let (yes, no): (Vec<usize>, Vec<usize>) =
            ways.into_iter().partition(|&way| at(way) == Some(&by));
        let inner = |ways| Box::new(Ways::from(pieces, ways, from + 1));
        match no.is_empty() {
            true => Ways::Under(by, inner(yes)),
            false => Ways::Parted { by, yes: inner(yes), no: inner(no) },
        }
    }

    /// The ways that are possible on a box; the pairs of one that floats may take and one that reals
    /// may take at the same point are added to `pairs`.
    pub fn possible(&self, here: &impl Here, pairs: &mut Vec<(usize, usize)>) -> Vec<usize> {
        match self {
            Ways::Loose { ways, from } => {
                let conditions = |way: usize| here.conditions(way).iter().skip(*from);
                let mut possible = ways.clone();
                possible.retain(|&way| conditions(way).all(|known| here.may_hold(known)));
                pair(here, &possible, &possible, pairs);
                possible
            }
            Ways::Under(known, ways) if here.may_hold(known) => ways.possible(here, pairs),
            Ways::Under(..) => Vec::new(),
            Ways::Parted { by, yes, no } => {
                let mut side = |by: &Comparison, ways: &Ways| match here.may_hold(by) {
                    true => ways.possible(here, pairs),
                    false => Vec::new(),
                };
                let (mut yes, no) = (side(by, yes), side(&by.negated(), no));
                if !here.is_exact(by) {
                    pair(here, &yes, &no, pairs);
                    pair(here, &no, &yes, pairs);
                }
                yes.extend(no);
                yes
            }
        }
    }
}

/// Adds the pairs of some ways with others that no comparison of numbers without error parts.
fn pair(here: &impl Here, taken: &[usize], real: &[usize], pairs: &mut Vec<(usize, usize)>) {
    let many = taken.len() * real.len() > COMPARED;
    for &taken in taken {
        for &real in real {
            let parted = |known: &Comparison| {
                here.conditions(real).contains(&known.negated()) && here.is_exact(known)
            };
            if taken == real || many || !here.conditions(taken).iter().any(parted) {
                pairs.push((taken, real));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Here, Ways};
    use crate::graph::{Comparison, NodeId, Piece, Relation};

    /// Of comparisons `2k < 2k + 1`, some cannot hold, some have errors.
    struct Fake {
        pieces: Vec<Piece>,
        impossible: Vec<Comparison>,
        inexact: Vec<u32>,
    }

    impl Here for Fake {
        fn may_hold(&self, comparison: &Comparison) -> bool {
            !self.impossible.contains(comparison)
        }
        fn is_exact(&self, comparison: &Comparison) -> bool {
            let index = comparison.left.index().min(comparison.right.index());
            !self.inexact.contains(&(index as u32 / 2))
        }
        fn conditions(&self, way: usize) -> &[Comparison] {
            &self.pieces[way].conditions
        }
    }

    fn question(k: u32) -> Comparison {
        let (left, right) = (NodeId::new(2 * k), NodeId::new(2 * k + 1));
        Comparison { left, relation: Relation::Less, right }
    }

    /// Every way and every pair, one by one.
    fn check(fake: &Fake) {
        let mut pairs = Vec::new();
        let mut possible = Ways::of(&fake.pieces).possible(fake, &mut pairs);
        possible.sort_unstable();
        pairs.sort_unstable();
        let holds = |way: &usize| fake.conditions(*way).iter().all(|known| fake.may_hold(known));
        let expected: Vec<usize> = (0..fake.pieces.len()).filter(holds).collect();
        let parted = |a: usize, b: usize| {
            let conditions = fake.conditions(a).iter();
            conditions
                .clone()
                .any(|known| fake.conditions(b).contains(&known.negated()) && fake.is_exact(known))
        };
        let mut all = Vec::new();
        for &a in &expected {
            all.extend(expected.iter().filter(|&&b| !parted(a, b)).map(|&b| (a, b)));
        }
        assert_eq!((possible, pairs), (expected, all));
    }

    fn piece(conditions: &[(u32, bool)]) -> Piece {
        let known = conditions.iter().map(
            |&(k, holds)| {
                if holds { question(k) } else { question(k).negated() }
            },
        );
        Piece::new(known.collect(), Vec::new())
    }

    #[test]
    fn pairs_are_those_that_nothing_parts() {
        let tree = [
            piece(&[(0, true), (1, true)]),
            piece(&[(0, true), (1, false), (2, true)]),
            piece(&[(0, true), (1, false), (2, false)]),
            piece(&[(0, false), (1, true)]),
            piece(&[(0, false), (1, false)]),
        ];
        let list = [piece(&[(0, true)]), piece(&[(1, true), (2, false)]), piece(&[(0, false)])];
        for pieces in [tree.as_slice(), list.as_slice(), &tree[..1]] {
            for inexact in 0u32..8 {
                for impossible in 0..7 {
                    let asked = question(impossible / 2);
                    let one = if impossible % 2 == 0 { asked } else { asked.negated() };
                    check(&Fake {
                        pieces: pieces.to_vec(),
                        impossible: if impossible == 6 { Vec::new() } else { vec![one] },
                        inexact: (0..3).filter(|k| inexact >> k & 1 == 1).collect(),
                    });
                }
            }
        }
    }
}
