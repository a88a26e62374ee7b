//! From the door's terms to the engines', and models back.
//!
//! What only the door knows becomes plain terms: reads of arrays and
//! applications of functions become variables, those with equal arguments
//! forced to be equal by a choice over the earlier ones (Ackermann's
//! reduction, in the form that leaves no constraints behind); results that
//! SMT-LIB leaves open become variables likewise. It goes by stages: functions
//! and open results first, then arrays by how deep they are nested, the deepest
//! first, so that what a stage reads from arrays is a plain term to it.

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
    /// What each stage took away, in the order of the stages.
    stages: Vec<Stage>,
}

/// What a stage took away.
#[derive(Clone, Debug, Default)]
struct Stage {
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
        self.stages.iter().rev().fold(model.clone(), |model, stage| stage.lift(terms, &model))
    }
}

impl Stage {
    /// A model of what the stage was given from one of what it left.
    fn lift(&self, terms: &Terms, model: &Model) -> Model {
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
    let mut eliminated = Eliminated { assertions: assertions.to_vec(), ..Eliminated::default() };
    let mut depth = depth_of(terms, assertions);
    if depth == 0 && !has_functions(terms, assertions) {
        return Ok(eliminated);
    }
    let mut definitions = Vec::new();
    let given = arrays::solve_definitions(terms, assertions, &mut definitions);
    eliminated.stages.push(Stage { definitions, ..Stage::default() });
    eliminated.assertions = given;
    // No array is that deep: this stage is for functions alone.
    let functions = has_functions(terms, &eliminated.assertions).then_some(depth + 1);
    let mut level = functions.unwrap_or(depth);
    while level > 0 {
        let mut work = Work::new(terms, level);
        eliminated.assertions = work.run(&eliminated.assertions)?;
        eliminated.stages.push(work.out);
        depth = depth_of(terms, &eliminated.assertions);
        debug_assert!(depth < level, "the deepest arrays are gone");
        level = depth;
    }
    Ok(eliminated)
}

/// How deep arrays are nested in terms; 0 without any.
fn depth_of(terms: &Terms, assertions: &[Term]) -> u32 {
    terms.below(assertions).iter().map(|term| terms.depth(terms.sort(*term))).max().unwrap_or(0)
}

fn has_functions(terms: &Terms, assertions: &[Term]) -> bool {
    terms
        .below(assertions)
        .iter()
        .any(|term| matches!(terms.op(*term), Op::Apply(_) | Op::Unspecified(_)))
}

/// A stage under way. Arrays are those of its depth; others are plain.
struct Work<'a> {
    terms: &'a mut Terms,
    depth: u32,
    /// What became of each term that is no array.
    core: HashMap<Term, Term>,
    /// What became of each read, by array and plain index.
    reads: HashMap<(Term, Term), Term>,
    out: Stage,
}

/// An equality of arrays and the variable that stands for it.
struct Equality {
    holds: Term,
    sides: [Term; 2],
}

impl Work<'_> {
    fn new(terms: &mut Terms, depth: u32) -> Work<'_> {
        let (core, reads) = (HashMap::new(), HashMap::new());
        Work { terms, depth, core, reads, out: Stage::default() }
    }

    /// The assertions without functions and without this stage's arrays.
    fn run(&mut self, given: &[Term]) -> Result<Vec<Term>, String> {
        let mut equalities = Vec::new();
        for term in self.terms.below(given) {
            if let Some(core) = self.translate(term, &mut equalities)? {
                self.core.insert(term, core);
            }
        }
        let mut result: Vec<Term> = given.iter().map(|term| self.core[term]).collect();
        result.extend(self.extensionality(given, &equalities)?);
        Ok(result)
    }

    fn is_array(&self, sort: Sort) -> bool {
        self.terms.depth(sort) == self.depth
    }

    /// What becomes of a term whose arguments are done; none for an array.
    fn translate(
        &mut self,
        term: Term,
        equalities: &mut Vec<Equality>,
    ) -> Result<Option<Term>, String> {
        let args = self.terms.args(term).to_vec();
        let sort = self.terms.sort(term);
        if let Sort::Array(array) = sort
            && self.terms.depth(self.terms.array(array).0) > 0
        {
            return Err("arrays indexed by arrays".to_string());
        }
        if self.is_array(sort) {
            return Ok(None);
        }
        let core = match self.terms.op(term) {
            Op::Value(_) | Op::Variable(_) => term,
            Op::Equal if self.is_array(self.terms.sort(args[0])) => {
                let holds = self.terms.fresh("equal", Sort::Bool);
                equalities.push(Equality { holds, sides: [args[0], args[1]] });
                holds
            }
            Op::Select if self.is_array(self.terms.sort(args[0])) => {
                let index = self.core[&args[1]];
                self.read(args[0], index)
            }
            Op::Apply(function) => {
                let domain = &self.terms.function(function).domain;
                if domain.iter().any(|sort| matches!(sort, Sort::Array(_))) {
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
            | op_heads!(Array, Connective)) => {
                let new: Vec<Term> = args.iter().map(|arg| self.core[arg]).collect();
                if new == args { term } else { self.terms.make(op, &new) }
            }
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
