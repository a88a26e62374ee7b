//! The hull of a variable: its least and greatest value over all solutions.
//!
//! Propagation says where the ends can be at most, the whole chain whether
//! there is a solution between two places; [`hull`](crate::prune::hull) asks.

use crate::propagate::{Domain, FloatBox, Grid, Network, Ordinal};
use crate::prune::hull::{Existence, Hull, hull};
use crate::query::{Reason, Verdict};
use crate::solver::{Defect, Solver};
use nanoscope_budget::Budget;
use nanoscope_ieee::{Operation, Word};
use nanoscope_term::{Model, Term, Terms, Value, VariableId};

/// The least box around all values of a float variable in solutions; `model`
/// is one solution. Where the budget does not suffice, the reason.
pub fn bounds(
    solver: &mut Solver,
    terms: &mut Terms,
    assertions: &[Term],
    variable: VariableId,
    model: &Model,
    budget: &Budget,
) -> Result<Result<FloatBox, Reason>, Defect> {
    let term = terms.variable_term(variable);
    let Some(grid) = Grid::new(terms.format(term)) else {
        return Ok(Err(Reason::Incomplete("bounds are for floats of up to 128 bits".into())));
    };
    let mut network = Network::new(terms, assertions);
    network.propagate(budget);
    let within = match network.domain(term) {
        Domain::Float(_, floats) => floats,
        Domain::Bool(_) | Domain::Bits(_) | Domain::Rounding(_) | Domain::Untracked => {
            grid.everything()
        }
    };
    drop(network);
    let mut asking =
        Asking { solver, terms, assertions, variable, grid, budget, defect: None, reason: None };
    let seen = asking.place(model);
    let Hull { numbers, least_is_exact, greatest_is_exact, nan } =
        hull(within, seen, |floats| asking.exists(floats));
    let Asking { defect, reason, .. } = asking;
    if let Some(defect) = defect {
        return Err(defect);
    }
    Ok(match nan {
        Some(nan) if least_is_exact && greatest_is_exact => Ok(FloatBox { numbers, nan }),
        Some(_) | None => Err(reason.unwrap_or(Reason::Time)),
    })
}

struct Asking<'a> {
    solver: &'a mut Solver,
    terms: &'a mut Terms,
    assertions: &'a [Term],
    variable: VariableId,
    grid: Grid,
    budget: &'a Budget,
    /// What went wrong, if anything: nothing is asked after that.
    defect: Option<Defect>,
    reason: Option<Reason>,
}

impl Asking<'_> {
    /// The variable's place in a model; none for a NaN.
    fn place(&self, model: &Model) -> Option<Ordinal> {
        match model.get(self.terms, self.variable) {
            Value::Float(_, word) => self.grid.decode(word.to_u128()?),
            Value::Bool(_) | Value::Bits(_) | Value::Rounding(_) | Value::Array(_) => None,
        }
    }

    /// Whether there is a solution with the variable in a box.
    fn exists(&mut self, floats: FloatBox) -> Existence {
        let mut all = self.assertions.to_vec();
        if floats.nan {
            let term = self.terms.variable_term(self.variable);
            all.push(self.terms.fp(Operation::IsNan, &[term]));
        } else {
            self.beyond(floats.numbers.lo, true, &mut all);
            self.beyond(floats.numbers.hi, false, &mut all);
        }
        match self.solver.decide(self.terms, &all, None, self.budget) {
            Ok(Verdict::Sat(model)) => self.place(&model).map_or(Existence::Nan, Existence::Number),
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

    /// Adds that the variable is at that place or above it, or below.
    fn beyond(&mut self, place: Ordinal, above: bool, all: &mut Vec<Term>) {
        let term = self.terms.variable_term(self.variable);
        let format = self.grid.format();
        let bits = Word::new(format.width(), self.grid.encode(place));
        let border = self.terms.float_bits(format, bits);
        let sides = if above { [border, term] } else { [term, border] };
        all.push(self.terms.fp(Operation::LessEqual, &sides));
        // The zeros are two places, but equal.
        let other_zero = match (place, above) {
            (0, true) => Some(Value::zero(format, true)),
            (-1, false) => Some(Value::zero(format, false)),
            _ => None,
        };
        if let Some(zero) = other_zero {
            let zero = self.terms.constant(zero);
            let same = self.terms.equal(term, zero);
            all.push(self.terms.not(same));
        }
    }
}
