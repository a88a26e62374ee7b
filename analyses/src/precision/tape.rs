//! The tape of a run: what each operation rounded off, and how strongly its result depends on
//! its operands. Read backwards, it tells which operations the error of a result came from.

use crate::shadow::At;
use std::collections::BTreeMap;

/// An operation of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Which.
    pub at: At,
    /// What it rounded off: the exact result for its operands minus the computed one.
    pub local: f64,
    /// The entries of its operands (0 for none) and the derivatives by them.
    pub from: [(u32, f64); 3],
}

/// Operations in the order in which they ran.
#[derive(Clone, Debug, Default)]
pub(super) struct Tape(Vec<Entry>);

/// What an operation of the source contributed to the error of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Contribution {
    /// What it rounded off itself, in magnitude.
    pub injected: f64,
    /// By how much that grew on the way to the result.
    pub amplification: f64,
    /// What arrived, in magnitude: the two multiplied, added up over all executions.
    pub arrived: f64,
}

impl Tape {
    /// Adds an entry; its number.
    pub fn push(&mut self, entry: Entry) -> u32 {
        self.0.push(entry);
        self.0.len() as u32
    }

    /// How much each operation contributed to the error of a value. Executions of the same
    /// operation are added up.
    pub fn contributions(&self, node: u32) -> BTreeMap<At, Contribution> {
        let mut adjoint = vec![0.0; self.0.len() + 1];
        if let Some(place) = adjoint.get_mut(node as usize) {
            *place = 1.0;
        }
        let mut found: BTreeMap<At, Contribution> = BTreeMap::new();
        for (place, entry) in self.0.iter().enumerate().rev() {
            let weight: f64 = adjoint[place + 1];
            if weight == 0.0 || weight.is_nan() {
                continue;
            }
            for (from, slope) in entry.from {
                if from != 0 && slope.is_finite() {
                    adjoint[from as usize] += weight * slope;
                }
            }
            let arrived = (weight * entry.local).abs();
            if arrived > 0.0 {
                let contribution = found.entry(entry.at).or_default();
                contribution.injected += entry.local.abs();
                contribution.arrived += arrived;
                contribution.amplification = contribution.amplification.max(weight.abs());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{At, Entry, Tape};

    #[test]
    fn errors_are_weighed_by_what_becomes_of_them() {
        let at = |index| At { index, ..At::default() };
        let mut tape = Tape::default();
        let entry = |index, local, from| Entry { at: at(index), local, from };
        let none = (0, 0.0);
        let first = tape.push(entry(0, 1e-3, [none; 3]));
        let second = tape.push(entry(1, 1e-3, [none; 3]));
        let product = tape.push(entry(2, 1e-6, [(first, 5.0), (second, 0.1), none]));
        let found = tape.contributions(product);
        assert_eq!(found[&at(0)].arrived, 5e-3);
        assert_eq!(found[&at(1)].arrived, 1e-4);
        assert_eq!((found[&at(2)].arrived, found[&at(2)].amplification), (1e-6, 1.0));
        assert_eq!(tape.contributions(second).len(), 1);
    }
}
