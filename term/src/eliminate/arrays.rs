//! Arrays: reads resolved through stores and choices, and equality made of
//! reads.

use super::{Equality, Work};
use crate::{ArraySort, Op, Sort, Term, Terms, Value, VariableId, op_heads};
use nanoscope_ieee::{Rounding, Word};
use std::collections::BTreeMap;

/// Takes the top-level equations `variable = array` out of `assertions`, the
/// variable not being in the array, and puts the array in the variable's place.
pub(super) fn solve_definitions(
    terms: &mut Terms,
    assertions: &[Term],
    definitions: &mut Vec<(VariableId, Term)>,
) -> Vec<Term> {
    let mut given: Vec<Term> = Vec::new();
    for assertion in assertions {
        match terms.op(*assertion) {
            Op::And => given.extend_from_slice(terms.args(*assertion)),
            _ => given.push(*assertion),
        }
    }
    let mut at = 0;
    while at < given.len() {
        match definition(terms, given[at]) {
            Some((variable, term)) => {
                given.remove(at);
                let name = terms.variable_term(variable);
                given = terms.substitute(&given, |_, part| (part == name).then_some(term));
                definitions.push((variable, term));
                // What was no definition before may be one now.
                at = 0;
            }
            None => at += 1,
        }
    }
    given
}

fn definition(terms: &Terms, assertion: Term) -> Option<(VariableId, Term)> {
    if terms.op(assertion) != Op::Equal {
        return None;
    }
    let (a, b) = (terms.args(assertion)[0], terms.args(assertion)[1]);
    if !matches!(terms.sort(a), Sort::Array(_)) {
        return None;
    }
    [(a, b), (b, a)].into_iter().find_map(|(name, term)| {
        let variable = terms.as_variable(name)?;
        (!terms.below(&[term]).contains(&name)).then_some((variable, term))
    })
}

impl Work<'_> {
    /// The element of an array at a plain index.
    pub(super) fn read(&mut self, array: Term, index: Term) -> Term {
        let mut todo = vec![(array, false)];
        while let Some((next, ready)) = todo.pop() {
            if self.reads.contains_key(&(next, index)) {
                continue;
            }
            let args = self.terms.args(next).to_vec();
            let element = match self.terms.op(next) {
                Op::ConstantArray(_) => self.core[&args[0]],
                Op::Variable(variable) => self.read_variable(variable, index),
                Op::Store => {
                    let (at, value) = (self.core[&args[1]], self.core[&args[2]]);
                    let here = self.terms.equal(at, index);
                    match (self.terms.value(here).and_then(Value::as_bool), ready) {
                        (Some(true), _) => value,
                        (Some(false) | None, false) => {
                            todo.push((next, true));
                            todo.push((args[0], false));
                            continue;
                        }
                        (Some(false) | None, true) => {
                            let below = self.reads[&(args[0], index)];
                            self.terms.ite(here, value, below)
                        }
                    }
                }
                Op::Ite if ready => {
                    let branches = (self.reads[&(args[1], index)], self.reads[&(args[2], index)]);
                    self.terms.ite(self.core[&args[0]], branches.0, branches.1)
                }
                Op::Ite => {
                    todo.push((next, true));
                    todo.push((args[1], false));
                    todo.push((args[2], false));
                    continue;
                }
                Op::Value(_)
                | Op::Equal
                | Op::Bits(_)
                | Op::Float(..)
                | Op::Libm(..)
                | Op::Unspecified(_)
                | Op::Apply(_)
                | Op::Select
                | op_heads!(Connective) => unreachable!("no array of the deepest sort"),
            };
            self.reads.insert((next, index), element);
        }
        self.reads[&(array, index)]
    }

    fn read_variable(&mut self, variable: VariableId, index: Term) -> Term {
        let Sort::Array(array) = self.terms.variable_sort(variable) else {
            unreachable!("an array variable")
        };
        let (_, element) = self.terms.array(array);
        let name = self.terms.symbol(variable).to_string();
        let mut known = self.out.reads.remove(&variable).unwrap_or_default();
        let result = self.occurrence(&mut known, vec![index], &name, element);
        self.out.reads.insert(variable, known);
        result
    }

    /// What makes each equality's variable mean the equality. It holds, or the
    /// sides differ at an index found for it; and where it holds, the sides
    /// agree at every index that anybody reads or writes, and at one more that
    /// stands for all others: then a model's arrays, made like that one
    /// everywhere else, are equal. Where there are no others, the indices of
    /// the sort are few and all are taken.
    pub(super) fn extensionality(
        &mut self,
        given: &[Term],
        equalities: &[Equality],
    ) -> Result<Vec<Term>, String> {
        let mut constraints = Vec::new();
        let mut by_sort: BTreeMap<ArraySort, Vec<&Equality>> = BTreeMap::new();
        for equality in equalities {
            if let Sort::Array(array) = self.terms.sort(equality.sides[0]) {
                by_sort.entry(array).or_default().push(equality);
            }
        }
        for (array, equalities) in by_sort {
            let (index, _) = self.terms.array(array);
            let mut indices = self.indices(given, array);
            for equality in &equalities {
                let witness = self.terms.fresh("differ", index);
                let [a, b] = equality.sides.map(|side| self.read(side, witness));
                let same = self.terms.equal(a, b);
                let differ = self.terms.not(same);
                constraints.push(self.terms.or(&[equality.holds, differ]));
                indices.push(witness);
            }
            let many = index.size().is_none_or(|size| size > indices.len() as u64);
            if many {
                let elsewhere = self.terms.fresh("elsewhere", index);
                for other in &indices {
                    let same = self.terms.equal(elsewhere, *other);
                    constraints.push(self.terms.not(same));
                }
                indices.push(elsewhere);
                for term in self.terms.below(given) {
                    let Some(variable) = self.terms.as_variable(term) else { continue };
                    if self.terms.sort(term) == Sort::Array(array) {
                        let element = self.read(term, elsewhere);
                        self.out.elsewhere.insert(variable, element);
                    }
                }
            } else {
                for value in values(index)? {
                    let value = self.terms.constant(value);
                    if !indices.contains(&value) {
                        indices.push(value);
                    }
                }
            }
            for equality in &equalities {
                for at in &indices {
                    let [a, b] = equality.sides.map(|side| self.read(side, *at));
                    let same = self.terms.equal(a, b);
                    constraints.push(self.terms.implies(equality.holds, same));
                }
            }
        }
        Ok(constraints)
    }

    /// The indices at which arrays of a sort are read or written.
    fn indices(&self, given: &[Term], array: ArraySort) -> Vec<Term> {
        let mut indices = Vec::new();
        for term in self.terms.below(given) {
            if matches!(self.terms.op(term), Op::Select | Op::Store) {
                let args = self.terms.args(term);
                if self.terms.sort(args[0]) == Sort::Array(array) {
                    indices.push(self.core[&args[1]]);
                }
            }
        }
        indices.sort_unstable();
        indices.dedup();
        indices
    }
}

/// All values of a sort that has few.
fn values(sort: Sort) -> Result<Vec<Value>, String> {
    let few = |width: u32| {
        if width <= 16 { Ok(0..1u128 << width) } else { Err("too many indices".to_string()) }
    };
    Ok(match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Rounding => Rounding::ALL.into_iter().map(Value::Rounding).collect(),
        Sort::Bits(width) => few(width)?.map(|bits| Value::bits(width, bits)).collect(),
        Sort::Float(format) => {
            let width = format.width();
            let mut all: Vec<Value> = few(width)?
                .map(|bits| Value::float(format, Word::new(width, bits)))
                .filter(|value| !value.is_nan())
                .collect();
            all.push(Value::nan(format));
            all
        }
        Sort::Array(_) => return Err("arrays indexed by arrays".to_string()),
    })
}
