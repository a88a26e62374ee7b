//! The hybrid's other half: a question over reals to a solver of nonlinear real arithmetic
//! (section 5.1: "we handed each query, even multivariate, nonlinear ones, to Z3 first"), and
//! the floats around its answer.
//!
//! It is a process that may not be installed, hang, die or talk nonsense: then it was not
//! asked.

mod answer;
mod floats;
mod script;
mod writer;

use super::axis::Axis;
use crate::engines::Process;
use crate::propagate::{Domain, Grid};
use crate::query::Query;
use answer::Real;
use nanoscope_budget::Budget;
use nanoscope_term::{Model, Sort, Term, Value, VariableId, holds};
use script::Script;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The longest that it works on a question.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// The least time that its first try has.
const FIRST: Duration = Duration::from_millis(100);
/// How many models are made of the floats around an answer.
const MOST_ROUNDINGS: usize = 128;

/// A question that was asked.
pub(super) struct Asking<'q> {
    query: Query<'q>,
    process: Process,
    /// How it is asked for another solution.
    again: Option<Again>,
    asked: Vec<VariableId>,
    until: Instant,
}

struct Again {
    command: Vec<String>,
    script: String,
}

/// What came of it.
#[derive(Debug)]
pub(super) enum Reply {
    /// Floats that satisfy the query.
    Model(Model),
    /// Reals do, the floats around them do not.
    Point(Model),
    /// No reals do.
    Refuted,
    /// No answer, or none that can be read.
    Nothing,
    /// None yet.
    Waiting,
}

impl<'q> Asking<'q> {
    /// Asks, about to wait so long; none if the program does not start or the query is beyond
    /// reals.
    pub(super) fn start(
        query: Query<'q>,
        below: &[Term],
        domains: &BTreeMap<Term, Domain>,
        program: &str,
        wait: Duration,
    ) -> Option<Asking<'q>> {
        let script = Script::of(query.terms, query.assertions, below, domains)?;
        let mut command = vec![program.to_string()];
        let (check, again) = if program.rsplit('/').next() == Some("z3") {
            // It has a clock of its own, should nobody be left to end it.
            command.extend(["-in".to_string(), format!("-T:{}", PATIENCE.as_secs())]);
            let megabytes = query.memory.map(|bytes| format!("-memory:{}", (bytes >> 20).max(1)));
            command.extend(megabytes);
            // Its general core decides most of these, and sooner; nlsat decides others, and
            // has simpler solutions.
            let first = (wait / 2).max(FIRST).as_millis();
            let check = format!("(check-sat-using (or-else (try-for smt {first}) qfnra-nlsat))");
            let script = script.asking("(check-sat-using qfnra-nlsat)");
            (check, Some(Again { command: command.clone(), script }))
        } else {
            ("(check-sat)".to_string(), None)
        };
        let process = Process::start(&command, script.asking(&check)).ok()?;
        let until = Instant::now() + PATIENCE;
        Some(Asking { query, process, again, asked: script.asked, until })
    }

    /// Asks for another solution, where there is another way to ask.
    pub(super) fn again(self) -> Option<Asking<'q>> {
        let Again { command, script } = self.again?;
        let process = Process::start(&command, script).ok()?;
        Some(Asking { process, again: None, until: Instant::now() + PATIENCE, ..self })
    }

    /// Waits so long for the answer, and looks at the floats around it.
    pub(super) fn reply(&self, guide: Option<&Model>, wait: &Budget, budget: &Budget) -> Reply {
        let left = self.until.saturating_duration_since(Instant::now());
        let Some(text) = self.process.said(&wait.slice(left)) else {
            return if Instant::now() >= self.until { Reply::Nothing } else { Reply::Waiting };
        };
        let text = text.trim_start();
        let (word, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
        match word {
            "unsat" => Reply::Refuted,
            "sat" if self.asked.is_empty() => self.around(&[], guide, budget),
            "sat" => match answer::read(rest, self.asked.len()) {
                Some(values) => self.around(&values, guide, budget),
                None => Reply::Nothing,
            },
            _ => Reply::Nothing,
        }
    }

    /// A model of the floats around reals.
    fn around(&self, values: &[Real], guide: Option<&Model>, budget: &Budget) -> Reply {
        let Query { terms, assertions, .. } = self.query;
        let mut model = Model::new();
        for variable in terms.variables_below(assertions) {
            let known = guide.and_then(|guide| guide.variables.get(&variable)).cloned();
            let value = known.unwrap_or_else(|| terms.default_value(terms.variable_sort(variable)));
            model.set(variable, value);
        }
        let mut choices: Vec<(VariableId, Vec<Value>)> = Vec::new();
        for (variable, real) in self.asked.iter().zip(values) {
            let near = near(terms.variable_sort(*variable), real, budget);
            if let Some(nearest) = near.first() {
                model.set(*variable, nearest.clone());
            }
            if near.len() > 1 {
                choices.push((*variable, near));
            }
        }
        let point = model.clone();
        let ways = choices.iter().try_fold(1usize, |all, (_, near)| all.checked_mul(near.len()));
        for way in 0..ways.unwrap_or(usize::MAX).min(MOST_ROUNDINGS) {
            let mut rest = way;
            for (variable, near) in &choices {
                model.set(*variable, near[rest % near.len()].clone());
                rest /= near.len();
            }
            if holds(terms, &model, assertions) {
                return Reply::Model(model);
            }
            if budget.exhausted() {
                break;
            }
        }
        Reply::Point(point)
    }
}

/// The values of a sort around a real one, the nearest first.
fn near(sort: Sort, real: &Real, budget: &Budget) -> Vec<Value> {
    match sort {
        Sort::Bool => real.truth().map(Value::Bool).into_iter().collect(),
        Sort::Bits(width) => real.integers(width, budget),
        Sort::Float(format) => match Grid::new(format) {
            Some(grid) if grid.format() == format => {
                let places = real.floats(grid, budget);
                places.into_iter().map(|place| Axis::Floats(grid).value(place)).collect()
            }
            Some(_) | None => Vec::new(),
        },
        Sort::Rounding | Sort::Array(_) => Vec::new(),
    }
}
