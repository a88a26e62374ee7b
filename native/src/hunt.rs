//! Native search: many runs of the instrumented code, ever nearer to the goals of a
//! target. A point that hits a goal is a candidate until the caller has judged it.

use crate::pace::Pace;
use crate::sandbox::Sandbox;
use crate::worker::{Batch, Casualty, Improvement, Late, Worker};
use crate::{Death, Limits, Observer, Record, processor_time};
use nanoscope_budget::Budget;
use nanoscope_program::{Fault, GoalId, Instrumented, Scalar, Target};
use nanoscope_search::{Dimension, Search, Space};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How to search.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// The same seed, jobs and number of evaluations give the same points.
    pub seed: u64,
    /// Processes that run at once, at least one.
    pub jobs: usize,
    /// What a run may use.
    pub limits: Limits,
    /// Points to begin with: models of a solver, the user's own.
    pub hints: Vec<Vec<u64>>,
    /// Goals of the target that are not asked: settled already.
    pub settled: Vec<GoalId>,
    /// Goals that matter less than the others: known to happen elsewhere.
    pub minor: Vec<GoalId>,
    /// Whether to end when no goal has come nearer for long.
    pub until_stalled: bool,
    /// Which points of the space may be run; none: all.
    pub admission: Option<Admission>,
    /// Processor time to spend: of this thread, its workers, and whatever the judge forks.
    pub processor: Option<Allowance>,
}

/// Tells whether a search may go on that has spent so much processor time, and for so much of
/// it has confirmed nothing that matters.
#[derive(Clone)]
pub struct Allowance(Arc<GoesOn>);

type GoesOn = dyn Fn(Duration, Duration) -> bool + Send + Sync;

impl Allowance {
    /// From a function of the time spent and the time since something was confirmed.
    pub fn new(goes_on: impl Fn(Duration, Duration) -> bool + Send + Sync + 'static) -> Allowance {
        Allowance(Arc::new(goes_on))
    }

    /// So much, whatever comes of it.
    pub fn of(time: Duration) -> Allowance {
        Allowance::new(move |spent, _| spent < time)
    }
}

impl fmt::Debug for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Allowance")
    }
}

/// Tells which points may be run: what the user assumes of several inputs together.
#[derive(Clone)]
pub struct Admission(Arc<Admits>);

type Admits = dyn Fn(&[u64]) -> bool + Send + Sync;

impl Admission {
    /// From a function of the input vector.
    pub fn new(admits: impl Fn(&[u64]) -> bool + Send + Sync + 'static) -> Admission {
        Admission(Arc::new(admits))
    }

    /// Whether a point may be run.
    pub fn admits(&self, point: &[u64]) -> bool {
        (self.0)(point)
    }
}

impl fmt::Debug for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Admission")
    }
}

impl Default for Hunt {
    fn default() -> Hunt {
        Hunt {
            seed: 1,
            jobs: 1,
            limits: Limits::default(),
            hints: Vec::new(),
            settled: Vec::new(),
            minor: Vec::new(),
            until_stalled: true,
            admission: None,
            processor: None,
        }
    }
}

/// A point whose instrumented run hit a goal.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The goal.
    pub goal: GoalId,
    /// The point.
    pub point: &'a [u64],
    /// What the goal's place was given and gave: operands, then the result, two words each.
    pub record: &'a Record,
    /// What else was hit by this point that will be asked next: who replays it may look for
    /// all of it.
    pub also: &'a [(GoalId, Record)],
    /// Loop iterations within which it happened.
    pub fuel: i64,
}

/// How the caller judges candidates.
pub type Judge<'a> = &'a mut dyn FnMut(&Candidate) -> Result<Judgement, Fault>;

/// What the caller says of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It does what it promised: the goal is closed.
    Confirmed,
    /// It does not: the goal is taken up again, without that point (unless that has
    /// happened too often).
    Refuted,
}

/// What became of a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pursuit {
    /// The goal.
    pub goal: GoalId,
    /// Whether a candidate was confirmed.
    pub confirmed: bool,
    /// How many were refuted: with many, the distance is not to be trusted, and the
    /// goal was given up.
    pub refuted: u32,
    /// The nearest point and its distance; the confirmed one if there is one. None
    /// when the goal's site was never reached.
    pub best: Option<(u64, Vec<u64>)>,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every goal is confirmed (or there was none).
    AllConfirmed,
    /// No open goal has come nearer for long.
    Stalled,
    /// The budget was used up.
    Budget,
}

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Catch {
    /// For every goal of the target that was asked, in order.
    pub pursuits: Vec<Pursuit>,
    /// The sides of branches that were taken, of how many.
    pub edges: (usize, usize),
    /// Points run.
    pub evaluations: u64,
    /// Runs that ended early: out of fuel, or at a missing function.
    pub stopped: u64,
    /// Of those with all the fuel.
    pub longest: Longest,
    /// Runs that aborted, or divided an integer by zero.
    pub aborted: u64,
    /// How often each way to die happened.
    pub deaths: BTreeMap<Death, u64>,
    /// The first casualties of each way to die.
    pub casualties: Vec<Casualty>,
    /// Why it ended.
    pub ended: Ended,
    /// What protected the machine.
    pub sandbox: Sandbox,
}

/// The runs that had all the fuel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Longest {
    runs: u64,
    stopped: u64,
}

impl Longest {
    fn note(&mut self, all: bool, runs: u64, stopped: u64) {
        if all {
            self.runs += runs;
            self.stopped += stopped;
        }
    }
}

impl Catch {
    /// How many runs looped too long: of those with all the fuel; where none had, of all.
    pub fn endless(&self) -> u64 {
        if self.longest.runs > 0 { self.longest.stopped } else { self.stopped }
    }
}

/// After so many refutations a goal's distance is wrong about this program, and every
/// further candidate would only cost a replay.
const REFUTATIONS: u32 = 16;

/// A run that does not end by itself with all its fuel may cost its judge a process: so many
/// hits of such runs are let go for a better one.
const PUT_OFF: u32 = 1;

/// The casualties kept of each way to die.
const KEPT: u64 = 8;

/// So many batches without one point that may be run: there is hardly any.
const BARREN: u32 = 256;

/// Searches for points that hit the goals of `instrumented.target`. Every hit is
/// shown to `judge` at once.
pub fn search_goals(
    instrumented: &Instrumented,
    hunt: &Hunt,
    budget: &Budget,
    judge: Judge<'_>,
) -> Result<Catch, Fault> {
    search_goals_observed(instrumented, instrumented.probes.clone(), hunt, budget, judge)
}

/// The same with another opinion on what is near to a goal than the library's.
pub fn search_goals_observed(
    instrumented: &Instrumented,
    observer: Arc<dyn Observer>,
    hunt: &Hunt,
    budget: &Budget,
    judge: Judge<'_>,
) -> Result<Catch, Fault> {
    let target = &instrumented.target;
    let asked: Vec<GoalId> =
        target.goals.iter().copied().filter(|goal| !hunt.settled.contains(goal)).collect();
    let mut field = Field::new(instrumented, asked, hunt.seed)?;
    for goal in &hunt.minor {
        if let Some(&place) = field.places.get(&(goal.0 as usize)) {
            field.search.defer(place);
        }
    }
    for hint in hunt.hints.iter().filter(|hint| hint.len() == target.input_words) {
        field.search.hint(hint);
    }
    let largest = 4096;
    let mut workers = Vec::new();
    for _ in 0..hunt.jobs.max(1) {
        let observer = observer.clone();
        workers.push(Worker::with_observer(instrumented, observer, &hunt.limits, largest)?);
    }
    field.catch.sandbox = workers[0].sandbox();
    field.run(&mut workers, hunt, budget, judge)?;
    Ok(field.tell())
}

/// The state of a search: the points' source, and how its goals are numbered.
struct Field {
    search: Search,
    /// The library's numbers of the search's goals: the target's, then its edges.
    numbers: Vec<usize>,
    /// The search's numbers of the library's goals.
    places: BTreeMap<usize, usize>,
    asked: Vec<GoalId>,
    confirmed: Vec<Option<Vec<u64>>>,
    /// For every goal of the library the distance to beat.
    best: Vec<u64>,
    /// Points drawn, which the budget counts; ahead of those run.
    drawn: u64,
    pace: Pace,
    /// For every goal asked, how many hits were not shown to the judge.
    put_off: Vec<u32>,
    /// Whether a goal that matters was confirmed lately.
    news: bool,
    catch: Catch,
}

impl Field {
    fn new(instrumented: &Instrumented, asked: Vec<GoalId>, seed: u64) -> Result<Field, Fault> {
        let target = &instrumented.target;
        let mut numbers: Vec<usize> = asked.iter().map(|goal| goal.0 as usize).collect();
        numbers.extend(&target.edges);
        let asked_count = asked.len();
        Ok(Field {
            search: Search::new(space(target)?, numbers.len(), &instrumented.constants, seed),
            places: numbers.iter().enumerate().map(|(place, number)| (*number, place)).collect(),
            best: vec![0; instrumented.goals.len() + instrumented.edges],
            confirmed: vec![None; asked.len()],
            numbers,
            asked,
            drawn: 0,
            pace: Pace::default(),
            put_off: vec![0; asked_count],
            news: false,
            catch: Catch {
                pursuits: Vec::new(),
                edges: (0, target.edges.len()),
                evaluations: 0,
                stopped: 0,
                longest: Longest::default(),
                aborted: 0,
                deaths: BTreeMap::new(),
                casualties: Vec::new(),
                ended: Ended::Budget,
                sandbox: Sandbox { landlock: false, seccomp: false },
            },
        })
    }

    /// Each worker in turn: draw another batch for it, then take in what came of the one
    /// before. It has the next to run at once, so neither side waits for the other's
    /// waking up. What happens depends on the order only, which is fixed, never on which
    /// worker is quicker.
    fn run(
        &mut self,
        workers: &mut [Worker],
        hunt: &Hunt,
        budget: &Budget,
        judge: Judge<'_>,
    ) -> Result<(), Fault> {
        let begun = processor_time();
        let mut latest = Duration::ZERO;
        loop {
            let mut idle = true;
            if let Some(Allowance(goes_on)) = &hunt.processor {
                let of_workers: Duration = workers.iter().map(Worker::processor_time).sum();
                let spent = (processor_time() + of_workers).saturating_sub(begun);
                if std::mem::take(&mut self.news) {
                    latest = spent;
                }
                if !goes_on(spent, spent.saturating_sub(latest)) {
                    return Ok(());
                }
            }
            for worker in workers.iter_mut() {
                if self.confirmed.iter().all(Option::is_some) {
                    self.catch.ended = Ended::AllConfirmed;
                    return Ok(());
                }
                if hunt.until_stalled && self.stalled() {
                    self.catch.ended = Ended::Stalled;
                    return Ok(());
                }
                if budget.exhausted() {
                    return Ok(());
                }
                let running = worker.begun() > 0;
                let drawn = self.draw(worker, hunt, budget);
                if drawn > 0 {
                    self.set_best();
                    let fuel = self.pace.begin(hunt.limits.fuel);
                    worker.begin_with(drawn, &self.best, fuel, Pace::MOST)?;
                }
                if running {
                    let batch = worker.finish(budget)?;
                    let all = self.pace.finished(batch.evaluations, batch.burnt, batch.stopped);
                    self.catch.longest.note(all, batch.evaluations, batch.stopped);
                    self.take_in(batch, hunt.limits.fuel, judge)?;
                }
                idle &= !running && drawn == 0;
            }
            if idle {
                // All that could be drawn was: the budget's, or a space of one point.
                if self.search.space().words() == 0 {
                    self.catch.ended = Ended::Stalled;
                }
                return Ok(());
            }
        }
    }

    /// Writes the next batch into the worker's idle buffer.
    fn draw(&mut self, worker: &mut Worker, hunt: &Hunt, budget: &Budget) -> usize {
        let left = budget.evaluations.map_or(u64::MAX, |all| all.saturating_sub(self.drawn));
        let words = self.search.space().words();
        let room = self.pace.room(hunt.limits.fuel);
        let wanted = left.min(self.search.suggested_batch().min(room) as u64) as usize;
        let drawn = match words {
            0 => usize::from(self.drawn == 0).min(wanted),
            _ if wanted == 0 => 0,
            _ => {
                let buffer = worker.points_mut();
                let wanted = (wanted * words).min(buffer.len());
                match &hunt.admission {
                    None => self.search.fill(&mut buffer[..wanted]),
                    Some(admission) => self.fill_admitted(&mut buffer[..wanted], admission, budget),
                }
            }
        };
        self.drawn += drawn as u64;
        drawn
    }

    /// Draws until a batch has points that may be run, and moves these to its front.
    fn fill_admitted(
        &mut self,
        buffer: &mut [u64],
        admission: &Admission,
        budget: &Budget,
    ) -> usize {
        let words = self.search.space().words();
        for _ in 0..BARREN {
            let drawn = self.search.fill(buffer);
            let mut kept = 0;
            for at in 0..drawn {
                let point = at * words..(at + 1) * words;
                if admission.admits(&buffer[point.clone()]) {
                    buffer.copy_within(point, kept * words);
                    kept += 1;
                }
            }
            if kept > 0 || drawn == 0 || budget.exhausted() {
                return kept;
            }
        }
        0
    }

    fn set_best(&mut self) {
        for (number, threshold) in self.numbers.iter().zip(self.search.thresholds()) {
            self.best[*number] = *threshold;
        }
    }

    fn take_in(&mut self, batch: Batch, fuel: i64, judge: Judge<'_>) -> Result<(), Fault> {
        self.catch.evaluations += batch.evaluations;
        self.catch.stopped += batch.stopped;
        self.catch.aborted += batch.aborted;
        for casualty in batch.casualties {
            let deaths = self.catch.deaths.entry(casualty.how).or_default();
            *deaths += 1;
            if *deaths <= KEPT {
                self.catch.casualties.push(casualty);
            }
        }
        let mut hits: Vec<(usize, Improvement)> = Vec::new();
        for improvement in batch.improvements {
            let Some(&place) = self.places.get(&improvement.goal) else { continue };
            let distance = improvement.distance;
            if !self.search.improved(place, distance, &improvement.point) || distance > 0 {
                continue;
            }
            if place >= self.asked.len() {
                continue; // an edge: no more to ask
            }
            // With more fuel, the run may well have ended by itself.
            let endless = match improvement.late {
                None => false,
                Some(Late::Fuel) => batch.fuel >= fuel,
                Some(Late::Aborted) => true,
            };
            if endless && self.put_off[place] < PUT_OFF {
                self.put_off[place] += 1;
                self.search.put_off(place);
                continue;
            }
            hits.push((place, improvement));
        }
        // What one run did is judged together.
        hits.sort_by_key(|(_, hit)| hit.index);
        for hits in hits.chunk_by(|(_, one), (_, two)| one.index == two.index) {
            let all: Vec<(GoalId, Record)> =
                hits.iter().map(|(place, hit)| (self.asked[*place], hit.record)).collect();
            for (at, (place, hit)) in hits.iter().enumerate() {
                let (goal, point, fuel) = (self.asked[*place], &hit.point, batch.fuel);
                let (record, also) = (&hit.record, &all[at + 1..]);
                let judgement = judge(&Candidate { goal, point, record, also, fuel })?;
                self.hear(*place, point, judgement);
            }
        }
        Ok(())
    }

    fn hear(&mut self, place: usize, point: &[u64], judgement: Judgement) {
        match judgement {
            Judgement::Confirmed => {
                self.confirmed[place] = Some(point.to_vec());
                self.search.close(place);
                self.news |= !self.search.is_deferred(place);
            }
            Judgement::Refuted => {
                self.search.ban(place, point);
                if self.search.refutations(place) >= REFUTATIONS {
                    self.search.close(place);
                }
            }
        }
    }

    /// Whether all goals that count are given up. Edges are a means, not an end.
    fn stalled(&self) -> bool {
        (0..self.asked.len()).all(|place| self.search.stalled_at(place))
    }

    fn tell(mut self) -> Catch {
        for (place, goal) in self.asked.iter().enumerate() {
            let confirmed = self.confirmed[place].take();
            let best = self.search.best(place).map(|(distance, point)| (distance, point.to_vec()));
            self.catch.pursuits.push(Pursuit {
                goal: *goal,
                confirmed: confirmed.is_some(),
                refuted: self.search.refutations(place),
                best: confirmed.map(|point| (0, point)).or(best),
            });
        }
        let edges = self.asked.len()..self.numbers.len();
        let is_taken = |place: &usize| self.search.best(*place).is_some_and(|best| best.0 == 0);
        self.catch.edges.0 = edges.filter(is_taken).count();
        self.catch
    }
}

/// The space of a target's inputs.
pub fn space(target: &Target) -> Result<Space, Fault> {
    let mut inputs: Vec<_> = target.inputs.iter().collect();
    inputs.sort_by_key(|input| input.word);
    let mut dimensions = Vec::new();
    for input in inputs {
        let dimension = match input.scalar {
            Scalar::Float(format) => Dimension::float(format),
            Scalar::Integer { bits, signed } => Dimension::integer(bits, signed),
        };
        let within = dimension.within(input.low, input.high).map_err(|_| {
            Fault::User(format!("the range of input {} is empty: give a larger one", input.name))
        })?;
        dimensions.push(within.with_specials(input.specials));
    }
    let space = Space::new(dimensions);
    if space.words() != target.input_words {
        let (words, expected) = (space.words(), target.input_words);
        let function = &target.function;
        return Err(Fault::Internal(format!(
            "the inputs of {function} take {words} words of {expected}"
        )));
    }
    Ok(space)
}
