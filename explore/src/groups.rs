//! Groups of conditions of a path that hang together by common variables.
//!
//! A question is asked together with the conditions of its group alone. Terms are put into groups
//! as conditions come up, each once on a path: a term that is in a group is not looked below
//! again. Groups that a condition connects are one group from then on (union-find).

use crate::persistent::{List, Table};
use nanoscope_term::{Op, Term, Terms, VariableId};
use std::collections::{BTreeSet, HashSet};

/// The groups of a path. Copies are cheap.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The group that a term was put into.
    of: Table<u32>,
    /// The group that a group has become part of.
    part_of: Table<u32>,
    /// How many terms each has: the larger one takes the smaller in, so that the way to it is short.
    sizes: Table<u32>,
    /// How many were made.
    made: u32,
    /// The variables that are in some group.
    variables: List<VariableId>,
}

/// What a term hangs together with.
pub struct Reached {
    groups: BTreeSet<u32>,
    /// The variables below it, and all that hang together with them.
    pub variables: BTreeSet<VariableId>,
}

impl Groups {
    /// Puts a condition into its group.
    pub fn add(&mut self, terms: &Terms, condition: Term) {
        let (groups, ungrouped) = self.below(terms, condition);
        let size = |group: &u32| self.sizes.get(*group as usize).copied().unwrap_or(0);
        let whole = groups.iter().map(size).sum::<u32>() + ungrouped.len() as u32;
        let group = groups.iter().copied().max_by_key(size).unwrap_or(self.made);
        self.made += u32::from(groups.is_empty());
        self.sizes.insert(group as usize, whole);
        for other in groups.into_iter().filter(|other| *other != group) {
            self.part_of.insert(other as usize, group);
        }
        for term in ungrouped {
            self.of.insert(term.index(), group);
            if let Some(variable) = terms.as_variable(term) {
                self.variables.push(variable);
            }
        }
    }

    /// What a term hangs together with on the path.
    pub fn reached(&self, terms: &Terms, term: Term) -> Reached {
        let (groups, ungrouped) = self.below(terms, term);
        let own = ungrouped.into_iter().filter_map(|term| terms.as_variable(term));
        let mut variables: BTreeSet<VariableId> = own.collect();
        let is_reached = |variable: &VariableId| {
            self.group(terms.variable_term(*variable)).is_some_and(|group| groups.contains(&group))
        };
        variables.extend(self.variables.iter().copied().filter(is_reached));
        Reached { groups, variables }
    }

    /// Whether a condition of the path is in one of the groups.
    pub fn is_in(&self, condition: Term, reached: &Reached) -> bool {
        self.group(condition).is_some_and(|group| reached.groups.contains(&group))
    }

    /// The groups below a term, and the terms on the way there that are in none. Constants
    /// connect nothing.
    fn below(&self, terms: &Terms, term: Term) -> (BTreeSet<u32>, Vec<Term>) {
        let mut groups = BTreeSet::new();
        let mut ungrouped = Vec::new();
        let mut seen = HashSet::new();
        let mut todo = vec![term];
        while let Some(term) = todo.pop() {
            if matches!(terms.op(term), Op::Value(_)) {
                continue;
            }
            match self.group(term) {
                Some(group) => drop(groups.insert(group)),
                None if seen.insert(term) => {
                    ungrouped.push(term);
                    todo.extend(terms.args(term));
                }
                None => {}
            }
        }
        (groups, ungrouped)
    }

    /// The group that a term is in.
    fn group(&self, term: Term) -> Option<u32> {
        let mut group = *self.of.get(term.index())?;
        while let Some(whole) = self.part_of.get(group as usize) {
            group = *whole;
        }
        Some(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nanoscope_term::{BitsOp, Sort};

    /// Against common variables, collected again and again until nothing is added.
    fn related(terms: &Terms, conditions: &[Term], condition: Term) -> BTreeSet<Term> {
        let mut variables: BTreeSet<VariableId> =
            terms.variables_below(&[condition]).into_iter().collect();
        loop {
            let joins = |other: &&Term| {
                terms.variables_below(&[**other]).iter().any(|own| variables.contains(own))
            };
            let found: BTreeSet<Term> = conditions.iter().filter(joins).copied().collect();
            let roots: Vec<Term> = found.iter().copied().collect();
            let before = variables.len();
            variables.extend(terms.variables_below(&roots));
            if variables.len() == before {
                return found;
            }
        }
    }

    #[test]
    fn groups_are_connected_components() {
        let mut terms = Terms::new();
        let mut random = 7u64;
        let mut draw = move |most: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as usize % most
        };
        for round in 0..30 {
            let mut pool: Vec<Term> = (0..12)
                .map(|number| terms.variable(&format!("v{round}#{number}"), Sort::Bits(8)))
                .collect();
            let (mut groups, mut conditions) = (Groups::default(), Vec::new());
            for step in 0..14 {
                let (a, b) = (pool[draw(pool.len())], pool[draw(pool.len())]);
                let constant = terms.bits(8, draw(3) as u128);
                let b = if draw(3) == 0 { constant } else { b };
                if draw(2) == 0 {
                    pool.push(terms.bits_op(BitsOp::Add, &[a, b]));
                    continue;
                }
                let condition = terms.bits_op(BitsOp::Ult, &[a, b]);
                if terms.value(condition).is_some() {
                    continue;
                }
                let reached = groups.reached(&terms, condition);
                let ours: BTreeSet<Term> =
                    conditions.iter().copied().filter(|c| groups.is_in(*c, &reached)).collect();
                let expected = related(&terms, &conditions, condition);
                assert_eq!(ours, expected, "round {round}, step {step}");
                let mut all: Vec<Term> = expected.into_iter().collect();
                all.push(condition);
                let variables: BTreeSet<VariableId> =
                    terms.variables_below(&all).into_iter().collect();
                assert!(variables.is_subset(&reached.variables), "round {round}, step {step}");
                groups.add(&terms, condition);
                conditions.push(condition);
            }
        }
    }
}
