//! Ariadne's loop: concretise, linearise, round (POPL 2013, section 3.3).
//!
//! Floats and integers are taken for reals. A way through the query ([`branch`]) is a
//! conjunction of comparisons of rational functions. All variables but one of
//! each literal are bound to values ([`concretize`]); what is left has one
//! unknown and is a union of intervals by its roots ([`univariate`]), where
//! floats are picked ([`floats`]) and judged by the evaluator. Functions of libm,
//! which the paper binds, are traced every second time: their comparisons are tried
//! at places all over the line, and where one changes is found by bisection.
//!
//! As in the paper's section 5.1, a solver of real arithmetic is asked where one
//! is installed ([`nlsat`]), after the few concretisations that easy questions
//! need; the loop has what that leaves.
//!
//! It finds models only: no answer of reals refutes a query about floats. What
//! the paper counts as unsatisfiable is told as [`Reason::Reals`].

mod axis;
mod branch;
mod concretize;
mod floats;
mod linearize;
mod nlsat;
mod number;
mod polynomial;
mod region;
mod univariate;

use crate::engine::{Attempt, Engine, Progress};
use crate::query::{Clues, Query, Reason};
use crate::search::Random;
use branch::{Branch, Literal};
use concretize::Variables;
use nanoscope_budget::Budget;
use nanoscope_term::{Model, Term, holds};
use nlsat::{Asking, PATIENCE, Reply};
use std::time::Duration;
use univariate::{Bound, Univariate};

/// The engine.
#[derive(Clone, Debug, Default)]
pub struct Ariadne {
    /// Start of all random choices.
    pub seed: u64,
    /// The program of a solver of real arithmetic to ask, too. Where it does
    /// not start, it is not asked.
    pub first: Option<String>,
    /// How many concretisations are tried (MAX_CONCRETIZATIONS); none for the usual number.
    pub concretizations: Option<u32>,
}

/// How many concretisations are tried where nobody says.
const MOST_CONCRETIZATIONS: u32 = 2000;
/// Queries with more terms than this are too long to walk that often.
const MOST_TERMS: usize = 20_000;
/// How many of them before another solver is asked: most questions that have a model have one
/// that these find, sooner than a process starts.
const EASY: u32 = 8;
/// How many where the other solver found no solution over the reals: floats round, and some of them
/// have one.
const REFUTED: u32 = 32;
/// The part of a turn that the other solver is waited for.
const WAITING: f64 = 0.5;
/// After so many concretisations one looks whether it has answered.
const LOOKING: u32 = 16;

impl Engine for Ariadne {
    fn name(&self) -> &'static str {
        "ariadne"
    }

    fn begin<'q>(&'q mut self, query: Query<'q>) -> Box<dyn Attempt + 'q> {
        let below = query.terms.below(query.assertions);
        let random = Random::new(self.seed);
        let other = self.first.as_deref().map_or(Other::Silent, Other::Unasked);
        Box::new(Loop {
            query,
            below,
            other,
            random,
            round: 0,
            last: None,
            first: None,
            refuted: false,
            by: "ariadne",
            most: self.concretizations.unwrap_or(MOST_CONCRETIZATIONS),
        })
    }
}

struct Loop<'q> {
    query: Query<'q>,
    below: Vec<Term>,
    other: Other<'q>,
    random: Random,
    round: u32,
    /// Where the last concretisation ended.
    last: Option<Model>,
    /// What came of the first concretisation: whether reals have no solution.
    first: Option<bool>,
    /// Whether the other solver found that reals have none.
    refuted: bool,
    /// Whose the last outcome is.
    by: &'static str,
    /// How many concretisations are tried.
    most: u32,
}

/// The solver of real arithmetic.
enum Other<'q> {
    Unasked(&'q str),
    Asked(Asking<'q>),
    /// It said what it could, or is not there.
    Silent,
}

/// What came of a concretisation.
enum Found {
    Model(Model),
    /// No model, but a point.
    Point(Model),
    /// Not even that: no floats to bind to.
    Unbound,
    /// Nor that: with what was bound, reals have no solution.
    Nothing,
    /// And there is no other way to concretise.
    NothingElse,
    OutOfTime,
}

impl Attempt for Loop<'_> {
    fn advance(&mut self, clues: &mut Clues, budget: &Budget) -> Progress {
        let end = |why: &str| Progress::Exhausted(Reason::Incomplete(why.to_string()));
        if self.below.len() > MOST_TERMS {
            return end("too many terms to take for reals");
        }
        let variables = Variables::new(self.query.terms, &self.below, &clues.domains);
        if matches!(self.other, Other::Unasked(_))
            && let Some(outcome) = self.rounds(EASY.min(self.most), &variables, clues, budget)
        {
            return outcome;
        }
        let part = budget.remaining().map_or(PATIENCE, |left| left.mul_f64(WAITING));
        if let Other::Unasked(program) = self.other {
            let asking = Asking::start(self.query, &self.below, &clues.domains, program, part);
            self.other = asking.map_or(Other::Silent, Other::Asked);
        }
        if let Some(outcome) = self.listen(clues, &budget.slice(part), budget) {
            return outcome;
        }
        if let Some(outcome) = self.rounds(self.most, &variables, clues, budget) {
            return outcome;
        }
        // The other one may know more.
        if !self.refuted {
            self.round = self.most;
            if let Some(outcome) = self.listen(clues, budget, budget) {
                return outcome;
            }
        }
        if matches!(self.other, Other::Asked(_)) {
            return Progress::Paused;
        }
        if self.is_without_reals() {
            self.by = if self.refuted { "nlsat" } else { self.by };
            return Progress::Exhausted(Reason::Reals);
        }
        end("no concretisation led to a model")
    }

    fn by(&self) -> Option<&'static str> {
        Some(self.by)
    }

    /// As the paper counts, which tries one concretisation.
    fn is_without_reals(&self) -> bool {
        self.refuted || self.first == Some(true)
    }
}

impl Loop<'_> {
    /// Concretises, until so many rounds are done; an outcome, if there is one before.
    fn rounds(
        &mut self,
        until: u32,
        variables: &Variables,
        clues: &mut Clues,
        budget: &Budget,
    ) -> Option<Progress> {
        while self.round < if self.refuted { until.min(REFUTED) } else { until } {
            if budget.exhausted() {
                return Some(Progress::Paused);
            }
            if self.round % LOOKING == LOOKING - 1
                && let Some(outcome) = self.listen(clues, &budget.slice(Duration::ZERO), budget)
            {
                return Some(outcome);
            }
            let guide = self.guide(clues, variables);
            let found = self.concretization(variables, &guide, budget);
            if !matches!(found, Found::OutOfTime) {
                let without = matches!(found, Found::Nothing | Found::NothingElse);
                self.first.get_or_insert(without);
            }
            match found {
                Found::Model(model) => return Some(Progress::Sat(model)),
                Found::Point(point) => self.last = Some(point),
                Found::Unbound | Found::Nothing => self.last = None,
                Found::NothingElse => self.round = until - 1,
                Found::OutOfTime => return Some(Progress::Paused),
            }
            self.round += 1;
        }
        None
    }

    /// Waits so long for the other solver; its outcome, if it decides.
    fn listen(&mut self, clues: &mut Clues, wait: &Budget, budget: &Budget) -> Option<Progress> {
        while let Other::Asked(asking) = std::mem::replace(&mut self.other, Other::Silent) {
            let guide = clues.nearest.as_ref().or(clues.hint.as_ref());
            let outcome = match asking.reply(guide, wait, budget) {
                Reply::Waiting => {
                    self.other = Other::Asked(asking);
                    return None;
                }
                Reply::Nothing => return None,
                Reply::Point(point) => {
                    clues.nearest = Some(point);
                    self.round = 0;
                    // Reals have a solution.
                    self.first = Some(false);
                    self.other = asking.again().map_or(Other::Silent, Other::Asked);
                    continue;
                }
                Reply::Model(model) => Progress::Sat(model),
                Reply::Refuted => {
                    self.refuted = true;
                    return None;
                }
            };
            self.by = "nlsat";
            return Some(outcome);
        }
        None
    }

    /// The point to begin at: of the clues, the last one, or any.
    fn guide(&mut self, clues: &Clues, variables: &Variables) -> Model {
        let known = match self.round {
            0 => clues.nearest.as_ref().or(clues.hint.as_ref()),
            1 => clues.hint.as_ref(),
            round if round % 4 != 0 => self.last.as_ref(),
            _ => None,
        };
        let mut guide = Model::new();
        for variable in variables.domains.keys() {
            let value = known.and_then(|model| model.variables.get(variable)).cloned();
            guide.set(
                *variable,
                value.unwrap_or_else(|| variables.any(*variable, &mut self.random)),
            );
        }
        guide
    }

    fn concretization(&mut self, variables: &Variables, guide: &Model, budget: &Budget) -> Found {
        let Query { terms, assertions, .. } = self.query;
        let wander = self.round % 3 == 2;
        let branch = Branch::at(terms, assertions, guide, wander, &mut self.random, budget);
        let Some(branch) = branch else { return Found::OutOfTime };
        // What is no rational function of a variable is solved for it by trying.
        let tracing = self.round % 2 == 1 && !branch.depended.is_empty();
        let solvable = variables.solvable(&branch, tracing);
        let unknowns = variables.unknowns(&solvable, &mut self.random);
        let below = &self.below;
        let univariate = Univariate { terms, below, branch: &branch, variables, budget };
        let bound = univariate.bind(&unknowns, guide, &mut self.random);
        let mut model = match bound {
            Bound::At(model) => model,
            Bound::Falsified => return Found::Nothing,
            Bound::Nowhere => return Found::Unbound,
        };
        for unknown in &unknowns {
            if budget.exhausted() {
                return Found::OutOfTime;
            }
            let literals: Vec<Literal> = solvable
                .iter()
                .filter(|(_, free)| free.contains(unknown))
                .map(|(literal, _)| *literal)
                .collect();
            if !univariate.solve(*unknown, &literals, &mut model, &mut self.random) {
                if budget.exhausted() {
                    return Found::OutOfTime;
                }
                let only = !tracing && !branch.open && unknowns.len() == variables.domains.len();
                return if only { Found::NothingElse } else { Found::Nothing };
            }
        }
        if holds(terms, &model, assertions) { Found::Model(model) } else { Found::Point(model) }
    }
}
