//! The text of a script in the making: names, numbers, assertions.

use crate::propagate::Domain;
use nanoscope_ieee::Rational;
use nanoscope_term::{Term, Terms, VariableId};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Writes a script, term by term.
pub(super) struct Writer<'a> {
    pub(super) terms: &'a Terms,
    pub(super) domains: &'a BTreeMap<Term, Domain>,
    pub(super) text: String,
    /// What stands for floats and integers.
    pub(super) real: BTreeMap<Term, String>,
    /// When floats are NaN, of those that may be.
    pub(super) nan: BTreeMap<Term, String>,
    /// What stands for truth values.
    pub(super) truth: BTreeMap<Term, String>,
    pub(super) asked: Vec<(VariableId, String)>,
    /// The names of long numbers.
    pub(super) numbers: BTreeMap<String, String>,
    pub(super) names: usize,
}

/// Numbers of more letters than this have names.
const LONG: usize = 24;

impl<'a> Writer<'a> {
    pub(super) fn new(terms: &'a Terms, domains: &'a BTreeMap<Term, Domain>) -> Writer<'a> {
        Writer {
            terms,
            domains,
            text: "(set-option :produce-models true)\n(set-logic QF_NRA)\n".to_string(),
            real: BTreeMap::new(),
            nan: BTreeMap::new(),
            truth: BTreeMap::new(),
            asked: Vec::new(),
            numbers: BTreeMap::new(),
            names: 0,
        }
    }

    pub(super) fn assert(&mut self, what: &str) {
        writeln!(self.text, "(assert {what})").expect("a string");
    }

    /// An unknown of its own.
    pub(super) fn unknown(&mut self, sort: &str) -> String {
        self.names += 1;
        let name = format!("u{}", self.names);
        writeln!(self.text, "(declare-const {name} {sort})").expect("a string");
        name
    }

    /// A name for an expression.
    pub(super) fn named(&mut self, sort: &str, what: &str) -> String {
        if !what.starts_with('(') {
            return what.to_string();
        }
        self.names += 1;
        let name = format!("t{}", self.names);
        writeln!(self.text, "(define-fun {name} () {sort} {what})").expect("a string");
        name
    }

    /// A number, by its name if it is long.
    pub(super) fn number(&mut self, value: &Rational) -> String {
        let text = number(value);
        if text.len() <= LONG {
            return text;
        }
        if let Some(name) = self.numbers.get(&text) {
            return name.clone();
        }
        self.names += 1;
        let name = format!("c{}", self.names);
        writeln!(self.text, "(define-fun {name} () Real {text})").expect("a string");
        self.numbers.insert(text, name.clone());
        name
    }

    /// Notes what stands for a float or an integer.
    pub(super) fn stands(&mut self, term: Term, what: &str) {
        let name = self.named("Real", what);
        self.real.insert(term, name);
    }

    /// An unknown for a variable, to be asked for.
    pub(super) fn variable(&mut self, variable: VariableId, sort: &str) -> String {
        let name = self.unknown(sort);
        self.asked.push((variable, name.clone()));
        name
    }

    /// What is known of a term.
    pub(super) fn domain(&self, term: Term) -> Domain {
        let known = self.domains.get(&term).copied();
        known.unwrap_or_else(|| Domain::of_sort(self.terms.sort(term)))
    }

    /// Asserts that a number is a signed integer's of so many bits.
    pub(super) fn within(&mut self, name: &str, width: u32) {
        let end = number(&Rational::from_integer(BigInt::one() << (width - 1)));
        self.assert(&format!("(and (<= (- {end}) {name}) (< {name} {end}))"));
    }

    /// What stands for a condition of an `ite`.
    pub(super) fn truth_of(&self, term: Term) -> Option<String> {
        self.truth.get(&term).cloned()
    }
}

/// The unsigned integer of so many bits whose signed one is given.
pub(super) fn unsigned(integer: &str, width: u32) -> String {
    let modulus = number(&Rational::from_integer(BigInt::one() << width));
    format!("(ite (< {integer} 0.0) (+ {integer} {modulus}) {integer})")
}

/// A number as SMT-LIB writes it.
pub(super) fn number(value: &Rational) -> String {
    let (above, below) = (value.numer().abs(), value.denom());
    let magnitude =
        if below.is_one() { format!("{above}.0") } else { format!("(/ {above}.0 {below}.0)") };
    if value.is_negative() && !value.is_zero() { format!("(- {magnitude})") } else { magnitude }
}
