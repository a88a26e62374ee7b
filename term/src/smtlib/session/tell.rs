//! What scripts tell: declarations, definitions, assertions, levels, options.

use super::super::expression;
use super::super::print::DeclaredSorts;
use super::super::symbols::{self, Binding, DoorSort, Meaning, Symbols, brief};
use super::super::text::{At, Mistake, Reader, Tree};
use super::{Assertion, Decide, Last, Level, Session, Trouble, count, list, symbol};
use crate::{Sort, Term};

impl<D: Decide> Session<D> {
    /// Follows a command that asks nothing; whether it is one.
    pub(super) fn tell(
        &mut self,
        tree: &Tree,
        command: &str,
        args: &[At],
    ) -> Result<bool, Trouble> {
        match (command, args) {
            ("set-logic", [_]) => {}
            ("set-info", [keyword]) => {
                self.information.insert(tree.text(*keyword).to_string(), String::new());
            }
            ("set-info", [keyword, value]) => {
                let value = if tree.is_list(*value) {
                    tree.print(*value)
                } else {
                    tree.text(*value).to_string()
                };
                self.information.insert(tree.text(*keyword).to_string(), value);
            }
            ("set-option", [keyword, value]) => {
                self.options.insert(tree.text(*keyword).to_string(), tree.print(*value));
            }
            ("declare-const", [name, sort]) => self.declare(tree, *name, &[], *sort)?,
            ("declare-fun", [name, domain, range]) => {
                let domain = list(tree, *domain)?;
                self.declare(tree, *name, &domain, *range)?;
            }
            ("declare-sort", [name, rest @ ..]) if rest.len() <= 1 => {
                let name = symbol(tree, *name)?;
                let arity = rest.first().map_or(Ok(0), |at| symbols::index(tree, *at))?;
                let parameters = (0..arity).map(|number| format!(" {number}")).collect();
                // More elements than terms can tell apart: as good as any number.
                let bits = Reader::new(&b"(_ BitVec 32)"[..]).command()?.expect("a sort");
                self.symbols.define_sort(&name, parameters, (bits, Tree::ROOT));
                self.sorts.declare(&name);
            }
            ("define-sort", [name, parameters, body]) => {
                let name = symbol(tree, *name)?;
                let parameters = list(tree, *parameters)?;
                let parameters =
                    parameters.iter().map(|at| symbol(tree, *at)).collect::<Result<_, _>>()?;
                self.symbols.define_sort(&name, parameters, (tree.clone(), *body));
            }
            ("define-const", [name, sort, body]) => self.define(tree, *name, &[], *sort, *body)?,
            ("define-fun", [name, parameters, sort, body]) => {
                let parameters = list(tree, *parameters)?;
                self.define(tree, *name, &parameters, *sort, *body)?;
            }
            ("assert", [body]) => self.assert(tree, *body)?,
            ("push", [] | [_]) => {
                for _ in 0..count(tree, args)? {
                    self.levels.push(self.level());
                }
                self.last = Last::None;
            }
            ("pop", [] | [_]) => {
                let count = count(tree, args)?;
                let left = self.levels.len().checked_sub(count);
                let left = left.ok_or_else(|| {
                    let name = tree.children(Tree::ROOT)[0];
                    tree.mistake(name, format!("{} levels only", self.levels.len()))
                })?;
                if let Some(level) = self.levels.get(left).copied() {
                    self.return_to(level);
                }
                self.levels.truncate(left);
                self.last = Last::None;
            }
            ("reset", []) => {
                self.levels.clear();
                self.return_to(Level::default());
                self.symbols = Symbols::default();
                self.options.clear();
                self.information.clear();
                self.last = Last::None;
            }
            ("reset-assertions", []) => {
                self.levels.clear();
                self.return_to(Level::default());
                self.last = Last::None;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn level(&self) -> Level {
        Level {
            symbols: self.symbols.mark(),
            assertions: self.assertions.len(),
            named: self.named.len(),
            variables: self.variables.len(),
            functions: self.functions.len(),
        }
    }

    fn return_to(&mut self, level: Level) {
        self.assertions.truncate(level.assertions);
        if self.options.get(":global-declarations").is_none_or(|value| value != "true") {
            self.symbols.forget(level.symbols);
            self.named.truncate(level.named);
            self.variables.truncate(level.variables);
            self.functions.truncate(level.functions);
        }
    }

    fn new_name(&self, tree: &Tree, at: At) -> Result<String, Mistake> {
        let name = symbol(tree, at)?;
        if self.symbols.get(&name).is_some() {
            return Err(tree.mistake(at, format!("`{name}` is declared already")));
        }
        Ok(name)
    }

    fn declare(
        &mut self,
        tree: &Tree,
        name: At,
        domain: &[At],
        range_at: At,
    ) -> Result<(), Mistake> {
        let name = self.new_name(tree, name)?;
        let range = self.symbols.term_sort(&mut self.terms, tree, range_at)?;
        let mut sorts = Vec::new();
        for at in domain {
            sorts.push(self.symbols.term_sort(&mut self.terms, tree, *at)?);
        }
        let declared = |sorts: &DeclaredSorts, at: At| sorts.find(&tree.print(at));
        let of_range = declared(&self.sorts, range_at);
        let binding = if sorts.is_empty() {
            let term = self.terms.variable(&name, range);
            self.variables.extend(self.terms.as_variable(term));
            self.sorts.note(&name, Vec::new(), of_range);
            Binding::Is(Meaning::Term(term))
        } else {
            let function = self.terms.declare_function(&name, &sorts, range);
            let of_domain = domain.iter().map(|at| declared(&self.sorts, *at)).collect();
            self.sorts.note(&name, of_domain, of_range);
            self.functions.push(function);
            Binding::Function(function)
        };
        self.symbols.declare(&name, binding);
        self.last = Last::None;
        Ok(())
    }

    fn define(
        &mut self,
        tree: &Tree,
        name: At,
        parameters: &[At],
        sort: At,
        body: At,
    ) -> Result<(), Mistake> {
        let name = self.new_name(tree, name)?;
        let sort = self.symbols.sort(&mut self.terms, tree, sort)?;
        let (mut names, mut placeholders) = (Vec::new(), Vec::new());
        for parameter in parameters {
            let [name, sort] = tree.children(*parameter)[..] else {
                return Err(tree.mistake(*parameter, "a parameter is `(name sort)`"));
            };
            names.push(symbol(tree, name)?);
            let sort = self.symbols.term_sort(&mut self.terms, tree, sort)?;
            placeholders.push(self.terms.fresh("parameter", sort));
        }
        for (name, placeholder) in names.iter().zip(&placeholders) {
            self.symbols.bind(name, Binding::Is(Meaning::Term(*placeholder)));
        }
        let meaning = self.expression(tree, body);
        names.iter().for_each(|name| self.symbols.release(name));
        let meaning = meaning?;
        if let (Meaning::Term(term), false) = (&meaning, placeholders.is_empty())
            && self.is_beyond(&[*term])
        {
            // What stands for the number would stand for it whatever the arguments.
            return Err(tree.mistake(body, "`fp.to_real` within a function with parameters"));
        }
        let given = match &meaning {
            Meaning::Term(term) => DoorSort::Term(self.terms.sort(*term)),
            Meaning::Real(_) => DoorSort::Real,
        };
        if given != sort {
            let text = |sort| match sort {
                DoorSort::Term(sort) => self.terms.sort_text(sort),
                DoorSort::Real => "Real".to_string(),
            };
            let what = format!("`{name}` is of sort {}, its body of {}", text(sort), text(given));
            return Err(tree.mistake(body, what));
        }
        let binding = if placeholders.is_empty() {
            Binding::Is(meaning)
        } else {
            Binding::Macro(std::rc::Rc::new((placeholders, meaning)))
        };
        self.symbols.declare(&name, binding);
        Ok(())
    }

    /// Reads an expression and binds what it names.
    pub(super) fn expression(&mut self, tree: &Tree, at: At) -> Result<Meaning, Mistake> {
        let mut named = Vec::new();
        let meaning = expression::read(&mut self.terms, &mut self.symbols, tree, at, &mut named)?;
        for (name, term) in named {
            if self.symbols.get(&name).is_some() {
                return Err(tree.mistake(at, format!("`{name}` is declared already")));
            }
            self.symbols.declare(&name, Binding::Is(Meaning::Term(term)));
            self.named.push((name, term));
        }
        Ok(meaning)
    }

    pub(super) fn truth(&mut self, tree: &Tree, at: At) -> Result<Term, Mistake> {
        match self.expression(tree, at)? {
            Meaning::Term(term) if self.terms.sort(term) == Sort::Bool => Ok(term),
            Meaning::Term(_) | Meaning::Real(_) => {
                Err(tree.mistake(at, format!("`{}` is no truth value", brief(tree, at))))
            }
        }
    }

    fn assert(&mut self, tree: &Tree, body: At) -> Result<(), Mistake> {
        let before = self.named.len();
        let term = self.truth(tree, body)?;
        let outermost = tree.is_list(body) && tree.is_word(body + 1, "!");
        let name = self.named[before..].last().filter(|_| outermost);
        let name = name.map(|(name, _)| name.clone());
        self.assertions.push(Assertion { term, name, text: tree.print(body) });
        self.last = Last::None;
        Ok(())
    }
}
