//! Proofs of refutations: what the SAT solver derived from what, in LRAT
//! (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, 2017), over the
//! clauses it was given, in DIMACS. Any LRAT checker takes the two.

use cadical_sys::ProofTracer;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A derivation.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    formula: Vec<Vec<i32>>,
    steps: Vec<Step>,
    /// The SAT solver's numbers of clauses; it mixes given and derived ones.
    numbers: BTreeMap<i64, Origin>,
}

#[derive(Clone, Copy, Debug)]
enum Origin {
    Given(usize),
    Derived(usize),
}

#[derive(Clone, Debug)]
struct Step {
    clause: Vec<i32>,
    antecedents: Vec<i64>,
}

impl Proof {
    /// The clauses given, in order.
    pub fn formula(&self) -> &[Vec<i32>] {
        &self.formula
    }

    /// The number of derived clauses.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Writes the clauses given, in DIMACS.
    pub fn write_dimacs(&self, out: &mut impl Write) -> io::Result<()> {
        let literals = self.formula.iter().flatten();
        let variables = literals.map(|literal| literal.unsigned_abs()).max().unwrap_or(0);
        writeln!(out, "p cnf {variables} {}", self.formula.len())?;
        for clause in &self.formula {
            for literal in clause {
                write!(out, "{literal} ")?;
            }
            writeln!(out, "0")?;
        }
        Ok(())
    }

    /// Writes the derivation, in LRAT. Nothing is deleted in it.
    pub fn write_lrat(&self, out: &mut impl Write) -> io::Result<()> {
        let given = self.formula.len();
        for (index, step) in self.steps.iter().enumerate() {
            write!(out, "{} ", given + 1 + index)?;
            for literal in &step.clause {
                write!(out, "{literal} ")?;
            }
            write!(out, "0 ")?;
            for antecedent in &step.antecedents {
                let number = match self.numbers.get(antecedent) {
                    Some(Origin::Given(index)) => 1 + index,
                    Some(Origin::Derived(index)) => given + 1 + index,
                    None => return Err(io::Error::other("a step from nowhere")),
                };
                write!(out, "{number} ")?;
            }
            writeln!(out, "0")?;
        }
        Ok(())
    }

    fn derive(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        self.numbers.insert(id, Origin::Derived(self.steps.len()));
        self.steps.push(Step { clause: clause.to_vec(), antecedents: antecedents.to_vec() });
    }
}

/// Listens to the SAT solver.
#[derive(Clone, Default)]
pub(super) struct Recorder {
    kept: Arc<Mutex<Proof>>,
}

impl Recorder {
    /// What was kept so far.
    pub fn proof(&self) -> Proof {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Proof> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProofTracer for Recorder {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        // A restored clause keeps its number; it was never deleted here.
        if !restored {
            let mut proof = self.lock();
            let index = proof.formula.len();
            proof.numbers.insert(id, Origin::Given(index));
            proof.formula.push(clause.to_vec());
        }
    }

    fn add_derived_clause(
        &mut self,
        id: i64,
        _redundant: bool,
        _witness: i32,
        clause: &[i32],
        antecedents: &[i64],
    ) {
        self.lock().derive(id, clause, antecedents);
    }

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        self.lock().derive(id, clause, antecedents);
    }

    // Deletions only save a checker time, and the rest is about assumptions.
    fn delete_clause(&mut self, _id: i64, _redundant: bool, _clause: &[i32]) {}
    fn weaken_minus(&mut self, _id: i64, _clause: &[i32]) {}
    fn strengthen(&mut self, _id: i64) {}
    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}
    fn add_assumption(&mut self, _literal: i32) {}
    fn add_constraint(&mut self, _clause: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn conclude_sat(&mut self, _conclusion: i32, _model: &[i32]) {}
    fn conclude_unsat(&mut self, _conclusion: i32, _clauses: &[i64]) {}
    fn conclude_unknown(&mut self, _trail: &[i32]) {}
}
