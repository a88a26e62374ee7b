//! The hulls of variables: their least and greatest values over all solutions.
//!
//! Propagation says where the ends can be at most, the whole chain whether
//! there is a solution between two places; [`hull`](crate::prune::hull) asks.

use crate::propagate::{Domain, FloatBox, Grid, Network, Ordinal, Propagated};
use crate::prune::hull::{Existence, Hull, Seen, hull};
use crate::query::{Reason, Verdict};
use crate::solver::{Defect, Solver};
use nanoscope_budget::Budget;
use nanoscope_ieee::{Operation, Word};
use nanoscope_term::{Model, Term, Terms, Value, VariableId};

/// What propagation alone leaves of float variables; none if it leaves nothing. No solution has
/// a value outside.
pub fn boxes(
    terms: &Terms,
    assertions: &[Term],
    variables: &[VariableId],
    budget: &Budget,
) -> Option<Vec<Result<FloatBox, Reason>>> {
    let mut network = Network::new(terms, assertions);
    if network.propagate(budget) == Propagated::Contradiction {
        return None;
    }
    let of_variable = |variable: &VariableId| {
        let term = terms.variable_term(*variable);
        let Some(grid) = Grid::new(terms.format(term)) else {
            return Err(Reason::Incomplete("bounds are for floats of up to 128 bits".into()));
        };
        Ok(match network.domain(term) {
            Domain::Float(_, floats) => floats,
            Domain::Bool(_) | Domain::Bits(_) | Domain::Rounding(_) | Domain::Untracked => {
                grid.everything()
            }
        })
    };
    Some(variables.iter().map(of_variable).collect())
}

/// The least box around all values of each of these float variables in solutions; `model`
/// is one solution. Where the budget does not suffice, the reason. A solution that is found on the
/// way counts for all of them.
pub fn bounds(
    solver: &mut Solver,
    terms: &mut Terms,
    assertions: &[Term],
    variables: &[VariableId],
    model: &Model,
    budget: &Budget,
) -> Result<Vec<Result<FloatBox, Reason>>, Defect> {
    let why = || Reason::Incomplete("propagation contradicts the model".to_string());
    let mut left = boxes(terms, assertions, variables, budget);
    let mut asking = Asking {
        solver,
        terms,
        assertions: assertions.to_vec(),
        variables,
        seen: vec![Seen::default(); variables.len()],
        budget,
        defect: None,
        reason: None,
    };
    asking.note(model);
    let mut all = Vec::new();
    for at in 0..variables.len() {
        let Some(within) = left.as_ref().map(|left| left[at].clone()) else {
            all.push(Err(why()));
            continue;
        };
        let exact = within.and_then(|within| Ok((within, asking.hull(at, within)?)));
        if let Some(defect) = asking.defect.take() {
            return Err(defect);
        }
        // What is known of one tells more of the others.
        if let Ok((within, exact)) = &exact
            && within != exact
            && at + 1 < variables.len()
        {
            asking.learn(at, *exact);
            left = boxes(asking.terms, &asking.assertions, variables, budget);
        }
        all.push(exact.map(|(_, exact)| exact));
    }
    Ok(all)
}

struct Asking<'a> {
    solver: &'a mut Solver,
    terms: &'a mut Terms,
    /// With what was found to follow from them.
    assertions: Vec<Term>,
    variables: &'a [VariableId],
    /// What solutions were seen to have, by variable.
    seen: Vec<Seen>,
    budget: &'a Budget,
    /// What went wrong, if anything: nothing is asked after that.
    defect: Option<Defect>,
    reason: Option<Reason>,
}

impl Asking<'_> {
    fn grid(&self, at: usize) -> Option<Grid> {
        Grid::new(self.terms.format(self.terms.variable_term(self.variables[at])))
    }

    /// A variable's place in a model; none for a NaN.
    fn place(&self, at: usize, model: &Model) -> Option<Ordinal> {
        match model.get(self.terms, self.variables[at]) {
            Value::Float(_, word) => self.grid(at)?.decode(word.to_u128()?),
            Value::Bool(_) | Value::Bits(_) | Value::Rounding(_) | Value::Array(_) => None,
        }
    }

    /// Takes note of a solution.
    fn note(&mut self, model: &Model) {
        for at in 0..self.variables.len() {
            let place = self.place(at, model);
            self.seen[at].add(place);
        }
    }

    /// The hull of a variable that lies within a box.
    fn hull(&mut self, at: usize, within: FloatBox) -> Result<FloatBox, Reason> {
        self.reason = None;
        let seen = self.seen[at];
        let Hull { numbers, least_is_exact, greatest_is_exact, nan } =
            hull(within, seen, |floats| self.exists(at, floats));
        match nan {
            Some(nan) if least_is_exact && greatest_is_exact => Ok(FloatBox { numbers, nan }),
            Some(_) | None => Err(self.reason.take().unwrap_or(Reason::Time)),
        }
    }

    /// Takes a hull for granted.
    fn learn(&mut self, at: usize, hull: FloatBox) {
        let Some(grid) = self.grid(at) else { return };
        let term = self.terms.variable_term(self.variables[at]);
        let is_nan = self.terms.fp(Operation::IsNan, &[term]);
        if hull.numbers.is_empty() {
            self.assertions.push(is_nan);
        } else if !hull.nan {
            beyond(self.terms, &grid, term, hull.numbers.lo, true, &mut self.assertions);
            beyond(self.terms, &grid, term, hull.numbers.hi, false, &mut self.assertions);
        }
    }

    /// Whether there is a solution with the variable in a box.
    fn exists(&mut self, at: usize, floats: FloatBox) -> Existence {
        let mut all = self.assertions.clone();
        let Some(grid) = self.grid(at) else { return Existence::Unknown };
        let term = self.terms.variable_term(self.variables[at]);
        if floats.nan {
            all.push(self.terms.fp(Operation::IsNan, &[term]));
        } else {
            beyond(self.terms, &grid, term, floats.numbers.lo, true, &mut all);
            beyond(self.terms, &grid, term, floats.numbers.hi, false, &mut all);
        }
        match self.solver.decide(self.terms, &all, None, self.budget) {
            Ok(Verdict::Sat(model)) => {
                self.note(&model);
                self.place(at, &model).map_or(Existence::Nan, Existence::Number)
            }
            Ok(Verdict::Unsat) => Existence::None,
            Ok(Verdict::Unknown(reason)) => {
                self.reason = Some(reason);
                Existence::Unknown
            }
            Err(defect) => {
                self.defect = Some(defect);
                Existence::Unknown
            }
        }
    }
}

/// Adds that a float is at that place or above it, or below.
fn beyond(
    terms: &mut Terms,
    grid: &Grid,
    float: Term,
    place: Ordinal,
    above: bool,
    all: &mut Vec<Term>,
) {
    let format = grid.format();
    let bits = Word::new(format.width(), grid.encode(place));
    let border = terms.float_bits(format, bits);
    let sides = if above { [border, float] } else { [float, border] };
    all.push(terms.fp(Operation::LessEqual, &sides));
    // The zeros are two places, but equal.
    let other_zero = match (place, above) {
        (0, true) => Some(Value::zero(format, true)),
        (-1, false) => Some(Value::zero(format, false)),
        _ => None,
    };
    if let Some(zero) = other_zero {
        let zero = terms.constant(zero);
        let same = terms.equal(float, zero);
        all.push(terms.not(same));
    }
}
