//! Terms, values, models and scripts as SMT-LIB text.

use super::names::symbol_text;
use crate::{FunctionId, FunctionValue, Model, Op, Sort, Term, Terms, Value, VariableId};
use hashbrown::{HashMap, HashSet};
use nanoscope_ieee::Word;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A value.
pub fn value_text(terms: &Terms, value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Bits(word) => bits_text(word),
        Value::Rounding(mode) => mode.smtlib_name().to_string(),
        Value::Float(format, word) => {
            let widths = format!("{} {}", format.exponent_bits, format.precision);
            let special = [
                ("NaN", Value::nan(*format)),
                ("+oo", Value::infinity(*format, false)),
                ("-oo", Value::infinity(*format, true)),
                ("+zero", Value::zero(*format, false)),
                ("-zero", Value::zero(*format, true)),
            ];
            match special.iter().find(|(_, special)| special == value) {
                Some((name, _)) => format!("(_ {name} {widths})"),
                None => {
                    let text = binary_text(word);
                    let (sign, rest) = text.split_at(1);
                    let (exponent, fraction) = rest.split_at(format.exponent_bits as usize);
                    format!("(fp #b{sign} #b{exponent} #b{fraction})")
                }
            }
        }
        Value::Array(array) => {
            let element = value_sort_text(terms, &array.default);
            let index = terms.sort_text(array.index);
            let default = value_text(terms, &array.default);
            let mut text = format!("((as const (Array {index} {element})) {default})");
            for (at, element) in &array.entries {
                text = format!(
                    "(store {text} {} {})",
                    value_text(terms, at),
                    value_text(terms, element)
                );
            }
            text
        }
    }
}

fn value_sort_text(terms: &Terms, value: &Value) -> String {
    match value {
        Value::Array(array) => {
            let element = value_sort_text(terms, &array.default);
            format!("(Array {} {element})", terms.sort_text(array.index))
        }
        Value::Bool(_) | Value::Bits(_) | Value::Float(..) | Value::Rounding(_) => {
            terms.sort_text(value.sort().expect("no array"))
        }
    }
}

fn binary_text(word: &Word) -> String {
    (0..word.width()).rev().map(|i| if word.bit(i) { '1' } else { '0' }).collect()
}

fn bits_text(word: &Word) -> String {
    if word.width().is_multiple_of(4) {
        format!("#x{}", word.to_hex())
    } else {
        format!("#b{}", binary_text(word))
    }
}

/// A term. What it uses more than once is bound by `let`.
pub fn term_text(terms: &Terms, term: Term) -> String {
    let below = terms.below(&[term]);
    let mut uses: HashMap<Term, usize> = HashMap::new();
    for part in &below {
        for arg in terms.args(*part) {
            *uses.entry(*arg).or_default() += 1;
        }
    }
    let names: HashSet<&str> =
        below.iter().filter_map(|t| terms.as_variable(*t)).map(|v| terms.symbol(v)).collect();
    let mut prefix = "$".to_string();
    while names.iter().any(|name| name.starts_with(&prefix)) {
        prefix.push('$');
    }
    let shared: Vec<Term> = below
        .into_iter()
        .filter(|part| *part != term && uses.get(part).is_some_and(|n| *n > 1))
        .filter(|part| !terms.args(*part).is_empty())
        .collect();
    let bound: HashMap<Term, usize> =
        shared.iter().enumerate().map(|(number, part)| (*part, number)).collect();
    let mut text = String::new();
    for (number, part) in shared.iter().enumerate() {
        let _ = write!(text, "(let (({prefix}{number} ");
        write_inline(terms, *part, &bound, &prefix, &mut text);
        text.push_str(")) ");
    }
    write_inline(terms, term, &bound, &prefix, &mut text);
    text.extend(shared.iter().map(|_| ')'));
    text
}

/// Writes a term whose shared parts have names.
fn write_inline(
    terms: &Terms,
    root: Term,
    bound: &HashMap<Term, usize>,
    prefix: &str,
    text: &mut String,
) {
    enum Piece {
        Term(Term),
        Close,
    }
    let mut todo = vec![Piece::Term(root)];
    while let Some(piece) = todo.pop() {
        let Piece::Term(term) = piece else {
            text.push(')');
            continue;
        };
        if !text.is_empty() && !text.ends_with([' ', '(']) {
            text.push(' ');
        }
        if let Some(number) = bound.get(&term).filter(|_| term != root) {
            let _ = write!(text, "{prefix}{number}");
        } else if let Some(value) = terms.value(term) {
            text.push_str(&value_text(terms, value));
        } else if let Op::Variable(variable) = terms.op(term) {
            text.push_str(&symbol_text(terms.symbol(variable)));
        } else {
            text.push('(');
            text.push_str(&terms.op_text(terms.op(term)));
            todo.push(Piece::Close);
            todo.extend(terms.args(term).iter().rev().map(|arg| Piece::Term(*arg)));
        }
    }
}

/// Sorts that a script declared, which terms know as bit strings, and whose they are.
#[derive(Clone, Debug, Default)]
pub struct DeclaredSorts {
    names: Vec<String>,
    /// The declared sorts of arguments and results of constants and functions, by name.
    used: BTreeMap<String, (Vec<Option<String>>, Option<String>)>,
}

impl DeclaredSorts {
    pub(crate) fn declare(&mut self, name: &str) {
        self.names.push(symbol_text(name));
    }

    /// The sort that is written so, if it is a declared one or has one in it.
    pub(crate) fn find(&self, text: &str) -> Option<String> {
        self.has(text).then(|| text.to_string())
    }

    fn has(&self, text: &str) -> bool {
        text.split(['(', ' ', ')']).any(|word| self.names.iter().any(|name| name == word))
    }

    pub(crate) fn note(&mut self, name: &str, domain: Vec<Option<String>>, range: Option<String>) {
        self.used.insert(name.to_string(), (domain, range));
    }

    fn argument(&self, name: &str, at: usize) -> Option<&str> {
        self.used.get(name)?.0.get(at)?.as_deref()
    }

    fn result(&self, name: &str) -> Option<&str> {
        self.used.get(name)?.1.as_deref()
    }

    /// The declared sort of a term, if it is a constant or an application of one, or made of
    /// these by reading and writing arrays.
    pub(crate) fn of_term(&self, terms: &Terms, term: Term) -> Option<&str> {
        match terms.op(term) {
            Op::Variable(variable) => self.result(terms.symbol(variable)),
            Op::Apply(function) => self.result(&terms.function(function).name),
            Op::Store => self.of_term(terms, terms.args(term)[0]),
            Op::Select => {
                let (_, element) = array_parts(self.of_term(terms, terms.args(term)[0])?)?;
                self.has(element).then_some(element)
            }
            _ => None,
        }
    }

    /// A value, of a declared sort as an abstract one.
    pub(crate) fn text(&self, terms: &Terms, value: &Value, sort: Option<&str>) -> String {
        match (value, sort) {
            (Value::Bits(word), Some(sort)) => {
                format!("(as {} {sort})", symbol_text(&format!("@{sort}!{}", word.to_big())))
            }
            (Value::Array(array), Some(sort)) => {
                let Some((index, element)) = array_parts(sort) else {
                    return value_text(terms, value);
                };
                let text = |value: &Value, sort: &str| {
                    self.text(terms, value, self.has(sort).then_some(sort))
                };
                let constant = format!("((as const {sort}) {})", text(&array.default, element));
                array.entries.iter().fold(constant, |below, (at, value)| {
                    format!("(store {below} {} {})", text(at, index), text(value, element))
                })
            }
            _ => value_text(terms, value),
        }
    }
}

/// The sorts of indices and elements of an array sort as it is written.
fn array_parts(sort: &str) -> Option<(&str, &str)> {
    let inner = sort.strip_prefix("(Array ")?.strip_suffix(')')?;
    let mut depth = 0;
    let end = inner.char_indices().find(|(_, letter)| {
        depth += i32::from(*letter == '(') - i32::from(*letter == ')');
        depth == 0 && *letter == ' '
    });
    Some(inner.split_at(end?.0)).map(|(index, element)| (index, element.trim_start()))
}

/// The `define-fun` of a variable.
pub fn variable_definition(
    terms: &Terms,
    model: &Model,
    variable: VariableId,
    sorts: &DeclaredSorts,
) -> String {
    let declared = sorts.result(terms.symbol(variable));
    let sort =
        declared.map_or_else(|| terms.sort_text(terms.variable_sort(variable)), str::to_string);
    let value = sorts.text(terms, &model.get(terms, variable), declared);
    format!("(define-fun {} () {sort} {value})", symbol_text(terms.symbol(variable)))
}

/// The `define-fun` of an uninterpreted function.
pub fn function_definition(
    terms: &Terms,
    model: &Model,
    id: FunctionId,
    sorts: &DeclaredSorts,
) -> String {
    let function = terms.function(id);
    let missing =
        FunctionValue { entries: Default::default(), default: terms.default_value(function.range) };
    let values = model.functions.get(&id).unwrap_or(&missing);
    let of_argument = |number: usize| sorts.argument(&function.name, number);
    let of_result = sorts.result(&function.name);
    let sort_text = |declared: Option<&str>, sort| {
        declared.map_or_else(|| terms.sort_text(sort), str::to_string)
    };
    let parameters: Vec<String> = function
        .domain
        .iter()
        .enumerate()
        .map(|(number, sort)| format!("(x!{number} {})", sort_text(of_argument(number), *sort)))
        .collect();
    let mut body = String::new();
    for (args, value) in &values.entries {
        let tests: Vec<String> = args
            .iter()
            .enumerate()
            .map(|(number, arg)| {
                format!("(= x!{number} {})", sorts.text(terms, arg, of_argument(number)))
            })
            .collect();
        let test = match tests.as_slice() {
            [one] => one.clone(),
            many => format!("(and {})", many.join(" ")),
        };
        let _ = write!(body, "(ite {test} {} ", sorts.text(terms, value, of_result));
    }
    body.push_str(&sorts.text(terms, &values.default, of_result));
    body.extend(values.entries.iter().map(|_| ')'));
    let range = sort_text(of_result, function.range);
    let name = symbol_text(&function.name);
    format!("(define-fun {name} ({}) {range} {body})", parameters.join(" "))
}

/// A whole script that asserts `assertions` and asks.
pub fn script_text(terms: &Terms, assertions: &[Term]) -> String {
    let mut text = String::from("(set-logic ALL)\n");
    let mut functions: Vec<FunctionId> = Vec::new();
    for term in terms.below(assertions) {
        match terms.op(term) {
            Op::Variable(variable) => {
                let sort = terms.sort_text(terms.variable_sort(variable));
                let name = symbol_text(terms.symbol(variable));
                let _ = writeln!(text, "(declare-const {name} {sort})");
            }
            Op::Apply(function) if !functions.contains(&function) => {
                functions.push(function);
                let function = terms.function(function);
                let list = |sorts: &[Sort]| {
                    sorts.iter().map(|s| terms.sort_text(*s)).collect::<Vec<_>>().join(" ")
                };
                let (domain, range) = (list(&function.domain), terms.sort_text(function.range));
                let name = symbol_text(&function.name);
                let _ = writeln!(text, "(declare-fun {name} ({domain}) {range})");
            }
            _ => {}
        }
    }
    for assertion in assertions {
        let _ = writeln!(text, "(assert {})", term_text(terms, *assertion));
    }
    text.push_str("(check-sat)\n");
    text
}
