//! The search for inputs with large errors.
//!
//! First quickly, led by what errors could be (condition numbers, no oracle); then closely
//! around what was found, by the errors themselves. What comes out are candidates: the exact
//! run decides.

use super::Case;
use super::meter::Meter;
use super::running::RunningErrors;
use crate::shadow::{Interpreter, Output};
use nanoscope_budget::Budget;
use nanoscope_ieee::Rounding;
use nanoscope_program::{Fault, Scalar};
use nanoscope_search::{Search, Space};
use std::time::{Duration, Instant};

/// Steps of one run.
const STEPS: u64 = 2_000_000;

/// Draws of a coordinate until one is admitted.
const TRIES: u32 = 10_000;

/// Points without a number that are kept for each goal.
const LOST: usize = 3;

/// Points that came nearest to the goals.
#[derive(Clone, Debug, Default)]
pub(super) struct Caught {
    /// For each goal, sites first, then outputs, then ends of domains by site: the reading and the point.
    pub best: Vec<Option<(f64, Vec<u64>)>>,
    /// For each goal, points that end in no number, or turn out differently.
    pub lost: Vec<Vec<Vec<u64>>>,
    /// Runs.
    pub evaluations: u64,
    /// Runs that came to nothing, and why the first did.
    pub stuck: u64,
    pub why: Option<String>,
}

/// How a search goes about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// By the errors themselves.
    pub closely: bool,
    /// At random.
    pub blind: bool,
    pub evaluations: u64,
    pub time: Duration,
    pub seed: u64,
    pub rounding: Rounding,
}

/// Searches from the points of `hints` on.
pub(super) fn pursue(
    case: &Case,
    hints: &[Vec<u64>],
    manner: Manner,
    budget: &Budget,
) -> Result<Caught, Fault> {
    let sites = case.sites.list.len();
    let edges = sites + case.target.outputs.len();
    let goals = edges + sites;
    let space = case.points.space()?;
    let words = space.words();
    let mut draw = Draw::new(space.clone(), manner.seed);
    let mut caught =
        Caught { best: vec![None; goals], lost: vec![Vec::new(); goals], ..Caught::default() };
    let mut search = Search::new(space, goals, &case.target.constants, manner.seed);
    for hint in hints {
        search.hint(hint);
    }
    for site in 0..sites {
        search.defer(site);
        if !case.sites.list[site].has_domain() {
            search.close(edges + site);
        }
    }
    for (at, output) in case.target.outputs.iter().enumerate() {
        if !matches!(output.scalar, Scalar::Float(_)) {
            search.close(sites + at);
        }
    }
    let slice = budget.slice(manner.time);
    let meter = Meter::new(&case.sites, case.options.threshold);
    let mut domain = RunningErrors::new(manner.rounding, meter);
    domain.closely = manner.closely;
    domain.watch.closely = manner.closely;
    let mut machine = Interpreter::new(case.code, domain, STEPS, &slice);
    let start = Instant::now();
    let mut readings = Vec::new();
    if words == 0 {
        caught.evaluations = 1;
        one(case, &mut machine, &[], &mut caught, &mut readings);
        caught.keep(&readings, &[]);
        return Ok(caught);
    }
    let mut points = vec![0u64; words * 256];
    'search: while caught.evaluations < manner.evaluations && start.elapsed() < manner.time {
        let drawn = match manner.blind {
            true => draw.fill(&mut points),
            false => search.fill(&mut points),
        };
        if drawn == 0 {
            break;
        }
        for point in points[..drawn * words].chunks_exact(words) {
            if slice.exhausted() {
                break 'search;
            }
            caught.evaluations += 1;
            if !case.admits(case.points.words(point)) {
                continue;
            }
            one(case, &mut machine, point, &mut caught, &mut readings);
            caught.keep(&readings, point);
            for &(goal, reading) in &readings {
                if reading.is_infinite() {
                    continue;
                }
                let distance = f64::INFINITY.to_bits() - reading.to_bits() + 1;
                if !manner.blind && distance < search.thresholds()[goal] {
                    search.improved(goal, distance, point);
                }
            }
        }
        if !manner.blind && search.stalled() && caught.evaluations > manner.evaluations / 4 {
            break;
        }
    }
    Ok(caught)
}

/// Draws points at random, every admitted encoding alike.
struct Draw {
    space: Space,
    state: u64,
}

impl Draw {
    fn new(space: Space, seed: u64) -> Draw {
        Draw { space, state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    /// Xorshift.
    fn random(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Draws as many points as there is room for.
    fn fill(&mut self, points: &mut [u64]) -> usize {
        let words = self.space.words();
        let dimensions = self.space.dimensions().to_vec();
        let drawn = points.len() / words;
        for point in points.chunks_exact_mut(words) {
            let mut rest = point;
            for dimension in &dimensions {
                let mask = u128::MAX >> (128 - dimension.kind().width());
                let mut tries = 0;
                let bits = loop {
                    let wide = u128::from(self.random()) << 64 | u128::from(self.random());
                    tries += 1;
                    if dimension.admits(wide & mask) {
                        break wide & mask;
                    }
                    if tries == TRIES {
                        break dimension.low();
                    }
                };
                let (mine, after) = std::mem::take(&mut rest).split_at_mut(dimension.words());
                for (word, at) in mine.iter_mut().zip([0, 64]) {
                    *word = (bits >> at) as u64;
                }
                rest = after;
            }
        }
        drawn
    }
}

impl Caught {
    /// Keeps a point where it came nearer than any before.
    fn keep(&mut self, readings: &[(usize, f64)], point: &[u64]) {
        for &(goal, reading) in readings {
            if reading.is_infinite() {
                if self.lost[goal].len() < LOST {
                    self.lost[goal].push(point.to_vec());
                }
            } else if self.best[goal].as_ref().is_none_or(|(best, _)| reading > *best) {
                self.best[goal] = Some((reading, point.to_vec()));
            }
        }
    }
}

/// Runs a point; what was read at the goals that it came by.
fn one(
    case: &Case,
    machine: &mut Interpreter<RunningErrors<Meter>>,
    point: &[u64],
    caught: &mut Caught,
    readings: &mut Vec<(usize, f64)>,
) {
    readings.clear();
    machine.reset(STEPS);
    machine.domain.watch.reset();
    let given = case.points.running(point);
    let outputs = machine.enter(case.target, case.points.words(point), &given);
    let meter = &machine.domain.watch;
    for &site in &meter.touched {
        readings.push((site as usize, meter.readings[site as usize]));
    }
    let edges = case.sites.list.len() + case.target.outputs.len();
    for &(site, reading) in &meter.edges {
        readings.push((edges + site as usize, reading));
    }
    match outputs {
        Ok(outputs) => {
            for (at, output) in outputs.iter().enumerate() {
                if let (Output::Number(running), Scalar::Float(format)) =
                    (output, case.target.outputs[at].scalar)
                {
                    let reading = meter.error(format, running);
                    readings.push((case.sites.list.len() + at, reading));
                }
            }
        }
        Err(why) => {
            caught.stuck += 1;
            caught.why.get_or_insert_with(|| why.why().to_owned());
        }
    }
    readings.retain(|(_, reading)| *reading > 0.0);
}
