//! Linear recurrences: where the states of `p' = A p + w` are, in any round.
//!
//! For any row `v` and any rows `v_0 = v, v_1, …`,
//!
//! ```text
//! v p_n = v_k p_(n-k) + sum of (v_j w_(n-j-1) + (v_j A - v_(j+1)) p_(n-j-1)) for j < k
//! ```
//!
//! With `v_(j+1)` the rounded `v_j A`, the second part is tiny. If all states so far are in a box
//! `T`, the right side bounds the next one: the input's impulse response, summed in magnitude,
//! and what is left of a state `k` rounds ago. A box that includes what it gives is invariant.
//! Where the recurrence is stable, `v_k` vanishes; where it is not, the number of rounds may be
//! bounded.
//!
//! A loop has a step for each trace through it. Any of them may be taken for a reset: its states
//! are those that it makes of the box, and the others go on from there. Where several matrices take
//! turns, or factors are ranges, the states may be in an ellipsoid (`ellipsoid.rs`).
//!
//! A flag or a small counter may say which matrix a round has: the mode. A state `p` in mode `m` is
//! then a longer vector with a block for each mode, `p` in block `m` and zeros in the others. A round
//! from mode `m` to mode `n` takes block `m` to block `n`. All other blocks are zero, so that one
//! matrix does for the rounds of all modes: where a flag alternates, the recurrence has one matrix again.

use crate::domain::ellipsoid::{Ellipsoid, Matrix, is_wide};
use crate::domain::linear_form::{Bounds, Form};
use crate::policy::{LONGEST_RESPONSE, MOST_MODE_STEPS, MOST_OBSERVED_ROWS};
use std::cell::RefCell;
use std::rc::Rc;

/// An atom of a form: a variable of the loop as it was at the head, or an input of the round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Atom {
    Variable(usize),
    Input(u32),
}

/// The rounds that begin in one mode.
pub struct Mode {
    /// For each trace, the form of each variable after the round.
    pub traces: Vec<Vec<Form<Atom>>>,
    /// The modes that they may end in.
    pub next: Vec<usize>,
    /// Whether the loop may be entered in this mode.
    pub at_entry: bool,
}

/// A linear recurrence, with a step for each trace through the loop.
#[derive(Debug)]
pub struct System {
    /// The entries of a state: so many variables for each mode.
    size: usize,
    /// For each mode, whether the loop may be entered in it.
    modes: Vec<bool>,
    steps: Vec<Step>,
    /// Whether matrices take turns, or factors are ranges.
    is_switched: bool,
    /// Ellipsoids of variables, as far as they were looked for.
    ellipsoids: RefCell<Vec<Sought>>,
}

/// Variables, and the ellipsoid that they stay in, if one was found.
type Sought = (Vec<usize>, Option<Rc<Ellipsoid>>);

/// One round: `p' = matrix * p + inputs + rest`.
#[derive(Clone, Debug)]
struct Step {
    matrix: Matrix,
    /// Inputs with the column that each is multiplied by.
    inputs: Vec<(Atom, Vec<Bounds>, Bounds)>,
    rest: Vec<Bounds>,
}

/// What is asked of a recurrence: where its states are, given where they begin, a box in which all of
/// them are taken to be, and the most rounds.
#[derive(Debug)]
pub struct Reach {
    pub entry: Vec<Bounds>,
    /// Differences of two variables where they begin.
    pub differences: Vec<(usize, usize, Bounds)>,
    pub assumed: Vec<Bounds>,
    pub rounds: Option<u64>,
}

/// A system whose states are known to stay in a box: bounds of linear forms of them.
#[derive(Debug)]
pub struct Bounded {
    system: System,
    reach: Reach,
    /// The rows that were observed.
    observed: RefCell<Vec<(Vec<f64>, Bounds)>>,
}

impl Bounded {
    /// A system with a box that it does not leave.
    pub fn new(system: System, reach: &Reach) -> Bounded {
        Bounded { reach: system.by_modes(reach), system, observed: RefCell::default() }
    }

    /// The values of a form of the variables at the head of the loop and of inputs.
    pub fn bounds(&self, form: &Form<Atom>) -> Option<Bounds> {
        let mut row = vec![0.0; self.system.variables()];
        let mut rest = form.rest;
        for term in &form.terms {
            match term.atom {
                Atom::Variable(at) => {
                    row[at] = term.factor.lo.midpoint(term.factor.hi);
                    let left = term.factor.plus(Bounds::only(-row[at]));
                    rest = rest.plus(left.times(self.system.any_mode(&self.reach.assumed, at)));
                }
                Atom::Input(_) => rest = rest.plus(term.factor.times(term.range)),
            }
        }
        let mut observed = self.observed.borrow_mut();
        let known = observed.iter().find(|(known, _)| *known == row).map(|(_, bounds)| *bounds);
        let bounds = match known {
            Some(bounds) => bounds,
            None if observed.len() >= MOST_OBSERVED_ROWS => return None,
            None => {
                let bounds = self.system.observe_modes(&row, &self.reach);
                observed.push((row, bounds));
                bounds
            }
        };
        Some(bounds.plus(rest)).filter(|bounds| bounds.is_finite())
    }
}

const ZERO: Bounds = Bounds::only(0.0);
const LINE: Bounds = Bounds::new(f64::NEG_INFINITY, f64::INFINITY);

/// A response that shrinks by less in a block of rounds does not vanish in [`LONGEST_RESPONSE`].
const STALLED: f64 = 0.97;
const RESPONSE_BLOCK: u64 = 1000;

/// A response that has grown by this factor is not stable.
const DIVERGED: f64 = 1e9;

impl System {
    /// A recurrence of so many variables; nothing if the modes have too many rounds.
    pub fn of(variables: usize, modes: &[Mode]) -> Option<System> {
        let steps: Vec<Step> = match modes {
            [mode] => mode.traces.iter().map(|forms| Step::of(forms)).collect(),
            modes => steps_of_modes(variables, modes)?,
        };
        let size = variables * modes.len();
        let modes = modes.iter().map(|mode| mode.at_entry).collect();
        let steps: Vec<Step> = steps.into_iter().filter(|step| !step.is_identity()).collect();
        let mut moves = steps.iter().filter(|step| !step.is_reset());
        let first = moves.clone().next();
        let is_switched = moves.any(|step| {
            first.is_some_and(|first| first.matrix != step.matrix)
                || step.matrix.iter().flatten().any(|factor| is_wide(*factor))
        });
        Some(System { size, modes, steps, is_switched, ellipsoids: RefCell::default() })
    }

    /// How many variables it has.
    fn variables(&self) -> usize {
        self.size / self.modes.len()
    }

    /// What is asked, for states with a block for each mode.
    fn by_modes(&self, reach: &Reach) -> Reach {
        let is_known = self.modes.iter().filter(|at_entry| **at_entry).count() == 1;
        let entry = |at_entry: bool, bounds: Bounds| match at_entry {
            true if is_known => bounds,
            true => bounds.join(ZERO),
            false => ZERO,
        };
        let each = |list: &[Bounds], change: &dyn Fn(bool, Bounds) -> Bounds| {
            let block = |mode: &bool| list.iter().map(|it| change(*mode, *it)).collect::<Vec<_>>();
            self.modes.iter().flat_map(block).collect::<Vec<Bounds>>()
        };
        let is_single = self.modes.len() == 1;
        let assumed = |_, bounds: Bounds| if is_single { bounds } else { bounds.join(ZERO) };
        let size = self.variables();
        let differences = self.modes.iter().enumerate().flat_map(|(mode, at_entry)| {
            let from = mode * size;
            let known = reach.differences.iter();
            known.map(move |(a, b, apart)| (from + a, from + b, entry(*at_entry, *apart)))
        });
        Reach {
            entry: each(&reach.entry, &entry),
            differences: differences.collect(),
            assumed: each(&reach.assumed, &assumed),
            rounds: reach.rounds,
        }
    }

    /// The bounds of a variable in any mode.
    fn any_mode(&self, bounds: &[Bounds], at: usize) -> Bounds {
        let each = bounds.iter().skip(at).step_by(self.variables()).copied();
        each.reduce(Bounds::join).unwrap_or(LINE)
    }

    /// The values of a row times the variables, in any mode.
    fn observe_modes(&self, row: &[f64], reach: &Reach) -> Bounds {
        let blocks = (0..self.modes.len()).map(|mode| {
            let mut whole = vec![0.0; self.size];
            whole[mode * row.len()..][..row.len()].copy_from_slice(row);
            self.observe(&whole, reach)
        });
        blocks.reduce(Bounds::join).unwrap_or(LINE)
    }

    /// The values of each variable in every round, if all states so far are as assumed.
    pub fn reach(&self, reach: &Reach) -> Vec<Bounds> {
        let (size, reach) = (self.variables(), self.by_modes(reach));
        (0..size).map(|at| self.observe_modes(&unit(size, at), &reach)).collect()
    }

    /// The values of the difference of two variables.
    pub fn difference(&self, a: usize, b: usize, reach: &Reach) -> Bounds {
        let mut row = vec![0.0; self.variables()];
        (row[a], row[b]) = (1.0, -1.0);
        self.observe_modes(&row, &self.by_modes(reach))
    }

    /// The values of a row times the state: what every choice of resets says.
    fn observe(&self, row: &[f64], reach: &Reach) -> Bounds {
        let mut found = self.observe_with(&|step| step.is_reset(), row, reach);
        let matrices = |step: &Step| self.steps.iter().any(|other| other.matrix != step.matrix);
        for step in self.steps.iter().filter(|step| !step.is_reset() && matrices(step)) {
            let others = |other: &Step| other.matrix != step.matrix;
            found = found.meet(self.observe_with(&others, row, reach));
        }
        match self.is_switched.then(|| self.observe_ellipsoid(row, reach)).flatten() {
            Some(bounds) => found.meet(bounds),
            None => found,
        }
    }

    /// The values of a row times the state, if all variables that matter are in an ellipsoid.
    fn observe_ellipsoid(&self, row: &[f64], reach: &Reach) -> Option<Bounds> {
        let variables = self.closed(row);
        let steps: Vec<Step> = self.steps.iter().map(|step| step.among(&variables)).collect();
        let (resets, moves): (Vec<&Step>, Vec<&Step>) =
            steps.iter().filter(|step| !step.is_identity()).partition(|step| step.is_reset());
        let mut known = self.ellipsoids.borrow_mut();
        let found = known.iter().find(|(of, _)| *of == variables).map(|(_, found)| found.clone());
        let ellipsoid = found.unwrap_or_else(|| {
            let matrices: Vec<&Matrix> = moves.iter().map(|step| &step.matrix).collect();
            let found = Ellipsoid::of(&matrices).map(Rc::new);
            known.push((variables.clone(), found.clone()));
            found
        })?;
        let pick = |all: &[Bounds]| variables.iter().map(|at| all[*at]).collect::<Vec<Bounds>>();
        let begin = resets.iter().map(|step| step.added_norm(&ellipsoid));
        let begin = begin.fold(ellipsoid.norm(&pick(&reach.entry)), f64::max);
        let added: Vec<f64> = moves.iter().map(|step| step.added_norm(&ellipsoid)).collect();
        let row: Vec<Bounds> = variables.iter().map(|at| Bounds::only(row[*at])).collect();
        let bounds = ellipsoid.observe(&row, ellipsoid.radius(begin, &added));
        bounds.is_finite().then_some(bounds)
    }

    /// The variables of a row, with those that they depend on.
    fn closed(&self, row: &[f64]) -> Vec<usize> {
        let mut within: Vec<bool> = row.iter().map(|factor| *factor != 0.0).collect();
        for _ in 0..self.size {
            for (at, column) in
                (0..self.size).flat_map(|at| (0..self.size).map(move |column| (at, column)))
            {
                within[column] |=
                    within[at] && self.steps.iter().any(|step| step.matrix[at][column] != ZERO);
            }
        }
        (0..self.size).filter(|at| within[*at]).collect()
    }

    /// The values of a row times the state, with some steps taken for resets.
    fn observe_with(&self, is_reset: &dyn Fn(&Step) -> bool, row: &[f64], reach: &Reach) -> Bounds {
        let (resets, moves): (Vec<&Step>, Vec<&Step>) =
            self.steps.iter().partition(|step| is_reset(step));
        let begin = |row: &[f64]| {
            let after = |reset: &&Step| {
                reset.added(row).plus(product(&reset.pulled_back(row), &reach.assumed))
            };
            resets.iter().map(after).fold(reach.begin(row), Bounds::join)
        };
        let Some(step) = moves.into_iter().cloned().reduce(|a, b| a.join(&b)) else {
            return begin(row);
        };
        let first = size(row);
        let mut decay = Decay { before: f64::INFINITY, now: 0.0 };
        let mut row = row.to_vec();
        let mut sum = ZERO;
        let mut hull = begin(&row);
        for round in 0..LONGEST_RESPONSE {
            if reach.rounds.is_some_and(|rounds| round >= rounds) {
                return hull;
            }
            // What is left of the state so many rounds ago.
            let rest = dot(&row, &reach.assumed);
            if !hull.is_finite() || size(&row) > first * DIVERGED {
                return LINE;
            }
            // Any round may be the last that is looked at.
            if round > 0 && (is_negligible(rest, hull) || decay.has_stalled(round, size(&row))) {
                return hull.join(rest.plus(sum));
            }
            let next = step.pulled_back(&row);
            let rounded: Vec<f64> = next.iter().map(|item| item.lo.midpoint(item.hi)).collect();
            let errors = next.iter().zip(&rounded).zip(&reach.assumed);
            let error = errors.fold(ZERO, |all, ((item, point), state)| {
                all.plus(item.plus(Bounds::only(-*point)).times(*state))
            });
            let added = step.added(&row).plus(error);
            // From here on, every round adds the same.
            if rounded == row {
                let Some(rounds) = reach.rounds else {
                    return hull.join(rest.plus(sum).plus(added));
                };
                let left = (rounds - round) as f64;
                let all = added.times(Bounds::new(0.0, left.next_up()));
                return hull.join(begin(&row).plus(sum).plus(all));
            }
            sum = sum.plus(added);
            row = rounded;
            hull = hull.join(begin(&row).plus(sum));
        }
        hull.join(dot(&row, &reach.assumed).plus(sum))
    }
}

/// The steps of states with a block for each mode: each round that does not depend on the state, and
/// every choice of another round for each mode; nothing if there are too many.
fn steps_of_modes(variables: usize, modes: &[Mode]) -> Option<Vec<Step>> {
    let still = Step::zero(variables * modes.len());
    let (mut resets, mut moves) = (Vec::new(), vec![still.clone()]);
    for (mode, Mode { traces, next, .. }) in modes.iter().enumerate() {
        let rounds = traces.iter().map(|forms| Step::of(forms));
        let rounds = rounds.flat_map(|round| next.iter().map(move |to| (round.clone(), *to)));
        // A round that leaves mode and state as they are is none.
        let rounds = rounds.filter(|(round, to)| !(*to == mode && round.is_identity()));
        let (fresh, others): (Vec<_>, Vec<_>) = rounds.partition(|(round, _)| round.is_reset());
        resets.extend(fresh.iter().map(|(round, to)| still.with_round(round, mode, *to)));
        // From a mode without other rounds no step has any.
        if others.is_empty() {
            continue;
        }
        if moves.len() * others.len() > MOST_MODE_STEPS {
            return None;
        }
        let choices = moves.iter().flat_map(|step| others.iter().map(move |other| (step, other)));
        moves = choices.map(|(step, (round, to))| step.with_round(round, mode, *to)).collect();
    }
    resets.extend(moves);
    Some(resets)
}

/// How the response decays: its greatest size in the last block of rounds, and in this one.
struct Decay {
    before: f64,
    now: f64,
}

impl Decay {
    /// Whether a block of rounds has ended in which the response shrank so little that it will
    /// not shrink by much within the rounds that are looked at.
    fn has_stalled(&mut self, round: u64, size: f64) -> bool {
        self.now = self.now.max(size);
        if !round.is_multiple_of(RESPONSE_BLOCK) {
            return false;
        }
        let stalled = self.now > self.before * STALLED;
        *self = Decay { before: self.now, now: 0.0 };
        stalled
    }
}

impl Reach {
    /// The values of a row times the first state.
    fn begin(&self, row: &[f64]) -> Bounds {
        let with = |(a, b, difference): &(usize, usize, Bounds)| {
            // c a + d b = c (a - b) + (c + d) b
            let mut row: Vec<Bounds> = row.iter().map(|factor| Bounds::only(*factor)).collect();
            let factor = std::mem::replace(&mut row[*a], ZERO);
            row[*b] = row[*b].plus(factor);
            product(&row, &self.entry).plus(factor.times(*difference))
        };
        self.differences.iter().map(with).fold(dot(row, &self.entry), Bounds::meet)
    }
}

impl Step {
    /// The step that makes any state zero.
    fn zero(size: usize) -> Step {
        Step { matrix: vec![vec![ZERO; size]; size], inputs: Vec::new(), rest: vec![ZERO; size] }
    }

    fn of(forms: &[Form<Atom>]) -> Step {
        let size = forms.len();
        let mut step = Step::zero(size);
        for (row, form) in forms.iter().enumerate() {
            step.rest[row] = form.rest;
            for term in &form.terms {
                match term.atom {
                    Atom::Variable(column) => step.matrix[row][column] = term.factor,
                    Atom::Input(_) => {
                        let at = step.inputs.iter().position(|input| input.0 == term.atom);
                        let at = at.unwrap_or_else(|| {
                            step.inputs.push((term.atom, vec![ZERO; size], term.range));
                            step.inputs.len() - 1
                        });
                        let (_, column, range) = &mut step.inputs[at];
                        column[row] = term.factor;
                        *range = range.meet(term.range);
                    }
                }
            }
        }
        step
    }

    /// The step of a longer state that also makes this round from one mode to another. Of all
    /// rounds but that of the present mode the inputs and roundings are zero.
    fn with_round(&self, round: &Step, from: usize, to: usize) -> Step {
        let (size, mut step) = (round.rest.len(), self.clone());
        for (row, items) in round.matrix.iter().enumerate() {
            step.matrix[to * size + row][from * size..][..size].copy_from_slice(items);
            let rest = &mut step.rest[to * size + row];
            *rest = rest.join(round.rest[row]);
        }
        for (_, column, range) in &round.inputs {
            let atom = Atom::Input(step.inputs.len() as u32);
            let mut whole = vec![ZERO; step.rest.len()];
            whole[to * size..][..size].copy_from_slice(column);
            step.inputs.push((atom, whole, range.join(ZERO)));
        }
        step
    }

    /// The step of some variables that depend on no others.
    fn among(&self, variables: &[usize]) -> Step {
        let pick = |all: &[Bounds]| variables.iter().map(|at| all[*at]).collect::<Vec<Bounds>>();
        let inputs = self.inputs.iter().map(|(atom, column, range)| (*atom, pick(column), *range));
        Step {
            matrix: variables.iter().map(|at| pick(&self.matrix[*at])).collect(),
            inputs: inputs
                .filter(|(_, column, _)| column.iter().any(|item| *item != ZERO))
                .collect(),
            rest: pick(&self.rest),
        }
    }

    /// An upper bound of the norm of what is added in one round.
    fn added_norm(&self, ellipsoid: &Ellipsoid) -> f64 {
        let input = |(_, column, range): &(Atom, Vec<Bounds>, Bounds)| {
            Bounds::only(ellipsoid.norm(column)).times(Bounds::only(range.size()))
        };
        let rest = Bounds::only(ellipsoid.norm(&self.rest));
        self.inputs.iter().map(input).fold(rest, Bounds::plus).hi
    }

    /// Whether the round does not depend on the state.
    fn is_reset(&self) -> bool {
        self.matrix.iter().flatten().all(|factor| *factor == ZERO)
    }

    /// Whether the round leaves the state as it is.
    fn is_identity(&self) -> bool {
        let rows = self.matrix.iter().enumerate();
        let mut items = rows.flat_map(|(at, row)| {
            row.iter().enumerate().map(move |(column, item)| (at == column, *item))
        });
        self.inputs.is_empty()
            && self.rest.iter().all(|rest| *rest == ZERO)
            && items.all(|(diagonal, item)| item == Bounds::only(f64::from(u8::from(diagonal))))
    }

    /// What is added in one round, seen by a row.
    fn added(&self, row: &[f64]) -> Bounds {
        let inputs = self.inputs.iter().map(|(_, column, range)| dot(row, column).times(*range));
        inputs.fold(dot(row, &self.rest), Bounds::plus)
    }

    /// A row times the matrix.
    fn pulled_back(&self, row: &[f64]) -> Vec<Bounds> {
        let column = |at: usize| {
            let items = row.iter().zip(&self.matrix).filter(|(factor, _)| **factor != 0.0);
            items.fold(ZERO, |all, (factor, row)| all.plus(row[at].scaled(*factor)))
        };
        (0..row.len()).map(column).collect()
    }

    /// A step that includes both: of different matrices and inputs only the hulls are kept.
    fn join(&self, other: &Step) -> Step {
        if self.matrix == other.matrix && self.inputs == other.inputs {
            let rest = self.rest.iter().zip(&other.rest).map(|(a, b)| a.join(*b)).collect();
            return Step { rest, ..self.clone() };
        }
        let size = self.rest.len();
        let rest = (0..size).map(|at| {
            let row = unit(size, at);
            self.added(&row).join(other.added(&row))
        });
        let rows = self.matrix.iter().zip(&other.matrix);
        let matrix = rows.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.join(*b)).collect());
        Step { matrix: matrix.collect(), inputs: Vec::new(), rest: rest.collect() }
    }
}

fn unit(size: usize, at: usize) -> Vec<f64> {
    (0..size).map(|i| f64::from(u8::from(i == at))).collect()
}

fn size(row: &[f64]) -> f64 {
    row.iter().fold(0.0, |most, item| most.max(item.abs()))
}

fn dot(row: &[f64], column: &[Bounds]) -> Bounds {
    let products = row.iter().zip(column).filter(|(factor, _)| **factor != 0.0);
    products.map(|(factor, item)| item.scaled(*factor)).fold(ZERO, Bounds::plus)
}

fn product(row: &[Bounds], column: &[Bounds]) -> Bounds {
    let products = row.iter().zip(column).filter(|(factor, _)| **factor != ZERO);
    products.map(|(factor, item)| factor.times(*item)).fold(ZERO, Bounds::plus)
}

/// Whether one contribution hardly matters beside all others.
fn is_negligible(rest: Bounds, hull: Bounds) -> bool {
    rest.size() <= hull.size() * 1e-9
}
