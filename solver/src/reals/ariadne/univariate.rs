//! A value for one variable at a time, by regions where the others are known (Algorithm 2).

use super::branch::{Branch, Literal};
use super::concretize::{Variables, about, is_so};
use super::floats;
use super::linearize::Linearizer;
use super::region::Region;
use crate::search::Random;
use nanoscope_budget::Budget;
use nanoscope_term::{Evaluation, Model, Term, Terms, Value, VariableId};
use std::collections::BTreeSet;

/// How many values are tried for a variable (MAX_BINDINGS).
const MOST_BINDINGS: usize = 8;

/// One way through a query, and its variables.
pub(super) struct Univariate<'a> {
    pub(super) terms: &'a Terms,
    /// The terms below the assertions, arguments first.
    pub(super) below: &'a [Term],
    pub(super) branch: &'a Branch,
    pub(super) variables: &'a Variables<'a>,
    pub(super) budget: &'a Budget,
}

/// What came of binding variables.
pub(super) enum Bound {
    At(Model),
    /// Values were found, but a literal about the mathematical library is false for them.
    Falsified,
    /// No values were found, or the budget ended.
    Nowhere,
}

impl Univariate<'_> {
    /// Binds all but the unknowns, beginning with what the guide has, so that
    /// no literal is false for it: by regions, then by chance. As in the paper, a literal about
    /// what is a function of bound variables (libm's) does not keep a value from being bound:
    /// where only such ones are false, reals have no solution with what was bound.
    pub(super) fn bind(
        &self,
        unknowns: &BTreeSet<VariableId>,
        guide: &Model,
        random: &mut Random,
    ) -> Bound {
        let mut below: Vec<(Literal, Vec<VariableId>)> = Vec::new();
        for (literal, _) in &self.branch.literals {
            if self.budget.exhausted() {
                return Bound::Nowhere;
            }
            below.push((*literal, self.terms.variables_below(&about(*literal))));
        }
        let mut model = guide.clone();
        let mut open: BTreeSet<VariableId> = self.variables.domains.keys().copied().collect();
        for variable in self.variables.domains.keys().filter(|it| !unknowns.contains(it)) {
            open.remove(variable);
            let ground: Vec<Literal> = below
                .iter()
                .filter(|(_, all)| all.contains(variable) && all.iter().all(|v| !open.contains(v)))
                .map(|(literal, _)| *literal)
                .collect();
            if let Some(failed) = self.bind_one(*variable, &ground, &mut model, random) {
                return failed;
            }
        }
        Bound::At(model)
    }

    /// Binds a variable so that these literals hold; if it cannot, what came of it.
    fn bind_one(
        &self,
        variable: VariableId,
        ground: &[Literal],
        model: &mut Model,
        random: &mut Random,
    ) -> Option<Bound> {
        let own = self.terms.variable_term(variable);
        let forced = ground.iter().find_map(|literal| match literal {
            Literal::Is(term, wanted) if *term == own => Some(Value::Bool(*wanted)),
            Literal::Is(..) | Literal::Negative(..) | Literal::Ordered(..) => None,
        });
        if let Some(value) = forced {
            model.set(variable, value);
            return None;
        }
        let fits = |model: &Model, which: &[Literal]| {
            let mut evaluation = Evaluation::new(self.terms, model);
            which.iter().all(|one| is_so(&mut evaluation, *one))
        };
        let independent: Vec<Literal> =
            ground.iter().copied().filter(|one| !self.variables.is_dependent(*one)).collect();
        let (mut tries, mut fitted) = (0, false);
        while !fits(model, ground) {
            fitted = fitted || fits(model, &independent);
            if tries == MOST_BINDINGS || self.budget.exhausted() {
                return Some(if fitted { Bound::Falsified } else { Bound::Nowhere });
            }
            tries += 1;
            if tries != 1 || !self.solve(variable, ground, model, random) {
                model.set(variable, self.variables.any(variable, random));
            }
        }
        None
    }

    /// Finds a value for the unknown that the literals hold for, or the most
    /// of them; false if reals have none or the budget ends.
    pub(super) fn solve(
        &self,
        unknown: VariableId,
        literals: &[Literal],
        model: &mut Model,
        random: &mut Random,
    ) -> bool {
        let Some((axis, line)) = self.variables.line(unknown) else { return false };
        let mut region = Region::of(line);
        let known = model.clone();
        let line = (unknown, axis);
        let linearizer =
            Linearizer::new(self.terms, self.below, self.branch, &known, line, self.budget);
        let Some(mut linearizer) = linearizer else { return false };
        for literal in literals {
            let allowed = linearizer.region(*literal);
            if self.budget.exhausted() {
                return false;
            }
            let Some(allowed) = allowed else { continue };
            let both = region.meet(&allowed);
            if !(linearizer.traced && both.intervals().is_empty()) {
                region = both;
            }
        }
        let mut best = None;
        for place in floats::candidates(axis, &region, &self.variables.constants, random) {
            model.set(unknown, axis.value(place));
            let mut evaluation = Evaluation::new(self.terms, model);
            let held = literals.iter().filter(|one| is_so(&mut evaluation, **one)).count();
            if best.is_none_or(|(most, _)| held > most) {
                best = Some((held, place));
            }
            if held == literals.len() || self.budget.exhausted() {
                break;
            }
        }
        let Some((_, place)) = best else { return false };
        model.set(unknown, axis.value(place));
        true
    }
}
