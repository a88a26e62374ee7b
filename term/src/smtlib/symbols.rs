//! What symbols mean, and since which level.

use super::text::{At, Kind, Mistake, Tree};
use crate::typing::MAX_WIDTH;
use crate::{FunctionId, Sort, Term, Terms};
use hashbrown::HashMap;
use nanoscope_ieee::Format;
use num_rational::BigRational;
use std::rc::Rc;

/// What an expression means: reals are known numbers, on their way into
/// `to_fp`, or beyond us.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meaning {
    Term(Term),
    Real(Real),
}

/// A real number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Real {
    Known(BigRational),
    /// A number divided by zero, of which SMT-LIB says only that it is one.
    OverZero(BigRational),
    /// The value of a float, by `fp.to_real`.
    OfFloat(Term),
    /// A number computed from those.
    Beyond,
    /// The first number if the truth value holds, else the second.
    Choice(Term, Rc<(Real, Real)>),
}

impl Real {
    /// Among how many numbers it is.
    pub(crate) fn leaves(&self) -> usize {
        match self {
            Real::Known(_) | Real::OverZero(_) | Real::OfFloat(_) | Real::Beyond => 1,
            Real::Choice(_, branches) => branches.0.leaves() + branches.1.leaves(),
        }
    }
}

/// What a symbol stands for.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    /// A value, by `let`, `define-fun` or `declare-fun` without arguments.
    Is(Meaning),
    /// A defined function: its parameters' placeholders and its body.
    Macro(Rc<(Vec<Term>, Meaning)>),
    /// A declared function.
    Function(FunctionId),
}

/// A sort that a script may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DoorSort {
    Term(Sort),
    Real,
}

#[derive(Clone, Debug)]
struct SortMacro {
    parameters: Vec<String>,
    body: Rc<(Tree, At)>,
}

/// All symbols known, the innermost meaning last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    bindings: HashMap<String, Vec<Binding>>,
    sorts: HashMap<String, Vec<SortMacro>>,
    /// What was bound since each push, for undoing it.
    undo: Vec<Undo>,
}

#[derive(Clone, Debug)]
enum Undo {
    Binding(String),
    Sort(String),
}

/// How deep sorts may nest.
const DEEPEST: usize = 200;

impl Symbols {
    pub(crate) fn get(&self, name: &str) -> Option<&Binding> {
        self.bindings.get(name)?.last()
    }

    /// Binds until the matching [`Symbols::release`].
    pub(crate) fn bind(&mut self, name: &str, binding: Binding) {
        self.bindings.entry_ref(name).or_default().push(binding);
    }

    pub(crate) fn release(&mut self, name: &str) {
        if let Some(meanings) = self.bindings.get_mut(name) {
            meanings.pop();
        }
    }

    /// Binds until the level is left.
    pub(crate) fn declare(&mut self, name: &str, binding: Binding) {
        self.bind(name, binding);
        self.undo.push(Undo::Binding(name.to_string()));
    }

    /// Declares a sort by its definition.
    pub(crate) fn define_sort(&mut self, name: &str, parameters: Vec<String>, body: (Tree, At)) {
        let definition = SortMacro { parameters, body: Rc::new(body) };
        self.sorts.entry_ref(name).or_default().push(definition);
        self.undo.push(Undo::Sort(name.to_string()));
    }

    /// Where the present level ends.
    pub(crate) fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Forgets what was declared since `mark`.
    pub(crate) fn forget(&mut self, mark: usize) {
        for undo in self.undo.drain(mark..).rev() {
            match undo {
                Undo::Binding(name) => {
                    if let Some(meanings) = self.bindings.get_mut(&name) {
                        meanings.pop();
                    }
                }
                Undo::Sort(name) => {
                    if let Some(meanings) = self.sorts.get_mut(&name) {
                        meanings.pop();
                    }
                }
            }
        }
    }

    /// Reads a sort.
    pub(crate) fn sort(&self, terms: &mut Terms, tree: &Tree, at: At) -> Result<DoorSort, Mistake> {
        self.sort_within(terms, tree, at, &[], 0)
    }

    /// Reads a sort of terms.
    pub(crate) fn term_sort(
        &self,
        terms: &mut Terms,
        tree: &Tree,
        at: At,
    ) -> Result<Sort, Mistake> {
        match self.sort(terms, tree, at)? {
            DoorSort::Term(sort) => Ok(sort),
            DoorSort::Real => Err(tree.mistake(at, "no unknowns of sort Real or Int")),
        }
    }

    fn sort_within(
        &self,
        terms: &mut Terms,
        tree: &Tree,
        at: At,
        local: &[(String, DoorSort)],
        depth: usize,
    ) -> Result<DoorSort, Mistake> {
        if depth > DEEPEST {
            return Err(tree.mistake(at, format!("a sort nested deeper than {DEEPEST}")));
        }
        let children = tree.children(at);
        if let [underscore, name, indices @ ..] = children.as_slice()
            && tree.is_word(*underscore, "_")
        {
            return indexed_sort(tree, *name, indices).map(DoorSort::Term);
        }
        let (name, arguments) = match children.as_slice() {
            [name, arguments @ ..] => (*name, arguments),
            [] => (at, &[][..]),
        };
        let Some(text) = tree.symbol(name) else { return Err(tree.mistake(at, "no sort")) };
        if let Some((_, sort)) = local.iter().find(|(parameter, _)| parameter == text) {
            return Ok(*sort);
        }
        let mut sorts = Vec::new();
        for argument in arguments {
            sorts.push(self.sort_within(terms, tree, *argument, local, depth + 1)?);
        }
        if let Some(definition) = self.sorts.get(text).and_then(|meanings| meanings.last()) {
            if definition.parameters.len() != sorts.len() {
                let count = definition.parameters.len();
                return Err(tree.mistake(at, format!("`{text}` takes {count} sorts")));
            }
            let local: Vec<_> = definition.parameters.iter().cloned().zip(sorts).collect();
            let (body, root) = &*definition.body;
            let sort = self.sort_within(terms, body, *root, &local, depth + 1);
            return sort.map_err(|mistake| tree.mistake(at, mistake.what));
        }
        let float = |format| Ok(DoorSort::Term(Sort::Float(format)));
        match (text, sorts.as_slice()) {
            ("Bool", []) => Ok(DoorSort::Term(Sort::Bool)),
            ("RoundingMode", []) => Ok(DoorSort::Term(Sort::Rounding)),
            ("Real" | "Int", []) => Ok(DoorSort::Real),
            ("Float16", []) => float(Format::BINARY16),
            ("Float32", []) => float(Format::BINARY32),
            ("Float64", []) => float(Format::BINARY64),
            ("Float128", []) => float(Format::BINARY128),
            ("Array", [DoorSort::Term(index), DoorSort::Term(element)]) => {
                Ok(DoorSort::Term(terms.array_sort(*index, *element)))
            }
            _ => Err(tree.mistake(at, format!("`{}` is no sort known here", brief(tree, at)))),
        }
    }
}

/// An item as text, cut where it gets long.
pub(crate) fn brief(tree: &Tree, at: At) -> String {
    if tree.is_list(at) && tree.next(at) - at > 12 {
        return "(...)".to_string();
    }
    let text = tree.print(at);
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}...", &text[..cut]),
        None => text,
    }
}

/// A numeral that is an index.
pub(crate) fn index(tree: &Tree, at: At) -> Result<u32, Mistake> {
    let number = tree.text(at).parse::<u32>().ok();
    let number = number.filter(|n| tree.kind(at) == Kind::Numeral && *n <= MAX_WIDTH);
    number.ok_or_else(|| tree.mistake(at, format!("a number up to {MAX_WIDTH}")))
}

/// A format from its two widths.
pub(crate) fn format(tree: &Tree, exponent: At, precision: At) -> Result<Format, Mistake> {
    let widths = (index(tree, exponent)?, index(tree, precision)?);
    if !(2..=Format::MAX_EXPONENT_BITS).contains(&widths.0) {
        let what = format!("an exponent of 2 to {} bits", Format::MAX_EXPONENT_BITS);
        return Err(tree.mistake(exponent, what));
    }
    if widths.1 < 2 {
        return Err(tree.mistake(precision, "a significand of at least 2 bits"));
    }
    Ok(Format::new(widths.0, widths.1))
}

fn indexed_sort(tree: &Tree, name: At, indices: &[At]) -> Result<Sort, Mistake> {
    match (tree.text(name), indices) {
        ("BitVec", [width]) => match index(tree, *width)? {
            0 => Err(tree.mistake(*width, "a width of at least 1")),
            width => Ok(Sort::Bits(width)),
        },
        ("FloatingPoint", [exponent, precision]) => {
            Ok(Sort::Float(format(tree, *exponent, *precision)?))
        }
        _ => Err(tree.mistake(name, format!("`{}` is no sort known here", tree.text(name)))),
    }
}
