//! What holds of one operation: when its result is a NaN, a zero or infinite, its sign, and
//! bounds by its operands. Each row is proved on tiny formats by `tests/order.rs`.

mod fused;
mod integral;
mod narrowing;
mod product;
mod quotient;
mod remainder;
mod root;
mod sum;

use super::{Instance, Known, Say};
use nanoscope_ieee::{Operation, Rounding};
use nanoscope_term::Term;

/// A statement about every instance of some operations.
pub struct Lemma {
    /// Its name.
    pub name: &'static str,
    /// What it says, as a reader would write it; `r` is the result.
    pub statement: &'static str,
    /// The operations it is about.
    pub operations: &'static [Operation],
    /// Says it of one.
    pub say: fn(&mut Say, &Known, &Instance),
}

/// Every lemma about one operation.
pub fn lemmas() -> impl Iterator<Item = &'static Lemma> {
    [
        sum::LEMMAS,
        product::LEMMAS,
        quotient::LEMMAS,
        root::LEMMAS,
        fused::LEMMAS,
        remainder::LEMMAS,
        integral::LEMMAS,
        narrowing::LEMMAS,
    ]
    .into_iter()
    .flatten()
}

/// What the operation yields on known numbers; if its mode is unknown, a bound of that.
fn rounded(say: &mut Say, i: &Instance, up: bool, args: &[Term]) -> Option<Term> {
    let outward = if up { Rounding::Upward } else { Rounding::Downward };
    let mode = say.mode(i.rounding).unwrap_or(outward);
    say.folded(i.operation, mode, args)
}

/// The known numbers to compare operands of this format with: the query's, and one.
fn landmarks(say: &mut Say, known: &Known, like: Term) -> Vec<Term> {
    let sort = say.t.sort(like);
    let one = say.power(say.t.format(like), 0);
    let mut numbers: Vec<Term> =
        known.landmarks.iter().copied().filter(|term| say.t.sort(*term) == sort).collect();
    numbers.extend(one);
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The magnitudes of landmarks.
fn magnitudes(say: &mut Say, known: &Known, like: Term) -> Vec<Term> {
    let landmarks = landmarks(say, known, like);
    let mut numbers: Vec<Term> = Vec::new();
    for landmark in landmarks {
        let magnitude = say.abs(landmark);
        numbers.extend(say.value_of(magnitude));
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The sign of a product or quotient is the product of the signs.
fn sign_of_product(say: &mut Say, i: &Instance) {
    let number = say.number(i.result);
    let minus = say.negative(i.result);
    let differ = say.signs_differ(i.args[0], i.args[1]);
    say.iff(&[number], minus, differ);
}

/// What rounds downward is no larger than what it rounds, and so on.
fn directed(say: &mut Say, i: &Instance, exact: Term, rounded: Term) {
    let Some(rounding) = i.rounding else { return };
    let number = say.number(exact);
    let [down, up, inward] = [Rounding::Downward, Rounding::Upward, Rounding::TowardZero]
        .map(|mode| say.mode_is(rounding, mode));
    let (below, above) = (say.le(rounded, exact), say.le(exact, rounded));
    say.implies(&[number, down], below);
    say.implies(&[number, up], above);
    let (plus, minus) = (say.positive(exact), say.negative(exact));
    say.implies(&[number, inward, plus], below);
    say.implies(&[number, inward, minus], above);
}

/// The other factor and the exponent, if the product is one with a power of two.
fn scaled(say: &Say, i: &Instance) -> Option<(Term, i64)> {
    let at = [0, 1].into_iter().find(|at| say.exponent(i.args[*at]).is_some())?;
    Some((i.args[1 - at], say.exponent(i.args[at])?))
}

/// The known factor of a product and the other one.
fn known_factor(say: &Say, i: &Instance) -> Option<(Term, Term)> {
    let at = [0, 1].into_iter().find(|at| say.t.value(i.args[*at]).is_some())?;
    Some((i.args[at], i.args[1 - at]))
}
