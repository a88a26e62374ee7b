//! What holds on a path, and inputs that lead along it.

use crate::groups::Groups;
use crate::persistent::{List, Table};
use nanoscope_term::{Evaluated, Evaluation, Model, Op, Term, Terms, Value, VariableId};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The conditions of a path and a witness of them.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// No conjunctions, no constants, each once, in the order in which they came up.
    conditions: List<Term>,
    /// All that is known to hold: the conditions, and what they were parts of.
    facts: Table<()>,
    /// Terms that the path has one value of.
    fixed: Table<Value>,
    /// What of all that hangs together.
    groups: Groups,
    witness: Rc<Witness>,
}

/// Inputs, and what terms are under them. States that forked share one as long as it leads
/// along the paths of both; the one that runs computes the values, and drops them when it stops.
#[derive(Debug, Default)]
struct Witness {
    model: Model,
    values: RefCell<Evaluated>,
}

/// Values kept for a state that waits; more are computed again when it goes on.
const KEPT_VALUES: usize = 256;

impl Path {
    /// A path without conditions, whose witness is this one.
    pub fn new(model: Model) -> Path {
        let witness = Witness { model, values: RefCell::default() };
        Path { witness: Rc::new(witness), ..Path::default() }
    }

    /// What holds.
    pub fn conditions(&self) -> &List<Term> {
        &self.conditions
    }

    /// A condition and those that hang together with it, and their variables.
    pub fn related(&self, terms: &Terms, condition: Term) -> (Vec<Term>, BTreeSet<VariableId>) {
        let reached = self.groups.reached(terms, condition);
        let others = self.conditions.iter().filter(|other| self.groups.is_in(**other, &reached));
        let query = [condition].into_iter().chain(others.copied()).collect();
        (query, reached.variables)
    }

    /// Inputs that lead along the path.
    pub fn model(&self) -> &Model {
        &self.witness.model
    }

    /// What a term is under the witness.
    pub fn value(&self, terms: &Terms, term: Term) -> Value {
        if let Some(value) = terms.value(term) {
            return value.clone();
        }
        let known = self.witness.values.take();
        let mut evaluation = Evaluation::resume(terms, &self.witness.model, known);
        let value = evaluation.value(term).clone();
        self.witness.values.replace(evaluation.pause());
        value
    }

    /// Whether a truth value is true under the witness.
    pub fn takes(&self, terms: &Terms, condition: Term) -> bool {
        self.value(terms, condition) == Value::Bool(true)
    }

    /// What the conditions say of a truth value, at a glance.
    pub fn knows(&self, terms: &mut Terms, condition: Term) -> Option<bool> {
        if let Some(value) = terms.value(condition) {
            return value.as_bool();
        }
        if self.has(terms, condition) {
            return Some(true);
        }
        let opposite = terms.not(condition);
        self.has(terms, opposite).then_some(false)
    }

    /// Whether a condition is among those that hold, or all parts of it are.
    fn has(&self, terms: &Terms, condition: Term) -> bool {
        match terms.op(condition) {
            Op::And => {
                self.is_fact(condition)
                    || terms.args(condition).iter().all(|part| self.has(terms, *part))
            }
            Op::Or => {
                self.is_fact(condition)
                    || terms.args(condition).iter().any(|part| self.has(terms, *part))
            }
            _ => self.is_fact(condition),
        }
    }

    fn is_fact(&self, condition: Term) -> bool {
        self.facts.get(condition.index()).is_some()
    }

    /// The value that the conditions say a term has, at a glance.
    pub fn fixed<'t>(&'t self, terms: &'t Terms, term: Term) -> Option<&'t Value> {
        if let Some(value) = terms.value(term) {
            return Some(value);
        }
        self.fixed.get(term.index())
    }

    /// Adds a condition that the witness satisfies.
    pub fn assume(&mut self, terms: &mut Terms, condition: Term) {
        debug_assert!(self.takes(terms, condition), "the witness leads along the path");
        self.add(terms, condition);
    }

    /// Notes that a term has one value where the conditions hold.
    pub fn pin(&mut self, term: Term, value: Value) {
        self.fixed.insert(term.index(), value);
    }

    /// Adds a condition, with a witness of it and of all before.
    pub fn turn(&mut self, terms: &mut Terms, condition: Term, model: Model) {
        self.exchange(terms, model);
        self.assume(terms, condition);
    }

    /// Gives a variable that no condition speaks of a value.
    pub fn suggest(&mut self, terms: &Terms, variable: VariableId, value: Value) {
        let mut model = self.witness.model.clone();
        model.set(variable, value);
        self.exchange(terms, model);
    }

    /// Takes another witness. Terms from before the first variable that changed are what they
    /// were: the arguments of a term come before it.
    fn exchange(&mut self, terms: &Terms, model: Model) {
        let old = &self.witness.model;
        let mut values = self.witness.values.take();
        if old.functions != model.functions || old.unspecified != model.unspecified {
            values = Evaluated::default();
        } else if let Some(first) = first_difference(terms, old, &model) {
            values.forget_from(first);
        }
        self.witness = Rc::new(Witness { model, values: RefCell::new(values) });
    }

    /// Lets go of what can be computed again.
    pub fn rest(&self) {
        if self.witness.values.borrow().len() > KEPT_VALUES {
            self.witness.values.take();
        }
    }

    fn add(&mut self, terms: &mut Terms, condition: Term) {
        if self.is_fact(condition) {
            return;
        }
        self.facts.insert(condition.index(), ());
        let args = terms.args(condition).to_vec();
        match terms.op(condition) {
            Op::And => args.into_iter().for_each(|part| self.add(terms, part)),
            Op::Not if terms.op(args[0]) == Op::Or => {
                for part in terms.args(args[0]).to_vec() {
                    let part = terms.not(part);
                    self.add(terms, part);
                }
            }
            Op::Value(_) => {}
            Op::Equal => {
                for (term, other) in [(args[0], args[1]), (args[1], args[0])] {
                    if let Some(value) = terms.value(other)
                        && self.fixed.get(term.index()).is_none()
                    {
                        self.fixed.insert(term.index(), value.clone());
                    }
                }
                self.hold(terms, condition);
            }
            _ => self.hold(terms, condition),
        }
    }

    fn hold(&mut self, terms: &Terms, condition: Term) {
        self.groups.add(terms, condition);
        self.conditions.push(condition);
    }
}

/// The first variable to which two models give different values.
fn first_difference(terms: &Terms, a: &Model, b: &Model) -> Option<Term> {
    let differs = |variable: &&VariableId| a.variables.get(variable) != b.variables.get(variable);
    let changed = a.variables.keys().chain(b.variables.keys()).filter(differs);
    changed.map(|variable| terms.variable_term(*variable)).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nanoscope_term::Sort;

    #[test]
    fn parts_of_conditions_are_known() {
        let mut terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.variable(name, Sort::Bool));
        let mut model = Model::new();
        for variable in [a, b] {
            model.set(terms.as_variable(variable).expect("one"), Value::Bool(true));
        }
        let mut path = Path::new(model);
        let both = terms.and(&[a, b]);
        path.assume(&mut terms, both);
        let neither = terms.not(c);
        path.assume(&mut terms, neither);
        for (condition, known) in [(a, Some(true)), (both, Some(true)), (c, Some(false))] {
            assert_eq!(path.knows(&mut terms, condition), known);
        }
        let d = terms.variable("d", Sort::Bool);
        let either = terms.or(&[d, b]);
        assert_eq!(path.knows(&mut terms, either), Some(true));
        assert_eq!(path.knows(&mut terms, d), None);
        let five = terms.bits(8, 5);
        let x = terms.variable("x", Sort::Bits(8));
        let mut other = Model::new();
        other.set(terms.as_variable(x).expect("one"), Value::bits(8, 5));
        let fixed = terms.equal(x, five);
        let mut path = Path::new(other);
        path.assume(&mut terms, fixed);
        assert_eq!(path.fixed(&terms, x), Some(&Value::bits(8, 5)));
    }
}
