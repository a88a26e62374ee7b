//! Reals: what a query says of real numbers, with rounding enclosed.
//!
//! Ariadne (POPL 2013, section 3.3) solves a real relaxation and looks for
//! floats around its solution. Here the relaxation carries the rounding errors
//! with it, so that it serves both ways: over a box of finite floats every
//! term is a polynomial with an error (`taylor.rs`), the assertions are linear
//! inequalities (`relaxation.rs`), and their best point (`linear.rs`) is a
//! candidate to be checked; and where the inequalities have no point, there is
//! no model in the box. Boxes are split until one or the other comes.

mod ariadne;
mod library;
mod linear;
mod relaxation;
mod taylor;

pub use ariadne::Ariadne;

use crate::engine::{Attempt, Engine, Progress};
use crate::propagate::{self, Domain, FloatBox, Network};
use crate::query::{Clues, Query, Reason};
use linear::{Inequality, System};
use nanoscope_budget::Budget;
use nanoscope_ieee::{Operation, Word};
use nanoscope_term::{Model, Op, Term, Value, VariableId, holds};
use relaxation::{Relaxation, Side, number, side};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reals;

impl Engine for Reals {
    fn name(&self) -> &'static str {
        "reals"
    }

    fn begin<'q>(&'q mut self, query: Query<'q>) -> Box<dyn Attempt + 'q> {
        Box::new(Walk {
            query,
            network: None,
            below: query.terms.below(query.assertions),
            variables: query
                .terms
                .variables_below(query.assertions)
                .into_iter()
                .map(|variable| (variable, query.terms.variable_term(variable)))
                .collect(),
            pending: Vec::new(),
            reads_encodings: query
                .terms
                .below(query.assertions)
                .into_iter()
                .any(|term| matches!(query.terms.op(term), Op::Float(Operation::ToBits, _))),
        })
    }
}

/// Contractions of a box before it is split.
const ROUNDS: usize = 6;

struct Walk<'q> {
    query: Query<'q>,
    network: Option<Network<'q>>,
    below: Vec<Term>,
    variables: Vec<(VariableId, Term)>,
    /// The other half of each split above the present box, while it waits.
    pending: Vec<Option<(Term, Domain)>>,
    /// Whether the query looks at the encoding of a float: in one binade, its exponent is known.
    reads_encodings: bool,
}

/// What came of one box.
enum Found {
    Nothing,
    Model(Model),
    /// To be split here.
    Split(Term, [Domain; 2]),
    /// It says nothing about this box.
    Mute,
    OutOfTime,
}

impl Attempt for Walk<'_> {
    fn advance(&mut self, clues: &mut Clues, budget: &Budget) -> Progress {
        if self.network.is_none() {
            let mut network = Network::new(self.query.terms, self.query.assertions);
            for (term, domain) in &clues.domains {
                network.restrict(*term, *domain);
            }
            self.network = Some(network);
        }
        loop {
            if budget.exhausted() {
                return Progress::Paused;
            }
            match self.look(budget) {
                Found::Model(model) => return Progress::Sat(model),
                Found::OutOfTime => return Progress::Paused,
                Found::Mute => {
                    let why = "no box of finite floats to relax".to_string();
                    return Progress::Exhausted(Reason::Incomplete(why));
                }
                Found::Split(term, [first, second]) => {
                    self.pending.push(Some((term, second)));
                    let network = self.network.as_mut().expect("made above");
                    network.push();
                    network.restrict(term, first);
                }
                Found::Nothing => {
                    if !self.turn_back() {
                        return Progress::Unsat;
                    }
                }
            }
        }
    }
}

impl Walk<'_> {
    /// Goes to the next box that waits; false if there is none.
    fn turn_back(&mut self) -> bool {
        let network = self.network.as_mut().expect("a walk that began");
        while let Some(waiting) = self.pending.pop() {
            network.pop();
            if let Some((term, domain)) = waiting {
                self.pending.push(None);
                network.push();
                network.restrict(term, domain);
                return true;
            }
        }
        false
    }

    /// Contracts the present box, tries its best point, and says how to split.
    fn look(&mut self, budget: &Budget) -> Found {
        for round in 0.. {
            let network = self.network.as_mut().expect("a walk that began");
            match network.propagate(budget) {
                propagate::Propagated::Contradiction => return Found::Nothing,
                propagate::Propagated::Interrupted => return Found::OutOfTime,
                propagate::Propagated::Settled => {}
            }
            let sides: Vec<Side> = self
                .variables
                .iter()
                .filter_map(|(_, term)| side(network, *term))
                .filter(|side| side.low < side.high)
                .collect();
            if sides.len() > taylor::MOST_VARIABLES {
                return Found::Mute;
            }
            let most = match sides.len() {
                0..=2 => 4,
                3..=5 => 3,
                _ => 2,
            };
            let Some(relaxation) = Relaxation::new(network, &self.below, &sides, most, budget)
            else {
                return Found::OutOfTime;
            };
            let rows = relaxation.inequalities(self.query.assertions, sides.len());
            if rows.is_empty() {
                return if sides.is_empty() { self.last_point() } else { Found::Mute };
            }
            let system: Vec<Inequality> = rows.iter().map(|(row, _)| row.clone()).collect();
            if let System::Best(point) = linear::solve(&system, sides.len()) {
                if let Some(model) = self.candidate(&sides, &point) {
                    return Found::Model(model);
                }
            } else {
                return Found::Nothing;
            }
            let network = self.network.as_mut().expect("a walk that began");
            if round < ROUNDS && contract(network, &sides, &system) {
                continue;
            }
            return match choose(&sides, &rows, self.reads_encodings) {
                Some((term, halves)) => Found::Split(term, halves),
                None => self.last_point(),
            };
        }
        Found::Nothing
    }

    /// One point is left of the sides; other variables may have more.
    fn last_point(&mut self) -> Found {
        if let Some(model) = self.candidate(&[], &[]) {
            return Found::Model(model);
        }
        let network = self.network.as_ref().expect("a walk that began");
        if self.variables.iter().all(|(_, term)| network.domain(*term).is_single()) {
            Found::Nothing
        } else {
            Found::Mute
        }
    }

    /// The floats nearest to a point of the cube, if they are a model.
    fn candidate(&self, sides: &[Side], point: &[f64]) -> Option<Model> {
        let network = self.network.as_ref().expect("a walk that began");
        let terms = self.query.terms;
        let mut model = Model::new();
        for (variable, term) in &self.variables {
            let domain = network.domain(*term);
            let value = match (domain.value(), domain) {
                (Some(value), _) => value,
                (None, Domain::Float(grid, floats)) => {
                    let place = match sides.iter().position(|side| side.term == *term) {
                        Some(at) => {
                            nearest(&sides[at], sides[at].centre + sides[at].radius * point[at])
                        }
                        None if floats.numbers.contains(0) => 0,
                        None => floats.numbers.lo,
                    };
                    let width = grid.format().width();
                    Value::float(grid.format(), Word::new(width, grid.encode(place)))
                }
                (None, Domain::Bits(bits)) => Value::bits(bits.width, bits.lo),
                (None, Domain::Bool(_) | Domain::Rounding(_) | Domain::Untracked) => {
                    terms.default_value(terms.variable_sort(*variable))
                }
            };
            model.set(*variable, value);
        }
        holds(terms, &model, self.query.assertions).then_some(model)
    }
}

/// The place of a side nearest to a number.
fn nearest(side: &Side, value: f64) -> i128 {
    let format = side.grid.format();
    let wide =
        nanoscope_ieee::Float::from_bits(nanoscope_ieee::Format::BINARY64, value.to_bits().into());
    let (float, _) = wide.convert(format, nanoscope_ieee::Rounding::NearestEven);
    let place = float.to_bits().and_then(|bits| side.grid.decode(bits)).unwrap_or(side.low);
    place.clamp(side.low, side.high)
}

/// Takes from the sides what no inequality allows; whether that was much.
fn contract(network: &mut Network, sides: &[Side], system: &[Inequality]) -> bool {
    let mut ends: Vec<(f64, f64)> = vec![(-1.0, 1.0); sides.len()];
    for row in system {
        let size: f64 = row.slopes.iter().map(|slope| slope.abs()).sum();
        // What rounding may have lost, in any of the sums below.
        let slack = (size + row.bound.abs()) * f64::EPSILON * (sides.len() as f64 + 8.0);
        for (index, slope) in row.slopes.iter().enumerate() {
            if slope.abs() <= f64::MIN_POSITIVE {
                continue;
            }
            // slope * x <= bound - the least of all others
            let room = row.bound + (size - slope.abs()) + slack;
            let end = room / slope;
            let end = end + end.abs() * f64::EPSILON * end.signum() * slope.signum();
            if *slope > 0.0 {
                ends[index].1 = ends[index].1.min(end + 1e-12);
            } else {
                ends[index].0 = ends[index].0.max(end - 1e-12);
            }
        }
    }
    let mut much = false;
    for (side, (low, high)) in sides.iter().zip(ends) {
        if low <= -1.0 && high >= 1.0 {
            continue;
        }
        much |= high - low < 1.6;
        // In numbers, outward.
        let outward = side.radius * 1e-12 + side.centre.abs() * 2.0 * f64::EPSILON;
        let place = |at: f64, fallback: i128, step: i128| {
            let value = side.centre + side.radius * at + outward * step as f64;
            let place = nearest(side, value) + step;
            if at.abs() <= 1.0 { place } else { fallback }
        };
        if low > high {
            network.restrict(side.term, Domain::Float(side.grid, FloatBox::EMPTY));
            return true;
        }
        let lowest = if low > -1.0 { place(low, side.low, -1) } else { side.low };
        let highest = if high < 1.0 { place(high, side.high, 1) } else { side.high };
        let left = FloatBox::numbers(lowest.max(side.low), highest.min(side.high));
        network.restrict(side.term, Domain::Float(side.grid, left));
    }
    much
}

/// The side that the inequalities feel most, and its halves.
fn choose(
    sides: &[Side],
    rows: &[(Inequality, f64)],
    by_binades: bool,
) -> Option<(Term, [Domain; 2])> {
    let weight = |index: usize| -> f64 {
        rows.iter()
            .map(|(row, rest)| {
                let size: f64 = row.slopes.iter().map(|slope| slope.abs()).sum();
                (row.slopes[index].abs() + rest / sides.len() as f64)
                    / (size + rest + f64::MIN_POSITIVE)
            })
            .sum()
    };
    let best = (0..sides.len())
        .filter(|index| sides[*index].low < sides[*index].high)
        .max_by(|a, b| weight(*a).total_cmp(&weight(*b)))?;
    let side = &sides[best];
    let (low, high) = (number(side.grid, side.low), number(side.grid, side.high));
    // In the middle of the numbers where they are of one size, of the floats
    // where they are not.
    let alike = low.signum() == high.signum()
        && low.abs().max(high.abs()) < 8.0 * low.abs().min(high.abs());
    let binade = by_binades.then(|| binade_end(side)).flatten();
    let middle = if let Some(binade) = binade {
        binade
    } else if alike || low.signum() != high.signum() {
        nearest(side, side.centre).clamp(side.low, side.high - 1)
    } else {
        side.low + (side.high - side.low) / 2
    };
    let halves = [FloatBox::numbers(side.low, middle), FloatBox::numbers(middle + 1, side.high)];
    Some((side.term, halves.map(|half| Domain::Float(side.grid, half))))
}

/// The last place before a power of two about the middle of a side; none if it is in one binade.
fn binade_end(side: &Side) -> Option<i128> {
    let fraction = side.grid.format().fraction_bits();
    let last = |low: i128, high: i128| {
        let middle = low.midpoint(high) >> fraction << fraction;
        let next = ((low >> fraction) + 1) << fraction;
        let first = if middle > low { middle } else { next };
        (first <= high).then_some(first - 1)
    };
    match (side.low < 0, side.high < 0) {
        (false, false) => last(side.low, side.high),
        // Negative numbers are the complements of their opposites.
        (true, true) => last(!side.high, !side.low).map(|end| !(end + 1)),
        (true, false) | (false, true) => None,
    }
}
