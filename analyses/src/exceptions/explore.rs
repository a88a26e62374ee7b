//! Exploration: for goals that ranges and search left open, the paths that can still come by
//! them, with their conditions given to the solver.
//!
//! Loops are followed once, then twice, four times, …, at last without a bound, as Ariadne
//! does. What the solver finds is run on the instrumented and on the original code, as what
//! the search finds is. A goal is impossible when all paths to it were followed to their end
//! and none can raise it.

use super::LoopBound;
use super::case::Case;
use super::engines;
use super::standing::is_first;
use super::standing::{Impossible, Reached};
use super::witness::{Seen, Witness};
use crate::numbers::set_encoding;
use nanoscope_budget::Budget;
use nanoscope_explore::{
    Event, Flow, Gap, Given, Goal, How, Options, Scheduler, Start, Statistics, explore,
};
use nanoscope_native::{Promise, Worker};
use nanoscope_program::ir::{Code, Function, FunctionId};
use nanoscope_program::{Fault, GoalId};
use nanoscope_ranges::CallGraph;
use nanoscope_report::Proof;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a path may come by the same block: bound after bound, at last none.
const BOUNDS: [Option<u64>; 6] = [Some(1), Some(2), Some(4), Some(8), Some(32), None];

/// The part of what time is left that one bound may take.
const SHARE: f64 = 0.4;

/// How long a question may take, at first.
const QUERY: Duration = Duration::from_millis(800);

/// The same with Ariadne's method, which answers quickly or not at all.
const QUERY_OVER_REALS: Duration = Duration::from_millis(240);

/// The first attempt at a question has this part of the time.
const FIRST_ATTEMPT: u32 = 8;

/// By how much the process may grow.
const MEMORY: u64 = 1 << 30;

/// How long the run of one candidate may take.
const RUN: Duration = Duration::from_millis(200);

/// With a number of evaluations, this many of them are worth a question, and no goal is
/// worth more questions than that.
const EVALUATIONS: u64 = 4096;
const QUESTIONS: u64 = 64;

/// Inputs that other paths to a goal have, at most.
const OTHERS: usize = 10_000;

/// Points that came near to goals.
pub(super) type Near = Vec<Vec<u64>>;

/// Explores for the goals that nobody has settled, beginning with points that came near.
pub(super) fn follow(
    case: &Case,
    witness: &Witness,
    near: Near,
    budget: &Budget,
) -> Result<(), Fault> {
    let Some(engines) = engines::solver(&case.options.engines) else { return Ok(()) };
    let Ok(code) = case.lowered.for_paths() else { return Ok(()) };
    let entry = code.named(&format!("nanoscope_run_{}", case.target.entry));
    let Some(entry) = entry else { return Ok(()) };
    let every_path = case.options.following.every_path;
    let asks = every_path || !case.standing().unsettled(case.target).is_empty();
    if !asks || budget.exhausted() {
        return Ok(());
    }
    let mut trial = Trial::new(case, witness, budget)?;
    let mut questions = case.options.evaluations.map(|runs| (runs / EVALUATIONS).min(QUESTIONS));
    let following = &case.options.following;
    let bounds = match following.max_loop {
        Some(LoopBound::Times(most)) => vec![Some(most)],
        Some(LoopBound::None) => vec![None],
        // Where there is no loop, every bound leads to the same questions.
        None if !has_loops(code, entry) => vec![None],
        None => BOUNDS.to_vec(),
    };
    let only = bounds.len() == 1;
    for bound in bounds {
        let goals = trial.open();
        if goals.is_empty() || budget.exhausted() || questions == Some(0) {
            break;
        }
        let last = bound.is_none() || only;
        let time = budget.remaining().map(|left| left.mul_f64(if last { 1.0 } else { SHARE }));
        let options = Options {
            // With a number of evaluations the report must not depend on the clock.
            deadline: match questions {
                Some(_) => budget.deadline,
                None => time.map(|time| Instant::now() + time).or(budget.deadline),
            },
            memory_limit: Some(MEMORY),
            seed: case.options.seed,
            scheduler: Scheduler::Goals,
            max_loop: bound,
            max_queries: questions,
            patience: match following.question_time {
                Some(_) => Some(1),
                None => questions.map(|_| 1),
            },
            query_limit: following.question_time.map_or_else(
                || if engines.is_empty() { QUERY } else { QUERY_OVER_REALS },
                |time| time * FIRST_ATTEMPT,
            ),
            concretizations: following.concretizations,
            engines: engines.clone(),
            goals: goals.keys().copied().collect(),
            stop_at_first: case.options.stop_at_first,
            hints: near.clone(),
            assumption: case.contract.assumption(),
            queries: case
                .options
                .following
                .queries
                .as_ref()
                .map(|log| log.of(&case.target.function)),
            stop: Arc::clone(&budget.stop),
            ..Options::default()
        };
        let start = Start::Target {
            entry,
            inputs: &case.target.inputs,
            output_words: case.target.output_words,
            outputs: &[],
        };
        let mut fault = None;
        let outcome = explore(code, start, &options, &mut |event| match event {
            Event::Goal { goal, inputs, .. } => match trial.shows(goals[&goal], &inputs) {
                Ok(true) if following.every_path => match trial.another(goals[&goal], &inputs) {
                    Ok(()) => Flow::Again,
                    Err(why) => {
                        fault = Some(why);
                        Flow::Stop
                    }
                },
                Ok(true) => Flow::Continue,
                Ok(false) => Flow::Refuse,
                Err(why) => {
                    fault = Some(why);
                    Flow::Stop
                }
            },
            Event::Path(_) | Event::Output { .. } => Flow::Continue,
        });
        if let Some(fault) = fault {
            return Err(fault);
        }
        tell(case, &outcome.statistics);
        if let Some(left) = &mut questions {
            *left = left.saturating_sub(outcome.statistics.queries);
        }
        if outcome.exhausted {
            rule_out(case, outcome.impossible.iter().filter_map(|goal| goals.get(goal).copied()));
            break;
        }
        note(case, &outcome.stopped_by);
        // Where no bound but the solver stopped it, another bound leads to the same questions.
        if outcome.stopped_by.iter().all(|gap| *gap == Gap::Undecided) {
            break;
        }
    }
    Ok(())
}

/// Whether any function that may run has a loop.
fn has_loops(code: &Code, entry: FunctionId) -> bool {
    let reachable = CallGraph::of(code).reachable(&[entry]);
    reachable.into_iter().any(|id| is_cyclic(code.function(id)))
}

/// Whether control can come to a block twice in one call: blocks without predecessors are taken
/// away until none is left.
fn is_cyclic(function: &Function) -> bool {
    let mut entering = vec![0u32; function.blocks.len()];
    for edge in function.blocks.iter().flat_map(|block| block.end.edges()) {
        entering[edge.to.0 as usize] += 1;
    }
    let mut free: Vec<usize> = (0..entering.len()).filter(|at| entering[*at] == 0).collect();
    let mut taken = 0;
    while let Some(at) = free.pop() {
        taken += 1;
        for edge in function.blocks[at].end.edges() {
            let left = &mut entering[edge.to.0 as usize];
            *left -= 1;
            if *left == 0 {
                free.push(edge.to.0 as usize);
            }
        }
    }
    taken < entering.len()
}

/// Sees whether what the solver found is so.
struct Trial<'a> {
    case: &'a Case<'a>,
    witness: &'a Witness<'a>,
    budget: &'a Budget,
    worker: Worker,
    /// Places on the instrumented library's board: its goals and its edges.
    places: usize,
}

impl<'a> Trial<'a> {
    fn new(
        case: &'a Case<'a>,
        witness: &'a Witness<'a>,
        budget: &'a Budget,
    ) -> Result<Trial<'a>, Fault> {
        let instrumented = case.libraries.instrumented(case.target)?;
        let worker = Worker::start(&instrumented, &case.limits, 1)?;
        let places = instrumented.goals.len() + instrumented.edges;
        Ok(Trial { case, witness, budget, worker, places })
    }

    /// The goals that nobody has settled, as the exploration names them.
    fn open(&self) -> BTreeMap<Goal, GoalId> {
        let standing = self.case.standing();
        let open = match self.case.options.following.every_path {
            true => standing.possible(self.case.target),
            false => standing.unsettled(self.case.target),
        };
        drop(standing);
        let named = |id: GoalId| {
            let goal = self.case.goal(id);
            (Goal { site: goal.site, exception: goal.exception }, id)
        };
        open.into_iter().map(named).collect()
    }

    /// Whether inputs show a goal on the original code. What else they show is noted, too.
    fn shows(&mut self, wanted: GoalId, inputs: &[Given]) -> Result<bool, Fault> {
        let case = self.case;
        let point = point(case, inputs);
        if !case.contract.admits(&point) {
            return Ok(false);
        }
        let unsettled = case.standing().unsettled(case.target);
        let mut best = vec![0; self.places];
        unsettled.iter().for_each(|goal| best[goal.0 as usize] = 1);
        self.worker.points_mut()[..point.len()].copy_from_slice(&point);
        self.worker.begin(1, &best)?;
        let run = self.worker.finish(&self.budget.slice(RUN))?;
        for hit in run.improvements.iter().filter(|one| one.distance == 0) {
            let Some(&id) = unsettled.iter().find(|goal| goal.0 as usize == hit.goal) else {
                continue; // an edge
            };
            let goal = case.goal(id);
            let (site, exception) = (goal.site, goal.exception);
            let record = Some(&hit.record);
            let promise = Promise { site, exception, point: &hit.point, record };
            let found = self.witness.confirm_somehow(&promise)?;
            let mut standing = case.standing();
            standing.search.replays += 1;
            let counts = |it: &Seen| !case.options.stop_at_first || is_first(&it.confirmed);
            match found.filter(counts) {
                Some(Seen { confirmed, as_written }) => {
                    standing.open.remove(&id);
                    let engine = engines::explorer(&case.options.engines);
                    let others = Vec::new();
                    let reached = Reached { confirmed, as_written, engine, harm: None, others };
                    standing.reached.insert(id, reached);
                }
                None => standing.search.refuted += 1,
            }
        }
        Ok(case.standing().reached.contains_key(&wanted))
    }

    /// Keeps inputs that show a goal that others have shown before, if they do.
    fn another(&mut self, id: GoalId, inputs: &[Given]) -> Result<(), Fault> {
        let case = self.case;
        let point = point(case, inputs);
        let known = |reached: &Reached| {
            reached.confirmed.point() == point
                || reached.others.contains(&point)
                || reached.others.len() >= OTHERS
        };
        if case.standing().reached.get(&id).is_none_or(known) {
            return Ok(());
        }
        let goal = case.goal(id);
        let (site, exception) = (goal.site, goal.exception);
        let promise = Promise { site, exception, point: &point, record: None };
        let counts = |it: &Seen| !case.options.stop_at_first || is_first(&it.confirmed);
        let seen = self.witness.confirm_somehow(&promise)?.is_some_and(|seen| counts(&seen));
        let mut standing = case.standing();
        standing.search.replays += 1;
        if let Some(reached) = standing.reached.get_mut(&id).filter(|_| seen) {
            reached.others.push(point);
        }
        Ok(())
    }
}

/// The input vector that an exploration gives.
fn point(case: &Case, inputs: &[Given]) -> Vec<u64> {
    let mut point = vec![0; case.target.input_words];
    let given = inputs.iter().filter(|given| given.how == How::Parameter);
    for (input, given) in case.target.inputs.iter().zip(given) {
        let mut bytes = [0; 16];
        let count = given.bytes.len().min(bytes.len());
        bytes[..count].copy_from_slice(&given.bytes[..count]);
        set_encoding(&mut point, input.word, input.scalar, u128::from_le_bytes(bytes));
    }
    point
}

/// Every path was followed: goals that none of them raises cannot be raised.
fn rule_out(case: &Case, goals: impl Iterator<Item = GoalId>) {
    let said = [
        "operations round to nearest, ties to even",
        "the mathematical library computes as its models say",
        "nothing undefined happens on the way",
    ];
    let mut assumptions: Vec<String> =
        case.target.assumptions.iter().map(|assumption| assumption.text.clone()).collect();
    assumptions.extend(said.map(str::to_owned));
    if case.lowered.for_paths().is_ok_and(|code| !code.flushes) {
        assumptions.push("subnormal numbers are not flushed to zero".to_owned());
    }
    if case.options.stop_at_first {
        assumptions.push("a run ends at its first exception".to_owned());
    }
    assumptions.extend(case.contract.assumptions().map(str::to_owned));
    let engine = engines::explorer(&case.options.engines).to_owned();
    let proof = Arc::new(Proof { engine, assumptions });
    let mut standing = case.standing();
    for goal in goals {
        let why = "every path that comes here was followed, and none can raise it".into();
        standing.open.remove(&goal);
        standing.impossible.insert(goal, Impossible { why, proof: Arc::clone(&proof) });
    }
}

/// Adds what the solver did.
fn tell(case: &Case, asked: &Statistics) {
    let mut standing = case.standing();
    let solver = &mut standing.solver;
    solver.queries += asked.queries;
    solver.sat += asked.satisfiable;
    solver.unsat += asked.unsatisfiable;
    solver.unknown += asked.undecided;
    solver.unsat_over_reals += asked.over_reals;
    solver.seconds += asked.solver_time.as_secs_f64();
}

/// Says of what is still open what ended the exploration.
fn note(case: &Case, stopped_by: &[Gap]) {
    const SEPARATOR: &str = "; exploration was ended by ";
    let mut standing = case.standing();
    for goal in standing.unsettled(case.target) {
        let before = standing.why_open(goal);
        let before = before.split(SEPARATOR).next().unwrap_or_default();
        let why = format!("{before}{SEPARATOR}{}", Gap::list(stopped_by, ", "));
        standing.open.insert(goal, why);
    }
}
