//! Solving for variables before anything else: `x = t` settles `x`.
//!
//! Conjunctions are taken apart and every variable that an assertion says the
//! value of is replaced everywhere by what it equals, as often as that helps.
//! [`Simplified::complete`] gives these variables their values afterwards.

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
}

/// Rounds of solving; one round finds all there is, but for what only its
/// substitution makes visible.
const ROUNDS: usize = 8;

/// Takes assertions apart and solves them for variables.
pub fn simplify(terms: &mut Terms, assertions: &[Term]) -> Simplified {
    let mut simplified = Simplified::default();
    let mut left = conjuncts(terms, assertions);
    for _ in 0..ROUNDS {
        let definitions = definitions(terms, &left);
        if definitions.is_empty() {
            break;
        }
        let resolved = resolve(terms, definitions);
        let table: BTreeMap<Term, Term> = resolved
            .iter()
            .map(|(variable, term)| (terms.variable_term(*variable), *term))
            .collect();
        let replaced = terms.substitute(&left, |_, term| table.get(&term).copied());
        left = conjuncts(terms, &replaced);
        simplified.rounds.push(resolved);
    }
    simplified.assertions = left;
    simplified
}

impl Simplified {
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

/// Variables and what an assertion says they equal, without cycles.
fn definitions(terms: &mut Terms, assertions: &[Term]) -> BTreeMap<VariableId, Term> {
    let mut found: BTreeMap<VariableId, Term> = BTreeMap::new();
    // What the variables found depend on, themselves resolved through `found`.
    for assertion in assertions {
        for (variable, term) in candidates(terms, *assertion) {
            if found.contains_key(&variable) || depends(terms, &found, term, variable) {
                continue;
            }
            found.insert(variable, term);
            break;
        }
    }
    found
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

/// Whether a term depends on a variable, through definitions too.
fn depends(
    terms: &Terms,
    found: &BTreeMap<VariableId, Term>,
    term: Term,
    variable: VariableId,
) -> bool {
    let (mut seen, mut todo) = (Vec::new(), vec![term]);
    while let Some(term) = todo.pop() {
        for below in terms.variables_below(&[term]) {
            if below == variable {
                return true;
            }
            if let Some(definition) = found.get(&below)
                && !seen.contains(&below)
            {
                seen.push(below);
                todo.push(*definition);
            }
        }
    }
    false
}

/// Replaces defined variables within definitions, innermost first.
fn resolve(terms: &mut Terms, definitions: BTreeMap<VariableId, Term>) -> Vec<(VariableId, Term)> {
    let mut done: BTreeMap<Term, Term> = BTreeMap::new();
    let mut resolved = Vec::new();
    let mut todo: Vec<(VariableId, bool)> =
        definitions.keys().map(|variable| (*variable, false)).collect();
    while let Some((variable, ready)) = todo.pop() {
        let name = terms.variable_term(variable);
        if done.contains_key(&name) {
            continue;
        }
        let definition = definitions[&variable];
        if ready {
            let new = terms.substitute(&[definition], |_, term| done.get(&term).copied())[0];
            done.insert(name, new);
            resolved.push((variable, new));
        } else {
            todo.push((variable, true));
            let below = terms.variables_below(&[definition]);
            todo.extend(
                below
                    .into_iter()
                    .filter(|other| definitions.contains_key(other))
                    .map(|v| (v, false)),
            );
        }
    }
    resolved
}
