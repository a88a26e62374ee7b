//! The chain: what happens to a query, in order.
//!
//! [`Solver::decide`] reads as the chain does. Before it is the caller, who
//! made terms that were rewritten as they were made; behind it are the engines.

use crate::blast::{self, Blaster};
use crate::cache::Cache;
use crate::engine::{Engine, Progress};
use crate::engines::{Complete, External, Guessing, Propagation};
use crate::order::Order;
use crate::prune::Prune;
use crate::query::{Clues, Query, Reason, Verdict};
use crate::reals::{Ariadne, Reals};
use crate::search::Search;
use crate::simplify::simplify;
use crate::slice::slices;
use crate::{arithmetic, schedule};
use nanoscope_budget::Budget;
use nanoscope_term::smtlib::script_text;
use nanoscope_term::{Model, Term, Terms, holds};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// How a solver goes about it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The engines to use, in this order; none for the usual ones.
    pub engines: Vec<Choice>,
    /// The engines to use for queries with floats in them, where `engines` names
    /// none; none for the usual ones.
    pub floats: Vec<Choice>,
    /// By how many bytes the process may grow over a query.
    pub memory: Option<u64>,
    /// Start of all random choices.
    pub seed: u64,
    /// How many concretisations Ariadne's method tries; none for the usual number.
    pub concretizations: Option<u32>,
    /// Where the proof of a refutation goes; it makes `blast` the only engine.
    pub proof: Option<PathBuf>,
}

/// An engine by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Projections to a fixpoint.
    Propagate,
    /// Lemmas of order between operations.
    Order,
    /// Minimising ulp distances.
    Search,
    /// Real relaxations with rounding enclosed.
    Reals,
    /// Real solutions of one unknown at a time, rounded; before them those of
    /// this solver of real arithmetic, where its program is installed.
    Ariadne(Option<String>),
    /// Branch and prune.
    Prune,
    /// Circuits of floats with short significands.
    Guess,
    /// Circuits and a SAT solver.
    Blast,
    /// Another solver's program.
    External(String),
}

impl Choice {
    /// Those for queries with floats, cheapest first.
    pub const USUAL: [Choice; 7] = [
        Choice::Propagate,
        Choice::Order,
        Choice::Reals,
        Choice::Search,
        Choice::Prune,
        Choice::Blast,
        Choice::Guess,
    ];
}

impl std::str::FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Choice, String> {
        match text.split_once('=') {
            Some(("external", program)) if !program.is_empty() => {
                Ok(Choice::External(program.to_string()))
            }
            Some(("ariadne", program)) if !program.is_empty() => {
                Ok(Choice::Ariadne(Some(program.to_string())))
            }
            _ => match text {
                "propagate" => Ok(Choice::Propagate),
                "order" => Ok(Choice::Order),
                "search" => Ok(Choice::Search),
                "reals" => Ok(Choice::Reals),
                "ariadne" => Ok(Choice::Ariadne(Some("z3".to_string()))),
                "ariadne-alone" => Ok(Choice::Ariadne(None)),
                "prune" => Ok(Choice::Prune),
                "guess" => Ok(Choice::Guess),
                "blast" => Ok(Choice::Blast),
                _ => Err(format!(
                    "`{text}` is no engine \
                     (propagate, order, reals, ariadne, ariadne-alone, ariadne=PROGRAM, search, prune, \
                     guess, blast, external=PROGRAM)"
                )),
            },
        }
    }
}

/// What a solver did so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Queries decided or given up.
    pub queries: u64,
    /// How many parts each engine, cache or rule decided.
    pub decided: BTreeMap<&'static str, u64>,
    /// How many parts each of them found without a solution over the reals,
    /// which leaves them undecided over floats.
    pub over_reals: BTreeMap<&'static str, u64>,
}

/// An engine gave a model under which the query does not hold: a defect of
/// ours, told with the query.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Defect {
    /// Whose model it was.
    pub engine: &'static str,
    /// The query in SMT-LIB.
    pub query: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} gave a model that does not satisfy this query:\n{}", self.engine, self.query)
    }
}

impl std::error::Error for Defect {}

/// Decides queries over one [`Terms`], which may grow between them; with
/// other terms, use another solver.
pub struct Solver {
    options: Options,
    cache: Cache,
    /// Circuits of queries without arithmetic, kept from one to the next.
    quick: Option<Blaster>,
    asserted: Vec<Term>,
    levels: Vec<usize>,
    statistics: Statistics,
}

/// Circuits kept between quick queries are dropped beyond this many gates.
const QUICK_GATES: usize = 200_000;

impl Solver {
    /// A solver that knows nothing yet.
    pub fn new(options: Options) -> Solver {
        Solver {
            options,
            cache: Cache::default(),
            quick: None,
            asserted: Vec::new(),
            levels: Vec::new(),
            statistics: Statistics::default(),
        }
    }

    /// What was done so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Begins a level of assertions.
    pub fn push(&mut self) {
        self.levels.push(self.asserted.len());
    }

    /// Forgets the assertions of the last level.
    pub fn pop(&mut self) {
        if let Some(length) = self.levels.pop() {
            self.asserted.truncate(length);
        }
    }

    /// Asserts a truth value until its level ends.
    pub fn assert(&mut self, term: Term) {
        self.asserted.push(term);
    }

    /// Whether the assertions and these assumptions can hold together. The
    /// hint is a model of something similar, as of the parent path.
    pub fn check(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        hint: Option<&Model>,
        budget: &Budget,
    ) -> Result<Verdict, Defect> {
        let mut all = self.asserted.clone();
        all.extend_from_slice(assumptions);
        self.decide(terms, &all, hint, budget)
    }

    /// Whether these can hold together.
    pub fn decide(
        &mut self,
        terms: &mut Terms,
        assertions: &[Term],
        hint: Option<&Model>,
        budget: &Budget,
    ) -> Result<Verdict, Defect> {
        self.statistics.queries += 1;
        if self.options.proof.is_some() {
            return self.prove(terms, assertions, budget);
        }
        let simplified = simplify(terms, assertions);
        let hint = hint.map(|hint| simplified.translate(terms, hint));
        let hint = hint.as_ref();
        let mut model = Model::new();
        let mut unknown = None;
        for part in slices(terms, &simplified.assertions) {
            match self.decide_part(terms, &part, hint, budget)? {
                Verdict::Sat(found) => {
                    for variable in terms.variables_below(&part) {
                        model.set(variable, found.get(terms, variable));
                    }
                }
                Verdict::Unsat => return Ok(Verdict::Unsat),
                // Another part may still be without a model.
                Verdict::Unknown(reason) => {
                    unknown.get_or_insert(reason);
                }
            }
        }
        if let Some(reason) = unknown {
            return Ok(Verdict::Unknown(reason));
        }
        simplified.complete(terms, &mut model);
        confirmed(terms, assertions, "the chain", model)
    }

    /// Decides assertions that hang together.
    fn decide_part(
        &mut self,
        terms: &Terms,
        part: &[Term],
        hint: Option<&Model>,
        budget: &Budget,
    ) -> Result<Verdict, Defect> {
        if let Some(verdict) = self.cache.look(terms, part) {
            self.count("cache");
            return Ok(verdict);
        }
        let (verdict, by) = match hint {
            Some(hint) if holds(terms, hint, part) => (Verdict::Sat(hint.clone()), Some("hint")),
            _ if self.has_usual_engines(terms, part) && arithmetic::is_free(terms, part) => {
                (self.decide_quickly(terms, part, hint, budget), Some("quick"))
            }
            _ => self.work(terms, part, hint, budget)?,
        };
        match (&verdict, by) {
            (Verdict::Unknown(_), Some(by)) => {
                *self.statistics.over_reals.entry(by).or_default() += 1;
            }
            (Verdict::Unknown(Reason::Time), None) => {}
            (Verdict::Sat(_) | Verdict::Unsat | Verdict::Unknown(_), by) => {
                self.count(by.unwrap_or("none"));
            }
        }
        let verdict = match verdict {
            Verdict::Sat(model) => confirmed(terms, part, by.unwrap_or("none"), model)?,
            Verdict::Unsat | Verdict::Unknown(_) => verdict,
        };
        self.cache.note(part, &verdict);
        Ok(verdict)
    }

    /// Without arithmetic, circuits are small: no engine is better.
    fn decide_quickly(
        &mut self,
        terms: &Terms,
        part: &[Term],
        hint: Option<&Model>,
        budget: &Budget,
    ) -> Verdict {
        if self.quick.as_ref().is_some_and(|quick| quick.statistics().gates > QUICK_GATES) {
            self.quick = None;
        }
        let memory = self.options.memory;
        let quick = self.quick.get_or_insert_with(|| {
            let mut options = blast::Options::default();
            options.memory = memory.unwrap_or(options.memory);
            Blaster::new(options)
        });
        quick.begin_query();
        quick.check(terms, part, budget, hint).map_reason(Reason::from)
    }

    /// Lets the engines work, by turns.
    fn work(
        &mut self,
        terms: &Terms,
        part: &[Term],
        hint: Option<&Model>,
        budget: &Budget,
    ) -> Result<(Verdict, Option<&'static str>), Defect> {
        let query = Query { terms, assertions: part, memory: self.options.memory };
        let hint = hint.or(self.cache.last_model()).cloned();
        let mut clues = Clues { hint, ..Clues::default() };
        let mut engines = self.engines(terms, part);
        Ok(schedule::run(&mut engines, query, &mut clues, budget))
    }

    /// Whether nobody said which engines to use for this.
    fn has_usual_engines(&self, terms: &Terms, part: &[Term]) -> bool {
        let Options { engines, floats, .. } = &self.options;
        engines.is_empty() && (floats.is_empty() || !arithmetic::has_floats(terms, part))
    }

    /// The engines, cheapest first.
    fn engines(&self, terms: &Terms, part: &[Term]) -> Vec<Box<dyn Engine>> {
        // Of bit vectors alone, the SAT solver knows most.
        const BITS: [Choice; 3] = [Choice::Propagate, Choice::Blast, Choice::Search];
        let Options { engines, floats, .. } = &self.options;
        let chosen: &[Choice] = match arithmetic::has_floats(terms, part) {
            _ if !engines.is_empty() => engines,
            true if !floats.is_empty() => floats,
            true => &Choice::USUAL,
            false => &BITS,
        };
        chosen
            .iter()
            .map(|choice| -> Box<dyn Engine> {
                match choice {
                    Choice::Propagate => Box::new(Propagation),
                    Choice::Order => Box::new(Order),
                    Choice::Search => Box::new(Search { seed: self.options.seed }),
                    Choice::Reals => Box::new(Reals),
                    Choice::Ariadne(first) => Box::new(Ariadne {
                        seed: self.options.seed,
                        first: first.clone(),
                        concretizations: self.options.concretizations,
                    }),
                    Choice::Prune => Box::new(Prune),
                    Choice::Guess => Box::new(Guessing),
                    Choice::Blast => Box::new(Complete::default()),
                    Choice::External(program) => Box::new(External::named(program)),
                }
            })
            .collect()
    }

    /// The whole query to `blast`, with a proof.
    fn prove(
        &mut self,
        terms: &Terms,
        assertions: &[Term],
        budget: &Budget,
    ) -> Result<Verdict, Defect> {
        let mut engine = Complete { proof: self.options.proof.clone(), ..Complete::default() };
        let query = Query { terms, assertions, memory: self.options.memory };
        let outcome = engine.begin(query).advance(&mut Clues::default(), budget);
        match outcome {
            Progress::Sat(model) => confirmed(terms, assertions, "blast", model),
            Progress::Unsat => Ok(Verdict::Unsat),
            Progress::Paused => Ok(Verdict::Unknown(schedule::why_over(budget))),
            Progress::Exhausted(reason) => Ok(Verdict::Unknown(reason)),
        }
    }

    fn count(&mut self, by: &'static str) {
        *self.statistics.decided.entry(by).or_default() += 1;
    }
}

/// A model that the evaluator agrees with, or a defect of the engine's.
fn confirmed(
    terms: &Terms,
    assertions: &[Term],
    engine: &'static str,
    model: Model,
) -> Result<Verdict, Defect> {
    if holds(terms, &model, assertions) {
        Ok(Verdict::Sat(model))
    } else {
        Err(Defect { engine, query: script_text(terms, assertions) })
    }
}
