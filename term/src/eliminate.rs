//! From the door's terms to the engines', and models back.
//!
//! What only the door knows becomes plain terms: reads of arrays and
//! applications of functions become variables, those with equal arguments
//! forced to be equal by a choice over the earlier ones (Ackermann's
//! reduction, in the form that leaves no constraints behind); results that
//! SMT-LIB leaves open become variables likewise.

mod arrays;
mod open;

use crate::{
    Evaluation, FunctionId, FunctionValue, Model, Op, Sort, Term, Terms, Unspecified, Value,
    VariableId, op_heads,
};
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// Assertions that engines understand, and the way back.
#[derive(Clone, Debug, Default)]
pub struct Eliminated {
    /// Satisfiable exactly if the given ones are.
    pub assertions: Vec<Term>,
    /// Array variables that equal a term, the latest found first to be used.
    definitions: Vec<(VariableId, Term)>,
    /// Reads of each array variable, and where it is like everywhere else.
    reads: BTreeMap<VariableId, Occurrences>,
    elsewhere: BTreeMap<VariableId, Term>,
    applications: BTreeMap<FunctionId, Occurrences>,
    open: BTreeMap<Unspecified, Occurrences>,
}

/// Arguments and result of each occurrence; of those with equal arguments the
/// first counts.
type Occurrences = Vec<(Vec<Term>, Term)>;

impl Eliminated {
    /// A model of the given assertions from one of [`Eliminated::assertions`].
    pub fn lift(&self, terms: &Terms, model: &Model) -> Model {
        let mut lifted = model.clone();
        let mut evaluation = Evaluation::new(terms, model);
        let mut table = |occurrences: &Occurrences| {
            let mut entries: BTreeMap<Vec<Value>, Value> = BTreeMap::new();
            for (args, result) in occurrences {
                let key = args.iter().map(|arg| evaluation.value(*arg).clone()).collect();
                let value = evaluation.value(*result).clone();
                entries.entry(key).or_insert(value);
            }
            entries
        };
        for (function, occurrences) in &self.applications {
            let entries = table(occurrences);
            let default = terms.default_value(terms.function(*function).range);
            lifted.functions.insert(*function, FunctionValue { entries, default });
        }
        for (function, occurrences) in &self.open {
            for (args, value) in table(occurrences) {
                lifted.unspecified.insert((*function, args), value);
            }
        }
        let mut arrays = Vec::new();
        for (variable, occurrences) in &self.reads {
            arrays.push((*variable, table(occurrences)));
        }
        for (variable, entries) in arrays {
            let mut value = terms.default_value(terms.variable_sort(variable));
            let Value::Array(array) = &mut value else { continue };
            if let Some(elsewhere) = self.elsewhere.get(&variable) {
                array.default = evaluation.value(*elsewhere).clone();
            }
            for (mut index, element) in entries {
                array.store(index.pop().expect("an index"), element);
            }
            lifted.set(variable, value);
        }
        for (variable, term) in self.definitions.iter().rev() {
            let value = Evaluation::new(terms, &lifted).value(*term).clone();
            lifted.set(*variable, value);
        }
        lifted
    }
}

/// Turns arrays, uninterpreted functions and open results of `assertions` into
/// plain terms. An error says what it cannot.
pub fn eliminate(terms: &mut Terms, assertions: &[Term]) -> Result<Eliminated, String> {
    let door = |terms: &Terms, term: &Term| match terms.op(*term) {
        op_heads!(Door) => true,
        Op::Ite
        | Op::Equal
        | Op::Bits(_)
        | Op::Float(..)
        | Op::Libm(..)
        | op_heads!(Leaf, Connective) => matches!(terms.sort(*term), Sort::Array(_)),
    };
    if !terms.below(assertions).iter().any(|term| door(terms, term)) {
        return Ok(Eliminated { assertions: assertions.to_vec(), ..Eliminated::default() });
    }
    let mut eliminated = Eliminated::default();
    let given = arrays::solve_definitions(terms, assertions, &mut eliminated.definitions);
    let mut work = Work { terms, core: HashMap::new(), reads: HashMap::new(), out: eliminated };
    let mut equalities = Vec::new();
    for term in work.terms.below(&given) {
        if let Some(core) = work.translate(term, &mut equalities)? {
            work.core.insert(term, core);
        }
    }
    let mut result: Vec<Term> = given.iter().map(|term| work.core[term]).collect();
    result.extend(work.extensionality(&given, &equalities)?);
    work.out.assertions = result;
    Ok(work.out)
}

/// An elimination under way.
struct Work<'a> {
    terms: &'a mut Terms,
    /// What became of each term that is no array.
    core: HashMap<Term, Term>,
    /// What became of each read, by array and plain index.
    reads: HashMap<(Term, Term), Term>,
    out: Eliminated,
}

/// An equality of arrays and the variable that stands for it.
struct Equality {
    holds: Term,
    sides: [Term; 2],
}

impl Work<'_> {
    /// What becomes of a term whose arguments are done; none for an array.
    fn translate(
        &mut self,
        term: Term,
        equalities: &mut Vec<Equality>,
    ) -> Result<Option<Term>, String> {
        let args = self.terms.args(term).to_vec();
        let is_array = |sort: Sort| matches!(sort, Sort::Array(_));
        if let Sort::Array(array) = self.terms.sort(term) {
            let (index, element) = self.terms.array(array);
            if is_array(index) || is_array(element) {
                return Err("arrays of arrays".to_string());
            }
            if matches!(self.terms.op(term), Op::Apply(_)) {
                return Err("functions that give arrays".to_string());
            }
            return Ok(None);
        }
        let core = match self.terms.op(term) {
            Op::Value(_) | Op::Variable(_) => term,
            Op::Equal if is_array(self.terms.sort(args[0])) => {
                let holds = self.terms.fresh("equal", Sort::Bool);
                equalities.push(Equality { holds, sides: [args[0], args[1]] });
                holds
            }
            Op::Select => {
                let index = self.core[&args[1]];
                self.read(args[0], index)
            }
            Op::Apply(function) => {
                if self.terms.function(function).domain.iter().any(|sort| is_array(*sort)) {
                    return Err("functions of arrays".to_string());
                }
                let args: Vec<Term> = args.iter().map(|arg| self.core[arg]).collect();
                let range = self.terms.function(function).range;
                let name = self.terms.function(function).name.clone();
                let mut known = self.out.applications.remove(&function).unwrap_or_default();
                let result = self.occurrence(&mut known, args, &name, range);
                self.out.applications.insert(function, known);
                result
            }
            Op::Unspecified(function) => {
                let args: Vec<Term> = args.iter().map(|arg| self.core[arg]).collect();
                self.close(function, &args)
            }
            op @ (Op::Ite
            | Op::Equal
            | Op::Bits(_)
            | Op::Float(..)
            | Op::Libm(..)
            | op_heads!(Connective)) => {
                let new: Vec<Term> = args.iter().map(|arg| self.core[arg]).collect();
                if new == args { term } else { self.terms.make(op, &new) }
            }
            Op::Store | Op::ConstantArray(_) => unreachable!("arrays are done"),
        };
        Ok(Some(core))
    }

    /// The result of an occurrence of a function: a new variable, unless the
    /// arguments are those of an earlier occurrence.
    fn occurrence(
        &mut self,
        known: &mut Occurrences,
        args: Vec<Term>,
        hint: &str,
        sort: Sort,
    ) -> Term {
        if let Some((_, result)) = known.iter().find(|(earlier, _)| *earlier == args) {
            return *result;
        }
        let mut tests = Vec::new();
        for (earlier, result) in known.iter() {
            let same: Vec<Term> =
                earlier.iter().zip(&args).map(|(a, b)| self.terms.equal(*a, *b)).collect();
            tests.push((self.terms.and(&same), *result));
        }
        let fresh = self.terms.fresh(hint, sort);
        known.push((args, fresh));
        tests.into_iter().rev().fold(fresh, |all, (test, result)| self.terms.ite(test, result, all))
    }
}
