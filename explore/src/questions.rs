//! Questions to the solver: whether a path can go on in some way.
//!
//! Only what hangs together with the question by common variables is asked; of the rest,
//! the path's witness is witness enough.

use crate::path::Path;
use crate::{Options, QueryLog, Statistics};
use nanoscope_budget::Budget;
use nanoscope_solver::{Reason, Solver, Verdict};
use nanoscope_term::{Model, Term, Terms, VariableId};
use std::collections::BTreeSet;
use std::fmt;
use std::time::{Duration, Instant};

/// Asks the solver, and counts.
pub struct Questions {
    solver: Solver,
    budget: Budget,
    /// Where questions are written to.
    log: Option<QueryLog>,
    /// A query that the solver answered wrongly, as it found out itself.
    pub defect: Option<String>,
}

/// An answer: inputs that also lead along the path so far, that there are none, or why nobody
/// knows.
pub type Answer = nanoscope_term::Verdict<Undecided>;

/// Why a question is undecided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// What stopped the solver.
    Solver(Reason),
    /// The solver found an answer of its own wrong.
    Defect,
}

impl Undecided {
    /// Whether more time does not help.
    pub fn is_final(&self) -> bool {
        match self {
            Undecided::Solver(Reason::Incomplete(_) | Reason::Reals) | Undecided::Defect => true,
            Undecided::Solver(Reason::Time | Reason::Stopped | Reason::Memory) => false,
        }
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undecided::Solver(reason) => reason.fmt(f),
            Undecided::Defect => f.write_str("a defect of the solver"),
        }
    }
}

impl Questions {
    /// Nothing asked yet.
    pub fn new(options: &Options) -> Questions {
        let solver = nanoscope_solver::Options {
            seed: options.seed,
            memory: options.memory_limit,
            floats: options.engines.clone(),
            concretizations: options.concretizations,
            ..nanoscope_solver::Options::default()
        };
        Questions {
            solver: Solver::new(solver),
            budget: Budget {
                deadline: options.deadline,
                stop: options.stop.clone(),
                evaluations: None,
            },
            log: options.queries.clone(),
            defect: None,
        }
    }

    /// Whether no time is left, or someone said stop.
    pub fn is_over(&self) -> bool {
        self.budget.exhausted()
    }

    /// Whether a path can go on where a condition holds.
    pub fn possible(
        &mut self,
        terms: &mut Terms,
        path: &Path,
        condition: Term,
        hints: &[Model],
        time: Duration,
        statistics: &mut Statistics,
    ) -> Answer {
        match path.knows(terms, condition) {
            Some(true) => return Answer::Sat(path.model().clone()),
            Some(false) => return Answer::Unsat,
            None => {}
        }
        if path.takes(terms, condition) {
            return Answer::Sat(path.model().clone());
        }
        let (query, variables) = path.related(terms, condition);
        let along = |model: &&Model| nanoscope_term::holds(terms, model, &query[1..]);
        let near: Vec<&Model> = hints.iter().filter(along).collect();
        if let Some(hint) = near.iter().find(|hint| nanoscope_term::holds(terms, hint, &query[..1]))
        {
            return Answer::Sat(merged(terms, path.model(), hint, &variables));
        }
        let hint = near.first().copied().unwrap_or(path.model());
        let began = Instant::now();
        let refuted = |solver: &Solver| solver.statistics().over_reals.values().sum::<u64>();
        let before = refuted(&self.solver);
        let verdict = self.solver.decide(terms, &query, Some(hint), &self.budget.slice(time));
        statistics.queries += 1;
        let time = began.elapsed();
        statistics.solver_time += time;
        if let Some(log) = &self.log {
            let status = match &verdict {
                Ok(Verdict::Sat(_)) => "sat",
                Ok(Verdict::Unsat) => "unsat",
                Ok(Verdict::Unknown(_)) | Err(_) => "unknown",
            };
            log.write(terms, &query, status, time);
        }
        match verdict {
            Ok(Verdict::Sat(found)) => {
                statistics.satisfiable += 1;
                Answer::Sat(merged(terms, path.model(), &found, &variables))
            }
            Ok(Verdict::Unsat) => {
                statistics.unsatisfiable += 1;
                Answer::Unsat
            }
            Ok(Verdict::Unknown(reason)) => {
                statistics.undecided += 1;
                statistics.over_reals += u64::from(refuted(&self.solver) > before);
                Answer::Unknown(Undecided::Solver(reason))
            }
            Err(defect) => {
                statistics.undecided += 1;
                self.defect.get_or_insert_with(|| defect.to_string());
                Answer::Unknown(Undecided::Defect)
            }
        }
    }
}

/// A model with another one's values of some variables.
fn merged(terms: &Terms, model: &Model, found: &Model, variables: &BTreeSet<VariableId>) -> Model {
    let mut model = model.clone();
    for variable in variables {
        model.set(*variable, found.get(terms, *variable));
    }
    model
}
