//! The place where terms live: every term once, named by a number.

use crate::rewrite;
use crate::{ArraySort, Op, Sort, Value, typing};
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use std::hash::BuildHasher;

/// A term within its [`Terms`]. Equal terms have equal names, and the
/// arguments of a term are less than itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

impl Term {
    /// Its number, from 0 up without gaps: an index for tables beside the terms.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The name of a value within its [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(u32);

/// The name of a variable within its [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(u32);

impl VariableId {
    /// Its number, from 0 up without gaps.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The name of an uninterpreted function within its [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(u32);

/// An uninterpreted function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The sorts of its arguments, at least one.
    pub domain: Vec<Sort>,
    /// The sort of its results.
    pub range: Sort,
}

#[derive(Clone, Debug)]
struct Node {
    op: Op,
    sort: Sort,
    first: u32,
    count: u32,
}

/// All terms of a problem.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    arguments: Vec<Term>,
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
    values: Vec<Value>,
    value_names: HashMap<Value, ValueId>,
    variables: Vec<(String, Sort, Term)>,
    variable_names: HashMap<(String, Sort), VariableId>,
    functions: Vec<Function>,
    function_names: HashMap<Function, FunctionId>,
    arrays: Vec<(Sort, Sort)>,
    literal: bool,
}

impl Terms {
    /// No terms yet; those made are simplified.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// No terms yet; those made are taken literally, so that rules can be
    /// checked against what they rewrite.
    pub fn without_rewriting() -> Terms {
        Terms { literal: true, ..Terms::default() }
    }

    /// Whether terms are simplified as they are made.
    pub fn rewrites(&self) -> bool {
        !self.literal
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The term of that number.
    pub(crate) fn term_at(&self, index: usize) -> Option<Term> {
        (index < self.nodes.len()).then_some(Term(index as u32))
    }

    /// What a term does with its arguments.
    pub fn op(&self, term: Term) -> Op {
        self.nodes[term.index()].op
    }

    /// The arguments of a term.
    pub fn args(&self, term: Term) -> &[Term] {
        let node = &self.nodes[term.index()];
        &self.arguments[node.first as usize..(node.first + node.count) as usize]
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term.index()].sort
    }

    /// The value that a term is, if it is one.
    pub fn value(&self, term: Term) -> Option<&Value> {
        if let Op::Value(name) = self.op(term) { Some(&self.values[name.0 as usize]) } else { None }
    }

    /// The variable that a term is, if it is one.
    pub fn as_variable(&self, term: Term) -> Option<VariableId> {
        if let Op::Variable(name) = self.op(term) { Some(name) } else { None }
    }

    /// The name of a variable.
    pub fn symbol(&self, variable: VariableId) -> &str {
        &self.variables[variable.index()].0
    }

    /// The sort of a variable.
    pub fn variable_sort(&self, variable: VariableId) -> Sort {
        self.variables[variable.index()].1
    }

    /// The term that is that variable.
    pub fn variable_term(&self, variable: VariableId) -> Term {
        self.variables[variable.index()].2
    }

    /// What an uninterpreted function is.
    pub fn function(&self, function: FunctionId) -> &Function {
        &self.functions[function.0 as usize]
    }

    /// The sorts of indices and elements of an array sort.
    pub fn array(&self, sort: ArraySort) -> (Sort, Sort) {
        self.arrays[sort.0 as usize]
    }

    /// How deep arrays are nested in a sort: 0 for what is no array.
    pub(crate) fn depth(&self, sort: Sort) -> u32 {
        let Sort::Array(array) = sort else { return 0 };
        let (index, element) = self.array(array);
        1 + self.depth(index).max(self.depth(element))
    }

    /// The sort of arrays from `index` to `element`.
    pub fn array_sort(&mut self, index: Sort, element: Sort) -> Sort {
        let known = self.arrays.iter().position(|sorts| *sorts == (index, element));
        let at = known.unwrap_or_else(|| {
            self.arrays.push((index, element));
            self.arrays.len() - 1
        });
        Sort::Array(ArraySort(at as u32))
    }

    /// The uninterpreted function of that name and those sorts.
    pub fn declare_function(&mut self, name: &str, domain: &[Sort], range: Sort) -> FunctionId {
        assert!(!domain.is_empty(), "a function without arguments is a variable");
        let function = Function { name: name.to_string(), domain: domain.to_vec(), range };
        if let Some(known) = self.function_names.get(&function) {
            return *known;
        }
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(function.clone());
        self.function_names.insert(function, id);
        id
    }

    /// The variable of that name and sort.
    pub fn variable(&mut self, name: &str, sort: Sort) -> Term {
        typing::well_formed(sort);
        if let Some(known) = self.variable_names.get(&(name.to_string(), sort)) {
            return self.variables[known.index()].2;
        }
        let id = VariableId(self.variables.len() as u32);
        let term = self.insert(Op::Variable(id), &[], sort);
        self.variables.push((name.to_string(), sort, term));
        self.variable_names.insert((name.to_string(), sort), id);
        term
    }

    /// Whether there is a variable whose name starts so and is not `except`.
    pub(crate) fn has_variable(&self, prefix: &str, except: &str) -> bool {
        self.variables.iter().any(|(name, ..)| name.starts_with(prefix) && name != except)
    }

    /// A variable that no term has yet: `hint!7` or the like.
    pub fn fresh(&mut self, hint: &str, sort: Sort) -> Term {
        let mut number = self.variables.len();
        loop {
            let name = format!("{hint}!{number}");
            if !self.variable_names.contains_key(&(name.clone(), sort)) {
                return self.variable(&name, sort);
            }
            number += 1;
        }
    }

    /// The term that is that value; not for arrays, whose terms are stores.
    pub fn constant(&mut self, value: Value) -> Term {
        let value = match value {
            Value::Float(format, bits) => Value::float(format, bits),
            other => other,
        };
        let sort = value.sort().expect("a value that is no array");
        typing::well_formed(sort);
        let id = match self.value_names.get(&value) {
            Some(known) => *known,
            None => {
                let id = ValueId(self.values.len() as u32);
                self.values.push(value.clone());
                self.value_names.insert(value, id);
                id
            }
        };
        self.insert(Op::Value(id), &[], sort)
    }

    /// The sort of `op` applied to `args`, or why there is none.
    pub fn sort_of(&self, op: Op, args: &[Term]) -> Result<Sort, String> {
        typing::sort_of(self, op, args)
    }

    /// `op` applied to `args`, simplified. Panics where the sorts do not fit;
    /// [`Terms::sort_of`] tells before.
    pub fn make(&mut self, op: Op, args: &[Term]) -> Term {
        let op = typing::canonical(op);
        if self.literal {
            return self.make_literally(op, args);
        }
        match rewrite::simplify(self, op, args) {
            Some(term) => term,
            None => self.make_literally(op, args),
        }
    }

    /// `op` applied to `args`, as it stands. Panics where the sorts do not fit.
    pub fn make_literally(&mut self, op: Op, args: &[Term]) -> Term {
        let op = typing::canonical(op);
        match self.sort_of(op, args) {
            Ok(sort) => self.insert(op, args, sort),
            Err(why) => panic!("{why}"),
        }
    }

    /// The terms below `roots` and these, each once, arguments first.
    pub fn below(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen = vec![false; self.nodes.len()];
        let mut found = Vec::new();
        let mut todo: Vec<Term> = roots.to_vec();
        while let Some(term) = todo.pop() {
            if !std::mem::replace(&mut seen[term.index()], true) {
                found.push(term);
                todo.extend_from_slice(self.args(term));
            }
        }
        found.sort_unstable();
        found
    }

    /// The variables below `roots`, in the order of their terms.
    pub fn variables_below(&self, roots: &[Term]) -> Vec<VariableId> {
        self.below(roots).into_iter().filter_map(|term| self.as_variable(term)).collect()
    }

    /// `roots` with every term that `replacement` has an answer for replaced by
    /// that answer, from the roots down: an answer is not looked into again.
    pub fn substitute(
        &mut self,
        roots: &[Term],
        mut replacement: impl FnMut(&mut Terms, Term) -> Option<Term>,
    ) -> Vec<Term> {
        let mut done: HashMap<Term, Term> = HashMap::new();
        let mut todo: Vec<(Term, bool)> = roots.iter().rev().map(|root| (*root, false)).collect();
        while let Some((term, ready)) = todo.pop() {
            if done.contains_key(&term) {
                continue;
            }
            if ready {
                let args: Vec<Term> = self.args(term).iter().map(|arg| done[arg]).collect();
                let new =
                    if args == self.args(term) { term } else { self.make(self.op(term), &args) };
                done.insert(term, new);
            } else if let Some(new) = replacement(self, term) {
                done.insert(term, new);
            } else {
                todo.push((term, true));
                todo.extend(self.args(term).iter().map(|arg| (*arg, false)));
            }
        }
        roots.iter().map(|root| done[root]).collect()
    }

    fn insert(&mut self, op: Op, args: &[Term], sort: Sort) -> Term {
        let hash = self.hasher.hash_one((op, args));
        let (nodes, arguments, hasher) = (&self.nodes, &self.arguments, &self.hasher);
        let slice =
            |node: &Node| &arguments[node.first as usize..(node.first + node.count) as usize];
        let found = self.known.find(hash, |&at| {
            let node = &nodes[at as usize];
            node.op == op && slice(node) == args
        });
        if let Some(at) = found {
            return Term(*at);
        }
        let at = u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms");
        self.known.insert_unique(hash, at, |&at| {
            let node = &nodes[at as usize];
            hasher.hash_one((node.op, slice(node)))
        });
        let first = self.arguments.len() as u32;
        self.arguments.extend_from_slice(args);
        self.nodes.push(Node { op, sort, first, count: args.len() as u32 });
        Term(at)
    }
}
