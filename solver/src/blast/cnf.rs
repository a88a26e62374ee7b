//! From gates to clauses (Tseitin), on demand and incrementally.
//!
//! Only what a root depends on is written, each gate once. Exclusive
//! disjunctions, choices and majorities (carries) are recognised in the graph
//! and written as such; conjunctions and exclusive disjunctions that nobody
//! else refers to are merged into the gate they feed. Variables follow the
//! order of the nodes: what is close in the circuit is close in number.

use super::Reason;
use super::aig::{Aig, Lit};
use super::sat::{Sat, reason_of};
use nanoscope_budget::Budget;

/// How clauses are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writing {
    /// Only the directions that a gate's polarity asks for (Plaisted and
    /// Greenbaum), not both.
    pub by_polarity: bool,
    /// An exclusive disjunction of three as one gate.
    pub merge_xor: bool,
    /// Implied clauses of choices that let more be propagated.
    pub redundant: bool,
}

impl Default for Writing {
    fn default() -> Writing {
        Writing { by_polarity: false, merge_xor: false, redundant: true }
    }
}

/// Directions of a definition: from the gate to its fan-ins, and back.
type Directions = u8;
const FORTH: Directions = 1;
const BACK: Directions = 2;
const BOTH: Directions = 3;

fn flipped(directions: Directions) -> Directions {
    (directions & 1) << 1 | directions >> 1
}

/// The directions an edge asks of its node.
fn along(lit: Lit, directions: Directions) -> Directions {
    if lit.negated() { flipped(directions) } else { directions }
}

/// What a node is to be written as.
enum Gate {
    Input,
    /// The conjunction of all.
    And(Vec<Lit>),
    Xor([Lit; 2]),
    Xor3([Lit; 3]),
    Mux([Lit; 3]),
    /// The negation of at least two of three.
    NoMajority([Lit; 3]),
}

/// Clauses between two looks at the budget.
const GATES_PER_LOOK: usize = 1 << 10;

/// Which nodes have variables and clauses already.
#[derive(Default)]
pub struct Cnf {
    writing: Writing,
    /// The variable of a node, zero if it has none.
    variables: Vec<i32>,
    written: Vec<Directions>,
    /// How many gates refer to a node, up to two.
    references: Vec<u8>,
    counted: Vec<bool>,
}

impl Cnf {
    /// Nothing written yet.
    pub fn new(writing: Writing) -> Cnf {
        Cnf { writing, ..Cnf::default() }
    }

    /// The literal that stands for an edge, in both directions.
    pub fn literal(
        &mut self,
        aig: &Aig,
        sat: &mut Sat,
        lit: Lit,
        budget: &Budget,
    ) -> Result<i32, Reason> {
        self.write(aig, sat, &[(lit, BOTH)], budget)?;
        Ok(self.variable_of(lit))
    }

    /// The literal that stands for an edge which is asserted or assumed only.
    pub fn assumable(
        &mut self,
        aig: &Aig,
        sat: &mut Sat,
        lit: Lit,
        budget: &Budget,
    ) -> Result<i32, Reason> {
        let directions = if self.writing.by_polarity { FORTH } else { BOTH };
        self.write(aig, sat, &[(lit, directions)], budget)?;
        Ok(self.variable_of(lit))
    }

    /// The literal of an edge already written, if it is.
    pub fn existing(&self, lit: Lit) -> Option<i32> {
        match self.variables.get(lit.node()) {
            None | Some(0) => None,
            Some(_) => Some(self.variable_of(lit)),
        }
    }

    /// The nodes that have variables, and these.
    pub fn variables(&self) -> impl Iterator<Item = (usize, i32)> + '_ {
        let all = self.variables.iter().copied().enumerate();
        all.filter(|&(_, variable)| variable != 0)
    }

    /// Asserts an edge, always or only while the literal `when` holds.
    pub fn assert(
        &mut self,
        aig: &Aig,
        sat: &mut Sat,
        lit: Lit,
        when: Option<i32>,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        let mut conjuncts = vec![lit];
        while let Some(conjunct) = conjuncts.pop() {
            match plain_and(aig, conjunct.node()) {
                Some(pair) if !conjunct.negated() => conjuncts.extend(pair),
                Some(pair) => clauses.push(pair.iter().map(|&lit| !lit).collect()),
                None => clauses.push(vec![conjunct]),
            }
        }
        for clause in &mut clauses {
            self.widen(aig, clause);
            if clause.contains(&Lit::TRUE) {
                continue;
            }
            clause.retain(|&lit| lit != Lit::FALSE);
            let directions = if self.writing.by_polarity { FORTH } else { BOTH };
            let roots: Vec<_> = clause.iter().map(|&lit| (lit, directions)).collect();
            self.write(aig, sat, &roots, budget)?;
            let mut literals: Vec<i32> = clause.iter().map(|&lit| self.variable_of(lit)).collect();
            literals.extend(when.map(|when| -when));
            sat.clause(&literals);
        }
        Ok(())
    }

    /// Opens the disjunctions within an asserted one that stand for nothing
    /// else.
    fn widen(&mut self, aig: &Aig, clause: &mut Vec<Lit>) {
        let mut done = Vec::new();
        while let Some(lit) = clause.pop() {
            let fresh = self.variables.get(lit.node()).is_none_or(|&variable| variable == 0);
            match plain_and(aig, lit.node()) {
                Some(pair) if lit.negated() && fresh && done.len() + clause.len() < 16 => {
                    clause.extend(pair.iter().map(|&lit| !lit));
                }
                _ => done.push(lit),
            }
        }
        done.sort_unstable();
        done.dedup();
        *clause = done;
    }

    fn variable_of(&self, lit: Lit) -> i32 {
        let variable = self.variables[lit.node()];
        if lit.negated() { -variable } else { variable }
    }

    fn write(
        &mut self,
        aig: &Aig,
        sat: &mut Sat,
        roots: &[(Lit, Directions)],
        budget: &Budget,
    ) -> Result<(), Reason> {
        self.variables.resize(aig.nodes(), 0);
        self.written.resize(aig.nodes(), 0);
        self.references.resize(aig.nodes(), 0);
        self.counted.resize(aig.nodes(), false);
        for (root, _) in roots {
            self.count(aig, root.node(), budget)?;
        }
        let mut fresh = self.collect(aig, roots, budget)?;
        fresh.sort_by_key(|(node, ..)| *node);
        for (node, ..) in &fresh {
            if self.variables[*node] == 0 {
                self.variables[*node] = sat.variable();
            }
        }
        for (done, (node, directions, gate)) in fresh.iter().enumerate() {
            if done.is_multiple_of(GATES_PER_LOOK) && budget.exhausted() {
                // What is below a written gate is written: ascending order.
                for (node, directions, _) in &fresh[done..] {
                    self.written[*node] &= !directions;
                }
                return Err(reason_of(budget));
            }
            self.define(sat, *node, *directions, gate);
        }
        Ok(())
    }

    /// The gates to be written for these roots, and in which directions.
    fn collect(
        &mut self,
        aig: &Aig,
        roots: &[(Lit, Directions)],
        budget: &Budget,
    ) -> Result<Vec<(usize, Directions, Gate)>, Reason> {
        let mut fresh: Vec<(usize, Directions, Gate)> = Vec::new();
        let mut pending: Vec<(usize, Directions)> =
            roots.iter().map(|&(lit, directions)| (lit.node(), along(lit, directions))).collect();
        while let Some((node, directions)) = pending.pop() {
            let directions = if self.writing.by_polarity { directions } else { BOTH };
            let new = directions & !self.written[node];
            if new == 0 {
                continue;
            }
            if fresh.len().is_multiple_of(GATES_PER_LOOK) && budget.exhausted() {
                for (node, directions, _) in &fresh {
                    self.written[*node] &= !directions;
                }
                return Err(reason_of(budget));
            }
            self.written[node] |= new;
            let gate = self.shape(aig, node);
            let mut need =
                |lit: Lit, directions| pending.push((lit.node(), along(lit, directions)));
            match &gate {
                Gate::Input => {}
                Gate::And(leaves) => leaves.iter().for_each(|&leaf| need(leaf, new)),
                Gate::Xor(pair) => pair.iter().for_each(|&lit| need(lit, BOTH)),
                Gate::Xor3(triple) => triple.iter().for_each(|&lit| need(lit, BOTH)),
                Gate::Mux([condition, then, otherwise]) => {
                    need(*condition, BOTH);
                    need(*then, new);
                    need(*otherwise, new);
                }
                Gate::NoMajority(triple) => triple.iter().for_each(|&lit| need(!lit, new)),
            }
            fresh.push((node, new, gate));
        }
        Ok(fresh)
    }

    /// Counts who refers to whom below a node, before anything is merged.
    fn count(&mut self, aig: &Aig, root: usize, budget: &Budget) -> Result<(), Reason> {
        let mut pending = vec![root];
        let mut fresh = Vec::new();
        while let Some(node) = pending.pop() {
            if std::mem::replace(&mut self.counted[node], true) {
                continue;
            }
            fresh.push(node);
            if fresh.len().is_multiple_of(GATES_PER_LOOK) && budget.exhausted() {
                // Counted again later: too high a count only merges less.
                fresh.iter().for_each(|&node| self.counted[node] = false);
                return Err(reason_of(budget));
            }
            let children: &[Lit] = match &classify(aig, node) {
                Gate::Input => &[],
                Gate::And(leaves) => &leaves.clone(),
                Gate::Xor(pair) => &pair.clone(),
                Gate::Xor3(triple) | Gate::Mux(triple) | Gate::NoMajority(triple) => {
                    &triple.clone()
                }
            };
            for child in children {
                let references = &mut self.references[child.node()];
                *references = references.saturating_add(1).min(2);
                pending.push(child.node());
            }
        }
        Ok(())
    }

    /// Whether a node may be merged into the one gate that refers to it.
    fn mergeable(&self, node: usize) -> bool {
        self.references[node] == 1 && self.variables[node] == 0
    }

    /// What a node is written as, with what can be merged into it.
    fn shape(&self, aig: &Aig, node: usize) -> Gate {
        match classify(aig, node) {
            Gate::And(mut open) => {
                let mut leaves = Vec::new();
                while let Some(lit) = open.pop() {
                    let inner = if !lit.negated() && self.mergeable(lit.node()) {
                        plain_and(aig, lit.node())
                    } else {
                        None
                    };
                    match inner {
                        Some(pair) => open.extend(pair),
                        None => leaves.push(lit),
                    }
                }
                leaves.sort_unstable();
                leaves.dedup();
                Gate::And(leaves)
            }
            Gate::Xor([a, b]) if self.writing.merge_xor => {
                for (inner, other) in [(a, b), (b, a)] {
                    if !self.mergeable(inner.node()) {
                        continue;
                    }
                    if let Gate::Xor([p, q]) = classify(aig, inner.node()) {
                        return Gate::Xor3([p.xor_sign(inner.negated()), q, other]);
                    }
                }
                Gate::Xor([a, b])
            }
            gate => gate,
        }
    }

    fn define(&self, sat: &mut Sat, node: usize, directions: Directions, gate: &Gate) {
        let n = self.variables[node];
        let of = |lit: &Lit| self.variable_of(*lit);
        let (forth, back) = (directions & FORTH != 0, directions & BACK != 0);
        match gate {
            Gate::Input if node == 0 => sat.clause(&[-n]),
            Gate::Input => {}
            Gate::And(leaves) => {
                if forth {
                    for leaf in leaves {
                        sat.clause(&[-n, of(leaf)]);
                    }
                }
                if back {
                    let mut clause: Vec<i32> = leaves.iter().map(|leaf| -of(leaf)).collect();
                    clause.push(n);
                    sat.clause(&clause);
                }
            }
            Gate::Xor([a, b]) => {
                let (a, b) = (of(a), of(b));
                if forth {
                    sat.clause(&[-n, a, b]);
                    sat.clause(&[-n, -a, -b]);
                }
                if back {
                    sat.clause(&[n, -a, b]);
                    sat.clause(&[n, a, -b]);
                }
            }
            Gate::Xor3([a, b, c]) => {
                let (a, b, c) = (of(a), of(b), of(c));
                if forth {
                    sat.clause(&[-n, a, b, c]);
                    sat.clause(&[-n, a, -b, -c]);
                    sat.clause(&[-n, -a, b, -c]);
                    sat.clause(&[-n, -a, -b, c]);
                }
                if back {
                    sat.clause(&[n, -a, b, c]);
                    sat.clause(&[n, a, -b, c]);
                    sat.clause(&[n, a, b, -c]);
                    sat.clause(&[n, -a, -b, -c]);
                }
            }
            Gate::Mux([condition, then, otherwise]) => {
                let (c, t, e) = (of(condition), of(then), of(otherwise));
                if forth {
                    sat.clause(&[-n, -c, t]);
                    sat.clause(&[-n, c, e]);
                    if self.writing.redundant {
                        sat.clause(&[-n, t, e]);
                    }
                }
                if back {
                    sat.clause(&[n, -c, -t]);
                    sat.clause(&[n, c, -e]);
                    if self.writing.redundant {
                        sat.clause(&[n, -t, -e]);
                    }
                }
            }
            Gate::NoMajority([a, b, c]) => {
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    let (x, y) = (of(x), of(y));
                    if forth {
                        sat.clause(&[-n, -x, -y]);
                    }
                    if back {
                        sat.clause(&[n, x, y]);
                    }
                }
            }
        }
    }
}

/// What a node is, before anything is merged.
fn classify(aig: &Aig, node: usize) -> Gate {
    let Some([a, b]) = aig.gate(node) else { return Gate::Input };
    if !a.negated() || !b.negated() {
        return Gate::And(vec![a, b]);
    }
    if let Some(triple) = aig.as_no_majority(node) {
        Gate::NoMajority(triple)
    } else if let Some(pair) = aig.as_xor(node) {
        Gate::Xor(pair)
    } else if let Some(triple) = aig.as_mux(node) {
        Gate::Mux(triple)
    } else {
        Gate::And(vec![a, b])
    }
}

/// The fan-ins of a node that is a conjunction and nothing better.
fn plain_and(aig: &Aig, node: usize) -> Option<[Lit; 2]> {
    match classify(aig, node) {
        Gate::And(pair) => Some([pair[0], pair[1]]),
        Gate::Input | Gate::Xor(_) | Gate::Xor3(_) | Gate::Mux(_) | Gate::NoMajority(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sat::Answer;
    use super::*;

    /// Random circuits over a few inputs, in all ways of writing: satisfiable
    /// exactly when simulation finds a pattern, under assumptions too.
    #[test]
    fn clauses_mean_the_circuit() {
        let patterns = [0xaaaa_aaaa, 0xcccc_cccc, 0xf0f0_f0f0, 0xff00_ff00, 0xffff_0000u64];
        for choice in 0..8 {
            let writing = Writing {
                by_polarity: choice & 1 != 0,
                merge_xor: choice & 2 != 0,
                redundant: choice & 4 != 0,
            };
            let mut state = 7u64 + choice;
            let mut pick = move |bound: usize| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) as usize % bound
            };
            let mut aig = Aig::new();
            let mut pool = aig.inputs(5);
            for _ in 0..200 {
                let (i, j, k) = (pick(pool.len()), pick(pool.len()), pick(pool.len()));
                let (a, b, c) = (pool[i], pool[j], !pool[k]);
                pool.push(match pick(5) {
                    0 | 1 => aig.and(a, !b),
                    2 => aig.xor(a, b),
                    3 => aig.mux(a, b, c),
                    _ => aig.majority(a, b, c),
                });
            }
            let (mut sat, mut cnf) = (Sat::new(), Cnf::new(writing));
            let simulation = aig.simulate(&patterns);
            let budget = Budget::unlimited();
            for round in 0..60 {
                let (a, b) = (pool[pick(pool.len())], !pool[pick(pool.len())]);
                let both = aig.and(a, b);
                let want = simulation.of(a) & simulation.of(b) & 0xffff_ffff != 0;
                let answer = if round % 2 == 0 {
                    let assumptions = [a, b]
                        .map(|lit| cnf.assumable(&aig, &mut sat, lit, &budget).expect("no limit"));
                    sat.solve(&assumptions, &budget, None)
                } else {
                    let when = sat.variable();
                    cnf.assert(&aig, &mut sat, both, Some(when), &budget).expect("no limit");
                    sat.solve(&[when], &budget, None)
                };
                let expected = if want { Answer::Sat(()) } else { Answer::Unsat };
                assert_eq!(answer, expected, "{writing:?}");
            }
        }
    }
}
