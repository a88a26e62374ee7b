//! Search: models by minimising how many ulps the assertions fail by.
//!
//! Two searches share the evaluations and what they find. One is `search`'s,
//! which knows points and distances only: boundary values, ulp moves, secants,
//! restarts. The other walks: from a point it pulls (`pull`) the wishes of
//! failing assertions back to variables, and goes to the best of what comes of
//! that, sometimes uphill. Neither can tell that there is no model.

mod congruence;
mod kernels;
mod pull;
mod random;
mod tape;

pub(crate) use random::Random;

use crate::engine::{Attempt, Engine, Progress};
use crate::propagate::{Domain, FloatBox, Grid};
use crate::query::{Clues, Query, Reason};
use kernels::LANES;
use nanoscope_budget::Budget;
use nanoscope_ieee::Format;
use nanoscope_search::{Dimension, Search as Minimiser, Space};
use nanoscope_term::{Model, Sort, Value, holds};
use pull::Pull;
use tape::Tape;

/// The engine.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Start of all random choices.
    pub seed: u64,
}

impl Default for Search {
    fn default() -> Search {
        Search { seed: 1 }
    }
}

impl Engine for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    /// Chance needs tries.
    fn share(&self) -> u32 {
        2
    }

    fn begin<'q>(&'q mut self, query: Query<'q>) -> Box<dyn Attempt + 'q> {
        Box::new(Hunt { query, seed: self.seed, state: None, evaluations: 0 })
    }
}

/// Points that the walk may try without coming nearer.
const PATIENCE: u32 = 200;
/// Hits that the evaluator does not confirm before the distance is given up on.
const MOST_REFUTATIONS: u32 = 100;

struct Hunt<'q> {
    query: Query<'q>,
    seed: u64,
    state: Option<Chase<'q>>,
    evaluations: u64,
}

struct Chase<'q> {
    tape: Tape,
    pull: Pull<'q>,
    space: Space,
    minimiser: Minimiser,
    random: Random,
    points: Vec<u64>,
    walker: Option<Walker>,
    idle: u32,
    refutations: u32,
}

/// Where the walk is.
struct Walker {
    point: Vec<u64>,
    /// The tape's registers there.
    column: Vec<u64>,
    distance: u64,
    best: u64,
}

impl Attempt for Hunt<'_> {
    fn advance(&mut self, clues: &mut Clues, budget: &Budget) -> Progress {
        if self.state.is_none() {
            match Chase::new(self.query, clues, self.seed) {
                Ok(chase) => self.state = Some(chase),
                Err(why) => return Progress::Exhausted(Reason::Incomplete(why)),
            }
        }
        let chase = self.state.as_mut().expect("made above");
        if chase.tape.variables.is_empty() {
            let model = Model::new();
            return if holds(self.query.terms, &model, self.query.assertions) {
                Progress::Sat(model)
            } else {
                Progress::Exhausted(Reason::Incomplete("nothing to search".to_string()))
            };
        }
        let start = self.evaluations;
        while !budget.exhausted_after(self.evaluations - start) {
            self.evaluations += LANES as u64;
            if let Some(point) = chase.batch() {
                let model = chase.model(self.query, &point);
                if holds(self.query.terms, &model, self.query.assertions) {
                    return Progress::Sat(model);
                }
                // The tape and the evaluator differ: only where a result is
                // left open to the machine, as of libm.
                chase.minimiser.ban(0, &point);
                chase.refutations += 1;
                if chase.refutations > MOST_REFUTATIONS {
                    let why = "the machine and the evaluator differ".to_string();
                    return Progress::Exhausted(Reason::Incomplete(why));
                }
            }
        }
        if let Some((_, point)) = chase.minimiser.best(0) {
            clues.nearest = Some(chase.model(self.query, point));
        }
        Progress::Paused
    }
}

impl<'q> Chase<'q> {
    fn new(query: Query<'q>, clues: &Clues, seed: u64) -> Result<Chase<'q>, String> {
        let tape = Tape::new(&query)?;
        let terms = query.terms;
        let dimension = |sort: Sort, known: Option<&FloatBox>| match sort {
            Sort::Bool => Dimension::integer(1, false),
            Sort::Bits(width) => Dimension::integer(width, false),
            Sort::Rounding => Dimension::integer(3, false).within(0, 4).expect("five modes"),
            Sort::Float(format) => float_dimension(format, known),
            Sort::Array(_) => unreachable!("the tape refuses arrays"),
        };
        let dimensions = tape.variables.iter().map(|(variable, _)| {
            let known = match clues.domains.get(&terms.variable_term(*variable)) {
                Some(Domain::Float(_, floats)) => Some(floats),
                Some(
                    Domain::Bool(_) | Domain::Bits(_) | Domain::Rounding(_) | Domain::Untracked,
                )
                | None => None,
            };
            dimension(terms.variable_sort(*variable), known)
        });
        let space = Space::new(dimensions.collect());
        let constants: Vec<f64> = terms
            .below(query.assertions)
            .into_iter()
            .filter_map(|term| terms.value(term))
            .filter_map(|value| value.to_f64().or_else(|| value.to_f32().map(f64::from)))
            .filter(|constant| constant.is_finite())
            .collect();
        let mut minimiser = Minimiser::new(space.clone(), 1, &constants, seed);
        for model in [&clues.hint, &clues.nearest].into_iter().flatten() {
            let words = tape.variables.iter();
            let words: Vec<u64> =
                words.map(|(variable, _)| tape::word(&model.get(terms, *variable))).collect();
            minimiser.hint(&words);
        }
        let pull = Pull::new(terms, query.assertions, &tape);
        Ok(Chase {
            points: vec![0; LANES * space.words()],
            tape,
            pull,
            space,
            minimiser,
            random: Random::new(seed),
            walker: None,
            idle: 0,
            refutations: 0,
        })
    }

    /// Evaluates one batch of points, half of either search's; a point at
    /// distance 0 if there is one.
    fn batch(&mut self) -> Option<Vec<u64>> {
        let words = self.space.words();
        let walking = if self.walker.is_some() { LANES / 2 } else { 0 };
        let (walked, drawn) = self.points.split_at_mut(walking * words);
        if let Some(walker) = &self.walker {
            for point in walked.chunks_exact_mut(words) {
                point.copy_from_slice(&walker.point);
                for _ in 0..1 + self.random.below(2) * self.random.below(3) {
                    let move_ = self.pull.draw(&self.tape, &walker.column, &mut self.random);
                    if let Some((place, value)) = move_ {
                        point[place] = value;
                    }
                }
            }
        }
        self.minimiser.fill(drawn);
        for variable in 0..words {
            let lanes = self.tape.input(variable);
            for (lane, point) in self.points.chunks_exact(words).enumerate() {
                lanes[lane] = point[variable];
            }
        }
        let distances = *self.tape.run();
        let mut nearest: Option<usize> = None;
        for (lane, point) in self.points.chunks_exact(words).enumerate() {
            let distance = distances[lane];
            if distance == 0 {
                return Some(point.to_vec());
            }
            if distance < self.minimiser.thresholds()[0] {
                self.minimiser.improved(0, distance, point);
            }
            if lane < walking && nearest.is_none_or(|other| distance < distances[other]) {
                nearest = Some(lane);
            }
        }
        self.walk(nearest, &distances);
        None
    }

    /// Goes on from the nearest of the walk's points, or begins anew.
    fn walk(&mut self, nearest: Option<usize>, distances: &[u64; LANES]) {
        let words = self.space.words();
        let next = match (&self.walker, nearest) {
            (None, _) => {
                self.idle = 0;
                // From the best of what was drawn, or from anywhere.
                (0..LANES).min_by_key(|lane| distances[*lane])
            }
            (Some(walker), Some(lane)) => {
                let moves = distances[lane] < walker.distance
                    || distances[lane] == walker.distance && self.random.below(2) == 0
                    || self.random.below(8) == 0;
                moves.then_some(lane)
            }
            (Some(_), None) => None,
        };
        let Some(lane) = next else {
            self.idle += 1;
            if self.idle > PATIENCE {
                self.walker = None;
            }
            return;
        };
        let distance = distances[lane];
        let best = self.walker.as_ref().map_or(distance, |walker| walker.best.min(distance));
        let nearer = self.walker.as_ref().is_none_or(|walker| distance < walker.best);
        self.idle = if nearer { 0 } else { self.idle + 1 };
        self.walker = (self.idle <= PATIENCE).then(|| Walker {
            point: self.points[lane * words..(lane + 1) * words].to_vec(),
            column: self.tape.column(lane),
            distance,
            best,
        });
    }

    fn model(&self, query: Query, point: &[u64]) -> Model {
        let mut model = Model::new();
        for ((variable, _), word) in self.tape.variables.iter().zip(point) {
            let value: Value = tape::value(query.terms.variable_sort(*variable), *word);
            model.set(*variable, value);
        }
        model
    }
}

/// The floats of a format, within what is known of them.
fn float_dimension(format: Format, known: Option<&FloatBox>) -> Dimension {
    let all = Dimension::float(format);
    let (Some(known), Some(grid)) = (known, Grid::new(format)) else {
        return all.with_specials(true);
    };
    let finite = known.numbers.meet(grid.finite());
    let specials = known.nan || finite != known.numbers;
    if finite.is_empty() {
        return all.with_specials(true);
    }
    all.within(grid.encode(finite.lo), grid.encode(finite.hi))
        .unwrap_or(all)
        .with_specials(specials)
}
