//! Solving for variables before anything else: `x = t` settles `x`.
//!
//! Conjunctions are taken apart and every variable that an assertion says the
//! value of is replaced everywhere by what it equals, as often as that helps.
//! What is left is read as what it is used for ([`recast`]). [`Simplified::complete`] gives
//! the variables that are gone their values afterwards.

use crate::recast::recast;
use nanoscope_ieee::Operation;
use nanoscope_term::{Evaluation, Model, Op, Sort, Term, Terms, Value, VariableId};
use std::collections::BTreeMap;

/// Simpler assertions, satisfiable exactly if the given ones are.
#[derive(Clone, Debug, Default)]
pub struct Simplified {
    /// What is left to decide, each once, in the order of terms.
    pub assertions: Vec<Term>,
    /// What variables equal, round by round; later rounds settle what is in
    /// the terms of earlier ones.
    rounds: Vec<Vec<(VariableId, Term)>>,
    /// New variables by those that were there before, in the order of their making.
    new: Vec<(VariableId, Term)>,
}

/// Rounds of solving; one round finds all there is, but for what only its
/// substitution makes visible.
const ROUNDS: usize = 16;

/// Takes assertions apart and solves them for variables.
pub fn simplify(terms: &mut Terms, assertions: &[Term]) -> Simplified {
    let mut simplified = Simplified::default();
    let mut left = conjuncts(terms, assertions);
    for _ in 0..ROUNDS {
        let definitions = definitions(terms, &left);
        let (table, gone) = if definitions.is_empty() {
            let Some(recast) = recast(terms, &left) else { break };
            simplified.new.extend(recast.forth);
            (recast.table, recast.back)
        } else {
            let resolved = resolve(terms, definitions);
            let name = |variable: &VariableId| terms.variable_term(*variable);
            (resolved.iter().map(|(variable, term)| (name(variable), *term)).collect(), resolved)
        };
        let replaced = terms.substitute(&left, |_, term| table.get(&term).copied());
        left = conjuncts(terms, &replaced);
        simplified.rounds.push(gone);
    }
    simplified.assertions = left;
    simplified
}

impl Simplified {
    /// A model of something similar, with values for the new variables.
    pub fn translate(&self, terms: &Terms, model: &Model) -> Model {
        let mut translated = model.clone();
        for (variable, term) in &self.new {
            let value = nanoscope_term::evaluate(terms, &translated, *term);
            translated.set(*variable, value);
        }
        translated
    }

    /// Adds the values of solved variables to a model of what was left.
    pub fn complete(&self, terms: &Terms, model: &mut Model) {
        for round in self.rounds.iter().rev() {
            let mut evaluation = Evaluation::new(terms, model);
            let values: Vec<(VariableId, Value)> = round
                .iter()
                .map(|(variable, term)| (*variable, evaluation.value(*term).clone()))
                .collect();
            for (variable, value) in values {
                model.set(variable, value);
            }
        }
    }
}

/// The parts of conjunctions, without those that are true; just one that is
/// false if there is any.
fn conjuncts(terms: &mut Terms, assertions: &[Term]) -> Vec<Term> {
    let mut parts = Vec::new();
    let mut todo = assertions.to_vec();
    while let Some(term) = todo.pop() {
        let args = terms.args(term).to_vec();
        match (terms.op(term), terms.value(term)) {
            (_, Some(Value::Bool(true))) => {}
            (_, Some(Value::Bool(false))) => return vec![term],
            (Op::And, _) => todo.extend(args),
            (Op::Not, _) if terms.op(args[0]) == Op::Or => {
                for arg in terms.args(args[0]).to_vec() {
                    todo.push(terms.not(arg));
                }
            }
            _ => parts.push(term),
        }
    }
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// Variables and what an assertion says they equal, without cycles, those
/// that others depend on first.
fn definitions(terms: &mut Terms, assertions: &[Term]) -> Vec<(VariableId, Term)> {
    let mut found: BTreeMap<Term, Term> = BTreeMap::new();
    for assertion in assertions {
        for (variable, term) in candidates(terms, *assertion) {
            let name = terms.variable_term(variable);
            if name != term && !found.contains_key(&name) {
                found.insert(name, term);
                break;
            }
        }
    }
    without_cycles(terms, found)
}

/// Leaves out definitions until none depends on itself. One walk through the
/// terms, from variables into their definitions: where it meets a term that it
/// is below, the last definition it went into closes a cycle.
fn without_cycles(terms: &Terms, mut found: BTreeMap<Term, Term>) -> Vec<(VariableId, Term)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        Within,
        Done,
    }
    let mut seen = vec![Seen::Not; terms.len()];
    let mut order = Vec::new();
    // The defined variables that the walk is within, the last one last.
    let mut within: Vec<Term> = Vec::new();
    let mut todo: Vec<(Term, bool)> = found.keys().map(|name| (*name, false)).collect();
    while let Some((term, leaving)) = todo.pop() {
        let state = seen[term.index()];
        if leaving {
            seen[term.index()] = Seen::Done;
            if within.last() == Some(&term) {
                within.pop();
                if let Some(definition) = found.get(&term)
                    && let Some(variable) = terms.as_variable(term)
                {
                    order.push((variable, *definition));
                }
            }
            continue;
        }
        match state {
            Seen::Done => {}
            Seen::Within => {
                if let Some(closing) = within.last() {
                    found.remove(closing);
                }
            }
            Seen::Not => {
                seen[term.index()] = Seen::Within;
                todo.push((term, true));
                match found.get(&term) {
                    Some(definition) => {
                        within.push(term);
                        todo.push((*definition, false));
                    }
                    None => todo.extend(terms.args(term).iter().map(|arg| (*arg, false))),
                }
            }
        }
    }
    order
}

/// Ways to read an assertion as the value of a variable.
fn candidates(terms: &mut Terms, assertion: Term) -> Vec<(VariableId, Term)> {
    let args = terms.args(assertion).to_vec();
    match terms.op(assertion) {
        Op::Variable(variable) => {
            let holds = terms.bool(true);
            vec![(variable, holds)]
        }
        Op::Not => match terms.op(args[0]) {
            Op::Variable(variable) => {
                let fails = terms.bool(false);
                vec![(variable, fails)]
            }
            // One of two truth values is the other's negation.
            Op::Equal if terms.sort(terms.args(args[0])[0]) == Sort::Bool => {
                let [a, b] = [terms.args(args[0])[0], terms.args(args[0])[1]];
                let mut ways = Vec::new();
                for (side, other) in [(a, b), (b, a)] {
                    if let Some(variable) = terms.as_variable(side) {
                        ways.push((variable, terms.not(other)));
                    }
                }
                ways
            }
            _ => Vec::new(),
        },
        Op::Equal => [(args[0], args[1]), (args[1], args[0])]
            .into_iter()
            .filter_map(|(side, other)| terms.as_variable(side).map(|variable| (variable, other)))
            .collect(),
        // There is one NaN.
        Op::Float(Operation::IsNan, parameters) => match terms.as_variable(args[0]) {
            Some(variable) => {
                let nan = terms.constant(Value::nan(parameters.format));
                vec![(variable, nan)]
            }
            None => Vec::new(),
        },
        // Equal numbers are the same but for zeros.
        Op::Float(Operation::Equal, _) => [(args[0], args[1]), (args[1], args[0])]
            .into_iter()
            .filter(|(_, other)| terms.value(*other).is_some_and(|value| !is_zero_or_nan(value)))
            .filter_map(|(side, other)| terms.as_variable(side).map(|variable| (variable, other)))
            .collect(),
        // Any other operation says nothing of a variable alone.
        _ => Vec::new(),
    }
}

fn is_zero_or_nan(value: &Value) -> bool {
    match value.as_float() {
        Some((format, _)) => {
            value.is_nan() || [false, true].iter().any(|sign| *value == Value::zero(format, *sign))
        }
        None => true,
    }
}

/// Replaces defined variables within definitions, which are given in the
/// order of their dependence.
fn resolve(terms: &mut Terms, definitions: Vec<(VariableId, Term)>) -> Vec<(VariableId, Term)> {
    let mut done: BTreeMap<Term, Term> = BTreeMap::new();
    let mut resolved = Vec::new();
    for (variable, definition) in definitions {
        let new = terms.substitute(&[definition], |_, term| done.get(&term).copied())[0];
        done.insert(terms.variable_term(variable), new);
        resolved.push((variable, new));
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;
    use nanoscope_term::{BitsOp, holds};

    #[test]
    fn chains_are_solved_and_cycles_left() {
        let mut terms = Terms::new();
        let names: Vec<Term> =
            (0..200).map(|i| terms.variable(&format!("v{i}"), Sort::Bits(8))).collect();
        let one = terms.bits(8, 1);
        let mut assertions = Vec::new();
        for pair in names.windows(2) {
            let next = terms.bits_op(BitsOp::Add, &[pair[0], one]);
            assertions.push(terms.equal(pair[1], next));
        }
        // Closing the circle: v0 = v199 * 3 has a solution, as 3 is odd.
        let three = terms.bits(8, 3);
        let product = terms.bits_op(BitsOp::Mul, &[names[199], three]);
        assertions.push(terms.equal(names[0], product));
        let simplified = simplify(&mut terms, &assertions);
        assert!(simplified.assertions.len() <= 1, "{:?}", simplified.assertions);
        let free = terms.variables_below(&simplified.assertions);
        assert!(free.len() <= 1);
        let solves = |value: u128| {
            let mut model = Model::new();
            for variable in &free {
                model.set(*variable, Value::bits(8, value));
            }
            simplified.complete(&terms, &mut model);
            holds(&terms, &model, &simplified.assertions) == holds(&terms, &model, &assertions)
        };
        assert!((0..256).all(solves));
    }
}
