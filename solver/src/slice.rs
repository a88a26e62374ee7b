//! Taking a query apart: assertions without a common variable are decided
//! apart from each other.

use nanoscope_term::{Term, Terms};
use std::collections::BTreeMap;

/// The assertions in independent groups, each in the order given, the groups
/// in the order of their first assertions. Those without variables are a group.
pub fn slices(terms: &Terms, assertions: &[Term]) -> Vec<Vec<Term>> {
    // Union-find over terms: everything below an assertion that holds a
    // variable is tied to the assertion.
    let below = terms.below(assertions);
    let mut parent: Vec<u32> = (0..terms.len() as u32).collect();
    let mut open = vec![false; terms.len()];
    for term in &below {
        open[term.index()] = terms.as_variable(*term).is_some()
            || terms.args(*term).iter().any(|arg| open[arg.index()]);
        for arg in terms.args(*term) {
            if open[arg.index()] {
                let (a, b) = (root(&mut parent, arg.index()), root(&mut parent, term.index()));
                parent[a] = b as u32;
            }
        }
    }
    let mut groups: Vec<Vec<Term>> = Vec::new();
    let mut places: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    for assertion in assertions {
        let index = assertion.index();
        let group = open[index].then(|| root(&mut parent, index));
        let place = *places.entry(group).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(*assertion);
    }
    groups
}

fn root(parent: &mut [u32], mut index: usize) -> usize {
    while parent[index] as usize != index {
        parent[index] = parent[parent[index] as usize];
        index = parent[index] as usize;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use nanoscope_ieee::Operation;
    use nanoscope_term::Sort;

    #[test]
    fn only_common_variables_tie() {
        let mut terms = Terms::new();
        let [a, b, c, d] = ["a", "b", "c", "d"]
            .map(|name| terms.variable(name, Sort::Float(nanoscope_ieee::Format::BINARY32)));
        let one = terms.f32(1.0);
        let first = terms.fp(Operation::Less, &[a, one]);
        let second = terms.fp(Operation::Less, &[b, c]);
        let third = terms.fp(Operation::Less, &[c, one]);
        let fourth = terms.fp(Operation::Less, &[d, a]);
        let parts = slices(&terms, &[first, second, third, fourth]);
        assert_eq!(parts, [vec![first, fourth], vec![second, third]]);
    }
}
