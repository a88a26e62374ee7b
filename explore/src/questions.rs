//! Questions to the solver: whether a path can go on in some way.
//!
//! Only what hangs together with the question by common variables is asked; of the rest,
//! the path's witness is witness enough.

use crate::path::Path;
use crate::{Options, Statistics};
use nanoscope_search::Budget;
use nanoscope_solver::{Solver, Verdict};
use nanoscope_term::{Model, Term, Terms, VariableId};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path as FilePath, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Asks the solver, and counts.
pub struct Questions {
    solver: Solver,
    /// The variables of conditions, in order.
    variables: HashMap<Term, Rc<[VariableId]>>,
    budget: Budget,
    /// Where questions are written to.
    folder: Option<PathBuf>,
    /// A query that the solver answered wrongly, as it found out itself.
    pub defect: Option<String>,
}

/// An answer.
#[derive(Clone, Debug)]
pub enum Answer {
    /// With these inputs, which also lead along the path so far.
    Possible(Model),
    /// There are no such inputs.
    Impossible,
    /// Nobody knows: why.
    Undecided(String),
}

impl Questions {
    /// Nothing asked yet.
    pub fn new(options: &Options) -> Questions {
        let solver = nanoscope_solver::Options {
            seed: options.seed,
            memory: options.memory_limit,
            floats: options.engines.clone(),
            ..nanoscope_solver::Options::default()
        };
        Questions {
            solver: Solver::new(solver),
            variables: HashMap::new(),
            budget: Budget {
                deadline: options.deadline,
                stop: options.stop.clone(),
                evaluations: None,
            },
            folder: options.queries.clone(),
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
            Some(true) => return Answer::Possible(path.model().clone()),
            Some(false) => return Answer::Impossible,
            None => {}
        }
        if path.takes(terms, condition) {
            return Answer::Possible(path.model().clone());
        }
        let (query, variables) = self.related(terms, path, condition);
        let along = |model: &&Model| nanoscope_term::holds(terms, model, &query[1..]);
        let near: Vec<&Model> = hints.iter().filter(along).collect();
        if let Some(hint) = near.iter().find(|hint| nanoscope_term::holds(terms, hint, &query[..1]))
        {
            return Answer::Possible(merged(terms, path.model(), hint, &variables));
        }
        if let Some(folder) = &self.folder {
            write(folder, terms, &query, statistics.queries);
        }
        let hint = near.first().copied().unwrap_or(path.model());
        let began = Instant::now();
        let refuted = |solver: &Solver| solver.statistics().over_reals.values().sum::<u64>();
        let before = refuted(&self.solver);
        let verdict = self.solver.decide(terms, &query, Some(hint), &self.budget.slice(time));
        statistics.queries += 1;
        statistics.solver_time += began.elapsed();
        match verdict {
            Ok(Verdict::Sat(found)) => {
                statistics.satisfiable += 1;
                Answer::Possible(merged(terms, path.model(), &found, &variables))
            }
            Ok(Verdict::Unsat) => {
                statistics.unsatisfiable += 1;
                Answer::Impossible
            }
            Ok(Verdict::Unknown(reason)) => {
                statistics.undecided += 1;
                statistics.over_reals += u64::from(refuted(&self.solver) > before);
                Answer::Undecided(reason.to_string())
            }
            Err(defect) => {
                statistics.undecided += 1;
                self.defect.get_or_insert_with(|| defect.to_string());
                Answer::Undecided("a defect of the solver".to_owned())
            }
        }
    }

    /// The conditions of a path that hang together with another one, that one included, and
    /// their variables.
    fn related(
        &mut self,
        terms: &Terms,
        path: &Path,
        condition: Term,
    ) -> (Vec<Term>, BTreeSet<VariableId>) {
        let mut query = vec![condition];
        let mut variables: BTreeSet<VariableId> =
            self.variables(terms, condition).iter().copied().collect();
        let mut others: Vec<Term> = path.conditions().to_vec();
        loop {
            let before = query.len();
            others.retain(|other| {
                let own = self.variables(terms, *other);
                let joins = own.iter().any(|variable| variables.contains(variable));
                if joins {
                    query.push(*other);
                    variables.extend(own.iter());
                }
                !joins
            });
            if query.len() == before {
                return (query, variables);
            }
        }
    }

    fn variables(&mut self, terms: &Terms, condition: Term) -> Rc<[VariableId]> {
        let list = self.variables.entry(condition);
        list.or_insert_with(|| terms.variables_below(&[condition]).into()).clone()
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

/// Writes a question for others to look at. One that cannot be written is one less to look
/// at: the exploration goes on.
fn write(folder: &FilePath, terms: &Terms, query: &[Term], number: u64) {
    let text = nanoscope_term::smtlib::script_text(terms, query);
    let _ = std::fs::write(folder.join(format!("{number:06}.smt2")), text);
}
