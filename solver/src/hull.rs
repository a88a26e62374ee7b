//! The hull of a variable: its least and greatest value over all solutions.
//!
//! Propagation bounds it from outside, models from inside; what lies between
//! is halved by asking whether there is a solution beyond the middle.

use crate::propagate::{Domain, FloatBox, Grid, Network, Ordinal};
use crate::query::{Reason, Verdict};
use crate::solver::{Defect, Solver};
use nanoscope_ieee::{Operation, Word};
use nanoscope_search::Budget;
use nanoscope_term::{Model, Term, Terms, Value, VariableId};

/// The least box around all values of a float variable in solutions.
///
/// `model` is one solution. Where the budget does not suffice, the reason.
pub fn hull(
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
    let mut asking = Asking { solver, terms, assertions, variable, grid, budget };
    let outer = asking.outer();
    let mut seen = asking.place(model);
    let mut hull = FloatBox { nan: outer.nan, ..FloatBox::EMPTY };
    // A NaN: known from the model, or to be asked for.
    if outer.nan && seen.is_some() {
        let nan = asking.terms.fp(Operation::IsNan, &[term]);
        hull.nan = match asking.ask(&[nan])? {
            Ok(found) => found.is_some(),
            Err(reason) => return Ok(Err(reason)),
        };
    }
    if seen.is_none() {
        // The model has a NaN there; is there a number too?
        let nan = asking.terms.fp(Operation::IsNan, &[term]);
        let number = asking.terms.not(nan);
        seen = match asking.ask(&[number])? {
            Ok(Some(model)) => asking.place(&model),
            Ok(None) => None,
            Err(reason) => return Ok(Err(reason)),
        };
    }
    let Some(seen) = seen else { return Ok(Ok(hull)) };
    let greatest = match asking.extreme(seen, outer.numbers.hi, true)? {
        Ok(greatest) => greatest,
        Err(reason) => return Ok(Err(reason)),
    };
    let least = match asking.extreme(seen, outer.numbers.lo, false)? {
        Ok(least) => least,
        Err(reason) => return Ok(Err(reason)),
    };
    hull.numbers = crate::propagate::Interval::new(least, greatest);
    Ok(Ok(hull))
}

struct Asking<'a> {
    solver: &'a mut Solver,
    terms: &'a mut Terms,
    assertions: &'a [Term],
    variable: VariableId,
    grid: Grid,
    budget: &'a Budget,
}

impl Asking<'_> {
    /// What propagation leaves of the variable.
    fn outer(&self) -> FloatBox {
        let mut network = Network::new(self.terms, self.assertions);
        network.propagate(self.budget);
        match network.domain(self.terms.variable_term(self.variable)) {
            Domain::Float(_, floats) => floats,
            Domain::Bool(_) | Domain::Bits(_) | Domain::Rounding(_) | Domain::Untracked => {
                self.grid.everything()
            }
        }
    }

    /// The variable's place in a model; none for a NaN.
    fn place(&self, model: &Model) -> Option<Ordinal> {
        match model.get(self.terms, self.variable) {
            Value::Float(_, word) => self.grid.decode(word.to_u128()?),
            Value::Bool(_) | Value::Bits(_) | Value::Rounding(_) | Value::Array(_) => None,
        }
    }

    /// The farthest place of a solution, upward or downward, between one that
    /// is known and one that none is beyond.
    fn extreme(
        &mut self,
        mut inner: Ordinal,
        mut outer: Ordinal,
        up: bool,
    ) -> Result<Result<Ordinal, Reason>, Defect> {
        // Propagation is mostly right: its end is the first thing to ask.
        let mut next = outer;
        while inner != outer {
            let beyond = self.beyond(next, up);
            match self.ask(&beyond)? {
                Ok(Some(model)) => match self.place(&model) {
                    Some(place) => inner = if up { place.max(next) } else { place.min(next) },
                    None => unreachable!("a number was asked for"),
                },
                Ok(None) => outer = if up { next - 1 } else { next + 1 },
                Err(reason) => return Ok(Err(reason)),
            }
            // The middle, on the outer side.
            let half = (outer - inner).abs() / 2;
            next = if up { outer - half } else { outer + half };
        }
        Ok(Ok(inner))
    }

    /// That the variable is at that place or farther.
    fn beyond(&mut self, place: Ordinal, up: bool) -> Vec<Term> {
        let term = self.terms.variable_term(self.variable);
        let format = self.grid.format();
        let bits = Word::new(format.width(), self.grid.encode(place));
        let border = self.terms.float_bits(format, bits);
        let sides = if up { [border, term] } else { [term, border] };
        let mut all = vec![self.terms.fp(Operation::LessEqual, &sides)];
        // The zeros are two places, but equal.
        let other_zero = match (place, up) {
            (0, true) => Some(Value::zero(format, true)),
            (-1, false) => Some(Value::zero(format, false)),
            _ => None,
        };
        if let Some(zero) = other_zero {
            let zero = self.terms.constant(zero);
            let same = self.terms.equal(term, zero);
            all.push(self.terms.not(same));
        }
        all
    }

    /// A solution with these in addition, if there is one.
    fn ask(&mut self, more: &[Term]) -> Result<Result<Option<Model>, Reason>, Defect> {
        let mut all = self.assertions.to_vec();
        all.extend_from_slice(more);
        Ok(match self.solver.decide(self.terms, &all, None, self.budget)? {
            Verdict::Sat(model) => Ok(Some(model)),
            Verdict::Unsat => Ok(None),
            Verdict::Unknown(reason) => Err(reason),
        })
    }
}
